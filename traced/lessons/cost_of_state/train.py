"""Repair a training loop that waits for every loss, though it returns only some of them."""

import contextlib
import itertools
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
    """A step whose losses are not there yet; notes who waited for which, and before which step.

    Those of the numbers in `other` are others. It notes too what was read of JAX's own arrays.
    """

    def __init__(self, other: dict[int, float] | None = None) -> None:
        self.batches: list[float] = []
        self.waited: list[tuple[int, int, Place | None]] = []
        self.read: list[tuple[np.ndarray, int, Place | None]] = []
        self._other = other or {}

    def __call__(self, batch: float) -> Lent:
        """Return the loss of the next step."""
        self.batches.append(batch)
        number = len(self.batches) - 1
        loss = self._other.get(number, _loss(batch, number))
        return Lent(loss, lambda: self._note(number))

    def _note(self, number: int) -> None:
        self.waited.append((number, len(self.batches), _here()))

    def see(self, array: jax.Array) -> None:
        """Note what is read of an array."""
        if not array.is_deleted():
            self.read.append((np.asarray(array), len(self.batches), _here()))


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
        for number, steps, place in _run(answer, batches, every).waited:
            if number % every and steps < len(batches):
                raise _waits(batches, every, number, steps, place)


def _reads_nothing_made_of_others(answer: Any) -> None:
    """Require that what is read meanwhile is the same whatever the losses between are.

    What JAX made of several losses does not say which. So one loss at a time is another.
    """
    batches, every = RUNS[0]
    read = _run(answer, batches, every).read
    if not read:
        return
    between = [number for number in range(len(batches) - 1) if number % every]
    for number, other in itertools.product(between, (np.nan, np.inf)):
        now = _run(answer, batches, every, {number: other}).read
        for (was, *_), (value, steps, place) in zip(read, now, strict=False):
            if steps < len(batches) and not _are_same(was, value):
                raise _waits(batches, every, number, steps, place)


def _are_same(one: np.ndarray, other: np.ndarray) -> bool:
    return np.array_equal(one, other, equal_nan=one.dtype.kind == other.dtype.kind == "f")


def _run(
    answer: Any, batches: list[float], every: int, other: dict[int, float] | None = None
) -> Advance:
    advance = Advance(other)
    # Another loss may lead to an error, and what was read before it is seen all the same.
    with contextlib.suppress(*([Found] if other else [])), watch_reads(advance.see):
        attempt(answer, advance, list(batches), every)
    return advance


def _waits(batches: list[float], every: int, number: int, steps: int, place: Place | None) -> Found:
    saw = {"given": _given(batches, every), "waited for": f"loss number {number}"}
    return fault("cost/waits", place, **saw, before=f"step number {steps}")


train = Exercise(
    name="train",
    questions=(_returns_some_losses, _waits_for_what_it_returns, _reads_nothing_made_of_others),
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
