"""Time one step of training over model width, number of modules and ways of calling it.

What is measured is stored after each round, so that Ctrl-C loses none of it, and the same command
goes on where it was left. Compiling is not counted. In a round the ways take turns, each round
begins with another one, and all are compared with plain JAX in the same round.
"""

import argparse
import contextlib
import datetime
import os
import platform
import re
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import optax
import write_measured
from flax import nnx
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from traced.modules.step_ways import WAYS, make_step_ways
from traced.modules.sweeps import MEASURED, Cell, Sweep, read_sweep
from traced.programs.timings import Ways, time_round

BASE = "plain JAX"
BATCH = 32
QUICK = Path(__file__).parents[1] / "_build/measured"
PACKAGES = ("jax", "jaxlib", "flax", "optax")


@dataclass(frozen=True)
class Plan:
    """What a sweep measures: the grid, the rounds, and the seconds each way has in a round."""

    widths: tuple[int, ...] = (8, 32, 128, 256, 512, 1024, 2048)
    modules: tuple[int, ...] = (2, 8, 32)
    rounds: int = 7
    seconds: float = 0.1
    least_calls: int = 5

    def grid(self, most_bytes: float) -> Iterator[tuple[int, int]]:
        """List the pairs of width and number of modules whose models fit into so many bytes."""
        for modules in self.modules:
            for width in self.widths:
                # Nine ways have a copy each, of parameters and of Adam's two averages.
                if 9 * 3 * 4 * modules * width**2 <= most_bytes:
                    yield width, modules


FULL, SHORT = Plan(), Plan(widths=(4, 8), modules=(1, 2), rounds=2, seconds=0.01, least_calls=2)


class Net(nnx.Module):
    """So many layers of one width."""

    def __init__(self, width: int, modules: int, rngs: nnx.Rngs) -> None:
        self.layers = nnx.List([nnx.Linear(width, width, rngs=rngs) for _ in range(modules)])

    def __call__(self, x: jax.Array) -> jax.Array:
        """Apply the layers."""
        for layer in self.layers:
            x = nnx.relu(layer(x))
        return x


def step(model: Net, optimizer: nnx.Optimizer, x: jax.Array) -> jax.Array:
    """Train once, and return the loss."""
    loss, gradients = nnx.value_and_grad(lambda model: jnp.mean((model(x) - 1) ** 2))(model)
    optimizer.update(model, gradients)
    return loss


def plain_step(model: Net, tx: optax.GradientTransformation) -> Callable[[jax.Array], jax.Array]:
    """Return the same step without an object: parameters and the optimizer's state as trees."""

    def loss_of(params: Any, x: jax.Array) -> jax.Array:
        for w, b in params:
            x = jax.nn.relu(x @ w + b)
        return jnp.mean((x - 1) ** 2)

    @jax.jit
    def pure(carry: Any, x: jax.Array) -> Any:
        params, state = carry
        loss, gradients = jax.value_and_grad(loss_of)(params, x)
        updates, state = tx.update(gradients, state, params)
        return (optax.apply_updates(params, updates), state), loss

    params = [(layer.kernel[...], layer.bias[...]) for layer in model.layers]
    carry = params, tx.init(params)

    def call(x: jax.Array) -> jax.Array:
        nonlocal carry
        carry, loss = pure(carry, x)
        return loss

    return call


def make_ways(width: int, modules: int) -> Ways:
    """Return each way of training a model of that size, compiled."""
    tx, model = optax.adam(1e-3), Net(width, modules, nnx.Rngs(0))
    x = jax.random.normal(jax.random.key(1), (BATCH, width))
    ways = make_step_ways(step, model, nnx.Optimizer(model, tx, wrt=nnx.Param))
    ways[BASE] = plain_step(model, tx)
    for call in ways.values():
        call(x).block_until_ready()
    return {name: lambda call=call: call(x) for name, call in ways.items()}  # type: ignore[misc]  # mypy infers no lambda


