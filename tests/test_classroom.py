"""The page on a class says what the records of one say, and no verdict of them was false."""

import ast
import json

import classroom
import pytest

RECORDS = sorted(classroom.RECORDS.glob("*.json"))
pytestmark = pytest.mark.seen_once


def test_the_page_has_the_table_of_the_records():
    (shown,) = classroom.TABLE.findall(classroom.PAGE.read_text("utf-8"))
    assert RECORDS
    assert shown == classroom.table()


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_no_verdict_of_a_class_was_false(path):
    record = json.loads(path.read_text("utf-8"))
    assert len(record["students"]) == len(record["progress"]) == int(path.name[:2])
    for student in record["students"]:
        assert student["false"] == []
        assert student["verdicts"] > 20
        assert len(student["memory"]["kernels"]) == len(classroom.LESSONS)
    assert {line.partition(": ")[2] for line in record["progress"]} == {"5 passed"}


def test_a_false_verdict_and_an_error_are_kept():
    student = object.__new__(classroom.Student)
    student.verdicts, student.false = 0, []
    student.compare("mean_square: passed\nit is", "mean_square: passed")
    student.compare("mean_square: not yet  [value/differs]", "mean_square: passed")
    student.compare("error: KeyError: 1", "mean_square: not yet  [value/differs]")
    assert student.verdicts == 3
    assert [line.partition(", but")[0] for line in student.false] == [
        "wanted mean_square: passed",
        "wanted mean_square: not yet  [value/differs]",
    ]


@pytest.mark.parametrize("lesson", classroom.LESSONS)
def test_a_student_answers_wrongly_first_and_rightly_in_the_end(lesson):
    answers = list(classroom.stored_answers(lesson))
    for name in {wanted.partition(":")[0] for _, wanted in answers}:
        own = [wanted for _, wanted in answers if wanted.startswith(f"{name}: ")]
        passed = [wanted.endswith(": passed") for wanted in own]
        assert passed == sorted(passed)
        assert {True, False} == set(passed)
        assert all("[" in wanted for wanted in own if "not yet" in wanted)


def test_the_configuration_of_the_hub_is_python():
    names = ("proxy", "password", "homes", "journals", "hub", "prefix", "python")
    told = dict.fromkeys(names, "/a folder") | {"ports": [1, 2, 3], "arguments": [], "patience": 9}
    text = classroom.CONFIG.format(**told)
    assert "c.JupyterHub.hub_port = 2" in text
    ast.parse(text)
