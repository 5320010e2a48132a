"""Measure what the course adds to JAX, as ratios of two times taken in the same run."""

import ast
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from time import perf_counter, process_time
from typing import Any

import jax
import jax.numpy as jnp
from browser import PICTURE, launch

from tests.drawing import drawn, drawn_programs
from traced import explore
from traced.lessons import LESSONS, start_here
from traced.lessons.start_here.solutions.mean_square import mean_square
from traced.programs.explore import Exploration
from traced.programs.jaxprs import count_equations
from traced.randomness.keys import KeyRecord, find_key_events
from traced.show import show_dataflow, show_keys, show_tree

DRAWN = drawn.DRAWN | drawn_programs.DRAWN
NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
sys.path.append(str(NOTEBOOKS))


def best(run: Callable[[], object], times: int, clock: Callable[[], float] = perf_counter) -> float:
    """Return the shortest of several runs, in seconds of the clock."""
    return min(_seconds(run, clock) for _ in range(times))


def _seconds(run: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    run()
    return clock() - start


def in_turns(
    runs: Sequence[Callable[[], object]], count: int, clock: Callable[[], float]
) -> tuple[float, ...]:
    """Return the shortest of several runs of each, which take turns."""
    rounds = [[_seconds(run, clock) for run in runs] for _ in range(count)]
    return tuple(map(min, zip(*rounds, strict=True)))


def python(code: str) -> Callable[[], object]:
    """Return a run of `code` in a Python of its own."""
    return lambda: subprocess.run([sys.executable, "-c", code], check=True)


def importing() -> tuple[float, ...]:
    """Import the package with JAX, and JAX alone, in seconds of the processor."""
    runs = [python("import jax, jax.numpy, traced"), python("import jax, jax.numpy")]
    return in_turns(runs, 7, lambda: sum(os.times()[2:4]))


def checking() -> tuple[float, float]:
    """Check an answer again, in seconds of the processor; a tenth of one."""
    return best(lambda: start_here.mean_square.check(mean_square), 100, process_time), 0.1


#: In a Python that has imported the lesson, as a reader has when they check for the first time.
CHECKED = """
from time import process_time
import flax.nnx, jax, jax.numpy, optax
if {lesson!r} in ("many_devices", "shard_map", "processes"):
    jax.config.update("jax_num_cpu_devices", 8)
from traced.lessons import {lesson}
exercise = {lesson}.EXERCISES[{number}]
start = process_time()
feedback = exercise.check(exercise.answer)
print(process_time() - start)
assert feedback.state == "passed", feedback
"""


@cache
def first_check(lesson: str, number: int) -> tuple[float, float]:
    """Check a solution for the first time in a process, in seconds of the processor; three."""
    code = CHECKED.format(lesson=lesson, number=number)
    with TemporaryDirectory() as folder:
        env = os.environ | {"TRACED_JOURNAL": f"{folder}/journal.jsonl"}
        ran = subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=env
        )
    return float(ran.stdout.splitlines()[-1]), 3.0


def slow_checks() -> tuple[float, float]:
    """Count the first checks that take more than 1.5 seconds; one of ten."""
    taken = [first_check(lesson, number)[0] for lesson, number, _ in exercises()]
    return float(sum(seconds > 1.5 for seconds in taken)), len(taken) / 10


#: Solutions, then a loop that never ends, and an answer that sleeps: what is wrong of the verdicts.
CROWDED = """
from time import sleep
import jax, jax.numpy as jnp
from traced.lessons import {lesson}
from traced.lessons.start_here import mean_square

def endless(x):
    return jax.lax.while_loop(lambda y: y >= 0, lambda y: y + 0.0, jnp.mean(x**2))

def sleeps(x):
    sleep(60)
    return jnp.mean(x**2)

seen = [each.check(each.answer).state == "passed" for each in {lesson}.EXERCISES]
wanted = {{endless: "loops/endless", sleeps: "runs/too-long"}}
seen += [mean_square.check(each).finding.code == code for each, code in wanted.items()]
print(seen.count(False))
"""
#: Those whose solutions take longest.
SLOWEST = ("own_derivatives", "find_the_faults", "nnx_axes", "loops", "randomness")


def crowding() -> tuple[float, float]:
    """Check answers in twenty kernels at once; return how many verdicts are wrong, and one."""
    codes = [CROWDED.format(lesson=lesson) for lesson in SLOWEST * 4]
    with TemporaryDirectory() as folder:
        env = os.environ | {"TRACED_JOURNAL": f"{folder}/journal.jsonl"}
        runs = [
            subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=env)
            for code in codes
        ]
        return float(sum(int(run.communicate()[0].split()[-1]) for run in runs)), 1.0


def exercises() -> list[tuple[str, int, str]]:
    """Return of each exercise its lesson, its number there, and its name."""
    lessons = {lesson: import_module(f"traced.lessons.{lesson}") for lesson in LESSONS}
    return [
        (lesson, number, each.name)
        for lesson, module in lessons.items()
        for number, each in enumerate(module.EXERCISES)
    ]


