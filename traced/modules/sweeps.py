"""Read and keep the record of a sweep: one step of training, timed over widths, modules and ways.

`docs/measure.py` measures, and adds to the record after each round. A record says on which machine
it was made, with which versions, and when. The repository keeps some in `docs/measured`.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from traced.programs.timings import Spread, Timings
from traced.python.course_files import course_file

#: Where the repository, or the wheel, keeps records.
MEASURED = course_file("docs/measured")


@dataclass
class Cell:
    """What was measured at one width and number of modules: seconds per call, round by round.

    `waiting` says whether each loss was waited for; `calls` is how many there were in a round.
    """

    width: int
    modules: int
    waiting: bool
    calls: int
    seconds: dict[str, list[float]] = field(default_factory=dict)

    @property
    def rounds(self) -> int:
        """How many rounds are complete."""
        return min(map(len, self.seconds.values()), default=0)

    def add(self, seconds: dict[str, float]) -> None:
        """Add one round, of four digits."""
        for way, taken in seconds.items():
            self.seconds.setdefault(way, []).append(float(f"{taken:.3e}"))

    def ratios(self, base: str) -> dict[str, Spread]:
        """Return how many times as long as `base` each way took, compared within each round."""
        return Timings(self.seconds).ratios(base)


@dataclass
class Sweep:
    """A record: the machine, the versions, the day it was begun, what was planned, and the cells.

    >>> cell = Cell(8, 2, waiting=False, calls=10)
    >>> cell.add({"nnx.jit": 6e-4, "plain JAX": 2e-4})
    >>> sweep = Sweep({"device": "cpu"}, {"jax": "0.12"}, "2026-11-22", {}, [cell])
    >>> sweep.lines("plain JAX", ["nnx.jit"], by="width", modules=2, waiting=False)
    {'nnx.jit': {8: 3.0}}
    """

    machine: dict[str, Any]
    versions: dict[str, str]
    date: str
    plan: dict[str, Any]
    cells: list[Cell]

    def cell(self, width: int, modules: int, waiting: bool) -> Cell | None:
        """Return what was measured there, or None."""
        wanted = (width, modules, waiting)
        found = (each for each in self.cells if (each.width, each.modules, each.waiting) == wanted)
        return next(found, None)

    def lines(
        self, base: str, ways: list[str], *, by: str, waiting: bool, **at: int
    ) -> dict[str, dict[int, float]]:
        """Return for each way its median ratio to `base`, over `by`: "width" or "modules".

        The other of the two is given as a keyword, as in `modules=2`.
        """
        ratios = self._ratios_at(base, by, waiting, at)
        return {
            way: {x: round(ratio[way].median, 3) for x, ratio in ratios.items()} for way in ways
        }

    def bands(
        self, base: str, ways: list[str], *, by: str, waiting: bool, **at: int
    ) -> dict[str, dict[int, tuple[float, float]]]:
        """Return for each way the least and the most of its ratios to `base`, as `lines` does."""
        ratios = self._ratios_at(base, by, waiting, at)
        return {
            way: {x: (ratio[way].least, ratio[way].most) for x, ratio in ratios.items()}
            for way in ways
        }

    def _ratios_at(
        self, base: str, by: str, waiting: bool, at: dict[str, int]
    ) -> dict[int, dict[str, Spread]]:
        cells = self._cells_at(by, waiting, at)
        return {getattr(each, by): each.ratios(base) for each in cells}

    def _cells_at(self, by: str, waiting: bool, at: dict[str, int]) -> Iterator[Cell]:
        if {by, *at} != {"width", "modules"}:
            raise ValueError(f"`by` and a keyword must name width and modules, got {by}, {at}")
        for cell in sorted(self.cells, key=lambda each: (each.width, each.modules)):
            same = all(getattr(cell, name) == value for name, value in at.items())
            if same and cell.waiting == waiting and cell.rounds:
                yield cell

    def write(self, path: Path) -> None:
        """Store the record, whole or not at all: a write that is interrupted leaves the old one."""
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(".draft")
        draft.write_text(_as_text(asdict(self)), "utf-8")
        os.replace(draft, path)


def read_sweep(name: str, folder: Path | None = None) -> Sweep:
    """Return the record of that name, which is that of its file without `.json`.

    It is one of the course's own records unless another folder is given.
    Raises `FileNotFoundError` with the names that there are.
    """
    folder = folder or MEASURED
    path = folder / f"{name}.json"
    if not path.exists():
        names = ", ".join(sorted(each.stem for each in folder.glob("*.json"))) or "none"
        raise FileNotFoundError(f"no record is called {name}; there are: {names}")
    content = json.loads(path.read_text("utf-8"))
    return Sweep(**content | {"cells": [Cell(**cell) for cell in content["cells"]]})


def _as_text(content: dict[str, Any]) -> str:
    """Return JSON with one line for each way of each cell, which a diff can show."""
    cells = ",\n".join(map(_cell_text, content.pop("cells")))
    return json.dumps(content, indent=1).removesuffix("\n}") + f',\n "cells": [\n{cells}\n ]\n}}\n'


def _cell_text(cell: dict[str, Any]) -> str:
    ways = [f"   {json.dumps(way)}: {json.dumps(taken)}" for way, taken in cell["seconds"].items()]
    head = json.dumps(cell | {"seconds": {}}).removesuffix("}}")
    return f"  {head}\n" + ",\n".join(ways) + "}}"
