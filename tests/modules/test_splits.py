"""Where `nnx.split` puts things; the states that it returns are the oracle."""

import jax
import jax.numpy as jnp
import pytest
from flax import nnx

from traced.modules.splits import split_module


class Tangled(nnx.Module):
    def __init__(self, rngs):
        # The state of Flax has a shared object under its first name in the alphabet.
        self.z = nnx.Linear(2, 2, rngs=rngs)
        self.a = self.z
        self.parts = nnx.data([nnx.Param(jnp.ones(2)), jnp.ones(3), {"k/x": nnx.BatchStat(1.0)}])


MODULES = {
    "a layer": (nnx.Linear, (2, 3)),
    "a norm": (nnx.BatchNorm, (3,)),
    "attention": (nnx.MultiHeadAttention, (2, 4)),
    "aliases and containers": (Tangled, ()),
}
FILTERS = [(), (nnx.Param, ...), (nnx.BatchStat, nnx.Param, ...), (nnx.Any(nnx.Param), ...)]


def walk(part):
    yield part
    for each in part.parts:
        yield from walk(each)


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("filters", FILTERS)
def test_each_state_has_as_many_parts_as_flax_gives_it(name, filters):
    make, args = MODULES[name]
    module = make(*args, rngs=nnx.Rngs(0))
    _, *states = nnx.split(module, *filters)
    targets = [part.target for part in walk(split_module(module, *filters))]
    for i, state in enumerate(states, start=1):
        start = f"state {i}: " if filters else "state"
        assert sum(target.startswith(start) for target in targets) == len(nnx.to_flat_state(state))


def test_a_shared_object_is_split_once():
    root = split_module(Tangled(nnx.Rngs(0)))
    by_path = {part.path: part for part in walk(root)}
    assert by_path["z.kernel"].target == "state"
    assert (by_path["a"].shared, by_path["a"].target) == (True, "graphdef")
    assert "a.kernel" not in by_path


def test_what_is_no_data_is_static():
    parts = {part.path: part for part in walk(split_module(nnx.Dropout(0.5)))}
    assert (parts["rate"].static, parts["rate"].text) == (True, "0.5")


def test_a_filter_has_a_short_name():
    targets = {part.target for part in walk(split_module(nnx.Rngs(0), nnx.Any(nnx.RngKey), ...))}
    assert targets == {"graphdef", "state 1: Any(OfType(RngKey))", "state 2: ..."}


def test_what_is_no_module_is_refused_by_name():
    with pytest.raises(TypeError, match="`module` must be an NNX module, got dict"):
        split_module({})


def test_filters_that_leave_something_out_are_refused_by_flax():
    with pytest.raises(ValueError, match="Non-exhaustive"):
        split_module(nnx.Linear(2, 3, rngs=nnx.Rngs(0)), nnx.BatchStat)


def test_the_module_stays_as_it_is():
    layer = nnx.Linear(2, 3, rngs=nnx.Rngs(0))
    before = jax.tree.leaves(nnx.state(layer))
    split_module(layer, nnx.Param, ...)
    assert all(a is b for a, b in zip(before, jax.tree.leaves(nnx.state(layer)), strict=True))
