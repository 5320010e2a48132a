"""Replace the rows that have a negative entry by their softmax, at no cost if none has."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import fault
from traced.lessons.branches.solutions.mend import mend as solution
from traced.lessons.one_program import as_one_program
from traced.numbers.slopes import require_slopes_along
from traced.programs.executed import find_executed
from traced.programs.jaxprs import find_equations
from traced.questions import returns
from traced.running.attempt import attempt

#: Rows with a negative entry: among probabilities, in the last place, and close to zero.
_MIXED = jnp.array([[0.25, 0.25, 0.5], [-1.0, 1.0, 1.0], [0.0, 1.0, 0.0], [0.5, 0.5, -1e-6]])

#: Not one has a negative entry, whatever else may be wrong with it.
_GOOD = jnp.array([[0.25, 0.75, 0.0], [0.0, 1.0, 0.0], [-0.0, 0.5, 0.5], [0.9, 0.3, 2.0]])
_WILD = jnp.concatenate(
    [jnp.array([[jnp.nan, 0.5], [jnp.inf, 0.5], [20.0, 0.0]]), jnp.ones((97, 2))]
)

#: A large entry in a batch of one row, so that a finding shows all of it.
_ONE = jnp.array([[-0.5, 1.5, 100.0, -0.25]])

#: Two large entries beside a negative one, none but large negative ones, and two rows far apart.
_LARGE = jnp.array(
    [
        [-1.0, 200.0, 201.0],
        [-300.0, -301.0, -302.0],
        [-3e38, 3e38, 0.0],
        [-1.0, 20_000.0, 20_001.0],
    ]
)

#: A long row whose last entry alone is negative.
_LONG = jnp.linspace(1.0, -0.001, 257)[None]

#: A negative entry close to zero, alone in its batch, so that a finding shows what became of it.
_SLIGHT = jnp.array([[0.5, 0.25, 0.25, -1e-30]])

#: Beside a row to repair, NaN and infinity in rows that are kept.
_UNTAMED = jnp.array(
    [[jnp.nan, 0.5, 0.0], [-1.0, 1.0, 1.000001], [jnp.inf, 0.5, 0.0], [0.25, 0.25, 0.5]]
)

_SQUARE = jnp.array([[0.25, 0.75], [-1.0, 1.0]])

#: More rows to repair than anybody expects.
_MANY = jnp.tile(jnp.array([[0.25, 0.75], [-1.0, 1.0], [0.5, 0.5], [0.5, -0.25]]), (25, 1))

#: What computes an exponential, and what may compute anything, out of sight.
_EXPONENTIALS = frozenset({"exp", "exp2", "expm1", "pow", "logistic", "tanh", "sinh", "cosh"})
_CALLBACKS = frozenset({"pure_callback", "io_callback"})


_OUTSIDE = "what stands outside of the branches of a `cond` runs always, whichever of them is taken"


def _mended(rows: Any) -> Any:
    rows = np.array(rows)
    broken = (rows < 0).any(axis=1)
    with np.errstate(over="ignore"):  # the difference of two numbers may be out of range
        powers = np.exp(rows[broken] - rows[broken].max(axis=1, keepdims=True))
    rows[broken] = powers / powers.sum(axis=1, keepdims=True)
    return rows


def _runs_no_exponential_for_good_rows(answer: Any) -> None:
    """Require that no exponential runs for rows without a negative entry, also under `jit`."""
    for rows in (_GOOD, _WILD):
        executed = attempt(find_executed, jax.jit(lambda rows: answer(rows)), rows)
        # Under `vmap`, a function of JAX that is itself a branch leaves no line of the reader's.
        last = next((place for place in reversed(executed.values()) if place), None)
        for primitive in sorted((_EXPONENTIALS | _CALLBACKS) & executed.keys()):
            ran = {primitive: "runs, though no row has a negative entry"}
            if rows is _WILD:
                ran["given"] = "100 rows, one with a NaN, one with an infinity, one with 20"
            found = attempt(find_equations, lambda rows: answer(rows), rows)
            within = [each.within for each in found if each.primitive == primitive]
            branches = any(each.primitive == "cond" for each in found)
            outside = branches and not all("cond" in each for each in within)
            told = fault("branches/both-run", executed[primitive] or last, **ran)
            raise told.saying(rule=_OUTSIDE) if outside else told


def _derives_the_softmax(answer: Any) -> None:
    """Require the derivative along one direction."""
    along = np.array([[1.0, 2.0], [3.0, 0.5]], np.float32)
    share = 1 / (1 + np.exp(2.0))  # what the softmax gives the first of -1 and 1
    wanted = np.stack([along[0], np.array([2.5, -2.5]) * share * (1 - share)])
    require_slopes_along(answer, (_SQUARE,), (along,), wanted)


mend = Exercise(
    name="mend",
    questions=(
        returns(
            _mended,
            (_SLIGHT,),
            (_ONE,),
            (_MIXED,),
            (_GOOD,),
            (_LARGE,),
            (_UNTAMED,),
        ),
        _runs_no_exponential_for_good_rows,
        as_one_program(returns(_mended, (_LONG,), (_SQUARE,), (_MANY,))),
        _derives_the_softmax,
    ),
    hints=(
        "Look for `cond` and for `exp` in the jaxpr of the function. Where does the `exp` stand?",
        "`jnp.any` turns the question about each row into one about the batch; "
        "`lax.map` asks row by row.",
        "One `cond` with a single truth value. The branch for true computes the softmax of all "
        "rows and chooses; the other returns what it was given.",
    ),
    verified="right rows for nine batches, with NaN and infinity beside them, and right "
    "derivatives; no exponential runs where no row has a negative entry",
    answer=solution,
)
