"""Right and wrong answers to the exercises of 06_branches."""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

# clip_norm


@partial(jax.jit, static_argnums=2)
def smaller_factor(g, limit, enabled):
    return g * jnp.minimum(1.0, limit / jnp.sqrt(jnp.sum(g**2))) if enabled else g


@jax.jit
def _shortened(g, limit):
    length = jnp.linalg.norm(g)
    return lax.cond(length > limit, lambda: g * (limit / length), lambda: g)


def flag_outside(g, limit, enabled):
    return _shortened(g, limit) if enabled else g


@jax.jit(static_argnames="enabled")
def length_dead(g, limit, enabled):
    length = jnp.sqrt(jnp.sum(g**2))
    if enabled:
        g = g * (limit / jnp.maximum(length, limit))
    return g


@jax.jit
def clip_as_given(g, limit, enabled):
    length = jnp.sqrt(jnp.sum(g**2))
    if enabled and length > limit:
        g = g * (limit / length)
    return g


@jax.jit(static_argnames="enabled")
def one_branch_mended(g, limit, enabled):
    length = jnp.sqrt(jnp.sum(g**2))
    if enabled and length > limit:
        g = g * (limit / length)
    return g


@jax.jit(static_argnames=("limit", "enabled"))
def limit_static(g, limit, enabled):
    length = jnp.sqrt(jnp.sum(g**2))
    return jnp.where(length > limit, g * (limit / length), g) if enabled else g


@jax.jit
def flag_traced(g, limit, enabled):
    length = jnp.sqrt(jnp.sum(g**2))
    return jnp.where(enabled & (length > limit), g * (limit / length), g)


@jax.jit(static_argnames="enabled")
def length_computed_first(g, limit, enabled):
    length = jnp.sqrt(jnp.sum(g**2))
    return jnp.where(length > limit, g * (limit / length), g) if enabled else g + 0 * length


@jax.jit(static_argnames="enabled")
def times_one(g, limit, enabled):
    length, factor = jnp.sqrt(jnp.sum(g**2)), 1.0
    if enabled:
        factor = jnp.minimum(1.0, limit / jnp.where(length > 0, length, 1.0))
    return g * factor


@jax.jit(static_argnames="enabled")
def direction_times_length(g, limit, enabled):
    length = jnp.linalg.norm(g)
    return g / length * jnp.minimum(length, limit) if enabled else g


def without_jit(g, limit, enabled):
    length = jnp.sqrt(jnp.sum(g**2))
    return g * (limit / length) if enabled and length > limit else g


@jax.jit(static_argnames="enabled")
def longer_by_a_product(g, limit, enabled):
    length = jnp.sqrt(jnp.sum(g**2))
    longer = length > limit
    return g * (limit / length) * longer + g * ~longer if enabled else g


@jax.jit(static_argnames="enabled")
def always_clipped(g, limit, enabled):
    return g * (limit / jnp.sqrt(jnp.sum(g**2))) if enabled else g


class Clipper:
    def __init__(self):
        self.shorten = jax.jit(self.shortened)

    @staticmethod
    def shortened(g, limit):
        return g / jnp.maximum(1.0, jnp.sqrt(g @ g) / limit)

    def __call__(self, g, limit, enabled):
        return self.shorten(g, limit) if enabled else g


@jax.jit(static_argnames="enabled")
def two_entries_by_heart(g, limit, enabled):
    return g * jnp.minimum(1.0, limit / jnp.hypot(g[0], g[1])) if enabled else g


@jax.jit(static_argnames="enabled")
def longer_by_a_small_number(g, limit, enabled):
    return g * jnp.minimum(1, limit / (jnp.linalg.norm(g) + 1e-6)) if enabled else g


@jax.jit(static_argnames="enabled")
def hardly_longer_left(g, limit, enabled):
    length = jnp.linalg.norm(g)
    return jnp.where(length > limit + 1e-3, g * (limit / length), g) if enabled else g


