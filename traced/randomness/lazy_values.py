"""Values of a program that is not run: each is computed when it is asked for, if it can be."""

import contextlib
from collections.abc import Callable, Sequence
from typing import Any


class Unknown(Exception):  # noqa: N818  # it is an outcome, not an error
    """Raised where a value is not to be had without running the program."""


class Value:
    """A value in a program, which is computed once.

    `needs` are the values that `compute` asks for: a chain of them may be longer than Python lets
    functions call each other.
    """

    def __init__(self, compute: Callable[[], Any], needs: Sequence["Value"] = ()) -> None:
        self._compute, self._needs = compute, needs
        self._settled, self._lost, self._result = False, False, None

    def get(self) -> Any:
        """Return the value, or raise `Unknown`.

        >>> two = Value(lambda: 2)
        >>> Value(lambda: two.get() + 1, [two]).get()
        3
        """
        waiting = [self]
        while waiting:
            if first := [need for need in waiting[-1]._needs if not need._settled]:
                waiting += first
            else:
                waiting.pop()._settle()
        if self._lost:
            raise Unknown
        return self._result

    def _settle(self) -> None:
        if self._settled:
            return
        self._settled = self._lost = True
        with contextlib.suppress(Unknown):
            self._result, self._lost = self._compute(), False
        # What it was computed from need not be kept.
        self._compute, self._needs = unknown, ()


def known(value: Any) -> Value:
    """Return a value that need not be computed.

    >>> known(3).get()
    3
    """
    return Value(lambda: value)


def unknown(*_: Any) -> Any:
    """Raise `Unknown`: what computes a value that is not to be had."""
    raise Unknown


def if_known(value: Value) -> Any:
    """Return the value, or None where it is unknown.

    >>> if_known(Value(unknown)) is None
    True
    """
    with contextlib.suppress(Unknown):
        return value.get()
    return None