def walking() -> tuple[float, float]:
    """Count the equations of a jaxpr of 10,000, which includes tracing it, and trace it."""

    def long(x: jax.Array) -> jax.Array:
        for _ in range(10_000):
            x = x * x
        return x

    counted = best(lambda: count_equations(long, 1.0), 5)
    traced = best(lambda: jax.make_jaxpr(lambda x: long(x))(1.0), 5)
    return counted - traced, traced


def reading(lesson: Path) -> tuple[float, float]:
    """Execute a lesson, and start a kernel that imports what it imports."""
    import nbformat
    from execute import run

    notebook = nbformat.read(lesson, as_version=4)
    lines = [node for cell in notebook.cells if cell.cell_type == "code" for node in _imports(cell)]
    imports = nbformat.v4.new_code_cell("\n".join(lines))
    empty = nbformat.v4.new_notebook(cells=[imports], metadata=notebook.metadata)
    return best(lambda: run(notebook), 2), best(lambda: run(empty), 2)


def _imports(cell: Any) -> list[str]:
    nodes = ast.walk(ast.parse(cell.source))
    return [ast.unparse(node) for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]


def alternating(steps: int) -> Callable[[jax.Array], jax.Array]:
    """Return a function of three equations for each step, of which no two neighbours are alike."""

    def f(x: jax.Array) -> jax.Array:
        for _ in range(steps):
            x = jnp.sin(x)
            x = x * x
            x = x + 1.0
        return x

    return f


def exploring() -> tuple[float, float]:
    """Explore 10,000 equations, beyond what JAX takes to trace and compile them; two seconds.

    Of the processor, for the wall time of compiling alone varies by as much.
    """
    return _beyond_compiling(lambda f, x: explore(f, x)._repr_html_()), 2.0


def flowing() -> tuple[float, float]:
    """Draw the dataflow of 10,000 equations, beyond tracing and compiling them; two seconds."""
    return _beyond_compiling(lambda f, x: show_dataflow(f, x)._repr_html_()), 2.0


def _beyond_compiling(show: Callable[..., object]) -> float:
    f, x = alternating(3334), jnp.ones(3)
    compiled = best(lambda: jax.jit(lambda x: f(x)).lower(x).compile(), 3, process_time)
    return best(lambda: show(f, x), 3, process_time) - compiled


def _page(explored: Exploration) -> int:
    return len(explored._repr_html_().encode())


def writing() -> tuple[float, float]:
    """Write a page about 10,000 equations, in megabytes; two megabytes."""
    return _page(explore(alternating(3334), jnp.ones(3))) / 1e6, 2.0


def growing() -> tuple[float, float]:
    """Write a page about twice as many equations, in megabytes, and about so many."""
    twice, once = (_page(explore(alternating(n), jnp.ones(3))) / 1e6 for n in (60, 30))
    return twice, once


def transforming() -> tuple[float, float]:
    """Write a page about two transformer blocks and their gradient, in megabytes; two megabytes."""
    from flax import nnx

    class Block(nnx.Module):
        def __init__(self, rngs: nnx.Rngs) -> None:
            self.attention = nnx.MultiHeadAttention(2, 16, decode=False, rngs=rngs)
            self.norm, self.norm_up = (nnx.LayerNorm(16, rngs=rngs) for _ in range(2))
            self.up, self.down = nnx.Linear(16, 64, rngs=rngs), nnx.Linear(64, 16, rngs=rngs)

        def __call__(self, x: jax.Array) -> jax.Array:
            x = x + self.attention(self.norm(x))
            return x + self.down(nnx.gelu(self.up(self.norm_up(x))))

    def loss(blocks: list[Block], x: jax.Array) -> jax.Array:
        for block in blocks:
            x = block(x)
        return jnp.mean(x**2)

    blocks, x = [Block(nnx.Rngs(i)) for i in range(2)], jnp.ones((2, 8, 16))
    return _page(explore(loss, blocks, x).beside(gradient=jax.grad(loss))) / 1e6, 2.0


def drawing() -> tuple[float, float]:
    """Draw a tree of 1,000 layers and the keys that made them, in seconds; a second."""
    layers = [{"w": jnp.ones((i % 3 + 1, 3)), "b": jnp.zeros(3)} for i in range(1000)]
    keys = find_key_events(lambda key: jax.random.split(key, 1000), jax.random.key(0))

    def run() -> None:
        show_tree(layers)._repr_html_()
        show_keys(KeyRecord(keys, []))._repr_html_()

    return best(run, 3, process_time), 1.0


def kind_of(name: str) -> str:
    """Return which picture a name in the tables of pictures is of."""
    return name.partition(",")[0]


