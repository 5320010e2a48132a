"""What is in a trace and what is left of it: equations, growth, HLO, memory; the explorer."""
