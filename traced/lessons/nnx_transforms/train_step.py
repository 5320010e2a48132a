"""Write a training step on a module and an optimizer, which evaluates the module afterwards."""

from functools import cache, partial
from typing import Any

import jax
import numpy as np
import optax  # type: ignore[import-untyped]  # it has none
from flax import nnx

from traced.course.exercise import Exercise
from traced.findings.feedback import Found
from traced.lessons.nnx_transforms.modes import MODES, traces_in_both_modes
from traced.lessons.nnx_transforms.solutions.train_step import train_step as solution
from traced.modules.questions import updates_like
from traced.questions import compare
from traced.running.attempt import attempt


class _Net(nnx.Module):
    """Have two layers of each kind, of which the first one trains and the second one evaluates."""

    def __init__(self, rngs: nnx.Rngs) -> None:
        norm = partial(nnx.BatchNorm, 3, use_bias=False, rngs=rngs)
        self.norms = nnx.List([norm(use_running_average=each) for each in (False, True)])
        self.drops = nnx.List(
            [nnx.Dropout(0.5, deterministic=each, rngs=rngs) for each in (False, True)]
        )
        self.head = nnx.Linear(3, 2, kernel_init=nnx.initializers.ones, rngs=rngs)

    def __call__(self, x: Any) -> Any:
        for layer in (*self.norms, *self.drops, self.head):
            x = layer(x)
        return x


@cache
def _made_once() -> tuple[Any, ...]:
    net = nnx.jit(lambda: _Net(nnx.Rngs(0)))()  # one compilation in place of eight
    x = np.random.default_rng(1).normal(size=(8, 3)).astype("float32")
    y = np.tile(np.array([100, -300], "float32"), (8, 1))  # for gradients that a clip would change
    return net, nnx.Optimizer(net, optax.sgd(0.125, momentum=0.5), wrt=nnx.Param), x, y


def _arguments() -> tuple[Any, ...]:
    """Return a network, its optimizer, inputs and targets, of which nothing has been used."""
    net, optimizer, *data = _made_once()
    return *nnx.clone((net, optimizer), graph=True), *(each.copy() for each in data)


@cache
def _wanted() -> tuple[list[Any], Any]:
    """Return the pairs of losses of two steps, and the state after the first one."""
    net, optimizer, *data = _arguments()
    graphdef, state = nnx.split((net, optimizer))
    losses, states = [], []
    for _ in range(2):
        each, state = _solved(graphdef, state, *data)
        losses.append(jax.tree.map(np.asarray, each))
        states.append(nnx.to_pure_dict(state))
    return losses, states[0]


_train_step: Any = solution


@partial(jax.jit, compiler_options={"xla_backend_optimization_level": 0})
def _solved(graphdef: Any, state: Any, x: Any, y: Any) -> Any:
    """Return the losses of a step and the state after it; compiled in haste, as it runs twice."""
    net, optimizer = nnx.merge(graphdef, state)
    return _train_step(net, optimizer, x, y), nnx.state((net, optimizer))


def _as_wanted(net: Any, optimizer: Any, x: Any, y: Any) -> None:
    """Bring a network and an optimizer to where they are after a step, without that step."""
    nnx.update((net, optimizer), _wanted()[1])


def _can_be_traced(answer: Any) -> None:
    """Require a function that can be traced, before anything is compiled.

    What is wanted is compiled here too, where no traces are counted.
    """
    attempt(nnx.eval_shape, answer, *_arguments())
    _wanted()


def _trains_and_evaluates(answer: Any, graph: bool) -> None:
    """Require the changes of a step in one mode, and the right pair of losses from two."""
    step = attempt(nnx.jit, answer, graph=graph)
    _changes_what_it_should(step, answer, graph)
    args = _arguments()
    for n, wanted in enumerate(_wanted()[0], start=1):
        given = f"(loss in training, loss in evaluation), step {n}"
        compare(wanted, attempt(step, *args), given=given)


def _changes_what_it_should(step: Any, answer: Any, graph: bool) -> None:
    """Require the changes of a step: weights, statistics, counts, and no settings.

    Settings come back in graph mode alone.
    """
    mode = next(name for name, is_graph in MODES.items() if is_graph == graph)
    try:
        updates_like(_as_wanted, *_arguments(), way=f"under `nnx.jit`, in {mode}")(step)
    except Found as found:
        # What is lost without a transform too is not lost by one.
        if found.finding.code == "nnx/lost-change":
            updates_like(_as_wanted, *_arguments())(answer)
        raise


train_step = Exercise(
    name="train_step",
    questions=(
        _can_be_traced,
        *traces_in_both_modes(1, _trains_and_evaluates, "two steps under `nnx.jit`"),
    ),
    hints=(
        "List what each of the two calls of `mse` may change: weights, statistics, "
        "the count of noise, settings.",
        "`nnx.value_and_grad` gives loss and gradients, `optimizer.update` takes the module and "
        "the gradients, `nnx.view` makes an object with other settings.",
        "Four lines: loss and gradients; the update; a view that neither drops nor averages; "
        "and a pair of the first loss and the loss of the view.",
    ),
    verified="right losses and changes in both modes, one trace in each; mixed settings stay",
    answer=solution,
)
