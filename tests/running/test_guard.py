"""What an answer changes of what it names is put back, and listed."""

import copy
import functools
import os
import threading
import types
from unittest.mock import ANY

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from hypothesis import given, settings
from hypothesis import strategies as st

from traced import ask
from traced.questions import returns
from traced.running.guard import KEPT, guard, guard_arrays, guard_names

settings_of_all = {"rate": 1.0}
count = 0
step = None
steps = {}
table = np.zeros(3)
wide_table = np.zeros((500, 500))


class Log:
    def __init__(self):
        self.lines = []
        self.last = None


log = Log()


def counts(x):
    global count
    count += 1
    return x


def configures(x):
    settings_of_all["rate"] = 2.0
    return x


def logs(x):
    log.lines.append(x)
    log.last = x
    return x


def closes_over():
    total = 0.0

    def adds(x):
        nonlocal total
        total += x
        return x

    return adds


class Answer:
    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return configures(x)


def compiles_once(x):
    global step
    step = step or jax.jit(lambda x: x)
    return steps.setdefault("step", step)(x)


def fills(x):
    table[:] = 1.0
    return x


def fills_much(x):
    wide_table[7, 7] += 1.0
    return x


def counts_itself(x):
    counts_itself.calls += 1
    return x


counts_itself.calls = 0


class Registry:
    entries = ()


def registers(x):
    Registry.entries = (*Registry.entries, x)
    return x


model = nnx.Sequential(nnx.Linear(2, 2, rngs=nnx.Rngs(0)), nnx.Dropout(0.5, rngs=nnx.Rngs(1)))


def trains(x):
    kernel = model.layers[0].kernel
    kernel[...] = kernel[...] + 1.0
    return x


def draws(x):
    model(jnp.ones(2))
    return x


module = types.ModuleType("a_module_of_the_readers")
module.rate = 1.0


def sets_in_a_module(x):
    module.rate = 2.0
    return x


class Method:
    def __init__(self):
        self.calls = 0

    def called(self, x):
        self.calls += 1
        return x


SAME = returns(lambda x: x, (1.0,), (2.0,))


def state():
    values = jax.tree.map(np.asarray, nnx.to_pure_dict(nnx.state(model, nnx.Param)))
    return (
        count,
        dict(settings_of_all),
        list(log.lines),
        log.last,
        table.tolist(),
        counts_itself.calls,
        Registry.entries,
        jax.tree.map(np.ndarray.tolist, values),
        model.layers[1].rngs.count[...].item(),
        module.rate,
    )


@pytest.mark.parametrize(
    ("answer", "changed"),
    [
        (counts, "count"),
        (jax.tree_util.Partial(counts), "count"),
        (configures, "settings_of_all['rate']"),
        (functools.partial(configures), "settings_of_all['rate']"),
        (Answer(), "settings_of_all['rate']"),
        (Answer().__call__, "settings_of_all['rate']"),
        (logs, "log.lines"),
        (closes_over(), "total"),
        (fills, "table"),
        (counts_itself, "counts_itself.calls"),
        (registers, "Registry.entries"),
        (trains, "model.layers[0].kernel[...]"),
        (draws, "count[...]"),
        (sets_in_a_module, "module.rate"),
        (Answer(), "self.calls"),
        (Method().called, "self.calls"),
    ],
)
def test_a_write_is_put_back_and_ends_in_a_finding(answer, changed):
    before = state()
    for _ in range(2):
        finding = ask(SAME, answer).finding
        assert finding.code == "effects/write"
        assert changed in " ".join(seen for _, seen in finding.saw)
        assert state() == before


def test_a_write_is_told_before_a_wrong_value_that_it_may_have_caused():
    def wrong(x):
        return counts(x) + 1

    assert ask(SAME, wrong).finding.code == "effects/write"
    assert count == 0


def test_a_function_that_is_made_once_and_kept_is_no_fault():
    assert ask(SAME, compiles_once).state == "passed"
    assert step is steps["step"]


def test_what_is_too_large_to_be_kept_is_told_and_stays():
    assert wide_table.nbytes > KEPT
    assert "wide_table" in ask(SAME, fills_much).finding.saw[0][1]
    assert wide_table[7, 7] == 2.0  # after two calls


