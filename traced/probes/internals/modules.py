"""What the probe of modules reads that is not public Flax API, with its reason.

- Attributes named `_pytree__…`, and `_length` of an `nnx.List`, are Flax's own bookkeeping: public
  functions such as `nnx.iter_graph` list them beside those of the reader.
- `_pytree__nodes` says which attributes are data: `nnx.is_data` answers for a value, and cannot
  tell `nnx.data(3)` from a static 3. Classes that are no pytrees have no such record.
"""

from collections.abc import Iterator
from typing import Any

import jax
from flax import nnx

#: What has an identity: two paths may lead to the same one.
OBJECTS = (nnx.Variable, nnx.Pytree, jax.Ref)


def attributes(module: nnx.Pytree) -> Iterator[tuple[str, Any, bool]]:
    """Yield key, value and whether it is data, of each attribute that the reader has set."""
    recorded = module._pytree__nodes
    for name, value in vars(module).items():
        if not name.startswith("_pytree__") and not _counts(module, name):
            yield _key(module, name), value, recorded.get(name, False) or _holds_data(value)


def _counts(module: nnx.Pytree, name: str) -> bool:
    return isinstance(module, nnx.List) and name == "_length"


def _key(module: nnx.Pytree, name: str) -> str:
    return f"[{name}]" if isinstance(module, nnx.List) and name.isdigit() else f".{name}"


def _holds_data(value: Any) -> bool:
    leaves = jax.tree.leaves(value, is_leaf=lambda leaf: isinstance(leaf, OBJECTS))
    return any(nnx.is_data(leaf) for leaf in leaves)
