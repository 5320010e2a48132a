"""Code whose loops may not end is run once for nothing, which leaves no trace."""

import random
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from flax import nnx

from traced import ask, record_traces
from traced.questions import compare, follows_changes, returns, traces_at_most
from traced.running.attempt import attempt
from traced.running.rehearsal import rehearse

calls = []
count = 0
scale = [2.0]


def halved(x):
    return jax.lax.while_loop(lambda y: y > 1.0, lambda y: y / 2.0, x)


def stays(x):
    return jax.lax.while_loop(lambda y: y > 1.0, lambda y: y, x)


def counts(x):
    global count
    count += 1
    calls.append(random.random())
    print("called", len(calls))
    jax.debug.print("ran {}", x)
    return halved(x)


def keeps(x):
    calls.append(x)
    return halved(calls[0])


@pytest.fixture(autouse=True)
def without_calls(monkeypatch):
    monkeypatch.setattr(f"{__name__}.calls", [])


def test_a_rehearsal_leaves_nothing_behind(capsys):
    before = random.getstate()
    assert rehearse(counts, 8.0, seconds=5.0) is None
    assert (calls, count, random.getstate()) == ([], 0, before)
    assert capsys.readouterr().out == ""


def test_a_rehearsal_puts_the_state_of_an_optimizer_back():
    model = nnx.Dict(w=nnx.Param(jnp.ones(2)))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1, momentum=0.9), wrt=nnx.Param)
    before = jax.tree.map(np.asarray, nnx.to_pure_dict(nnx.state(optimizer)))

    def trains(model, optimizer):
        optimizer.update(model, nnx.clone(nnx.state(model)))
        return halved(8.0)

    assert rehearse(trains, model, optimizer, seconds=5.0) is None
    after = jax.tree.map(np.asarray, nnx.to_pure_dict(nnx.state(optimizer)))
    assert jax.tree.all(jax.tree.map(np.array_equal, before, after))


def test_what_the_code_does_is_seen_once():
    seen = dict(ask(returns(halved, (8.0,)), counts).finding.saw)
    assert seen["changed in all"] == "count, calls"
    assert seen["after"] == "1"


def test_only_code_that_names_a_loop_is_rehearsed(monkeypatch):
    rehearsed = []
    # By the module itself: its name can mean the function as well.
    module = sys.modules[attempt.__module__]
    monkeypatch.setattr(module, "rehearse", lambda call, *args, **_: rehearsed.append(args))
    assert attempt(abs, -1.0) == 1.0
    assert (attempt(halved, 8.0), rehearsed) == (1.0, [(8.0,)])


def test_an_error_is_left_to_the_run_that_follows():
    def answer(x):
        raise ValueError(stays)

    assert rehearse(answer, 1.0, seconds=1.0) is None


def test_a_rehearsal_inside_of_another_is_none():
    def answer(x):
        assert rehearse(stays, 2.0, seconds=1.0) is None
        return stays(x)

    assert rehearse(answer, 2.0, seconds=1.0).repeats


def test_traces_are_counted_as_without_it():
    def run(answer):
        for x in (4.0, 8.0):
            compare(jnp.float32(1.0), attempt(answer, x))

    assert ask(traces_at_most(1, run, "two calls"), jax.jit(halved)).state == "passed"
    with record_traces() as traces:
        rehearse(jax.jit(halved), 8.0, seconds=5.0)
    assert traces == []


def test_what_jax_keeps_is_still_kept():
    kept = jax.jit(lambda x: halved(x * scale[0]))
    kept(4.0)
    question = follows_changes(4.0, change=lambda _: scale.insert(0, 3.0))
    assert ask(question, kept).finding.code == "purity/stale-read"
    assert scale == [2.0]


def test_a_ref_is_written_to_once():
    ref = jax.new_ref(jnp.zeros(()))

    def answer(x):
        ref[...] += halved(x)
        return ref[...]

    assert attempt(answer, jnp.float32(8.0)) == 1.0
    assert ref[...] == 1.0
