"""Ask what a call does to Flax NNX objects: which Variables it changes, and their structure.

An update that a transform does not bring back is lost without an error. What each mode of NNX
brings back is told in `traced.modules.changes`; the questions are the same in both.
"""

import contextlib
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

import jax
import numpy as np
from flax import nnx

from traced.findings.feedback import Found, Question, fault
from traced.modules.changes import ModuleChange, find_aliases, find_module_changes, record_changes
from traced.modules.fates import find_fate
from traced.modules.object_graphs import DELETED, graph_of, paths_in, text_of, values_of
from traced.modules.writes import VALUE, Write, place_of_write, record_writes
from traced.purity.stale_reads import retraced
from traced.python.places import Place
from traced.pytrees.questions import compare
from traced.running.attempt import attempt

#: The kinds of change that leave the structure as it was.
VALUES = ("value", "rng count")


def updates_like(wanted: Callable[..., Any], *args: Any, way: str = "") -> Question:
    """Ask whether the answer changes the NNX objects among its arguments as `wanted` does.

    Each is called with its own copy of `args`. Compared are, in this order, which parts change,
    and their values afterwards. `way` says how the answer is called, as evidence.

    >>> import jax
    >>> from flax import nnx
    >>> def count(counter):
    ...     counter[...] += 1
    >>> counter = nnx.Variable(jax.numpy.array(0))
    >>> updates_like(count, counter)(nnx.jit(count))
    >>> updates_like(count, counter)(jax.jit(count))
    Traceback (most recent call last):
    traced.findings.feedback.Found: nnx/lost-change
    """

    given = {"given": way} if way else {}

    def question(answer: Any) -> None:
        target, mine = _copied(args), _copied(args)
        names = list(inspect.signature(wanted).bind(*args).arguments)
        due, done = _changes(wanted, names, target), attempt(_changes, answer, names, mine)
        for key, change in due.items():
            got = done[key].after if key in done else change.before
            if key not in done or got.endswith(DELETED):
                values = [_values(names, each).get(change.path) for each in (target, mine)]
                saw = {"wanted": _with_digits(change.after, values[0])}
                saw |= {"got": _with_digits(got, values[1])}
                named = dict(zip(names, _copied(args), strict=True))
                raise lost_change(answer, named, change.path, change.kind, **given, **saw)
        for key, change in done.items():
            if key not in due:
                raise _unwanted(change, _place_of_change(answer, names, change.path, args), given)
        _compare_values(names, target, mine, given)

    return question


def lost_change(
    call: Callable[..., Any], args: Mapping[str, Any], path: str, kind: str, **saw: Any
) -> Found:
    """Return the finding for a change that a call should make, and that is not there afterwards.

    Calls once more, with `args`, to see what became of it: never made, undone, lost in a transform,
    or made in another object. `path` and `kind` are those of a `ModuleChange`; `saw` is evidence.

    >>> import jax
    >>> from flax import nnx
    >>> def count(counter):
    ...     nnx.clone(counter).calls[...] += 1
    >>> counter = nnx.Dict(calls=nnx.Variable(jax.numpy.array(0)))
    >>> lost_change(count, {"counter": counter}, "counter.calls", "value")
    Found('nnx/other-object')
    """
    thing, name = _changed_thing(args, path, kind)
    fate = find_fate(_writes(call, args), thing, name, is_draw=kind == "rng count")
    return fault(fate.code, *fate.places, where=path, **saw, **dict(fate.saw))


def _changed_thing(args: Mapping[str, Any], path: str, kind: str) -> tuple[Any, str]:
    """Return the Variable at a path and `VALUE`, or the object that has the attribute, and which.

    What cannot be told, such as what is in a `jax.Ref`, is an attribute of None.
    """
    found = [
        (text_of(each), node.thing)
        for node, paths in paths_in(graph_of(**args)).items()
        for each in paths
    ]
    for text, thing in found:
        if text == path and kind in VALUES and isinstance(thing, nnx.Variable):
            return thing, VALUE
    # An entry of an `nnx.List` is an attribute that is named by its number.
    owners = [
        (text, thing)
        for text, thing in found
        if path.startswith(f"{text}.")
        or (isinstance(thing, nnx.List) and path.startswith(f"{text}["))
    ]
    if not owners:
        return None, path
    text, thing = max(owners, key=lambda owner: len(owner[0]))
    return thing, re.split(r"[.\[\]]", path.removeprefix(text)[1:])[0]


