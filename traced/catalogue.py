"""Every finding by its code, read from `catalogue.toml`."""

import tomllib
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True)
class Entry:
    """What is always true of a finding, whatever code it was found in."""

    headline: str
    rule: str
    lesson: str = ""  # where none explains it yet, the field guide does
    section: str = ""


_TEXT = files("traced").joinpath("catalogue.toml").read_text("utf-8")

CATALOGUE: dict[str, Entry] = {code: Entry(**row) for code, row in tomllib.loads(_TEXT).items()}
