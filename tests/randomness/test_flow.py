"""Keys followed through a program: loops, branches, calls, and what cannot be known."""

import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax, random

from tests.randomness.key_programs import KEY, X, each_step, noisy
from traced.randomness.flow import STEPS
from traced.randomness.keys import find_key_events, find_key_reuses

ONES = np.ones(3, "float32")

#: What each function of `jax.random` takes after the key, where it takes something.
DRAWS = {
    "ball": (3,), "bernoulli": (), "beta": (1.0, 2.0), "binomial": (5.0, 0.5), "bits": (),
    "categorical": (ONES,), "cauchy": (), "chisquare": (2.0,), "choice": (5,),
    "dirichlet": (ONES,), "double_sided_maxwell": (0.0, 1.0), "exponential": (), "f": (2.0, 3.0),
    "gamma": (2.0,), "generalized_normal": (2.0,), "geometric": (0.5,), "gumbel": (),
    "laplace": (), "loggamma": (2.0,), "logistic": (), "lognormal": (), "maxwell": (),
    "multinomial": (5.0, ONES / 3), "multivariate_normal": (ONES, np.diag(ONES)), "normal": (),
    "orthogonal": (3,), "pareto": (2.0,), "permutation": (5,), "poisson": (3.0,),
    "rademacher": (), "randint": ((2,), 0, 5), "rayleigh": (1.0,), "t": (2.0,),
    "triangular": (0.0, 0.5, 1.0), "truncated_normal": (-1.0, 1.0), "uniform": (),
    "wald": (1.0,), "weibull_min": (1.0, 2.0),
}  # fmt: skip  # a name and its arguments are read as one


@pytest.mark.parametrize("name", DRAWS)
def test_each_draw_of_jax_random_is_one_use_of_its_key(name):
    (event,) = find_key_events(lambda key: getattr(random, name)(key, *DRAWS[name]), KEY)
    assert (event.kind, event.key) == ("use", "key")


def test_the_table_has_each_draw_of_jax_random():
    others = {"Key", "PRNGKey", "clone", "fold_in", "key", "split", "wrap_key_data"}
    names = {name for name in dir(random) if not name.startswith(("_", "key_", "random_"))}
    assert names - others == DRAWS.keys()


def names(f, *args):
    return [event.key for event in find_key_events(f, *args) if event.kind == "use"]


def test_a_loop_is_followed_for_some_steps():
    assert names(each_step, KEY, X) == ["key"] * STEPS


@pytest.mark.parametrize("length", [0, 1, 2])
def test_a_short_loop_is_followed_to_its_end(length):
    def f(keys):
        return lax.scan(lambda carry, key: (carry, random.normal(key)), 0.0, keys)

    assert names(f, random.split(KEY, length)) == [f"keys[{i}]" for i in range(length)]


def test_a_loop_in_reverse_starts_at_its_end():
    def f(keys):
        return lax.scan(lambda _, key: (0.0, random.normal(key)), 0.0, keys, reverse=True)

    assert names(f, random.split(KEY, 9)) == ["keys[8]", "keys[7]", "keys[6]"]


def test_what_a_loop_has_made_is_known_as_far_as_it_was_followed():
    def f(key):
        keys = lax.scan(lambda key, _: tuple(random.split(key)), key, None, length=9)[1]
        return random.normal(keys[1]), random.normal(keys[8])

    known, unknown = names(f, KEY)
    assert (known, unknown[-1]) == ("key.split[0].split[1]", "…")


def test_a_while_loop_is_followed_to_its_end_if_that_is_known():
    def f(keys, n):
        return lax.while_loop(lambda i: i < n, lambda i: i + len(random.bits(keys[i], (1,))), 0)

    keys = random.split(KEY, 9)
    assert names(f, keys, jnp.array(1)) == ["keys[0]"]
    assert names(f, keys, jax.ShapeDtypeStruct((), "int32")) == ["keys[0]", "keys[1]", "keys[2]"]


def test_each_branch_is_followed_where_arguments_choose():
    def f(key, i):
        return lax.switch(i, [random.normal, random.uniform, lambda key: 0.0], key)

    assert names(f, KEY, jnp.array(2)) == ["key", "key"]
    assert find_key_reuses(f, KEY, jnp.array(2)) == []


def test_only_the_branch_taken_is_followed_in_a_loop():
    def f(key, x):
        return lax.fori_loop(0, 2, lambda i, x: lax.cond(i == 1, noisy, keep, key, x), x)

    assert names(f, KEY, X) == ["key"]


def keep(key, x):
    return x


@jax.custom_jvp
def drawn(key, x):
    return x * random.normal(key)


