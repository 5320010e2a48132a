"""Programs with a transform of NNX, each beside the same program by hand, and what both change.

By hand means: `nnx.split`, the transform of JAX, `nnx.merge` inside of it, and `nnx.update` after.
"""

import inspect
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from flax import nnx

from traced.modules.changes import find_module_changes
from traced.modules.paired_programs import PROGRAMS


@dataclass(frozen=True)
class Pair:
    """The lines of both programs, and what each way of running returns and changes.

    `seen` maps the ways to their facts: the result, and each Variable that changed, or the error.
    """

    with_nnx: tuple[str, ...]
    by_hand: tuple[str, ...]
    seen: Mapping[str, Mapping[str, str]]


def compare_by_hand(transform: str) -> Pair:
    """Run the programs of a transform of NNX, with it in both modes and by hand.

    Raises `ValueError` for a transform that has no programs here.

    >>> pair = compare_by_hand("jit")
    >>> pair.seen["by hand"]
    {'result': '6.0', 'block.calls': '1'}
    >>> pair.seen["graph mode"] == pair.seen["tree mode"] == pair.seen["by hand"]
    True
    """
    if transform not in PROGRAMS:
        raise ValueError(f"no programs for {transform!r}; there are {', '.join(PROGRAMS)}")
    with_nnx, by_hand, make = PROGRAMS[transform]
    seen = {"by hand": _facts(by_hand, make)}
    for mode, graph in (("graph mode", True), ("tree mode", False)):
        with nnx.set_graph_mode(graph):  # type: ignore[no-untyped-call]  # Flax gives it no types
            seen[mode] = _facts(with_nnx, make)
    return Pair(_lines(with_nnx), _lines(by_hand), seen)


def _lines(program: Callable[..., Any]) -> tuple[str, ...]:
    """Return the body of a function, without blank lines."""
    body = textwrap.dedent("\n".join(inspect.getsource(program).splitlines()[1:]))
    return tuple(filter(None, body.splitlines()))


def _facts(program: Callable[..., Any], make: Callable[[], Any]) -> dict[str, str]:
    results: list[Any] = []

    def run(block: Any) -> None:
        results.append(program(block, 3.0))

    block = make()
    try:
        changes = find_module_changes(run, block)
    except (TypeError, ValueError, NotImplementedError) as error:
        return {"raises": type(error).__name__}
    paths = [each.path for each in changes if each.kind == "value"]
    values = {path: _value(getattr(block, path.rpartition(".")[2])[...]) for path in paths}
    return {"result": ", ".join(map(_value, jax.tree.leaves(results)))} | values


def _value(array: Any) -> str:
    return str(np.asarray(array).tolist())
