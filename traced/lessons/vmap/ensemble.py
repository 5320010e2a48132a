"""Train one model for each seed, and say what the models predict and how far they differ."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Question
from traced.lessons.vmap.examples import require_one_example
from traced.lessons.vmap.solutions.ensemble import ensemble as solution
from traced.questions import keeps_its_size, returns


def _require_key(key: Any) -> None:
    """Refuse a key of `jax.random.PRNGKey`, whose draws are the same."""
    if not jnp.issubdtype(key.dtype, jax.dtypes.prng_key):
        raise TypeError(f"`fit` takes a key of `jax.random.key`, got {jax.typeof(key)}")


@jax.jit
def _fit_line(key: Any, data: Any) -> Any:
    """Start at random, and take two steps towards the data."""
    _require_key(key)
    params = {"slope": jax.random.normal(key, (2,)), "offset": jnp.zeros(())}
    for _ in range(2):
        gradient = jax.grad(_misfit)(params, data)
        params = jax.tree.map(lambda p, g: p - 0.1 * g, params, gradient)
    return params


def _misfit(params: Any, data: Any) -> Any:
    return jnp.mean((data["x"] @ params["slope"] + params["offset"] - data["y"]) ** 2)


@jax.jit
def _on_the_line(params: Any, x: Any) -> Any:
    require_one_example("predict", "x", x, (2,))
    return jnp.tanh(params["slope"] @ x + params["offset"])


def _data(n: int) -> dict[str, Any]:
    x = np.sin(np.arange(2 * n, dtype=np.float32)).reshape(n, 2)
    y = x @ np.array([1, -2], np.float32)
    return {"x": jax.device_put(x), "y": jax.device_put(y)}


@jax.jit
def _fit_rows(key: Any, data: Any) -> Any:
    """Draw a row of the data: a member that is one array, of integers too."""
    _require_key(key)
    row = jax.random.randint(key, (), 0, len(data))
    return row, data[row]


@jax.jit
def _near_the_row(params: Any, x: Any) -> Any:
    require_one_example("predict", "x", x, (2,))
    row, value = params
    return jnp.sum(value * x) + row.astype(x.dtype)


@jax.jit
def _number_of_the_row(params: Any, x: Any) -> Any:
    """Return a large number: the difference of two large squares has no digit of the spread."""
    return params[0].astype(x.dtype) + 4096


def _xs(n: int) -> Any:
    return jax.device_put(np.cos(np.arange(2 * n, dtype=np.float32)).reshape(n, 2))


def _one_after_another(fit: Any, predict: Any) -> Callable[..., Any]:
    """Return mean and deviation of what is predicted, by one model after another for each row."""

    def predicted(seeds: Any, data: Any, xs: Any) -> Any:
        # Three are fitted at once, for that program is the answer's too.
        keys = jax.vmap(jax.random.key)(np.resize(seeds, 3))
        fitted = jax.tree.map(np.asarray, jax.vmap(fit, (0, None))(keys, data))
        members = [jax.tree.map(lambda leaf, i=i: leaf[i], fitted) for i in range(len(seeds))]
        rows = np.asarray(xs)
        each = np.stack([[np.asarray(predict(member, x)) for x in rows] for member in members])
        return each.mean(axis=0), each.std(axis=0)

    return predicted


def _asked_of(fit: Any, predict: Any, question: Question) -> Question:
    """Put a question about a function of seeds, data and rows."""
    return lambda answer: question(
        lambda seeds, data, xs: answer(fit, predict, jnp.asarray(seeds), data, xs)
    )


def _returns_mean_and_spread(fit: Any, predict: Any, *cases: tuple[Any, ...]) -> Question:
    return _asked_of(fit, predict, returns(_one_after_another(fit, predict), *cases))


#: The second is no number of a narrower dtype, nor of float32.
_SEEDS = jnp.array([-3, 2**24 + 1, 0])

ensemble = Exercise(
    name="ensemble",
    questions=(
        _returns_mean_and_spread(
            _fit_line,
            _on_the_line,
            (_SEEDS, _data(4), _xs(5)),
            # The same seed twice is the same model twice; one seed is one model, with no spread.
            (jnp.array([7, 7, 1]), _data(4), _xs(5)),
            (jnp.array([5]), _data(4), _xs(2)),
        ),
        _returns_mean_and_spread(_fit_rows, _near_the_row, (_SEEDS, _xs(6), _xs(5))),
        _returns_mean_and_spread(_fit_rows, _number_of_the_row, (_SEEDS, _xs(6), _xs(5))),
        _asked_of(
            _fit_line, _on_the_line, keeps_its_size(lambda n: (jnp.arange(n), _data(4), _xs(2)))
        ),
        _asked_of(
            _fit_line, _on_the_line, keeps_its_size(lambda n: (jnp.arange(2), _data(4), _xs(n)))
        ),
    ),
    hints=(
        "Three things are mapped one after the other: seeds, keys, and models with rows. Which of "
        "the other arguments are shared each time?",
        "`jax.vmap(jax.random.key)` makes one key for each seed. What `vmap(fit)` returns is one "
        "tree, whose leaves have a first axis for the models.",
        "Keys of the seeds; models of the keys, with shared data; a table of predictions, of each "
        "model at each row; two statistics along the axis of the models.",
    ),
    verified="right mean and deviation of two kinds of models, for one seed and for three; "
    "no loop over models or rows in the trace",
    answer=solution,
)
