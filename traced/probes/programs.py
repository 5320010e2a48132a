"""Count what is left of a function after each stage: traced, lowered, compiled."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from traced.probes.hlo import Module, parse_hlo
from traced.probes.internals.traces import nested_jaxprs, open_jaxpr
from traced.probes.jaxprs import count_primitives, jitted

if TYPE_CHECKING:
    from traced.probes.internals.traces import Jaxpr

#: Operations that compute nothing: inputs, literals, and the boxes that hold other operations.
BOXES = {
    "parameter",
    "constant",
    "fusion",
    "call",
    "tuple",
    "get-tuple-element",
    "bitcast",
    "return",
}


@dataclass(frozen=True)
class Stages:
    """How often each operation occurs at each stage, and in how many fusions XLA put them."""

    jaxpr: Counter[str]
    stablehlo: Counter[str]
    hlo: Counter[str]
    fusions: int


def count_stages(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Stages:
    """Return what is left of `f` after tracing, after lowering and after XLA, for this backend.

    Literals, inputs, and boxes that only hold other operations are not counted.

    >>> count_stages(lambda x: x * 2 + 1, 3.0).hlo
    Counter({'multiply': 1, 'add': 1})
    """
    lowered = jitted(f).lower(*args, **kwargs)
    compiled = parse_hlo(lowered.compile().as_text() or "").opcodes
    stablehlo = Counter(re.findall(r"stablehlo\.(\w+)", lowered.as_text()))
    return Stages(
        count_primitives(f, *args, **kwargs),
        _without_boxes(stablehlo),
        _without_boxes(compiled),
        compiled["fusion"],
    )


def _without_boxes(counts: Counter[str]) -> Counter[str]:
    return Counter({name: count for name, count in counts.items() if name not in BOXES})


@dataclass(frozen=True)
class Compiled:
    """A function traced and compiled: its jaxpr, its optimised HLO, and what XLA says it costs.

    `operations` and `fusions` are counted as in `Stages`. The bytes are those of the results, and
    of the arguments that XLA is given: of unused ones it is not. None is what XLA does not say.
    """

    jaxpr: "Jaxpr" = field(repr=False)
    hlo: Module = field(repr=False)
    equations: int
    operations: Counter[str]
    fusions: int
    flops: int | None
    argument_bytes: int | None
    result_bytes: int


def compile_whole(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Compiled:
    """Return what tracing and compiling `f` gives at these arguments, for this backend.

    XLA's count of the bytes that go to and fro inside is left out, since it changes with its
    release; that of flops does so only where the program does.

    >>> whole = compile_whole(lambda x: x * 2 + 1, 3.0)
    >>> whole.equations, whole.operations.total(), whole.flops, whole.argument_bytes
    (2, 2, 2, 4)
    """
    traced = jitted(f).trace(*args, **kwargs)
    compiled = traced.lower().compile()
    jaxpr, hlo = open_jaxpr(traced.jaxpr), parse_hlo(compiled.as_text() or "")
    flops, memory = (compiled.cost_analysis() or {}).get("flops"), compiled.memory_analysis()
    return Compiled(
        jaxpr,
        hlo,
        _count(jaxpr),
        _without_boxes(hlo.opcodes),
        hlo.opcodes["fusion"],
        None if flops is None else round(flops),
        getattr(memory, "argument_size_in_bytes", None),
        # XLA adds the pointers of a tuple to those of its results.
        sum(_bytes(var.aval) for var in jaxpr.outvars),
    )


def _bytes(aval: Any) -> int:
    return int(aval.size * aval.dtype.itemsize)


def _count(jaxpr: "Jaxpr") -> int:
    return sum(1 + sum(map(_count, nested_jaxprs(eqn))) for eqn in jaxpr.eqns)


def hlo_of(f: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
    """Return the optimised HLO of `jit(f)`, without layouts, metadata, `%` and the module's header.

    >>> print(hlo_of(lambda x: x, 3.0))
    ENTRY main.1 (x.1: f32[]) -> f32[] {
      x.1 = f32[] parameter(0)
      ROOT copy = f32[] copy(x.1)
    }
    """
    text = jitted(f).lower(*args, **kwargs).compile().as_text() or ""
    blocks = re.findall(r"^(?:ENTRY )?%.*?^}", text, re.MULTILINE | re.DOTALL)
    return "\n\n".join(map(_bare, blocks))


def _bare(block: str) -> str:
    layouts = r"(?<=\])\{[\d,]*\}"
    metadata = r', metadata=\{(?:[^{}"]|"[^"]*")*\}'
    return re.sub(rf"{metadata}|{layouts}|, dimensions=\{{\}}|%", "", block)
