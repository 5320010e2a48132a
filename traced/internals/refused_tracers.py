"""The tracers that JAX refused, where it needs a value.

- `v` and `idx`, locals of the frame that raised: no release says on which argument a mask or a
  primitive's parameter depends, and JAX 0.10 does not say it of a slice.
"""

import contextlib
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import jax


@contextlib.contextmanager
def whole_tracebacks() -> Iterator[None]:
    """Keep JAX's own frames in the tracebacks of the `with` block."""
    config: Any = jax.config  # JAX gives `update` no types
    kept = config.jax_traceback_filtering
    config.update("jax_traceback_filtering", "off")
    try:
        yield
    finally:
        config.update("jax_traceback_filtering", kept)


def refused_tracers(error: BaseException, is_library: Callable[[str], bool]) -> list[Any]:
    """Return the tracers in the index, or in the parameter, that JAX raised `error` about."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    if not is_library(frame.f_code.co_filename):
        return []
    refused = frame.f_locals.get("v", getattr(frame.f_locals.get("idx"), "index", None))
    if isinstance(refused, slice):
        refused = [refused.start, refused.stop, refused.step]
    return [leaf for leaf in jax.tree.leaves(refused) if isinstance(leaf, jax.core.Tracer)]
