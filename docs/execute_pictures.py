"""Execute the page of pictures, as a lesson is executed, and store its outputs beside it."""

import sys
from pathlib import Path

PAGE = Path(__file__).with_name("pictures.md")
sys.path.append(str(PAGE.parents[1] / "notebooks"))


def main() -> None:
    """Execute the page, and say whether its outputs changed."""
    import execute

    _, changed = execute.execute(PAGE)
    if changed:
        print(f"stored {PAGE.name}", flush=True)


if __name__ == "__main__":
    main()
