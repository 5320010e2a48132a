"""Right and wrong answers to the exercises of 13_nnx_transforms."""

import jax
import jax.numpy as jnp
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
    out = nnx.jit(lambda module, x: module(x))(module, x)
    return out, nnx.state(module)


def by_apply(graphdef, state, x):
    result, (_, state) = graphdef.apply(jax.tree.map(lambda leaf: leaf, state))(x)
    return result, state


def jitted_in_tree_mode(graphdef, state, x):
    module = nnx.merge(graphdef, state, copy=True)
    out = nnx.jit(lambda module, x: module(x), graph=False)(module, x)
    return out, nnx.state(module)


def variables_as_before(graphdef, state, x):
    state = jax.tree.map(lambda leaf: leaf, state)
    return nnx.merge(graphdef, state)(x), state


def variables_updated(graphdef, state, x):
    module = nnx.merge(graphdef, state, copy=True)
    result = module(x)
    new = nnx.to_flat_state(nnx.state(module))
    kept = {path for path, _ in nnx.to_flat_state(state)}
    return result, nnx.from_flat_state([each for each in new if each[0] in kept])


def by_jax_jit(graphdef, state, x):
    def run(state):
        module = nnx.merge(graphdef, state)
        return module(x), nnx.state(module)

    return jax.jit(run)(state)


def by_mapping(graphdef, state, x):
    module = nnx.merge(graphdef, jax.tree.map(lambda leaf: leaf, state))
    result = module(x)
    return result, nnx.split(module)[1]


def by_pure_values(graphdef, state, x):
    module = nnx.merge(graphdef, nnx.to_pure_dict(state))
    return module(x), nnx.state(module)


def without_noise(graphdef, state, x):
    module = nnx.merge(graphdef, state, copy=True)
    return module(x), nnx.state(module, nnx.Not(nnx.RngState))


def counts_begun_anew(graphdef, state, x):
    result, state = by_clone(graphdef, state, x)
    for _, count in nnx.to_flat_state(nnx.filter_state(state, nnx.RngCount)):
        count[...] = jnp.zeros_like(count[...])
    return result, state


def without_slopes(graphdef, state, x):
    return by_clone(graphdef, state, jax.lax.stop_gradient(x))


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


def result_is_an_array(graphdef, state, x):
    out, state = by_clone(graphdef, state, x)
    return jnp.asarray(out), state


def first_leaf_of_the_result(graphdef, state, x):
    out, state = by_clone(graphdef, state, x)
    return jax.tree.leaves(out)[0], state


def ones_dropped(graphdef, state, x):
    out, state = by_clone(graphdef, state, x)
    return jax.tree.map(jnp.squeeze, out), state


def nan_replaced(graphdef, state, x):
    out, state = by_clone(graphdef, state, x)
    return jax.tree.map(jnp.nan_to_num, out), state


def parameters_as_given(graphdef, state, x):
    out, after = by_clone(graphdef, state, x)
    rest = nnx.filter_state(after, nnx.Not(nnx.Param))
    return out, nnx.merge_state(nnx.filter_state(state, nnx.Param), rest)


def keys_as_given(graphdef, state, x):
    out, after = by_clone(graphdef, state, x)
    rest = nnx.filter_state(after, nnx.Not(nnx.RngKey))
    return out, nnx.merge_state(nnx.filter_state(state, nnx.RngKey), rest)


def state_in_float32(graphdef, state, x):
    def widened(leaf):
        return leaf.astype("float32") if jnp.issubdtype(leaf.dtype, jnp.floating) else leaf

    out, after = by_clone(graphdef, state, x)
    return out, jax.tree.map(widened, after)


def tuple_unpacked(graphdef, state, x):
    module = nnx.merge(graphdef, state, copy=True)
    return module(*x) if isinstance(x, tuple) else module(x), nnx.state(module)


def list_made_an_array(graphdef, state, x):
    module = nnx.merge(graphdef, state, copy=True)
    return module(x if isinstance(x, dict) else jnp.asarray(x)), nnx.state(module)


def result_made_an_array(graphdef, state, x):
    module = nnx.merge(graphdef, state, copy=True)
    out = module(x)
    return out if isinstance(out, dict) else jnp.asarray(out), nnx.state(module)


def only_result_taken_out(graphdef, state, x):
    module = nnx.merge(graphdef, state, copy=True)
    out = module(x)
    return out[0] if isinstance(out, tuple) and len(out) == 1 else out, nnx.state(module)


def tuples_made_lists(graphdef, state, x):
    module = nnx.merge(graphdef, state, copy=True)
    out = module(x)
    return list(out) if isinstance(out, tuple) else out, nnx.state(module)


