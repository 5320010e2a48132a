"""Keep the books on random keys: what each is called, what was done to it, and what twice."""

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.internals.frames import Call
from traced.randomness.events import KeyEvent, KeyReuse, Site, places_of

#: What uses a key up; the first of these counts for more.
SPENDING = ("use", "split")

AGAIN = {
    ("use", "use"): "used twice",
    ("use", "split"): "used, then split",
    ("split", "use"): "split, then used",
    ("split", "split"): "split twice",
}


def is_key(kind: Any) -> bool:
    """Return whether a type, or what has a dtype, is of typed keys.

    >>> is_key(jax.random.key(0)), is_key(jax.random.PRNGKey(0))
    (True, False)
    """
    return hasattr(kind, "dtype") and jnp.issubdtype(kind.dtype, jax.dtypes.prng_key)


def may_be_key(kind: Any) -> bool:
    """Return whether a type is of typed keys, or of what raw keys are, by default: `u32[2]`.

    >>> may_be_key(jax.random.PRNGKey(0)), may_be_key(jnp.ones(2))
    (True, False)
    """
    return is_key(kind) or (
        getattr(kind, "dtype", None) == np.uint32 and tuple(kind.shape[-1:]) == (2,)
    )


def words_of(keys: Any) -> list[bytes]:
    """Return the words of each key in an array of keys, typed or raw.

    >>> words_of(jax.random.key(3)) == words_of(jax.random.PRNGKey(3))
    True
    """
    data = np.asarray(jax.random.key_data(keys) if is_key(keys) else keys)
    return [row.tobytes() for row in data.reshape(-1, data.shape[-1])]


@dataclass
class Ledger:
    """Names, events and reuses of keys.

    Keys are told apart by their words, as JAX does it: `fold_in(key, 1)` is `split(key)[1]`.
    `spent` tells where each was first used, and where first split.
    """

    events: list[KeyEvent] = field(default_factory=list)
    reuses: list[KeyReuse] = field(default_factory=list)
    spent: dict[tuple[bytes, str], Site] = field(default_factory=dict)
    _names: dict[bytes, dict[str, None]] = field(default_factory=dict)
    _suggested: dict[bytes, str] = field(default_factory=dict)
    _invented: set[bytes] = field(default_factory=set)
    _drawn: dict[tuple[Call, ...], dict[bytes, tuple[Call, ...]]] = field(default_factory=dict)
    _on_devices: dict[object, object] = field(default_factory=dict)
    _told: set[object] = field(default_factory=set)

    def name(self, keys: Any, name: str) -> None:
        """Give a key a name, or each key of an array: `keys[0]`."""
        self._name(words_of(keys), _each(name, keys))

    def suggest(self, keys: Any, name: str) -> None:
        """Give keys a name for the case that they get no other."""
        for word, each in zip(words_of(keys), _each(name, keys), strict=True):
            self._suggested.setdefault(word, each)

    def is_strange(self, value: Any) -> bool:
        """Return whether a value is keys of which some have no name, nor a suggested one."""
        return may_be_key(value) and not all(
            word in self._names or word in self._suggested for word in words_of(value)
        )

    def names(self, keys: Any) -> list[str]:
        """Return the first name of each key, which is its words where it has none."""
        return [self._names_of(word)[0] for word in words_of(keys)]

    def invent(self, kind: Any, like: list[str]) -> Any:
        """Return keys of a type, in place of some that cannot be known: each unlike any other.

        `like` has the names of keys that they may be, or may come from.
        """
        if not is_key(kind):
            typed = jax.eval_shape(jax.random.wrap_key_data, _shaped(kind))
            return jax.random.key_data(self.invent(typed, like))
        data = jax.eval_shape(jax.random.key_data, _shaped(kind))
        count = len(self._invented) + np.arange(math.prod(kind.shape)).reshape(*kind.shape, 1)
        words = np.broadcast_to(~count.astype(data.dtype), data.shape)
        keys = jax.random.wrap_key_data(jnp.asarray(words), dtype=kind.dtype)
        self._invented.update(words_of(keys))
        if like:
            self._name(words_of(keys), [_blurred(like)] * count.size)
        return keys

    def has_name(self, keys: Any) -> bool:
        """Return whether each of `keys` has been given a name."""
        return all(word in self._names for word in words_of(keys))

    def has_invented(self, keys: Any) -> bool:
        """Return whether some of `keys` stand for what cannot be known."""
        return not self._invented.isdisjoint(words_of(keys))

    def reveal(self, invented: Any, made: Any) -> None:
        """Give keys that were made the names of those that had stood for them."""
        for word, actual in zip(words_of(invented), words_of(made), strict=True):
            if word in self._names:
                self._names.setdefault(actual, self._names[word])

    def seed(self, made: Any, data: Any, site: Site) -> None:
        """Write down that keys were made of seeds, or of None where these cannot be known."""
        self._name(words_of(made), [f"key({seed})" for seed in _texts(data, made.shape)])
        self._tell("seed", self.names(made), self.names(made), site, made.ndim > 0)

    def split(self, keys: Any, made: Any, site: Site) -> None:
        """Write down that each of `keys` was split."""
        if site.drawing:
            self._drawn.setdefault(site.drawing, {}).update(dict.fromkeys(words_of(made), ()))
            return self.use(keys, site)
        steps = [f".split{_index(index)}" for index in np.ndindex(made.shape[keys.ndim :])]
        parents = self.names(keys)
        names = [_derived(parent, step) for parent in parents for step in steps]
        self._name(words_of(made), names)
        self._tell("split", parents, self.names(made), site, keys.ndim > 0)
        return self._spend("split", words_of(keys), site)

    def fold_in(self, keys: Any, made: Any, data: Any, site: Site) -> None:
        """Write down that data, or None where it cannot be known, was folded into keys."""
        parents = _texts(np.reshape(self.names(keys), keys.shape), made.shape)
        pairs = zip(parents, _texts(data, made.shape), strict=True)
        names = [_derived(parent, f".fold_in({text})") for parent, text in pairs]
        self._name(words_of(made), names)
        self._tell("fold_in", parents, self.names(made), site, made.ndim > 0)

    def use(self, keys: Any, site: Site) -> None:
        """Write down that numbers were drawn from each of `keys`."""
        words = words_of(keys)
        if self._is_drawn(words, site):
            return
        self._tell("use", self.names(keys), [], site, keys.ndim > 0)
        shared = words if keys.ndim < site.vmaps else _twice(words)
        for word in shared[:1]:
            every = keys.ndim < site.vmaps or _repeats_along_an_axis(words, keys.shape)
            how = "same key in every batch entry" if every else "used twice"
            self._report(word, how, site, site)
        self._spend("use", words, site)

    def renew(self, keys: Any) -> None:
        """Forget what was done to keys: the reader has cloned them, to use them again."""
        for word in words_of(keys):
            for kind in SPENDING:
                self.spent.pop((word, kind), None)

    def _is_drawn(self, words: list[bytes], site: Site) -> bool:
        # What a function of `jax.random` does with its key inside is not the reader's doing: to
        # draw from it at a second place, or from keys made there.
        if not site.drawing:
            return False
        drawn = self._drawn.setdefault(site.drawing, {})
        calls = [drawn.setdefault(word, site.calls) for word in words]
        return site.calls not in calls

    def _tell(
        self, kind: str, keys: list[str], results: list[str], site: Site, batched: bool
    ) -> None:
        batched = batched or site.vmaps > 0
        draw = site.drawing[0][0].co_name if site.drawing else ""
        named = tuple(keys), tuple(results)
        event = KeyEvent(kind, *named, site.place(), site.within, batched, draw)
        alike = kind, tuple(keys), site.calls
        # What is done on all devices alike is done once.
        if self._on_devices.setdefault(alike, site.device) == site.device:
            self.events.append(event)

    def _name(self, words: list[bytes], names: list[str]) -> None:
        for word, name in zip(words, names, strict=True):
            self._names.setdefault(word, {})[name] = None

    def _names_of(self, word: bytes) -> list[str]:
        if word in self._names:
            return list(self._names[word])
        by_words = f"key<{', '.join(map(str, np.frombuffer(word, 'uint32')))}>"
        return [self._suggested.get(word, "?" if word in self._invented else by_words)]

    def _spend(self, kind: str, words: list[bytes], site: Site) -> None:
        for word in dict.fromkeys(words):
            again = self.spent.get((word, kind))
            if again is not None and again.calls == site.calls:
                # What is done on all devices alike is done once.
                if again.device != site.device:
                    continue
                # To split a key again makes the same keys again: what is done to those counts.
                if kind == "use":
                    self._report(word, "same key in every step", again, site)
                continue
            before = next((each for each in SPENDING if (word, each) in self.spent), None)
            if before:
                self._report(word, AGAIN[before, kind], self.spent[word, before], site)
            self.spent.setdefault((word, kind), site)

    def _report(self, word: bytes, how: str, first: Site, second: Site) -> None:
        if (told := (how, first.calls, second.calls)) not in self._told:
            self._told.add(told)
            name = " = ".join(self._names_of(word))
            self.reuses.append(KeyReuse(name, how, *places_of(first, second)))


