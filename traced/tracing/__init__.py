"""When JAX traces, and why it does so again; the watched function."""
