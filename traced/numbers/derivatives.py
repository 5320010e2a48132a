"""Compare the derivatives that JAX takes with finite differences."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from traced.numbers.finite_differences import Sampled, Stencil, Verdict
from traced.python.calls import require_callable
from traced.python.values import describe_tree
from traced.pytrees.differences import call_with, name_arguments, require_values

Mode = Literal["reverse", "forward"]

#: The error of rounding of a result is taken to be below this many units in its last place.
ROUNDING = 8


@dataclass(frozen=True)
class Derivative:
    """One derivative along one direction in one argument: by autodiff and by differences.

    `direction` is the index of an entry, `random 0`, `random 1`, ... or `any`. `verdict` is
    - `agrees`: the two are apart by no more than `tolerance`;
    - `kink`: the slope jumps there, and autodiff gives one between those of the two sides;
    - `unresolved`: `tolerance` is over half of the derivative, so that nothing can be said;
    - `differs`: the two are apart by more than `tolerance`;
    - `zero`: autodiff gives exactly zero wherever it was asked, and the function varies there;
    - `not finite`: autodiff gives NaN or an infinity, where the function is finite.
    """

    argument: str
    direction: str
    mode: Mode
    verdict: Verdict
    autodiff: float
    differences: float
    tolerance: float

    @property
    def error(self) -> float:
        """How far the two are apart."""
        return abs(self.autodiff - self.differences)


def find_wrong_derivatives(
    f: Callable[..., Any],
    *args: Any,
    modes: tuple[Mode, ...] = ("reverse", "forward"),
    directions: int = 4,
    **kwargs: Any,
) -> list[Derivative]:
    """Return the derivatives that differ, are zero though `f` varies, or are not finite.

    See `find_derivatives` for what is compared, and how.

    >>> find_wrong_derivatives(lambda x: x**2, 3.0)
    []
    >>> [each.verdict for each in find_wrong_derivatives(jax.numpy.round, 3.2)]
    ['zero', 'zero']
    """
    found = find_derivatives(f, *args, modes=modes, directions=directions, **kwargs)
    return [each for each in found if each.verdict in ("differs", "zero", "not finite")]


def find_derivatives(
    f: Callable[..., Any],
    *args: Any,
    modes: tuple[Mode, ...] = ("reverse", "forward"),
    directions: int = 4,
    **kwargs: Any,
) -> list[Derivative]:
    """Return the derivatives of `f` in each argument of floats, compared with central differences.

    An array of at most `directions` entries is tested in each entry, a larger one along that many
    random directions, so that an error in one entry of many may stay below the tolerance. What is
    derived is the result if it is one number, else a sum of its floats with fixed random weights.
    Integers and complex numbers are left out, as is a mode that JAX refuses for `f`, such as
    forward for `jax.custom_vjp`; if it refuses all, its error comes through.

    The tolerance is estimated from results at several steps, see `Stencil`. In float32 an error of
    one in a hundred shows in a smooth function, but not where the derivative is small beside the
    result. `f` is called, jitted if it can be, some ten times for each derivative.

    Raises `TypeError` if `f` takes or returns no float, `ValueError` if its result is not finite.

    >>> (found,) = find_derivatives(jax.numpy.sin, 1.0, modes=("forward",))
    >>> found.argument, found.verdict, found.error < found.tolerance < 1e-3
    ('x', 'agrees', True)
    """
    require_callable(f)
    # What overflows is looked at: it needs no warning.
    with np.errstate(all="ignore"):
        point = _Point(f, args, kwargs)
        possible = point.possible(modes)
        return [
            found for name in point.floats for found in _compare(point, name, possible, directions)
        ]


def _array_like(leaf: Any, numbers: NDArray[Any]) -> Any:
    # `jnp.asarray` would compile the conversion.
    return jax.device_put(np.asarray(numbers, jnp.result_type(leaf)))


class _Point:
    """A function at its arguments: one number, as a function of one leaf of the arguments."""

    def __init__(
        self, f: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> None:
        self.leaves = name_arguments(f, args, kwargs)
        require_values(self.leaves)
        self.refs = {name: x for name, x in self.leaves.items() if isinstance(x, jax.Ref)}
        self.call_with = partial(call_with, f, args, kwargs)
        self.floats = {name: _host(leaf) for name, leaf in self.leaves.items() if _is_float(leaf)}
        if not self.floats:
            raise TypeError(f"`f` must take floats, got {describe_tree((args, kwargs))}")
        self.run, results = self._start()
        # Fixed weights for results and directions: each check of one function says the same. At
        # random, so that errors in several results do not cancel out.
        random = np.random.default_rng(0)
        sole = sum(each.size for each in results) == 1
        self.weights = [np.ones(r.shape) if sole else random.normal(size=r.shape) for r in results]
        self.eps = max(_eps(each) for each in [*self.floats.values(), *results])
        size = sum(np.sum(np.abs(w * r)) for w, r in zip(self.weights, results, strict=True))
        self.rounding = ROUNDING * self.eps * float(size)

    def _start(self) -> tuple[Callable[..., list[Any]], list[Any]]:
        run: Callable[..., list[Any]] = jax.jit(self.results)
        at = self._at(self.floats)
        try:
            results = run(at)
        except Exception:
            # Differences ask for values only, so that Python may branch on them.
            run, results = self.results, self.results(at)
        if not results:
            raise TypeError(f"`f` must return floats, got {describe_tree(self.call(at))}")
        if not all(np.isfinite(each).all() for each in map(_host, results)):
            raise ValueError("`f` must return finite floats at these arguments")
        return run, list(map(_host, results))

    def _at(self, floats: dict[str, Any]) -> dict[str, Any]:
        # A Python float stays one: it is of weak type, and must not widen what it meets.
        return {
            name: float(x) if type(self.leaves[name]) is float else jax.device_put(x)
            for name, x in floats.items()
        }

    def call(self, floats: dict[str, Any]) -> Any:
        # What `f` writes to a Ref is written to a copy of it.
        refs = {name: jax.new_ref(ref[...]) for name, ref in self.refs.items()}
        return self.call_with({**refs, **floats})

    def results(self, floats: dict[str, Any]) -> list[Any]:
        return [leaf for leaf in jax.tree.leaves(self.call(floats)) if _is_float(leaf)]

    def sampled(self, name: str) -> Sampled:
        def value(x: NDArray[Any]) -> float:
            return self._sum(self.run(self._at({**self.floats, name: x})))

        return Sampled(value, self.floats[name], self.eps, self.rounding)

    def _sum(self, results: list[Any]) -> float:
        pairs = zip(self.weights, results, strict=True)
        return float(sum(np.sum(weight * np.float64(each)) for weight, each in pairs))

    def derivative(self, name: str, x: NDArray[Any], along: NDArray[Any], mode: Mode) -> float:
        def call(leaf: Any) -> list[Any]:
            return self.results({name: leaf})

        (leaf,) = self._at({name: x}).values()
        if mode == "forward":
            tangent = _array_like(leaf, along)
            return self._sum(jax.jvp(call, (leaf,), (tangent,))[1])
        results, pull_back = jax.vjp(call, leaf)
        weights = zip(self.weights, results, strict=True)
        (gradient,) = pull_back([_array_like(r, w) for w, r in weights])
        return float(np.sum(np.float64(gradient) * along))

    def possible(self, modes: tuple[Mode, ...]) -> tuple[Mode, ...]:
        refusals = {mode: self._refusal(mode) for mode in modes}
        if all(refusals.values()):
            raise next(error for error in refusals.values() if error)
        return tuple(mode for mode in modes if refusals[mode] is None)

    def _refusal(self, mode: Mode) -> Exception | None:
        name, x = next(iter(self.floats.items()))
        try:
            self.derivative(name, x, np.zeros(x.shape), mode)
        except Exception as error:
            return error
        return None


def _is_float(leaf: object) -> bool:
    if isinstance(leaf, jax.Ref):
        return False
    try:
        return bool(jnp.issubdtype(jax.typeof(leaf).dtype, jnp.floating))
    except TypeError:
        return False


def _host(leaf: jax.Array | NDArray[Any] | float) -> Any:
    return np.asarray(leaf, jnp.result_type(leaf))


def _eps(array: NDArray[Any]) -> float:
    return float(jnp.finfo(array.dtype).eps)  # type: ignore[no-untyped-call]  # JAX gives no types


def _directions(x: NDArray[Any], count: int) -> Iterator[tuple[str, Any]]:
    if x.size > count:
        random = np.random.default_rng(0)
        yield from ((f"random {i}", random.choice([-1.0, 1.0], x.shape)) for i in range(count))
        return
    for index in np.ndindex(x.shape):
        direction = np.zeros(x.shape)
        direction[index] = 1.0
        yield f"[{', '.join(map(str, index))}]" if index else "", direction


def _compare(point: _Point, name: str, modes: tuple[Mode, ...], count: int) -> Iterator[Derivative]:
    sampled = point.sampled(name)
    ways = dict(_directions(sampled.x, count))
    stencils = {label: sampled.settled(way) for label, way in ways.items()}
    for mode in modes:
        if slope := _slope_of_steps(point, name, mode):
            yield Derivative(name, "any", mode, "zero", 0.0, slope, 0.0)
            continue
        for label, stencil in stencils.items():
            seen = _judge(point, name, label, mode, stencil)
            yield _judge_again(point, seen, stencil) if seen.verdict == "differs" else seen


def _judge(point: _Point, name: str, label: str, mode: Mode, stencil: Stencil) -> Derivative:
    autodiff = point.derivative(name, point.floats[name], stencil.along, mode)
    verdict = stencil.verdict(autodiff)
    return Derivative(name, label, mode, verdict, autodiff, stencil.slope, stencil.tolerance)


def _judge_again(point: _Point, seen: Derivative, stencil: Stencil) -> Derivative:
    # A kink beside the point looks like an error, until the step is shorter than the way there.
    for part in (16, 64):
        fine = point.sampled(seen.argument).stencil(stencil.direction / part)
        again = _judge(point, seen.argument, seen.direction, seen.mode, fine)
        if again.error < abs(again.differences - seen.differences):
            return again
    return seen


def _slope_of_steps(point: _Point, name: str, mode: Mode) -> float:
    """Return the steepest slope seen if the function moves in steps with derivative zero, or 0."""
    sampled, random, slopes = point.sampled(name), np.random.default_rng(1), [0.0]
    x, here = sampled.x, sampled.value(sampled.x)
    if point.derivative(name, x, random.normal(size=x.shape), mode) != 0:
        return 0.0
    # The next step may be near or far: try several lengths in several directions.
    for length in (0.1, 0.3, 1.0, 3.0) * 4:
        along = random.normal(size=x.shape)
        there = np.asarray(x + length * along * np.maximum(np.abs(x), 1.0), x.dtype)
        rise = sampled.value(there) - here
        if abs(rise) > point.rounding:
            slopes.append(rise / length)
            if _has_slope(point, name, mode, there, along):
                return 0.0
    return max(slopes, key=abs)


def _has_slope(
    point: _Point, name: str, mode: Mode, there: NDArray[Any], along: NDArray[Any]
) -> bool:
    sampled, here = point.sampled(name), point.floats[name]
    for _ in range(12):
        if point.derivative(name, there, along, mode) != 0:
            return True
        # Between two flat parts there may be a slope: halve the way to where the value changes.
        middle = np.asarray((np.float64(here) + there) / 2, here.dtype)
        rises = abs(sampled.value(middle) - sampled.value(here)) > point.rounding
        here, there = (here, middle) if rises else (middle, there)
    return False
