"""Programs that raise errors which lead to a page of the field guide and stand on none."""

from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx
from jax import export
from jax.sharding import AxisType, NamedSharding, PartitionSpec

#: By the message of its row in `traced/symptoms.toml`, a program that this row is for.
ANY_RELEASE = {
    # Flax NNX
    "Found `TreeState` object at path": (
        "nnx.vmap(nnx.Linear.__call__, in_axes=(nnx.prefix(layer, {...: None}), 0))(layer, x)"
    ),
    "Graph nodes are not allowed as prefixes": (
        "prefix = nnx.prefix(layer, {...: None}, graph=False)\n"
        "nnx.vmap(nnx.Linear.__call__, in_axes=(prefix, 0))(layer, x)"
    ),
    "Autoregressive cache shape error": (
        "attention.init_cache((1, 3, 4))\nattention(jnp.ones((1, 3, 4)), decode=True)"
    ),
    "'rngs' must be provided to __call__": (
        "attention(jnp.ones((1, 3, 4)), decode=False, deterministic=False)"
    ),
    "To delete Variable metadata use": "del nnx.Param(x, unit='metre').unit",
    # transforms, loops, trees, keys, sharding
    "with holomorphic=True requires": "jax.grad(jnp.square, holomorphic=True)(1.0)",
    "module 'jax' has no attribute 'tree_": "jax.tree_leaves({})",
    "does not accept dtype key<": "-key",
    "Cannot convert_element_type from key<": "jax.jit(lambda key: key.astype(int))(key)",
    "randint only accepts integer dtypes": "jax.random.randint(key, (3,), 0, 10, float)",
    "select cases must have the same shardings": (
        "jnp.where(split('i', None) > 0, split('i', None), split('j', None))"
    ),
    "must be scalar or have the same sharding as cases": (
        "jnp.where(split('j', None) > 0, split('i', None), split('i', None))"
    ),
    "'_DimExpr' object cannot be interpreted as an integer": (
        "exported(lambda x: [x[i] for i in range(x.shape[0])])"
    ),
    "Input shapes do not match the": "exported(jnp.sin, 'n >= 4').call(x)",
    # tracing, shapes, arrays
    "Available backends are": "jax.devices('tpu')",
    "property was called on traced array": "jax.jit(lambda x: x.is_fully_addressable)(x)",
    "to a function lowered and compiled": "jax.grad(jax.jit(jnp.sum).lower(x).compile())(x)",
    "Invalid dtype for `swap`": "jax.new_ref(x)[...] = jnp.arange(3)",
    "Invalid shape for `swap`": "jax.new_ref(x)[...] = 1.0",
    "'NoneType' and 'BatchTracer'": "jax.vmap(lambda x: None * x)(x)",
    "'NoneType' and 'LinearizeTracer'": "jax.grad(lambda x: None * x)(1.0)",
    "'list' and 'BatchTracer'": "jax.vmap(lambda x: [2.0] * x)(x)",
    "'list' and 'LinearizeTracer'": "jax.grad(lambda x: [2.0] * x)(1.0)",
    "'tuple' and 'BatchTracer'": "jax.vmap(lambda x: (2.0,) * x)(x)",
    "'tuple' and 'LinearizeTracer'": "jax.grad(lambda x: (2.0,) * x)(1.0)",
    "are subtypes of integer.": "x << 1",
    "must have shape [..., n, n]": "jnp.linalg.inv(jnp.ones((2, 3)))",
    "Invalid shapes for solve": "jnp.linalg.solve(jnp.ones((5, 3, 3)), jnp.ones((5, 3)))",
}

BEFORE_0_12 = {
    "requires contracting dimensions to have consistent sharding": (
        "split(None, 'j') @ split('i', None)"
    ),
}

SINCE_0_12 = {
    "The size argument of jnp.compress must be specified": "jax.jit(jnp.compress)(x > 0, x)",
}

#: Those of the installed JAX.
MESSAGES = ANY_RELEASE | (SINCE_0_12 if jax.__version_info__ >= (0, 12) else BEFORE_0_12)


def run(program: str) -> None:
    """Run a program; the names below are there for it."""
    names: dict[str, Any] = {
        "exported": exported,
        "jax": jax,
        "jnp": jnp,
        "nnx": nnx,
        "split": split,
        "attention": nnx.MultiHeadAttention(
            2, 4, dropout_rate=0.5, deterministic=True, keep_rngs=False, rngs=nnx.Rngs(0)
        ),
        "key": jax.random.key(0),
        "layer": nnx.Linear(3, 1, rngs=nnx.Rngs(0)),
        "x": jnp.ones(3),
    }
    exec(program, names)


def split(*spec: str | None) -> jax.Array:
    """Return a matrix that is split along explicit axes."""
    mesh = jax.make_mesh((1, 1), ("i", "j"), axis_types=(AxisType.Explicit,) * 2)
    return jax.device_put(jnp.ones((2, 2)), NamedSharding(mesh, PartitionSpec(*spec)))


def exported(function: Any, *constraints: str) -> export.Exported:
    """Export a function of an array of a symbolic size `n`."""
    shape = export.symbolic_shape("n", constraints=constraints)
    return export.export(jax.jit(function))(jax.ShapeDtypeStruct(shape, jnp.float32))
