"""Right and wrong answers to the exercises of 09b_own_derivatives."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.flatten_util import ravel_pytree

# kepler


def halved(m, e, rounds=30):
    def halve(bounds, _):
        low, high = bounds
        middle = (low + high) / 2
        below = middle - e * jnp.sin(middle) < m
        return (jnp.where(below, middle, low), jnp.where(below, high, middle)), None

    (low, high), _ = lax.scan(halve, (m - e, m + e), None, length=rounds)
    return (low + high) / 2


def _improved(x, m, e):
    return x - (x - e * jnp.sin(x) - m) / (1 - e * jnp.cos(x))


def _ruled_by_the_equation(f, epsilon=0.0):
    """Give a solver the right rule, but for an epsilon below the fraction."""
    solved = jax.custom_jvp(f)

    @solved.defjvp
    def _(primals, tangents):
        (m, e), (dm, de) = primals, tangents
        x = solved(m, e)
        return x, (dm + jnp.sin(x) * de) / (1 - e * jnp.cos(x) + epsilon)

    return solved


def newton_twice_afterwards(m, e):
    x = lax.stop_gradient(halved(m, e))
    return _improved(_improved(x, m, e), m, e)


def newton_once_afterwards(m, e):
    return _improved(lax.stop_gradient(halved(m, e)), m, e)


def newton_from_the_start(m, e):
    start = m + e * jnp.sign(jnp.sin(m))
    return lax.fori_loop(0, 30, lambda _, x: _improved(x, m, e), start)


def kepler_by_root(m, e):
    def residual(x):
        return x - e * jnp.sin(x) - m

    return lax.custom_root(residual, m, lambda f, x: halved(m, e), lambda g, y: y / g(1.0))


def _ruled(rule, f=halved):
    """Return the solver with a rule, which gets `x` besides the primals and the tangents."""
    solver = jax.custom_jvp(lambda m, e: f(m, e))

    @solver.defjvp
    def _(primals, tangents):
        x = solver(*primals)
        return x, rule(x, *primals, *tangents)

    return solver


kepler_in_two_rules = jax.custom_jvp(lambda m, e: halved(m, e))
kepler_in_two_rules.defjvps(
    lambda dm, x, m, e: dm / (1 - e * jnp.cos(x)),
    lambda de, x, m, e: de * jnp.sin(x) / (1 - e * jnp.cos(x)),
)
kepler_under_jit = jax.jit(
    _ruled(lambda x, m, e, dm, de: (dm + jnp.sin(x) * de) / (1 - e * jnp.cos(x)))
)


def rule_by_autodiff(m, e):
    def residual(x, m, e):
        return x - e * jnp.sin(x) - m

    def rule(x, m, e, dm, de):
        _, left = jax.jvp(partial(residual, x), (m, e), (dm, de))
        return -left / jax.grad(residual)(x, m, e)

    return _ruled(rule)(m, e)


def e_forgotten(m, e):
    return _ruled(lambda x, m, e, dm, de: dm / (1 - e * jnp.cos(x)))(m, e)


def sign_of_e(m, e):
    return _ruled(lambda x, m, e, dm, de: (dm - jnp.sin(x) * de) / (1 - e * jnp.cos(x)))(m, e)


def slope_at_m(m, e):
    return _ruled(lambda x, m, e, dm, de: (dm + jnp.sin(m) * de) / (1 - e * jnp.cos(m)))(m, e)


def inverse_slope(m, e):
    return _ruled(lambda x, m, e, dm, de: (dm + jnp.sin(x) * de) * (1 - e * jnp.cos(x)))(m, e)


def tangents_swapped(m, e):
    return _ruled(lambda x, m, e, dm, de: (de + jnp.sin(x) * dm) / (1 - e * jnp.cos(x)))(m, e)


def slope_of_one(m, e):
    return m + lax.stop_gradient(halved(m, e) - m)


rule_on_the_loop = jax.custom_jvp(lambda m, e: halved(m, e))


@rule_on_the_loop.defjvp
def _rule_on_the_loop(primals, tangents):
    (_, e), (dm, de) = primals, tangents
    x = halved(*primals)
    return x, (dm + jnp.sin(x) * de) / (1 - e * jnp.cos(x))


kepler_backwards = jax.custom_vjp(lambda m, e: halved(m, e))


def _kepler_back(kept, slope):
    x, e = kept
    slope = slope / (1 - e * jnp.cos(x))
    return slope, slope * jnp.sin(x)


kepler_backwards.defvjp(lambda m, e: (halved(m, e), (halved(m, e), e)), _kepler_back)

tangent_alone = jax.custom_jvp(lambda m, e: halved(m, e))


@tangent_alone.defjvp
def _tangent_alone(primals, tangents):
    x = halved(*primals)
    return (tangents[0] + jnp.sin(x) * tangents[1]) / (1 - primals[1] * jnp.cos(x))


@jax.custom_jvp
def no_rule(m, e):
    return halved(m, e)


def kepler_in_a_while(m, e):
    def unsolved(x):
        return jnp.abs(x - e * jnp.sin(x) - m) > 1e-6

    return lax.while_loop(unsolved, lambda x: _improved(x, m, e), m + e * jnp.sign(jnp.sin(m)))


def kepler_in_python(m, e):
    x = m + e * jnp.sign(jnp.sin(m))
    while abs(x - e * jnp.sin(x) - m) > 1e-6:
        x = _improved(x, m, e)
    return x


def five_rounds(m, e):
    return halved(m, e, rounds=5)


def three_hundred_steps(m, e):
    return lax.fori_loop(0, 300, lambda _, x: m + e * jnp.sin(x), m)


@_ruled_by_the_equation
def within_one_turn(m, e):
    return halved(jnp.mod(m + jnp.pi, 2 * jnp.pi) - jnp.pi, e)


@_ruled_by_the_equation
def four_newton_steps(m, e):
    x = m
    for _ in range(4):
        x = _improved(x, m, e)
    return x


def epsilon_below(m, e):
    @partial(_ruled_by_the_equation, epsilon=1e-3)
    def solved(m, e):
        return halved(m, e)

    return solved(m, e)


def series_in_e(m, e):
    return m + e * jnp.sin(m) + e**2 / 2 * jnp.sin(2 * m)


def divisor_clamped(m, e):
    def rule(x, m, e, dm, de):
        return (dm + jnp.sin(x) * de) / jnp.maximum(1 - e * jnp.cos(x), 0.2)

    return _ruled(rule)(m, e)


def divisor_clamped_closely(m, e):
    def rule(x, m, e, dm, de):
        return (dm + jnp.sin(x) * de) / jnp.maximum(1 - e * jnp.cos(x), 0.105)

    return _ruled(rule)(m, e)


def divisor_clamped_from_above(m, e):
    def rule(x, m, e, dm, de):
        return (dm + jnp.sin(x) * de) / jnp.minimum(1 - e * jnp.cos(x), 1.8)

    return _ruled(rule)(m, e)


def slope_of_eight_at_most(m, e):
    def rule(x, m, e, dm, de):
        return (dm + jnp.sin(x) * de) * jnp.clip(1 / (1 - e * jnp.cos(x)), 0, 8)

    return _ruled(rule)(m, e)


# log_mean


def by_quadrature(a, b):
    """Return the mean of `a**t * b**(1 - t)` over t from 0 to 1, at Gauss's nodes."""
    nodes, weights = np.polynomial.legendre.leggauss(30)
    parts = [w / 2 * a ** ((1 + t) / 2) * b ** ((1 - t) / 2) for t, w in zip(nodes, weights)]  # noqa: B905
    return sum(parts)


