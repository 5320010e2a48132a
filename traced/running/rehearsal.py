"""Run the reader's code once for nothing, where its loops may not end, before it is run."""

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

import jax

from traced.internals.canary import CouldNotTell
from traced.python.reachable import roots_of
from traced.python.snapshots import Snapshot
from traced.running.endless import EndlessLoop, find_first_endless_loop
from traced.running.guard import guard

_UNDER_WAY = ContextVar("_UNDER_WAY", default=False)


def rehearse(call: Callable[..., Any], *args: Any, seconds: float) -> EndlessLoop | None:
    """Return the loop of `call(*args)` that does not end, or None, and leave all as it was.

    What it writes is put back, but for files, and what it prints is swallowed. An error is left to
    the run that follows; one that asks to end the process, or to stop for the time limit, is
    raised. Inside of another rehearsal there is none.

    >>> def stays(x):
    ...     return jax.lax.while_loop(lambda y: y > 0.0, lambda y: y, x)
    >>> rehearse(stays, 1.0, seconds=1.0).repeats, rehearse(stays, -1.0, seconds=1.0)
    (True, None)
    """
    if _UNDER_WAY.get():
        return None
    loop, token = None, _UNDER_WAY.set(True)
    try:
        with _aside(call, args):
            loop = find_first_endless_loop(call, *args, seconds=seconds)
    except CouldNotTell:
        raise
    except Exception:
        pass  # the run that follows will raise it as well
    finally:
        _UNDER_WAY.reset(token)
    return loop


def is_rehearsal() -> bool:
    """Return whether a rehearsal is under way, which follows a program while it is traced.

    >>> is_rehearsal()
    False
    """
    return bool(_UNDER_WAY.get())


@contextlib.contextmanager
def _aside(call: Callable[..., Any], args: tuple[Any, ...]) -> Iterator[None]:
    snapshot, swallowed = Snapshot(roots_of(call, args, {})), io.StringIO()
    try:
        with (
            guard(),
            contextlib.redirect_stdout(swallowed),
            contextlib.redirect_stderr(swallowed),
            warnings.catch_warnings(action="ignore"),
            jax.explain_cache_misses(False),
        ):
            yield
            # What `jax.debug.print` prints comes later.
            jax.effects_barrier()  # type: ignore[no-untyped-call]  # JAX gives it no types
    finally:
        snapshot.put_back()
