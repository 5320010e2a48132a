"""What Python itself shows of code and values: places, short texts, what a call can reach."""
