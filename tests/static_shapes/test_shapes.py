"""Shapes of results, and the places where tracing needs a value."""

import contextlib
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from traced.static_shapes.shapes import Shape, find_first_dependence, find_shapes

KINDS = {
    "branch": [
        lambda x, n: 1 if n > 0 else 2,
        lambda x, n: n in [1, 2],
        lambda x, n: max(n, 3),
    ],
    "shape": [
        lambda x, n: jnp.zeros((n, 2)),
        lambda x, n: x.reshape(n, -1),
        lambda x, n: jax.random.normal(jax.random.key(0), (n,)),
    ],
    "index": [
        lambda x, n: x[:n],
        lambda x, n: x[jnp.arange(4) < n],
        lambda x, n: x.at[:n].set(0.0),
        lambda x, n: x.at[jnp.arange(4) < n].set(jnp.ones(2)),
    ],
    "conversion": [
        lambda x, n: float(n),
        lambda x, n: n.item(),
        lambda x, n: np.ones(3) * np.asarray(n),
        lambda x, n: list(range(n)),
        lambda x, n: ["a", "b", "c"][n],
    ],
    "static": [
        lambda x, n: jnp.arange(n),
        lambda x, n: jnp.nonzero(jnp.arange(4) < n),
        lambda x, n: jnp.sum(x, axis=n),
        lambda x, n: lax.scan(lambda c, _: (c, c), x, None, length=n),
        lambda x, n: lax.slice(x, (0,), (n,)),
    ],
}
CASES = [(kind, f) for kind, functions in KINDS.items() for f in functions]


@pytest.mark.parametrize(("kind", "f"), CASES)
def test_what_needs_a_value_is_told_with_kind_argument_and_line(kind, f):
    found = find_first_dependence(f, jnp.ones(4), 2)
    assert (found.kind, found.arguments, found.function) == (kind, ("n",), "<lambda>")
    assert found.place.source.startswith("lambda x, n:")


UNNAMED = {
    "conversion": [lambda n: hash(n), lambda n: {1: 2}[n], lambda n: f"{n:d}"],
    "static argument": [lambda n: jax.jit(lambda m: m, static_argnums=0)(n)],
    "branch": [lambda n: 1 if jax.random.normal(jax.random.key(0)) > 0 else n],
}


@pytest.mark.parametrize(("kind", "f"), [(k, f) for k, fs in UNNAMED.items() for f in fs])
def test_an_argument_that_jax_does_not_tell_is_not_guessed(kind, f):
    found = find_first_dependence(f, 2)
    assert (found.kind, found.arguments) == (kind, ())


def test_arguments_are_named_by_their_paths():
    def f(p, *rest, **options):
        return 1 if p["w, and b"] > rest[1] + options["z"] else 2

    found = find_first_dependence(f, {"w, and b": 1.0}, 1.0, 2.0, z=3.0)
    assert found.arguments == ("p['w, and b']", "rest[1]", "options['z']")


def test_in_a_loop_the_arguments_are_those_of_its_body():
    def body(carry, y):
        return carry, y[y > carry]

    found = find_first_dependence(lambda x: lax.scan(body, 0.0, x), jnp.ones((3, 3)))
    assert (found.function, found.arguments) == ("body", ("carry", "y"))
    assert found.place.source == "return carry, y[y > carry]"


class Model:
    def __call__(self, x):
        return x[x > 0]


@pytest.mark.parametrize("f", [Model(), Model().__call__, partial(Model()), jax.jit(Model())])
def test_any_callable_is_seen_through(f):
    found = find_first_dependence(f, jnp.ones(3))
    assert (found.kind, found.place.source) == ("index", "return x[x > 0]")


def test_a_library_function_has_no_line_of_the_reader():
    assert find_first_dependence(jnp.nonzero, jnp.ones(3)).place is None


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (jax.jit(lambda x, n: x[:n], static_argnums=1), (jnp.ones(3), 2)),
        (partial(jnp.nonzero, size=2), (jnp.ones(3),)),
        (lambda x: jnp.where(x > 0, x, 0.0) if x.shape[0] > 2 else x, (jnp.ones(3),)),
    ],
)
def test_what_is_static_needs_no_value(f, args):
    assert find_first_dependence(f, *args) is None


@pytest.mark.parametrize(
    ("f", "error"),
    [(lambda x: [1][3], IndexError), (lambda x: {}[[1]], TypeError), (3, TypeError)],
)
def test_other_errors_come_through(f, error):
    with pytest.raises(error):
        find_first_dependence(f, 1.0)


@pytest.fixture
def frames_removed():
    before = jax.config.jax_traceback_filtering
    jax.config.update("jax_traceback_filtering", "remove_frames")
    yield
    jax.config.update("jax_traceback_filtering", before)


@pytest.mark.usefixtures("frames_removed")
@pytest.mark.parametrize("f", [jnp.sin, lambda x: x[x > 0], lambda x: 1 / 0])
def test_jax_hides_its_frames_again(f):
    with contextlib.suppress(ZeroDivisionError):
        find_first_dependence(f, jnp.ones(3))
    assert jax.config.jax_traceback_filtering == "remove_frames"


def test_shapes_are_found_by_path_without_running():
    def f(x):
        return {"key": jax.random.key(0), "wide": (x @ x.T, 2.0)}, None

    assert find_shapes(f, jax.ShapeDtypeStruct((10**6, 3), "bfloat16")) == [
        Shape("result[0]['key']", (), "key<fry>", False),
        Shape("result[0]['wide'][0]", (10**6, 10**6), "bfloat16", False),
        Shape("result[0]['wide'][1]", (), "float32", True),
    ]


def test_shapes_of_a_jitted_function_with_static_arguments():
    f = jax.jit(lambda x, n: x[:n], static_argnames="n")
    assert [each.shape for each in find_shapes(f, jnp.ones(3), n=2)] == [(2,)]


def test_an_argument_that_is_no_array_is_named():
    with pytest.raises(TypeError, match="`mode` must be an array or a number, got str"):
        find_shapes(lambda x, mode: x, 1.0, "sum")