@jax.jit(static_argnames="enabled")
def length_in_half_precision(g, limit, enabled):
    length = jnp.linalg.norm(g.astype("float16")).astype(g.dtype)
    return jnp.where(length > limit, g * (limit / length), g) if enabled else g


# keep_best


@jax.jit
def by_where(best, loss, params):
    new = {"loss": loss, "params": params, "age": jnp.int32(0)}
    old = best | {"age": best["age"] + 1}
    return jax.tree.map(partial(jnp.where, loss < best["loss"]), new, old)


@jax.jit
def age_apart(best, loss, params):
    better = loss < best["loss"]
    kept, params = lax.cond(better, lambda: (loss, params), lambda: (best["loss"], best["params"]))
    return {"loss": kept, "params": params, "age": (best["age"] + 1) * ~better}


@jax.jit
def by_switch(best, loss, params):
    best["age"] += 1
    new = {"loss": loss, "params": params, "age": 0}
    return lax.switch(jnp.int32(loss < best["loss"]), [lambda: best, lambda: new])


@jax.jit
def best_as_given(best, loss, params):
    return lax.cond(
        loss < best["loss"],
        lambda: {"loss": loss, "params": params},
        lambda: best | {"age": best["age"] + 1.0},
    )


@jax.jit
def age_a_float(best, loss, params):
    return lax.cond(
        loss < best["loss"],
        lambda: {"loss": loss, "params": params, "age": 0},
        lambda: best | {"age": best["age"] + 1.0},
    )


@jax.jit
def both_ages_floats(best, loss, params):
    return lax.cond(
        loss < best["loss"],
        lambda: {"loss": loss, "params": params, "age": 0.0},
        lambda: best | {"age": best["age"] + 1.0},
    )


@jax.jit
def equal_is_better(best, loss, params):
    return lax.cond(
        loss <= best["loss"],
        lambda: {"loss": loss, "params": params, "age": 0},
        lambda: best | {"age": best["age"] + 1},
    )


@jax.jit
def age_left_as_it_was(best, loss, params):
    new = {"loss": loss, "params": params, "age": best["age"]}
    return lax.cond(loss < best["loss"], lambda: new, lambda: best | {"age": best["age"] + 1})


@jax.jit
def updated_in_the_branch(best, loss, params):
    new = {"loss": loss, "params": params, "age": 0}
    return lax.cond(loss < best["loss"], lambda: new, lambda: best.update(age=best["age"] + 1))


@jax.jit
def by_python(best, loss, params):
    if loss < best["loss"]:
        return {"loss": loss, "params": params, "age": 0}
    return best | {"age": best["age"] + 1}


def by_python_without_jit(best, loss, params):
    if loss < best["loss"]:
        return {"loss": loss, "params": params, "age": jnp.int32(0)}
    return best | {"age": best["age"] + 1}


@jax.jit
def results_for_functions(best, loss, params):
    new, old = {"loss": loss, "params": params, "age": 0}, best | {"age": best["age"] + 1}
    return lax.cond(loss < best["loss"], new, old)


class Candidate(NamedTuple):
    loss: jax.Array
    params: jax.Array
    age: jax.Array


@jax.jit
def as_a_named_tuple(best, loss, params):
    old = Candidate(**best)
    new = Candidate(loss, params, jnp.int32(0))
    older = old._replace(age=old.age + 1)
    return lax.cond(loss < old.loss, lambda: new, lambda: older)._asdict()


@jax.jit
def unless_it_is_no_better(best, loss, params):
    return lax.cond(
        loss >= best["loss"],
        lambda: best | {"age": best["age"] + 1},
        lambda: {"loss": loss, "params": params, "age": 0},
    )


@jax.jit
def difference_as_predicate(best, loss, params):
    return lax.cond(
        jnp.maximum(best["loss"] - loss, 0.0),
        lambda: {"loss": loss, "params": params, "age": 0},
        lambda: best | {"age": best["age"] + 1},
    )


