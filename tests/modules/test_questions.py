"""What a call does to NNX objects, in graph mode and in tree mode."""

import jax
import jax.numpy as jnp
import optax
import pytest
from flax import nnx

from traced import ask
from traced.modules.questions import keeps_structure, shares_nothing, updates_like

pytestmark = pytest.mark.usefixtures("compiled_once")

X = jnp.ones((3, 2))


class Model(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.calls = nnx.Variable(jnp.array(0))

    def __call__(self, x):
        self.calls[...] += 1
        return self.drop(self.norm(self.linear(x)))


def forward(model, x):
    return model(x)


def step(model, optimizer, x):
    grads = nnx.grad(lambda model: jnp.mean(model(x) ** 2))(model)
    optimizer.update(model, grads)


def twice(m, x):
    return m(x) + m(x)


def does_not_call(m, x):
    return x


def on_a_clone(m, x):
    return nnx.clone(m)(x)


def puts_back(m, x):
    before = m.calls[...]
    out = m(x)
    m.calls[...] = before
    return out


def in_evaluation(m, x):
    return nnx.view(m, deterministic=True)(x)


def adds_one(m, x):
    m.linear.bias[...] += 1
    return m(x)


def half_as_fast(model, optimizer, x):
    grads = nnx.grad(lambda model: jnp.mean(model(x) ** 2) / 2)(model)
    optimizer.update(model, grads)


def notes(model, x):
    model.last = nnx.Intermediate(x)


def retypes(model, x):
    model.calls = nnx.Variable(jnp.zeros(3))


def flags(model, x):
    model.seen = True


def ties(model, x):
    model.again = model.linear


@pytest.fixture(params=[True, False], ids=["graph", "tree"], autouse=True)
def mode(request):
    with nnx.set_graph_mode(request.param):
        yield request.param


@pytest.fixture
def model():
    return Model(nnx.Rngs(0))


@pytest.mark.parametrize("f", [forward, nnx.jit(forward), lambda m, x: m(x) + 1])
def test_an_update_like_the_wanted_one_passes(model, f):
    assert ask(updates_like(forward, model, X), f).state == "passed"


@pytest.mark.parametrize(
    ("f", "code", "where"),
    [
        (does_not_call, "nnx/never-changed", "model.calls"),
        (on_a_clone, "nnx/other-object", "model.calls"),
        (puts_back, "nnx/undone", "model.calls"),
        (nnx.jit(puts_back), "nnx/undone", "model.calls"),
        (in_evaluation, "nnx/stream-unmoved", "model.drop.rngs.count"),
        (jax.jit(forward), "nnx/lost-change", "model.calls"),
        (adds_one, "nnx/changed", "model.linear.bias"),
        (twice, "value/differs", "model.calls"),
        (lambda m, x: (m(x), flags(m, x)), "nnx/structure-changed", "model.seen"),
    ],
)
def test_another_update_gets_its_finding(model, f, code, where):
    finding = ask(updates_like(forward, model, X), f).finding
    assert finding.code == code
    assert finding.saw[0][1] == where


@pytest.mark.parametrize(
    ("f", "lines"),
    [
        (jax.jit(forward), ["self.calls[...] += 1"]),
        (adds_one, ["m.linear.bias[...] += 1"]),
        (does_not_call, []),
    ],
)
def test_the_line_that_writes_to_the_variable_is_told(model, f, lines):
    where = ask(updates_like(forward, model, X), f).finding.where
    assert [place.source for place in where] == lines


def test_a_training_step_is_compared_with_its_optimizer(mode):
    # In tree mode a Variable may have one path only, so that the two share nothing.
    model = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1, momentum=0.9), wrt=nnx.Param)
    question = updates_like(step, model, optimizer, X)
    assert ask(question, step).state == "passed"
    assert ask(question, nnx.jit(step)).state == "passed"
    assert ask(question, jax.jit(step)).finding.code == "nnx/lost-change"
    assert ask(question, half_as_fast).finding.code == "value/differs"


def test_what_is_asked_about_is_left_as_it_was(model):
    before = model.linear.bias[...]
    ask(updates_like(forward, model, X), adds_one)
    ask(keeps_structure(model, X), notes)
    assert (model.linear.bias[...] == before).all()
    assert model.calls[...] == 0
    assert not hasattr(model, "last")


def test_an_update_of_a_variable_alone_is_seen():
    def count(variable):
        variable[...] += 1

    variable = nnx.Variable(jnp.array(0))
    assert ask(updates_like(count, variable), nnx.jit(count)).state == "passed"
    assert ask(updates_like(count, variable), lambda v: None).finding.code == "nnx/never-changed"


@pytest.mark.parametrize("f", [forward, nnx.jit(forward), adds_one])
def test_new_values_leave_the_structure(model, f):
    assert ask(keeps_structure(model, X), f).state == "passed"


@pytest.mark.parametrize(
    ("f", "where"),
    [
        (notes, "model.last"),
        (retypes, "model.calls"),
        (flags, "model.seen"),
        (ties, "model.again"),
    ],
)
def test_new_attributes_types_and_aliases_do_not(model, f, where):
    finding = ask(keeps_structure(model, X), f).finding
    assert finding.code == "nnx/structure-changed"
    assert finding.saw[0] == ("where", where)


def test_tree_mode_does_not_bring_a_new_attribute_back(model):
    assert ask(keeps_structure(model, X), nnx.jit(notes, graph=False)).state == "passed"
    assert ask(keeps_structure(model, X), nnx.jit(notes, graph=True)).state == "not yet"


def test_objects_of_their_own_pass():
    def blocks(rngs):
        return nnx.List([nnx.Linear(2, 2, rngs=rngs) for _ in range(2)])

    assert ask(shares_nothing(nnx.Rngs(0)), blocks).state == "passed"


def test_a_shared_object_is_told_with_its_places():
    def blocks(rngs):
        return nnx.List([nnx.Linear(2, 2, rngs=rngs)] * 2)

    finding = ask(shares_nothing(nnx.Rngs(0)), blocks).finding
    assert finding.code == "nnx/shared"
    assert finding.saw == (("object", "Linear"), ("places", "[0], [1]"))


def test_a_result_without_objects_is_told():
    assert ask(shares_nothing(1.0), lambda x: x).finding.code == "runs/raised"