def pictured(kind: str) -> tuple[float, float]:
    """Draw the dearest picture of a kind, in seconds of the processor; a second."""
    runs = [make for name, make in DRAWN.items() if kind_of(name) == kind]
    return max(best(lambda make=make: make()._repr_html_(), 2, process_time) for make in runs), 1.0


def weighing(kind: str) -> tuple[float, float]:
    """Write the largest picture of a kind, in kilobytes; 300 of them."""
    made = (make()._repr_html_() or "" for name, make in DRAWN.items() if kind_of(name) == kind)
    return max(len(html.encode()) for html in made) / 1000, 300.0


#: A line of 1.6 Mbit/s with 150 ms there and back, and a processor four times slower.
LINE = {"offline": False, "latency": 150, "downloadThroughput": 2e5, "uploadThroughput": 2e5}
SLOWER = 4
SITE = Path(__file__).parents[1] / "_build/site"


@cache
def visiting(name: str) -> tuple[float, float, float]:
    """Open a page of the built site; return seconds to its first paint, kilobytes, and requests.

    The two are counted before pictures: without what is drawn in the page, and without images.
    """
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=SITE))
    Thread(target=server.serve_forever, daemon=True).start()
    with launch() as browser:
        page = browser.new_page()
        line = page.context.new_cdp_session(page)
        line.send("Network.enable")
        line.send("Network.emulateNetworkConditions", LINE)
        line.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        page.goto(f"http://127.0.0.1:{server.server_port}/{name}.html", wait_until="load")
        painted = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]")
        seconds = painted["startTime"] / 1000
        # What is in a style sheet or in the cache is no request.
        sizes = page.evaluate("performance.getEntries().map(e => e.transferSize).filter(Boolean)")
    server.shutdown()
    drawn = PICTURE.findall((SITE / f"{name}.html").read_text("utf-8"))
    rest = sum(sizes) - sum(len(each.encode()) for each in drawn)
    return seconds, rest / 1000, float(len(sizes))


class Quiet(SimpleHTTPRequestHandler):
    """A server that packs nothing, so that a real one is faster, and writes no log."""

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing."""


def painting(name: str) -> tuple[float, float]:
    """Paint a page for the first time, in seconds; two of them."""
    return visiting(name)[0], 2.0


def loading(name: str) -> tuple[float, float]:
    """Load a page, in kilobytes before pictures; 400 of them."""
    return visiting(name)[1], 400.0


def requesting(name: str) -> tuple[float, float]:
    """Load a page, in requests; twelve of them."""
    return visiting(name)[2], 12.0


KINDS = sorted({*map(kind_of, DRAWN)})
#: Pages of the site that are measured, once `make site` has built it.
PAGES = ("index", "notebooks/02_tracing", "docs/error")

RATIOS = {
    "import traced / import jax": (importing, 1.05, "s"),
    "check again / 0.1 s": (checking, 1.0, "s"),
    **{
        f"first check of {name}, {lesson} / 3 s": (partial(first_check, lesson, number), 1.0, "s")
        for lesson, number, name in exercises()
    },
    "first checks above 1.5 s / one of ten": (slow_checks, 1.0, ""),
    "wrong verdicts of twenty kernels at once": (crowding, 0.0, ""),
    "walk a jaxpr of 10,000 / trace it": (walking, 1.0, "s"),
    **{
        f"run {path.stem} / start its kernel": (partial(reading, path), 2.0, "s")
        for path in sorted(NOTEBOOKS.glob("*.ipynb"))
    },
    "explore 10,000 equations / 2 s": (exploring, 1.0, "s"),
    "their page / 2 MB": (writing, 1.0, "MB"),
    "page of 180 / of 90 equations": (growing, 2.2, "MB"),
    "page of two transformer blocks / 2 MB": (transforming, 1.0, "MB"),
    "draw 1,000 layers and keys / 1 s": (drawing, 1.0, "s"),
    "dataflow of 10,000 equations / 2 s": (flowing, 1.0, "s"),
    **{f"draw {kind} / 1 s": (partial(pictured, kind), 1.0, "s") for kind in KINDS},
    **{f"{kind}, largest / 300 kB": (partial(weighing, kind), 1.0, "kB") for kind in KINDS},
    **{f"first paint of {name} / 2 s": (partial(painting, name), 1.0, "s") for name in PAGES},
    **{f"{name} / 400 kB": (partial(loading, name), 1.0, "kB") for name in PAGES},
    **{f"{name} / 12 requests": (partial(requesting, name), 1.0, "") for name in PAGES},
}


def main() -> None:
    """Print each ratio as it comes, beside the bound that we keep."""
    for name, (measure, bound, unit) in RATIOS.items():
        print(f"{name:53}", end="", flush=True)
        ours, base = measure()
        print(f"{ours / base:6.2f}   bound {bound:4.2f}   ({ours:.3f} {unit} / {base:.3f} {unit})")


if __name__ == "__main__":
    main()
