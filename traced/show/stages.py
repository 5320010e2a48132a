"""What is left of a function at each stage: traced, lowered, compiled."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from traced.probes.programs import count_stages, hlo_of
from traced.show.picture import Picture, table


def show_stages(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Picture:
    """Return a table of the operations in the jaxpr, the StableHLO and the optimised HLO of `f`.

    Inputs, literals and boxes that hold other operations are not counted. The last row is for this
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


def show_hlo(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Picture:
    """Return the optimised HLO of `jit(f)` as text, without layouts and metadata.

    >>> show_hlo(lambda x: x, 3.0)
    ENTRY main.1 (x.1: f32[]) -> f32[] {
      x.1 = f32[] parameter(0)
      ROOT copy = f32[] copy(x.1)
    }
    """
    return Picture(hlo_of(f, *args, **kwargs))
