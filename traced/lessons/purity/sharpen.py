"""Pass a temperature to a jitted softmax as an argument, and no longer in a global."""

from dataclasses import replace
from typing import Any

import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import require
from traced.lessons.edge_cases import non_finite_vectors, vectors
from traced.lessons.purity.solutions.sharpen import sharpen as solution
from traced.purity.hidden_reads import find_hidden_reads
from traced.purity.stale_reads import find_reads_under_jit
from traced.questions import changes_nothing, compare, traces_at_most, works_under_jit
from traced.running.attempt import attempt

_X = jnp.array([0.5, -1.0, 2.0])

#: Those at which something is left to see of the powers of a vector: of which digits, and how many.
_TEMPERATURES = {
    "one entry": (10.0,),
    "zeros": (2.0,),
    "a NaN inside": (2.0,),
    "entries from -100 to 100": (0.02, 10.0, 500.0),
    "close entries": (0.02, 10.0),
    "entries near zero": (0.001, 0.02, 10.0),
    "low entries": (0.02, 0.3),
    "seven entries": (0.1, 3.0),
    "257 entries": (0.07,),
    "equal entries far from zero": (0.001,),
    "close entries far from zero": (1.0,),
    "a million and its negative": (1e6,),
}

#: Vectors of large entries, whose quotients by those temperatures have the digits of the softmax.
_FAR = {
    # What is less than the distance of two numbers at 10**9 is lost there, a logarithm too.
    "equal entries far from zero": [1e6, 1e6, 5e5],
    "close entries far from zero": [-1e6, -999999, -999999.5],
    "a million and its negative": [1e6, -1e6, 0],
}


def _sharpened(x: Any, temperature: float) -> Any:
    scaled = np.asarray(x) / np.float32(temperature)
    powers = np.exp(scaled - scaled.max())
    return powers / powers.sum()


def _sharpens_at_each_temperature(answer: Any) -> None:
    """Require the softmax at four temperatures, and tell where it is that at an earlier one."""
    for temperature, before in ((2.0, 2.0), (0.5, 2.0), (0.25, 0.5), (20.0, 0.25)):
        got = attempt(answer, _X, temperature)
        given = f"x = {_X}, temperature = {temperature}"
        if temperature != before and _agree(_sharpened(_X, before), got):
            _require_no_hidden_read(answer, given, before)
        compare(_sharpened(_X, temperature), got, given=given)


def _stays_finite(answer: Any) -> None:
    """Require the softmax of other vectors, whose powers may be too large or too small."""
    # Between neighbours of zero a temperature counts that would blur all other vectors alike.
    near, low = np.array([0.0, 0.1, 0.05], "float32"), np.array([-100.0, -99.5], "float32")
    named = vectors() | non_finite_vectors() | {"entries near zero": near, "low entries": low}
    named |= {name: np.array(entries, "float32") for name, entries in _FAR.items()}
    for name, temperatures in _TEMPERATURES.items():
        for temperature in temperatures:
            x = jnp.asarray(named[name])
            shown = x if x.size < 10 else f"{x.size} entries"
            given = f"x = {shown}, temperature = {temperature}"
            compare(_sharpened(x, temperature), attempt(answer, x, temperature), given=given)


def _changes_nothing(answer: Any) -> None:
    """Require that nothing is changed, a vector in a NumPy array included."""
    changes_nothing(np.array(_X), 2.0)(answer)


def _agree(left: Any, right: Any) -> bool:
    return np.shape(left) == np.shape(right) and np.allclose(left, right, atol=1e-6)


def _require_no_hidden_read(answer: Any, given: str, before: float) -> None:
    # A temperature that is written out gives the same values, and is no read.
    reads = find_reads_under_jit(answer) or find_hidden_reads(answer)
    names = ", ".join(f"{each.kind} {each.name}" for each in reads)
    saw = {"given": given, "temperature_used": before, "read": names}
    places = [replace(each.place, note="read here") for each in reads[:1]]
    require(not reads, "purity/stale-read", *places, **saw)


sharpen = Exercise(
    name="sharpen",
    questions=(
        traces_at_most(1, _sharpens_at_each_temperature, "temperatures 2.0, 0.5, 0.25 and 20.0"),
        _stays_finite,
        _changes_nothing,
        works_under_jit(lambda answer: answer, _X, jnp.float32(2.0)),
    ),
    hints=(
        "Some names in the jitted body are arguments, others are read while JAX traces. "
        "Find the one of the second kind that changes.",
        "An argument of a jitted function is traced unless it is declared static. "
        "`watch` shows whether a new value costs a trace.",
        "Two traced arguments, and the same single line as before. "
        "The global is not needed any more.",
    ),
    verified="right values for four temperatures, from one trace, and for vectors of 1 to 257 "
    "entries up to a million; nothing outside is changed",
    answer=solution,
)
