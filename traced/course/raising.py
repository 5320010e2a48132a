"""Errors as content: a cell that has to raise, and shows what it raised and where."""

import contextlib
import textwrap
from collections.abc import Iterator

from traced.python.places import place_of_error
from traced.running.diagnosis import first_sentence


@contextlib.contextmanager
def raises(kind: type[BaseException]) -> Iterator[None]:
    """Require the `with` block to raise `kind`; print the error's first sentence and the line.

    Raises `AssertionError` if nothing was raised; an error of another type passes through.

    >>> with raises(ZeroDivisionError):
    ...     1 / 0
    ZeroDivisionError: division by zero
      line 2:  1 / 0
    """
    try:
        yield
    except kind as error:
        message = f"{type(error).__name__}: {first_sentence(error)}"
        print(textwrap.fill(message, 76, subsequent_indent="  "))
        place = place_of_error(error)
        if place and place.source:
            print(f"  line {place.line}:  {place.source}")
    else:
        raise AssertionError(f"this cell should have raised {kind.__name__}")
