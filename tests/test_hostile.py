"""Whatever an answer does, the check says so, and leaves everything as it was."""

import builtins
import contextlib
import functools
import importlib
import io
import operator
import os
import sys
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from traced import ask
from traced.lessons.start_here import mean_square
from traced.lessons.start_here.solutions.mean_square import mean_square as solution
from traced.questions import returns
from traced.running import attempt
from traced.running.diagnosis import RAISED
from traced.running.messages import MESSAGES

pytestmark = pytest.mark.usefixtures("compiled_once")

seen = []
count = 0


def raising(error):
    def answer(x):
        raise error

    return answer


def deep(x):
    return deep(x) + 1


def endless(x):
    while True:
        pass


def flood(x):
    for _ in range(100_000):
        print("flood" * 20)
    return solution(x)


def generator(x):
    yield jnp.mean(x**2)


async def coroutine(x):
    return jnp.mean(x**2)


def not_a_number(x):
    return jnp.nan * jnp.mean(x)


def infinite(x):
    return jnp.inf + jnp.mean(x)


def wide(x):
    jax.config.update("jax_enable_x64", True)
    return jnp.mean(x**2)


def patched(x):
    jnp.mean = lambda x: 0.0
    return jnp.mean(x**2)


def environment(x):
    os.environ["XLA_FLAGS"] = "--xla_no_such_flag"
    return jnp.mean(x**2)


def counting(x):
    global count
    count += 1
    return jnp.mean(x**2)


def elsewhere(x):
    os.chdir("/")
    return jnp.mean(x**2)


def silent(x):
    sys.stdout = None
    return jnp.mean(x**2)


def leaking(x):
    jax.jit(lambda v: seen.append(v))(x)
    return seen[-1].sum()


def huge(x):
    return "9" * 10_000_000


def nested_list(x):
    return [[float(v)] for v in x]


class Callable:
    def __call__(self, x):
        return x.sum()


class Breaking:
    def __call__(self, x):
        return self

    def __repr__(self):
        raise RuntimeError("no name")

    def __eq__(self, other):
        raise RuntimeError("no equal")

    __hash__ = None


def stuck(x):
    """The counter is not counted."""
    return jax.lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0], c[1] * 0.5), (0, x))[1]


def never_equal(x):
    return jax.lax.while_loop(lambda y: y * y != x, lambda y: (y + x / y) / 2, x)


def drawing(x):
    """No carry comes again, so that only the time tells."""
    _key, _ = jax.lax.while_loop(
        lambda c: c[1] < 2.0,
        lambda c: (jax.random.split(c[0])[0], jax.random.uniform(c[0])),
        (jax.random.key(0), 0.0),
    )
    return jnp.mean(x**2)


def endless_in_scan(x):
    return jax.lax.scan(lambda total, v: (total + never_equal(v + 2.0), None), 0.0, x)[0]


def endless_in_loop(x):
    return jax.lax.fori_loop(0, jnp.int32(x[0]) + 2, lambda i, y: stuck(y), x).sum()


def endless_around_loop(x):
    def step(y):
        return jax.lax.while_loop(lambda z: z < 9.0, lambda z: z + 1.0, y * 0.0)

    return jax.lax.while_loop(lambda y: y > 0.0, step, jnp.sum(x * x))


def endless_in_branch(x):
    return jax.lax.cond(x[0] < 9.0, stuck, lambda x: x, x).mean()


def endless_by_value(x):
    return jax.jit(stuck)(x).mean() if float(x[0]) < 9.0 else solution(x)


class EndlessObject:
    def __init__(self):
        self.step = jax.jit(stuck)

    def __call__(self, x):
        return self.step(x).mean()


@functools.cache
def once_ended():
    """Return a function that JAX keeps compiled, since it has come to an end for another value."""
    halve = jax.jit(lambda x: jax.lax.while_loop(lambda x: x[0] < 9.0, lambda x: x * 0.5, x))
    for shape in (3, 6):
        halve(jnp.full(shape, 9.0))
    return halve


