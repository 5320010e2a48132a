"""What 13_nnx_transforms asks."""

import copy
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]  # it has none
from flax import nnx

from traced.attempt import attempt
from traced.exercise import Exercise, Question
from traced.feedback import require
from traced.probes.growth import grown
from traced.probes.jaxprs import find_equations
from traced.questions import compare, keeps_its_size, traces_at_most
from traced.questions.modules import updates_like
from traced.solutions import nnx_transforms as solutions

#: The modes in which an answer is called under `nnx.jit`, as evidence names them.
MODES = {"graph mode": True, "tree mode": False}


class _Meter(nnx.Module):
    """Add noise, and the sum of what was seen: two kinds of state that a call changes."""

    def __init__(self) -> None:
        self.scale = nnx.Param(jnp.array([2.0, -1.0, 0.5]))
        self.total = nnx.Variable(jnp.zeros(()))
        self.rngs = nnx.Rngs(0)

    def __call__(self, x: Any) -> Any:
        self.total[...] += jnp.sum(x)
        return self.scale * x + self.total[...] + self.rngs.uniform(x.shape)


_x = jnp.array([1.0, 2.0, -4.0])
_pure_call: Any = solutions.pure_call


def _gives_result_and_state(answer: Any) -> None:
    graphdef, state = nnx.split(_Meter())
    for x in (_x, 2 * _x):
        given = jax.tree.map(lambda leaf: leaf, state)  # other Variables, to spoil
        got = attempt(answer, graphdef, given, x)
        leaves = zip(jax.tree.leaves_with_path(state), jax.tree.leaves(given), strict=True)
        for (path, old), new in leaves:
            where = f"state{jax.tree_util.keystr(path)}"
            require(old is new, "effects/argument", where=where, before=old, after=new)
        wanted = _pure_call(graphdef, state, x)
        compare(wanted, got, given=f"x = {x}")
        _, state = wanted


def _can_be_transformed(answer: Any) -> None:
    graphdef, state = nnx.split(_Meter())

    def value(x: Any, state: Any) -> Any:
        return jnp.sum(answer(graphdef, state, x)[0])

    gradient = attempt(jax.jit(jax.grad(value)), _x, state)
    compare(np.array([5.0, 2.0, 3.5], "float32"), gradient, given="jax.grad of the sum, in x")


pure_call = Exercise(
    name="pure_call",
    questions=(_gives_result_and_state, _can_be_transformed),
    hints=(
        "Ask of each thing that the call changes: where is it afterwards, and who else holds it?",
        "`nnx.merge` makes a module of the two parts, on the Variables that it is given unless "
        "`copy=True`. `nnx.state` takes its state out again.",
        "Three steps: a module of its own, the call, and a pair of the result "
        "and the state of the module after the call.",
    ),
    verified="right results and states for two calls; arguments untouched; differentiated in `jit`",
    answer=solutions.pure_call,
)


def _call(running: Any, x: Any) -> None:
    """Call a module; a trace is told by the name and the line of this function."""
    running(x)


def _comes_back(answer: Any) -> None:
    # A tracer that an earlier answer left in a module would be met in the caches.
    jax.clear_caches()  # type: ignore[no-untyped-call]  # JAX gives it no types
    attempt(_call, attempt(answer), 1.0)
    updates_like(_call, attempt(answer), 3.0)(nnx.jit(_call, graph=False))


def _means(answer: Any, graph: bool) -> None:
    running, step = attempt(answer), nnx.jit(_call, graph=graph)
    values = (1.0, 3.0, 8.0, -2.0, 5.0)
    for n, x in enumerate(values, start=1):
        attempt(step, running, x)
        require(hasattr(running, "mean"), "value/no-attribute", wanted="mean")
        got = attempt(lambda: jnp.asarray(running.mean[...], "float32"))
        compare(np.float32(np.mean(values[:n])), got, given=f"the mean of {values[:n]}")


def _in_both_modes(most: int, run: Callable[..., None], calls: str) -> Iterator[Question]:
    for mode, graph in MODES.items():
        yield traces_at_most(most, partial(run, graph=graph), f"{calls}, in {mode}")


