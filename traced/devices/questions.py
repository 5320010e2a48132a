"""Ask how the results of an answer are split, and what its devices send each other."""

from collections.abc import Callable, Sequence
from typing import Any

import jax

from traced.devices.collectives import Collective, find_collectives
from traced.devices.shards import find_pieces
from traced.findings.feedback import require
from traced.python.values import PyTree, describe
from traced.pytrees.differences import name_leaves
from traced.running.attempt import attempt


def require_devices(count: int) -> None:
    """Raise `Found` where this process has fewer devices than an exercise needs.

    >>> require_devices(10_000)
    Traceback (most recent call last):
    traced.findings.feedback.Found: devices/too-few
    """
    there = len(jax.devices())
    require(there >= count, "devices/too-few", wanted=f"{count} devices", got=there)


def compare_shardings(wanted: PyTree, got: PyTree, **given: object) -> None:
    """Raise `Found` at the first array of `got` that is split in another way than `wanted` says.

    `wanted` has a sharding in the place of each array. Two shardings are the same if they put the
    same pieces on the same devices, whatever they are called.

    >>> one = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    >>> compare_shardings([one], [jax.numpy.ones(3)])
    """
    leaves = name_leaves(got)
    struct: Any = jax.ShapeDtypeStruct  # it has no types
    for sharding, (path, leaf) in zip(jax.tree.leaves(wanted), leaves.items(), strict=True):
        at: dict[str, object] = {"at": path} if path else {}
        # What is NumPy's lies on no device.
        is_jax = isinstance(leaf, jax.Array | struct)
        require(is_jax, "arrays/not-moved", **given, **at, got=type(leaf).__name__)
        asked = struct(leaf.shape, leaf.dtype, sharding=sharding)
        said = {"wanted": tell_pieces(asked), "got": tell_pieces(leaf)}
        same = find_pieces(asked) == find_pieces(leaf)
        require(same, "devices/split", **given, **at, **said)


def tell_pieces(array: Any) -> str:
    """Say in a line how an array is split.

    >>> tell_pieces(jax.numpy.ones((2, 3)))
    'f32[2,3] in 1 piece, on device 0'
    """
    pieces = find_pieces(array)
    kind = describe(array).lstrip("~").partition("[")[0]
    shape = ",".join(map(str, array.shape))
    devices = sorted({device for each in pieces for device in each.devices})
    part = ",".join(map(str, pieces[0].shape))
    count = "1 piece" if len(pieces) == 1 else f"{len(pieces)} pieces of [{part}]"
    if len(devices) == 1:
        return f"{kind}[{shape}] in {count}, on device {devices[0]}"
    named = ", ".join(map(str, pieces[0].devices))
    return f"{kind}[{shape}] in {count}, on {len(devices)} devices, the first on {named}"


def communicates(
    allowed: Callable[[Sequence[Collective]], bool], wanted: str, *args: Any
) -> Callable[[Any], None]:
    """Ask whether the collectives of an answer, compiled for these arguments, are as `allowed`.

    >>> communicates(lambda found: not found, "no collective", jax.numpy.ones(3))(jax.numpy.sum)
    """

    def question(answer: Any) -> None:
        found = attempt(find_collectives, answer, *args)
        got = "; ".join(map(str, found)) or "none"
        require(allowed(found), "devices/communication", wanted=wanted, got=got)

    return question
