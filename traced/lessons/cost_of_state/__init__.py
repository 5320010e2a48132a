"""The exercises of 14_cost_of_state, in the order of the page."""

from traced.lessons.cost_of_state.make_fast_step import make_fast_step
from traced.lessons.cost_of_state.split_step import split_step
from traced.lessons.cost_of_state.train import train
from traced.lessons.cost_of_state.train_all import train_all

EXERCISES = (split_step, make_fast_step, train, train_all)
