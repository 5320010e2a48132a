"""Whether JAX can trace a function: whether a shape, a branch or a number needs a value."""

import jax
import jax.numpy as jnp
import pytest

from traced import ask
from traced.questions import can_be_traced

X = jnp.ones(3)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x.mean(where=x > 0),
        lambda x: jnp.nonzero(x, size=2),
        lambda x: jnp.zeros(len(x)) if x.ndim else x,
        jax.jit(lambda x: jax.lax.dynamic_slice(x, (x[0].astype(int),), (1,))),
    ],
)
def test_what_needs_no_value_passes(f):
    assert ask(can_be_traced(X), f).state == "passed"


@pytest.mark.parametrize(
    ("f", "code", "needs"),
    [
        (lambda x: x[x > 0], "tracing/shape-from-tracer", "index"),
        (lambda x: x[: x[0].astype(int)], "tracing/shape-from-tracer", "index"),
        (lambda x: jnp.zeros(x[0].astype(int)), "tracing/shape-from-tracer", "shape"),
        (lambda x: jnp.nonzero(x), "tracing/shape-from-tracer", "a static parameter"),
        (lambda x: x if x[0] > 0 else -x, "tracing/branch-on-tracer", "branch"),
        (lambda x: float(x[0]), "tracing/value-needed", "a conversion to Python or NumPy"),
    ],
)
def test_what_needs_one_gets_the_finding_of_its_kind(f, code, needs):
    finding = ask(can_be_traced(X), f).finding
    assert finding.code == code
    assert finding.saw == (("needs a value", needs), ("depends on", "x"))
    assert len(finding.where) == 1


def test_a_static_argument_of_a_jitted_function_is_no_shape():
    double = jax.jit(lambda x: 2 * x, static_argnums=0)
    assert ask(can_be_traced(X), lambda x: double(x)).finding.code == "tracing/static-tracer"


def test_another_error_is_told_as_it_is():
    assert ask(can_be_traced(X), lambda x: x.size / 0).finding.code == "runs/raised"