def nothing_not_called(graphdef, state, x):
    module = nnx.merge(graphdef, state, copy=True)
    return None if x is None else module(x), nnx.state(module)


def by_jax_jit_inside(graphdef, state, x):
    @jax.jit
    def call(state, x):
        module = nnx.merge(graphdef, state)
        return module(x), nnx.state(module)

    return call(state, x)


# RunningMean


class _CountsInAVariable(nnx.Module):
    def __init__(self):
        self.n, self.mean = nnx.Variable(jnp.array(0)), nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        self.n[...] += 1
        self.mean[...] += (x - self.mean[...]) / self.n[...]


class MarksTheMean(_CountsInAVariable):
    def __call__(self, x):
        super().__call__(x)
        self.mean.set_metadata(started=True)


class RunsUnderATransform(_CountsInAVariable):
    def __call__(self, x):
        if isinstance(self.n[...], jax.core.Tracer):
            super().__call__(x)


class CountsTo399(_CountsInAVariable):
    def __call__(self, x):
        super().__call__(x)
        self.n[...] = jnp.minimum(self.n[...], 398)


class ByMoments(nnx.Module):
    def __init__(self):
        self.moments = nnx.metrics.Welford()

    def __call__(self, x):
        self.moments.update(values=x)

    @property
    def mean(self):
        return self.moments.mean[...]


class MeanInFloat16(nnx.Module):
    def __init__(self):
        self.n, self.mean = nnx.Variable(jnp.array(0)), nnx.Variable(jnp.zeros((), jnp.float16))

    def __call__(self, x):
        self.n[...] += 1
        self.mean[...] += ((x - self.mean[...]) / self.n[...]).astype(jnp.float16)


class CountsUnderATransform(nnx.Module):
    def __init__(self):
        self.n, self.mean = nnx.Variable(jnp.array(0)), nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        self.n[...] = self.n[...] + 1 if isinstance(x, jax.core.Tracer) else 1
        self.mean[...] += (x - self.mean[...]) / self.n[...]


class ClipsTheDifference(nnx.Module):
    def __init__(self):
        self.n, self.mean = nnx.Variable(jnp.array(0)), nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        self.n[...] += 1
        self.mean[...] += jnp.clip(x - self.mean[...], -1e4, 1e4) / self.n[...]


class LeavesOutInfinity(nnx.Module):
    def __init__(self):
        self.n, self.mean = nnx.Variable(jnp.array(0)), nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        self.n[...] += 1
        self.mean[...] += (jnp.where(jnp.isinf(x), 0.0, x) - self.mean[...]) / self.n[...]


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


class InOneVariable(nnx.Module):
    def __init__(self):
        self.seen = nnx.Variable(jnp.zeros(2))

    def __call__(self, x):
        self.seen[...] += jnp.stack([jnp.ones(()), jnp.asarray(x, jnp.float32)])

    @property
    def mean(self):
        return self.seen[1] / self.seen[0]


class JittedAlready(nnx.Module):
    def __init__(self):
        self.n, self.mean = nnx.Variable(jnp.array(0)), nnx.Variable(jnp.zeros(()))

    @nnx.jit(graph=False)
    def __call__(self, x):
        self.n[...] += 1
        self.mean[...] += (x - self.mean[...]) / self.n[...]


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


def set_to_train_first(net, optimizer, x, y):
    net.train()
    return on_a_clone(net, optimizer, x, y)


def updated_twice(net, optimizer, x, y):
    loss, gradients = nnx.value_and_grad(mse)(net, x, y)
    optimizer.update(net, gradients)
    optimizer.update(net, gradients)
    return loss, mse(nnx.view(net, deterministic=True, use_running_average=True), x, y)


def of_each_row(net, optimizer, x, y):
    def loss_of(net):
        return jnp.sum((net(x) - y) ** 2) / len(y)

    loss, gradients = nnx.value_and_grad(loss_of)(net)
    optimizer.update(net, gradients)
    return loss, loss_of(nnx.view(net, deterministic=True, use_running_average=True))


def evaluated_for_each_row(net, optimizer, x, y):
    loss, gradients = nnx.value_and_grad(mse)(net, x, y)
    optimizer.update(net, gradients)
    view = nnx.view(net, deterministic=True, use_running_average=True)
    return loss, jnp.sum((view(x) - y) ** 2) / len(y)


