"""An exercise: what is asked of an answer, three hints, and a solution."""

import ast
import contextlib
import inspect
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from typing import Any

import jax

from traced.course import journal
from traced.course.causes import tell_cause, tell_change
from traced.drawing.code import code_html, fold, prose_html
from traced.drawing.picture import Picture
from traced.findings.feedback import Feedback, Found, NotAttempted, Question, require
from traced.internals.canary import CouldNotTell
from traced.internals.settings import settings_now
from traced.running.attempt import PRINTED_IN_ALL, LimitedOutput
from traced.running.guard import guard, guard_names


@dataclass(frozen=True)
class Exercise:
    """One exercise, named like the function or class that the reader writes.

    `questions` are asked in order and the first finding ends the check. `verified` says what a
    passed answer has shown. `answer` is the solution that the page shows and the tests run. Where
    there are no hints, a reader is on their own.
    """

    name: str
    questions: tuple[Question, ...]
    hints: tuple[str, str, str] | tuple[()]
    verified: str
    answer: Any

    @property
    def lesson(self) -> str:
        """The lesson's name, which is that of the folder that its solution lies in."""
        module: str = self.answer.__module__
        return module.split(".")[-3]

    def check(self, answer: Any) -> Feedback:
        """Return what the check saw: not attempted, not yet (with a finding), or passed.

        Where JAX or Flax does not show what the check looks at, it could not tell, and nothing is
        noted. Nothing that the answer does is raised, but for the reader's `KeyboardInterrupt`.
        """
        feedback = replace(_ask(self.questions, answer, self.name), lesson=self.lesson)
        if feedback.state in ("passed", "not yet"):
            journal.note(self.lesson, self.name, feedback.state)
        if feedback.state == "passed":
            return replace(feedback, verified=self.verified)
        return replace(feedback, hint=f"ex.{self.name}.hint()") if self.hints else feedback

    def hint(self, level: int = 1) -> Picture:
        """Return hint 1 (where to look), 2 (which tool) or 3 (what shape the answer has).

        Where HTML is shown, the later ones are folded away below it. Raises `ValueError` for
        another level.
        """
        if level not in (1, 2, 3):
            raise ValueError(f"`level` must be 1, 2 or 3, got {level!r}")
        if not self.hints:
            return Picture("this exercise has no hints", "<p>This exercise has no hints.</p>")
        title, text = f"hint {level} of 3", self.hints[level - 1]
        more = f"more: ex.{self.name}.hint({level + 1})" if level < 3 else ""
        html = f"<p><strong>{title}:</strong> {prose_html(text)}</p>{self.folded_hints(level + 1)}"
        return Picture(f"{title}: {text}\n{more}".rstrip(), html)

    def folded_hints(self, first: int = 1) -> str:
        """Return the hints from one on as HTML, each in a fold, and the next one inside it.

        >>> from traced.lessons.start_here import mean_square
        >>> mean_square.folded_hints().count("<details>")
        3
        """
        html = ""
        for level in range(len(self.hints), first - 1, -1):
            text = f"<p>{prose_html(self.hints[level - 1])}</p>"
            html = fold(f"Hint {level} of 3", text + html)
        return html

    def solution(self) -> Picture:
        """Return one solution, with the imports it needs; folded away where HTML is shown.

        Where `TRACED_SOLUTIONS` is `hidden`, it says that, and nothing more.
        """
        if solutions_are_hidden():
            said = "In this class, the solutions are with whoever teaches it."
            return Picture(said, f"<p>{said}</p>")
        code = source_of(self.answer)
        title = f"One solution of <code>{escape(self.name)}</code>"
        return Picture(code, fold(title, code_html(code)))


def solutions_are_hidden() -> bool:
    """Return whether whoever set this Python up has put the solutions away."""
    return os.environ.get("TRACED_SOLUTIONS") == "hidden"


