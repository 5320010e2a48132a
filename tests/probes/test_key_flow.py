"""Keys followed through a program: loops, branches, calls, and what cannot be known."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax, random

from tests.probes.key_programs import KEY, X, each_step, noisy
from traced.probes.key_flow import STEPS
from traced.probes.keys import find_key_events, find_key_reuses

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
}  # fmt: skip


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


def test_keys_on_a_mesh_are_those_of_its_first_device():
    def f(keys):
        return random.normal(random.fold_in(keys[::-1][0], lax.axis_index("i")))[None]

    mesh = jax.sharding.AbstractMesh((2,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
    spec = jax.sharding.PartitionSpec("i")
    sharded = jax.shard_map(f, mesh=mesh, in_specs=spec, out_specs=spec)
    assert names(sharded, random.split(KEY, 4)) == ["keys[1].fold_in(?)"]


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
