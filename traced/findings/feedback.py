"""What a check says: data first, of which text and HTML are renderings."""

import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any, Literal

from traced.drawing.picture import framed
from traced.findings.catalogue import CATALOGUE, Entry
from traced.findings.reading import lines_for_terminal, linked_in_lab
from traced.python.places import PACKAGE, Place

#: A question looks at an answer and raises `Found` if there is something to find.
Question = Callable[[Any], None]

State = Literal["not attempted", "not yet", "passed", "could not tell"]
MARKS = {"not attempted": "○", "not yet": "△", "passed": "●", "could not tell": "◇"}
COLOURS = {
    "not attempted": "#8889",
    "not yet": "#c77700",
    "passed": "#2e8b57",
    "could not tell": "#8a63d2",
}
WIDTH = 76  # of a line in a terminal; HTML wraps by itself
EVIDENCE = 120  # longer evidence is cut


@dataclass(frozen=True)
class Finding:
    """One fault in an answer: its code in the catalogue, the places, and what was seen there.

    `saw` holds pairs of what was looked at and what it was. `rule`, `read` and `headline` stand in
    the place of what the catalogue has, where more is known. Raises `KeyError` for an unknown code.

    >>> Finding("value/shape", saw=(("wanted", "f32[]"), ("got", "f32[3]"))).entry.headline
    'the result has another shape'
    """

    code: str
    where: tuple[Place, ...] = ()
    saw: tuple[tuple[str, str], ...] = ()
    rule: str = ""
    read: str = ""
    headline: str = ""

    def __post_init__(self) -> None:
        CATALOGUE[self.code]

    @property
    def entry(self) -> Entry:
        """The headline, the rule and the place to read, from the catalogue."""
        return CATALOGUE[self.code]

    def lines(self, lesson: str = "", file_of: Callable[[Place], str] = lambda _: "") -> list[str]:
        """Return what is said of it: headline, places, what was seen, the rule, what to read.

        `lesson` is that of the exercise, if it is about one; `file_of` names the file of a place.

        >>> Finding("value/shape", saw=(("wanted", "f32[]"),)).lines()[:2]
        ['the result has another shape', 'seen: wanted: f32[]']
        """
        return [
            self.headline or self.entry.headline,
            # The text of what was given to `exec` is not known: a bare number says nothing.
            *(_at(place, file_of(place)) for place in self.where if place.source),
            *(f"seen: {_cut(_on_one_line(pair))}" for pair in self.saw),
            f"rule: {self.rule or self.entry.rule}",
            f"read: {self.read or self.entry.read_in(lesson) or f'field guide, {self.code}'}",
        ]


class Found(Exception):
    """Raised by a question with the finding that answers it; `Exercise.check` catches it.

    `error` is what the reader's code raised, if it did.
    """

    def __init__(self, finding: Finding, error: BaseException | None = None) -> None:
        super().__init__(finding.code)
        self.finding, self.error = finding, error

    def saying(self, **known: Any) -> "Found":
        """Return this fault with other fields of its finding: what one exercise knows of it.

        >>> fault("value/shape").saying(rule="a head has three columns").finding.rule
        'a head has three columns'
        """
        return Found(replace(self.finding, **known), self.error)


class NotAttempted(Exception):
    """Raised where an answer is still the stub that the lesson gives."""


def require(condition: bool, code: str, *where: Place | None, **saw: object) -> None:
    """Raise `Found` unless `condition` holds; underscores in the names of `saw` become blanks.

    >>> require(1 + 1 == 3, "value/differs", wanted=3, got=2)
    Traceback (most recent call last):
    traced.findings.feedback.Found: value/differs
    """
    if not condition:
        raise fault(code, *where, **saw)


def fault(code: str, *where: Place | None, **saw: object) -> Found:
    """Return what a question raises: the finding `code`, its places and what was seen.

    >>> fault("value/differs", wanted=3, got=2).finding.saw
    (('wanted', '3'), ('got', '2'))
    """
    evidence = tuple((name.replace("_", " "), str(value)) for name, value in saw.items())
    return Found(Finding(code, tuple(place for place in where if place), evidence))


@dataclass(frozen=True)
class Feedback:
    """The outcome of one check: not attempted, not yet (with the first finding) or passed.

    Or *could not tell*: JAX, or Flax, no longer shows what the check looks at. `unseen` says what
    that is, and in which release. `lesson` is that of the exercise, if it has one.
    """

    exercise: str
    state: State
    finding: Finding | None = None
    verified: str = ""
    hint: str = ""
    unseen: str = ""
    lesson: str = ""

    def __repr__(self) -> str:
        lines = self._lines()
        return "\n".join([self._title(), *map(_wrap, lines), *lines_for_terminal("\n".join(lines))])

    def _repr_html_(self) -> str:
        title = linked_in_lab(f"<strong>{MARKS[self.state]} {escape(self._title())}</strong>")
        body = linked_in_lab(escape("\n".join(self._lines())))
        frame = f"border-left:.3em solid {COLOURS[self.state]};padding:.2em 0 .2em .8em"
        pane = "margin:.3em 0 0;padding:0;border:0;white-space:pre-wrap;background:transparent"
        return framed(f'<div style="{frame}">{title}<pre style="{pane}">{body}</pre></div>')

    def _title(self) -> str:
        code = f"  [{self.finding.code}]" if self.finding else ""
        return f"{self.exercise}: {self.state}{code}"

    def _lines(self) -> list[str]:
        if self.unseen:
            return [self.unseen, "the answer has neither passed nor failed"]
        if self.finding is None:
            return [self.verified] if self.verified else []
        hint = [f"hint: {self.hint}"] if self.hint else []
        return [*self.finding.lines(self.lesson), *hint]


def _at(place: Place, file: str) -> str:
    # What an exercise gives, such as a `step`, stands on its page and not in the answer.
    ours = "code of the course" if Path(place.file).is_relative_to(PACKAGE) else ""
    notes = ", ".join(filter(None, (place.note, ours)))
    note = f"   ({notes})" if notes else ""
    line = f"{file}, line" if file else "line"
    return f"  {line} {place.line}:  {_cut(place.source)}{note}"


def _on_one_line(pair: tuple[str, str]) -> str:
    return re.sub(r"\n\s*", " ", ": ".join(filter(None, pair)))


def _cut(text: str) -> str:
    if len(text) <= EVIDENCE:
        return text
    cut = text[:EVIDENCE]
    # A word that is cut in two reads like another word; a long one, such as a number, is cut.
    return cut[: max(cut.rfind(" "), EVIDENCE - 20)].rstrip() + "…"


def _wrap(line: str) -> str:
    return textwrap.fill(line, WIDTH, subsequent_indent=" " * 6, break_on_hyphens=False)
