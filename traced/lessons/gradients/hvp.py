"""Write the product of a Hessian and a vector, without the Hessian."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

from traced.course.exercise import Exercise
from traced.findings.feedback import require
from traced.lessons.gradients.solutions.hvp import hvp as solution
from traced.programs.jaxprs import find_equations
from traced.questions import can_be_traced, compare
from traced.running.attempt import attempt


def _curved(x: Any) -> Any:
    return jnp.sum(jnp.sin(x[0] * x[1:]) * x[:-1] ** 2)


def _cubes(x: Any) -> Any:
    return jnp.sum(x**3)


def _of_tree(params: Any) -> Any:
    hidden = jnp.tanh(params["w"] @ np.array([1.0, -0.5], np.float32) + params["b"])
    return jnp.sum(hidden**2) * params["scale"][0][0]


_TREE = {
    "w": jnp.array([[0.5, -1.0], [0.25, 2.0], [1.0, 0.0]]),
    "b": jnp.array([0.1, -0.2, 0.3]),
    "scale": (jnp.array([1.5]),),
}
_OTHER = {
    "w": jnp.array([[1.0, 0.0], [-1.0, 0.5], [0.0, 2.0]]),
    "b": jnp.array([2.0, -1.0, 0.5]),
    "scale": (jnp.array([-1.0]),),
}
_CASES = (
    (lambda x: x**3, jnp.float32(1.5), jnp.float32(0.5)),
    (_curved, jnp.array([1.0, 0.5, -2.0, 0.25]), jnp.array([1.0, -1.0, 0.5, 3.0])),
    (_curved, jnp.array([1.0, 0.5, -2.0, 0.25]), jnp.zeros(4)),
)
_TREES = ((_of_tree, _TREE, _OTHER), (_of_tree, _OTHER, _TREE))
#: Entries, of which a Hessian would have this many squared.
N = 300


@partial(jax.jit, static_argnums=0)
def _product(f: Any, x: Any, v: Any) -> Any:
    """Return the product from the whole matrix."""
    flat, rebuilt = ravel_pytree(x)
    matrix = jax.hessian(lambda flat: f(rebuilt(flat)))(flat)
    return rebuilt(matrix @ ravel_pytree(v)[0])


def _multiplies(*cases: tuple[Any, ...]) -> Any:
    def question(answer: Any) -> None:
        for f, x, v in cases:
            # Of one program, so that an answer without `jit` compiles few.
            got = attempt(answer, jax.jit(f), x, v)
            compare(_product(f, x, v), got, given=f"x = {x}, v = {v}")

    return question


def _multiplies_many(answer: Any) -> None:
    """Require the product for hundreds of entries, where no matrix is needed to know it."""
    x, v = 300 * np.sin(np.arange(2 * 301, dtype=np.float32)).reshape(2, 301)
    got = attempt(answer, jax.jit(_cubes), jnp.asarray(x), jnp.asarray(v))
    compare(6 * x * v, got, given=f"f = the sum of cubes, x and v of {x.size} entries")


def _along(answer: Any) -> Any:
    return lambda x, v: answer(_curved, x, v)


def _makes_no_matrix(answer: Any) -> None:
    """Require that no equation has a result of the size of the Hessian."""
    x = jnp.ones(N)
    eqns = attempt(find_equations, _along(answer), x, x)
    sizes = [max(_size(var) for var in [*each.eqn.outvars, None]) for each in eqns]
    largest = max(sizes, default=0)
    where = [eqns[sizes.index(largest)].place] if sizes else []
    seen = {"x": f"{N} entries", "largest array": f"{largest} entries"}
    require(largest < N * N // 4, "cost/memory", *where, **seen)


def _size(var: Any) -> int:
    return int(np.prod(getattr(getattr(var, "aval", None), "shape", ())))


def _can_be_traced(answer: Any) -> None:
    can_be_traced(*_CASES[1][1:])(_along(answer))


hvp = Exercise(
    name="hvp",
    questions=(
        _multiplies(*_CASES),
        _multiplies(*_TREES),
        _multiplies_many,
        _can_be_traced,
        _makes_no_matrix,
    ),
    hints=(
        "The Hessian is the Jacobian of the gradient, and its product with `v` is how the gradient "
        "changes along `v`.",
        "`jax.jvp` returns how the result of a function changes along a direction. Arguments and "
        "directions are tuples, and each may hold a tree.",
        "One call of forward mode, of which the second result is wanted. Its function is the one "
        "that `grad` returns.",
    ),
    verified="right products for six functions and points, two of them trees; they can be traced, "
    "and no array has the size of the Hessian",
    answer=solution,
)
