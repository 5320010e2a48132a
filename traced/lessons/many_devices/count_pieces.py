"""Count the pieces of a result before it is there."""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp

from traced.course.exercise import Exercise
from traced.lessons.many_devices.meshes import (
    P,
    ShapeDtypeStruct,
    make_mesh,
    with_sharding_constraint,
)
from traced.lessons.many_devices.solutions.count_pieces import count_pieces as solution
from traced.questions import compare
from traced.running.attempt import attempt


def _cases() -> Iterator[tuple[str, Any, tuple[Any, ...], int]]:
    """Yield programs, each with its arguments and the number of pieces of what it returns."""
    mesh = make_mesh(data=4, model=2)

    def array(shape: tuple[int, ...], *spec: Any) -> Any:
        sharding = jax.NamedSharding(mesh, P(*spec))
        return ShapeDtypeStruct(shape, jnp.float32, sharding=sharding)

    def constrained(*spec: Any) -> Any:
        sharding = jax.NamedSharding(mesh, P(*spec))
        return lambda x: with_sharding_constraint(2 * x, sharding)

    yield "rows of a split array", jnp.sin, (array((8, 6), "data"),), 4
    yield "an array split twice", jnp.sin, (array((8, 6), "data", "model"),), 8
    yield "two axes of the mesh for one", jnp.sin, (array((8, 6), ("data", "model")),), 8
    yield "columns", lambda x: x * 2, (array((8, 6), None, "model"),), 2
    yield "a sum", jnp.sum, (array((8, 6), "data", "model"),), 1
    yield "sums of rows", lambda x: x.sum(1), (array((8, 6), "data", "model"),), 4
    yield "copies", jnp.sin, (array((8, 6)),), 1
    yield "a constraint on 16 rows", constrained("data"), (array((16, 3)),), 4
    yield "a constraint on 17 rows", constrained("data"), (array((17, 3)),), 1
    yield "a constraint that joins", constrained(), (array((16, 3), "data"),), 1
    yield "a product", jnp.matmul, (array((8, 6), "data"), array((6, 4), None, "model")), 8
    yield "one device", jnp.sin, (ShapeDtypeStruct((5,), jnp.float32),), 1


def _counts(answer: Any) -> None:
    for given, f, args, wanted in _cases():
        compare(wanted, attempt(answer, f, *args), given=given)


def _counts_for_arrays(answer: Any) -> None:
    mesh = make_mesh(data=8)
    x = jax.device_put(jnp.ones((8, 2)), jax.NamedSharding(mesh, P("data")))
    compare(8, attempt(answer, jnp.sin, x), given="arrays as arguments")


count_pieces = Exercise(
    name="count_pieces",
    questions=(_counts, _counts_for_arrays),
    hints=(
        "What XLA decided is in the compiled program, before it has run. `lower` and `compile` "
        "lead there.",
        "`output_shardings` of a compiled program is a sharding, and `shard_shape(shape)` of a "
        "sharding is the shape of one piece.",
        "Compile; get the shape of the result without running; divide the entries of the whole by "
        "those of a piece.",
    ),
    verified="the pieces of thirteen results, twelve of them of programs that have never run",
    answer=solution,
)
