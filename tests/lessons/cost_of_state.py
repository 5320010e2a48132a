"""Right and wrong answers to the exercises of 14_cost_of_state."""

import timeit
from functools import partial
from time import perf_counter, process_time

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from traced.lessons.cost_of_state.solutions.split_step import step

# seconds


def by_leaves(f, *args):
    def once():
        start = perf_counter()
        for leaf in jax.tree.leaves(f(*args)):
            leaf.block_until_ready()
        return perf_counter() - start

    once()
    return min(once() for _ in range(5))


def first_dropped(f, *args):
    times = []
    for _ in range(6):
        start = perf_counter()
        jax.block_until_ready(f(*args))
        times.append(perf_counter() - start)
    return min(times[1:])


def all_six(f, *args):
    return float(np.sort([first_dropped(f, *args)])[0])


def never_waits(f, *args):
    times = []
    for _ in range(5):
        start = perf_counter()
        f(*args)
        times.append(perf_counter() - start)
    return min(times)


def waits_after_the_clock(f, *args):
    f(*args)
    times = []
    for _ in range(5):
        start = perf_counter()
        result = f(*args)
        times.append(perf_counter() - start)
        jax.block_until_ready(result)
    return min(times)


def clock_after_the_call(f, *args):
    jax.block_until_ready(f(*args))
    times = []
    for _ in range(5):
        result = f(*args)
        start = perf_counter()
        jax.block_until_ready(result)
        times.append(perf_counter() - start)
    return min(times)


def time_of_the_processor(f, *args):
    jax.block_until_ready(f(*args))
    times = []
    for _ in range(5):
        start = process_time()
        jax.block_until_ready(f(*args))
        times.append(process_time() - start)
    return min(times)


def traces_the_function(f, *args):
    jitted = jax.jit(f)
    jax.block_until_ready(jitted(*args))
    return min(timeit.repeat(lambda: jax.block_until_ready(jitted(*args)), number=1, repeat=5))


def first_counted(f, *args):
    times = []
    for _ in range(5):
        start = perf_counter()
        jax.block_until_ready(f(*args))
        times.append(perf_counter() - start)
    return sum(times) / 5


def one_first_call(f, *args):
    start = perf_counter()
    jax.block_until_ready(f(*args))
    return perf_counter() - start


def copied(f, *args):
    jax.block_until_ready(f(*args))
    times = []
    for _ in range(5):
        start = perf_counter()
        jax.device_get(f(*args))
        times.append(perf_counter() - start)
    return min(times)


def one_array_only(f, *args):
    f(*args).block_until_ready()
    times = []
    for _ in range(5):
        start = perf_counter()
        f(*args).block_until_ready()
        times.append(perf_counter() - start)
    return min(times)


def first_array_only(f, *args):
    times = []
    for _ in range(6):
        start = perf_counter()
        jax.tree.leaves(f(*args))[0].block_until_ready()
        times.append(perf_counter() - start)
    return min(times[1:])


def _times(f, args, count):
    times = []
    for _ in range(count):
        start = perf_counter()
        jax.block_until_ready(f(*args))
        times.append(perf_counter() - start)
    return times


def median_of_five(f, *args):
    return sorted(_times(f, args, 6)[1:])[2]


def first_counted_of_six(f, *args):
    return min(_times(f, args, 6))


def four_after_the_first(f, *args):
    return min(_times(f, args, 5)[1:])


def shortest_of_ten(f, *args):
    return min(_times(f, args, 11)[1:])


def by_timeit(f, *args):
    def call():
        return jax.block_until_ready(f(*args))

    call()
    return min(timeit.repeat(call, number=1, repeat=5))


def mean_of_five(f, *args):
    return sum(all_five(f, *args)) / 5


def all_five(f, *args):
    jax.block_until_ready(f(*args))
    times = []
    for _ in range(5):
        start = perf_counter()
        jax.block_until_ready(f(*args))
        times.append(perf_counter() - start)
    return times


def no_time_at_all(f, *args):
    return 0.0


def prints_it(f, *args):
    print(all_five(f, *args))


# split_step


@partial(jax.jit, static_argnums=0)
def graphdef_static(graphdef, state, x, y):
    model, optimizer = nnx.merge(graphdef, state)
    loss = step(model, optimizer, x, y)
    return nnx.split((model, optimizer))[1], loss


@jax.jit
def with_one_name(graphdef, state, x, y):
    objects = nnx.merge(graphdef, state)
    loss = step(*objects, x, y)
    return nnx.state(objects), loss


