"""The errors of `vmap`, `grad`, `scan`, `cond`, loops, pytrees, keys and sharding."""

from traced.guide.symptom import Symptom

SYMPTOMS: tuple[Symptom, ...] = ()