def _each(name: str, keys: Any) -> list[str]:
    shape = keys.shape if is_key(keys) else keys.shape[:-1]
    return [name + _index(index) for index in np.ndindex(shape)]


def _index(index: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, index))}]" if index else ""


def _texts(data: Any, shape: tuple[int, ...]) -> list[str]:
    texts = np.asarray("?" if data is None else data).astype(str)
    return [str(text) for text in np.broadcast_to(texts, shape).flat]


def _derived(parent: str, step: str) -> str:
    head, times, count = parent.rpartition("×")
    # What came after the times is another key's: `key.fold_in(1)×3.split[0]`.
    if times and count.isdecimal() and head.endswith(step):
        return f"{head}×{int(count) + 1}"
    # A loop makes each key from the last one: the names would grow with its steps.
    return f"{parent.removesuffix(step)}×3" if parent.endswith(step * 2) else parent + step


def _blurred(names: list[str]) -> str:
    stems = {name.rpartition("[")[0] for name in names if name.endswith("]")}
    if len(names) > 1 and len(stems) == 1:
        return f"{stems.pop()}[?]"
    return f"{names[-1].rstrip('…')}…"


def _shaped(kind: Any) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(kind.shape, kind.dtype)  # type: ignore[no-untyped-call]  # no types


def _repeats_along_an_axis(words: list[bytes], shape: tuple[int, ...]) -> bool:
    """Return whether the keys of this shape are the same all along one of its axes."""
    numbers = {word: number for number, word in enumerate(dict.fromkeys(words))}
    grid = np.reshape([numbers[word] for word in words], shape)
    axes = [axis for axis, size in enumerate(shape) if size > 1]
    return any(bool(np.all(grid == grid.take([0], axis))) for axis in axes)


def _twice(words: list[bytes]) -> list[bytes]:
    return [word for word, count in Counter(words).items() if count > 1]