def forgets_the_momentum(net, optimizer, x, y):
    loss, gradients = nnx.value_and_grad(mse)(net, x, y)
    params, gradients = nnx.to_pure_dict(nnx.state(net, nnx.Param)), nnx.to_pure_dict(gradients)
    updates, _ = optimizer.tx.update(gradients, optimizer.tx.init(params), params)
    nnx.update(net, jax.tree.map(jnp.add, params, updates))
    optimizer.step[...] += 1
    return loss, mse(nnx.view(net, deterministic=True, use_running_average=True), x, y)


def clips_its_gradients(net, optimizer, x, y):
    loss, gradients = nnx.value_and_grad(mse)(net, x, y)
    optimizer.update(net, jax.tree.map(lambda each: jnp.clip(each, -10, 10), gradients))
    return loss, mse(nnx.view(net, deterministic=True, use_running_average=True), x, y)


def only_without_moving(net, optimizer, x, y):
    loss, gradients = nnx.value_and_grad(mse)(net, x, y)
    optimizer.update(net, gradients)
    return loss, mse(nnx.view(net, use_running_average=True), x, y)


def noise_put_back(net, optimizer, x, y):
    kept = nnx.to_pure_dict(nnx.state(net, nnx.RngState))
    losses = on_a_clone(net, optimizer, x, y)
    nnx.update(net, kept)
    return losses


class KeepsAllValues(nnx.Module):
    def __init__(self):
        self.values, self.mean = nnx.Variable(jnp.zeros(0)), nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        self.values.set_value(jnp.append(self.values[...], x))
        self.mean[...] = self.values[...].mean()


RIGHT = {
    "pure_call": [
        by_clone,
        jitted_inside,
        by_jax_jit,
        by_mapping,
        by_pure_values,
        by_jax_jit_inside,
        by_apply,
    ],
    "RunningMean": [
        WithSum,
        AsProperty,
        AsNumber,
        WithOneAssignment,
        WithMetric,
        CountsInUint32,
        InOneVariable,
        JittedAlready,
        ByMoments,
    ],
    "train_step": [settings_put_back, jitted_already, by_split, by_jax_grad, on_a_clone],
}

WRONG = {
    "pure_call": {
        "value/structure": [
            result_only,
            module_itself,
            params_only,
            without_noise,
            state_swapped,
            first_leaf_of_the_result,
            only_result_taken_out,
            tuples_made_lists,
            jitted_in_tree_mode,
            variables_as_before,
            variables_updated,
        ],
        "value/differs": [
            old_state,
            counts_begun_anew,
            called_twice,
            parameters_held,
            without_slopes,
            evaluated,
            set_to_train,
            nan_replaced,
            parameters_as_given,
            keys_as_given,
            nothing_not_called,
        ],
        "value/shape": [ones_dropped],
        "value/dtype": [input_cast, result_cast, state_in_float32],
        "effects/argument": [without_copy],
        "runs/raised": [
            state_is_called,
            result_is_an_array,
            tuple_unpacked,
            list_made_an_array,
            result_made_an_array,
        ],
        "tracing/value-needed": [to_numpy],
    },
    "RunningMean": {
        "nnx/lost-change": [
            AsGiven,
            WithArrayAttributes,
            NewVariables,
            AsTuple,
            AppendsVariables,
            MarksTheMean,
        ],
        "value/differs": [
            CountsAfterwards,
            StopsCounting,
            LeavesOutNaN,
            CountsInInt8,
            CountsInBfloat16,
            KeepsTheLastNine,
            MeanInFloat16,
            CountsUnderATransform,
            RunsUnderATransform,
            CountsTo399,
            ClipsTheDifference,
            LeavesOutInfinity,
        ],
        "tracing/leaked": [AsList],
        "value/no-attribute": [Unnamed],
        "tracing/branch-on-tracer": [BranchesOnTheCount],
        "runs/raised": [NumberInVariable],
        "tracing/new-shape": [KeepsAllValues],
    },
    "train_step": {
        "nnx/never-changed": [no_update, by_hand, forgets_the_momentum],
        "nnx/lost-change": [under_jax_jit],
        "nnx/stream-unmoved": [trained_in_evaluation],
        "nnx/other-object": [trains_a_clone],
        "nnx/undone": [put_back_afterwards, noise_put_back],
        "runs/raised": [old_update, gradient_by_jax, settings_by_name],
        "value/differs": [
            evaluated_in_training,
            only_without_noise,
            evaluated_before,
            loss_of_its_own,
            updated_twice,
            of_each_row,
            evaluated_for_each_row,
            clips_its_gradients,
            only_without_moving,
        ],
        "nnx/structure-changed": [
            left_in_evaluation,
            remembers,
            with_eval,
            one_setting_for_all,
            set_to_train_first,
        ],
        "value/structure": [one_loss],
    },
}
