"""Tell where `nnx.split` puts each thing in an NNX module."""

import re
from dataclasses import dataclass
from typing import Any

from flax import nnx

from traced.modules.object_graphs import Node, Path, graph_of, text_of
from traced.python.values import one_line

GRAPHDEF = "graphdef"


@dataclass(frozen=True)
class SplitPart:
    """One thing in a module: what it is, and where `nnx.split` puts it.

    `target` is `graphdef`, or `state` with its filter: `state 1: Param`. An object that stood
    further up already is `shared`, and has no parts here; an attribute that is no data is `static`.
    """

    key: str
    path: str
    text: str
    target: str
    shared: bool = False
    static: bool = False
    parts: tuple["SplitPart", ...] = ()


def split_module(module: object, *filters: Any) -> SplitPart:
    """Return the module with the places where `nnx.split(module, *filters)` puts its parts.

    It is split in graph mode, which tree mode agrees with where it does not refuse. Raises what
    `nnx.split` raises, and `TypeError` for what is no NNX object.

    >>> root = split_module(nnx.Linear(2, 3, rngs=nnx.Rngs(0)))
    >>> [(part.path, part.target) for part in root.parts[:3]]
    [('kernel', 'state'), ('bias', 'state'), ('in_features', 'graphdef')]
    """
    if not isinstance(module, nnx.Pytree):
        raise TypeError(f"`module` must be an NNX module, got {type(module).__name__}")
    # Flax says only which paths went to which state; what the things are, our graph knows.
    _, *states = nnx.split(module, *filters, graph=True)
    (root,) = graph_of(module).root.parts.values()
    targets = {}
    for name, state in zip(state_names(*filters), states, strict=True):
        for path, _ in nnx.to_flat_state(state):
            targets[_find(root, tuple(map(str, path)))] = name
    return _part(type(module).__name__, root, (), targets, set())


def state_names(*filters: Any) -> list[str]:
    """Return what the states are called that `nnx.split(module, *filters)` gives, in their order.

    >>> state_names(nnx.Param, ...)
    ['state 1: Param', 'state 2: ...']
    """
    if not filters:
        return ["state"]
    texts = ["..." if each is ... else _short(each) for each in filters]
    return [f"state {i}: {text}" for i, text in enumerate(texts, start=1)]


def _short(given: object) -> str:
    return re.sub(r"<class '([\w.]+\.)?(\w+)'>", r"\2", one_line(given))


def _find(node: Node, steps: tuple[str, ...]) -> Node | None:
    """Return the node that a path of Flax leads to, which may be one of several paths."""
    if not steps:
        return node
    for key, part in node.parts.items():
        own = _steps(key)
        if steps[: len(own)] == own and (found := _find(part, steps[len(own) :])):
            return found
    return None


def _steps(key: str) -> tuple[str, ...]:
    """Split what is written behind an object: `.layers[0]` into `layers` and `0`."""
    found = re.findall(r"\.(\w+)|\['(.*?)'\]|\[(.*?)\]", key)
    return tuple("".join(groups) for groups in found)


def _part(
    key: str, node: Node, path: Path, targets: dict[Node | None, str], seen: set[Node]
) -> SplitPart:
    shared = node in seen
    seen.add(node)
    # Metadata of a Variable, such as a sharding, go with it.
    parts = {} if shared or isinstance(node.thing, nnx.Variable) else node.parts
    below = [_part(step, part, (*path, step), targets, seen) for step, part in parts.items()]
    target = GRAPHDEF if shared else targets.get(node, GRAPHDEF)
    static = node.kind == "static"
    return SplitPart(key, text_of(path), node.text, target, shared, static, tuple(below))
