"""Read the rows of a picture's HTML, and compare them with the lines of its text."""

from html.parser import HTMLParser


class Reader(HTMLParser):
    """Collects the cells of each row of a table, and what the paragraphs say."""

    def __init__(self):
        super().__init__()
        self.rows, self.notes, self.tags, self.open = [], [], [], None

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self.open = "cell"
        elif tag == "p":
            self.notes.append("")
            self.open = "note"

    def handle_endtag(self, tag):
        if tag in ("td", "th", "p"):
            self.open = None

    def handle_data(self, data):
        if self.open == "cell":
            self.rows[-1][-1] += data
        elif self.open == "note":
            self.notes[-1] += data


def read(html):
    """Return the reader that has read some HTML."""
    reader = Reader()
    reader.feed(html)
    return reader


def assert_twins(picture):
    """Assert that text and HTML of a picture have the same facts, in the same order."""
    reader = read(picture._repr_html_())
    lines = repr(picture).splitlines()
    assert len(lines) == len(reader.rows) + len(reader.notes)
    for row, line in zip(reader.rows, lines, strict=False):
        words = " ".join(row).split()
        drawn = line.translate(str.maketrans("", "", "│├└─")).split()
        assert drawn == words
    assert lines[len(reader.rows) :] == reader.notes
