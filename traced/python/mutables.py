"""What can change in place: what is in it now, what a write to it is called, how it is put back."""

import contextlib
import pickle
import random
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from types import CellType, MemberDescriptorType
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from traced.internals.variables import holds_entries, holds_value, is_of_flax
from traced.python.places import is_library
from traced.python.values import brief

Contents = dict[Any, Any]

#: The key of all that is in a `Mutable`, where its entries are not told apart.
WHOLE = "(whole)"


@dataclass(frozen=True, eq=False)
class Mutable:
    """Something that can change in place: what a write to it is called, and its contents.

    `read` copies the contents out, `write` puts such a copy back. `entry` returns what an entry is
    called in the reader's code, and an empty text for those that are none of the reader's concern.
    `deep` says whether what the entries hold is looked at too, `numbered` whether entries have
    numbers, which move when one comes or goes.
    """

    kind: str
    thing: Any
    read: Callable[[], Contents]
    write: Callable[[Contents], None]
    entry: Callable[[Any], str]
    deep: bool = True
    numbered: bool = False


def mutables_of(kind: str, name: str, thing: object) -> Iterator[Mutable]:
    """Yield what can change in place of `thing`, which the reader's code calls `name`.

    >>> [mutable.read() for mutable in mutables_of("argument write", "x", [3, 4])]
    [{0: 3, 1: 4}]
    """
    # One thing may be two of them: a subclass of `list` has entries and attributes.
    make = next((make for types, make in MAKERS if isinstance(thing, types)), None)
    if make:
        yield make(kind, name, thing)
    kind = kind if kind == "argument write" else "attribute write"
    entry = partial(_attribute, name, type(thing))
    if isinstance(getattr(thing, "__dict__", None), dict):
        yield namespace(kind, vars(thing), entry, deep=True)
    if slots := dict(_slots(type(thing))):
        yield _slotted(kind, thing, slots, entry)


def _items(kind: str, name: str, thing: list[Any] | deque[Any]) -> Mutable:
    # The methods of the type itself, past whatever the reader's subclass overrides.
    base: Any = deque if isinstance(thing, deque) else list

    def write(contents: Contents) -> None:
        base.clear(thing)
        base.extend(thing, contents.values())

    def entry(key: object) -> str:
        return name if key == WHOLE else f"{name}[{key}]"

    return Mutable(
        kind, thing, lambda: dict(enumerate(base.__iter__(thing))), write, entry, numbered=True
    )


def _entries(kind: str, name: str, thing: dict[Any, Any]) -> Mutable:
    def write(contents: Contents) -> None:
        dict.clear(thing)
        dict.update(thing, contents)

    def entry(key: object) -> str:
        return f"{name}[{brief(key)}]"

    return Mutable(kind, thing, lambda: dict(dict.items(thing)), write, entry)


def _set(kind: str, name: str, thing: set[Any]) -> Mutable:
    def put(members: Any) -> None:
        set.clear(thing)
        set.update(thing, members)

    return _whole(kind, name, thing, lambda: frozenset(thing), put)


def _bytes(kind: str, name: str, thing: bytearray) -> Mutable:
    put = partial(thing.__setitem__, slice(None))
    return _whole(kind, name, thing, lambda: bytes(thing), put)


def _array(kind: str, name: str, thing: NDArray[Any]) -> Mutable:
    return _whole(kind, name, thing, thing.copy, partial(np.copyto, thing))


def _ref(kind: str, name: str, thing: "jax.Ref") -> Mutable:
    def get() -> Any:
        # A function may be being traced, of which this is no part.
        with jax.ensure_compile_time_eval():
            return np.asarray(thing[...])

    def put(value: Any) -> None:
        with jax.ensure_compile_time_eval():
            thing[...] = value

    def read() -> Contents:
        # One that has been frozen or freed holds nothing any more, and is of another trace if made
        # while a function is traced.
        try:
            return {WHOLE: get()}
        except Exception:
            return {}

    def write(contents: Contents) -> None:
        with contextlib.suppress(Exception):  # for the same reason
            put(contents[WHOLE])

    return Mutable(kind, thing, read, write, lambda _: f"{name}[...]", deep=False)


def random_source(kind: str, name: str, thing: Any) -> Mutable:
    """Return a source of random numbers, NumPy's or Python's, an object or a module, as a mutable.

    Its state is a tuple, or a dictionary with arrays in it; as a pickle it is compared as a whole.
    """
    get: Callable[[], Any] = getattr(thing, "getstate", lambda: thing.get_state(legacy=False))
    put: Any = getattr(thing, "setstate", getattr(thing, "set_state", None))
    if isinstance(thing, np.random.Generator):
        bits = thing.bit_generator
        get, put = (lambda: bits.state), partial(setattr, bits, "state")

    def pickled() -> bytes:
        return _State(pickle.dumps(get()))

    return _whole(kind, name, thing, pickled, lambda state: put(pickle.loads(state)))


