"""Trees: their nodes and leaves, how two of them differ, prefixes laid over them."""