def endless_on_a_mesh(x):
    mesh = jax.make_mesh((1,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
    return jax.shard_map(stuck, mesh=mesh, in_specs=jax.P("i"), out_specs=jax.P("i"))(x).mean()


def endless_on_ref(x):
    """The `Ref` is counted, and the condition does not look at it."""
    ref = jax.new_ref(jnp.float32(0.0))

    def add(y):
        ref[...] += 1.0
        return y

    return jax.lax.while_loop(lambda y: y.sum() < 1e9, add, x).mean()


def very_long(x):
    return jax.lax.fori_loop(0, 2_000_000_000, lambda i, y: jnp.sin(y) + i, x).mean()


def very_long_scan(x):
    return jax.lax.scan(lambda y, _: (jnp.sin(y), None), x, length=2_000_000_000)[0].mean()


def long_scan(x):
    """Take three million steps, and come to an end."""
    _, steps = jax.lax.scan(lambda n, _: (n + 1, n), 0, length=3_000_000)
    return jnp.mean(x**2) + 0.0 * steps[-1]


def long(x):
    """Take ten million rounds, and come to an end."""
    rounds = jax.lax.while_loop(lambda n: n < 10_000_000, lambda n: n + 1, 0)
    return jnp.mean(x**2) + 0.0 * rounds


exec_names = {"jnp": jnp}
exec("def sourceless(x):\n    return jnp.max(x)", exec_names)

CASES = {
    "an error": (raising(ValueError("no")), "runs/raised"),
    "a base error": (raising(BaseException("no")), "runs/raised"),
    "a group of errors": (
        raising(ExceptionGroup("two", [ValueError()])),
        "runs/raised",
    ),
    "an error without a text": (raising(AssertionError()), "runs/raised"),
    "an error of a stub with a text": (raising(NotImplementedError("later")), "runs/raised"),
    "exit": (raising(SystemExit(3)), "runs/exited"),
    "sys.exit": (lambda x: sys.exit("bye"), "runs/exited"),
    "endless recursion": (deep, "runs/raised"),
    "an endless loop": (endless, "runs/too-long"),
    "an endless while_loop": (stuck, "loops/endless"),
    "an endless while_loop, jitted": (jax.jit(stuck), "loops/endless"),
    "an endless while_loop under vmap": (jax.vmap(never_equal), "loops/endless"),
    "an endless while_loop that draws": (drawing, "loops/endless"),
    "an endless while_loop in a scan": (endless_in_scan, "loops/endless"),
    "an endless while_loop in a loop": (endless_in_loop, "loops/endless"),
    "an endless while_loop around a loop": (endless_around_loop, "loops/endless"),
    "an endless while_loop in a branch": (endless_in_branch, "loops/endless"),
    "an endless while_loop behind an `if`": (endless_by_value, "loops/endless"),
    "an endless while_loop in an object": (EndlessObject(), "loops/endless"),
    "an endless while_loop that has ended before": (lambda x: once_ended()(x), "loops/endless"),
    "an endless while_loop on a Ref": (endless_on_ref, "loops/endless"),
    "an endless while_loop on a mesh": (endless_on_a_mesh, "loops/endless"),
    "a very long loop": (very_long, "runs/too-long"),
    "a very long scan": (very_long_scan, "runs/too-long"),
    "a very long scan, jitted": (jax.jit(very_long_scan), "runs/too-long"),
    "no arguments": (lambda: 0, "runs/raised"),
    "too many arguments": (lambda x, y: 0, "runs/raised"),
    "a number": (3.0, "runs/not-callable"),
    "nothing": (None, "runs/not-callable"),
    "a module": (jnp, "runs/not-callable"),
    "a coroutine": (coroutine, "value/not-computed"),
    "a generator": (generator, "value/not-computed"),
    "shapes": (lambda x: jax.eval_shape(jnp.mean, x), "value/not-computed"),
    "a text": (lambda x: "2.5", "value/structure"),
    "ten million characters": (huge, "value/structure"),
    "nested lists": (nested_list, "value/structure"),
    "a class": (Breaking, "runs/raised"),
    "an object that breaks": (Breaking(), "value/structure"),
    "a callable object": (Callable(), "value/differs"),
    "a builtin": (len, "value/dtype"),
    "a partial": (functools.partial(jnp.multiply, 2), "value/shape"),
    "a method": (np.ones(3).dot, "value/differs"),
    "an operator": (operator.neg, "value/shape"),
    "without source": (exec_names["sourceless"], "value/differs"),
    "NaN": (not_a_number, "value/differs"),
    "infinity": (infinite, "value/differs"),
    "64 bits": (wide, "effects/outside"),
    "a patched library": (patched, "effects/outside"),
    "another folder": (elsewhere, "effects/outside"),
    "another environment": (environment, "effects/outside"),
    "a global that counts": (counting, "effects/write"),
    "a leaked tracer": (leaking, "tracing/leaked"),
}


@pytest.fixture(autouse=True)
def short_limit(monkeypatch):
    monkeypatch.setattr(attempt, "SECONDS", 2.0)


def state():
    return (
        dict(jax.config.values),
        dict(vars(jnp)),
        os.getcwd(),
        sys.stdout,
        sys.getrecursionlimit(),
        threading.active_count(),
        dict(os.environ),
        list(seen),
        count,
    )


@pytest.mark.parametrize("case", CASES)
def test_a_hostile_answer_gets_a_finding_and_changes_nothing(case):
    answer, code = CASES[case]
    before = state()
    feedback = mean_square.check(answer)
    assert state() == before
    assert feedback.finding is not None
    assert feedback.finding.code == code
    assert len(str(feedback)) < 2_000
    assert "Traceback" not in str(feedback)
    assert feedback._repr_html_()


@pytest.mark.parametrize("case", CASES)
def test_the_next_check_is_not_harmed(case):
    mean_square.check(CASES[case][0])
    assert mean_square.check(solution).state == "passed"


@pytest.mark.parametrize("answer", [long, long_scan])
def test_a_loop_that_takes_long_and_ends_passes(answer):
    assert mean_square.check(answer).state == "passed"


def test_a_flood_of_output_is_dammed(capsys):
    assert mean_square.check(flood).state == "passed"
    assert len(capsys.readouterr().out) < attempt.PRINTED_IN_ALL + attempt.PRINTED


def test_a_lost_standard_output_comes_back():
    mean_square.check(silent)
    assert sys.stdout is not None


def test_the_readers_own_interrupt_is_passed_on():
    with pytest.raises(KeyboardInterrupt):
        mean_square.check(raising(KeyboardInterrupt()))


def test_with_64_bits_on_the_check_holds_as_well():
    with jax.enable_x64(True):
        assert mean_square.check(solution).state == "passed"


take = jax.jit(jnp.copy, donate_argnums=0)


def donating(answer):
    """Return the answer as one whose arguments are gone once it has returned."""

    @functools.wraps(answer)
    def gives_away(*args):
        leaves = [leaf for leaf in jax.tree.leaves(args) if isinstance(leaf, jax.Array)]
        result = answer(*args)
        if not any(isinstance(leaf, jax.core.Tracer) for leaf in leaves):
            for leaf in leaves:
                take(leaf)
        return result

    return gives_away


KEEPING = (
    "purity.sharpen",
    "static_shapes.mean_log",
    "branches.keep_best",
    "randomness.dropout",
    "nnx_objects.run",
    "nnx_axes.samples",
    "nnx_transforms.pure_call",
)


@pytest.mark.filterwarnings("ignore:Some donated buffers were not usable")  # keys are not
@pytest.mark.parametrize("name", KEEPING)
def test_what_the_lesson_keeps_survives_an_answer_that_donates_it(name):
    lesson, _, exercise = name.partition(".")
    exercise = getattr(importlib.import_module(f"traced.lessons.{lesson}"), exercise)
    # As readers have it: an answer is no part of the package.
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        for answer in (donating(exercise.answer), exercise.answer):
            feedback = exercise.check(answer)
            # `take` is traced for each type, which may be more than the answer is allowed.
            of_types = "tracing/new-dtype", "tracing/new-shape"
            traced = feedback.finding and feedback.finding.code in of_types
            by_take = traced and feedback.finding.where[0].source == "take(leaf)"
            # Where the answer may not donate, that is what is found.
            gone = feedback.finding and feedback.finding.code == "effects/deleted"
            by_donation = gone and answer is not exercise.answer
            assert feedback.state == "passed" or by_take or by_donation, feedback


def test_a_changed_list_is_seen_and_the_next_check_has_a_new_one():
    def pops(xs):
        return xs.pop()

    question = returns(lambda xs: xs[-1], ([1.0, 2.0],))
    assert [ask(question, pops).finding.code for _ in range(2)] == ["effects/argument"] * 2


def test_a_changed_array_of_numpy_is_seen():
    def doubles(x):
        x *= 2
        return x

    assert ask(returns(lambda x: 2 * x, (np.ones(2),)), doubles).finding.code == "effects/argument"


plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary()
keys = st.text() | st.integers()
trees = st.recursive(
    plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3)
)


@settings(max_examples=60, deadline=None)
@given(trees)
def test_whatever_an_answer_returns_the_check_says_something(result):
    feedback = mean_square.check(lambda x: result)
    assert feedback.state == "not yet"
    assert str(feedback)


@settings(max_examples=60, deadline=None)
@given(trees)
def test_whatever_is_handed_in_the_check_says_something(answer):
    assert mean_square.check(answer).finding.code == "runs/not-callable"


def is_raised_freely(kind):
    # Some need arguments of their own; the reader's interrupt is passed on.
    try:
        return not isinstance(kind("text"), KeyboardInterrupt)
    except TypeError:
        return False


builtins_errors = [
    each
    for each in vars(builtins).values()
    if isinstance(each, type) and issubclass(each, BaseException) and is_raised_freely(each)
]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(builtins_errors), st.text())
def test_whatever_an_answer_raises_the_check_says_it(kind, text):
    feedback = mean_square.check(raising(kind(text)))
    told_apart = {code for _, code in RAISED} | {each.code for each in MESSAGES}
    assert feedback.finding.code in {"runs/raised", "runs/exited"} | told_apart
    assert len(str(feedback)) < 2_000
    assert feedback._repr_html_()


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(), max_size=20))
def test_whatever_an_answer_prints_passes_and_is_dammed(texts):
    def answer(x):
        print("[a call]")
        for text in texts:
            print(text * 1_000)
        return solution(x)

    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert mean_square.check(answer).state == "passed"
    # Each call prints up to the limit, and a line that says so.
    assert len(out.getvalue()) < out.getvalue().count("[a call]") * (attempt.PRINTED + 80)
