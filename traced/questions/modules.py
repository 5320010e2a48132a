"""Ask what a call does to Flax NNX objects: which Variables it changes, and their structure.

An update that a transform does not bring back is lost without an error. What each mode of NNX
brings back is told in `traced.probes.modules`; the questions are the same in both.
"""

import contextlib
import inspect
from collections.abc import Callable
from typing import Any

import jax
from flax import nnx

from traced.attempt import attempt
from traced.exercise import Question
from traced.feedback import Found, fault
from traced.probes.module_snapshots import DELETED, paths_in, snapshot_of, text_of, values_of
from traced.probes.module_writes import find_write, record_writes
from traced.probes.modules import ModuleChange, find_aliases, find_module_changes, record_changes
from traced.probes.places import Place
from traced.probes.staleness import retraced
from traced.questions.values import compare

#: The kinds of change that leave the structure as it was.
VALUES = ("value", "rng count")


def updates_like(wanted: Callable[..., Any], *args: Any) -> Question:
    """Ask whether the answer changes the NNX objects among its arguments as `wanted` does.

    Each is called with its own copy of `args`. Compared are, in this order, which parts change,
    and their values afterwards.

    >>> import jax
    >>> from flax import nnx
    >>> def count(counter):
    ...     counter[...] += 1
    >>> counter = nnx.Variable(jax.numpy.array(0))
    >>> updates_like(count, counter)(nnx.jit(count))
    >>> updates_like(count, counter)(jax.jit(count))
    Traceback (most recent call last):
    traced.feedback.Found: nnx/lost-change
    """

    def question(answer: Any) -> None:
        target, mine = _copied(args), _copied(args)
        names = list(inspect.signature(wanted).bind(*args).arguments)
        due, done = _changes(wanted, names, target), attempt(_changes, answer, names, mine)
        for key, change in due.items():
            got = done[key].after if key in done else change.before
            if key not in done or got.endswith(DELETED):
                saw = {"where": change.path, "wanted": change.after, "got": got}
                place = _place_of_write(answer, names, change.path, args)
                raise fault("nnx/lost-change", place, **saw)
        for key, change in done.items():
            if key not in due:
                raise _unwanted(change, _place_of_write(answer, names, change.path, args))
        _compare_values(names, target, mine)

    return question


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
    traced.feedback.Found: nnx/structure-changed
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
    traced.feedback.Found: nnx/shared
    """

    def question(answer: Any) -> None:
        result = attempt(answer, *_copied(args))
        for alias in attempt(find_aliases, result):
            raise fault("nnx/shared", object=alias.type, places=", ".join(alias.paths))

    return question


def _copied(args: tuple[Any, ...]) -> tuple[Any, ...]:
    # `copy.deepcopy` makes an array of a Variable. Only graph mode clones what is shared.
    def is_object(leaf: Any) -> bool:
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


def _place_of_write(
    answer: Any, names: list[str], path: str, args: tuple[Any, ...]
) -> Place | None:
    """Call the answer once more, and return the line that writes to the Variable at a path."""
    mine = _copied(args)
    nodes = paths_in(snapshot_of(**dict(zip(names, mine, strict=True)))).items()
    found = [node.thing for node, paths in nodes if path in map(text_of, paths)]
    with record_writes() as writes, retraced(), contextlib.suppress(Found):
        attempt(answer, *mine)
    variables = (each for each in found if isinstance(each, nnx.Variable))
    return next((find_write(writes, each) for each in variables), None)


def _unwanted(change: ModuleChange, place: Place | None = None) -> Found:
    code = "nnx/changed" if change.kind in VALUES else "nnx/structure-changed"
    saw = {"where": change.path or "the object", "before": change.before, "after": change.after}
    return fault(code, place, **saw | ({"changed": change.detail} if change.detail else {}))


def _compare_values(names: list[str], target: tuple[Any, ...], mine: tuple[Any, ...]) -> None:
    sides = [
        values_of(snapshot_of(**dict(zip(names, args, strict=True)))) for args in (target, mine)
    ]
    for path, value in sides[0].items():
        compare(value, sides[1][path], at=path)
