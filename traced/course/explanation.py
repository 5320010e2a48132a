"""Explain an error of JAX or Flax: the reader's own line, the rule, the page of the field guide."""

import re
import sys
import textwrap
from collections.abc import Iterator
from html import escape
from itertools import islice

from traced.course.symptom import Symptom, symptoms
from traced.drawing.picture import Picture
from traced.findings.reading import lines_for_terminal, linked_in_lab
from traced.internals.canary import find_newer_release
from traced.python.origin import LIBRARIES, causes_of, libraries_of
from traced.python.places import place_of_error
from traced.python.values import without_addresses
from traced.running.diagnosis import first_sentence

#: How a sentence begins that says what to do.
ADVICE = re.compile(
    r"This might be fixed|Revise|Consider|Did you|Use |Try |Make sure|Pass |Please (?!see)|Instead|"
    r"You can|If (using|trying|you want|so,|this mismatch)|To [a-z]+ "
)
#: An address at the end of a sentence: the field guide has the links.
LINK = re.compile(r":?\s+https?://\S+")
#: Where a sentence ends: the text goes on with a capital letter, in quotes or not.
END = re.compile(r"(?<=[.!?])\s+(?=[`'\"(]?[A-Z])|\n\s*\n")


def explain(error: BaseException | None = None) -> Picture:
    """Return what `error`, or the last one that was shown, means: line, advice, rule and page.

    Where it has no page, the error that caused it is explained, or each one of a group. An error
    without a page is said to have none. Raises `ValueError` if there was no error yet.

    >>> explain(ZeroDivisionError("division by zero"))
    ZeroDivisionError: division by zero
    not in the field guide
    """
    error = last_error() if error is None else error
    text = "\n".join(
        textwrap.fill(line, 76, subsequent_indent=" " * 6, break_long_words=False)
        for line in _explanation(error, set())
    )
    html = linked_in_lab(escape(text))
    text = "\n".join([text, *lines_for_terminal(text)])
    return Picture(text, f'<pre style="white-space:pre-wrap">{html}</pre>')


def _explanation(error: BaseException, before: set[int]) -> Iterator[str]:
    before.add(id(error))
    yield f"{type(error).__name__}: {first_sentence(error)}"
    place = place_of_error(error)
    if place and place.source:
        yield f"  line {place.line}:  {place.source}"
    symptom = find_first_symptom(error)
    behind = [] if symptom else [each for each in errors_behind(error) if id(each) not in before]
    if symptom:
        yield from (f"advice: {advice}" for advice in advice_of(error))
        yield from (f"rule: {symptom.rule}", f"read: field guide, {symptom.page}")
    elif not behind:
        newer = libraries_of(error) and find_newer_release()
        yield "not in the field guide" + (f", which was written before {newer}" if newer else "")
    for each in behind:
        yield "one of them" if isinstance(error, BaseExceptionGroup) else "caused by"
        yield from _explanation(each, before)


def errors_behind(error: BaseException) -> list[BaseException]:
    """Return the errors of a group, or the error that `error` was raised from.

    >>> errors_behind(ExceptionGroup("two", [KeyError("a"), ValueError("b")]))
    [KeyError('a'), ValueError('b')]
    """
    if isinstance(error, BaseExceptionGroup):
        return list(error.exceptions)
    return causes_of(error)


def advice_of(error: BaseException) -> list[str]:
    """Return what the message of `error` says to do, after its first sentence, in two sentences.

    >>> advice_of(TypeError("No such shape. Did you mean (3,)? It was asked for once."))
    ['Did you mean (3,)?']
    """
    sentences = [" ".join(LINK.sub("", each).split()) for each in END.split(str(error).strip())]
    # What follows `e.g.` is a program of several lines.
    sentences = [each.removesuffix(" e.g.") for each in sentences]
    first = first_sentence(error)
    advice = (each for each in sentences if ADVICE.match(each) and each not in first)
    return [without_addresses(each) for each in islice(advice, 2) if not each.endswith(":")]


def is_explained(error: BaseException) -> bool:
    """Return whether `explain` has more to say of `error`, or of one of its group, than its text.

    >>> is_explained(ExceptionGroup("two", [KeyError("a"), ValueError("b")]))
    False
    """
    if isinstance(error, BaseExceptionGroup):
        return any(map(is_explained, error.exceptions))
    return bool(libraries_of(error) & LIBRARIES.keys()) or find_first_symptom(error) is not None


def find_first_symptom(error: BaseException) -> Symptom | None:
    """Return the first symptom that `error` shows, or None."""
    libraries = libraries_of(error)
    read = (each for each in symptoms() if each.library in libraries and each.reads(error))
    return next(read, None)


def last_error() -> BaseException:
    """Return the last error that the interpreter or the notebook showed."""
    error: BaseException | None = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    if error is None:
        raise ValueError("`error` was not given, and no error has been shown yet")
    return error
