"""Which equations XLA fused, in programs of which it leaves no doubt."""

import jax
import jax.numpy as jnp

from traced.programs.fusions import find_fusions
from traced.programs.origins import Origins
from traced.programs.stages import compile_whole

X = jnp.ones((4, 4))


def fused(f, *args):
    """Return the equations of each fusion that is told, by name, and those that are in none."""
    whole = compile_whole(f, *args)
    found = find_fusions(whole.jaxpr, Origins(f), whole.hlo)
    groups = {}
    for eqn in whole.jaxpr.eqns:
        groups.setdefault(found.get(eqn, ""), []).append(eqn.primitive.name)
    return groups.pop("", []), list(groups.values())


def layers(x):
    for _ in range(3):
        x = jnp.tanh(x @ X + 1)
    return x


def test_a_product_is_between_two_fusions_and_each_line_is_told_from_its_own_repetition():
    alone, groups = fused(layers, X)
    assert alone == ["dot_general"] * 3
    assert groups == [["add", "tanh"]] * 3


def test_what_a_line_does_twice_side_by_side_is_not_told_unless_it_is_in_one():
    def both(x, y):
        return [jnp.tanh(each @ X + 1) for each in (x, y)]

    assert fused(both, X, X)[1] == []
    assert fused(lambda x: jnp.sin(x) + jnp.sin(x + 1), X)[1] == [["sin", "add", "sin", "add"]]


def test_what_changed_its_shape_between_two_of_a_fusion_is_in_it():
    def mean_square(x):
        return (x[0] ** 2 + x[1] ** 2) / 2

    names = ["slice", "squeeze", "integer_pow"] * 2 + ["add", "div"]
    assert fused(mean_square, X[0]) == ([], [names])


def test_what_is_dropped_is_in_none():
    def f(x):
        jnp.sin(x)
        return 2 * x * x

    assert fused(f, X) == (["sin"], [["mul", "mul"]])

    def twice(x):
        return [jnp.sin(each) + 1 for each in (x, 2 * x)][1]

    assert fused(twice, X) == (["sin", "add"], [["mul", "sin", "add"]])


def test_what_a_call_does_belongs_to_its_equation():
    found = fused(lambda x: jnp.where(x > 0, jax.nn.relu(x) * 2, x), X)
    assert found == ([], [["gt", "custom_jvp_call", "mul", "jit"]])


def test_what_xla_calls_otherwise_is_told_from_what_is_around_it():
    def f(x):
        y = jnp.sin(x)
        return jnp.cos(y.reshape(-1))

    assert ["sin", "reshape", "cos"] in fused(f, X)[1]
    slope = jax.grad(lambda x: jnp.sum(jnp.tanh(x) * x))
    assert not {"one_minus_square", "sub"} & {*fused(slope, X)[0]}


def test_of_a_loop_only_what_is_around_it_is_told():
    def f(x):
        y = jax.lax.fori_loop(0, 3, lambda i, c: jnp.sin(c) * x, 2 * x + 1)
        return jnp.sin(y) * 3

    alone, groups = fused(f, X)
    assert "scan" in alone
    assert ["sin", "mul"] in groups
