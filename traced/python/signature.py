"""Whether a call went wrong because a function of the reader's does not take its arguments."""

import inspect
import re
import traceback
from collections.abc import Iterable, Iterator
from typing import Any

from traced.python.places import is_library

#: What the interpreter says of a call that does not fit a signature, after the function's name.
REFUSED = re.compile(
    r"([\w.<>]+)\(\) (?:missing|takes|got an unexpected|got multiple values|got some)"
)


def refuses_arguments(error: BaseException, things: Iterable[Any]) -> bool:
    """Return whether `error` is about the signature of a function of the reader's.

    It is looked for by its name among `things` and in the reader's frames, and so is the function
    that it was made in.

    >>> try:
    ...     (lambda x: 2 * x)()
    ... except TypeError as error:
    ...     refuses_arguments(error, []), refuses_arguments(KeyError("x"), [])
    (True, False)
    """
    named = REFUSED.match(str(error)) if isinstance(error, TypeError) else None
    if named is None:
        return False
    maker, _, name = named[1].partition(".<locals>.")
    names = {named[1]: (name or maker).rpartition("<locals>.")[2], maker: maker}
    return named[1] == "<lambda>" or any(
        _code_name(each) == whole and _is_of_the_reader(each)
        for whole, part in names.items()
        for each in _functions(part.split("."), error, things)
    )


def _functions(names: list[str], error: BaseException, things: Iterable[Any]) -> Iterator[Any]:
    """Yield what may be the function that `names` names: a function, or a method of a class."""
    found = [*things]
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if not is_library(frame.f_code.co_filename):
            spaces = frame.f_locals, frame.f_globals
            found += [space[names[0]] for space in spaces if names[0] in space]
    for each in found:
        kind = each if isinstance(each, type) else type(each)
        yield inspect.unwrap(each) if callable(each) else each
        if method := inspect.getattr_static(kind, names[-1], None):
            yield inspect.unwrap(method)


def _code_name(thing: Any) -> str:
    return getattr(thing, "__qualname__", "")


def _is_of_the_reader(thing: Any) -> bool:
    """Return whether `thing` is a function whose module is no library's, as a dataclass's too."""
    if not inspect.isfunction(thing):
        return False
    file = thing.__code__.co_filename
    # Methods that Python wrote are in no file, and their class is.
    return not is_library(thing.__globals__.get("__file__", file) if file[0] == "<" else file)
