"""A solution of `loss_after`."""

from flax import nnx


def loss_after(model, step, loss):
    kept = nnx.to_pure_dict(nnx.state(model, nnx.Param))
    step(model)
    result = loss(model)
    nnx.update(model, kept)
    return result
