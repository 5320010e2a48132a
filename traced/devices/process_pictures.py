"""What each process of a program printed, and how it ended."""

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from traced.devices.processes import Run, run_processes
from traced.drawing.outline import Branch, outline
from traced.drawing.picture import Picture, telling
from traced.drawing.shapes import Shape, around, draw, frame, label, width_of

ROW, WIDEST, APART = 20, 44, 34
#: The width of a drawing that a phone shows whole, without its margins.
PHONE = 380


@telling
def show_processes(
    main: Callable[[str, int, int], Any],
    count: int = 2,
    missing: Iterable[int] = (),
    seconds: float = 280,
) -> Picture:
    """Run a program in several processes, and return what each printed and how it ended.

    The source of `main(address, count, process)` is written to a file, which each process runs, so
    it has to import what it uses. The `missing` processes are never started, and those that go on
    for longer than `seconds` are killed. The processes have CPUs, and `address` is a free port.
    """
    runs = run_processes(main, count, missing, seconds)
    caption = f"what {len(runs)} process{'es' if len(runs) > 1 else ''} printed"
    rows = [
        Branch(f"process {run.process}", tuple((line,) for line in (*run.lines, *_ends(run))))
        for run in runs
    ]
    twin = outline(("process", "printed"), rows, caption)
    return draw(_panes(runs), caption, twin, title=f"{main.__name__}: {caption}")


def _ends(run: Run) -> Iterator[str]:
    if run.error:
        yield f"✗ {run.error}"
    yield f"{'' if run.ended == 'exit 0' else '✗ '}[{run.ended}]"


def _panes(runs: Sequence[Run]) -> Iterator[Shape]:
    """Yield a frame for each process with its lines, side by side where a phone has room for it."""
    texts = [
        [
            (part, line.startswith("✗") or line == "[exit 0]")
            for line in (*run.lines, *_ends(run))
            for part in textwrap.wrap(line, WIDEST) or [""]
        ]
        for run in runs
    ]
    width = max(width_of(text) for lines in texts for text, _ in lines)
    is_beside = len(runs) * (width + APART) <= PHONE
    x = y = 0.0
    for run, lines in zip(runs, texts, strict=True):
        failed = run.ended != "exit 0"
        height = max(map(len, texts)) if is_beside else len(lines)
        corner = label(x + width, y + ROW * (height + 0.5), "")
        shapes = [label(x, y, f"process {run.process}", sans=True, bold=True), corner]
        for i, (text, is_end) in enumerate(lines, start=1):
            ink: dict[str, Any] = {"hue": "red"} if is_end and failed else {"muted": is_end}
            shapes.append(label(x, y + ROW * (i + 0.3), text, **ink))
        pane = frame(around(shapes), hue="red" if failed else "teal", room=12)
        yield from (*shapes, pane)
        x, y = (pane.right + APART, y) if is_beside else (x, pane.bottom + APART)
