"""Add noise to one device's part of an array, from a key that all devices share."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import random

from traced.course.exercise import Exercise
from traced.devices.questions import communicates
from traced.findings.feedback import require
from traced.lessons.randomness.draws import (
    compare_types,
    follows_its_key,
    require_no_copies,
    require_normal,
    require_scale,
    require_unrelated,
    without_reuse_checker,
)
from traced.lessons.shard_map.parts import SPLIT, WHOLE, make_mesh, on_devices, place, tell_mesh
from traced.lessons.shard_map.solutions.local_noise import local_noise as solution
from traced.running.attempt import attempt

_SIZES: tuple[dict[str, int], ...] = ({"data": 8}, {"model": 2, "data": 4})
_SPECS = {"in_specs": (WHOLE, SPLIT), "out_specs": SPLIT}


def _keeps_the_type(answer: Any) -> None:
    mesh = make_mesh(data=8)
    for shape, dtype in (((16, 3), "float32"), ((8,), "float32"), ((8, 1), "float16")):
        x = place(jnp.ones(shape, dtype), mesh)
        # It is traced, which compiles nothing: the questions below run it.
        kind = attempt(jax.eval_shape, on_devices(answer, mesh, **_SPECS), random.key(0), x)
        got = jax.tree.map(lambda each: jnp.zeros(each.shape, each.dtype), kind)
        compare_types(x, got, f"x = {dtype}{list(shape)}, of which a device has an eighth")


def _follows_its_key(answer: Any) -> None:
    mesh = make_mesh(data=8)
    x = place(jnp.ones((16, 3)), mesh)
    # Traced twice, so that what changes by itself shows; the other key needs no third program.
    first, again = (on_devices(answer, mesh, **_SPECS) for _ in range(2))
    runs = iter((first, again, first))
    follows_its_key(x)(lambda key, x: next(runs)(key, x))


def _draws_standard_normal_noise_of_its_own(answer: Any) -> None:
    for sizes in _SIZES:
        mesh = make_mesh(**sizes)
        # The more numbers there are, the closer their spread and their relations are known.
        zeros = np.zeros((sizes["data"] * 257, 8), "float32")
        run = on_devices(answer, mesh, **_SPECS)
        noise = np.asarray(attempt(run, random.key(0), place(zeros, mesh)))
        _require_noise(noise, sizes["data"], tell_mesh(mesh))
        numbers = np.arange(zeros.size, dtype="float32").reshape(zeros.shape) / 64 - 20
        numbers[0, :4] = np.nan, np.inf, 1, 1.000001  # what is added to the first two is them
        got = np.asarray(attempt(run, random.key(0), place(numbers, mesh)))
        close = bool(np.allclose(got - noise, numbers, atol=1e-4, equal_nan=True))
        saw = {"wanted": "x, and the noise that is added to zeros", "got": got[0, :4]}
        require(close, "value/differs", **saw)


def _require_noise(noise: Any, count: int, mesh: str) -> None:
    """Require each part of noise to be standard normal, and to have nothing of another part."""
    names = [f"place {i} along data, {mesh}" for i in range(count)]
    parts = dict(zip(names, np.split(noise, count), strict=True))
    saw = {"of": "the noise", "wanted": "noise", "got": "zeros, where x is 0"}
    require(bool(noise.any()), "value/differs", **saw)
    # One number for many entries has no correlation with another part, so it comes first.
    for name, part in parts.items():
        require_no_copies(part, name)
    require_unrelated(parts)
    of = f"the noise, {mesh}"
    require_no_copies(noise, of)
    require_scale(noise, of)
    require_normal([noise], of)


def _sends_nothing(answer: Any) -> None:
    mesh = make_mesh(data=8)
    args = random.key(0), place(jnp.zeros((16, 3)), mesh)
    communicates(lambda found: not found, "no collective", *args)(
        on_devices(answer, mesh, **_SPECS)
    )


local_noise = Exercise(
    name="local_noise",
    questions=without_reuse_checker(
        _keeps_the_type,
        _follows_its_key,
        _draws_standard_normal_noise_of_its_own,
        _sends_nothing,
    ),
    hints=(
        "All devices run the same line with the same key. What does a device know that the others "
        "along the axis do not?",
        '`lax.axis_index("data")` is the place of the device along the axis, and '
        "`random.fold_in` makes a key from a key and a number.",
        "A key of this place; noise from that key, in the shape and dtype of the part; a sum.",
    ),
    verified="standard normal noise, unrelated along data and the same along other axes, on two "
    "meshes; nothing is sent",
    answer=solution,
)
