"""Right and wrong answers to the exercises of 14_cost_of_state."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from traced.lessons.cost_of_state.solutions.make_fast_step import step
from traced.lessons.cost_of_state.solutions.train_all import train_all

# split_step


@jax.jit
def one_run(graphdef, state, x, y):
    objects = nnx.merge(graphdef, state)
    loss = step(*objects, x, y)
    return nnx.state(objects), loss


def jitted_afterwards(step):
    def run(graphdef, state, *batch):
        objects = nnx.merge(graphdef, state)
        result = step(*objects, *batch)
        return nnx.split(objects)[1], result

    return jax.jit(run)


def graphdef_of_the_first_call(step):
    kept = []

    @jax.jit
    def pure(state, *batch):
        objects = nnx.merge(kept[0], state)
        result = step(*objects, *batch)
        return nnx.state(objects), result

    def run(graphdef, state, *batch):
        if not kept:
            kept.append(graphdef)
        return pure(state, *batch)

    return run


def graphdef_static(step):
    @partial(jax.jit, static_argnums=0)
    def run(graphdef, state, *batch):
        objects = nnx.merge(graphdef, state)
        result = step(*objects, *batch)
        return nnx.state(objects), result

    return run


def around_a_jitted(step):
    @jax.jit
    def inner(state, graphdef, batch):
        objects = nnx.merge(graphdef, state)
        result = step(*objects, *batch)
        return nnx.state(objects), result

    return lambda graphdef, state, *batch: inner(state, graphdef, batch)


def merged_in_place(step):
    # The Variables of the merged objects are those of the state.
    return jax.jit(lambda graphdef, state, *b: (state, step(*nnx.merge(graphdef, state), *b)))


def donating(step):
    @partial(jax.jit, donate_argnums=1)
    def run(graphdef, state, *batch):
        objects = nnx.merge(graphdef, state)
        result = step(*objects, *batch)
        return nnx.state(objects), result

    return run


def split_not_jitted(step):
    return lambda *args: jitted_afterwards(step).__wrapped__(*args)


def old_state(step):
    @jax.jit
    def run(graphdef, state, *batch):
        return state, step(*nnx.merge(graphdef, state, copy=True), *batch)

    return run


def loss_first(step):
    @jax.jit
    def run(graphdef, state, *batch):
        objects = nnx.merge(graphdef, state)
        loss = step(*objects, *batch)
        return loss, nnx.state(objects)

    return run


def first_only(step):
    @jax.jit
    def run(graphdef, state, *batch):
        objects = nnx.merge(graphdef, state)
        loss = step(*objects, *batch)
        return nnx.state(objects[0]), loss

    return run


def loss_only(step):
    return jax.jit(lambda graphdef, state, *batch: step(*nnx.merge(graphdef, state), *batch))


def whole_objects(step):
    @jax.jit
    def run(graphdef, state, *batch):
        objects = nnx.merge(graphdef, state)
        loss = step(*objects, *batch)
        return objects, loss

    return run


def nothing_returned(step):
    @jax.jit
    def run(graphdef, state, *batch):
        step(*nnx.merge(graphdef, state), *batch)

    return run


def jitted_anew(step):
    return lambda *args: jax.jit(lambda *args: split_not_jitted(step)(*args))(*args)


def jitted_inside_anew(step):
    def run(graphdef, state, *batch):
        objects = nnx.merge(graphdef, state)
        loss = nnx.jit(lambda *args: step(*args))(*objects, *batch)
        return nnx.state(objects), loss

    return run


def merged_outside(step):
    jitted = nnx.jit(step)

    def run(graphdef, state, *batch):
        objects = nnx.merge(graphdef, state)
        loss = jitted(*objects, *batch)
        return nnx.state(objects), loss

    return run


def split_under_nnx_jit(step):
    return nnx.jit(jitted_afterwards(step).__wrapped__)


def two_objects(step):
    @jax.jit
    def run(graphdef, state, *batch):
        model, optimizer = nnx.merge(graphdef, state)
        loss = step(model, optimizer, *batch)
        return nnx.state((model, optimizer)), loss

    return run


def two_arguments(step):
    @jax.jit
    def run(graphdef, state, x, y):
        objects = nnx.merge(graphdef, state)
        loss = step(*objects, x, y)
        return nnx.state(objects), loss

    return run


def one_step_for_all(_):
    return one_run


def run_at_once(step):
    return one_run(*nnx.split(step))


# make_fast_step


def in_graph_mode(model, optimizer):
    return nnx.jit_partial(step, model, optimizer, graph=True, graph_updates=False)


def in_tree_mode(model, optimizer):
    return nnx.jit_partial(step, model, optimizer, graph=False)


def leaves_written_back(model, optimizer):
    graphdef, state = nnx.split((model, optimizer))
    leaves, structure = jax.tree.flatten(state)
    variables = jax.tree.leaves(
        nnx.state((model, optimizer)), is_leaf=lambda leaf: isinstance(leaf, nnx.Variable)
    )

    @jax.jit
    def pure(leaves, x, y):
        objects = nnx.merge(graphdef, jax.tree.unflatten(structure, leaves))
        loss = step(*objects, x, y)
        return jax.tree.leaves(nnx.state(objects)), loss

    def call(x, y):
        nonlocal leaves
        leaves, loss = pure(leaves, x, y)
        for variable, leaf in zip(variables, leaves, strict=True):
            variable.set_value(leaf)
        return loss

    return call


def _written_back_by(write, model, optimizer):
    graphdef, state = nnx.split((model, optimizer))
    leaves, structure = jax.tree.flatten(state)
    variables = [each for _, each in nnx.to_flat_state(nnx.state((model, optimizer)))]

    @jax.jit
    def pure(leaves, x, y):
        objects = nnx.merge(graphdef, jax.tree.unflatten(structure, leaves))
        loss = step(*objects, x, y)
        return jax.tree.leaves(nnx.state(objects)), loss

    def call(x, y):
        nonlocal leaves
        leaves, loss = pure(leaves, x, y)
        for variable, leaf in zip(variables, leaves, strict=True):
            write(variable, leaf)
        return loss

    return call


def written_by_index(model, optimizer):
    def write(variable, leaf):
        variable[...] = leaf

    return _written_back_by(write, model, optimizer)


def optimizer_copied(model, optimizer):
    return nnx.jit_partial(step, model, nnx.clone(optimizer), graph_updates=False)


def wrapped_partial(model, optimizer):
    fast = nnx.jit_partial(step, model, optimizer, graph_updates=False)

    def call(x, y):
        return fast(x, y)

    return call


def nnx_jit(model, optimizer):
    jitted = nnx.jit(step)
    return lambda x, y: jitted(model, optimizer, x, y)


def tree_mode(model, optimizer):
    jitted = nnx.jit(step, graph=False)
    return lambda x, y: jitted(model, optimizer, x, y)


def by_cached_partial(model, optimizer):
    return nnx.cached_partial(nnx.jit(step), model, optimizer)


def no_mode(model, optimizer):
    return nnx.jit_partial(step, model, optimizer)


def updated_at_each_call(model, optimizer):
    graphdef, state = nnx.split((model, optimizer))

    def call(x, y):
        nonlocal state
        state, loss = one_run(graphdef, state, x, y)
        nnx.update((model, optimizer), state)
        return loss

    return call


def eager(model, optimizer):
    return lambda x, y: step(model, optimizer, x, y)


def written_back_every_other_call(model, optimizer):
    graphdef, state = nnx.split((model, optimizer))
    leaves, structure = jax.tree.flatten(state)
    variables = [each for _, each in nnx.to_flat_state(nnx.state((model, optimizer)))]
    calls = 0

    @jax.jit
    def pure_step(leaves, x, y):
        objects = nnx.merge(graphdef, jax.tree.unflatten(structure, leaves))
        loss = step(*objects, x, y)
        return jax.tree.leaves(nnx.state(objects)), loss

    def fast_step(x, y):
        nonlocal leaves, calls
        leaves, loss = pure_step(leaves, x, y)
        calls += 1
        if calls % 2:
            for variable, leaf in zip(variables, leaves, strict=True):
                variable.set_value(leaf)
        return loss

    return fast_step


def forgets_the_model(model, optimizer):
    graphdef, state = nnx.split((model, optimizer))
    leaves, structure = jax.tree.flatten(state)

    @jax.jit
    def pure(leaves, x, y):
        objects = nnx.merge(graphdef, jax.tree.unflatten(structure, leaves))
        loss = step(*objects, x, y)
        return jax.tree.leaves(nnx.state(objects)), loss

    def call(x, y):
        nonlocal leaves
        leaves, loss = pure(leaves, x, y)
        return loss

    return call


def written_back_once(model, optimizer):
    fast, kept = leaves_written_back(model, optimizer), []

    def call(x, y):
        loss = fast(x, y)
        # As if only the first call wrote back.
        kept.append(nnx.to_pure_dict(nnx.state(model)))
        nnx.update(model, kept[0])
        return loss

    return call


def parameters_alone_written_back(model, optimizer):
    kinds = nnx.Param, nnx.OptState, nnx.optimizer.OptVariable

    def write(variable, leaf):
        if isinstance(variable, kinds):
            variable.set_value(leaf)

    return _written_back_by(write, model, optimizer)


def bound_arguments(model, optimizer):
    return jax.jit(partial(step, model, optimizer))


def jax_jit(model, optimizer):
    jitted = jax.jit(step)
    return lambda x, y: jitted(model, optimizer, x, y)


def makes_it_at_each_call(model, optimizer):
    return lambda x, y: nnx.jit_partial(lambda *args: step(*args), model, optimizer, graph=False)(
        x, y
    )


def calls_it(model, optimizer):
    return nnx.jit_partial(step, model, optimizer, graph=False)(jnp.ones((4, 8)), jnp.ones((4, 8)))


# train


def asks_until_it_is_ready(advance, batches, every):
    losses = []
    for batch in batches:
        losses.append(advance(batch))
        while not losses[-1].is_ready():
            pass
    return [float(loss) for loss in losses[::every]]


def asks_once_whether_it_is_ready(advance, batches, every):
    losses, ready = [], 0
    for batch in batches:
        losses.append(advance(batch))
        ready += losses[-1].is_ready()
    return [float(loss) for loss in losses[::every]]


def reads_as_it_goes(advance, batches, every):
    losses = []
    for i, batch in enumerate(batches):
        loss = advance(batch)
        if i % every == 0:
            losses.append(float(loss))
    return losses


def keeps_all(advance, batches, every):
    losses = [advance(batch) for batch in batches]
    return [loss.item() for loss in losses[::every]]


def fetches_at_the_end(advance, batches, every):
    losses = [advance(batch) for batch in batches]
    return [float(loss) for loss in jax.device_get(losses[::every])]


def stacks(advance, batches, every):
    losses = jnp.stack([advance(batch) for batch in batches])
    return losses[::every].tolist()


def through_numpy(advance, batches, every):
    losses = []
    for batch in batches:
        losses.append(advance(batch))
    return np.asarray(losses[::every], dtype=np.float32).tolist()


def reads_all_at_the_end(advance, batches, every):
    losses = [advance(batch) for batch in batches]
    return [float(loss) for loss in losses][::every]


def waits_for_the_one_before(advance, batches, every):
    losses = []
    for batch in batches:
        losses.append(advance(batch))
        if len(losses) > 1:
            jax.block_until_ready(losses[-2])
    return [float(loss) for loss in losses[::every]]


def float_each(advance, batches, every):
    losses = [float(advance(batch)) for batch in batches]
    return losses[::every]


def prints_each(advance, batches, every):
    losses = []
    for batch in batches:
        losses.append(advance(batch))
        if losses[-1].item() > 1e9:
            break
    return [float(loss) for loss in losses[::every]]


def blocks_each(advance, batches, every):
    losses = [advance(batch).block_until_ready() for batch in batches]
    return [float(loss) for loss in losses[::every]]


def formats_each(advance, batches, every):
    losses = []
    for batch in batches:
        loss = advance(batch)
        print(f"{loss:.2f}", end="\r")
        losses.append(loss)
    return [float(loss) for loss in losses[::every]]


def skips_batches(advance, batches, every):
    return [float(advance(batch)) for batch in batches[::every]]


def rounded(advance, batches, every):
    losses = [advance(batch) for batch in batches]
    return [round(float(loss), 3) for loss in losses[::every]]


def one_late(advance, batches, every):
    losses = [advance(batch) for batch in batches]
    return [float(loss) for loss in losses[every - 1 :: every]]


def unread(advance, batches, every):
    return [advance(batch) for batch in batches][::every]


def looks_for_nan(advance, batches, every):
    losses = []
    for batch in batches:
        loss = advance(batch)
        if jnp.isnan(loss):
            print("NaN")
        losses.append(loss)
    return [float(loss) for loss in losses[::every]]


@jax.jit
def _sum(total, loss):
    return total + loss


def sums_under_jit(advance, batches, every):
    losses, total = [], 0.0
    for batch in batches:
        losses.append(advance(batch))
        total = _sum(total, losses[-1])
    return [float(loss) for loss in losses[::every]]


def prints_a_sum(advance, batches, every):
    losses, total = [], 0.0
    for batch in batches:
        losses.append(advance(batch))
        total = _sum(total, losses[-1])
        print(total, end="\r")
    return [float(loss) for loss in losses[::every]]


def waits_for_others(advance, batches, every):
    losses = []
    for i, batch in enumerate(batches):
        losses.append(advance(batch))
        if i % every == every - 1:
            print(losses[-1], end="\r")
    return [float(loss) for loss in losses[::every]]


def blocks_all_so_far(advance, batches, every):
    losses = []
    for batch in batches:
        losses.append(advance(batch))
        jax.block_until_ready(losses)
    return [float(loss) for loss in losses[::every]]


def one_step_more(advance, batches, every):
    losses = [advance(batch) for batch in batches]
    advance(batches[-1])
    return [float(loss) for loss in losses[::every]]


def as_numpy(advance, batches, every):
    return list(np.asarray([advance(batch) for batch in batches][::every]))


def copied_meanwhile(advance, batches, every):
    losses = [advance(batch).astype(jnp.float32) for batch in batches][::every]
    for loss in losses:
        loss.copy_to_host_async()
    return [float(jnp.where(jnp.isnan(loss), jnp.nan, loss)) for loss in losses]


def by_a_tree(advance, batches, every):
    return jax.tree.map(float, jax.tree.map(advance, batches)[::every])


def loop_without_return(advance, batches, every):
    reads_as_it_goes(advance, batches, every)


def _with_a_mean(total, add, is_due=lambda i, every: True):
    """Return an answer that adds each loss to a total, and reads it where that is due."""

    def train(advance, batches, every):
        losses, now = [], total
        for i, batch in enumerate(batches):
            losses.append(advance(batch))
            now = add(now, losses[-1])
            if is_due(i, every):
                print(f"mean so far {float(now) / (i + 1):.3f}", end="\r")
        return [float(loss) for loss in losses[::every]]

    return train


def mean_meanwhile(advance, batches, every):
    return _with_a_mean(0.0, lambda now, loss: now + loss)(advance, batches, every)


def mean_of_every_tenth(advance, batches, every):
    train = _with_a_mean(0.0, lambda now, loss: loss + now, lambda i, every: i % 10 == 1)
    return train(advance, batches, every)


def _at_those_returned(i, every):
    return i % every == 0


def mean_at_those_returned(advance, batches, every):
    train = _with_a_mean(np.float32(0), lambda now, loss: now + loss, _at_those_returned)
    return train(advance, batches, every)


def mean_by_jax_at_those_returned(advance, batches, every):
    return _with_a_mean(0.0, jnp.add, _at_those_returned)(advance, batches, every)


def mean_of_a_tree(advance, batches, every):
    def add(now, loss):
        return jax.tree.map(jnp.add, now, loss)

    return _with_a_mean(jnp.float32(0), add, _at_those_returned)(advance, batches, every)


def highest_by_jax(advance, batches, every):
    return _with_a_mean(-jnp.inf, jnp.maximum, _at_those_returned)(advance, batches, every)


def blocks_on_a_sum(advance, batches, every):
    losses, total = [], 0.0
    for batch in batches:
        losses.append(advance(batch))
        total = jax.block_until_ready(_sum(total, losses[-1]))
    return [float(loss) for loss in losses[::every]]


def asks_whether_it_is_finite(advance, batches, every):
    losses = []
    for batch in batches:
        losses.append(advance(batch))
        if jnp.isinf(jnp.square(losses[-1])):
            print("infinite")
    return [float(loss) for loss in losses[::every]]


def mean_at_the_end(advance, batches, every):
    def is_due(i, every):
        return i == len(batches) - 1

    return _with_a_mean(0.0, lambda now, loss: loss + now, is_due)(advance, batches, every)


def reads_something_else(advance, batches, every):
    """Read the returned losses and a rate as it goes, and keep the highest for the end."""
    kept, highest, rates = [], -jnp.inf, jnp.linspace(1.0, 0.0, 30)
    for i, batch in enumerate(batches):
        loss = advance(batch)
        if i % every == 0:
            kept.append(float(loss))
            print(f"{rates[i]:.2f} {jnp.log(loss):.2f}", end="\r")
        highest = jnp.maximum(highest, loss)
    print(highest, end="\r")
    return kept


# train_all


def _better(loss, lowest, now, best):
    return jax.tree.map(lambda new, old: jnp.where(loss < lowest, new, old), now, best)


def _scanned(model, optimizer, xs, ys, better=_better):
    graphdef, state = nnx.split((model, optimizer))

    def body(carry, batch):
        state, lowest, best = carry
        objects = nnx.merge(graphdef, state)
        now = nnx.to_pure_dict(nnx.state(objects[0]))
        loss = step(*objects, *batch)
        best = better(loss, lowest, now, best)
        return (nnx.state(objects), jnp.minimum(loss, lowest), best), loss

    first = state, jnp.inf, nnx.to_pure_dict(nnx.state(model))
    (state, _, best), losses = jax.lax.scan(body, first, (xs, ys))
    return state, best, losses


def lowest_begins_at_one(model, optimizer, xs, ys):
    def better(loss, lowest, now, best):
        return _better(loss, jnp.minimum(lowest, 1.0), now, best)

    state, best, losses = _scanned(model, optimizer, xs, ys, better)
    nnx.update((model, optimizer), state)
    nnx.update(model, best)
    return losses


def scan_not_jitted(model, optimizer, xs, ys):
    state, best, losses = _scanned(model, optimizer, xs, ys)
    nnx.update((model, optimizer), state)
    nnx.update(model, best)
    return losses


def scan_inside_nnx_jit(model, optimizer, xs, ys):
    return nnx.jit(scan_not_jitted)(model, optimizer, xs, ys)


def with_nnx_scan(model, optimizer, xs, ys):
    @nnx.jit
    def run(model, optimizer, xs, ys):
        def body(carry, x, y):
            model, optimizer, lowest, best = carry
            now = nnx.to_pure_dict(nnx.state(model))
            loss = step(model, optimizer, x, y)
            best = _better(loss, lowest, now, best)
            return (model, optimizer, jnp.minimum(loss, lowest), best), loss

        first = model, optimizer, jnp.array(jnp.inf), nnx.to_pure_dict(nnx.state(model))
        scan = nnx.scan(body, in_axes=(nnx.Carry, 0, 0), out_axes=(nnx.Carry, 0))
        (_, _, _, best), losses = scan(first, xs, ys)
        nnx.update(model, best)
        return losses

    return run(model, optimizer, xs, ys)


def all_parameters_stacked(model, optimizer, xs, ys):
    graphdef, state = nnx.split((model, optimizer))

    @jax.jit
    def run(state, xs, ys):
        def body(state, batch):
            objects = nnx.merge(graphdef, state)
            now = nnx.to_pure_dict(nnx.state(objects[0]))
            loss = step(*objects, *batch)
            return nnx.state(objects), (now, loss)

        return jax.lax.scan(body, state, (xs, ys))

    state, (every, losses) = run(state, xs, ys)
    nnx.update((model, optimizer), state)
    nnx.update(model, jax.tree.map(lambda leaf: leaf[jnp.argmin(losses)], every))
    return losses


def with_cond(model, optimizer, xs, ys):
    def better(loss, lowest, now, best):
        return jax.lax.cond(loss < lowest, lambda: now, lambda: best)

    state, best, losses = _scanned(model, optimizer, xs, ys, better)
    nnx.update((model, optimizer), state)
    nnx.update(model, best)
    return losses


def python_loop(model, optimizer, xs, ys):
    jitted, losses, kept = nnx.jit(step), [], []
    for x, y in zip(xs, ys, strict=True):
        kept.append(nnx.to_pure_dict(nnx.state(model)))
        losses.append(jitted(model, optimizer, x, y))
    losses = jnp.stack(losses)
    nnx.update(model, jax.tree.map(lambda *leaves: jnp.stack(leaves)[jnp.argmin(losses)], *kept))
    return losses


def never_updated(model, optimizer, xs, ys):
    return _scanned(model, optimizer, xs, ys)[2]


def model_updated_alone(model, optimizer, xs, ys):
    _, best, losses = _scanned(model, optimizer, xs, ys)
    nnx.update(model, best)
    return losses


def updated_as_copies(model, optimizer, xs, ys):
    state, best, losses = _scanned(model, optimizer, xs, ys)
    model, optimizer = nnx.merge(nnx.graphdef((model, optimizer)), state)
    nnx.update(model, best)
    return losses


def steps_set_to_none(model, optimizer, xs, ys):
    state, best, losses = _scanned(model, optimizer, xs, ys)
    before = optimizer.step[...]
    nnx.update((model, optimizer), state)
    nnx.update(model, best)
    optimizer.step[...] = before
    return losses


def keeps_the_last(model, optimizer, xs, ys):
    state, _, losses = _scanned(model, optimizer, xs, ys)
    nnx.update((model, optimizer), state)
    return losses


def keeps_the_first(model, optimizer, xs, ys):
    state, best, losses = _scanned(model, optimizer, xs, ys, lambda loss, lowest, now, best: best)
    nnx.update((model, optimizer), state)
    nnx.update(model, best)
    return losses


def keeps_the_highest(model, optimizer, xs, ys):
    def better(loss, lowest, now, best):
        return _better(lowest, loss, now, best)

    state, best, losses = _scanned(model, optimizer, xs, ys, better)
    nnx.update((model, optimizer), state)
    nnx.update(model, best)
    return losses


def compares_with_the_last(model, optimizer, xs, ys):
    graphdef, state = nnx.split((model, optimizer))

    def body(carry, batch):
        state, last, best = carry
        objects = nnx.merge(graphdef, state)
        now = nnx.to_pure_dict(nnx.state(objects[0]))
        loss = step(*objects, *batch)
        return (nnx.state(objects), loss, _better(loss, last, now, best)), loss

    first = state, jnp.inf, nnx.to_pure_dict(nnx.state(model))
    (state, _, best), losses = jax.lax.scan(body, first, (xs, ys))
    nnx.update((model, optimizer), state)
    nnx.update(model, best)
    return losses


def not_copied(model, optimizer, xs, ys):
    graphdef, state = nnx.split((model, optimizer))

    def body(carry, batch):
        state, lowest, best = carry
        objects = nnx.merge(graphdef, state)
        now = nnx.state(objects[0])  # the Variables, which the step changes
        loss = step(*objects, *batch)
        best = _better(loss, lowest, now, best)
        return (nnx.state(objects), jnp.minimum(loss, lowest), best), loss

    first = state, jnp.inf, nnx.state(model)
    (state, _, best), losses = jax.lax.scan(body, first, (xs, ys))
    nnx.update((model, optimizer), state)
    nnx.update(model, best)
    return losses


def after_the_step(model, optimizer, xs, ys):
    graphdef, state = nnx.split((model, optimizer))

    def body(carry, batch):
        state, lowest, best = carry
        objects = nnx.merge(graphdef, state)
        loss = step(*objects, *batch)
        best = _better(loss, lowest, nnx.to_pure_dict(nnx.state(objects[0])), best)
        return (nnx.state(objects), jnp.minimum(loss, lowest), best), loss

    first = state, jnp.inf, nnx.to_pure_dict(nnx.state(model))
    (state, _, best), losses = jax.lax.scan(body, first, (xs, ys))
    nnx.update((model, optimizer), state)
    nnx.update(model, best)
    return losses


def optimizer_of_the_best(model, optimizer, xs, ys):
    graphdef, state = nnx.split((model, optimizer))

    def body(carry, batch):
        state, lowest, best = carry
        objects = nnx.merge(graphdef, state)
        now = nnx.to_pure_dict(nnx.state(objects))
        loss = step(*objects, *batch)
        best = _better(loss, lowest, now, best)
        return (nnx.state(objects), jnp.minimum(loss, lowest), best), loss

    first = state, jnp.inf, nnx.to_pure_dict(state)
    (_, _, best), losses = jax.lax.scan(body, first, (xs, ys))
    nnx.update((model, optimizer), best)
    return losses


def last_loss(model, optimizer, xs, ys):
    return scan_not_jitted(model, optimizer, xs, ys)[-1]


def lowest_losses(model, optimizer, xs, ys):
    return jax.lax.cummin(scan_not_jitted(model, optimizer, xs, ys))


def both_returned(model, optimizer, xs, ys):
    return _scanned(model, optimizer, xs, ys)


def steps_on_the_outside(model, optimizer, xs, ys):
    def body(carry, batch):
        return carry, step(model, optimizer, *batch)

    return jax.lax.scan(body, None, (xs, ys))[1]


def batches_at_once(model, optimizer, xs, ys):
    graphdef, state = nnx.split((model, optimizer))

    def one(x, y):
        return step(*nnx.merge(graphdef, state, copy=True), x, y)

    return jax.jit(jax.vmap(one))(xs, ys)


def nothing_above_ten(model, optimizer, xs, ys):
    graphdef, state = nnx.split((model, optimizer))

    def body(carry, batch):
        state, best, lowest = carry
        model, optimizer = nnx.merge(graphdef, state)
        params = nnx.to_pure_dict(nnx.state(model, nnx.Param))
        loss = step(model, optimizer, *batch)
        best = jax.tree.map(lambda a, b: jnp.where(loss < lowest, a, b), params, best)
        return (nnx.state((model, optimizer)), best, jnp.minimum(loss, lowest)), loss

    start = state, nnx.to_pure_dict(nnx.state(model, nnx.Param)), jnp.float32(10.0)
    (state, best, _), losses = jax.lax.scan(body, start, (xs, ys))
    nnx.update((model, optimizer), state)
    nnx.update(model, best)
    return losses


def split_with(step, of_state=lambda state: state, of_result=lambda result: result, of=None):
    @jax.jit
    def run(graphdef, state, *batch):
        objects = nnx.merge(graphdef, state)
        result = step(*objects, *(jax.tree.map(of, batch) if of else batch))
        return of_state(nnx.state(objects)), of_result(result)

    return run


def in_float32(leaf):
    return leaf.astype("float32") if jnp.issubdtype(leaf.dtype, jnp.floating) else leaf


def state_in_float32(step):
    return split_with(step, of_state=lambda state: jax.tree.map(in_float32, state))


def result_in_float32(step):
    return split_with(step, of_result=lambda out: jax.tree.map(jnp.float32, out))


def batch_in_float32(step):
    return split_with(step, of=jnp.float32)


def nan_replaced(step):
    return split_with(step, of_result=lambda out: jax.tree.map(jnp.nan_to_num, out))


def returns_a_list(step):
    run = split_with(step)
    return lambda *args: list(run(*args))


def partly(own_step, model, optimizer):
    return nnx.jit_partial(own_step, model, optimizer, graph_updates=False)


def sum_over_both_axes(model, optimizer):
    def own_step(model, optimizer, x, y):
        def loss_of(model):
            return jnp.sum((model(x) - y) ** 2) / len(y) / y.shape[1]

        loss, gradients = nnx.value_and_grad(loss_of)(model)
        optimizer.update(model, gradients)
        return loss

    return partly(own_step, model, optimizer)


def clips_gradients(model, optimizer):
    def own_step(model, optimizer, x, y):
        def loss_of(model):
            return jnp.mean((model(x) - y) ** 2)

        loss, gradients = nnx.value_and_grad(loss_of)(model)
        optimizer.update(model, jax.tree.map(lambda each: jnp.clip(each, -1, 1), gradients))
        return loss

    return partly(own_step, model, optimizer)


def loss_after_the_step(model, optimizer):
    def own_step(model, optimizer, x, y):
        step(model, optimizer, x, y)
        return jnp.mean((model(x) - y) ** 2)

    return partly(own_step, model, optimizer)


def reads_the_loss(model, optimizer):
    run = partly(step, model, optimizer)
    return lambda x, y: float(run(x, y))


def without_nan(advance, batches, every):
    losses = [advance(batch) for batch in batches]
    return [float(loss) for loss in losses[::every] if loss == loss]


def stops_at_nan(advance, batches, every):
    read = []
    for number, batch in enumerate(batches):
        loss = advance(batch)
        if number % every == 0:
            read.append(float(loss))
            if read[-1] != read[-1]:
                break
    return read


def raises_at_nan(advance, batches, every):
    losses = [float(loss) for loss in [advance(batch) for batch in batches][::every]]
    if np.isnan(losses).any():
        raise FloatingPointError("the run diverged")
    return losses


def by_batch(advance, batches, every):
    losses = {batch: advance(batch) for batch in batches}
    return [float(losses[batch]) for batch in batches[::every]]


def four_decimals(advance, batches, every):
    losses = [advance(batch) for batch in batches]
    return [round(float(loss), 4) for loss in losses[::every]]


def lower_by_a_thousandth(model, optimizer, xs, ys):
    return keeping(lambda loss, lowest: loss < 0.999 * lowest, model, optimizer, xs, ys)


def lower_by_enough(model, optimizer, xs, ys):
    return keeping(lambda loss, lowest: loss < lowest - 1e-3, model, optimizer, xs, ys)


def not_higher(model, optimizer, xs, ys):
    return keeping(lambda loss, lowest: loss <= lowest, model, optimizer, xs, ys)


def keeping(is_better, model, optimizer, xs, ys):
    """Take a loss for the lowest where `is_better` says so."""

    def better(loss, lowest, now, best):
        chosen = is_better(loss, lowest)
        return jax.tree.map(lambda *each: jnp.where(chosen, *each), now, best)

    state, best, losses = _scanned(model, optimizer, xs, ys, better)
    nnx.update((model, optimizer), state)
    nnx.update(model, best)
    return losses


def optimizer_begun_anew(model, optimizer, xs, ys):
    new = nnx.Optimizer(model, optimizer.tx, wrt=nnx.Param)
    losses = train_all(model, new, xs, ys)
    nnx.update(optimizer, nnx.state(new))
    return losses


RIGHT = {
    "split_step": [
        jitted_afterwards,
        graphdef_static,
        around_a_jitted,
        merged_in_place,
        donating,
    ],
    "make_fast_step": [in_graph_mode, leaves_written_back, wrapped_partial, sum_over_both_axes],
    "train": [
        asks_once_whether_it_is_ready,
        reads_as_it_goes,
        keeps_all,
        fetches_at_the_end,
        stacks,
        through_numpy,
        sums_under_jit,
        copied_meanwhile,
        by_a_tree,
        reads_all_at_the_end,
        mean_at_the_end,
        reads_something_else,
    ],
    "train_all": [
        scan_not_jitted,
        scan_inside_nnx_jit,
        with_nnx_scan,
        all_parameters_stacked,
        with_cond,
        not_higher,
    ],
}
WRONG = {
    "split_step": {
        "tracing/not-jitted": [split_not_jitted],
        "value/differs": [old_state, nan_replaced],
        "value/structure": [
            loss_first,
            first_only,
            loss_only,
            whole_objects,
            returns_a_list,
        ],
        "value/dtype": [state_in_float32, result_in_float32, batch_in_float32],
        "value/nothing": [nothing_returned],
        "tracing/new-function": [jitted_anew, jitted_inside_anew],
        "cost/python-calls": [merged_outside, split_under_nnx_jit],
        "runs/raised": [
            two_objects,
            two_arguments,
            one_step_for_all,
            graphdef_of_the_first_call,
        ],
        "tracing/not-a-jax-type": [run_at_once],
    },
    "make_fast_step": {
        "cost/python-calls": [
            nnx_jit,
            by_cached_partial,
            updated_at_each_call,
            eager,
            written_by_index,
        ],
        "runs/raised": [no_mode, in_tree_mode, tree_mode],
        "nnx/lost-change": [
            forgets_the_model,
            jax_jit,
            optimizer_copied,
            parameters_alone_written_back,
        ],
        "nnx/trace-level": [bound_arguments],
        "value/differs": [
            written_back_once,
            written_back_every_other_call,
            clips_gradients,
            loss_after_the_step,
        ],
        "value/dtype": [reads_the_loss],
        "tracing/new-function": [makes_it_at_each_call],
        "runs/not-callable": [calls_it],
    },
    "train": {
        "cost/waits": [
            float_each,
            prints_each,
            blocks_each,
            formats_each,
            looks_for_nan,
            prints_a_sum,
            waits_for_others,
            blocks_all_so_far,
            waits_for_the_one_before,
            asks_until_it_is_ready,
            mean_meanwhile,
            mean_of_every_tenth,
            mean_at_those_returned,
            mean_by_jax_at_those_returned,
            mean_of_a_tree,
            highest_by_jax,
            blocks_on_a_sum,
            asks_whether_it_is_finite,
        ],
        "value/differs": [
            skips_batches,
            one_late,
            one_step_more,
            rounded,
            by_batch,
            four_decimals,
        ],
        "value/structure": [unread, as_numpy, without_nan, stops_at_nan],
        "value/nothing": [loop_without_return],
        "runs/raised": [raises_at_nan],
    },
    "train_all": {
        "loops/unrolled": [python_loop],
        "nnx/lost-change": [never_updated, model_updated_alone, updated_as_copies],
        "nnx/undone": [steps_set_to_none],
        "value/shape": [last_loss],
        "value/structure": [both_returned],
        "nnx/trace-level": [steps_on_the_outside],
        "value/differs": [
            batches_at_once,
            keeps_the_last,
            keeps_the_highest,
            after_the_step,
            compares_with_the_last,
            not_copied,
            optimizer_of_the_best,
            lowest_losses,
            lower_by_a_thousandth,
            nothing_above_ten,
            keeps_the_first,
            lowest_begins_at_one,
            lower_by_enough,
            optimizer_begun_anew,
        ],
    },
}
