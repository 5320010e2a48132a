"""The example of the landing page prints, on every supported JAX, what stands there."""

import json

import execute_landing


def test_the_example_shows_what_is_stored() -> None:
    stored = json.loads(execute_landing.STORED.read_text("utf-8"))
    assert execute_landing.executed() == stored


def test_the_number_is_right_and_the_program_is_not() -> None:
    stored = execute_landing.executed()
    assert stored["value"] == (1 + 9) / 2
    assert stored["many"]["equations"] > 100 * stored["few"]["equations"]
