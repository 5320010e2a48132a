"""Write the mean of an exponential, whose special case at zero has the right slope as well."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Found, fault, require
from traced.lessons.branches.solutions.mean_exp import mean_exp as solution
from traced.numbers.nans import find_first_nan
from traced.questions import compare
from traced.running.attempt import attempt

#: At zero, so close that a quotient has no digits left, where series and quotient meet, far off.
_SIZES = (1e-30, 1e-12, 1e-6, 1e-4, 1e-3, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 5.0, 20.0, 50.0)
_XS = np.array([0.0, *_SIZES, *(-size for size in _SIZES)], "float32")

#: Many more of both signs, in steps of some two percent, which are asked all at once.
_BETWEEN = np.concatenate([sign * np.geomspace(1e-8, 50, 1000) for sign in (1, -1)]).astype(
    "float32"
)

#: Up to here a quotient has lost digits. A series is good enough here, however short.
_NEAR = 0.003

#: What is behind a fault at 0, and behind one so close to it.
_AT_ZERO = "the branch that was chosen is differentiated: a special case needs the right slope too"
_CLOSE = "close to 0 both parts of the quotient are tiny, and digits cancel, sooner in its slope"
_READ = "06_branches, “The derivative is that of the branch that was chosen”"

#: Two of them, at which all digits are asked: a result may be of the wrong shape or dtype.
_TAME = (1.0, -2.0)


def _value(x: Any) -> Any:
    """Return the mean of `exp` between 0 and `x`, in double precision."""
    x = np.asarray(x, float)
    far = np.where(np.abs(x) < 1e-3, 1.0, x)
    return np.where(far == x, np.expm1(far) / far, 1 + x / 2 + x**2 / 6 + x**3 / 24)


def _slope(x: Any) -> Any:
    x = np.asarray(x, float)
    far = np.where(np.abs(x) < 1e-3, 1.0, x)
    quotient = (far * np.exp(far) - np.expm1(far)) / far**2
    return np.where(far == x, quotient, 1 / 2 + x / 3 + x**2 / 8)


@contextmanager
def _explained(x: Any) -> Iterator[None]:
    """Say what is behind a wrong slope at 0, and behind any fault close to 0."""
    try:
        yield
    except Found as found:
        if 0 < abs(x) <= _NEAR:
            raise found.saying(rule=_CLOSE, read=_READ) from None
        if found.finding.code == "derivatives/wrong":
            raise found.saying(rule="" if x else _AT_ZERO, read=_READ) from None
        raise


def _returns_numbers(answer: Any) -> None:
    for x in _TAME:
        compare(np.float32(_value(x)), attempt(answer, jnp.float32(x)), given=f"x = {x}")
    got = attempt(answer, 1.0)
    compare(np.float32(_value(1)), got, given="x = 1.0, a Python number")


def _is_right_everywhere(answer: Any) -> None:
    """Require the value at each number, alone under `jit`, and under `jit` and `vmap`."""
    alone = jax.jit(lambda x: answer(x))
    batch = attempt(jax.jit(jax.vmap(lambda x: answer(x))), jnp.asarray(_XS))
    for x, wanted, row in zip(_XS, _value(_XS), batch, strict=True):
        for way, got in (("jit", attempt(alone, x)), ("jit and vmap", row)):
            seen = {"given": f"x = {x:.7g}, under {way}", "wanted": f"{wanted:.4g}"}
            with _explained(x):
                require(not np.isnan(got), "value/nan", **seen, got=got)
                close = np.allclose(wanted, got, rtol=0.01)
                require(close, "value/differs", **seen, got=f"{got:.4g}")


def _has_the_right_slope(answer: Any) -> None:
    """Require the slope at each number, zero first: alone under `jit`, and under `jit` and `vmap`.

    Where it is not finite, tell in which operation that begins.
    """
    slope = jax.grad(lambda x: answer(x))
    alone = jax.jit(slope)
    batch = attempt(jax.jit(jax.vmap(slope)), jnp.asarray(_XS))
    for x, wanted, row in zip(_XS, _slope(_XS), batch, strict=True):
        for way, got in (("jit", attempt(alone, x)), ("jit and vmap", row)):
            given = f"the slope at x = {x:.7g}, under {way}"
            seen = {"given": given, "wanted": f"{wanted:.4g}", "got": f"{got:.4g}"}
            with _explained(x):
                if not np.isfinite(got):
                    first = attempt(find_first_nan, slope, x)
                    if first:
                        seen["first of it"] = f"{first.primitive} gives {first.result}"
                    raise fault("derivatives/not-finite", first and first.place, **seen)
                require(np.allclose(wanted, got, rtol=0.01), "derivatives/wrong", **seen)


def _is_right_between(answer: Any) -> None:
    """Require the value and the slope at many numbers, under `jit` and `vmap`."""
    both = attempt(
        jax.jit(jax.vmap(jax.value_and_grad(lambda x: answer(x)))), jnp.asarray(_BETWEEN)
    )
    codes = "value/differs", "derivatives/wrong"
    for code, wanted, got in zip(codes, (_value(_BETWEEN), _slope(_BETWEEN)), both, strict=True):
        # The worst, since the first may lie where an error is only beginning.
        at = int(np.argmax(np.nan_to_num(np.abs(got / wanted - 1), nan=np.inf)))
        what = "" if code == "value/differs" else "the slope at "
        given = f"{what}x = {_BETWEEN[at]:.7g}, under jit and vmap"
        close = np.allclose(wanted[at], got[at], rtol=0.01)
        with _explained(_BETWEEN[at]):
            require(close, code, given=given, wanted=f"{wanted[at]:.4g}", got=f"{got[at]:.4g}")


mean_exp = Exercise(
    name="mean_exp",
    questions=(_returns_numbers, _is_right_everywhere, _has_the_right_slope, _is_right_between),
    hints=(
        "`same` has the right value at 0 and the wrong slope. Which expression has both right "
        "at 0, and how far from 0 may it be used?",
        "`jnp.expm1(x)` keeps the digits that `jnp.exp(x) - 1` loses near 0. Its quotient by `x` "
        "needs an `x` that is never 0: that is what the inner `jnp.where` is for.",
        "Four steps: whether `x` is near 0; `x`, or 1 where it is near; the first three terms of "
        "the series; the terms where it is near, and otherwise the quotient.",
    ),
    verified="right values and slopes at 29 numbers, among them 0 and 1e-30, alone and under vmap, "
    "and at 2000 more",
    answer=solution,
)
