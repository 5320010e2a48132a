"""The operations of eager code: each can be seen, or replaced.

- `call_impl_with_key_reuse_checks` and `check_key_reuse_jaxpr` of JAX's own key checker:
  `jax.debug_key_reuse(True)` sends each operation outside `jit` through the first, calls of jitted
  functions included. The checker stops at a reuse and has no list of what it saw, so that its two
  functions are replaced.
- `__call__` of `jax.stages.Compiled`, a public class: a program that was compiled ahead of time
  runs without any operation, so that the method is replaced.
"""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np

from traced.internals.canary import canary

#: What does an operation: it is given the primitive, JAX's own way, the inputs and parameters.
Do = Callable[[Any, Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]

#: What has been put in the place of JAX's own way, outermost first.
_INSTEAD: list[Do] = []


@canary("what is done outside of `jit`")
def _operations_are_seen() -> bool:
    """See one operation and one call of a jitted function, and replace both."""
    seen: list[str] = []

    def compute_it(primitive: Any, compute: Any, args: Any, params: Any) -> Any:
        seen.append(primitive.name)
        return compute(*args, **params)

    # To move an array is compiled in half the time of any arithmetic.
    x, f = jax.device_put(np.ones(2)), jax.jit(lambda x: x)
    with replace_operations(compute_it):
        result = f(jax.lax.reshape(x, (1, 2)))
    return seen[:2] == ["reshape", "jit"] and result.shape == (1, 2)


@_operations_are_seen.guards
@contextlib.contextmanager
def replace_operations(do: Do) -> Iterator[None]:
    """Have `do(primitive, compute, args, params)` do each operation outside `jit`.

    What `compute(*args, **params)` does goes to the replacement around this one, if there is one.
    JAX traces in this context afresh, and goes back to the traces it keeps after that.
    """
    outer = _INSTEAD[-1] if _INSTEAD else _plainly
    from jax.experimental.key_reuse import _core as checker  # where JAX itself looks them up

    names = "call_impl_with_key_reuse_checks", "check_key_reuse_jaxpr"
    kept = [getattr(checker, name) for name in names]

    def call(primitive: Any, compute: Any, *args: Any, **params: Any) -> Any:
        def inner(*args: Any, **params: Any) -> Any:
            return outer(primitive, compute, args, params)

        with jax.debug_key_reuse(False):
            return do(primitive, inner, args, params)

    _INSTEAD.append(do)
    try:
        for name, replacement in zip(names, (call, lambda jaxpr: None), strict=True):
            setattr(checker, name, replacement)
        with jax.debug_key_reuse(True):
            yield
    finally:
        _INSTEAD.remove(do)
        for name, function in zip(names, kept, strict=True):
            setattr(checker, name, function)


def _plainly(primitive: Any, compute: Any, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    return compute(*args, **params)


@contextlib.contextmanager
def see_operations(see: Callable[..., None]) -> Iterator[None]:
    """Call `see(primitive, args, params, result)` after each operation done outside `jit`."""

    def do(primitive: Any, compute: Any, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        result = compute(*args, **params)
        see(primitive, args, params, result)
        return result

    with replace_operations(do):
        yield


@canary("calls of what was compiled ahead of time")
def _compiled_calls_are_seen() -> bool:
    """See the call of one compiled program, and what it returns."""
    seen: list[Any] = []
    compiled = jax.jit(lambda x: x).lower(np.ones(2)).compile()
    with see_compiled_calls(seen.append):
        result = compiled(np.ones(2))
    return len(seen) == 1 and seen[0] is result


@_compiled_calls_are_seen.guards
@contextlib.contextmanager
def see_compiled_calls(see: Callable[[Any], None]) -> Iterator[None]:
    """Call `see(result)` after each call of a program that was compiled ahead of time."""
    kept: Any = jax.stages.Compiled.__call__

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = kept(self, *args, **kwargs)
        see(result)
        return result

    jax.stages.Compiled.__call__ = call  # type: ignore[method-assign]  # it is put back below
    try:
        yield
    finally:
        jax.stages.Compiled.__call__ = kept  # type: ignore[method-assign]
