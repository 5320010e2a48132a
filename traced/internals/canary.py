"""Canaries: tiny programs whose answers are known, run before anything private is read.

What is not public may change with any release, and a probe that reads it would go on and lie. So
each such read is guarded: before the first one its canary runs, and the outcome is remembered.
Where the canary fails, `CouldNotTell` is raised instead of an answer that nobody can vouch for.
"""

import contextlib
import functools
import importlib.metadata
import threading
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, TypeVar

import jax

P = ParamSpec("P")
R = TypeVar("R")


class CouldNotTell(Exception):  # noqa: N818  # it is an outcome, as `Found` is
    """Raised where JAX or Flax does not show what a probe reads; says what, and which release.

    >>> raise CouldNotTell("which line an equation came from", "jax", "KeyError: 'frames'")
    Traceback (most recent call last):
    traced.internals.canary.CouldNotTell: could not tell which line an equation came from: ...
    """

    def __init__(self, what: str, library: str = "jax", saw: str = "") -> None:
        shown = (
            f"{_title(library)} {version(library)} does not show it in the way that is read here"
        )
        super().__init__(f"could not tell {what}: {shown}" + (f" ({saw})" if saw else ""))
        self.what, self.library, self.saw = what, library, saw


class Canary:
    """A program that returns whether what is read still says what it said.

    `what` completes the sentence *could not tell …*, `library` is `jax` or `flax`.
    """

    def __init__(self, what: str, library: str, program: Callable[[], bool]) -> None:
        self.what, self.library, self.program = what, library, program
        self.lives: bool | None = None
        self.unseen: CouldNotTell | None = None

    def require(self) -> None:
        """Raise `CouldNotTell` unless the canary lives: it is run once, in a thread of its own.

        There no trace is under way, and no setting of a `with` block holds.
        """
        if self.lives is None:
            self.lives = True  # its program reads what it guards
            thread = threading.Thread(target=self._run)
            thread.start()
            thread.join()
        if not self.lives:
            raise self.unseen or CouldNotTell(self.what, self.library)

    def _run(self) -> None:
        try:
            with _watching(), _plain_settings():
                self.lives = bool(self.program())
        except CouldNotTell as error:  # of another canary
            self.lives, self.unseen = False, error
        except BaseException as error:
            saw = f"{type(error).__name__}: {error}".partition("\n")[0]
            self.lives, self.unseen = False, CouldNotTell(self.what, self.library, saw)

    def guards(self, read: Callable[P, R]) -> Callable[P, R]:
        """Return `read` so that it requires the canary first."""

        @functools.wraps(read)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
            self.require()
            return read(*args, **kwargs)

        return guarded


#: The newest releases that the course was written for, and all its messages were read in.
NEWEST = {"jax": (0, 12), "flax": (0, 12)}

#: Every canary, in the order in which the files that read something private are imported.
CANARIES: list[Canary] = []

_WATCHING: list[None] = []


def canary(what: str, library: str = "jax") -> Callable[[Callable[[], bool]], Canary]:
    """Make of a program, which returns whether all is as it was, the canary of some reads.

    >>> @canary("whether two and two are four")
    ... def arithmetic():
    ...     return 2 + 2 == 4
    >>> @arithmetic.guards
    ... def add(a, b):
    ...     return a + b
    >>> add(2, 2), arithmetic.lives, CANARIES.pop() is arithmetic
    (4, True, True)
    """

    def make(program: Callable[[], bool]) -> Canary:
        CANARIES.append(Canary(what, library, program))
        return CANARIES[-1]

    return make


def is_watching() -> bool:
    """Return whether a canary's program is running: what JAX does for it is nobody's concern."""
    return bool(_WATCHING)


@contextlib.contextmanager
def _watching() -> Iterator[None]:
    _WATCHING.append(None)
    try:
        yield
    finally:
        _WATCHING.pop()


@contextlib.contextmanager
def _plain_settings() -> Iterator[None]:
    """Set what a reader may have set for all threads, and what would change the answer."""
    with (
        jax.disable_jit(False),
        jax.enable_x64(False),
        jax.debug_nans(False),
        jax.debug_infs(False),
        jax.debug_key_reuse(False),
        jax.numpy_dtype_promotion("standard"),
        jax.numpy_rank_promotion("allow"),
    ):
        yield


def run_as_readers(source: str, **names: object) -> dict[str, Any]:
    """Run the source of a canary's program as if it were a reader's file, and return its names.

    Frames of the package are left out of what a probe sees, and those of `canary.py` are not.

    >>> run_as_readers("two = one + one", one=1)["two"]
    2
    """
    exec(compile(source, "canary.py", "exec"), names)
    return names


def find_newer_release() -> str:
    """Return the first library, with its release, that is newer than the course, or nothing.

    >>> find_newer_release()
    ''
    """
    newer = (
        f"{_title(library)} {version(library)}"
        for library, newest in NEWEST.items()
        if tuple(map(int, version(library).split(".")[:2])) > newest
    )
    return next(newer, "")


def _title(library: str) -> str:
    return {"jax": "JAX", "flax": "Flax"}[library]


@functools.cache
def version(library: str) -> str:
    """Return the release of an installed library.

    >>> version("jax") == jax.__version__
    True
    """
    return importlib.metadata.version(library)
