"""Find a loop that does not end, in code that XLA runs, before XLA runs it."""

import math
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from types import CodeType, FunctionType, MethodType
from typing import Any

import jax

from traced.internals import jaxprs
from traced.internals.frames import calls_now, calls_to, lines_of
from traced.internals.operations import replace_operations
from traced.python.calls import require_callable
from traced.python.mutables import is_readers_module
from traced.python.places import Place, first_place, is_library, is_library_code
from traced.python.reachable import (
    IMMUTABLE,
    code_names,
    codes_in,
    defaults,
    used_globals,
    wrapped,
)
from traced.running.bounded_loops import LONG, BoundedProgram, filled, has_loop
from traced.running.clocks import Reading, seconds_since

#: So many rounds all loops of a program are given at first, and at most.
FIRST, MOST = 10_000, 2**31 - 1
#: How many times as many they are given next, if those were too few.
MORE = 8
#: What the functions are called that make loops of unknown length, in JAX and in Flax.
MAKERS = frozenset({"while_loop", "fori_loop"})
#: And those that make loops of a known length, which may be great.
LENGTHY = frozenset({"scan", "map"})
#: So many things are looked at for one of these names.
THINGS = 1_000


@dataclass(frozen=True)
class EndlessLoop:
    """A loop that was left after so many `rounds`: its condition was still true.

    `repeats` says whether the loop came back to a carry that it had before, so that it certainly
    never ends. `place` is the line that calls for the loop. `length` is that of a `scan`, which
    has one, and None for other loops.
    """

    place: Place | None
    rounds: int
    repeats: bool
    length: int | None = None


class _Left(BaseException):
    """Leaves the code that called for a loop; no `except Exception` swallows it."""

    def __init__(self, loop: EndlessLoop | None) -> None:
        self.loop = loop


def find_first_endless_loop(
    f: Callable[..., Any], *args: Any, seconds: float = 20.0, **kwargs: Any
) -> EndlessLoop | None:
    """Run `f` and return the first loop that does not end, or not in time, or None.

    XLA cannot be interrupted, so that each operation outside `jit`, each call of a jitted function
    included, that holds such a loop is replaced by one whose loops stop by themselves: eager or
    jitted, under `vmap`, or inside of `scan`, `cond`, `shard_map` and each other. The loops of an
    operation are given 10,000 rounds together, and if these are too few it begins again with eight
    times as many. A loop does not end if it comes back to a carry that it had before, which is
    asked of carries of up to 10,000 entries; or if it has not ended in as many `seconds` of work,
    which is asked of a `scan` of a million steps or more as well. All the runs of a loop that does
    end take somewhat more than twice as long as one of them.

    Raises whatever `f` raises. What `f` does besides returning a value is done, but a `jax.Ref` has
    its value again in the end. Not seen are loops after one has been frozen or freed, in a Pallas
    kernel, or in another thread.

    >>> import jax.numpy as jnp
    >>> def root(x):
    ...     return jax.lax.while_loop(lambda y: y * y != x, lambda y: (y + x / y) / 2, x)
    >>> find_first_endless_loop(root, 4.0)
    >>> find_first_endless_loop(root, 3.0).repeats
    True
    """
    require_callable(f)
    refs = _Refs()
    try:
        with replace_operations(partial(_bounded, refs, Reading.now(), seconds)):
            f(*args, **kwargs)
    except _Left as left:
        return left.loop
    finally:
        refs.put_back()
    return None


class _Refs:
    """What each `jax.Ref` held when it was first met."""

    def __init__(self) -> None:
        self.values: dict[jax.Ref, jax.Array] = {}

    def meet(self, args: tuple[Any, ...]) -> None:
        for ref in (arg for arg in args if isinstance(arg, jax.Ref)):
            if ref not in self.values:
                self.values[ref] = ref[...]

    def put_back(self) -> None:
        for ref, value in self.values.items():
            ref[...] = value


def _bounded(
    refs: _Refs,
    start: Reading,
    seconds: float,
    primitive: Any,
    compute: Any,
    args: tuple[Any, ...],
    params: dict[str, Any],
) -> Any:
    if primitive.name in ("freeze", "free_ref"):
        raise _Left(None)  # it would be gone for whoever asks as well
    captured = map(jaxprs.constants_of, jaxprs.nested_with_constants(params))
    refs.meet((*args, *chain.from_iterable(captured)))
    if not has_loop(primitive.name, params):
        return compute(*args, **params)
    program = BoundedProgram(jaxprs.jaxpr_of_operation(primitive, args, params))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about donated buffers: here nothing is
        results = _run(program, args, start, seconds)
    return results if primitive.multiple_results else results[0]


