"""Programs whose pictures are drawn, by name: small, typical and nasty ones."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax import nnx
from jax import random

import traced.show as show
from tests.randomness.key_programs import CORRECT, FAULTY, KEY, X
from traced.drawing.picture import Picture
from traced.randomness.keys import record_keys

#: Pictures, by a name without quotes.
DRAWN: dict[str, Callable[[], Picture]] = {}


def typical(key: jax.Array) -> Any:
    """Use one key twice, and many once."""
    left, right = random.split(key)
    w = random.normal(left, (3, 4))
    b = random.normal(left, (4,))
    noise = [random.normal(random.fold_in(right, i)) for i in range(5)]
    return w, b, noise


def wide(key: jax.Array) -> Any:
    """Use many keys in two ways by turns, and one of the last twice."""
    keys = random.split(key, 40)
    draws = [(random.normal, random.uniform)[i % 2](keys[i]) for i in range(40)]
    return [*draws, random.normal(keys[33])]


def deep(key: jax.Array) -> Any:
    """Split a key many times, and use the last one twice."""
    for _ in range(300):
        key, sub = random.split(key)
        random.normal(sub)
    return random.normal(key) + random.uniform(key)


def long_names() -> Picture:
    """Return the keys of names that are long or wide."""
    held = {}
    with record_keys() as record:
        a_name_that_is_longer_than_most_are, held["数字"] = random.split(random.key(3))
        held["a name"] = random.normal(a_name_that_is_longer_than_most_are)
        held["数"] = random.normal(held["数字"]) + random.normal(held["数字"])
    return show.show_keys(record)


DRAWN |= {
    f"keys, {name}": lambda case=case: show.show_keys(*case)
    for name, case in CORRECT.items()
    if name != "no key"
}
DRAWN |= {f"keys, {f.__name__}": lambda f=f: show.show_keys(f, KEY, X) for f in [*FAULTY]}
DRAWN |= {
    "keys, typical": lambda: show.show_keys(typical, KEY),
    "keys, wide": lambda: show.show_keys(wide, KEY),
    "keys, deep": lambda: show.show_keys(deep, KEY),
    "keys, alike": lambda: show.show_keys(
        lambda key: jax.vmap(random.normal)(random.split(key, 1000)), KEY
    ),
    "keys, long names": long_names,
}


def average(carry: Any, x: jax.Array) -> Any:
    """Carry a pair."""
    count, mean = carry
    mean = mean + (x - mean) / (count + 1)
    return (count + 1, mean), mean


MIXED = {"</style><script>": 1.0, "数字": jnp.ones((3, 4)), "k": KEY}
NUMBERS = jnp.array([4.0, 8.0, 3.0, 1.0, 9.0])

DRAWN |= {
    "scan, one round": lambda: show.show_scan(lambda c, _: (2 * c, None), 1, length=1),
    "scan, pair": lambda: show.show_scan(average, (0, 0.0), NUMBERS[:3]),
    "scan, long": lambda: show.show_scan(average, (0, 0.0), NUMBERS),
    "scan, backward": lambda: show.show_scan(average, (0, 0.0), NUMBERS, reverse=True),
    "scan, mixed": lambda: show.show_scan(
        lambda c, x: (c, (x, c)), MIXED, (jnp.ones((4, 2, 2)), jnp.arange(4))
    ),
    "fori_loop": lambda: show.show_fori_loop(1, 9, lambda i, product: i * product, 1),
    "fori_loop, arrays": lambda: show.show_fori_loop(0, 2, lambda i, w: w / 3, NUMBERS),
    "while_loop": lambda: show.show_while_loop(lambda n: n < 5, lambda n: 2 * n, 1),
    "while_loop, endless": lambda: show.show_while_loop(lambda n: n >= 0, lambda n: n * 1, 0),
}


LAYERS = {"layers": [{"w": jnp.ones((3, 3)), "b": jnp.zeros(3)}] * 2, "scale": 1.0, "mask": None}
NESTED: Any = 1
for name in ("a rather long name of a node", "数字" * 20, *"abcdefgh"):
    NESTED = {name: [NESTED], "</style><script>": None}
TREES = {
    "a number": 1.0,
    "empty": {},
    "layers": LAYERS,
    "dtypes": {"key": KEY, "n": jnp.arange(3), "on": jnp.array([True]), "w": X, "text": "a text"},
    "adam": optax.adam(1e-3).init({"w": X}),
    "linear": nnx.Linear(2, 3, rngs=nnx.Rngs(0)),
    "stream": nnx.RngStream(0, tag="noise"),
    "alike": [{"w": X}] * 1000,
    "nested": NESTED,
    "grid": {str(i): {str(j): jnp.ones((i + 1, j + 1)) for j in range(9)} for i in range(9)},
}
PREFIXES = {
    "fits": ({"layers": 0, "scale": None, "mask": None}, LAYERS),
    "one": (0, LAYERS),
    "faults": ({"layers": (0, 0), "masks": 1}, LAYERS),
    "alike": ([{"w": 0, "b": 1}] * 6, [{"w": 1.0, "b": [2.0, 3]}] * 6),
    "long": ({"layers": "an entry that is a text of some length" * 2}, LAYERS),
}
DRAWN |= {f"tree, {name}": lambda tree=tree: show.show_tree(tree) for name, tree in TREES.items()}
DRAWN |= {
    f"prefix, {name}": lambda pair=pair: show.show_prefix(*pair) for name, pair in PREFIXES.items()
}


def predict(params: dict[str, jax.Array], x: jax.Array) -> jax.Array:
    """Return a linear layer's result for one row."""
    return x @ params["w"] + params["b"]


BATCH = {"w": jnp.ones((3, 4)), "b": jnp.ones((8, 4))}, jnp.ones((8, 3))
MANY = {f"{i:02}": jnp.ones((5, i + 1)) for i in range(20)}
LONG = {"</style><script>数字" * 2: jnp.ones((5, 1, 1, 1, 1, 1, 2, 1, 1))}
DRAWN |= {
    "axes, one array": lambda: show.show_axes(jnp.sin, jnp.ones((3, 4)), in_axes=1, out_axes=1),
    "axes, a layer": lambda: show.show_axes(predict, *BATCH, in_axes=({"w": None, "b": 0}, 0)),
    "axes, sizes": lambda: show.show_axes(predict, *BATCH),
    "axes, missing": lambda: show.show_axes(predict, *BATCH, in_axes=({"w": 0}, 0)),
    "axes, out": lambda: show.show_axes(
        lambda x, k: (x, k), X, KEY, in_axes=(0, None), out_axes=None
    ),
    "axes, empty": lambda: show.show_axes(jnp.sin, jnp.ones((0, 4))),
    "axes, many": lambda: show.show_axes(lambda t: t, MANY),
    "axes, alike": lambda: show.show_axes(lambda t: t, [X] * 9),
    "axes, long": lambda: show.show_axes(lambda t: t, LONG),
}
