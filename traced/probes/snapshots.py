"""Snapshots of all that a call can reach: what changed since, and how to put it back."""

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import jax
import numpy as np

from traced.probes.boxes import WHOLE, Box, Contents
from traced.probes.reach import GONE, PLAIN, Named, walk
from traced.probes.values import bits

#: The number of a box and the key of an entry.
Change = tuple[int, Any]


class Snapshot:
    """What was in each box that a call can reach, when the snapshot was taken.

    `own` says of which things that is, `change` what to take instead of a box.
    """

    def __init__(
        self,
        things: list[Named],
        own: Callable[[Any], bool] = lambda _: True,
        change: Callable[[Box], Box] = lambda box: box,
    ) -> None:
        self.boxes = [change(box) for box in walk(things, own=own)[0]]
        self.first = [box.read() for box in self.boxes]
        self.last = list(self.first)

    @property
    def size(self) -> int:
        """The number of entries in all boxes."""
        return sum(map(len, self.last))

    def changes(self) -> Iterator[Change]:
        """Yield the number of a box and the key of an entry for each change since the last look."""
        for number, box in enumerate(self.boxes):
            now, before = box.read(), self.last[number]
            self.last[number] = now
            for key in changed_keys(before, now, row=box.row):
                yield number, key

    def net_changes(self) -> Iterator[tuple[Change, tuple[Box, str, Any, Any]]]:
        """Yield each change since the snapshot: its box, name, what was there, what is there."""
        for number, (box, before) in enumerate(zip(self.boxes, self.first, strict=True)):
            now = box.read()
            for key in changed_keys(before, now, row=box.row):
                values = (_value(box, contents, key) for contents in (before, now))
                if name := box.entry(key):
                    yield (number, key), (box, name, *values)

    def put_back(self) -> None:
        """Put everything back that changed since the snapshot was taken."""
        for box, contents in zip(self.boxes, self.first, strict=True):
            if changed_keys(contents, box.read()):
                box.write(contents)

    def put_back_only(self, changes: Iterable[Change]) -> None:
        """Put back these changes, and leave all else as it is now."""
        keys: dict[int, list[Any]] = {}
        for number, key in changes:
            keys.setdefault(number, []).append(key)
        for number, changed in keys.items():
            box, before = self.boxes[number], self.first[number]
            box.write(before if box.row else _restored(before, box.read(), changed))


def _restored(before: Contents, now: Contents, keys: list[Any]) -> Contents:
    # In the order that there was before, which a dictionary shows.
    wanted = {
        key: (before if key in keys else now)[key] for key in before if key in now or key in keys
    }
    return wanted | {key: now[key] for key in now if key not in before and key not in keys}


def _value(box: Box, contents: Contents, key: Any) -> Any:
    whole = box.row and key == WHOLE
    return list(contents.values()) if whole else contents.get(key, GONE)


def changed_keys(before: Contents, now: Contents, *, row: bool = False) -> list[Any]:
    """Return the keys whose entries differ, or only `WHOLE` for a row of another length.

    >>> changed_keys({"a": 1, "b": 2}, {"b": 3, "c": 4})
    ['a', 'b', 'c']
    """
    if before.keys() == now.keys() and all(map(operator.is_, before.values(), now.values())):
        return []
    if row and len(before) != len(now):
        return [WHOLE]
    return [key for key in before | now if not _same(before.get(key, GONE), now.get(key, GONE))]


def _same(before: Any, now: Any) -> bool:
    if before is now or type(before) is not type(now):
        return before is now
    if isinstance(now, tuple):
        return len(before) == len(now) and all(map(_same, before, now))
    if isinstance(now, jax.Array | np.ndarray) and not isinstance(now, jax.core.Tracer):
        return bits(before) == bits(now)
    return isinstance(now, PLAIN) and bool(before == now)


def leaks(name: str, before: Any, now: Any) -> list[tuple[str, Any]]:
    """Return the tracers, by name, in what is called `name` now that were not there before."""
    old, new = (walk([("argument write", name, each)], code=False)[1] for each in (before, now))
    known = set(map(id, old.values()))
    return [(each, tracer) for each, tracer in new.items() if id(tracer) not in known]
