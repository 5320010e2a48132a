"""The exercises of 11_state_by_hand, in the order of the page."""

from traced.lessons.state_by_hand.evaluate import evaluate
from traced.lessons.state_by_hand.fit import fit
from traced.lessons.state_by_hand.make_optimizer import make_optimizer
from traced.lessons.state_by_hand.noisy_step import noisy_step
from traced.lessons.state_by_hand.run_to import run_to

EXERCISES = (noisy_step, make_optimizer, evaluate, run_to, fit)
