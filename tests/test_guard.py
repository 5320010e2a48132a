"""What an answer changes of what it names is put back, and listed."""

import copy
import functools
import os

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from traced import ask
from traced.guard import guard, guard_names
from traced.questions import returns

settings_of_all = {"rate": 1.0}
count = 0
step = None
steps = {}
table = np.zeros(3)


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


SAME = returns(lambda x: x, (1.0,), (2.0,))


def state():
    return count, dict(settings_of_all), list(log.lines), log.last


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
    ],
)
def test_a_write_is_put_back_and_ends_in_a_finding(answer, changed):
    before = state()
    for _ in range(2):
        finding = ask(SAME, answer).finding
        assert finding.code == "effects/write"
        assert changed in finding.saw[0][1]
        assert state() == before


def test_a_write_does_not_hide_what_was_asked():
    def wrong(x):
        return counts(x) + 1

    assert ask(SAME, wrong).finding.code == "value/differs"
    assert count == 0


def test_a_function_that_is_made_once_and_kept_is_no_fault():
    assert ask(SAME, compiles_once).state == "passed"
    assert step is steps["step"]


def test_the_state_of_the_answer_itself_is_its_own():
    class Stateful:
        def __init__(self):
            self.calls = 0

        def __call__(self, x):
            self.calls += 1
            return x

    answer = Stateful()
    assert ask(SAME, answer).state == "passed"
    assert answer.calls == 2


def test_arrays_are_left_out_since_they_would_be_copied():
    assert ask(SAME, fills).state == "passed"


def test_the_environment_is_put_back():
    before = dict(os.environ)
    with guard() as changed:
        os.environ["TRACED_NEW"] = "1"
        os.environ["HOME"] = "elsewhere"
        os.environ.pop("PATH")
    assert changed == ["os.environ['HOME']", "os.environ['PATH']", "os.environ['TRACED_NEW']"]
    assert dict(os.environ) == before


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
