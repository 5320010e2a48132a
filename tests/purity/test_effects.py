"""What a function does besides returning a value: found with its line, and undone."""

import os
import random
import signal
import socket
import sys
import threading
from collections import deque
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from traced.purity import effects
from traced.purity.effects import find_effects
from traced.python.places import PACKAGE
from traced.running.attempt import time_limit
from traced.running.clocks import Reading

COUNT = 0
HISTORY = []
OPTIONS = {"rate": 0.5}
GENERATOR = np.random.default_rng(0)


class Model:
    calls = 0

    def __init__(self):
        self.cache, self.history = None, []

    def __call__(self, x):
        self.cache = x * 2
        return self.cache

    def log(self, x):
        self.history.append(x + 1)
        Model.calls += 1
        return x

    @partial(jax.jit, static_argnums=0)
    def static(self, x):
        self.cache = x * 3
        return x


class Tally:
    total = 0

    def __call__(self, x):
        type(self).total += 1
        return x


class Slotted:
    __slots__ = ("value",)

    def __init__(self):
        self.value = 1

    def __call__(self, x):
        self.value = 2
        return x


def count(x):
    global COUNT
    COUNT += 1
    return x * COUNT


def remember(x):
    HISTORY.append(x * 2)
    return x


def note(x, memo={}):  # noqa: B006  # a default that changes is what is tested
    memo["last"] = 1.0
    return x


def mark(x):
    mark.done = True
    return x


def forget(x):
    global OPTIONS
    del OPTIONS
    return x


def draw(x):
    x = x * np.random.normal()
    x = x * random.random()
    return x * GENERATOR.normal()


def kept():
    total, seen = 0, set()

    def f(x):
        nonlocal total
        total += 1
        seen.add(total)
        return x

    return f


def unbound():
    def f(x):
        nonlocal late
        late = x
        return x

    if COUNT:
        late = 0
    return f


def seen(f, *args, **kwargs):
    return [(each.kind, each.target) for each in find_effects(f, *args, **kwargs)]


WRITES = [
    (count, [("global write", "COUNT")]),
    (remember, [("global write", "HISTORY")]),
    (forget, [("global write", "OPTIONS")]),
    (lambda x: OPTIONS.update(rate=x), [("global write", "OPTIONS['rate']")]),
    (lambda x: exec("COUNT = 1", globals()), [("global write", "COUNT")]),
    (draw, [("global write", name) for name in ("np.random", "random", "GENERATOR")]),
    (kept(), [("closure write", "total"), ("closure write", "seen")]),
    (unbound(), [("closure write", "late")]),
    (note, [("argument write", "memo['last']")]),
    (mark, [("attribute write", "mark.done")]),
    (Model(), [("attribute write", "self.cache")]),
    (Model().log, [("attribute write", "self.history"), ("attribute write", "Model.calls")]),
    (Tally(), [("attribute write", "Tally.total")]),
    (Slotted(), [("attribute write", "self.value")]),
    (HISTORY.append, [("attribute write", "self")]),
    (lambda x: remember(x) + count(x), [("global write", "HISTORY"), ("global write", "COUNT")]),
    (partial(lambda x, log: log.append(x), log=[]), [("argument write", "log")]),
]


@pytest.mark.parametrize(("f", "expected"), WRITES)
def test_a_write_is_named_as_the_reader_writes_it(f, expected):
    assert seen(f, 2.0) == expected


@pytest.mark.parametrize(("f", "expected"), WRITES)
def test_a_write_is_undone(f, expected):
    assert seen(f, 2.0) == seen(f, 2.0) == expected
    assert (COUNT, HISTORY, OPTIONS, Model.calls) == (0, [], {"rate": 0.5}, 0)


def fill(array):
    array[0] = 9


ARGUMENTS = [
    (lambda x: x.append(1), [0], "x"),
    (lambda x: x.__setitem__(0, 1), [0], "x[0]"),
    (lambda x: x[0]["a"].pop(), ({"a": [1]},), "x[0]['a']"),
    (lambda x: x.pop("a"), {"a": 1}, "x['a']"),
    (lambda x: x.add(1), set(), "x"),
    (lambda x: x.appendleft(1), deque([2]), "x"),
    (lambda x: x.extend(b"1"), bytearray(b"0"), "x"),
    (fill, np.zeros(3), "array"),
    (lambda x: setattr(x, "cache", 1), Model(), "x.cache"),
    (lambda *x: x[0].append(1), [], "x[0]"),
    (lambda x: x.normal(), np.random.default_rng(0), "x"),
]


@pytest.mark.parametrize(("f", "argument", "target"), ARGUMENTS)
def test_a_write_to_an_argument_is_found_and_undone(f, argument, target):
    before = repr(argument)
    assert seen(f, argument) == [("argument write", target)]
    assert repr(argument) == before


