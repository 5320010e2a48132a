"""Values in a few words: the same words in every run, on every machine."""

import re
import reprlib
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

#: A pytree, of any containers and leaves: more than that no type says of it.
PyTree = Any


def brief(value: object) -> str:
    """Return a short text of `value`, without addresses, with the first levels of its containers.

    >>> brief([1, {"w": np.ones(3)}, jax.numpy.float32(0.5)])
    "[1, {'w': [1., 1., 1.]}, 0.5]"
    """
    return _BRIEF.repr(value)


def brief_both(before: object, now: object) -> tuple[str, str]:
    """Return short texts of what was there and of what has taken its place, which are not alike.

    Where `brief` makes the same of both, it is told how they differ.

    >>> brief_both([1, 2], [1, 3])
    ('[1, 2]', '[1, 3]')
    >>> brief_both([0] * 8, [0] * 9)
    ('8 entries: [0, 0, 0, 0, 0, 0, ...]', '9 entries: [0, 0, 0, 0, 0, 0, ...]')
    >>> brief_both([0] * 8, [0] * 7 + [1])
    ('[7]: 0', '[7]: 1')
    """
    old, new = brief(before), brief(now)
    if old[:SHOWN] != new[:SHOWN]:
        return old, new
    sizes = [len(each) if isinstance(each, SIZED) else 0 for each in (before, now)]
    if sizes[0] != sizes[1]:
        return f"{sizes[0]} entries: {old}", f"{sizes[1]} entries: {new}"
    return next(_apart("", before, now), (old, f"another one: {new}"))


#: Of longer texts a finding shows the beginning.
SHOWN = 80
#: Containers whose first entries alone are in a short text.
SIZED = (list, tuple, dict, set, frozenset, str)


