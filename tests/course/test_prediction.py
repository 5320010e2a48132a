"""A prediction is graded by the run, and the outcome stays folded until there is one."""

import numpy as np
import pytest

from traced import reveal, watch


@pytest.mark.parametrize(
    ("prediction", "text"),
    [
        (..., "no prediction yet; the run says: 2"),
        (2, "predicted: 2, right; the run says: 2"),
        (3, "predicted: 3, not so; the run says: 2"),
        ("2", "predicted: 2, right; the run says: 2"),
        (2.0, "predicted: 2.0, right; the run says: 2"),
        (True, "predicted: True, not so; the run says: 2"),
    ],
)
def test_text(prediction, text):
    assert repr(reveal(prediction, 2)) == text


@pytest.mark.parametrize("prediction", [(5, 1), [5, 1], "(5, 1)", "5, 1", (5.0, 1)])
def test_several_numbers_may_be_written_in_any_way(prediction):
    assert ", right;" in repr(reveal(prediction, (5, 1)))


def test_without_a_prediction_the_outcome_is_folded():
    html = reveal(..., 2)._repr_html_()
    assert html.index("<details>") < html.index("<strong>2</strong>") < html.index("</details>")


def test_with_a_prediction_it_is_not():
    html = reveal(3, 2)._repr_html_()
    assert "<details>" not in html
    assert "Predicted: 3, not so." in html


def test_a_prediction_is_quoted_as_it_was_written():
    html = reveal(("NaN", True), 2)._repr_html_()
    assert "Predicted: (&#x27;NaN&#x27;, True), not so." in html


def test_evidence_is_shown_in_its_own_form():
    f = watch(lambda x: x)
    f(1.0)
    assert "first call" in repr(reveal(..., 1, f))
    assert f._repr_html_() in reveal(..., 1, f)._repr_html_()


def test_evidence_without_html_is_escaped():
    assert "<pre>[&#x27;&lt;b&gt;&#x27;]</pre>" in reveal(..., 1, ["<b>"])._repr_html_()


def test_long_evidence_has_a_line_for_each_entry():
    seen = {f"program {i}": ["used twice"] for i in range(5)}
    lines = repr(reveal(..., 1, seen)).splitlines()[1:]
    assert len(lines) == 5
    assert "\n".join(lines).replace("'", "&#x27;") in reveal(..., 1, seen)._repr_html_()


def test_a_prediction_that_cannot_be_compared_is_not_right():
    assert "not so" in repr(reveal(np.array([1, 2]), 2))
