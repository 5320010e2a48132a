"""Ask what an answer does besides returning a value, what it captures, and whether it is stale."""

import contextlib
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from traced.findings.feedback import Found, Question, fault
from traced.purity.captures import find_captured_arrays
from traced.purity.effects import Effect, find_effects
from traced.purity.hidden_reads import HiddenRead, find_hidden_reads
from traced.purity.stale_reads import JITTED, find_stale_reads, retraced, with_copies, without_self
from traced.python.places import Place
from traced.python.reachable import roots_of
from traced.python.snapshots import Snapshot
from traced.python.values import PyTree, brief_both
from traced.pytrees.differences import find_tree_differences
from traced.running.attempt import attempt


def changes_nothing(*args: Any) -> Question:
    """Ask whether the answer only returns a value, and changes and prints nothing.

    >>> changes_nothing([1.0])(lambda xs: xs.append(2.0))
    Traceback (most recent call last):
    traced.findings.feedback.Found: effects/write
    """

    def question(answer: Any) -> None:
        for effect in attempt(find_effects, answer, *args):
            raise fault_of(effect)

    return question


def fault_of(effect: Effect) -> Found:
    """Return the finding that an effect is: a leak, or once while tracing, or at every call.

    >>> fault_of(Effect("global write", "count", None, "0", "1", traced=True)).finding.code
    'effects/while-tracing'
    """
    saw = {effect.kind.replace(" ", "_"): effect.target}
    if effect.kind == "leaked tracer":
        return fault("tracing/leaked", effect.made, effect.place, **saw)
    if effect.before:
        saw |= {"before": effect.before, "after": effect.after}
    elif effect.after:
        saw |= {"written" if effect.kind == "output" else "done": effect.after.strip()}
    return fault("effects/while-tracing" if effect.traced else "effects/write", effect.place, **saw)


def captures_at_most(most: int, *args: Any) -> Question:
    """Ask whether no array of more than `most` bytes is a constant in the trace of the answer.

    >>> import jax.numpy as jnp
    >>> table = jnp.arange(1000.0)
    >>> captures_at_most(100, 2)(lambda i: table[i])
    Traceback (most recent call last):
    traced.findings.feedback.Found: cost/captured-array
    """

    def question(answer: Any) -> None:
        for each in attempt(find_captured_arrays, answer, *args):
            if each.bytes > most:
                saw = {"array": f"{each.name} {each.type}".lstrip(), "bytes": each.bytes}
                raise fault("cost/captured-array", each.place, **saw, allowed=most)

    return question


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
    traced.findings.feedback.Found: purity/stale-read
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
    snapshot = Snapshot(roots_of(change, (answer,), {}))
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
    texts = brief_both(kept, new)
    saw = {"kept_trace": f"result {texts[0]}", "new_trace": f"result {texts[1]}"}
    return find_hidden_reads(answer), saw


def _same(left: PyTree, right: PyTree) -> bool:
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
