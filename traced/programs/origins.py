"""Tell which lines of the reader's code an equation came from, and which functions they are in."""

import functools
import inspect
import linecache
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import CodeType
from typing import TYPE_CHECKING, Any

from traced.internals.frames import calls_to, line_of
from traced.python.places import PACKAGE, Spot, is_library, is_library_code

if TYPE_CHECKING:
    from traced.internals.jaxprs import JaxprEqn


@dataclass(frozen=True)
class Passage:
    """The lines of a function of the reader's, decorators and inner functions included."""

    file: str
    first: int
    last: int

    def __contains__(self, spot: Spot) -> bool:
        return spot[0] == self.file and self.first <= spot[1] <= self.last

    @property
    def text(self) -> list[str]:
        """The lines, or nothing where Python does not know the text: of `exec`, for instance."""
        lines = [linecache.getline(self.file, n) for n in range(self.first, self.last + 1)]
        return [line.rstrip() for line in lines] if any(lines) else []


class Origins:
    """Where equations came from; it remembers the reader's functions that it passed.

    >>> def double(x):
    ...     return 2 * x
    >>> Origins(double).passages()[0].last - Origins(double).passages()[0].first
    1
    """

    def __init__(self, f: Callable[..., Any]) -> None:
        code = code_of(f)
        self.codes: dict[CodeType, None] = {} if code is None else {code: None}

    def find(self, eqn: "JaxprEqn", outer: tuple[Spot, ...] = ()) -> tuple[Spot, ...]:
        """Return the lines that led to an equation, innermost first, less those of libraries.

        `outer` are those of the equation that it is nested in: JAX keeps them there only.
        """
        spots = []
        for call in calls_to(eqn):
            code, file = call[0], call[0].co_filename
            # Beyond our own call of the function lies whoever asked for the picture.
            if is_ours(file):
                break
            if not is_library_code(code):
                self.codes[code] = None
                spots.append((file, line_of(call)))
        return tuple(dict.fromkeys([*spots, *outer]))

    def passages(self) -> list[Passage]:
        """Return what the lines lie in: the functions that were passed, none inside another."""
        return join(passage_of(code) for code in self.codes)


@functools.cache
def is_ours(file: str) -> bool:
    """Return whether a file is one of the package, solutions apart."""
    return is_library(file) and file.startswith(str(PACKAGE))


def code_of(f: Callable[..., Any]) -> CodeType | None:
    """Return the code of the reader's function inside `f`, or None if it is a library's.

    >>> code_of(functools.partial(lambda x: x)).co_name, code_of(abs)
    ('<lambda>', None)
    """
    inner: Any = inspect.unwrap(f)
    while isinstance(inner, functools.partial):
        inner = inspect.unwrap(inner.func)
    call = inspect.getattr_static(type(inner), "__call__", None)
    code = getattr(inner, "__code__", None) or getattr(call, "__code__", None)
    return code if isinstance(code, CodeType) and not is_library_code(code) else None


def passage_of(code: CodeType) -> Passage:
    """Return the lines of a function, from its first decorator on."""
    return Passage(code.co_filename, code.co_firstlineno, _last_line(code))


@functools.cache
def _last_line(code: CodeType) -> int:
    inner = [_last_line(each) for each in code.co_consts if isinstance(each, CodeType)]
    ends = [end for _, end, _, _ in code.co_positions() if end]
    return max([code.co_firstlineno, *inner, *ends])


def join(passages: Iterable[Passage]) -> list[Passage]:
    """Return passages by line, those that overlap as one; files keep their order.

    >>> join([Passage("b", 3, 4), Passage("a", 2, 3), Passage("a", 1, 2)])
    [Passage(file='b', first=3, last=4), Passage(file='a', first=1, last=3)]
    """
    given = list(passages)
    files = list(dict.fromkeys(each.file for each in given))
    joined: list[Passage] = []
    for each in sorted(given, key=lambda each: (files.index(each.file), each.first)):
        if joined and (each.file, each.first) in joined[-1]:
            last = joined.pop()
            each = Passage(last.file, last.first, max(last.last, each.last))
        joined.append(each)
    return joined
