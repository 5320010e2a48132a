"""Values in a few words: the same words in every run, on every machine."""

import re
import reprlib
from typing import Any

import jax
import numpy as np

from traced.probes.signatures import describe


class _Brief(reprlib.Repr):
    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxother, self.maxstring = 3, 60, 60

    def repr_instance(self, x: Any, level: int) -> str:
        if isinstance(x, jax.core.Tracer):
            return f"tracer {describe(x)}"
        if isinstance(x, jax.Array | np.ndarray | np.generic):
            return _array(x)
        return _cut(_object(x), self.maxother)


def _array(x: Any) -> str:
    if jax.numpy.issubdtype(x.dtype, jax.dtypes.extended) or not _readable(x):
        return describe(x)
    if np.ndim(x) == 0:
        return str(np.asarray(x)[()])
    text = np.array2string(np.asarray(x), precision=4, threshold=8, separator=", ")
    return re.sub(r"\s+", " ", text)


def _readable(x: Any) -> bool:
    return not isinstance(x, jax.Array) or (x.is_fully_addressable and not x.is_deleted())


def _object(x: Any) -> str:
    try:
        text = repr(x)
    except Exception:
        text = object.__repr__(x)
    # An address tells nothing, and a drawing of many lines too much.
    named = text == object.__repr__(x) or "\n" in text
    return f"a {type(x).__name__}" if named else re.sub(r" at 0x[0-9a-f]+", "", text)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


_BRIEF = _Brief()


def brief(value: Any) -> str:
    """Return a short text of `value`, without addresses, with the first levels of its containers.

    >>> brief([1, {"w": np.ones(3)}, jax.numpy.float32(0.5)])
    "[1, {'w': [1., 1., 1.]}, 0.5]"
    """
    return _BRIEF.repr(value)


def bits(array: Any) -> tuple[Any, ...]:
    """Return what two arrays have in common if they are the same, NaN and keys included.

    >>> bits(np.float32("nan")) == bits(jax.numpy.float32("nan")) != bits(np.float32(1))
    True
    """
    if jax.numpy.issubdtype(array.dtype, jax.dtypes.prng_key):
        # While a function is traced, any operation on an array would be traced with it.
        with jax.ensure_compile_time_eval():
            array = jax.random.key_data(array)
    if not _readable(array):
        return (id(array),)
    return np.shape(array), str(array.dtype), np.asarray(array).tobytes()