@jax.custom_jvp
def _mean_exp(x):
    safe = jnp.where(x == 0, 1.0, x)
    return jnp.where(x == 0, 1.0, jnp.expm1(safe) / safe)


@_mean_exp.defjvp
def _mean_exp_rule(primals, tangents):
    (x,), (dx,) = primals, tangents
    mean, near = _mean_exp(x), jnp.abs(x) < 0.1
    series = 1 / 2 + x / 3 + x**2 / 8 + x**3 / 30
    far = (jnp.exp(x) - mean) / jnp.where(near, 1.0, x)
    return mean, dx * jnp.where(near, series, far)


def with_the_function_of_the_page(a, b):
    return b * _mean_exp(jnp.log(a / b))


def arithmetic_mean_near(a, b):
    near = jnp.abs(a - b) < 0.03 * b
    safe = jnp.where(near, 2 * b, a)
    return jnp.where(near, (a + b) / 2, (safe - b) / (jnp.log(safe) - jnp.log(b)))


def arithmetic_mean_very_near(a, b):
    near = jnp.abs(a - b) < 1e-6 * b
    safe = jnp.where(near, 2 * b, a)
    return jnp.where(near, (a + b) / 2, (safe - b) / (jnp.log(safe) - jnp.log(b)))


def arithmetic_mean_near_by_a_fixed_bound(a, b):
    near = jnp.abs(a - b) < 0.01
    safe = jnp.where(near, 2 * b, a)
    return jnp.where(near, (a + b) / 2, (safe - b) / jnp.log1p((safe - b) / b))


def short_series_too_far(a, b):
    half = jnp.log(a / b) / 2
    near = jnp.abs(half) < 1
    safe = jnp.where(near, 1.0, half)
    mean = jnp.where(near, 1 + half**2 / 6, jnp.sinh(safe) / safe)
    return jnp.sqrt(a) * jnp.sqrt(b) * mean


def by_gauss(a, b):
    places, weights = jnp.float32(np.polynomial.legendre.leggauss(12)) / 2
    powers = jnp.log(a)[..., None] * (0.5 + places) + jnp.log(b)[..., None] * (0.5 - places)
    return jnp.sum(weights * jnp.exp(powers), axis=-1)


def series_near(a, b):
    d = a / b - 1
    near = jnp.abs(d) < 0.1
    safe = jnp.where(near, 1.0, d)
    return b * jnp.where(near, 1 + d / 2 - d**2 / 12 + d**3 / 24, safe / jnp.log1p(safe))


@jax.custom_jvp
def _two_rules(a, b):
    safe = jnp.where(a == b, 2 * b, a)
    return jnp.where(a == b, a, (safe - b) / jnp.log(safe / b))


@_two_rules.defjvp
def _(primals, tangents):
    (a, b), (da, db) = primals, tangents
    d, mean = jnp.log(a / b), _two_rules(a, b)
    near = jnp.abs(d) < 0.1
    safe = jnp.where(near, 1.0, d)
    by_a = jnp.where(near, 1 / 2 - d / 6 + d**2 / 24, (1 - mean / a) / safe)
    by_b = jnp.where(near, 1 / 2 + d / 6 + d**2 / 24, (mean / b - 1) / safe)
    return mean, by_a * da + by_b * db


