"""Differentiate a function of one example for each example of a batch, and for no other."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Question
from traced.lessons.vmap.solutions.slopes import slopes as solution
from traced.questions import keeps_its_size, needs_at_most, returns

_F = Callable[[Any], Any]


def _energy(x: Any) -> Any:
    return jnp.sum(jnp.sin(x) * x)


def _slopes_of_energy(stack: Any) -> Any:
    return np.cos(stack) * stack + np.sin(stack)


def _squares(x: Any) -> Any:
    return jnp.sum(x * x)


def _twice(stack: Any) -> Any:
    return np.asarray(stack) + np.asarray(stack)


def _spread(x: Any) -> Any:
    """Return a number in which the entries are mixed, that depends on their order and the axes."""
    weights = np.arange(1, 1 + x.size, dtype=np.float32).reshape(x.shape)
    return jnp.sum(x**2) * jnp.sum(weights * x) / 2 + x.ndim * jnp.max(x)


def _slopes_of_spread(stack: Any) -> Any:
    stack = np.asarray(stack)
    inner = tuple(range(stack.ndim - 1))
    shape = stack.shape[:-1]
    weights = np.arange(1, 1 + np.prod(shape), dtype=np.float32).reshape(*shape, 1)
    squares, total = (stack**2).sum(inner), (weights * stack).sum(inner)
    largest = len(inner) * (stack == stack.max(inner))
    return stack * total + weights * squares / 2 + largest


def _stack(*shape: int) -> Any:
    numbers = np.sin(np.arange(1, 1 + np.prod(shape))).reshape(shape)
    return jax.device_put(numbers.astype(np.float32))


def _asked_of(f: _F, question: Question) -> Question:
    """Put a question about a function of the stack alone."""
    return lambda answer: question(lambda stack: answer(f, stack))


def _returns_the_slopes(f: _F, slopes_of: _F, *stacks: Any) -> Question:
    # Of one program, so that an answer without `jit` compiles few.
    return _asked_of(jax.jit(f), returns(slopes_of, *((stack,) for stack in stacks)))


#: So many that the Jacobian of all by all takes a hundred times the bytes of what is asked.
_LARGE = _stack(3, 3, 512)

slopes = Exercise(
    name="slopes",
    questions=(
        _returns_the_slopes(
            _energy,
            _slopes_of_energy,
            *(_stack(2, 5), _stack(3, 3), _stack(1, 1)),
            *jax.device_put((np.zeros((2, 5), np.float32), np.ones((2, 5), np.float32))),
        ),
        _returns_the_slopes(
            _spread, _slopes_of_spread, _stack(3, 3, 5), _stack(2, 2, 2), _stack(6)
        ),
        # Twice a number of few bits has as few, also where it is large.
        _returns_the_slopes(
            _squares, _twice, (1024 * _stack(2, 4)).astype(jnp.bfloat16), _stack(3, 301)
        ),
        _asked_of(_spread, keeps_its_size(lambda n: (_stack(3, 3, n),))),
        _asked_of(_spread, needs_at_most(20 * _LARGE.nbytes, _LARGE)),
    ),
    hints=(
        "Print the shape of the full Jacobian: it has the size of the batch twice. What is in it "
        "where the two numbers of the example differ?",
        "`jax.grad(f)` is a function of one example. `vmap` takes a negative axis, in `in_axes` "
        "and in `out_axes`.",
        "One line: the gradient function of one example, mapped from the last axis to the last "
        "axis.",
    ),
    verified="right slopes of three functions for eight stacks, one of them in half precision; no "
    "Jacobian of all by all, and the trace does not grow",
    answer=solution,
)
