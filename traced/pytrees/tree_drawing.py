"""A pytree as it is drawn: boxes for its nodes and leaves, and brackets for a prefix."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from traced.drawing.crowd import few, gathered, span
from traced.drawing.shapes import HEIGHT, Shape, around, box, bracket, curve, label, width_of
from traced.python.values import one_line, shortened
from traced.pytrees.nodes import TreeNode
from traced.pytrees.prefixes import NOTHING, Laid

MOST, DEEPEST = 40, 6  # boxes and levels drawn
WIDEST, LONGEST = 26, 44  # characters of a box, and of what stands beside it
GAP, FAN, SMALL = 8, 24, 11
MANY = 3  # static attributes with a box each

Role = Literal["node", "leaf", "none", "static", "more"]

#: What stands beside a box that JAX does not see, or not into.
BESIDE = {"none": "no leaf", "static": "static"}
OPAQUE = "a leaf, but no array"


@dataclass(frozen=True)
class Twig:
    """A part of a tree as it is drawn: its key, what it is, and the parts below it.

    `entry` is what a prefix has for it and for all that is below it, `fault` where the two differ.
    """

    key: str
    text: str
    role: Role
    parts: tuple["Twig", ...] = ()
    leaves: int = 0
    entry: str = ""
    fault: str = ""
    alike: int = 1


@dataclass
class _Rows:
    """Where the next box is drawn, how far to the right those of each level are, and brackets."""

    left: Sequence[float]
    top: float = 0
    shapes: list[Shape] = field(default_factory=list)
    laid: list[tuple[Twig, float, float]] = field(default_factory=list)


def hue_of(kind: str) -> str:
    """Return the colour of a leaf of this type.

    >>> hue_of("~f32[]"), hue_of("u32[2]"), hue_of("bool[3]"), hue_of("key<fry>[]"), hue_of("str")
    ('teal', 'blue', 'amber', 'purple', 'grey')
    """
    name, shape, _ = kind.lstrip("~").partition("[")
    if not shape:
        return "grey"
    hues = {"key": "purple", "bool": "amber", "i": "blue", "u": "blue"}
    return next((hue for start, hue in hues.items() if name.startswith(start)), "teal")


def twig_of(node: TreeNode) -> Twig:
    """Return a tree as it is drawn.

    >>> from traced.pytrees.nodes import nodes_of
    >>> [(part.key, part.role) for part in twig_of(nodes_of([1.0, None])).parts]
    [('[0]', 'leaf'), ('[1]', 'none')]
    """
    parts = [twig_of(part) for part in node.parts if part.role != "static"]
    static = [part for part in node.parts if part.role == "static"]
    if len(static) > MANY:
        parts.append(Twig("", f"{len(static)} attributes", "static"))
    else:
        parts += [Twig(f"{each.key} =", each.text, "static") for each in static]
    role: Role = "none" if node.value is None and node.role == "node" else node.role
    leaves = (role == "leaf") + sum(part.leaves for part in parts)
    return Twig(node.key, node.text, role, tuple(parts), leaves)


def laid_twig(laid: Laid) -> Twig:
    """Return a tree over which a prefix was laid, as it is drawn.

    >>> from traced.pytrees.prefixes import lay_prefix
    >>> [part.entry for part in laid_twig(lay_prefix([0, None], [1.0, 2.0])).parts]
    ['0', 'None']
    """
    parts = tuple(laid_twig(part) for part in laid.parts if part.node.role != "static")
    entry = one_line(laid.value) if laid.written and laid.value is not NOTHING else ""
    own = twig_of(replace(laid.node, parts=()))
    leaves = sum(part.leaves for part in parts) + own.leaves
    return replace(own, parts=parts, leaves=leaves, entry=entry, fault=laid.fault)


def draw_tree(root: Twig, notes: Sequence[str] = ()) -> list[Shape]:
    """Return the shapes of a tree, with notes below it.

    >>> leaf = Twig("['w']", "f32[3]", "leaf", leaves=1)
    >>> len(draw_tree(Twig("params", "dict", "node", (leaf,), 1), ["1 leaf"]))
    4
    """
    root = _gathered(root)
    for depth in range(DEEPEST, 0, -1):
        shown = _cut(root, depth)
        if _size(shown) <= MOST:
            break
    rows = _Rows(list(_lefts(shown)))
    _draw(shown, 0, rows)
    shapes = rows.shapes
    if rows.laid:
        right = around(shapes).right + 18
        shapes += [each for laid in rows.laid for each in _laid(*laid, right)]
    for i, note in enumerate(notes):
        shapes.append(label(0, rows.top + 8 + 18 * i, note, size=12, sans=True, muted=True))
    return shapes


def _gathered(twig: Twig) -> Twig:
    parts = map(_gathered, twig.parts)
    return replace(twig, parts=tuple(gathered(parts, _look, _as_one)))


def _cut(twig: Twig, depth: int) -> Twig:
    if depth <= 0 and twig.parts:
        return replace(twig, parts=(_more(sum(map(_size, twig.parts)), "below"),))
    parts, left_out = few(twig.parts, _is_faulty)
    shown = [_cut(part, depth - 1) for part in parts]
    return replace(twig, parts=(*shown, *([_more(left_out, "more")] if left_out else [])))


def _more(count: int, where: str) -> Twig:
    return Twig("", f"… {count} {where}", "more")


def _look(twig: Twig) -> Twig:
    return replace(twig, key="")


def _as_one(run: list[Twig]) -> Twig:
    leaves = sum(each.leaves for each in run)
    return replace(run[0], key=span(run[0].key, run[-1].key), alike=len(run), leaves=leaves)


def _is_faulty(twig: Twig) -> bool:
    return bool(twig.fault) or any(map(_is_faulty, twig.parts))


def _size(twig: Twig) -> int:
    return 1 + sum(map(_size, twig.parts))


def _lefts(root: Twig) -> Iterator[float]:
    """Yield how far to the right the boxes of each level begin."""
    left, level = 0.0, [root]
    while level:
        yield left
        left += max(_width(twig) for twig in level) + FAN
        level = [part for twig in level for part in twig.parts]


def _text(twig: Twig) -> str:
    key = shortened(twig.key, WIDEST - 6)
    return f"{key} {shortened(twig.text, max(WIDEST - len(key), 12))}".strip()


def _note(twig: Twig) -> str:
    return f"{twig.alike} of the same kind" if twig.alike > 1 else ""


def _width(twig: Twig) -> float:
    return max(width_of(_text(twig)), width_of(_note(twig), SMALL, sans=True)) + 18


def _draw(twig: Twig, depth: int, rows: _Rows) -> float:
    """Draw a part and all below it, and return how far down its middle is."""
    top, x = rows.top, rows.left[depth]
    note = 16 if twig.alike > 1 else 0
    height = HEIGHT + note
    rows.top += note / 2 if twig.parts else 0
    middles = [_draw(part, depth + 1, rows) for part in twig.parts]
    y = (middles[0] + middles[-1]) / 2 if middles else top + height / 2
    y = max(y, top + height / 2)
    rows.top = max(rows.top, y + height / 2 + GAP)
    drawn = _box(twig, x, y)
    for middle in middles:
        rows.shapes.append(curve(drawn.east, (rows.left[depth + 1], middle)))
    rows.shapes.append(drawn)
    is_opaque = twig.role == "leaf" and "[" not in twig.text
    if beside := OPAQUE if is_opaque else BESIDE.get(twig.role):
        rows.shapes.append(label(drawn.right + 8, y, beside, size=SMALL, sans=True, muted=True))
    if twig.entry or twig.fault:
        rows.laid.append((twig, top, rows.top - GAP))
    return y


def _box(twig: Twig, x: float, y: float) -> Shape:
    hue = "red" if twig.fault else hue_of(twig.text) if twig.role == "leaf" else "grey"
    gone = twig.role in ("none", "static", "more")
    return box(x, y, _text(twig), hue=hue, note=_note(twig), width=_width(twig), gone=gone)


def _laid(twig: Twig, top: float, bottom: float, x: float) -> Iterator[Shape]:
    y = (top + bottom) / 2
    if twig.fault:
        yield bracket(x, top, bottom, hue="red")
        text = shortened(f"✗ {twig.fault}", LONGEST)
        yield label(x + 9, y, text, sans=True, bold=True, hue="red")
        return
    yield bracket(x, top, bottom)
    entry = label(x + 9, y, shortened(twig.entry, WIDEST), bold=True, hue="teal")
    yield entry
    if twig.leaves != 1:
        count = f"for all {twig.leaves} leaves" if twig.leaves else "no leaf"
        yield label(entry.right + 8, y, count, size=SMALL, sans=True, muted=True)
