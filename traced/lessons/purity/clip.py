"""Scale a vector to norm 1 at most under `jit`, and print at every call the norm that it had."""

import contextlib
import io
import re
from collections.abc import Set
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import fault
from traced.lessons.edge_cases import vectors
from traced.lessons.purity.solutions.clip import clip as solution
from traced.programs.jaxprs import count_primitives
from traced.questions import compare, traces_at_most, works_under_jit
from traced.running.attempt import attempt

# Of norms that one decimal tells; the first one is given twice.
_VECTORS = (
    (3.0, 4.0, 12.0),
    (0.0, 0.3, 0.4),
    (0.0, 0.0, 0.0),
    (1.2, -0.9, 0.0),
    (3.0, 4.0, 12.0),
)

_OTHER_NORM = "the norm to print is that of the vector that the call was given"

_TEXT = "JAX traces while a text is made: the number goes to `jax.debug.print` beside it"
_DROPPED = "a `pure_callback` whose result nobody uses may be dropped; `jax.debug.print` stays"
_BRANCH = "what stands in a branch is printed where that branch is taken"

_NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")


def _clipped(g: Any) -> Any:
    return g / np.maximum(np.linalg.norm(g), np.float32(1.0))


def _clips_and_prints_the_norm(answer: Any) -> None:
    for g in (np.array(entries, "float32") for entries in _VECTORS):
        _compare_call(answer, g)


def _takes_other_lengths(answer: Any) -> None:
    # The norms of the first two are nearly 1, and one decimal tells them.
    for entries in ((-0.91,), (0.609, 0.812), (0.60054, 0.80072), (3e5, -4e5)):
        _compare_call(answer, np.array(entries, "float32"))
    _compare_call(answer, vectors()["entries from -100 to 100"])
    many = np.arange(301, dtype="float32") % 7 - 2
    many[3] += 1e-6  # beside others of 1
    _compare_call(answer, many)


def _compare_call(answer: Any, g: Any) -> None:
    result, printed = _run_and_read(answer, jnp.asarray(g))
    compare(_clipped(g), result, given=f"g = {_shown(g)}")
    _require_printed(answer, g, printed)


def _shown(g: Any) -> str:
    return str(g) if g.size < 10 else f"{g.size} entries"


def _require_printed(f: Any, g: Any, printed: str, **how: str) -> None:
    norm = np.linalg.norm(g)
    numbers = [float(each) for each in _NUMBER.findall(printed)]
    shown = any(np.isclose(each, norm, rtol=0.01, atol=0.01) for each in numbers)
    saw = {"given": f"g = {_shown(g)}, norm {norm:.3g}", "printed": printed.strip() or "nothing"}
    if not shown:
        rule = _rule_of(printed, bool(numbers), _primitives(f, jnp.asarray(g)))
        raise fault("effects/not-printed", **how, **saw).saying(rule=rule)


def _rule_of(printed: str, numbers: bool, primitives: Set[str]) -> str:
    """Return what is to be said where the norm was not printed, or nothing for the usual rule."""
    has_a_print = any(name.startswith("debug") for name in primitives)
    if "Tracer" in printed:
        return _TEXT if has_a_print else ""
    if numbers:
        return _OTHER_NORM
    if printed.strip():
        return ""
    if "pure_callback" in primitives:
        return _DROPPED
    return _BRANCH if has_a_print else ""


def _primitives(f: Any, g: Any) -> set[str]:
    with contextlib.redirect_stdout(io.StringIO()):
        return set(attempt(count_primitives, lambda g: f(g), g))


def _run_and_read(f: Any, *args: Any) -> tuple[Any, str]:
    """Return the result of a call and what was printed until all its effects were done."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        result = attempt(f, *args)
        jax.effects_barrier()  # type: ignore[no-untyped-call]  # JAX gives it no types
    return result, out.getvalue()


def _does_so_in_a_jitted_caller(answer: Any) -> None:
    _clips_and_prints_the_norm(jax.jit(lambda g: answer(g)))


def _prints_where_its_result_is_dropped(answer: Any) -> None:
    """Require the norm of a call from a jitted function that makes no use of the result."""

    @jax.jit
    def caller(g: Any) -> Any:
        answer(g)
        return 2 * g

    for g in (np.array(entries, "float32") for entries in _VECTORS[:2]):
        printed = _run_and_read(caller, jnp.asarray(g))[1]
        _require_printed(caller, g, printed, by="a caller that drops it")


clip = Exercise(
    name="clip",
    questions=(
        traces_at_most(1, _clips_and_prints_the_norm, "g of norms 13, 0.5, 0, 1.5 and 13"),
        _takes_other_lengths,
        traces_at_most(
            1, _does_so_in_a_jitted_caller, "the same, from a jitted function that calls `clip`"
        ),
        _prints_where_its_result_is_dropped,
        works_under_jit(lambda answer: answer, jnp.array([3.0, 4.0, 12.0])),
    ),
    hints=(
        "A value is wanted from inside the compiled program. Ask which kind of print "
        "leaves an equation.",
        "`jax.debug.print` takes a format string and, by name, the values to put into it.",
        "Under `jit`: compute the norm, print it with the tool that prints at run time, "
        "divide the vector by the norm or by 1, whichever is larger.",
    ),
    verified="right values and a printed norm at each of eleven calls, also from another jitted "
    "function, and from one that drops the result",
    answer=solution,
)
