"""Whether the cause of a wrong value is told, and where to read of an error."""

import jax
import jax.numpy as jnp
import pytest

from tests.test_package import headings
from traced import ask
from traced.course.causes import _may_fill, _sections
from traced.course.symptom import symptoms
from traced.questions import compare, returns

rate, limits, calls = 1.0, {"low": 0.0, "high": 1.0}, []


@jax.jit
def scaled(x):
    return x * rate


def keeps_an_old_global(x, factor):
    global rate
    rate = factor
    return scaled(x)


def counts_on(x, factor):
    calls.append(factor)
    return x * sum(calls)


def reads_another(x, factor):
    return x * limits["high"]


def reads_both(x, factor):
    return x * factor + limits["high"]


def multiplies_by_less(x, factor):
    return x * (factor - 1)


def twice(answer):
    """Ask for two products, of which a kept trace or a sum would spoil the second."""
    for factor in (2.0, 3.0):
        compare(jnp.float32(2 * factor), answer(jnp.float32(2), factor))


@pytest.mark.parametrize(
    ("answer", "code", "lines"),
    [
        (keeps_an_old_global, "purity/stale-read", ["return x * rate", "rate = factor"]),
        (counts_on, "effects/write", ["calls.append(factor)"]),
        (reads_another, "purity/hidden-read", ['return x * limits["high"]']),
        (reads_both, "value/differs", []),
        (multiplies_by_less, "value/differs", []),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_the_cause_of_a_wrong_value_is_told_with_its_lines(answer, code, lines):
    finding = ask(twice, answer).finding
    assert finding.code == code
    assert [place.source for place in finding.where] == lines


def appends(kept, x):
    kept.append(x)


def stores(kept, x):
    kept[0] = x


def updates_with_one(kept, new):
    kept.update(new)


def updates_as_an_optimizer_does(optimizer, model, slopes):
    optimizer.update(model, slopes)


@pytest.mark.parametrize(
    ("f", "fills"),
    [
        (appends, True),
        (stores, True),
        (updates_with_one, True),
        (updates_as_an_optimizer_does, False),
    ],
)
def test_a_question_is_put_again_only_where_a_list_may_be_filled(f, fills):
    assert _may_fill(f) == fills


def test_what_a_cause_has_changed_is_put_back():
    ask(twice, counts_on)
    assert calls == []


def test_a_change_is_told_with_its_line_where_the_values_are_right():
    def right(x):
        calls.append(x)
        return 2 * x

    finding = ask(returns(lambda x: 2 * x, (1.0,)), right).finding
    assert finding.code == "effects/write"
    assert finding.where[0].source == "calls.append(x)"


def test_an_error_that_a_lesson_explains_leads_there():
    def no_pair(xs):
        return jax.lax.scan(lambda total, x: total + x, 0.0, xs)

    feedback = str(ask(returns(jnp.sum, (jnp.ones(3),)), no_pair))
    assert "read: 07_loops, “The carry comes out as it went in”" in feedback
    assert "rule: the body of scan returns the next carry and one output" in feedback


def test_an_error_that_only_the_field_guide_explains_leads_to_its_page():
    def adds(x):
        return x + jnp.ones(4)

    feedback = str(ask(returns(lambda x: x, (jnp.ones(3),)), adds))
    assert "read: field guide, broadcasting" in feedback


def test_a_container_where_an_array_belongs_leads_to_the_page_of_containers():
    feedback = str(ask(returns(lambda x: x["w"], ({"w": jnp.ones(3)},)), jnp.sum))
    assert "read: field guide, list-argument" in feedback


def test_an_error_that_a_lesson_explains_leads_to_its_section():
    def writes(x):
        x[0] = 1.0
        return x

    feedback = str(ask(returns(lambda x: x, (jnp.ones(3),)), writes))
    assert "read: 01_arrays, “An update returns a new array”" in feedback


def test_each_section_exists_and_each_page():
    pages = {symptom.page for symptom in symptoms()}
    for page, (lesson, section) in _sections().items():
        assert page in pages
        assert section in headings(lesson)
