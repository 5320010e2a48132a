"""Count and show what is left of a function after each stage: traced, lowered, compiled."""

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import jax

from traced.drawing.picture import Picture, listing, table, telling
from traced.internals.jaxprs import nested_jaxprs, open_jaxpr
from traced.programs.hlo import Module, parse_hlo
from traced.programs.jaxprs import count_primitives, trace

if TYPE_CHECKING:
    from traced.internals.jaxprs import Jaxpr


#: Operations that compute nothing: inputs, literals, and those that only hold other operations.
IDLE = {
    "parameter",
    "constant",
    "fusion",
    "call",
    "tuple",
    "get-tuple-element",
    "bitcast",
    "return",
}

#: An operation, which an attribute is not: `#stablehlo.gather<...>` or `{stablehlo.mesh = ...}`.
OPERATION = r'[ "]stablehlo\.(\w+)'


@dataclass(frozen=True)
class Stages:
    """How often each operation occurs at each stage, and in how many fusions XLA put them."""

    jaxpr: Counter[str]
    stablehlo: Counter[str]
    hlo: Counter[str]
    fusions: int


def count_stages(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Stages:
    """Return what is left of `f` after tracing, after lowering and after XLA, for this backend.

    Literals, inputs, and what only holds other operations are not counted.

    >>> count_stages(lambda x: x * 2 + 1, 3.0).hlo
    Counter({'multiply': 1, 'add': 1})
    """
    lowered = trace(f, *args, **kwargs).lower()
    compiled = parse_hlo(lowered.compile().as_text() or "").opcodes
    stablehlo = Counter(re.findall(OPERATION, lowered.as_text()))
    return Stages(
        count_primitives(f, *args, **kwargs),
        _working(stablehlo),
        _working(compiled),
        compiled["fusion"],
    )


@telling
def show_stages(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Picture:
    """Return a table of the operations in the jaxpr, the StableHLO and the optimised HLO of `f`.

    Inputs, literals and what only holds other operations are not counted. The last row is for this
    backend. Raises whatever `f` raises while it is traced.

    >>> show_stages(lambda x: x * 2 + 1, 3.0)
    stage          made by        count  operations
    jaxpr          tracing        2      1 mul, 1 add
    StableHLO      JAX, lowering  2      1 multiply, 1 add
    optimised HLO  XLA            2      1 multiply, 1 add (fused into 1)
    """
    stages = count_stages(f, *args, **kwargs)
    rows = [
        _row("jaxpr", "tracing", stages.jaxpr),
        _row("StableHLO", "JAX, lowering", stages.stablehlo),
        _row("optimised HLO", "XLA", stages.hlo, stages.fusions),
    ]
    return table(("stage", "made by", "count", "operations"), rows, "operations by stage")


def _row(stage: str, maker: str, counts: Counter[str], fusions: int = 0) -> tuple[str, ...]:
    # The most frequent first; equally frequent ones in the order in which they occur on every JAX.
    names = ", ".join(f"{n} {name}" for name, n in counts.most_common()) or "nothing"
    return (
        stage,
        maker,
        str(counts.total()),
        names + (f" (fused into {fusions})" if fusions else ""),
    )


def _working(counts: Counter[str]) -> Counter[str]:
    return Counter({name: count for name, count in counts.items() if name not in IDLE})


@dataclass(frozen=True)
class Compiled:
    """A function traced and compiled: its jaxpr, its optimised HLO, and what XLA says it costs.

    `operations` and `fusions` are counted as in `Stages`. The bytes are those of the results, and
    of the arguments that XLA is given: of unused ones it is not. None is what XLA does not say.
    All of it is for one of `devices`: XLA's program is the one that each of them runs.
    """

    jaxpr: "Jaxpr" = field(repr=False)
    lowered: jax.stages.Lowered = field(repr=False)
    hlo: Module = field(repr=False)
    equations: int
    operations: Counter[str]
    fusions: int
    flops: int | None
    argument_bytes: int | None
    result_bytes: int | None
    devices: int = 1


def compile_whole(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Compiled:
    """Return what tracing and compiling `f` gives at these arguments, for this backend.

    XLA's count of the bytes that go to and fro inside is left out, since it changes with its
    release; that of flops does so only where the program does.

    >>> whole = compile_whole(lambda x: x * 2 + 1, 3.0)
    >>> whole.equations, whole.operations.total(), whole.flops, whole.argument_bytes
    (2, 2, 2, 4)
    """
    traced = trace(f, *args, **kwargs)
    lowered = traced.lower()
    compiled = lowered.compile()
    jaxpr, hlo = open_jaxpr(traced.jaxpr), parse_hlo(compiled.as_text() or "")
    results = jax.tree.leaves(traced.out_info)
    shardings = _shardings_of_results(traced, compiled)
    flops, memory = (compiled.cost_analysis() or {}).get("flops"), compiled.memory_analysis()
    return Compiled(
        jaxpr,
        lowered,
        hlo,
        _count(jaxpr),
        _working(hlo.opcodes),
        hlo.opcodes["fusion"],
        # XLA says -1 of a program whose work it does not know, such as one that calls Python.
        None if flops is None or flops < 0 else round(flops),
        getattr(memory, "argument_size_in_bytes", None),
        # XLA adds the pointers of a tuple to those of its results.
        sum(map(_bytes, results, shardings)) if len(shardings) == len(results) else None,
        max((len(each.device_set) for each in shardings), default=1),
    )


def _shardings_of_results(
    traced: jax.stages.Traced, compiled: jax.stages.Compiled
) -> list[jax.sharding.Sharding]:
    """Return the sharding of each result; of none where JAX does not say."""
    try:
        return jax.tree.leaves(compiled.output_shardings)
    except ValueError:
        # JAX takes the refs among the arguments for results, and finds too many of them.
        given = next(iter(jax.tree.leaves(compiled.input_shardings)))
        is_alone = len(given.device_set) == 1
        return [given] * len(jax.tree.leaves(traced.out_info)) if is_alone else []


def _bytes(result: Any, sharding: jax.sharding.Sharding) -> int:
    """Return the bytes of the part of a result that lies on one device."""
    return math.prod(sharding.shard_shape(result.shape)) * int(result.dtype.itemsize)


def _count(jaxpr: "Jaxpr") -> int:
    return sum(1 + sum(map(_count, nested_jaxprs(eqn))) for eqn in jaxpr.eqns)


@telling
def show_hlo(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Picture:
    """Return the optimised HLO of `jit(f)` as text, without layouts and metadata.

    >>> show_hlo(lambda x: x, 3.0)
    ENTRY main.1 (x.1: f32[]) -> f32[] {
      x.1 = f32[] parameter(0)
      ROOT copy = f32[] copy(x.1)
    }
    """
    text = trace(f, *args, **kwargs).lower().compile().as_text() or ""
    # Of the module only its computations: its header and the tables of stack frames are left out.
    blocks = re.findall(r"^(?:ENTRY )?%.*?^}", text, re.MULTILINE | re.DOTALL)
    return listing("\n\n".join(map(_bare, blocks)))


def _bare(block: str) -> str:
    layouts = r"(?<=\])\{[\d,]*\}"
    metadata = r', metadata=\{(?:[^{}"]|"[^"]*")*\}'
    return re.sub(rf"{metadata}|{layouts}|, dimensions=\{{\}}|%", "", block)
