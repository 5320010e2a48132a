"""What 05_static_shapes asks."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.attempt import attempt
from traced.exercise import Exercise
from traced.feedback import Found, fault, require
from traced.probes.compilations import record_compilations
from traced.probes.jaxprs import find_equations
from traced.probes.nans import find_first_nan
from traced.probes.shapes import find_first_dependence
from traced.probes.traces import record_traces
from traced.questions import (
    can_be_traced,
    compare,
    derives_its_values,
    keeps_its_size,
    returns,
    traces_at_most,
    uses_jit,
    works_under_jit,
)
from traced.solutions import static_shapes as solutions


def _block_means(x: Any, blocks: int) -> Any:
    size = len(x) // blocks
    return np.stack([x[i * size : (i + 1) * size].mean() for i in range(blocks)])


def _block_means_calls(answer: Any) -> None:
    for x in (np.arange(7.0, dtype=np.float32), np.arange(7, 0, -1, dtype=np.float32)):
        for blocks in (2, 3):
            got = _call_or_tell_origin(answer, jnp.asarray(x), blocks)
            compare(_block_means(x, blocks), got, given=f"x = {x}, blocks = {blocks}")


def _call_or_tell_origin(answer: Any, x: Any, blocks: int) -> Any:
    try:
        return attempt(answer, x, blocks)
    except Found as found:
        if (code := found.finding.code) != "tracing/shape-from-tracer":
            raise
        by = attempt(find_first_dependence, lambda x: answer(x, blocks), x)
        # JAX names the traced arguments; there are none where `jnp` made the number.
        names = ", ".join(name for name in (by.arguments if by else ()) if name != "x")
        raise fault(code, *found.finding.where, depends_on=names or "a result of `jnp`") from None


block_means = Exercise(
    name="block_means",
    questions=(
        traces_at_most(2, _block_means_calls, "two vectors f32[7], each with blocks = 2 and 3"),
        works_under_jit(lambda answer: lambda x: answer(x, 2), jnp.arange(7.0)),
    ),
    hints=(
        "Go through every number that a shape or the end of a slice is made of. "
        "Which of them does `jit` see as a tracer, and why?",
        "`static_argnames` lets Python see an argument. Python's own `//` works on integers at "
        "once; what `jnp` returns under `jit` is traced.",
        "One static name in the decorator, and one line of the body with an operator of Python's "
        "in place of the `jnp` function. The last line stays.",
    ),
    verified="right values for four calls; one trace for each number of blocks",
    answer=solutions.block_means,
)


_lengths = jnp.array([3, 1, 4])


def _padded(padding: float) -> Any:
    x = np.array([[2.0, 1.0, 4.0, 0.5], [3.0, 0.5, 2.0, 1.5], [1.0, 2.0, 3.0, 5.0]], np.float32)
    given = np.arange(4) < np.asarray(_lengths)[:, None]
    return jnp.asarray(np.where(given, x, np.float32(padding)))


def _mean_log(x: Any, lengths: Any) -> Any:
    return np.stack([np.log(row[:n]).mean() for row, n in zip(np.asarray(x), lengths, strict=True)])


def _ignores_padding(answer: Any) -> None:
    for padding in (1.0, 2.0, 0.0, -1.0, np.inf, np.nan):
        got = attempt(answer, _padded(padding), _lengths)
        given = f"lengths = {_lengths}, padding of {padding}"
        try:
            compare(_mean_log(_padded(padding), _lengths), got, given=given)
        except Found as found:
            if found.finding.code == "value/differs":
                _compare_with_another_padding(answer, padding, got)
            raise


def _compare_with_another_padding(answer: Any, padding: float, got: Any) -> None:
    other = 2.0 if padding == 1.0 else 1.0
    also = attempt(answer, _padded(other), _lengths)
    if not np.array_equal(got, also, equal_nan=True):
        seen = [(other, also), (padding, got)]
        saw = {f"padding_of_{fill}": np.array2string(result, precision=2) for fill, result in seen}
        raise fault("shapes/padding-counts", **saw)


def _holds_one_by_one(answer: Any) -> None:
    for padding in (0.0, np.nan):
        # Compiled as a whole, a product with a mask may have become a selection.
        with jax.disable_jit():
            found = attempt(find_first_nan, answer, _padded(padding), _lengths)
        if found is not None:
            begins = f"not finite, since {found.primitive or 'given'}: {found.result}"
            saw = {"padding": padding, "compiled": "finite", "one_by_one": begins}
            raise fault("shapes/mask-product", found.place, **saw)


def _gradient_is_finite(answer: Any) -> None:
    gradient = jax.grad(lambda x: answer(x, _lengths).sum())
    for padding in (0.0, np.nan):
        found = attempt(find_first_nan, gradient, _padded(padding))
        if found is not None:
            saw = {"padding": padding, "result": found.result}
            raise fault("derivatives/not-finite", found.place, **saw)


mean_log = Exercise(
    name="mean_log",
    questions=(
        can_be_traced(_padded(1.0), _lengths),
        returns(_mean_log, (_padded(2.0), jnp.array([4, 4, 4]))),
        _ignores_padding,
        _holds_one_by_one,
        _gradient_is_finite,
        lambda answer: derives_its_values(_padded(1.5))(lambda x: answer(x, _lengths)),
    ),
    hints=(
        "Which entries reach the logarithm, which reach the sum, and what is the sum divided by? "
        "Padding may show in all three, and once more in the derivative.",
        "`jnp.arange(x.shape[1])` compared with a column of lengths gives the mask. `jnp.where` "
        "selects, and `jnp.mean` takes `where=`.",
        "Mask; a safe operand in which padding became a number with a harmless logarithm; "
        "then the mean over each row, of what the mask lets through.",
    ),
    verified="right values with six kinds of padding, compiled and one by one; finite derivatives",
    answer=solutions.mean_log,
)


def _positions(x: Any, most: int) -> Any:
    found = np.flatnonzero(np.asarray(x) > 0)[:most]
    return np.pad(found, (0, most - len(found)), constant_values=-1).astype(np.int32)


def _with_most(most: int, question: Callable[..., Any]) -> Callable[[Any], None]:
    return lambda answer: question(lambda x: answer(x, most))


_some, _none = jnp.array([3.0, -1.0, 0.0, 2.0, 5.0]), jnp.array([-1.0, 0.0, jnp.nan])
_others = jnp.array([-2.0, 4.0, 1.0, 3.0, -5.0])

positions = Exercise(
    name="positions",
    questions=(
        _with_most(3, can_be_traced(_some)),
        returns(_positions, (_some, 3), (_some, 4), (_some, 2), (_others, 7), (_none, 2)),
        _with_most(3, keeps_its_size(lambda n: (jnp.ones(n),))),
    ),
    hints=(
        "How many entries are positive is a value. How long the result is, is known before.",
        "`jnp.nonzero` takes `size` and `fill_value`. It returns a tuple, with one array for "
        "each axis.",
        "One call with three arguments: a comparison, the static length, and the number that "
        "stands for nothing. Of what it returns, the first part.",
    ),
    verified="right positions for five calls, too few and too many among them; one fixed length",
    answer=solutions.positions,
)


def _window_calls(answer: Any) -> None:
    up = np.arange(1.0, 7.0, dtype=np.float32)
    for width, x in ((3, up), (2, up[::-1])):
        for start in (0, 2, 5, 4, 6, 9):
            entries = x[start : start + width]
            wanted = np.pad(entries, (0, width - len(entries)))
            got = attempt(answer, jnp.asarray(x), start, width)
            given = f"x = {x}, start = {start}, width = {width}"
            try:
                compare(wanted, got, given=given)
            except Found as found:
                if found.finding.code == "value/differs" and np.isin(got[wanted == 0], x).any():
                    raise fault("shapes/clamped", given=given, wanted=wanted, got=got) from None
                raise


window = Exercise(
    name="window",
    questions=(
        traces_at_most(2, _window_calls, "six starts, with width = 3 and with width = 2"),
        works_under_jit(lambda answer: lambda x: answer(x, 2, 3), jnp.arange(6.0)),
        uses_jit(jnp.ones(6), 2, 3),
    ),
    hints=(
        "The size of the result must be known while tracing, the place need not. And what would "
        "a slice hold that starts at the last entry?",
        "`jax.lax.dynamic_slice_in_dim` takes a traced start, and moves it back at the end. "
        "Something has to stand behind the end, then.",
        "One static name. The vector with as many zeros behind it as the window is wide; "
        "then a slice of it, which can no longer reach too far.",
    ),
    verified="right values for twelve calls, also beyond the end; one trace for each width",
    answer=solutions.window,
)


def _vector(length: int) -> Any:
    return (2 * np.cos(np.arange(length)) - 1).astype(np.float32)


def _log_total(x: Any) -> Any:
    return np.log(np.sum(np.exp(x)))


_few = (1, 2, 4, 5, 7, 9, 15, 17, 31, 33, 48, 64)  # first: to trace each of 64 anew takes long


def _log_totals(lengths: Sequence[int], answer: Any) -> None:
    for length in lengths:
        x, got = _vector(length), attempt(answer, _vector(length))
        try:
            compare(_log_total(x), got, given=f"{length} entries")
        except Found as found:
            if found.finding.code == "value/differs":
                _count_zeros(x, got)
            raise


def _count_zeros(x: Any, got: Any) -> None:
    extra = float(np.exp(got) - np.sum(np.exp(x)))
    if extra > 0.5 and abs(extra - round(extra)) < 0.01:  # `exp(0)` for each zero of padding
        saw = {"entries": len(x), "sum_of_exponentials": f"too large by {round(extra)}"}
        raise fault("shapes/padding-counts", **saw)


def _seen_at(lengths: Sequence[int], record: Any, answer: Any) -> dict[int, Any]:
    jax.clear_caches()  # type: ignore[no-untyped-call]  # JAX gives it no types
    seen: dict[int, Any] = {}
    for length in lengths:
        with record() as seen[length]:
            attempt(answer, _vector(length))
    return {length: found for length, found in seen.items() if found}


def _compiles_little(answer: Any) -> None:
    compiled = list(_seen_at(_few, record_compilations, answer).values())
    if len(compiled) > 8:  # operations outside `jit`, such as `jnp.pad`, are compiled too
        last = f"{', '.join(compiled[-1])}, at {len(compiled)} of {len(_few)} lengths"
        raise fault("tracing/new-shape", compiled_anew=last)


def _pads_little(answer: Any) -> None:
    for first, after in pairwise([*_seen_at(range(1, 65), record_traces, answer), 65]):
        shortest = max(first, 9)
        if after > 2 * shortest:
            raise fault("shapes/padding-wasted", one_trace=f"{shortest} to {after - 1} entries")


def _exponentiates_under_jit(answer: Any) -> None:
    # NumPy's work leaves no equation: an answer may not do it there.
    equations = attempt(find_equations, lambda: answer(_vector(5)))
    work = [each for each in equations if each.within and each.primitive.startswith("exp")]
    require(bool(work), "tracing/not-jitted", exponentials_under_jit=0)


log_total = Exercise(
    name="log_total",
    questions=(
        returns(_log_total, (_vector(64),)),
        uses_jit(_vector(5)),
        _exponentiates_under_jit,
        traces_at_most(4, partial(_log_totals, _few), "twelve lengths from 1 to 64"),
        _compiles_little,
        traces_at_most(4, partial(_log_totals, range(1, 65)), "all lengths from 1 to 64"),
        _pads_little,
    ),
    hints=(
        "Two functions: one takes any length, and hands an array of one of few lengths to the "
        "other. What does the second one have to know besides the array?",
        "`np.pad` outside `jit`; `jax.nn.logsumexp` takes `where=`. Powers of two from 1 to 64 "
        "are too many, and the small ones save little.",
        "Outside: a size, which is the power of two at or above the length, but not below "
        "a smallest one. Inside: a mask from the traced length, and the sum under it.",
    ),
    verified="right values for 64 lengths, from at most four traces, with little padding",
    answer=solutions.log_total,
)
