"""Tell what an NNX function changes when it is called, and what of it `nnx.jit` brings back."""

import copy
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jax
from flax import nnx

from traced.modules.changes import ModuleChange, record_changes
from traced.modules.object_graphs import ObjectGraph, graph_of
from traced.python.calls import require_callable

#: Each way of calling a function, and the code for it.
WAYS: Mapping[str, Callable[[Any], Any]] = {
    "f": lambda f: f,
    "nnx.jit(f, graph=True)": lambda f: nnx.jit(f, graph=True),
    "nnx.jit(f, graph=False)": lambda f: nnx.jit(f, graph=False),
}

#: Each way of compiling a function, by what distinguishes it from the others.
COMPILED: Mapping[str, Callable[[Any], Any]] = {
    "nnx.jit": lambda f: nnx.jit(f, graph=True, graph_updates=True),
    "graph_updates=False": lambda f: nnx.jit(f, graph=True, graph_updates=False),
    "graph=False": lambda f: nnx.jit(f, graph=False),
    "jax.jit": jax.jit,
}


@dataclass(frozen=True)
class Outcome:
    """What one way of calling a function changed, and the class of the error that it raised."""

    changes: list[ModuleChange]
    error: str = ""


def compare_modes(
    f: Callable[..., Any], *args: Any, **kwargs: Any
) -> tuple[ObjectGraph, dict[str, Outcome]]:
    """Return what is there before, and what each of `WAYS` of calling `f` changes.

    Each call gets copies, so that the arguments stay as they are. Not copied is what `f` reaches by
    a closure or a global name. Raises what `f` raises when it is called as it is, and `ValueError`
    where no argument holds an NNX object.

    >>> def count(model):
    ...     model.calls += 1
    >>> model = nnx.Dict(calls=0)
    >>> [len(outcome.changes) for outcome in compare_modes(count, model)[1].values()]
    [2, 2, 0]
    """
    require_callable(f)
    f, args = _unbound(f, args)
    outcomes = {name: _outcome(f, way(f), args, kwargs) for name, way in WAYS.items()}
    return graph_of(**_named(f, args, kwargs)), outcomes


def find_lost(f: Callable[..., Any], *args: Any) -> dict[str, list[ModuleChange]]:
    """Return for each of `COMPILED` the changes of `f` that it does not bring back.

    Each call gets copies. A way that raises loses all of them. Another structure is not listed: the
    change that makes it is. Raises what `f` raises, and `ValueError` without an NNX object.

    >>> def count(model):
    ...     model.calls += 1
    >>> {way: len(lost) for way, lost in find_lost(count, nnx.Dict(calls=0)).items()}
    {'nnx.jit': 0, 'graph_updates=False': 1, 'graph=False': 1, 'jax.jit': 1}
    """
    due, back = changes_brought_back(f, *args)
    return {
        way: [each for each in due if each.after != found.get((each.kind, each.path))]
        for way, found in back.items()
    }


def changes_brought_back(
    f: Callable[..., Any], *args: Any
) -> tuple[list[ModuleChange], dict[str, dict[tuple[str, str], str]]]:
    """Return what `f` changes, and for each of `COMPILED` what is there afterwards.

    >>> due, back = changes_brought_back(lambda rngs: rngs(), nnx.Rngs(0))
    >>> due[0].path, back["jax.jit"]
    ('rngs.default.count', {})
    """
    require_callable(f)
    f, args = _unbound(f, args)
    due = _told(_outcome(f, f, args, {}))
    back = {name: _told(_outcome(f, way(f), args, {})) for name, way in COMPILED.items()}
    return due, {
        name: {(each.kind, each.path): each.after for each in changes}
        for name, changes in back.items()
    }


def _told(outcome: Outcome) -> list[ModuleChange]:
    return [each for each in outcome.changes if each.kind != "structure"]


def _unbound(f: Any, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    # The object of a method is an argument, which is copied like the others.
    if isinstance(f, nnx.Pytree):
        return type(f).__call__, (f, *args)
    owner = getattr(f, "__self__", None)
    return (f.__func__, (owner, *args)) if isinstance(owner, nnx.Pytree) else (f, args)


def _named(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    return dict(inspect.signature(f).bind(*args, **kwargs).arguments)


def _outcome(f: Any, called: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome:
    args, kwargs = copy.deepcopy((args, kwargs))
    with record_changes(**_named(f, args, kwargs)) as changes:
        try:
            called(*args, **kwargs)
        except Exception as error:
            if called is f:  # not a matter of the mode
                raise
            return Outcome([], type(error).__name__)
    return Outcome(changes)