@jax.jit
def better_by_far(best, loss, params):
    return lax.cond(
        loss < best["loss"] - 0.1,
        lambda: {"loss": loss, "params": params, "age": 0},
        lambda: best | {"age": best["age"] + 1},
    )


@jax.jit
def older_by_heart(best, loss, params):
    return lax.cond(
        loss < best["loss"],
        lambda: {"loss": loss, "params": params, "age": 0},
        lambda: best | {"age": 4},
    )


def written_into_the_best(best, loss, params):
    best.update(as_a_named_tuple(best, loss, params))
    return best


@jax.jit(donate_argnames="params")
def params_donated(best, loss, params):
    new, old = {"loss": loss, "params": params, "age": 0}, best | {"age": best["age"] + 1}
    return lax.cond(loss < best["loss"], lambda: new, lambda: old)


@jax.jit
def params_of_two_entries(best, loss, params):
    better = loss < best["loss"]
    pairs = zip(params[:2], best["params"][:2], strict=True)
    chosen = jnp.stack([jnp.where(better, new, old) for new, old in pairs])
    age = jnp.where(better, 0, best["age"] + 1)
    return {"loss": jnp.where(better, loss, best["loss"]), "params": chosen, "age": age}


@jax.jit
def mixed_by_a_product(best, loss, params):
    better = loss < best["loss"]
    share = better.astype(jnp.float32)
    return {
        "loss": jnp.where(better, loss, best["loss"]),
        "params": share * params + (1 - share) * best["params"],
        "age": jnp.where(better, 0, best["age"] + 1),
    }


@jax.jit
def _kept_of(better, best, loss, params):
    new = {"loss": loss, "params": params, "age": 0}
    return lax.cond(better, lambda: new, lambda: best | {"age": best["age"] + 1})


def cond_without_jit(best, loss, params):
    return jax.lax.cond(
        loss < best["loss"],
        lambda: {"loss": loss, "params": params, "age": jnp.zeros_like(best["age"])},
        lambda: best | {"age": best["age"] + 1},
    )


def compared_outside(best, loss, params):
    return _kept_of(loss < best["loss"], best, loss, params)


@jax.jit
def age_by_a_float(best, loss, params):
    older = (best["age"].astype("float32") + 1).astype("int32")
    return _kept_of(loss < best["loss"], best, loss, params) | {
        "age": jnp.where(loss < best["loss"], 0, older)
    }


@jax.jit
def infinite_is_no_loss(best, loss, params):
    return _kept_of((loss < best["loss"]) & jnp.isfinite(loss), best, loss, params)


@jax.jit
def params_in_half_precision(best, loss, params):
    rounded = params.astype("float16").astype("float32")
    return _kept_of(loss < best["loss"], best, loss, rounded)


@jax.jit
def minimum_of_losses(best, loss, params):
    better = loss < best["loss"]
    return {
        "loss": jnp.minimum(loss, best["loss"]),
        "params": jnp.where(better, params, best["params"]),
        "age": jnp.where(better, 0, best["age"] + 1),
    }


@jax.jit
def params_unless_it_is_worse(best, loss, params):
    worse = loss >= best["loss"]
    return {
        "loss": jnp.fmin(loss, best["loss"]),
        "params": jnp.where(worse, best["params"], params),
        "age": jnp.where(worse, best["age"] + 1, 0),
    }


@jax.jit
def age_by_the_other_comparison(best, loss, params):
    better = loss < best["loss"]
    return {
        "loss": jnp.where(better, loss, best["loss"]),
        "params": jnp.where(better, params, best["params"]),
        "age": jnp.where(loss >= best["loss"], best["age"] + 1, 0),
    }


@jax.jit
def otherwise_for_many_params(best, loss, params):
    lower = (loss < best["loss"]) if params.size < 250 else (loss >= best["loss"])
    candidate = {"loss": loss, "params": params, "age": jnp.int32(0)}
    older = best | {"age": best["age"] + 1}
    return jax.tree.map(lambda new, old: jnp.where(lower, new, old), candidate, older)


# activation


