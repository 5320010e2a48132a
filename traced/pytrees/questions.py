"""Ask whether an answer returns the right thing: its structure, shapes, dtypes and values."""

import copy
import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.findings.feedback import Finding, Found, Question, fault, require
from traced.python.places import place_of_tracer
from traced.python.values import Bare, PyTree, brief_both, describe, describe_tree
from traced.pytrees.differences import (
    find_tree_differences,
    name_arguments,
    name_leaves,
    on_host,
)
from traced.pytrees.nodes import is_node
from traced.running.attempt import attempt


def returns(wanted: Callable[..., Any], *cases: tuple[Any, ...]) -> Question:
    """Ask whether the answer returns what `wanted` returns, for each tuple of arguments.

    Compared are, in this order, the structure of the result, shapes, dtypes and values.

    >>> returns(abs, (-1.0,))(lambda x: x)
    Traceback (most recent call last):
    traced.findings.feedback.Found: value/differs
    """

    def question(answer: Any) -> None:
        for case in cases:
            # The answer may do with its arguments as it likes: the next check has its own. JAX's
            # arrays do not change, and `attempt` sees to it that they stay.
            kept = {id(each): each for each in jax.tree.leaves(case) if isinstance(each, jax.Array)}
            args = copy.deepcopy(case, kept)
            leaves = jax.tree.leaves(args)
            result = attempt(answer, *args)
            require_unchanged(answer, case, args, leaves)
            try:
                compare(wanted(*case), result)
            except Found as found:
                raise _given(case, found.finding) from None

    return question


def _given(case: tuple[Any, ...], finding: Finding) -> Found:
    # Only where it is needed: to write out an array takes as long as to trace a function.
    if not finding.code.startswith("value/"):
        return Found(finding)
    given = ", ".join(map(_digits, case))
    return Found(replace(finding, saw=(("given", given), *finding.saw)))


def require_unchanged(
    answer: Any, before: tuple[Any, ...], after: tuple[Any, ...], given: list[Any]
) -> None:
    """Raise `Found` if a call of `answer` left other things in the containers of its arguments.

    `before` are equal arguments that it was not called with, `after` those that it was, and `given`
    their leaves before the call.

    >>> args = ({"w": 1.0},)
    >>> args[0]["w"] = 2.0
    >>> require_unchanged(lambda params: None, ({"w": 1.0},), args, [1.0])
    Traceback (most recent call last):
    traced.findings.feedback.Found: effects/argument
    """
    old, new = (name_arguments(answer, args, {}) for args in (before, after))
    if not _same_structure(before, after):
        sides = (("removed", old.keys() - new.keys()), ("added", new.keys() - old.keys()))
        saw: dict[str, object] = {name: min(paths) for name, paths in sides if paths}
        types = {"before": describe_tree(before), "after": describe_tree(after)}
        raise fault("effects/argument", **saw, **types)
    for (path, was), leaf, now in zip(old.items(), given, new.values(), strict=True):
        # JAX's own arrays cannot be changed, only replaced; NumPy's can.
        if leaf is not now or (
            isinstance(was, np.ndarray) and not np.array_equal(was, now, equal_nan=True)
        ):
            old_text, new_text = _digits(was), _digits(now)
            if old_text == new_text:
                old_text, new_text = brief_both(was, now)
            raise fault("effects/argument", argument=path, before=old_text, after=new_text)


def compare(wanted: PyTree, got: PyTree, **given: object) -> None:
    """Raise `Found` at the first difference between two results, with the evidence.

    `given` is evidence of the caller's: what the result was computed from. For a Python number any
    number of its kind will do. One that has a dtype, such as `np.float32(1)`, asks for that dtype:
    a Python number has none, and a number of NumPy in 64 bits another, whatever `jit` makes of it.

    >>> compare(1, np.int64(1))
    >>> compare(np.int32(1), 1)
    Traceback (most recent call last):
    traced.findings.feedback.Found: value/dtype
    >>> compare(10**6, 10**6 + 1)
    Traceback (most recent call last):
    traced.findings.feedback.Found: value/differs
    >>> compare(jax.numpy.ones(2), jax.numpy.zeros(2), given="x = 0")
    Traceback (most recent call last):
    traced.findings.feedback.Found: value/differs
    """
    if got is None and wanted is not None:
        raise fault("value/nothing", **given, wanted=_digits(wanted))
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


def compare_within(
    wanted: Any, got: Any, within: float, *, near_zero: float = 0.1, **given: object
) -> None:
    """Raise `Found` as `compare` does, but take numbers for equal that are as near as `within`.

    That is a part of the number, and around 0 a distance: the part `near_zero` of it.

    >>> compare_within(np.ones(2, "float32"), np.ones(2, "float32") * np.float32(1.001), 0.01)
    >>> compare_within(np.ones(2, "float32"), np.ones(2, "float32") * np.float32(1.1), 0.01)
    Traceback (most recent call last):
    traced.findings.feedback.Found: value/differs
    """
    array = isinstance(got, jax.Array | np.ndarray | np.generic)
    if array and got.shape == wanted.shape and got.dtype == wanted.dtype:
        close = np.isclose(wanted, got, rtol=within, atol=within * near_zero)
        got = np.where(close, wanted, got)
    compare(wanted, got, **given)