@jax.jit
def jitted_inner(state, graphdef, batch):
    objects = nnx.merge(graphdef, state)
    loss = step(*objects, *batch)
    return nnx.state(objects), loss


def around_a_jitted(graphdef, state, x, y):
    return jitted_inner(state, graphdef, (x, y))


def split_not_jitted(graphdef, state, x, y):
    return with_one_name.__wrapped__(graphdef, state, x, y)


@jax.jit
def merged_in_place(graphdef, state, x, y):
    # The Variables of the merged objects are those of the state.
    return state, step(*nnx.merge(graphdef, state), x, y)


@jax.jit
def old_state(graphdef, state, x, y):
    model, optimizer = nnx.merge(graphdef, state, copy=True)
    return state, step(model, optimizer, x, y)


@jax.jit
def loss_first(graphdef, state, x, y):
    model, optimizer = nnx.merge(graphdef, state)
    loss = step(model, optimizer, x, y)
    return loss, nnx.state((model, optimizer))


@jax.jit
def model_only(graphdef, state, x, y):
    model, optimizer = nnx.merge(graphdef, state)
    loss = step(model, optimizer, x, y)
    return nnx.state(model), loss


@jax.jit
def loss_only(graphdef, state, x, y):
    return step(*nnx.merge(graphdef, state), x, y)


@jax.jit
def nothing_returned(graphdef, state, x, y):
    step(*nnx.merge(graphdef, state), x, y)


def jitted_anew(graphdef, state, x, y):
    return jax.jit(lambda *args: split_not_jitted(*args))(graphdef, state, x, y)


def split_by_nnx_jit(graphdef, state, x, y):
    objects = nnx.merge(graphdef, state)
    loss = nnx.jit(lambda *args: step(*args))(*objects, x, y)
    return nnx.state(objects), loss


@nnx.jit
def jitted_step(model, optimizer, x, y):
    return step(model, optimizer, x, y)


def merged_outside(graphdef, state, x, y):
    objects = nnx.merge(graphdef, state)
    loss = jitted_step(*objects, x, y)
    return nnx.state(objects), loss


@nnx.jit
def split_under_nnx_jit(graphdef, state, x, y):
    objects = nnx.merge(graphdef, state)
    loss = step(*objects, x, y)
    return nnx.state(objects), loss


@jax.jit
def whole_objects(graphdef, state, x, y):
    objects = nnx.merge(graphdef, state)
    loss = step(*objects, x, y)
    return objects, loss


# make_fast_step


def in_graph_mode(model, optimizer):
    return nnx.jit_partial(step, model, optimizer, graph=True, graph_updates=False)


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


def wrapped_partial(model, optimizer):
    fast = nnx.jit_partial(step, model, optimizer, graph=False)

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
        state, loss = with_one_name(graphdef, state, x, y)
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


# train_all


def with_nnx_scan(model, optimizer, xs, ys):
    @nnx.jit
    @nnx.scan(in_axes=(nnx.Carry, 0, 0), out_axes=(nnx.Carry, 0))
    def run(objects, x, y):
        return objects, step(*objects, x, y)

    return run((model, optimizer), xs, ys)[1]


def scan_inside_nnx_jit(model, optimizer, xs, ys):
    @nnx.jit
    def run(model, optimizer, xs, ys):
        graphdef, state = nnx.split((model, optimizer))

        def body(state, batch):
            objects = nnx.merge(graphdef, state)
            loss = step(*objects, *batch)
            return nnx.state(objects), loss

        state, losses = jax.lax.scan(body, state, (xs, ys))
        nnx.update((model, optimizer), state)
        return losses

    return run(model, optimizer, xs, ys)


def _scanned(model, optimizer, xs, ys):
    graphdef, state = nnx.split((model, optimizer))

    def body(state, batch):
        objects = nnx.merge(graphdef, state)
        loss = step(*objects, *batch)
        return nnx.state(objects), loss

    return jax.lax.scan(body, state, (xs, ys))


def scan_not_jitted(model, optimizer, xs, ys):
    state, losses = _scanned(model, optimizer, xs, ys)
    nnx.update((model, optimizer), state)
    return losses


def python_loop(model, optimizer, xs, ys):
    jitted = nnx.jit(step)
    return jnp.stack([jitted(model, optimizer, x, y) for x, y in zip(xs, ys, strict=True)])


