"""The README keeps its promises."""

import re
import runpy
from pathlib import Path

README = (Path(__file__).parents[1] / "README.md").read_text()


def test_the_example_prints_what_stands_below_it(tmp_path, capsys):
    code, output = (
        re.search(rf"```{kind}\n(.*?)```", README, re.DOTALL)[1] for kind in ("python", "text")
    )
    script = tmp_path / "example.py"
    script.write_text(code)
    runpy.run_path(str(script))
    assert capsys.readouterr().out == output


def test_it_is_short_and_begins_with_code():
    lines = README.splitlines()
    assert len([line for line in lines if not line.startswith("| [")]) <= 70
    assert "```python" in lines[:12]


def test_every_lesson_is_listed():
    lessons = {path.name for path in Path(__file__).parents[1].glob("notebooks/*.ipynb")}
    assert lessons == set(re.findall(r"\(notebooks/(.*?)\)", README))
