"""Calls: whether something can be called, and how many Python functions run when it is.

Compiled code runs none. What a call of a jitted function costs besides the compiled code is mostly
Python: of the wrapper, and of the flattening of arguments and results. Their number is the same at
every run and on every machine, which no time is.
"""

import inspect
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from types import FrameType, FunctionType
from typing import Any


def require_callable(f: object, name: str = "f") -> None:
    """Raise `TypeError` unless `f`, which the caller passed as `name`, can be called.

    >>> require_callable(3)
    Traceback (most recent call last):
    TypeError: `f` must be a callable, got int
    """
    if not callable(f):
        raise TypeError(f"`{name}` must be a callable, got {type(f).__name__}")


def name_of(f: Any) -> str:
    """Return the name of a function; of a `partial`, that of its function; else the class.

    >>> from functools import partial
    >>> name_of(abs), name_of(partial(abs, 1)), name_of(Counter())
    ('abs', 'abs', 'Counter')
    """
    name = getattr(f, "__name__", None)
    if isinstance(name, str):
        return name
    return name_of(f.func) if isinstance(f, partial) else type(f).__name__


def code_behind(f: Any) -> Any:
    """Return the function that a `partial` or an object with `__call__` runs, else `f` itself.

    >>> from functools import partial
    >>> code_behind(partial(abs, 1)), code_behind(len)
    (<built-in function abs>, <built-in function len>)
    """
    if isinstance(f, partial):
        return code_behind(f.func)
    call = inspect.getattr_static(type(f), "__call__", None)
    return call if isinstance(call, FunctionType) else f


def count_python_calls(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Counter[str]:
    """Call `f` twice, and count the Python functions that run at the second call, by package.

    The first call is there to trace and to compile. `f` itself counts, as part of the package it is
    defined in. Functions of C are not counted: they show neither here nor much on a clock.

    >>> import jax
    >>> double = jax.jit(lambda x: 2 * x)
    >>> count_python_calls(double, 1.0).total(), count_python_calls(lambda: double(1.0)).total()
    (0, 1)
    """
    require_callable(f)
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
