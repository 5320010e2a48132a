"""Measure what the course adds to JAX, as ratios of two times taken in the same run."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import jax
import jax.numpy as jnp

from traced.lessons import start_here
from traced.probes.jaxprs import count_equations
from traced.solutions.start_here import mean_square

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"


def best(run: Callable[[], object], times: int) -> float:
    """Return the shortest of several runs, in seconds."""
    return min(_seconds(run) for _ in range(times))


def _seconds(run: Callable[[], object]) -> float:
    start = perf_counter()
    run()
    return perf_counter() - start


def python(code: str) -> Callable[[], object]:
    """Return a run of `code` in a Python of its own."""
    return lambda: subprocess.run([sys.executable, "-c", code], check=True)


def importing() -> tuple[float, float]:
    """Import the package with JAX, and JAX alone."""
    return best(python("import jax, traced"), 5), best(python("import jax, jax.numpy"), 5)


def checking() -> tuple[float, float]:
    """Check an answer, and run it on the inputs that the check uses, traces included."""
    inputs = [jnp.array([1.0, 2.0, 3.0]), jnp.linspace(-1.0, 1.0, 6)]

    def run() -> None:
        for x in inputs:
            mean_square(x).block_until_ready()
        for n in (4, 8):
            jax.make_jaxpr(lambda x: mean_square(x))(jnp.arange(float(n)))

    return best(lambda: start_here.mean_square.check(mean_square), 20), best(run, 20)


def walking() -> tuple[float, float]:
    """Count the equations of a jaxpr of 10,000, which includes tracing it, and trace it."""

    def long(x: jax.Array) -> jax.Array:
        for _ in range(10_000):
            x = x * x
        return x

    counted = best(lambda: count_equations(long, 1.0), 5)
    traced = best(lambda: jax.make_jaxpr(lambda x: long(x))(1.0), 5)
    return counted - traced, traced


def reading() -> tuple[float, float]:
    """Execute the longest lesson, and start a kernel that imports what it imports."""
    import nbformat
    from nbclient import NotebookClient

    lesson = nbformat.read(NOTEBOOKS / "02_tracing.ipynb", as_version=4)
    imports = nbformat.v4.new_code_cell("import jax, jax.numpy, numpy, traced")
    empty = nbformat.v4.new_notebook(cells=[imports], metadata=lesson.metadata)
    here = {"metadata": {"path": str(NOTEBOOKS)}}
    runs = [lambda nb=nb: NotebookClient(nb, resources=here).execute() for nb in (lesson, empty)]
    return best(runs[0], 3), best(runs[1], 3)


RATIOS = {
    "import traced / import jax": (importing, 1.05),
    "check / run and trace the answer": (checking, 2.0),
    "walk a jaxpr of 10,000 / trace it": (walking, 1.0),
    "run 02_tracing / start its kernel": (reading, 2.0),
}


def main() -> None:
    """Print each ratio as it comes, beside the bound that we keep."""
    for name, (measure, bound) in RATIOS.items():
        print(f"{name:36}", end="", flush=True)
        ours, base = measure()
        print(f"{ours / base:6.2f}   bound {bound:4.2f}   ({ours:.3f} s / {base:.3f} s)")


if __name__ == "__main__":
    main()
