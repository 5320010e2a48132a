"""Write a scan through blocks in which each draws other noise and counts its calls."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from traced.course.exercise import Exercise
from traced.findings.feedback import fault, require
from traced.lessons.nnx_axes.solutions.deep import deep as solution
from traced.lessons.nnx_transforms.modes import (
    repeated_noise,
    require_all_different,
    require_noise_of_rngs,
    ways_to_call,
    zeros_for,
)
from traced.modules.questions import lost_change
from traced.questions import compare, keeps_its_size
from traced.running.attempt import attempt


class _Digit(nnx.Module):
    """Write its number and one random bit behind the digits of `h`, in base 16, and count.

    The bits are those of one key, for which less is compiled than for drawn numbers.
    """

    def __init__(self, number: Any) -> None:
        self.number, self.calls = nnx.Param(number), nnx.Variable(jnp.zeros((), int))

    def __call__(self, h: Any, rngs: nnx.Rngs) -> Any:
        if h.shape != _H.shape:
            raise TypeError(f"a block takes an array of shape {_H.shape}, got {h.shape}")
        self.calls[...] += 1
        h = 16 * h + 2 * self.number[...]
        word = jax.random.key_data(rngs()).ravel()[0]
        return h + ((word >> jnp.arange(h.size, dtype=word.dtype)) & 1).reshape(h.shape)


#: What is sent through: a digit of its own in each entry, so that two axes and each entry are seen.
_H = np.arange(32, dtype="float32").reshape(4, 8) % 7 - 3


def _numbers(depth: int) -> Any:
    """Return the numbers of so many blocks: 1, 2, 2, 3, 3 and so on, so that not all differ."""
    return np.arange(2.0, depth + 2, dtype="float32") // 2


def _arguments(depth: int) -> tuple[Any, ...]:
    """Return blocks, an array, and random numbers."""
    return nnx.vmap(_Digit)(jnp.asarray(_numbers(depth))), jnp.asarray(_H), nnx.Rngs(0)


def _digits(result: Any, depth: int) -> Any:
    """Return the digits of a result, first to last: that of `h` and 3, and one of each block."""
    values = np.asarray(result).astype(int) + 3 * 16**depth
    return np.stack([(values >> 4 * i) % 16 for i in range(depth, -1, -1)])


def _bits(result: Any, depth: int) -> list[tuple[int, ...]]:
    """Return the noise of each block, first to last."""
    return [tuple((each % 2).ravel().tolist()) for each in _digits(result, depth)[1:]]


def _goes_through_all(answer: Any) -> None:
    """Require all blocks in order, their counts, and noise that differs in blocks and calls."""
    depth = 4
    for way, call in ways_to_call(answer):
        args = _arguments(depth)
        first = attempt(call, *args)
        compare(np.zeros_like(_H), zeros_for(first), given=way)
        _require_no_second_call(args[0], way)
        _require_blocks(first, depth, way)
        _require_numbers(args[0], depth, way)
        bits = _bits(first, depth)
        require_all_different(bits, f"{depth} blocks, {way}")
        _require_counts(call, args, 1, way)
        # With blocks that nobody has called, whose counts no noise can come of.
        others = _arguments(depth)[0], *args[1:]
        for second in (others, args):
            again = _bits(attempt(call, *second), depth)
            if again == bits:
                noise = partial(_bits, depth=depth)
                raise repeated_noise(call, _named(second), noise, way)
            require_all_different([*bits, *again], f"{depth} blocks, {way}, in two calls")
        _require_counts(call, args, 2, way)
        other = attempt(call, args[0], args[1], nnx.Rngs(1))
        require_noise_of_rngs(bits, _bits(other, depth), way)


def _named(args: tuple[Any, ...]) -> dict[str, Any]:
    return dict(zip(("blocks", "h", "rngs"), args, strict=True))


def _require_no_second_call(blocks: Any, way: str) -> None:
    """Require no block to be called twice: the result has no digits for that."""
    got = blocks.calls[...]
    compare(np.minimum(got, 1), got, given=way, at="blocks.calls")


def _require_blocks(result: Any, depth: int, way: str) -> None:
    """Require a result that went through all blocks in order."""
    digits = _digits(result, depth)
    wanted = _numbers(depth).astype(int)
    differing = np.argwhere((digits[1:] // 2 != wanted[:, None, None]).any(axis=0))
    if differing.size:
        where = tuple(differing[0])
        numbers = digits[1:, *where] // 2
        saw = {"given": way, "at": f"result{differing[0].tolist()}"}
        if numbers.max() > wanted.max() or numbers.min() < 1:
            value = np.asarray(result)[where]
            raise fault("value/differs", **saw, got=f"{value}, which the blocks alone do not give")
        saw["blocks in order"] = " ".join(map(str, numbers))
        raise fault("value/differs", **saw, wanted=" ".join(map(str, wanted)))
    compare(_H.astype(int), digits[0] - 3, given=way, at="h, which is sent through")


def _require_numbers(blocks: Any, depth: int, way: str) -> None:
    """Require the parameters of the blocks to be as they were."""
    wanted, got = _numbers(depth), blocks.number[...]
    same = np.array_equal(wanted, got)
    require(same, "nnx/changed", given=way, where="blocks.number", before=wanted, after=got)


def _require_counts(call: Any, args: tuple[Any, ...], calls: int, way: str) -> None:
    """Require so many calls of each block."""
    got = args[0].calls[...]
    if calls == 1 and not np.any(got):
        saw = {"given": way, "wanted": np.ones_like(got), "got": got}
        raise lost_change(call, _named(args), "blocks.calls", "value", **saw)
    compare(np.full_like(got, calls), got, given=way, at="blocks.calls")


deep = Exercise(
    name="deep",
    questions=(_goes_through_all, keeps_its_size(_arguments, 2, 5)),
    hints=(
        "Two things change from block to block. One of them is `h`; "
        "ask where the other one comes back.",
        "`nnx.scan` takes `in_axes` with one `nnx.Carry`; a carry may be a tuple, of arrays and "
        "NNX objects. A module that is shared keeps its start value in graph mode.",
        "A function of a block and a pair, which returns the pair; scanned over axis 0 of the "
        "blocks, with the pair as carry on both sides.",
    ),
    verified="blocks in order, noise of their own in each and in a second call, counts; one size",
    answer=solution,
)
