"""The drawing of a tree of keys: a circle for each, a box for each draw, reuse in red."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from traced.drawing.shapes import (
    HEIGHT,
    Shape,
    around,
    box,
    bracket,
    curve,
    dot,
    label,
    line,
    width_of,
)
from traced.python.values import shortened
from traced.randomness.events import KeyReuse
from traced.randomness.key_tree import Act, Key, KeyTree

RADIUS, SHIFT, GAP, FAN, STUB = 6, 4, 8, 34, 16
LONGEST = 28  # characters of a name
FAR = 160  # pixels to the right of a draw, where its fault would not be seen
SMALL = 11

#: How often a key gives the same numbers, where it is not a number of places.
EVERY = {
    "same key in every batch entry": "✗ the same key for every row",
    "same key in every step": "✗ the same key in every round",
}


@dataclass(frozen=True)
class Part:
    """A part of the tree, which is entered at a point of its left side."""

    shape: Shape
    y: float


def draw_keys(tree: KeyTree) -> list[Shape]:
    """Return the shapes of a tree of keys.

    >>> from traced.randomness.key_tree import Key, KeyTree
    >>> (shape,) = draw_keys(KeyTree([Key("key", "key")], 0, []))
    >>> "not used" in shape.svg
    True
    """
    shapes: list[Shape] = []
    for key in tree.roots:
        shapes.append(_key(key, 0, _below(shapes) + GAP).shape)
    if tree.left_out:
        shapes.append(_more(0, _below(shapes) + GAP, tree.left_out).shape)
    for reuse in tree.lost:
        text = f"✗ {shortened(reuse.key, LONGEST)}: {reuse.how}, {_lines([reuse])}"
        shapes.append(label(0, _below(shapes) + 2 * GAP, text, sans=True, bold=True, hue="red"))
    return shapes


def _below(shapes: list[Shape]) -> float:
    return around(shapes).bottom if shapes else 0


def _key(key: Key, x: float, top: float) -> Part:
    name = shortened(key.label, LONGEST)
    begin = x + 2 * RADIUS + (2 * SHIFT if key.alike > 1 else 0) + 7
    after = begin + width_of(name) if name else begin - 7
    note = _note(key)
    start = after + (7 + width_of(note, SMALL, sans=True) if note else 0) + 5
    parts: list[tuple[Act, Part]] = []
    at = start + (FAN if len(key.acts) + bool(key.left_out) > 1 else STUB)
    for act in key.acts:
        made = _act(act, at, top)
        parts.append((act, made))
        top = made.shape.bottom + GAP
    ends = [part for _, part in parts]
    if key.left_out:
        ends.append(_more(at, top, key.left_out))
    y = (ends[0].y + ends[-1].y) / 2 if ends else top + HEIGHT / 2
    hue = "red" if key.reuses else "purple"
    shapes = [*_circles(x, y, key, hue), label(begin, y, name)]
    if note:
        shapes.append(label(after + 7, y, note, size=SMALL, sans=True, muted=True))
    shapes += [_branch((start, y), (at, part.y), act.reused) for act, part in parts]
    shapes += [curve((start, y), (at, part.y), gone=True) for part in ends[len(parts) :]]
    shapes += [part.shape for part in ends]
    return Part(around([*shapes, *_fault(key, parts)]), y)


def _note(key: Key) -> str:
    alike = [f"{key.alike} different keys"] if key.alike > 1 else []
    unused = "not followed further" if key.in_loop else "not used"
    return ", ".join([*alike, *([] if _is_used(key) else [unused])])


def _circles(x: float, y: float, key: Key, hue: str) -> Iterator[Shape]:
    shifts = (2 * SHIFT, SHIFT, 0) if key.alike > 1 else (0,)
    for shift in shifts:
        yield dot(x + RADIUS + shift, y, hue=hue if _is_used(key) else "grey")


def _is_used(key: Key) -> bool:
    return bool(key.acts or key.left_out)


def _branch(start: tuple[float, float], end: tuple[float, float], reused: bool) -> Shape:
    hue, thick = ("red", 2.5) if reused else ("grey", 1.5)
    return curve(start, end, hue=hue, thick=thick)


def _act(act: Act, x: float, top: float) -> Part:
    if act.kind == "use":
        text = shortened(act.text, LONGEST) + (f" ×{act.count}" if _is_repeated(act) else "")
        height = HEIGHT + (16 if act.note else 0)
        hue = "red" if act.reused else "teal"
        shape = box(x, top + height / 2, text, hue=hue, note=act.note, round=True)
        return Part(shape, top + height / 2)
    return _fan(act, x, top)


def _is_repeated(act: Act) -> bool:
    return act.count > 1 and not act.reused


def _fan(act: Act, x: float, top: float) -> Part:
    """Draw the word for what is done, and from it the branches to the keys that it makes."""
    text, made = act.kind, act.made
    if act.kind == "fold_in" and len(made) == 1 and made[0].alike == 1 and not act.left_out:
        text, made = (
            f"fold_in {shortened(made[0].label, LONGEST)}",
            [replace(made[0], label=made[0].given)],
        )
    text += f", {act.note}" if act.note else ""
    if not made and not act.left_out:
        text += ": made before"
    end = x + 2 + width_of(text, SMALL, sans=True, bold=act.reused)
    parts: list[Part] = []
    at = end + (FAN if len(made) + bool(act.left_out) > 1 else STUB)
    for key in made:
        part = _key(key, at, top)
        parts.append(part)
        top = part.shape.bottom + GAP
    if act.left_out:
        parts.append(_more(at, top, act.left_out))
    y = (parts[0].y + parts[-1].y) / 2 if parts else top + HEIGHT / 2
    hue = "red" if act.reused else ""
    word = label(x + 2, y - 9, text, size=SMALL, sans=True, bold=act.reused, muted=not hue, hue=hue)
    stem = line((x, y), (end, y), hue=hue or "grey", thick=2.5 if hue else 1.5)
    branches = [curve((end, y), (at, part.y)) for part in parts]
    return Part(around([word, stem, *branches, *(part.shape for part in parts)]), y)


def _more(x: float, top: float, count: int) -> Part:
    y = top + HEIGHT / 2
    return Part(box(x, y, f"… {count} more", gone=True), y)


def _fault(key: Key, parts: list[tuple[Act, Part]]) -> Iterator[Shape]:
    """Draw the bracket around the branches that are entered again, and what is the fault."""
    marked = [i for i, (act, _) in enumerate(parts) if act.reused]
    if not marked:
        return
    headline, lines = _headline(key, len(marked)), _lines(key.reuses)
    right = around(part.shape for _, part in parts[marked[0] : marked[-1] + 1]).right
    draw = next((part.shape for act, part in parts if act.reused and act.kind == "use"), None)
    if draw and right - draw.right > FAR:
        said = label(draw.right + 9, draw.east[1], headline, sans=True, bold=True, hue="red")
        yield said
        yield label(said.right + 8, draw.east[1], lines, size=SMALL, sans=True, muted=True)
        return
    # A fan is as high as what hangs on it, and is entered in its middle.
    ends = _side(parts[marked[0]])[0], _side(parts[marked[-1]])[1]
    x, y = right + 25, sum(ends) / 2
    yield bracket(right + 16, *ends, hue="red")
    yield label(x, y - 9, headline, sans=True, bold=True, hue="red")
    yield label(x, y + 9, lines, size=SMALL, sans=True, muted=True)


def _side(branch: tuple[Act, Part]) -> tuple[float, float]:
    act, part = branch
    if act.kind == "use":
        return part.shape.top, part.shape.bottom
    return part.y - HEIGHT / 2, part.y + HEIGHT / 2


def _headline(key: Key, count: int) -> str:
    every = [EVERY[reuse.how] for reuse in key.reuses if reuse.how in EVERY]
    if every:
        return every[0]
    return "✗ the same key twice" if count == 2 else f"✗ the same key {count} times"


def _lines(reuses: list[KeyReuse] | tuple[KeyReuse, ...]) -> str:
    places = [place for each in reuses for place in (each.first, each.second) if place]
    lines = sorted(dict.fromkeys(place.line for place in places))
    if not lines:
        return "in no line of yours"
    *first, last = map(str, lines)
    return f"lines {', '.join(first)} and {last}" if first else f"line {last}"
