"""NNX objects outside of a function under `jax.jit`, and what stands in their place inside."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from traced.drawing.branches import Look, TreeRow, tree_rows
from traced.drawing.outline import Branch, outline
from traced.drawing.picture import Picture, telling
from traced.drawing.shapes import Shape, around, arrow, box, draw, frame, hue_of, label, line

if TYPE_CHECKING:
    from traced.modules.levels import LevelPart

GAP, ROOM, ABOVE = 96, 12, 26  # pixels between the levels, inside a frame, and above its rows
SAME, CONSTANT = "the same object", "a constant"
#: What the lines between the levels say: of what is captured, and of the arguments.
KEYS = {
    False: "→ flattened, and unflattened from tracers",
    True: "- - read as it is, a constant",
}


@telling
def show_levels(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Picture:
    """Return the NNX objects of a call of `jax.jit(f)`: outside, and inside while it is traced.

    An object among the arguments is a copy inside, made of tracers; what `f` writes there is lost
    unless the copy is returned. An object that `f` reads besides, or is bound to, is the same one
    inside: its values are constants, and to write it raises. Nothing is computed.

    >>> import jax.numpy as jnp
    >>> from flax import nnx
    >>> def count(counter, x):
    ...     counter.n[...] += 1
    ...     return x
    >>> show_levels(count, nnx.Dict(n=nnx.Variable(jnp.int32(0))), 2.0)
    object   outside             inside jax.jit(count)  afterwards
    counter  Dict                a copy
    └─ .n    Variable i32[] = 0  tracer, written        ✗ lost
    """
    from traced.modules.levels import find_levels

    levels = find_levels(f, *args, **kwargs)
    name = levels.name if levels.name.isidentifier() else "f"
    notes = [f"✗ {path} is lost" for path in levels.others]
    if levels.error:
        notes.append(f"✗ {levels.error}: what was made outside can only be read inside")
    branches = [_branch(part) for part in levels.parts]
    caption, inside = f"modules outside and inside of {name}", f"inside jax.jit({name})"
    twin = outline(("object", "outside", inside, "afterwards"), branches, caption, notes)
    title = f"one call of jax.jit({name})"
    return draw(_levels(branches, inside, notes), caption, twin, title=title)


def _branch(part: "LevelPart") -> Branch:
    text = f"{part.text} (shared, see above)" if part.shared else part.text
    afterwards = f"✗ {part.fate}" if part.fate == "lost" else part.fate
    cells = text, _inside(part), afterwards
    return Branch(part.key, (cells,), tuple(map(_branch, part.parts)), part.path)


def _inside(part: "LevelPart") -> str:
    if part.captured:
        return CONSTANT if part.holds_value else SAME
    if part.shared:
        return "another copy"
    if not part.holds_value:
        return "a copy"
    return "tracer, written" if part.fate else "tracer"


def _levels(branches: Sequence[Branch], inside: str, notes: Sequence[str]) -> Iterator[Shape]:
    """Yield the objects as a tree, what each is inside in a second column, and what is left."""
    rows, left_out = tree_rows(branches, _look)
    outer = around([*(row.box for row in rows), *left_out])
    x = outer.right + GAP
    width = max(box(0, 0, row.branch.lines[0][1]).right for row in rows)
    inner = [_inner(row, x, width) for row in rows]
    for row, copy in zip(rows, inner, strict=True):
        yield from (*row.lines, row.box, copy, *_between(row, copy), *_afterwards(row, copy))
    yield from left_out
    level = around([outer, *inner])
    yield from _framed("outside", replace(level, left=outer.left, right=outer.right))
    yield from _framed(inside, replace(level, left=x, right=x + width))
    kinds = {_is_captured(row) for row in rows}
    keys = [text for is_captured, text in KEYS.items() if is_captured in kinds]
    for number, text in enumerate((*keys, *notes)):
        y = level.bottom + ROOM + 22 + 20 * number
        yield label(outer.left - ROOM, y, text, sans=True, muted=True, size=12)


def _framed(title: str, column: Shape) -> Iterator[Shape]:
    edge = frame(column, room=ROOM, above=ABOVE)
    yield edge
    yield label(edge.left + ROOM, edge.top + ABOVE / 2 + 4, title, sans=True, muted=True)


def _is_captured(row: TreeRow) -> bool:
    return row.branch.lines[0][1] in (SAME, CONSTANT)


def _inner(row: TreeRow, x: float, width: float) -> Shape:
    kind, inside, _ = row.branch.lines[0]
    return box(x, row.y, inside, hue="grey" if _is_captured(row) else _hue(kind), width=width)


def _between(row: TreeRow, copy: Shape) -> Iterator[Shape]:
    if _is_captured(row):
        yield line(row.box.east, copy.west, gone=True)
    elif not row.branch.children:
        yield arrow(row.box.east, copy.west, hue=_hue(row.branch.lines[0][0]))


def _afterwards(row: TreeRow, copy: Shape) -> Iterator[Shape]:
    *_, after = row.branch.lines[0]
    if after:
        is_lost, x = after.startswith("✗"), copy.right + 3 * ROOM
        hue = "red" if is_lost else "teal"
        yield line(copy.east, (x, row.y), hue=hue, gone=is_lost)
        yield box(x, row.y, after, hue=hue, gone=is_lost)


def _hue(kind: str) -> str:
    return hue_of(kind.partition(" ")[2] or kind)


def _look(branch: Branch) -> Look:
    """Return what the box of an object says: its name and what it is."""
    kind = branch.lines[0][0]
    text = kind.replace("(shared, see above)", "(shared)")
    return f"{branch.label} {text}", _hue(kind), False
