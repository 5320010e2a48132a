"""What the devices of a compiled program send each other."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax

from traced.internals.canary import CouldNotTell

KINDS = "all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute"
#: An instruction of XLA: its result, its name, and whether it is the first half of one.
INSTRUCTION = re.compile(rf"^\s*(?:ROOT )?\S+ = (.+?) ({KINDS})(-start)?\(", re.MULTILINE)
ARRAY = re.compile(r"\b([a-z]+)(\d+)?\w*\[([\d,]*)\]")
BITS = {"pred": 8}


@dataclass(frozen=True)
class Collective:
    """One collective of a program: its kind in XLA, and what each device has when it is done."""

    kind: str
    types: tuple[str, ...]
    bytes: int

    def __str__(self) -> str:
        return f"{self.kind} {', '.join(self.types)}: {self.bytes} bytes"


def find_collectives(f: Callable[..., Any], *args: Any) -> list[Collective]:
    """Return the collectives that XLA put into `jit(f)`, which is compiled and not run.

    Instead of an array, a `jax.ShapeDtypeStruct` with a sharding will do. A collective inside of a
    loop is there once. Raises `CouldNotTell` where XLA has cut one into a start and an end, which
    it does on accelerators: what moves is then not told by its result.

    >>> find_collectives(jax.numpy.sum, jax.numpy.ones(3))
    []
    """
    text = jax.jit(f).lower(*args).compile().as_text() or ""
    found = []
    for result, kind, started in INSTRUCTION.findall(text):
        if started:
            raise CouldNotTell(f"what `{kind}-start` moves")
        arrays = ARRAY.findall(result)
        types = tuple(f"{name}{bits}[{shape}]" for name, bits, shape in arrays)
        size = sum(_bits(name, bits) * _entries(shape) for name, bits, shape in arrays) // 8
        found.append(Collective(kind, types, size))
    return found


def _bits(name: str, bits: str) -> int:
    return int(bits) if bits else BITS[name]


def _entries(shape: str) -> int:
    return math.prod(int(size) for size in shape.split(",") if size)
