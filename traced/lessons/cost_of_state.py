"""What 14_cost_of_state asks."""

import time
import traceback
from collections.abc import Callable
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]  # it has none
from flax import nnx

from traced.attempt import attempt
from traced.exercise import Exercise, Question
from traced.feedback import require
from traced.probes.places import Place, first_place, is_library
from traced.probes.python_calls import count_python_calls
from traced.questions import compare, keeps_its_size, traces_at_most, works_under_jit
from traced.questions.modules import updates_like
from traced.solutions import cost_of_state as solutions

# The check of `seconds` sleeps for work: a first call, a later one, a copy, and one bad moment.
COMPILING, WORKING, COPYING, DISTURBED = 0.5, 0.02, 0.1, 0.4
MOST_PYTHON_CALLS = 300
_STEP: Any = solutions.step  # a solution has no types


class Pending:
    """Stands for an array that is not there yet, and tells whenever somebody waits for it."""

    def __init__(self, value: float, wait: Callable[[], None], copy: float = 0.0) -> None:
        self.value, self.wait, self.copy = value, wait, copy

    def block_until_ready(self) -> "Pending":
        """Wait, as the method of an array does."""
        self.wait()
        return self

    def __jax_array__(self) -> jax.Array:  # `jnp` works on an array without waiting for it
        return jnp.asarray(self.value, jnp.float32)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        self.wait()
        time.sleep(self.copy)
        return np.asarray(self.value, dtype)

    def __float__(self) -> float:
        self.wait()
        return self.value

    def item(self) -> float:
        """Wait, and return the value."""
        return float(self)

    tolist = item

    def __repr__(self) -> str:
        return str(float(self))

    def __format__(self, how: str) -> str:
        return format(float(self), how)


def _timed_in_full(results: Callable[[Pending], Any], given: str) -> Question:
    """Ask whether the answer's time is that of a call with its result, and of nothing else."""

    def question(answer: Any) -> None:
        free = [time.perf_counter()]  # when all is done that was handed over

        def f(x: float, y: float) -> Any:
            if len(free) == 1:
                time.sleep(COMPILING)
            taken = DISTURBED if len(free) == 4 else WORKING
            done = max(time.perf_counter(), free[-1]) + taken
            free.append(done)
            return results(Pending(x + y, lambda: _sleep_until(done), COPYING))

        got = attempt(answer, f, 1.0, 2.0)
        compare(0.0, 0.0 * got if isinstance(got, float) else got, given=given)
        saw = {"given": given, "its work": f"{WORKING} s"}
        require(got > 0.9 * WORKING, "cost/not-awaited", **saw, got="less than that")
        saw |= {"compiling": f"{COMPILING} s", "a copy to the host": f"{COPYING} s"}
        saw |= {"one call, disturbed": f"{DISTURBED} s"}
        require(got < 4 * WORKING, "cost/overcounted", **saw, got=f"more than {4 * WORKING} s")

    return question


def _sleep_until(moment: float) -> None:
    time.sleep(max(0.0, moment - time.perf_counter()))


seconds = Exercise(
    name="seconds",
    questions=(
        _timed_in_full(lambda pending: pending, "a function that returns one array"),
        _timed_in_full(lambda pending: {"loss": (pending,)}, "a function that returns a tree"),
    ),
    hints=(
        "Two things are wrong: where the clock stops, and what becomes of the first of the times.",
        "`jax.block_until_ready` takes any tree of arrays, and waits for all of them. "
        "The shortest of some numbers is `min`.",
        "One call before the loop, waited for. In the loop: start, call and wait, stop. "
        "After it, the least of the five.",
    ),
    verified="the time of a call and its result, without the first call and without a copy",
    answer=solutions.seconds,
)


