"""Complete a call of a module that was split, which returns the result and the new state."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from traced.course.exercise import Exercise
from traced.findings.feedback import require
from traced.lessons.nnx_transforms.solutions.pure_call import pure_call as solution
from traced.python.values import describe
from traced.questions import compare
from traced.running.attempt import attempt


class _Meter(nnx.Module):
    """Add noise, and the sum of what was seen: two kinds of state that a call changes.

    It has one setting of training and one of evaluation, and its result has the dtype of `x`.
    """

    def __init__(self) -> None:
        self.scale = nnx.Param(jnp.array([2.0, -1.0, 0.5]))
        self.total = nnx.Variable(jnp.zeros(()))
        self.rngs = nnx.Rngs(0)
        self.deterministic, self.use_running_average = False, True

    def __call__(self, x: Any) -> Any:
        noise = 0.0 if self.deterministic else 10 * self.rngs.uniform(x.shape)
        self.total[...] += jnp.sum(x)
        total = self.total[...] if self.use_running_average else 0.0
        return (self.scale * x + total + noise).astype(x.dtype)


class _Recorder(nnx.Module):
    """Return a tree with `x` in it as it is, and change a parameter of half precision and a key."""

    def __init__(self) -> None:
        self.scale, self.rngs = nnx.Param(jnp.zeros((1, 3), "float16")), nnx.Rngs(0)

    def __call__(self, x: Any) -> Any:
        last = self.scale[...]
        self.scale[...] = x["row"].astype("float16")
        self.rngs.default.key[...] = self.rngs()
        return {"row": x["row"], "last": last}


class _Echo(nnx.Module):
    """Return the tree that it is given, and count its calls."""

    def __init__(self) -> None:
        self.calls = nnx.Variable(jnp.zeros((), "int32"))

    def __call__(self, x: Any) -> Any:
        self.calls[...] += 1
        return x


class _Keeper(nnx.Module):
    """Keep what it is given in a new Variable, put one in the place of another, and drop a third.

    Its state afterwards is not that of the Variables which it was merged from.
    """

    def __init__(self) -> None:
        self.before, self.latest = nnx.Variable(_x), nnx.Variable(_x)

    def __call__(self, x: Any) -> Any:
        del self.before
        self.latest, self.first = nnx.Variable(x), nnx.Variable(x)
        return x


_x = jnp.array([1.0, 2.0, -4.0])
_pure_call: Any = solution


def _gives_result_and_state(answer: Any) -> None:
    """Require the right pair from each of two calls, and a state that is left as it was."""
    _gives_for(answer, _Meter(), _x, jnp.array([20, -10, 4]))


def _takes_any_tree(answer: Any) -> None:
    """Require the same of a module that takes and returns a tree, with entries of any value."""
    rows = (jnp.array([row]) for row in ((jnp.nan, 1.0, jnp.inf), (0.5, 2.0, -0.0)))
    _gives_for(answer, _Recorder(), *({"row": row} for row in rows))
    # Containers that could be unpacked, stacked, or taken for an array or for nothing.
    two = jnp.array([0.5, -1.0])
    _gives_for(answer, _Echo(), (_x, two), [two, two], (two,), [], {"a": ([_x], None)}, None)
    _gives_for(answer, _Keeper(), jnp.array([20, -10, 4]))


def _gives_for(answer: Any, module: Any, *inputs: Any) -> None:
    """Require the right pair from a call on each of the inputs, one after the other."""
    graphdef, state = nnx.split(module)
    for x in inputs:
        given = jax.tree.map(lambda leaf: leaf, state)  # other Variables, to spoil
        got = attempt(answer, graphdef, given, x)
        _require_unchanged(state, given)
        wanted = _pure_call(graphdef, state, x)
        compare(wanted, got, given=f"x = {x}, {describe(x)}")
        _, state = wanted


def _require_unchanged(state: Any, given: Any) -> None:
    """Require the arrays of a state in what an answer was given."""
    leaves = zip(jax.tree.leaves_with_path(state), jax.tree.leaves(given), strict=True)
    for (path, old), new in leaves:
        where = f"state{jax.tree_util.keystr(path)}"
        require(old is new, "effects/argument", where=where, before=old, after=new)


def _can_be_transformed(answer: Any) -> None:
    """Require the right derivatives in the input and in the parameters, under `jax.jit`.

    They are those of the result and of the new state.
    """
    graphdef, *states = nnx.split(_Meter(), nnx.Param, ...)
    params, rest = states

    def value(x: Any, params: Any, rest: Any) -> Any:
        out, state = answer(graphdef, nnx.merge_state(params, rest), x)
        return jnp.sum(out) + 3.0 * jnp.sum(state["total"][...])

    got = attempt(jax.jit(jax.grad(value, argnums=(0, 1))), _x, params, rest)
    wanted = np.array([8.0, 5.0, 6.5], "float32"), jax.tree.map(lambda _: np.asarray(_x), params)
    compare(
        wanted,
        got,
        given="jax.grad of the sum of `out` and three totals, in x and in the parameters",
    )


pure_call = Exercise(
    name="pure_call",
    questions=(_gives_result_and_state, _can_be_transformed, _takes_any_tree),
    hints=(
        "Ask of each thing that the call changes: where is it afterwards, and who else holds it?",
        "`nnx.merge` makes a module of the two parts, on the Variables that it is given unless "
        "`copy=True`. `nnx.state` takes its state out again.",
        "Three steps: a module of its own, the call, and a pair of the result "
        "and the state of the module after the call.",
    ),
    verified="right results and states for two calls, for other trees, and with other Variables "
    "afterwards; arguments untouched; derivatives under `jit`",
    answer=solution,
)
