"""A solution of `resume`."""

import orbax.checkpoint as ocp
from flax import nnx


def resume(path, create):
    graphdef, shapes = nnx.split(nnx.eval_shape(create))
    with ocp.StandardCheckpointer() as checkpointer:
        return nnx.merge(graphdef, checkpointer.restore(path, shapes))
