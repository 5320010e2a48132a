"""Central differences along a direction."""

import numpy as np
import pytest

from traced.numbers.finite_differences import Sampled


def settled(f, x, eps=1.2e-7):
    with np.errstate(all="ignore"):
        return Sampled(lambda x: float(f(np.float64(x))), np.float32(x), eps, eps).settled(1.0)


CASES = [(np.sin, 1.0, np.cos(1)), (np.exp, 3.0, np.exp(3)), (lambda x: 7 * x, 0.0, 7.0)]


@pytest.mark.parametrize(("f", "x", "slope"), CASES)
def test_a_slope_is_within_its_tolerance(f, x, slope):
    stencil = settled(f, x)
    assert abs(stencil.slope - slope) <= stencil.tolerance < 0.01 * slope


def test_a_step_that_jumps_over_a_wave_is_shortened():
    assert settled(np.cos, 1e5).step < 1.0


def test_a_step_that_leaves_the_domain_is_shortened():
    assert settled(lambda x: np.log(x - 0.999), 1.0).verdict(1000.0) == "agrees"


@pytest.mark.parametrize(
    ("autodiff", "verdict"),
    [(1.0, "agrees"), (1.1, "differs"), (-1.0, "differs"), (np.inf, "not finite")],
)
def test_a_derivative_is_judged(autodiff, verdict):
    assert settled(np.exp, 0.0).verdict(autodiff) == verdict


@pytest.mark.parametrize(
    ("autodiff", "verdict"), [(-1.0, "kink"), (0.3, "kink"), (1.0, "kink"), (1.5, "differs")]
)
def test_at_a_kink_any_slope_between_those_of_the_sides_will_do(autodiff, verdict):
    assert settled(np.abs, 0.0).verdict(autodiff) == verdict