RunningMean = Exercise(
    name="RunningMean",
    # Two traces: a number of weak type becomes strong at the first call in some right answers.
    questions=(_comes_back, *_in_both_modes(2, _means, "five calls under `nnx.jit`")),
    hints=(
        "Two attributes change at every call. Which of them comes back in tree mode, "
        "and which is part of the structure?",
        "Tree mode brings back the values of Variables. `nnx.Variable` takes an array of any "
        "dtype, and is written with `[...]`.",
        "Both attributes are Variables, made in the constructor. The method changes the count "
        "first, and divides by its value.",
    ),
    verified="right means after each of five calls in both modes, without a trace for each",
    answer=solutions.RunningMean,
)


class _Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs) -> None:
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.head = nnx.Linear(3, 1, kernel_init=nnx.initializers.ones, rngs=rngs)

    def __call__(self, x: Any) -> Any:
        return self.head(self.drop(self.norm(x)))


@cache
def _trained() -> tuple[Any, ...]:
    net = _Net(nnx.Rngs(0))
    x = np.random.default_rng(1).normal(size=(8, 3)).astype("float32")
    return net, nnx.Optimizer(net, optax.sgd(0.125), wrt=nnx.Param), x, np.ones((8, 1), "float32")


def _training() -> tuple[Any, ...]:
    return copy.deepcopy(_trained())


@cache
def _target_losses() -> list[Any]:
    step, args = nnx.jit(solutions.train_step), _training()
    return [jax.tree.map(np.asarray, step(*args)) for _ in range(2)]


def _trains(answer: Any) -> None:
    target = nnx.jit(solutions.train_step)
    for graph in MODES.values():
        step = attempt(nnx.jit, answer, graph=graph)
        attempt(step, *_training())  # a stub says so before the target is compiled
        updates_like(target, *_training())(step)


def _losses(answer: Any, graph: bool) -> None:
    step, args = nnx.jit(answer, graph=graph), _training()
    for n, wanted in enumerate(_target_losses(), start=1):
        given = f"(loss in training, loss in evaluation), step {n}"
        compare(wanted, attempt(step, *args), given=given)


train_step = Exercise(
    name="train_step",
    questions=(_trains, *_in_both_modes(1, _losses, "two steps under `nnx.jit`")),
    hints=(
        "List what each of the two calls of `mse` may change: weights, statistics, "
        "the count of noise, settings.",
        "`nnx.value_and_grad` gives loss and gradients, `optimizer.update` takes the module and "
        "the gradients, `nnx.view` makes an object with other settings.",
        "Four lines: loss and gradients; the update; a view that neither drops nor averages; "
        "and a pair of the first loss and the loss of the view.",
    ),
    verified="right losses, weights, statistics and counts after two steps, one trace in each mode",
    answer=solutions.train_step,
)


class _Noisy(nnx.Module):
    def __init__(self) -> None:
        self.kernel = nnx.Param(jnp.arange(12.0).reshape(4, 3))

    def __call__(self, x: Any, rngs: nnx.Rngs) -> Any:
        return self.kernel @ x + rngs.uniform((4,))


def _called(answer: Any, n: int) -> Callable[..., Any]:
    return lambda net, x, rngs: answer(net, x, rngs, n)


def _ways(call: Callable[..., Any]) -> Iterator[tuple[str, Callable[..., Any]]]:
    yield "without `nnx.jit`", call
    yield from ((mode, nnx.jit(call, graph=graph)) for mode, graph in MODES.items())


def _has_noise_of_its_own(answer: Any) -> None:
    net, n = _Noisy(), 3
    wanted = np.asarray(net.kernel[...] @ _x)
    for way, call in _ways(_called(answer, n)):
        rngs = nnx.Rngs(0)
        first, second = (attempt(call, net, _x, rngs) for _ in range(2))
        compare(np.broadcast_to(wanted, (n, 4)), _without_noise(first, wanted), given=way)
        require(_rows(first) == n, "keys/related", given=way, results=n, different=_rows(first))
        again = jnp.concatenate([first, second])
        saw = {"given": way, "different_results_of_two_calls": f"{_rows(again)} of {2 * n}"}
        require(_rows(again) > n, "nnx/lost-change", where="rngs", **saw)


