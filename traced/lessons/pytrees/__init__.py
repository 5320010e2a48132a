"""The exercises of 08_pytrees, in the order of the page."""

from traced.lessons.pytrees.combine import combine
from traced.lessons.pytrees.decay import decay
from traced.lessons.pytrees.predict_all import predict_all
from traced.lessons.pytrees.standardizer import Standardizer
from traced.lessons.pytrees.train_step import train_step

EXERCISES = (combine, decay, predict_all, Standardizer, train_step)
