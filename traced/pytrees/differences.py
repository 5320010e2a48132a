"""Name the leaves of a pytree by their paths, and tell by path where two pytrees differ."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.tree_util import keystr
from numpy.typing import NDArray

from traced.python.values import PyTree, describe, one_line, type_reason
from traced.pytrees.nodes import is_node, parts_of


@dataclass(frozen=True)
class TreeDifference:
    """One difference between two trees: at which path, of which kind, what was wanted and got.

    `kind` is `missing` or `extra`, of leaves or containers without any, `container`, `static`, of
    data that a container keeps beside its leaves, `leaf`, where it has another class, or `shape`,
    `dtype`, `weak type` or `value`. Of two arrays that differ in value, the entry that differs most
    is shown.
    """

    path: str
    kind: str
    wanted: str
    got: str


def name_leaves(tree: PyTree, root: str = "") -> dict[str, Any]:
    """Return the leaves of a pytree by their paths, as JAX writes them.

    >>> name_leaves({"w": [1, 2], "b": None}, "x")
    {"x['w'][0]": 1, "x['w'][1]": 2}
    """
    return {root + keystr(path): leaf for path, leaf in jax.tree_util.tree_leaves_with_path(tree)}


def name_arguments(
    f: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the leaves of a call's arguments by their paths, in the order that `jit` gives them.

    Where `f` has no signature they start with `args[0]` or `kwargs['name']`.

    >>> name_arguments(lambda x, *ys, **k: None, (1, 2, [3]), {"z": 4})
    {'x': 1, 'ys[0]': 2, 'ys[1][0]': 3, "k['z']": 4}
    """
    names = sorted(kwargs)
    roots = _roots(_parameters(f), len(args), names)
    values = [*args, *(kwargs[name] for name in names)]
    trees = (name_leaves(value, root) for root, value in zip(roots, values, strict=True))
    return {path: leaf for tree in trees for path, leaf in tree.items()}


def require_values(leaves: Mapping[str, Any]) -> None:
    """Raise `TypeError` if one of the named leaves has a type and no value.

    >>> require_values({"x": jax.ShapeDtypeStruct((3,), "float32")})
    Traceback (most recent call last):
    TypeError: `x` must be an array, got a ShapeDtypeStruct, which has no values
    """
    for name, leaf in leaves.items():
        if isinstance(leaf, jax.ShapeDtypeStruct):
            raise TypeError(
                f"`{name}` must be an array, got a ShapeDtypeStruct, which has no values"
            )


def _parameters(f: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(f).parameters.values())
    except Exception:  # there is none, or `f` cannot be compared, as older Pythons do
        return []


def _roots(parameters: list[inspect.Parameter], count: int, names: list[str]) -> list[str]:
    kinds = {parameter.kind: parameter.name for parameter in parameters}
    rest = kinds.get(inspect.Parameter.VAR_POSITIONAL, "args")
    more = kinds.get(inspect.Parameter.VAR_KEYWORD, "kwargs")
    plain = [each.name for each in parameters if each.kind <= each.POSITIONAL_OR_KEYWORD]
    known = {each.name for each in parameters}
    surplus = [f"{rest}[{i}]" for i in range(count - len(plain))]
    keywords = [name if name in known else f"{more}[{name!r}]" for name in names]
    return [*plain[:count], *surplus, *keywords]


def call_with(
    f: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    leaves: Mapping[str, Any],
) -> Any:
    """Call `f` with some leaves of its arguments replaced, which `name_arguments` names.

    >>> call_with(lambda x, y: x["w"] - y, ({"w": 1}, 2), {}, {"x['w']": 7})
    5
    """
    values = list({**name_arguments(f, args, kwargs), **leaves}.values())
    args, kwargs = jax.tree.unflatten(jax.tree.structure((args, dict(kwargs))), values)
    return f(*args, **kwargs)


def find_tree_differences(
    wanted: PyTree, got: PyTree, *, rtol: float = 1e-4, atol: float = 1e-6
) -> list[TreeDifference]:
    """Return every difference between two pytrees by path, in the order of their leaves.

    An array has one difference of shape or of dtype, else up to one of weak type and of value.
    Floats differ by more than `atol + rtol * |wanted|`, as in `numpy.isclose`, with NaN equal to
    NaN; anything else differs unless it is equal. The values of tracers and of
    `jax.ShapeDtypeStruct` are not compared, nor are attributes that JAX does not flatten.

    >>> find_tree_differences({"w": [1, 2]}, {"w": [1, 2.5]})
    [TreeDifference(path="['w'][1]", kind='dtype', wanted='~i32[]', got='~f32[]')]
    """
    return list(_compare(wanted, got, "", {"rtol": rtol, "atol": atol, "equal_nan": True}))


def _compare(
    wanted: PyTree, got: PyTree, path: str, close: dict[str, Any]
) -> Iterator[TreeDifference]:
    if not (is_node(wanted) or is_node(got)):
        yield from _compare_leaves(wanted, got, path, close)
    elif type(wanted) is not type(got):
        yield TreeDifference(path, "container", _class(wanted), _class(got))
    else:
        left, right = parts_of(wanted), parts_of(got)
        yield from _compare_static(wanted, got, path, left.keys() == right.keys())
        yield from _compare_children(left, right, path, close)


