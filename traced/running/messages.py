"""Errors of JAX and Flax that are told apart by what their message says, each with its canary.

The class of an error is public, and what its message says is not. A canary raises the error in its
smallest program, and lives while the message still fits the pattern.
"""

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from traced.internals.canary import Canary, canary

_ROWS = np.ones((2, 3), "float32")


@dataclass(frozen=True)
class Message:
    """A kind of error, a pattern in its message, the finding it stands for, what raises it."""

    kind: type[BaseException]
    pattern: str
    code: str
    program: Callable[[], Any]
    library: str = "jax"
    canary: Canary = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        make = canary(f"whether an error is `{self.code}`", self.library)
        object.__setattr__(self, "canary", make(self._lives))

    def _lives(self) -> bool:
        try:
            self.program()
        except self.kind as error:
            return self.fits(error)
        return False

    def fits(self, error: BaseException) -> bool:
        """Return whether `error` is of this kind and its message fits the pattern."""
        is_kind = isinstance(error, self.kind)
        return is_kind and bool(re.search(self.pattern, str(error), re.DOTALL))

    def require(self, error: BaseException) -> None:
        """Raise `CouldNotTell` if `error`, which does not fit, might do so in other words."""
        # Without Flax nothing was raised by it. Its own class of error is not named in the table.
        of_library = type(error).__module__.partition(".")[0] == self.library
        is_possible = of_library or self.kind is not Exception
        if isinstance(error, self.kind) and self.library in sys.modules and is_possible:
            self.canary.require()


def _join_what_varies() -> Any:
    mesh = jax.make_mesh((1,), ("data",), devices=jax.devices()[:1])
    specs: Any = jax.P
    total = jax.shard_map(jnp.sum, mesh=mesh, in_specs=specs("data"), out_specs=specs())
    x = jax.device_put(_ROWS[0], jax.NamedSharding(mesh, specs("data")))
    return jax.eval_shape(total, x)


def _pass_static_tracer(x: Any) -> Any:
    static = jax.custom_vjp(lambda x: x, nondiff_argnums=(0,))
    static.defvjp(lambda x: (x, None), lambda x, kept, slope: ())
    return static(x)


def _use_static_array() -> Any:
    class Node:
        pass

    def flatten(_: Node) -> tuple[Any, Any]:
        return (1.0,), np.ones(2)

    jax.tree_util.register_pytree_node(Node, flatten, lambda *_: Node())
    f = jax.jit(lambda node: 1)
    return f(Node()), f(Node())


def _write_inside_jit() -> Any:
    from flax import nnx

    variable = nnx.Param(jnp.float32(1))
    return jax.jit(lambda x: variable.set_value(x))(1.0)


def _assign_data() -> Any:
    from flax import nnx

    return setattr(nnx.Module(), "layers", [nnx.Param(1.0)])


def _mark_data_static() -> Any:
    from flax import nnx

    return setattr(nnx.Module(), "layers", nnx.static([nnx.Param(1.0)]))


def _append_data() -> Any:
    from flax import nnx

    class Layers(nnx.Module):
        def __init__(self) -> None:
            self.layers: list[Any] = []
            self.layers.append(nnx.Param(1.0))

    return Layers()


#: Particular messages before general ones.
MESSAGES = (
    Message(
        TypeError,
        "Shapes must be 1D sequences of concrete values",
        "tracing/shape-from-tracer",
        lambda: jax.eval_shape(jnp.zeros, 3),
    ),
    Message(
        IndexError,
        "static",
        "tracing/shape-from-tracer",
        lambda: jax.eval_shape(lambda x, n: x[:n], _ROWS, 2),
    ),
    # Before the next one, since that tracers have no hash is not what is wrong.
    Message(
        ValueError,
        r"Non-hashable static arguments.*object of type <class '[\w.]*Tracer'>",
        "tracing/static-tracer",
        lambda: jax.eval_shape(lambda x: jax.jit(abs, static_argnums=0)(x), 1),
    ),
    Message(
        jax.errors.UnexpectedTracerError,
        r"in a position indicated by nondiff_argnums",
        "tracing/static-tracer",
        lambda: jax.eval_shape(_pass_static_tracer, 1.0),
    ),
    Message(
        TypeError,
        r"unhashable type: '\w*Tracer'",
        "tracing/value-needed",
        lambda: jax.eval_shape(lambda x: {1: x}[x], 1),
    ),
    Message(
        TypeError,
        r"format string passed to \w*Tracer",
        "tracing/value-needed",
        lambda: jax.eval_shape(lambda x: f"{x:.1f}", 1.0),
    ),
    Message(
        ValueError,
        "Non-hashable static arguments",
        "tracing/unhashable-static",
        lambda: jax.jit(lambda x: x, static_argnums=0)([1]),
    ),
    Message(
        TypeError,
        "as an abstract array",
        "tracing/not-a-jax-type",
        lambda: jax.jit(lambda x: x)("a"),
    ),
    Message(
        TypeError,
        "is not a valid JAX type",
        "tracing/not-a-jax-type",
        lambda: jax.vmap(lambda x: x)("a"),
    ),
    Message(
        TypeError,
        "body function carry input and carry output must have",
        "loops/carry-mismatch",
        lambda: lax.while_loop(lambda c: c < 3, lambda c: c * 1.5, jnp.int32(1)),
    ),
    Message(
        TypeError,
        "branches must have equal output types",
        "branches/disagree",
        lambda: lax.cond(True, lambda: 1, lambda: 1.5),
    ),
    Message(
        TypeError,
        "branch outputs must have the same pytree structure",
        "branches/disagree",
        lambda: lax.cond(True, lambda: 1, lambda: (1,)),
    ),
    Message(
        ValueError,
        "Reverse-mode differentiation does not work",
        "loops/reverse-mode",
        lambda: jax.eval_shape(
            jax.grad(lambda x: lax.while_loop(lambda c: c < 3, lambda c: c * 2, x)), 1.0
        ),
    ),
    Message(
        ValueError,
        "checking equality of metadata fields",
        "trees/static-array",
        _use_static_array,
    ),
    Message(
        ValueError,
        "in_axes",
        "trees/prefix",
        lambda: jax.vmap(lambda x: x, in_axes=(0, 0))(_ROWS),
    ),
    Message(
        TypeError,
        "in_axes must be",
        "trees/prefix",
        lambda: jax.vmap(lambda x: x, in_axes="0")(_ROWS),
    ),
    Message(
        ValueError,
        "inconsistent sizes for array axes",
        "trees/prefix",
        lambda: jax.vmap(lambda x, y: x)(_ROWS, _ROWS.T),
    ),
    Message(
        ValueError,
        "pytree structure error",
        "trees/mismatch",
        lambda: jax.tree.map(lambda x, y: x, {"a": 1}, {"b": 1}),
    ),
    Message(
        ValueError,
        "which require replication which can't be statically inferred",
        "devices/varies",
        _join_what_varies,
    ),
    Message(
        Exception,  # Flax's own, which is not imported
        "different trace level",
        "nnx/trace-level",
        _write_inside_jit,
        "flax",
    ),
    Message(
        ValueError,
        "Found data on value of type",
        "nnx/data-in-static",
        _assign_data,
        "flax",
    ),
    Message(
        ValueError,
        "Found data in value of type",
        "nnx/data-in-static",
        _mark_data_static,
        "flax",
    ),
    Message(
        ValueError,
        "Found unexpected data on value of type",
        "nnx/data-in-static",
        _append_data,
        "flax",
    ),
)
