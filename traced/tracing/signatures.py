"""Compare two calls as `jit` does: by the type and place of each leaf, and by static values."""

import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import jax

from traced.internals.settings import settings_now
from traced.internals.trace_requests import kept_trace
from traced.python.values import (
    PyTree,
    describe,
    one_line,
    shortened,
    type_reason,
    without_addresses,
)
from traced.pytrees.differences import TreeDifference, find_tree_differences

#: Characters of a value that are shown.
WIDTH = 60

#: Changes of the structure that are told one by one.
FEW = 3


@dataclass(frozen=True)
class Change:
    """One difference between two calls: why `jit` minds it, in what, and what it is and was.

    >>> str(Change("shape", "x", "f32[4]", "f32[3]"))
    'shape: x is f32[4], was f32[3]'
    """

    reason: str
    name: str
    now: str
    before: str

    def __str__(self) -> str:
        return f"{self.reason}: {self.name} is {self.now}, was {self.before}"


@dataclass(frozen=True)
class Signature:
    """What `jit` looks at in a call: each leaf by name, how it was passed, which are static.

    `static` is None where JAX does not tell: it gives the types of the traced leaves, and two plain
    numbers may have the same type. `placements` says on which devices the leaves lie, `settings`
    what JAX's settings were, and `tree` has the arguments by name, with types in place of leaves.
    """

    leaves: Mapping[str, Any]
    form: tuple[int, tuple[str, ...]]
    static: frozenset[str] | None = frozenset()
    placements: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    tree: PyTree = None

    def changes(self, before: "Signature") -> list[Change]:
        """Return what differs from an earlier call, nothing where `jit` would see no difference.

        Where it is not known which leaves are static, a change of type counts as such, and a change
        of value only if nothing else changed.
        """
        if structure := self._structure(before):
            return structure
        static = (self.static or frozenset()) | (before.static or frozenset())
        found = [change for name in self.leaves if (change := self._change(before, name, static))]
        if self.form != before.form:
            found.append(Change("keyword", "the call", _form(self), _form(before)))
        return (
            found
            or list(self._settings(before))
            or (self._values(before, self.leaves) if self.static is None else [])
        )

    def moves(self, before: "Signature") -> list[Change]:
        """Return the leaves that lie on other devices than in an earlier call, or in other parts.

        >>> one, two = (Signature({}, (1, ()), placements={"x": f"cpu:{i}"}) for i in (0, 1))
        >>> str(two.moves(one)[0])
        'sharding: x is cpu:1, was cpu:0'
        """
        pairs = ((name, now, before.placements.get(name)) for name, now in self.placements.items())
        return [
            Change("sharding", name, now, old) for name, now, old in pairs if old not in (None, now)
        ]

    def _structure(self, before: "Signature") -> list[Change]:
        if self.leaves.keys() != before.leaves.keys():
            known = self.leaves.keys() | before.leaves.keys()
            if len(known) > 2 * FEW:
                found = find_tree_differences(before.tree, self.tree)
                return _shortened([_structural(each) for each in found])
            return [Change("structure", "the tree", _tree(self), _tree(before))]
        found = find_tree_differences(before.tree, self.tree)
        kinds = "container", "static"
        return _shortened([_structural(each) for each in found if each.kind in kinds])

    def _change(self, before: "Signature", name: str, static: frozenset[str]) -> Change | None:
        if name in static:
            return next(iter(self._values(before, [name])), None)
        now, old = describe(self.leaves[name]), describe(before.leaves[name])
        return None if now == old else Change(type_reason(now, old), name, now, old)

    def _settings(self, before: "Signature") -> Iterator[Change]:
        for name, old in before.settings.items():
            now = self.settings.get(name, old)
            if now != old:
                yield Change("configuration", name, one_line(now), one_line(old))

    def _values(self, before: "Signature", names: Iterable[str]) -> list[Change]:
        pairs = [(name, self.leaves[name], before.leaves[name]) for name in names]
        return [
            Change("static value", name, *_told_apart(now, old))
            for name, now, old in pairs
            if is_plain(now) and (type(now) is not type(old) or _differ(now, old))
        ]


def is_plain(leaf: object) -> bool:
    """Return whether a leaf is no array, and so may be static.

    >>> is_plain(2), is_plain(jax.numpy.ones(2))
    (True, False)
    """
    return not hasattr(leaf, "dtype")


def _differ(now: object, old: object) -> bool:
    # An object may compare as it likes, and `==` of what holds arrays has no truth value.
    try:
        return bool(now != old)
    except Exception:
        return now is not old


def _told_apart(now: object, old: object) -> tuple[str, str]:
    text, before = (shortened(_plainly(each), WIDTH) for each in (now, old))
    return f"another {type(now).__name__}" if text == before else text, before


def _plainly(value: object) -> str:
    try:
        return one_line(value) if callable(value) else without_addresses(repr(value))
    except Exception:  # a `repr` of somebody's own
        return f"a {type(value).__name__}"


def _structural(difference: TreeDifference) -> Change:
    reason = "static value" if difference.kind == "static" else "structure"
    texts = [shortened(text, WIDTH) or "nothing" for text in (difference.got, difference.wanted)]
    return Change(reason, _bare(difference.path), texts[0], texts[1])


