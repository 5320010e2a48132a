"""Cut a vector into blocks of one size and return their means, with shapes that Python knows."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Found, fault
from traced.lessons.static_shapes.solutions.block_means import block_means as solution
from traced.questions import compare, derives_its_values, traces_at_most, works_under_jit
from traced.running.attempt import attempt
from traced.static_shapes.shapes import find_first_dependence

_VECTORS = np.arange(7.0, dtype=np.float32), np.arange(7, 0, -1, dtype=np.float32)

#: What one vector of seven entries cannot tell: another rest, none, blocks of one entry, one block,
#: long blocks.
_OTHERS = [
    (np.cos(np.arange(n, dtype=np.float32)) * 100, blocks)
    for n, blocks in ((8, 3), (8, 4), (8, 8), (11, 1), (1, 1), (257, 2))
]

#: The mean of each block is one of its own entries: a huge one, infinity, NaN, and a small one.
_REPEATED = np.repeat(np.array([1e30, np.inf, np.nan, 3.0], np.float32), 2)


def _block_means(x: Any, blocks: int) -> Any:
    size = len(x) // blocks
    return np.stack([x[i * size : (i + 1) * size].mean() for i in range(blocks)])


def _averages_two_blocks_and_three(answer: Any) -> None:
    for x in _VECTORS:
        for blocks in (2, 3):
            got = _call_or_tell_origin(answer, jnp.asarray(x), blocks)
            compare(_block_means(x, blocks), got, given=f"x = {x}, blocks = {blocks}")


def _averages_other_lengths(answer: Any) -> None:
    for x, blocks in _OTHERS:
        got = attempt(answer, jnp.asarray(x), blocks)
        compare(_block_means(x, blocks), got, given=f"{len(x)} entries, blocks = {blocks}")


def _averages_each_block_alone(answer: Any) -> None:
    """Require a huge number, an infinity and a NaN to show in their own blocks alone.

    Where entries are equal, or nearly so, their mean is as well.
    """
    in_the_rest = np.array([0, 0, 0, 3, np.nan], np.float32)
    equal, close = np.full(8, 2, np.float32), np.float32(1 + 1e-6 * np.arange(8))
    for x, blocks in ((_REPEATED, 2), (_REPEATED, 4), (in_the_rest, 2), (equal, 4), (close, 2)):
        got = attempt(answer, jnp.asarray(x), blocks)
        compare(_block_means(x, blocks), got, given=f"x = {x}, blocks = {blocks}")


def _call_or_tell_origin(answer: Any, x: Any, blocks: int) -> Any:
    """Call the answer; of a shape that depends on a value, tell which argument the value is."""
    try:
        return attempt(answer, x, blocks)
    except Found as found:
        if (code := found.finding.code) != "tracing/shape-from-tracer":
            raise
        by = attempt(find_first_dependence, lambda x: answer(x, blocks), x)
        # JAX names the traced arguments; there are none where `jnp` made the number.
        names = ", ".join(name for name in (by.arguments if by else ()) if name != "x")
        raise fault(code, *found.finding.where, depends_on=names or "a result of `jnp`") from None


def _derives_its_values(answer: Any) -> None:
    derives_its_values(jnp.arange(5.0))(_of_two_blocks(answer))


def _of_two_blocks(answer: Any) -> Callable[..., Any]:
    return lambda x: answer(x, 2)


block_means = Exercise(
    name="block_means",
    questions=(
        traces_at_most(
            2, _averages_two_blocks_and_three, "two vectors f32[7], each with blocks = 2 and 3"
        ),
        _averages_other_lengths,
        _averages_each_block_alone,
        works_under_jit(_of_two_blocks, jnp.arange(7.0)),
        _derives_its_values,
    ),
    hints=(
        "Go through every number that a shape or the end of a slice is made of. "
        "Which of them does `jit` see as a tracer, and why?",
        "`static_argnames` lets Python see an argument. Python's own `//` works on integers at "
        "once; what `jnp` returns under `jit` is traced.",
        "One static name in the decorator, and one line of the body with an operator of Python's "
        "in place of the `jnp` function. The last line stays.",
    ),
    verified="right values and derivatives, with every kind of rest, and for a NaN in one block or "
    "in the rest; one trace for each `blocks`",
    answer=solution,
)
