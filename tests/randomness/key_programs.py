"""Programs that treat their random keys well, and programs that use one again."""

import jax
import jax.numpy as jnp
from flax import nnx
from jax import lax, random

KEY = random.key(0)
LEGACY = random.PRNGKey(0)
X = jnp.ones(3)


CAPTURED = random.key(7)


def noisy(key, x):
    return x + random.normal(key)


def two_halves(key, x):
    left, right = random.split(key)
    return noisy(left, x) + noisy(right, x)


def two_indices(key, x):
    keys = random.split(key)
    return noisy(keys[0], x) + noisy(keys[1], x)


def use_then_fold_in(key, x):
    return noisy(key, x) + noisy(random.fold_in(key, 7), x)


def carried(key, x):
    def body(carry, _):
        key, x = carry
        key, sub = random.split(key)
        return (key, noisy(sub, x)), None

    (key, x), _ = lax.scan(body, (key, x), None, length=10)
    return noisy(key, x)


def over_keys(key, x):
    return lax.scan(lambda x, key: (noisy(key, x), None), x, random.split(key, 10))[0]


def counted(key, x):
    return lax.fori_loop(0, 10, lambda i, x: noisy(random.fold_in(key, i), x), x)


def counted_to(key, n):
    return lax.fori_loop(0, n, lambda i, x: noisy(random.split(key)[i], x), 0.0)


def in_the_first_step(key, x):
    return lax.fori_loop(0, 9, lambda i, x: lax.cond(i == 0, noisy, lambda _, x: x, key, x), x)


def kept_keys(key, x):
    keys = lax.scan(lambda key, _: tuple(random.split(key)), key, None, length=9)[1]
    return jax.vmap(random.normal)(keys)


def by_axis_index(key, x):
    def draw(x):
        return noisy(random.fold_in(key, lax.axis_index("i")), x)

    return jax.vmap(draw, axis_name="i")(x)


def python_loop(key, n):
    return [random.normal(random.fold_in(key, i)) for i in range(n)]


def cloned(key, x):
    return noisy(key, x) + noisy(random.clone(key), x)


def layers(rngs, x):
    dropout = nnx.Dropout(0.5, rngs=rngs)
    return dropout(nnx.Linear(3, 3, rngs=rngs)(nnx.Linear(3, 3, rngs=rngs)(dropout(x))))


def recomputed(x, key):
    return jax.checkpoint(lambda x: jnp.sin(x * random.normal(key)).sum())(x)


def draw_twice_in_jax(key, x):
    # Inside, JAX draws from the key by two methods, of which it takes one result.
    return random.poisson(key, x), random.binomial(random.fold_in(key, 1), 2.0, 0.5)


#: Correct programs with their arguments, by what is done to keys.
CORRECT = {
    "the two halves of a split": (two_halves, KEY, X),
    "a split, by index": (two_indices, KEY, X),
    "a legacy key, split": (two_halves, LEGACY, X),
    "a use and a fold_in": (use_then_fold_in, KEY, X),
    "a carried key": (carried, KEY, X),
    "a carried legacy key": (carried, LEGACY, X),
    "a scan over keys": (over_keys, KEY, X),
    "a count folded in": (counted, KEY, X),
    "a loop of unknown length": (counted_to, KEY, jnp.array(2)),
    "a use in the first step": (in_the_first_step, KEY, X),
    "keys kept by a scan": (kept_keys, KEY, X),
    "vmap over keys": (jax.vmap(noisy), random.split(KEY, 3), X),
    "the place in the batch folded in": (by_axis_index, KEY, X),
    "a Python loop": (python_loop, KEY, 3),
    "a static argument": (jax.jit(python_loop, static_argnums=1), KEY, 3),
    "a cloned key": (cloned, KEY, X),
    "layers of one Rngs": (layers, nnx.Rngs(0), X),
    "a layer given": (lambda layer, x: layer(x), nnx.Dropout(0.5, rngs=nnx.Rngs(0)), X),
    "a layer in nnx.jit": (nnx.jit(layers), nnx.Rngs(0), X),
    "a gradient": (jax.grad(lambda x, key: noisy(key, x).sum()), X, KEY),
    "a gradient, recomputed": (jax.grad(recomputed), X, KEY),
    "a Jacobian": (jax.jacfwd(lambda x, key: noisy(key, x)), X, KEY),
    "a function of JAX that draws twice": (draw_twice_in_jax, KEY, X),
    "no key": (jnp.sin, X),
}


# From here on, a comment marks where a key is reused: `first`, `second`, or `both` on one line.


def draw_twice(key, x):
    first = random.normal(key)  # first
    return x + first + random.uniform(key)  # second


def one_line(key, x):
    return random.normal(key) + random.uniform(key)  # both


def helper_twice(key, x):
    x = noisy(key, x)  # first
    return 2 * noisy(key, x)  # second


def jitted_twice(key, x):
    x = jax.jit(noisy)(key, x)  # first
    return 2 * jax.jit(noisy)(key, x)  # second


