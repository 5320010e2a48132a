"""Ask whether an answer returns the right thing: its structure, shapes, dtypes and values."""

import copy
import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jax
import numpy as np

from traced.attempt import attempt
from traced.exercise import Question
from traced.feedback import Finding, Found, fault, require
from traced.probes.effects import place_of_tracer
from traced.probes.signatures import describe, describe_tree
from traced.probes.trees import find_tree_differences, name_leaves, on_host


def returns(wanted: Callable[..., Any], *cases: tuple[Any, ...]) -> Question:
    """Ask whether the answer returns what `wanted` returns, for each tuple of arguments.

    Compared are, in this order, the structure of the result, shapes, dtypes and values.

    >>> returns(abs, (-1.0,))(lambda x: x)
    Traceback (most recent call last):
    traced.feedback.Found: value/differs
    """

    def question(answer: Any) -> None:
        for case in cases:
            # The answer may do with its arguments as it likes: the next check has its own. JAX's
            # arrays do not change, and `attempt` sees to it that they stay.
            kept = {id(each): each for each in jax.tree.leaves(case) if isinstance(each, jax.Array)}
            args = copy.deepcopy(case, kept)
            leaves = jax.tree.leaves(args)
            result = attempt(answer, *args)
            _compare_arguments(case, args, leaves)
            try:
                compare(wanted(*case), result)
            except Found as found:
                raise _given(case, found.finding) from None

    return question


def _given(case: tuple[Any, ...], finding: Finding) -> Found:
    # Only where it is needed: to write out an array takes as long as to trace a function.
    if not finding.code.startswith("value/"):
        return Found(finding)
    return Found(replace(finding, saw=(("given", _brief(case)), *finding.saw)))


def _compare_arguments(before: Any, after: Any, given: list[Any]) -> None:
    """Raise `Found` if a container holds other things than it was given, or an array changed."""
    if not _same_structure(before, after):
        raise fault("effects/argument", before=describe_tree(before), after=describe_tree(after))
    for old, leaf, new in zip(jax.tree.leaves(before), given, jax.tree.leaves(after), strict=True):
        # JAX's own arrays cannot be changed, only replaced; NumPy's can.
        if leaf is not new or (
            isinstance(old, np.ndarray) and not np.array_equal(old, new, equal_nan=True)
        ):
            raise fault("effects/argument", before=_brief(old), after=_brief(new))


def compare(wanted: Any, got: Any, **given: object) -> None:
    """Raise `Found` at the first difference between two results, with the evidence.

    `given` is evidence of the caller's: what the result was computed from.

    >>> compare(jax.numpy.ones(2), jax.numpy.zeros(2), given="x = 0")
    Traceback (most recent call last):
    traced.feedback.Found: value/differs
    """
    if got is None and wanted is not None:
        raise fault("value/nothing", **given, wanted=_brief(wanted))
    if inspect.iscoroutine(got) or inspect.isgenerator(got):
        got.close()
        raise fault("value/not-computed", **given, got=f"a {type(got).__name__}")
    if not _same_structure(wanted, got):
        types = {"wanted": describe_tree(wanted), "got": describe_tree(got)}
        raise fault("value/structure", **given, **_first_difference(wanted, got), **types)
    leaves = zip(name_leaves(wanted).items(), jax.tree.leaves(got), strict=True)
    for (path, left), right in leaves:
        # A result that is one array has no path.
        at = f"{given.get('at', '')}{path}"
        _compare_leaves(left, right, given | ({"at": at} if at else {}))


def _first_difference(wanted: Any, got: Any) -> dict[str, object]:
    """Return where two trees of other structures part, in words, where that can be told."""
    try:
        found = find_tree_differences(wanted, got)
    except (TypeError, ValueError):  # keys of a dictionary that cannot be sorted
        return {}
    for each in found:
        if each.kind in SAID and each.path:
            said = f"{each.path} {SAID[each.kind]}"
            return {"at": said.format(wanted=each.wanted, got=each.got)}
    return {}


#: What is said of a difference between two structures.
SAID = {
    "missing": "is missing",
    "extra": "is too much",
    "container": "is {got} and not {wanted}",
    "static": "is {got} and not {wanted}",
}


def _same_structure(left: Any, right: Any) -> bool:
    try:
        structures: list[Any] = [jax.tree.structure(left), jax.tree.structure(right)]
        return bool(structures[0] == structures[1])
    except (TypeError, ValueError):  # keys of a dictionary that cannot be sorted
        return False


def _compare_leaves(wanted: Any, got: Any, given: dict[str, object]) -> None:
    if isinstance(got, jax.core.Tracer):
        raise fault("tracing/leaked", place_of_tracer(got), got=f"a tracer {describe(got)}")
    types = {"wanted": describe(wanted).lstrip("~"), "got": describe(got).lstrip("~")}
    require("[" in types["got"], "value/structure", **given, **types)
    require(np.shape(wanted) == np.shape(got), "value/shape", **given, **types)
    require(types["wanted"] == types["got"], "value/dtype", **given, **types)
    with np.errstate(all="ignore"):  # a value out of all bounds differs, and that is all
        # Of NumPy's own types: a Python number beyond those of `wanted` would become infinite.
        sides = on_host(wanted), on_host(got)
        # Many are equal, which is known sooner.
        close = bool((sides[0] == sides[1]).all()) or np.allclose(
            *sides, rtol=1e-4, atol=1e-6, equal_nan=True
        )
    if not close:
        raise fault("value/differs", **given, wanted=_brief(wanted), got=_brief(got))


def _brief(value: Any) -> str:
    return ", ".join(map(_brief_leaf, jax.tree.leaves(value)))


def _brief_leaf(leaf: Any) -> str:
    is_key = "key<" in describe(leaf)
    array = on_host(leaf) if is_key else np.asarray(leaf)
    return "key " * is_key + np.array2string(array, precision=4, threshold=8)
