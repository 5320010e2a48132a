"""What a function does besides returning a value."""

import jax
import jax.numpy as jnp
import pytest

from traced import ask
from traced.findings.feedback import Found
from traced.questions import changes_nothing

seen = []


@pytest.mark.parametrize(
    ("args", "f"),
    [((jnp.ones(2),), jax.jit(lambda x: x + 1)), (([1.0],), lambda xs: [*xs, 2.0])],
)
def test_a_function_that_only_returns_passes(args, f):
    assert ask(changes_nothing(*args), f).state == "passed"


@pytest.mark.parametrize(
    ("f", "code", "saw"),
    [
        (
            jax.jit(lambda x: seen.append(1)),
            "effects/while-tracing",
            {"global write": "seen", "before": "[]", "after": "[1]"},
        ),
        (
            lambda x: jax.jit(lambda x: print("here"))(x),
            "effects/while-tracing",
            {"output": "stdout", "written": "here"},
        ),
        (
            lambda x: seen.append(1),
            "effects/write",
            {"global write": "seen", "before": "[]", "after": "[1]"},
        ),
        (lambda x: print(x), "effects/write", {"output": "stdout", "written": "1.0"}),
        (
            lambda x: jax.vmap(lambda x: seen.append(1) or x)(jnp.stack([x, x])),
            "effects/write",
            {"global write": "seen", "before": "[]", "after": "[1]"},
        ),
    ],
    ids=["jitted", "inside of jit", "plain", "a print", "vmap traces at each call"],
)
def test_what_else_it_does_is_a_finding(f, code, saw):
    seen.clear()
    finding = ask(changes_nothing(1.0), f).finding
    assert (finding.code, dict(finding.saw)) == (code, saw)


def test_a_leak_has_the_line_that_made_the_tracer_and_the_line_that_kept_it():
    @jax.jit
    def leaks(x):
        twice = 2 * x
        seen.append(twice)
        return twice

    finding = ask(changes_nothing(1.0), leaks).finding
    assert finding.code == "tracing/leaked"
    assert finding.saw == (("leaked tracer", "global seen[0]"),)
    assert [(place.source, place.note) for place in finding.where] == [
        ("twice = 2 * x", "made here"),
        ("seen.append(twice)", "stored here"),
    ]


ref = jax.new_ref(jnp.zeros(2))


@jax.jit
def writes_to_a_ref(x):
    ref[0] = x
    return x


@pytest.mark.parametrize("f", [writes_to_a_ref, lambda x: 2 * writes_to_a_ref(x)])
def test_a_write_to_a_ref_outside_is_a_finding_and_put_back(f):
    finding = ask(changes_nothing(1.0), f).finding
    assert (finding.code, finding.saw[0]) == ("effects/write", ("global write", "ref[...]"))
    assert ref[0] == 0.0


def test_a_ref_of_its_own_is_nobodys_concern():
    def f(x):
        own = jax.new_ref(jnp.zeros(2))
        own[0] = x
        return own[...]

    for each in (f, jax.jit(f)):
        assert ask(changes_nothing(1.0), each).state == "passed"


def test_what_was_asked_about_is_left_as_it_was():
    before = list(seen)
    ask(changes_nothing(1.0), lambda x: seen.append(1))
    assert seen == before


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    kept.append(x)\n    return x",
        "def f(x):\n    global count\n    count = 1\n    return x",
        "def f(x):\n    print(x)\n    return x",
        "class F:\n    def __call__(self, x):\n        self.x = 1\n        return x\nf = F()",
    ],
)
def test_effects_of_code_given_to_exec_are_seen(source):
    names = {"kept": [], "count": 0}
    exec(source, names)
    with pytest.raises(Found):
        changes_nothing(1.0)(names["f"])
