"""Write what tells a right gradient from a wrong one by differences."""

from collections.abc import Callable
from itertools import product
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import require
from traced.lessons.gradients.solutions.agrees import agrees as solution
from traced.running.attempt import attempt

_X = np.array([0.5, -1.0, 2.0, 0.0], np.float32)


# An answer need not trace what it is given, and would compile each of the operations on their own.
@jax.jit
def _wave(x: Any) -> Any:
    return jnp.sum(jnp.sin(2 * x)) + 5.0


@jax.jit
def _mixed(x: Any) -> Any:
    """Return a number whose slope in one entry changes fast with another one."""
    return 10 * x[0] * x[-1] + jnp.cos(x[1]) - 3.0


@jax.jit
def _bowl(x: Any) -> Any:
    """Return a number that bends so much that a difference to one side is off by 0.08."""
    return 8 * jnp.sum(x**2)


@jax.jit
def _flat(x: Any) -> Any:
    return 0.5 * jnp.sum(x**2) * 0.0 + 1.0


def _ripple(x: Any) -> Any:
    """Return a number, in NumPy since that is fast for many entries."""
    return np.float32(np.sum(np.sin(np.asarray(x))))


def _in_numpy(x: Any) -> Any:
    """Return a sum that no trace can follow, as a measurement is."""
    return np.float32(np.sum(np.tanh(np.asarray(x)) * np.arange(1, len(x) + 1)))


def _slope_in_numpy(x: Any) -> Any:
    return jnp.asarray((1 - np.tanh(np.asarray(x)) ** 2) * np.arange(1, len(x) + 1), jnp.float32)


def _off(gradient: Callable[..., Any], **errors: float) -> Callable[..., Any]:
    """Return a gradient with an error in its first entries, or in the last one."""
    places = {"first": 0, "second": 1, "third": 2, "last": -1}

    def wrong(x: Any) -> Any:
        slopes = np.array(gradient(x))
        for name, error in errors.items():
            slopes[places[name]] += error
        return jax.device_put(slopes)

    return wrong


def _zero(x: Any) -> Any:
    return jnp.zeros_like(x)


def _unknown_first(x: Any) -> Any:
    return _off(_slope, first=float("nan"))(x)


_slope, _slope_of_product = jax.jit(jax.grad(_wave)), jax.jit(jax.grad(_mixed))

#: What is said of a case, its function, its gradient, and whether they agree.
_CASES = (
    ("a wave and its gradient", _wave, _slope, True),
    ("a product and its gradient", _mixed, _slope_of_product, True),
    ("a product, an entry off by 0.008", _mixed, _off(_slope_of_product, third=0.008), True),
    ("a constant and zeros", _flat, _zero, True),
    ("a wave and zeros", _wave, _zero, False),
    ("a wave, one entry off by 0.1", _wave, _off(_slope, third=0.1), False),
    ("a wave, the last entry off by -0.1", _wave, _off(_slope, last=-0.1), False),
    ("a wave, entries off by 0.1 and -0.1", _wave, _off(_slope, first=0.1, second=-0.1), False),
    ("a product, the last entry off by 0.1", _mixed, _off(_slope_of_product, last=0.1), False),
    ("a steep bowl and its gradient", _bowl, jax.jit(jax.grad(_bowl)), True),
    ("a product, with all signs changed", _mixed, lambda x: -_slope_of_product(x), False),
    ("a wave, with NaN in one entry", _wave, _unknown_first, False),
    ("a function in NumPy and its gradient", _in_numpy, _slope_in_numpy, True),
    ("one in NumPy, an entry off by 0.1", _in_numpy, _off(_slope_in_numpy, first=0.1), False),
)
_POINTS = (_X, np.linspace(-1.0, 1.5, 4, dtype=np.float32))
#: Of many entries: errors that are small in each add up, and a large one may be the last.
_LONG = (
    ("101 entries, each off by 0.008", _ripple, lambda x: jnp.cos(x) + 0.008, True),
    ("101 entries, the last off by 0.1", _ripple, _off(jnp.cos, last=0.1), False),
)
_LONG_POINT = np.linspace(-1.0, 1.0, 101, dtype=np.float32)


def _tells_right_from_wrong(answer: Any) -> None:
    for cases, points in ((_CASES, _POINTS), (_LONG, (_LONG_POINT,))):
        for (given, f, gradient, wanted), x in product(cases, points):
            got = attempt(answer, f, gradient, jax.device_put(x))
            seen = {
                "given": f"{given}, at {np.array2string(x, threshold=8)}",
                "wanted": wanted,
                "got": got,
            }
            kind = type(got).__name__
            one = isinstance(got, bool | np.bool_)
            require(one, "value/structure", given=seen["given"], wanted="bool", got=kind)
            require(bool(got) is wanted, "value/differs", **seen)


agrees = Exercise(
    name="agrees",
    questions=(_tells_right_from_wrong,),
    hints=(
        "Each entry needs a difference of its own. How small may a step be before rounding takes "
        "over, and how does NaN compare?",
        "`x.at[i].add(h)` moves one entry. A step of 0.01 to both sides leaves an error far below "
        "0.1 in these functions.",
        "A loop that collects slopes, values on both sides apart by twice the step. Then the "
        "largest distance from the gradient, required to be below a bound between 0.01 and 0.1.",
    ),
    verified="fourteen gradients told apart at two points, and two at 101 entries: right ones, "
    "wrong ones, one with NaN, and those of a function in NumPy",
    answer=solution,
)
