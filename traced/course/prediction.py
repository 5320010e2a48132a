"""A prediction, graded by the run."""

import inspect
from dataclasses import dataclass
from html import escape
from pprint import pformat
from typing import Any

from traced.course import journal
from traced.course.map import asked_at
from traced.drawing.picture import framed


@dataclass(frozen=True)
class Prediction:
    """What was predicted (`...` for nothing yet), what the run says, and what shows it."""

    prediction: Any
    outcome: Any
    evidence: Any = None

    def __repr__(self) -> str:
        shown = () if self.evidence is None else (self._text_evidence(),)
        return "\n".join([self._verdict() + f"the run says: {self.outcome}", *shown])

    def _verdict(self) -> str:
        if self.prediction is ...:
            return "no prediction yet; "
        return f"predicted: {self.prediction}, {'right' if self.is_right else 'not so'}; "

    @property
    def is_right(self) -> bool:
        """Whether the run says what was predicted."""
        return _plain(self.prediction) == _plain(self.outcome)

    def _repr_html_(self) -> str:
        outcome = f"<strong>{escape(str(self.outcome))}</strong>"
        body = f"<p>The run says: {outcome}</p>{self._html_evidence()}"
        if self.prediction is not ...:
            verdict = escape(self._verdict().rstrip("; "))
            return framed(f"<p>{verdict[0].upper()}{verdict[1:]}.</p>{body}")
        summary = "No prediction yet. Open to see what the run says."
        return framed(f"<details><summary>{summary}</summary>{body}</details>")

    def _html_evidence(self) -> str:
        if self.evidence is None:
            return ""
        html = getattr(self.evidence, "_repr_html_", lambda: None)()
        return html or f"<pre>{escape(self._text_evidence())}</pre>"

    def _text_evidence(self) -> str:
        # What is too long for a line has one for each entry.
        return pformat(self.evidence, width=76, compact=True, sort_dicts=False)


def _plain(value: object) -> str:
    """Write a value so that a list counts as a tuple, and the text `3` or a `3.0` as 3."""
    if isinstance(value, list | tuple):
        return ", ".join(map(_plain, value))
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip("() ")


def reveal(prediction: object, outcome: object, evidence: object = None) -> Prediction:
    """Return the comparison of a prediction with what the run says, to be displayed.

    The outcome stays folded until a prediction stands in place of `...`. `evidence` is anything
    that shows the outcome; it is displayed below it. The journal notes what a lesson asks for.

    >>> reveal(..., 2)
    no prediction yet; the run says: 2
    >>> reveal(3, 2)
    predicted: 3, not so; the run says: 2
    """
    revealed = Prediction(prediction, outcome, evidence)
    frame = inspect.currentframe()
    caller = frame and frame.f_back
    if prediction is not ... and caller and (asked := asked_at(caller)):
        journal.note_prediction(*asked, right=revealed.is_right)
    return revealed
