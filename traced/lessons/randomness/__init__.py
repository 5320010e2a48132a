"""The exercises of 04_randomness, in the order of the page."""

from traced.lessons.randomness.dropout import dropout
from traced.lessons.randomness.epoch_order import epoch_order
from traced.lessons.randomness.init_layers import init_layers
from traced.lessons.randomness.pick import pick
from traced.lessons.randomness.rollout import rollout

EXERCISES = (init_layers, rollout, dropout, epoch_order, pick)
