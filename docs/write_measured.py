"""Write the page of measured times from the records that `make measure` makes."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from packaging.version import Version

from traced.drawing.picture import framed
from traced.drawing.plots import plot_lines
from traced.modules.step_ways import WAYS
from traced.modules.sweeps import MEASURED, Cell, Sweep, read_sweep

PAGE = Path(__file__).with_name("measured.md")
BASE = "plain JAX"
LINES = 4  # in a plot
HEAD = """# Measured: what a step costs, by width, modules and way

We time one training step of networks that differ in width and in the number of layers. It is called
in each of the ways that [a lesson](../notebooks/14_cost_of_state.ipynb) explains, and compared with
the same step in plain JAX: the plots say how many times as long it takes. A line shows the median
of the rounds, and the band around it reaches from the least to the most. Compiling is not counted.
Where each loss is **waited for**, the next step begins only after it is there. Otherwise Python
calls as fast as it can, and the clock stops when the last loss is there.

`make measure` times the machine it runs on, or its GPU if JAX finds one, and adds a section here.
"""


def sweeps() -> dict[str, Sweep]:
    """Read all records, by their names: those of the newest JAX first."""
    found = {path.stem: read_sweep(path.stem, MEASURED) for path in sorted(MEASURED.glob("*.json"))}

    def release(name: str) -> Version:
        return Version(found[name].versions["jax"])

    return {name: found[name] for name in sorted(found, key=release, reverse=True)}


def page() -> str:
    """Return the page: a section for each record, with plots for each number of modules."""
    return HEAD + "".join(map(_section, sweeps().values()))


def _section(sweep: Sweep) -> str:
    machine, versions = sweep.machine, sweep.versions
    about = (
        f"{machine['cores']} cores of {machine['processor']}, {machine['system']}; measured on "
        f"{sweep.date} with {', '.join(f'{name} {number}' for name, number in versions.items())}. "
        f"Batches of {sweep.plan['batch']} rows; {sweep.plan['rounds']} rounds."
    )
    title = f"{machine['device']}, JAX {versions['jax']}"
    parts = [
        _part(sweep, modules, waiting)
        for modules in sweep.plan["modules"]
        for waiting in (False, True)
    ]
    return f"\n## {title}\n\n{about}\n{''.join(parts)}"


def _part(sweep: Sweep, modules: int, waiting: bool) -> str:
    cells = [sweep.cell(width, modules, waiting) for width in sweep.plan["widths"]]
    found = [cell for cell in cells if cell and cell.rounds]
    if not found:
        return ""
    title = f"{modules} layers, {'each loss waited for' if waiting else 'no loss waited for'}"
    plots = "\n\n".join(_plots(sweep, modules, waiting))
    return f"\n### {title}\n\n{plots}\n\n{_microseconds(found)}\n"


def _plots(sweep: Sweep, modules: int, waiting: bool) -> Iterator[str]:
    """Yield the plots of the ways, the slowest first."""
    at = {"by": "width", "waiting": waiting, "modules": modules}
    lines = sweep.lines(BASE, list(WAYS), **at)
    ways = sorted(WAYS, key=lambda way: -max(lines[way].values()))
    for some in batched(ways, LINES):
        chosen, bands = {way: lines[way] for way in some}, sweep.bands(BASE, list(some), **at)
        plot = plot_lines(chosen, "width", f"times {BASE}", log=True, bands=bands)
        yield framed(plot.html or "")


def _microseconds(cells: list[Cell]) -> str:
    best = [f"{1e6 * min(cell.seconds[BASE]):.0f} µs at {cell.width}" for cell in cells]
    return f"The best round of {BASE}, by width: {', '.join(best)}."


def batched(ways: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """Yield so many at a time."""
    for start in range(0, len(ways), size):
        yield ways[start : start + size]


def main() -> None:
    """Store the page, and say so if it changed."""
    text = page()
    if not PAGE.exists() or text != PAGE.read_text("utf-8"):
        PAGE.write_text(text, "utf-8")
        print(f"stored {PAGE.name}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
