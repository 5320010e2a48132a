"""The course in a terminal: an exercise at a time, checked whenever its file is saved.

All of it is lines, one after another: it reads the same over ssh, in a log and aloud.
"""

import re
import signal
import sys
import textwrap
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue

import watchfiles
from rich.console import Console
from rich.markdown import Markdown

from traced.command.answers import check_answer, exercises_of, run_file
from traced.command.exercise_pages import ExercisePage, read_page
from traced.command.refusal import Refusal, refused_writes
from traced.command.working_copy import WorkingCopy, find_lesson, put
from traced.course import journal
from traced.course.exercise import Exercise
from traced.findings.feedback import Feedback
from traced.lessons import LESSONS

EXERCISES = "exercises"
WIDTH = 80
COMMANDS = "h: hint, s: solution, l: list, n: next, t: text again, q: quit (and Enter)"
#: Milliseconds that an editor has for what it does to a file in saving it.
SETTLED = 200
STYLES = {"passed": "green", "not yet": "yellow", "could not tell": "magenta"}


@dataclass(frozen=True)
class Saved:
    """The file that is watched was saved."""


#: What happens in the course: a line that was typed, a file that was saved, or the end of input.
Event = str | Saved | None


def take_course(copy: WorkingCopy) -> None:
    """Show exercises and check their files until the reader quits, or all have passed."""
    course = TerminalCourse(copy, Console(width=min(WIDTH, Console().width), highlight=False))
    events: SimpleQueue[Event] = SimpleQueue()
    threading.Thread(target=_read_lines, args=(events,), daemon=True).start()
    folder = copy.folder / EXERCISES
    with refused_writes(copy.folder):
        folder.mkdir(exist_ok=True)
    threading.Thread(target=_watch_folder, args=(folder, course, events), daemon=True).start()
    course.begin()
    while course.current and course.react(events.get()):
        pass


def _read_lines(events: SimpleQueue[Event]) -> None:
    # Without a buffer, whose lock Python would wait for in its end.
    with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as lines:
        for line in lines:
            events.put(line.decode(errors="replace").strip())
    events.put(None)


def _watch_folder(folder: Path, course: "TerminalCourse", events: SimpleQueue[Event]) -> None:
    # Editors replace a file by another one, so it is the folder that is watched.
    for changes in watchfiles.watch(folder, debounce=SETTLED, step=50, recursive=False):
        if any(Path(path).name == course.file.name for _, path in changes):
            events.put(Saved())