class Net(nnx.Module):
    """Two layers, made without the random numbers that would have to be compiled."""

    def __init__(self) -> None:
        weights = np.sin(np.arange(128, dtype=np.float32)).reshape(2, 8, 8) / 2
        self.kernels = nnx.List([nnx.Param(jnp.asarray(each)) for each in weights])
        self.biases = nnx.List([nnx.Param(jnp.zeros(8)) for _ in weights])

    def loss(self, x: jax.Array, y: jax.Array) -> jax.Array:
        """Return the mean squared error."""
        for kernel, bias in zip(self.kernels, self.biases, strict=True):
            x = nnx.tanh(x @ kernel[...] + bias[...])
        return jnp.mean((x - y) ** 2)


def _start() -> tuple[Net, nnx.Optimizer[Net]]:
    model = Net()
    return model, nnx.Optimizer(model, optax.sgd(0.1, momentum=0.9), wrt=nnx.Param)


def _batches(count: int) -> tuple[jax.Array, jax.Array]:
    x = np.linspace(-1.0, 1.0, count * 4 * 8, dtype=np.float32).reshape(count, 4, 8)
    return jnp.asarray(np.sin(7 * x)), jnp.asarray(x)


@cache
def _wanted(count: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return the losses of the plain loop, and the leaves of the state that it ends with."""
    objects, step = _start(), nnx.jit(_STEP)
    losses = [step(*objects, x, y) for x, y in zip(*_batches(count), strict=True)]
    return list(map(np.asarray, losses)), list(map(np.asarray, jax.tree.leaves(nnx.state(objects))))


def _split_step_calls(answer: Any) -> None:
    graphdef, state = nnx.split(_start())
    structure: Any = jax.tree.structure
    for i, (x, y) in enumerate(zip(*_batches(3), strict=True)):
        result = attempt(answer, graphdef, state, x, y)
        losses, leaves = _wanted(3)
        if structure(result) != structure((state, losses[i])):
            compare((state, losses[i]), result, given=f"step {i + 1} of 3")
        state, loss = result
        compare(losses[i], loss, given=f"step {i + 1} of 3")
    compare(jax.tree.unflatten(structure(state), leaves), state, given="the state after 3 steps")


def _jitted_part(answer: Any) -> None:
    graphdef, state = nnx.split(_start())
    x, y = (each[0] for each in _batches(1))
    works_under_jit(lambda f: lambda state, x, y: f(graphdef, state, x, y), state, x, y)(answer)


split_step = Exercise(
    name="split_step",
    questions=(
        _split_step_calls,
        traces_at_most(1, _split_step_calls, "three steps"),
        _jitted_part,
    ),
    hints=(
        "`pure_step` above does the same for one graphdef, which it finds outside. "
        "What has to be an argument here?",
        "`nnx.merge` makes objects of a graphdef and a state, `nnx.state` takes a state from "
        "objects. `jax.jit` accepts a graphdef as it is.",
        "Decorate with `jax.jit`. Three lines: two objects from what was given, a loss, "
        "and a pair whose first part is the state of both objects.",
    ),
    verified="losses and state as of the plain loop after three steps, from one trace",
    answer=solutions.split_step,
)


def _fast_calls(answer: Any) -> None:
    call = attempt(answer, *_start())
    for i, (x, y) in enumerate(zip(*_batches(3), strict=True)):
        loss = attempt(call, x, y)
        compare(_wanted(3)[0][i], loss, given=f"step {i + 1} of 3")


def _trains_what_it_is_given(answer: Any) -> None:
    def run(model: Net, optimizer: nnx.Optimizer[Net], x: jax.Array, y: jax.Array) -> Any:
        return answer(model, optimizer)(x, y)

    updates_like(nnx.jit(_STEP), *_start(), *(each[0] for each in _batches(1)))(run)


def _runs_little_python(answer: Any) -> None:
    call = attempt(answer, *_start())
    counts = attempt(count_python_calls, call, *(each[0] for each in _batches(1)))
    # One digit: the number changes a little with the release of Flax.
    saw = {"Python functions at each call": f"about {float(f'{counts.total():.0e}'):,.0f}"}
    saw |= {"most of them of": "".join(name for name, _ in counts.most_common(1))}
    saw |= {"allowed": str(MOST_PYTHON_CALLS)}
    require(counts.total() <= MOST_PYTHON_CALLS, "cost/python-calls", **saw)


make_fast_step = Exercise(
    name="make_fast_step",
    questions=(
        _fast_calls,
        _trains_what_it_is_given,
        traces_at_most(1, _fast_calls, "three steps"),
        _runs_little_python,
    ),
    hints=(
        "The table above counts the Python functions of each way. Which ones are below the bound, "
        "and which of those change the model that was given?",
        "`nnx.jit_partial` takes a step and the objects, and returns a function of the rest. "
        "It wants tree mode.",
        "One line: the function of Flax that takes objects once, given `step`, both objects and "
        "the mode.",
    ),
    verified="losses and Variables as of the plain loop, with little Python at each call",
    answer=solutions.make_fast_step,
)


def _waits_for_what_it_returns(answer: Any) -> None:
    for count, every in ((9, 3), (10, 4), (4, 1)):
        stepped: list[float] = []
        waited: dict[int, Place | None] = {}

        def step(batch: float, stepped: Any = stepped, waited: Any = waited) -> Pending:
            stepped.append(batch)
            loss = batch + 0.125 * len(stepped)
            return Pending(loss, lambda: waited.setdefault(len(stepped), _here()))

        batches = [float(2 * i) for i in range(count)]
        result = attempt(answer, step, batches, every)
        given = f"{count} batches, every = {every}"
        compare([2.125 * i + 0.125 for i in range(0, count, every)], result, given=given)
        early = [where for step_number, where in waited.items() if step_number < count]
        due = -(-(count - 1) // every)  # the last step is followed by none
        saw = {"given": given, "waited after": f"{len(early)} steps", "would do": f"{due}"}
        require(len(early) <= due, "cost/waits", *early[:1], **saw)


def _here() -> Place | None:
    frames = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_stack(None)]
    return first_place(frame for frame in frames if not is_library(frame[0]))


train = Exercise(
    name="train",
    questions=(_waits_for_what_it_returns,),
    hints=(
        "`float` reads the value, and reading waits. To how many losses is it applied, "
        "and how many are returned?",
        "A loss that nobody reads is an array like any other: it can be kept in a list, "
        "or forgotten.",
        "A loop with `enumerate`. Each loss is left as it is; whether its number is a multiple "
        "decides whether it is kept. Reading comes last.",
    ),
    verified="the right losses of three runs, and no wait for any other",
    answer=solutions.train,
)


def _plain_run(model: Net, optimizer: nnx.Optimizer[Net], xs: jax.Array, ys: jax.Array) -> None:
    step = nnx.jit(_STEP)
    for x, y in zip(xs, ys, strict=True):
        step(model, optimizer, x, y)


def _trains(answer: Any) -> None:
    losses = attempt(answer, *_start(), *_batches(5))
    compare(np.stack(_wanted(5)[0]), losses, given="five batches")
    updates_like(_plain_run, *_start(), *_batches(5))(answer)


train_all = Exercise(
    name="train_all",
    questions=(
        _trains,
        keeps_its_size(lambda count: (*_start(), *_batches(count))),
    ),
    hints=(
        "`run` above has everything but two things: where its state comes from, "
        "and where the last state goes.",
        "`nnx.split` gives a graphdef and a state, `jax.lax.scan` carries the state, "
        "`nnx.update` writes a state into objects.",
        "Split the pair of objects, scan a body that merges, steps and returns state and loss, "
        "update the pair, return what the scan stacked.",
    ),
    verified="losses and Variables as of the plain loop; one trace for any number of batches",
    answer=solutions.train_all,
)
