"""What is kept of a graph of NNX objects."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from traced.modules.object_graphs import graph_of


def text_of(value):
    return graph_of(nnx.Variable(value)).root.parts[""].text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (jnp.ones((2, 3)), "f32[2,3]"),
        (jnp.float32(1 / 3), "f32[] = 0.3333"),
        (2, "~i32[] = 2"),
        (True, "bool[] = True"),
        (1 + 2j, "~c64[] = 1+2j"),
        (jnp.bfloat16(1.5), "bf16[] = 1.5"),
        (jax.random.key(0), "key<fry>[]"),
        (np.zeros(2, "int8"), "i8[2]"),
        ({"u": jnp.ones(2), "v": 0}, "{'u': f32[2], 'v': ~i32[]}"),
        (jax.ShapeDtypeStruct((2,), "float32"), "f32[2]"),
        (None, "None"),
        ("a", "str"),
    ],
)
def test_a_variable_is_named_by_its_types(value, text):
    assert text_of(value) == f"Variable {text}"


@pytest.mark.parametrize("kind", ["ref", "hijax"])
def test_other_kinds_of_variable_are_read(kind):
    assert graph_of(nnx.Param(jnp.ones(2), **{kind: True})).root.parts[""].text == "Param f32[2]"


def test_data_and_static_attributes_are_told_apart():
    class Model(nnx.Module):
        def __init__(self):
            self.data, self.static, self.none = nnx.data(3), 3, nnx.data(None)
            self.pair = nnx.data((nnx.Param(1.0), 2))

    class Plain(nnx.Object):
        def __init__(self):
            self.pair, self.static = [nnx.Param(1.0)], 3

    parts = [graph_of(kind()).root.parts[""].parts for kind in (Model, Plain)]
    assert {key: part.kind for key, part in parts[0].items()} == {
        ".data": "value",
        ".static": "static",
        ".none": "static",
        ".pair[0]": "value",
        ".pair[1]": "value",
    }
    assert {key: part.kind for key, part in parts[1].items()} == {
        ".pair[0]": "value",
        ".static": "static",
    }


def test_a_value_is_copied():
    array = np.zeros(2)
    kept = graph_of(nnx.Variable(array))
    array += 1
    assert kept.root.parts[""].values[0].tolist() == [0.0, 0.0]


def test_a_ref_is_read_and_has_an_identity():
    ref = jax.new_ref(jnp.zeros(2))
    model = nnx.Dict(u=ref, v=ref)
    parts = graph_of(model).root.parts[""].parts
    assert parts[".u"] is parts[".v"]
    assert parts[".u"].text == "Ref f32[2]"
