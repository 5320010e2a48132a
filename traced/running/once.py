"""Compile for one run: a small program takes longer to compile than to run."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import jax

from traced.running.rehearsal import is_rehearsal


def compiled_for_one_run(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return `jit(f)`, which XLA hardly optimises, and so compiles in half the time.

    In a rehearsal it is `jit(f)` alone: no program within another has options, and those that are
    named here are known of a CPU.

    >>> compiled_for_one_run(lambda x: x + 1)(1).item()
    2
    """
    options = {"xla_backend_optimization_level": 0} if jax.default_backend() == "cpu" else None
    program, plain = jax.jit(f, compiler_options=options), jax.jit(f)

    @wraps(f)
    def run(*args: Any) -> Any:
        return (plain if is_rehearsal() else program)(*args)

    return run
