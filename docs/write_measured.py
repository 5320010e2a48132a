"""Write the page of measured times from the records that `make measure` makes."""

import sys
from pathlib import Path

from traced.modules.step_ways import WAYS
from traced.modules.sweeps import MEASURED, Cell, Sweep, read_sweep

PAGE = Path(__file__).with_name("measured.md")
BASE = "plain JAX"
HEAD = """# Measured: what a step costs, by width, modules and way

One step of training, of a network with so many layers of one width, called in each of the ways that
[a lesson](../notebooks/14_cost_of_state.ipynb) explains. The numbers say how many times as long as
the same step in plain JAX it takes: the median over the rounds, and in brackets the least and the
most. Compiling is not counted. Where a loss is **waited for**, the next step begins only after it
is there; otherwise Python calls as fast as it can, and the clock stops when the last loss is there.

`make measure` measures the machine it runs on, a GPU where JAX finds one, and adds it to this page.
"""


def sweeps() -> dict[str, Sweep]:
    """Read all records, by their names."""
    return {path.stem: read_sweep(path.stem) for path in sorted(MEASURED.glob("*.json"))}


def page() -> str:
    """Return the page: a section for each record, with a table for each number of modules."""
    return HEAD + "".join(map(_section, sweeps().values()))


def _section(sweep: Sweep) -> str:
    machine, versions = sweep.machine, sweep.versions
    about = (
        f"{machine['cores']} cores of {machine['processor']}, {machine['system']}; measured on "
        f"{sweep.date} with {', '.join(f'{name} {number}' for name, number in versions.items())}. "
        f"Batches of {sweep.plan['batch']} rows; {sweep.plan['rounds']} rounds."
    )
    title = f"{machine['device']}, JAX {versions['jax']}"
    tables = [
        _table(sweep, modules, waiting)
        for modules in sweep.plan["modules"]
        for waiting in (False, True)
    ]
    return f"\n## {title}\n\n{about}\n{''.join(tables)}"


def _table(sweep: Sweep, modules: int, waiting: bool) -> str:
    cells = [sweep.cell(width, modules, waiting) for width in sweep.plan["widths"]]
    found = [cell for cell in cells if cell and cell.rounds]
    if not found:
        return ""
    title = f"{modules} layers, {'each loss waited for' if waiting else 'no loss waited for'}"
    head = "| way | " + " | ".join(f"width {cell.width}" for cell in found) + " |"
    rule = "|---" * (len(found) + 1) + "|"
    rows = [f"| `{way}` | {' | '.join(_entry(cell, way) for cell in found)} |" for way in WAYS]
    return "\n".join([f"\n**{title}**\n", head, rule, *rows, _microseconds(found)]) + "\n"


def _entry(cell: Cell, way: str) -> str:
    spread = cell.ratios(BASE)[way]
    return f"{spread.median:.1f} ({spread.least:.1f}–{spread.most:.1f})"


def _microseconds(cells: list[Cell]) -> str:
    best = [f"{1e6 * min(cell.seconds[BASE]):.0f} µs" for cell in cells]
    return f"| {BASE}, best round | {' | '.join(best)} |"


def main() -> None:
    """Store the page, and say so if it changed."""
    text = page()
    if not PAGE.exists() or text != PAGE.read_text("utf-8"):
        PAGE.write_text(text, "utf-8")
        print(f"stored {PAGE.name}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
