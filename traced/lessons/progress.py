"""What has been predicted, tried and passed: the map of the lessons, or a table of this run."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from importlib import import_module
from itertools import groupby

from traced.course import journal
from traced.course.map import Lesson, lessons
from traced.drawing.picture import Picture, table
from traced.lessons import LESSONS

#: The states of an exercise, as they are told.
STATES = ("passed", "not yet", "not attempted")

# Inline styles, which an untrusted notebook keeps; no colour of its own, so that both schemes work.
GRID = (
    "display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,17em),1fr));gap:1em;"
    "margin:.5em 0 1.5em;padding:0;list-style:none"
)
CARD = "border:1px solid #8888;border-radius:.6em;padding:.8em 1em;margin:0"


def show_progress(*, this_run: bool = False) -> Picture:
    """Return the map of the lessons, with the predictions made and the exercises passed of each.

    With `this_run` it lists the exercises that have been checked since Python was started, each
    with its best outcome, and nothing else.

    >>> str(show_progress()).splitlines()[1]
    '00 Start here: The right number from the wrong program'
    """
    if this_run:
        best = journal.states(this_run=True)
        rows = [(*each, best[each]) for each in every_exercise() if each in best]
        return table(("lesson", "exercise", "state"), rows, "progress by lesson")
    groups = [
        (group, list(cards)) for group, cards in groupby(read_cards(), lambda card: card.group)
    ]
    text = "\n\n".join("\n".join([group, *map(str, cards)]) for group, cards in groups)
    html = "".join(
        f'<p><strong>{escape(group)}</strong></p><ol style="{GRID}">'
        f"{''.join(card.html() for card in cards)}</ol>"
        for group, cards in groups
    )
    return Picture(text, html)


def every_exercise() -> Iterator[tuple[str, str]]:
    """Yield the lesson and the name of each exercise, in the order of the pages."""
    for lesson in LESSONS:
        for exercise in import_module(f"traced.lessons.{lesson}").EXERCISES:
            yield lesson, exercise.name


@dataclass(frozen=True)
class Card:
    """A lesson on the map: how many predictions were made of it, and the state of each exercise."""

    lesson: Lesson
    made: int
    states: dict[str, str]

    @property
    def group(self) -> str:
        """The group that the lesson stands in."""
        return self.lesson.group

    def facts(self) -> str:
        """Return what the lesson takes."""
        minutes = [f"{self.lesson.minutes} minutes"] if self.lesson.minutes else []
        count = len(self.states)
        exercises = f"{count} exercise{'' if count == 1 else 's'}"
        after = [f"after {', '.join(self.lesson.after)}"] if self.lesson.after else []
        return ", ".join([*minutes, exercises, *after])

    def progress(self) -> str:
        """Return how much of it is done."""
        passed = list(self.states.values()).count("passed")
        predicted = f"{self.made} of {len(self.lesson.predictions)} predicted"
        return f"{predicted}, {passed} of {len(self.states)} passed"

    def named(self) -> Iterator[tuple[str, list[str]]]:
        """Yield each state that some exercise is in, with these exercises."""
        for state in dict.fromkeys([*STATES, *self.states.values()]):
            if names := [name for name, each in self.states.items() if each == state]:
                yield state, names

    def __str__(self) -> str:
        head = f"{self.lesson.number} {self.lesson.topic}: {self.lesson.claim.replace('`', '')}"
        named = [f"{state}: {', '.join(names)}" for state, names in self.named()]
        return "\n   ".join([head, self.facts(), self.progress(), *named])

    def html(self) -> str:
        """Return the card as an item of a list."""
        claim = escape(self.lesson.claim, quote=False).split("`")
        code = "".join(f"<code>{each}</code>" if at % 2 else each for at, each in enumerate(claim))
        named = (
            f"{state}: {', '.join(f'<code>{escape(name)}</code>' for name in names)}"
            for state, names in self.named()
        )
        lines = [
            f"<strong>{self.lesson.number} {escape(self.lesson.topic)}</strong>",
            code,
            self.facts(),
            f"<strong>{self.progress()}</strong>",
            *named,
        ]
        return f'<li style="{CARD}">{"<br>".join(lines)}</li>'


def read_cards() -> Iterator[Card]:
    """Yield the lessons in order, with what the journal says of each."""
    best, made = journal.states(), journal.predictions()
    for lesson in lessons():
        states = {
            name: best.get((lesson.name, name), "not attempted")
            for of, name in every_exercise()
            if of == lesson.name
        }
        predicted = sum((lesson.name, cell) in made for cell in lesson.predictions)
        yield Card(lesson, predicted, states)
