"""An array that is not there yet."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

#: Who asks so many times whether an array is ready does nothing else in between.
ASKED = 20


class Pending:
    """Stands for an array that is not there yet, and tells whenever somebody waits for it.

    It has all that the array has. What is computed from it is not there yet either: that takes no
    wait, and whoever reads it waits for what it was computed from.

    >>> waits = []
    >>> loss = Pending(0.5, lambda: waits.append("now"))
    >>> doubled = 2 * loss.astype(float)
    >>> len(waits), float(doubled), len(waits)
    (0, 1.0, 1)
    """

    def __init__(self, value: Any, wait: Callable[[], None], copy: float = 0.0) -> None:
        array = value if isinstance(value, jax.Array) else jnp.asarray(value, jnp.float32)
        self._array, self._wait, self._copy, self._asked = array, wait, copy, 0

    def __getattr__(self, name: str) -> Any:
        return self._like(getattr(self._array, name))

    def __jax_array__(self) -> jax.Array:  # `jnp` works on an array without waiting for it
        return self._array

    def is_ready(self) -> bool:
        """Say no, as an array does while it is computed; whoever goes on asking waits for it."""
        self._asked += 1
        if self._asked < ASKED:
            return False
        self._wait()
        return True

    def block_until_ready(self) -> "Pending":
        """Wait, as the method of an array does."""
        self._wait()
        return self

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        self._wait()
        time.sleep(self._copy)
        return np.asarray(self._array, dtype)

    def _like(self, result: Any) -> Any:
        """Return a result of the array as one that is as little there, if it is an array."""
        if isinstance(result, jax.Array):
            return type(self)(result, self._wait, self._copy)
        if not callable(result):
            return result
        return lambda *args, **kwargs: self._like(result(*map(_array_of, args), **kwargs))


def landed(tree: Any) -> Any:
    """Return a tree with each array that is not there yet as the array that it stands for.

    >>> landed([Pending(0.5, lambda: None), 1])
    [Array(0.5, dtype=float32), 1]
    """
    return jax.tree.map(_array_of, tree, is_leaf=lambda each: isinstance(each, Pending))


def _array_of(value: Any) -> Any:
    return value._array if isinstance(value, Pending) else value


def _computes(name: str) -> Callable[..., Any]:
    """Return a method that Python looks up in the class, and that waits for nothing."""

    def method(self: Pending, *args: Any) -> Any:
        return self._like(getattr(self._array, name)(*map(_array_of, args)))

    return method


def _reads(name: str) -> Callable[..., Any]:
    """Return a method that waits, and then does what that of the array does."""

    def method(self: Pending, *args: Any) -> Any:
        self._wait()
        time.sleep(self._copy)
        return getattr(self._array, name)(*args)

    return method


READING = "__float__ __int__ __bool__ __complex__ __index__ __repr__ __str__ __format__ item tolist"
COMPUTING = (
    "neg pos abs invert add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod "
    "divmod rdivmod pow rpow matmul rmatmul eq ne lt le gt ge and rand or ror xor rxor round "
    "getitem len iter"
)
for _name in (*READING.split(), "tobytes"):
    setattr(Pending, _name, _reads(_name))
for _name in COMPUTING.split():
    setattr(Pending, f"__{_name}__", _computes(f"__{_name}__"))


class Lent(Pending):
    """A pending array that programs under `jit` take too, as the array that it stands for.

    What they make of it are JAX's own arrays, and to these nothing can be added: `watch_reads` sees
    who reads them.
    """

    #: The wait of each array that was handed to JAX, while somebody watches.
    handed: list[Callable[[], None]] | None = None

    def __jax_array__(self) -> jax.Array:
        return self._hand()

    def _hand(self) -> jax.Array:
        if Lent.handed is not None:
            Lent.handed.append(self._wait)
        return self._array

    @classmethod
    def _made_of(cls, wait: tuple[Callable[[], None], float], arrays: list[Any]) -> Any:
        # What `jax.tree.map` makes of an array, such as a number, stands for itself.
        return cls(arrays[0], *wait) if isinstance(arrays[0], jax.Array) else arrays[0]


jax.tree_util.register_pytree_node(
    Lent, lambda each: ([each._hand()], (each._wait, each._copy)), Lent._made_of
)

#: What reads one of JAX's own arrays, and what is given a tree and waits for all that is in it.
READS = {
    getattr(type(jnp.zeros(())), name).__code__
    for name in ("__float__", "__int__", "__bool__", "__format__", "__str__", "__array__", "tolist")
}
WAITS = (jax.block_until_ready.__code__, jax.device_get.__code__)


@contextlib.contextmanager
def watch_reads() -> Iterator[None]:
    """Have a read of what JAX made of a `Lent` array, in the `with` block, count as a wait for it.

    >>> waits = []
    >>> loss = Lent(0.5, lambda: waits.append("now"))
    >>> with watch_reads():
    ...     bad = jnp.isnan(loss)
    ...     len(waits), bool(bad), len(waits)
    (0, False, 1)
    """
    Lent.handed, before = [], sys.getprofile()

    def see(frame: FrameType, event: str, _: object) -> None:
        if event != "call":
            return
        if frame.f_code in WAITS:
            leaves = jax.tree.leaves(frame.f_locals["x"], is_leaf=lambda x: isinstance(x, Lent))
            for each in leaves:
                if isinstance(each, Lent):
                    each._wait()
        elif frame.f_code in READS and Lent.handed:
            Lent.handed[-1]()

    sys.setprofile(see)
    try:
        yield
    finally:
        sys.setprofile(before)
        Lent.handed = None
