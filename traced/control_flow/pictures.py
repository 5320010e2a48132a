"""What a loop carries and gives out at each step: a belt, and as a table."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.control_flow.belt import Belt, Round, draw_belt
from traced.control_flow.steps import (
    KEPT,
    LoopStep,
    LoopSteps,
    record_fori_loop,
    record_scan,
    record_while_loop,
)
from traced.drawing.outline import Branch, outline
from traced.drawing.picture import Picture, telling
from traced.drawing.shapes import draw
from traced.python.values import Bare, PyTree, describe, shortened

WHOLE = 6  # entries: larger arrays are shown by their type
WIDEST, LONGEST = 14, 40  # characters of a type that are drawn, beside the belt and below it


@telling
def show_scan(
    f: Callable[..., Any],
    init: PyTree,
    xs: PyTree = None,
    length: int | None = None,
    reverse: bool = False,
) -> Picture:
    """Return the steps of `jax.lax.scan` as a belt: carry in, x, carry out and y.

    Of a long loop, the first and the last are shown. Floats have three digits, and of an
    array with more than six entries the type stands there. Raises what `scan` raises.

    >>> show_scan(lambda total, x: (total + x, 2 * total), 0, jax.numpy.arange(3))
    step  carry in  x  carry out  y
    0     0         0  0          0
    1     0         1  1          0
    2     1         2  3          2
    """
    steps = record_scan(f, init, xs, length, reverse)
    table = _table(steps, ("carry in", "x", "carry out", "y"), "steps of scan")
    return _drawn(steps, table, _name(f), "steps of scan", backward=reverse)


@telling
def show_fori_loop(lower: int, upper: int, body: Callable[..., Any], init: PyTree) -> Picture:
    """Return the steps of `jax.lax.fori_loop` as a belt: i, carry in and carry out.

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
    table = _table(steps, ("i", "carry in", "carry out"), "steps of fori_loop")
    return _drawn(steps, table, _name(body), "steps of fori_loop")


@telling
def show_while_loop(cond: Callable[..., Any], body: Callable[..., Any], init: PyTree) -> Picture:
    """Return the steps of `jax.lax.while_loop` as a belt: carry in and carry out.

    Before each round the condition is asked, until it answers False. The loop is left after ten
    thousand steps, which is said.

    >>> show_while_loop(lambda n: n < 5, lambda n: 2 * n, 1)
    step  carry in  carry out
    0     1         2
    1     2         4
    2     4         8
    """
    steps = record_while_loop(cond, body, init)
    table = _table(steps, ("carry in", "carry out"), "steps of while_loop")
    return _drawn(steps, table, _name(body), "steps of while_loop")


def _table(steps: LoopSteps, head: tuple[str, ...], caption: str) -> Picture:
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


def _drawn(
    steps: LoopSteps, table: Picture, body: str, caption: str, *, backward: bool = False
) -> Picture:
    """Draw a loop as a belt, unless nothing runs on it."""
    if not steps.steps:
        return table
    first, *_ = steps.steps
    stacked = _type(first.y, steps.count)
    heads = {"xs": _type(first.x, steps.count), "carry": _type(first.carried), "ys": stacked}
    rounds = [_round(i, step, steps) for i, step in enumerate(steps.steps)]
    sentences = [f"one body in the trace, run {_times(steps.count)}"]
    end = ""
    if stacked:
        sentences.append(f"the outputs are stacked into {shortened(stacked, LONGEST)}")
    if caption.endswith("fori_loop"):
        rounds = [replace(each, taken="") for each in rounds]
        heads = {"i": _type(first.x), **heads, "xs": ""}
    elif caption.endswith("while_loop"):
        rounds = [replace(each, x="True") for each in rounds]
        end = str(not steps.ended)
        sentences.append(f"the condition is asked before each round: {_times(steps.count + 1)}")
        heads = {"condition": "goes on?", **heads}
    if backward:
        sentences.append("reverse=True: the rounds run from right to left")
    heads = {name: shortened(text, WIDEST) for name, text in heads.items() if text}
    belt = Belt(body, rounds, steps.count, heads, sentences, end, steps.ended, backward)
    title = caption.replace("steps of ", "jax.lax.")
    return draw(draw_belt(belt), caption, table, title=title)


def _round(i: int, step: LoopStep, steps: LoopSteps) -> Round:
    cells = _cells(step)
    left = steps.count - len(steps.steps)
    number = i + 1 + (left if i >= KEPT else 0)
    taken, given = (f"{name}[{step.index}]" if cells[name] else "" for name in "xy")
    return Round(
        number, cells["carry in"], cells["carry out"], cells["x"], cells["y"], taken, given
    )


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _name(f: Callable[..., Any]) -> str:
    """Return what a body is called, if it is called anything."""
    name = getattr(f, "__name__", "")
    return name if name.isidentifier() else "body"


def _type(value: PyTree, count: int | None = None) -> str:
    """Return the types of a pytree, or those of so many of them in one array."""
    if not jax.tree.leaves(value):
        return ""
    return repr(jax.tree.map(lambda leaf: Bare(_stacked(describe(leaf), count)), value))


def _stacked(kind: str, count: int | None) -> str:
    if count is None:
        return kind
    head, _, rest = kind.partition("[")
    return f"{head}[{count}{'' if rest.startswith(']') else ','}{rest}"


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