@pytest.mark.parametrize(
    "f",
    [
        jnp.sin,
        lambda x: jnp.linalg.norm(x * 2),
        jax.jit(lambda x: x.at[0].set(1.0)),
        jax.grad(lambda x: jnp.sum(x**2)),
        jax.vmap(lambda x: x * OPTIONS["rate"]),
        lambda x: jax.lax.scan(lambda c, y: (c + y, c), 0.0, x),
        lambda x: [x].append(1),
        len,
        abs,
    ],
)
def test_a_pure_function_has_no_effects(f):
    assert find_effects(f, jnp.ones(3)) == []


def test_what_is_undone_before_the_end_is_no_effect():
    def f(x):
        HISTORY.append(x)
        HISTORY.pop()
        return x

    assert seen(f, 1.0) == []


def test_a_write_tells_its_line_and_what_was_there():
    (effect,) = find_effects(lambda x: count(x) + 1, 2.0)
    assert (effect.place.source, effect.before, effect.after) == ("COUNT += 1", "0", "1")


def test_a_write_after_a_call_has_the_line_of_the_caller():
    def f(x):
        HISTORY.append(note(x, {}))

    (effect,) = find_effects(f, 2.0)
    assert effect.place.source == "HISTORY.append(note(x, {}))"


def test_effects_come_in_the_order_in_which_they_are_done():
    def f(x):
        print("first")
        remember(x)
        return count(x)

    assert [each.kind for each in find_effects(f, 1.0)] == ["output", *["global write"] * 2]


def test_a_line_that_writes_in_a_loop_is_one_effect():
    def f(x):
        for _ in range(3):
            HISTORY.append(x)

    (effect,) = find_effects(f, 1.0)
    assert effect.after == "[1.0, 1.0, 1.0]"


LEAKS = [
    (remember, "global HISTORY[0]", "HISTORY.append(x * 2)"),
    (Model(), "attribute self.cache", "self.cache = x * 2"),
    (Model().log, "attribute self.history[0]", "self.history.append(x + 1)"),
]


@pytest.mark.parametrize(("f", "target", "stored"), LEAKS)
def test_a_leaked_tracer_is_found_where_it_leaked_to(f, target, stored):
    leak = find_effects(jax.jit(f), 2.0)[0]
    assert (leak.kind, leak.target, leak.place.source) == ("leaked tracer", target, stored)
    assert leak.place.note == "stored here"


def test_a_leaked_tracer_knows_the_line_that_made_it():
    def f(x):
        y = jnp.sin(x)
        HISTORY.append(y)
        return y

    (leak,) = find_effects(jax.jit(f), 2.0)
    assert (leak.made.source, leak.made.note) == ("y = jnp.sin(x)", "made here")
    assert leak.place.source == "HISTORY.append(y)"


@pytest.mark.parametrize("transform", [jax.jit, jax.vmap, jax.grad, lambda f: jax.jit(jax.vmap(f))])
def test_a_tracer_of_any_transformation_leaks(transform):
    x = 1.0 if transform is jax.grad else jnp.ones(3)
    assert seen(transform(remember), x) == [("leaked tracer", "global HISTORY[0]")]


def test_a_tracer_that_leaks_into_an_argument_or_a_closure_is_found():
    box = {}
    assert seen(jax.jit(lambda x: box.update(a=x)), 1.0) == [("leaked tracer", "closure box['a']")]
    f = jax.jit(lambda x, memo={}: memo.update(a=x))
    assert seen(f, 1.0) == [("leaked tracer", "argument memo['a']")]


def test_a_tracer_inside_a_closure_leaks_too():
    kept = []
    f = jax.jit(lambda x: kept.append(lambda: x))
    assert seen(f, 1.0) == [("leaked tracer", "closure kept")]


def test_what_leaked_before_is_not_held_against_the_function():
    old = []
    jax.jit(lambda x: old.append(x))(1.0)
    assert seen(lambda x: old.append(x), 1.0) == [("closure write", "old")]


def test_a_function_that_is_kept_leaks_nothing_of_its_module():
    kept = []
    jax.jit(remember)(1.0)
    try:
        assert seen(lambda x: kept.append(remember), 1.0) == [("closure write", "kept")]
    finally:
        HISTORY.clear()


def test_a_method_that_is_static_in_itself_is_traced():
    assert seen(Model().static, 1.0) == [("leaked tracer", "attribute self.cache")]


def test_a_jitted_function_is_traced_each_time_and_keeps_its_traces():
    f = jax.jit(count)
    f(1.0)
    assert seen(f, 1.0) == seen(f, 1.0) == [("global write", "COUNT")]
    globals()["COUNT"] = 0
    f(1.0)
    assert COUNT == 0


def test_a_jitted_function_is_not_run():
    f = jax.jit(lambda x: jax.debug.callback(HISTORY.append, x))
    assert seen(f, 1.0) == []


def test_arguments_given_away_survive():
    x = jnp.ones(3)
    assert find_effects(jax.jit(lambda x: x + 1, donate_argnums=0), x) == []
    assert not x.is_deleted()


