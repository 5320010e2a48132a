"""Programs whose graphs, batches, modules and shards are drawn: small, typical and nasty ones."""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax import nnx
from jax import lax

import traced.show as show
from traced.drawing.picture import Picture

X = jnp.ones((4, 3))
EVIL = "</style><script>数字" * 2

#: Pictures, by a name without quotes.
DRAWN: dict[str, Callable[[], Picture]] = {}


def loss(w: jax.Array, x: jax.Array) -> jax.Array:
    """Drop something, and fuse much of the rest."""
    jnp.sin(x)
    h = jnp.tanh(x @ w + 1)
    return jnp.mean(jnp.where(h > 0, h, jax.nn.relu(h * h)) ** 2)


def layers(ws: list[jax.Array], x: jax.Array) -> jax.Array:
    """Alternate products and fusions."""
    for w in ws:
        x = jnp.tanh(x @ w + 1)
    return x


def long(x: jax.Array) -> jax.Array:
    """Take many steps."""
    for i in range(60):
        x = jnp.sin(x) * i
    return x


def wide(*xs: jax.Array) -> Any:
    """Read much and return much."""
    return [jnp.sin(x) for x in xs], sum(xs)


@functools.partial(jax.jit, donate_argnums=(0, 1, 3))
def momentum(w: jax.Array, m: jax.Array, g: jax.Array, unused: jax.Array) -> Any:
    """Take the memory of two arguments, and of one in vain."""
    m = 0.9 * m + g
    return w - 0.1 * m, m


def nested(x: jax.Array) -> Any:
    """Hold a loop and a branch."""
    total, ys = lax.scan(lambda c, row: (c + row, c), x[0], x)
    return lax.cond(total[0] > 0, jnp.sin, jnp.cos, total), lax.fori_loop(0, 3, jnp.add, 0), ys


FLOWS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "loss": (loss, (X.T, X)),
    "gradient": (jax.grad(loss), (X.T, X)),
    "layers": (layers, ([X.T @ X] * 3, X)),
    "long": (long, (1.0,)),
    "wide": (wide, (X,) * 30),
    "operands": (lambda *xs: jnp.concatenate(xs), (X,) * 200),
    "donated": (momentum, (X, X, X, X[0])),
    "nested": (nested, (X,)),
    "identity": (lambda x: x, (1,)),
    "nothing": (lambda: 3.0, ()),
    "names": (lambda tree: {EVIL: jnp.sin(tree[EVIL])}, ({EVIL: X},)),
}
DRAWN |= {
    f"flow, {name}": lambda of=of: show.show_dataflow(of[0], *of[1]) for name, of in FLOWS.items()
}


def choose(x: jax.Array) -> jax.Array:
    """Take one of two branches."""
    return lax.cond(x > 0, jnp.log, lambda x: x * 2, x)


def pick(i: jax.Array, x: jax.Array) -> jax.Array:
    """Take one of nine branches."""
    return lax.switch(i, [functools.partial(lax.add, float(n)) for n in range(9)], x)


def halve(x: jax.Array) -> jax.Array:
    """Take as many rounds as it needs."""
    return lax.while_loop(lambda x: x > 1, lambda x: x / 2, x)


def spread(tree: dict[str, jax.Array]) -> Any:
    """Branch over a tree."""
    return lax.cond(tree[EVIL].sum() > 0, lambda t: t, lambda t: {EVIL: t[EVIL] * 2}, tree)


DRAWN |= {
    "batch, cond": lambda: show.show_batched(choose, jnp.array([-1.5, 0.5, 2.0])),
    "batch, many": lambda: show.show_batched(choose, jnp.linspace(-1e9, 1e-9, 100)),
    "batch, switch": lambda: show.show_batched(pick, jnp.array([0, 8, 3]), X[:3, 0]),
    "batch, one answer": lambda: show.show_batched(pick, 3, X[0], in_axes=(None, 0)),
    "batch, while": lambda: show.show_batched(halve, jnp.array([13.0, 1.0, 30.0])),
    "batch, scale": lambda: show.show_batched(halve, jnp.array([1e9, 1e20, 3.0])),
    "batch, tree": lambda: show.show_batched(spread, {EVIL: X}),
    "batch, both": lambda: show.show_batched(lambda x: choose(x) + halve(x), X[0]),
}


class Block(nnx.Module):
    """A layer, statistics, random numbers, and what only graph mode brings back."""

    def __init__(self, rngs: nnx.Rngs) -> None:
        self.layers = nnx.List([nnx.Linear(3, 3, rngs=rngs) for _ in range(6)])
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)
        self.again = self.norm
        self.calls = 0
        self.note = EVIL

    def __call__(self, x: jax.Array) -> jax.Array:
        self.calls += 1
        self.seen = nnx.Intermediate(x)
        for each in self.layers:
            x = each(x)
        return self.dropout(self.norm(x))


def train(model: nnx.Linear, optimizer: nnx.Optimizer[nnx.Linear], x: jax.Array) -> None:
    """Update a model and the state of its optimizer."""
    optimizer.update(model, nnx.grad(lambda model: (model(x) ** 2).mean())(model))


def trained() -> Picture:
    """Return what a step of training changes."""
    model = nnx.Linear(3, 2, rngs=nnx.Rngs(0))
    return show.show_module(train, model, nnx.Optimizer(model, optax.adam(0.1), wrt=nnx.Param), X)


def on_a_mesh(x: jax.Array) -> Any:
    """Return an array that is cut along a mesh of one device."""
    mesh = jax.make_mesh((1,), ("data",), devices=jax.devices()[:1])
    return jax.device_put(x, jax.NamedSharding(mesh, jax.P("data")))


MANY = {f"w{i}": jnp.ones(i + 1) for i in range(100)}
DRAWN |= {
    "module, block": lambda: show.show_module(Block(nnx.Rngs(0)), X),
    "module, training": trained,
    "by hand, grad": lambda: show.show_by_hand("grad"),
    "by hand, vmap": lambda: show.show_by_hand("vmap"),
    "split, block": lambda: show.show_split(Block(nnx.Rngs(0)), nnx.Param, nnx.RngState, ...),
    "split, linear": lambda: show.show_split(nnx.Linear(2, 3, rngs=nnx.Rngs(0))),
    "split, many": lambda: show.show_split(nnx.Dict({k: nnx.Param(v) for k, v in MANY.items()})),
    "levels, argument": lambda: show.show_levels(Block.__call__, Block(nnx.Rngs(0)), X),
    "levels, captured": lambda: show.show_levels(Block(nnx.Rngs(0)), X),
    "levels, many": lambda: show.show_levels(
        lambda model: model, nnx.Dict({k: nnx.Param(v) for k, v in MANY.items()})
    ),
    "shards, one device": lambda: show.show_shards(X),
    "shards, scalar": lambda: show.show_shards(jax.random.key(0)),
    "exchange, one device": lambda: show.show_exchange(jnp.sum, on_a_mesh(jnp.ones(3))),
    "exchange, two functions": lambda: show.show_exchange(
        {"a rather long name": jnp.cumsum, "sqrt": jnp.sqrt}, on_a_mesh(jnp.arange(12.0) / 7)
    ),
}
