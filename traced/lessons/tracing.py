"""What 02_tracing asks."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from traced.attempt import attempt
from traced.exercise import Exercise
from traced.feedback import require
from traced.questions import (
    compare,
    equations_like,
    returns,
    traces_at_most,
    works_under_jit,
)
from traced.solutions import tracing as solutions


def mystery(x, y):  # type: ignore[no-untyped-def]  # traced with whatever it is given
    """Compute what the jaxpr of exercise 1 shows."""
    return -jnp.max(x * y - x)


_x, _y = jnp.array([1.0, -2.0, 3.0]), jnp.array([0.5, 4.0, 2.0])

read_back = Exercise(
    name="read_back",
    questions=(
        returns(lambda x, y: -np.max(np.asarray(x) * y - x), (_x, _y), (_y, _x)),
        equations_like(mystery, _x, _y),
    ),
    hints=(
        "Read the jaxpr from the top. Each line names its result on the left, "
        "and the next lines use that name.",
        "`mul` is `*`, `sub` is `-`, `neg` is a minus in front; `reduce_max[axes=(0,)]` "
        "is what `jnp.max` leaves.",
        "A product, a difference whose second term is an argument, the largest entry of it, "
        "and a sign: four operations in this order, and no fifth.",
    ),
    verified="right values for two pairs; the four equations of the target, in its order",
    answer=solutions.read_back,
)


def _head_mean_calls(answer: Any) -> None:
    x = jnp.arange(5.0)
    for n, scale in ((3, 0.5), (3, 2.0), (2, 0.5), (3, 1.5)):
        wanted = np.float32(scale * np.mean(np.asarray(x)[:n]))
        compare(wanted, attempt(answer, x, n, scale), given=f"x = {x}, n = {n}, scale = {scale}")


head_mean = Exercise(
    name="head_mean",
    questions=(
        traces_at_most(2, _head_mean_calls, "(n, scale) = (3, 0.5), (3, 2.0), (2, 0.5), (3, 1.5)"),
        works_under_jit(lambda answer: lambda x: answer(x, 3, 0.5), jnp.arange(5.0)),
    ),
    hints=(
        "Ask of `n` and of `scale`: does a shape depend on it? Only such a value "
        "has to be known while JAX traces.",
        "`jax.jit` takes `static_argnames`, also when it stands above a function. "
        "What is not named there stays traced.",
        "Decorate the function with `jit` and exactly one static name. "
        "The body is one line: a slice, a mean, a product.",
    ),
    verified="right values for four calls; no trace for a new `scale`, at most one for each `n`",
    answer=solutions.head_mean,
)


def _gain_follows(answer: Any) -> None:
    x = jnp.arange(5.0)
    gain = attempt(answer, 2.0)
    compare(np.asarray(2.0 * x), attempt(gain, x), given=f"Gain(2.0)(x), x = {x}")
    require(hasattr(gain, "gain"), "value/no-attribute", wanted="gain")
    attempt(setattr, gain, "gain", 3.0)
    after = attempt(gain, x)
    stale = np.shape(after) == x.shape and np.allclose(after, 2.0 * x)
    require(not stale, "tracing/stale-attribute", attribute="3.0", factor_used="2.0")
    compare(np.asarray(3.0 * x), after, given="g = Gain(2.0); g.gain = 3.0; g(x)")
    compare(np.asarray(-1.0 * x), attempt(attempt(answer, -1.0), x), given="Gain(-1.0)(x)")


Gain = Exercise(
    name="Gain",
    questions=(
        traces_at_most(1, _gain_follows, "Gain(2.0), changed to 3.0, and Gain(-1.0)"),
        works_under_jit(lambda answer: answer(2.0), jnp.arange(5.0)),
    ),
    hints=(
        "List what the traced function takes as arguments, and what else it reads. "
        "The factor belongs in the first list.",
        "`jax.tree_util.register_dataclass` makes a dataclass a pytree: its fields are traced "
        "wherever an object of it goes.",
        "Either the object travels into `jit` as a tree with one leaf, or the method hands its "
        "attribute to a jitted function of two arguments. One such function serves all objects.",
    ),
    verified="right values for two objects and a changed attribute, from one trace",
    answer=solutions.Gain,
)


def _total_energy_calls(answer: Any) -> None:
    for rounds in (3, 5):
        batches = [jnp.full(4, float(i)) for i in range(rounds)]
        wanted = np.float32(sum(np.sum(np.asarray(batch) ** 2) for batch in batches))
        given = f"{rounds} batches, filled with {', '.join(map(str, range(rounds)))}"
        compare(wanted, attempt(answer, batches), given=given)


total_energy = Exercise(
    name="total_energy",
    questions=(
        traces_at_most(1, _total_energy_calls, "3 batches, then 5, each f32[4]"),
        works_under_jit(lambda answer: lambda *xs: answer(list(xs)), jnp.ones(4), jnp.ones(4)),
    ),
    hints=(
        "JAX keeps traces by function object. Find the place where that object is made, "
        "and count how often the place is reached.",
        "A function defined at the top level of a module or a cell is made once. `jax.jit` can "
        "stand above it as a decorator.",
        "Two functions: a jitted one for the energy of one batch, defined first; and the loop, "
        "in plain Python, that adds up what it returns.",
    ),
    verified="right values for two lists; eight batches of one shape, one trace",
    answer=solutions.total_energy,
)
