"""What can be done to a random key, and the site in a program where it was done."""

import os
from dataclasses import dataclass, replace
from functools import cached_property
from inspect import getfile, unwrap
from typing import Any

import jax

from traced.internals.frames import Call, calls_to, count_vmaps, line_of
from traced.internals.jaxprs import Operation
from traced.python.places import Place, is_library, is_library_code, place_at

#: Every kind of event.
KINDS = ("seed", "split", "fold_in", "use")

#: Every way in which a key gives the same numbers again.
HOWS = (
    "used twice",
    "used, then split",
    "split, then used",
    "split twice",
    "same key in every batch entry",
    "same key in every step",
)

FUNCTIONS = os.path.dirname(getfile(unwrap(jax.random.split)))
MAKERS = {"key", "PRNGKey", "wrap_key_data", "key_data", "split", "fold_in", "clone"}


@dataclass(frozen=True)
class KeyEvent:
    """One thing done to a key, or at once to each of a batch of keys.

    `kind` is one of `KINDS`. `keys` and `results` are names; each key has equally many results.
    `draw` names the function of `jax.random` that draws, where that is known.
    """

    kind: str
    keys: tuple[str, ...]
    results: tuple[str, ...]
    place: Place | None
    within: tuple[str, ...] = ()
    batched: bool = False
    draw: str = ""

    @property
    def key(self) -> str:
        """The name of the key, or of the first and the last of a batch."""
        return " … ".join(dict.fromkeys([*self.keys[:1], *self.keys[-1:]]))

    @property
    def links(self) -> list[tuple[str, str]]:
        """Pairs of a key and of one made from it: the branches of a tree of keys."""
        if self.kind == "seed":
            return []
        each = len(self.results) // max(len(self.keys), 1)
        return [(self.keys[i // each], result) for i, result in enumerate(self.results)]


@dataclass(frozen=True)
class KeyReuse:
    """A key that gives the same numbers again: how, which is one of `HOWS`, and both places.

    `key` is its name; where it was made in more than one way, all its names, joined by ` = `.
    """

    key: str
    how: str
    first: Place | None
    second: Place | None


@dataclass(frozen=True)
class Site:
    """Where in a program something happens: nested in what, called how, under how many `vmap`s.

    `device` is its place on each axis of a mesh.
    """

    within: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    vmaps: int = 0
    device: tuple[tuple[str, int], ...] = ()

    def number_of(self, operation: Operation) -> int | None:
        """Return what an operation gives that asks for the place on an axis, None of any other."""
        if operation.primitive != "axis_index":
            return None
        return dict(self.device).get(str(operation.params.get("axis_name")))

    def at(self, eqn: Any) -> "Site":
        """Return the site of an equation that this site encloses."""
        calls = calls_to(eqn)
        vmaps = self.vmaps + count_vmaps(calls, is_library)
        return replace(self, calls=calls + self.calls, vmaps=vmaps)

    def inside(self, primitive: str) -> "Site":
        """Return the site that an equation which is here encloses."""
        return replace(self, within=(*self.within, primitive))

    @property
    def loops(self) -> bool:
        """Whether a loop comes by here again."""
        return not {"scan", "while"}.isdisjoint(self.within)

    @cached_property
    def drawing(self) -> tuple[Call, ...]:
        """The function of `jax.random` that draws here, if one does, and the calls to it."""
        files = [code.co_filename.startswith(FUNCTIONS) for code, _ in self.calls]
        entry = max((i for i, inside in enumerate(files) if inside), default=None)
        if entry is None or self.calls[entry][0].co_name in MAKERS:
            return ()
        return ((self.calls[entry][0], 0), *self.calls[entry + 1 :])

    @cached_property
    def own(self) -> list[Call]:
        """The calls in the reader's code, innermost first."""
        return [call for call in self.calls if not is_library_code(call[0])]

    def place(self, note: str = "") -> Place | None:
        """Return the innermost line of the reader's code, or None."""
        return _place(self.own[0], note) if self.own else None


def places_of(first: Site, second: Site) -> tuple[Place | None, Place | None]:
    """Return the places of two uses of one key, at lines that tell the two apart, if any do."""
    pairs = zip(first.own, second.own, strict=False)
    notes = "first use", "second use"
    # Where both are at one line of one function, what differs is the line that called it.
    if pair := next((pair for pair in pairs if pair[0] != pair[1]), None):
        return _place(pair[0], notes[0]), _place(pair[1], notes[1])
    return first.place(notes[0]), second.place(notes[1])


def _place(call: Call, note: str) -> Place:
    return place_at(call[0].co_filename, line_of(call), note)
