"""The script, run as a file of the reader's own, so that the tools look inside it."""

import linecache
from pathlib import Path
from types import ModuleType
from typing import Any

#: What the tools call its file.
NAME = "digits.py"


def load() -> Any:
    """Run the script as a module that belongs to no library.

    >>> load().run.__code__.co_filename
    'digits.py'
    """
    source = (Path(__file__).parent / NAME).read_text("utf-8")
    # Without a time of change, the lines stay.
    linecache.cache[NAME] = (len(source), None, source.splitlines(keepends=True), NAME)
    module = ModuleType("digits")
    module.__file__ = NAME
    exec(compile(source, NAME, "exec"), module.__dict__)
    return module


digits = load()
