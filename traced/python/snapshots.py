"""Snapshots of all that a call can reach: what changed since, and how to put it back."""

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import jax
import numpy as np

from traced.python.mutables import WHOLE, Contents, Mutable
from traced.python.reachable import GONE, PLAIN, Named, reachable_from
from traced.python.values import bits

#: Where something changed: the number of a mutable in its snapshot, and the key of an entry.
ChangedEntry = tuple[int, Any]


class Snapshot:
    """What was in everything that a call can reach and change, when the snapshot was taken.

    `keep` says of which things that is, `swap` what to take in the place of a mutable.

    Of each only the entries are copied; what a container among them holds is a mutable of its own.
    """

    def __init__(
        self,
        roots: list[Named],
        keep: Callable[[Any], bool] = lambda _: True,
        swap: Callable[[Mutable], Mutable] = lambda mutable: mutable,
    ) -> None:
        self.mutables = [swap(each) for each in reachable_from(roots, keep=keep).mutables]
        self.first = [mutable.read() for mutable in self.mutables]
        self.last = list(self.first)

    @property
    def size(self) -> int:
        """The number of entries in all mutables."""
        return sum(map(len, self.last))

    def changes(self) -> Iterator[ChangedEntry]:
        """Yield where something changed since the last look."""
        for number, mutable in enumerate(self.mutables):
            now, before = mutable.read(), self.last[number]
            self.last[number] = now
            for key in changed_keys(before, now, numbered=mutable.numbered):
                yield number, key

    def net_changes(self) -> Iterator[tuple[ChangedEntry, tuple[Mutable, str, Any, Any]]]:
        """Yield each change since the snapshot: where, its name, what was there, what is there."""
        for number, (mutable, before) in enumerate(zip(self.mutables, self.first, strict=True)):
            now = mutable.read()
            for key in changed_keys(before, now, numbered=mutable.numbered):
                values = (_value(mutable, contents, key) for contents in (before, now))
                if name := mutable.entry(key):
                    yield (number, key), (mutable, name, *values)

    def put_back(self) -> None:
        """Put everything back that changed since the snapshot was taken."""
        for mutable, contents in zip(self.mutables, self.first, strict=True):
            if changed_keys(contents, mutable.read()):
                mutable.write(contents)

    def put_back_only(self, changes: Iterable[ChangedEntry]) -> None:
        """Put back these changes, and leave all else as it is now."""
        keys: dict[int, list[Any]] = {}
        for number, key in changes:
            keys.setdefault(number, []).append(key)
        for number, changed in keys.items():
            mutable, before = self.mutables[number], self.first[number]
            # Entries that have moved cannot be put back one by one.
            mutable.write(
                before if mutable.numbered else _restored(before, mutable.read(), changed)
            )


def _restored(before: Contents, now: Contents, keys: list[Any]) -> Contents:
    # In the order that there was before, which a dictionary shows.
    wanted = {
        key: (before if key in keys else now)[key] for key in before if key in now or key in keys
    }
    return wanted | {key: now[key] for key in now if key not in before and key not in keys}


def _value(mutable: Mutable, contents: Contents, key: object) -> Any:
    whole = mutable.numbered and key == WHOLE
    return list(contents.values()) if whole else contents.get(key, GONE)


def changed_keys(before: Contents, now: Contents, *, numbered: bool = False) -> list[Any]:
    """Return the keys whose entries differ, or only `WHOLE` for entries with other numbers.

    >>> changed_keys({"a": 1, "b": 2}, {"b": 3, "c": 4})
    ['a', 'b', 'c']
    """
    # Nearly all looks end here, and there may be one for each line that the reader's code runs.
    if before.keys() == now.keys() and all(map(operator.is_, before.values(), now.values())):
        return []
    if numbered and len(before) != len(now):
        return [WHOLE]
    return [key for key in before | now if not _same(before.get(key, GONE), now.get(key, GONE))]


def _same(before: Any, now: Any) -> bool:
    # An equal value in the place of another is no change. A list or a dictionary is another one:
    # whoever holds the old one does not see what is written to the new one.
    if before is now or type(before) is not type(now):
        return before is now
    if isinstance(now, tuple):
        return len(before) == len(now) and all(map(_same, before, now))
    if isinstance(now, jax.Array | np.ndarray) and not isinstance(now, jax.core.Tracer):
        return bits(before) == bits(now)
    return isinstance(now, PLAIN) and bool(before == now)


def leaks(name: str, before: object, now: object) -> list[tuple[str, "jax.core.Tracer[Any]"]]:
    """Return the tracers, by name, in what is called `name` now that were not there before."""
    roots: list[list[Named]] = [[("argument write", name, each)] for each in (before, now)]
    old, new = (reachable_from(each, code=False).tracers for each in roots)
    known = set(map(id, old.values()))
    return [(each, tracer) for each, tracer in new.items() if id(tracer) not in known]
