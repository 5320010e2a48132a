"""Run what one device does on meshes of eight devices, as the checks of this lesson do."""

from collections.abc import Callable
from typing import Any

import jax

from traced.lessons.many_devices.meshes import P, make_mesh, tell_mesh
from traced.pytrees.differences import on_host

SPLIT, WHOLE = P("data"), P()


def on_devices(
    f: Callable[..., Any], mesh: Any, in_specs: Any = SPLIT, out_specs: Any = SPLIT
) -> Callable[..., Any]:
    """Return `jit` of `f` in a `shard_map`, of a function that takes what one device has."""
    return jax.jit(jax.shard_map(f, mesh=mesh, in_specs=in_specs, out_specs=out_specs))


def place(x: Any, mesh: Any, spec: Any = SPLIT) -> Any:
    """Put a tree of arrays on a mesh, each cut by the same spec."""
    # To cut an array of NumPy, nothing is compiled.
    return jax.device_put(jax.tree.map(on_host, x), jax.NamedSharding(mesh, spec))


__all__ = ["SPLIT", "WHOLE", "P", "make_mesh", "on_devices", "place", "tell_mesh"]
