"""Count the pieces of a result before it is there."""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp

from traced.course.exercise import Exercise
from traced.findings.feedback import fault, require
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
    yield "the axis in the middle", jnp.cos, (array((3, 8, 5), None, "data"),), 4
    yield "a sum", jnp.sum, (array((8, 6), "data", "model"),), 1
    yield "sums of rows", lambda x: x.sum(1), (array((8, 6), "data", "model"),), 4
    yield "copies", jnp.sin, (array((8, 6)),), 1
    yield "a constraint on 16 rows", constrained("data"), (array((16, 3)),), 4
    yield "a constraint on 17 rows", constrained("data"), (array((17, 3)),), 1
    yield "a constraint that joins", constrained(), (array((16, 3), "data"),), 1
    yield "a product", jnp.matmul, (array((8, 6), "data"), array((6, 4), None, "model")), 8
    yield "an outer product", jnp.outer, (array((8,), "data"), array((6,), "model")), 8
    yield "a number and rows", jnp.multiply, (array(()), array((8, 6), "data")), 4
    yield "one device", jnp.sin, (ShapeDtypeStruct((5,), jnp.float32),), 1


def _counts(answer: Any) -> None:
    for given, f, args, wanted in _cases():
        _require_count(wanted, attempt(answer, f, *args), given)


def _require_count(wanted: int, got: Any, given: str) -> None:
    """Require an integer of Python: numbers of NumPy and booleans are equal to one."""
    compare(wanted, got, given=given)
    kinds = {"wanted": "int", "got": type(got).__name__}
    require(type(got) is int, "value/structure", given=given, **kinds)


def _counts_for_arrays(answer: Any) -> None:
    """Require the counts for arrays too, of which some are alike, without a run of the program."""
    mesh = make_mesh(model=2, data=4)
    values = jnp.arange(16.0).reshape(8, 2) % 5
    ran: list[None] = []

    def noted(x: Any) -> Any:
        jax.debug.callback(lambda: ran.append(None))
        return 2 * x

    for spec, wanted in ((P("data"), 4), (P(None, "model"), 2), (P(("data", "model")), 8)):
        x = jax.device_put(values, jax.NamedSharding(mesh, spec))
        given = f"arrays as arguments, {spec}"
        _require_count(wanted, attempt(answer, noted, x), given)
        jax.effects_barrier()  # type: ignore[no-untyped-call]  # JAX gives it no types
        if ran:
            told = fault("value/differs", given=given, wanted="no run of `f`", got="a run of `f`")
            raise told.saying(headline=_RAN, rule=_COMPILED, read=_READ)


#: What is said of a count that is right, and for which the program has run.
_RAN = "`f` was run, and not traced and compiled only"
_COMPILED = "what `lower` and `compile` return knows how results are cut, and has run nothing"
_READ = "15_many_devices, “A constraint on automatic axes can fail in silence”"


count_pieces = Exercise(
    name="count_pieces",
    questions=(_counts_for_arrays, _counts),
    hints=(
        "What XLA decided is in the compiled program, before it has run. `lower` and `compile` "
        "lead there.",
        "`output_shardings` of a compiled program is a sharding, and `shard_shape(shape)` of a "
        "sharding is the shape of one piece.",
        "Compile; get the shape of the result without running; divide the entries of the whole by "
        "those of a piece.",
    ),
    verified="the pieces of many results, of programs that have never run",
    answer=solution,
)
