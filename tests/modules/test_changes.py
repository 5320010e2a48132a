"""What calls changed in NNX objects, in graph mode, in tree mode, and under plain JAX."""

import functools

import jax
import jax.numpy as jnp
import optax
import pytest
from flax import nnx
from hypothesis import given, settings
from hypothesis import strategies as st

from traced.modules.changes import (
    KINDS,
    find_aliases,
    find_changes,
    find_module_changes,
    record_changes,
)
from traced.modules.object_graphs import graph_of


class Model(nnx.Module):
    def __init__(self, tied=False):
        self.a = nnx.Param(jnp.ones(2))
        self.b = self.a if tied else nnx.Param(jnp.zeros(2))
        self.array = jnp.zeros(2)
        self.rngs = nnx.Rngs(0)
        self.calls = 0


def set_value(model):
    model.a[...] += 0.5


def set_shape(model):
    model.a.set_value(jnp.ones((2, 3)))


def set_dtype(model):
    model.a.set_value(jnp.ones(2, "float16"))


def set_array(model):
    model.array = model.array + 1.0


def draw(model):
    model.rngs()
    model.rngs()


def count(model):
    model.calls += 1


def add(model):
    model.seen = nnx.Intermediate(model.a * 2.0)


def add_module(model):
    model.layer = nnx.Linear(2, 3, rngs=nnx.Rngs(0))


def remove(model):
    del model.b


def replace(model):
    model.b = nnx.Param(model.a * 3.0)


def retype(model):
    model.b = nnx.BatchStat(model.a * 1.0)


def swap(model):
    model.a, model.b = model.b, model.a


def tie(model):
    model.b = model.a


def tag(model):
    model.a.set_metadata(tag="t")


MODES = {
    "eager": lambda f: f,
    "graph": nnx.jit,
    "no graph updates": lambda f: nnx.jit(f, graph_updates=False),
    "tree": lambda f: nnx.jit(f, graph=False),
    "jax.jit": jax.jit,
}
GRAPH = {"eager", "graph"}
ALL = GRAPH | {"no graph updates", "tree"}

