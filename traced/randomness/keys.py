"""See what a program does to its random keys, and where one gives the same numbers again."""

import contextlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from types import FrameType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from traced.internals.canary import canary, run_as_readers
from traced.internals.frames import calls_now, count_vmaps, frames_now
from traced.internals.jaxprs import Operation
from traced.internals.operations import see_operations
from traced.python.places import is_library, is_library_code
from traced.randomness.events import HOWS as HOWS
from traced.randomness.events import KINDS as KINDS
from traced.randomness.events import KeyEvent as KeyEvent
from traced.randomness.events import KeyReuse as KeyReuse
from traced.randomness.events import Site
from traced.randomness.flow import Flow, is_random
from traced.randomness.lazy_values import Value, known, unknown
from traced.randomness.ledger import Ledger, is_key, may_be_key

#: The arguments that are traced. Numbers stay what they are: a function may count with them.
ARRAYS = (jax.Array, np.ndarray, jax.ShapeDtypeStruct)


@dataclass(frozen=True)
class KeyRecord:
    """What was done to random keys, in order, and where one gave the same numbers again."""

    events: list[KeyEvent]
    reuses: list[KeyReuse]


DRAWS = """
def draw(key):
    left, right = random.split(key)
    made = random.fold_in(random.key(3), 1)
    first = random.normal(left), random.gamma(right, 1.0), random.bits(made)
    return first, random.uniform(random.clone(left)), random.normal(right)
"""
EVENTS = [
    ("split", "key"),
    ("seed", "key(3)"),
    ("fold_in", "key(3)"),
    ("use", "key.split[0]"),
    ("use", "key.split[1]"),
    ("use", "key(3).fold_in(1)"),
    ("use", "key.split[0]"),
    ("use", "key.split[1]"),
]


@canary("what a program does to its random keys")
def _keys_are_followed() -> bool:
    """Follow keys through all that can be done to them; one of them is used twice."""
    draw = run_as_readers(DRAWS, random=jax.random)["draw"]
    ledger = _followed(draw, (jax.random.key(0),), {})
    return (
        [(each.kind, each.key) for each in ledger.events] == EVENTS
        and [(each.key, each.how) for each in ledger.reuses] == [("key.split[1]", "used twice")]
        and [each.second.line for each in ledger.reuses if each.second] == [6]
    )


def find_key_events(f: Callable[..., Any], *args: Any, **kwargs: Any) -> list[KeyEvent]:
    """Return what `f` does to random keys at these arguments, in order.

    Nothing but the keys is computed. An argument may be a `jax.ShapeDtypeStruct`. Of a loop, the
    first `key_flow.STEPS` steps are followed, each with the branches that it takes; outside a
    loop, every branch is. A draw by a function of `jax.random` is one use, however it is made.
    Not seen are draws by other means than `jax.random`, and a key that is kept in a `Ref`. What
    is not known (`keys[i]` for an unknown `i`, a key after a longer loop) gets a name with `?` or
    `…`, and counts as a key like no other.

    >>> def f(key):
    ...     left, right = jax.random.split(key)
    ...     return jax.random.normal(left), jax.random.fold_in(right, 3)
    >>> for event in find_key_events(f, jax.random.key(0)):
    ...     print(event.kind, event.key, event.results)
    split key ('key.split[0]', 'key.split[1]')
    use key.split[0] ()
    fold_in key.split[1] ('key.split[1].fold_in(3)',)
    """
    return _followed(f, args, kwargs).events


def find_key_reuses(f: Callable[..., Any], *args: Any, **kwargs: Any) -> list[KeyReuse]:
    """Return where `f` uses a random key again, at these arguments: one for each pair of places.

    Keys are told apart by their words: two seeds or arguments that are equal are one key. To fold
    data into a key does not use it up. Limits are those of `find_key_events`.

    >>> def f(key):
    ...     return jax.random.normal(key) + jax.random.uniform(key)
    >>> [(each.key, each.how) for each in find_key_reuses(f, jax.random.key(0))]
    [('key', 'used twice')]
    """
    return _followed(f, args, kwargs).reuses


@_keys_are_followed.guards
@contextlib.contextmanager
def record_keys() -> Iterator[KeyRecord]:
    """Record what is done to random keys in the `with` block, in any function and outside of all.

    `jax.debug_key_reuse` is on inside the block, so that JAX traces jitted functions anew, but
    nothing is raised. Not seen is what was compiled ahead of time (`f.lower(x).compile()`) and
    what runs in another thread. For the rest, limits are those of `find_key_events`.

    >>> key = jax.random.key(0)
    >>> with record_keys() as record:
    ...     _ = jax.random.normal(key), jax.random.normal(key)
    >>> [(each.key, each.how) for each in record.reuses]
    [('key', 'used twice')]
    """
    ledger = Ledger()
    for frame in islice(_own_frames(), 1):
        _suggest_variables_of(ledger, frame)
    with see_operations(partial(_follow_operation, Flow(ledger))):
        yield KeyRecord(ledger.events, ledger.reuses)


