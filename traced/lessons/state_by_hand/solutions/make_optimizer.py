"""A solution of `make_optimizer`."""

import jax
import optax


def is_matrix(params):
    return jax.tree.map(lambda leaf: leaf.ndim >= 2, params)


def make_optimizer(rate, warmup, steps):
    schedule = optax.warmup_cosine_decay_schedule(0.0, rate, warmup, steps)
    adamw = optax.adamw(schedule, weight_decay=0.1, mask=is_matrix)
    return optax.chain(optax.clip_by_global_norm(1.0), adamw)