@jax.jit
def with_a_rule_for_two(a, b):
    # What is written by the logarithm of the ratio keeps its digits where the two are close.
    d = jnp.log(a / b)
    return jnp.where(jnp.abs(d) < 1e-4, _close(a, b), _two_rules(a, b))


def _close(a, b):
    return (a + b) / 2


def bare_formula(a, b):
    return (a - b) / (jnp.log(a) - jnp.log(b))


def outer_where(a, b):
    return jnp.where(a == b, a, bare_formula(a, b))


def inner_where(a, b):
    safe = jnp.where(a == b, 2 * b, a)
    return jnp.where(a == b, a, (safe - b) / (jnp.log(safe) - jnp.log(b)))


def halves_at_one_point(a, b):
    safe = jnp.where(a == b, 2 * b, a)
    return jnp.where(a == b, (a + b) / 2, (safe - b) / (jnp.log(safe) - jnp.log(b)))


def with_an_epsilon(a, b):
    return (a - b) / (jnp.log(a) - jnp.log(b) + 1e-8)


def geometric(a, b):
    return jnp.sqrt(a * b)


def arithmetic(a, b):
    return (a + b) / 2


def mended_of_the_page(a, b):
    x = jnp.log(a / b)
    safe = jnp.where(x == 0, 1.0, x)
    return b * jnp.where(x == 0, 1.0, jnp.expm1(safe) / safe)


def stopped(a, b):
    return a * lax.stop_gradient(with_the_function_of_the_page(a, b) / a)


log_mean_backwards = jax.custom_vjp(lambda a, b: by_quadrature(a, b))
log_mean_backwards.defvjp(
    lambda a, b: jax.vjp(by_quadrature, a, b), lambda pull_back, slope: pull_back(slope)
)


def numbers_alone(a, b):
    return a if a == b else bare_formula(a, b)


def asked_whether_all_are_equal(a, b):
    return (a + b) / 2 if jnp.all(a == b) else with_the_function_of_the_page(a, b)


def mean_in_numpy(a, b):
    a, b = np.asarray(a), np.asarray(b)
    half = np.log(a / b) / 2
    with np.errstate(all="ignore"):
        return jnp.sqrt(a * b) * np.where(half == 0, 1, np.sinh(half) / half)


def with_arctanh(a, b):
    ratio = (a - b) / (a + b)
    near = jnp.abs(ratio) < 0.2
    safe, square = jnp.where(near, 0.5, ratio), ratio**2
    series = 1 + square / 3 + square**2 / 5 + square**3 / 7
    return (a + b) / 2 / jnp.where(near, series, jnp.arctanh(safe) / safe)


def by_midpoints(a, b):
    return sum(a ** ((i + 0.5) / 100) * b ** ((99.5 - i) / 100) for i in range(100)) / 100


def logarithm_of_one_more(a, b):
    safe = jnp.where(a == b, 1.0, (a - b) / b)
    return jnp.where(a == b, a, (a - b) / jnp.log1p(safe))


def slopes_of_a_half(a, b):
    flat = lax.stop_gradient
    return flat(with_arctanh(a, b)) + (a - flat(a) + b - flat(b)) / 2


def _series_near(limit):
    def log_mean(a, b):
        u = jnp.log(a) - jnp.log(b)
        near = jnp.abs(u) < limit
        safe = jnp.where(near, 1.0, u)
        return b * jnp.where(near, 1 + u / 2 + u**2 / 6, jnp.expm1(safe) / safe)

    return log_mean


def short_series_to_a_half(a, b):
    return _series_near(0.5)(a, b)


def short_series_to_three_tenths(a, b):
    return _series_near(0.3)(a, b)


def slope_of_a_half_from_below(a, b):
    """Take the series on one side alone, where the logarithm is negative."""
    u = jnp.log(a / b)
    return jnp.where((u < 0) & (u > -0.6), _series_near(0.6)(a, b), by_gauss(a, b))


def _slope_of_a_half_at_zero_alone():
    mean_exp = jax.custom_jvp(_mean_exp)

    @mean_exp.defjvp
    def _(primals, tangents):
        (x,), (dx,) = primals, tangents
        mean = mean_exp(x)
        far = (jnp.exp(x) - mean) / jnp.where(x == 0, 1.0, x)
        return mean, dx * jnp.where(x == 0, 0.5, far)

    return mean_exp


def slope_of_a_half_at_zero_alone(a, b):
    return b * _slope_of_a_half_at_zero_alone()(jnp.log(a / b))


@jax.custom_jvp
def rule_alone_keeps_its_digits(a, b):
    x = jnp.log(a) - jnp.log(b)
    return jnp.where(x == 0, a, (a - b) / jnp.where(x == 0, 1.0, x))


@rule_alone_keeps_its_digits.defjvp
def _(primals, tangents):
    slope = jax.jvp(by_gauss, primals, tangents)[1]
    return rule_alone_keeps_its_digits(*primals), slope


def a_little_more_everywhere(a, b):
    return by_gauss(a, b) + 5e-4


def by_four_midpoints(a, b):
    return sum(a ** ((i + 0.5) / 4) * b ** ((3.5 - i) / 4) for i in range(4)) / 4