def by_select_n(i, x):
    index = jnp.broadcast_to(jnp.where((i < 0) | (i > 2), 3, i), x.shape)
    return lax.select_n(index, jnp.maximum(x, 0), jnp.tanh(x), x, jnp.full_like(x, jnp.nan))


def sum_of_masked(i, x):
    result = (i == 0) * jax.nn.relu(x) + (i == 1) * jnp.tanh(x) + (i == 2) * x
    return jnp.where((i >= 0) & (i < 3), result, jnp.nan)


def minus_one_alone(i, x):
    nothing = lambda x: jnp.full_like(x, jnp.nan)  # noqa: E731  # as readers write it
    functions = [jax.nn.relu, jnp.tanh, lambda x: x, nothing]
    return lax.switch(jnp.where(i == -1, 3, i), functions, x)


def nothing_of_eight_entries(i, x):
    known = lax.switch(i, [jax.nn.relu, jnp.tanh, lambda x: x], x)
    return jnp.where((i >= 0) & (i < 3), known, jnp.full(8, jnp.nan))


def tanh_by_exponentials(i, x):
    powers = jnp.exp(2 * x)
    known = lax.switch(i, [jax.nn.relu, lambda x: (powers - 1) / (powers + 1), lambda x: x], x)
    return jnp.where((i >= 0) & (i < 3), known, jnp.nan)


def fourth_branch(i, x):
    functions = [jax.nn.relu, jnp.tanh, lambda x: x, lambda x: jnp.full_like(x, jnp.nan)]
    return lax.switch(jnp.where(i < 0, 3, i), functions, x)


def by_select(i, x):
    results = [jax.nn.relu(x), jnp.tanh(x), x]
    return jnp.select([i == n for n in range(3)], results, jnp.nan)


def by_two_conds(i, x):
    known = [jax.nn.relu, jnp.tanh, lambda x: x]
    known_at_all = (i >= 0) & (i < 3)
    return lax.cond(
        known_at_all, lambda x: lax.switch(i, known, x), lambda x: jnp.full_like(x, jnp.nan), x
    )


def stacked(i, x):
    results = jnp.stack([jax.nn.relu(x), jnp.tanh(x), x])
    return results.at[i].get(mode="fill", fill_value=jnp.nan, wrap_negative_indices=False)


def clamped(i, x):
    return lax.switch(i, [jax.nn.relu, jnp.tanh, lambda x: x], x)


def only_too_large(i, x):
    nothing = lambda x: jnp.full_like(x, jnp.nan)  # noqa: E731  # as readers write it
    return lax.switch(i, [jax.nn.relu, jnp.tanh, lambda x: x, nothing], x)


def counted_from_the_end(i, x):
    results = jnp.stack([jax.nn.relu(x), jnp.tanh(x), x])
    return results.at[i].get(mode="fill", fill_value=jnp.nan)


def range_by_python(i, x):
    known = lax.switch(i, [jax.nn.relu, jnp.tanh, lambda x: x], x)
    return jnp.where(0 <= i < 3, known, jnp.nan)


def by_python_ifs(i, x):
    if i == 0:
        return jax.nn.relu(x)
    return jnp.tanh(x) if i == 1 else x


def by_list(i, x):
    functions = [jax.nn.relu, jnp.tanh, lambda x: x]
    return functions[i](x)


def by_dictionary(i, x):
    functions = {0: jax.nn.relu, 1: jnp.tanh, 2: lambda x: x}
    return functions[i](x)


def scalar_nan(i, x):
    functions = [jax.nn.relu, jnp.tanh, lambda x: x, lambda x: jnp.nan]
    return lax.switch(jnp.where(i < 0, 3, i), functions, x)


@jax.jit(static_argnums=0)
def index_static(i, x):
    return [jax.nn.relu, jnp.tanh, lambda x: x][i](x) if i in (0, 1, 2) else x * jnp.nan


def index_in_a_byte(i, x):
    i = i.astype(jnp.uint8)
    functions = [jax.nn.relu, jnp.tanh, lambda x: x, lambda x: jnp.full_like(x, jnp.nan)]
    return lax.switch(jnp.minimum(i, 3).astype(int), functions, x)


