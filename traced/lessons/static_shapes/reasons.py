"""Why a value differs, where a check of this lesson can tell."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from traced.findings.feedback import Found


@contextlib.contextmanager
def reason(tell: Callable[..., Found | None], *args: Any) -> Iterator[None]:
    """Raise what `tell(*args)` returns, if anything, in place of `value/differs` in the block."""
    try:
        yield
    except Found as found:
        known = tell(*args) if found.finding.code == "value/differs" else None
        raise known or found from None
