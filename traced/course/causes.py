"""Tell the cause of what a question found: an effect, a read from outside, or a known error.

A wrong value may come from the call before, by way of a global that the answer writes to or a
trace that holds its old value. What caused it is told, and not what it has caused.
"""

import ast
import contextlib
import dis
import inspect
import io
import textwrap
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from types import CodeType, FunctionType, ModuleType
from typing import Any

import jax

from traced.course.explanation import find_first_symptom
from traced.findings.feedback import Finding, Found, NotAttempted, Question, fault
from traced.internals.canary import CouldNotTell
from traced.purity.effects import Effect, find_effects
from traced.purity.hidden_reads import HiddenRead, find_hidden_reads
from traced.purity.lost_writes import find_lost_writes
from traced.purity.questions import fault_of
from traced.purity.stale_reads import NUMBERS, find_reads_under_jit, leaves_of
from traced.python.places import Place, is_library_code
from traced.python.reachable import codes_in, used_globals
from traced.running.guard import guard, guard_names

#: What an effect or a read from outside may cause.
CAUSED = (
    "value/differs",
    "value/structure",
    "value/shape",
    "value/dtype",
    "value/distribution",
    "value/drawn-twice",
    "keys/ignored",
    "keys/not-repeatable",
    "keys/related",
)


#: The kinds of effects by which something outside is changed.
LEAK = "leaked tracer"
WRITES = ("global write", "closure write", "argument write", "attribute write")


def tell_cause(found: Found, asked: Sequence[Question], answer: Any, changed: list[str]) -> Finding:
    """Return the finding of the cause of what the last question found, or of the fault itself.

    `asked` are all questions up to that one, and `changed` names what the answer has changed
    outside of it.
    """
    question = asked[-1]
    if found.finding.code in ("runs/raised", *CAUSED) and (lost := _lost(found, question, answer)):
        return lost.finding
    # What an exercise says of an error of its own accord is closer than what is known of its class.
    if found.error is not None and found.finding.code == "runs/raised" and not found.finding.rule:
        return _with_reading(found.finding, found.error)
    if found.finding.code not in CAUSED:
        return found.finding
    try:
        reads = find_hidden_reads(answer) if callable(answer) else []
        caused = _stale(found, asked, answer, reads, changed)
        caused = caused or (tell_change([question], answer, changed) if changed else None)
        caused = caused or _unused(found, answer, reads)
    except CouldNotTell:
        return found.finding
    return caused.finding if caused else _with_numbers(found.finding, reads)


#: How a list or a dictionary is filled: methods, and how many positional arguments they take. What
#: an optimizer or `nnx` calls `update` takes others.
FILLING = {"append": 1, "extend": 1, "insert": 2, "update": 1, "setdefault": 2}


def _lost(found: Found, question: Question, answer: Any) -> Found | None:
    """Return the fault of a list that stayed empty, since a trace has filled a copy of it."""
    # To ask again takes as long as the question did.
    if not any(map(_may_fill, _functions_of(answer))):
        return None
    with guard(), guard_names(answer), contextlib.redirect_stdout(io.StringIO()):
        lost = find_lost_writes(_put, question, answer)
    if not lost:
        return None
    name, filled = lost[0].name, lost[0].entries
    saw = f"the copy that JAX traced has {filled}, the caller's has none"
    return _retold(found, "effects/argument", [lost[0].place], **{f"entries of {name}": saw})


def _functions_of(answer: Any) -> list[FunctionType]:
    """Return the function of an answer and those that it names."""
    inner = inspect.unwrap(answer) if callable(answer) else None
    if not isinstance(inner, FunctionType):
        return []
    named = [inspect.unwrap(each) for _, each in used_globals(inner) if callable(each)]
    functions = (each for each in named if isinstance(each, FunctionType))
    return [inner, *(each for each in functions if not is_library_code(each.__code__))]


def _may_fill(f: FunctionType) -> bool:
    """Return whether the code of a function may put something into a list or a dictionary."""
    try:
        nodes = list(ast.walk(ast.parse(textwrap.dedent(inspect.getsource(f)))))
    except (OSError, TypeError, SyntaxError):  # no text, or a lambda in the middle of a line
        return True
    calls = (each for each in nodes if isinstance(each, ast.Call))
    return any(
        isinstance(each, ast.Subscript) and isinstance(each.ctx, ast.Store) for each in nodes
    ) or any(
        isinstance(each.func, ast.Attribute) and FILLING.get(each.func.attr) == len(each.args)
        for each in calls
    )


def _with_reading(finding: Finding, error: BaseException) -> Finding:
    """Add the rule of a known error, and what to read of it."""
    # A name that a module lacks is mistyped more often than it was removed.
    is_name = isinstance(error, AttributeError) and isinstance(error.obj, ModuleType)
    symptom = None if is_name else find_first_symptom(error)
    if symptom is None:
        return finding
    lesson, section = _sections().get(symptom.page, ("", ""))
    read = f"{lesson}, “{section}”" if lesson else f"field guide, {symptom.page}"
    return replace(finding, rule=symptom.rule, read=read)


@cache
def _sections() -> dict[str, tuple[str, str]]:
    """Return the lesson and its section that explain the error of a page of the field guide."""
    table = tomllib.loads(files("traced.course").joinpath("sections.toml").read_text("utf-8"))
    return {
        page: (lesson, section)
        for lesson, sections in table.items()
        for section, pages in sections.items()
        for page in pages
    }


