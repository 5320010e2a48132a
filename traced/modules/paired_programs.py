"""For each transform of NNX a program with it, and the same by hand: those that a picture shows.

They are without types, as a reader would write them, and both programs keep to the same lines.
"""

import jax
import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
    """Scale, and count the calls."""

    def __init__(self, scale=2.0, calls=0):
        self.scale, self.calls = nnx.Param(jnp.asarray(scale)), nnx.Variable(jnp.asarray(calls))

    def __call__(self, x):
        self.calls[...] += 1
        return self.scale * x


def with_a_float():
    """Return a block that counts in floats: an integer has no tangent but an empty one."""
    return Block(calls=0.0)


def stack():
    """Return three blocks as one, with longer arrays."""
    return nnx.vmap(Block)(jnp.array([1.0, 2.0, 3.0]))


def one_of_a_stack():
    """Return a stack of one block, for there may be no more devices than one."""
    return nnx.vmap(Block)(jnp.array([2.0]))


def jit_nnx(block, x):
    def run(block, x):
        out = block(x)
        return out

    out = nnx.jit(run)(block, x)
    return out


def jit_by_hand(block, x):
    def run(state, x):
        block = nnx.merge(graphdef, state)
        out = block(x)
        return out, nnx.state(block)

    graphdef, state = nnx.split(block)
    out, state = jax.jit(run)(state, x)
    nnx.update(block, state)
    return out


def grad_nnx(block, x):
    def loss(block, x):
        out = block(x)
        return out

    slopes = nnx.grad(loss)(block, x)
    return slopes


def grad_by_hand(block, x):
    def loss(params, rest, x):
        block = nnx.merge(graphdef, params, rest, copy=True)
        out = block(x)
        return out, nnx.state(block, nnx.Not(nnx.Param))

    graphdef, params, rest = nnx.split(block, nnx.Param, ...)
    slopes, rest = jax.grad(loss, has_aux=True)(params, rest, x)
    nnx.update(block, rest)
    return slopes


def vjp_nnx(block, x):
    def run(block, x):
        out = block(x)
        return out

    out, pull = nnx.vjp(run, block, x)
    _, slope = pull(1.0)
    return out, slope


def vjp_by_hand(block, x):
    def run(state, x):
        block = nnx.merge(graphdef, state)
        out = block(x)
        return out, nnx.state(block)

    graphdef, state = nnx.split(block)
    out, pull, state = jax.vjp(run, state, x, has_aux=True)
    nnx.update(block, state)
    _, slope = pull(1.0)
    return out, slope


def jvp_nnx(block, x):
    def run(block, x):
        out = block(x)
        return out

    still = jax.tree.map(jnp.zeros_like, block)
    out, slope = nnx.jvp(run, (block, x), (still, 1.0))
    return out, slope


def jvp_by_hand(block, x):
    def run(state, x):
        block = nnx.merge(graphdef, state)
        out = block(x)
        return out, nnx.state(block)

    graphdef, state = nnx.split(block)
    still = jax.tree.map(jnp.zeros_like, state)
    out, slope, state = jax.jvp(run, (state, x), (still, 1.0), has_aux=True)
    nnx.update(block, state)
    return out, slope


def custom_vjp_nnx(block, x):
    def call(block, x):
        out = block(x)
        return out

    def forward(block, x):
        return run(block, x), None

    def backward(kept, slopes):
        (of_block, _), of_out = slopes
        return of_block, 10 * of_out

    run = nnx.custom_vjp(call)
    run.defvjp(forward, backward)
    slope = nnx.grad(run, argnums=1)(block, x)
    return slope


def custom_vjp_by_hand(block, x):
    def call(state, x):
        block = nnx.merge(graphdef, state)
        out = block(x)
        return out, nnx.state(block)

    def forward(state, x):
        return run(state, x), None

    def backward(kept, slopes):
        of_out, of_block = slopes
        return of_block, 10 * of_out

    graphdef, state = nnx.split(block)
    run = jax.custom_vjp(call)
    run.defvjp(forward, backward)
    slope, state = jax.grad(run, argnums=1, has_aux=True)(state, x)
    nnx.update(block, state)
    return slope


def remat_nnx(block, x):
    def run(block, x):
        out = block(x)
        return out

    out = nnx.remat(run)(block, x)
    return out


def remat_by_hand(block, x):
    def run(state, x):
        block = nnx.merge(graphdef, state)
        out = block(x)
        return out, nnx.state(block)

    graphdef, state = nnx.split(block)
    out, state = jax.checkpoint(run)(state, x)
    nnx.update(block, state)
    return out


def vmap_nnx(blocks, x):
    def run(block, x):
        out = block(x)
        return out

    out = nnx.vmap(run, in_axes=(0, None))(blocks, x)
    return out


def vmap_by_hand(blocks, x):
    def run(state, x):
        block = nnx.merge(graphdef, state)
        out = block(x)
        return out, nnx.state(block)

    graphdef, state = nnx.split(blocks)
    out, state = jax.vmap(run, in_axes=(0, None))(state, x)
    nnx.update(blocks, state)
    return out


