"""The errors of Flax NNX."""

from traced.guide.symptom import Symptom

SYMPTOMS: tuple[Symptom, ...] = ()
