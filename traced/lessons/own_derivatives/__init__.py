"""The exercises of 09b_own_derivatives, in the order of the page."""

from traced.lessons.own_derivatives.equilibrium import equilibrium
from traced.lessons.own_derivatives.kepler import kepler
from traced.lessons.own_derivatives.limit import limit
from traced.lessons.own_derivatives.log_mean import log_mean
from traced.lessons.own_derivatives.scan_in_blocks import scan_in_blocks

EXERCISES = (kepler, log_mean, limit, equilibrium, scan_in_blocks)
