"""Random keys: what is done to them, and each way in which one gives the same numbers again."""

from functools import partial
from types import MethodType

import jax
import pytest
from flax import nnx
from jax import random
from jax.experimental.key_reuse import _core as checker

from tests.randomness.key_programs import (
    CORRECT,
    FAULTY,
    KEY,
    LEGACY,
    TWICE,
    X,
    carried,
    each_entry,
    layers,
    mark,
    noisy,
    one_line,
    split_again,
)
from traced.randomness.keys import HOWS, KINDS, find_key_events, find_key_reuses, record_keys

pytestmark = pytest.mark.usefixtures("compiled_once")


def kinds_and_keys(events):
    return [(event.kind, event.key) for event in events]


def record(f, *args):
    with record_keys() as recorded:
        f(*args)
    return recorded


@pytest.mark.parametrize("name", CORRECT)
def test_a_correct_program_gives_no_alarm(name):
    assert find_key_reuses(*CORRECT[name]) == []


@pytest.mark.parametrize("f", FAULTY, ids=lambda f: f.__name__)
def test_a_reuse_has_its_way_its_key_and_both_lines(f):
    (found,) = find_key_reuses(f, KEY, X)
    assert (found.how, found.key) == FAULTY[f]
    assert (mark(found.first), mark(found.second)) in {("first", "second"), ("both", "both")}
    assert (found.first.note, found.second.note) == ("first use", "second use")


@pytest.mark.parametrize("f", FAULTY, ids=lambda f: f.__name__)
def test_a_legacy_key_is_seen_like_a_typed_one(f):
    assert find_key_reuses(f, LEGACY, X) == find_key_reuses(f, KEY, X)


