"""Right and wrong answers to the exercises of 13_nnx_transforms."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from traced.lessons.nnx_transforms.solutions.train_step import mse

# pure_call


def by_clone(graphdef, state, x):
    module = nnx.clone(nnx.merge(graphdef, state))
    out = module(x)
    _, state = nnx.split(module)
    return out, state


def jitted_inside(graphdef, state, x):
    module = nnx.merge(graphdef, state, copy=True)
    out = nnx.jit(lambda module, x: module(x), graph=False)(module, x)
    return out, nnx.state(module)


def by_jax_jit(graphdef, state, x):
    def run(state):
        module = nnx.merge(graphdef, state)
        return module(x), nnx.state(module)

    return jax.jit(run)(state)


def result_only(graphdef, state, x):
    return nnx.merge(graphdef, state, copy=True)(x)


def old_state(graphdef, state, x):
    return nnx.merge(graphdef, state, copy=True)(x), state


def without_copy(graphdef, state, x):
    module = nnx.merge(graphdef, state)
    return module(x), nnx.state(module)


def module_itself(graphdef, state, x):
    module = nnx.merge(graphdef, state, copy=True)
    return module(x), module


def params_only(graphdef, state, x):
    module = nnx.merge(graphdef, state, copy=True)
    return module(x), nnx.state(module, nnx.Param)


def called_twice(graphdef, state, x):
    module = nnx.merge(graphdef, state, copy=True)
    module(x)
    return module(x), nnx.state(module)


def state_swapped(graphdef, state, x):
    module = nnx.merge(graphdef, state, copy=True)
    return nnx.state(module), module(x)


def state_is_called(graphdef, state, x):
    return state(x), state


def parameters_held(graphdef, state, x):
    module = nnx.merge(graphdef, state, copy=True)
    module.scale[...] = jax.lax.stop_gradient(module.scale[...])
    return module(x), nnx.state(module)


def to_numpy(graphdef, state, x):
    module = nnx.merge(graphdef, state, copy=True)
    return jnp.array(module(x).tolist()), nnx.state(module)


def evaluated(graphdef, state, x):
    module = nnx.merge(graphdef, state, copy=True)
    module.eval()
    return module(x), nnx.state(module)


def set_to_train(graphdef, state, x):
    module = nnx.merge(graphdef, state, copy=True)
    module.train()
    return module(x), nnx.state(module)


def input_cast(graphdef, state, x):
    module = nnx.merge(graphdef, state, copy=True)
    return module(jnp.asarray(x, "float32")), nnx.state(module)


def result_cast(graphdef, state, x):
    module = nnx.merge(graphdef, state, copy=True)
    return jnp.asarray(module(x), "float32"), nnx.state(module)


# RunningMean


class WithSum(nnx.Module):
    def __init__(self):
        self.n = nnx.Variable(jnp.array(0.0))
        self.sum = nnx.Variable(jnp.array(0.0))
        self.mean = nnx.Variable(jnp.array(0.0))

    def __call__(self, x):
        self.n[...] += 1
        self.sum[...] += x
        self.mean[...] = self.sum[...] / self.n[...]


class AsProperty(nnx.Module):
    def __init__(self):
        self.sums = nnx.Variable(jnp.zeros(2))

    def __call__(self, x):
        self.sums[...] += jnp.array([x, 1.0])

    @property
    def mean(self):
        return self.sums[0] / self.sums[1]


class AsNumber(nnx.Module):
    def __init__(self):
        self.sums = nnx.Variable(jnp.zeros(2))

    def __call__(self, x):
        self.sums[...] += jnp.array([x, 1.0])

    @property
    def mean(self):
        return float(self.sums[0] / self.sums[1])


class WithOneAssignment(nnx.Module):
    def __init__(self):
        self.n = nnx.BatchStat(jnp.int32(0))
        self.mean = nnx.BatchStat(jnp.float32(0))

    def __call__(self, x):
        n = self.n[...] + 1
        self.mean.set_value(self.mean[...] * (n - 1) / n + x / n)
        self.n.set_value(n)


class WithMetric(nnx.Module):
    def __init__(self):
        self.average = nnx.metrics.Average("x")

    def __call__(self, x):
        self.average.update(x=x)

    @property
    def mean(self):
        return self.average.compute()


class WithArrayAttributes(nnx.Module):
    """Plain arrays as data come back in graph mode alone."""

    def __init__(self):
        self.n, self.mean = jnp.zeros(()), jnp.zeros(())

    def __call__(self, x):
        self.n = self.n + 1
        self.mean = self.mean + (x - self.mean) / self.n


class AsGiven(nnx.Module):
    def __init__(self):
        self.n, self.mean = 0, nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        self.n += 1
        self.mean[...] += (x - self.mean[...]) / self.n


class CountsAfterwards(nnx.Module):
    def __init__(self):
        self.n, self.mean = nnx.Variable(jnp.array(0)), nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        self.mean[...] += (x - self.mean[...]) / (self.n[...] + 2)
        self.n[...] += 1


class NewVariables(nnx.Module):
    def __init__(self):
        self.n, self.mean = nnx.Variable(jnp.array(0)), nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        n = self.n[...] + 1
        self.mean = nnx.Variable(self.mean[...] + (x - self.mean[...]) / n)
        self.n = nnx.Variable(n)


class NumberInVariable(nnx.Module):
    def __init__(self):
        self.n, self.mean = nnx.Variable(0), nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        self.n[...] += 1
        self.mean[...] += (x - self.mean[...]) / self.n[...]


class StopsCounting(nnx.Module):
    def __init__(self):
        self.n, self.mean = nnx.Variable(jnp.array(0)), nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        self.n[...] = jnp.minimum(self.n[...] + 1, 5)
        self.mean[...] += (x - self.mean[...]) / self.n[...]


class CountsTo(nnx.Module):
    """Count in a type of its own, and divide in `float32`."""

    def __init__(self, dtype):
        self.n, self.mean = nnx.Variable(jnp.zeros((), dtype)), nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        self.n[...] += jnp.ones((), self.n.dtype)
        self.mean[...] += (x - self.mean[...]) / self.n[...].astype("float32")


class CountsInInt8(CountsTo):
    def __init__(self):
        super().__init__(jnp.int8)


class CountsInBfloat16(CountsTo):
    def __init__(self):
        super().__init__(jnp.bfloat16)


class CountsInUint32(CountsTo):
    def __init__(self):
        super().__init__(jnp.uint32)


class KeepsTheLastNine(nnx.Module):
    def __init__(self):
        self.n, self.last = nnx.Variable(jnp.array(0)), nnx.Variable(jnp.zeros(9))
        self.mean = nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        self.last[...] = jnp.roll(self.last[...], 1).at[0].set(x)
        self.n[...] += 1
        self.mean[...] = self.last[...].sum() / jnp.minimum(self.n[...], 9)


class AppendsVariables(nnx.Module):
    def __init__(self):
        self.seen, self.mean = nnx.List([]), nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        self.seen.append(nnx.Variable(jnp.asarray(x, "float32")))
        self.mean[...] = jnp.mean(jnp.stack([each[...] for each in self.seen]))


class LeavesOutNaN(nnx.Module):
    def __init__(self):
        self.n, self.mean = nnx.Variable(jnp.array(0)), nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        n = self.n[...] + 1
        self.n[...] = jnp.where(jnp.isnan(x), self.n[...], n)
        self.mean[...] += jnp.where(jnp.isnan(x), 0.0, (x - self.mean[...]) / n)


class AsList(nnx.Module):
    def __init__(self):
        self.seen = []
        self.mean = nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        self.seen.append(x)
        self.mean[...] = sum(self.seen) / len(self.seen)


class AsTuple(nnx.Module):
    """A new tuple each time: structure that grows."""

    def __init__(self):
        self.n = nnx.Variable(jnp.array(0))
        self.seen = ()
        self.mean = nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        self.n[...] += 1
        self.seen = (*self.seen, "x")
        self.mean[...] += (x - self.mean[...]) / self.n[...]


class Unnamed(nnx.Module):
    def __init__(self):
        self.n, self.average = nnx.Variable(jnp.array(0)), nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        self.n[...] += 1
        self.average[...] += (x - self.average[...]) / self.n[...]


class BranchesOnTheCount(nnx.Module):
    def __init__(self):
        self.n, self.mean = nnx.Variable(jnp.array(0)), nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        self.n[...] += 1
        if self.n[...] == 1:
            self.mean[...] = jnp.float32(x)
        else:
            self.mean[...] += (x - self.mean[...]) / self.n[...]


# train_step


def with_eval(net, optimizer, x, y):
    loss, gradients = nnx.value_and_grad(mse)(net, x, y)
    optimizer.update(net, gradients)
    net.eval()
    after = mse(net, x, y)
    net.train()
    return loss, after


def settings_put_back(net, optimizer, x, y):
    loss, gradients = nnx.value_and_grad(mse)(net, x, y)
    optimizer.update(net, gradients)
    names = "deterministic", "use_running_average"
    parts = [part for _, part in nnx.iter_modules(net)]
    before = [
        (part, name, vars(part)[name]) for part in parts for name in names if name in vars(part)
    ]
    net.eval()
    after = mse(net, x, y)
    for part, name, value in before:
        setattr(part, name, value)
    return loss, after


@nnx.jit
def jitted_already(net, optimizer, x, y):
    loss, gradients = nnx.value_and_grad(mse, argnums=nnx.DiffState(0, nnx.Param))(net, x, y)
    optimizer.update(net, gradients)
    return loss, mse(nnx.view(net, deterministic=True, use_running_average=True), x, y)


def by_split(net, optimizer, x, y):
    graphdef, params, rest = nnx.split(net, nnx.Param, ...)

    def loss_of(params, rest):
        return mse(nnx.merge(graphdef, params, rest), x, y)

    loss, gradients = nnx.value_and_grad(loss_of, graph=False)(params, rest)
    optimizer.update(net, gradients)
    graphdef, state = nnx.split(net)
    copy = nnx.merge(graphdef, state, copy=True)
    copy.eval()
    return loss, mse(copy, x, y)


def by_jax_grad(net, optimizer, x, y):
    graphdef, params, rest = nnx.split(net, nnx.Param, ...)

    def loss_of(params):
        module = nnx.merge(graphdef, params, rest, copy=True)
        return mse(module, x, y), nnx.state(module, nnx.Not(nnx.Param))

    (loss, rest), gradients = jax.value_and_grad(loss_of, has_aux=True)(params)
    nnx.update(net, rest)
    optimizer.update(net, gradients)
    return loss, mse(nnx.view(net, deterministic=True, use_running_average=True), x, y)


def on_a_clone(net, optimizer, x, y):
    loss, gradients = nnx.value_and_grad(mse)(net, x, y)
    optimizer.update(net, gradients)
    clone = nnx.clone(net)
    clone.eval()
    return loss, mse(clone, x, y)


def no_update(net, optimizer, x, y):
    loss, _ = nnx.value_and_grad(mse)(net, x, y)
    return loss, mse(nnx.view(net, deterministic=True, use_running_average=True), x, y)


def old_update(net, optimizer, x, y):
    loss, gradients = nnx.value_and_grad(mse)(net, x, y)
    optimizer.update(gradients)
    return loss, mse(net, x, y)


def evaluated_in_training(net, optimizer, x, y):
    loss, gradients = nnx.value_and_grad(mse)(net, x, y)
    optimizer.update(net, gradients)
    return loss, mse(net, x, y)


def left_in_evaluation(net, optimizer, x, y):
    loss, gradients = nnx.value_and_grad(mse)(net, x, y)
    optimizer.update(net, gradients)
    net.eval()
    return loss, mse(net, x, y)


def only_without_noise(net, optimizer, x, y):
    loss, gradients = nnx.value_and_grad(mse)(net, x, y)
    optimizer.update(net, gradients)
    return loss, mse(nnx.view(net, deterministic=True), x, y)


def evaluated_before(net, optimizer, x, y):
    after = mse(nnx.view(net, deterministic=True, use_running_average=True), x, y)
    loss, gradients = nnx.value_and_grad(mse)(net, x, y)
    optimizer.update(net, gradients)
    return loss, after


def loss_of_its_own(net, optimizer, x, y):
    loss = mse(net, x, y)
    optimizer.update(net, nnx.grad(mse)(net, x, y))
    return loss, mse(nnx.view(net, deterministic=True, use_running_average=True), x, y)


def gradient_by_jax(net, optimizer, x, y):
    loss, gradients = jax.value_and_grad(mse)(net, x, y)
    optimizer.update(net, gradients)
    return loss, mse(net, x, y)


@jax.jit
def under_jax_jit(net, optimizer, x, y):
    return settings_put_back(net, optimizer, x, y)


def trained_in_evaluation(net, optimizer, x, y):
    net.eval()
    loss, gradients = nnx.value_and_grad(mse)(net, x, y)
    optimizer.update(net, gradients)
    after = mse(net, x, y)
    net.train()
    return loss, after


def trains_a_clone(net, optimizer, x, y):
    clone = nnx.clone(net)
    loss, gradients = nnx.value_and_grad(mse)(clone, x, y)
    optimizer.update(clone, gradients)
    return loss, mse(nnx.view(clone, deterministic=True, use_running_average=True), x, y)


def put_back_afterwards(net, optimizer, x, y):
    kept = nnx.to_pure_dict(nnx.state((net, optimizer)))
    result = settings_put_back(net, optimizer, x, y)
    nnx.update((net, optimizer), kept)
    return result


def one_loss(net, optimizer, x, y):
    return settings_put_back(net, optimizer, x, y)[0]


def by_hand(net, optimizer, x, y):
    loss, gradients = nnx.value_and_grad(mse)(net, x, y)
    params = nnx.state(net, nnx.Param)
    nnx.update(net, jax.tree.map(lambda p, g: p - 0.125 * g, params, gradients))
    return loss, mse(nnx.view(net, deterministic=True, use_running_average=True), x, y)


def remembers(net, optimizer, x, y):
    result = settings_put_back(net, optimizer, x, y)
    net.last_loss = nnx.Variable(result[0])
    return result


def settings_by_name(net, optimizer, x, y):
    loss, gradients = nnx.value_and_grad(mse)(net, x, y)
    optimizer.update(net, gradients)
    before = net.norm.use_running_average, net.drop.deterministic
    net.norm.use_running_average = net.drop.deterministic = True
    after = mse(net, x, y)
    net.norm.use_running_average, net.drop.deterministic = before
    return loss, after


def one_setting_for_all(net, optimizer, x, y):
    loss, gradients = nnx.value_and_grad(mse)(net, x, y)
    optimizer.update(net, gradients)
    parts = [part for _, part in nnx.iter_modules(net)]
    before = {
        name: next(vars(part)[name] for part in parts if name in vars(part))
        for name in ("deterministic", "use_running_average")
    }
    net.eval()
    after = mse(net, x, y)
    net.set_attributes(**before)
    return loss, after


# samples


def sample_by_axes(net, x, rngs, n):
    def run(net, x, rngs):
        return net(x, rngs=rngs)

    return nnx.vmap(run, in_axes=(None, None, 0))(net, x, rngs.split(n))


def by_keys(net, x, rngs, n):
    return jax.vmap(lambda key: net(x, rngs=nnx.Rngs(key)))(jax.random.split(rngs(), n))


def by_split_rngs(net, x, rngs, n):
    @nnx.split_rngs(splits=n)
    @nnx.vmap(in_axes=(None, 0))
    def run(net, rngs):
        return net(x, rngs=rngs)

    return run(net, rngs)


def by_a_scan(net, x, rngs, n):
    return nnx.scan(lambda rngs, _: (rngs, net(x, rngs=rngs)))(rngs, jnp.arange(n))[1]


def sample_in_tree_mode(net, x, rngs, n):
    return nnx.vmap(lambda rngs: net(x, rngs), graph=False)(rngs.split(n))


def noise_closed_over(net, x, rngs, n):
    return nnx.vmap(lambda _: net(x, rngs=rngs))(jnp.arange(n))


def one_noise(net, x, rngs, n):
    run = nnx.vmap(lambda net, rngs: net(x, rngs=rngs), in_axes=(None, None), axis_size=n)
    return run(net, rngs)


def repeated(net, x, rngs, n):
    out = net(x, rngs=rngs)
    return jnp.broadcast_to(out, (n, *out.shape))


def by_python(net, x, rngs, n):
    return jnp.stack([net(x, rngs=rngs) for _ in range(n)])


def not_mapped(net, x, rngs, n):
    return net(x, rngs=rngs.split(n))


def net_mapped(net, x, rngs, n):
    return nnx.vmap(lambda net, x, rngs: net(x, rngs=rngs))(net, x, rngs.split(n))


def own_seed(net, x, rngs, n):
    return nnx.vmap(lambda rngs: net(x, rngs=rngs))(nnx.Rngs(0).split(n))


def on_a_copy(net, x, rngs, n):
    return sample_by_axes(net, x, nnx.clone(rngs), n)


def from_the_key_alone(net, x, rngs, n):
    keys = jax.random.split(rngs.default.key[...], n)
    return jax.vmap(lambda key: net(x, rngs=nnx.Rngs(key)))(keys)


def with_jax_jit(net, x, rngs, n):
    return jax.jit(partial(sample_by_axes, n=n))(net, x, rngs)


def one_result(net, x, rngs, n):
    return net(x, rngs=rngs)


def averaged(net, x, rngs, n):
    return sample_by_axes(net, x, rngs, n).mean(axis=0)


def one_too_few(net, x, rngs, n):
    return sample_by_axes(net, x, rngs, n - 1)


def noise_added_twice(net, x, rngs, n):
    out = sample_by_axes(net, x, rngs, n)
    return out + rngs.uniform(out.shape)


def flat(net, x, rngs, n):
    return sample_by_axes(net, x, rngs, n).reshape(n, -1)


def stacked_by_numpy(net, x, rngs, n):
    return np.stack(sample_by_axes(net, x, rngs, n))


# deep


def deep_by_split(blocks, h, rngs):
    def step(block, rngs, h):
        return block(h, rngs)

    depth = len(blocks.calls[...])
    scan = nnx.scan(step, in_axes=(0, 0, nnx.Carry), out_axes=nnx.Carry)
    return scan(blocks, rngs.split(depth), h)


def in_tree_mode(blocks, h, rngs):
    def step(block, rngs, h):
        return block(h, rngs)

    scan = nnx.scan(step, in_axes=(0, None, nnx.Carry), out_axes=nnx.Carry, graph=False)
    return scan(blocks, rngs, h)


def carry_first(blocks, h, rngs):
    @nnx.remat
    def step(carry, block):
        h, rngs = carry
        return (block(h, rngs), rngs), None

    (h, _), _ = nnx.scan(step)((h, rngs), blocks)
    return h


def by_lax_scan(blocks, h, rngs):
    graphdef, state = nnx.split(blocks)
    noise, count = nnx.split(rngs)

    def step(carry, state):
        h, count = carry
        block, rngs = nnx.merge(graphdef, state), nnx.merge(noise, count)
        h = block(h, rngs)
        return (h, nnx.state(rngs)), nnx.state(block)

    (h, count), state = jax.lax.scan(step, (h, count), state)
    nnx.update(blocks, state)
    nnx.update(rngs, count)
    return h


def shared_noise(blocks, h, rngs):
    def step(block, rngs, h):
        return block(h, rngs)

    scan = nnx.scan(step, in_axes=(0, None, nnx.Carry), out_axes=nnx.Carry)
    return scan(blocks, rngs, h)


def two_carries(blocks, h, rngs):
    axes = (0, nnx.Carry, nnx.Carry)
    return nnx.scan(lambda block, h, rngs: block(h, rngs), in_axes=axes)(blocks, h, rngs)


def iterated(blocks, h, rngs):
    for block in blocks:
        h = block(h, rngs)
    return h


def loop_over_slices(blocks, h, rngs):
    for i in range(len(blocks.calls[...])):
        block = jax.tree.map(lambda leaf, i=i: leaf[i], blocks)
        h = block(h, rngs)
    return h


def loop_with_update(blocks, h, rngs):
    states = []
    for i in range(len(blocks.calls[...])):
        block = jax.tree.map(lambda leaf, i=i: leaf[i], blocks)
        h = block(h, rngs)
        states.append(nnx.state(block))
    nnx.update(blocks, jax.tree.map(lambda *leaves: jnp.stack(leaves), *states))
    return h


def by_vmap(blocks, h, rngs):
    depth = len(blocks.calls[...])
    return nnx.vmap(lambda block, rngs: block(h, rngs))(blocks, rngs.split(depth))


def backwards(blocks, h, rngs):
    def step(block, carry):
        h, rngs = carry
        return block(h, rngs), rngs

    scan = nnx.scan(step, in_axes=(0, nnx.Carry), out_axes=nnx.Carry, reverse=True)
    return scan(blocks, (h, rngs))[0]


def all_steps(blocks, h, rngs):
    def step(carry, block):
        h, rngs = carry
        h = block(h, rngs)
        return (h, rngs), h

    return nnx.scan(step)((h, rngs), blocks)[1]


def own_noise(blocks, h, rngs):
    return carry_first(blocks, h, nnx.Rngs(0))


def closed_over(blocks, h, rngs):
    scan = nnx.scan(lambda block, h: block(h, rngs), in_axes=(0, nnx.Carry), out_axes=nnx.Carry)
    return scan(blocks, h)


def blocks_lost(blocks, h, rngs):
    return carry_first(nnx.clone(blocks), h, rngs)


def blocks_carried(blocks, h, rngs):
    def step(carry, _):
        blocks, h = carry
        return (blocks, blocks(h, rngs)), None

    (_, h), _ = nnx.scan(step)((blocks, h), jnp.arange(3))
    return h


def three_blocks(blocks, h, rngs):
    return carry_first(jax.tree.map(lambda leaf: leaf[:3], blocks), h, rngs)


def from_zero(blocks, h, rngs):
    return carry_first(blocks, jnp.zeros_like(h), rngs)


def sent_through_twice(blocks, h, rngs):
    return carry_first(blocks, carry_first(blocks, h, rngs), rngs)


def adds_h(blocks, h, rngs):
    return h + carry_first(blocks, h, rngs)


def parameters_decay(blocks, h, rngs):
    h = carry_first(blocks, h, rngs)
    for each in jax.tree.leaves(nnx.state(blocks, nnx.Param), is_leaf=nnx.is_data):
        each[...] *= 0.999
    return h


def counts_the_last_call(blocks, h, rngs):
    h = carry_first(blocks, h, rngs)
    blocks.calls[...] = jnp.ones_like(blocks.calls[...])
    return h


def under_jax_jit_alone(blocks, h, rngs):
    return jax.jit(carry_first)(blocks, h, rngs)


RIGHT = {
    "pure_call": [by_clone, jitted_inside, by_jax_jit],
    "RunningMean": [WithSum, AsProperty, AsNumber, WithOneAssignment, WithMetric, CountsInUint32],
    "train_step": [settings_put_back, jitted_already, by_split, by_jax_grad, on_a_clone],
    "samples": [sample_by_axes, by_keys, by_split_rngs, by_a_scan, sample_in_tree_mode],
    "deep": [deep_by_split, in_tree_mode, carry_first, by_lax_scan],
}

WRONG = {
    "pure_call": {
        "value/structure": [result_only, module_itself, params_only, state_swapped],
        "value/differs": [old_state, called_twice, parameters_held, evaluated, set_to_train],
        "value/dtype": [input_cast, result_cast],
        "effects/argument": [without_copy],
        "runs/raised": [state_is_called],
        "tracing/value-needed": [to_numpy],
    },
    "RunningMean": {
        "nnx/lost-change": [AsGiven, WithArrayAttributes, NewVariables, AsTuple, AppendsVariables],
        "value/differs": [
            CountsAfterwards,
            StopsCounting,
            LeavesOutNaN,
            CountsInInt8,
            CountsInBfloat16,
            KeepsTheLastNine,
        ],
        "tracing/leaked": [AsList],
        "value/no-attribute": [Unnamed],
        "tracing/branch-on-tracer": [BranchesOnTheCount],
        "runs/raised": [NumberInVariable],
    },
    "train_step": {
        "nnx/never-changed": [no_update, by_hand],
        "nnx/lost-change": [under_jax_jit],
        "nnx/stream-unmoved": [trained_in_evaluation],
        "nnx/other-object": [trains_a_clone],
        "nnx/undone": [put_back_afterwards],
        "runs/raised": [old_update, gradient_by_jax, settings_by_name],
        "value/differs": [
            evaluated_in_training,
            only_without_noise,
            evaluated_before,
            loss_of_its_own,
        ],
        "nnx/structure-changed": [left_in_evaluation, remembers, with_eval, one_setting_for_all],
        "value/structure": [one_loss],
    },
    "samples": {
        "nnx/trace-level": [noise_closed_over],
        "keys/related": [one_noise, repeated],
        "loops/unrolled": [by_python],
        "runs/raised": [not_mapped],
        "trees/prefix": [net_mapped],
        "keys/ignored": [own_seed],
        "nnx/other-object": [on_a_copy, from_the_key_alone],
        "nnx/lost-change": [with_jax_jit],
        "value/shape": [one_result, averaged, one_too_few, flat],
        "tracing/numpy-on-tracer": [stacked_by_numpy],
        "value/differs": [noise_added_twice],
    },
    "deep": {
        "keys/related": [shared_noise],
        "trees/prefix": [two_carries],
        "runs/raised": [iterated, blocks_carried],
        "nnx/other-object": [loop_over_slices, blocks_lost],
        "keys/ignored": [own_noise],
        "nnx/lost-change": [under_jax_jit_alone],
        "loops/unrolled": [loop_with_update],
        "value/shape": [by_vmap, all_steps],
        "value/differs": [
            backwards,
            three_blocks,
            from_zero,
            counts_the_last_call,
            sent_through_twice,
            adds_h,
        ],
        "nnx/changed": [parameters_decay],
        "nnx/trace-level": [closed_over],
    },
}
