"""Return the logarithm of a sum of exponentials, for 64 lengths from at most four traces."""

import math
import re
from collections.abc import Iterable
from typing import Any

import jax
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Found, fault, require
from traced.lessons.static_shapes.reasons import reason
from traced.lessons.static_shapes.solutions.log_total import log_total as solution
from traced.numbers.nans import find_first_nan
from traced.programs.jaxprs import Equation, find_equations
from traced.programs.outside_jit import see_work
from traced.questions import compare, returns, traces_at_most, uses_jit
from traced.running.attempt import attempt
from traced.tracing.compilations import record_compilations

_ALL = range(1, 65)

_FEW = (1, 2, 4, 5, 7, 9, 15, 17, 31, 33, 48, 64)  # first: to trace each of 64 anew takes long


def _vector(length: int) -> Any:
    return (2 * np.cos(np.arange(length)) - 1).astype(np.float32)


def _log_total(x: Any) -> Any:
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


def _equations(answer: Any, length: int) -> list[Equation]:
    found: list[Equation] = attempt(find_equations, lambda: answer(_vector(length)))
    return found


def _adds_exponentials_under_jit(answer: Any) -> None:
    # NumPy's work leaves no equation: an answer may not do it there.
    equations = _equations(answer, 5)
    work = [each for each in equations if each.within and each.primitive.startswith("exp")]
    require(bool(work), "tracing/not-jitted", exponentials_under_jit=0)
    for each in attempt(see_work, answer, _vector(5)).outside:
        sums = re.search("exp|sum|dot", each.operation)
        require(not sums, "tracing/not-jitted", each.place, operation=each.operation)


def _adds_up_few_lengths(answer: Any) -> None:
    _compare_at(_FEW, answer)


def _compare_at(lengths: Iterable[int], answer: Any) -> None:
    for length in lengths:
        x, got = _vector(length), attempt(answer, _vector(length))
        with reason(_fault_of_padding, x, got):
            compare(_log_total(x), got, given=f"{length} entries")


def _fault_of_padding(x: Any, got: Any) -> Found | None:
    """Return the fault of a sum that is too large by `exp(0)` for each zero of padding."""
    extra = float(np.exp(got) - np.sum(np.exp(x)))
    if extra <= 0.5 or abs(extra - round(extra)) >= 0.01:
        return None
    saw = {"entries": len(x), "sum_of_exponentials": f"too large by {round(extra)}"}
    return fault("shapes/padding-counts", **saw)


def _is_finite_where_its_vector_is(answer: Any) -> None:
    """Require right values where exponentials overflow or vanish, at a length of each size."""
    for length in (1, 5, 9, 33):
        x = _vector(length)
        untamed = {
            "near 100": x + 99,
            "near -100": x - 100,
            "from -100 to 100": np.linspace(-100, 100, length, dtype=np.float32),
            "near -10000": x - 9_997,
            "of which the last is NaN": np.where(
                np.arange(length) < length - 1, x, np.float32(np.nan)
            ),
            "of -20, but the first of 0": np.float32(-20) * (np.arange(length) > 0),
        }
        for name, vector in untamed.items():
            given = f"{length} entries {name}"
            with reason(_fault_of_overflow, answer, vector, given):
                compare(_log_total(vector), attempt(answer, vector), given=given)
        _counts_its_entries_alone(answer, length)


def _counts_its_entries_alone(answer: Any, length: int) -> None:
    """Require of entries of -10000 that no padding is as large as they are."""
    x = np.full(length, -10_000, np.float32)
    wanted, got = _log_total(x), attempt(answer, x)
    saw = {"given": f"{length} entries of -10000", "wanted": f"{wanted:.3f}", "got": f"{got:.3f}"}
    # One part in 10,000 is 1 here, and neighbours among the numbers of float32 are 0.001 apart.
    code = "shapes/padding-counts" if got > wanted else "value/differs"
    require(abs(float(got) - float(wanted)) < 0.01, code, **saw)


