"""Compare two calls as `jit` does: by the type and place of each leaf, and by static values."""

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import jax


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
    numbers may have the same type.
    """

    leaves: Mapping[str, Any]
    form: tuple[int, tuple[str, ...]]
    static: frozenset[str] | None = frozenset()

    def changes(self, before: "Signature") -> list[Change]:
        """Return what differs from an earlier call, nothing where `jit` would see no difference.

        Where it is not known which leaves are static, a change of type counts as such, and a change
        of value only if nothing else changed.
        """
        if self.leaves.keys() != before.leaves.keys():
            return [Change("structure", "the tree", _tree(self), _tree(before))]
        static = (self.static or frozenset()) | (before.static or frozenset())
        found = [change for name in self.leaves if (change := self._change(before, name, static))]
        if self.form != before.form:
            found.append(Change("keyword", "the call", _form(self), _form(before)))
        return found or (self._values(before, self.leaves) if self.static is None else [])

    def _change(self, before: "Signature", name: str, static: frozenset[str]) -> Change | None:
        if name in static:
            return next(iter(self._values(before, [name])), None)
        now, old = describe(self.leaves[name]), describe(before.leaves[name])
        return None if now == old else Change(type_reason(now, old), name, now, old)

    def _values(self, before: "Signature", names: Iterable[str]) -> list[Change]:
        pairs = [(name, self.leaves[name], before.leaves[name]) for name in names]
        return [
            Change("static value", name, repr(now), repr(old))
            for name, now, old in pairs
            if is_plain(now) and (type(now) is not type(old) or now != old)
        ]


def is_plain(leaf: Any) -> bool:
    """Return whether a leaf is no array, and so may be static.

    >>> is_plain(2), is_plain(jax.numpy.ones(2))
    (True, False)
    """
    return not hasattr(leaf, "dtype")


def _form(signature: Signature) -> str:
    count, names = signature.form
    return f"({', '.join(['_'] * count + [f'{name}=_' for name in names])})"


def _tree(signature: Signature) -> str:
    return "{" + ", ".join(signature.leaves) + "}"


def describe(leaf: Any) -> str:
    """Return the type that `jit` sees: `f32[3]`, `~f32[]` for a Python float, or a class name.

    >>> import numpy as np
    >>> describe(np.ones(3, "float32")), describe(2), describe("a")
    ('f32[3]', '~i32[]', 'str')
    """
    try:
        aval = jax.typeof(leaf)
    except Exception:  # no array, an integer that fits no dtype, an object that fails when asked
        return type(leaf).__name__
    return f"{'~' if aval.weak_type else ''}{aval.str_short(short_dtypes=True)}"


def describe_tree(value: Any) -> str:
    """Return the types of all leaves of a pytree, in its own containers.

    >>> describe_tree({"w": jax.numpy.ones((2, 3)), "b": 0.0})
    "{'b': ~f32[], 'w': f32[2,3]}"
    """
    try:
        return repr(jax.tree.map(lambda leaf: Bare(describe(leaf)), value))
    except (TypeError, ValueError):  # a dictionary whose keys cannot be sorted
        return type(value).__name__


class Bare(str):
    """A text whose `repr` has no quotes.

    >>> (Bare("f32[]"), 1)
    (f32[], 1)
    """

    __repr__ = str.__str__


def type_reason(now: str, before: str) -> str:
    """Return which part of a described type changed: `shape`, `dtype` or `weak type`.

    >>> type_reason("f32[4]", "f32[3]"), type_reason("f32[]", "~f32[]")
    ('shape', 'weak type')
    """
    if now.partition("[")[2] != before.partition("[")[2]:
        return "shape"
    return "weak type" if now.lstrip("~") == before.lstrip("~") else "dtype"


def signature_of(f: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Signature:
    """Return the signature of the call `f(*args, **kwargs)` of a jitted function `f`.

    >>> f = jax.jit(lambda x, n: x * n, static_argnames="n")
    >>> signature_of(f, (1.0, 2), {}).changes(signature_of(f, (1.0, 3), {}))
    [Change(reason='static value', name='n', now='2', before='3')]
    """
    leaves = _leaves(f, args, kwargs)
    # JAX answers from the trace that the call has made, so that this counts, and makes, no other.
    traced = jax.tree.leaves(f.trace(*args, **kwargs).args_info)
    return Signature(leaves, (len(args), tuple(sorted(kwargs))), _static(leaves, traced))


def _static(leaves: Mapping[str, Any], traced: list[Any]) -> frozenset[str] | None:
    """Find the leaves that are not among the traced ones, None if that can be done in two ways."""
    wanted = Counter((info.shape, info.dtype) for info in traced)
    plain = [name for name, leaf in leaves.items() if is_plain(leaf)]
    if len(plain) > 12:  # so many subsets take longer than tracing
        return None
    subsets = combinations(plain, len(leaves) - len(traced))
    fitting = [each for each in subsets if _types(leaves, each) == wanted]
    return frozenset(fitting[0]) if len(fitting) == 1 else None


def _types(leaves: Mapping[str, Any], static: Iterable[str]) -> Counter[Any]:
    left = [leaf for name, leaf in leaves.items() if name not in static]
    try:
        avals = [jax.typeof(leaf) for leaf in left]
    except (TypeError, OverflowError):  # only a static leaf can be no array
        return Counter()
    return Counter((aval.shape, aval.dtype) for aval in avals)


def _leaves(
    f: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    bound = inspect.signature(f).bind(*args, **kwargs).arguments
    paths, _ = jax.tree_util.tree_flatten_with_path(dict(bound))
    return {_name(path): leaf for path, leaf in paths}


def _name(path: Any) -> str:
    return jax.tree_util.keystr(path[:1], simple=True) + jax.tree_util.keystr(path[1:])
