"""Where the files lie that belong to the course and are no code: lessons, field guide, records."""

from pathlib import Path

PACKAGE = Path(__file__).parents[1]
#: Where a wheel has them; they are put there by `build_wheel.py`.
CARRIED = PACKAGE / "carried"


def course_file(path: str) -> Path:
    """Return where a file or a folder of the course lies: in the wheel, or else in the checkout.

    >>> course_file("docs/guide/index.md").exists()
    True
    """
    return (CARRIED if CARRIED.exists() else PACKAGE.parent) / path
