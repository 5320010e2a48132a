"""Right and wrong answers to the exercises of 09_gradients."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.flatten_util import ravel_pytree

# step


def _is_float(leaf):
    return jnp.issubdtype(leaf.dtype, jnp.floating)


def floats_apart(loss, params, batch):
    leaves, structure = jax.tree.flatten(params)
    places = [i for i, leaf in enumerate(leaves) if _is_float(leaf)]

    def of_floats(floats):
        new = dict(zip(places, floats, strict=True))
        every = [new.get(i, leaf) for i, leaf in enumerate(leaves)]
        return loss(jax.tree.unflatten(structure, every), batch)

    floats = [leaves[i] for i in places]
    (_, extra), slopes = jax.value_and_grad(of_floats, has_aux=True)(floats)
    for i, slope in zip(places, slopes, strict=True):
        leaves[i] = leaves[i] - 0.1 * slope
    return jax.tree.unflatten(structure, leaves), extra


def floats_or_none(loss, params, batch):
    floats = jax.tree.map(lambda p: p if _is_float(p) else None, params)

    def merge(floats):
        def is_none(f):
            return f is None

        return jax.tree.map(lambda f, p: p if f is None else f, floats, params, is_leaf=is_none)

    slopes, extra = jax.grad(lambda floats: loss(merge(floats), batch), has_aux=True)(floats)
    return merge(jax.tree.map(lambda f, s: f - 0.1 * s, floats, slopes)), extra


def by_vjp(loss, params, batch):
    value, pull_back, extra = jax.vjp(lambda p: loss(p, batch), params, has_aux=True)
    (slopes,) = pull_back(jnp.ones_like(value))
    return jax.tree.map(lambda p, s: p - 0.1 * s if _is_float(p) else p, params, slopes), extra


def extra_from_a_second_call(loss, params, batch):
    slopes = jax.grad(lambda p: loss(p, batch)[0], allow_int=True)(params)
    extra = loss(params, batch)[1]
    return jax.tree.map(lambda p, s: p - 0.1 * s if _is_float(p) else p, params, slopes), extra


def integers_through_float32(loss, params, batch):
    slopes, extra = jax.grad(loss, has_aux=True, allow_int=True)(params, batch)

    def moved(p, slope):
        slope = jnp.zeros(p.shape) if slope.dtype == jax.dtypes.float0 else slope
        return (p - 0.1 * slope).astype(p.dtype)

    return jax.tree.map(moved, params, slopes), extra


def step_as_given(loss, params, batch):
    gradients, extra = jax.grad(loss)(params, batch)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients), extra


def integers_refused(loss, params, batch):
    gradients, extra = jax.grad(loss, has_aux=True)(params, batch)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients), extra


def integers_moved(loss, params, batch):
    gradients, extra = jax.grad(loss, has_aux=True, allow_int=True)(params, batch)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients), extra


def _moved(params, slopes, rate=0.1):
    return jax.tree.map(lambda p, s: p - rate * s if _is_float(p) else p, params, slopes)


def uphill(loss, params, batch):
    slopes, extra = jax.grad(loss, has_aux=True, allow_int=True)(params, batch)
    return _moved(params, slopes, -0.1), extra


def another_rate(loss, params, batch):
    slopes, extra = jax.grad(loss, has_aux=True, allow_int=True)(params, batch)
    return _moved(params, slopes, 0.01), extra


def extra_after_the_step(loss, params, batch):
    slopes, _ = jax.grad(loss, has_aux=True, allow_int=True)(params, batch)
    params = _moved(params, slopes)
    return params, loss(params, batch)[1]


def value_for_extra(loss, params, batch):
    (value, _), slopes = jax.value_and_grad(loss, has_aux=True, allow_int=True)(params, batch)
    return _moved(params, slopes), value


def value_besides(loss, params, batch):
    pair, slopes = jax.value_and_grad(loss, has_aux=True, allow_int=True)(params, batch)
    return _moved(params, slopes), pair


def extra_first(loss, params, batch):
    return by_vjp(loss, params, batch)[::-1]


def parameters_alone(loss, params, batch):
    return by_vjp(loss, params, batch)[0]


def integers_as_floats(loss, params, batch):
    floats = jax.tree.map(lambda p: p.astype("float32"), params)

    def of_floats(floats):
        return loss(jax.tree.map(lambda f, p: f.astype(p.dtype), floats, params), batch)

    slopes, extra = jax.grad(of_floats, has_aux=True)(floats)
    return jax.tree.map(lambda f, s: f - 0.1 * s, floats, slopes), extra


def integers_of_32_bits_alone(loss, params, batch):
    slopes, extra = jax.grad(loss, has_aux=True, allow_int=True)(params, batch)
    return jax.tree.map(
        lambda p, s: p if p.dtype == "int32" else p - 0.1 * s, params, slopes
    ), extra


def integers_left_out(loss, params, batch):
    slopes, extra = jax.grad(loss, has_aux=True, allow_int=True)(params, batch)
    moved = jax.tree.map(lambda p, s: p - 0.1 * s if _is_float(p) else None, params, slopes)
    return moved, extra


def of_a_flat_dictionary(loss, params, batch):
    slopes, extra = jax.grad(loss, has_aux=True, allow_int=True)(params, batch)
    if not isinstance(params, dict):
        return params - 0.1 * slopes, extra
    moved = {
        name: p - 0.1 * slopes[name] if isinstance(p, jax.Array) and _is_float(p) else p
        for name, p in params.items()
    }
    return moved, extra


def in_numpy(loss, params, batch):
    slopes, extra = jax.grad(loss, has_aux=True, allow_int=True)(params, batch)

    def move(p, s):
        return jnp.asarray(np.asarray(p) - np.float32(0.1) * np.asarray(s), p.dtype)

    return jax.tree.map(lambda p, s: move(p, s) if _is_float(p) else p, params, slopes), extra


def nothing_returned(loss, params, batch):
    by_vjp(loss, params, batch)


def rate_of_full_precision(loss, params, batch):
    gradients, extra = jax.grad(loss, has_aux=True, allow_int=True)(params, batch)

    def move(p, g):
        if g.dtype == jax.dtypes.float0:
            return p
        return p.astype(jnp.float32) - jnp.float32(0.1) * g.astype(jnp.float32)

    return jax.tree.map(move, params, gradients), extra


def floats_of_32_bits_alone(loss, params, batch):
    slopes, extra = jax.grad(loss, has_aux=True, allow_int=True)(params, batch)
    return jax.tree.map(
        lambda p, s: p - 0.1 * s if p.dtype == "float32" else p, params, slopes
    ), extra


def slopes_limited(loss, params, batch):
    slopes, extra = jax.grad(loss, has_aux=True, allow_int=True)(params, batch)
    slopes = jax.tree.map(lambda s: jnp.clip(s, -100, 100) if _is_float(s) else s, slopes)
    return _moved(params, slopes), extra


def tuples_as_lists(loss, params, batch):
    slopes, extra = jax.grad(loss, has_aux=True, allow_int=True)(params, batch)

    def move(p, s):
        if isinstance(p, dict):
            return {name: move(p[name], s[name]) for name in p}
        if isinstance(p, list | tuple):
            return [move(*pair) for pair in zip(p, s, strict=True)]
        return p if p is None or not _is_float(p) else p - 0.1 * s

    return move(params, slopes), extra


def in_full_precision_and_back(loss, params, batch):
    slopes, extra = jax.grad(loss, has_aux=True, allow_int=True)(params, batch)

    def move(p, s):
        return (p.astype("float32") - 0.1 * s.astype("float32")).astype(p.dtype)

    return jax.tree.map(lambda p, s: move(p, s) if _is_float(p) else p, params, slopes), extra


# hvp


def reverse_over_forward(f, x, v):
    return jax.grad(lambda x: jax.jvp(f, (x,), (v,))[1])(x)


def reverse_over_reverse(f, x, v):
    def along(x):
        products = jax.tree.map(lambda g, v: jnp.vdot(g, v), jax.grad(f)(x), v)
        return sum(jax.tree.leaves(products))

    return jax.grad(along)(x)


def linearized(f, x, v):
    _, push_forward = jax.linearize(jax.grad(f), x)
    return push_forward(v)


def pulled_back(f, x, v):
    return jax.vjp(jax.grad(f), x)[1](v)[0]


def whole_hessian(f, x, v):
    flat, unravel = ravel_pytree(x)
    return unravel(jax.hessian(lambda flat: f(unravel(flat)))(flat) @ ravel_pytree(v)[0])


def whole_jacobian(f, x, v):
    flat, unravel = ravel_pytree(x)
    jacobian = jax.jacrev(jax.grad(lambda flat: f(unravel(flat))))(flat)
    return unravel(jnp.dot(jacobian, ravel_pytree(v)[0]))


def hessian_of_an_array(f, x, v):
    return jax.hessian(f)(x) @ v


def of_one_array(f, x, v):
    return jax.grad(lambda x: jnp.vdot(jax.grad(f)(x), v))(x)


def gradient_along(f, x, v):
    return jax.jvp(f, (x,), (v,))[1]


def gradient_with_product(f, x, v):
    return jax.jvp(jax.grad(f), (x,), (v,))


def gradient_itself(f, x, v):
    return jax.jvp(jax.grad(f), (x,), (v,))[0]


def at_the_direction(f, x, v):
    return jax.jvp(jax.grad(f), (v,), (x,))[1]


def diagonal(f, x, v):
    flat, unravel = ravel_pytree(x)

    def total(flat):
        return jnp.sum(jax.grad(lambda flat: f(unravel(flat)))(flat))

    return unravel(jax.grad(total)(flat) * ravel_pytree(v)[0])


def quadratic_form(f, x, v):
    return jnp.vdot(ravel_pytree(v)[0], ravel_pytree(reverse_over_forward(f, x, v))[0])


def by_differences(f, x, v, h=1e-3):
    above, below = (jax.tree.map(lambda x, v, s=s: x + s * h * v, x, v) for s in (1, -1))
    slopes = jax.grad(f)(above), jax.grad(f)(below)
    return jax.tree.map(lambda a, b: (a - b) / (2 * h), *slopes)


def directions_not_in_a_tuple(f, x, v):
    return jax.jvp(jax.grad(f), x, v)[1]


def through_numpy(f, x, v):
    product = reverse_over_forward(f, x, v)
    return jax.tree.map(lambda leaf: jnp.asarray(np.array(leaf)), product)


def entry_after_entry(f, x, v):
    flat, unravel = ravel_pytree(x)
    slope = jax.grad(lambda flat: f(unravel(flat)))
    rows = [jax.jvp(slope, (flat,), (row,))[1] for row in jnp.eye(flat.size)]
    return unravel(jnp.stack(rows) @ ravel_pytree(v)[0])


# quantize


@jax.custom_jvp
def with_a_rule(x):
    return jnp.round(4 * jnp.clip(x, -1.0, 1.0)) / 4


@with_a_rule.defjvp
def _rule(primals, tangents):
    (x,), (t,) = primals, tangents
    return with_a_rule(x), jnp.where(jnp.abs(x) <= 1, t, 0.0)


def with_where(x):
    held = jax.lax.stop_gradient(jnp.round(4 * jnp.clip(x, -1.0, 1.0)) / 4)
    slope = jnp.where(jnp.abs(x) < 1, x, 0.0)
    return held + (slope - jax.lax.stop_gradient(slope))


@jax.jit
def with_min_and_max(x):
    x = jnp.minimum(jnp.maximum(x, -1.0), 1.0)
    return x + jax.lax.stop_gradient(jnp.round(x * 4.0) * 0.25 - x)


def rounded(x):
    return jnp.clip(jnp.round(4 * x) / 4, -1.0, 1.0)


def all_of_it_stopped(x):
    x = jnp.clip(x, -1.0, 1.0)
    return jax.lax.stop_gradient(x + jnp.round(4 * x) / 4 - x)


def clip_stopped(x):
    return x + jax.lax.stop_gradient(rounded(x) - x)


def clip_stopped_for_all(x):
    held = jax.lax.stop_gradient(rounded(x))
    zero = x - jax.lax.stop_gradient(x)
    return held + jnp.where(jnp.isfinite(zero), zero, 0.0)


def wrong_side_stopped(x):
    x = jnp.clip(x, -1.0, 1.0)
    return jax.lax.stop_gradient(x) + jnp.round(4 * x) / 4 - x


def nothing_stopped(x):
    x = jnp.clip(x, -1.0, 1.0)
    return x + (jnp.round(4 * x) / 4 - x)


def stop_not_kept(x):
    x = jnp.clip(x, -1.0, 1.0)
    step = jnp.round(4 * x) / 4 - x
    jax.lax.stop_gradient(step)
    return x + step


def not_limited(x):
    return x + jax.lax.stop_gradient(jnp.round(4 * x) / 4 - x)


def rounded_down(x):
    x = jnp.clip(x, -1.0, 1.0)
    return x + jax.lax.stop_gradient(jnp.floor(4 * x) / 4 - x)


def in_whole_numbers(x):
    x = jnp.clip(x, -1.0, 1.0)
    return x + jax.lax.stop_gradient(jnp.round(x) - x)


def slope_of_four(x):
    x = 4 * jnp.clip(x, -1.0, 1.0)
    return (x + jax.lax.stop_gradient(jnp.round(x) - x)) / 4 + 3 / 4 * (
        x - jax.lax.stop_gradient(x)
    )


@jax.custom_vjp
def reverse_alone(x):
    return rounded(x)


reverse_alone.defvjp(lambda x: (rounded(x), x), lambda x, t: (jnp.where(jnp.abs(x) < 1, t, 0.0),))


def with_a_branch(x):
    return jnp.where(jnp.abs(x) < 1, clip_stopped(x), jnp.sign(x)) if x.any() else x


def with_numpy(x):
    x = jnp.clip(x, -1.0, 1.0)
    return x + (np.round(4 * np.asarray(x)) / 4 - np.asarray(x))


def _slope_within(x, bound):
    slope = jnp.where(jnp.abs(x) < bound, x, 0.0)
    return jax.lax.stop_gradient(rounded(x)) + (slope - jax.lax.stop_gradient(slope))


def slope_a_little_outside(x):
    return _slope_within(x, 1.01)


def slope_ends_too_early(x):
    return _slope_within(x, 0.995)


def half_way_up(x):
    x = jnp.clip(x, -1.0, 1.0)
    return x + jax.lax.stop_gradient(jnp.floor(4 * x + 0.5).astype("int8") / 4 - x)


# agrees


def every_row_at_once(f, gradient, x):
    shifts = 0.01 * np.eye(len(x), dtype="float32")
    slopes = [(f(x + shift) - f(x - shift)) / 0.02 for shift in shifts]
    return np.allclose(gradient(x), slopes, rtol=0.0, atol=0.05)


def in_double_precision(f, gradient, x):
    got, x = np.asarray(gradient(x), "float64"), np.asarray(x)
    for i in range(x.size):
        sides = []
        for h in (0.02, -0.02):
            moved = x.copy()
            moved[i] += h
            sides.append(float(f(jnp.asarray(moved))))
        if not abs((sides[0] - sides[1]) / 0.04 - got[i]) < 0.04:
            return False
    return True


def as_a_number_of_numpy(f, gradient, x):
    rows = jnp.eye(len(x)) * 0.02
    slopes = np.array([float(f(x + row) - f(x - row)) / 0.04 for row in rows])
    return np.max(np.abs(np.asarray(gradient(x)) - slopes)) <= 0.05


def _errors(f, gradient, x, h=0.01):
    rows = h * jnp.eye(len(x))
    return gradient(x) - jnp.array([(f(x + row) - f(x - row)) / (2 * h) for row in rows])


def step_too_small(f, gradient, x):
    return bool(jnp.all(jnp.abs(_errors(f, gradient, x, 1e-6)) < 0.05))


def step_too_large(f, gradient, x):
    return bool(jnp.all(jnp.abs(_errors(f, gradient, x, 1.0)) < 0.05))


def one_sided(f, gradient, x, h=0.1):
    slopes = jnp.array([(f(x + row) - f(x)) / h for row in h * jnp.eye(len(x))])
    return bool(jnp.all(jnp.abs(gradient(x) - slopes) < 0.05))


def nan_agrees(f, gradient, x):
    return not bool(jnp.any(jnp.abs(_errors(f, gradient, x)) > 0.05))


def not_moved_back(f, gradient, x):
    slopes, x = np.asarray(gradient(x)), np.array(x)
    for i in range(x.size):
        x[i] += 0.01
        above = float(f(x))
        x[i] -= 0.02
        if not abs((above - float(f(x))) / 0.02 - slopes[i]) < 0.05:
            return False
    return True


def sum_of_errors(f, gradient, x):
    return bool(jnp.abs(jnp.sum(_errors(f, gradient, x))) < 0.05)


def errors_signed(f, gradient, x):
    return bool(jnp.all(_errors(f, gradient, x) < 0.05))


def first_entry(f, gradient, x):
    return bool(jnp.abs(_errors(f, gradient, x)[0]) < 0.05)


def too_strict(f, gradient, x):
    return bool(jnp.all(jnp.abs(_errors(f, gradient, x)) < 1e-4))


def too_generous(f, gradient, x):
    return bool(jnp.all(jnp.abs(_errors(f, gradient, x)) < 0.2))


def relative_alone(f, gradient, x):
    errors = jnp.abs(_errors(f, gradient, x))
    return bool(jnp.all(errors <= 1e-2 * jnp.abs(gradient(x))))


def all_moved_at_once(f, gradient, x):
    slope = (f(x + 0.01) - f(x - 0.01)) / 0.02
    return bool(jnp.abs(jnp.sum(gradient(x)) - slope) < 0.05)


def by_jax(f, gradient, x):
    return bool(jnp.allclose(jax.grad(f)(x), gradient(x), atol=0.05))


def compared_with_itself(f, gradient, x):
    return bool(jnp.allclose(gradient(x), gradient(x)))


def as_an_array(f, gradient, x):
    return jnp.all(jnp.abs(_errors(f, gradient, x)) < 0.05)


def answer_for_each(f, gradient, x):
    return jnp.abs(_errors(f, gradient, x)) < 0.05


def half_the_step(f, gradient, x):
    slopes = jnp.array([(f(x + row) - f(x - row)) / 0.01 for row in 0.01 * jnp.eye(len(x))])
    return bool(jnp.all(jnp.abs(gradient(x) - slopes) < 0.05))


def relative_too(f, gradient, x):
    rows = 0.01 * jnp.eye(x.size)
    slopes = [float(f(x + row) - f(x - row)) / 0.02 for row in rows]
    return np.allclose(slopes, gradient(x), rtol=0.02, atol=0.03)


def length_of_errors(f, gradient, x):
    return bool(jnp.linalg.norm(_errors(f, gradient, x)) < 0.05)


def mean_of_squares(f, gradient, x):
    return bool(jnp.sqrt(jnp.mean(_errors(f, gradient, x) ** 2)) < 0.03)


def stricter_than_asked(f, gradient, x):
    return bool(jnp.all(jnp.abs(_errors(f, gradient, x)) < 0.006))


def first_eight_entries(f, gradient, x):
    return bool(jnp.all(jnp.abs(_errors(f, gradient, x)[:8]) < 0.05))


def to_one_side_by_a_small_step(f, gradient, x):
    slopes = [float(f(x + row) - f(x)) / 0.01 for row in 0.01 * jnp.eye(x.size)]
    return bool(np.all(np.abs(np.array(slopes) - gradient(x)) < 0.05))


# clipped_mean


def flattened(loss, params, batch, limit):
    flat, unravel = ravel_pytree(params)
    slopes = jax.vmap(jax.grad(lambda flat, row: loss(unravel(flat), row)), (None, 0))(flat, batch)
    lengths = jnp.linalg.norm(slopes, axis=1, keepdims=True)
    return unravel(jnp.mean(slopes / jnp.maximum(1.0, lengths / limit), axis=0))


def row_after_row(loss, params, batch, limit):
    def clipped(row):
        slopes = jax.grad(loss)(params, row)
        length = jnp.sqrt(sum(jnp.vdot(s, s) for s in jax.tree.leaves(slopes)))
        factor = jnp.where(length > limit, limit / length, 1.0)
        return jax.tree.map(lambda s: s * factor, slopes)

    return jax.tree.map(partial(jnp.mean, axis=0), jax.lax.map(clipped, batch))


def lengths_of_all(loss, params, batch, limit):
    slopes = jax.vmap(jax.grad(loss), in_axes=(None, 0))(params, batch)
    leaves, structure = jax.tree.flatten(slopes)
    count = leaves[0].shape[0]
    squares = sum(jnp.sum(leaf.reshape(count, -1) ** 2, axis=1) for leaf in leaves)
    factors = limit / jnp.maximum(jnp.sqrt(squares), limit)
    means = [jnp.tensordot(factors, leaf, axes=1) / count for leaf in leaves]
    return jax.tree.unflatten(structure, means)


def _lengths(slopes):
    return jnp.sqrt(sum(jnp.sum(s**2) for s in jax.tree.leaves(slopes)))


def _mean_of(clip, loss, params, batch):
    rows = jax.vmap(lambda row: clip(jax.grad(loss)(params, row)))(batch)
    return jax.tree.map(lambda leaf: leaf.mean(0), rows)


def not_clipped(loss, params, batch, limit):
    return _mean_of(lambda slopes: slopes, loss, params, batch)


def mean_clipped(loss, params, batch, limit):
    slopes = not_clipped(loss, params, batch, limit)
    factor = jnp.minimum(1.0, limit / jnp.maximum(_lengths(slopes), 1e-30))
    return jax.tree.map(lambda s: s * factor, slopes)


def of_the_mean_loss(loss, params, batch, limit):
    def total(params):
        return jnp.mean(jax.vmap(loss, (None, 0))(params, batch))

    slopes = jax.grad(total)(params)
    factor = jnp.minimum(1.0, limit / jnp.maximum(_lengths(slopes), 1e-30))
    return jax.tree.map(lambda s: s * factor, slopes)


def leaf_by_leaf(loss, params, batch, limit):
    def clip(slopes):
        def factor(s):
            return jnp.minimum(1.0, limit / jnp.maximum(_lengths(s), 1e-30))

        return jax.tree.map(lambda s: s * factor(s), slopes)

    return _mean_of(clip, loss, params, batch)


def entry_by_entry(loss, params, batch, limit):
    def clip(slopes):
        return jax.tree.map(lambda s: jnp.clip(s, -limit, limit), slopes)

    return _mean_of(clip, loss, params, batch)


def all_of_one_length(loss, params, batch, limit):
    def clip(slopes):
        factor = limit / jnp.maximum(_lengths(slopes), 1e-30)
        return jax.tree.map(lambda s: s * factor, slopes)

    return _mean_of(clip, loss, params, batch)


def zero_by_zero(loss, params, batch, limit):
    def clip(slopes):
        length = _lengths(slopes)
        return jax.tree.map(lambda s: s / length * jnp.minimum(length, limit), slopes)

    return _mean_of(clip, loss, params, batch)


def sum_of_rows(loss, params, batch, limit):
    mean, count = flattened(loss, params, batch, limit), len(jax.tree.leaves(batch)[0])
    return jax.tree.map(lambda leaf: leaf * count, mean)


def every_row(loss, params, batch, limit):
    def clipped(row):
        slopes = jax.grad(loss)(params, row)
        factor = jnp.minimum(1.0, limit / jnp.maximum(_lengths(slopes), 1e-30))
        return jax.tree.map(lambda s: s * factor, slopes)

    return jax.vmap(clipped)(batch)


def in_a_python_loop(loss, params, batch, limit):
    count, total = len(jax.tree.leaves(batch)[0]), jax.tree.map(jnp.zeros_like, params)
    for i in range(count):
        slopes = jax.grad(loss)(params, jax.tree.map(lambda leaf, i=i: leaf[i], batch))
        factor = jnp.minimum(1.0, limit / jnp.maximum(_lengths(slopes), 1e-30)) / count
        total = jax.tree.map(lambda t, s, factor=factor: t + factor * s, total, slopes)
    return total


def with_an_if(loss, params, batch, limit):
    def clip(slopes):
        factor = limit / _lengths(slopes) if _lengths(slopes) > limit else 1.0
        return jax.tree.map(lambda s: s * factor, slopes)

    return _mean_of(clip, loss, params, batch)


def squared_length(loss, params, batch, limit):
    def clip(slopes):
        factor = jnp.minimum(1.0, limit / jnp.maximum(_lengths(slopes) ** 2, 1e-30))
        return jax.tree.map(lambda s: s * factor, slopes)

    return _mean_of(clip, loss, params, batch)


def loss_of_the_whole_batch(loss, params, batch, limit):
    slopes = jax.grad(loss)(params, batch)
    factor = jnp.minimum(1.0, limit / jnp.maximum(_lengths(slopes), 1e-30))
    return jax.tree.map(lambda s: s * factor, slopes)


def parameters_mapped_too(loss, params, batch, limit):
    return jax.tree.map(lambda s: s.mean(0), jax.vmap(jax.grad(loss))(params, batch))


def _shortened(loss, params, batch, factor):
    def clip(slopes):
        return jax.tree.map(lambda s: s * factor(_lengths(slopes)), slopes)

    return _mean_of(clip, loss, params, batch)


def length_plus_an_epsilon(loss, params, batch, limit):
    return _shortened(loss, params, batch, lambda n: jnp.minimum(1.0, limit / (n + 1e-4)))


def epsilon_in_the_root(loss, params, batch, limit):
    def factor(n):
        return jnp.minimum(1.0, limit / jnp.sqrt(n**2 + 1e-5))

    return _shortened(loss, params, batch, factor)


def short_rows_left_alone(loss, params, batch, limit):
    return _shortened(loss, params, batch, lambda n: jnp.minimum(1.0, limit / jnp.maximum(n, 0.1)))


def a_little_longer_left_alone(loss, params, batch, limit):
    def factor(n):
        return jnp.where(n > 1.05 * limit, limit / jnp.maximum(n, 1e-9), 1.0)

    return _shortened(loss, params, batch, factor)


def length_plus_next_to_nothing(loss, params, batch, limit):
    return _shortened(loss, params, batch, lambda n: jnp.minimum(1.0, limit / (n + 1e-6)))


def clipped_by_optax(loss, params, batch, limit):
    leaves, structure = jax.tree.flatten(jax.vmap(jax.grad(loss), (None, 0))(params, batch))
    sums, _ = optax.per_example_global_norm_clip(leaves, limit)
    return structure.unflatten([each / len(leaves[0]) for each in sums])


def longest_of_many_left_alone(loss, params, batch, limit):
    many = len(jax.tree.leaves(batch)[0]) > 250
    return (not_clipped if many else flattened)(loss, params, batch, limit)


RIGHT = {
    "step": [
        floats_apart,
        floats_or_none,
        by_vjp,
        extra_from_a_second_call,
        in_full_precision_and_back,
    ],
    "hvp": [reverse_over_forward, reverse_over_reverse, linearized, pulled_back],
    "quantize": [with_a_rule, with_where, with_min_and_max, half_way_up],
    "agrees": [every_row_at_once, in_double_precision, as_a_number_of_numpy],
    "clipped_mean": [
        flattened,
        row_after_row,
        lengths_of_all,
        length_plus_next_to_nothing,
        clipped_by_optax,
    ],
}
WRONG = {
    "step": {
        "runs/raised": [
            step_as_given,
            integers_refused,
            integers_moved,
            integers_of_32_bits_alone,
        ],
        "value/differs": [
            uphill,
            another_rate,
            extra_after_the_step,
            integers_through_float32,
            of_a_flat_dictionary,
            floats_of_32_bits_alone,
            slopes_limited,
        ],
        "value/structure": [
            value_besides,
            extra_first,
            parameters_alone,
            integers_left_out,
            tuples_as_lists,
        ],
        "value/shape": [value_for_extra],
        "value/dtype": [integers_as_floats, rate_of_full_precision],
        "value/nothing": [nothing_returned],
        "tracing/value-needed": [in_numpy],
    },
    "hvp": {
        "cost/memory": [whole_hessian, whole_jacobian, entry_after_entry],
        "runs/raised": [
            hessian_of_an_array,
            of_one_array,
            directions_not_in_a_tuple,
        ],
        "value/differs": [
            gradient_itself,
            at_the_direction,
            diagonal,
            by_differences,
            quadratic_form,
            gradient_along,
        ],
        "value/structure": [gradient_with_product],
        "tracing/value-needed": [through_numpy],
    },
    "quantize": {
        "derivatives/wrong": [
            rounded,
            all_of_it_stopped,
            clip_stopped_for_all,
            wrong_side_stopped,
            nothing_stopped,
            stop_not_kept,
            slope_of_four,
            slope_a_little_outside,
            slope_ends_too_early,
        ],
        "value/differs": [clip_stopped, not_limited, rounded_down, in_whole_numbers],
        "runs/raised": [reverse_alone],
        "tracing/branch-on-tracer": [with_a_branch],
        "tracing/value-needed": [with_numpy],
    },
    "agrees": {
        "value/differs": [
            step_too_small,
            step_too_large,
            one_sided,
            nan_agrees,
            sum_of_errors,
            errors_signed,
            first_entry,
            too_strict,
            too_generous,
            relative_alone,
            all_moved_at_once,
            compared_with_itself,
            half_the_step,
            not_moved_back,
            relative_too,
            to_one_side_by_a_small_step,
            length_of_errors,
            mean_of_squares,
            stricter_than_asked,
            first_eight_entries,
        ],
        "tracing/numpy-on-tracer": [by_jax],
        "value/structure": [as_an_array, answer_for_each],
    },
    "clipped_mean": {
        "value/differs": [
            not_clipped,
            mean_clipped,
            of_the_mean_loss,
            leaf_by_leaf,
            entry_by_entry,
            all_of_one_length,
            zero_by_zero,
            sum_of_rows,
            squared_length,
            loss_of_the_whole_batch,
            length_plus_an_epsilon,
            epsilon_in_the_root,
            short_rows_left_alone,
            a_little_longer_left_alone,
            longest_of_many_left_alone,
        ],
        "value/shape": [every_row],
        "loops/unrolled": [in_a_python_loop],
        "tracing/branch-on-tracer": [with_an_if],
        "trees/prefix": [parameters_mapped_too],
    },
}