def test_what_an_answer_computes_once_and_keeps_is_its_own():
    class Lazy:
        @functools.cached_property
        def step(self):
            return jax.jit(lambda x: x)

        def __call__(self, x):
            return self.step(x)

    assert ask(SAME, Lazy()).state == "passed"


def test_the_environment_is_put_back():
    before = dict(os.environ)
    with guard() as changed:
        os.environ["TRACED_NEW"] = "1"
        os.environ["HOME"] = "elsewhere"
        os.environ.pop("PATH")
    assert changed == ["os.environ['HOME']", "os.environ['PATH']", "os.environ['TRACED_NEW']"]
    assert dict(os.environ) == before


def test_a_guard_inside_leaves_to_the_one_around_it_what_can_wait():
    original, folder = jnp.sin, os.getcwd()
    with guard() as changed:
        with jax.explain_cache_misses(True), guard() as inside:
            jnp.sin = jnp.cos
            jax.lax.abs = ANY
            os.chdir("/")
        assert (inside, jnp.sin) == (["jax.numpy.sin"], original)
    assert changed == ["jax.lax.abs", "the working folder"]
    assert (jax.lax.abs(-1.0), os.getcwd()) == (1.0, folder)


def test_a_guard_inside_of_a_setting_leaves_the_setting():
    with guard() as changed, jax.explain_cache_misses(True):
        with guard() as inside:
            pass
        assert jax.explain_cache_misses.value
    assert changed == inside == []


@pytest.mark.parametrize("make", [jnp.arange, jax.random.key, nnx.Rngs], ids=lambda f: f.__name__)
def test_an_array_that_is_donated_stays_until_the_guard_is_gone(make):
    give_away = jax.jit(lambda tree: jax.tree.map(jnp.copy, tree), donate_argnums=0)
    tree = make(3)
    with guard_arrays():
        give_away(tree)
    assert not any(leaf.is_deleted() for leaf in jax.tree.leaves(tree))
    give_away(tree)
    assert any(leaf.is_deleted() for leaf in jax.tree.leaves(tree))


def test_an_effect_may_be_under_way():
    done = threading.Event()
    wait = jax.jit(lambda x: jax.debug.callback(lambda _: done.wait(1), x, ordered=True))
    wait(jnp.ones(3))
    with guard_arrays():  # its token is among the live arrays
        pass
    done.set()
    jax.effects_barrier()


def test_an_error_in_the_block_leaves_nothing_behind():
    def fails():
        with guard_names(counts):
            raise ValueError(counts(1))

    with pytest.raises(ValueError, match="1"):
        fails()
    assert count == 0


plain = st.none() | st.booleans() | st.integers() | st.text(max_size=3)
trees = st.recursive(
    plain,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)
writes = st.lists(st.tuples(st.integers(0, 20), st.sampled_from(["add", "drop", "set"]), trees))


def containers(tree):
    if isinstance(tree, list | dict):
        yield tree
        for each in tree if isinstance(tree, list) else tree.values():
            yield from containers(each)


def write(tree, verb, value):
    if verb == "add":
        tree.append(value) if isinstance(tree, list) else tree.update(new=value)
    elif tree and verb == "drop":
        tree.pop() if isinstance(tree, list) else tree.popitem()
    elif tree:
        tree[0 if isinstance(tree, list) else next(iter(tree))] = value


@settings(max_examples=60, deadline=None)
@given(st.lists(trees, max_size=4), writes)
def test_whatever_is_written_to_nested_containers_is_put_back(held, changes):
    def answer():
        for number, verb, value in changes:
            found = list(containers(held))
            write(found[number % len(found)], verb, value)

    before, objects = copy.deepcopy(held), [id(each) for each in containers(held)]
    with guard_names(answer) as changed:
        answer()
        differs = repr(held) != repr(before)
    assert held == before
    assert [id(each) for each in containers(held)] == objects
    assert bool(changed) >= differs


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_guarding_leaves_no_array_behind(dtype):
    kept = [jax.numpy.full(3, i, dtype) for i in range(3)]
    before = len(jax.live_arrays("cpu"))
    for _ in range(3):
        with guard_arrays():
            pass
    assert len(jax.live_arrays("cpu")) == before, kept
