"""Repair a training loop that waits for every loss, though it returns only some of them."""

import traceback
from typing import Any

import jax
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Found, fault, require
from traced.lessons.cost_of_state.solutions.train import train as solution
from traced.lessons.pending import Lent, landed, watch_reads
from traced.python.places import Place, first_place, is_library
from traced.questions import compare
from traced.running.attempt import attempt


class Advance:
    """A step whose losses are not there yet; notes who waited for which, and before which step."""

    def __init__(self) -> None:
        self.batches: list[float] = []
        self.waited: list[tuple[int, int, Place | None]] = []

    def __call__(self, batch: float) -> Lent:
        """Return the loss of the next step."""
        self.batches.append(batch)
        number = len(self.batches) - 1
        return Lent(_loss(batch, number), lambda: self._note(number))

    def _note(self, number: int) -> None:
        self.waited.append((number, len(self.batches), _here()))


def _loss(batch: float, number: int) -> float:
    return batch + 0.12345 * number


def _here() -> Place | None:
    """Return the line of the answer that is running."""
    frames = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_stack(None)]
    return first_place(frame for frame in frames if not is_library(frame[0]))


#: The batches of each run, and `every`.
RUNS: tuple[tuple[list[float], int], ...] = (
    ([2.0 * i for i in range(9)], 3),
    ([100.0, -100.0, 0.0, float("nan"), float("nan"), 3.0, 50.0, 50.0, 0.5, 1e6], 3),
    ([4.0, 3.0, 2.0, 1.0], 1),
    ([1.0, 2.0], 5),
)


def _returns_some_losses(answer: Any) -> None:
    """Require the right losses of each run, as floats, and one step for each batch."""
    for batches, every in RUNS:
        advance, given = Advance(), _given(batches, every)
        try:
            got = attempt(landed, attempt(answer, advance, list(batches), every))
        except Found as found:  # an error need not name the loss that it is about
            raise found.saying(saw=(("given", given), *found.finding.saw)) from None
        losses = [_loss(batch, number) for number, batch in enumerate(batches)]
        compare(losses[::every], got, given=given)
        for n, (loss, each) in enumerate(zip(losses[::every], got, strict=True)):
            # Closer than results are compared, since nothing has been computed.
            exact = np.isclose(each, loss, rtol=1e-6, atol=0, equal_nan=True)
            saw = {"given": given, "at": f"[{n}]", "wanted": loss, "got": each}
            require(bool(exact), "value/differs", **saw)
        kinds = {_kind(each) for each in got if not isinstance(each, float)}
        saw = {"given": given, "wanted": "float", "got": ", ".join(kinds)}
        require(not kinds, "value/structure", **saw)
        steps = len(advance.batches)
        require(steps == len(batches), "value/differs", given=given, steps=steps)


def _given(batches: list[float], every: int) -> str:
    nans = [str(number) for number, batch in enumerate(batches) if np.isnan(batch)]
    losses = f", losses number {' and '.join(nans)} are NaN" if nans else ""
    return f"{len(batches)} batches, every = {every}{losses}"


def _kind(value: object) -> str:
    return "jax.Array" if isinstance(value, jax.Array) else type(value).__name__


def _waits_for_what_it_returns(answer: Any) -> None:
    """Require that no step waits for a loss of another number than those that are returned."""
    for batches, every in RUNS:
        advance = Advance()
        with watch_reads():
            attempt(answer, advance, list(batches), every)
        for number, steps, place in advance.waited:
            if number % every and steps < len(batches):
                saw = {"given": _given(batches, every), "waited for": f"loss number {number}"}
                raise fault("cost/waits", place, **saw, before=f"step number {steps}")


train = Exercise(
    name="train",
    questions=(_returns_some_losses, _waits_for_what_it_returns),
    hints=(
        "`float` reads the value, and reading waits. To how many losses is it applied, "
        "and how many are returned?",
        "A loss that nobody reads is an array like any other: it can be kept in a list, "
        "or forgotten.",
        "A loop with `enumerate`. Each loss is left as it is; whether its number is a multiple "
        "decides whether it is kept. Reading comes last.",
    ),
    verified="the right losses of four runs; no step that waits for a loss that is not returned",
    answer=solution,
)
