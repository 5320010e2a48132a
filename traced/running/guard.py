"""What the reader's code may not change for the next check, and how it is put back.

Out of reach of a guard in the same process are a thread that the answer has started and that runs
on, memory that it holds, what it wrote to files, what it sent to others, an array that it donated
(but on a CPU), the insides of libraries other than Flax NNX, and what Python code cannot name, such
as the cache of `functools.cache`.
"""

import contextlib
import operator
import os
import sys
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from types import FunctionType, MethodType, ModuleType
from typing import Any, TextIO
from zlib import crc32

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from traced.internals.settings import settings_now
from traced.python.mutables import WHOLE, Contents, Mutable, is_readers_module
from traced.python.reachable import GONE, Named, wrapped
from traced.python.snapshots import Snapshot

#: So many bytes of NumPy arrays are copied by a guard.
KEPT = 2**20
#: Modules whose functions an answer can replace for everybody.
MODULES: tuple[ModuleType, ...] = (jax, jnp, jax.lax, jax.random, jax.nn, np)


#: What the guard that is open remembers; those inside of it use it too.
_OPEN: list["_ModuleNames"] = []


@contextlib.contextmanager
def guard() -> Iterator[list[str]]:
    """Put back what the `with` block changes of JAX, NumPy and the process; list it by name.

    Guarded are JAX's settings, the functions of its main modules and of NumPy, the environment and
    the working folder, NumPy's error handling, Python's recursion limit, and the standard streams.
    The list is filled at the end.

    A guard inside of another one puts back what the other code of a check needs at once, and
    leaves three things to the guard around it: the environment, the working folder, and what
    stands in the place of something else and says that it is equal to it.

    >>> with guard() as changed:
    ...     jax.config.update("jax_enable_x64", True)
    >>> changed, jax.config.jax_enable_x64
    (['jax_enable_x64'], False)
    """
    changed: list[str] = []
    # Settings change from one guard to the next one inside it: a context manager sets them too.
    inside, settings = bool(_OPEN), settings_now()
    _OPEN.append(names := _OPEN[-1] if inside else _ModuleNames())
    outside = None if inside else (os.environ.copy(), os.getcwd())
    process = np.geterr(), sys.getrecursionlimit(), sys.stdout, sys.stderr
    try:
        yield changed
    finally:
        _OPEN.pop()
        changed += _put_back_settings(settings)
        changed += names.put_back(exactly=not inside)
        if outside:
            changed += _put_back_environment(*outside)
        changed += _put_back_process(*process)


class _ModuleNames:
    """What the names of `MODULES` stand for."""

    def __init__(self) -> None:
        # A copy of a dictionary by its own method is several times faster than by another's.
        self.names = [vars(module).copy() for module in MODULES]
        self.values = [tuple(names.values()) for names in self.names]

    def put_back(self, *, exactly: bool) -> list[str]:
        """Put back and list what was replaced; unless `exactly`, by what is not equal to it."""
        changed: list[str] = []
        for number, (module, values) in enumerate(zip(MODULES, self.values, strict=True)):
            now = tuple(vars(module).values())
            # A guard is opened for each call of an answer: its cost is that of this comparison.
            if (_are_identical if exactly else _are_equal)(values, now):
                continue
            changed += _put_back_names(module, self.names[number])
            # A name that is new may be a submodule that was imported meanwhile: no harm.
            self.names[number] = vars(module).copy()
            self.values[number] = tuple(self.names[number].values())
        return changed


def _put_back_settings(before: dict[str, Any]) -> list[str]:
    now = settings_now()
    if now == before:
        return []
    changed = [name for name, value in before.items() if now[name] != value]
    for name in changed:
        jax.config.update(name, before[name])  # type: ignore[no-untyped-call]  # JAX has no types
    return changed


def _are_identical(before: tuple[Any, ...], now: tuple[Any, ...]) -> bool:
    return len(before) == len(now) and all(map(operator.is_, before, now))


def _are_equal(before: tuple[Any, ...], now: tuple[Any, ...]) -> bool:
    # Tuples look at identities first, at whether things are equal only then, and so are quick.
    try:
        return before == now
    except Exception:  # an array, say, in the place of a function
        return False


def _put_back_names(module: ModuleType, before: dict[str, Any]) -> list[str]:
    now = vars(module)
    # The module stands for a name that is gone: no name of its own stands for it.
    changed = [name for name, value in before.items() if now.get(name, module) is not value]
    now.update({name: before[name] for name in changed})
    return [f"{module.__name__}.{name}" for name in changed if not name.startswith("__")]


def _put_back_environment(before: dict[str, str], folder: str) -> list[str]:
    now, here = os.environ.copy(), os.getcwd()
    if (now, here) == (before, folder):
        return []
    changed = sorted(
        name for name in before.keys() | now.keys() if before.get(name) != now.get(name)
    )
    for name in changed:
        os.environ.pop(name, None)
    os.environ.update({name: before[name] for name in changed if name in before})
    if here != folder:
        os.chdir(folder)
    named = [f"os.environ[{name!r}]" for name in changed]
    return [*named, "the working folder"] if here != folder else named


def _put_back_process(errors: Any, limit: int, stdout: TextIO, stderr: TextIO) -> list[str]:
    now = np.geterr(), sys.getrecursionlimit()
    sys.stdout, sys.stderr = stdout, stderr
    np.seterr(**errors)
    sys.setrecursionlimit(limit)
    labels = ("NumPy's error handling", "the recursion limit")
    pairs = zip(labels, now, (errors, limit), strict=True)
    return [label for label, value, before in pairs if value != before]