# Each edit with the modes it comes back in, and with what is seen there.
EDITS = {
    set_value: (ALL, ["value: model.a is Param f32[2] (largest difference 0.5)"]),
    set_shape: (ALL, ["value: model.a is Param f32[2,3], was Param f32[2]"]),
    set_dtype: (ALL, ["value: model.a is Param f16[2], was Param f32[2]"]),
    draw: (
        ALL,
        ["rng count: model.rngs.default.count is RngCount u32[] = 2, was RngCount u32[] = 0"],
    ),
    tag: (
        ALL - {"graph"},
        ["structure: model is GraphDef of 5 leaves", "added: model.a.tag is 't', was absent"],
    ),
    set_array: (GRAPH, ["value: model.array is f32[2] (largest difference 1)"]),
    count: (
        GRAPH,
        ["structure: model is GraphDef of 5 leaves", "static: model.calls is 1, was 0"],
    ),
    add: (
        GRAPH,
        [
            "structure: model is GraphDef of 6 leaves, was GraphDef of 5 leaves",
            "added: model.seen is Intermediate f32[2], was absent",
        ],
    ),
    add_module: (
        GRAPH,
        [
            "structure: model is GraphDef of 7 leaves, was GraphDef of 5 leaves",
            "added: model.layer is Linear, was absent",
        ],
    ),
    remove: (
        GRAPH,
        [
            "structure: model is GraphDef of 4 leaves, was GraphDef of 5 leaves",
            "removed: model.b is absent, was Param f32[2]",
        ],
    ),
    replace: (GRAPH, ["replaced: model.b is Param f32[2] (largest difference 3)"]),
    retype: (
        GRAPH,
        [
            "structure: model is GraphDef of 5 leaves",
            "replaced: model.b is BatchStat f32[2], was Param f32[2] (largest difference 1)",
        ],
    ),
    swap: (
        GRAPH,
        [
            "replaced: model.a is Param f32[2] (largest difference 1)",
            "replaced: model.b is Param f32[2] (largest difference 1)",
        ],
    ),
    tie: (
        GRAPH,
        [
            "structure: model is GraphDef of 4 leaves, was GraphDef of 5 leaves",
            "alias added: model.a is one with model.b, was alone",
            "replaced: model.b is Param f32[2] (largest difference 1)",
        ],
    ),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_an_edit_comes_back_where_its_mode_brings_it(edit, mode):
    modes, expected = EDITS[edit]
    found = find_module_changes(MODES[mode](edit), Model())
    assert list(map(str, found)) == (expected if mode in modes else [])
    assert {each.kind for each in found} <= set(KINDS)


@pytest.mark.parametrize("mode", sorted(GRAPH))
def test_a_broken_alias_is_seen(mode):
    found = find_module_changes(MODES[mode](replace), Model(tied=True))
    assert [str(each) for each in found if each.kind == "alias removed"] == [
        "alias removed: model.a is alone, was one with model.b"
    ]


def test_an_alias_is_refused_by_tree_mode():
    model = Model(tied=True)
    with pytest.raises(ValueError, match="Duplicate Param"):
        find_module_changes(MODES["tree"](set_value), model)


def loss(edit):
    def f(model):
        edit(model)
        return jnp.sum(model.a[...])

    return f


def scanned(f, **options):
    step = nnx.scan(lambda model, x: (f(model), (model, x))[1], **options)
    return lambda model: step(model, jnp.zeros(1))


TRANSFORMS = {
    "grad": nnx.grad,
    "remat": nnx.remat,
    "vmap": lambda f, **options: lambda model: nnx.vmap(f, **options)(model),
    "cond": lambda f, **options: lambda model: nnx.cond(True, f, f, model, **options),
}


@pytest.mark.parametrize("graph", [True, False])
@pytest.mark.parametrize("name", TRANSFORMS)
def test_other_transforms_bring_back_the_same(name, graph):
    class Small(nnx.Module):
        def __init__(self):
            self.a, self.b = nnx.Param(jnp.ones(2)), nnx.Param(jnp.zeros(2))

    kinds = [
        [each.kind for each in find_module_changes(f, Small())]
        for f in (TRANSFORMS[name](loss(edit), graph=graph) for edit in (set_value, remove))
    ]
    assert kinds == [["value"], ["structure", "removed"] if graph else []]


@pytest.mark.parametrize("graph", [True, False])
def test_the_carry_of_a_scan_brings_back_values_and_refuses_new_attributes(graph):
    step = scanned(set_value, graph=graph)
    assert [each.kind for each in find_module_changes(step, Model())] == ["value"]
    # In tree mode Flax 0.12.8 stumbles over its own message.
    with pytest.raises((TypeError, ValueError, AttributeError)):
        find_module_changes(scanned(add, graph=graph), Model())


class Network(nnx.Module):
    def __init__(self, rngs):
        self.layers = nnx.List([nnx.Linear(2, 3, rngs=rngs), nnx.BatchNorm(3, rngs=rngs)])
        self.heads = nnx.Dict(out=nnx.Linear(3, 1, rngs=rngs))
        self.dropout = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.heads.out(self.dropout(x))


def train(model, optimizer, metrics, x):
    value, grads = nnx.value_and_grad(lambda model: jnp.mean(model(x) ** 2))(model)
    optimizer.update(model, grads)
    metrics.update(loss=value)


@pytest.mark.parametrize("mode", ["eager", "graph", "no graph updates", "tree"])
def test_a_training_step_changes_values_and_counts_only(mode):
    model = Network(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1, momentum=0.9), wrt=nnx.Param)
    metrics = nnx.MultiMetric(loss=nnx.metrics.Average("loss"))
    x = jnp.arange(8.0).reshape(4, 2)
    found = find_module_changes(MODES[mode](train), model, optimizer, metrics, x)
    assert {each.kind for each in found} == {"value", "rng count"}
    assert [each.path for each in found if each.after.startswith("BatchStat")] == [
        "model.layers[1].mean",
        "model.layers[1].var",
    ]
    seen = {each.path: each.after for each in found}
    assert seen["metrics.loss.count"] == "MetricState i32[] = 1"
    assert seen["model.dropout.rngs.count"] == "RngCount u32[] = 1"
    assert seen["optimizer.step"] == "OptState u32[] = 1"
    assert "optimizer.opt_state[0].trace['layers'][0]['kernel']" in seen


def test_aliases_are_seen_also_where_tree_mode_is_the_default():
    model = Model()
    with nnx.set_graph_mode(False):
        kinds = [each.kind for each in find_module_changes(tie, model)]
        paths = [each.paths for each in find_aliases(model)]
    assert kinds == ["structure", "alias added", "replaced"]
    assert paths == [("a", "b")]


class Counter(nnx.Module):
    def __init__(self):
        self.n = nnx.Variable(jnp.int32(0))

    def __call__(self, by=1):
        self.n[...] += by

    @nnx.jit
    def jitted(self, by):
        self.n[...] += by