def ask(question: Question, f: Any) -> Feedback:
    """Put one question to a function of one's own, as the check of an exercise would.

    >>> from traced.questions import returns
    >>> ask(returns(abs, (-1.0,)), abs)
    abs: passed
    """
    return _ask((question,), f, getattr(f, "__name__", type(f).__name__))


def _ask(questions: Iterable[Question], answer: Any, name: str) -> Feedback:
    asked: list[Question] = []
    changed: list[str] = []
    try:
        with (
            _compiled_quickly(),
            guard() as outside,
            guard_names(answer) as changed,
            contextlib.redirect_stdout(LimitedOutput(sys.stdout, PRINTED_IN_ALL)),
        ):
            for question in questions:
                asked.append(question)
                question(answer)
        require(not outside, "effects/outside", changed=", ".join(outside))
        if changed:
            raise tell_change(asked, answer, changed)
    except NotAttempted:
        return Feedback(name, "not attempted")
    except Found as found:
        return Feedback(name, "not yet", tell_cause(found, asked, answer, changed))
    except CouldNotTell as unseen:
        return Feedback(name, "could not tell", unseen=str(unseen).removeprefix("could not tell "))
    return Feedback(name, "passed")


@contextlib.contextmanager
def _compiled_quickly() -> Iterator[None]:
    """Let XLA leave out most of its optimizations within the block.

    What a check runs is small, and compiling it is most of what a reader waits for. The programs
    are the same; their last digits may be others, as on another processor.
    """
    config: Any = jax.config  # it has no types
    before = settings_now()["jax_disable_most_optimizations"]
    config.update("jax_disable_most_optimizations", True)
    try:
        yield
    finally:
        config.update("jax_disable_most_optimizations", before)


def source_of(answer: Any) -> str:
    """Return the source of a module's function or class, after all that it needs of the module.

    >>> print(source_of(source_of).partition("\\n")[0])
    import ast
    """
    lines = inspect.getsource(sys.modules[answer.__module__]).splitlines()
    statements = _parsed("\n".join(lines))
    wanted, before = {answer.__name__}, 0
    while len(wanted) > before:
        before = len(wanted)
        for node in statements:
            if wanted & (_bound(node) | _ruled(node)):
                wanted |= {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
    kept = [node for node in statements if wanted & (_bound(node) | _ruled(node))]
    return _spaced(
        [(type(node), "\n".join(lines[_first_line(node) - 1 : node.end_lineno])) for node in kept]
    )


@cache  # all answers of a lesson are in one file
def _parsed(source: str) -> list[ast.stmt]:
    return ast.parse(source).body


def _ruled(node: ast.stmt) -> set[str]:
    """Return the names that a statement gives a rule to, as `@root.defjvp` does."""
    if isinstance(node, ast.FunctionDef):
        givers = node.decorator_list
    else:
        call = node.value if isinstance(node, ast.Expr) else None
        givers = [call.func] if isinstance(call, ast.Call) else []
    attributes = [each for each in givers if isinstance(each, ast.Attribute)]
    return {
        each.value.id
        for each in attributes
        if isinstance(each.value, ast.Name) and each.attr in ("defjvp", "defjvps", "defvjp")
    }


def _bound(node: ast.stmt) -> set[str]:
    """Return the names that a statement of a module defines."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name.partition(".")[0] for alias in node.names}
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else []
    names = (each for target in targets for each in ast.walk(target))
    return {each.id for each in names if isinstance(each, ast.Name)}


def _first_line(node: ast.stmt) -> int:
    decorators = getattr(node, "decorator_list", [])
    return decorators[0].lineno if decorators else node.lineno


def _spaced(statements: list[tuple[type, str]]) -> str:
    """Join statements, with one blank line between the imports and each definition."""
    text = ""
    for before, (kind, source) in zip([None, *statements], statements, strict=False):
        imports = before and {before[0], kind} <= {ast.Import, ast.ImportFrom}
        text += ("" if before is None else "\n" if imports else "\n\n") + source
    return text