def _with_numbers(finding: Finding, reads: list[HiddenRead]) -> Finding:
    """Add which numbers the answer takes from outside, any of which may be the wrong one."""
    named = [each for each in reads if each.kind in ("global", "closure") and _is_numeric(each)]
    if not named or not finding.code.startswith("value/"):
        return finding
    text = ", ".join(f"{each.name} = {each.value}" for each in named)
    return replace(finding, saw=(*finding.saw, ("read from outside", text)))


def _is_numeric(read: HiddenRead) -> bool:
    leaves = leaves_of(read.thing)
    return bool(leaves) and all(isinstance(leaf, NUMBERS) for leaf in leaves)


def tell_change(questions: Iterable[Question], answer: Any, changed: list[str]) -> Found:
    """Return the finding of the first change that an answer makes outside, while it is asked."""
    for question in questions:
        for effect in _effects_of(question, answer):
            # The target of a leak begins with where it lies: `global norms[0]`.
            target = effect.target.partition(" ")[2] if effect.kind == LEAK else effect.target
            if (effect.kind == LEAK or effect.kind in WRITES) and _is_one_of(target, changed):
                found = fault_of(effect).finding
                every = (("changed in all", ", ".join(changed)),) if len(changed) > 1 else ()
                return Found(replace(found, saw=(*found.saw, *every)))
    return fault("effects/write", changed=", ".join(changed))


def _effects_of(question: Question, answer: Any) -> list[Effect]:
    with guard():
        return find_effects(_put, question, answer)


def _put(question: Question, answer: Any) -> None:
    with contextlib.suppress(Found, NotAttempted):
        question(answer)


def _stale(
    found: Found,
    asked: Sequence[Question],
    answer: Any,
    reads: list[HiddenRead],
    changed: list[str],
) -> Found | None:
    """Return the fault of a kept trace: what was found is not found where nothing is traced."""
    suspects = [read for read in reads if _is_one_of(read.name, changed)]
    # What an earlier question has left behind is there again only where that is asked as well.
    if not suspects or any(
        _finds_it_untraced(found.finding.code, each, answer) for each in (asked[-1:], asked)
    ):
        return None
    found_names = {each.name for each in suspects}
    inside = [each for each in find_reads_under_jit(answer) if each.name in found_names]
    suspects = inside or suspects
    effects = _effects_of(asked[-1], answer)
    writes = (each.place for each in effects if _is_one_of(suspects[0].name, [each.target]))
    written = next((place for place in writes if place), None)
    places = [replace(suspects[0].place, note="read here")]
    places += [replace(written, note="changed here")] if written else []
    names = ", ".join(f"{each.kind} {each.name}" for each in suspects)
    return _retold(found, "purity/stale-read", places, read=names)


def _finds_it_untraced(code: str, asked: Sequence[Question], answer: Any) -> bool:
    """Return whether the last question finds the same where each call runs the answer's Python."""
    try:
        with guard(), guard_names(answer), jax.disable_jit():
            for question in asked[:-1]:
                _put(question, answer)
            asked[-1](answer)
    except (Found, NotAttempted) as again:
        return not isinstance(again, Found) or again.finding.code in (code, "runs/too-long")
    return False


def _is_one_of(name: str, others: Iterable[str]) -> bool:
    """Return whether a name is one of `others` or stands for something inside of one, or around.

    >>> _is_one_of("state['w']", ["state"]), _is_one_of("state", ["states"])
    (True, False)
    """
    return any(_is_inside(name, other) or _is_inside(other, name) for other in others)


def _is_inside(name: str, other: str) -> bool:
    return name == other or name.startswith((f"{other}.", f"{other}["))


def _unused(found: Found, answer: Any, reads: list[HiddenRead]) -> Found | None:
    """Return the fault of a read from outside, where an argument is not looked at at all."""
    # What changes by itself is more than a read.
    if found.finding.code == "keys/not-repeatable":
        return None
    unused = _unused_arguments(answer)
    suspects = [read for read in reads if read.kind != "default" and not callable(read.thing)]
    if not (unused and suspects):
        return None
    place = replace(suspects[0].place, note="read here")
    read = ", ".join(f"{each.kind} {each.name}" for each in suspects)
    return _retold(found, "purity/hidden-read", [place], not_used=", ".join(unused), read=read)


def _unused_arguments(answer: Any) -> list[str]:
    """Return the arguments of an answer that none of its code names."""
    f = inspect.unwrap(answer)
    if not isinstance(f, FunctionType):
        return []
    code = f.__code__
    named = set(_names_in(code))
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return [name for name in names if name not in named]


def _names_in(code: CodeType) -> Iterator[str]:
    for each in codes_in(code):
        for instruction in dis.get_instructions(each):
            if instruction.opname.startswith(("LOAD_FAST", "LOAD_DEREF", "LOAD_CLOSURE")):
                # Newer Pythons have instructions for two names at once.
                names = instruction.argval
                yield from names if isinstance(names, tuple) else (names,)


def _retold(found: Found, code: str, places: list[Place], **saw: str) -> Found:
    """Return a fault with another name, and with the evidence of what was found."""
    told = fault(code, *places, **saw)
    evidence = (*told.finding.saw, *found.finding.saw)
    return Found(replace(told.finding, saw=evidence))
