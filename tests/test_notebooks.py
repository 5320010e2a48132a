"""Prove that the stored notebooks are what the lessons' Markdown says, and that they hold."""

import ast
import functools
import io
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tokenize
from datetime import date
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from statistics import median

import execute
import nbformat
import pytest
from compiled import ENVIRONMENT
from nbformat import NotebookNode
from words import BELITTLING, SHOUTING, find_forbidden

from tests.conftest import is_exempt
from traced.course.exercise import source_of

ON_THE_REFERENCE = version("jax") == execute.reference_release()

# The last line of an exercise; a check of anything but the cell's own answer is a demonstration.
CHECK = re.compile(r"^ex\.(?P<name>\w+)\.check\((?P=name)\)\Z", re.MULTILINE)
MODULE = re.compile(r"^from traced\.lessons import (\w+) as ex$", re.MULTILINE)
# Warnings are judged where they point: at a cell, or at what the lesson imports from us.
WARNINGS_ARE_ERRORS = """
import warnings
for category in (DeprecationWarning, FutureWarning):
    warnings.filterwarnings("error", category=category, module=r"(__main__|traced)(\\.|$)")
del warnings, category
"""
# What differs between two machines or two runs. Addresses have more digits than a 32-bit word.
UNSTABLE = {
    "an address": r"0x[0-9a-f]{9,}",
    "a kernel's file": r"ipykernel_",
    "an ANSI escape": r"\\u001b",
    "a home or temporary folder": r"/(home|root|Users|tmp|var/folders)/",
}
# Code, mathematics, images, alerts and comments: `!` has a meaning there that is not a shout.
NOT_PROSE = re.compile(
    r"^(?P<fence>```+).*?^(?P=fence)|`[^`]+`|\$\$.+?\$\$|\$[^$\n]+\$|!(?=\[)|\[![A-Z]+\]|<!--",
    re.MULTILINE | re.DOTALL,
)
SMALL = "# Small\n\n```{code-cell} ipython3\nprint(6 * 7)\n```\n"
RULE = re.compile(r"\*\*((?:`[^`]*`|[^*`])+)\*\*")


@pytest.fixture(params=execute.paths(), ids=lambda path: path.stem)
def path(request: pytest.FixtureRequest) -> Path:
    """Return the Markdown file of each lesson in turn."""
    path: Path = request.param
    return path


@pytest.fixture
def lesson(path: Path) -> NotebookNode:
    """Return the lesson as its Markdown has it."""
    return execute.read_myst(path)


@pytest.fixture
def stored(path: Path) -> NotebookNode:
    """Return the lesson as it was executed."""
    notebook: NotebookNode = nbformat.read(path.with_suffix(".ipynb"), as_version=4)
    return notebook


