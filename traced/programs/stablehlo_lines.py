"""Write StableHLO down, what JAX hands to XLA, each line with the lines of Python it came from."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import jax
import numpy as np

from traced.drawing.lines import Line
from traced.internals.canary import canary, run_as_readers
from traced.python.places import Spot

DEFINED = re.compile(r"^(#loc\d*) = loc\((.*)\)$", re.MULTILINE)
FILE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):')
REFERRED = re.compile(r"#loc\d*")
MARK = re.compile(r' loc\((#loc\d*|unknown|"(?:[^"\\]|\\.)*")\)')
ATTRIBUTES = re.compile(r" attributes \{[^{}]*\}")
LINES = "def f(x):\n    y = x * 2\n    return sin(y)\n"


@dataclass(frozen=True)
class Origin:
    """The lines of Python that led to a line of StableHLO, innermost first."""

    spots: tuple[Spot, ...]


@canary("where StableHLO came from")
def _reads_stablehlo() -> bool:
    """Read a program of two operations back, with the line that each came from."""
    f = run_as_readers(LINES, sin=jax.numpy.sin)["f"]
    lowered = jax.jit(f).lower(np.ones(4, "float32"))
    lines = _lines(lowered.as_text(debug_info=True))
    spots = {
        line.text.split("stablehlo.")[1].split()[0]: {
            number for thing in line.of for file, number in thing.spots if file == "canary.py"
        }
        for line in lines
        if "stablehlo." in line.text
    }
    config = jax.config.values
    told = config["jax_traceback_in_locations_limit"] != 0
    known: dict[str, set[int]] = {"multiply": {2}, "sine": {3}}
    return all(spots.get(name) == (at if told else set()) for name, at in known.items())


@_reads_stablehlo.guards
def stablehlo_lines(lowered: "jax.stages.Lowered") -> list[Line]:
    """Return the lines of a lowered function, each made from its places.

    >>> lowered = jax.jit(lambda x: x * 2).lower(1.0)
    >>> print(stablehlo_lines(lowered)[3])
        %0 = stablehlo.multiply %arg0, %cst : tensor<f32>
    """
    return list(_lines(lowered.as_text(debug_info=True)))


def _lines(text: str) -> Iterator[Line]:
    chains = _chains(text)
    for line in text.splitlines():
        if line.strip() and not line.startswith("#loc"):
            marks = MARK.findall(line)
            spots = chains.get(marks[-1], ()) if marks else ()
            bare = ATTRIBUTES.sub("", MARK.sub("", line))
            depth = len(bare) - len(bare.lstrip())
            yield Line(bare.strip(), depth, (Origin(spots),) if spots else ())


def _chains(text: str) -> dict[str, tuple[Spot, ...]]:
    """Return, by the name of a location, the lines that led there, innermost first."""
    bodies = dict(DEFINED.findall(text))
    chains: dict[str, tuple[Spot, ...]] = {}

    def follow(name: str) -> tuple[Spot, ...]:
        if name not in chains:
            chains[name] = ()
            body = bodies.get(name, "")
            here = [(file, int(line)) for file, line in FILE.findall(body)]
            further = [spot for each in REFERRED.findall(body) for spot in follow(each)]
            chains[name] = tuple(dict.fromkeys([*here, *further]))
        return chains[name]

    return {name: follow(name) for name in bodies}
