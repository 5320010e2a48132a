"""See what XLA compiles: a function under `jit`, and each operation without it."""

import contextlib
import re
from collections.abc import Iterator

from traced.internals.compilations import see_compilations


@contextlib.contextmanager
def record_compilations() -> Iterator[list[str]]:
    """Record the name of each program that XLA compiles inside the `with` block, in order.

    A program that is found in memory is not compiled. One that is read from a compilation cache on
    disk counts, since JAX reports it alike.

    >>> import jax
    >>> x = jax.numpy.ones(3)
    >>> jax.clear_caches()
    >>> with record_compilations() as names:
    ...     _ = 2 * x + 1, 2 * x
    >>> names
    ['multiply', 'add']
    """
    names: list[str] = []
    with see_compilations(lambda name: names.append(_bare(name))):
        yield names


def _bare(name: str) -> str:
    """Return `f` for `jit(f)`."""
    found = re.fullmatch(r"jit\((.+)\)", name)
    return found[1] if found else name
