"""What the functions that the checks map say when they are given a whole batch."""

from typing import Any

import jax


def require_one_example(function: str, name: str, got: Any, shape: tuple[int, ...]) -> None:
    """Refuse whatever is not one example of that shape, a batch of them above all.

    >>> import jax.numpy as jnp
    >>> require_one_example("predict", "x", jnp.ones(3), (3,))
    >>> require_one_example("predict", "x", jnp.ones((5, 3)), (3,))
    Traceback (most recent call last):
    TypeError: `predict` takes one example, x of shape (3,), got f32[5,3]
    """
    kind = jax.typeof(got)
    if kind.shape != shape:
        said = kind.str_short(short_dtypes=True)
        raise TypeError(f"`{function}` takes one example, {name} of shape {shape}, got {said}")
