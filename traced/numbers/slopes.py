"""Require of an answer what its result changes by, in whichever mode it can be differentiated."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.findings.feedback import Found, require
from traced.running.attempt import attempt


def require_slopes_along(
    answer: Any, args: tuple[Any, ...], along: tuple[Any, ...], wanted: Any
) -> None:
    """Require what the result, an array, changes by along one direction of all arguments.

    That is taken from reverse mode, which every rule of a derivative has, or from forward mode
    where there is no other, as in a `while_loop`.

    >>> x, along = jnp.array([1.0, 2.0]), jnp.array([1.0, -1.0])
    >>> require_slopes_along(lambda x: x**2, (x,), (along,), wanted=np.array([2.0, -4.0]))
    >>> require_slopes_along(jax.lax.stop_gradient, (x,), (along,), wanted=along)
    Traceback (most recent call last):
    traced.findings.feedback.Found: derivatives/wrong
    """
    try:
        got = attempt(jax.jit(_backwards(answer)), args, along)
    except Found as found:
        if found.finding.code != "loops/reverse-mode":
            raise
        got = attempt(jax.jit(_forwards(answer)), args, along)
    given, changed = (", ".join(f"{np.asarray(x)}" for x in xs) for xs in (args, along))
    seen = {"given": given, "along": changed, "wanted": wanted, "got": got}
    close = np.allclose(wanted, got, rtol=1e-3, atol=1e-4)
    require(close, "derivatives/wrong", **seen)


def _backwards(answer: Any) -> Any:
    def changes(args: Any, along: Any) -> Any:
        result, pull_back = jax.vjp(lambda *args: answer(*args), *args)
        weights = jnp.eye(result.size, dtype=result.dtype)
        rows = jax.vmap(pull_back)(weights.reshape(result.size, *result.shape))
        products = (slopes * x for slopes, x in zip(rows, along, strict=True))
        sums = [product.reshape(result.size, -1).sum(axis=1) for product in products]
        return jnp.stack(sums).sum(axis=0).reshape(result.shape)

    return changes


def _forwards(answer: Any) -> Any:
    def changes(args: Any, along: Any) -> Any:
        return jax.jvp(lambda *args: answer(*args), args, along)[1]

    return changes
