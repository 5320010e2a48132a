"""What a retrace names: arguments by name, with both values."""

from functools import cache, partial
from itertools import accumulate

import jax
import jax.numpy as jnp
import pytest

from traced import ask
from traced.questions import traces_at_most


class Gain:
    def __init__(self, gain):
        self.gain = gain

    def __hash__(self):
        return hash(self.gain)

    def __eq__(self, other):
        return self.gain == other.gain


@jax.jit(static_argnames="how")
def f(x, how=None):
    return x


def again(*calls):
    """Return what is said of a function that is called with these arguments, one after another."""

    def run(answer):
        for args in calls:
            answer(*args)

    feedback = ask(traces_at_most(1, run, "calls"), f)
    return dict(feedback.finding.saw).get("again", "")


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        ((1.0, "a"), (1.0, "b"), "how is 'b', was 'a'"),
        ((1.0, Gain(2)), (1.0, Gain(3)), "how.gain is 3, was 2"),
        ((jnp.ones(2),), (jnp.ones(3),), "x is f32[3], was f32[2]"),
        ((jnp.float32(1),), (1.0,), "x is ~f32[], was f32[]"),
        (([1.0],), ([1.0, 2.0],), "x has 2 entries, had 1"),
        (([1.0],), ((1.0,),), "x is tuple, was list"),
        (
            ({"a": 1.0},),
            ({"b": 1.0},),
            "x['a'] is gone, was ~f32[]; x['b'] is ~f32[], was not there",
        ),
        ((1.0,), (1.0, "b"), "how is str, was None"),
    ],
)
def test_a_retrace_names_the_argument_and_both_values(before, now, told):
    assert again(before, now) == told


def test_a_generator_on_the_line_of_a_function_is_no_argument():
    def run(answer):
        for entries in ([1.0], [1.0, 2.0]):
            answer(entries)

    finding = ask(traces_at_most(1, run, "calls"), jax.jit(lambda xs: sum(x for x in xs))).finding
    assert dict(finding.saw)["again"] == "xs has 2 entries, had 1"


def test_of_several_retraces_each_is_told():
    def run(answer):
        for how in (1, 2, 3):
            answer(1.0, how)

    finding = ask(traces_at_most(2, run, "calls"), f).finding
    assert dict(finding.saw)["again"] == "how is 2, was 1; how is 3, was 1"


@pytest.mark.parametrize("clear", ["method", "function"])
def test_an_empty_cache_is_no_new_function(clear):
    def run(answer):
        for x in (1.0, 2.0):
            answer(x)

    def by_method(x):
        f.clear_cache()
        return f(x)

    def by_function(x):
        jax.clear_caches()
        return f(x)

    finding = ask(traces_at_most(1, run, "calls"), locals()[f"by_{clear}"]).finding
    assert finding.code == "tracing/retraced"
    assert dict(finding.saw)["again"] == "the cache was cleared"


def made(kind):
    def run(x):
        return x.sum() if kind == "sum" else 2 * x

    return jax.jit(run)


def part(kind, x):
    return x.sum() if kind == "sum" else 2 * x


ON_ONE_LINE = jax.jit(lambda x: x.sum()), jax.jit(lambda x: 2 * x)
BY_A_FACTORY = made("sum"), made("twice")
BY_PARTIAL = jax.jit(partial(part, "sum")), jax.jit(partial(part, "twice"))


@pytest.mark.parametrize("pair", [ON_ONE_LINE, BY_A_FACTORY, BY_PARTIAL])
def test_two_functions_of_one_place_are_not_one_that_is_made_anew(pair):
    total, twice = pair

    def run(answer):
        return [answer(jnp.ones(2)) for _ in range(2)]

    def answer(x):
        *_, last = accumulate(range(2), lambda x, _: twice(x), initial=x)
        return total(last)

    assert ask(traces_at_most(1, run, "calls"), answer).finding is None


def made_in_each_call(x, n):
    return made("sum")(made("twice")(x))


def made_in_a_loop(x, n):
    for _ in range(3):
        x = jax.jit(lambda x: 2 * x)(x)
    return x


@cache
def made_for(n):
    return jax.jit(lambda x: n * x)


def made_for_each_number(x, n):
    return made_for(n)(x)


@pytest.mark.parametrize("numbers", [(1, 2), (1,)])
@pytest.mark.parametrize("answer", [made_in_each_call, made_in_a_loop, made_for_each_number])
def test_a_function_that_is_made_anew_is_found_however_it_is_called(answer, numbers):
    def run(answer):
        return [answer(jnp.ones(2), n) for n in numbers]

    is_kept = answer is made_for_each_number and numbers == (1,)
    finding = ask(traces_at_most(1, run, "calls"), answer).finding
    assert (finding and finding.code) == (None if is_kept else "tracing/new-function")
