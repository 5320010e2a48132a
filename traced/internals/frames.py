"""The calls of Python that led to an equation or to a tracer, or that are under way.

- `source_info.traceback` of an equation, and `_line_info` of a tracer of `jit`, hold the raw frames
  that led to it, down to the instruction: nothing public tells from which line an equation came,
  and that of a tracer stands in the error that using a dead one raises. Two draws in one line are
  two places, and a loop is one place that is reached again.
- `primal` or `val` is the tracer inside of one of `grad` or `vmap`.
- `vmap_f` and `jacfun`, the frames of `jax.vmap` and of `jax.jacfwd`: where a key is not batched,
  a jaxpr does not tell that its draw was made under `vmap`; the calls that led to it do.
- `discharge_state`, the frame of a rewriting of refs while JAX lowers, which is logged as a trace.
"""

import inspect
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from traced.internals.canary import canary, run_as_readers

if TYPE_CHECKING:
    from traced.internals.jaxprs import JaxprEqn

#: One call that was under way: its code, and the offset of the instruction that it had reached.
Call = tuple[CodeType, int]


SOURCE = """
def thrice(x):
    kept.append(x + x + x)
    return (x +
            x)
def under(transform, x):
    return jit(transform(thrice)).trace(x).jaxpr.eqns
"""


@canary("which lines of Python an equation came from")
def _lines_are_known() -> bool:
    """Trace a function whose lines are known, by itself and under transforms."""
    kept: list[Any] = []
    under = run_as_readers(SOURCE, kept=kept, jit=jax.jit)["under"]
    x = np.ones(2, "float32")

    def is_other(file: str) -> bool:
        return file != "canary.py"

    def seen(transform: Any) -> list[Any]:
        calls = [calls_to(eqn) for eqn in under(transform, x)]
        return [(*lines_of(each, is_other), count_vmaps(each, is_other)) for each in calls]

    tracers = []
    plain = list(map(calls_to, under(lambda f: f, x)))
    for transform in (lambda f: f, jax.vmap, lambda f: jax.grad(lambda x: f(x).sum())):
        under(transform, x)
        tracers.append(next(lines_of(calls_to_tracer(kept[-1]), is_other), None))
    own = [each for each in seen(jax.jacfwd) if len(each) > 1]
    return (
        seen(lambda f: f) == [(("canary.py", line), 0) for line in (3, 3, 4)]
        and seen(jax.vmap) == [(("canary.py", line), 1) for line in (3, 3, 4)]
        and {each[-1] for each in own} == {0}
        and plain[0] != plain[1]  # two places in one line
        and tracers == [("canary.py", 3)] * 3
    )


@_lines_are_known.guards
def calls_to(eqn: "JaxprEqn") -> tuple[Call, ...]:
    """Return the calls that led to an equation, innermost first, up to the enclosing jaxpr's."""
    return _calls(eqn.source_info)


@_lines_are_known.guards
def calls_to_tracer(tracer: Any) -> tuple[Call, ...]:
    """Return the calls that led to a tracer, innermost first.

    None are known for an input of the function, or where no tracer of `jit` is inside.
    """
    while tracer is not None and not hasattr(tracer, "_line_info"):
        tracer = getattr(tracer, "primal", getattr(tracer, "val", None))
    return () if tracer is None else _calls(tracer._line_info)


def _calls(source_info: Any) -> tuple[Call, ...]:
    traceback = source_info.traceback
    return tuple(zip(*traceback.raw_frames(), strict=True)) if traceback else ()


def calls_now() -> tuple[Call, ...]:
    """Return the calls that are under way, innermost first."""
    return tuple((frame.f_code, frame.f_lasti) for frame in frames_now())


def frames_now() -> Iterator[FrameType]:
    """Yield the frames of the calls that are under way, innermost first."""
    frame = inspect.currentframe()
    while frame := frame and frame.f_back:
        yield frame


def line_of(call: Call) -> int:
    """Return the line of its file that a call had reached."""
    code, offset = call
    lines = (line for start, end, line in code.co_lines() if start <= offset < end and line)
    return next(lines, code.co_firstlineno)


def lines_of(calls: tuple[Call, ...], skip: Callable[[str], bool]) -> Iterator[tuple[str, int]]:
    """Yield file and line of calls, less those in some files, and in methods that Python wrote."""
    # Dozens of calls lead to each equation: only those that are asked for get a line number.
    own = (call for call in calls if not (skip(call[0].co_filename) or is_generated(call[0])))
    return ((call[0].co_filename, line_of(call)) for call in own)


def is_generated(code: CodeType) -> bool:
    """Return whether Python wrote a method, such as one of a dataclass: it is in no file."""
    return code.co_filename == "<string>" and code.co_qualname.startswith("__create_fn__")


@_lines_are_known.guards
def count_vmaps(calls: tuple[Call, ...], is_library: Callable[[str], bool]) -> int:
    """Return how many calls of `vmap` are under way, without those that `jacfwd` makes."""
    names = [code.co_name if is_library(code.co_filename) else "" for code, _ in calls]
    # `jacfwd` maps over tangents, not over what the function is called with. Between the two
    # frames is one that tidies tracebacks.
    return sum(
        name == "vmap_f" and "jacfun" not in names[i + 1 : i + 3] for i, name in enumerate(names)
    )


def are_refs_rewritten() -> bool:
    """Return whether JAX is rewriting a jaxpr that writes to refs, which no Python runs for."""
    return any(frame.f_code.co_name == "discharge_state" for frame in frames_now())
