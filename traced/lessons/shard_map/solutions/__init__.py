"""One solution of each exercise of 16_shard_map, as a reader would write it."""
