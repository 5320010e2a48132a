"""What is not public in JAX or Flax: one file an API, each with its reason and its canary."""