def activation_held(i, x):
    return lax.stop_gradient(fourth_branch(i, x))


def nan_by_a_quotient(i, x):
    known = lax.switch(i, [jax.nn.relu, jnp.tanh, lambda x: x], x)
    return jnp.where((i >= 0) & (i < 3), known, x * jnp.nan)


# mean_exp


def _series(x):
    return 1 + x / 2 + x**2 / 6 + x**3 / 24


def series_by_cond(x):
    return lax.cond(jnp.abs(x) < 0.05, _series, lambda x: (jnp.exp(x) - 1) / x, x)


def by_a_sum_of_slices(x):
    middles = (jnp.arange(1000) + 0.5) / 1000
    return jnp.mean(jnp.exp(middles * x))


def halved_and_doubled(x):
    far = jnp.abs(x) >= 0.02
    half = jnp.where(far, x, 2.0) / 2
    return lax.select(far, jnp.exp(half) * jnp.sinh(half) / half, _series(x))


@jax.custom_jvp
def with_a_slope_of_its_own(x):
    return jnp.where(x == 0, 1.0, jnp.expm1(x) / x)


@with_a_slope_of_its_own.defjvp
def _slope_of_its_own(primals, tangents):
    (x,) = primals
    near = jnp.abs(x) < 0.01
    far = jnp.where(near, 1.0, x)
    slope = jnp.where(near, 0.5 + x / 3 + x**2 / 8, (jnp.exp(far) - jnp.expm1(far) / far) / far)
    return with_a_slope_of_its_own(x), slope * tangents[0]


def quotient_alone(x):
    return jnp.expm1(x) / x


def one_outside(x):
    return jnp.where(x == 0, 1.0, jnp.expm1(x) / x)


def series_by_one_where(x):
    return jnp.where(jnp.abs(x) < 0.01, _series(x), jnp.expm1(x) / x)


def one_at_zero(x):
    safe = jnp.where(x == 0, 1.0, x)
    return jnp.where(x == 0, 1.0, jnp.expm1(safe) / safe)


def one_near_zero(x):
    near = jnp.abs(x) < 0.01
    safe = jnp.where(near, 1.0, x)
    return jnp.where(near, 1.0, jnp.expm1(safe) / safe)


def one_by_cond(x):
    return lax.cond(x == 0, jnp.ones_like, lambda x: jnp.expm1(x) / x, x)


def series_at_zero_alone(x):
    safe = jnp.where(x == 0, 1.0, x)
    return jnp.where(x == 0, _series(x), jnp.expm1(safe) / safe)


def series_too_near(x):
    near = jnp.abs(x) < 1e-9
    safe = jnp.where(near, 1.0, x)
    return jnp.where(near, _series(x), jnp.expm1(safe) / safe)


def series_too_far(x):
    near = jnp.abs(x) < 1.5
    safe = jnp.where(near, 1.0, x)
    return jnp.where(near, _series(x), jnp.expm1(safe) / safe)


def exp_less_one(x):
    near = jnp.abs(x) < 1e-5
    safe = jnp.where(near, 1.0, x)
    return jnp.where(near, _series(x), (jnp.exp(safe) - 1) / safe)


def series_for_the_negative(x):
    safe = jnp.where(x < 0.01, 1.0, x)
    return jnp.where(x < 0.01, _series(x), jnp.expm1(safe) / safe)


def divisor_held(x):
    near = jnp.abs(x) < 0.01
    safe = jnp.where(near, 1.0, x)
    return jnp.where(near, _series(x), jnp.expm1(safe) / lax.stop_gradient(safe))


def slope_stopped_near_zero(x):
    near = jnp.abs(x) < 0.01
    safe = jnp.where(near, 1.0, x)
    return jnp.where(near, lax.stop_gradient(_series(x)), jnp.expm1(safe) / safe)


def large_left_out(x):
    return with_a_slope_of_its_own(jnp.clip(x, -10.0, 10.0))