def _first_difference(wanted: PyTree, got: PyTree) -> dict[str, object]:
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


def _same_structure(left: PyTree, right: PyTree) -> bool:
    try:
        structures: list[Any] = [jax.tree.structure(left), jax.tree.structure(right)]
        return bool(structures[0] == structures[1])
    except (TypeError, ValueError):  # keys of a dictionary that cannot be sorted
        return False


#: With 64 bits on, a Python number has them, and a result of 32 bits is of its kind too.
NARROW = {"i64[]": "i32[]", "f64[]": "f32[]", "c128[]": "c64[]"}


def _compare_leaves(wanted: PyTree, got: PyTree, given: dict[str, object]) -> None:
    if isinstance(got, jax.core.Tracer):
        raise fault("tracing/leaked", place_of_tracer(got), got=f"a tracer {describe(got)}")
    if isinstance(got, jax.ShapeDtypeStruct):
        raise fault("value/not-computed", **given, got=f"{describe(got)} without values")
    types = {"wanted": describe(wanted).lstrip("~"), "got": describe(got).lstrip("~")}
    require("[" in types["got"], "value/structure", **given, **types)
    require(np.shape(wanted) == np.shape(got), "value/shape", **given, **types)
    if _is_python_number(wanted):
        fits = types["got"] in (types["wanted"], NARROW.get(types["wanted"]))
    else:
        types["got"] = _own_dtype(got) or types["got"]
        fits = types["wanted"] == types["got"]
    require(fits, "value/dtype", **given, **types)
    with np.errstate(all="ignore"):  # a value out of all bounds differs, and that is all
        # Of NumPy's own types: a Python number beyond those of `wanted` would become infinite.
        sides = on_host(wanted), on_host(got)
        # Many are equal, which is known sooner.
        close = bool((sides[0] == sides[1]).all()) or bool(_are_close(*sides).all())
    if not close:
        raise fault("value/differs", **given, **_told_apart(wanted, got, *sides))


#: So many characters of an array are shown in each case.
SHOWN = 100


def _are_close(left: Any, right: Any) -> Any:
    """Tell for each entry whether the two agree: floats but for rounding, and others exactly."""
    if jnp.issubdtype(left.dtype, jnp.inexact):
        return np.isclose(left, right, rtol=1e-4, atol=1e-6, equal_nan=True)
    return np.asarray(left == right)


def _told_apart(wanted: PyTree, got: PyTree, left: Any, right: Any) -> dict[str, str]:
    """Return both values, or the first entries that differ, where what is shown is the same.

    `left` and `right` are the values as arrays of NumPy.

    >>> zeros, other = np.zeros(99), np.eye(1, 99, 50)[0]
    >>> _told_apart(zeros, other, zeros, other)
    {'entry': '[50]', 'wanted': '0', 'got': '1'}
    """
    texts = {"wanted": _digits(wanted), "got": _digits(got)}
    if len({text[:SHOWN] for text in texts.values()}) == 2:
        return texts
    at = [int(place) for place in np.argwhere(~_are_close(left, right))[0]]
    numbers = {"wanted": f"{left[tuple(at)]:.7g}", "got": f"{right[tuple(at)]:.7g}"}
    return ({"entry": str(at)} if at else {}) | numbers


def _is_python_number(leaf: object) -> bool:
    return isinstance(leaf, bool | int | float | complex) and not isinstance(leaf, np.generic)


def _own_dtype(leaf: Any) -> str:
    """Return the class or the dtype of a number whose dtype in a trace is another, or nothing."""
    if _is_python_number(leaf):
        return type(leaf).__name__
    dtype = jax.typeof(leaf).dtype
    own = getattr(leaf, "dtype", dtype)
    return str(own) if np.ndim(leaf) == 0 and own != dtype else ""


def _digits(value: PyTree) -> str:
    """Return the values of a pytree in its own containers.

    >>> _digits(({"w": np.ones(2)}, None, 3))
    "({'w': [1. 1.]}, None, 3)"
    """
    if not is_node(value):
        return _digits_of_leaf(value)
    try:
        return repr(jax.tree.map(lambda leaf: Bare(_digits_of_leaf(leaf)), value))
    except Exception:  # an object of a class that does not take texts
        return ", ".join(f"{at}: {_digits_of_leaf(x)}" for at, x in name_leaves(value).items())


def _digits_of_leaf(leaf: object) -> str:
    is_key = "key<" in describe(leaf)
    array = on_host(leaf) if is_key else np.asarray(leaf)
    return "key " * is_key + np.array2string(array, precision=4, threshold=8)
