"""What 03_purity asks."""

import contextlib
import io
import re
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.attempt import attempt
from traced.exercise import Exercise
from traced.feedback import require
from traced.probes.reads import find_hidden_reads
from traced.questions import changes_nothing, compare, traces_at_most, works_under_jit
from traced.solutions import purity as solutions


def _losses(w: Any, steps: int) -> Any:
    return np.stack([np.sum(np.square(w * np.float32(0.8) ** i)) for i in range(steps)])


def _fits(answer: Any) -> None:
    for start, steps in ((2.0, 3), (-1.0, 5)):
        w = jnp.array([start, 0.5])
        given = f"w = {w}, {steps} steps"
        compare(_losses(np.asarray(w), steps), attempt(answer, w, steps), given=given)


fit = Exercise(
    name="fit",
    questions=(
        traces_at_most(1, _fits, "3 steps, then 5, of one shape"),
        changes_nothing(jnp.array([2.0, 0.5]), 3),
        works_under_jit(lambda answer: lambda w: answer(w, 3), jnp.array([2.0, 0.5])),
    ),
    hints=(
        "Two things come out of the jitted function: the next weights and a loss. "
        "Look at the way that each of them takes.",
        "A jitted function may return a pair. Its caller is plain Python and may keep a list.",
        "The jitted step returns the next weights and the loss. The loop unpacks the pair, "
        "and collects the losses in a list that the outer function makes itself.",
    ),
    verified="right losses for 3 and for 5 steps, from one trace; nothing outside is changed",
    answer=solutions.fit,
)


def _softmax(x: Any, temperature: float) -> Any:
    powers = np.exp(np.asarray(x) / np.float32(temperature))
    return powers / powers.sum()


def _sharpens(answer: Any) -> None:
    x = jnp.array([0.5, -1.0, 2.0])
    for temperature, before in ((2.0, 2.0), (0.5, 2.0), (1.5, 0.5)):
        wanted, got = _softmax(x, temperature), attempt(answer, x, temperature)
        given = f"x = {x}, temperature = {temperature}"
        if temperature != before and _agree(_softmax(x, before), got):
            _follows(answer, given, before)
        compare(wanted, got, given=given)


def _follows(answer: Any, given: str, before: float) -> None:
    # A temperature that is written out gives the same values, and is no read.
    reads = ", ".join(f"{each.kind} {each.name}" for each in find_hidden_reads(answer))
    saw = {"given": given, "temperature_used": before, "read": reads}
    require(not reads, "purity/stale-read", **saw)


def _agree(left: Any, right: Any) -> bool:
    return np.shape(left) == np.shape(right) and np.allclose(left, right, atol=1e-6)


sharpen = Exercise(
    name="sharpen",
    questions=(
        traces_at_most(1, _sharpens, "temperatures 2.0, 0.5 and 1.5"),
        changes_nothing(jnp.ones(3), 2.0),
        works_under_jit(lambda answer: answer, jnp.array([0.5, -1.0, 2.0]), jnp.float32(2.0)),
    ),
    hints=(
        "Some names in the jitted body are arguments, others are read while JAX traces. "
        "Find the one of the second kind that changes.",
        "An argument of a jitted function is traced unless it is declared static. "
        "`watch` shows whether a new value costs a trace.",
        "Two traced arguments, and the same single line as before. "
        "The global is not needed any more.",
    ),
    verified="right values for three temperatures, from one trace; nothing outside is changed",
    answer=solutions.sharpen,
)


def _runs(answer: Any) -> None:
    for start in (0.0, 5.0):
        running, wanted = attempt(answer, jnp.float32(start)), np.float32(start)
        # A batch of one row: its mean over the first axis is no scalar.
        for batch in (jnp.array([[1.0, 3.0]]), jnp.array([[-4.0, 0.0]]), jnp.array([[7.0, 7.0]])):
            given = f"mean = {wanted}, x = {batch}"
            wanted = np.float32(0.9 * wanted + 0.1 * np.mean(batch))
            running = _next(running, batch, wanted, given)


def _next(running: Any, batch: Any, wanted: Any, given: str) -> Any:
    """Compare one call with what is wanted, and return the object that it hands back."""
    before = _mean_of(running)
    result = attempt(running, batch)
    # What was put into the old object is told before what the call returned.
    seen = {"attribute": "mean", "before": before, "after": _mean_of(running)}
    untouched = np.array_equal(before, seen["after"])
    require(untouched, "effects/argument", given=given, **seen)
    require(result is not None, "value/nothing", given=given)
    pair = isinstance(result, tuple) and len(result) == 2
    require(pair, "value/structure", given=given, wanted="a pair", got=type(result).__name__)
    after, centered = result
    compare(wanted, _mean_of(after), given=given, of="the mean of the next object")
    compare(np.asarray(batch) - wanted, centered, given=given, of="x minus the next mean")
    return after


