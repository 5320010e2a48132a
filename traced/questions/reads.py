"""Ask whether an answer follows what it reads besides its arguments."""

import contextlib
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from traced.attempt import attempt
from traced.exercise import Question
from traced.feedback import Found, fault
from traced.probes.effects import find_effects
from traced.probes.places import Place
from traced.probes.reach import things_of
from traced.probes.reads import HiddenRead, find_hidden_reads
from traced.probes.snapshots import Snapshot
from traced.probes.staleness import JITTED, find_stale_reads, retraced, with_copies, without_self
from traced.probes.trees import find_tree_differences
from traced.probes.values import brief


def follows_changes(*args: Any, change: Callable[[Any], Any] | None = None) -> Question:
    """Ask whether a call gives what a trace made now would give, rather than an older one.

    `change` takes the answer and changes what it may read: a global, an attribute, a list. The
    answer is called before and after that, and then all is put back. Without `change`, it is asked
    whether a trace that is kept already is out of date.

    A global that never changes is no fault, nor is one that a function without `jit` reads. A NumPy
    array that is written to in place is seen, unless it lies in a tuple.

    >>> import jax
    >>> scale = [2.0]
    >>> double = jax.jit(lambda x: scale[0] * x)
    >>> follows_changes(1.0)(double)
    >>> follows_changes(1.0, change=lambda _: scale.insert(0, 3.0))(double)
    Traceback (most recent call last):
    traced.feedback.Found: purity/stale-read
    """

    def question(answer: Any) -> None:
        attempt(answer, *args)
        effects = attempt(find_effects, change, answer) if change else []
        with _changed(change, answer):
            found = _stale(answer, args)
        if found:
            suspects, saw = found
            names = [effect.target for effect in effects]
            suspects = [each for each in suspects if _is_among(each.name, names)] or suspects
            changed = next((each.place for each in effects if each.place), None)
            raise _fault(suspects, changed, saw)

    return question


@contextlib.contextmanager
def _changed(change: Callable[[Any], Any] | None, answer: Any) -> Iterator[None]:
    if change is None:
        yield
        return
    snapshot = Snapshot(things_of(change, (answer,), {}))
    try:
        change(answer)
        yield
    finally:
        snapshot.put_back()


def _stale(answer: Any, args: tuple[Any, ...]) -> tuple[list[HiddenRead], dict[str, str]] | None:
    """Return what may have been read, and what was seen, where a kept trace is out of date."""
    if isinstance(without_self(answer, ())[0], JITTED):
        for stale in attempt(find_stale_reads, answer, *args):
            return list(stale.suspects), {"kept_trace": stale.before, "new_trace": stale.now}
    kept = attempt(answer, *args)
    with with_copies(answer), retraced():
        new, again = attempt(answer, *args), attempt(answer, *args)
    # What gives another result each time is not out of date.
    if _same(new, kept) or not _same(new, again):
        return None
    saw = {"kept_trace": f"result {brief(kept)}", "new_trace": f"result {brief(new)}"}
    return find_hidden_reads(answer), saw


def _same(left: Any, right: Any) -> bool:
    return not find_tree_differences(left, right, rtol=0.0, atol=0.0)


def _is_among(name: str, changed: list[str]) -> bool:
    """Return whether what is read as `name` was changed, where an object may have another name."""
    first, *rest = re.split(r"[.\[]", name)
    parts = (re.split(r"[.\[]", each) for each in changed)
    return any(each[1 : len(rest) + 1] == rest if rest else each[0] == first for each in parts)


def _fault(suspects: list[HiddenRead], changed: Place | None, saw: dict[str, str]) -> Found:
    places = [replace(each.place, note="read here") for each in suspects[:1]]
    where = changed and replace(changed, note="changed here")
    names = ", ".join(f"{each.kind} {each.name}" for each in suspects)
    return fault("purity/stale-read", *places, where, **({"read": names} if names else {}), **saw)
