"""Of a style sheet what some page needs is kept, and what icons are made of is not."""

from pathlib import Path

import pytest
from bundle import is_used, keep, read_all, squeeze, without_idle


@pytest.mark.parametrize(
    ("selector", "kept"),
    [
        ("main .cell", True),
        (".cell .odd", False),
        (".cell:not(.odd)", True),
        (".cell:is(.odd, .even)", True),
        ("html[data-theme=dark] a:hover", True),
    ],
)
def test_a_selector_is_kept_if_all_its_classes_are_used(selector: str, kept: bool) -> None:
    assert is_used(selector, {"cell"}) is kept


STYLE = """@charset "UTF-8"; @import "other.css"; @font-face { src: url(icons.woff) }
.cell, .odd { color: red; margin: 0 }
@media print { .odd { color: blue } .cell { color: blue } }
@media print { .odd { color: blue } }
.fa-solid { font-family: icons }
/*# sourceMappingURL=one.css.map */
"""


def test_rules_are_kept_within_media_and_icons_are_not(tmp_path: Path) -> None:
    (tmp_path / "one.css").write_text(STYLE)
    assert "".join(keep(tmp_path, "one.css", {"cell", "fa-solid"})) == (
        ".cell{color: red; margin: 0}\n@media print {.cell{color: blue}\n}\n"
    )


def test_a_property_is_kept_if_a_rule_or_a_page_reads_it() -> None:
    style = 'a{--icon: url("data:a;--b:c{}");--idle:1;--of-idle:2;mask:var( --icon );--page:3}'
    assert without_idle(style.replace("--idle:1", "--idle:var(--of-idle)"), "var(--page)") == (
        'a{--icon: url("data:a;--b:c{}");mask:var( --icon );--page:3}'
    )


def test_a_pattern_names_a_file_with_a_checksum(tmp_path: Path) -> None:
    (tmp_path / "one.123.css").write_text("a {}")
    assert read_all(tmp_path, "one.*.css") == "a {}"


def test_a_script_is_served_without_comments_and_indentation() -> None:
    script = "// Why.\n{\n  go(); // here\n\n  // And then.\n  stop(`//`);\n}\n"
    assert squeeze(script) == "{go(); // here\nstop(`//`);\n}\n"
    assert squeeze("if (a === b) {\n  go = () => a && b;\n}\n") == "if (a===b){go=()=>a&&b;}\n"
