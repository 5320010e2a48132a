"""Write a class that multiplies by a factor, which may change without a new trace."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Found, require
from traced.lessons.edge_cases import vectors
from traced.lessons.tracing.solutions.gain import Gain as Solution
from traced.questions import compare, traces_at_most, works_under_jit
from traced.running.attempt import attempt

#: Of a class that refuses the change: none of the reader's code assigns anything.
FIXED = "an attribute that changes needs a class that lets it: a frozen dataclass refuses"
READ = "02_tracing, “A method has one argument more than it shows”"

_X = jnp.array([0.0, 1.0, -2.0, 100.0, 0.5])


def _multiplies_by_its_attribute(answer: Any) -> None:
    """Require the factor of each object, and after a change the new one, which is its own."""
    gain = attempt(answer, 2.0)
    compare(np.asarray(2.0 * _X), attempt(gain, _X), given=f"Gain(2.0)(x), x = {_X}")
    require(hasattr(gain, "gain"), "value/no-attribute", wanted="gain")
    factor = attempt(lambda: gain.gain)
    told = {"wanted": "2.0, a float", "got": f"an object of type `{type(factor).__name__}`"}
    require(isinstance(factor, float), "value/differs", given="Gain(2.0).gain", **told)
    _change(gain, 3.0)
    after = attempt(gain, _X)
    if _is_twice_x(after):
        # An object that keeps a copy of its first factor does so without `jit` as well.
        with jax.disable_jit():
            by_trace = not _is_twice_x(attempt(gain, _X))
        require(not by_trace, "tracing/stale-attribute", attribute="3.0", factor_used="2.0")
    compare(np.asarray(3.0 * _X), after, given="g = Gain(2.0); g.gain = 3.0; g(x)")
    compare(np.asarray(-10.0 * _X), attempt(attempt(answer, -10.0), _X), given="Gain(-10.0)(x)")
    for factor in (0.0, 0.3337, -1e6):
        _change(gain, factor)
        given = f"g = Gain(2.0); Gain(-10.0); g.gain = {factor}; g(x)"
        compare(np.asarray(factor * _X), attempt(gain, _X), given=given)


def _is_twice_x(result: Any) -> bool:
    return np.shape(result) == _X.shape and np.allclose(result, 2.0 * _X)


def _change(gain: Any, factor: float) -> None:
    # The object is no argument of the reader's code here, which may be a dictionary of its own.
    try:
        attempt(lambda: setattr(gain, "gain", factor))
        compare(factor, attempt(lambda: gain.gain), given=f"g.gain = {factor}; g.gain")
    except Found as found:
        if not isinstance(found.error, AttributeError) or found.finding.where:
            raise
        saw = (("the check ran", f"g.gain = {factor}"), *found.finding.saw)
        raise found.saying(saw=saw, rule=FIXED, read=READ) from None


def _keeps_two_apart(answer: Any) -> None:
    """Require two objects to have factors of their own, and NaN to stay NaN."""
    first, second, x = attempt(answer, 2.0), attempt(answer, 3.0), jnp.array([1.0, jnp.nan])
    for gain, factor in ((first, 2.0), (second, 3.0), (first, 2.0)):
        given = f"a, b = Gain(2.0), Gain(3.0); {'a' if gain is first else 'b'}({x})"
        compare(np.asarray(factor * x), attempt(gain, x), given=given)


def _takes_any_length(answer: Any) -> None:
    for name in ("one entry", "equal entries", "257 entries"):
        x = 100 * vectors()[name]
        got = attempt(attempt(answer, 3.3), jax.device_put(x))
        compare(np.float32(3.3) * x, got, given=f"Gain(3.3)(x), x = {name}, times 100")


def _keeps_the_dtype(answer: Any) -> None:
    """Require what `-2.5 * x` gives: a Python factor takes on the dtype of floats."""
    for x in (
        jnp.array([1.0, -2.0], "float16"),
        jnp.array([0.5, 3.0], "bfloat16"),
        jnp.array([[1, -2, 3], [0, 5, 7]], "int32"),
        jnp.array([[jnp.inf, 1.0], [-jnp.inf, 1e-3]]),
    ):
        given = f"Gain(-2.5)(x), x = {x} in {x.dtype}"
        compare(np.asarray(-2.5 * x), attempt(attempt(answer, -2.5), x), given=given)


Gain = Exercise(
    name="Gain",
    questions=(
        traces_at_most(
            1,
            _multiplies_by_its_attribute,
            "Gain(2.0), then 3.0, Gain(-10.0), and the first one changed to 0.0, 0.3337 and -1e6",
        ),
        _keeps_two_apart,
        _keeps_the_dtype,
        _takes_any_length,
        works_under_jit(lambda answer: answer(2.0), _X),
    ),
    hints=(
        "List what the traced function takes as arguments, and what else it reads. "
        "The factor belongs in the first list.",
        "`jax.tree_util.register_dataclass` makes a dataclass a pytree: its fields are traced "
        "wherever an object of it goes.",
        "Either the object travels into `jit` as a tree with one leaf, or the method hands its "
        "attribute to a jitted function of two arguments. One such function serves all objects.",
    ),
    verified="right values for two objects, side by side, for an attribute changed four times, "
    "for vectors and a matrix, in half precision and integers; one trace for each dtype",
    answer=Solution,
)
