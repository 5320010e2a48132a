"""The tree of random keys: what each was made from, what used it, which gave the same numbers."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from traced.drawing.outline import Branch, outline
from traced.drawing.picture import Picture, telling
from traced.drawing.shapes import draw, label
from traced.python.places import Place
from traced.randomness.events import KeyEvent, KeyReuse
from traced.randomness.flow import STEPS
from traced.randomness.key_drawing import draw_keys
from traced.randomness.key_tree import key_tree
from traced.randomness.keys import KeyRecord, find_key_events, find_key_reuses

CAPTION = "tree of random keys"
HEAD = "key", "what is done to it", "line"
DONE = {"seed": "made from a seed", "split": "split", "fold_in": "fold_in", "use": "used"}
#: What is written where a key gives the same numbers again, by `KeyReuse.how`.
AGAIN = {
    "used twice": "✗ used again",
    "used, then split": "✗ split after it was used",
    "split, then used": "✗ used after it was split",
    "split twice": "✗ split again",
    "same key in every batch entry": "✗ used, the same in every batch entry",
    "same key in every step": "✗ used, the same in every step",
}
DEEPEST = 8  # levels drawn: a loop that splits its key makes one with each step
WIDEST = 60  # characters shown of a line of code


@telling
def show_keys(f: Callable[..., Any] | KeyRecord, *args: Any, **kwargs: Any) -> Picture:
    """Return the tree of random keys that `f` makes and uses at these arguments.

    Behind each key stand those made from it and the draws that use it. A key that gives the same
    numbers again is marked.
    Instead of a function it takes what `record_keys` of `traced.randomness.keys` has recorded.
    What is seen and what is not, `find_key_events` says there.

    >>> import jax
    >>> def layer(key):
    ...     left, right = jax.random.split(key)
    ...     return jax.random.normal(left) + jax.random.uniform(left)
    >>> show_keys(layer, jax.random.key(0))
    key           what is done to it  line
    key           split               2: left, right = jax.random.split(key)
    ├─ .split[0]  used                3: return jax.random.normal(left) + jax.random.uniform(left)
    │             ✗ used again        3: return jax.random.normal(left) + jax.random.uniform(left)
    └─ .split[1]  not used here
    """
    if isinstance(f, KeyRecord):
        return _picture(f)
    events = find_key_events(f, *args, **kwargs)
    return _picture(KeyRecord(events, find_key_reuses(f, *args, **kwargs)))


@dataclass
class _Key:
    """A key: how often what was done to it where, and the keys made from it."""

    name: str
    in_loop: bool = False
    acts: Counter[tuple[str, Place | None]] = field(default_factory=Counter)
    made: dict[str, "_Key"] = field(default_factory=dict)
    reuses: list[KeyReuse] = field(default_factory=list)


def _picture(record: KeyRecord) -> Picture:
    if not record.events:
        return Picture("no random key is made or used", "<p>no random key is made or used</p>")
    keys, roots = _keys(record.events)
    lost = [reuse for reuse in record.reuses if not _add(keys, reuse)]
    branches = [_branch(key, "", lost) for key in roots]
    notes = [f"✗ {each.key}: {each.how} ({_lines_of(each)})" for each in lost]
    shapes = draw_keys(key_tree(record))
    if any(map(_loop, record.events)):
        notes.append(f"of a loop, up to {STEPS} steps are followed")
        below = max(shape.bottom for shape in shapes) + 20
        shapes.append(label(0, below, notes[-1], size=11, sans=True, muted=True))
    twin = outline(HEAD, branches, CAPTION, notes)
    return draw(shapes, CAPTION, twin, title="keys, and what is drawn with them")


def _keys(events: Iterable[KeyEvent]) -> tuple[dict[str, _Key], list[_Key]]:
    keys: dict[str, _Key] = {}
    below: set[str] = set()
    for event in events:
        for name in (*event.keys, *event.results):
            keys.setdefault(name, _Key(name, bool(_loop(event))))
        for name in dict.fromkeys(event.keys):
            keys[name].acts[_act(event), event.place] += 1
        for parent, child in event.links:
            # Two ways may lead to one key, as `fold_in(key, 1)` and `split(key)[1]`.
            if child not in below:
                below.add(child)
                keys[parent].made[child] = keys[child]
    return keys, [key for name, key in keys.items() if name not in below]


def _act(event: KeyEvent) -> str:
    return " in ".join([DONE[event.kind], *_loop(event)])


def _loop(event: KeyEvent) -> list[str]:
    return [each for each in event.within if each in ("scan", "while")][-1:]


def _add(keys: dict[str, _Key], reuse: KeyReuse) -> bool:
    key = keys.get(reuse.key.partition(" = ")[0])
    if key:
        key.reuses.append(reuse)
    return key is not None


def _branch(key: _Key, above: str, lost: list[KeyReuse], depth: int = 0) -> Branch:
    label = key.name.removeprefix(above) or key.name
    if depth < DEEPEST:
        children = [_branch(each, key.name, lost, depth + 1) for each in key.made.values()]
    else:
        children = list(_cut(key, lost))
    return Branch(label, tuple(_lines(key)), tuple(children), key.name)


def _cut(key: _Key, lost: list[KeyReuse]) -> Iterator[Branch]:
    below = list(key.made.values())
    for each in below:  # it grows: these may be too many levels for functions that call themselves
        below += each.made.values()
    if below:
        lost += [reuse for each in below for reuse in each.reuses]
        yield Branch(f"… {len(below)} more keys left out", (("", ""),))


def _lines(key: _Key) -> Iterator[tuple[str, str]]:
    lines = [_Line(act, place, count) for (act, place), count in key.acts.items()]
    for reuse in key.reuses:
        lines = _marked(lines, reuse)
    if not lines:
        yield "not followed further" if key.in_loop else "not used here", ""
    for line in lines:
        times = f", {line.count} times" if line.count > 1 else ""
        yield line.text + times, _code(line.place)


@dataclass(frozen=True)
class _Line:
    """What is done to a key at one place."""

    text: str
    place: Place | None
    count: int = 1

    @property
    def is_reuse(self) -> bool:
        return self.text.startswith("✗")


def _marked(lines: list[_Line], reuse: KeyReuse) -> list[_Line]:
    """Mark the line of a reuse; where both uses share a line, it becomes two."""
    again = _Line(AGAIN[reuse.how], reuse.second)
    at = max(range(len(lines)), key=lambda i: (_fits(lines[i], again), i))
    line = lines[at]
    if line.is_reuse:
        return [*lines[: at + 1], again, *lines[at + 1 :]]
    both = line.count > 1 and reuse.how in ("used twice", "split twice")
    first = [_Line(line.text, reuse.first)] if both else []
    return [*lines[:at], *first, again, *lines[at + 1 :]]


def _fits(line: _Line, again: _Line) -> tuple[bool, bool]:
    acts = [text.removeprefix("✗ ")[:4] for text in (line.text, again.text)]
    return acts[0] == acts[1], _code(line.place) == _code(again.place)


def _code(place: Place | None) -> str:
    if place is None:
        return ""
    source = place.source if len(place.source) <= WIDEST else place.source[: WIDEST - 1] + "…"
    return f"{place.line}: {source}"


def _lines_of(reuse: KeyReuse) -> str:
    numbers = dict.fromkeys(str(place.line) for place in (reuse.first, reuse.second) if place)
    return f"line {' and '.join(numbers)}"
