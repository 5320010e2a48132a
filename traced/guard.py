"""What the reader's code may not change for the next check, and how it is put back.

Out of reach of a guard in the same process are a thread that the answer has started and that runs
on, memory that it holds, what it wrote to files, and what it sent to others.
"""

import contextlib
import os
import sys
from collections import deque
from collections.abc import Iterator
from functools import partial
from types import FunctionType, MethodType, ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.probes.boxes import is_readers
from traced.probes.reach import GONE, Named, wrapped
from traced.probes.snapshots import Snapshot

#: Modules whose functions an answer can replace for everybody.
MODULES: tuple[ModuleType, ...] = (jax, jnp, jax.lax, jax.random, jax.nn, np)


@contextlib.contextmanager
def guard() -> Iterator[list[str]]:
    """Put back what the `with` block changes of JAX, NumPy and the process; list it by name.

    Guarded are JAX's settings, the functions of its main modules and of NumPy, the environment and
    the working folder, NumPy's error handling, Python's recursion limit, and the standard streams.
    The list is filled at the end.

    >>> with guard() as changed:
    ...     jax.config.update("jax_enable_x64", True)
    >>> changed, jax.config.jax_enable_x64
    (['jax_enable_x64'], False)
    """
    changed: list[str] = []
    settings, names = dict(jax.config.values), [dict(vars(module)) for module in MODULES]
    environment = dict(os.environ)
    process = os.getcwd(), np.geterr(), sys.getrecursionlimit(), sys.stdout, sys.stderr
    try:
        yield changed
    finally:
        changed += _put_back_settings(settings)
        for module, before in zip(MODULES, names, strict=True):
            changed += _put_back_names(module, before)
        changed += _put_back_environment(environment)
        changed += _put_back_process(*process)


def _put_back_settings(before: dict[str, Any]) -> list[str]:
    now = jax.config.values
    changed = [name for name, value in before.items() if now[name] != value]
    for name in changed:
        jax.config.update(name, before[name])  # type: ignore[no-untyped-call]  # JAX has no types
    return changed


def _put_back_names(module: ModuleType, before: dict[str, Any]) -> list[str]:
    now = vars(module)
    changed = [name for name, value in before.items() if now.get(name, module) is not value]
    now.update({name: before[name] for name in changed})
    # A name that is new may be a submodule that was imported meanwhile: it does no harm.
    return [f"{module.__name__}.{name}" for name in changed if not name.startswith("__")]


def _put_back_environment(before: dict[str, str]) -> list[str]:
    names = before.keys() | os.environ.keys()
    changed = sorted(name for name in names if os.environ.get(name) != before.get(name))
    for name in changed:
        os.environ.pop(name, None)
    os.environ.update({name: before[name] for name in changed if name in before})
    return [f"os.environ[{name!r}]" for name in changed]


def _put_back_process(folder: str, errors: Any, limit: int, stdout: Any, stderr: Any) -> list[str]:
    now = os.getcwd(), np.geterr(), sys.getrecursionlimit()
    os.chdir(folder)
    np.seterr(**errors)
    sys.setrecursionlimit(limit)
    sys.stdout, sys.stderr = stdout, stderr
    labels = ("the working folder", "NumPy's error handling", "the recursion limit")
    pairs = zip(labels, now, (folder, errors, limit), strict=True)
    return [label for label, value, before in pairs if value != before]


@contextlib.contextmanager
def guard_names(answer: Any) -> Iterator[list[str]]:
    """Put back what the `with` block changes of what the reader's `answer` names; list it.

    Guarded are the globals of its module, its closure variables, and the containers and the
    objects of the reader's own classes which these lead to, up to 10,000. Left out are arrays,
    which would have to be copied, the insides of libraries' objects, the classes themselves, and
    functions that are made and kept when they are first needed.

    >>> seen = []
    >>> def check(answer):
    ...     with guard_names(answer) as changed:
    ...         answer(1)
    ...     return changed
    >>> check(lambda x: seen.append(x)), seen
    (['seen'], [])
    """
    changed: list[str] = []
    snapshot = Snapshot(list(_functions(answer)), _is_guarded)
    try:
        yield changed
    finally:
        found = {
            change: name
            for change, (_, name, before, now) in snapshot.net_changes()
            if not (callable(now) and (before is GONE or before is None))
        }
        snapshot.put_back_only(found)
        changed += found.values()


def _functions(answer: Any) -> Iterator[Named]:
    """Yield the functions that an answer is made of, but not the object that it may be."""
    if isinstance(answer, FunctionType):
        yield "global write", answer.__name__, answer
    elif isinstance(answer, MethodType):
        yield from _functions(answer.__func__)
    elif isinstance(answer, partial):
        yield from _functions(answer.func)
    elif isinstance(answer, type):
        classes = (each for each in answer.__mro__ if is_readers(each.__module__))
        members = (member for each in classes for member in vars(each).values())
        for each in members:
            yield from _functions(each if isinstance(each, FunctionType) else wrapped(each))
    elif (inner := wrapped(answer)) is not None:
        yield from _functions(inner)
    elif is_readers(type(answer).__module__):
        yield from _functions(type(answer))


def _is_guarded(thing: Any) -> bool:
    if isinstance(thing, ModuleType):
        return is_readers(thing.__name__)
    plain = isinstance(thing, FunctionType | list | dict | set | deque | bytearray)
    return plain or (is_readers(type(thing).__module__) and not isinstance(thing, type))