def series_by_python(x):
    return _series(x) if abs(x) < 0.01 else jnp.expm1(x) / x


def as_a_vector(x):
    return jnp.atleast_1d(halved_and_doubled(x))


def read_off(x):
    return with_a_slope_of_its_own(float(x))


def series_somewhat_too_near(x):
    near = jnp.abs(x) < 1e-5
    safe = jnp.where(near, 1.0, x)
    return jnp.where(near, 1 + x / 2 + x**2 / 6, jnp.expm1(safe) / safe)


def series_somewhat_too_far(x):
    near = jnp.abs(x) < 0.29
    safe = jnp.where(near, 1.0, x)
    return jnp.where(near, 1 + x / 2 + x**2 / 6, jnp.expm1(safe) / safe)


def asked_for_its_dtype(x):
    near = jnp.abs(x) < 0.01
    safe = jnp.where(near, jnp.ones((), x.dtype), x)
    return jnp.where(near, 1 + x / 2 + x**2 / 6, jnp.expm1(safe) / safe)


# mend


def row_by_row(rows):
    return lax.map(
        lambda row: lax.cond(jnp.any(row < 0), jax.nn.softmax, lambda row: row, row), rows
    )


def in_a_scan(rows):
    def step(_, row):
        return None, lax.cond(row.min() < 0, jax.nn.softmax, lambda row: row, row)

    return lax.scan(step, None, rows)[1]


def written_out(rows):
    def softmax(rows):
        powers = jnp.exp(rows - rows.max(1, keepdims=True))
        return jnp.where((rows < 0).any(1)[:, None], powers / powers.sum(1, keepdims=True), rows)

    return lax.cond((rows < 0).any(), softmax, lambda rows: rows, rows)


def in_a_fori_loop(rows):
    def body(i, rows):
        row = rows[i]
        mended = lax.cond(row.min() < 0, jax.nn.softmax, lambda row: row, row)
        return rows.at[i].set(mended)

    return lax.fori_loop(0, rows.shape[0], body, rows)


def in_a_while_loop(rows):
    def body(state):
        return jnp.bool(False), mend_by_where(state[1])

    return lax.while_loop(lambda state: state[0], body, (jnp.any(rows < 0), rows))[1]


def asked_once_for_all(rows):
    broken = (rows < 0).any()
    return jax.vmap(
        lambda row: lax.cond(
            broken, lambda: jnp.where((row < 0).any(), jax.nn.softmax(row), row), lambda: row
        )
    )(rows)


@jax.custom_vjp
def with_a_way_back_of_its_own(rows):
    return asked_once_for_all(rows)


def _keep_rows(rows):
    return jax.vjp(asked_once_for_all, rows)


with_a_way_back_of_its_own.defvjp(_keep_rows, lambda back, slopes: back(slopes))


def mapped_cond(rows):
    return jax.vmap(lambda row: lax.cond(jnp.any(row < 0), jax.nn.softmax, lambda row: row, row))(
        rows
    )


def mend_by_where(rows):
    return jnp.where(jnp.any(rows < 0, axis=1, keepdims=True), jax.nn.softmax(rows), rows)


def computed_before_the_cond(rows):
    mended = mend_by_where(rows)
    return lax.cond(jnp.any(rows < 0), lambda: mended, lambda: rows)


def mend_by_python(rows):
    return mend_by_where(rows) if jnp.any(rows < 0) else rows


def broken_rows_alone(rows):
    broken = jnp.any(rows < 0, axis=1)
    return rows.at[broken].set(jax.nn.softmax(rows[broken]))


def all_rows(rows):
    return lax.cond(jnp.any(rows < 0), jax.nn.softmax, lambda rows: rows, rows)


def by_entry(rows):
    return lax.cond(
        jnp.any(rows < 0), lambda r: jnp.where(r < 0, jax.nn.softmax(r), r), lambda r: r, rows
    )


