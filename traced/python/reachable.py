"""What a call can reach: its arguments, what its code names, and whatever these lead to.

Only there can a call leave anything behind, and only from there can it read anything unseen. It is
looked at in breadth, so that a thing is called by the shortest way to it.
"""

import inspect
import random
from collections import deque
from collections.abc import Callable, Iterator
from functools import cache, partial
from types import BuiltinMethodType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import jax
import numpy as np

from traced.python.mutables import (
    Mutable,
    class_attributes,
    closure_cell,
    is_readers_module,
    mutables_of,
    namespace,
    random_source,
)
from traced.python.places import is_library_code

#: The kind of a write to a thing, its name in the reader's code, and the thing.
Named = tuple[str, str, Any]

#: How many things are looked at, nearest first; what lies further away is not seen.
MOST = 10_000

#: Where a jitted function, a method of a class or a property keeps the function inside.
WRAPPED = ("__wrapped__", "__func__", "fget")

#: What stands for something that is not there.
GONE = type("Gone", (), {"__repr__": lambda _: "nothing"})()

PLAIN = (int, float, complex, str, bytes, frozenset, type(None))
IMMUTABLE = (*PLAIN, jax.Array, np.generic, np.dtype)


class Reachable(NamedTuple):
    """What was reached, the nearest first: what can change in place, and the tracers by name."""

    mutables: list[Mutable]
    tracers: dict[str, "jax.core.Tracer[Any]"]


def reachable_from(
    roots: list[Named], *, code: bool = True, keep: Callable[[Any], bool] = lambda _: True
) -> Reachable:
    """Return what `roots` lead to.

    `code` says whether that includes what the code of functions and classes names. Of the things
    that `keep` turns down, the mutables are left out, and what these lead to.

    >>> found = reachable_from([("argument write", "x", {"a": [1, 2]})])
    >>> [mutable.entry(0) for mutable in found.mutables], found.tracers
    (['x[0]', "x['a'][0]"], {})
    """
    mutables: dict[int, Mutable] = {}
    tracers: dict[str, jax.core.Tracer[Any]] = {}
    # What was seen is held on to: the number of a thing that is gone would go to another one.
    queue, seen = deque(roots), dict[int, Any]()
    while queue and len(seen) < MOST:
        kind, name, thing = queue.popleft()
        if isinstance(thing, jax.core.Tracer):
            tracers.setdefault(name, thing)
        led_by_code = kind == "global write" or isinstance(thing, type)
        if isinstance(thing, IMMUTABLE) or id(thing) in seen or (led_by_code and not code):
            continue
        seen[id(thing)] = thing
        for found in _look_into(kind, name, thing):
            if not isinstance(found, Mutable):
                queue.append(found)
            # Two things may share one mutable, as two functions their globals.
            elif keep(thing) and mutables.setdefault(id(found.thing), found) is found:
                queue.extend(_inside(found))
    return Reachable(list(mutables.values()), tracers)


def _inside(mutable: Mutable) -> Iterator[Named]:
    contents = mutable.read() if mutable.deep else {}
    for key, value in contents.items():
        if name := mutable.entry(key):
            yield mutable.kind, name, value


def _look_into(kind: str, name: str, thing: object) -> Iterator[Mutable | Named]:
    for types, look in LOOKS:
        if isinstance(thing, types):
            yield from look(kind, name, thing)
            return
    yield kind, name, wrapped(thing)
    yield from mutables_of(kind, name, thing)
    yield "attribute write", type(thing).__name__, type(thing)


def wrapped(thing: object) -> Any:
    """Return the function that `thing` was made from, such as what was jitted, or None.

    >>> wrapped(jax.jit(abs)), wrapped(property(repr)), wrapped(abs)
    (<built-in function abs>, <built-in function repr>, None)
    """
    if isinstance(thing, FunctionType):
        return vars(thing).get("__wrapped__")
    if isinstance(thing, ModuleType):
        return None
    # Python looks first, since an object may claim to have any attribute.
    names = (name for name in WRAPPED if inspect.getattr_static(thing, name, None) is not None)
    return next((getattr(thing, name) for name in names), None)


def _tuple(kind: str, name: str, thing: tuple[Any, ...]) -> Iterator[Named]:
    fields = getattr(thing, "_fields", None)
    for number, item in enumerate(thing):
        yield kind, f"{name}.{fields[number]}" if fields else f"{name}[{number}]", item


