"""Cut a window from a vector at a traced start, with zeros in each place beyond the end."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Found, fault
from traced.lessons.static_shapes.reasons import reason
from traced.lessons.static_shapes.solutions.window import window as solution
from traced.questions import (
    can_be_traced,
    compare,
    derives_its_values,
    traces_at_most,
    uses_jit,
    works_under_jit,
)
from traced.running.attempt import attempt

_UP = np.arange(1.0, 7.0, dtype=np.float32)
_UNTAMED = np.array([1.0, np.nan, 3.0, np.inf], np.float32)
_LONG = (300 * np.sin(np.arange(2001))).astype(np.float32)


def _window(x: Any, start: int, width: int) -> Any:
    entries = x[start : start + width]
    return np.pad(entries, (0, width - len(entries)))


def _cuts_at_each_start(answer: Any) -> None:
    """Require the window at six starts, some of them at the end and beyond it, for two widths."""
    for width, x in ((3, _UP), (2, _UP[::-1])):
        for start in (0, 2, 5, 4, 6, 9):
            wanted = _window(x, start, width)
            got = attempt(answer, jnp.asarray(x), start, width)
            given = f"x = {x}, start = {start}, width = {width}"
            with reason(_fault_of_clamping, x, wanted, got, given):
                compare(wanted, got, given=given)


def _cuts_wide_windows_and_keeps_nan(answer: Any) -> None:
    """Require windows wider than the vector, and NaN and infinity in their own places alone."""
    for x, width, starts in (
        (_UP, 9, (0, 2, 7, 65_538, 1_000_000)),
        (_UP[:1], 3, (0, 1)),
        (_UP, 300, (2, 6)),
        (_UNTAMED, 3, (0, 2, 3)),
        (_LONG, 3, (255, 1500, 1999)),
    ):
        for start in starts:
            entries = f"{len(x)} entries" if x is _LONG else x
            given = f"x = {entries}, start = {start}, width = {width}"
            _compare_untamed(answer, x, start, width, given)


def _keeps_nan_one_by_one(answer: Any) -> None:
    """Require the same where JAX runs one operation after the other, and replaces no product."""
    for start in (2, 3):
        given = f"x = {_UNTAMED}, start = {start}, width = 3, under `jax.disable_jit()`"
        with jax.disable_jit():
            _compare_untamed(answer, _UNTAMED, start, 3, given)


def _compare_untamed(answer: Any, x: Any, start: int, width: int, given: str) -> None:
    wanted, got = _window(x, start, width), attempt(answer, jnp.asarray(x), start, width)
    with reason(_fault_of_untamed, x, wanted, got, given):
        compare(wanted, got, given=given)
        # A small number in place of a zero is close to it.
        compare(wanted == 0, np.asarray(got) == 0, given=f"{given}, and where it is 0")


def _fault_of_untamed(x: Any, wanted: Any, got: Any, given: str) -> Found | None:
    """Return the fault of a NaN where none stands in the window, or of a clamped index."""
    if not np.isfinite(np.asarray(got)[np.isfinite(wanted)]).all():
        return fault("shapes/mask-product", given=given, wanted=wanted, got=got)
    return _fault_of_clamping(x, wanted, got, given)


def _fault_of_clamping(x: Any, wanted: Any, got: Any, given: str) -> Found | None:
    """Return the fault of the last entry, or the last window, in place of what is beyond it."""
    got, width = np.asarray(got), len(wanted)
    inside = np.flatnonzero(wanted == 0)[0] if (wanted == 0).any() else width
    by_entry = np.isin(got[inside:], x[-1]).any()
    by_slice = width <= len(x) and inside < width and np.array_equal(got, x[-width:])
    clamped = by_entry or by_slice
    return fault("shapes/clamped", given=given, wanted=wanted, got=got) if clamped else None


def _starts_at_a_traced_position(answer: Any) -> None:
    can_be_traced(2)(lambda start: answer(jnp.asarray(_UP), start, 3))


def _derives_its_values(answer: Any) -> None:
    derives_its_values(jnp.asarray(_UP))(lambda x: answer(x, 4, 3))


def _of_three(answer: Any) -> Callable[..., Any]:
    return lambda x, start: answer(x, start, 3)


window = Exercise(
    name="window",
    questions=(
        traces_at_most(2, _cuts_at_each_start, "six starts, with width = 3 and with width = 2"),
        _cuts_wide_windows_and_keeps_nan,
        _keeps_nan_one_by_one,
        _starts_at_a_traced_position,
        works_under_jit(_of_three, jnp.arange(6.0), jnp.int32(2)),
        uses_jit(jnp.ones(6), 2, 3),
        _derives_its_values,
    ),
    hints=(
        "The size of the result must be known while tracing, the place need not. And what would "
        "a slice hold that starts at the last entry?",
        "`jax.lax.dynamic_slice_in_dim` takes a traced start, and moves it back at the end. "
        "Something has to stand behind the end, then.",
        "One static name. The vector with as many zeros behind it as the window is wide; "
        "then a slice of it, which can no longer reach too far.",
    ),
    verified="right values and derivatives, beyond the end and for wide windows; a NaN stays in "
    "its place, with `jit` and without; one trace for each width",
    answer=solution,
)
