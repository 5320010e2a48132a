"""Names of keys, and what counts as the same key."""

import jax
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jax import random

from tests.randomness.key_programs import KEY, X
from traced.randomness.keys import find_key_events, find_key_reuses
from traced.randomness.ledger import Ledger, words_of


def last_name(f, *args):
    return find_key_events(f, *args)[-1].key


class Hidden:
    key = random.key(4)


def chained(key, n):
    for _ in range(n):
        key, _ = random.split(key)
    return random.normal(key)


NAMES = {
    "key(42)": lambda: random.normal(random.key(42)),
    "key(7)": lambda: random.normal(random.PRNGKey(7)),
    "key<0, 4>": lambda: random.normal(vars(Hidden)["key"]),
    "KEY.fold_in(3)": lambda: random.normal(random.fold_in(KEY, 3)),
    "KEY.split[1, 2]": lambda: random.normal(random.split(KEY, (2, 3))[1, 2]),
    "KEY.split[0].split[0]": lambda: chained(KEY, 2),
    "KEY.split[0]×5": lambda: chained(KEY, 5),
    "KEY.fold_in(0) … KEY.fold_in(2)": lambda: jax.vmap(
        lambda i: random.normal(random.fold_in(KEY, i))
    )(jax.numpy.arange(3)),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_key_is_named_after_how_it_was_made(name):
    assert last_name(NAMES[name]) == name


def test_a_seed_that_is_not_known_is_a_question_mark():
    seed = jax.ShapeDtypeStruct((), "int32")
    assert last_name(lambda seed: random.normal(random.key(seed)), seed) == "key(?)"


def test_what_was_invented_is_like_no_other():
    ledger, kind = Ledger(), jax.eval_shape(lambda: random.split(KEY, 3))
    keys = [*ledger.invent(kind, []), *ledger.invent(kind, [])]
    assert len({word for key in keys for word in words_of(key)}) == 6
    assert ledger.has_invented(keys[0])
    assert not ledger.has_invented(KEY)


def test_a_key_made_in_two_ways_has_both_names():
    def f(key):
        return random.normal(random.split(key)[1]) + random.normal(random.fold_in(key, 1))

    (found,) = find_key_reuses(f, KEY)
    assert found.key == "key.split[1] = key.fold_in(1)"


def test_a_reuse_is_told_once_for_each_pair_of_places():
    def f(keys):
        for key in keys:
            first = random.normal(key)
            second = random.uniform(key)
        return first + second

    assert len(find_key_reuses(f, random.split(KEY, 3))) == 1


def test_a_third_use_is_told_against_the_first():
    def f(key, x):
        x = x + random.normal(key)
        x = x + random.normal(key)
        return x + random.normal(key)

    lines = [(each.first.line, each.second.line) for each in find_key_reuses(f, KEY, X)]
    assert [second - first for first, second in lines] == [1, 2]


def test_a_use_is_told_against_an_earlier_use_rather_than_a_split():
    def f(key):
        left, _ = random.split(key)
        first = random.normal(key)
        return first, random.normal(key), random.normal(left)

    assert [each.how for each in find_key_reuses(f, KEY)] == ["split, then used", "used twice"]


ACTS = st.tuples(st.sampled_from(["split", "fold_in", "use"]), st.integers(0, 5), st.integers(0, 3))


@given(st.lists(ACTS, max_size=8))
@settings(max_examples=25, deadline=None)
def test_numbers_are_drawn_again_just_where_a_key_is_used_again(acts):
    drawn = []

    def program(key):
        keys = [key]
        for act, which, data in acts:
            key = keys[which % len(keys)]
            if act == "use":
                drawn.append(random.bits(key))
            else:
                keys.extend(random.split(key) if act == "split" else [random.fold_in(key, data)])

    program(KEY)
    again = len({int(bits) for bits in drawn}) < len(drawn)
    ways = {each.how for each in find_key_reuses(program, KEY)}
    assert bool(ways & {"used twice", "same key in every step"}) == again


def test_a_step_is_counted_anew_after_another_one():
    def program(key):
        for data in 1, 1, 1:
            key = random.fold_in(key, data)
        key = random.fold_in(random.split(key)[0], 1)
        return random.bits(key) + random.bits(key)

    (reuse,) = find_key_reuses(program, KEY)
    assert reuse.key == "key.fold_in(1)×3.split[0].fold_in(1)"
