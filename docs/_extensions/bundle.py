"""Put the styles of all pages into one file, and the scripts into another, without what is unused.

The themes bring 400 kB of rules and 1.5 MB of icons in twenty files. Rules remain whose
classes are on a page or in a script; the dozen icons that are used are drawn in `icons.css`.
"""

import hashlib
import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import tinycss2
from review import asked
from sphinx.application import Sphinx
from tinycss2.ast import Node

STYLES = (
    "basic.css",
    "styles/pydata-sphinx-theme.css",
    "pygments.css",
    "styles/sphinx-book-theme.css",
    "mystnb.*.css",
    "copybutton.css",
    "site.css",
    "icons.css",
    "landing.css",
    "answers.css",
    "choices.css",
    "review.css",
)
# Ours come first: where a browser denies the storage, one of the theme raises, and ends the rest.
SCRIPTS = (
    "panes.js",
    "keys.js",
    "asked.js",
    "kept.js",
    "progress.js",
    "answers.js",
    "choices.js",
    "review.js",
    "clipboard.min.js",
    "copybutton.js",
    "scripts/bootstrap.js",
    "scripts/pydata-sphinx-theme.js",
    "scripts/sphinx-book-theme.js",
)
#: What stands in for the others in the head of a page.
BUNDLED = re.compile(
    r"_static/(doctools|documentation_options|sphinx_highlight|clipboard\.min)\.js"
)
#: What the scripts of the theme read of the options; a file of them would hold up the first paint.
OPTIONS = "const DOCUMENTATION_OPTIONS = {BUILDER: 'html', VERSION: ''};"
#: Of Bootstrap, what the menus and the tooltips of the theme put on a page.
PARTS = re.compile(r"(bs-)?tooltip|show|fade|collaps|active|disabled")
CLASS = re.compile(r"\.(-?[_a-zA-Z][\w-]*)")
NOT = re.compile(r":not\([^()]*(?:\([^()]*\)[^()]*)*\)")
BLANKS = re.compile(r"\s*\n\s*")
WORDS = re.compile(r"[\w-]+")
PROPERTY = re.compile(r"--[\w-]+")
#: A property that a rule declares for others; between quotes, its value may have anything.
DECLARED = re.compile(r"(?<=[{;])\s*(--[\w-]+)\s*:(?:[^;{}\"']|\"[^\"]*\"|'[^']*')*(?:;|(?=}))")
ICON = re.compile(r"\.fa[srb]?-|\.fa[srb]?\b|\.svg-inline--fa|\.fa-layers")


def digest(app: Sphinx) -> str:
    """Return what changes whenever the bundles do, so that no browser shows an old one."""
    own = [
        *Path(app.srcdir, "docs/_static").glob("*.css"),
        *Path(app.srcdir, "docs/_static").glob("*.js"),
    ]
    text = b"".join(path.read_bytes() for path in sorted(own))
    themes = "".join(map(version, ("sphinx-book-theme", "pydata-sphinx-theme", "myst-nb")))
    return hashlib.sha256(text + f"{themes}{asked(app.env)}".encode()).hexdigest()[:12]


def refer(app: Sphinx, page: str, template: str, context: dict[str, Any], _: object) -> None:
    """Let a page load the two bundles, and of the scripts those of its own."""
    one_of_ours = {Path(name).name for name in SCRIPTS}
    scripts = [
        each
        for each in context["script_files"]
        if Path(str(getattr(each, "filename", "")).partition("?")[0]).name not in one_of_ours
        and not BUNDLED.search(str(getattr(each, "filename", "")))
    ]
    context["script_files"] = scripts
    context["css_files"] = []
    context["bundled"] = digest(app)


def write(app: Sphinx, error: Exception | None) -> None:
    """Write both files once all pages are there."""
    if error is not None or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    pages = "\n".join(path.read_text("utf-8") for path in Path(app.outdir).rglob("*.html"))
    own = [static / path.name for path in Path(app.srcdir, "docs/_static").glob("*.js")]
    for path in own:
        path.write_text(squeeze(path.read_text("utf-8")), "utf-8")
    scripts = [read_all(static, name) for name in SCRIPTS]
    others = [path.read_text("utf-8") for path in own]
    used = set(WORDS.findall(" ".join(re.findall(r'\bclass="([^"]*)"', pages))))
    for name, script in zip(SCRIPTS, scripts, strict=True):
        words = set(WORDS.findall(script))
        used |= {each for each in words if PARTS.match(each)} if "bootstrap" in name else words
    used |= set(WORDS.findall("\n".join(others)))
    style = "".join(each for name in STYLES for each in keep(static, name, used))
    style = without_idle(style, "\n".join((pages, *scripts, *others)))
    (static / "course.css").write_text(style, "utf-8")
    # An exception in one must not be the end of the others, which do share their names.
    (static / "course.js").write_text("".join(f";\n{each}\n" for each in scripts), "utf-8")