def code(notebook: NotebookNode) -> list[NotebookNode]:
    """List the code cells."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def markdown(notebook: NotebookNode) -> list[str]:
    """List the sources of the Markdown cells."""
    return [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]


def prose(notebook: NotebookNode) -> str:
    """Return the text of the lesson without code, mathematics and images."""
    return NOT_PROSE.sub("", "\n\n".join(markdown(notebook)))


def comments(cell: NotebookNode) -> list[str]:
    """List the comments of a code cell."""
    tokens = tokenize.generate_tokens(io.StringIO(cell.source).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


def exercises(notebook: NotebookNode) -> dict[str, NotebookNode]:
    """Map the name of each exercise to its cell."""
    found = [(CHECK.search(cell.source), cell) for cell in code(notebook)]
    return {check["name"]: cell for check, cell in found if check}


def verdicts(notebook: NotebookNode) -> dict[str, str]:
    """Map the name of each exercise to its verdict, the last thing that its cell displays."""
    texts = {
        name: [output.data["text/plain"] for output in cell.outputs if "data" in output]
        for name, cell in exercises(notebook).items()
    }
    return {name: (text or [""])[-1] for name, text in texts.items()}


def rules(text: str) -> list[str]:
    """List the paragraphs that are one bold sentence."""
    paragraphs = [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]
    return [rule[1] for paragraph in paragraphs if (rule := RULE.fullmatch(paragraph))]


@functools.cache
def filled_in(path: Path) -> NotebookNode:
    """Run a lesson with every solution in its place, as the lesson would show it."""
    notebook = execute.read_myst(path)
    module = MODULE.search("\n".join(cell.source for cell in code(notebook)))
    for name, cell in exercises(notebook).items():
        assert module, "no exercises are imported as `ex`"
        answer = getattr(import_module(f"traced.lessons.{module[1]}"), name).answer
        cell.source = f"{source_of(answer)}\n\nex.{name}.check({name})"
    if ON_THE_REFERENCE:
        first = code(notebook)[0]
        first.source = WARNINGS_ARE_ERRORS + first.source
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        execute.run(notebook, path.parent)
    return notebook


def test_every_notebook_has_its_pair() -> None:
    texts, notebooks = execute.FOLDER.glob("*.md"), execute.FOLDER.glob("*.ipynb")
    assert {path.stem for path in notebooks} == {path.stem for path in texts} != set()
    assert sorted(execute.FOLDER.glob("*.md")) == execute.paths()


def test_the_markdown_gives_the_stored_cells(lesson: NotebookNode, stored: NotebookNode) -> None:
    def facts(notebook: NotebookNode) -> list[tuple[str, str, str, object]]:
        return [(c.id, c.cell_type, c.source, c.metadata) for c in notebook.cells]

    assert facts(lesson) == facts(stored)


def test_the_stored_cells_give_the_markdown(path: Path, stored: NotebookNode) -> None:
    assert execute.write_myst(stored) == path.read_text()


def test_every_code_cell_ran_once_and_in_order(stored: NotebookNode) -> None:
    counts = [cell.execution_count for cell in code(stored)]
    assert counts == list(range(1, len(counts) + 1))


def test_the_metadata_is_what_execution_writes(stored: NotebookNode) -> None:
    executed = stored.metadata.get("traced", {}).get("executed", {})
    assert stored.metadata == execute.METADATA | {"traced": {"executed": executed}}
    assert sorted(executed) == ["date", "flax", "jax", "python"]
    assert executed["jax"] == execute.reference_release()
    assert date.fromisoformat(executed["date"])


@pytest.mark.parametrize("pattern", UNSTABLE.values(), ids=UNSTABLE)
def test_no_output_holds(pattern: str, stored: NotebookNode) -> None:
    outputs = [(cell.source, json.dumps(out)) for cell in code(stored) for out in cell.outputs]
    assert [source for source, output in outputs if re.search(pattern, output)] == []


def test_every_exemption_from_comparison_has_its_reason(stored: NotebookNode) -> None:
    for cell in filter(is_exempt, code(stored)):
        tags = " ".join(cell.metadata.get("tags", []))
        reasons = re.findall(r"\bbecause(?:-\w+){2,}", tags)
        assert len(reasons) == 1, cell.source


@pytest.mark.seen_once
def test_jupytext_changes_nothing_whichever_file_is_newer(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(execute.FOLDER, tmp_path / "notebooks"))
    before = {path.name: path.read_bytes() for path in folder.glob("[0-9]*")}
    for newer in ("*.md", "*.ipynb"):
        for path in folder.glob(newer):
            os.utime(path, (time.time() + 3600,) * 2)
        command = [sys.executable, "-m", "jupytext", "-q", "--sync"]
        subprocess.run([*command, *folder.glob("*.md")], check=True)
        assert {path.name: path.read_bytes() for path in folder.glob("[0-9]*")} == before


def test_a_new_result_is_new_for_the_site_and_an_equal_one_keeps_its_date(tmp_path: Path) -> None:
    small = tmp_path / "01_small.md"
    small.write_text(SMALL)
    os.utime(small, (1, 1))
    assert execute.execute(small) == (1, True)
    stored = small.with_suffix(".ipynb")
    times = [path.stat().st_mtime_ns for path in (small, stored)]
    assert times[0] == times[1] > 10**9  # no newer than its text
    old = re.sub(r'(?<="date": )"[\d-]+"', '"2020-02-02"', stored.read_text())
    stored.write_text(old)
    assert execute.execute(small) == (1, False)
    assert stored.read_text() == old
    assert small.stat().st_mtime_ns == times[0]


def test_an_image_is_stored_anew_only_where_something_else_changed(tmp_path: Path) -> None:
    small = tmp_path / "01_small.md"
    measured = "print(6 * 7)\nimport secrets\nImage(b'\\x89PNG' + secrets.token_bytes(9))"
    head = "from IPython.display import Image\n"
    small.write_text(SMALL.replace("print(6 * 7)", head + measured))
    assert execute.execute(small) == (1, True)
    pair = small.with_suffix(".ipynb")
    first = pair.read_text()
    assert '"image/png"' in first
    assert execute.execute(small) == (1, False)
    assert pair.read_text() == first
    small.write_text(small.read_text().replace("6 * 7", "6 * 8"))
    assert execute.execute(small) == (1, True)
    assert pair.read_text() != first.replace("42", "48")


def test_a_letter_puts_a_lesson_behind_that_of_its_number(tmp_path: Path) -> None:
    names = ["09_gradients", "09b_own_derivatives", "10_vmap"]
    for name in [*names[::-1], "notes", "9_small"]:
        (tmp_path / f"{name}.md").touch()
    assert [path.stem for path in execute.paths(folder=tmp_path)] == names


def ids(text: str, path: Path) -> list[str]:
    """Write a lesson, store it without running it, and return the ids of its cells."""
    path.write_text(text)
    notebook = execute.read_myst(path)
    path.with_suffix(".ipynb").write_text(execute.stamp(notebook, "2020-02-02"))
    return [cell.id for cell in notebook.cells]


def test_a_cell_keeps_its_id_when_others_are_put_in_changed_or_taken_out(tmp_path: Path) -> None:
    small = tmp_path / "01_small.md"
    title, last = ids(SMALL, small)
    first = "```{code-cell} ipython3\nfirst = 1\n```\n\n"
    new, *others = ids(first + SMALL, small)
    assert others == [title, last]
    assert new not in others
    changed = first.replace("1", "2")
    assert ids(changed + SMALL, small) == [new, title, last]
    assert ids(changed + SMALL.replace("# Small", ""), small) == [new, last]
    assert ids(SMALL, small)[1] == last


def test_a_failing_cell_is_shown_and_the_stored_notebook_kept(tmp_path: Path) -> None:
    small, stored = tmp_path / "01_small.md", tmp_path / "01_small.ipynb"
    small.write_text(SMALL.replace("6 * 7", "6 / 0"))
    stored.write_text("as it was")
    with pytest.raises(execute.CellError) as failure:
        execute.execute(small)
    parts = ["code cell [1]", "    print(6 / 0)", "ZeroDivisionError: division by zero"]
    assert str(failure.value).splitlines() == parts
    assert stored.read_text() == "as it was"


def test_only_the_reference_stores_outputs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(execute, "version", lambda package: "0.1")
    assert execute.main([]) == 1
    wanted = f"outputs are stored with jax {execute.reference_release()}; this is jax 0.1\n"
    assert capsys.readouterr().out == wanted


def test_an_untouched_exercise_is_not_attempted(stored: NotebookNode) -> None:
    for name, verdict in verdicts(stored).items():
        assert verdict.startswith(f"{name}: not attempted"), verdict


@pytest.mark.seen_once  # on either release the solutions are checked by themselves
@pytest.mark.by_turns
def test_a_lesson_with_its_solutions_passes_every_check(path: Path) -> None:
    for name, verdict in verdicts(filled_in(path)).items():
        assert verdict.startswith(f"{name}: passed"), verdict


@pytest.mark.by_turns
@pytest.mark.skipif(not ON_THE_REFERENCE, reason="only the reference must be free of deprecations")
def test_no_lesson_uses_what_is_deprecated(path: Path) -> None:
    failure = ""
    try:
        filled_in(path)
    except execute.CellError as error:
        failure = str(error)
    assert not re.search(r"^(Deprecation|Future)Warning: ", failure, re.MULTILINE), failure


def test_no_prose_or_comment_belittles_what_is_hard(path: Path, lesson: NotebookNode) -> None:
    text = [prose(lesson), *(comment for cell in code(lesson) for comment in comments(cell))]
    assert find_forbidden(path.name, "\n".join(text), BELITTLING) == []


def test_no_prose_shouts(path: Path, lesson: NotebookNode) -> None:
    assert find_forbidden(path.name, prose(lesson), SHOUTING) == []


def test_no_markdown_needs_more_than_a_plain_renderer(lesson: NotebookNode) -> None:
    assert [text for text in markdown(lesson) if ":::" in text or "```{" in text] == []


def test_every_code_cell_is_plain_python(lesson: NotebookNode) -> None:
    for cell in code(lesson):
        ast.parse(cell.source)


def test_a_lesson_imports_from_the_doors_of_the_package(lesson: NotebookNode) -> None:
    doors = {"traced", *(f"traced.{door}" for door in ("show", "probes", "questions", "lessons"))}
    imported = {
        node.module
        for cell in code(lesson)
        for node in ast.walk(ast.parse(cell.source))
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("traced")
    }
    # A lesson may bring a program of its own.
    assert {each for each in imported if not each.startswith("traced.lessons.")} <= doors


def test_folded_text_unfolds_within_its_cell(lesson: NotebookNode) -> None:
    for text in markdown(lesson):
        assert re.findall(r"<(/?)details\b", text) == ["", "/"] * text.count("</details>"), text


def test_all_is_compared_but_the_drawing_of_what_was_measured(stored: NotebookNode) -> None:
    outputs = [output for cell in code(stored) for output in cell.outputs]
    for shown in (form for output in outputs for form in output.get("data", {}).items()):
        kind, text = shown
        if str(text).startswith('<div class="traced measured">'):
            words = re.findall(r' alt="[^"]*"|<details>.*', text, re.DOTALL)
            left = execute.compared(text)
            assert "data:image" not in left
            assert [part for part in words if part not in left] == []
        else:
            assert execute.compared(text) == text, kind


def test_code_cells_fit_a_glance(lesson: NotebookNode) -> None:
    # Blank lines are the formatter's affair.
    lengths = [len(re.findall(r"^.*\S", cell.source, re.MULTILINE)) for cell in code(lesson)]
    assert median(lengths) <= 6
    assert max(lengths) <= 20


def test_a_lesson_opens_with_a_picture(stored: NotebookNode) -> None:
    shown = [output.get("data", {}) for cell in code(stored)[:3] for output in cell.outputs]
    drawn = re.compile(r'<img class="dark-light"|<div class="linked"')
    assert any(drawn.search(data.get("text/html", "")) for data in shown)


def test_a_lesson_is_not_too_long(lesson: NotebookNode) -> None:
    # Tables and headings say again what the text says.
    text = re.sub(r"(?m)^(\||#).*$", "", prose(lesson))
    assert len(text.split()) <= 1900
    assert len(code(lesson)) <= 28


def test_an_exercise_asks_for_one_thing_and_checks_it(lesson: NotebookNode) -> None:
    asked = [cell.source for cell in code(lesson) if "TODO" in cell.source]
    assert asked == [cell.source for cell in exercises(lesson).values()]
    assert {source.count("TODO") for source in asked} <= {1}


def test_the_title_comes_first_and_only_once(lesson: NotebookNode) -> None:
    headings = re.findall(r"^(#+) ", prose(lesson), re.MULTILINE)
    assert markdown(lesson)[0].startswith("# ")
    assert headings.count("#") == 1


def test_the_recap_repeats_the_rules_in_order(lesson: NotebookNode) -> None:
    text = "\n\n".join(markdown(lesson))
    recap = text.partition("\n## Recap")[2].partition("\n## ")[0]
    # The first two lines of a table are its head; `\|` is a bar within a column.
    rows = [line for line in recap.splitlines() if line.startswith("|")][2:]
    columns = [re.split(r"(?<!\\)\|", row) for row in rows]
    assert [column[1].strip().replace("\\|", "|") for column in columns] == rules(text)


def test_a_section_has_one_rule_at_most(lesson: NotebookNode) -> None:
    for section in "\n\n".join(markdown(lesson)).split("\n## "):
        assert len(rules(section)) <= 1, section.partition("\n")[0]
