"""Lead from the first use of a term on a page to the glossary, with what it means as a preview."""

import re
from functools import cache
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

PAGE = "docs/glossary"
#: A term, and below it, set in, its meaning.
ENTRY = re.compile(r"^(\w[\w ]*)\n((?:  .*\n)+)", re.MULTILINE)
LINK = re.compile(r"\s*\[[^\]]+\]\([^)]*\)")
#: What is a verb, too, is a term where one of these stands before it.
VERBS = ("carry", "finding")
NOUN = "".join(rf"(?<=\b{word} )|" for word in ("the", "The", "a", "A", "its", "one")).rstrip("|")
#: Of what a term may stand in, what is no prose or leads elsewhere.
OTHER = (nodes.title, nodes.reference, nodes.literal, nodes.literal_block, nodes.strong, nodes.term)


@cache
def read_terms(file: Path) -> dict[str, str]:
    """Return the terms with their meanings, those of several words first."""
    text = file.read_text("utf-8") if file.exists() else ""
    terms = {
        term: " ".join(LINK.sub("", meaning).replace("`", "").split())
        for term, meaning in ENTRY.findall(text)
    }
    return dict(sorted(terms.items(), key=lambda item: -len(item[0])))


def link_terms(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Make a link of the first use of each term in the text of a page."""
    if app.builder.format != "html" or page in (PAGE, app.config.root_doc):
        return
    terms = read_terms(Path(app.srcdir, f"{PAGE}.md"))
    left = {
        term: re.compile(rf"{f'(?:{NOUN})' if term in VERBS else ''}\b{re.escape(term)}s?\b")
        for term in terms
    }
    for text in list(doctree.findall(nodes.Text)):
        if is_prose(text):
            parts = split(app, page, text, left, terms)
            if len(parts) > 1:
                text.parent.replace(text, parts)


def is_prose(text: nodes.Text) -> bool:
    """Return whether a text stands in a paragraph, and in nothing that is set apart there."""
    above, inside = text.parent, False
    while above is not None:
        if isinstance(above, OTHER):
            return False
        inside = inside or isinstance(above, nodes.paragraph)
        above = above.parent
    return inside


def split(
    app: Sphinx,
    page: str,
    text: nodes.Text,
    left: dict[str, re.Pattern[str]],
    terms: dict[str, str],
) -> list[nodes.Node]:
    """Return the parts of a text, of which the first uses of terms are links."""
    for term, pattern in left.items():
        if found := pattern.search(text):
            del left[term]
            before, after = nodes.Text(text[: found.start()]), nodes.Text(text[found.end() :])
            address = app.builder.get_relative_uri(page, PAGE) + f"#term-{term.replace(' ', '-')}"
            link = nodes.reference("", found[0], refuri=address, internal=True, classes=["word"])
            link["reftitle"] = terms[term]
            return [
                *split(app, page, before, left, terms),
                link,
                *split(app, page, after, left, terms),
            ]
    return [text]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("doctree-resolved", link_terms)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