CALLS = {
    "self.n": lambda model: find_module_changes(model),
    "self.n ": lambda model: find_module_changes(model.__call__, by=1),
    "self.n  ": lambda model: find_module_changes(model.jitted, 1),
    "model.n": lambda model: find_module_changes(functools.partial(lambda model: model(), model)),
    "model.n ": lambda model: find_module_changes(lambda *, model: model(), model=model),
    "models[1].n": lambda m: find_module_changes(lambda models: models[1](), [Counter(), m]),
    "tree['m'].n": lambda model: find_module_changes(lambda tree: tree["m"](), {"m": model}),
    "args[0].n": lambda model: find_module_changes(lambda *args: args[0](), model, 1),
}


@pytest.mark.parametrize("path", CALLS)
def test_a_path_begins_with_the_name_of_the_argument(path):
    (change,) = CALLS[path](Counter())
    assert str(change) == f"value: {path.strip()} is Variable i32[] = 1, was Variable i32[] = 0"


def test_a_list_of_modules_that_grows_is_seen():
    found = find_module_changes(lambda models: models.append(Counter()), [Counter()])
    assert list(map(str, found)) == ["added: models[1] is Counter, was absent"]


def test_an_nnx_list_that_grows_is_one_attribute_more():
    model = nnx.Sequential(*(Counter() for _ in range(11)))
    found = find_module_changes(lambda model: model.layers.append(Counter()), model)
    assert [(each.kind, each.path) for each in found] == [
        ("structure", "model"),
        ("added", "model.layers[11]"),
    ]


def test_paths_are_sorted_by_number():
    model = nnx.List([Counter() for _ in range(11)])
    found = find_module_changes(lambda model: [each() for each in model], model)
    assert [each.path for each in found] == [f"model[{i}].n" for i in range(11)]


def test_changes_in_a_block_are_recorded_also_when_it_raises():
    model, kept = Counter(), []

    def run():
        with record_changes(model) as changes:
            kept.append(changes)
            model()
            raise KeyError

    with pytest.raises(KeyError):
        run()
    assert [(each.kind, each.path) for each in kept[0]] == [("value", "n")]


def test_a_write_from_a_trace_to_an_object_outside_leaves_it_as_it_was():
    model, kept = Counter(), []

    def run():
        with record_changes(model=model) as changes:
            kept.append(changes)
            nnx.jit(lambda x: model())(1.0)

    with pytest.raises(Exception, match="Cannot mutate Variable from a different trace level"):
        run()
    assert kept == [[]]


def test_a_tracer_that_graph_mode_leaves_behind_is_named():
    def keep(model, x):
        model.last = x

    # Flax takes a tracer for static, unless it is wrapped in `nnx.data`.
    found = find_module_changes(nnx.jit(keep), Counter(), jnp.ones(3))
    assert str(found[-1]) == "added: model.last is tracer f32[3], was absent"


def test_changes_inside_a_trace_are_seen_by_tracer():
    seen = []

    def f(model):
        with record_changes(model) as changes:
            model.a[...] += 1.0
        seen.extend(map(str, changes))
        return model.a * 1.0

    jaxpr = jax.make_jaxpr(f)(Model())
    assert seen == ["value: a is Param f32[2]"]
    assert [eqn.primitive.name for eqn in jaxpr.eqns] == ["add", "mul"]


def test_values_that_are_written_again_are_no_change():
    def write(model):
        model.a[...] = model.a[...] * 1.0

    model = Model()
    model.a[...] = jnp.array([jnp.nan, -0.0])
    assert find_module_changes(write, model) == []


def test_a_donated_array_is_known_from_before():
    model = Counter()
    f = jax.jit(lambda model: jax.tree.map(lambda n: n + 1, model), donate_argnums=0)
    assert list(map(str, find_module_changes(f, model))) == [
        "value: model.n is Variable i32[], deleted, was Variable i32[] = 0"
    ]


def test_a_variable_and_a_state_are_objects_too():
    state = nnx.state(Model())
    found = find_module_changes(lambda state: state["a"].set_value(jnp.zeros(2)), state)
    assert [(each.kind, each.path) for each in found] == [("value", "state['a']")]
    weight = nnx.Param(jnp.ones(2))
    assert [each.paths for each in find_aliases([weight, weight])] == [("[0]", "[1]")]


class Lines:
    def __repr__(self):
        return "Lines(\n  1,\n)"


STATIC = {
    "False": False,
    "0.0": 0.0,
    "None": None,
    "(1, 2)": (1, 2),
    "{'k': [1]}": {"k": [1]},
    "tanh": jnp.tanh,
    "Model": Model,
    "{'a', 'b', 'c', 'd'}": {"d", "c", "b", "a"},
    "(<object object>,)": (object(),),
    "Lines( 1, )": Lines(),
}


