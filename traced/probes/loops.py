"""See what a loop carries and gives out at each step, of `scan`, `fori_loop` and `while_loop`."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

#: How many steps are kept, of the first and of the last.
KEPT = 3
#: After so many steps a `while_loop` is left.
MOST = 10_000


@dataclass(frozen=True)
class Step:
    """One step of a loop: its index, what comes in and goes out, of the carry and beside it.

    `x` and `y` are None for a loop that has none.
    """

    index: int
    carry: Any
    x: Any
    carried: Any
    y: Any


@dataclass(frozen=True)
class Steps:
    """The first and the last steps of a loop, how many were taken, and whether it had ended."""

    steps: list[Step]
    count: int
    ended: bool = True


def record_scan(
    f: Callable[..., Any],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
) -> Steps:
    """Return the steps of `jax.lax.scan` at these arguments, in the order in which it takes them.

    All is computed by `scan` itself: in three parts, if there are more than six steps. Raises what
    `scan` raises.

    >>> steps = record_scan(lambda total, x: (total + x, 2 * total), 0, jnp.arange(3)).steps
    >>> [(int(step.carry), int(step.x), int(step.y)) for step in steps]
    [(0, 0, 0), (0, 1, 0), (1, 2, 2)]
    """
    if not callable(f):
        raise TypeError(f"`f` must be a callable, got {type(f).__name__}")
    jax.eval_shape(lambda xs: lax.scan(f, init, xs, length, reverse), xs)  # it may raise
    count = int(jax.tree.leaves(xs)[0].shape[0]) if jax.tree.leaves(xs) else length or 0
    carry, steps = init, []
    for part in _parts(range(count), reverse):
        cut = jax.tree.map(lambda x, part=part: x[part.start : part.stop], xs)
        keeps = count <= 2 * KEPT or len(part) == KEPT
        body = _telling(f) if keeps else _quiet(f)
        carry, rows = lax.scan(body, carry, cut, len(part), reverse)
        steps += [_step(i, i - part.start, rows) for i in _order(part, reverse) if keeps]
    return Steps(steps, count)


def record_fori_loop(lower: int, upper: int, body: Callable[..., Any], init: Any) -> Steps:
    """Return the steps of `jax.lax.fori_loop` at these arguments; `x` is the count.

    >>> steps = record_fori_loop(1, 4, lambda i, product: i * product, 1).steps
    >>> [int(step.carried) for step in steps]
    [1, 2, 6]
    """
    if not callable(body):
        raise TypeError(f"`body` must be a callable, got {type(body).__name__}")
    jax.eval_shape(lambda: lax.fori_loop(lower, upper, body, init))  # it may raise
    counts = jnp.arange(lower, max(lower, upper))
    return record_scan(lambda carry, i: (body(i, carry), None), init, counts)


def record_while_loop(cond: Callable[..., Any], body: Callable[..., Any], init: Any) -> Steps:
    """Return the steps of `jax.lax.while_loop` at these arguments; each is computed by itself.

    It is left after ten thousand steps, and then had not ended.

    >>> record_while_loop(lambda n: n < 100, lambda n: 2 * n, 1).count
    7
    """
    for name, given in (("cond", cond), ("body", body)):
        if not callable(given):
            raise TypeError(f"`{name}` must be a callable, got {type(given).__name__}")
    kind = jax.eval_shape(lambda: lax.while_loop(cond, body, init))  # it may raise
    carry = jax.tree.map(lambda value, kind: jnp.asarray(value, kind.dtype), init, kind)
    goes_on, step = jax.jit(cond), jax.jit(body)
    first: list[Step] = []
    last: deque[Step] = deque(maxlen=KEPT)
    count = 0
    while (going := bool(goes_on(carry))) and count < MOST:
        carried = step(carry)
        (first if count < KEPT else last).append(Step(count, carry, None, carried, None))
        carry, count = carried, count + 1
    return Steps([*first, *last], count, ended=not going)


def _parts(indices: range, reverse: bool) -> list[range]:
    if len(indices) <= 2 * KEPT:
        return [indices]
    parts = [indices[:KEPT], indices[KEPT:-KEPT], indices[-KEPT:]]
    return parts[:: -1 if reverse else 1]


def _order(indices: range, reverse: bool) -> range:
    return indices[::-1] if reverse else indices


def _telling(f: Callable[..., Any]) -> Callable[..., Any]:
    def told(carry: Any, x: Any) -> Any:
        carried, y = f(carry, x)
        return carried, (carry, x, carried, y)

    return told


def _quiet(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda carry, x: (f(carry, x)[0], None)


def _step(index: int, row: int, rows: Any) -> Step:
    return Step(index, *jax.tree.map(lambda column: column[row], rows))
