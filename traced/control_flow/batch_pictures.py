"""Branches and loops under `vmap`: the work of each example, and what of it is thrown away."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np

from traced.control_flow.batches import Batch, BatchedCond, BatchedLoop, record_batch
from traced.drawing.outline import Branch, outline
from traced.drawing.picture import Picture, listing, telling
from traced.drawing.shapes import SIZE, Shape, around, arrow, bar, box, draw, label, width_of
from traced.python.calls import name_of
from traced.python.values import Bare, PyTree, describe_tree, shortened

#: How many examples are drawn, of the first and of the last; and branches beside each other.
FIRST, LAST, MOST_BRANCHES = 5, 4, 4
#: So many rounds are drawn as blocks; more are drawn to scale.
BLOCKS = 14
ROW, LOOP_ROW, GAP = 48, 32, 14
BLOCK, SPACE, SCALE = 20, 4, 320  # pixels of a round, between two, and of all if to scale
WIDEST = 16  # characters of a value
LOST, DROPPED = "✗ thrown away", "✗ already done: run again for nothing"


@telling
def show_batched(f: Callable[..., Any], *args: Any, in_axes: PyTree = 0) -> Picture:
    """Return a picture of `jax.vmap(f, in_axes)`: what its branches and loops do for each example.

    Under `vmap`, all branches of a `cond` or `switch` run for all examples, and a `while_loop` runs
    until the last example is done; what is thrown away is red and dashed. Where the predicate is
    the same for the whole batch, one branch runs. Of several branches and loops, the first is
    drawn: those inside of others are not looked at. Raises whatever `vmap` and `f` raise.

    >>> import jax.numpy as jnp
    >>> def halve(n):
    ...     return jax.lax.while_loop(lambda n: n % 2 == 0, lambda n: n // 2, n)
    >>> show_batched(halve, jnp.array([8, 3, 10]))
    example  n   rounds needed  rounds run  thrown away  result
    0        8   3              3                        1
    1        3   0              3           ✗ 3          3
    2        10  1              3           ✗ 2          5
    3 + 0 + 1 = 4 rounds needed, 9 run
    """
    batch = record_batch(f, *args, in_axes=in_axes)
    name = name_of(f)
    if not batch.found:
        return listing(
            f"{name} comes to no cond, switch or while_loop:"
            f" under vmap each of its operations runs once, for all {batch.size} examples"
        )
    found, *others = batch.found
    caption = f"{name} under vmap"
    drawing: _Cond | _Loop
    drawing = _Cond(batch, found) if isinstance(found, BatchedCond) else _Loop(batch, found)
    more = f"{len(others)} more in {name} {'is' if others[1:] == [] else 'are'} not shown"
    notes = [*drawing.said(), *([more] if others else [])]
    head = ("example", *batch.given, *drawing.head())
    rows = [Branch(str(i), ((*drawing.given(i), *drawing.cells(i)),)) for i in range(batch.size)]
    twin, title = outline(head, rows, caption, notes), f"{drawing.kind} under vmap, in {name}"
    return draw(_noted(drawing.shapes(), notes), caption, twin, title=title)


def _noted(shapes: Iterator[Shape], notes: Sequence[str]) -> Iterator[Shape]:
    drawn = around(shapes)
    yield drawn
    for number, note in enumerate(notes):
        y = drawn.bottom + 24 + 20 * number
        yield label(drawn.left, y, note, sans=True, bold=number == 0, muted=number > 0)


class _Rows:
    """The examples of a batch: those that have a row, and what stands at its left."""

    apart = ROW

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        many = batch.size > FIRST + LAST + 1
        self.left_out = range(FIRST, batch.size - LAST) if many else range(0)
        self.shown = [i for i in range(batch.size) if i not in self.left_out]
        self.names = ", ".join(batch.given)

    def given(self, i: int) -> list[str]:
        return [_text(leaf[i]) for leaf in self.batch.given.values()]

    def y(self, i: int) -> float:
        place = self.shown.index(i)
        return self.apart * (place + (bool(self.left_out) and i >= self.left_out.stop))

    def texts(self) -> dict[int, str]:
        """Return what is written at the left of each row."""
        if len(self.batch.given) > 2:
            return {i: f"example {i}" for i in self.shown}
        return {i: shortened(", ".join(self.given(i)), WIDEST) for i in self.shown}

    def labels(self, right: float, top: float) -> Iterator[Shape]:
        names = "" if len(self.batch.given) > 2 else shortened(self.names, WIDEST)
        yield label(right, top, names or "example", anchor="end", sans=not names, muted=True)
        for i, text in self.texts().items():
            yield label(right, self.y(i), text, anchor="end")

    def gap(self) -> Iterator[Shape]:
        if self.left_out:
            y = self.y(self.left_out.stop) - self.apart
            told = f"… {len(self.left_out):,} more examples …"
            yield label(0, y, told, sans=True, muted=True)


class _Cond(_Rows):
    """A column for each branch."""

    def __init__(self, batch: Batch, cond: BatchedCond) -> None:
        super().__init__(batch)
        self.cond = cond
        self.count = len(cond.branches)
        # That of True is the last one, and the first that one reads of in a program.
        self.order = [1, 0] if cond.is_true_or_false else [*range(self.count)]

    @property
    def kind(self) -> str:
        return "cond" if self.cond.is_true_or_false else "switch"

    def answer(self, number: int) -> str:
        return str(bool(number)) if self.cond.is_true_or_false else str(number)

    def title(self, number: int) -> str:
        return f"if {self.answer(number)}" if self.cond.is_true_or_false else f"branch {number}"

    def head(self) -> list[str]:
        asked = "predicate" if self.cond.is_true_or_false else "index"
        return [asked, *(f"{self.title(i)}: {_work(self.cond.branches[i])}" for i in self.order)]

    def cells(self, i: int) -> list[str]:
        return [self.answer(self.cond.selected[i]), *(self._cell(i, each) for each in self.order)]

    def _cell(self, i: int, branch: int) -> str:
        rows = self.cond.results[branch]
        if rows is None:
            return "not run"
        kept = self.cond.selected[i] == branch
        return f"{_text(rows[i])}, kept" if kept else f"{LOST}: {_text(rows[i])}"

    def said(self) -> list[str]:
        if not self.cond.is_mapped:
            return ["one answer for the whole batch: one branch runs, nothing is thrown away"]
        lost, run = self.cond.thrown_away, self.count * self.batch.size
        return [f"{lost:,} of {run:,} results are thrown away"]

    def shapes(self) -> Iterator[Shape]:
        columns = self.order if self.count <= MOST_BRANCHES else []
        answers = [self.answer(each) for each in self.cond.selected]
        room = max(map(width_of, answers)) + 2 * 9
        at = room + 2 * GAP
        top = -ROW - 8
        yield from self.labels(-GAP, top)
        yield label(room / 2, top, self.head()[0], anchor="middle", sans=True, muted=True)
        yield from self.asked(room)
        for branch in columns:
            width = max(self.widths(branch))
            run = self.runs(branch)
            yield box(
                at,
                top,
                _work(self.cond.branches[branch]),
                hue="amber" if run else "grey",
                note=f"{self.title(branch)} · {run}" if run else f"{self.title(branch)} · not run",
                width=width,
                gone=not run,
            )
            for i in self.shown:
                yield self.result(at, i, branch, width)
            at += width + GAP
        if not columns:
            yield from self.gathered(at, top)
        yield from self.gap()

    def asked(self, room: float) -> Iterator[Shape]:
        hue = "amber" if self.cond.is_true_or_false else "blue"
        for i in self.shown if self.cond.is_mapped else []:
            asked = box(
                0, self.y(i), self.answer(self.cond.selected[i]), hue=hue, width=room, round=True
            )
            yield asked
        if not self.cond.is_mapped:
            y = (self.y(self.shown[0]) + self.y(self.shown[-1])) / 2
            asked = box(0, y, self.answer(self.cond.selected[0]), hue=hue, width=room, round=True)
            yield asked

    def runs(self, branch: int) -> str:
        if self.cond.results[branch] is None:
            return ""
        return f"run for all {self.batch.size:,}"

    def widths(self, branch: int) -> Iterator[float]:
        note = f"{self.title(branch)} · {self.runs(branch) or 'not run'}"
        yield box(0, 0, _work(self.cond.branches[branch]), note=note).right
        for i in self.shown:
            yield self.result(0, i, branch, 0).right

    def result(self, x: float, i: int, branch: int, width: float) -> Shape:
        rows = self.cond.results[branch]
        if rows is None:
            return box(x, self.y(i), "", hue="grey", width=width, gone=True)
        text = shortened(_text(rows[i]), WIDEST)
        if self.cond.selected[i] == branch:
            return box(x, self.y(i), text, hue="teal", note="kept", width=width)
        return box(x, self.y(i), text, hue="red", note=LOST, width=width, gone=True)

    def gathered(self, x: float, top: float) -> Iterator[Shape]:
        """Yield what is selected, and one box for all other branches."""
        chosen = [f"branch {each}" for each in self.cond.selected]
        width = max(width_of(each) for each in chosen) + 20
        yield box(
            x, top, f"{self.count} branches", hue="amber", note=self.runs(self.cond.selected[0])
        )
        for i in self.shown:
            branch = self.cond.selected[i]
            rows = self.cond.results[branch] or []
            kept = box(
                x,
                self.y(i),
                shortened(_text(rows[i]), WIDEST),
                hue="teal",
                note=chosen[i],
                width=width,
            )
            yield kept
            others = f"{self.count - 1} others"
            is_lost = self.cond.is_mapped
            yield box(
                kept.right + GAP,
                self.y(i),
                others,
                hue="red" if is_lost else "grey",
                note=LOST if is_lost else "not run",
                gone=True,
            )


class _Loop(_Rows):
    """A row of blocks, one for each round that runs."""

    apart = LOOP_ROW

    kind = "while_loop"

    def __init__(self, batch: Batch, loop: BatchedLoop) -> None:
        super().__init__(batch)
        self.loop, self.most = loop, max(loop.rounds)

    def head(self) -> list[str]:
        return ["rounds needed", "rounds run", "thrown away", "result"]

    def cells(self, i: int) -> list[str]:
        needed = self.loop.rounds[i]
        lost = f"✗ {self.most - needed}" if needed < self.most else ""
        return [str(needed), str(self.most), lost, _text(self.batch.results[i])]

    def said(self) -> list[str]:
        rounds = self.loop.rounds
        shown = [f"{each:,}" for each in rounds]
        if len(shown) > FIRST + LAST:
            shown = [*shown[:FIRST], "…", *shown[-LAST:]]
        sums = f"{' + '.join(shown)} = {sum(rounds):,}" if rounds[1:] else str(rounds[0])
        notes = [f"{sums} rounds needed, {self.loop.run:,} run"]
        if not self.loop.is_mapped:
            notes.append("one answer for the whole batch: nothing is thrown away")
        if not self.loop.ended:
            notes.append("it had not ended here")
        return notes

    def shapes(self) -> Iterator[Shape]:
        top = -LOOP_ROW
        yield from self.labels(-GAP, top)
        is_scaled = self.most > BLOCKS
        end = SCALE if is_scaled else self.most * (BLOCK + SPACE)
        title = f"{self.most:,} rounds, to scale" if is_scaled else "rounds"
        if is_scaled or not self.most:
            yield label(0, top, title, sans=True, muted=True)
        else:
            yield label(0, top - 16, "round", sans=True, muted=True, size=SIZE - 2)
            for number in range(self.most):
                x = number * (BLOCK + SPACE) + BLOCK / 2
                yield label(x, top, str(number + 1), anchor="middle", muted=True, size=SIZE - 2)
        start = max(end, 60) + GAP + 24
        yield label(start, top, "result", sans=True, muted=True)
        for i in self.shown:
            yield from self.scaled(i) if is_scaled else self.blocks(i)
            result = shortened(_text(self.batch.results[i]), WIDEST)
            drawn = box(start, self.y(i), result, hue="teal", round=True)
            yield arrow((start - 30, self.y(i)), drawn.west, hue="teal")
            yield drawn
        yield from self.gap()
        yield from self.key()

    def key(self) -> Iterator[Shape]:
        y = self.y(self.shown[-1]) + LOOP_ROW + 6
        needed = bar(0, y, BLOCK, hue="amber")
        said = label(needed.right + 8, y, "needed", sans=True, muted=True, size=SIZE - 1)
        yield from (needed, said)
        if min(self.loop.rounds) < self.most:
            lost = bar(said.right + 2 * GAP, y, BLOCK, hue="red", gone=True)
            yield lost
            yield label(lost.right + 8, y, DROPPED, sans=True, muted=True, size=SIZE - 1)

    def blocks(self, i: int) -> Iterator[Shape]:
        for number in range(self.most):
            gone = number >= self.loop.rounds[i]
            x = number * (BLOCK + SPACE)
            yield bar(x, self.y(i), BLOCK, hue="red" if gone else "amber", height=18, gone=gone)

    def scaled(self, i: int) -> Iterator[Shape]:
        needed = self.loop.rounds[i] * SCALE / self.most
        if needed:
            yield bar(0, self.y(i), needed, hue="amber", height=18)
        if needed < SCALE:
            yield bar(needed, self.y(i), SCALE - needed, hue="red", height=18, gone=True)


def _work(primitives: Sequence[str]) -> str:
    """Say what a branch computes, in a few words."""
    if not primitives:
        return "no operation"
    text = ", ".join(primitives)
    return text if len(text) <= WIDEST + 4 else f"{len(primitives)} equations"


def _text(value: PyTree) -> str:
    """Write a pytree of numbers with three digits, and of larger arrays the type."""
    leaves = jax.tree.leaves(value)
    if any(np.ndim(leaf) or not hasattr(leaf, "dtype") for leaf in leaves):
        return describe_tree(value)
    if any(jax.numpy.issubdtype(leaf.dtype, jax.dtypes.extended) for leaf in leaves):
        return describe_tree(value)
    return repr(jax.tree.map(lambda leaf: Bare(_number(leaf)), value))


def _number(leaf: Any) -> str:
    number = np.asarray(leaf)[()]
    return f"{number:.3g}" if np.issubdtype(number.dtype, np.inexact) else str(number)
