"""What the key probes read that is not public JAX API, each with its reason.

- The calls that led to an equation (`source_info.traceback`), down to the instruction: two draws
  in one line are two places, and a loop is one place that is reached again.
- `vmap_f` and `jacfun`, the frames of `jax.vmap` and of `jax.jacfwd`: where a key is not batched,
  a jaxpr does not tell that its draw was made under `vmap`; the calls that led to it do.
- How many inputs of a `scan` are constants and how many are carried: a parameter that the
  releases name differently.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FrameType
from typing import Any

from traced.probes.internals.traces import open_jaxpr
from traced.probes.places import is_library

#: One call that was under way: its code, and the offset of the instruction that it had reached.
Call = tuple[CodeType, int]


def calls_to(eqn: Any) -> tuple[Call, ...]:
    """Return the calls that led to an equation, innermost first, up to the enclosing jaxpr's."""
    traceback = eqn.source_info.traceback
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


def count_vmaps(calls: tuple[Call, ...]) -> int:
    """Return how many calls of `vmap` are under way, without those that `jacfwd` makes."""
    names = [code.co_name if is_library(code.co_filename) else "" for code, _ in calls]
    # `jacfwd` maps over tangents, not over what the function is called with. Between the two
    # frames is one that tidies tracebacks.
    return sum(
        name == "vmap_f" and "jacfun" not in names[i + 1 : i + 3] for i, name in enumerate(names)
    )


def bodies(params: Mapping[str, Any]) -> list[Any]:
    """Return the jaxprs in an equation's parameters, with their constants."""
    values = (value if type(value) in (tuple, list) else (value,) for value in params.values())
    return [each for group in values for each in group if hasattr(open_jaxpr(each), "eqns")]


def constants(jaxpr: Any) -> tuple[Any, ...]:
    """Return the values that a jaxpr has captured."""
    return tuple(getattr(jaxpr, "consts", ()))


def defined_in(jaxpr: Any) -> str:
    """Return the file of the function that a jaxpr was traced from, or nothing."""
    debug = open_jaxpr(jaxpr).debug_info
    # `_normal at /.../random/core.py:961`
    return str(debug.func_src_info).partition(" at ")[2].rpartition(":")[0] if debug else ""


def operation(eqn: Any) -> Callable[..., Any]:
    """Return a function that does what an equation does, on values."""

    def compute(*inputs: Any) -> Any:
        return eqn.primitive.bind(*inputs, **eqn.primitive.get_bind_params(eqn.params))

    return compute


def scan_sizes(params: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many inputs of a `scan` are constants, and how many are carried."""
    if "num_carry" in params:
        return params["num_consts"], params["num_carry"]
    constant, carried, _ = map(len, params["ft_in"].unpack())
    return constant, carried
