"""Log a loss once, though every process has to compute it."""

from typing import Any

import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import require
from traced.lessons.processes.solutions.write_log import write_log as solution
from traced.running.attempt import attempt

#: The steps, and what is evaluated there: numbers of NumPy and of Python, of every kind.
_LOSSES: dict[int, Any] = {
    0: np.float32(1 / 3),
    5: np.float32(0.5),
    7: 0.25,
    10: np.float32(0.077),
    11: np.float32(2.0),
    250: 12345.678,
    1010: float("nan"),
    12340: np.float32(-0.5),
}
#: The processes that are played, some of whose numbers a factor divides.
_PROCESSES = (0, 1, 2, 3, 8, 10)


def _played(answer: Any, process: int, step: int) -> tuple[list[str], list[str]]:
    """Return what one process does at a step: what it evaluates, and what it writes."""
    evaluated: list[str] = []
    written: list[str] = []
    params = {"w": np.float32(0.5 + step)}

    def evaluate(given: Any) -> Any:
        evaluated.append(f"loss of {float(given['w']):g}")
        return _LOSSES[step]

    attempt(answer, evaluate, written.append, params, step, process)
    return evaluated, written


def _makes_the_same_calls(answer: Any) -> None:
    for step in _LOSSES:
        calls = {process: _played(answer, process, step)[0] for process in _PROCESSES}
        wanted = [f"loss of {0.5 + step:g}"] if step % 10 == 0 else []
        for process, evaluated in calls.items():
            here, first = (f"{len(each)} calls" for each in (evaluated, calls[0]))
            saw = {"step": step, "process_0": first, f"process_{process}": here}
            require(evaluated == calls[0], "devices/calls-differ", **saw)
        saw = {"step": step, "of": "the calls of `evaluate`", "wanted": wanted or "none"}
        require(calls[0] == wanted, "value/differs", **saw, got=calls[0] or "none")


def _writes_once(answer: Any) -> None:
    for step, loss in _LOSSES.items():
        for process in _PROCESSES:
            written = _played(answer, process, step)[1]
            line = f"{step} {loss:.2f}"
            wanted = [line] if process == 0 and step % 10 == 0 else []
            saw = {"step": step, "of": f"what process {process} writes", "wanted": wanted}
            require(written == wanted, "value/differs", **saw, got=written)


write_log = Exercise(
    name="write_log",
    questions=(_makes_the_same_calls, _writes_once),
    hints=(
        "Two things happen, and for one of them all processes are needed. Which of the two may "
        "depend on the number of the process?",
        "An `if` about the step can be taken by all alike. An `if` about the process can not.",
        "Every tenth step: the loss, in every process; then, in process 0, one line with both "
        "numbers.",
    ),
    verified="six processes at eight steps: the same calls in each, and one line of the log",
    answer=solution,
)
