"""Count the Python functions that run while a function is called.

Compiled code runs none. What a call of a jitted function costs besides the compiled code is mostly
Python: of the wrapper, and of the flattening of arguments and results. Their number is the same at
every run and on every machine, which no time is.
"""

import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType
from typing import Any


def count_python_calls(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Counter[str]:
    """Call `f` twice, and count the Python functions that run at the second call, by package.

    The first call is there to trace and to compile. `f` itself counts, as part of the package it is
    defined in. Functions of C are not counted: they show neither here nor much on a clock.

    >>> import jax
    >>> double = jax.jit(lambda x: 2 * x)
    >>> count_python_calls(double, 1.0).total(), count_python_calls(lambda: double(1.0)).total()
    (0, 1)
    """
    if not callable(f):
        raise TypeError(f"`f` must be a callable, got {type(f).__name__}")
    f(*args, **kwargs)
    calls: Counter[str] = Counter()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            calls[str(frame.f_globals.get("__name__", "")).partition(".")[0]] += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        f(*args, **kwargs)
    finally:
        sys.setprofile(before)
    return calls
