"""How values flow through a function, as a graph of its equations."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from traced.drawing.layers import PORTS, Layers
from traced.drawing.outline import Branch, outline
from traced.drawing.picture import Picture, telling
from traced.drawing.shapes import Shape, around, arrow, box, draw, frame, hue_of, label
from traced.programs.dataflow import Step, find_dataflow
from traced.programs.jaxpr_lines import UNNEEDED
from traced.python.calls import name_of
from traced.python.values import shortened

#: How many equations are drawn at most, and how many arguments and results.
MOST, MOST_ENDS = 24, 6
WIDEST = 22  # characters of a box
PITCH = 52  # from row to row
#: What a frame needs besides: around its boxes, above its first row, and for its name at its right.
ROOM, ABOVE, BESIDE = 9, 6, 84
#: Operations for which the order of the two operands is all the same.
SYMMETRIC = {"add", "add_any", "mul", "max", "min", "eq", "ne", "and", "or", "xor"}
LOOP = 13  # from the drawing to the line of a donated buffer


@telling
def show_dataflow(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Picture:
    """Return a graph of the equations of `f` at these arguments: what each is made from.

    What no result needs is dashed. Around what XLA puts into one fusion on this backend is a frame,
    as far as that is known, and a line leads from a donated argument to the result that takes its
    memory. Of a long program the middle is left out. `f` is traced and compiled, and not run.

    >>> def f(x):
    ...     unused = x + 1
    ...     return 2 * x
    >>> show_dataflow(f, 3.0)
    value   type   made by          what becomes of it
    a       f32[]  argument x
    b       f32[]  add a 1.0:f32[]  dropped by JAX: no result needs it
    c       f32[]  mul 2.0:f32[] a
    result  f32[]  c
    2 equations, 1 dropped
    """
    steps = find_dataflow(f, *args, **kwargs)
    name = name_of(f)
    caption = f"dataflow of {name}"
    twin = outline(
        ("value", "type", "made by", "what becomes of it"), map(_row, steps), caption, _said(steps)
    )
    title = f"from the arguments of {name} to its results"
    return draw(_Drawing(steps).shapes(), caption, twin, title=title)


def _row(step: Step) -> Branch:
    made = f"{step.kind} {step.text}" if step.kind == "argument" else step.text
    return Branch(step.name or "_", ((" ".join(step.types), made, _fate(step)),))


def _fate(step: Step) -> str:
    if not step.is_needed:
        return UNNEEDED.format("JAX") if step.kind == "equation" else "no result needs it"
    if step.is_donated:
        to = f"its memory goes to {step.memory}" if step.memory else "✗ no result takes its memory"
        return f"donated: {to}"
    if step.memory:
        return f"in the memory of {step.memory}"
    return f"in fusion {step.fusion}" if step.fusion else ""


def _said(steps: Sequence[Step]) -> list[str]:
    equations = [step for step in steps if step.kind == "equation"]
    dropped = sum(not step.is_needed for step in equations)
    fused = [step.fusion for step in equations if step.fusion]
    parts = [_count(len(equations), "equation")]
    if dropped:
        parts.append(f"{dropped} dropped")
    if fused:
        parts.append(f"{len(fused)} in {_count(max(fused), 'fusion')}")
    return [", ".join(parts)]


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


class _Drawing:
    """A box for each step, or for several that are left out together."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = steps
        self.groups = list(_groups(steps))
        self.box_of = {step: i for i, (_, group) in enumerate(self.groups) for step in group}
        self.reads = [self._operands(group) for _, group in self.groups]
        self.texts = [self._texts(note, group) for note, group in self.groups]
        widths = [box(0, 0, text, note=note).right for text, note in self.texts]
        edges = [(start, end) for end, starts in enumerate(self.reads) for start in starts]
        self.layers = Layers(widths, self._rows(), edges)
        self.layers.arrange()
        self.frames = self._frames()
        self.layers.straighten()
        self.heights = list(self._heights())

    def _operands(self, group: Sequence[int]) -> list[int]:
        """Return the boxes that one reads: of a single equation one for each operand."""
        read = [
            self.box_of[place]
            for step in group
            for place in self.steps[step].reads
            if place in self.box_of
        ]
        own, boxes = self.box_of[group[0]], dict.fromkeys(read)
        # What several steps have in common leads there once.
        if len(group) == 1 and all(len(self.groups[each][1]) == 1 for each in boxes):
            return read
        return [each for each in boxes if each != own]

    def _texts(self, note: str, group: Sequence[int]) -> tuple[str, str]:
        if note:
            return note, ""
        step = self.steps[group[0]]
        kind = " ".join(step.types)
        if step.kind == "result" and not step.reads:
            kind = f"always {step.text}"
        word = "" if step.is_needed else "dropped" if step.kind == "equation" else "not needed"
        if step.is_donated:
            word = "donated" if step.memory else "✗ donated in vain"
        elif step.memory:
            word = f"memory of {step.memory}"
        notes = [shortened(each, WIDEST) for each in (kind, word) if each]
        return shortened(step.brief, WIDEST), " · ".join(notes)

    def _rows(self) -> list[int]:
        """Return the row of each box: below all it reads, and what reads nothing above its use."""
        rows: list[int] = []
        for reads in self.reads:
            rows.append(1 + max((rows[each] for each in reads), default=-1))
        last = max(rows, default=0)
        for i, (_, group) in enumerate(self.groups):
            if self.steps[group[0]].kind == "result":
                rows[i] = max(last, 1)
        readers: dict[int, list[int]] = {}
        for i, reads in enumerate(self.reads):
            for each in reads:
                readers.setdefault(each, []).append(rows[i])
        for i, (_, group) in enumerate(self.groups):
            if not self.reads[i] and i in readers and not self.steps[group[0]].is_donated:
                rows[i] = min(readers[i]) - 1
        return rows

    def _frames(self) -> list[list[int]]:
        """Return the boxes of each fusion that a frame can be drawn around."""
        numbers = sorted({step.fusion for step in self.steps if step.fusion})
        members = [
            [
                i
                for i, (_, [first, *_]) in enumerate(self.groups)
                if self.steps[first].fusion == number
            ]
            for number in numbers
        ]
        members = [each for each in members if len(each) > 1]
        moved = members
        for _ in members:
            moved = [each for each in moved and members if self._make_room(each)]
        return [each for each in members if not self._make_room(each)]

    def _make_room(self, members: Sequence[int]) -> bool:
        return self.layers.make_room(members, 2 * ROOM, ROOM + BESIDE)

    def _heights(self) -> Iterator[float]:
        """Yield the middle of each row: there is some more room above and below a frame."""
        at = 0.0
        rows = [[self.layers.rows[i] for i in each] for each in self.frames]
        for row in range(len(self.layers.order)):
            at += ABOVE * sum(min(each) == row for each in rows)
            yield at
            at += PITCH + ABOVE * sum(max(each) == row for each in rows)

    def shapes(self) -> list[Shape]:
        boxes = [self._box(i) for i in range(len(self.groups))]
        framed = [self._frame(each, boxes) for each in self.frames]
        frames, names = [frame for frame, _ in framed], [name for _, name in framed]
        lines = [shape for i in range(len(boxes)) for shape in self._arrows(i, boxes)]
        whole = around([*frames, *lines, *boxes, *names])
        loops = list(self._loops(boxes, whole))
        bottom = max(each.bottom for each in [whole, *loops])
        said = label(whole.left, bottom + 20, *_said(self.steps), sans=True, muted=True, size=12)
        return [*loops, whole, said]

    def _box(self, i: int) -> Shape:
        _, group = self.groups[i]
        step, (text, note) = self.steps[group[0]], self.texts[i]
        hue = "grey" if len(group) > 1 or not step.is_needed else hue_of(" ".join(step.types))
        if step.kind in ("argument", "captured"):
            hue = "grey" if not step.is_needed else "blue"
        if step.is_donated and not step.memory:
            hue = "red"
        x, y = self.layers.x[i] - self.layers.widths[i] / 2, self.heights[self.layers.rows[i]]
        return box(
            x, y, text, hue=hue, note=note, gone=not step.is_needed, round=step.kind != "equation"
        )

    def _frame(self, members: Sequence[int], boxes: Sequence[Shape]) -> tuple[Shape, Shape]:
        inside = around(boxes[each] for each in members)
        passing = [each for each in self.layers.inner(members) if each not in members]
        edges = [
            Shape("", self.layers.x[each], inside.top, self.layers.x[each], inside.top)
            for each in passing
        ]
        shape = frame(around([inside, *edges]), hue="amber", room=ROOM)
        name = label(
            shape.right + 6, shape.top + 10, "one fusion", sans=True, bold=True, size=12, halo=True
        )
        return shape, name

    def _arrows(self, i: int, boxes: Sequence[Shape]) -> Iterator[Shape]:
        target, reads = boxes[i], self.reads[i]
        order = (
            sorted(reads, key=lambda each: self._last(each, i)) if self._is_symmetric(i) else reads
        )
        room = target.right - target.left - 16
        apart = min(PORTS, room / max(1, len(reads) - 1))
        for number, start in enumerate(order):
            x = (target.left + target.right) / 2 + (number - (len(reads) - 1) / 2) * apart
            way = self.layers.way(start, i)
            through = [(self.layers.x[each], self.heights[self.layers.rows[each]]) for each in way]
            bends = [(a, y + d) for a, y in through for d in (-20, 20)]
            end = x, target.top - 1
            gone = not self.steps[self.groups[i][1][0]].is_needed
            yield arrow(boxes[start].south, *bends, (x, target.top - 10), end, gone=gone)

    def _is_symmetric(self, i: int) -> bool:
        steps = [self.steps[step] for step in self.groups[i][1]]
        return len(steps) > 1 or steps[0].brief in SYMMETRIC

    def _last(self, start: int, end: int) -> float:
        return self.layers.x[[start, *self.layers.way(start, end)][-1]]

    def _loops(self, boxes: Sequence[Shape], whole: Shape) -> Iterator[Shape]:
        """Yield a line around all for each donated argument, to the result in its memory."""
        results = {step.name: i for i, step in enumerate(self.steps) if step.kind == "result"}
        donated = [
            (i, results[step.memory])
            for i, step in enumerate(self.steps)
            if step.is_donated and step.memory
        ]
        pairs = dict.fromkeys((self.box_of.get(i, -1), self.box_of.get(j, -1)) for i, j in donated)
        for number, (start, end) in enumerate((pair for pair in pairs if -1 not in pair), start=1):
            top, left, bottom = (
                whole.top - LOOP * number,
                whole.left - LOOP * number,
                whole.bottom + LOOP * number,
            )
            (x, y), (u, v) = boxes[start].north, boxes[end].south
            points = (x, y), (x, top), (left, top), (left, bottom), (u, bottom), (u, v + 1)
            yield arrow(*points, hue="teal")