def _follow_operation(
    flow: Flow, primitive: Any, args: tuple[Any, ...], params: dict[str, Any], result: Any
) -> None:
    if not is_random(primitive.name, params):
        return
    for frame in _own_frames() if any(map(flow.ledger.is_strange, args)) else ():
        _suggest_variables_of(flow.ledger, frame)
    results = result if primitive.multiple_results else [result]
    calls = calls_now()
    site = Site((), calls, count_vmaps(calls, is_library))
    inputs, types = [*map(known, args)], [*map(jax.typeof, results)]
    operation = Operation(primitive.name, params, inputs, types, lambda *_: results)
    for value, made in zip(flow.operation(operation, site)[0], results, strict=True):
        if is_key(made):
            flow.ledger.reveal(value.get(), made)


@_keys_are_followed.guards
def _followed(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Ledger:
    if not callable(f):
        raise TypeError(f"`f` must be a callable, got {type(f).__name__}")
    ledger = Ledger()
    leaves, tree = jax.tree.flatten((args, kwargs))
    leaves = [ledger.invent(leaf, []) if _is_abstract_key(leaf) else leaf for leaf in leaves]
    _name_arguments(ledger, f, *jax.tree.unflatten(tree, leaves))
    _suggest_captured(ledger, inspect.unwrap(f.func if isinstance(f, partial) else f))
    arrays = {i: leaf for i, leaf in enumerate(leaves) if isinstance(leaf, ARRAYS)}

    def fresh(traced: dict[int, Any]) -> None:
        filled = [traced.get(i, leaf) for i, leaf in enumerate(leaves)]
        positional, named = jax.tree.unflatten(tree, filled)
        f(*positional, **named)

    with jax.debug_key_reuse(False):
        jaxpr = jax.jit(fresh).trace(arrays).jaxpr
        Flow(ledger).run(jaxpr, [*map(_value, arrays.values())], Site())
    return ledger


def _value(leaf: Any) -> Value:
    if isinstance(leaf, jax.ShapeDtypeStruct):
        return Value(unknown)
    return Value(lambda: jnp.asarray(leaf))


def _is_abstract_key(leaf: Any) -> bool:
    return isinstance(leaf, jax.ShapeDtypeStruct) and may_be_key(leaf)


def _name_arguments(ledger: Ledger, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    while isinstance(f, partial):
        f, args, kwargs = f.func, (*f.args, *args), {**f.keywords, **kwargs}
    try:
        arguments = dict(inspect.signature(f).bind(*args, **kwargs).arguments)
    except (TypeError, ValueError):
        arguments = {"args": args, **kwargs}
    for name, keys in _keys(arguments):
        ledger.name(keys, name)


def _suggest_names(ledger: Ledger, variables: Mapping[str, Any]) -> None:
    public = [pair for pair in variables.items() if not pair[0].startswith("_")]
    # A variable that is a key has the better name than one that holds it.
    for variable, value in sorted(public, key=lambda pair: not isinstance(pair[1], jax.Array)):
        # A variable that JAX cannot look into has no keys to name.
        with contextlib.suppress(Exception):
            for name, keys in _keys({variable: value}):
                ledger.suggest(keys, name)


def _suggest_variables_of(ledger: Ledger, frame: FrameType) -> None:
    _suggest_names(ledger, frame.f_locals)
    _suggest_names(ledger, frame.f_globals)


def _own_frames() -> Iterator[FrameType]:
    return (frame for frame in frames_now() if not is_library_code(frame.f_code))


def _suggest_captured(ledger: Ledger, function: Any) -> None:
    # What is no function of Python has captured nothing, and an empty cell has no value yet.
    with contextlib.suppress(TypeError, ValueError):
        _suggest_names(ledger, inspect.getclosurevars(function).nonlocals)
    _suggest_names(ledger, getattr(function, "__globals__", {}))


def _keys(variables: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for path, leaf in jax.tree_util.tree_flatten_with_path(variables)[0]:
        if isinstance(leaf, jax.Array) and may_be_key(leaf):
            name = jax.tree_util.keystr(path[:1], simple=True) + jax.tree_util.keystr(path[1:])
            yield name, leaf
