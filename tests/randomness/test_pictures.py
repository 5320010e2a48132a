"""The tree of random keys, on programs that use them well and on programs that do not."""

import jax
import optax
import pytest
from flax import nnx
from jax import random

from tests.drawing.twins import assert_twins
from tests.randomness.key_programs import CORRECT, FAULTY, KEY, X, mark
from traced.randomness.events import HOWS, KINDS
from traced.randomness.keys import find_key_reuses, record_keys
from traced.randomness.pictures import AGAIN, DONE
from traced.show import show_keys


def marked(picture):
    return [line for line in str(picture).splitlines() if "✗" in line]


def test_everything_that_can_be_done_has_its_words():
    assert set(DONE) == set(KINDS)
    assert set(AGAIN) == set(HOWS)


@pytest.mark.parametrize("name", CORRECT)
def test_nothing_is_marked_in_a_correct_program(name):
    picture = show_keys(*CORRECT[name])
    assert marked(picture) == []
    assert_twins(picture)


@pytest.mark.parametrize("f", FAULTY, ids=lambda f: f.__name__)
def test_the_second_use_of_a_key_is_marked_at_its_line(f):
    picture = show_keys(f, KEY, X)
    (line,) = marked(picture)
    (reuse,) = find_key_reuses(f, KEY, X)
    assert AGAIN[FAULTY[f][0]] in line
    assert f"{reuse.second.line}: " in line
    assert mark(reuse.first) in {"first", "both"}
    assert f"{reuse.first.line}: " in str(picture)
    assert_twins(picture)


@pytest.mark.parametrize("f", FAULTY, ids=lambda f: f.__name__)
def test_two_calls_give_the_same_picture(f):
    assert show_keys(f, KEY, X) == show_keys(f, KEY, X)


def test_a_recorded_block_has_the_tree_of_what_it_does():
    with record_keys() as record:
        nnx.Linear(2, 3, rngs=nnx.Rngs(0))
        nnx.Linear(2, 3, rngs=nnx.Rngs(0))
    picture = show_keys(record)
    (line,) = marked(picture)
    assert "✗ used again" in line
    assert str(picture).splitlines()[1].split()[:4] == ["key(0)", "made", "from", "a"]
    assert_twins(picture)


def test_a_key_stands_below_the_one_it_was_made_from():
    def f(key):
        return random.normal(random.fold_in(random.split(key)[1], 3))

    labels = [line[:20].rstrip() for line in str(show_keys(f, KEY)).splitlines()[1:]]
    starts = ["key", "├─ .split[0]", "└─ .split[1]", "   └─ .fold_in(3)"]
    assert all(label.startswith(start) for label, start in zip(labels, starts, strict=True))


def test_a_thousand_keys_with_one_fate_are_one_row():
    picture = show_keys(lambda key: jax.vmap(random.normal)(random.split(key, 1000)), KEY)
    assert ".split[0] … .split[999]  (1000 alike)  used" in str(picture)
    assert len(str(picture).splitlines()) == 3


def long_chain(key, last):
    for _ in range(300):
        key, sub = random.split(key)
        random.normal(sub)
    return last(key)


def test_a_long_chain_is_cut_and_says_so():
    text = str(show_keys(long_chain, KEY, random.normal))
    assert "more keys left out" in text
    assert len(text.splitlines()) < 30
    assert "✗" not in text


def test_a_reuse_in_what_is_cut_is_told():
    picture = show_keys(long_chain, KEY, lambda key: random.normal(key) + random.uniform(key))
    (note,) = marked(picture)
    assert str(picture).splitlines()[-1] == note
    assert "used twice (line " in note
    assert_twins(picture)


def test_programs_that_others_wrote_can_be_drawn():
    init = jax.nn.initializers.glorot_normal()
    assert marked(show_keys(init, KEY, (3, 4))) == []
    dropout = nnx.Dropout(0.5, rngs=nnx.Rngs(0))
    assert "layer.rngs.key.value" in str(show_keys(lambda layer, x: layer(x), dropout, X))
    noisy = optax.add_noise(0.1, 0.5, KEY)
    state = noisy.init(X)
    with jax.numpy_dtype_promotion("standard"):
        assert "used" in str(show_keys(noisy.update, X, state))


def test_a_program_without_keys_says_so():
    assert str(show_keys(jax.numpy.sin, X)) == "no random key is made or used"


def test_a_line_of_code_stays_text():
    def f(key):
        return random.normal(key), "</style><script>"

    picture = show_keys(f, KEY)
    assert "<script>" in picture.text
    assert "<script>" not in picture.html


def test_what_cannot_be_called_is_refused_by_name():
    with pytest.raises(TypeError, match="`f` must be a callable, got int"):
        show_keys(3)
