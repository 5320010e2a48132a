"""Complete a noisy walk in which each step has a key of its own, as one loop of JAX's."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import random

from traced.course.exercise import Exercise
from traced.findings.feedback import Found, fault, require
from traced.lessons.randomness.draws import (
    compare_types,
    deviation,
    draws_like,
    equations_do_not_grow,
    for_each_key,
    require_independent,
    require_no_copies,
    require_normal,
    require_scale,
    without_reuse_checker,
    zeros_like,
)
from traced.lessons.randomness.solutions.rollout import rollout as solution
from traced.programs.jaxprs import find_equations
from traced.questions import spends_each_key_once
from traced.running.attempt import attempt

_KEYS, _STEPS, _FAR = 2500, 400, 1000


def _zeros(n: int) -> Any:
    return np.zeros(n, np.float32)


def _walks_by_unrelated_normal_steps(answer: Any) -> None:
    """Require of many walks that what is added to half a position is standard normal."""
    got = for_each_key(answer, _KEYS, _STEPS)
    wanted = np.zeros((_KEYS, _STEPS), np.float32)
    compare_types(wanted, got, f"{_KEYS} keys under `vmap`, n = {_STEPS}")
    walks = np.asarray(got, float).T
    before = np.stack([np.zeros(_KEYS), *walks[:-1]])
    noise = walks - 0.5 * before
    of = f"a position less half the one before, for {_KEYS} keys"
    require_normal(noise[:1], f"{of}, at position 1")
    for walk in noise.T[:10]:
        require_no_copies(walk, f"what {_STEPS} steps of a walk add to half the one before")
    _keeps_half_of_each_position(walks, before)
    require_scale(noise[0], f"{of}, at position 1")
    for i, numbers in enumerate(noise, start=1):
        require_scale(numbers, f"{of}, at position {i}", tests=_STEPS)
    require_scale(noise, of)
    require_independent(noise, _name, of)
    # Of all positions it can be told only now: a chi-square is one of independent numbers.
    require_normal(noise, of)


def _keeps_half_of_each_position(walks: Any, before: Any) -> None:
    """Require the part of a position that is kept in the next one, by least squares."""
    squares = np.sum(before**2)
    kept = np.sum(walks * before) / squares
    saw = {"kept_of_the_position_before": f"{kept:.2f}", "wanted": "0.50"}
    require(bool(abs(kept - 0.5) < deviation() / np.sqrt(squares)), "value/differs", **saw)


def _takes_a_few_steps_likewise(answer: Any) -> None:
    """Require short walks to add standard normal numbers, none of which follows from the others."""
    for n in (3, 1):
        got = for_each_key(answer, _KEYS, n)
        walks = np.asarray(got, float).T
        noise = walks - 0.5 * np.stack([np.zeros(_KEYS), *walks[:-1]])
        of = f"a position less half the one before, for {_KEYS} keys and n = {n}"
        if n > 1 and noise.std(axis=1).all():
            require_independent(noise, _name, of)
        require_scale(noise, of)
        require_normal(noise, of)


def _walks_far(answer: Any) -> None:
    got = attempt(jax.eval_shape, lambda key: answer(key, _FAR), random.key(0))
    compare_types(_zeros(_FAR), zeros_like(got), f"key(0), n = {_FAR}")
    walk = np.asarray(for_each_key(answer, 1, _FAR)[0], float)
    of, zeros = f"a walk of {_FAR} steps", np.flatnonzero(walk == 0)
    saw = {"wanted": "numbers other than 0", "got": f"{len(zeros)} that are 0"}
    saw |= {"the_first_zero": f"at position {zeros[0] + 1}"} if len(zeros) else {}
    require(len(zeros) < 10, "value/differs", of=of, **saw)
    _require_32_bits(of, walk == walk.astype(np.float16))
    added = walk - 0.5 * np.concatenate([np.zeros(1), walk[:-1]])
    of = f"what {_FAR} steps of a walk add to half the one before"
    if added.std() > 0:
        # A position is rounded, and so is what was added to it by that.
        close = abs(added - added.astype(np.float16)) < 2e-7 * np.maximum(abs(walk), 0.1)
        if len(np.unique(abs(added).round(6))) > _FAR // 10:
            _require_32_bits(of, close)
        try:
            require_no_copies(added, of)
        except Found as found:
            raise _drawn_in_16_bits(answer, of) or found from None


def _drawn_in_16_bits(answer: Any, of: str) -> Found | None:
    """Return the fault of numbers of 16 bits on the way, few of which are different ones.

    A compiler may leave out the rounding to so many bits, but draws no other numbers.
    """
    for each in attempt(find_equations, lambda key: answer(key, 5), random.key(0)):
        avals: list[Any] = [var.aval for var in each.eqn.outvars]
        for dtype in (getattr(aval, "dtype", None) for aval in avals):
            if dtype in _SHORT:
                got = f"{dtype.name}, by `{each.primitive}`"
                saw = {"wanted": "numbers of 32 bits", "got": got}
                return fault("value/differs", each.place, of=of, **saw)
    return None


#: The dtypes of numbers of 16 bits.
_SHORT = (jnp.float16, jnp.bfloat16)


def _require_32_bits(of: str, short: Any) -> None:
    """Require most of these numbers not to be those of 16 bits, as `short` says of each."""
    saw = {"wanted": "numbers of 32 bits", "got": f"{np.mean(short):.0%} of them have 16 bits"}
    require(bool(np.mean(short) < 0.5), "value/differs", of=of, **saw)


def _name(step: int) -> str:
    return f"step {step + 1}"


rollout = Exercise(
    name="rollout",
    questions=without_reuse_checker(
        draws_like(_zeros, (4,), (6,), (1,)),
        spends_each_key_once(random.key(0), 5),
        # Before 400 steps are taken: compiled from a loop in Python, they would take minutes.
        equations_do_not_grow(lambda n: (random.key(0), n), 4, 12, 400),
        _walks_far,
        _walks_by_unrelated_normal_steps,
        _takes_a_few_steps_likewise,
    ),
    hints=(
        "In the walk above, `scan` hands its body a row at a time. An array of keys has rows too.",
        "`random.split(key, n)` is an array of n keys, which can be the third argument of `scan`.",
        "The body takes a position and a key, and returns the next position twice. "
        "The scan starts at zero and walks along as many keys as there are steps.",
    ),
    verified="400 steps for 2500 keys, standard normal and unrelated, in as many equations as four",
    answer=solution,
)
