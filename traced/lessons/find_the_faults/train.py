"""Mend the training loop: what it compiles, reads, keeps and hands out."""

import contextlib
import io
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Found, fault, require
from traced.lessons.find_the_faults.solutions.train import train as solution
from traced.lessons.find_the_faults.symptoms import shows_none
from traced.lessons.own_derivatives.tolerances import compare_within
from traced.python.values import brief
from traced.questions import compare
from traced.running.attempt import attempt
from traced.tracing.traces import record_traces

_BATCH = 500


def _data(
    *lights: float, slopes: tuple[float, ...] = (), draws: bool = False, rows: int = 1000
) -> tuple[Any, Any]:
    """Return images and labels, batch by batch, of which the images say what the loss is.

    The first number of an image is its light, which rises within a batch, and the labels grow over
    all. The second is the gradient of each parameter, 1 or what `slopes` says, and the third says
    whether a tenth of what is drawn is added.
    """
    batches = rows // _BATCH
    lights = lights or tuple(1.0 + n for n in range(batches))
    rising = np.linspace(-0.5, 0.5, _BATCH)
    columns = (
        np.concatenate([light + rising for light in lights]),
        np.repeat(slopes or np.ones(batches), _BATCH),
        np.full(rows, float(draws)),
    )
    x = np.stack(columns, axis=1).astype(np.float32)
    return jax.device_put(x), jax.device_put((np.arange(rows) // 100).astype(np.int32))


def _together(x: Any, y: Any) -> Any:
    """Return a number that says which images and labels belong together, and in which order."""
    return 4 * (x[:, 0] * y * jnp.linspace(0.8, 1.2, len(x))).mean()


def _batches_of(data: Any) -> list[Any]:
    """Return the number of each batch that `_together` makes of it."""
    x, y = (np.asarray(each) for each in data)
    starts = range(0, len(x), _BATCH)
    return [float(_together(x[i : i + _BATCH], y[i : i + _BATCH])) for i in starts]


def _params() -> Any:
    return jax.device_put({"w": np.array([1.0, -2.0], np.float32), "b": np.float32(0.5)})


def _loss() -> tuple[Any, list[None]]:
    """Return a new loss, for all questions, and a list that grows whenever Python runs it.

    To compile a step takes most of the time, so that the images say what the loss is (see `_data`).
    """
    seen: list[None] = []

    def loss(params: Any, key: Any, x: Any, y: Any) -> Any:
        seen.append(None)
        plane = (jnp.sum(params["w"]) + params["b"]) * jnp.mean(x[:, 1])
        return plane + _together(x, y) + jnp.mean(x[:, 2]) * jax.random.uniform(key) / 10

    return loss, seen


def _adam(slopes: tuple[float, ...], epochs: int, rate: float) -> float:
    """Return by how much Adam moves a parameter whose gradients these are, in each epoch."""
    moved = mean = square = 0.0
    for n, slope in enumerate(slopes * epochs):
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        first, second = mean / (1 - 0.9 ** (n + 1)), square / (1 - 0.999 ** (n + 1))
        moved -= rate / 2 ** (n // len(slopes)) * first / (np.sqrt(second) + 1e-8)
    return moved


class _Asked:
    """An answer, the loss that it is always given, and what it returns."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.loss, self.seen = _loss()

    def run(self, data: Any, rate: float = 0.1, epochs: int = 1, **more: Any) -> Any:
        params, key = more.pop("params", _params()), jax.random.key(more.pop("seed", 0))
        return attempt(self.answer, self.loss, params, key, *data, rate, epochs, **more)

    def moved(self, rate: float, epochs: int = 1, size: float = 1.0, **data: Any) -> float:
        """Return by how much the parameters have moved, which is the same for all of them."""
        params = jax.tree.map(
            lambda leaf: jax.device_put(np.float32(size) * np.asarray(leaf)), _params()
        )
        end = self.run(_data(**data), rate, epochs, params=params)[0]
        return float(np.asarray(end["b"])) - 0.5 * size


def _returns_three_things(asked: _Asked) -> None:
    """Ask for what one epoch returns, in which no symptom shows."""
    rate, data = 0.1, _data(1.0, 5.0)
    got = asked.run(data, rate, seed=1)
    wanted = jax.tree.map(lambda leaf: np.float32(np.asarray(leaf) - 2 * rate), _params())
    batches = _batches_of(data)
    losses = [batches[0] - 0.5, batches[1] - 0.5 - 3 * rate]
    curve = [np.mean(losses[: i + 1]) for i in range(len(losses))]
    given = "1 epoch"
    compare((0, 0, 0), jax.tree.map(lambda _: 0, got, is_leaf=lambda x: x is not got), given=given)
    for each in got[1:]:
        kinds = {"wanted": "two lists", "got": f"an object of type `{type(each).__name__}`"}
        require(isinstance(each, list | tuple), "value/structure", given=given, **kinds)
    compare(wanted, got[0], given=given, result="the parameters")
    means = jnp.asarray(got[1], jnp.float32)
    compare(np.asarray(curve, np.float32), means, given=given, result="the mean losses")
    lengths = {"wanted": "no length without `debug`", "got": f"{len(got[2])} lengths"}
    require(len(got[2]) == 0, "value/shape", given=given, **lengths)


def _moves_large_parameters_alike(asked: _Asked) -> None:
    """Ask for a step that does not depend on how large the parameters are."""
    moved = np.float32(asked.moved(0.1, size=2000.0))
    given = "1 epoch on a slope, parameters of 1000 and more"
    # Numbers of this size are rounded to 1/16384.
    compare_within(np.float32(-0.2), moved, 0.003, given=given, result="by how much they move")


def _more_steps(asked: _Asked) -> str:
    _count(asked, 2)
    # Nothing is left to trace or to run in Python where a step is compiled once for all.
    if not any(_count(asked, 6)):
        return ""
    jax.clear_caches()  # type: ignore[no-untyped-call]  # JAX gives it no types
    # Each with a new loss, since a step that was traced before is not traced again.
    counts = {steps: _count(_Asked(asked.answer), steps) for steps in (2, 6)}
    # Without `jit` nothing is traced, and Python runs the loss in each step.
    for i, said in enumerate(("traces", "calls of `loss` by Python")):
        if counts[6][i] > counts[2][i]:
            told = (f"{said} in {steps} steps: {each[i]}" for steps, each in counts.items())
            return "; ".join(told)
    return ""


def _count(asked: _Asked, steps: int) -> tuple[int, int]:
    """Return how much is traced in so many steps, and how often Python runs the loss."""
    asked.seen.clear()
    with record_traces() as traces:
        asked.run(_data(), epochs=steps // 2)
    return sum(not each.nested for each in traces), len(asked.seen)


def _another_rate(asked: _Asked) -> str:
    first, second = (-asked.moved(rate, epochs=3) for rate in (0.1, 0.2))
    if abs(first - 0.35) < 1e-3 and abs(second - 0.7) < 1e-3:
        return ""
    told = (
        f"three epochs on a slope move by {first:.2f} at the rate 0.1, and by {second:.2f} at 0.2"
    )
    return f"{told}; 0.35 and 0.70 are due"


def _slopes_that_change(asked: _Asked) -> str:
    # Adam takes short gradients for long ones, and follows none of them at once.
    pairs = ((1.0, -1.0), 1), ((1.0, -1.0), 2), ((1.0, -3.0), 2), ((1e-4, -3e-4), 2)
    for slopes, epochs in pairs:
        moved, due = asked.moved(0.1, epochs, slopes=slopes), _adam(slopes, epochs, 0.1)
        if abs(moved - due) > 1e-4:
            again = ", and both once more," if epochs == 2 else ""
            told = f"after gradients of {slopes[0]:g} and then {slopes[1]:g}{again}"
            return f"{told} the parameters have moved by {moved:.4f}; {due:.4f} is due"
    return ""


def _lengths(asked: _Asked) -> str:
    slopes = 1.0, -3.0
    seen: list[list[float]] = []
    for _ in range(2):
        got, raised = _tried(_observed, asked, _data(slopes=slopes))
        if raised:
            return f"with debug=True, train raises {raised}"
        params, _, norms = got
        _, raised = _tried(_largest, norms)
        if raised:
            return f"with debug=True, float(max(norms)) raises {raised}"
        if not isinstance(norms, list | tuple):
            return f"with debug=True, the lengths are no list but of type {type(norms).__name__}"
        seen.append([float(norm) for norm in norms])
    wanted = np.sqrt(3) * np.abs(slopes * 2)
    for run, lengths in zip(("first", "second"), seen, strict=True):
        told = f"with debug=True, the {run} run of 4 steps returns"
        if len(lengths) != 4:
            return f"{told} {len(lengths)} lengths"
        if not np.allclose(lengths, wanted, rtol=1e-3):
            return f"{told} other lengths than those of its gradients"
    moved, due = float(params["b"]) - float(_params()["b"]), _adam(slopes, 2, 0.1)
    same = abs(moved - due) < 1e-3
    return "" if same else f"with debug=True, the parameters move by {moved:.3f}; {due:.3f} is due"


def _tried(f: Any, *args: Any) -> tuple[Any, str]:
    """Return the result of a call and, if JAX raised an error in it, the name of that."""
    try:
        return attempt(f, *args), ""
    except Found as found:
        if type(found.error).__module__.partition(".")[0] != "jax":
            raise
        return None, type(found.error).__name__


def _observed(asked: _Asked, data: Any) -> Any:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        got = asked.run(data, epochs=2, debug=True)
        jax.effects_barrier()  # type: ignore[no-untyped-call]  # JAX gives it no types
    if text := printed.getvalue():
        saw = {"printed": brief(text.splitlines()[0]), "wanted": "a list of lengths alone"}
        raise fault("effects/write", given="debug=True", **saw)
    return got


def _largest(norms: Any) -> Any:
    return float(max(norms)) if len(norms) else 0.0


def _drawn_losses(asked: _Asked, data: Any, seed: int) -> Any:
    """Return the loss of each step of two epochs, by the means up to it."""
    curve = asked.run(data, epochs=2, seed=seed)[1]
    return np.diff([0.0, *(n * float(mean) for n, mean in enumerate(curve, 1))])


def _draws(asked: _Asked) -> None:
    """Ask for the mean of all losses up to each step, and for a key of its own in each step."""
    data = _data(slopes=(0.0, 0.0, 0.0), draws=True, rows=1500)
    one, other = (_drawn_losses(asked, data, seed) for seed in (0, 1))
    wanted = np.asarray(_batches_of(data) * 2)
    given = {"given": "1500 rows, 2 epochs", "result": "the losses that the means make"}
    counts = {"wanted": f"{len(wanted)} losses", "got": f"{len(one)}"}
    require(len(one) == len(other) == len(wanted), "value/shape", **(given | counts))
    # What is drawn adds a tenth at most.
    is_due = (one > wanted - 1e-3) & (one < wanted + 0.1 + 1e-3)
    compare(np.float32(wanted), np.float32(np.where(is_due, wanted, one)), **given)
    drawn = np.concatenate([one - wanted, other - wanted])
    gaps = np.abs(drawn[:, None] - drawn) + np.eye(len(drawn))
    alike = "two runs with different keys draw the same numbers"
    steps = gaps[: len(one), : len(one)]
    alike = "two steps draw the same numbers" if steps.min() < 1e-4 else alike
    require(gaps.min() > 1e-4, "symptom/alike", symptom=alike)


def _asked_all(answer: Any) -> None:
    asked = _Asked(answer)
    _returns_three_things(asked)
    shows_none(
        ("symptom/compiles-more", _more_steps),
        ("symptom/no-effect", _another_rate),
        ("symptom/no-effect", _slopes_that_change),
        ("symptom/observed", _lengths),
    )(asked)
    _draws(asked)
    _moves_large_parameters_alike(asked)


train = Exercise(
    name="train",
    questions=(_asked_all,),
    hints=(
        "`step` gets eight arguments, reads two names from outside, writes to one, and returns "
        "four results. Go through them one by one.",
        "`watch(step)` says why each call was traced, `find_stale_reads` and `find_effects` what "
        "it reads and leaves behind, and `show_tree` which leaves of a state move.",
        "A running sum in the place of a list; the rate as an argument; two results of `update`, "
        "both kept; and a length that is returned in every step.",
    ),
    verified="one program for all steps, a rate that counts, an optimizer that remembers, and "
    "lengths of gradients that can be used",
    answer=solution,
)
