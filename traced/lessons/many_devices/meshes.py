"""The meshes that the checks of this lesson use, of eight devices of a CPU."""

from typing import Any

import jax
import numpy as np
from jax.sharding import AxisType

from traced.devices.questions import require_devices

#: These have no types in JAX, which mypy would say at each call.
P: Any = jax.P
ShapeDtypeStruct: Any = jax.ShapeDtypeStruct
with_sharding_constraint: Any = jax.lax.with_sharding_constraint


def make_mesh(**sizes: int) -> Any:
    """Return a mesh with automatic axes of these names and sizes, of the first devices there are.

    Raises `Found` where there are not eight.

    >>> make_mesh(data=10_000)
    Traceback (most recent call last):
    traced.findings.feedback.Found: devices/too-few
    """
    count = int(np.prod([*sizes.values()]))
    require_devices(max(8, count))
    types = (AxisType.Auto,) * len(sizes)
    devices = jax.devices()[:count]
    return jax.make_mesh((*sizes.values(),), (*sizes,), axis_types=types, devices=devices)


def tell_mesh(mesh: Any) -> str:
    """Say which axes a mesh has.

    >>> tell_mesh(jax.make_mesh((1,), ("data",)))
    'mesh data=1'
    """
    return "mesh " + ", ".join(f"{name}={size}" for name, size in mesh.shape.items())
