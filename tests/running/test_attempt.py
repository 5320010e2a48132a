"""Whatever an answer does becomes a result or a finding."""

import contextlib
import signal
import sys
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from traced.findings.feedback import Found, NotAttempted
from traced.running import attempt as module
from traced.running.attempt import attempt, time_limit
from traced.running.diagnosis import first_sentence


def finding(call, *args):
    with pytest.raises(Found) as caught:
        attempt(call, *args)
    return caught.value.finding


def fail(error):
    def call(*_):
        raise error

    return call


def recurse(x):
    return recurse(x) + 1


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (fail(ValueError("no good")), "runs/raised"),
        (fail(NotImplementedError("this primitive has no rule")), "runs/raised"),
        (fail(BaseException("odd")), "runs/raised"),
        (fail(SystemExit(0)), "runs/exited"),
        (fail(GeneratorExit()), "runs/raised"),
        (recurse, "runs/raised"),
        (lambda: None, "runs/raised"),
        (3, "runs/not-callable"),
        (None, "runs/not-callable"),
        (jax.jit(lambda x: x if x > 0 else -x), "tracing/branch-on-tracer"),
        (jax.jit(lambda x: float(x)), "tracing/value-needed"),
        (jax.jit(lambda x: list(range(jnp.int32(x)))), "tracing/value-needed"),
        (jax.jit(lambda x: jnp.ones(jnp.int32(x))), "tracing/shape-from-tracer"),
        (jax.jit(lambda x: jnp.ones(3)[: jnp.int32(x)]), "tracing/shape-from-tracer"),
        (jax.jit(lambda x: jnp.ones(3)[jnp.ones(3) > x]), "tracing/shape-from-tracer"),
        (lambda x: jax.jit(lambda o: o)(object()), "tracing/not-a-jax-type"),
        (lambda x: jax.jit(lambda o: o, static_argnums=0)([x]), "tracing/unhashable-static"),
    ],
)
def test_an_error_becomes_its_finding(call, code):
    assert finding(call, 1.0).code == code


def test_a_leaked_tracer_is_named():
    kept = []
    jax.jit(lambda x: kept.append(x))(1.0)
    assert finding(lambda: kept[0] + 1).code == "tracing/leaked"


def test_a_bare_not_implemented_error_is_a_stub():
    with pytest.raises(NotAttempted):
        attempt(fail(NotImplementedError()))


def test_an_interrupt_of_the_reader_is_passed_on():
    with pytest.raises(KeyboardInterrupt):
        attempt(fail(KeyboardInterrupt()))


def test_the_line_is_the_readers_own():
    def call():
        return jnp.reshape(jnp.ones(3), (2, 2))

    (place,) = finding(call).where
    assert place.source == "return jnp.reshape(jnp.ones(3), (2, 2))"


def test_an_endless_loop_is_stopped(monkeypatch):
    monkeypatch.setattr(module, "SECONDS", 0.2)

    def endless():
        while True:
            with contextlib.suppress(Exception):
                pass

    before = signal.getsignal(signal.SIGALRM)
    assert finding(endless).code == "runs/too-long"
    assert signal.getsignal(signal.SIGALRM) is before


def test_outside_the_main_thread_there_is_no_limit():
    results = []

    def work():
        with time_limit(0.001):
            results.append(1)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert results == [1]


def test_output_is_passed_on_up_to_a_limit(capsys):
    attempt(lambda: [print("x" * 99) for _ in range(10_000)])
    out = capsys.readouterr().out
    assert out.startswith("x" * 99)
    assert len(out) < 2 * module.PRINTED
    assert "the rest left out" in out


def test_standard_output_is_given_back():
    before = sys.stdout
    finding(fail(ValueError()))
    assert sys.stdout is before


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("One. Two.", "One."),
        ("no stop\nsecond line", "no stop"),
        ("<function f at 0x7f00aa> is bad. Go.", "<function f> is bad."),
        ("jax.numpy is fine", "jax.numpy is fine"),
        ("", ""),
    ],
)
def test_the_first_sentence_is_cut_out(message, sentence):
    assert first_sentence(ValueError(message)) == sentence


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (lambda x: x.update(w=2.0), "x['w']"),
        (lambda x: x["layers"].append(1.0), "x['layers']"),
        (lambda x: np.copyto(x["b"], 7.0), "x['b']"),
    ],
)
def test_a_container_among_the_arguments_that_was_changed_is_a_finding(change, name):
    given = {"w": 1.0, "layers": [0.0], "b": np.zeros(2)}
    found = finding(change, given)
    assert (found.code, dict(found.saw)["changed"]) == ("effects/argument", name)
    assert (given["w"], given["layers"], given["b"].tolist()) == (1.0, [0.0], [0.0, 0.0])


def test_what_an_answer_keeps_for_itself_is_no_argument_of_a_probe():
    kept = []

    def answer(x):
        kept.append(x)
        return x

    assert attempt(lambda *args: args[0](args[1]), answer, 1.0) == 1.0
    assert finding(lambda *args: args[1].clear(), answer, [1.0]).code == "effects/argument"


def test_a_container_is_put_back_after_an_error_too():
    given = [1.0, 2.0]
    assert finding(lambda x: x.clear() or x[0], given).code == "runs/raised"
    assert given == [1.0, 2.0]


def test_a_changed_object_is_no_finding():
    class Counter:
        def __init__(self):
            self.calls = []

    counter = Counter()
    attempt(lambda counter: counter.calls.append(1), counter)
    assert counter.calls == [1]


def test_an_array_of_the_caller_cannot_be_deleted_by_name():
    x, kept = jnp.ones(3), []

    def answer(x):
        kept.append(y := x + 1)
        x.delete(), y.delete()
        return jnp.zeros(())

    assert finding(answer, x).code == "effects/deleted"
    assert (x.is_deleted(), kept[0].is_deleted()) == (False, True)
    x.delete()
    assert x.is_deleted()