def test_output_is_taken_and_swallowed(capsys):
    def f(x):
        print("a", x)
        sys.stderr.write("b")

    found = [(each.target, each.after, each.place.source) for each in find_effects(f, 1)]
    assert found == [("stdout", "a 1\n", 'print("a", x)'), ("stderr", "b", 'sys.stderr.write("b")')]
    assert capsys.readouterr() == ("", "")


def test_output_of_jax_is_passed_on_and_is_no_effect(capsys):
    assert find_effects(lambda x: jax.debug.print("x = {}", x), 1.0) == []
    assert capsys.readouterr().out == "x = 1.0\n"


def test_output_of_another_thread_is_passed_on(capsys):
    def f(x):
        thread = threading.Thread(target=lambda: print("a"))
        thread.start()
        thread.join()

    assert find_effects(f, 1.0) == []
    assert capsys.readouterr().out == "a\n"


def test_output_of_a_builtin_has_no_line():
    (effect,) = find_effects(print, "a")
    assert (effect.target, effect.after, effect.place) == ("stdout", "a\n", None)


def test_files_are_found(tmp_path):
    path = tmp_path / "a"

    def f(x):
        path.write_text("a")
        np.save(path, np.ones(3))
        os.remove(path)
        return x

    found = [(each.kind, each.target, each.after) for each in find_effects(f, 1.0)]
    assert found == [
        ("file", str(path), "opened 'w'"),
        ("file", f"{path}.npy", "opened 'w'"),
        ("file", str(path), "removed"),
    ]


def test_a_file_read_through_jax_is_found(tmp_path):
    np.save(tmp_path / "a.npy", np.ones(3))
    assert seen(lambda: jnp.load(tmp_path / "a.npy")) == [("file", str(tmp_path / "a.npy"))]


def test_imports_open_no_files_of_the_function():
    def f(x):
        sys.modules.pop("this", None)
        sys.modules.pop("wave", None)
        import wave

        return x, wave

    assert [each for each in find_effects(f, 1.0) if each.kind == "file"] == []


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="no signal interrupts Python here")
def test_what_the_time_limit_reads_in_the_middle_of_a_function_is_no_effect_of_it():
    with time_limit(60):
        handler = signal.getsignal(signal.SIGALRM)

    def f(x):
        Reading.now()
        handler()
        return x

    assert find_effects(f, 1.0) == []


def test_a_file_that_a_solution_of_the_package_opens_is_found(tmp_path):
    source = "def f(path):\n    path.write_text('a')"
    names = {}
    exec(compile(source, str(PACKAGE / "lessons" / "purity" / "solutions" / "f.py"), "exec"), names)
    assert [each.kind for each in find_effects(names["f"], tmp_path / "a")] == ["file"]


def test_a_socket_is_found():
    def f(port):
        with socket.socket() as client:
            client.connect(("127.0.0.1", port))

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        (effect,) = find_effects(f, port)
    assert (effect.kind, effect.target) == ("socket", f"127.0.0.1:{port}")


class Counter(nnx.Module):
    def __init__(self):
        self.linear = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
        self.count = nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        self.count[...] += 1.0
        return self.linear(x)


@pytest.mark.parametrize("transform", [lambda f: f, nnx.jit])
def test_a_variable_is_named_as_the_reader_writes_it(transform):
    model = Counter()
    f = transform(lambda model, x: model(x))
    assert seen(f, model, jnp.ones((1, 2))) == [("argument write", "model.count[...]")]
    assert model.count[...] == 0


def test_a_tracer_kept_in_a_module_leaks_and_is_taken_out_again():
    model = Counter()

    def f(model, x):
        model.cache = x
        return model(x)

    found = seen(nnx.jit(f), model, jnp.ones((1, 2)))
    assert ("leaked tracer", "argument model.cache") in found
    nnx.split(model)
    assert not hasattr(model, "cache")


def test_everything_is_left_as_it_was_when_the_function_raises():
    def f(x):
        count(remember(x))
        raise LookupError

    def state():
        return sys.stdout, sys.stderr, sys.gettrace(), list(effects.LISTENERS), COUNT, HISTORY

    before = state()
    with pytest.raises(LookupError):
        find_effects(f, 1.0)
    assert state() == before


def test_the_audit_hook_is_added_once(monkeypatch):
    added = []
    effects._add_hook.cache_clear()
    monkeypatch.setattr(sys, "addaudithook", added.append)
    find_effects(len, "")
    find_effects(len, "")
    assert added == [effects._audit]


def test_after_many_lines_writes_are_found_without_their_lines(monkeypatch):
    monkeypatch.setattr(effects, "ENTRIES", 0)
    (effect,) = find_effects(count, 1.0)
    assert (effect.target, effect.place) == ("COUNT", None)


def test_kinds_are_those_that_occur():
    found = {kind for f, expected in WRITES for kind, _ in expected} - {"leaked tracer"}
    assert found == {f"{where} write" for where in ("global", "closure", "argument", "attribute")}
