"""A solution of `run_to`."""

import jax
import orbax.checkpoint as ocp


def run_to(folder, start, advance, last):
    with ocp.CheckpointManager(folder) as manager:
        done = manager.latest_step()
        if done is None:
            done, state = 0, start()
        else:
            target = ocp.args.StandardRestore(jax.eval_shape(start))
            state = manager.restore(done, args=target)
        for n in range(done + 1, last + 1):
            state = advance(state)
            if n % 5 == 0 or n == last:
                manager.save(n, args=ocp.args.StandardSave(state))
    return state