FORMS = {
    "jit": lambda f: find_key_reuses(jax.jit(f), KEY, X),
    "a partial": lambda f: find_key_reuses(partial(f, KEY), X),
    "a method": lambda f: find_key_reuses(MethodType(lambda self, key, x: f(key, x), 0), KEY, X),
    "keywords": lambda f: find_key_reuses(f, x=X, key=KEY),
    "a key's type": lambda f: find_key_reuses(f, jax.eval_shape(lambda: KEY), X),
    "a legacy key's type": lambda f: find_key_reuses(f, jax.eval_shape(lambda: LEGACY), X),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("f", [split_again, carried, each_entry])
def test_a_program_may_have_many_forms(f, form):
    found = [(each.how, each.key) for each in FORMS[form](f)]
    assert found == ([FAULTY[f]] if f in FAULTY else [])


@pytest.mark.parametrize("f", FAULTY, ids=lambda f: f.__name__)
def test_a_recorded_block_has_the_same_reuses(f):
    key = random.key(0)
    with record_keys() as recorded:
        f(key, X)
    (found,) = recorded.reuses
    assert (found.how, found.key) == FAULTY[f]
    assert (mark(found.first), mark(found.second)) in {("first", "second"), ("both", "both")}


@pytest.mark.parametrize("name", CORRECT)
def test_a_recorded_block_gives_no_false_alarm(name):
    assert record(*CORRECT[name]).reuses == []


def test_each_way_of_reuse_is_in_the_table():
    assert {how for how, _ in FAULTY.values()} == set(HOWS)


@pytest.mark.parametrize("f", [noisy, jax.jit(noisy)])
def test_calls_of_one_function_with_one_key_are_a_reuse(f):
    with record_keys() as recorded:
        f(KEY, X)
        f(KEY, X)
    (found,) = recorded.reuses
    assert (found.how, found.key) == (TWICE, "KEY")
    assert (found.first.source, found.second.line) == ("f(KEY, X)", found.first.line + 1)


def test_a_reuse_inside_jit_is_recorded_and_not_raised():
    assert [each.how for each in record(jax.jit(one_line), KEY, X).reuses] == [TWICE]


def test_two_models_of_one_seed_are_a_reuse():
    with record_keys() as recorded:
        nnx.Linear(3, 3, rngs=nnx.Rngs(0))
        nnx.Linear(3, 3, rngs=nnx.Rngs(0))
    (found,) = recorded.reuses
    assert (found.how, found.key) == (TWICE, "key(0).fold_in(0)")


def test_the_steps_of_a_module_with_dropout_are_no_reuse():
    dropout = nnx.Dropout(0.5, rngs=nnx.Rngs(2))
    step = nnx.jit(nnx.grad(lambda x, dropout: dropout(x).sum()))
    recorded = record(lambda: [step(X, dropout) for _ in range(3)])
    assert [event.kind for event in recorded.events] == ["fold_in", "use"] * 3
    assert recorded.reuses == []


def test_events_are_in_order_and_named_after_the_argument():
    def f(state):
        key = random.fold_in(state["noise"], 5)
        return random.normal(random.split(key, (2, 2))[1, 0])

    assert kinds_and_keys(find_key_events(f, {"noise": KEY})) == [
        ("fold_in", "state['noise']"),
        ("split", "state['noise'].fold_in(5)"),
        ("use", "state['noise'].fold_in(5).split[1, 0]"),
    ]


def test_an_event_knows_its_line_and_what_encloses_it():
    (event,) = find_key_events(jax.jit(each_entry), KEY, X)
    assert (event.within, event.batched) == (("jit",), True)
    assert mark(event.place) == "both"


def test_the_links_of_a_batch_lead_from_each_key_to_its_own():
    (event,) = find_key_events(jax.vmap(lambda keys: random.split(keys)), random.split(KEY))
    assert event.key == "keys[0] … keys[1]"
    assert event.links == [
        (key, f"{key}.split[{i}]") for key in ("keys[0]", "keys[1]") for i in (0, 1)
    ]


def test_the_links_lead_back_to_the_argument():
    events = find_key_events(carried, KEY, X)
    parents = {made: key for event in events for key, made in event.links}
    key = "key.split[0]×3"
    ancestors = [key := parents[key] for _ in range(3)]
    assert ancestors == ["key.split[0].split[0]", "key.split[0]", "key"]


def test_each_kind_of_event_is_in_its_tuple():
    def f():
        return random.normal(random.fold_in(random.split(random.key(1))[0], 1))

    assert tuple(event.kind for event in find_key_events(f)) == KINDS


def test_two_arguments_that_are_one_key_are_both_named():
    (found,) = find_key_reuses(lambda a, b: random.normal(a) + random.normal(b), KEY, KEY)
    assert found.key == "a = b"


def test_a_captured_key_has_the_name_of_its_variable():
    held = {"noise": random.key(3)}
    events = find_key_events(lambda x: random.normal(held["noise"]), X)
    assert kinds_and_keys(events) == [("use", "held['noise']")]


def test_the_program_is_traced_and_not_run():
    printed = []

    def f(key, x):
        jax.debug.callback(printed.append, noisy(key, x))

    assert kinds_and_keys(find_key_events(f, KEY, X)) == [("use", "key")]
    assert printed == []


def test_the_count_of_rngs_is_left_alone():
    rngs = nnx.Rngs(0)
    find_key_events(layers, rngs, X)
    assert rngs.default.count[...] == 0


def checks_of_jax():
    names = "call_impl_with_key_reuse_checks", "check_key_reuse_jaxpr"
    return [getattr(checker, name) for name in names], jax.config.jax_debug_key_reuse


def test_jax_is_left_as_it_was_also_when_the_block_raises():
    before = checks_of_jax()
    with pytest.raises(TypeError, match="scalar"), record_keys() as recorded:
        float(random.normal(KEY, (2,)))
    assert checks_of_jax() == before
    assert kinds_and_keys(recorded.events) == [("use", "KEY")]


def test_jax_checks_again_after_the_block():
    record(one_line, KEY, X)
    with jax.debug_key_reuse(True), pytest.raises(jax.errors.KeyReuseError):
        one_line(random.key(0), X)


def test_jax_does_not_check_while_a_program_is_looked_at():
    with jax.debug_key_reuse(True):
        assert [each.how for each in find_key_reuses(one_line, random.key(0), X)] == [TWICE]


def test_what_cannot_be_called_is_refused_by_name():
    with pytest.raises(TypeError, match="`f` must be a callable, got int"):
        find_key_reuses(3, KEY)


def test_what_the_function_raises_comes_through():
    with pytest.raises(jax.errors.TracerBoolConversionError):
        find_key_events(lambda key: 1.0 if random.normal(key) > 0 else 2.0, KEY)


def test_functions_of_python_and_of_jax_are_taken():
    assert find_key_events(max, 3, 4) == []
    assert kinds_and_keys(find_key_events(random.normal, KEY)) == [("use", "key")]
