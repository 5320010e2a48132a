"""The drawing kit of all pictures: HTML for a page, and the same facts as text."""
