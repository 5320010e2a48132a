"""Random keys: what a program does to them, and which it uses twice."""
