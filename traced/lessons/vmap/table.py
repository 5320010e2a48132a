"""Apply a function of two examples to every pair of two batches."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Question
from traced.lessons.vmap.examples import require_one_example
from traced.lessons.vmap.solutions.table import table as solution
from traced.questions import derives_its_values, keeps_its_size, returns

_F = Callable[[Any, Any], Any]


@jax.jit
def _difference(x: Any, y: Any) -> Any:
    for name, each in (("x", x), ("y", y)):
        require_one_example("f", name, each, ())
    return x - 2 * y


@jax.jit
def _distances(x: Any, y: Any) -> Any:
    """Return several things of a pair of points, one of them an array."""
    for name, each in (("x", x), ("y", y)):
        require_one_example("f", f"{name}['at']", each["at"], (3,))
    step = x["at"] - y["at"]
    length, mass = jnp.sqrt(jnp.sum(step**2)), x["mass"] * y["mass"]
    return {"length": length, "step": step, "mass": mass, "near": length < 1}


@jax.jit
def _product(x: Any, y: Any) -> Any:
    for name, each in (("x", x), ("y", y)):
        require_one_example("f", name, each, (4,))
    return jnp.dot(x, jnp.tanh(y))


def _numbers(n: int, m: int) -> tuple[Any, ...]:
    return _on_device((np.arange(n, dtype=np.float32), np.linspace(1, 2, m, dtype=np.float32)))


def _integers(n: int, m: int) -> tuple[Any, ...]:
    return _on_device((np.arange(n, dtype=np.int32), np.arange(m, dtype=np.int32) - 1))


def _points(n: int, m: int) -> tuple[Any, ...]:
    def of(k: int) -> dict[str, Any]:
        at = np.sin(np.arange(3 * k, dtype=np.float32) + np.float32(k)).reshape(k, 3)
        return {"at": at, "mass": np.arange(1, k + 1, dtype=np.float32)}

    return _on_device((of(n), of(m)))


def _rows(n: int, m: int) -> tuple[Any, ...]:
    left, right = (np.cos(np.arange(4 * k, dtype=np.float32) * k).reshape(k, 4) for k in (n, m))
    left[0] = 0.5  # a row of equal entries
    return _on_device((left, right))


# Made by NumPy, so that nothing is compiled for it.
def _on_device(numbers: tuple[Any, ...]) -> tuple[Any, ...]:
    placed: tuple[Any, ...] = jax.device_put(numbers)
    return placed


def _every_pair(f: _F) -> Callable[[Any, Any], Any]:
    """Return the table of `f`, entry by entry and in the order of its definition."""

    def filled(xs: Any, ys: Any) -> Any:
        xs, ys = jax.tree.map(np.asarray, (xs, ys))
        counts = [len(jax.tree.leaves(each)[0]) for each in (xs, ys)]
        columns = [
            [f(_entry(xs, i), _entry(ys, j)) for j in range(counts[1])] for i in range(counts[0])
        ]
        stacked = [jax.tree.map(lambda *leaves: np.stack(leaves), *row) for row in columns]
        return jax.tree.map(lambda *leaves: np.stack(leaves), *stacked)

    return filled


def _entry(tree: Any, i: int) -> Any:
    return jax.tree.map(lambda leaf: leaf[i], tree)


def _returns_every_pair(f: _F, *cases: tuple[Any, ...]) -> Question:
    question = returns(_every_pair(f), *cases)
    return lambda answer: question(lambda xs, ys: answer(f, xs, ys))


def _keeps_its_size(f: _F, make: Callable[[int], tuple[Any, ...]]) -> Question:
    question = keeps_its_size(make, 3, 12)
    return lambda answer: question(lambda xs, ys: answer(f, xs, ys))


def _returns_large_tables(answer: Any) -> None:
    """Require a table of hundreds by hundreds, whose entries are told without a loop."""

    def differences(xs: Any, ys: Any) -> Any:
        return np.asarray(xs)[:, None] - 2 * np.asarray(ys)

    question = returns(differences, _numbers(131, 301))
    question(lambda xs, ys: answer(_difference, xs, ys))


def _derives_its_values(answer: Any) -> None:
    derives_its_values(*_rows(2, 3))(jax.jit(lambda xs, ys: answer(_product, xs, ys)))


table = Exercise(
    name="table",
    questions=(
        _returns_every_pair(_difference, _numbers(2, 3), _integers(3, 2)),
        _returns_every_pair(_product, _rows(2, 3), _rows(3, 3), _rows(3, 1)),
        _returns_every_pair(_distances, _points(3, 2), _points(1, 4)),
        _derives_its_values,
        _keeps_its_size(_product, lambda n: _rows(n, n)),
        _keeps_its_size(_distances, lambda n: _points(2, n)),
        # Last, since a loop in Python takes long.
        _returns_large_tables,
    ),
    hints=(
        "One entry of the table needs one x and one y. A row of it needs one x and all ys. "
        "What does the whole of it need?",
        "`in_axes` is `None` for the argument that stays the same. What `vmap` returns is a "
        "function, and can be mapped again.",
        "A function for one row, which maps over the second argument alone. Then the same once "
        "more around it, over the first argument alone.",
    ),
    verified="right tables of numbers, arrays and dictionaries, for batches of all sizes, and "
    "right derivatives; one size of trace for all",
    answer=solution,
)