def _mean_of(running: Any) -> Any:
    name = type(running).__name__
    require(hasattr(running, "mean"), "value/no-attribute", wanted="mean", of=f"a `{name}`")
    leaked = isinstance(running.mean, jax.core.Tracer)
    require(not leaked, "tracing/leaked", attribute="mean", holds=running.mean)
    return running.mean


RunningMean = Exercise(
    name="RunningMean",
    questions=(
        traces_at_most(1, _runs, "three batches, from mean 0.0 and from mean 5.0"),
        works_under_jit(
            lambda answer: lambda mean, x: answer(mean)(x)[1], jnp.float32(0.0), jnp.ones((1, 2))
        ),
    ),
    hints=(
        "`self` is an argument of the jitted method. What becomes of a change to it? "
        "All that the caller gets is what the method returns.",
        "`jax.tree_util.register_dataclass` makes a dataclass a pytree, "
        "which a jitted method may take and return.",
        "A registered dataclass with a jitted `__call__`: it computes the next mean, makes a new "
        "object of it, and returns this object with the centered batch.",
    ),
    verified="right means and values for two objects and three batches, from one trace; "
    "no object was changed",
    answer=solutions.RunningMean,
)


def _records(answer: Any) -> None:
    for start in (2.0, -1.0):
        w, log = jnp.array([start, 0.5]), jax.new_ref(jnp.full(3, start))
        for i in (0, 1, 2):
            given = f"i = {i}, w = {w}"
            wanted = np.asarray(w - 0.2 * w)
            w = attempt(answer, log, i, w)
            compare(wanted, w, given=given)
        losses = _losses(np.array([start, 0.5], "float32"), 3)
        compare(losses, log[...], of="the ref after i = 0, 1, 2", given=f"w = [{start}, 0.5]")


def _record_from_zero(answer: Any) -> Callable[..., Any]:
    return lambda log, w: answer(log, jnp.int32(0), w)


def _records_under_jit(answer: Any) -> None:
    # A ref is made for each check: the one before has been written to.
    log, w = jax.new_ref(jnp.zeros(3)), jnp.array([2.0, 0.5])
    works_under_jit(_record_from_zero, log, w)(answer)


record = Exercise(
    name="record",
    questions=(
        traces_at_most(1, _records, "i = 0, 1 and 2, for two refs"),
        _records_under_jit,
    ),
    hints=(
        "The weights are returned. The loss goes into an argument, and is not returned.",
        "A ref is read and written with brackets, as a NumPy array is. The index may be traced.",
        "One assignment to the entry of the ref, whose right side is the loss; then the next "
        "weights are returned, and nothing else.",
    ),
    verified="right weights and right logs for two refs, from one trace",
    answer=solutions.record,
)


NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")


def _clips(answer: Any) -> None:
    for sizes in ((3.0, 4.0), (0.3, 0.4), (-5.0, 12.0)):
        g = np.array(sizes, "float32")
        norm = np.linalg.norm(g)
        result, printed = _run_and_read(answer, jnp.asarray(g))
        compare(g / np.maximum(norm, np.float32(1.0)), result, given=f"g = {g}")
        shown = any(np.isclose(float(each), norm, rtol=0.01) for each in NUMBER.findall(printed))
        saw = {"given": f"g = {g}, norm {norm:.1f}", "printed": printed.strip() or "nothing"}
        require(shown, "effects/not-printed", **saw)


def _run_and_read(f: Any, *args: Any) -> tuple[Any, str]:
    """Return the result of a call and what was printed until all its effects were done."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        result = attempt(f, *args)
        jax.effects_barrier()  # type: ignore[no-untyped-call]  # JAX gives it no types
    return result, out.getvalue()


def _clips_inside(answer: Any) -> None:
    _clips(jax.jit(lambda g: answer(g)))


clip = Exercise(
    name="clip",
    questions=(
        traces_at_most(1, _clips, "g of norms 5.0, 0.5 and 13.0"),
        traces_at_most(1, _clips_inside, "the same, from a jitted function that calls `clip`"),
        works_under_jit(lambda answer: answer, jnp.array([3.0, 4.0])),
    ),
    hints=(
        "A value is wanted from inside the compiled program. Ask which kind of print "
        "leaves an equation.",
        "`jax.debug.print` takes a format string and, by name, the values to put into it.",
        "Under `jit`: compute the norm, print it with the tool that prints at run time, "
        "divide the vector by the norm or by 1, whichever is larger.",
    ),
    verified="right values and a printed norm at each of three calls, "
    "also from another jitted function",
    answer=solutions.clip,
)
