"""Pieces of arrays, on one device here and on eight in a process of its own."""

import json
import os
import re
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tests.drawing.twins import assert_twins
from traced.devices.shards import find_pieces
from traced.show import show_shards

PROGRAM = """
import json, sys
import jax, jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec
from traced.show import show_shards

mesh = jax.make_mesh((4, 2), ("x", "y"))
specs = {"both": ("x", "y"), "rows": ("x",), "none": (), "one axis": (("x", "y"),)}
pictures = {}
for name, spec in specs.items():
    sharding = NamedSharding(mesh, PartitionSpec(*spec))
    for array in (jax.device_put(jnp.ones((8, 8)), sharding),
                  jax.ShapeDtypeStruct((8, 8), "float32", sharding=sharding)):
        picture = show_shards(array)
        pictures.setdefault(name, []).append((picture.text, picture.svg))
print(json.dumps(pictures))
"""


@pytest.fixture(scope="module")
def pictures():
    flags = "--xla_force_host_platform_device_count=8"
    environment = {**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"}
    run = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(run, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def texts(svg):
    """Return what is written in the drawing."""
    return re.findall(r"<text[^>]*>([^<]*)<", svg)


def test_each_piece_has_its_place_and_its_device(pictures):
    (text, svg), _ = pictures["both"]
    assert "[2:4, 4:8]  f32[2,4]  3" in text
    assert [each for each in texts(svg) if each.startswith("device ")][:8] == [
        f"device {i}" for i in range(8)
    ]
    assert text.endswith("8 pieces on 8 devices\naxis 0 over x, axis 1 over y; mesh x=4, y=2")


def test_what_several_devices_have_is_a_stack(pictures):
    (text, svg), _ = pictures["rows"]
    assert "[0:2, 0:8]  f32[2,8]  0, 1" in text
    assert texts(svg).count("f32[2,8] · 2 copies") == 4
    assert svg.count('height="40" rx="2"') == 4
    (text, svg), _ = pictures["none"]
    assert "f32[8,8]: a copy on each of 8 devices" in text
    assert "devices 0 … 7" in texts(svg)


def test_of_many_pieces_some_are_left_out(pictures):
    (text, svg), _ = pictures["one axis"]
    assert len(text.splitlines()) == 11
    assert "… 3 more …" in texts(svg)


def test_a_type_with_a_sharding_will_do(pictures):
    for name, (array, kind) in pictures.items():
        assert array[0].splitlines()[:-2] == kind[0].splitlines()[:-2], name


@pytest.mark.parametrize(
    "array", [jnp.ones(3), jnp.float32(1), jax.random.key(0), jnp.ones((2, 3, 4))]
)
def test_on_one_device_it_is_one_piece(array):
    picture = show_shards(array)
    assert find_pieces(array)[0].devices == (0,)
    assert "one piece, on one device" in str(picture)
    assert_twins(picture)
    assert picture == show_shards(array)


def test_what_has_no_sharding_is_refused():
    for array in (np.ones(3), [1.0], jax.ShapeDtypeStruct((3,), "float32")):
        with pytest.raises(TypeError, match="`array` must be a"):
            show_shards(array)
    with pytest.raises(TypeError, match="got f32"):
        jax.jit(lambda x: (find_pieces(x), x)[1])(jnp.ones(3))
