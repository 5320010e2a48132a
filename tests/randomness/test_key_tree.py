"""What is drawn of the keys of a program, and what of it is marked."""

import jax
import pytest
from jax import random

from tests.randomness.key_programs import CORRECT, FAULTY, KEY, X
from traced.randomness.events import HOWS
from traced.randomness.key_tree import MOST, STEPS, key_tree, names_in, target_of
from traced.randomness.keys import KeyRecord, find_key_events, find_key_reuses
from traced.show import show_keys


def tree_of(f, *args):
    return key_tree(KeyRecord(find_key_events(f, *args), find_key_reuses(f, *args)))


def texts(tree):
    """Return the labels of all keys, and below them what is done to each."""
    return [_texts(key) for key in tree.roots]


def _texts(key):
    return key.label, [act.text if not act.made else [*map(_texts, act.made)] for act in key.acts]


def test_every_way_of_reuse_can_be_drawn():
    assert set(STEPS) == set(HOWS)


def test_keys_and_draws_have_the_names_that_the_lines_give_them():
    def layer(key):
        w_key, b_key = random.split(key)
        w = random.normal(w_key)
        return w + random.uniform(b_key)

    drawn = [("key", [[("w_key", ["normal → w"]), ("b_key", ["uniform"])]])]
    assert texts(tree_of(layer, KEY)) == drawn


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("left, right = jax.random.split(key)", ["left", "right"]),
        ("(a, self.b) = split(key)", ["a", "self.b"]),
        ("keys = random.split(key, 3)", ["keys"]),
        ("left = random.split(key)[0]", []),
        ("first, *rest = random.split(key, 3)", []),
        ("keys=random.split(key, 3),", []),
        ("x, y = draw(random.split(key))", []),
        ("for key in random.split(key, 3):", []),
        ("keys = random.split(", []),
        ("\0 = 1", []),
        ("", []),
    ],
)
def test_names_are_read_where_a_line_tells_them(source, names):
    assert names_in(source, "split") == names


def test_of_two_names_neither_is_that_of_a_draw():
    assert target_of("a, b = draw(key)") == target_of("draw(scale=normal(key))") == ""


def test_many_alike_keys_are_one():
    def draw(key):
        keys = random.split(key, 9)
        return [random.normal(key) for key in keys], [random.fold_in(key, i) for i in range(20, 25)]

    ((_, (split, folded)),) = texts(tree_of(draw, KEY))
    assert split == [("keys[0] … [8]", ["normal"])]
    assert folded == [("20 … 24", [])]


def test_a_folded_key_has_its_number_on_the_branch_and_its_own_name():
    def draw(key):
        host_key = random.fold_in(key, 7)
        return random.normal(host_key)

    svg = show_keys(draw, KEY).svg
    assert ">fold_in 7<" in svg
    assert ">host_key<" in svg


@pytest.mark.parametrize("name", CORRECT)
def test_nothing_is_red_in_a_correct_program(name):
    svg = show_keys(*CORRECT[name]).svg or ""
    assert 'class="red' not in svg
    assert "✗" not in svg


@pytest.mark.parametrize("f", FAULTY, ids=lambda f: f.__name__)
def test_a_reuse_is_red_has_a_word_and_its_lines(f):
    svg = show_keys(f, KEY, X).svg
    (reuse,) = find_key_reuses(f, KEY, X)
    assert svg.count("✗ the same key") == 1
    assert 'class="red line"' in svg
    for place in (reuse.first, reuse.second):
        assert str(place.line) in svg


def test_a_key_used_three_times_is_told_so():
    def thrice(key):
        x = random.normal(key)
        y = random.uniform(key)
        return x, y, random.bits(key)

    svg = show_keys(thrice, KEY).svg
    assert svg.count("✗ the same key 3 times") == 1


def test_a_faulty_key_is_drawn_however_many_there_are():
    def f(key):
        keys = random.split(key, 40)
        draws = [(random.normal, random.uniform)[i % 2](keys[i]) for i in range(40)]
        return draws, random.normal(keys[33])

    svg = show_keys(f, KEY).svg
    assert "✗ the same key twice" in svg
    assert "… 35 more" in svg


def test_a_drawing_has_no_more_than_can_be_seen():
    def f(key):
        for _ in range(7):
            draws = [random.normal, random.uniform, random.bits]
            key, *keys = random.split(key, 7)
            for i, each in enumerate(keys):
                draws[i % 3](random.fold_in(each, i))
        return key

    def size(key):
        return 1 + sum(1 + sum(map(size, act.made)) for act in key.acts)

    assert 10 < sum(map(size, tree_of(f, KEY).roots)) <= MOST


def test_a_reuse_too_deep_to_be_drawn_is_told_below():
    def f(key):
        for _ in range(300):
            key, _ = random.split(key)
        return random.normal(key) + random.normal(key)

    svg = show_keys(f, KEY).svg
    assert "✗ key.split[0]×300: used twice, line " in svg


def test_keys_in_a_loop_and_in_a_batch_say_so():
    assert "in a loop" in show_keys(looped, KEY).svg
    assert "under vmap" in show_keys(jax.vmap(random.normal), random.split(KEY, 3)).svg


def looped(key):
    return jax.lax.scan(lambda c, k: (c + random.normal(k), None), 0.0, random.split(key, 2))
