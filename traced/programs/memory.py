"""Measure what a compiled program holds in memory: bytes, and the buffers donated to it."""

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from traced.internals.canary import canary
from traced.programs.jaxprs import jitted, trace
from traced.pytrees.differences import name_arguments, name_leaves


@dataclass(frozen=True)
class Donation:
    """An argument whose buffer was donated, and the output that XLA writes into it.

    `output` is empty where XLA found none to write there: then the donation saved nothing. The name
    of such an argument is empty where static arguments keep JAX from telling which it was.
    """

    argument: str
    output: str


@dataclass(frozen=True)
class ProgramMemory:
    """What XLA says of a compiled program, for one device; None where the backend says nothing.

    An aliased output lies in the buffer of an argument: its bytes count both as those of an
    argument and as those of an output. `temporary_bytes` is what is needed beside both.
    """

    argument_bytes: int | None
    output_bytes: int | None
    aliased_bytes: int | None
    temporary_bytes: int | None
    donations: tuple[Donation, ...]


@canary("what XLA says of a program's memory")
def _donates() -> bool:
    """Give the memory of one argument of two to a result of the same type."""
    ones = np.ones(4, "float32")
    seen = measure_program(lambda x, y: (x + 1, y * 2), ones, ones, donate_argnums=(0,))
    return seen.argument_bytes == 32 and seen.donations == (Donation("x", "result[0]"),)


@_donates.guards
def measure_program(
    f: Callable[..., Any], *args: Any, donate_argnums: tuple[int, ...] = (), **kwargs: Any
) -> ProgramMemory:
    """Return what XLA says of `jit(f)`, compiled and not run for these arguments.

    A jitted function is measured with the donations that it has itself, and with those of
    `donate_argnums`.

    On CPU the bytes of outputs are those of the arrays plus eight for each output of a tuple.

    >>> import jax.numpy as jnp
    >>> program = measure_program(lambda x: x + 1, jnp.ones(1000), donate_argnums=(0,))
    >>> program.argument_bytes, program.aliased_bytes, program.temporary_bytes
    (4000, 4000, 0)
    >>> program.donations
    (Donation(argument='x', output='result'),)
    """
    traced = _traced(f, args, kwargs, donate_argnums)
    with warnings.catch_warnings():
        # That a donation is of no use is told by `Donation.output`.
        warnings.filterwarnings("ignore", "Some donated buffers were not usable")
        lowered = traced.lower()
    compiled = lowered.compile()
    memory = compiled.memory_analysis()
    return ProgramMemory(
        getattr(memory, "argument_size_in_bytes", None),
        getattr(memory, "output_size_in_bytes", None),
        getattr(memory, "alias_size_in_bytes", None),
        getattr(memory, "temp_size_in_bytes", None),
        _donations(
            list(name_leaves(traced.out_info, "result")),
            jax.tree.leaves(lowered.args_info),
            compiled.as_text() or "",
            name_arguments(f, args, kwargs),
        ),
    )


def _traced(
    f: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    donate_argnums: tuple[int, ...],
) -> Any:
    if not donate_argnums:
        return trace(f, *args, **kwargs)
    return jax.jit(jitted(f), donate_argnums=donate_argnums).trace(*args, **kwargs)


def _donations(
    results: list[str], infos: list[Any], text: str, leaves: dict[str, Any]
) -> tuple[Donation, ...]:
    outputs = _aliases(text, results)
    # A static argument has no place among them, and JAX does not say which are static.
    arrays = [name for name, leaf in leaves.items() if isinstance(leaf, (jax.Array, np.ndarray))]
    names = list(leaves) if len(infos) == len(leaves) else arrays
    if len(infos) != len(names):
        idle = [""] * (sum(info.donated for info in infos) - len(outputs))
    else:
        donated = [name for name, info in zip(names, infos, strict=True) if info.donated]
        idle = [name for name in donated if name not in outputs]
    used = [Donation(*pair) for pair in outputs.items()]
    return (*used, *(Donation(name, "") for name in idle))


# `input_output_alias={ {0}: (1, {}, may-alias), {1}: (0, {}, may-alias) }` in the first line: which
# output lies in which parameter. `%x.1 = f32[4]{0} parameter(0), metadata={op_name="x[\'w\']"}`.
ALIAS = re.compile(r"\{(\d*)\}: \((\d+), \{\}, (?:may|must)-alias\)")
PARAMETER = re.compile(r'parameter\((\d+)\).*metadata=\{op_name="((?:[^"\\]|\\.)*)"')


def _aliases(text: str, outputs: list[str]) -> dict[str, str]:
    entry = text.partition("\nENTRY ")[2]
    names = {number: re.sub(r"\\(.)", r"\1", name) for number, name in PARAMETER.findall(entry)}
    pairs = ALIAS.findall(text.partition("\n")[0])
    numbered = [(int(output or 0), number) for output, number in pairs]
    # After the results come the refs among the arguments, written to in place: no donations.
    return {names.get(i, i): outputs[output] for output, i in numbered if output < len(outputs)}
