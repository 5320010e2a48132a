"""Which lines are repeated by a loop of Python's."""

import linecache

import pytest

from traced.python.loops import is_in_loop

SOURCE = """\
def f(xs):
    total = jnp.sum(xs)
    for x in xs:
        total += x
    while total > 9:
        total /= 2
    squares = [x * x
               for x in xs]
    return sum(map(abs, squares))
product = functools.reduce(mul, (1, 2))
"""


@pytest.mark.parametrize(
    ("line", "repeated"),
    [*((line, True) for line in (3, 4, 5, 6, 7, 8, 9, 10)), (1, False), (2, False)],
)
def test_a_line_in_a_loop_is_repeated(line, repeated):
    linecache.cache["loops cell"] = (len(SOURCE), None, SOURCE.splitlines(True), "loops cell")
    assert is_in_loop("loops cell", line) == repeated


def test_nothing_is_in_a_loop_where_the_text_is_no_python():
    linecache.cache["magic cell"] = (9, None, ["%time f\n", "for x in y: x\n"], "magic cell")
    assert not is_in_loop("magic cell", 2)


def test_nothing_is_in_a_loop_where_the_text_is_not_known():
    assert not is_in_loop("no such cell", 1)
