"""Every finding by its code: what broke, the rule behind it, and where a lesson explains it.

The headline states the fault and never the fix; the evidence is added by whoever finds it.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """What is always true of a finding, whatever code it was found in."""

    headline: str
    rule: str
    lesson: str = ""  # where none explains it yet, the field guide does
    section: str = ""


START = "00_start_here"
TRACING = "02_tracing"
LOOP = (START, "Guess first, then run")
SHARP = (TRACING, "Sharp edge: ten rounds of one loop")
CHECKED = (START, "A check reads the trace, and says what it saw")
TRACER = (TRACING, "A traced argument has a shape and a dtype, and no value")
PROGRAM = (TRACING, "The trace is a program, and you can read it")
CACHE = (TRACING, "A trace is kept under a key")
STATIC = (TRACING, "A static argument puts its value into the key")
METHODS = (TRACING, "A method has one argument more than it shows")

CATALOGUE = {
    "runs/not-callable": Entry(
        "the check called what cannot be called",
        "a check calls the answer, and where that is a class, the object it makes",
        *CHECKED,
    ),
    "runs/raised": Entry(
        "the code raised an error",
        "an answer has to run before its trace can be read",
        *CHECKED,
    ),
    "runs/exited": Entry(
        "the code asked Python to exit",
        "a function that is traced returns a value to JAX; nothing in it ends the process",
        *CHECKED,
    ),
    "runs/too-long": Entry(
        "the code was stopped at the time limit",
        "a check runs the answer on small inputs, which take milliseconds",
        *CHECKED,
    ),
    "value/nothing": Entry(
        "the result is `None`",
        "a function without `return` returns `None`",
        *CHECKED,
    ),
    "value/not-computed": Entry(
        "the result has not been computed",
        "a function with `yield` or `async` returns at once, before its body runs",
        *CHECKED,
    ),
    "value/structure": Entry(
        "the result is built differently",
        "the structure of a result is part of what a function promises",
        *CHECKED,
    ),
    "value/shape": Entry(
        "the result has another shape",
        "shape and dtype come before values: they are all that a trace knows",
        *CHECKED,
    ),
    "value/dtype": Entry(
        "the result has another dtype",
        "shape and dtype come before values: they are all that a trace knows",
        *CHECKED,
    ),
    "value/differs": Entry(
        "the result has other values",
        "a trace is worth reading once its values are right",
        *CHECKED,
    ),
    "value/nan": Entry(
        "a number that is not finite arises on the way",
        "NaN and infinity are values: nothing stops when they arise",
    ),
    "keys/reused": Entry(
        "a random key is used twice",
        "a key gives the same numbers each time it is used",
    ),
    "derivatives/wrong": Entry(
        "the derivative is not that of the values",
        "a derivative says how the values change, so differences of them tell the same",
    ),
    "effects/write": Entry(
        "the function changes what lies outside it",
        "a change made while tracing is made once, and not by a cached call",
    ),
    "effects/outside": Entry(
        "the code changed settings or functions of the libraries",
        "a change made for everybody is made while tracing, and not by a cached call",
        *CHECKED,
    ),
    "effects/argument": Entry(
        "the code changed its argument",
        "a traced function gets a copy of every container; changes to it are lost",
        *CHECKED,
    ),
    "loops/unrolled": Entry(
        "the trace grows with the input",
        "a Python loop runs while JAX traces, and each round leaves equations of its own",
        *LOOP,
    ),
    "tracing/branch-on-tracer": Entry(
        "Python branches on a traced value",
        "a tracer has a shape and a dtype, and no value to decide by",
        *TRACER,
    ),
    "tracing/value-needed": Entry(
        "Python asks a tracer for its value",
        "a tracer has a shape and a dtype, and no value to hand out",
        *TRACER,
    ),
    "tracing/numpy-on-tracer": Entry(
        "NumPy was given a tracer",
        "NumPy computes with values at once; a tracer has none",
        *TRACER,
    ),
    "tracing/shape-from-tracer": Entry(
        "a shape depends on a traced value",
        "every shape in a trace is known while it is traced",
        *STATIC,
    ),
    "tracing/leaked": Entry(
        "a tracer was used after its trace had ended",
        "a tracer belongs to one trace; only returned values leave it",
        *TRACER,
    ),
    "tracing/not-a-jax-type": Entry(
        "`jit` was given an object that is no pytree of arrays",
        "every traced argument is an array, or a pytree of arrays",
        *METHODS,
    ),
    "tracing/unhashable-static": Entry(
        "a static argument cannot be hashed",
        "a static value is looked up in a table, so it needs a hash that never changes",
        *STATIC,
    ),
    "tracing/other-equations": Entry(
        "the values agree and the equations do not",
        "a jaxpr lists what Python did, one equation for each operation",
        *PROGRAM,
    ),
    "tracing/dead-equation": Entry(
        "an equation computes what nothing reads",
        "tracing records every operation, used or not",
        *PROGRAM,
    ),
    "value/no-attribute": Entry(
        "the object lacks an attribute that the exercise names",
        "an exercise names whatever its check will look at",
        *CHECKED,
    ),
    "tracing/not-jitted": Entry(
        "work on the array is done outside `jit`",
        "without `jit`, each operation or `jnp` call is compiled and run alone",
        *PROGRAM,
    ),
    "tracing/new-function": Entry(
        "JAX traced again for a new function object",
        "the cache is kept by function object; one made anew has no past",
        *CACHE,
    ),
    "tracing/new-shape": Entry(
        "JAX traced again for a new shape",
        "the shape of each leaf is part of the key",
        *CACHE,
    ),
    "tracing/new-dtype": Entry(
        "JAX traced again for a new dtype",
        "the dtype of each leaf is part of the key",
        *CACHE,
    ),
    "tracing/weak-type": Entry(
        "JAX traced again because a weak type became strong",
        "a Python number is weakly typed, and that is part of the key",
        *SHARP,
    ),
    "tracing/new-structure": Entry(
        "JAX traced again for another tree of arguments",
        "the structure of the arguments is part of the key",
        *CACHE,
    ),
    "tracing/keyword": Entry(
        "JAX traced again because an argument was passed another way",
        "by position and by keyword are two keys",
        *CACHE,
    ),
    "tracing/static-value": Entry(
        "JAX traced again for a new static value",
        "each value of a static argument has a trace of its own",
        *STATIC,
    ),
    "tracing/retraced": Entry(
        "JAX traced again",
        "a call is answered from the cache when everything in its key is as before",
        *CACHE,
    ),
    "tracing/stale-attribute": Entry(
        "a changed attribute is not seen",
        "what comes in by other ways than traced arguments is read once for each trace",
        *METHODS,
    ),
}
