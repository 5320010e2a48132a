"""A solution of `load_rows`."""

import jax


def load_rows(read, shape, sharding):
    def piece(index):
        start, stop, _ = index[0].indices(shape[0])
        return read(start, stop)

    return jax.make_array_from_callback(shape, sharding, piece)