@pytest.mark.parametrize("text", STATIC)
def test_static_values_are_compared_by_value_and_named_without_addresses(text):
    def change(model):
        model.calls = STATIC[text]

    (found,) = [each for each in find_module_changes(change, Model()) if each.kind == "static"]
    assert (found.path, found.before) == ("model.calls", "0")
    assert found.after == text


def test_a_static_list_that_is_changed_in_place_is_seen():
    model = Model()
    model.sizes = [1, [2]]
    found = find_module_changes(lambda model: model.sizes[1].append(3), model)
    assert [str(each) for each in found] == ["static: model.sizes is [1, [2, 3]], was [1, [2]]"]


def test_a_static_value_that_becomes_data_is_replaced():
    def change(model):
        model.calls = nnx.data(jnp.ones(3))

    found = find_module_changes(change, Model())
    assert [each.kind for each in found] == ["structure", "replaced"]
    assert str(found[1]) == "replaced: model.calls is f32[3], was 0"


def test_a_shared_variable_changes_once_and_a_cycle_is_followed_once():
    model = Model(tied=True)
    model.child = nnx.Dict(parent=model)
    assert [each.path for each in find_module_changes(set_value, model)] == ["model.a"]


def test_an_alias_that_comes_or_goes_with_its_paths_is_seen():
    def come(model):
        model.pair = nnx.Dict(u=nnx.Dict(x=nnx.Param(0.0)))
        model.pair.v = model.pair.u

    def go(model):
        del model.pair

    model = nnx.Dict()
    seen = [list(map(str, find_module_changes(f, model)))[-1] for f in (come, go)]
    assert seen == [
        "alias added: model.pair.u is one with model.pair.v, was absent",
        "alias removed: model.pair.u is absent, was one with model.pair.v",
    ]


def test_changes_at_one_path_are_in_the_order_of_their_kinds():
    def tie_first(model):
        model.a = model.b

    found = find_module_changes(tie_first, Model())
    assert [each.kind for each in found if each.path == "model.a"] == ["replaced", "alias added"]


def test_aliases_are_found_across_objects_and_through_cycles():
    class Child(nnx.Module):
        def __init__(self, parent):
            self.parent = parent

    model = Model(tied=True)
    model.child = Child(model)
    assert [each.paths for each in find_aliases(model=model, rngs=model.rngs)] == [
        ("model", "model.child.parent"),
        ("model.a", "model.b"),
        ("model.rngs", "rngs"),
    ]
    assert [each.type for each in find_aliases(model)] == ["Model", "Param f32[2]"]


def test_an_alias_below_a_shared_module_is_no_new_alias():
    layer = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
    model = nnx.Dict(x=layer, y=layer)

    def split(model):
        model.y = nnx.Linear(2, 2, rngs=nnx.Rngs(1))
        model.y.kernel = model.x.kernel

    kinds = [(each.kind, each.path) for each in find_module_changes(split, model)]
    assert kinds == [("structure", "model"), ("alias removed", "model.x"), ("replaced", "model.y")]


@pytest.mark.parametrize(("args", "got"), [((), "nothing"), ((1.0, [jnp.ones(3)]), "float, list")])
def test_a_call_without_nnx_objects_is_refused(args, got):
    with pytest.raises(ValueError, match=f"`args` must hold an NNX object, got {got}"):
        find_module_changes(lambda x=None, y=None: None, *args)


def test_what_the_function_raises_comes_through():
    with pytest.raises(ZeroDivisionError):
        find_module_changes(lambda model: 1 // 0, Model())


edits = st.lists(st.sampled_from([edit for edit in EDITS if edit is not remove]), max_size=5)


@settings(max_examples=30, deadline=None)
@given(edits)
def test_structure_changes_exactly_when_the_graphdef_does(chosen):
    model, copy = Model(), nnx.graphdef(Model())
    found = find_module_changes(lambda model: [edit(model) for edit in chosen], model)
    assert any(each.kind == "structure" for each in found) == (nnx.graphdef(model) != copy)


@settings(max_examples=30, deadline=None)
@given(edits)
def test_looking_the_other_way_exchanges_before_and_after(chosen):
    model = Model()
    before = graph_of(model)
    for edit in chosen:
        edit(model)
    after = graph_of(model)
    forth = {(each.path, each.before, each.after) for each in find_changes(before, after)}
    back = {(each.path, each.after, each.before) for each in find_changes(after, before)}
    assert forth == back
    assert find_changes(after, graph_of(model)) == []