class TerminalCourse:
    """The exercises in their order, the one that the reader is at, and what is said of it."""

    def __init__(self, copy: WorkingCopy, console: Console) -> None:
        self.copy, self.console = copy, console
        #: How lessons are called: by the names of their modules, the ones with numbers.
        self.lessons = {lesson: find_lesson(lesson) for lesson in LESSONS}
        self.numbered = number_exercises(self.lessons)
        self.exercises = list(self.numbered.values())
        self.current: Exercise | None = None
        self.file = Path()
        self.hints = 0
        self._checked: bytes | None = None

    def begin(self) -> None:
        """Go on where the reader was: at the exercise that was shown last, or the next one."""
        states = journal.states()
        names = [name_of(each) for each in self.exercises]
        last = self.copy.remembered("exercise")
        at = names.index(last) if last in names else 0
        order = [*self.exercises[at:], *self.exercises[:at]]
        self._show(next((each for each in order if not _has_passed(each, states)), None))
        if self.current and self._checked != read_page(self.current).stub.encode():
            self._check(again=True)

    def react(self, event: Event) -> bool:
        """Answer one event; return whether the course goes on."""
        match event:
            case None | "q" | "quit":
                return False
            case Saved():
                self._check()
            case "h":
                self._hint()
            case "s":
                self._solve()
            case "l":
                self._list()
            case "n":
                self._show(self._after())
            case "t":
                self._show(self.current)
            case "":
                self._check(again=True)
            case str() if named := self._named(event):
                self._show(named)
            case _:
                self._say(f"There is no command {event!r}. {COMMANDS}")
        return True

    def _named(self, what: str) -> Exercise | None:
        """Return the exercise of a number, such as 02.3, or of a name, with its lesson or not."""
        wanted = what if re.match(r"\d\d|\D", what) else f"0{what}"
        for number, each in self.numbered.items():
            full = f"{self.lessons[each.lesson]}.{each.name}"
            if wanted in (number, each.name, full, name_of(each)):
                return each
        return None

    def _show(self, exercise: Exercise | None) -> None:
        """Show an exercise and put its file there, unless the reader has one."""
        self.current, self.hints, self._checked = exercise, 0, None
        if exercise is None:
            self._say(f"All {len(self.exercises)} exercises have passed.")
            return
        page = read_page(exercise)
        self.file = file_of(self.copy, page, exercise)
        if not self.file.exists():
            with refused_writes(self.copy.folder):
                put(self.file, page.stub.encode())
        self._checked = self.file.read_bytes()
        self.copy.remember(exercise=name_of(exercise))
        (number,) = (number for number, each in self.numbered.items() if each == exercise)
        states, total = journal.states(), len(self.exercises)
        passed = sum(_has_passed(each, states) for each in self.exercises)
        self._say("", f"{number}, in lesson {page.lesson} ({passed} of {total} have passed)", "")
        self.console.print(Markdown(page.text.removeprefix("### "), hyperlinks=False))
        self._say("", f"Edit and save: {self.file}", COMMANDS)

    def _check(self, again: bool = False) -> None:
        """Check the file, unless it is as it was when it was checked last."""
        assert self.current
        try:
            text = self.file.read_bytes()
        except OSError:
            self._say(f"{self.file} is gone; t puts the exercise there again")
            return
        if text == self._checked and not again:
            return
        self._checked = text
        try:
            feedback = self._feedback()
        except Refusal as refusal:
            self._say("", str(refusal))
        except KeyboardInterrupt:
            self._say("", "The check was stopped. Once more Ctrl-C ends the course.")
        else:
            self._say("", str(replace(feedback, hint=feedback.hint and "h")))
            if feedback.state == "passed":
                self._show(self._after())

    def _feedback(self) -> Feedback:
        assert self.current
        # A program that loops for ever is stopped, and the course is not.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            return check_answer(self.current, run_file(self.file), self.file)
        finally:
            signal.signal(signal.SIGINT, before)

    def _hint(self) -> None:
        assert self.current
        self.hints = min(self.hints + 1, 3)
        text = str(self.current.hint(self.hints)).partition("\nmore: ")[0]
        self._say("", textwrap.fill(text, WIDTH))
        self._say("h again says more" if self.hints < 3 else "s shows a solution")

    def _solve(self) -> None:
        assert self.current
        self._say("", str(self.current.solution()), "", "One solution; the file is as it was.")

    def _list(self) -> None:
        states, lesson = journal.states(), ""
        for number, each in self.numbered.items():
            if each.lesson != lesson:
                lesson = each.lesson
                self._say("", self.lessons[lesson])
            state = states.get((each.lesson, each.name), "not attempted")
            here = "   (this one)" if each == self.current else ""
            self._say(f"{number:>6}  {each.name}: {state}{here}")
        self._say("", "A number or a name goes to that exercise.")

    def _after(self) -> Exercise | None:
        """Return the next exercise that has not passed, from the current one on and round."""
        assert self.current
        at, states = self.exercises.index(self.current) + 1, journal.states()
        order = [*self.exercises[at:], *self.exercises[:at]]
        return next((each for each in order if not _has_passed(each, states)), None)

    def _say(self, *lines: str) -> None:
        for line in lines:
            state = next((state for state in STYLES if f": {state}" in line.partition("\n")[0]), "")
            first, _, rest = line.partition("\n")
            self.console.print(first, style=STYLES.get(state), markup=False, soft_wrap=True)
            if rest:
                self.console.print(rest, markup=False, soft_wrap=True)


def name_of(exercise: Exercise) -> str:
    """Return the name of an exercise with that of its lesson."""
    return f"{exercise.lesson}.{exercise.name}"


def number_exercises(lessons: dict[str, str]) -> dict[str, Exercise]:
    """Return the exercises of lessons by their numbers: the lesson's, and that on its page.

    >>> number_exercises({"arrays": "01_arrays"})["01.2"].name
    'store'
    """
    return {
        f"{full.partition('_')[0]}.{number}": each
        for lesson, full in lessons.items()
        for number, each in enumerate(exercises_of([lesson]), 1)
    }


def file_of(copy: WorkingCopy, page: ExercisePage, exercise: Exercise) -> Path:
    """Return where the reader answers an exercise."""
    return copy.folder / EXERCISES / f"{page.lesson}_{exercise.name}.py"


def _has_passed(exercise: Exercise, states: dict[tuple[str, str], str]) -> bool:
    return states.get((exercise.lesson, exercise.name)) == "passed"
