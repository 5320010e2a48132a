"""Write a sum whose past decays at each step, with no step that waits for the one before it."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import fault, require
from traced.lessons.loops.equations import LOOPS, READ, grows_no_more_than
from traced.lessons.loops.rows import random_rows
from traced.lessons.loops.solutions.decayed_sum import decayed_sum as solution
from traced.lessons.one_program import as_one_program
from traced.numbers.slopes import require_slopes_along
from traced.programs.jaxprs import find_equations
from traced.questions import returns
from traced.running.attempt import attempt

_LONG, _LONGER = 256, 1500

#: The primitives by which a program calls Python, where a loop would be out of sight.
_CALLBACKS = ("pure_callback", "io_callback")
_LEAVES = "a callback leaves the program for Python, whose loops take one step after another"


def _of_ones(n: int) -> tuple[Any, ...]:
    ones = jax.device_put(np.ones(n, np.float32))
    return ones, ones


def _sums(decay: Any, x: Any) -> Any:
    decay, x = np.asarray(decay), np.asarray(x)
    y = [np.float32(x[0])]
    for d, value in zip(decay[1:], x[1:], strict=True):
        y.append(np.float32(d * y[-1] + value))
    return np.stack(y)


def _waits_for_nothing(answer: Any) -> None:
    """Require that there is no loop in the trace, nor a call of Python, where one would be."""
    for each in attempt(find_equations, answer, *_of_ones(16)):
        saw = {"primitive": each.primitive}
        require(each.primitive not in LOOPS, "loops/sequential", each.place, **saw)
        if each.primitive in _CALLBACKS:
            raise fault("cost/python-calls", each.place, **saw).saying(rule=_LEAVES, read=READ)


def _holds_no_pairs(answer: Any) -> None:
    """Require that no array in the trace has as many entries as there are pairs."""
    for each in attempt(find_equations, answer, *_of_ones(_LONG)):
        for var in each.eqn.outvars:
            large = np.prod(getattr(var.aval, "shape", ())) >= _LONG * (_LONG - 1) // 2
            require(not large, "cost/memory", each.place, an_array_of_all_pairs=str(var.aval))


def _adds_up_long_vectors(answer: Any) -> None:
    """Require the sums of long vectors, once with a past that fades and once with one that lasts.

    They are computed under `jit`: without it, each round's operations are compiled one by one.
    """
    # More steps than ten rounds of doubling reach.
    x = np.asarray(random_rows(_LONGER))
    # The product of all decays is zero in the first case, and most of one in the second.
    fading, lasting = np.float32(0.9) * np.cos(x), 1 - np.float32(1e-3) * abs(x)
    cases = jax.device_put([(fading, x), (lasting, np.ones_like(x))])
    as_one_program(returns(_sums, *cases))(answer)


def _follows_each_change(answer: Any) -> None:
    """Require the derivative by both vectors, along one direction for each."""
    decay, x = np.array([[5.0, 0.5, 0.0, -1.0, 3.0], [1.0, 2.0, 3.0, 4.0, 5.0]], np.float32)
    of_decay, of_x = np.array([[1.0, 2.0, -1.0, 0.5, 1.0], [0.5, -1.0, 2.0, 1.0, 0.0]], np.float32)
    before = np.concatenate([np.zeros(1, np.float32), _sums(decay, x)[:-1]])
    # A change of a decay shows as if the entry of `x` beside it had changed.
    wanted = _sums(decay, of_x + of_decay * before)
    at, along = jax.device_put(((decay, x), (of_decay, of_x)))
    require_slopes_along(answer, at, along, wanted)


decayed_sum = Exercise(
    name="decayed_sum",
    questions=(
        returns(
            _sums,
            (jnp.array([5.0, 0.5, 2.0, -1.0, 3.0]), jnp.array([1.0, 2.0, 3.0, 4.0, 5.0])),
            (jnp.array([1.0, 0.0, 0.9, 0.0, 0.5]), random_rows(5)),
            (jnp.array([100.0, -1000.0, 1000.0, 1e-6, 1.0]), random_rows(5)),
        ),
        _waits_for_nothing,
        as_one_program(
            returns(
                _sums,
                (jnp.ones(1), jnp.array([7.0])),
                (jnp.array([9.0, 2.0, 2.0]), jnp.ones(3)),
                (jnp.array([3.0, -0.5]), jnp.array([1.0, 2.0])),
            )
        ),
        grows_no_more_than(4, _of_ones, 16, _LONG),
        _holds_no_pairs,
        # Late, since what is unrolled would take its time.
        _adds_up_long_vectors,
        _follows_each_change,
    ),
    hints=(
        "A step does two things to what came before: it multiplies, and it adds. "
        "What do two steps in a row multiply by, and what do they add?",
        "`lax.associative_scan` takes pytrees: elements may be pairs of arrays. Its function "
        "gets an earlier and a later element, and returns the two as one.",
        "The function takes two pairs, first and second. The factor of both is the product; "
        "the summand of both is the first one's, multiplied on, plus the second one's. "
        "The result is the second half of the pair.",
    ),
    verified="right sums for eight pairs of vectors, and right derivatives; no loop, few "
    "equations, no array of all pairs",
    answer=solution,
)