@contextlib.contextmanager
def guard_arrays() -> Iterator[list[jax.Array]]:
    """Let nothing delete an array that is there when the `with` block begins.

    Listed are those whose `delete` was called, which then does nothing. A program deletes the
    arrays that are donated to it. It copies them instead while Python has a view of them, on a
    CPU, where that needs no memory. A device with memory of its own is left alone, and so are the
    arrays there, and those of dtypes without a view, such as `bfloat16`.

    >>> x, step = jax.numpy.ones(3), jax.jit(jax.numpy.negative, donate_argnums=0)
    >>> with guard_arrays() as asked:
    ...     _ = step(x)
    ...     x.delete()
    >>> x.is_deleted(), [each is x for each in asked]
    (False, [True])
    """
    arrays = jax.live_arrays("cpu")  # type: ignore[no-untyped-call]  # JAX gives it no types
    views = [_view(part) for array in arrays for part in _shards(array)]
    with _kept(arrays) as asked:
        yield asked
    del views


@contextlib.contextmanager
def _kept(arrays: list[jax.Array]) -> Iterator[list[jax.Array]]:
    """Let `delete` do nothing to some arrays, and list those that it was called of."""
    asked: list[jax.Array] = []
    kept, kinds = (
        {id(array) for array in arrays},
        {type(array): type(array).delete for array in arrays},
    )

    def delete(self: jax.Array) -> None:
        if id(self) not in kept:
            kinds[type(self)](self)
        elif not any(self is each for each in asked):
            asked.append(self)

    for kind in kinds:
        kind.delete = delete  # type: ignore[method-assign]  # put back below
    try:
        yield asked
    finally:
        for kind, own in kinds.items():
            kind.delete = own  # type: ignore[method-assign]


def _view(array: jax.Array) -> memoryview | None:
    try:
        return memoryview(array)
    # Of a few dtypes Python has no view, and the token of an effect under way holds nothing. With
    # `np.asarray` JAX 0.10 would leave another `bfloat16` array behind each time.
    except (BufferError, jax.errors.JaxRuntimeError):
        return None


def _shards(array: jax.Array) -> list[jax.Array]:
    # An array that lies on several devices would be put together, in memory of its own.
    if array.sharding.num_devices == 1:
        return [array]
    return [shard.data for shard in array.addressable_shards]


@contextlib.contextmanager
def guard_names(answer: Any) -> Iterator[list[str]]:
    """Put back what the `with` block changes of what the reader's `answer` names; list it.

    Guarded are the globals of its module, its closure variables, its own attributes, and what
    these lead to, up to 10,000 things: containers, the reader's classes and their objects, NNX
    objects with their Variables, refs, and NumPy arrays. Of arrays a megabyte in total is kept to
    be put back; of more, up to a hundred times that, a change is listed only, and stays. Left out
    are the insides of other libraries' objects, and functions that are made and kept when they are
    first needed.

    >>> seen = []
    >>> def check(answer):
    ...     with guard_names(answer) as changed:
    ...         answer(1)
    ...     return changed
    >>> check(lambda x: seen.append(x)), seen
    (['seen'], [])
    """
    changed: list[str] = []
    snapshot = Snapshot(list(_parts(answer)), _is_guarded, _Arrays())
    try:
        yield changed
    finally:
        found = {
            change: name
            for change, (_, name, before, now) in snapshot.net_changes()
            # A function under `jit` that is made at the first call, and kept for the next ones.
            if not (callable(now) and (before is GONE or before is None))
        }
        snapshot.put_back_only(found)
        changed += found.values()


def _parts(answer: Any) -> Iterator[Named]:
    """Yield the functions that an answer is made of, and the object that it may be."""
    if isinstance(answer, FunctionType):
        yield "global write", answer.__name__, answer
    elif isinstance(answer, MethodType):
        yield from _parts(answer.__func__)
        yield from _parts(answer.__self__)
    elif isinstance(answer, partial):
        yield from _parts(answer.func)
    elif isinstance(answer, type):
        yield "attribute write", answer.__name__, answer
        classes = (each for each in answer.__mro__ if is_readers_module(each.__module__))
        members = (member for each in classes for member in vars(each).values())
        for each in members:
            yield from _parts(each if isinstance(each, FunctionType) else wrapped(each))
    elif (inner := wrapped(answer)) is not None:
        yield from _parts(inner)
    elif is_readers_module(type(answer).__module__):
        yield "attribute write", "self", answer
        yield from _parts(type(answer))


def _is_guarded(thing: object) -> bool:
    if isinstance(thing, ModuleType):
        return is_readers_module(thing.__name__)
    if isinstance(thing, np.ndarray):
        return thing.flags.writeable
    if isinstance(thing, FunctionType | list | dict | set | deque | bytearray | jax.Ref):
        return True
    module = (thing if isinstance(thing, type) else type(thing)).__module__
    is_object_of_nnx = not isinstance(thing, type) and module.startswith("flax.nnx")
    return is_object_of_nnx or is_readers_module(module)


class _Arrays:
    """Swaps arrays for lighter mutables once those before them have used up the memory.

    A change in them is seen by a checksum, and cannot be put back.
    """

    def __init__(self) -> None:
        self.kept, self.summed = KEPT, 100 * KEPT

    def __call__(self, mutable: Mutable) -> Mutable:
        array = mutable.thing
        if not isinstance(array, np.ndarray):
            return mutable
        if array.nbytes <= self.kept:
            self.kept -= array.nbytes
            return mutable
        if array.nbytes > self.summed or array.dtype.hasobject:
            return replace(mutable, read=dict, write=_leave)
        self.summed -= array.nbytes
        return replace(mutable, read=lambda: {WHOLE: _sum_of(array)}, write=_leave)


def _sum_of(array: NDArray[Any]) -> Any:
    return np.uint32(crc32(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data))


def _leave(contents: Contents) -> None:
    """Put nothing back: of the array only a checksum is known."""
