"""See what a loop carries and gives out at each step, of `scan`, `fori_loop` and `while_loop`."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from traced.python.calls import require_callable
from traced.python.values import PyTree

#: How many steps are kept, of the first and of the last.
KEPT = 3
#: After so many steps a `while_loop` is left.
MOST = 10_000


@dataclass(frozen=True)
class LoopStep:
    """One step of a loop: its index, what comes in and goes out, of the carry and beside it.

    `x` and `y` are None for a loop that has none.
    """

    index: int
    carry: Any
    x: Any
    carried: Any
    y: Any


@dataclass(frozen=True)
class LoopSteps:
    """The first and the last steps of a loop, how many were taken, and whether it had ended."""

    steps: list[LoopStep]
    count: int
    ended: bool = True


def record_scan(
    f: Callable[..., Any],
    init: PyTree,
    xs: PyTree = None,
    length: int | None = None,
    reverse: bool = False,
) -> LoopSteps:
    """Return the steps of `jax.lax.scan` at these arguments, in the order in which it takes them.

    All is computed by `scan` itself: in three parts, if there are more than six steps. Raises what
    `scan` raises.

    >>> steps = record_scan(lambda total, x: (total + x, 2 * total), 0, jnp.arange(3)).steps
    >>> [(int(step.carry), int(step.x), int(step.y)) for step in steps]
    [(0, 0, 0), (0, 1, 0), (1, 2, 2)]
    """
    require_callable(f)
    jax.eval_shape(lambda xs: lax.scan(f, init, xs, length, reverse), xs)  # it may raise
    count = int(jax.tree.leaves(xs)[0].shape[0]) if jax.tree.leaves(xs) else length or 0
    # In a long loop only the steps at both ends give out all they have: those between them run for
    # their carry alone, so that a million steps need no more memory than one.
    carry, steps = init, []
    for part in _parts(range(count), reverse):
        cut = jax.tree.map(lambda x, part=part: x[part.start : part.stop], xs)
        keeps = count <= 2 * KEPT or len(part) == KEPT
        body = _telling(f) if keeps else _quiet(f)
        carry, rows = lax.scan(body, carry, cut, len(part), reverse)
        steps += [_step(i, i - part.start, rows) for i in _order(part, reverse) if keeps]
    return LoopSteps(steps, count)


def record_fori_loop(lower: int, upper: int, body: Callable[..., Any], init: PyTree) -> LoopSteps:
    """Return the steps of `jax.lax.fori_loop` at these arguments; `x` is the count.

    >>> steps = record_fori_loop(1, 4, lambda i, product: i * product, 1).steps
    >>> [int(step.carried) for step in steps]
    [1, 2, 6]
    """
    require_callable(body, "body")
    jax.eval_shape(lambda: lax.fori_loop(lower, upper, body, init))  # it may raise
    counts = jnp.arange(lower, max(lower, upper))
    return record_scan(lambda carry, i: (body(i, carry), None), init, counts)


def record_while_loop(
    cond: Callable[..., Any], body: Callable[..., Any], init: PyTree
) -> LoopSteps:
    """Return the steps of `jax.lax.while_loop` at these arguments; each is computed by itself.

    It is left after ten thousand steps, and then had not ended.

    >>> record_while_loop(lambda n: n < 100, lambda n: 2 * n, 1).count
    7
    """
    for name, given in (("cond", cond), ("body", body)):
        require_callable(given, name)
    kind = jax.eval_shape(lambda: lax.while_loop(cond, body, init))  # it may raise
    # A Python number becomes what the loop carries, else the first step would have another type.
    carry = jax.tree.map(lambda value, kind: jnp.asarray(value, kind.dtype), init, kind)
    goes_on, step = jax.jit(cond), jax.jit(body)
    first: list[LoopStep] = []
    last: deque[LoopStep] = deque(maxlen=KEPT)
    count = 0
    while (going := bool(goes_on(carry))) and count < MOST:
        carried = step(carry)
        (first if count < KEPT else last).append(LoopStep(count, carry, None, carried, None))
        carry, count = carried, count + 1
    return LoopSteps([*first, *last], count, ended=not going)


def _parts(indices: range, reverse: bool) -> list[range]:
    if len(indices) <= 2 * KEPT:
        return [indices]
    parts = [indices[:KEPT], indices[KEPT:-KEPT], indices[-KEPT:]]
    return parts[:: -1 if reverse else 1]


def _order(indices: range, reverse: bool) -> range:
    return indices[::-1] if reverse else indices


def _telling(f: Callable[..., Any]) -> Callable[..., Any]:
    def told(carry: PyTree, x: PyTree) -> Any:
        carried, y = f(carry, x)
        return carried, (carry, x, carried, y)

    return told


def _quiet(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda carry, x: (f(carry, x)[0], None)


def _step(index: int, row: int, rows: PyTree) -> LoopStep:
    return LoopStep(index, *jax.tree.map(lambda column: column[row], rows))