# limit


def _length(slopes):
    return jnp.sqrt(sum(jnp.sum(s**2) for s in jax.tree.leaves(slopes)))


def _limits(backward, forward=lambda most, x: (x, most)):
    def limit(most, x):
        return x

    limit.__name__ = backward.__name__
    limit = jax.custom_vjp(limit)
    limit.defvjp(forward, backward)
    return limit


def _scaled(factor, slopes):
    return jax.tree.map(lambda s: s * factor, slopes)


@_limits
def with_where(most, slopes):
    length = _length(slopes)
    factor = jnp.where(length > most, most / jnp.where(length > 0, length, 1.0), 1.0)
    return jnp.zeros_like(most), _scaled(factor, slopes)


@_limits
def raveled(most, slopes):
    flat, unravel = ravel_pytree(slopes)
    return None, unravel(flat / jnp.maximum(1.0, jnp.linalg.norm(flat) / most))


@_limits
def with_cond(most, slopes):
    length = _length(slopes)
    shorten = partial(_scaled, most / length)
    return None, lax.cond(length > most, shorten, lambda slopes: slopes, slopes)


@_limits
def with_a_tiny_number(most, slopes):
    return None, _scaled(jnp.minimum(1.0, most / (_length(slopes) + 1e-30)), slopes)


def _also_forward(most, x):
    return _scaled(jnp.minimum(1.0, most), x), most


@_limits
def length_plus_an_epsilon(most, slopes):
    return None, _scaled(jnp.minimum(1.0, most / (_length(slopes) + 1e-4)), slopes)


@_limits
def epsilon_in_the_root(most, slopes):
    length = jnp.sqrt(_length(slopes) ** 2 + 1e-4)
    return None, _scaled(jnp.minimum(1.0, most / length), slopes)


@_limits
def a_little_too_long(most, slopes):
    length = _length(slopes)
    safe = jnp.maximum(length, most)
    return None, _scaled(jnp.where(length > 1.02 * most, most / safe, 1.0), slopes)


@_limits
def half_at_least(most, slopes):
    most = jnp.maximum(most, 0.5)
    return None, _scaled(most / jnp.maximum(_length(slopes), most), slopes)


@_limits
def nan_replaced(most, slopes):
    return None, _scaled(jnp.nan_to_num(jnp.minimum(1.0, most / _length(slopes))), slopes)


@partial(_limits, forward=_also_forward)
def shortened_on_the_way_forward_too(most, slopes):
    return None, _scaled(jnp.minimum(1.0, most / (_length(slopes) + 1e-30)), slopes)


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def limit_as_given(most, x):
    return x


limit_as_given.defvjp(
    lambda most, x: (x, None),
    lambda most, _, slopes: (jax.tree.map(lambda s: most * s / jnp.linalg.norm(s), slopes),),
)


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def still_static(most, x):
    return x


still_static.defvjp(
    lambda most, x: (x, None),
    lambda most, _, slopes: (_scaled(most / jnp.maximum(_length(slopes), most), slopes),),
)


@_limits
def leaf_by_leaf(most, slopes):
    return None, jax.tree.map(lambda s: s * most / jnp.maximum(_length(s), most), slopes)


@_limits
def entry_by_entry(most, slopes):
    return None, jax.tree.map(lambda s: jnp.clip(s, -most, most), slopes)


@_limits
def always_scaled(most, slopes):
    return None, _scaled(most / jnp.maximum(_length(slopes), 1e-30), slopes)


@_limits
def zero_by_zero(most, slopes):
    length = _length(slopes)
    return None, _scaled(jnp.minimum(length, most) / length, slopes)


@_limits
def scaled_to_one(most, slopes):
    length = _length(slopes)
    return None, _scaled(jnp.where(length > most, 1 / jnp.maximum(length, most), 1.0), slopes)


@_limits
def squared_length(most, slopes):
    return None, _scaled(most / jnp.maximum(_length(slopes) ** 2, most), slopes)


@_limits
def sum_for_length(most, slopes):
    length = sum(jnp.sum(jnp.abs(s)) for s in jax.tree.leaves(slopes))
    return None, _scaled(most / jnp.maximum(length, most), slopes)


@_limits
def slope_by_the_limit(most, slopes):
    factor = most / jnp.maximum(_length(slopes), most)
    return factor, _scaled(factor, slopes)


@_limits
def limit_without_its_slope(most, slopes):
    return (_scaled(most / jnp.maximum(_length(slopes), most), slopes),)


@_limits
def with_an_if(most, slopes):
    return None, _scaled(most / _length(slopes), slopes) if _length(slopes) > most else slopes


@_limits
def limit_in_numpy(most, slopes):
    length = np.sqrt(sum(np.sum(np.asarray(s) ** 2) for s in jax.tree.leaves(slopes)))
    return None, _scaled(np.float32(most / max(length, most)), slopes)


def values_shortened(most, x):
    return _scaled(most / jnp.maximum(_length(x), most), x)


def limit_of_nothing(most, x):
    return x


@_limits
def by_optax(most, slopes):
    return None, optax.clip_by_global_norm(most).update(slopes, optax.EmptyState())[0]


def limit_defined_inside(most, x):
    inner = jax.custom_vjp(lambda x, most: x)

    def backward(most, slopes):
        return _scaled(most / jnp.maximum(_length(slopes), most), slopes), jnp.zeros_like(most)

    inner.defvjp(lambda x, most: (x, most), backward)
    return inner(x, most)


