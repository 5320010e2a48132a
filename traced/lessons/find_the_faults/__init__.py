"""The exercises of 17_find_the_faults, in the order of the page."""

from traced.lessons.find_the_faults.evaluate import evaluate
from traced.lessons.find_the_faults.forecast import forecast
from traced.lessons.find_the_faults.loss import loss
from traced.lessons.find_the_faults.prepare import prepare
from traced.lessons.find_the_faults.run import run
from traced.lessons.find_the_faults.time_step import time_step
from traced.lessons.find_the_faults.train import train

EXERCISES = (prepare, loss, evaluate, time_step, train, run, forecast)