def use_then_split(key, x):
    x = x + random.normal(key)  # first
    left, right = random.split(key)  # second
    return noisy(left, x) + noisy(right, x)


def split_then_use(key, x):
    left, _ = random.split(key)  # first
    return noisy(left, x) + random.normal(key)  # second


def split_again(key, x):
    left = random.split(key)[0]  # first
    right = random.split(key)[1]  # second
    return noisy(left, x) + noisy(right, x)


def same_index(key, x):
    keys = random.split(key, 4)
    first = random.normal(keys[2])  # first
    return first + random.normal(keys[-2])  # second


def same_fold_in(key, x):
    first = random.normal(random.fold_in(key, 3))  # first
    return first + random.normal(random.fold_in(key, 3))  # second


def split_and_fold_in(key, x):
    first = random.normal(random.split(key)[1])  # first
    return first + random.normal(random.fold_in(key, 1))  # second


def same_seed(key, x):
    first = random.normal(random.key(1))  # first
    return first + random.normal(random.key(1))  # second


def captured(key, x):
    first = random.normal(CAPTURED)  # first
    return first + random.normal(CAPTURED)  # second


def two_layers(key, x):
    init = jax.nn.initializers.lecun_normal()
    hidden = init(key, (3, 4))  # first
    return x @ hidden @ init(key, (4, 3))  # second


def a_branch_and_after(key, x):
    x = lax.cond(x[0] > 9, lambda: x + random.normal(key), lambda: x)  # first
    return x + random.uniform(key)  # second


def after_a_long_loop(key, x):
    key = lax.fori_loop(0, 99, lambda i, key: random.split(key)[0], key)
    x = noisy(key, x)  # first
    return noisy(key, x)  # second


def each_step(key, x):
    def body(x, _):
        return x + random.normal(key), None  # both

    return lax.scan(body, x, None, length=5)[0]


def each_step_of_while(key, x):
    def body(n):
        return n + 1 + 0 * random.bits(key)  # both

    return lax.while_loop(lambda n: n < 5, body, jnp.uint32(0))


def each_step_of_python(key, x):
    for _ in range(3):
        x = x + random.normal(key)  # both
    return x


def each_step_after_split(key, x):
    def body(i, x):
        left, _ = random.split(key)
        return x + random.normal(left)  # both

    return lax.fori_loop(0, 5, body, x)


def carries_the_used_one(key, x):
    def body(carry, _):
        key, x = carry
        new, _ = random.split(key)  # second
        return (new, x + random.normal(new)), None  # first

    return lax.scan(body, (key, x), None, length=5)[0]


def each_entry(key, x):
    def draw(key, x):
        return x + random.normal(key)  # both

    return jax.vmap(draw, in_axes=(None, 0))(key, x)


def each_entry_of_copies(key, x):
    return jax.vmap(lambda key: random.normal(key))(jnp.stack([key, key]))  # both


def each_entry_inside(key, x):
    inner = jax.vmap(lambda key, x: x + random.normal(key), in_axes=(None, 0))  # both
    return jax.vmap(inner)(random.split(key), jnp.ones((2, 3)))


def each_entry_of_a_jitted_one(key, x):
    @jax.jit
    def draw(x):
        return x + random.normal(key)  # both

    return jax.vmap(draw)(x)


TWICE, STEP, ENTRY = "used twice", "same key in every step", "same key in every batch entry"

#: The way of the reuse, and the key, of each faulty program of a key and three numbers.
FAULTY = {
    draw_twice: (TWICE, "key"),
    one_line: (TWICE, "key"),
    helper_twice: (TWICE, "key"),
    jitted_twice: (TWICE, "key"),
    use_then_split: ("used, then split", "key"),
    split_then_use: ("split, then used", "key"),
    split_again: ("split twice", "key"),
    same_index: (TWICE, "key.split[2]"),
    same_fold_in: (TWICE, "key.fold_in(3)"),
    split_and_fold_in: (TWICE, "key.split[1] = key.fold_in(1)"),
    same_seed: (TWICE, "key(1)"),
    captured: (TWICE, "CAPTURED"),
    two_layers: (TWICE, "key"),
    a_branch_and_after: (TWICE, "key"),
    after_a_long_loop: (TWICE, "key.split[0]×3…"),
    each_step: (STEP, "key"),
    each_step_of_while: (STEP, "key"),
    each_step_of_python: (STEP, "key"),
    each_step_after_split: (STEP, "key.split[0]"),
    carries_the_used_one: ("used, then split", "key.split[0]"),
    each_entry: (ENTRY, "key"),
    each_entry_of_copies: (ENTRY, "key"),
    each_entry_inside: (ENTRY, "key.split[0]"),
    each_entry_of_a_jitted_one: (ENTRY, "key"),
}


def mark(place):
    """Return the comment that marks a place."""
    return place.source.partition("  # ")[2]
