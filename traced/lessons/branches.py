"""What 06_branches asks."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.attempt import attempt
from traced.exercise import Exercise
from traced.feedback import fault, require
from traced.probes.jaxprs import find_equations
from traced.probes.nans import find_first_nan
from traced.probes.programs import count_stages
from traced.questions import (
    compare,
    derives_its_values,
    returns,
    traces_at_most,
    works_under_jit,
)
from traced.solutions import branches as solutions

_g = jnp.array([3.0, -4.0])


def _clip_calls(answer: Any) -> None:
    cases = ((_g, 1.0, True), (_g, 2.5, True), (_g, 9.0, True), (0 * _g, 1.0, True))
    for g, limit, enabled in (*cases, (_g, 1.0, False)):
        length = np.sqrt(np.sum(np.square(g)))
        wanted = np.asarray(g) * np.float32(limit / length if enabled and length > limit else 1)
        given = f"g = {g}, limit = {limit}, enabled = {enabled}"
        compare(wanted, attempt(answer, g, limit, enabled), given=given)


def _computes_nothing_when_disabled(answer: Any) -> None:
    eqns = attempt(find_equations, lambda g: answer(g, 1.0, False), _g)
    work = [each for each in eqns if not each.nests]
    where = [each.place for each in work[:1]]
    # Dead equations are dropped when the jaxpr is lowered.
    left = attempt(count_stages, lambda g: answer(g, 1.0, False), _g).stablehlo
    require(not left, "branches/known-in-advance", *where, enabled=False, equations=len(work))


clip_norm = Exercise(
    name="clip_norm",
    questions=(
        works_under_jit(lambda answer: lambda g: answer(g, 1.0, True), _g),
        traces_at_most(2, _clip_calls, "limits 1.0, 2.5, 9.0 and 1.0 enabled, then disabled"),
        _computes_nothing_when_disabled,
    ),
    hints=(
        "There are two choices in one `if`. Ask of each: is it known while JAX traces, "
        "or does it depend on the numbers in `g`?",
        "A flag is known if it is a static argument. The comparison of two traced numbers needs "
        "`jnp.where`, or the smaller of two factors.",
        "One static name for `jit`; a plain `if` on the flag that returns early; "
        "below it one expression that picks the factor.",
    ),
    verified="right values for five calls; two traces, and none of the work where it is disabled",
    answer=solutions.clip_norm,
)


def _keep_best_calls(answer: Any) -> None:
    age = np.int32(3)
    best = {"loss": jnp.float32(0.5), "params": jnp.array([1.0, 2.0]), "age": jnp.int32(age)}
    params = jnp.array([5.0, 6.0])
    for loss in (0.25, 0.75, 0.5):
        if loss < 0.5:
            wanted = {"loss": np.float32(loss), "params": np.asarray(params), "age": np.int32(0)}
        else:
            wanted = {key: np.asarray(value) for key, value in best.items()} | {"age": age + 1}
        got = attempt(answer, dict(best), jnp.float32(loss), params)
        compare(wanted, got, given=f"the best loss is 0.5 at age 3; a candidate has {loss}")


def _best(loss: Any) -> Any:
    return lambda answer: (
        lambda params: answer(
            {"loss": jnp.float32(0.5), "params": params, "age": jnp.int32(3)}, loss, params
        )
    )


keep_best = Exercise(
    name="keep_best",
    questions=(
        traces_at_most(1, _keep_best_calls, "three candidates: better, worse, equal"),
        works_under_jit(_best(jnp.float32(0.25)), jnp.array([1.0, 2.0])),
    ),
    hints=(
        "Write down the keys that each branch returns, and the dtype behind each key.",
        "The error of `cond` names what differs: first the structure, then the dtype of one "
        "leaf. A Python `0` fits an int32.",
        "Two dictionaries with the same three keys; the age of each is an integer, "
        "zero in one and one more in the other.",
    ),
    verified="right values and dtypes for three candidates, from one trace",
    answer=solutions.keep_best,
)

_x = jnp.array([-1.5, 0.0, 2.0])
_ACTIVATIONS: dict[int, Any] = {0: lambda x: np.maximum(x, 0), 1: np.tanh, 2: lambda x: x}


def _activation_calls(answer: Any) -> None:
    jitted = jax.jit(lambda i, x: answer(i, x))
    for i in (0, 1, 2, 3, -1, 100):
        wanted = _ACTIVATIONS.get(i, lambda x: np.full_like(x, np.nan))(np.asarray(_x))
        compare(wanted, attempt(jitted, jnp.int32(i), _x), given=f"i = {i}, x = {_x}")


activation = Exercise(
    name="activation",
    questions=(traces_at_most(1, _activation_calls, "i = 0, 1, 2, 3, -1 and 100, under jit"),),
    hints=(
        "`lax.switch` gives -1 the first branch and 100 the last one. Which calls does that spoil?",
        "Whether an index is in range is a boolean that can be computed. `jnp.where` takes it, "
        "and so does arithmetic on the index.",
        "Either a fourth branch that every bad index is sent to, or the result of three branches, "
        "replaced where the index is out of range.",
    ),
    verified="right values for six indices, three of them out of range; one trace",
    answer=solutions.activation,
)

_a, _b = jnp.array([1.0, 2.0, 2.0]), jnp.array([1.0, -1.0, 6.0])
_close = _a + jnp.array([0.0, -3e-4, 4e-4])


def _has_a_finite_gradient(answer: Any) -> None:
    gradient = jax.grad(lambda a, b: answer(a, b))
    at_zero = attempt(gradient, _a, _a)
    if not np.all(np.isfinite(at_zero)):
        first = attempt(find_first_nan, gradient, _a, _a)
        saw = {"gradient where a equals b": at_zero}
        if first:
            saw |= {"first of it": f"{first.primitive} gives {first.result}"}
        raise fault("derivatives/not-finite", first and first.place, **saw)
    pairs = jnp.stack([_a, _a]), jnp.stack([_a, _b])
    wanted = np.array([[0, 0, 0], [0, 0.6, -0.8]], "float32")
    compare(wanted, attempt(jax.jit(jax.vmap(gradient)), *pairs), given="gradients, two pairs")


distance = Exercise(
    name="distance",
    questions=(
        returns(lambda a, b: np.float32(np.linalg.norm(a - b)), (_a, _b), (_a, _a), (_a, _close)),
        derives_its_values(_a, _b),
        _has_a_finite_gradient,
    ),
    hints=(
        "The slope of the root at 0 is infinite, whatever is done with the root afterwards.",
        "One `jnp.where` makes the argument of the root harmless, a second one puts the 0 back.",
        "Four steps: the sum of squares; whether it is positive; the sum or else 1; "
        "the root of that or else 0.",
    ),
    verified="right distances; gradients that agree with differences, and zero where a equals b",
    answer=solutions.distance,
)

_GOOD = jnp.array([[0.25, 0.75], [0.5, 0.5]])
_MIXED = jnp.array([[0.25, 0.75], [-1.0, 1.0], [0.0, 1.0]])


def _mended(rows: Any) -> Any:
    rows = np.array(rows)
    broken = (rows < 0).any(axis=1)
    powers = np.exp(rows[broken])
    rows[broken] = powers / powers.sum(axis=1, keepdims=True)
    return rows


def _runs_only_where_needed(answer: Any) -> None:
    eqns = attempt(find_equations, answer, _MIXED)
    always = [each for each in eqns if each.primitive == "exp" and "cond" not in each.within]
    for each in always[:1]:
        # Under `vmap`, a function of JAX that is itself a branch leaves no line of the reader's.
        raise fault(
            "branches/both-run", each.place or eqns[-1].place, exp="outside of every `cond`"
        )


mend = Exercise(
    name="mend",
    questions=(returns(_mended, (_MIXED,), (_GOOD,)), _runs_only_where_needed),
    hints=(
        "Look for `cond` and for `exp` in the jaxpr of the function. Where does the `exp` stand?",
        "`jnp.any` turns the question about each row into one about the batch; "
        "`lax.map` asks row by row.",
        "One `cond` with a single truth value. The branch for true computes the softmax of all "
        "rows and chooses; the other returns what it was given.",
    ),
    verified="right rows for two batches; the exponential stands only inside a `cond`",
    answer=solutions.mend,
)