def limit_closed_over(most, x):
    inner = jax.custom_vjp(lambda x: x)

    def backward(_, slopes):
        return (_scaled(most / jnp.maximum(_length(slopes), most), slopes),)

    inner.defvjp(lambda x: (x, None), backward)
    return inner(x)


def length_of_the_values(most, x):
    inner = jax.custom_vjp(lambda most, x: x)
    inner.defvjp(
        lambda most, x: (x, (most, _length(x))),
        lambda kept, slopes: (None, _scaled(kept[0] / jnp.maximum(*kept), slopes)),
    )
    return inner(most, x)


# equilibrium


def _settle(f, params, start, unsettled=jnp.any):
    def body(pair):
        new = f(params, pair[0])
        return new, unsettled(jnp.abs(new - pair[0]) > 1e-5)

    return lax.while_loop(lambda pair: pair[1], body, (start, jnp.bool_(True)))[0]


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def matrix_on_the_way_back(f, params, start):
    return _settle(f, params, start)


def _settle_forward(f, params, start):
    x = _settle(f, params, start)
    return x, (params, x)


def _matrix_backward(f, kept, slope):
    params, x = kept
    by_x = jax.jacobian(f, argnums=1)(params, x)
    adjoint = jnp.linalg.solve(jnp.eye(x.size) - by_x.T, slope)
    return jax.vjp(lambda params: f(params, x), params)[1](adjoint)[0], jnp.zeros_like(x)


matrix_on_the_way_back.defvjp(_settle_forward, _matrix_backward)


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def loop_on_the_way_back(f, params, start):
    return _settle(f, params, start)


def _loop_backward(f, kept, slope):
    params, x = kept
    by_x = jax.vjp(lambda x: f(params, x), x)[1]
    adjoint = _settle(lambda _, u: slope + by_x(u)[0], None, slope)
    return jax.vjp(lambda params: f(params, x), params)[1](adjoint)[0], None


loop_on_the_way_back.defvjp(_settle_forward, _loop_backward)


def newton_step_afterwards(f, params, start):
    x = _settle(f, *lax.stop_gradient((params, start)))
    by_x = lax.stop_gradient(jax.jacobian(f, argnums=1)(params, x))
    return x + jnp.linalg.solve(jnp.eye(x.size) - by_x, f(params, x) - x)


def damped_by_newton(f, params, start):
    """Return what Newton's steps find from where the loop ended, which is the same."""
    x = _settle(f, *lax.stop_gradient((params, start)))
    for _ in range(2):
        by_x = jax.jacobian(f, argnums=1)(params, x)
        x = x + jnp.linalg.solve(jnp.eye(x.size) - by_x, f(params, x) - x)
    return x


def ten_thousand_rounds_at_most(f, params, start):
    def solve(residual, x):
        def goes_on(state):
            return jnp.any(jnp.abs(residual(state[0])) > 1e-5) & (state[1] < 10_000)

        return lax.while_loop(goes_on, lambda s: (s[0] + residual(s[0]), s[1] + 1), (x, 0))[0]

    def divide(linear, y):
        return jnp.linalg.solve(jax.jacobian(linear)(y), y)

    return lax.custom_root(lambda x: f(params, x) - x, start, solve, divide)


def attached_to_the_place(f, params, start):
    x = _settle(f, *lax.stop_gradient((params, start)))
    slope = lax.stop_gradient(jax.jacobian(f, argnums=1)(params, x))
    change = f(params, x) - lax.stop_gradient(f(params, x))
    return x + jnp.linalg.solve(jnp.eye(x.size) - slope, change)


def loop_alone(f, params, start):
    return _settle(f, params, start)


def one_more_step(f, params, start):
    return f(params, _settle(f, *lax.stop_gradient((params, start))))


def hundred_rounds(f, params, start, rounds=100):
    return lax.scan(lambda x, _: (f(params, x), None), start, None, length=rounds)[0]


def many_rounds(f, params, start):
    return hundred_rounds(f, params, start, rounds=12_000)


def many_rounds_checkpointed(f, params, start):
    def body(x, _):
        return f(params, x), None

    return lax.scan(jax.checkpoint(body), start, None, length=12_000)[0]


def one_entry_settled(f, params, start):
    x = _settle(f, *lax.stop_gradient((params, start)), unsettled=jnp.all)
    slopes = newton_step_afterwards(f, params, start)
    return x + slopes - lax.stop_gradient(slopes)


def one_round(f, params, start):
    return f(params, start)


def _rooted(residual, divide=None):
    def by_matrix(linear, y):
        return jnp.linalg.solve(jax.jacobian(linear)(y), y)

    def equilibrium(f, params, start):
        def solve(_, start):
            return _settle(f, params, start)

        return lax.custom_root(partial(residual, f, params), start, solve, divide or by_matrix)

    return equilibrium


def map_for_residual(f, params, start):
    return _rooted(lambda f, params, x: f(params, x))(f, params, start)


def diagonal_alone(f, params, start):
    def divide(linear, y):
        return y / linear(jnp.ones_like(y))

    return _rooted(lambda f, params, x: x - f(params, x), divide)(f, params, start)


