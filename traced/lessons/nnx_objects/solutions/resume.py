"""A solution of `resume`."""

import orbax.checkpoint as ocp
from flax import nnx


def resume(folder, create):
    with ocp.CheckpointManager(folder) as manager:
        step = manager.latest_step()
        if step is None:
            return create(), 0
        graphdef, shapes = nnx.split(nnx.eval_shape(create))
        state = manager.restore(step, args=ocp.args.StandardRestore(shapes))
    return nnx.merge(graphdef, state), step + 1