drawn.defjvp(lambda primals, tangents: (drawn(*primals), tangents[1]))

CALLS = {
    "jit": lambda key: jax.jit(random.normal)(key),
    "custom_jvp_call": lambda key: drawn(key, 1.0),
    "remat2": lambda key: jax.checkpoint(lambda key: jnp.sin(random.normal(key)))(key),
    "gradient": lambda key: jax.grad(drawn, 1)(key, 1.0),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_call_is_followed(call):
    assert names(CALLS[call], KEY) == ["key"]


def test_keys_on_a_mesh_are_those_of_each_device():
    def f(keys):
        return random.normal(random.fold_in(keys[::-1][0], lax.axis_index("i")))[None]

    mesh = jax.sharding.AbstractMesh((2,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
    spec = jax.sharding.PartitionSpec("i")
    sharded = jax.shard_map(f, mesh=mesh, in_specs=spec, out_specs=spec)
    assert names(sharded, random.split(KEY, 4)) == ["keys[1].fold_in(0)", "keys[3].fold_in(1)"]


def test_what_is_not_known_is_like_no_other_key():
    def f(keys, i):
        return random.normal(keys[i]), random.normal(keys[0])

    index = jax.ShapeDtypeStruct((), "int32")
    assert names(f, random.split(KEY), index) == ["keys[?]", "keys[0]"]
    assert find_key_reuses(f, random.split(KEY), index) == []


def test_what_an_unknown_key_draws_is_not_known():
    def f(key, keys):
        return random.normal(keys[random.randint(key, (), 0, 2)])

    assert names(f, jax.eval_shape(lambda: KEY), random.split(KEY)) == ["key", "keys[?]"]
    assert names(f, KEY, random.split(KEY))[1] in ("keys[0]", "keys[1]")


def test_what_depends_on_an_effect_is_not_known():
    def f(keys):
        index = jax.new_ref(jnp.array(1))
        return random.normal(keys[index[...]])

    assert names(f, random.split(KEY)) == ["keys[?]"]


def test_an_index_that_takes_a_long_way_to_compute_is_known():
    def f(keys, x):
        for _ in range(2000):
            x = -x
        return random.normal(keys[x])

    assert names(f, random.split(KEY), jnp.array(1)) == ["keys[1]"]


@pytest.mark.parametrize("impl", ["threefry2x32", "rbg", "unsafe_rbg"])
def test_each_kind_of_generator_is_followed(impl):
    def f(key):
        return jax.vmap(random.normal)(random.split(key)), random.normal(key)

    (found,) = find_key_reuses(f, random.key(0, impl=impl))
    assert (found.key, found.how) == ("key", "split, then used")


ON_DEVICES = """
import jax, jax.numpy as jnp
from jax import random
from jax.sharding import AxisType, PartitionSpec as P
from traced.randomness.keys import find_key_events, find_key_reuses

mesh = jax.make_mesh((8,), ("i",), axis_types=(AxisType.Auto,))
keys = random.split(random.key(0), 8)

def on_devices(f, given=P("i")):
    return jax.shard_map(f, mesh=mesh, in_specs=given, out_specs=P("i"))

def once(keys):
    return on_devices(lambda k: random.normal(k[0], (2,)))(keys)

def folded(key):
    place = jax.lax.axis_index
    draw = lambda k: random.normal(random.fold_in(k, place("i")), (2,))
    return on_devices(draw, P())(key)

def outside_too(keys):
    return random.normal(keys[3]), once(keys)

def afterwards(keys):
    made = on_devices(lambda k: random.split(k[0], 1))(keys)
    return random.normal(made[5]), random.uniform(made[5])

mapped = jax.pmap(lambda k: random.normal(k) + random.uniform(k))
used = [each.key for each in find_key_events(once, keys) if each.kind == "use"]
folds = [each.key for each in find_key_events(folded, keys[0]) if each.kind == "use"]
print(used == [f"keys[{i}]" for i in range(8)])
print(folds == [f"key.fold_in({i})" for i in range(8)])
for f, given in ((once, keys), (folded, keys[0]), (outside_too, keys), (afterwards, keys),
                 (mapped, keys)):
    print(sorted({each.key for each in find_key_reuses(f, given)})[:1])
"""


def test_keys_are_followed_on_each_device():
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=8", "JAX_PLATFORMS": "cpu"}
    told = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ON_DEVICES],
        env={**os.environ, **flags},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.splitlines() == [
        "True",
        "True",
        "[]",
        "[]",
        "['keys[3]']",
        "['keys[5].split[0]']",
        "['k[0]']",
    ]
