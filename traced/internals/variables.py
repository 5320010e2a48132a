"""The attributes of objects of Flax NNX: which the reader has set, and which are Flax's own.

- Attributes named `_pytree__…`, and `_length` of an `nnx.List`, are Flax's own bookkeeping: public
  functions such as `nnx.iter_graph` list them beside those of the reader.
- `_pytree__nodes` says which attributes are data: `nnx.is_data` answers for a value, and cannot
  tell `nnx.data(3)` from a static 3. Classes that are no pytrees have no such record.
- `_raw_value` holds the value of a Variable: the public setter refuses a value that was put in at
  another trace level, and a leak has to be undone from outside that level.
- `_mapping` holds what is in an `nnx.State`: a write to it is one to the state.
"""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import jax

from traced.internals.canary import canary

if TYPE_CHECKING:
    from flax import nnx


_BOOKS, _DATA, _LENGTH = "_pytree__", "_pytree__nodes", "_length"
_VALUE, _ENTRIES = "_raw_value", "_mapping"


@canary("what an object of NNX holds", "flax")
def _objects_are_known() -> bool:
    """Look into a module that has one of everything."""
    from flax import nnx

    class Layer(nnx.Module):
        def __init__(self) -> None:
            self.w, self.n, self.k = nnx.Param(1.0), nnx.data(3), 4
            self.parts = nnx.List([nnx.Param(2.0)])

    layer = Layer()
    found = {key: is_data for key, _, is_data in attributes(layer, (nnx.Variable, nnx.Pytree))}
    parts = [key for key, *_ in attributes(layer.parts, (nnx.Variable, nnx.Pytree))]
    values = [getattr(layer.w, name) for name in dir(layer.w) if holds_value(name)]
    state = nnx.state(layer)
    entries = [getattr(state, name) for name in dir(state) if holds_entries(name)]
    return (
        found == {".w": True, ".n": True, ".k": False, ".parts": True}
        and parts == ["[0]"]
        and values == [1.0]
        and [sorted(map(str, each)) for each in entries] == [["n", "parts", "w"]]
    )


def _require() -> None:
    # Without Flax there is no object of its, and to import it takes a second.
    if "flax" in sys.modules:
        _objects_are_known.require()


def attributes(module: "nnx.Pytree", objects: tuple[type, ...]) -> Iterator[tuple[str, Any, bool]]:
    """Yield key, value and whether it is data, of each attribute that the reader has set.

    What is one of the `objects` is not looked into.
    """
    _require()
    from flax import nnx  # here, since an answer without modules need not wait for Flax

    recorded, is_list = getattr(module, _DATA), isinstance(module, nnx.List)

    def holds_data(value: Any) -> bool:
        leaves = jax.tree.leaves(value, is_leaf=lambda leaf: isinstance(leaf, objects))
        return any(nnx.is_data(leaf) for leaf in leaves)

    for name, value in vars(module).items():
        if is_of_flax(name) or (is_list and name == _LENGTH):
            continue
        key = f"[{name}]" if is_list and name.isdigit() else f".{name}"
        yield key, value, recorded.get(name, False) or holds_data(value)


def is_of_flax(name: str) -> bool:
    """Return whether an attribute of that name is bookkeeping of Flax's."""
    _require()
    return name.startswith(_BOOKS)


def holds_value(name: str) -> bool:
    """Return whether that attribute of a Variable is what its reader writes as `variable[...]`."""
    _require()
    return name == _VALUE


def holds_entries(name: str) -> bool:
    """Return whether that attribute of an `nnx.State` is what is read as `state[...]`."""
    _require()
    return name == _ENTRIES
