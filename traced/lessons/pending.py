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
    wait, and whoever reads it waits for all that it was computed from.

    >>> waits = []
    >>> first, second = (Pending(0.5, lambda n=n: waits.append(n)) for n in (1, 2))
    >>> total = 2 * first.astype(float) + second
    >>> len(waits), float(total), waits
    (0, 1.5, [1, 2])
    """

    #: As arrays have it, so that a number of NumPy leaves an operation to what stands on its right.
    __array_priority__ = 100
    __hash__ = None  # type: ignore[assignment]  # that of an array is none either

    def __init__(self, value: Any, *waits: Callable[[], None], copy: float = 0.0) -> None:
        array = value if isinstance(value, jax.Array) else jnp.asarray(value, jnp.float32)
        self._array, self._waits, self._copy, self._asked = array, waits, copy, 0

    def __getattr__(self, name: str) -> Any:
        return _made_from([self], getattr(self._array, name))

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

    def _wait(self) -> None:
        for wait in self._waits:
            wait()


def _made_from(operands: list[Pending], result: Any) -> Any:
    """Return a result of arrays as one that is as little there as all of them."""
    if isinstance(result, jax.Array):
        waits = dict.fromkeys(wait for each in operands for wait in each._waits)
        return type(operands[0])(result, *waits, copy=max(each._copy for each in operands))
    if type(result) in (tuple, list):
        return type(result)(_made_from(operands, each) for each in result)
    if isinstance(result, Iterator):
        return (_made_from(operands, each) for each in result)
    return _called_with(operands, result) if callable(result) else result


def _called_with(operands: list[Pending], method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of an array as one that takes pending ones, and whose results are pending."""

    def call(*args: Any, **kwargs: Any) -> Any:
        others = [each for each in (*args, *kwargs.values()) if isinstance(each, Pending)]
        values = {name: _array_of(each) for name, each in kwargs.items()}
        return _made_from([*operands, *others], method(*map(_array_of, args), **values))

    return call


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
        return _called_with([self], getattr(self._array, name))(*args)

    return method


def _reads(name: str) -> Callable[..., Any]:
    """Return a method that waits, and then does what that of the array does."""

    def method(self: Pending, *args: Any) -> Any:
        for each in (self, *args):
            if isinstance(each, Pending):
                each._wait()
        time.sleep(self._copy)
        return getattr(self._array, name)(*map(_array_of, args))

    return method


READING = (
    "__float__ __int__ __bool__ __complex__ __index__ __repr__ __str__ __format__ __contains__ "
    "__dlpack__ item tolist tobytes"
)
COMPUTING = (
    "neg pos abs invert add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod "
    "divmod rdivmod pow rpow matmul rmatmul eq ne lt le gt ge and rand or ror xor rxor lshift "
    "rlshift rshift rrshift round getitem setitem len iter copy deepcopy"
)
for _name in READING.split():
    setattr(Pending, _name, _reads(_name))
for _name in COMPUTING.split():
    setattr(Pending, f"__{_name}__", _computes(f"__{_name}__"))


class Lent(Pending):
    """A pending array that programs under `jit` take too, as the array that it stands for.

    What they make of it are JAX's own arrays, and to these nothing can be added: `watch_reads` sees
    who reads them.
    """


class _Apart:
    """What a `Lent` has besides its array, which is no reason to compile a program anew."""

    def __init__(self, lent: Lent) -> None:
        self.waits, self.copy = lent._waits, lent._copy

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Apart)

    def __hash__(self) -> int:
        return 0


def _lent_of(apart: _Apart, arrays: list[Any]) -> Any:
    # A program is traced once for all. And what `jax.tree.map` makes of an array, such as a number,
    # stands for itself.
    array = arrays[0]
    is_there = isinstance(array, jax.Array) and not isinstance(array, jax.core.Tracer)
    return Lent(array, *apart.waits, copy=apart.copy) if is_there else array


jax.tree_util.register_pytree_node(Lent, lambda each: ([each._array], _Apart(each)), _lent_of)

#: What reads one of JAX's own arrays, and what is given a tree and waits for all that is in it.
READS = {getattr(type(jnp.zeros(())), name).__code__ for name in (*READING.split(), "__array__")}
WAITS = (jax.block_until_ready.__code__, jax.device_get.__code__)


@contextlib.contextmanager
def watch_reads(saw: Callable[[jax.Array], None]) -> Iterator[None]:
    """Have `saw` called with each of JAX's own arrays that is read in the `with` block.

    And who waits for a tree there waits for each `Lent` array in it.

    >>> loss = Lent(0.5, lambda: None)
    >>> with watch_reads(lambda array: print("read:", array.dtype)):
    ...     _ = bool(jnp.isnan(loss))
    read: bool
    """
    before = sys.getprofile()

    def see(frame: FrameType, event: str, _: object) -> None:
        if event != "call":
            return
        if frame.f_code in WAITS:
            leaves = jax.tree.leaves(frame.f_locals["x"], is_leaf=lambda x: isinstance(x, Lent))
            for each in leaves:
                if isinstance(each, Lent):
                    each._wait()
                elif isinstance(each, jax.Array):
                    saw(each)
        elif frame.f_code in READS:
            saw(frame.f_locals["self"])

    sys.setprofile(see)
    try:
        yield
    finally:
        sys.setprofile(before)
