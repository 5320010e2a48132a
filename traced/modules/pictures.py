"""NNX modules before and after a call, and what `nnx.split` splits off."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from traced.drawing.branches import ROW, Look, TreeRow, tree_rows
from traced.drawing.outline import Branch, outline
from traced.drawing.picture import Picture, telling
from traced.drawing.shapes import (
    HEAD,
    Shape,
    around,
    arrow,
    box,
    curve,
    draw,
    hue_of,
    label,
    line,
)
from traced.python.values import shortened
from traced.pytrees.pictures import static_branches

if TYPE_CHECKING:
    from traced.modules.changes import ModuleChange
    from traced.modules.modes import Outcome
    from traced.modules.object_graphs import Node, Path
    from traced.modules.splits import SplitPart

# Flax is imported where it is needed: whoever draws other pictures need not wait for it.


@telling
def show_module(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Picture:
    """Return the NNX objects among the arguments of `f`, before and after it is called.

    It is called three times, on copies: as it is, under `nnx.jit` in graph mode, and in tree mode.
    What changes in the first call and not in another is marked. Attributes that are no data are
    left out unless they change. Not copied is what `f` reaches by a closure or a global name.

    >>> from flax import nnx
    >>> def count(model):
    ...     model.calls += 1
    >>> show_module(count, nnx.Dict(calls=0))
    object     before  after f  after nnx.jit(f, graph=True)  after nnx.jit(f, graph=False)
    model      Dict
    └─ .calls  0       1        1                             ✗ lost
    """
    from traced.modules.modes import compare_modes
    from traced.modules.object_graphs import paths_in

    before, outcomes = compare_modes(f, *args, **kwargs)
    columns = [*map(_by_path, outcomes.values())]
    # A change is told at the first path to an object, which need not be the first one drawn.
    told = {node: paths[0] for node, paths in paths_in(before).items()}
    seen: set[Node] = set()
    parts = before.root.parts.items()
    branches = [_branch(name, part, (name,), columns, seen, told) for name, part in parts]
    notes = [f"✗ {name} raises {each.error}" for name, each in outcomes.items() if each.error]
    head = "object", "before", *(f"after {name}" for name in outcomes)
    caption = "modules before and after a call"
    errors = {name: each.error for name, each in outcomes.items()}
    twin = outline(head, branches, caption, notes)
    title = f"one call of {getattr(f, '__name__', type(f).__name__)}, made in three ways"
    return draw(_called(branches, errors), caption, twin, title=title)


@telling
def show_lost(f: Callable[..., Any], *args: Any) -> Picture:
    """Return a table of what `f` changes in NNX objects, and which ways of compiling it lose that.

    The ways are `nnx.jit`, the same with `graph_updates=False` and with `graph=False`, and
    `jax.jit`. Each is called on copies. What most ways lose comes first.

    >>> from flax import nnx
    >>> def count(model):
    ...     model.calls += 1
    >>> show_lost(count, nnx.Dict(calls=0))
    change               afterwards  nnx.jit  graph_updates=False  graph=False  jax.jit
    static: model.calls  1           kept     ✗ lost               ✗ lost       ✗ lost
    """
    from traced.modules.modes import changes_brought_back

    due, back = changes_brought_back(f, *args)
    rows = {
        f"{each.kind}: {each.path}": (
            each.after,
            *(
                "kept" if found.get((each.kind, each.path)) == each.after else "✗ lost"
                for found in back.values()
            ),
        )
        for each in due
    }
    first = sorted(rows, key=lambda name: -rows[name].count("✗ lost"))
    head = ("change", "afterwards", *back)
    return outline(head, [Branch(name, (rows[name],)) for name in first], "what each way loses")


@telling
def show_split(module: object, *filters: Any) -> Picture:
    """Return an NNX module with what `nnx.split(module, *filters)` puts where.

    Variables go to the state of the first filter that takes them. The rest is the graphdef: what
    the objects are, how they hang together, and attributes that are no data.

    >>> from flax import nnx
    >>> show_split(nnx.RngStream(0, tag="noise"), nnx.RngKey, ...)
    object     what it is          goes to
    RngStream  RngStream           graphdef
    ├─ .key    RngKey key<fry>[]   state 1: RngKey
    ├─ .count  RngCount u32[] = 0  state 2: ...
    └─ .tag    'noise'             graphdef
    """
    from traced.modules.splits import split_module, state_names

    root = split_module(module, *filters)
    twin = outline(("object", "what it is", "goes to"), [_part(root)], "a module, split")
    drawn = _split(root, state_names(*filters))
    return draw(drawn, "a module, split", twin, title="nnx.split, and nnx.merge back")


def _part(part: "SplitPart") -> Branch:
    static = [(each.key, each.text) for each in part.parts if each.static]
    parts = [_part(each) for each in part.parts if not each.static]
    parts += static_branches(static, lambda text: (text, part.target))
    shared = " (shared, see above)" if part.shared else ""
    return Branch(part.key, ((part.text + shared, part.target),), tuple(parts), part.path)


#: What one call changed, by path.
Changes = dict[str, list["ModuleChange"]]
#: Stands among the changes of a call that raised: nothing is known of it.
FAILED = "failed"


def _by_path(outcome: "Outcome") -> Changes:
    found: Changes = {FAILED: []} if outcome.error else {}
    for change in outcome.changes:
        if change.kind != "structure":  # what changes the structure is told where it is
            found.setdefault(change.path, []).append(change)
    return found


def _branch(
    label: str,
    node: "Node",
    path: "Path",
    columns: list[Changes],
    seen: set["Node"],
    told: Mapping["Node", "Path"],
) -> Branch:
    from traced.modules.object_graphs import text_of

    again = node in seen
    first = path if again else told.get(node, path)
    text = text_of(first)
    seen.add(node)
    own = {} if again else node.parts
    children = [
        _branch(key, part, (*first, key), columns, seen, told)
        for key, part in own.items()
        if part.kind != "static" or any(text_of((*first, key)) in column for column in columns)
    ]
    children += _added(text, columns)
    before = f"{node.text} (shared, see above)" if again else node.text
    return Branch(label, ((before, *_cells(text, columns)),), tuple(children), text)


def _added(parent: str, columns: list[Changes]) -> Iterator[Branch]:
    added = dict.fromkeys(
        change.path
        for column in columns
        for changes in column.values()
        for change in changes
        if change.kind == "added"
    )
    for path in added:
        step = path.removeprefix(parent)
        if path.startswith(parent) and re.fullmatch(r"\.\w+|\[[^]]*\]", step):
            yield Branch(step, (("", *_cells(path, columns)),), (), path)


def _cells(path: str, columns: list[Changes]) -> Iterator[str]:
    as_it_is, *_ = columns
    for changed in columns:
        texts = [_text(change) for change in changed.get(path, [])]
        lost = "✗ lost" if path in as_it_is and FAILED not in changed else ""
        yield "; ".join(texts) or lost


def _text(change: "ModuleChange") -> str:
    if change.kind == "added":
        return f"added: {change.after}"
    if change.kind == "replaced":
        return f"another {change.after}"
    if change.kind == "removed":
        return "removed"
    if change.after == change.before:
        return "changed"
    # Of a number of the same type, only the value.
    kind, equals, value = change.after.rpartition(" = ")
    return f"= {value}" if equals and change.before.startswith(f"{kind} =") else change.after


GAP, APART = 16, 56  # pixels between columns, and from one state to the next
WIDEST = 18  # characters of a cell


def _called(branches: Sequence[Branch], errors: Mapping[str, str]) -> Iterator[Shape]:
    """Yield the objects as a tree, with a column for each way of calling the function."""
    rows, left_out = tree_rows(branches, _look)
    for row in rows:
        yield from (*row.lines, row.box)
    yield from left_out
    top = -ROW - 16
    x = around(row.box for row in rows).right + 2 * GAP
    yield label(0, top, "before", sans=True, muted=True)
    for number, (name, error) in enumerate(errors.items(), start=1):
        title, note = _title(name, error)
        cells = {row.y: text for row in rows if (text := row.branch.lines[0][number])}
        words = {y: _tick(text, number) for y, text in cells.items()}
        sizes = [box(0, 0, title, note=note).right]
        width = max([*sizes, *(box(0, 0, text).right for text in words.values())])
        yield box(x, top, title, hue="red" if error else "amber", note=note, width=width)
        for y, text in words.items():
            lost = text.startswith("✗")
            yield box(x, y, text, hue="red" if lost else "teal", width=width, gone=lost)
        for y in (row.y for row in rows if row.y not in cells and not error):
            yield line((x + width / 2 - 4, y), (x + width / 2 + 4, y))
        x += width + GAP
    bottom = around([*(row.box for row in rows), *left_out]).bottom
    is_lost = any("✗ lost" in row.branch.lines[0] for row in rows)
    key = "– as before, ✓ the same change as without jit" + ", ✗ still as before" * is_lost
    yield label(0, bottom + 22, key, sans=True, muted=True, size=12)


def _title(name: str, error: str) -> tuple[str, str]:
    # `nnx.jit(f, graph=True)`
    function, _, mode = name.removesuffix(")").partition("(f, ")
    return function, f"{mode or 'as it is'}{f' · ✗ {error}' if error else ''}"


def _tick(text: str, number: int) -> str:
    # What was added is told in the folded table.
    text = "added" if text.startswith("added: ") else text
    is_lost = text.startswith("✗")
    return shortened(text if is_lost or number == 1 else f"✓ {text}", WIDEST)


def _look(branch: Branch) -> Look:
    """Return what the box of an object says: its name and what it is."""
    kind = branch.lines[0][0]
    what = kind.replace("(shared, see above)", "(shared)")
    text = what if branch.label == what else f"{branch.label} {what}"
    hue = hue_of(kind.partition(" ")[2] or kind)
    return text.strip(), hue, not kind


def _split(root: "SplitPart", states: Sequence[str]) -> Iterator[Shape]:
    """Yield the module as a tree, what it is split into, and what `nnx.merge` makes of that."""
    # In the order in which `nnx.split` returns them; one may have nothing in it.
    found = _targets(root)
    counts = {target: found.get(target, 0) for target in ("graphdef", *states)}
    rows, left_out = tree_rows([_part(root)], _split_look)
    tree = around(row.box for row in rows)
    start, end = tree.right + GAP / 2, tree.right + 4 * GAP
    first = tree.west[1] - APART * (len(counts) - 1) / 2
    heights = {target: first + APART * number for number, target in enumerate(counts)}
    boxes = {}
    width = max(box(0, 0, target, note=_held(target, counts[target])).right for target in counts)
    for target, y in heights.items():
        hue = next((_hue(row) for row in rows if _target(row) == target), "grey")
        hue = "grey" if target == "graphdef" else hue
        note = _held(target, counts[target])
        boxes[target] = box(end, y, target, hue=hue, note=note, width=width)
    for row in rows:
        yield from row.lines
        if _target(row) in boxes:
            thick = 1 if _target(row) == "graphdef" else 1.5
            to = boxes[_target(row)].west
            yield line(row.box.east, (start, row.y), hue=_hue(row), thick=thick)
            yield curve((start, row.y), (to[0] - HEAD, to[1]), hue=_hue(row), thick=thick)
    middle = sum(heights.values()) / len(heights)
    merged = box(end + width + 3 * GAP, middle, root.text, note="a new one")
    top = min(-ROW, min(each.top for each in (*boxes.values(), merged)) - 14)
    heads = {0.0: "module", end: "nnx.split gives", merged.left: "nnx.merge gives"}
    for x, head in heads.items():
        yield label(x, top, head, sans=True, muted=True)
    x, y = merged.west
    for each in boxes.values():
        yield _head(*each.west)
        yield curve(each.east, (x - HEAD, y))
    yield _head(x, y)
    yield from (*(row.box for row in rows), *left_out, *boxes.values(), merged)


def _head(x: float, y: float) -> Shape:
    return arrow((x - HEAD - 1, y), (x - 1, y))


def _targets(part: "SplitPart") -> dict[str, int]:
    """Return how many things go to each target."""
    counts = {part.target: 1}
    for each in part.parts:
        for target, count in _targets(each).items():
            counts[target] = counts.get(target, 0) + count
    return counts


def _held(target: str, count: int) -> str:
    if target == "graphdef":
        return "structure, no arrays"
    return f"{count} {'Variable' if count == 1 else 'Variables'}"


def _target(row: TreeRow) -> str:
    return row.branch.lines[0][1]


def _hue(row: TreeRow) -> str:
    return _split_look(row.branch)[1]


def _split_look(branch: Branch) -> Look:
    text, hue, _ = _look(branch)
    kind, target = branch.lines[0]
    is_static = target == "graphdef" and not branch.children and "shared" not in kind
    return text, "grey" if target == "graphdef" else hue, is_static
