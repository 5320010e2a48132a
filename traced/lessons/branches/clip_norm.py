"""Shorten a gradient to a traced limit, and compute nothing where a flag disables that."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Found, fault
from traced.internals.jaxprs import nested_jaxprs
from traced.lessons.branches.solutions.clip_norm import clip_norm as solution
from traced.lessons.edge_cases import vectors
from traced.numbers.nans import find_first_nan
from traced.programs.jaxprs import dead_equations, find_equations
from traced.programs.stages import count_stages
from traced.questions import can_be_traced, compare, traces_at_most, works_under_jit
from traced.running.attempt import attempt

_G = jnp.array([3.0, -4.0])

#: In a trace, the equations that choose.
_CHOICES = ("select_n", "cond")


def _shortened(g: Any, limit: float, enabled: bool) -> Any:
    length = np.sqrt(np.sum(np.square(g)))
    return np.asarray(g) * np.float32(limit / length if enabled and length > limit else 1)


def _when_enabled(answer: Any) -> Callable[..., Any]:
    return lambda g: answer(g, 1.0, True)


def _works_under_jit(answer: Any) -> None:
    """Require the work under `jit`; of a branch on a tracer, tell which arguments decide it."""
    try:
        works_under_jit(_when_enabled, _G)(answer)
    except Found as found:
        if found.finding.code == "tracing/branch-on-tracer":
            can_be_traced(_G)(_when_enabled(answer))
        raise


def _shortens_where_enabled(answer: Any) -> None:
    cases = (
        (_G, 1.0, True),
        (_G, 2.5, True),
        (_G, 9.0, True),
        (_G, 5.0, True),
        (0 * _G, 1.0, True),
    )
    for g, limit, enabled in (*cases, (_G, 1.0, False)):
        given = f"g = {g}, limit = {limit}, enabled = {enabled}"
        wanted, got = _shortened(g, limit, enabled), attempt(answer, g, limit, enabled)
        if np.shape(got) == g.shape and not np.isfinite(got).all():
            first = attempt(find_first_nan, partial(answer, g, limit, enabled))
            saw = {"given": given, "wanted": wanted, "got": got}
            if first is not None and first.primitive:
                saw["operation"] = f"{first.primitive} of {', '.join(first.operands)}"
            raise fault("value/nan", first and first.place, **saw)
        compare(wanted, got, given=given)


def _shortens_vectors_of_any_length(answer: Any) -> None:
    for name in ("one entry", "entries from -100 to 100", "one large entry", "257 entries"):
        g = jnp.asarray(vectors()[name])
        given = f"{name}, limit = 0.25, enabled = True"
        compare(_shortened(g, 0.25, True), attempt(answer, g, 0.25, True), given=given)


def _shortens_to_any_length(answer: Any) -> None:
    """Require the length, as a share of the limit, where a small number added to it would show."""
    for scale, limit in ((1e-4, 1e-4), (1e6, 1e4)):
        g = np.float32(scale) * np.array([3.0137, -4.0291], np.float32)
        got = np.asarray(attempt(answer, jnp.asarray(g), limit, True)) / np.float32(limit)
        given = f"g = {g}, limit = {limit}, enabled = True"
        compare(_shortened(g, limit, True) / np.float32(limit), got, given=f"{given}; by limit")


def _computes_nothing_when_disabled(answer: Any) -> None:
    def disabled(g: Any) -> Any:
        return answer(g, 1.0, False)

    # Dead equations are dropped when the jaxpr is lowered.
    if not attempt(count_stages, disabled, _G).stablehlo:
        return
    eqns = attempt(find_equations, disabled, _G)
    bodies = [body for each in eqns for body in nested_jaxprs(each.eqn)]
    dead = [eqn for body in bodies for eqn in dead_equations(body)]
    left = [each for each in eqns if not each.dead and all(each.eqn is not eqn for eqn in dead)]
    work = [each for each in left if not each.nests]
    choices = [each.place for each in left if each.primitive in _CHOICES]
    if choices:
        raise fault("branches/known-in-advance", choices[0], enabled=False, equations=len(work))
    # Python has chosen, and something is done to the gradient all the same, such as times 1.
    done = ", ".join(each.primitive for each in work)
    seen = {"given": "enabled = False", "wanted": "no equation", "got": done}
    raise fault("tracing/other-equations", *[each.place for each in work[-1:]], **seen)


clip_norm = Exercise(
    name="clip_norm",
    questions=(
        _works_under_jit,
        traces_at_most(
            2, _shortens_where_enabled, "limits 1.0, 2.5, 9.0, 5.0 and 1.0 enabled, then disabled"
        ),
        _shortens_vectors_of_any_length,
        _shortens_to_any_length,
        _computes_nothing_when_disabled,
    ),
    hints=(
        "There are two choices in one `if`. Ask of each: is it known while JAX traces, "
        "or does it depend on the numbers in `g`?",
        "A flag is known if it is a static argument. The comparison of two traced numbers needs "
        "`jnp.where`, or the smaller of two factors.",
        "One static name for `jit`; a plain `if` on the flag that returns early; "
        "below it one expression that picks the factor.",
    ),
    verified="right values for six calls from two traces, for vectors of four lengths, and for a "
    "limit of 0.0001 and of 10,000; none of the work where it is disabled",
    answer=solution,
)
