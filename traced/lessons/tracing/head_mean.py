"""Write the scaled mean of the first entries, where a new scale costs no trace."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Found, fault
from traced.lessons.edge_cases import vectors
from traced.lessons.tracing.solutions.head_mean import head_mean as solution
from traced.questions import compare, traces_at_most, works_under_jit
from traced.running.attempt import attempt

_X = jnp.array([1.0, -4.0, 0.0, 2.0, 100.0])
_CALLS = ((3, 0.5), (3, 2.0), (2, 0.3337), (3, -1.5), (5, 10.0), (5, 0.0), (1, -1234.5))


def _head_mean(x: Any, n: int, scale: float) -> Any:
    return float(scale * np.mean(np.asarray(x)[:n]))


def _averages_for_each_n_and_scale(answer: Any) -> None:
    for n, scale in _CALLS:
        _compare_call(answer, _X, n, scale)


def _looks_at_the_first_entries_only(answer: Any) -> None:
    """Require what comes after the first entries not to count, whatever it is."""
    _compare_call(answer, jnp.array([1.0, 3.0, jnp.nan]), 2, 10.0)
    for x in ([1.0, 3.0, jnp.inf], [1.0, jnp.nan, 3.0], [jnp.inf, 1.0, 3.0]):
        _compare_call(answer, jnp.array(x), 2, 10.0)
    # Equal entries, large ones, and small ones with a large scale.
    _compare_call(answer, jnp.array([2.0, 2.0, 2.0]), 2, 10.0)
    _compare_call(answer, jnp.array([1e5, -3e6, 0.0]), 2, 10.0)
    _compare_call(answer, jnp.array([3e-4, 5e-5, 0.0]), 2, 1e4)


def _averages_many(answer: Any) -> None:
    """Require as many entries to count as are asked for, however many these are."""
    long = np.cos(np.arange(1009)).astype(np.float32) + np.float32(0.5)
    named = vectors()
    cases = (named["one entry"], (1,)), (named["257 entries"], (40, 256, 257)), (long, (600, 1009))
    for x, many in cases:
        for n in many:
            given = f"x = {x.size} entries, n = {n}, scale = 10.0"
            compare(_head_mean(x, n, 10.0), attempt(answer, jnp.asarray(x), n, 10.0), given=given)


def _is_not_masked_by_a_product(answer: Any) -> None:
    """Require that what is behind the first entries is left out where nothing is compiled, too."""
    for behind in (jnp.nan, jnp.inf):
        _is_left_out(answer, jnp.array([1.0, 3.0, behind]))


def _is_left_out(answer: Any, x: Any) -> None:
    compiled = attempt(answer, x, 2, 10.0)
    # Compiled as a whole, a product with a mask may have become a selection.
    try:
        with jax.disable_jit():
            got = attempt(answer, x, 2, 10.0)
    except Found:  # a program that was compiled ahead of time does not run in this way
        return
    if np.isnan(got):
        saw = {"given": f"x = {x}, n = 2, scale = 10.0", "compiled": compiled}
        raise fault("shapes/mask-product", **saw, one_by_one=got)


def _compare_call(answer: Any, x: Any, n: int, scale: float) -> None:
    given = f"x = {x}, n = {n}, scale = {scale}"
    compare(_head_mean(x, n, scale), attempt(answer, x, n, scale), given=given)


def _keeps_its_trace_for_a_new_scale(answer: Any) -> None:
    for scale in (0.5, 2.0, -1.5):
        _compare_call(answer, _X, 3, scale)


def _of_three_entries(answer: Any) -> Callable[..., Any]:
    return lambda x: answer(x, 3, 0.5)


head_mean = Exercise(
    name="head_mean",
    questions=(
        # This comes first: it has a new scale to blame alone, and no `n`, which may cost a trace.
        traces_at_most(1, _keeps_its_trace_for_a_new_scale, "n = 3, scale = 0.5, 2.0 and -1.5"),
        traces_at_most(
            len({n for n, _ in _CALLS}),
            _averages_for_each_n_and_scale,
            f"(n, scale) = {', '.join(map(str, _CALLS))}",
        ),
        _looks_at_the_first_entries_only,
        _averages_many,
        _is_not_masked_by_a_product,
        works_under_jit(_of_three_entries, _X),
    ),
    hints=(
        "Ask of `n` and of `scale`: does a shape depend on it? Only such a value "
        "has to be known while JAX traces.",
        "`jax.jit` takes `static_argnames`, also when it stands above a function. "
        "What is not named there stays traced.",
        "Decorate the function with `jit` and exactly one static name. "
        "The body is one line: a slice, a mean, a product.",
    ),
    verified="right values for twenty calls, whatever comes after the first entries; no "
    "trace for a new `scale`, at most one for each `n`",
    answer=solution,
)
