"""Questions that an exercise asks of an answer, and that `traced.ask` puts to any function.

Those about Flax NNX are in `traced.modules.questions`, so that the others do not import Flax.
"""

from traced.numbers.questions import derives_its_values, stays_finite
from traced.programs.questions import (
    donates,
    equations_like,
    grows_linearly,
    keeps_its_size,
    needs_at_most,
)
from traced.purity.questions import captures_at_most, changes_nothing, follows_changes
from traced.pytrees.questions import compare, returns
from traced.randomness.questions import spends_each_key_once
from traced.static_shapes.questions import can_be_traced
from traced.tracing.questions import traces_at_most, uses_jit, works_under_jit

__all__ = [
    "can_be_traced",
    "captures_at_most",
    "changes_nothing",
    "compare",
    "derives_its_values",
    "donates",
    "equations_like",
    "follows_changes",
    "grows_linearly",
    "keeps_its_size",
    "needs_at_most",
    "returns",
    "spends_each_key_once",
    "stays_finite",
    "traces_at_most",
    "uses_jit",
    "works_under_jit",
]
