"""Put into a wheel what readers need and is no code: lessons, field guide, records, search.

The rows of the search are those of the site, which `make wheel` builds before: their addresses are
known to Sphinx alone. Whoever builds without them gets a wheel without them, and is told.
"""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: Where a wheel has what a checkout has elsewhere: `traced/python/course_files.py` finds it.
CARRIED = "traced/carried"
COURSE = (
    "notebooks/[0-9]*.ipynb",
    "docs/guide/**/*.md",
    "docs/measured/*.json",
    "docs/measured.md",
    "docs/error.md",
    "docs/faults.md",
    "docs/pictures.ipynb",
    "CHANGELOG.md",
)
ROWS = "_build/site/_static/search-index.js"


class CarryCourse(BuildHookInterface[Any]):
    """Add the course to a wheel; an editable install finds it in the checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files to be added, by where they are."""
        if version == "editable":
            return
        root = Path(self.root)
        if not (root / ROWS).exists():
            self.app.display_warning("without the rows of the search: `make wheel` builds them too")
        build_data["force_include"] |= {
            str(root / source): target for source, target in self.carried(root).items()
        }

    def carried(self, root: Path) -> dict[str, str]:
        """Return the paths of what is added, each with its path in what is built."""
        rows = {ROWS: f"{CARRIED}/search-index.js"} if (root / ROWS).exists() else {}
        if self.target_name == "sdist":
            # All else that git has is in it, and a wheel is made of it as of a checkout.
            return dict.fromkeys(rows, ROWS)
        found = [path for pattern in COURSE for path in sorted(root.glob(pattern))]
        names = [path.relative_to(root).as_posix() for path in found]
        return {name: f"{CARRIED}/{name}" for name in names} | rows
