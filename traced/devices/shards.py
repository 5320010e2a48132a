"""Tell which piece of an array lies on which devices."""

from dataclasses import dataclass
from typing import Any

import jax

from traced.python.values import describe


@dataclass(frozen=True)
class Piece:
    """A piece of an array: where it begins and ends along each axis, and the devices that hold it.

    A device is told by its number.
    """

    ends: tuple[tuple[int, int], ...]
    devices: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the piece."""
        return tuple(stop - start for start, stop in self.ends)

    @property
    def text(self) -> str:
        """The piece as it is written in Python, behind the array."""
        return f"[{', '.join(f'{start}:{stop}' for start, stop in self.ends) or '...'}]"


def find_pieces(array: Any) -> list[Piece]:
    """Return the pieces that an array is cut into by its sharding, in the order of their places.

    An array of which several devices have the same piece is cut into fewer pieces than there are
    devices. Instead of an array, a `jax.ShapeDtypeStruct` with a sharding will do.

    >>> find_pieces(jax.numpy.ones((2, 3)))
    [Piece(ends=((0, 2), (0, 3)), devices=(0,))]
    """
    sharding = None if isinstance(array, jax.core.Tracer) else getattr(array, "sharding", None)
    if not isinstance(sharding, jax.sharding.Sharding):
        raise TypeError(f"`array` must be a jax.Array with a sharding, got {describe(array)}")
    held: dict[tuple[tuple[int, int], ...], list[int]] = {}
    places: dict[Any, Any] = dict(sharding.devices_indices_map(tuple(array.shape)))
    for device, index in places.items():
        slices = zip(index, array.shape, strict=False)
        ends = tuple(each.indices(size)[:2] for each, size in slices)
        held.setdefault(ends, []).append(device.id)
    return [Piece(ends, tuple(sorted(held[ends]))) for ends in sorted(held)]
