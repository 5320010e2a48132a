"""Central differences of a function along a direction, with how far they may be off."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Verdict = Literal["agrees", "kink", "unresolved", "differs", "zero", "not finite"]

#: How many steps are tried, each a quarter of the one before, until two of them agree.
RUNGS = 12


@dataclass(frozen=True)
class Stencil:
    """The values at -2, -1, 0, 1 and 2 steps along a direction, and how far they may be off."""

    direction: Any
    values: tuple[float, ...]
    along: Any
    step: Any
    rounding: float
    spread: float = 0.0

    @cached_property
    def slope(self) -> float:
        """The central difference."""
        return float((self.values[3] - self.values[1]) / (2 * self.step))

    @cached_property
    def noise(self) -> float:
        """How far rounding may have moved the slope."""
        return float(self.rounding / self.step)

    @cached_property
    def tolerance(self) -> float:
        """How far the slope may be off, from rounding, a doubled step and a quarter of the step."""
        doubled = (self.values[4] - self.values[0]) / (4 * self.step)
        return float(abs(doubled - self.slope)) + self.spread + self.noise

    def verdict(self, autodiff: float) -> Verdict:
        """Return what the differences say of a derivative."""
        # What is off by as much as half of the derivative can neither confirm nor refute it.
        error, larger = abs(autodiff - self.slope), max(abs(autodiff), abs(self.slope))
        if not np.isfinite(autodiff):
            return "not finite"
        if error and not self.tolerance <= larger / 2:
            return "unresolved"
        if error <= self.tolerance:
            return "agrees"
        return "kink" if self._is_kink(autodiff) else "differs"

    def _is_kink(self, autodiff: float) -> bool:
        left, right = np.diff(self.values[1:4]) / self.step
        lowest, highest = min(left, right) - self.tolerance, max(left, right) + self.tolerance
        bends = [abs(self.values[2 - i] + self.values[2 + i] - 2 * self.values[2]) for i in (1, 2)]
        # Doubling the step doubles the bend at a kink, and quadruples that of a smooth function.
        return bool(lowest <= autodiff <= highest and bends[1] < 3 * bends[0])


@dataclass(frozen=True)
class Sampled:
    """A function with one number as result, at `x`; `eps` is the spacing of floats at 1.

    Its values may be off by `rounding`.
    """

    value: Callable[[Any], float]
    x: Any
    eps: float
    rounding: float

    def settled(self, direction: NDArray[Any] | float) -> Stencil:
        """Return the stencil of the longest step that a shorter one bears out.

        The first step is `eps ** (1 / 3)` times the size of `x`, which balances truncation and
        rounding: Numerical Recipes, 3rd edition, section 5.7.

        >>> f = Sampled(lambda x: float(np.sin(x)), np.float32(1), 1e-7, 1e-7)
        >>> round(f.settled(1.0).slope, 3)
        0.54
        """
        rms = float(np.sqrt(np.mean(np.square(np.float64(self.x))))) or 1.0
        scaled = np.maximum(np.abs(self.x), rms) * direction
        wide = self.stencil(scaled)
        # A step may jump over all that the function does there, or out of its domain.
        for i in range(1, RUNGS):
            fine = self.stencil(scaled / 4**i)
            spread = abs(wide.slope - fine.slope)
            agree = spread <= wide.tolerance + fine.tolerance
            if fine.noise > abs(fine.slope) or (agree and wide.tolerance <= abs(wide.slope) / 2):
                return replace(wide, spread=spread)
            wide = fine
        return wide

    def stencil(self, direction: NDArray[Any] | float) -> Stencil:
        """Return the stencil whose step is `eps ** (1 / 3)` times `direction`."""
        move = np.float64(self.eps ** (1 / 3) * direction)
        points = [np.asarray(self.x + i * move, self.x.dtype) for i in range(-2, 3)]
        # In the type of the argument a step is not quite what it was meant to be.
        double = np.float64(points[3]) - np.float64(points[1])
        step = np.max(np.abs(double)) / 2
        values = tuple(self.value(each) for each in points)
        return Stencil(direction, values, double / 2 / step, step, self.rounding)