def pmap_nnx(blocks, x):
    def run(block, x):
        out = block(x)
        return out

    out = nnx.pmap(run, in_axes=(0, None))(blocks, x)
    return out


def pmap_by_hand(blocks, x):
    def run(state, x):
        block = nnx.merge(graphdef, state)
        out = block(x)
        return out, nnx.state(block)

    graphdef, state = nnx.split(blocks)
    out, state = jax.pmap(run, in_axes=(0, None))(state, x)
    nnx.update(blocks, state)
    return out


def shard_map_nnx(block, x):
    def run(block, x):
        out = block(x)
        return out

    mesh = jax.make_mesh((1,), ("data",), devices=jax.devices()[:1])
    every = {"in_specs": jax.P(), "out_specs": jax.P()}
    out = nnx.shard_map(run, mesh=mesh, **every)(block, x)
    return out


def shard_map_by_hand(block, x):
    def run(state, x):
        block = nnx.merge(graphdef, state)
        out = block(x)
        return out, nnx.state(block)

    graphdef, state = nnx.split(block)
    mesh = jax.make_mesh((1,), ("data",), devices=jax.devices()[:1])
    every = {"in_specs": jax.P(), "out_specs": jax.P()}
    out, state = jax.shard_map(run, mesh=mesh, **every)(state, x)
    nnx.update(block, state)
    return out


def scan_nnx(blocks, h):
    def run(h, block):
        h = block(h)
        return h, None

    h, _ = nnx.scan(run)(h, blocks)
    return h


def scan_by_hand(blocks, h):
    def run(h, state):
        block = nnx.merge(graphdef, state)
        h = block(h)
        return h, nnx.state(block)

    graphdef, state = nnx.split(blocks)
    h, state = jax.lax.scan(run, h, state)
    nnx.update(blocks, state)
    return h


def cond_nnx(block, x):
    def run(block, x):
        out = block(x)
        return out

    def skip(block, x):
        return x

    out = nnx.cond(x > 0, run, skip, block, x)
    return out


def cond_by_hand(block, x):
    def run(state, x):
        block = nnx.merge(graphdef, state)
        out = block(x)
        return out, nnx.state(block)

    def skip(state, x):
        return x, state

    graphdef, state = nnx.split(block)
    out, state = jax.lax.cond(x > 0, run, skip, state, x)
    nnx.update(block, state)
    return out


def switch_nnx(block, x):
    def run(block, x):
        out = block(x)
        return out

    def skip(block, x):
        return x

    out = nnx.switch(0, [run, skip], block, x)
    return out


def switch_by_hand(block, x):
    def run(state, x):
        block = nnx.merge(graphdef, state)
        out = block(x)
        return out, nnx.state(block)

    def skip(state, x):
        return x, state

    graphdef, state = nnx.split(block)
    out, state = jax.lax.switch(0, [run, skip], state, x)
    nnx.update(block, state)
    return out


def fori_loop_nnx(block, x):
    def run(i, carry):
        block, x = carry
        x = block(x)
        return block, x

    block, x = nnx.fori_loop(0, 3, run, (block, x))
    return x


def fori_loop_by_hand(block, x):
    def run(i, carry):
        state, x = carry
        block = nnx.merge(graphdef, state)
        x = block(x)
        return nnx.state(block), x

    graphdef, state = nnx.split(block)
    state, x = jax.lax.fori_loop(0, 3, run, (state, x))
    nnx.update(block, state)
    return x


def while_loop_nnx(block, x):
    def is_small(carry):
        return carry[1] < 9

    def run(carry):
        block, x = carry
        x = block(x)
        return block, x

    block, x = nnx.while_loop(is_small, run, (block, x))
    return x


def while_loop_by_hand(block, x):
    def is_small(carry):
        return carry[1] < 9

    def run(carry):
        state, x = carry
        block = nnx.merge(graphdef, state)
        x = block(x)
        return nnx.state(block), x

    graphdef, state = nnx.split(block)
    state, x = jax.lax.while_loop(is_small, run, (state, x))
    nnx.update(block, state)
    return x


#: For each transform the two programs, and what makes their first argument.
PROGRAMS = {
    "jit": (jit_nnx, jit_by_hand, Block),
    "grad": (grad_nnx, grad_by_hand, Block),
    "vjp": (vjp_nnx, vjp_by_hand, Block),
    "jvp": (jvp_nnx, jvp_by_hand, with_a_float),
    "custom_vjp": (custom_vjp_nnx, custom_vjp_by_hand, with_a_float),
    "remat": (remat_nnx, remat_by_hand, Block),
    "vmap": (vmap_nnx, vmap_by_hand, stack),
    "pmap": (pmap_nnx, pmap_by_hand, one_of_a_stack),
    "shard_map": (shard_map_nnx, shard_map_by_hand, Block),
    "scan": (scan_nnx, scan_by_hand, stack),
    "cond": (cond_nnx, cond_by_hand, Block),
    "switch": (switch_nnx, switch_by_hand, Block),
    "fori_loop": (fori_loop_nnx, fori_loop_by_hand, Block),
    "while_loop": (while_loop_nnx, while_loop_by_hand, Block),
}
