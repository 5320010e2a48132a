"""Questions about what values do not show: keys, effects, derivatives, and where NaN begins."""

from traced.questions import (
    changes_nothing,
    derives_its_values,
    spends_each_key_once,
    stays_finite,
)

__all__ = ["changes_nothing", "derives_its_values", "spends_each_key_once", "stays_finite"]
