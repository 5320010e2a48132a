"""What a check says: findings, their catalogue, and the feedback made of them."""
