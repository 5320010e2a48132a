"""The errors of `jax.errors`, and those of tracing, static arguments and shapes."""

from traced.guide.symptom import Symptom

SYMPTOMS = (
    Symptom(
        "TracerBoolConversionError",
        "",
        "TracerBoolConversionError",
        "a tracer has a shape and a dtype, and no value to decide by",
    ),
)
