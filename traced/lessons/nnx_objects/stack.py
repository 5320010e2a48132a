"""Repair the attributes of a stack of layers, so that stacks with other weights share a trace."""

from collections.abc import Iterable
from functools import partial, reduce
from itertools import permutations
from typing import Any

import jax
import numpy as np
from flax import nnx

from traced.course.exercise import Exercise
from traced.findings.feedback import Found, fault, require
from traced.lessons.nnx_objects.solutions.stack import Stack as Solution
from traced.modules.questions import shares_nothing
from traced.questions import compare, derives_its_values, spends_each_key_once, traces_at_most
from traced.running.attempt import attempt


def _layers(made: Any) -> list[tuple[Any, Any]]:
    """Return the kernel and the bias of each layer; those made by `nnx.vmap` lie in one object."""
    layers: list[tuple[Any, Any]] = []
    for each in _linears(made):
        kernel = np.asarray(each.kernel[...])
        bias = np.zeros_like(kernel[..., 0, :]) if each.bias is None else np.asarray(each.bias[...])
        layers += zip(kernel, bias, strict=True) if kernel.ndim == 3 else [(kernel, bias)]
    return layers


def _scaled(layers: Iterable[tuple[Any, Any]], scale: float, x: Any) -> Any:
    """Return what a stack should return, going by the layers that it has."""
    return np.float32(scale) * reduce(lambda x, layer: x @ layer[0] + layer[1], layers, x)


def _rows(size: int) -> Any:
    """Return rows of numbers of both signs, some of them in the hundreds."""
    rows = np.linspace(-2, 3, 4 * size, dtype=np.float32).reshape(4, size)
    rows[0] *= 200
    return rows


def _linears(made: Any) -> list[Any]:
    return [part for _, part in nnx.iter_modules(made) if isinstance(part, nnx.Linear)]


def _bias_its_layers(made: Any) -> None:
    """Give each layer of a stack a bias of its own, as training does: a new layer's is zero."""
    for n, each in enumerate(_linears(made), 1):
        if each.bias is not None:
            shape = np.shape(each.bias[...])
            entries = np.linspace(-1, n, np.size(each.bias[...]), dtype=np.float32)
            each.bias[...] = jax.device_put(entries.reshape(shape))


def _require_stack(made: Any, size: int, depth: int, scale: float, call: Any) -> None:
    """Require layers that are as many objects, and the right result of calling the stack."""
    shares_nothing()(lambda: made)
    attempt(_bias_its_layers, made)
    layers = attempt(_layers, made)
    wanted = f"{depth} layers"
    require(len(layers) == depth, "value/structure", wanted=wanted, got=f"{len(layers)}")
    got = attempt(call, _rows(size))
    # What the layers are called, and so their order here, is the answer's business.
    results = [_scaled(order, scale, _rows(size)) for order in permutations(layers)]
    fitting = [each for each in results if _is_close(each, got)]
    compare((fitting or results)[0], got, given=f"size {size}, depth {depth}, scale {scale}")


def _is_close(wanted: Any, got: Any) -> bool:
    is_array = isinstance(got, jax.Array | np.ndarray) and np.shape(got) == np.shape(wanted)
    return is_array and np.allclose(wanted, got, rtol=1e-4, atol=1e-6)


def _stacks_by_itself(answer: Any) -> None:
    """Require a right stack where nothing is jitted, of another size and depth than below."""
    made = attempt(answer, 3, 2, 3.0, nnx.Rngs(0))
    _require_stack(made, 3, 2, 3.0, made)


def _can_be_trained(answer: Any) -> None:
    """Require the derivatives by the kernels of its layers, and by what it is given."""
    made = attempt(answer, 2, 2, 0.5, nnx.Rngs(0))
    kernels = [each.kernel[...] for each in _linears(made)]

    def stacked(kernels: Any, x: Any) -> Any:
        copied = nnx.clone(made)
        for each, kernel in zip(_linears(copied), kernels, strict=True):
            each.kernel[...] = kernel
        return copied(x)

    derives_its_values(kernels, _rows(2)[1:])(jax.jit(stacked))


def _require_different(answer: Any, kernels: list[bytes]) -> None:
    """Require that no two layers have the same weights, be it by a random key or otherwise."""
    saw = {"layers_of_three_stacks": len(kernels), "different_weights": len(set(kernels))}
    if len(set(kernels)) == len(kernels):
        return
    try:
        spends_each_key_once(jax.random.key(71))(lambda key: answer(2, 3, 1.0, nnx.Rngs(key)))
    except Found as found:
        if found.finding.code == "keys/reused":
            raise fault("keys/reused", *found.finding.where, **saw) from None
    # Alike only if another stack is: what it was given has not reached the weights.
    if set(kernels[:3]) == set(kernels[3:6]):
        raise fault("keys/ignored", given="another `nnx.Rngs` for each stack", **saw)
    raise fault("value/differs", wanted=f"{len(kernels)} layers of different weights", **saw)


def _stacks_under_jit(answer: Any) -> None:
    """Require three right stacks of nine different weights, as arguments of one jitted function."""
    scales = (2.0, 0.3, -1.0)
    made = [attempt(answer, 2, 3, scale, nnx.Rngs(seed)) for seed, scale in enumerate(scales)]
    kernels = [kernel.tobytes() for stack in made for kernel, _ in _layers(stack)]
    _require_different(answer, kernels)
    # One that has been called before has the structure that it had.
    attempt(made[1], _rows(2))

    def apply(_: Any) -> None:
        # The answer's own function: only traces of the reader's code are recorded.
        call = jax.jit(type(made[0]).__call__)
        for stack, scale in zip(made, scales, strict=True):
            _require_stack(stack, 2, 3, scale, partial(call, stack))

    traces_at_most(1, apply, "three stacks with other weights and scales")(answer)


Stack = Exercise(
    name="Stack",
    questions=(_stacks_by_itself, _can_be_trained, _stacks_under_jit),
    hints=(
        "Three things are wrong: where the layers are kept, how many there are, and what a number "
        "counts as. `show_tree` tells what is static.",
        "A comprehension makes a new layer each time. `nnx.List` is a list that is data; an array "
        "or a Variable is data too.",
        "A list of fresh layers in a container of NNX, and the scale as an array. What is called "
        "changes little: a Variable is read with `[...]`.",
    ),
    verified="as many layers as asked for, each with weights of its own; right results at two "
    "sizes, with biases that are not zero; right derivatives; one trace for three stacks with "
    "other weights and scales",
    answer=Solution,
)