def _not_transposed(f, kept, slope):
    params, x = kept
    by_x = jax.jacobian(f, argnums=1)(params, x)
    adjoint = jnp.linalg.solve(jnp.eye(x.size) - by_x, slope)
    return jax.vjp(lambda params: f(params, x), params)[1](adjoint)[0], None


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def not_transposed(f, params, start):
    return _settle(f, params, start)


not_transposed.defvjp(_settle_forward, _not_transposed)


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def wrong_sign(f, params, start):
    return _settle(f, params, start)


wrong_sign.defvjp(
    _settle_forward,
    lambda f, kept, slope: _matrix_backward(f, kept, -slope),
)


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def slope_by_the_start(f, params, start):
    return _settle(f, params, start)


slope_by_the_start.defvjp(
    _settle_forward,
    lambda f, kept, slope: (_matrix_backward(f, kept, slope)[0], slope),
)


@partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def params_static(f, params, start):
    return _settle(f, params, start)


params_static.defvjp(
    lambda f, params, start: (_settle(f, params, start), None), lambda f, params, _, slope: (slope,)
)


def while_in_python(f, params, start):
    x, new = start, f(params, start)
    while jnp.abs(new - x).max() > 1e-5:
        x, new = new, f(params, new)
    return new


def rounds_besides(f, params, start):
    return newton_step_afterwards(f, params, start), 100


def rule_that_goes_forward(f, params, start):
    @jax.custom_jvp
    def solve(params, start):
        return _settle(f, params, start)

    @solve.defjvp
    def _(primals, tangents):
        (params, _), x = primals, solve(*primals)
        _, moved = jax.jvp(lambda params: f(params, x), (params,), tangents[:1])
        by_x = jax.jacobian(f, argnums=1)(params, x)
        return x, jnp.linalg.solve(jnp.eye(x.size) - by_x, moved)

    return solve(params, start)


def _by_root(settle):
    """Return the answer that finds its place by `settle`, and its slope from the equation."""

    def answer(f, params, start):
        return lax.custom_root(
            lambda x: f(params, x) - x,
            start,
            lambda _, x: settle(f, params, x),
            lambda linear, y: jnp.linalg.solve(jax.jacfwd(linear)(y), y),
        )

    return answer


def _rounds(f, params, x, rounds=1000):
    return lax.fori_loop(0, rounds, lambda _, x: f(params, x), x)


def _newton(f, params, x):
    def improve(_, x):
        by_x = jax.jacobian(f, argnums=1)(params, x)
        return x + jnp.linalg.solve(jnp.eye(x.size) - by_x, f(params, x) - x)

    return lax.fori_loop(0, 50, improve, x)


def _coarse(f, params, x):
    def body(pair):
        return f(params, pair[0]), pair[0]

    def unsettled(pair):
        return jnp.any(jnp.abs(pair[0] - pair[1]) > 1e-3)

    return lax.while_loop(unsettled, body, (f(params, x), x))[0]


def _until_the_mean_rests(f, params, x):
    def unsettled(x):
        return jnp.abs(jnp.mean(f(params, x) - x)) > 1e-5

    return lax.while_loop(unsettled, lambda x: f(params, x), x)


thousand_rounds = _by_root(_rounds)
mean_of_the_changes = _by_root(_until_the_mean_rests)
by_newton_alone = _by_root(_newton)
tolerance_too_large = _by_root(_coarse)
begun_at_zero = _by_root(lambda f, params, x: _settle(f, params, jnp.zeros_like(x)))


def three_hundred_rounds_of_a_scan_afterwards(f, params, start):
    x = _settle(f, *lax.stop_gradient((params, start)))
    return lax.scan(lambda x, _: (f(params, x), None), x, length=300)[0]


def rule_that_closes_over_the_start(f, params, start):
    @jax.custom_jvp
    def solve(params):
        return _settle(f, params, lax.stop_gradient(start))

    @solve.defjvp
    def _(primals, tangents):
        (params,), x = primals, solve(*primals)
        _, moved = jax.jvp(lambda params: f(params, x), (params,), tangents)
        by_x = jax.jacobian(f, argnums=1)(params, x)
        return x, jnp.linalg.solve(jnp.eye(x.size) - by_x, moved)

    return solve(params)


def twenty_more_steps(f, params, start):
    x = _settle(f, *lax.stop_gradient((params, start)))
    for _ in range(20):
        x = f(params, x)
    return x


def divided_with_a_sign(f, params, start):
    def divide(linear, y):
        return -jnp.linalg.solve(jax.jacobian(linear)(y), y)

    return _rooted(lambda f, params, x: x - f(params, x), divide)(f, params, start)


def bound_as_an_array(f, params, start):
    return lax.fori_loop(0, jnp.array(12_000), lambda _, x: f(params, x), start)


def until_the_mean_is_small(f, params, start):
    def solve(_, x):
        def goes_on(pair):
            return jnp.mean(jnp.abs(pair[1] - pair[0])) > 1e-5

        return lax.while_loop(goes_on, lambda pair: (pair[1], f(params, pair[1])), (x + 1, x))[1]

    def divide(linear, y):
        return jnp.linalg.solve(jax.jacfwd(linear)(y), y)

    return lax.custom_root(lambda x: f(params, x) - x, lax.stop_gradient(start), solve, divide)


# scan_in_blocks


