"""Write a copy of a model with another head, which shares nothing with it and is tied as before."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np
from flax import nnx

from traced.course.exercise import Exercise
from traced.findings.feedback import Found, fault, require
from traced.lessons.nnx_objects.nets import Count, Net, Part, require_module
from traced.lessons.nnx_objects.solutions.with_head import with_head as solution
from traced.modules.changes import find_aliases
from traced.modules.object_graphs import Node, graph_of
from traced.modules.questions import updates_like
from traced.questions import compare
from traced.running.attempt import attempt

#: What is wrong if the model itself has another head, and where to read of it.
_RULE = "the model that was given stays as it is, and its copy alone gets another head"
_READ = "12_nnx_objects, “Two names for one module make one set of weights”"


class Tied(Net):
    """A net whose first part stands in two places, and which no longer trains."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self.decode = self.encode
        self.dropout.deterministic = True


class Headed(Part):
    """A layer with a head of its own, which is not that of the model."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.head = Part(seed + 1)


class Listed(nnx.Module):
    """A net in training whose parts lie in a list, the first of them twice.

    Two others share one Variable.
    """

    def __init__(self) -> None:
        first, second, third = Headed(2), Part(4), Part(6)
        third.w = second.w
        self.dropout, self.rngs = nnx.Dropout(0.5, rngs=nnx.Rngs(8)), nnx.Rngs(10)
        self.parts = nnx.List([first, second, third, first])
        self.width, self.head = 2, Part(1)


# Of another class, so that new numbers in the old head do not do.
_new_head = partial(nnx.Linear, 2, 3, kernel_init=nnx.initializers.ones, rngs=nnx.Rngs(9))


def _used(make: type) -> Any:
    """Return a model as after some calls, which would have to be compiled."""
    model = make()
    for _, count in nnx.to_flat_state(nnx.state(model, (Count, nnx.RngCount))):
        count[...] = jnp.asarray(np.asarray(4, count[...].dtype))
    # Weights of many digits, and a static attribute that is not the constructor's.
    for _, weights in nnx.to_flat_state(nnx.state(model, nnx.Param)):
        weights[...] = jnp.asarray(np.asarray(weights[...]) / np.float32(3))
    model.dropout.rate = 0.25
    return model


def _with_new_head(make: type) -> Any:
    wanted = nnx.clone(_used(make))
    wanted.head = _new_head()
    return wanted


def _called(answer: Any, make: type) -> tuple[Any, Any]:
    """Return a model, and what the answer makes of it."""
    model = _used(make)
    return model, require_module(make, attempt(answer, model, _new_head()))


def _walk(node: Node, path: str = "", depth: int = 8) -> Iterator[tuple[str, Node]]:
    """Yield all that a module holds by its path, a shared object at each of its places."""
    for key, part in node.parts.items():
        yield path + key, part
        if depth:
            yield from _walk(part, path + key, depth - 1)


def _values(model: Any) -> dict[str, Any]:
    """Return the arrays in a model by path, random keys as their bytes."""
    nodes = _walk(graph_of(model).root)
    arrays = ((path, each) for path, node in nodes if node.kind != "static" for each in node.values)
    return {
        path: np.frombuffer(each, np.uint8) if isinstance(each, bytes) else each
        for path, each in arrays
    }


def _statics(model: Any) -> dict[str, str]:
    """Return by path the classes of the objects in a model, and what is static there."""
    nodes = _walk(graph_of(model).root)
    return {
        path: node.text if node.kind == "static" else type(node.thing).__name__
        for path, node in nodes
        if node.kind == "static" or node.thing is not None
    }


def _has_the_parts_of_both(answer: Any, make: type) -> None:
    """Require the body of the model and the head that was given, static attributes too."""
    _, got = _called(answer, make)
    sides = [attempt(_statics, each) for each in (_with_new_head(make), got)]
    for path in sorted(sides[0].keys() ^ sides[1].keys()):
        said = "is missing" if path in sides[0] else "is too much"
        raise fault("value/structure", at=f"{path.removeprefix('.')} {said}")
    for path, wanted in sides[0].items():
        at = path.removeprefix(".")
        same = wanted == sides[1][path]
        require(same, "value/structure", at=at, wanted=wanted, got=sides[1][path])
    values = attempt(_values, got)
    for path, value in _values(_with_new_head(make)).items():
        compare(value, values.get(path), at=path.removeprefix("."))


def _is_apart(answer: Any, make: type) -> None:
    """Require that the result shares no object with the model."""
    model, result = _called(answer, make)
    for alias in find_aliases(model=model, result=result):
        roots = {path.partition(".")[0] for path in alias.paths}
        places = ", ".join(alias.paths)
        require(len(roots) == 1, "nnx/shared", object=alias.type, places=places)


def _is_tied_as_before(answer: Any, make: type) -> None:
    """Require that the result has one object where the model has one, and there only."""
    model, result = _called(answer, make)
    before, after = ({each.paths for each in find_aliases(net)} for net in (model, result))
    for paths in sorted(before - after):
        saw = {"one_object": _at("model", paths), "several_objects": _at("result", paths)}
        raise fault("nnx/untied", **saw)
    for paths in sorted(after - before):
        raise fault("nnx/shared", places=_at("result", paths))


def _at(name: str, paths: tuple[str, ...]) -> str:
    return ", ".join(f"{name}.{path}" for path in paths)


def _changes_nothing(answer: Any, make: type) -> None:
    """Require that the model and the head stay as they are."""

    def look(model: Any) -> None:
        pass

    def look_at_both(model: Any, head: Any) -> None:
        pass

    # The model alone at first: the head that is in it as well is the lesser news.
    try:
        updates_like(look, _used(make))(lambda model: answer(model, _new_head()))
    except Found as found:
        if not found.finding.code.startswith("nnx/"):
            raise
        raise found.saying(rule=_RULE, read=_READ) from None
    updates_like(look_at_both, _used(make), _new_head())(answer)


_CHECKS = (_has_the_parts_of_both, _is_apart, _is_tied_as_before, _changes_nothing)

with_head = Exercise(
    name="with_head",
    questions=tuple(partial(check, make=make) for make in (Tied, Listed) for check in _CHECKS),
    hints=(
        "Three things can go wrong with a copy: it is the same object, it holds the same "
        "Variables, or it holds two layers where there was one.",
        "`nnx.clone` makes new Variables and keeps ties. What is left is an assignment.",
        "Three lines: the copy, its new attribute, and what is returned.",
    ),
    verified="head and body of two models as given, random state and static attributes as well; "
    "the models unchanged; nothing shared with them; tied as before",
    answer=solution,
)
