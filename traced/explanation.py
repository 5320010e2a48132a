"""Explain an error of JAX or Flax: the reader's own line, the rule, the page of the field guide."""

import sys
import textwrap
from html import escape

from traced.diagnosis import first_sentence
from traced.probes.places import place_of_error
from traced.show.picture import Picture
from traced.symptom import Symptom, symptoms


def explain(error: BaseException | None = None) -> Picture:
    """Return what `error`, or the last one that was shown, means: line, rule and page.

    An error without a page is said to have none. Raises `ValueError` if there was no error yet.

    >>> explain(ZeroDivisionError("division by zero"))
    ZeroDivisionError: division by zero
    not in the field guide
    """
    error = last_error() if error is None else error
    lines = [f"{type(error).__name__}: {first_sentence(error)}"]
    if place := place_of_error(error):
        lines.append(f"  line {place.line}:  {place.source}")
    symptom = find_symptom(error)
    if symptom is None:
        lines.append("not in the field guide")
    else:
        lines += [f"rule: {symptom.rule}", f"read: field guide, {symptom.page}"]
    text = "\n".join(
        textwrap.fill(line, 76, subsequent_indent=" " * 6, break_long_words=False) for line in lines
    )
    return Picture(text, f'<pre style="white-space:pre-wrap">{escape(text)}</pre>')


def find_symptom(error: BaseException) -> Symptom | None:
    """Return the first symptom that `error` shows, or None."""
    return next((symptom for symptom in symptoms() if symptom.fits(error)), None)


def last_error() -> BaseException:
    """Return the last error that the interpreter or the notebook showed."""
    error: BaseException | None = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    if error is None:
        raise ValueError("`error` was not given, and no error has been shown yet")
    return error
