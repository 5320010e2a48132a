"""Compare derivatives with those of a formula, to the tolerance that a text names."""

from collections.abc import Callable, Iterable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.findings.feedback import require
from traced.running.attempt import attempt


def require_slope(
    wanted: float, got: Any, within: float, *, near_zero: float = 0.1, **given: object
) -> None:
    """Raise `Found` unless a derivative is finite, and as near as `within` of it allows.

    Around 0 this is a distance: the part `near_zero` of it.

    >>> require_slope(2.0, 2.01, 0.01, given="x = 1")
    >>> require_slope(2.0, 2.1, 0.01, given="x = 1")
    Traceback (most recent call last):
    traced.findings.feedback.Found: derivatives/wrong
    """
    code = "derivatives/wrong" if np.isfinite(got) else "derivatives/not-finite"
    close = bool(np.isclose(wanted, got, rtol=within, atol=within * near_zero))
    require(close, code, **given, wanted=f"{wanted:.4g}", got=f"{float(got):.4g}")


def require_slopes(
    answer: Callable[..., Any],
    names: tuple[str, ...],
    wanted: Callable[..., tuple[float, ...]],
    points: Iterable[tuple[float, ...]],
    within: float,
    *,
    near_zero: float = 0.1,
) -> None:
    """Require the derivatives with respect to each argument, a number, in both modes.

    >>> require_slopes(lambda a, b: a * b, ("a", "b"), lambda a, b: (b, a), [(2.0, 3.0)], 0.01)
    """
    places = tuple(range(len(names)))
    modes = {"reverse": jax.grad(answer, places), "forward": jax.jacfwd(answer, places)}
    compiled = {mode: jax.jit(derivatives) for mode, derivatives in modes.items()}
    for args in points:
        given = ", ".join(f"{name} = {x:.7g}" for name, x in zip(names, args, strict=True))
        slopes = wanted(*args)
        for mode, derivatives in compiled.items():
            got = attempt(derivatives, *map(jnp.float32, args))
            for name, slope, each in zip(names, slopes, got, strict=True):
                at = f"{given}, with respect to {name}, {mode} mode"
                require_slope(slope, each, within, near_zero=near_zero, given=at)