def _apart(path: str, before: Any, now: Any) -> Iterator[tuple[str, str]]:
    """Yield texts of the entries, nested ones included, whose texts differ, with their paths."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in [key for key in before if key in now]:
            yield from _apart(f"{path}[{brief(key)}]", before[key], now[key])
    elif isinstance(before, list | tuple) and isinstance(now, list | tuple):
        for i, (old, new) in enumerate(zip(before, now, strict=False)):
            yield from _apart(f"{path}[{i}]", old, new)
    else:
        named, texts = f"{path}: " if path else "", (brief(before), brief(now))
        if texts[0][:SHOWN] != texts[1][:SHOWN]:
            yield named + texts[0], named + texts[1]
        elif (old_array := _readable(before)) is not None and (
            new_array := _readable(now)
        ) is not None:
            for old, new in _entries_apart(old_array, new_array):
                yield named + f"{old} of {texts[0]}", named + f"{new} of {texts[1]}"


def _readable(x: Any) -> Any:
    """Return the numbers of an array, those of keys too, or None if there are none to be read."""
    if not isinstance(x, jax.Array | np.ndarray) or isinstance(x, jax.core.Tracer):
        return None
    is_key = jax.numpy.issubdtype(x.dtype, jax.dtypes.prng_key)
    return np.asarray(jax.random.key_data(x) if is_key else x) if _is_readable(x) else None


def _entries_apart(before: Any, now: Any) -> Iterator[tuple[str, str]]:
    if before.shape == now.shape:
        for place in np.argwhere(~((before == now) | ((before != before) & (now != now))))[:1]:
            at = f" at [{', '.join(map(str, place))}]"
            yield f"{before[tuple(place)]}{at}", f"{now[tuple(place)]}{at}"
    else:
        yield describe(before), describe(now)


class _Brief(reprlib.Repr):
    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxother, self.maxstring = 3, 60, 60

    def repr_instance(self, x: Any, level: int) -> str:
        if isinstance(x, jax.core.Tracer):
            return f"tracer {describe(x)}"
        if isinstance(x, jax.Array | np.ndarray | np.generic):
            return _array(x)
        return shortened(_object(x), self.maxother)


_BRIEF = _Brief()


def _array(x: jax.Array | NDArray[Any] | np.generic) -> str:
    if jax.numpy.issubdtype(x.dtype, jax.dtypes.extended) or not _is_readable(x):
        return describe(x)
    if np.ndim(x) == 0:
        return str(np.asarray(x)[()])
    text = np.array2string(np.asarray(x), precision=4, threshold=8, separator=", ")
    return re.sub(r"\s+", " ", text)


def _is_readable(x: object) -> bool:
    # Of an array on other machines, or one that was donated, there is nothing to be read.
    return not isinstance(x, jax.Array) or (x.is_fully_addressable and not x.is_deleted())


def _object(x: object) -> str:
    text = _repr(x)
    # An address tells nothing, and a drawing of many lines too much.
    named = text == object.__repr__(x) or "\n" in text
    return f"a {type(x).__name__}" if named else without_addresses(text)


def one_line(value: object) -> str:
    """Return the whole `repr` of a value on one line; a function or a class is told by its name.

    >>> one_line(jax.nn.relu), one_line(object()), one_line({"b", "a"})
    ('relu', '<object object>', "{'a', 'b'}")
    """
    # Graph mode of NNX leaves one behind where a transform gives a module a new plain array.
    if isinstance(value, jax.core.Tracer):
        return f"tracer {describe(value)}"
    if isinstance(value, set | frozenset) and value:
        # The order of a set of texts is another in each process.
        return "{" + ", ".join(sorted(map(one_line, value))) + "}"
    name = getattr(value, "__qualname__", None)
    return " ".join((name if isinstance(name, str) else without_addresses(_repr(value))).split())


def _repr(value: object) -> str:
    try:
        return repr(value)
    except Exception:  # one of somebody's own
        return object.__repr__(value)


def without_addresses(text: str) -> str:
    """Return a text without the addresses in memory that Python writes, other ones in each run.

    >>> without_addresses("<function f at 0x7f3b>")
    '<function f>'
    """
    return re.sub(r" at 0x[0-9a-f]+", "", text)


def shortened(text: str, width: int) -> str:
    """Return a text of at most `width` characters.

    >>> shortened("a long text", 7)
    'a long…'
    """
    return text if len(text) <= width else f"{text[: width - 1]}…"


def describe(leaf: object) -> str:
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


def describe_tree(tree: PyTree) -> str:
    """Return the types of all leaves of a pytree, in its own containers.

    >>> describe_tree({"w": jax.numpy.ones((2, 3)), "b": 0.0})
    "{'b': ~f32[], 'w': f32[2,3]}"
    """
    try:
        return repr(jax.tree.map(lambda leaf: Bare(describe(leaf)), tree))
    except (TypeError, ValueError):  # a dictionary whose keys cannot be sorted
        return type(tree).__name__


class Bare(str):
    """A text whose `repr` has no quotes.

    >>> (Bare("f32[]"), 1)
    (f32[], 1)
    """

    __repr__ = str.__str__


def type_reason(now: str, before: str) -> str:
    """Return which part of a described type changed: `shape`, `dtype`, `weak type` or `sharding`.

    >>> type_reason("f32[4]", "f32[3]"), type_reason("f32[]", "~f32[]")
    ('shape', 'weak type')
    >>> type_reason("f32[4@i]", "f32[4]")
    'sharding'
    """
    if now != before and _unsharded(now) == _unsharded(before):
        return "sharding"
    if now.partition("[")[2] != before.partition("[")[2]:
        return "shape"
    return "weak type" if now.lstrip("~") == before.lstrip("~") else "dtype"


def _unsharded(described: str) -> str:
    return re.sub(r"@[^],]+|\{.*\}", "", re.sub(r"@\([^)]*\)", "", described))


def bits(array: Any) -> tuple[object, ...]:
    """Return what two arrays have in common if they are the same, NaN and keys included.

    >>> bits(np.float32("nan")) == bits(jax.numpy.float32("nan")) != bits(np.float32(1))
    True
    """
    if jax.numpy.issubdtype(array.dtype, jax.dtypes.prng_key):
        # While a function is traced, any operation on an array would be traced with it.
        with jax.ensure_compile_time_eval():
            array = jax.random.key_data(array)
    if not _is_readable(array):
        return (id(array),)
    return np.shape(array), str(array.dtype), np.asarray(array).tobytes()
