"""What the reader's code may not change for the next check, and how it is put back."""

import contextlib
import os
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

#: Modules whose functions an answer can replace for everybody.
MODULES: tuple[ModuleType, ...] = (jax, jnp, jax.lax, jax.random, jax.nn, np)


@contextlib.contextmanager
def guard() -> Iterator[list[str]]:
    """Put back what the `with` block changes of JAX, NumPy and the process; list it by name.

    Guarded are JAX's settings, the functions of its main modules and of NumPy, the working
    folder, NumPy's error handling, Python's recursion limit, and the standard streams. The list is
    filled at the end.

    >>> with guard() as changed:
    ...     jax.config.update("jax_enable_x64", True)
    >>> changed, jax.config.jax_enable_x64
    (['jax_enable_x64'], False)
    """
    changed: list[str] = []
    settings, names = dict(jax.config.values), [dict(vars(module)) for module in MODULES]
    process = os.getcwd(), np.geterr(), sys.getrecursionlimit(), sys.stdout, sys.stderr
    try:
        yield changed
    finally:
        changed += _put_back_settings(settings)
        for module, before in zip(MODULES, names, strict=True):
            changed += _put_back_names(module, before)
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


def _put_back_process(folder: str, errors: Any, limit: int, stdout: Any, stderr: Any) -> list[str]:
    now = os.getcwd(), np.geterr(), sys.getrecursionlimit()
    os.chdir(folder)
    np.seterr(**errors)
    sys.setrecursionlimit(limit)
    sys.stdout, sys.stderr = stdout, stderr
    labels = ("the working folder", "NumPy's error handling", "the recursion limit")
    pairs = zip(labels, now, (folder, errors, limit), strict=True)
    return [label for label, value, before in pairs if value != before]