def _module(kind: str, name: str, thing: ModuleType) -> Iterator[Mutable]:
    # Of a library's module nothing is looked at, but for the generators that it draws from.
    if is_readers_module(thing.__name__):
        yield namespace(kind, vars(thing), partial(_global, f"{name}."))
    elif _draws(thing):
        yield random_source(kind, name, thing)


def _draws(thing: object) -> bool:
    return thing is random or thing is np.random


def _global(prefix: str, key: str) -> str:
    return "" if key.startswith("__") else f"{prefix}{key}"


def _class(kind: str, name: str, thing: type) -> Iterator[Mutable | Named]:
    if is_readers_module(thing.__module__):
        yield class_attributes(thing)
        held = {**{base.__name__: base for base in thing.__bases__}, **vars(thing)}
        yield from (("attribute write", f"{thing.__name__}.{key}", held[key]) for key in held)


def _method(kind: str, name: str, thing: MethodType | BuiltinMethodType) -> Iterator[Named]:
    yield "attribute write", "self", thing.__self__
    yield kind, name, getattr(thing, "__func__", None)


def _partial(kind: str, name: str, thing: partial[Any]) -> Iterator[Named]:
    yield kind, name, thing.func
    yield from (("argument write", *pair) for pair in thing.keywords.items())
    yield from (("argument write", f"args[{i}]", arg) for i, arg in enumerate(thing.args))


def _function(kind: str, name: str, thing: FunctionType) -> Iterator[Mutable | Named]:
    yield kind, name, wrapped(thing)
    if is_library_code(thing.__code__):
        return
    yield from mutables_of(kind, name, thing)
    # Any global may be bound anew; what is inside is looked at only where the code names it.
    yield namespace("global write", thing.__globals__, partial(_global, ""))
    yield from (("global write", *pair) for pair in used_globals(thing))
    yield from (("argument write", *pair) for pair in defaults(thing).items())
    names, cells = thing.__code__.co_freevars, thing.__closure__ or ()
    yield from map(closure_cell, names, cells)


#: How to look into what is more, or less, than its attributes.
LOOKS: tuple[tuple[Any, Callable[[str, str, Any], Iterator[Any]]], ...] = (
    (FunctionType, _function),
    (MethodType | BuiltinMethodType, _method),
    (partial, _partial),
    (ModuleType, _module),
    (type, _class),
    (tuple, _tuple),
)


def used_globals(f: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield the globals that the code of `f` names, and what it names in the reader's modules."""
    names = code_names(f.__code__)
    for name in sorted(names & f.__globals__.keys()):
        value = f.__globals__[name]
        yield name, value
        if isinstance(value, ModuleType):
            inside = {each: vars(value)[each] for each in sorted(names & vars(value).keys())}
            for each, thing in inside.items():
                if is_readers_module(value.__name__) or _draws(thing):
                    yield f"{name}.{each}", thing


@cache
def code_names(code: CodeType) -> frozenset[str]:
    """Return the names of globals and attributes in `code` and in the code inside it."""
    return frozenset(name for each in codes_in(code) for name in each.co_names)


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """Yield `code` and the code inside it."""
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from codes_in(each)


def defaults(f: FunctionType) -> dict[str, Any]:
    """Return the default values of the arguments of `f`, by name."""
    count = f.__code__.co_argcount
    values = f.__defaults__ or ()
    names = f.__code__.co_varnames[count - len(values) : count]
    return dict(zip(names, values, strict=True)) | (f.__kwdefaults__ or {})


def roots_of(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Named]:
    """Return what a call begins with: its arguments by name, and the function.

    >>> roots_of(lambda x, *rest: x, (1, 2), {})[:2]
    [('argument write', 'x', 1), ('argument write', 'rest', (2,))]
    """
    try:
        bound = inspect.signature(f).bind(*args, **kwargs).arguments
    except Exception:  # there is none, or `f` cannot be compared, as older Pythons do
        bound = {"args": args, **kwargs}
    named = [("argument write", name, value) for name, value in bound.items()]
    inner: Any = inspect.unwrap(f)
    if isinstance(inner, FunctionType):
        return [*named, ("global write", inner.__name__, f)]
    return [*named, ("attribute write", "self", f)]