def _groups(steps: Sequence[Step]) -> Iterator[tuple[str, list[int]]]:
    """Yield the steps that have a box of their own, and with a note those that share one."""
    kinds = {kind: list(each) for kind, each in groupby(range(len(steps)), lambda i: steps[i].kind)}
    equations = kinds.get("equation", [])
    results = kinds.get("result", [])
    left = equations[MOST // 2 : 1 - MOST // 2] if len(equations) > MOST else []
    shown = {*equations, *results} - set(left)
    read = {place for i in shown for place in steps[i].reads}
    given = [*kinds.get("captured", []), *kinds.get("argument", [])]
    hidden = {place for i in left for place in steps[i].reads} - read
    own = [i for i in given if i not in hidden]
    yield from _ends(own, "argument")
    first = len(equations) if not left else MOST // 2
    yield from (("", [i]) for i in equations[:first])
    if left:
        yield f"… {len(left):,} equations left out …", left
        yield from (("", [i]) for i in equations[1 - MOST // 2 :])
    # Of the results that are made in what is left out one would see nothing.
    yield from _ends(results, "result")


def _ends(steps: Sequence[int], noun: str) -> Iterator[tuple[str, list[int]]]:
    shown = steps if len(steps) <= MOST_ENDS else steps[: MOST_ENDS - 1]
    yield from (("", [i]) for i in shown)
    if rest := list(steps[len(shown) :]):
        yield f"… {len(rest):,} more {noun}s", rest
