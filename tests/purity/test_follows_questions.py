"""Whether a function follows what it reads besides its arguments."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from traced import ask
from traced.questions import follows_changes

X = jnp.ones(2)
factor, factor_of_offset, offset = 2.0, 1.0, 1.0
table = [1.0]


def set_factor(_):
    global factor
    factor = 3.0


def set_table(_):
    table[0] = 5.0


weights = np.array([2.0, 1.0], np.float32)
parts = {"bias": np.zeros(2, np.float32), "wide": np.ones(2)}


def fill_weights(_):
    weights[:] = 3.0


def fill_wide(_):
    parts["wide"][:] = 3.0


def fill_bias(_):
    parts["bias"] += 4.0


def plain(x):
    return factor * x


reads_weights = jax.jit(lambda x: weights * x)
# Of another dtype, of which JAX keeps what it made of it.
converts = jax.jit(lambda x: jnp.asarray(parts["wide"]) * x)
reads_bias = jax.jit(lambda x: x + parts["bias"])


reads_factor = jax.jit(lambda x: factor * x)
reads_offset = jax.jit(lambda x: x + offset)
reads_table = jax.jit(lambda x: table[0] * x)
passes_on = jax.jit(lambda x, y: x * y)


class Gain:
    def __init__(self):
        self.gain, self.bias = 2.0, 0.0

    @jax.jit(static_argnums=0)
    def __call__(self, x):
        return self.gain * x + self.bias


def set_gain(gain):
    gain.gain = 3.0


numbers = itertools.count()


def counts(x):
    return next(numbers) * x


@pytest.mark.parametrize(
    ("f", "change"),
    [
        (plain, set_factor),
        (lambda x: passes_on(x, factor), set_factor),
        (reads_offset, set_factor),
        (reads_factor, set_table),
        (reads_factor, None),
        (reads_weights, set_factor),
        (reads_factor, fill_weights),
        (lambda x: x * weights, fill_weights),
        (lambda x: passes_on(x, weights), fill_weights),
        (counts, set_factor),
    ],
)
def test_what_is_not_read_from_an_old_trace_passes(f, change):
    assert ask(follows_changes(X, change=change), f).state == "passed"


@pytest.mark.parametrize(
    ("f", "change", "kept", "new", "read"),
    [
        (reads_factor, set_factor, "2.0", "3.0", "global factor"),
        (reads_table, set_table, "1.0", "5.0", "global table"),
        (lambda x: 1 + reads_factor(x), set_factor, "[3., 3.]", "[4., 4.]", "global factor"),
        (reads_weights, fill_weights, "[2., 1.]", "[3., 3.]", "global weights"),
        (converts, fill_wide, "[1., 1.]", "[3., 3.]", "global parts"),
        (reads_bias, fill_bias, "[1., 1.]", "[5., 5.]", "global parts"),
        (lambda x: 1 + reads_weights(x), fill_weights, "[3., 2.]", "[4., 4.]", "global weights"),
        (Gain(), set_gain, "[2., 2.]", "[3., 3.]", "attribute self.gain"),
    ],
)
def test_what_is_read_from_an_old_trace_is_found(f, change, kept, new, read):
    finding = ask(follows_changes(X, change=change), f).finding
    assert finding.code == "purity/stale-read"
    saw = dict(finding.saw)
    assert saw["kept trace"].endswith(kept)
    assert saw["new trace"].endswith(new)
    assert saw["read"] == read
    assert [place.note for place in finding.where] == ["read here", "changed here"]


def test_both_places_are_the_readers_own():
    read, changed = ask(follows_changes(X, change=set_factor), reads_factor).finding.where
    assert read.source == "reads_factor = jax.jit(lambda x: factor * x)"
    assert changed.source == "factor = 3.0"


def test_of_several_reads_the_one_that_changed_is_named():
    both = jax.jit(lambda x: factor * x + factor_of_offset * offset)
    finding = ask(follows_changes(X, change=set_factor), lambda x: 2 * both(x)).finding
    assert dict(finding.saw)["read"] == "global factor"


def test_without_a_change_it_is_about_the_traces_that_are_kept():
    local = [2.0]
    f = jax.jit(lambda x: local[0] * x)
    f(X)
    assert ask(follows_changes(X), f).state == "passed"
    local[0] = 3.0
    assert ask(follows_changes(X), f).finding.code == "purity/stale-read"
    f.clear_cache()
    assert ask(follows_changes(X), f).state == "passed"


def test_everything_is_put_back_and_a_second_check_says_the_same():
    question = follows_changes(X, change=set_factor)
    first, second = str(ask(question, reads_factor)), str(ask(question, reads_factor))
    assert first == second
    assert factor == 2.0
    assert reads_factor(X)[0] == 2.0


def test_an_array_that_was_written_to_is_put_back():
    ask(follows_changes(X, change=fill_weights), reads_weights)
    assert weights.tolist() == [2.0, 1.0]
    assert reads_weights(X).tolist() == [2.0, 1.0]


def test_a_change_that_the_answer_has_no_place_for_is_a_finding():
    def change(f):
        f.gain = 3.0

    assert ask(follows_changes(X, change=change), Gain().__call__).finding.code == "runs/raised"
