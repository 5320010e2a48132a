"""Programs that raise errors which lead to a page of the field guide and stand on none."""

import collections
import linecache
import tempfile
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import orbax.checkpoint as ocp
from flax import nnx
from jax import export
from jax.sharding import AxisType, NamedSharding, PartitionSpec

from tests.symptoms import arguments, arrays, libraries, modules, transforms

PARTS = (modules, libraries, transforms, arrays, arguments)

#: By the error and the message of its row in `traced/course/symptoms.toml`, a program for this row.
ANY_RELEASE = {name: program for part in PARTS for name, program in part.PROGRAMS.items()}

BEFORE_0_12 = {
    "AssertionError: , P(": "jax.device_put(x, jax.NamedSharding(mesh, jax.P('i', 'j')))",
    "AttributeError:  removed in JAX": "jax.core.get_aval(x)",
    "ShardingTypeError: requires contracting dimensions to have consistent sharding": (
        "split(None, 'j') @ split('i', None)"
    ),
    "ValueError: Buffer has been deleted or donated": (
        "step = jax.jit(lambda x: x + 1, donate_argnums=0)\nstep(x)\nstep(x)"
    ),
}

SINCE_0_12 = {
    "ValueError: Cache keys should be comparable": (
        "class Scale:\n"
        "    def __init__(self, factors):\n"
        "        self.factors = factors\n"
        "    def __eq__(self, other):\n"
        "        return self.factors == other.factors\n"
        "    def __hash__(self):\n"
        "        return 1\n"
        "scaled = jax.checkpoint(lambda x, scale: x * scale.factors, static_argnums=1)\n"
        "scaled(x, Scale(np.ones(3)))\n"
        "scaled(x, Scale(np.ones(3)))"
    ),
    "ValueError: must be equal to aval's ndim": (
        "jax.device_put(x, jax.NamedSharding(mesh, jax.P('i', 'j')))"
    ),
    "TypeError: cannot differentiate with respect to a Ref-typed argument": (
        "jax.grad(lambda ref: ref[0])(jax.new_ref(x))"
    ),
    "TypeError: a Ref can't be passed where an array is expected": "jnp.sum(jax.new_ref(x))",
    "ConcretizationTypeError: The size argument of jnp.compress must be specified": (
        "jax.jit(jnp.compress)(x > 0, x)"
    ),
}

#: Those of the installed JAX, and those of every release.
MESSAGES = ANY_RELEASE | (SINCE_0_12 if jax.__version_info__ >= (0, 12) else BEFORE_0_12)
EVERY_RELEASE = ANY_RELEASE | SINCE_0_12 | BEFORE_0_12


def run(program: str) -> None:
    """Run a program; the names below are there for it."""
    names: dict[str, Any] = {
        "collections": collections,
        "exported": exported,
        "jax": jax,
        "jnp": jnp,
        "nnx": nnx,
        "np": np,
        "ocp": ocp,
        "optax": optax,
        "path": Path(tempfile.mkdtemp(), "checkpoint"),
        "checkpointer": ocp.StandardCheckpointer(),
        "split": split,
        "attention": nnx.MultiHeadAttention(
            2, 4, dropout_rate=0.5, deterministic=True, keep_rngs=False, rngs=nnx.Rngs(0)
        ),
        "key": jax.random.key(0),
        "layer": nnx.Linear(3, 1, rngs=nnx.Rngs(0)),
        "mesh": explicit_mesh(),
        "x": jnp.ones(3),
    }
    # What a line was at work on is read off its source.
    linecache.cache["program"] = (len(program), None, program.splitlines(keepends=True), "program")
    exec(compile(program, "program", "exec"), names)


def explicit_mesh() -> jax.sharding.Mesh:
    """Return a mesh of one device with two explicit axes."""
    return jax.make_mesh((1, 1), ("i", "j"), axis_types=(AxisType.Explicit,) * 2)


def split(*spec: str | None) -> jax.Array:
    """Return a matrix that is split along explicit axes."""
    return jax.device_put(jnp.ones((2, 2)), NamedSharding(explicit_mesh(), PartitionSpec(*spec)))


def exported(function: Any, *constraints: str) -> export.Exported:
    """Export a function of an array of a symbolic size `n`."""
    shape = export.symbolic_shape("n", constraints=constraints)
    return export.export(jax.jit(function))(jax.ShapeDtypeStruct(shape, jnp.float32))