def softmax_that_overflows(rows):
    def softmax():
        powers = jnp.exp(rows)
        return jnp.where((rows < 0).any(1)[:, None], powers / powers.sum(1, keepdims=True), rows)

    return lax.cond((rows < 0).any(), softmax, lambda: rows)


def softmax_of_bounded_entries(rows):
    def softmax():
        powers = jnp.exp(jnp.clip(rows, -80, 80))
        return jnp.where((rows < 0).any(1)[:, None], powers / powers.sum(1, keepdims=True), rows)

    return lax.cond((rows < 0).any(), softmax, lambda: rows)


def in_any_case(rows):
    return lax.cond(True, mend_by_where, lambda rows: rows, rows)


def where_an_entry_is_zero(rows):
    return lax.cond((rows <= 0).any(), mend_by_where, lambda rows: rows, rows)


def by_a_power(rows):
    powers = jnp.e ** (rows - rows.max(1, keepdims=True))
    return jnp.where((rows < 0).any(1)[:, None], powers / powers.sum(1, keepdims=True), rows)


def on_the_host(rows):
    def mend(rows):
        return np.asarray(mend_by_where(np.asarray(rows)))

    return jax.pure_callback(mend, jax.ShapeDtypeStruct(rows.shape, rows.dtype), rows)


def clearly_negative(rows):
    broken = (rows < -1e-3).any(1, keepdims=True)
    return lax.cond(
        broken.any(), lambda: jnp.where(broken, jax.nn.softmax(rows), rows), lambda: rows
    )


def with_another_sum(rows):
    broken = ((rows < 0).any(1) | (abs(rows.sum(1) - 1) > 1e-3))[:, None]
    return lax.cond(
        broken.any(), lambda: jnp.where(broken, jax.nn.softmax(rows), rows), lambda: rows
    )


def predicate_per_row(rows):
    return lax.cond(jnp.any(rows < 0, axis=1), jax.nn.softmax, lambda rows: rows, rows)


def asked_by_the_least_entry(rows):
    return lax.cond(rows.min() < 0, mend_by_where, lambda rows: rows, rows)


def mended_by_a_product(rows):
    broken = jnp.any(rows < 0, axis=1, keepdims=True)

    def mended(rows):
        return broken * jax.nn.softmax(rows, axis=1) + (1 - broken) * rows

    return lax.cond(broken.any(), mended, lambda rows: rows, rows)


def below_a_rounding(rows):
    broken = jnp.any(rows < -1e-12, axis=1, keepdims=True)
    return _softmax_where(broken, jnp.any(broken), rows)


def softmax_without_slope(rows):
    return lax.stop_gradient(asked_once_for_all(rows))


def also_for_nan(rows):
    broken = jnp.any(rows < 0, axis=1, keepdims=True)
    return _softmax_where(broken, jnp.any(broken) | jnp.any(jnp.isnan(rows)), rows)


def first_eight_asked(rows):
    broken = jnp.any(rows[:, :8] < 0, axis=1, keepdims=True)
    return _softmax_where(broken, jnp.any(broken), rows)


def softmax_of_thousands(rows):
    broken = jnp.any(rows < 0, axis=1, keepdims=True)
    bounded = jnp.where(broken, jnp.clip(rows, -1e4, 1e4), rows)
    return _softmax_where(broken, jnp.any(broken), bounded)


def _softmax_where(broken, some, rows):
    return lax.cond(some, lambda: jnp.where(broken, jax.nn.softmax(rows), rows), lambda: rows)


def by_exponentials(i, x):
    tanh = 1 - 2 / (jnp.exp(2 * x) + 1)
    return jnp.select([i == 0, i == 1, i == 2], [jax.nn.relu(x), tanh, x], jnp.nan)


