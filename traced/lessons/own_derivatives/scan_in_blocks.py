"""Write a scan whose gradient keeps one carry for each block of steps."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from traced.course.exercise import Exercise
from traced.findings.feedback import fault
from traced.lessons.own_derivatives.solutions.scan_in_blocks import scan_in_blocks as solution
from traced.programs.memory import measure_program
from traced.programs.questions import require_bounded_growth
from traced.questions import compare
from traced.running.attempt import attempt
from traced.running.once import compiled_for_one_run

#: Steps, steps in a block, and how many carries the gradient may need beside arguments and results.
_STEPS, _BLOCK, _CARRIES = 900, 10, 200
#: The same where a step computes so much that few of them may be in a block.
_ROOTS, _FEW, _CARRIES_OF_FEW = 30, 2, 700
_TURN = np.array([[0.6, -0.8], [0.8, 0.6]], np.float32)


def _sum(total: Any, x: Any) -> Any:
    return total + x, 2 * total


def _pair(carry: Any, row: Any) -> Any:
    x, n = carry
    x = jnp.sin(x * row["scale"]) + jnp.sum(row["rows"], axis=0)
    return (x, n + 1), {"x": x, "count": (n, row["scale"] > 0)}


def _waves(x: Any, scale: Any) -> Any:
    return jnp.sin(jnp.sin(jnp.sin(scale * x))), jnp.sum(x)


def _many_roots(x: Any, scale: Any) -> Any:
    """Take many roots, soon compiled, and one product of matrices, which a policy may keep."""
    for _ in range(_ROOTS):
        x = jnp.sqrt(scale + x)
    x = jnp.sin(_TURN @ x.reshape(2, -1)).reshape(-1)
    return x, jnp.sum(x)


_TREE = {"scale": jnp.linspace(-1.0, 2.0, 6), "rows": jnp.arange(36.0).reshape(6, 3, 2) / 20}
_START = (jnp.array([0.5, -1.0]), jnp.int32(3))
_CASES = (
    ("a running sum of 6 numbers", _sum, jnp.float32(1.0), 100 * jnp.arange(6.0)),
    ("a pair, and a dictionary of 6 rows", _pair, _START, _TREE),
)


_BLOCKS = (1, 3, 6)


def _of_each_case(scan: Any, blocks: tuple[Any, ...]) -> Any:
    """Return what a scan returns for each case, with each block: from one program."""

    def all_of_them(*data: Any) -> Any:
        return [
            [scan(step, *each, *block) for block in blocks]
            for (_, step, *_), each in zip(_CASES, data, strict=True)
        ]

    return attempt(compiled_for_one_run(all_of_them), *(tuple(data) for _, _, *data in _CASES))


def _scans(answer: Any) -> None:
    each = zip(_CASES, _of_each_case(lax.scan, ((),)), strict=True)
    wanted = [(name, *map(_on_host, plain)) for (name, *_), plain in each]
    for (name, plain), blocked in zip(
        wanted, _of_each_case(answer, tuple((block,) for block in _BLOCKS)), strict=True
    ):
        for block, got in zip(_BLOCKS, blocked, strict=True):
            compare(plain, got, given=f"{name}, block = {block}")


def _derives(answer: Any) -> None:
    """Require the gradient of a sum over all that comes out, by where it begins and by its rows."""
    n = _START[1]

    def total(scan: Any, x: Any, xs: Any) -> Any:
        (last, _), ys = scan(_pair, (x, n), xs)
        return jnp.sum(last) + jnp.sum(ys["x"] ** 2)

    def gradient(scan: Any) -> Any:
        return compiled_for_one_run(jax.grad(partial(total, scan), argnums=(0, 1)))(
            _START[0], _TREE
        )

    wanted = _on_host(gradient(lax.scan))
    got = attempt(gradient, lambda *args: answer(*args, 2))
    compare(wanted, got, given="the gradient of a sum, block = 2")


def _on_host(tree: Any) -> Any:
    return jax.tree.map(np.asarray, tree)


def _last(answer: Any, step: Any = _waves, block: int = _BLOCK) -> Any:
    def total(x: Any, xs: Any) -> Any:
        last, _ = answer(step, x, xs, block)
        return jnp.sum(last)

    return total


def _ones(n: int) -> Any:
    return np.ones(n, np.float32)


def _keeps_few_carries(answer: Any, step: Any, block: int, allowed: int) -> None:
    x, xs = _ones(1000), _ones(_STEPS)
    gradient = jax.grad(_last(answer, step, block))
    needed = attempt(measure_program, gradient, x, xs).temporary_bytes
    carries = 0 if needed is None else round(needed / x.nbytes)
    if carries <= allowed:
        return
    seen = {"given": f"{_STEPS} steps in blocks of {block}", "allowed": f"{allowed} carries"}
    each = f"{carries} carries, that is {carries / _STEPS:.1f} for each step"
    told = fault("loops/residuals", **seen, needed=each)
    # What a step of these computes is three carries, or thirty.
    if carries < _STEPS / 2:
        raise told.saying(headline=_LESS, rule=_LENGTHS)
    raise told if carries > 2 * _STEPS else told.saying(headline=_MORE, rule=_KEPT)


#: What is said where less than a carry of each step is kept, as by blocks of another length.
_LESS = "blocks of the given length need less memory"
_LENGTHS = (
    "memory holds a carry for each block, and the work of all the steps of one block at a time: "
    "shorter blocks mean more carries, longer ones more work"
)
#: What is said where the steps keep less than all they compute, and yet too much.
_MORE = "reverse mode keeps more than one carry for each block"
_KEPT = (
    "`jax.checkpoint` keeps what goes into it, and what its policy says: around each step that is "
    "a carry for each step"
)


def _does_not_grow(answer: Any) -> None:
    x = _ones(3)
    require_bounded_growth(
        lambda n: (_last(answer), x, _ones(n)), _BLOCK * 2, _BLOCK * 8, size="{} steps"
    )


scan_in_blocks = Exercise(
    name="scan_in_blocks",
    questions=(
        _scans,
        _does_not_grow,
        _derives,
        partial(_keeps_few_carries, step=_waves, block=_BLOCK, allowed=_CARRIES),
        partial(_keeps_few_carries, step=_many_roots, block=_FEW, allowed=_CARRIES_OF_FEW),
    ),
    hints=(
        "`ten_steps` of 07_loops was a block without inputs and outputs. What shape have the "
        "inputs, if a loop is to hand out a block of them at a time?",
        "`jax.tree.map` reshapes every array of a tree, and one length in a shape may be -1. "
        "`jax.checkpoint` goes around what runs a whole block.",
        "An inner function of a carry and the rows of one block, itself a `scan`; an outer `scan` "
        "over blocks; and the outputs, which have one axis too many.",
    ),
    verified="what `lax.scan` returns, for trees too, with its gradient; memory for a fraction of "
    "900 steps, for two sizes of block; and one block in the trace",
    answer=solution,
)
