"""Lay the two sides of each entry of the phrasebook beside each other.

A side begins with a paragraph of one bold name, and goes on with its programs and what they print.
"""

from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx

PAGE = "docs/phrasebook"


def lay_out(app: Sphinx, doctree: nodes.document) -> None:
    """Put the sides of each entry into a box of their own, and each side into one within it."""
    if app.env.docname != PAGE:
        return
    for section in list(doctree.findall(nodes.section)):
        sides = list(read_sides(section))
        if sides:
            box = nodes.container(classes=["sides"])
            section.insert(section.index(sides[0][0]), box)
            for parts in sides:
                for part in parts:
                    section.remove(part)
                box += nodes.container("", *parts, classes=["side"])


def read_sides(section: nodes.section) -> Iterator[list[nodes.Node]]:
    """Yield the nodes of each side of an entry: its name, and the programs that follow."""
    side: list[nodes.Node] = []
    for node in section.children:
        if is_name(node):
            if side:
                yield side
            side = [node]
        elif side and isinstance(node, nodes.literal_block):
            side.append(node)
        elif side:
            break
    if side:
        yield side


def is_name(node: nodes.Node) -> bool:
    """Tell whether a node is a paragraph of a bold name and nothing else."""
    children = node.children if isinstance(node, nodes.paragraph) else []
    # MyST puts empty texts around what is bold.
    shown = [child for child in children if child.astext()]
    return len(shown) == 1 and isinstance(shown[0], nodes.strong)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("doctree-read", lay_out)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