def _fault_of_overflow(answer: Any, x: Any, given: str) -> Found | None:
    """Return the operation in which a number stops being finite, if one does."""
    found = attempt(find_first_nan, lambda: answer(x))
    # A padding of minus infinity is given, and says nothing of what became of it.
    if found is None or not found.primitive:
        return None
    saw = {"given": given, "wanted": f"{_log_total(x):.2f}", "operation": found.primitive}
    told = fault("value/nan", found.place, **saw, result=found.result)
    return told.saying(rule=_LOST, read=_READ)


#: What is behind a sum that is not finite, or whose logarithm is not, and where to read of it.
_LOST = (
    "`exp` is infinite above 88 and 0 below -104: entries count by how far they are below the "
    "greatest one that is no padding"
)
_READ = "05_static_shapes, “Each new length is a compilation”"


def _compiles_at_eight_lengths_at_most(answer: Any) -> None:
    jax.clear_caches()  # type: ignore[no-untyped-call]  # JAX gives it no types
    compiled = [names for length in _FEW if (names := _compiled(answer, length))]
    if again := _compiled(answer, _FEW[-1]):
        saw = {"compiled_anew": f"{', '.join(again)}, at a second call with {_FEW[-1]} entries"}
        raise fault("tracing/new-function", **saw)
    if len(compiled) > 8:  # operations outside `jit`, such as `jnp.pad`, are compiled too
        last = f"{', '.join(compiled[-1])}, at {len(compiled)} of {len(_FEW)} lengths"
        raise fault("tracing/new-shape", compiled_anew=last)


def _compiled(answer: Any, length: int) -> list[str]:
    with record_compilations() as names:
        attempt(answer, _vector(length))
    return names


def _adds_up_all_lengths(answer: Any) -> None:
    _compare_at(_ALL, answer)


def _gives_jit_few_shapes_with_little_padding(answer: Any) -> None:
    """Require at most four shapes for each jitted function, a library's too, and short padding."""
    given: dict[str, set[str]] = {}
    for length in _ALL:
        for each in _equations(answer, length):
            if each.primitive != "jit" or each.within:
                continue
            name, types = each.eqn.params["name"], [var.aval for var in each.eqn.invars]
            shapes = given.setdefault(name, set())
            shapes.add(", ".join(map(str, types)))
            saw = {"calls": f"all lengths up to {length}", "shapes": f"{len(shapes)} for `{name}`"}
            require(len(shapes) <= 4, "tracing/new-shape", **saw, would_do=4)
            size = max((math.prod(getattr(each, "shape", ())) for each in types), default=0)
            fits = length <= 8 or size < 2 * length
            require(fits, "shapes/padding-wasted", entries=length, padded_to=size)


log_total = Exercise(
    name="log_total",
    questions=(
        returns(_log_total, (_vector(64),)),
        uses_jit(_vector(5)),
        _adds_exponentials_under_jit,
        traces_at_most(4, _adds_up_few_lengths, "twelve lengths from 1 to 64"),
        _is_finite_where_its_vector_is,
        _compiles_at_eight_lengths_at_most,
        traces_at_most(4, _adds_up_all_lengths, "all lengths from 1 to 64"),
        _gives_jit_few_shapes_with_little_padding,
    ),
    hints=(
        "Two functions: one takes any length, and hands an array of one of few lengths to the "
        "other. What does the second one have to know besides the array?",
        "`np.pad` outside `jit`; `jax.nn.logsumexp` takes `where=`. Powers of two from 1 to 64 "
        "are too many, and the small ones save little.",
        "Outside: a size, which is the power of two at or above the length, but not below "
        "a smallest one. Inside: a mask from the traced length, and the sum under it.",
    ),
    verified="right values for 64 lengths, and near 100 and -10000; four traces at most",
    answer=solution,
)