def squeeze(script: str) -> str:
    """Return a script without its indentation, the lines that only comment, and idle line ends.

    The blanks around some operators go too: no text of ours has these between blanks.

    >>> squeeze("// Why.\\n{\\n  go();\\n}\\n")
    '{go();}\\n'
    """
    lines = (line.strip() for line in script.splitlines())
    code = "".join(f"{line}\n" for line in lines if line and not line.startswith("//"))
    # Not where a comment ends the line.
    code = re.sub(r"^((?!.*//).*[;{(\[,])\n", r"\1", code, flags=re.MULTILINE)
    return re.sub(r" (=|=>|===|&&|\|\|) |(?<=\)) (?={)", r"\1", code)


def read_all(folder: Path, pattern: str) -> str:
    """Return the text of the files of a name, without the addresses of their sources."""
    text = "\n".join(path.read_text("utf-8") for path in sorted(folder.glob(pattern)))
    return re.sub(r"/[/*][#@] ?sourceMappingURL=\S+( ?\*/)?", "", text).replace(
        '@charset "UTF-8";', ""
    )


def keep(folder: Path, name: str, used: set[str]) -> Iterator[str]:
    """Yield the rules of a style sheet that some page needs; of the themes, none for an icon."""
    text = read_all(folder, name)
    rules = tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
    for rule in kept_rules(rules, used):
        if name == "icons.css" or not ICON.search(rule.partition("{")[0]):
            yield rule


def kept_rules(rules: list[Node], used: set[str]) -> Iterator[str]:
    """Yield the rules whose selectors fit something; of several selectors, those that do."""
    for rule in rules:
        if rule.type == "qualified-rule":
            selectors = split(rule.prelude)
            left = [each for each in selectors if is_used(each, used)]
            if left:
                body = tinycss2.serialize(rule.content).strip()
                yield f"{','.join(left)}{{{BLANKS.sub(' ', body)}}}\n"
        elif rule.type == "at-rule" and rule.lower_at_keyword in ("media", "supports", "container"):
            inner = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
            body = "".join(kept_rules(inner, used))
            if body:
                yield f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{body}}}\n"
        elif rule.type == "at-rule" and rule.lower_at_keyword not in ("font-face", "import"):
            yield f"{rule.serialize()}\n"


def without_idle(style: str, rest: str) -> str:
    """Return a style sheet without the properties of its own that neither it nor `rest` reads.

    >>> without_idle("a{--x:1;--y:var(--z);--z:2;color:var(--x)}", "")
    'a{--x:1;color:var(--x)}'
    """
    read = set(PROPERTY.findall(rest)) | set(re.findall(r"var\(\s*(--[\w-]+)", style))
    left = DECLARED.sub(lambda found: found[0] * (found[1] in read), style)
    return left if left == style else without_idle(left, rest)


def split(prelude: list[Node]) -> list[str]:
    """Return the selectors of a rule, each without the blanks around it."""
    parts: list[list[Node]] = [[]]
    for node in prelude:
        if node.type == "literal" and node.value == ",":
            parts.append([])
        else:
            parts[-1].append(node)
    return [tinycss2.serialize(part).strip() for part in parts]


def is_used(selector: str, used: set[str]) -> bool:
    """Return whether all classes of a selector are somewhere.

    >>> is_used("main .cell:not(.odd)", {"cell"}), is_used(".cell .odd", {"cell"})
    (True, False)
    """
    # Of alternatives, `:is(.a, .b)`, one may be missing.
    outer = re.sub(r":(?:is|where|has)\([^()]*(?:\([^()]*\)[^()]*)*\)", "", NOT.sub("", selector))
    return all(name in used for name in CLASS.findall(outer))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx, after all that adds a script to a page."""
    app.add_js_file(None, body=OPTIONS, priority=100)
    app.connect("html-page-context", refer, priority=950)
    app.connect("build-finished", write, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
