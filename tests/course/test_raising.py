"""A cell that has to raise."""

import jax
import pytest

from traced import raises


def test_the_error_and_the_line_are_printed(capsys):
    @jax.jit
    def magnitude(x):
        return x if x > 0 else -x

    with raises(jax.errors.TracerBoolConversionError):
        magnitude(1.0)
    *error, line = capsys.readouterr().out.splitlines()
    assert error == [
        "TracerBoolConversionError: Attempted boolean conversion of traced array with",
        "  shape bool[].",
    ]
    assert line.endswith(":  return x if x > 0 else -x")


def test_no_error_is_an_error():
    with pytest.raises(AssertionError, match="should have raised ValueError"), raises(ValueError):
        pass


def test_another_error_passes_through():
    with pytest.raises(KeyError), raises(ValueError):
        {}["a"]