def loop_inside_jit(model, optimizer, xs, ys):
    return nnx.jit(
        lambda *args: jnp.stack([step(*args[:2], x, y) for x, y in zip(*args[2:], strict=True)])
    )(model, optimizer, xs, ys)


def never_updated(model, optimizer, xs, ys):
    return _scanned(model, optimizer, xs, ys)[1]


def model_updated_alone(model, optimizer, xs, ys):
    state, losses = _scanned(model, optimizer, xs, ys)
    nnx.update(model, state[0])
    return losses


def last_loss(model, optimizer, xs, ys):
    return scan_not_jitted(model, optimizer, xs, ys)[-1]


def both_returned(model, optimizer, xs, ys):
    return _scanned(model, optimizer, xs, ys)


def steps_on_the_outside(model, optimizer, xs, ys):
    def body(carry, batch):
        return carry, step(model, optimizer, *batch)

    return jax.lax.scan(body, None, (xs, ys))[1]


def with_fori_loop(model, optimizer, xs, ys):
    graphdef, state = nnx.split((model, optimizer))

    def body(i, carry):
        state, losses = carry
        objects = nnx.merge(graphdef, state)
        loss = step(*objects, xs[i], ys[i])
        return nnx.state(objects), losses.at[i].set(loss)

    carry = jax.lax.fori_loop(0, len(xs), body, (state, jnp.zeros(len(xs))))
    nnx.update((model, optimizer), carry[0])
    return carry[1]


def carry_merged_in_place(model, optimizer, xs, ys):
    graphdef, state = nnx.split((model, optimizer))

    def body(carry, batch):
        return carry, step(*nnx.merge(graphdef, carry), *batch)

    state, losses = jax.lax.scan(body, state, (xs, ys))
    nnx.update((model, optimizer), state)
    return losses


def batches_at_once(model, optimizer, xs, ys):
    graphdef, state = nnx.split((model, optimizer))

    def one(x, y):
        return step(*nnx.merge(graphdef, state, copy=True), x, y)

    return jax.jit(jax.vmap(one))(xs, ys)


RIGHT = {
    "seconds": [by_leaves, first_dropped, all_six, by_timeit],
    "split_step": [graphdef_static, with_one_name, around_a_jitted, merged_in_place],
    "make_fast_step": [in_graph_mode, leaves_written_back, wrapped_partial],
    "train": [
        reads_as_it_goes,
        keeps_all,
        fetches_at_the_end,
        stacks,
        through_numpy,
        sums_under_jit,
        copied_meanwhile,
        by_a_tree,
    ],
    "train_all": [
        with_nnx_scan,
        scan_inside_nnx_jit,
        scan_not_jitted,
        with_fori_loop,
        carry_merged_in_place,
    ],
}
WRONG = {
    "seconds": {
        "cost/not-awaited": [never_waits, first_array_only],
        "cost/undercounted": [waits_after_the_clock, clock_after_the_call, time_of_the_processor],
        "cost/overcounted": [first_counted, copied, mean_of_five, median_of_five],
        "cost/calls-timed": [
            no_time_at_all,
            one_first_call,
            first_counted_of_six,
            four_after_the_first,
            shortest_of_ten,
            traces_the_function,
        ],
        "runs/raised": [one_array_only],
        "value/structure": [all_five],
        "value/nothing": [prints_it],
    },
    "split_step": {
        "tracing/not-jitted": [split_not_jitted],
        "value/differs": [old_state],
        "value/structure": [loss_first, model_only, loss_only, whole_objects],
        "value/nothing": [nothing_returned],
        "tracing/new-function": [jitted_anew, split_by_nnx_jit],
        "cost/python-calls": [merged_outside, split_under_nnx_jit],
    },
    "make_fast_step": {
        "cost/python-calls": [nnx_jit, tree_mode, by_cached_partial, updated_at_each_call, eager],
        "runs/raised": [no_mode],
        "nnx/lost-change": [forgets_the_model, jax_jit],
        "nnx/trace-level": [bound_arguments],
        "value/differs": [written_back_once, written_back_every_other_call],
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
        ],
        "value/differs": [skips_batches, one_late, one_step_more, rounded],
        "value/structure": [unread, as_numpy],
        "value/nothing": [loop_without_return],
    },
    "train_all": {
        "loops/unrolled": [python_loop, loop_inside_jit],
        "nnx/lost-change": [never_updated, model_updated_alone],
        "value/shape": [last_loss],
        "value/structure": [both_returned],
        "nnx/trace-level": [steps_on_the_outside],
        "value/differs": [batches_at_once],
    },
}