def _class(tree: PyTree) -> str:
    if tree is None:
        return "None"
    return type(tree).__name__ if is_node(tree) else describe(tree)


def _compare_children(
    left: dict[str, Any], right: dict[str, Any], path: str, close: dict[str, Any]
) -> Iterator[TreeDifference]:
    for key, child in left.items():
        if key in right:
            yield from _compare(child, right[key], path + key, close)
        else:
            yield from (TreeDifference(*lost, "") for lost in _alone(child, path + key, "missing"))
    for key, child in right.items():
        if key not in left:
            for name, kind, leaf in _alone(child, path + key, "extra"):
                yield TreeDifference(name, kind, "", leaf)


def _alone(child: PyTree, path: str, kind: str) -> Iterator[tuple[str, str, str]]:
    leaves = name_leaves(child, path) or {path: child}
    return ((name, kind, _class(leaf)) for name, leaf in leaves.items())


def _compare_static(
    wanted: PyTree, got: PyTree, path: str, same_children: bool
) -> Iterator[TreeDifference]:
    data = [jax.tree_util.flatten_one_level(node)[1] for node in (wanted, got)]
    if _equal(*data):
        return
    named = _unequal_attributes(wanted, got)
    for name, pair in named.items():
        yield TreeDifference(f"{path}.{name}", "static", *map(one_line, pair))
    # The static data of a dict are its keys: those that one lacks are reported as leaves.
    if same_children and not named:
        yield TreeDifference(path, "static", *map(one_line, _unequal_parts(*data)))


def _unequal_attributes(wanted: PyTree, got: PyTree) -> dict[str, tuple[Any, Any]]:
    sides = [_static_attributes(node) for node in (wanted, got)]
    pairs = {name: (sides[0][name], sides[1][name]) for name in sides[0] if name in sides[1]}
    return {name: pair for name, pair in pairs.items() if not _equal(*pair)}


def _static_attributes(node: PyTree) -> dict[str, Any]:
    children = parts_of(node)
    return {
        name: value
        for name, value in getattr(node, "__dict__", {}).items()
        if not str(name).startswith("_")
        and f".{name}" not in children
        and not any(value is child for child in children.values())
    }


def _unequal_parts(left: object, right: object) -> tuple[Any, Any]:
    if not (isinstance(left, tuple) and isinstance(right, tuple) and len(left) == len(right)):
        return left, right
    pairs = [pair for pair in zip(left, right, strict=True) if not _equal(*pair)]
    lefts, rights = zip(*pairs, strict=True)
    return (lefts, rights) if len(pairs) > 1 else pairs[0]


def _equal(left: object, right: object) -> bool:
    # Static data may be of any class, and `==` of arrays has no truth value.
    try:
        return bool(left == right)
    except Exception:
        return left is right


def _compare_leaves(
    wanted: PyTree, got: PyTree, path: str, close: dict[str, Any]
) -> Iterator[TreeDifference]:
    types = describe(wanted), describe(got)
    if "[" not in types[0] or "[" not in types[1]:
        yield from _compare_others(wanted, got, path, types)
        return
    if types[0] != types[1]:
        yield TreeDifference(path, type_reason(types[1], types[0]), *types)
    if types[0].lstrip("~") == types[1].lstrip("~") and _has_value(wanted) and _has_value(got):
        yield from _compare_values(on_host(wanted), on_host(got), path, close)


def _compare_others(
    wanted: PyTree, got: PyTree, path: str, types: tuple[str, str]
) -> Iterator[TreeDifference]:
    if types[0] != types[1]:
        yield TreeDifference(path, "leaf", *types)
    elif not _equal(wanted, got):
        yield TreeDifference(path, "value", one_line(wanted), one_line(got))


def _has_value(leaf: object) -> bool:
    return not isinstance(leaf, (jax.core.Tracer, jax.ShapeDtypeStruct))


def on_host(leaf: Any) -> Any:
    """Return an array as one of NumPy's, and a random key as its numbers.

    >>> on_host(jax.random.key(1)).tolist(), on_host(2.0).dtype
    ([0, 1], dtype('float64'))
    """
    dtype = jax.typeof(leaf).dtype
    is_key = jnp.issubdtype(dtype, jax.dtypes.prng_key)
    return np.asarray(jax.random.key_data(leaf) if is_key else leaf)


def _compare_values(
    wanted: NDArray[Any], got: NDArray[Any], path: str, close: dict[str, Any]
) -> Iterator[TreeDifference]:
    exact = not jnp.issubdtype(wanted.dtype, jnp.inexact)
    same = wanted == got if exact else np.isclose(got, wanted, **close)
    if np.all(same):
        return
    at = np.unravel_index(np.argmax(_distance(wanted, got, same)), wanted.shape)
    where = f" at [{', '.join(map(str, at))}]" if at else ""
    yield TreeDifference(path, "value", str(wanted[at]) + where, str(got[at]) + where)


def _distance(wanted: NDArray[Any], got: NDArray[Any], same: NDArray[np.bool]) -> Any:
    wide = complex if np.iscomplexobj(wanted) else float
    distance = np.abs(np.subtract(wanted, got, dtype=wide))
    return np.where(same, -1.0, np.nan_to_num(distance, nan=np.inf))
