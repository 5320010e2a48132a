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


def without_jit(g, limit, enabled):
    length = jnp.sqrt(jnp.sum(g**2))
    return g * (limit / length) if enabled and length > limit else g


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


# distance


def by_cond(a, b):
    squared = jnp.sum((a - b) ** 2)
    return lax.cond(squared > 0, jnp.sqrt, jnp.zeros_like, squared)


def with_a_safe_norm(a, b):
    same = jnp.all(a == b)
    gap = jnp.where(same, 1.0, a - b)
    return jnp.where(same, 0.0, jnp.linalg.norm(gap))


@jax.custom_jvp
def _root(squared):
    return jnp.sqrt(squared)


@_root.defjvp
def _root_jvp(primals, tangents):
    root = _root(*primals)
    return root, jnp.where(root > 0, 0.5 / jnp.where(root > 0, root, 1.0), 0.0) * tangents[0]


def with_a_rule_of_its_own(a, b):
    return _root(jnp.sum((a - b) ** 2))


@jax.custom_vjp
def with_a_backward_pass(a, b):
    return jnp.linalg.norm(a - b)


def _forward(a, b):
    length = jnp.linalg.norm(a - b)
    return length, (a - b, length)


def _backward(kept, outer):
    gap, length = kept
    slope = outer * jnp.where(length > 0, gap / jnp.where(length > 0, length, 1.0), 0.0)
    return slope, -slope


with_a_backward_pass.defvjp(_forward, _backward)


def scaled(a, b):
    largest = jnp.max(jnp.abs(a - b))
    scale = jnp.where(largest > 0, lax.stop_gradient(largest), 1.0)
    squared = jnp.sum(((a - b) / scale) ** 2)
    return jnp.where(largest > 0, scale * jnp.sqrt(jnp.where(largest > 0, squared, 1.0)), 0.0)


def small_epsilon(a, b):
    return jnp.sqrt(jnp.sum((a - b) ** 2) + 1e-12)


def closer_is_equal(a, b):
    squared = jnp.sum((a - b) ** 2)
    apart = squared > 1e-12
    return jnp.where(apart, jnp.sqrt(jnp.where(apart, squared, 1.0)), 0.0)


def one_side_stopped(a, b):
    return by_cond(a, lax.stop_gradient(b))


def three_entries(a, b):
    squared = sum((a[i] - b[i]) ** 2 for i in range(3))
    apart = squared > 0
    return jnp.where(apart, jnp.sqrt(jnp.where(apart, squared, 1.0)), 0.0)


def root_of_the_safe_alone(a, b):
    squared = jnp.sum((a - b) ** 2)
    return jnp.sqrt(jnp.where(squared > 0, squared, 0.0))


@jax.custom_vjp
def outer_factor_left_out(a, b):
    return jnp.linalg.norm(a - b)


outer_factor_left_out.defvjp(_forward, lambda kept, outer: _backward(kept, 1.0))


def close_is_equal(a, b):
    squared = jnp.sum((a - b) ** 2)
    apart = squared > 1e-6
    return jnp.where(apart, jnp.sqrt(jnp.where(apart, squared, 1.0)), 0.0)


def zero_not_put_back(a, b):
    squared = jnp.sum((a - b) ** 2)
    return jnp.sqrt(jnp.where(squared > 0, squared, 1.0))


def plain_norm(a, b):
    return jnp.linalg.norm(a - b)


def where_outside(a, b):
    squared = jnp.sum((a - b) ** 2)
    return jnp.where(squared > 0, jnp.sqrt(squared), 0.0)


def nan_to_num(a, b):
    return jnp.nan_to_num(jnp.sqrt(jnp.sum((a - b) ** 2)))


def large_epsilon(a, b):
    return jnp.sqrt(jnp.sum((a - b) ** 2) + 1e-2)


def gradient_stopped(a, b):
    return lax.stop_gradient(jnp.linalg.norm(a - b))


def python_if(a, b):
    squared = jnp.sum((a - b) ** 2)
    return jnp.sqrt(squared) if squared > 0 else 0.0 * squared


def root_forgotten(a, b):
    return jnp.sum((a - b) ** 2)


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


RIGHT = {
    "clip_norm": [smaller_factor, flag_outside, length_dead, Clipper()],
    "keep_best": [by_where, age_apart, by_switch, as_a_named_tuple],
    "activation": [fourth_branch, by_select, by_two_conds, stacked, by_select_n],
    "distance": [
        by_cond,
        with_a_safe_norm,
        with_a_rule_of_its_own,
        root_of_the_safe_alone,
        with_a_backward_pass,
        scaled,
    ],
    "mend": [
        row_by_row,
        in_a_scan,
        written_out,
        asked_once_for_all,
        in_a_fori_loop,
        in_a_while_loop,
    ],
}
WRONG = {
    "clip_norm": {
        "tracing/branch-on-tracer": [clip_as_given, one_branch_mended],
        "tracing/static-value": [limit_static],
        "branches/known-in-advance": [flag_traced, length_computed_first],
        "tracing/not-jitted": [without_jit],
        "value/differs": [always_clipped, two_entries_by_heart],
    },
    "keep_best": {
        "branches/disagree": [best_as_given, age_a_float, updated_in_the_branch],
        "value/dtype": [both_ages_floats],
        "value/differs": [equal_is_better, age_left_as_it_was, better_by_far, older_by_heart],
        "branches/nan": [unless_it_is_no_better, difference_as_predicate],
        "effects/argument": [written_into_the_best],
        "effects/deleted": [params_donated],
        "value/shape": [params_of_two_entries],
        "tracing/branch-on-tracer": [by_python],
        "tracing/not-jitted": [by_python_without_jit],
        "runs/raised": [results_for_functions],
    },
    "activation": {
        "branches/clamped": [clamped, only_too_large, minus_one_alone],
        "value/differs": [counted_from_the_end, sum_of_masked, tanh_by_exponentials],
        "tracing/branch-on-tracer": [range_by_python, by_python_ifs],
        "tracing/value-needed": [by_list, by_dictionary],
        "value/shape": [nothing_of_eight_entries],
        "branches/disagree": [scalar_nan],
        "tracing/static-tracer": [index_static],
    },
    "distance": {
        "derivatives/not-finite": [plain_norm, where_outside, nan_to_num],
        "value/differs": [
            large_epsilon,
            close_is_equal,
            zero_not_put_back,
            root_forgotten,
            three_entries,
        ],
        "derivatives/wrong": [
            gradient_stopped,
            small_epsilon,
            closer_is_equal,
            one_side_stopped,
            outer_factor_left_out,
        ],
        "tracing/branch-on-tracer": [python_if],
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
        ],
        "runs/raised": [predicate_per_row],
    },
}
