"""Link the lines of a program to the lines of Python that they came from."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

from jax.stages import Lowered

from traced.drawing.lines import Line, cut
from traced.drawing.panes import PaneRow
from traced.programs.hlo import Module
from traced.programs.hlo_lines import hlo_lines
from traced.programs.jaxpr_lines import OPENED, jaxpr_lines
from traced.programs.origins import Origins, Passage, join
from traced.programs.stablehlo_lines import stablehlo_lines
from traced.python.places import Spot

if TYPE_CHECKING:
    from traced.internals.jaxprs import Jaxpr

#: Lines of source from which on those far from any equation are left out, and shown at most.
LONG, MOST_OF_SOURCE = 150, 600
NEAR = 3


@dataclass(frozen=True)
class Linked:
    """A line of a program with the lines that led to it: for each thing that it was made from."""

    line: Line
    chains: tuple[tuple[Spot, ...], ...]
    inner: tuple["Linked", ...]


def link_jaxpr(jaxpr: "Jaxpr", origins: Origins, most: int) -> list[Linked]:
    """Return at most so many lines of a jaxpr, linked.

    `origins` gets to know the functions on the way.
    """
    return [_link_equations(line, origins, ()) for line in cut(jaxpr_lines(jaxpr), most)]


def _link_equations(line: Line, origins: Origins, outer: tuple[Spot, ...]) -> Linked:
    chains = tuple(dict.fromkeys(origins.find(eqn, outer) for eqn in line.of))
    below = chains[0] if chains else outer
    return Linked(line, chains, tuple(_link_equations(x, origins, below) for x in line.inner))


def link_hlo(module: Module, most: int) -> list[Linked]:
    """Return at most so many lines of optimised HLO, linked."""
    return [_link_instructions(line) for line in cut(hlo_lines(module), most)]


def link_stablehlo(lowered: Lowered, most: int) -> list[Linked]:
    """Return at most so many lines of StableHLO, linked."""
    return [_link_instructions(line) for line in cut(stablehlo_lines(lowered), most)]


def _link_instructions(line: Line) -> Linked:
    chains = tuple(dict.fromkeys(each.spots for each in line.of))
    return Linked(line, chains, tuple(map(_link_instructions, line.inner)))


class Labels:
    """Labels of the lines of Python: their numbers, behind a letter where there are many files."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self.passages = join(passages)
        files = list(dict.fromkeys(each.file for each in self.passages))
        self.letters = {file: _letter(i) if files[1:] else "" for i, file in enumerate(files)}

    def of(self, spots: Iterable[Spot]) -> list[str]:
        """Return the labels of the lines that lie in the passages."""
        return [
            f"{self.letters[file]}{line}"
            for file, line in spots
            if any((file, line) in passage for passage in self.passages)
        ]

    def rows(self, lines: Sequence[Linked]) -> tuple[PaneRow, ...]:
        """Return the rows of a program.

        A jaxpr of one equation, as that of a jitted function inside another, has it unfolded.
        """
        is_sole = len(lines) == 3 and lines[0].line.text.startswith(OPENED)
        return tuple(
            replace(self.row(each), is_open=is_sole and bool(each.inner)) for each in lines
        )

    def row(self, linked: Linked) -> PaneRow:
        """Return a row that is lit up by the lines of Python that it came from."""
        chains = [chain for each in linked.chains if (chain := self.of(each))]
        line = linked.line
        depth = line.depth + 4
        details = tuple(PaneRow("", each, depth) for each in line.details)
        inner = (*details, *self.rows(linked.inner))
        # The innermost line is where it was written; the lines that called it light it up as well.
        own = dict.fromkeys(chain[0] for chain in chains)
        at = own | dict.fromkeys(label for row in inner for label in row.at)
        callers = [label for chain in chains for label in chain[1:]]
        within = dict.fromkeys([*callers, *(label for row in inner for label in row.within)])
        return PaneRow(
            next(iter(own)) if len(own) == 1 else "",
            line.brief or line.text,
            line.depth,
            tuple(at),
            tuple(label for label in within if label not in at),
            inner,
            line.fate,
        )


def _letter(i: int) -> str:
    return chr(ord("A") + i) if i < 26 else f"Z{i - 25}:"


def source_rows(labels: Labels, used: Collection[str], names: Sequence[str]) -> Iterator[PaneRow]:
    """Yield the rows of the source; where there is none to be had, a row that says so."""
    if not labels.passages:
        name = " and ".join(dict.fromkeys(names))
        yield PaneRow("", f"no source to be had: {name} is built in, or from a library")
    for file, passages in groupby(labels.passages, key=lambda passage: passage.file):
        if letter := labels.letters[file]:
            yield PaneRow(letter, _title(file))
        for number, passage in enumerate(passages):
            if number:
                yield PaneRow("", "⋮")
            yield from _shortened(list(_passage(passage, letter, used)))


def _title(file: str) -> str:
    # A cell has no file that one could open, and its name changes from kernel to kernel.
    return Path(file).name if Path(file).is_file() and "ipykernel_" not in file else "a cell"


def _passage(passage: Passage, letter: str, used: Collection[str]) -> Iterator[PaneRow]:
    lines = dedent("\n".join(passage.text)).split("\n")
    if not passage.text:
        yield PaneRow(
            "", f"lines {passage.first} to {passage.last}: Python does not know their text"
        )
        return
    for number, text in enumerate(lines, start=passage.first):
        label = f"{letter}{number}"
        depth = len(text) - len(text.lstrip())
        yield PaneRow(label, text.lstrip(), depth, (label,) if label in used else ())


def _shortened(rows: list[PaneRow]) -> list[PaneRow]:
    if len(rows) <= LONG:
        return rows
    near = [any(row.at for row in rows[max(0, i - NEAR) : i + NEAR + 1]) for i in range(len(rows))]
    kept: list[PaneRow] = []
    for is_near, group in groupby(zip(near, rows, strict=True), key=lambda pair: pair[0]):
        run = [row for _, row in group]
        kept += run if is_near else [_left_out(run)]
    half = MOST_OF_SOURCE // 2
    if len(kept) <= MOST_OF_SOURCE:
        return kept
    return [*kept[:half], _left_out(kept[half:-half]), *kept[-half:]]


def _left_out(rows: list[PaneRow]) -> PaneRow:
    at = tuple(dict.fromkeys(label for row in rows for label in row.at))
    return PaneRow("", f"… {len(rows)} more lines left out …", at=at)
