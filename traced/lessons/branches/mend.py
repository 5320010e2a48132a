"""Replace the rows that have a negative entry by their softmax, at no cost if none has."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import fault
from traced.lessons.branches.solutions.mend import mend as solution
from traced.programs.executed import find_executed
from traced.questions import returns
from traced.running.attempt import attempt

#: Rows with a negative entry: among probabilities, in the last place, close to zero, and large.
_MIXED = jnp.array(
    [[0.25, 0.25, 0.5], [-1.0, 1.0, 1.0], [0.0, 1.0, 0.0], [0.5, 0.5, -1e-6], [-1.0, 1.0, 100.0]]
)

#: Not one has a negative entry, whatever else may be wrong with it.
_GOOD = jnp.array([[0.25, 0.75], [0.0, 1.0], [-0.0, 0.5], [0.9, 0.3]])

_ONE = jnp.array([[-0.5, 1.5, 0.25, -0.25]])

#: Two large entries beside a negative one, none but large negative ones, and two rows far apart.
_LARGE = jnp.array([[-1.0, 200.0, 201.0], [-300.0, -301.0, -302.0], [-1e30, 1e30, 0.0]])

#: A negative entry close to zero, alone in its batch, so that a finding shows what became of it.
_SLIGHT = jnp.array([[0.5, 0.5, -1e-7]])

#: Beside a row to repair, NaN and infinity in rows that are kept.
_UNTAMED = jnp.array([[jnp.nan, 0.5], [-1.0, 1.0], [jnp.inf, 0.5]])

#: What computes an exponential, and what may compute anything, out of sight.
_EXPONENTIALS = frozenset({"exp", "exp2", "expm1", "pow", "logistic", "tanh", "sinh", "cosh"})
_CALLBACKS = frozenset({"pure_callback", "io_callback"})


def _mended(rows: Any) -> Any:
    rows = np.array(rows)
    broken = (rows < 0).any(axis=1)
    powers = np.exp(rows[broken] - rows[broken].max(axis=1, keepdims=True))
    rows[broken] = powers / powers.sum(axis=1, keepdims=True)
    return rows


def _runs_no_exponential_for_good_rows(answer: Any) -> None:
    """Require that no exponential runs for rows without a negative entry, also under `jit`."""
    executed = attempt(find_executed, jax.jit(lambda rows: answer(rows)), _GOOD)
    # Under `vmap`, a function of JAX that is itself a branch leaves no line of the reader's.
    last = next((place for place in reversed(executed.values()) if place), None)
    for primitive in sorted((_EXPONENTIALS | _CALLBACKS) & executed.keys()):
        ran = {primitive: "runs, though no row has a negative entry"}
        raise fault("branches/both-run", executed[primitive] or last, **ran)


mend = Exercise(
    name="mend",
    questions=(
        returns(_mended, (_SLIGHT,), (_MIXED,), (_GOOD,), (_ONE,), (_LARGE,), (_UNTAMED,)),
        _runs_no_exponential_for_good_rows,
    ),
    hints=(
        "Look for `cond` and for `exp` in the jaxpr of the function. Where does the `exp` stand?",
        "`jnp.any` turns the question about each row into one about the batch; "
        "`lax.map` asks row by row.",
        "One `cond` with a single truth value. The branch for true computes the softmax of all "
        "rows and chooses; the other returns what it was given.",
    ),
    verified="right rows for six batches, with NaN and infinity beside them; no exponential runs "
    "where no row has a negative entry",
    answer=solution,
)
