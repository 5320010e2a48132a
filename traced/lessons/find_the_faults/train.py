"""Mend the training loop: what it compiles, reads, keeps and hands out."""

import contextlib
import io
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Found, Question, fault, require
from traced.lessons.find_the_faults.solutions.train import train as solution
from traced.lessons.find_the_faults.symptoms import shows_none
from traced.lessons.own_derivatives.tolerances import compare_within
from traced.python.values import brief
from traced.questions import compare
from traced.running.attempt import attempt
from traced.tracing.traces import record_traces

_ROWS = 1000
_BATCHES = slice(0, 500), slice(500, 1000)


def _data(first: float = 1.0, second: float = 2.0) -> tuple[Any, Any]:
    """Return images as bright as these two numbers say, batch by batch, and labels.

    Within a batch the images become brighter, and over both the labels grow.
    """
    rising = np.tile(np.linspace(-0.5, 0.5, _ROWS // 2), 2)
    x = np.repeat([first, second], _ROWS // 2) + rising
    return jnp.asarray(np.stack([x, x], axis=1), jnp.float32), jnp.arange(_ROWS) // 100


def _together(x: Any, y: Any) -> Any:
    """Return a number that says which images and which labels belong together."""
    return 4 * (x[:, 0] * y).mean()


def _params() -> Any:
    return {"w": jnp.array([1.0, -2.0]), "b": jnp.float32(0.5)}


def _plane() -> Any:
    """Return a new loss whose gradients are 1, whatever the parameters are."""

    def loss(params: Any, key: Any, x: Any, y: Any) -> Any:
        return jnp.sum(params["w"]) + params["b"] + _together(x, y)

    return loss


def _tilted() -> Any:
    """Return a new loss whose gradients are the brightness of the batch."""

    def loss(params: Any, key: Any, x: Any, y: Any) -> Any:
        return (jnp.sum(params["w"]) + params["b"]) * jnp.mean(x)

    return loss


def _drawn() -> Any:
    """Return a new loss that is a whole number for each batch, and a tenth of what is drawn."""

    def loss(params: Any, key: Any, x: Any, y: Any) -> Any:
        return jnp.round(_together(x, y)) + jax.random.uniform(key) / 10 + 0.0 * params["b"]

    return loss


def _moved(
    answer: Any, loss: Any, rate: float, epochs: int = 1, size: float = 1.0, **data: float
) -> Any:
    """Return by how much the parameters have moved, which is the same for all of them."""
    params, key = jax.tree.map(lambda leaf: size * leaf, _params()), jax.random.key(0)
    end = attempt(answer, loss, params, key, *_data(**data), rate, epochs)[0]
    return float(np.asarray(end["b"]) - np.asarray(params["b"]))


def _returns_three_things(rate: float) -> Question:
    """Ask for what one epoch returns, in which no symptom shows."""

    def question(answer: Any) -> None:
        params, data = _params(), _data(1.0, 5.0)
        got = attempt(answer, _plane(), params, jax.random.key(1), *data, rate, 1)
        wanted = jax.tree.map(lambda leaf: leaf - 2 * rate, params)
        batches = [_together(*(np.asarray(each)[rows] for each in data)) for rows in _BATCHES]
        losses = [batches[0] - 0.5, batches[1] - 0.5 - 3 * rate]
        curve = [np.mean(losses[: i + 1]) for i in range(len(losses))]
        given = "1 epoch"
        compare(
            (0, 0, 0), jax.tree.map(lambda _: 0, got, is_leaf=lambda x: x is not got), given=given
        )
        for each in got[1:]:
            kinds = {"wanted": "two lists", "got": f"an object of type `{type(each).__name__}`"}
            require(isinstance(each, list | tuple), "value/structure", given=given, **kinds)
        compare(wanted, got[0], given=given, result="the parameters")
        compare(
            np.asarray(curve, np.float32),
            jnp.asarray(got[1], jnp.float32),
            given=given,
            result="the mean losses",
        )
        seen = {
            "given": given,
            "wanted": "no length without `debug`",
            "got": f"{len(got[2])} lengths",
        }
        require(len(got[2]) == 0, "value/shape", **seen)

    return question


def _moves_large_parameters_alike(answer: Any) -> None:
    """Ask for a step that does not depend on how large the parameters are."""
    moved = np.float32(_moved(answer, _plane(), 0.1, size=2000.0))
    given = "1 epoch on a slope, parameters of 1000 and more"
    # Numbers of this size are rounded to 1/16384.
    compare_within(np.float32(-0.2), moved, 0.003, given=given, result="by how much they move")


def _more_steps(answer: Any) -> str:
    counts, calls = {}, {}
    jax.clear_caches()  # type: ignore[no-untyped-call]  # JAX gives it no types
    for steps in (2, 6):
        loss, seen = _counted(_plane())
        with record_traces() as traces:
            attempt(answer, loss, _params(), jax.random.key(0), *_data(), 0.1, steps // 2)
        counts[steps], calls[steps] = sum(not each.nested for each in traces), len(seen)
    # Without `jit` nothing is traced, and Python runs the loss in each step.
    for said, each in (("traces", counts), ("calls of `loss` by Python", calls)):
        if each[6] > each[2]:
            return "; ".join(f"{said} in {steps} steps: {count}" for steps, count in each.items())
    return ""


def _counted(loss: Any) -> tuple[Any, list[None]]:
    """Return a loss that notes in the list whenever Python runs it."""
    seen: list[None] = []

    def counted(params: Any, key: Any, x: Any, y: Any) -> Any:
        seen.append(None)
        return loss(params, key, x, y)

    return counted, seen


def _another_rate(answer: Any) -> str:
    loss = _plane()
    first, second = (-_moved(answer, loss, rate, epochs=3) for rate in (0.1, 0.2))
    if abs(first - 0.35) < 1e-3 and abs(second - 0.7) < 1e-3:
        return ""
    told = (
        f"three epochs on a slope move by {first:.2f} at the rate 0.1, and by {second:.2f} at 0.2"
    )
    return f"{told}; 0.35 and 0.70 are due"


def _slopes_that_change(answer: Any) -> str:
    loss, again = _tilted(), ""
    for epochs, due in ((1, -0.0947), (2, -0.1089)):
        moved = _moved(answer, loss, 0.1, epochs, first=1.0, second=-1.0)
        if abs(moved - due) > 1e-3:
            told = f"after gradients of 1 and then -1{again} the parameters have moved by"
            return f"{told} {moved:.3f}; {due:.3f} is due"
        again = ", and both once more,"
    return ""


def _lengths(answer: Any) -> str:
    loss, seen = _tilted(), []
    for _ in range(2):
        args = loss, _params(), jax.random.key(0), *_data(1.0, -3.0), 0.1, 2
        norms, raised = _tried(_norms, answer, args)
        if raised:
            return f"with debug=True, train raises {raised}"
        _, raised = _tried(_largest, norms)
        if raised:
            return f"with debug=True, float(max(norms)) raises {raised}"
        seen.append([float(norm) for norm in norms])
    wanted = np.sqrt(3) * np.array([1.0, 3.0, 1.0, 3.0])
    for run, lengths in zip(("first", "second"), seen, strict=True):
        told = f"with debug=True, the {run} run of 4 steps returns"
        if len(lengths) != 4:
            return f"{told} {len(lengths)} lengths"
        if not np.allclose(lengths, wanted, rtol=1e-3):
            return f"{told} other lengths than those of its gradients"
    return ""


def _tried(f: Any, *args: Any) -> tuple[Any, str]:
    """Return the result of a call and, if JAX raised an error in it, the name of that."""
    try:
        return attempt(f, *args), ""
    except Found as found:
        if type(found.error).__module__.partition(".")[0] != "jax":
            raise
        return None, type(found.error).__name__


def _norms(answer: Any, args: Any) -> Any:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        norms = answer(*args, debug=True)[2]
        jax.effects_barrier()  # type: ignore[no-untyped-call]  # JAX gives it no types
    if text := printed.getvalue():
        saw = {"printed": brief(text.splitlines()[0]), "wanted": "a list of lengths alone"}
        raise fault("effects/write", given="debug=True", **saw)
    return norms


def _largest(norms: Any) -> Any:
    return float(max(norms)) if norms else 0.0


def _drawn_losses(answer: Any, loss: Any, seed: int) -> Any:
    """Return the loss of each step of two epochs, by the means up to it."""
    curve = attempt(answer, loss, _params(), jax.random.key(seed), *_data(), 0.1, 2)[1]
    return np.diff([0.0, *(n * float(mean) for n, mean in enumerate(curve, 1))])


def _draws(answer: Any) -> None:
    """Ask for the mean of all losses up to each step, and for a key of its own in each step."""
    loss = _drawn()
    one, other = (_drawn_losses(answer, loss, seed) for seed in (0, 1))
    batches = [_together(*(np.asarray(each)[rows] for each in _data())) for rows in _BATCHES]
    wanted, told = np.round(batches * 2), "the losses that the means make"
    compare(wanted, np.floor(one + 1e-3), given="2 epochs", result=told)
    drawn = np.concatenate([one - wanted, other - wanted])
    gaps = np.abs(drawn[:, None] - drawn) + np.eye(len(drawn))
    alike = "two runs with different keys draw the same numbers"
    alike = "two steps draw the same numbers" if gaps[:4, :4].min() < 1e-4 else alike
    require(gaps.min() > 1e-4, "symptom/alike", symptom=alike)


train = Exercise(
    name="train",
    questions=(
        _returns_three_things(0.1),
        shows_none(
            ("symptom/compiles-more", _more_steps),
            ("symptom/no-effect", _another_rate),
            ("symptom/no-effect", _slopes_that_change),
            ("symptom/observed", _lengths),
        ),
        _draws,
        _moves_large_parameters_alike,
    ),
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