def _in_blocks(block, xs):
    return jax.tree.map(lambda x: x.reshape(x.shape[0] // block, block, *x.shape[1:]), xs)


def _joined(ys):
    return jax.tree.map(lambda y: y.reshape(y.shape[0] * y.shape[1], *y.shape[2:]), ys)


def _blocked(step, start, xs, block, wrap=jax.checkpoint):
    run = wrap(lambda carry, rows: lax.scan(step, carry, rows))
    return lax.scan(run, start, _in_blocks(block, xs))


def each_step_again_too(step, start, xs, block):
    last, ys = _blocked(jax.checkpoint(step), start, xs, block)
    return last, _joined(ys)


def with_a_policy(step, start, xs, block):
    policy = jax.checkpoint_policies.nothing_saveable
    last, ys = _blocked(step, start, xs, block, partial(jax.checkpoint, policy=policy))
    return last, jax.tree.map(jnp.concatenate, ys)


def rows_picked(step, start, xs, block):
    """Hand out the numbers of the blocks, and cut them out of what is closed over."""
    length = len(jax.tree.leaves(xs)[0])

    @jax.checkpoint
    def run(carry, first, xs):
        rows = jax.tree.map(lambda x: lax.dynamic_slice_in_dim(x, first, block), xs)
        return lax.scan(step, carry, rows)

    firsts = jnp.arange(0, length, block)
    last, ys = lax.scan(lambda carry, first: run(carry, first, xs), start, firsts)
    return last, _joined(ys)


def as_one_scan(step, start, xs, block):
    return lax.scan(step, start, xs)


def each_step_again(step, start, xs, block):
    return lax.scan(jax.checkpoint(step), start, xs)


def all_of_it_again(step, start, xs, block):
    return jax.checkpoint(lambda start, xs: lax.scan(step, start, xs))(start, xs)


def blocks_and_no_checkpoint(step, start, xs, block):
    last, ys = _blocked(step, start, xs, block, wrap=lambda run: run)
    return last, _joined(ys)


def checkpoint_around_the_outer_loop(step, start, xs, block):
    last, ys = jax.checkpoint(lambda start, xs: _blocked(step, start, xs, block, lambda run: run))(
        start, xs
    )
    return last, _joined(ys)


def count_for_size(step, start, xs, block):
    size = len(jax.tree.leaves(xs)[0]) // block
    last, ys = _blocked(step, start, xs, size)
    return last, _joined(ys)


def everything_saved(step, start, xs, block):
    policy = jax.checkpoint_policies.everything_saveable
    last, ys = _blocked(step, start, xs, block, partial(jax.checkpoint, policy=policy))
    return last, _joined(ys)


def products_saved(step, start, xs, block):
    policy = jax.checkpoint_policies.dots_saveable
    last, ys = _blocked(step, start, xs, block, partial(jax.checkpoint, policy=policy))
    return last, _joined(ys)


def outputs_in_blocks(step, start, xs, block):
    return _blocked(step, start, xs, block)


def one_array(step, start, xs, block):
    last, ys = lax.scan(
        jax.checkpoint(lambda carry, rows: lax.scan(step, carry, rows)),
        start,
        xs.reshape(-1, block),
    )
    return last, ys.reshape(-1)


def carry_alone(step, start, xs, block):
    return each_step_again_too(step, start, xs, block)[0]


def outputs_dropped(step, start, xs, block):
    return each_step_again_too(step, start, xs, block)[0], None


def blocks_in_python(step, start, xs, block):
    run, carry, parts = jax.checkpoint(lambda carry, rows: lax.scan(step, carry, rows)), start, []
    for first in range(0, len(jax.tree.leaves(xs)[0]), block):
        rows = jax.tree.map(lambda x, first=first: x[first : first + block], xs)
        carry, ys = run(carry, rows)
        parts.append(ys)
    return carry, jax.tree.map(lambda *each: jnp.concatenate(each), *parts)


def columns_for_blocks(step, start, xs, block):
    rows = jax.tree.map(lambda x: jnp.swapaxes(x.reshape(block, -1, *x.shape[1:]), 0, 1), xs)
    last, ys = lax.scan(
        jax.checkpoint(lambda carry, rows: lax.scan(step, carry, rows)), start, rows
    )
    return last, _joined(ys)


def slopes_stopped(step, start, xs, block):
    def run(carry, rows):
        return lax.scan(step, lax.stop_gradient(carry), rows)

    last, ys = lax.scan(jax.checkpoint(run), start, _in_blocks(block, xs))
    return last, _joined(ys)


def numbers_of_rows(step, start, xs, block):
    def run(carry, numbers):
        return lax.scan(step, carry, jax.tree.map(lambda x: x[numbers], xs))

    numbers = jnp.arange(len(jax.tree.leaves(xs)[0])).reshape(-1, block)
    last, ys = lax.scan(jax.checkpoint(run), start, numbers)
    return last, _joined(ys)


def python_within_a_block(step, start, xs, block):
    @jax.checkpoint
    def run(carry, rows):
        ys = []
        for i in range(block):
            carry, y = step(carry, jax.tree.map(lambda row, i=i: row[i], rows))
            ys.append(y)
        return carry, jax.tree.map(lambda *each: jnp.stack(each), *ys)

    last, ys = lax.scan(run, start, _in_blocks(block, xs))
    return last, _joined(ys)


def unrolled_by_blocks(step, start, xs, block):
    return lax.scan(jax.checkpoint(step), start, xs, unroll=block)


def blocks_of_its_own_size(step, start, xs, block):
    n = len(jax.tree.leaves(xs)[0])
    block = max(size for size in range(1, n + 1) if n % size == 0 and size * size <= n)
    return with_a_policy(step, start, xs, block)


RIGHT = {
    "kepler": [
        newton_twice_afterwards,
        newton_from_the_start,
        kepler_by_root,
        kepler_in_two_rules,
        kepler_under_jit,
        rule_by_autodiff,
        three_hundred_steps,
    ],
    "log_mean": [
        with_the_function_of_the_page,
        by_quadrature,
        arithmetic_mean_near,
        series_near,
        with_a_rule_for_two,
        with_arctanh,
        by_midpoints,
        by_gauss,
    ],
    "limit": [
        with_where,
        raveled,
        with_cond,
        with_a_tiny_number,
        by_optax,
        limit_defined_inside,
        nan_replaced,
    ],
    "equilibrium": [
        matrix_on_the_way_back,
        loop_on_the_way_back,
        newton_step_afterwards,
        damped_by_newton,
        rule_that_goes_forward,
        attached_to_the_place,
    ],
    "scan_in_blocks": [
        each_step_again_too,
        with_a_policy,
        rows_picked,
        numbers_of_rows,
        python_within_a_block,
    ],
}
WRONG = {
    "kepler": {
        "derivatives/wrong": [
            halved,
            newton_once_afterwards,
            e_forgotten,
            sign_of_e,
            slope_at_m,
            inverse_slope,
            tangents_swapped,
            slope_of_one,
            rule_on_the_loop,
            epsilon_below,
            divisor_clamped,
            divisor_clamped_closely,
            divisor_clamped_from_above,
            slope_of_eight_at_most,
        ],
        "runs/raised": [kepler_backwards, tangent_alone, no_rule],
        "loops/reverse-mode": [kepler_in_a_while],
        "tracing/branch-on-tracer": [kepler_in_python],
        "value/differs": [five_rounds, series_in_e, within_one_turn, four_newton_steps],
    },
    "log_mean": {
        "value/differs": [
            bare_formula,
            with_an_epsilon,
            geometric,
            arithmetic,
            by_four_midpoints,
            rule_alone_keeps_its_digits,
            a_little_more_everywhere,
        ],
        "derivatives/wrong": [
            arithmetic_mean_very_near,
            inner_where,
            halves_at_one_point,
            mended_of_the_page,
            stopped,
            logarithm_of_one_more,
            arithmetic_mean_near_by_a_fixed_bound,
            short_series_too_far,
            slopes_of_a_half,
            short_series_to_a_half,
            short_series_to_three_tenths,
            slope_of_a_half_from_below,
            slope_of_a_half_at_zero_alone,
        ],
        "derivatives/not-finite": [outer_where],
        "runs/raised": [log_mean_backwards],
        "tracing/branch-on-tracer": [numbers_alone, asked_whether_all_are_equal],
        "tracing/value-needed": [mean_in_numpy],
    },
    "limit": {
        "value/differs": [
            limit_as_given,
            leaf_by_leaf,
            entry_by_entry,
            always_scaled,
            scaled_to_one,
            squared_length,
            sum_for_length,
            slope_by_the_limit,
            values_shortened,
            limit_of_nothing,
            zero_by_zero,
            length_of_the_values,
            shortened_on_the_way_forward_too,
            length_plus_an_epsilon,
            epsilon_in_the_root,
            a_little_too_long,
            half_at_least,
        ],
        "tracing/static-tracer": [still_static],
        "runs/raised": [limit_without_its_slope, limit_closed_over],
        "tracing/branch-on-tracer": [with_an_if],
        "tracing/numpy-on-tracer": [limit_in_numpy],
    },
    "equilibrium": {
        "loops/reverse-mode": [loop_alone, bound_as_an_array],
        "derivatives/wrong": [
            one_more_step,
            map_for_residual,
            diagonal_alone,
            not_transposed,
            wrong_sign,
            twenty_more_steps,
            divided_with_a_sign,
            three_hundred_rounds_of_a_scan_afterwards,
        ],
        "value/differs": [
            hundred_rounds,
            thousand_rounds,
            one_round,
            one_entry_settled,
            slope_by_the_start,
            by_newton_alone,
            tolerance_too_large,
            mean_of_the_changes,
            begun_at_zero,
            until_the_mean_is_small,
            ten_thousand_rounds_at_most,
        ],
        "loops/residuals": [many_rounds, many_rounds_checkpointed],
        "tracing/leaked": [rule_that_closes_over_the_start],
        "tracing/static-tracer": [params_static],
        "tracing/branch-on-tracer": [while_in_python],
        "value/structure": [rounds_besides],
    },
    "scan_in_blocks": {
        "loops/residuals": [
            as_one_scan,
            each_step_again,
            all_of_it_again,
            blocks_and_no_checkpoint,
            checkpoint_around_the_outer_loop,
            count_for_size,
            everything_saved,
            products_saved,
            unrolled_by_blocks,
            blocks_of_its_own_size,
        ],
        "value/shape": [outputs_in_blocks],
        "runs/raised": [one_array],
        "value/structure": [carry_alone, outputs_dropped],
        "loops/unrolled": [blocks_in_python],
        "value/differs": [columns_for_blocks, slopes_stopped],
    },
}
