"""A solution of `rate_all`."""

import jax
import jax.numpy as jnp


def rate(model, example):
    hidden = jnp.where(example["mask"], jnp.tanh(example["x"] @ model["kernel"]), 0.0)
    return {"hidden": hidden, "score": hidden @ model["head"], "used": jnp.sum(example["mask"])}


def rate_all(model, batch):
    in_axes = (None, {"x": 1, "mask": None})
    out_axes = {"hidden": 1, "score": 0, "used": None}
    return jax.vmap(rate, in_axes, out_axes)(model, batch)
