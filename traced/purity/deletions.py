"""Find the arrays of its caller that a call deletes, as by donation."""

import contextlib
import io
import warnings
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from traced.pytrees.differences import name_arguments


def find_deleted(f: Callable[..., Any], *args: Any) -> list[str]:
    """Call `f` with copies of the arrays in `args`, and return those by name that it deletes.

    What it prints is not shown.

    >>> halve = jax.jit(lambda x, y: x / y, donate_argnames="x")
    >>> find_deleted(halve, jnp.ones(3), 2.0)
    ['x']
    """
    # The arrays that are there before an attempt cannot be deleted, so that new ones are passed.
    copies = jax.tree.map(_copy_of, args)
    named = name_arguments(f, copies, {})
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        # Memory that the program has no use for is not taken.
        warnings.filterwarnings("ignore", "Some donated buffers were not usable")
        f(*copies)
        jax.effects_barrier()  # type: ignore[no-untyped-call]  # JAX gives it no types
    arrays = {name: leaf for name, leaf in named.items() if _is_array(leaf)}
    return [name for name, array in arrays.items() if array.is_deleted()]


def _copy_of(leaf: Any) -> Any:
    return jnp.copy(leaf) if _is_array(leaf) else leaf


def _is_array(leaf: Any) -> bool:
    return isinstance(leaf, jax.Array) and not isinstance(leaf, jax.Ref)