def _run(
    program: BoundedProgram, args: tuple[Any, ...], start: Reading, seconds: float
) -> list[Any]:
    given, before = FIRST, [0] * len(program.loops)
    run = jax.jit(program.run_whole).lower(filled(given, len(before)), *args).compile()
    refs = _Refs()
    refs.meet((*args, *jaxprs.constants_of(program.jaxpr)))
    while True:
        refs.put_back()
        before_run = Reading.now()
        results, meter = run(filled(given, len(before)), *args)
        if meter.left > 0:  # which waits for the end
            return list(results)
        left, taken = seconds - seconds_since(start), seconds_since(before_run)
        more = min(MORE, left / max(taken, 1e-6), MOST / given)
        counts = meter.most.tolist()
        if any(meter.repeats.tolist()):
            raise _Left(_told(program, counts, meter.repeats.tolist(), repeats=True))
        if more < 2:
            # An inner loop that ends takes no more rounds if it is given more.
            grown = [count / (old or 1) for count, old in zip(counts, before, strict=True)]
            raise _Left(_told(program, counts, grown, repeats=False))
        given, before = math.floor(given * more), counts


def _told(
    program: BoundedProgram, counts: list[int], blame: list[float], *, repeats: bool
) -> EndlessLoop:
    number = max(range(len(blame)), key=blame.__getitem__)
    loop = program.loops[number]
    # A loop outside of `jit` has only begun to be traced where its operation is about to be done.
    lines = (lines_of(calls, is_library) for calls in (calls_to(loop), calls_now()))
    length = getattr(jaxprs.structure(loop.primitive.name, loop.params), "length", None)
    return EndlessLoop(first_place(chain(*lines)), counts[number], repeats, length)


def names_loop(*things: Any) -> bool:
    """Return whether the code of the reader's that `things` lead to names a loop that may be long.

    Code is looked at, not run: that of functions, of classes and of what they name or hold. A
    `scan` or a `map` may be long if the same code has a number of a million or more.

    >>> names_loop(abs), names_loop(lambda n: jax.lax.fori_loop(0, n, lambda i, x: x, 0))
    (False, True)
    """
    queue, seen = deque(things), dict[int, Any]()
    while queue and len(seen) < THINGS:
        thing = queue.popleft()
        if isinstance(thing, IMMUTABLE) or id(thing) in seen:
            continue
        seen[id(thing)] = thing
        if isinstance(thing, FunctionType) and _names_loop(thing):
            return True
        queue.extend(_led_to(thing))
    return False


def _names_loop(f: FunctionType) -> bool:
    if is_library_code(f.__code__):
        return f.__name__ in MAKERS
    names = code_names(f.__code__)
    return not MAKERS.isdisjoint(names) or (
        not LENGTHY.isdisjoint(names) and any(map(_is_long, _constants(f.__code__)))
    )


def _constants(code: CodeType) -> Iterator[Any]:
    return (each for inside in codes_in(code) for each in inside.co_consts)


def _is_long(constant: Any) -> bool:
    return isinstance(constant, int) and constant >= LONG


def _led_to(thing: Any) -> Iterator[Any]:
    if isinstance(thing, FunctionType):
        yield wrapped(thing)
        # A function of a lesson may close over the answer.
        yield from (cell.cell_contents for cell in thing.__closure__ or () if _is_full(cell))
        if not is_library_code(thing.__code__):
            yield from (value for _, value in used_globals(thing))
            yield from defaults(thing).values()
    elif isinstance(thing, MethodType):
        yield from (thing.__func__, thing.__self__)
    elif isinstance(thing, partial):
        yield from (thing.func, *thing.args, *thing.keywords.values())
    elif isinstance(thing, list | tuple | set):
        yield from thing
    elif isinstance(thing, dict):
        yield from thing.values()
    elif (inner := wrapped(thing)) is not None:
        yield inner
    elif is_readers_module((thing if isinstance(thing, type) else type(thing)).__module__):
        yield from (type(thing), *getattr(thing, "__bases__", ()))
        yield from getattr(thing, "__dict__", {}).values()


def _is_full(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:  # the function around it has not bound the name yet
        return False