def _writes(call: Callable[..., Any], args: Mapping[str, Any]) -> list[Write]:
    """Call, and return the writes to NNX objects."""
    # Traced afresh: a program from JAX's cache would run no Python, and so show no write.
    with record_writes() as writes, retraced(), contextlib.suppress(Found):
        attempt(call, *args.values())
    return writes


def _values(names: list[str], args: tuple[Any, ...]) -> dict[str, Any]:
    return values_of(graph_of(**dict(zip(names, args, strict=True))))


def _with_digits(text: str, value: Any) -> str:
    """Return the text of a value, with the digits of an array that is no scalar."""
    if not isinstance(value, np.ndarray) or not value.ndim:
        return text
    return f"{text} = {np.array2string(value, precision=4, threshold=8)}"


def keeps_structure(*args: Any) -> Question:
    """Ask whether a call changes values only in the NNX objects among its arguments.

    It is called with a copy of `args`. A structure that changes from call to call has a trace for
    each, and tree mode does not bring it back from a transform.

    >>> import jax.numpy as jnp
    >>> from flax import nnx
    >>> def note(layer, x):
    ...     layer.last = nnx.Intermediate(x)
    >>> keeps_structure(nnx.Linear(2, 3, rngs=nnx.Rngs(0)), jnp.ones(3))(note)
    Traceback (most recent call last):
    traced.findings.feedback.Found: nnx/structure-changed
    """

    def question(answer: Any) -> None:
        changes = attempt(find_module_changes, answer, *_copied(args))
        for change in sorted(changes, key=_is_total):
            if change.kind not in VALUES:
                raise _unwanted(change)

    return question


def shares_nothing(*args: Any) -> Question:
    """Ask whether each NNX object in what the answer returns has one place there.

    >>> from flax import nnx
    >>> def two(rngs):
    ...     layer = nnx.Linear(2, 2, rngs=rngs)
    ...     return nnx.List([layer, layer])
    >>> shares_nothing(nnx.Rngs(0))(two)
    Traceback (most recent call last):
    traced.findings.feedback.Found: nnx/shared
    """

    def question(answer: Any) -> None:
        result = attempt(answer, *_copied(args))
        for alias in attempt(find_aliases, result):
            raise fault("nnx/shared", object=alias.type, places=", ".join(alias.paths))

    return question


def _copied(args: tuple[Any, ...]) -> tuple[Any, ...]:
    # `copy.deepcopy` makes an array of a Variable. Only graph mode clones what is shared.
    def is_object(leaf: object) -> bool:
        return isinstance(leaf, nnx.Pytree | nnx.Variable)

    objects = filter(is_object, jax.tree.leaves(args, is_leaf=is_object))
    return nnx.clone(args, graph=True) if list(objects) else args


def _changes(
    f: Callable[..., Any], names: list[str], args: tuple[Any, ...]
) -> dict[tuple[str, str], ModuleChange]:
    # The answer may call its parameters otherwise.
    with record_changes(**dict(zip(names, args, strict=True))) as changes:
        f(*args)
    return {(each.kind, each.path): each for each in sorted(changes, key=_is_total)}


def _is_total(change: ModuleChange) -> bool:
    # Another graphdef says that something changed; the other kinds say what it was.
    return change.kind == "structure"


def _place_of_change(
    answer: Any, names: list[str], path: str, args: tuple[Any, ...]
) -> Place | None:
    """Call the answer once more, and return the line that writes to the Variable at a path."""
    mine = dict(zip(names, _copied(args), strict=True))
    thing, name = _changed_thing(mine, path, VALUES[0])
    writes = _writes(answer, mine)
    return place_of_write(writes, thing) if name == VALUE else None


def _unwanted(
    change: ModuleChange, place: Place | None = None, given: Mapping[str, str] | None = None
) -> Found:
    # Another object of the same class leaves the structure as it is.
    exchanged = change.kind == "replaced" and change.before == change.after
    code = "nnx/changed" if change.kind in VALUES or exchanged else "nnx/structure-changed"
    after = f"another object, {change.after}" if exchanged else change.after
    saw = {"where": change.path or "the object", "before": change.before, "after": after}
    changed = {"changed": change.detail} if change.detail else {}
    return fault(code, place, **(given or {}), **saw, **changed)


def _compare_values(
    names: list[str], target: tuple[Any, ...], mine: tuple[Any, ...], given: Mapping[str, str]
) -> None:
    wanted, got = _values(names, target), _values(names, mine)
    for path, value in wanted.items():
        compare(value, got[path], **given, at=path)
