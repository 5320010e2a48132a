"""A canary runs once, before the first read that it guards, and what falls with it is told."""

import importlib
import pkgutil
import tomllib
from pathlib import Path

import jax
import pytest
from packaging.requirements import Requirement

import traced
from traced import explain
from traced.internals import canary as module
from traced.internals.canary import Canary, CouldNotTell, find_newer_release, is_watching

ROOT = Path(__file__).parents[2]


for each in pkgutil.walk_packages(traced.__path__, "traced."):
    importlib.import_module(each.name)


@pytest.mark.parametrize("canary", module.CANARIES, ids=lambda canary: canary.what)
def test_a_canary_lives(canary):
    canary.require()


def guarded(program):
    canary = Canary("what it is", "jax", program)
    return canary, canary.guards(lambda: "read")


def test_it_runs_once_and_is_remembered():
    runs = []
    canary, read = guarded(lambda: runs.append(is_watching()) is None)
    assert (read(), read()) == ("read", "read")
    assert (runs, canary.lives, is_watching()) == ([True], True, False)


@pytest.mark.parametrize(
    ("program", "saw"),
    [
        (lambda: False, ""),
        (lambda: {}["ft_in"], "KeyError: 'ft_in'"),
        (lambda: exit(), "SystemExit: None"),
    ],
)
def test_where_it_fails_nothing_is_read(program, saw):
    _, read = guarded(program)
    for _ in range(2):
        with pytest.raises(CouldNotTell) as caught:
            read()
        assert caught.value.saw == saw
    told = f"could not tell what it is: JAX {jax.__version__} does not show it"
    assert str(caught.value).startswith(told)


def test_its_program_may_read_what_it_guards():
    canary = Canary("what it is", "jax", lambda: read() == 3)
    read = canary.guards(lambda: 3)
    assert read() == 3


def test_it_knows_nothing_of_the_trace_or_the_settings_around_it():
    canary, read = guarded(lambda: isinstance(jax.jit(lambda x: x + 1)(1), jax.Array))

    @jax.jit
    def f(x):
        read()
        return x

    with jax.disable_jit(False), jax.debug_nans(True):
        f(1.0)
    assert canary.lives


def test_the_newest_release_that_the_course_knows_is_the_bound_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    bounds = {each.name: each.specifier for each in map(Requirement, project["dependencies"])}
    for library, (major, minor) in module.NEWEST.items():
        assert f"{major}.{minor}.99" in bounds[library]
        assert f"{major}.{minor + 1}.0" not in bounds[library]


def test_an_error_of_a_newer_release_is_not_taken_for_one_that_nobody_knows(monkeypatch):
    assert find_newer_release() == ""
    monkeypatch.setattr(module, "version", {"jax": "0.13.0", "flax": "0.12.12"}.get)
    with pytest.raises(ValueError, match="Unknown gather mode") as raised:
        jax.numpy.ones(3).at[0].set(1.0, mode="no such mode")
    errors = raised.value, ZeroDivisionError("by zero")
    last = [str(explain(error)).splitlines()[-1] for error in errors]
    # What is not JAX's own has nothing to do with its release.
    unknown = "not in the field guide"
    assert last == [f"{unknown}, which was written before JAX 0.13.0", unknown]