def _without_noise(got: Any, wanted: Any) -> Any:
    """Return what a result should be where its noise lies between 0 and 1, and it elsewhere."""
    if not isinstance(got, jax.Array) or got.shape[1:] != wanted.shape:
        return got
    noise = got - wanted
    return jnp.where((noise > -1e-4) & (noise < 1 + 1e-4), wanted, got)


def _rows(results: Any) -> int:
    return len({tuple(row) for row in np.asarray(results).tolist()})


def _does_not_grow(answer: Any) -> None:
    args = _Noisy(), _x, nnx.Rngs(0)
    few, many = (attempt(find_equations, _called(answer, n), *args) for n in (2, 5))
    saw = {f"n = {n}": f"{len(eqns)} equations" for n, eqns in ((2, few), (5, many))}
    require(len(many) <= len(few), "loops/unrolled", grown(few, many), **saw)


samples = Exercise(
    name="samples",
    questions=(_has_noise_of_its_own, _does_not_grow),
    hints=(
        "Ask of each argument: is it the same in all runs, or has each run one of its own?",
        "`rngs.split(n)` makes `Rngs` with `n` keys in each stream, and moves the old ones on. "
        "`nnx.vmap` maps every argument unless `in_axes` says `None`.",
        "A function of one `Rngs` that calls the network, mapped over `Rngs` that were split.",
    ),
    verified="three results of different noise, others in a second call, in both modes; one size",
    answer=solutions.samples,
)


class _Digit(nnx.Module):
    """Write its number and one random bit behind the digits of `h`, in base 16."""

    def __init__(self, number: Any) -> None:
        self.number, self.calls = nnx.Param(number), nnx.Variable(jnp.zeros((), int))

    def __call__(self, h: Any, rngs: nnx.Rngs) -> Any:
        self.calls[...] += 1
        return 16 * h + 2 * self.number[...] + (rngs.uniform(h.shape) < 0.5)


def _stack(depth: int) -> tuple[Any, ...]:
    return nnx.vmap(_Digit)(jnp.arange(1.0, depth + 1)), jnp.zeros(32), nnx.Rngs(0)


def _goes_through_all(answer: Any) -> None:
    for way, call in _ways(answer):
        args = _stack(3)
        first = attempt(call, *args)
        typed = 0 * first if isinstance(first, jax.Array) else first
        compare(np.zeros(32, "float32"), typed, given=way)
        numbers, bits = _decoded(first)
        saw = {"given": way, "blocks_in_order": " ".join(map(str, numbers))}
        require(numbers == [1, 2, 3], "value/differs", **saw, wanted="1 2 3")
        require(len(set(bits)) == 3, "keys/related", given=way, different=len(set(bits)))
        calls = args[0].calls[...].tolist()
        lost = partial(require, code="nnx/lost-change", given=way)
        lost(calls == [1, 1, 1], where="blocks.calls", wanted=[1, 1, 1], got=calls)
        _, other = _decoded(attempt(call, *args))
        lost(other != bits, where="rngs", noise_of_a_second_call="the same")


def _decoded(result: Any) -> tuple[list[int], list[tuple[int, ...]]]:
    """Return the numbers of the blocks that wrote a result, first to last, and the bits of each."""
    values = np.asarray(result).astype(int)
    digits = [(values >> 4 * i) % 16 for i in (2, 1, 0)]
    return [int(each[0]) // 2 for each in digits], [tuple((each % 2).tolist()) for each in digits]


deep = Exercise(
    name="deep",
    questions=(_goes_through_all, keeps_its_size(_stack, 2, 5)),
    hints=(
        "Two things change from block to block. One of them is `h`; "
        "ask where the other one comes back.",
        "`nnx.scan` takes `in_axes` with one `nnx.Carry`; a carry may be a tuple, of arrays and "
        "NNX objects. A module that is shared keeps its start value in graph mode.",
        "A function of a block and a pair, which returns the pair; scanned over axis 0 of the "
        "blocks, with the pair as carry on both sides.",
    ),
    verified="three blocks in order, noise of their own in each and in a second call; one size",
    answer=solutions.deep,
)
