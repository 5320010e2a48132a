"""NNX modules before and after a call, and what `nnx.split` splits off."""

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from traced.drawing.outline import Branch, outline
from traced.drawing.picture import Picture, telling
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

    before, outcomes = compare_modes(f, *args, **kwargs)
    columns = [*map(_by_path, outcomes.values())]
    seen: set[Node] = set()
    parts = before.root.parts.items()
    branches = [_branch(name, part, (name,), columns, seen) for name, part in parts]
    notes = [f"✗ {name} raises {each.error}" for name, each in outcomes.items() if each.error]
    head = "object", "before", *(f"after {name}" for name in outcomes)
    return outline(head, branches, "modules before and after a call", notes)


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
    from traced.modules.splits import split_module

    root = split_module(module, *filters)
    return outline(("object", "what it is", "goes to"), [_part(root)], "a module, split")


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
    label: str, node: "Node", path: "Path", columns: list[Changes], seen: set["Node"]
) -> Branch:
    from traced.modules.object_graphs import text_of

    text = text_of(path)
    again = node in seen
    seen.add(node)
    own = {} if again else node.parts
    children = [
        _branch(key, part, (*path, key), columns, seen)
        for key, part in own.items()
        if part.kind != "static" or any(text_of((*path, key)) in column for column in columns)
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
    for column in columns:
        texts = [_text(change) for change in column.get(path, [])]
        lost = "✗ lost" if path in as_it_is and FAILED not in column else ""
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