class _State(bytes):
    def __repr__(self) -> str:
        return "random state"


def _whole(
    kind: str, name: str, thing: object, get: Callable[[], Any], put: Callable[[Any], Any]
) -> Mutable:
    def write(contents: Contents) -> None:
        put(contents[WHOLE])

    return Mutable(kind, thing, lambda: {WHOLE: get()}, write, lambda _: name, deep=False)


def closure_cell(name: str, thing: CellType) -> Mutable:
    """Return a closure variable as a mutable."""

    def read() -> Contents:
        try:
            return {WHOLE: thing.cell_contents}
        except ValueError:  # the function around it has not bound the name yet
            return {}

    def write(contents: Contents) -> None:
        del thing.cell_contents
        for value in contents.values():
            thing.cell_contents = value

    return Mutable("closure write", thing, read, write, lambda _: name)


def namespace(
    kind: str, names: dict[str, Any], entry: Callable[[str], str], *, deep: bool = False
) -> Mutable:
    """Return the names in a dict that Python looks up, a module's or an object's, as a mutable."""
    write = partial(_put_back, names, names.__setitem__, names.__delitem__)
    return Mutable(kind, names, lambda: dict(names), write, entry, deep)


def class_attributes(cls: Any) -> Mutable:
    """Return the attributes of a class as a mutable."""
    # Past a metaclass of the reader's, and because the `__dict__` of a class cannot be written to.
    put, drop = partial(type.__setattr__, cls), partial(type.__delattr__, cls)
    write = partial(_put_back, vars(cls), put, drop)
    entry = partial(_attribute, cls.__name__, cls)
    return Mutable("attribute write", cls, lambda: dict(vars(cls)), write, entry)


def _slotted(
    kind: str, thing: object, slots: dict[str, MemberDescriptorType], entry: Callable[[str], str]
) -> Mutable:
    def read() -> Contents:
        return {name: slot.__get__(thing) for name, slot in slots.items() if _has(slot, thing)}

    def put(name: str, value: Any) -> None:
        slots[name].__set__(thing, value)

    def write(contents: Contents) -> None:
        _put_back(read(), put, lambda name: slots[name].__delete__(thing), contents)

    return Mutable(kind, thing, read, write, entry)


def _slots(cls: type) -> Iterator[tuple[str, MemberDescriptorType]]:
    for base in cls.__mro__:
        # Types written in C have such members too, as a function its `__closure__`.
        if "__slots__" in vars(base):
            members = vars(base).items()
            yield from ((k, v) for k, v in members if isinstance(v, MemberDescriptorType))


def _has(slot: MemberDescriptorType, thing: object) -> bool:
    try:
        slot.__get__(thing)
    except AttributeError:
        return False
    return True


def _put_back(
    now: Mapping[str, Any],
    put: Callable[[str, Any], None],
    drop: Callable[[str], None],
    contents: Contents,
) -> None:
    # Only what has changed: some names of a class, such as `__dict__`, cannot be set.
    for name in now.keys() - contents.keys():
        drop(name)
    for name, value in contents.items():
        if now.get(name, WHOLE) is not value:
            put(name, value)


def _attribute(name: str, cls: type, key: str) -> str:
    if holds_value(key):
        return f"{name}[...]"
    if holds_entries(key) and not is_readers_module(cls.__module__):
        return name
    if key.isdecimal():  # an entry of an `nnx.List`
        return f"{name}[{key}]"
    # NNX keeps its own books under `_pytree__`, in the reader's modules too.
    books = key.startswith("__") or is_of_flax(key)
    # What a library's object keeps for itself, or computes when it is first asked for.
    lazy = isinstance(getattr(cls, key, None), cached_property)
    own = is_readers_module(cls.__module__) or not (lazy or key.startswith("_"))
    return f"{name}.{key}" if own and not books else ""


def is_readers_module(module: str) -> bool:
    """Return whether a module, named as in `sys.modules`, is the reader's and no library.

    >>> is_readers_module("jax"), is_readers_module("__main__")
    (False, True)
    """
    file = getattr(sys.modules.get(module), "__file__", None)
    # What is run as the main module, such as a notebook's kernel, may lie in a library.
    if module == "__main__" or not file:
        return module not in sys.builtin_module_names
    return not is_library(file)


#: Types that change in place other than by attributes, and how each becomes a `Mutable`.
MAKERS: tuple[tuple[Any, Callable[[str, str, Any], Mutable]], ...] = (
    (list | deque, _items),
    (dict, _entries),
    (set, _set),
    (bytearray, _bytes),
    (np.ndarray, _array),
    (jax.Ref, _ref),
    (np.random.Generator | np.random.RandomState | random.Random, random_source),
)
