"""Whose file it is: found by where packages are, and not by what their folder is called."""

import os
import site
import sys
import sysconfig
from dataclasses import dataclass

import flax
import jax
import numpy as np
import pytest

from traced.python import places
from traced.python.places import is_library, is_library_code, place_of_error


@pytest.fixture
def afresh():
    """Forget which files are whose, before and after a test that moves them."""
    for function in (is_library, places._installed):
        function.cache_clear()
    yield
    for function in (is_library, places._installed):
        function.cache_clear()


@pytest.mark.parametrize("module", [jax, np, flax, os, pytest])
def test_files_of_packages_and_of_python_are_libraries(module):
    assert is_library(module.__file__)


@pytest.mark.parametrize(
    "file",
    ["/home/me/site.py", "/home/me/jax/train.py", "<string>", "<stdin>", "<python-input-3>"],
)
def test_other_files_prompts_and_exec_are_the_readers(file):
    assert not is_library(file)


def test_a_package_that_is_installed_to_be_worked_on_is_found(monkeypatch, afresh):
    monkeypatch.setattr(jax, "__path__", ["/home/me/source/jax/jax"])
    assert is_library("/home/me/source/jax/jax/numpy/sums.py")
    assert not is_library("/home/me/source/jax/examples/mine.py")


def test_packages_of_the_user_and_of_the_system_are_libraries(monkeypatch, afresh):
    monkeypatch.setattr(sys, "path", [*sys.path, "/usr/lib/python3/dist-packages"])
    assert is_library("/usr/lib/python3/dist-packages/numpy/sums.py")
    assert is_library(os.path.join(site.getusersitepackages(), "optax", "adam.py"))
    assert not is_library(sysconfig.get_path("stdlib") + "-mine/train.py")


@dataclass
class Point:
    x: object


def test_a_method_that_python_wrote_is_no_code_of_the_readers():
    assert is_library_code(Point.__init__.__code__)
    with pytest.raises(ValueError, match="ambiguous") as caught:
        _ = Point(np.ones(2)) == Point(np.ones(2)) and None
    assert place_of_error(caught.value).file == __file__


def test_an_error_in_what_was_given_to_exec_has_the_line_whose_text_is_known():
    names = {}
    exec("def f(x):\n    return x / 0", names)
    with pytest.raises(ZeroDivisionError) as caught:
        names["f"](1)
    assert place_of_error(caught.value).source == 'names["f"](1)'
