"""Where equations come from, and which lines of source belong to a function."""

import functools
import linecache

import jax.numpy as jnp
import pytest

from traced.programs.jaxprs import jaxpr_of
from traced.programs.origins import Origins, Passage, code_of, passage_of


def doubled(x):
    return x * 2.0


class Callable:
    def __call__(self, x):
        return doubled(x)

    def method(self, x):
        return doubled(x)


OWN = doubled.__code__.co_firstlineno


@pytest.mark.parametrize(
    ("f", "name"),
    [
        (doubled, "doubled"),
        (functools.partial(functools.partial(doubled)), "doubled"),
        (functools.wraps(doubled)(lambda x: x), "doubled"),
        (Callable(), "__call__"),
        (Callable().method, "method"),
    ],
)
def test_the_code_inside_is_found(f, name):
    assert code_of(f).co_name == name


@pytest.mark.parametrize("f", [abs, jnp.sin, functools.partial(jnp.sum, axis=0), 3])
def test_code_of_others_is_not_the_readers(f):
    assert code_of(f) is None


def test_an_equation_has_the_lines_that_led_to_it():
    def f(x):
        return doubled(
            x,
        )

    origins = Origins(f)
    (eqn,) = jaxpr_of(f, 1.0).eqns
    start = f.__code__.co_firstlineno
    assert origins.find(eqn) == ((__file__, OWN + 1), (__file__, start + 1))
    assert origins.passages() == [
        Passage(__file__, OWN, OWN + 1),
        Passage(__file__, start, start + 3),
    ]


def test_the_lines_of_the_equation_around_follow():
    (eqn,) = jaxpr_of(doubled, 1.0).eqns
    outer = (("elsewhere.py", 3), (__file__, OWN + 1))
    assert Origins(doubled).find(eqn, outer) == ((__file__, OWN + 1), ("elsewhere.py", 3))


def test_a_passage_has_its_decorators_and_its_inner_functions():
    @functools.cache
    def outer():
        def inner():
            return 1

        return inner

    passage = passage_of(outer.__wrapped__.__code__)
    assert passage.text[0].strip() == "@functools.cache"
    assert passage.text[-1].strip() == "return inner"


def test_a_text_that_is_not_known_is_empty():
    assert Passage("nowhere.py", 1, 3).text == []
    linecache.cache["blank.py"] = (2, None, ["\n", "x\n"], "blank.py")
    assert Passage("blank.py", 1, 2).text == ["", "x"]
