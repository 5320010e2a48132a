"""Run the example of the landing page, and store what it shows: its trace, its finding, its counts.

`tests/test_landing.py` runs it again and compares.
"""

import json
import linecache
import types
from pathlib import Path
from typing import Any

import jax.numpy as jnp

from traced import count_equations, explore
from traced.drawing.panes import panes_html
from traced.lessons import start_here as ex

FOLDER = Path(__file__).parent / "landing"
PROGRAM = FOLDER / "mean_square.py"
STORED = FOLDER / "mean_square.json"
#: As many entries as leave a trace that the first screen has room for.
FEW = 2


def executed() -> dict[str, Any]:
    """Return what the page shows of the example, as the parts of a template."""
    mean_square = load()
    panes = explore(mean_square, jnp.ones(FEW)).panes[:2]
    return {
        "trace": panes_html([panes]),
        "few": {"entries": FEW, "equations": count_equations(mean_square, jnp.ones(FEW))},
        "value": float(mean_square(jnp.array([1.0, 3.0]))),
        "finding": ex.mean_square.check(mean_square)._repr_html_(),
    }


def load() -> Any:
    """Load the example as a cell of a notebook would have it, with its lines counted from one."""
    code = PROGRAM.read_text("utf-8")
    linecache.cache["cell"] = (len(code), None, code.splitlines(keepends=True), "cell")
    module = types.ModuleType("example")
    exec(compile(code, "cell", "exec"), module.__dict__)
    return module.mean_square


def main() -> None:
    """Execute the example, and say whether anything has changed."""
    text = json.dumps(executed(), indent=1, ensure_ascii=False) + "\n"
    if not STORED.exists() or STORED.read_text("utf-8") != text:
        STORED.write_text(text, "utf-8")
        print(f"stored {STORED.name}", flush=True)


if __name__ == "__main__":
    main()
