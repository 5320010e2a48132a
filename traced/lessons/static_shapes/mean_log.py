"""Average the logarithms of the first entries of each row, whatever the padding behind them is."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.course.exercise import Exercise
from traced.findings.feedback import Found, fault
from traced.lessons.one_program import as_one_program
from traced.lessons.static_shapes.reasons import reason
from traced.lessons.static_shapes.solutions.mean_log import mean_log as solution
from traced.numbers.nans import find_first_nan
from traced.questions import can_be_traced, compare, derives_its_values, returns
from traced.running.attempt import attempt

_LENGTHS = jnp.array([3, 1, 4])

#: Entries far from one, whose product overflows, the smallest and the largest among them; and two
#: that are nearly equal.
_FAR = [[1e-12, 1e12, 3.0, 3.000001], [2e-38, 0, 0, 0], [3e38, 1e25, 0, 0]]

#: The example of the page, entries far from one, and one row, longer than a byte can count.
_OTHERS = (
    (jnp.array([[1.0, 0.0], [1.0, 1.0]]), jnp.array([1, 2])),
    (jnp.array(_FAR), jnp.array([4, 1, 2])),
    (jnp.linspace(2.0, 1.0, 301)[None], jnp.array([300])),
)


def _padded(padding: float) -> Any:
    """Return three rows, with `padding` behind the entries that each length counts."""
    x = np.array([[2.0, 1.0, 4.0, 0.5], [3.0, 0.5, 2.0, 1.5], [1.0, 2.0, 3.0, 5.0]], np.float32)
    given = np.arange(4) < np.asarray(_LENGTHS)[:, None]
    return jnp.asarray(np.where(given, x, np.float32(padding)))


def _mean_log(x: Any, lengths: Any) -> Any:
    return np.stack(
        [np.log(row[:n]).mean() for row, n in zip(np.asarray(x), np.asarray(lengths), strict=True)]
    )


def _ignores_the_padding(answer: Any) -> None:
    for padding in (1.0, 2.0, 0.0, -1.0, np.inf, -np.inf, np.nan):
        x = _padded(padding)
        got = attempt(answer, x, _LENGTHS)
        given = f"lengths = {_LENGTHS}, padding of {padding}"
        with reason(_fault_of_padding, answer, padding, got):
            compare(_mean_log(x, _LENGTHS), got, given=given)


def _fault_of_padding(answer: Any, padding: float, got: Any) -> Found | None:
    """Return what differs between the results with this padding and with another one."""
    other = 2.0 if padding == 1.0 else 1.0
    also = attempt(answer, _padded(other), _LENGTHS)
    if np.array_equal(got, also, equal_nan=True):
        return None
    seen = [(other, also), (padding, got)]
    saw = {f"padding_of_{fill}": np.array2string(result, precision=2) for fill, result in seen}
    return fault("shapes/padding-counts", **saw)


def _is_finite_one_by_one(answer: Any) -> None:
    """Require finite numbers on the way where JAX runs one operation after the other."""
    for padding in (0.0, -1.0, np.inf, np.nan):
        # Compiled as a whole, a product with a mask may have become a selection.
        with jax.disable_jit():
            got = attempt(answer, _padded(padding), _LENGTHS)
            if np.isfinite(got).all():
                continue
            found = attempt(find_first_nan, answer, _padded(padding), _LENGTHS)
        if found is not None:
            since = f", since {found.primitive}: {found.result}" if found.primitive else ""
            begins = f"{got}{since}"
            saw = {"padding": padding, "compiled": "finite", "one_by_one": begins}
            raise fault("shapes/mask-product", found.place, **saw)


def _has_a_finite_gradient(answer: Any) -> None:
    gradient = jax.grad(lambda x: answer(x, _LENGTHS).sum())
    for padding in (0.0, np.nan):
        # Step by step, since a whole that is compiled may have a selection for a product.
        found = attempt(find_first_nan, gradient, _padded(padding))
        if found is not None:
            got = attempt(gradient, _padded(padding))
            saw = {"padding": padding, "derivative": np.array2string(np.asarray(got), precision=2)}
            raise fault("derivatives/not-finite", found.place, **saw)


def _derives_its_values(answer: Any) -> None:
    derives_its_values(_padded(1.5))(jax.jit(lambda x: answer(x, _LENGTHS)))


mean_log = Exercise(
    name="mean_log",
    questions=(
        can_be_traced(_padded(1.0), _LENGTHS),
        returns(_mean_log, (_padded(2.0), jnp.array([4, 4, 4]))),
        _ignores_the_padding,
        as_one_program(returns(_mean_log, *_OTHERS)),
        _is_finite_one_by_one,
        _has_a_finite_gradient,
        _derives_its_values,
    ),
    hints=(
        "Which entries reach the logarithm, which reach the sum, and what is the sum divided by? "
        "Padding may show in all three, and once more in the derivative.",
        "`jnp.arange(x.shape[1])` compared with a column of lengths gives the mask. `jnp.where` "
        "selects, and `jnp.mean` takes `where=`.",
        "Mask; a safe operand in which padding became a number with a harmless logarithm; "
        "then the mean over each row, of what the mask lets through.",
    ),
    verified="right values with seven kinds of padding, and one by one; finite derivatives",
    answer=solution,
)