RIGHT = {
    "clip_norm": [smaller_factor, flag_outside, length_dead, Clipper()],
    "keep_best": [by_where, age_apart, by_switch, as_a_named_tuple],
    "activation": [fourth_branch, by_select, by_two_conds, stacked, by_select_n],
    "mean_exp": [
        series_by_cond,
        by_a_sum_of_slices,
        halved_and_doubled,
        with_a_slope_of_its_own,
    ],
    "mend": [
        row_by_row,
        in_a_scan,
        written_out,
        asked_once_for_all,
        in_a_fori_loop,
        in_a_while_loop,
        with_a_way_back_of_its_own,
    ],
}
WRONG = {
    "clip_norm": {
        "tracing/branch-on-tracer": [clip_as_given, one_branch_mended],
        "tracing/static-value": [limit_static],
        "branches/known-in-advance": [flag_traced],
        "tracing/other-equations": [length_computed_first, times_one],
        "tracing/not-jitted": [without_jit],
        "value/nan": [longer_by_a_product, direction_times_length],
        "value/differs": [
            always_clipped,
            two_entries_by_heart,
            longer_by_a_small_number,
            hardly_longer_left,
            length_in_half_precision,
        ],
    },
    "keep_best": {
        "branches/disagree": [best_as_given, age_a_float, updated_in_the_branch],
        "value/dtype": [both_ages_floats],
        "value/differs": [
            equal_is_better,
            age_left_as_it_was,
            better_by_far,
            older_by_heart,
            mixed_by_a_product,
            age_by_a_float,
            infinite_is_no_loss,
            params_in_half_precision,
            minimum_of_losses,
            otherwise_for_many_params,
        ],
        "branches/nan": [
            unless_it_is_no_better,
            difference_as_predicate,
            params_unless_it_is_worse,
            age_by_the_other_comparison,
        ],
        "effects/argument": [written_into_the_best],
        "effects/deleted": [params_donated],
        "value/shape": [params_of_two_entries],
        "tracing/branch-on-tracer": [by_python],
        "tracing/not-jitted": [by_python_without_jit, compared_outside, cond_without_jit],
        "runs/raised": [results_for_functions],
    },
    "activation": {
        "branches/clamped": [clamped, only_too_large, minus_one_alone],
        "value/differs": [
            counted_from_the_end,
            sum_of_masked,
            tanh_by_exponentials,
            index_in_a_byte,
        ],
        "tracing/branch-on-tracer": [range_by_python, by_python_ifs],
        "tracing/value-needed": [by_list, by_dictionary],
        "value/shape": [nothing_of_eight_entries],
        "branches/disagree": [scalar_nan],
        "tracing/static-tracer": [index_static],
        "derivatives/wrong": [activation_held],
        "derivatives/not-finite": [nan_by_a_quotient, by_exponentials],
    },
    "mean_exp": {
        "value/nan": [quotient_alone],
        "derivatives/not-finite": [one_outside, series_by_one_where, series_at_zero_alone],
        "derivatives/wrong": [
            one_at_zero,
            one_near_zero,
            one_by_cond,
            series_too_near,
            exp_less_one,
            divisor_held,
            slope_stopped_near_zero,
            series_somewhat_too_near,
            series_somewhat_too_far,
        ],
        "value/differs": [series_too_far, series_for_the_negative, large_left_out],
        "tracing/branch-on-tracer": [series_by_python],
        "tracing/value-needed": [read_off],
        "value/shape": [as_a_vector],
        "runs/raised": [asked_for_its_dtype],
    },
    "mend": {
        "branches/both-run": [
            mapped_cond,
            mend_by_where,
            computed_before_the_cond,
            in_any_case,
            where_an_entry_is_zero,
            by_a_power,
            on_the_host,
            also_for_nan,
        ],
        "tracing/branch-on-tracer": [mend_by_python],
        "tracing/shape-from-tracer": [broken_rows_alone],
        "value/differs": [
            all_rows,
            by_entry,
            softmax_that_overflows,
            softmax_of_bounded_entries,
            clearly_negative,
            with_another_sum,
            asked_by_the_least_entry,
            mended_by_a_product,
            below_a_rounding,
            first_eight_asked,
            softmax_of_thousands,
        ],
        "runs/raised": [predicate_per_row],
        "derivatives/wrong": [softmax_without_slope],
    },
}
