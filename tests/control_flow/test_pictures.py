"""The steps of a loop, as a table."""

import jax
import jax.numpy as jnp
import optax

from tests.drawing.twins import assert_twins
from traced.show import show_fori_loop, show_scan, show_while_loop


def lines(picture):
    """Return the rows of a table, with one blank between the words."""
    return [" ".join(line.split()) for line in str(picture).splitlines()]


def test_each_step_has_a_row():
    picture = show_scan(lambda c, x: (c + x, c * x), 1.0, jnp.array([2.0, 3.0]))
    assert lines(picture) == [
        "step carry in x carry out y",
        "0 1 2 3 2",
        "1 3 3 6 9",
    ]
    assert_twins(picture)


def test_a_reversed_scan_begins_at_the_end():
    picture = show_scan(lambda c, x: (c + x, c), 0, jnp.arange(3), reverse=True)
    assert [row[0] for row in lines(picture)[1:]] == ["2", "1", "0"]


def test_what_no_loop_has_is_no_column():
    scan = show_scan(lambda c, _: (2 * c, None), 1, length=2)
    loop = show_while_loop(lambda n: n < 2, lambda n: n + 1, 0)
    assert lines(scan)[0] == lines(loop)[0] == "step carry in carry out"


def test_a_long_loop_is_cut_and_says_so():
    picture = show_fori_loop(0, 10**6, lambda i, total: total + i % 2, 0)
    assert len(lines(picture)) == 8
    assert lines(picture)[4] == "… 999994 left out"
    assert_twins(picture)


def test_an_endless_loop_and_one_without_a_step_say_so():
    assert str(show_while_loop(lambda n: n >= 0, lambda n: n * 1, 0)).endswith("had not ended here")
    assert str(show_fori_loop(2, 1, lambda i, c: c, 0)).endswith("no step is taken")


def test_small_arrays_are_written_and_large_ones_described():
    key = jax.random.key(0)
    text = str(show_scan(lambda c, x: (c, (x, key)), jnp.ones(9), jnp.ones((2, 2, 2)) / 3))
    assert "f32[9]" in text
    assert "[[0.333 0.333] [0.333 0.333]]" in text
    assert "key<fry>[]" in text


def test_a_training_loop_of_optax_can_be_drawn():
    sgd = optax.sgd(0.5)

    def step(carry, _):
        w, state = carry
        updates, state = sgd.update(jax.grad(lambda w: w**2)(w), state)
        return (optax.apply_updates(w, updates), state), w**2

    picture = show_scan(step, (3.0, sgd.init(3.0)), length=3)
    assert [row.split()[-1] for row in lines(picture)[1:]] == ["9", "0", "0"]
    assert_twins(picture)


def test_two_calls_give_the_same_picture():
    first, second = (show_fori_loop(0, 9, lambda i, c: c + 1, 0) for _ in range(2))
    assert first == second


def test_a_name_in_the_carry_stays_text():
    picture = show_scan(lambda c, x: (c, x), {"</style><script>": 1.0}, jnp.ones(2))
    assert "<script>" in picture.text
    assert "<script>" not in picture.html
