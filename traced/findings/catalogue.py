"""Every finding by its code, read from `catalogue.toml`."""

import tomllib
from dataclasses import dataclass, field
from importlib.resources import files


@dataclass(frozen=True)
class Entry:
    """What is always true of a finding, whatever code it was found in."""

    headline: str
    rule: str
    lesson: str = ""  # where none explains it yet, the field guide does
    section: str = ""
    also: dict[str, str] = field(default_factory=dict)  # sections by lesson, for its exercises
    page: str = ""  # that of the error it is, where the two have one

    def read_in(self, lesson: str) -> str:
        """Return what to read: in the lesson of that name if it explains it, or else elsewhere.

        >>> Entry("a headline", "a rule", "02_tracing", "A section").read_in("purity")
        '02_tracing, “A section”'
        """
        own = {name.partition("_")[2]: (name, section) for name, section in self.also.items()}
        name, section = own.get(lesson, (self.lesson, self.section))
        return f"{name}, “{section}”" if name else ""


_TEXT = files("traced.findings").joinpath("catalogue.toml").read_text("utf-8")

CATALOGUE: dict[str, Entry] = {code: Entry(**row) for code, row in tomllib.loads(_TEXT).items()}


def page_of(name: str) -> str:
    """Return the page of the field guide on a finding, by its code, or on what else has that name.

    >>> page_of("keys/reused"), page_of("carry-type")
    ('keys-reused', 'carry-type')
    """
    entry = CATALOGUE.get(name)
    return (entry and entry.page) or name.replace("/", "-")
