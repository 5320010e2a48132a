"""Which devices the result of each one follows from, found by a run with marked numbers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.python.values import describe


@dataclass(frozen=True)
class Exchange:
    """What each device had before and after, and whose numbers its result follows from."""

    before: tuple[Any, ...]
    after: tuple[Any, ...]
    sources: tuple[tuple[int, ...], ...]


def find_exchange(f: Callable[[Any], Any], x: Any) -> Exchange:
    """Return what each device has before and after `f`, which is run by `jax.shard_map`.

    `x` is an array of floats, cut along one axis of a mesh and whole along no other; `f` takes the
    part of one device and returns one array. A device is a source of a result that is NaN once all
    of that device's numbers are, so each device costs a run. Raises `TypeError` for another `x`.

    >>> mesh = jax.make_mesh((1,), ("data",))
    >>> x = jax.device_put(jnp.ones(2), jax.NamedSharding(mesh, jax.P("data")))
    >>> find_exchange(lambda part: 2 * part, x)
    Exchange(before=(array([1., 1.], dtype=float32),), after=(array([2., 2.], dtype=float32),), \
sources=((0,),))
    """
    sharding = getattr(x, "sharding", None)
    if not isinstance(sharding, jax.NamedSharding) or not jnp.issubdtype(x.dtype, jnp.floating):
        raise TypeError(f"`x` must be floats with a NamedSharding, got {describe(x)}")
    names, sizes = sharding.mesh.axis_names, sharding.shard_shape(x.shape)
    axes = [axis for axis, size in enumerate(sizes) if size != x.shape[axis]]
    if len(names) != 1 or (len(axes) != 1 and sharding.mesh.size > 1):
        raise TypeError(f"`x` must be cut along the one axis of its mesh, got {describe(x)}")
    cut, count = (axes or [0])[0], sharding.mesh.size

    def stacked(part: Any) -> Any:
        return jnp.asarray(f(part))[None]

    spec: Any = jax.P
    run = jax.jit(
        jax.shard_map(stacked, mesh=sharding.mesh, in_specs=sharding.spec, out_specs=spec(names[0]))
    )
    whole = np.asarray(x)
    after = np.asarray(run(x))
    reached = []
    for device in range(count):
        marked = whole.copy()
        np.moveaxis(marked, cut, 0)[device * sizes[cut] : (device + 1) * sizes[cut]] = np.nan
        rows = np.asarray(run(jax.device_put(marked, sharding))).reshape(count, -1)
        reached.append(np.isnan(rows).any(axis=1) & ~np.isnan(after.reshape(count, -1)).any(axis=1))
    sources = tuple(
        tuple(int(source) for source in np.flatnonzero(np.stack(reached)[:, device]))
        for device in range(count)
    )
    return Exchange(tuple(np.split(whole, count, axis=cut)), tuple(after), sources)
