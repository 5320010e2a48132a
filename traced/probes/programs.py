"""Count what is left of a function after each stage: traced, lowered, compiled."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from traced.probes.jaxprs import count_primitives, jitted

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
    compiled = Counter(OPERATION.findall(lowered.compile().as_text() or ""))
    stablehlo = Counter(re.findall(r"stablehlo\.(\w+)", lowered.as_text()))
    return Stages(
        count_primitives(f, *args, **kwargs),
        _without_boxes(stablehlo),
        _without_boxes(compiled),
        compiled["fusion"],
    )


# `  ROOT %neg.0 = f32[4]{0} negate(%param_0), metadata={...}`; a tuple's type holds blanks.
OPERATION = re.compile(r"^\s+(?:ROOT )?%?[\w.-]+ = (?:\([^)]*\)|\S+) ([\w-]+)\(", re.MULTILINE)


def _without_boxes(counts: Counter[str]) -> Counter[str]:
    return Counter({name: count for name, count in counts.items() if name not in BOXES})


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
