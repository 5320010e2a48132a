"""What the probes read that is not public API of JAX or Flax, kept here, each with its reason."""