def machine() -> dict[str, Any]:
    """Say what is measured on: the device that JAX takes, and the processor that runs Python."""
    device = jax.devices()[0]
    return {
        "platform": device.platform,
        "device": processor() if device.platform == "cpu" else device.device_kind,
        "devices": jax.device_count(),
        "processor": processor(),
        "cores": cores(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def cores() -> int | None:
    """Return how many cores this process may use, which can be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def processor() -> str:
    """Return the name of the processor, as far as the system tells it."""
    cpuinfo = Path("/proc/cpuinfo")
    text = cpuinfo.read_text() if cpuinfo.exists() else ""
    found = re.search(r"^model name\s*: (.+)$", text, re.MULTILINE)
    return found[1].strip() if found else platform.processor() or platform.machine()


def versions() -> dict[str, str]:
    """Return the versions that a time may depend on."""
    return {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}}


def name_of(sweep: Sweep) -> str:
    """Return the name of a record: the device and the release of JAX."""
    device = re.sub(r"[^a-z0-9]+", "-", sweep.machine["device"].lower()).strip("-")
    return f"{device}-jax-{sweep.versions['jax']}"


def begin(plan: Plan, folder: Path, again: bool) -> Sweep:
    """Return the record to add to: a new one, or the one that was left unfinished."""
    today = datetime.date.today().isoformat()
    sweep = Sweep(machine(), versions(), today, {"batch": BATCH, **vars(plan)}, [])
    sweep.plan |= {name: list(sweep.plan[name]) for name in ("widths", "modules")}
    name = name_of(sweep)
    if again or not (folder / f"{name}.json").exists():
        return sweep
    old = read_sweep(name, folder)
    for what in ("machine", "versions", "plan"):
        if getattr(old, what) != getattr(sweep, what):
            raise SystemExit(
                f"{name}.json has another {what.removesuffix('s')} than this run would have; "
                "ARGS=--again replaces it"
            )
    return old


def room() -> float:
    """Return the bytes that the models may take: of a GPU a quarter, of other memory 2 GB."""
    stats = jax.devices()[0].memory_stats() or {}
    return float(stats.get("bytes_limit", 8e9)) / 4


def calls_for(ways: Ways, plan: Plan) -> int:
    """Return how many calls of the fastest way fill its seconds of a round."""
    least = {"calls": plan.least_calls, "wait": False}
    each = min(time_round({BASE: ways[BASE]}, 0, **least)[BASE] for _ in range(3))
    # The slowest way takes ten times as long and more where the fastest takes next to nothing.
    return max(plan.least_calls, min(100, int(plan.seconds / each)))


def measure(sweep: Sweep, plan: Plan, path: Path, tick: Callable[[str, int], None]) -> None:
    """Add what is missing of each cell of the grid, and store the record after each round."""
    for width, modules in plan.grid(room()):
        cells = [cell_of(sweep, width, modules, waiting) for waiting in (False, True)]
        label = f"width {width}, {modules} modules"
        tick(label, sum(cell.rounds for cell in cells))
        if all(cell.rounds >= plan.rounds for cell in cells):
            continue
        ways = make_ways(width, modules)
        for cell in cells:
            cell.calls = cell.calls or calls_for(ways, plan)
            for turn in range(cell.rounds, plan.rounds):
                cell.add(time_round(ways, turn, calls=cell.calls, wait=cell.waiting))
                sweep.write(path)
                tick(label, 1)


def cell_of(sweep: Sweep, width: int, modules: int, waiting: bool) -> Cell:
    """Return the cell of the record, which is added if it is not there."""
    cell = sweep.cell(width, modules, waiting)
    if cell is None:
        cell = Cell(width, modules, waiting, calls=0)
        sweep.cells.append(cell)
    return cell


def tables(sweep: Sweep) -> Iterator[Table]:
    """Return the medians, a table for each number of modules."""
    for modules in sorted({cell.modules for cell in sweep.cells}):
        cells = [cell for cell in sweep.cells if cell.modules == modules]
        widths = sorted({cell.width for cell in cells})
        about = f"{modules} modules: times of plain JAX (each loss waited for)"
        shown = Table("way", *(f"width {width}" for width in widths), title=about)
        for way in WAYS:
            shown.add_row(way, *(entry(sweep, width, modules, way) for width in widths))
        yield shown


def entry(sweep: Sweep, width: int, modules: int, way: str) -> str:
    """Return two medians: without waiting, and in brackets with it."""
    cells = (sweep.cell(width, modules, waiting) for waiting in (False, True))
    free, waiting = (f"{cell.ratios(BASE)[way].median:.1f}" for cell in cells if cell)
    return f"{free} ({waiting})"


def main(arguments: list[str]) -> int:
    """Measure what is missing of the record, show it, and store the page that shows all records."""
    options = parser().parse_args(arguments)
    plan = SHORT if options.quick else FULL
    folder = options.folder or (QUICK if options.quick else MEASURED)
    sweep = begin(plan, folder, again=options.again or options.quick)
    path = folder / f"{name_of(sweep)}.json"
    console = Console()
    console.print(f"{path.stem}; Ctrl-C ends it and loses nothing", highlight=False)
    with interrupts() as pressed:
        try:
            with progress(plan, console, pressed) as tick:
                measure(sweep, plan, path, tick)
            for shown in tables(sweep):
                console.print(shown)
        except BaseException:
            if not pressed:
                raise
            console.print(f"{path.stem} is not complete; the same command goes on from there")
    if folder == MEASURED:
        write_measured.main()
    return 0


@contextlib.contextmanager
def interrupts() -> Iterator[list[int]]:
    """Yield the list of Ctrl-Cs so far: JAX's own code may make another error of one, or none."""
    pressed: list[int] = []

    def press(number: int, _: Any) -> None:
        pressed.append(number)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, press)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def progress(
    plan: Plan, console: Console, pressed: list[int]
) -> Iterator[Callable[[str, int], None]]:
    """Show a progress bar, and yield what moves it on, and ends it where Ctrl-C was pressed."""
    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:3.0f} %")
    with Progress(*columns, TimeRemainingColumn(), console=console) as shown:
        rounds = 2 * plan.rounds * len(list(plan.grid(room())))
        task = shown.add_task("", total=rounds)

        def tick(label: str, done: int) -> None:
            shown.update(task, description=label, advance=done)
            if pressed:
                raise KeyboardInterrupt

        yield tick


def parser() -> argparse.ArgumentParser:
    """Return what reads the arguments."""
    summary = (__doc__ or "").partition("\n")[0]
    found = argparse.ArgumentParser(description=summary, prog="make measure ARGS=...")
    found.add_argument("--quick", action="store_true", help="a small grid in seconds, not kept")
    found.add_argument("--again", action="store_true", help="replace the record of this machine")
    found.add_argument("--folder", type=Path, help="where records lie, instead of docs/measured")
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
