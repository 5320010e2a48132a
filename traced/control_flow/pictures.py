"""What a loop carries and gives out at each step, as a table."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.control_flow.steps import (
    LoopStep,
    LoopSteps,
    record_fori_loop,
    record_scan,
    record_while_loop,
)
from traced.drawing.outline import Branch, outline
from traced.drawing.picture import Picture, telling
from traced.python.values import Bare, PyTree, describe

WHOLE = 6  # entries: larger arrays are shown by their type


@telling
def show_scan(
    f: Callable[..., Any],
    init: PyTree,
    xs: PyTree = None,
    length: int | None = None,
    reverse: bool = False,
) -> Picture:
    """Return a table of the steps of `jax.lax.scan`: carry in, x, carry out and y.

    Of a long loop, the first and the last three are shown. Floats have three digits, and of an
    array with more than six entries the type stands there. Raises what `scan` raises.

    >>> show_scan(lambda total, x: (total + x, 2 * total), 0, jax.numpy.arange(3))
    step  carry in  x  carry out  y
    0     0         0  0          0
    1     0         1  1          0
    2     1         2  3          2
    """
    steps = record_scan(f, init, xs, length, reverse)
    return _picture(steps, ("carry in", "x", "carry out", "y"), "steps of scan")


@telling
def show_fori_loop(lower: int, upper: int, body: Callable[..., Any], init: PyTree) -> Picture:
    """Return a table of the steps of `jax.lax.fori_loop`: i, carry in and carry out.

    >>> show_fori_loop(1, 9, lambda i, product: i * product, 1)
    step  i  carry in    carry out
    0     1  1           1
    1     2  1           2
    2     3  2           6
    …        2 left out
    5     6  120         720
    6     7  720         5040
    7     8  5040        40320
    """
    steps = record_fori_loop(lower, upper, body, init)
    return _picture(steps, ("i", "carry in", "carry out"), "steps of fori_loop")


@telling
def show_while_loop(cond: Callable[..., Any], body: Callable[..., Any], init: PyTree) -> Picture:
    """Return a table of the steps of `jax.lax.while_loop`: carry in and carry out.

    It is left after ten thousand steps, which a line says.

    >>> show_while_loop(lambda n: n < 5, lambda n: 2 * n, 1)
    step  carry in  carry out
    0     1         2
    1     2         4
    2     4         8
    """
    steps = record_while_loop(cond, body, init)
    return _picture(steps, ("carry in", "carry out"), "steps of while_loop")


def _picture(steps: LoopSteps, head: tuple[str, ...], caption: str) -> Picture:
    rows = [_cells(step) for step in steps.steps]
    # A loop over nothing has no x, and one that gives nothing out no y.
    head = tuple(name for name in head if not rows or any(row[name] for row in rows))
    if left := steps.count - len(rows):
        rows.insert(len(rows) // 2, _note(f"{left} left out"))
    if not steps.ended:
        rows.append(_note("it had not ended here"))
    if not rows:
        rows.append(_note("no step is taken"))
    cells = [tuple(row.get(name, "") for name in head) for row in rows]
    branches = [Branch(row["step"], (each,)) for row, each in zip(rows, cells, strict=True)]
    return outline(("step", *head), branches, caption)


def _cells(step: LoopStep) -> dict[str, str]:
    cells = {"carry in": step.carry, "carry out": step.carried, "y": step.y, "x": step.x}
    texts = {name: _text(value) for name, value in cells.items()}
    return {"step": str(step.index), "i": texts["x"], **texts}


def _note(text: str) -> dict[str, str]:
    return {"step": "…", "carry in": text}


def _text(value: PyTree) -> str:
    """Write a pytree of arrays: numbers where they are few."""
    return repr(jax.tree.map(lambda leaf: Bare(_leaf(leaf)), value)) if value is not None else ""


def _leaf(leaf: jax.Array) -> str:
    if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key) or leaf.size > WHOLE:
        return describe(leaf)
    if leaf.ndim == 0:
        return _number(leaf[()])
    text = np.array2string(np.asarray(leaf), formatter={"all": _number})
    return " ".join(text.split())


def _number(value: object) -> str:
    return f"{value:.3g}" if np.issubdtype(np.asarray(value).dtype, np.inexact) else str(value)