def _bare(path: str) -> str:
    """Return `x[0]` for `['x'][0]`, a path into arguments by name."""
    return re.sub(r"^\['(\w+)'\]", r"\1", path)


def _shortened(changes: list[Change]) -> list[Change]:
    if len(changes) <= FEW:
        return changes
    rest = f"{len(changes) - FEW} more parts"
    return [*changes[:FEW], Change("structure", rest, "another", "one")]


def _form(signature: Signature) -> str:
    count, names = signature.form
    return f"({', '.join(['_'] * count + [f'{name}=_' for name in names])})"


def _tree(signature: Signature) -> str:
    return "{" + ", ".join(signature.leaves) + "}"


def signature_of(f: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Signature:
    """Return the signature of the call `f(*args, **kwargs)` of a jitted function `f`.

    >>> f = jax.jit(lambda x, n: x * n, static_argnames="n")
    >>> signature_of(f, (1.0, 2), {}).changes(signature_of(f, (1.0, 3), {}))
    [Change(reason='static value', name='n', now='2', before='3')]
    """
    # JAX answers from the trace that the call has made, so that this counts, and makes, no other.
    return with_static(arguments_of(f, args, kwargs), kept_trace(f, args, dict(kwargs)))


def arguments_of(f: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Signature:
    """Return the signature of a call, of which it is not known yet what is static."""
    bound = _bound(f, args, kwargs)
    paths, _ = jax.tree_util.tree_flatten_with_path(bound)
    leaves = {_name(path): leaf for path, leaf in paths}
    placements = {name: where for name, leaf in leaves.items() if (where := _placement(leaf))}
    mesh = {"the mesh": dict(jax.sharding.get_abstract_mesh().shape) or None}
    form = len(args), tuple(sorted(kwargs))
    return Signature(leaves, form, None, placements, settings_now() | mesh, _types_in(bound))


def with_static(signature: Signature, kept: Any) -> Signature:
    """Return a signature that knows which leaves are static, from what JAX keeps of the call."""
    traced = jax.tree.leaves(getattr(kept, "args_info", ()))
    static = _static(signature.leaves, traced)
    return Signature(**{**vars(signature), "static": static})


def _types_in(bound: PyTree) -> PyTree:
    # Types in place of leaves: a signature is kept, and holds no arrays of its own.
    try:
        return jax.tree.map(_type_of, bound)
    except Exception:  # a class that cannot be made of other leaves than its own
        return None


def _type_of(leaf: Any) -> Any:
    if hasattr(leaf, "dtype"):
        # JAX would warn of a dtype that it does not keep: NumPy's float64 is float32 for `jit`.
        dtype = jax.dtypes.canonicalize_dtype(leaf.dtype, allow_extended_dtype=True)
        return jax.ShapeDtypeStruct(leaf.shape, dtype)  # type: ignore[no-untyped-call]  # JAX gives it no types
    return leaf if isinstance(leaf, (int, float, complex, str)) else ...


def _placement(leaf: Any) -> str:
    if not isinstance(leaf, jax.Array) or isinstance(leaf, jax.core.Tracer) or leaf.is_deleted():
        return ""
    devices: list[Any] = list(leaf.sharding.device_set)
    if len(devices) == 1:
        where = f"{devices[0].platform}:{devices[0].id}"
        return where if leaf.committed else f"{where}, uncommitted"
    spec = getattr(leaf.sharding, "spec", type(leaf.sharding).__name__)
    return f"{spec} over {len(devices)} devices".replace("PartitionSpec", "P")


def _static(leaves: Mapping[str, Any], traced: list[Any]) -> frozenset[str] | None:
    """Find the leaves that are not among the traced ones, None if that can be done in two ways."""
    # JAX tells how many leaves it traced and of which types, but not which they are.
    wanted = Counter((info.shape, info.dtype) for info in traced)
    plain = [name for name, leaf in leaves.items() if is_plain(leaf)]
    if len(plain) > 12 or len(leaves) < len(traced):  # so many subsets take longer than tracing
        return None
    subsets = combinations(plain, len(leaves) - len(traced))
    fitting = [each for each in subsets if _types(leaves, each) == wanted]
    return frozenset(fitting[0]) if len(fitting) == 1 else None


def _types(leaves: Mapping[str, Any], static: Iterable[str]) -> Counter[Any]:
    left = [leaf for name, leaf in leaves.items() if name not in static]
    try:
        avals = [jax.typeof(leaf) for leaf in left]
    except Exception:  # only a static leaf can be no array, or fail when asked
        return Counter()
    return Counter((aval.shape, aval.dtype) for aval in avals)


def _bound(
    f: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    try:
        return dict(inspect.signature(f).bind(*args, **kwargs).arguments)
    except (TypeError, ValueError):  # what is built in need not have a signature
        return {f"args[{i}]": arg for i, arg in enumerate(args)} | dict(kwargs)


def _name(path: Any) -> str:
    return jax.tree_util.keystr(path[:1], simple=True) + jax.tree_util.keystr(path[1:])
