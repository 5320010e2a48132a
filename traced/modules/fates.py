"""Tell what became of a change that an NNX object was to have: made elsewhere, undone, or never."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import jax
import numpy as np
from flax import nnx

from traced.modules.writes import VALUE, Write, writes_to
from traced.python.places import Place
from traced.python.values import one_line
from traced.pytrees.differences import on_host


@dataclass(frozen=True)
class Fate:
    """What became of a change: the code of its finding, the lines, and what was seen there."""

    code: str
    places: tuple[Place, ...] = ()
    saw: tuple[tuple[str, str], ...] = ()


def find_fate(writes: list[Write], thing: Any, name: str, *, is_draw: bool = False) -> Fate:
    """Return what became of a change of `thing` that did not stay, going by the writes of a call.

    `name` is that of the attribute, empty for the value of a Variable. `is_draw` says that the
    change is the count of a random stream.

    >>> import jax.numpy as jnp
    >>> from traced.modules.writes import record_writes
    >>> counter = nnx.Variable(jnp.array(0))
    >>> with record_writes() as writes:
    ...     counter[...] += 1
    ...     counter[...] -= 1
    >>> find_fate(writes, counter, "").code
    'nnx/undone'
    """
    own, alike = writes_to(writes, thing, name)
    histories = _by_thing(alike)
    elsewhere = [each for each in histories if _ends_elsewhere(each)]
    for history in [own] if elsewhere else [own, *histories]:
        if _comes_back(history):
            return _undone(history)
    traced = [each for each in elsewhere if _is_traced(each)]
    if is_draw:  # a stream that was made inside of a transform is no copy of the one given
        traced = [each for each in traced if not each[0].is_new]
    others = [each for each in elsewhere if not _is_traced(each)]
    if copies := [each for each in others if _same(each[0].before, _value(thing, name))]:
        return _elsewhere(copies)
    if traced:
        return Fate("nnx/lost-change", _places(traced, "changes a copy"))
    if others:
        return _elsewhere(others)
    return Fate("nnx/stream-unmoved" if is_draw else "nnx/never-changed")


def _value(thing: Any, name: str) -> Any:
    """Return what an object has, which is what it had: the change did not stay."""
    if name == VALUE:
        return thing.get_raw_value()
    named = thing.get_metadata() if isinstance(thing, nnx.Variable) else vars(thing)
    return named.get(name)


def _by_thing(writes: list[Write]) -> list[list[Write]]:
    found: dict[int, list[Write]] = {}
    for each in writes:
        found.setdefault(id(each.thing), []).append(each)
    return list(found.values())


def _comes_back(history: list[Write]) -> bool:
    """Return whether a value was written over by another one, and written again in the end."""
    changed = any(not _same(each.before, each.value) for each in history)
    return changed and not _ends_elsewhere(history)


def _ends_elsewhere(history: list[Write]) -> bool:
    return not _same(history[0].before, history[-1].value)


def _undone(history: list[Write]) -> Fate:
    moved = [each for each in history if not _same(each.before, each.value)]
    first, last = moved[0], moved[-1]
    saw = (("changed to", _short(first.value)), ("put back to", _short(last.value)))
    places = replace(first.place, note="changes it"), replace(last.place, note="puts it back")
    alike = first.place == last.place
    return Fate("nnx/undone", places[:1] if alike else places, saw)


def _elsewhere(histories: list[list[Write]]) -> Fate:
    last = histories[0][-1]
    saw = (("the other object", f"{type(last.thing).__name__} = {_short(last.value)}"),)
    return Fate("nnx/other-object", _places(histories, "changes another object"), saw)


def _places(histories: Iterable[list[Write]], note: str) -> tuple[Place, ...]:
    # Where several lines write, it is not known which of them was meant.
    found = {each.place for history in histories for each in history}
    return tuple(replace(each, note=note) for each in found) if len(found) == 1 else ()


def _is_traced(history: list[Write]) -> bool:
    thing = history[0].thing
    values = vars(thing) if isinstance(thing, nnx.Pytree) else thing
    leaves = jax.tree.leaves((values, [each.value for each in history]))
    return any(isinstance(leaf, jax.core.Tracer) for leaf in leaves)


def _same(old: Any, new: Any) -> bool:
    if old is new:
        return True
    leaves = [jax.tree.leaves(each) for each in (old, new)]
    if any(isinstance(each, jax.core.Tracer) for side in leaves for each in side):
        return len(leaves[0]) == len(leaves[1]) and all(
            a is b for a, b in zip(*leaves, strict=True)
        )
    try:
        pairs = zip(*leaves, strict=True)
        return all(np.array_equal(on_host(a), on_host(b)) for a, b in pairs)
    except (TypeError, ValueError):
        return False


def _short(value: Any) -> str:
    if isinstance(value, jax.core.Tracer):
        return "a traced value"
    if isinstance(value, jax.Array | np.ndarray):
        return np.array2string(np.asarray(on_host(value)), precision=4, threshold=8)
    return one_line(value)
