"""Questions that an exercise asks of an answer, and that `traced.ask` puts to any function.

Those about Flax NNX are in `traced.questions.modules`, so that the others do not import Flax.
"""

from traced.questions.cost import captures_at_most, donates, needs_at_most
from traced.questions.effects import changes_nothing
from traced.questions.equations import equations_like, grows_linearly, keeps_its_size
from traced.questions.keys import spends_each_key_once
from traced.questions.numbers import derives_its_values, stays_finite
from traced.questions.reads import follows_changes
from traced.questions.shapes import can_be_traced
from traced.questions.traces import traces_at_most, uses_jit, works_under_jit
from traced.questions.values import compare, returns

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
