"""A solution of `predict_all`."""

import jax
import jax.numpy as jnp


def predict(model, example, scale):
    hidden = example["x"] @ model["kernel"] + model["bias"]
    return scale * jnp.where(example["mask"], hidden, 0.0)


def predict_all(model, batch, scales):
    return jax.vmap(predict, in_axes=(None, {"x": 0, "mask": None}, 0))(model, batch, scales)
