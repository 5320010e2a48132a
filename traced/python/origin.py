"""Where an error came from: the libraries in which it was raised, or whose objects it is about.

JAX removes its own frames from a traceback, so that a line of the reader may stand last in it
although JAX raised the error. Then what that line called tells where it was raised.
"""

import ast
import functools
import inspect
import re
import traceback
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import chain, takewhile
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from traced.internals.frames import is_generated
from traced.python.operands import (
    UNKNOWN,
    calls_on_line,
    node_at,
    operands_at,
    owner_of_memory,
    resolved,
)
from traced.python.places import is_library_code
from traced.python.signature import REFUSED, refuses_arguments

#: The libraries that errors are told apart by, and the packages that each consists of.
LIBRARIES = {"jax": ("jax", "jaxlib"), "flax": ("flax",), "optax": ("optax",), "orbax": ("orbax",)}
#: What runs when an object is built.
CONSTRUCTORS = ("__init__", "__post_init__")
#: What JAX notes on an error whose traceback it has shortened.
SHORTENED = "JAX has removed its internal frames"
#: The classes of what JAX makes the cause of an error: the first keeps the whole traceback.
UNFILTERED = "UnfilteredStackTrace"
STAND_INS = (UNFILTERED, "JaxStackTraceBeforeTransformation")
#: What an error is told apart by too: which functions of JAX were called where it was raised.
CALLED = {
    "jax.loop": (
        *(jax.lax.scan, jax.lax.fori_loop, jax.lax.while_loop, jax.lax.map),
        *(jax.lax.cond, jax.lax.switch, jax.lax.associative_scan),
    ),
    "jax.collective": (
        *(jax.lax.psum, jax.lax.pmean, jax.lax.pmax, jax.lax.pmin, jax.lax.psum_scatter),
        *(jax.lax.all_gather, jax.lax.all_to_all, jax.lax.ppermute),
        *(jax.lax.axis_index, jax.lax.axis_size),
    ),
    "jax.scan": (jax.lax.scan, jax.lax.map),
    "jax.ppermute": (jax.lax.ppermute,),
    "jax.grad": (jax.grad, jax.value_and_grad, jax.jacfwd, jax.jacrev, jax.hessian),
    "jax.jit": (jax.jit, nnx.jit),
    "jax.map": (jax.tree.map, jax.tree_util.tree_map),
    "jax.print": (jax.debug.print,),
    "jax.top_k": (jax.lax.top_k,),
    "jax.slice": (jax.lax.dynamic_slice, jax.lax.dynamic_update_slice),
    "jax.unflatten": (jax.tree.unflatten, jax.tree_util.tree_unflatten),
    "jax.join": (jnp.concatenate, jnp.hstack, jnp.vstack),
    "jax.reduce": (jnp.sum, jnp.mean, jnp.prod, jnp.max, jnp.min, jnp.any, jnp.all),
    "jax.conv": (jax.lax.conv, jax.lax.conv_general_dilated),
    "jax.devices": (jax.devices, jax.local_devices),
    "flax.split": (nnx.split,),
    "jax.count": (jnp.linspace, jnp.logspace, jax.nn.one_hot, jax.random.split),
}
#: An update as JAX's arrays have it, which no array of NumPy and no table of others has.
UPDATE = re.compile(
    r"\.at\[.*\]\.(?:set|add|subtract|multiply|mul|divide|power|min|max|apply|get)\("
)
#: Functions of JAX that end no recursion, since they work out each side of a choice.
BRANCHES = (
    *(jax.lax.cond, jax.lax.switch, jax.lax.select, jax.lax.while_loop, jax.lax.fori_loop),
    *(jnp.where, jnp.select),
)
#: What is said of a class that an encoder does not know: `Object of type State is not JSON`.
UNWRITTEN = re.compile(r"(?:Object of type |can not serialize ')(?:\w+\.)*(\w+)")
#: How Flax takes apart what a function with `has_aux=True` returned.
AUX = re.compile(r"\w+, \w*aux = ")
#: Functions of `jax.numpy`, and methods, that look up the size of an axis before they check it.
AXES = (
    "mean",
    "std",
    "var",
    "argmax",
    "argmin",
    "nanargmax",
    "nanargmin",
    "split",
    "array_split",
    "repeat",
    "swapaxes",
    "unwrap",
    "glu",
    "standardize",
    "categorical",
)
#: Methods of a module of Flax Linen that call it.
RUNS = ("init", "init_with_output", "apply")
# The interpreter names the classes of what it could not combine: `'list' and 'DynamicJaxprTracer'`.
CLASSES_OF_JAX = re.compile(
    r"\bjaxlib\b|\b_IndexUpdate|\bArrayImpl\b|Tracer\b|\b_DimExpr\b|\bPRNGKeyArray\b|key<"
)


def libraries_of(error: BaseException) -> frozenset[str]:
    """Return the libraries in which `error` or its cause was raised, or whose objects it is about.

    With one of them comes `any`, and `line` or `inside`, by where it was raised; of some errors it
    is known more closely: `jax.loop`, `tree`.
    An error that the reader's own code raises is of none of them, whatever code called it.

    >>> import jax
    >>> try:
    ...     jax.numpy.stack([])
    ... except ValueError as error:
    ...     sorted(libraries_of(error)), libraries_of(KeyError("jax"))
    (['any', 'inside', 'jax'], frozenset())
    """
    libraries = frozenset(_libraries(error))
    entries = innermost_entries(error)
    if entries and refuses_arguments(error, operands_at(entries[0])):
        # A library has called it, at most.
        libraries -= {*LIBRARIES, "any", "line", "inside"}
        libraries |= {"flax.own"} if _is_refused_by_a_module(error) else set()
    # JAX says which class it could not do with: `<class 'flax.nnx.statelib.State'>`.
    return libraries | {"flax"} if libraries and "'flax." in str(error) else libraries


def _is_refused_by_a_module(error: BaseException) -> bool:
    """Return whether the class whose signature `error` is about is an NNX module."""
    told = REFUSED.match(str(error))
    name = told[1].rpartition(".<locals>.")[2].partition(".")[0] if told else ""
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    spaces = (space for each in frames for space in (each.f_locals, each.f_globals))
    found = chain.from_iterable((space.get(name), space.get("self")) for space in spaces)
    kinds = (each if isinstance(each, type) else type(each) for each in found)
    bases = (base for kind in kinds for base in kind.__mro__)
    return any(each.__name__ == name and issubclass(each, nnx.Module) for each in bases)


def _libraries(error: BaseException) -> Iterator[str]:
    entries = innermost_entries(error)
    if own := [*libraries_of_class(type(error), own=True)]:
        yield from (*own, "any", "inside" if entries[1:] else "line")
    yield from _imported(error)
    if is_of_a_placeholder(error):
        yield "jax.tree"
    for entry in entries:
        yield from _library_of_frame(entry)
    if entries and not _library_at(entries[-1].tb_frame.f_code.co_filename):
        yield from _libraries_at(entries[-1], error)
    elif SHORTENED in _notes(error):
        yield from ("jax",) * bool(entries)
    if entries:
        yield from _called_at(entries[0], error)
        yield from _unwritten(entries[1:], error)
        yield from ("jax.recursion",) * _is_endless(error)
        yield from _inside_flax(entries, error)
        names = [each.tb_frame.f_code.co_name for each in entries[1:]]
        yield from ("jax.attention",) * ("dot_product_attention" in names)
    for cause in causes_of(error):
        yield from _libraries(cause)


def _unwritten(entries: list[TracebackType], error: BaseException) -> Iterator[str]:
    """Yield the library of an object that an encoder of Python's or of another library refused."""
    told = UNWRITTEN.match(str(error)) if isinstance(error, TypeError) else None
    for entry in entries if told else ():
        for each in _leaves([*entry.tb_frame.f_locals.values()], 5):
            if told and type(each).__name__ == told[1]:
                yield from libraries_of_class(type(each))


def _leaves(thing: Any, depth: int = 4) -> Iterator[Any]:
    """Yield what plain containers in `thing` hold, and `thing` if it is none."""
    if depth > 0 and type(thing) in (dict, list, tuple):
        values = thing.values() if type(thing) is dict else thing
        for each in [*values]:
            yield from _leaves(each, depth - 1)
    else:
        yield thing


def _is_endless(error: BaseException) -> bool:
    """Return whether a function of the reader's calls itself in a branch that JAX works out."""
    if not isinstance(error, RecursionError):
        return False
    entries = [each for each in entries_of(error) if not is_library_code(each.tb_frame.f_code)]
    lines = {(each.tb_frame.f_code, each.tb_lineno): each for each in entries}
    counted = Counter((each.tb_frame.f_code, each.tb_lineno) for each in entries)
    again = (entry for line, entry in lines.items() if counted[line] > 1)
    called = (each for entry in again for each in calls_on_line(entry))
    return any(each is one for each in called for one in BRANCHES)


def _called_at(entry: TracebackType, error: BaseException) -> Iterator[str]:
    """Yield of which kind a function of JAX is that the reader's last line called.

    What is wrong with its own arguments the interpreter says by its name: `scan() missing`.
    """
    found = operands_at(entry)
    called = [each.func if isinstance(each, functools.partial) else each for each in found]
    for kind, functions in CALLED.items():
        for each in functions:
            # A function that JAX caches has no name of its own.
            name = getattr(each, "__name__", "")
            if any(each is one for one in called) and f"{name}()" not in str(error):
                yield kind
    yield from ("jax.draw",) * any(map(_is_of_random, called))
    yield from ("text",) * any(type(each) is str for each in called)
    yield from ("flax.call",) * any(isinstance(each, nnx.Module) for each in called[:1])
    # What `pmap` returns is another function each time, and all are of one file.
    inner = entry.tb_next and entry.tb_next.tb_frame.f_code.co_filename
    yield from ("jax.pmap",) * (inner == inspect.getfile(inspect.unwrap(jax.pmap)))
    line = traceback.extract_tb(entry, limit=1)[0].line or ""
    yield from ("jax.at",) * bool(UPDATE.search(line))
    node = node_at(entry)
    if node and isinstance(node[0], ast.Call) and isinstance(node[0].func, ast.Attribute):
        known = {name for each in called for name in libraries_of_object(each)}
        yield from ("jax.axis",) * (node[0].func.attr in AXES and "jax" in known)
        yield from ("flax.init",) * (node[0].func.attr in RUNS)
        yield from ("flax.param",) * (node[0].func.attr == "param")
        owner = resolved(node[0].func.value, entry.tb_frame)
        is_count = node[0].func.attr == "step" and isinstance(owner, nnx.Optimizer)
        yield from ("flax.step",) * is_count
    if node and isinstance(node[0], ast.Call):
        made = node[0].func
        calls = (node[0], made) if isinstance(made, ast.Call) else (node[0],)
        keywords = {each.arg for call in calls for each in call.keywords}
        yield from ("jax.argnums",) * ("argnums" in keywords)
        yield from ("jax.static",) * ("static_argnums" in keywords)


def _inside_flax(entries: list[TracebackType], error: BaseException) -> Iterator[str]:
    """Yield of which kind the place is where Flax leaves an error to Python or to JAX."""
    of_flax = [each for each in entries if _library_at(each.tb_frame.f_code.co_filename) == "flax"]
    if of_flax:
        line = traceback.extract_tb(of_flax[-1], limit=1)[0].line or ""
        yield from ("flax.aux",) * bool(AUX.match(line))
        is_raised_there = of_flax[-1] is entries[-1]
        names = [each.tb_frame.f_code.co_name for each in of_flax]
        yield from ("flax.axes",) * ("broadcast_prefix" in names)
        yield from ("flax.scan",) * ("scan_wrapper" in names)
        yield from ("flax.replace",) * ("replace" in names)
        yield from ("flax.item",) * (is_raised_there and names[-1] == "__getitem__")
        yield from ("flax.pool",) * ("pool" in names)
        last = Path(of_flax[-1].tb_frame.f_code.co_filename).name
        reads = ("__getitem__", "__setitem__", "get_value", "set_value")
        is_content = last == "variablelib.py" and names[-1] in reads
        is_number = str(error).startswith(("'int' ", "'float' ", "'bool' "))
        yield from ("flax.variable",) * (is_raised_there and is_content and is_number)
        files = [Path(each.tb_frame.f_code.co_filename) for each in of_flax]
        yield from ("flax.bridge",) * any(each.parent.name == "bridge" for each in files)
        yield from ("flax.cell",) * any(each.name == "recurrent.py" for each in files)
        yield from ("flax.optimizer",) * any(each.name == "optimizer.py" for each in files)


def causes_of(error: BaseException) -> list[BaseException]:
    """Return the error that `error` was raised from, if any.

    >>> causes_of(KeyError("a"))
    []
    """
    cause = error.__cause__
    while cause is not None and is_stand_in(cause):
        cause = cause.__cause__
    return [] if cause is None else [cause]


def _imported(error: BaseException) -> Iterator[str]:
    """Yield the library that an error of an import or of an attribute names by itself."""
    if isinstance(error, ImportError) and error.name:
        yield from library_of_module(error.name)
    if isinstance(error, AttributeError):
        yield from libraries_of_object(error.obj)
        yield from ("tree",) * _has_arrays(error.obj)
        yield from ("flax.class",) * ("flax" in libraries_of_class(type(error.obj), own=True))
        # Flax Linen calls `setup` before it looks up an attribute, and NNX never does.
        is_of_nnx = any(each.__module__.startswith("flax.nnx.") for each in type(error.obj).__mro__)
        code = getattr(getattr(type(error.obj), "setup", None), "__code__", None)
        yield from ("flax.setup",) * (is_of_nnx and error.name in getattr(code, "co_names", ()))


def entries_of(error: BaseException) -> Iterator[TracebackType]:
    """Yield the entries of an error's traceback, the outermost first, as complete as it is kept."""
    whole = error.__cause__ if type(error.__cause__).__name__ == UNFILTERED else error
    entry = whole.__traceback__ if whole else None
    while entry is not None:
        yield entry
        entry = entry.tb_next


def is_stand_in(error: BaseException) -> bool:
    """Return whether `error` is none by itself: JAX keeps a traceback in it, as another's cause."""
    return type(error).__name__ in STAND_INS


def is_of_a_placeholder(error: BaseException) -> bool:
    """Return whether a class raised because JAX builds it with something else than arrays in it.

    What JAX raises for tracers is not meant: it says by itself what is wrong.
    """
    if "jax" in libraries_of_class(type(error), own=True):
        return False
    above = None
    for entry in entries_of(error):
        code = entry.tb_frame.f_code
        if not is_library_code(code):
            if "unflatten" in code.co_name:
                return True
            if code.co_name in CONSTRUCTORS and above and _is_built_by_jax(entry.tb_frame, above):
                return True
            above = entry
        elif _library_at(code.co_filename):
            above = entry
    return False


def _is_built_by_jax(frame: FrameType, above: TracebackType) -> bool:
    """Return whether a constructor's frame is of a pytree that JAX put placeholders into."""
    built = frame.f_locals.get("self")
    given = [*vars(built).values(), *frame.f_locals.values()] if hasattr(built, "__dict__") else []
    if not any(map(is_placeholder, given)) or not jax.tree_util.is_tree_node(type(built)):
        return False
    if caller := _library_at(above.tb_frame.f_code.co_filename):
        return caller == "jax"
    children = [each for each in above.tb_frame.f_locals.values() if type(each) in (tuple, list)]
    # A function that was registered hands on the children that JAX gave it.
    handed_on = any(is_placeholder(leaf) for each in children for leaf in each)
    return handed_on or type(built) not in operands_by_type(above)


def operands_by_type(entry: TracebackType) -> list[type]:
    """Return the classes that the line at a traceback's entry calls or works on."""
    return [each for each in operands_at(entry) if isinstance(each, type)]


def is_placeholder(thing: Any) -> bool:
    """Return whether `thing` is what JAX puts into a tree where it has no array to put there.

    >>> is_placeholder(object()), is_placeholder(None), is_placeholder(0.0)
    (True, True, False)
    """
    return type(thing) in (object, type(None), jax.ShapeDtypeStruct)


def innermost_entries(error: BaseException) -> list[TracebackType]:
    """Return the last entry of the reader's code in a traceback, and what it called, in order."""
    entries = list(entries_of(error))
    codes = [entry.tb_frame.f_code for entry in reversed(entries)]
    called = len(list(takewhile(is_library_code, codes)))
    return entries[-called - 1 :] if called < len(entries) else entries


def _libraries_at(entry: TracebackType, error: BaseException) -> Iterator[str]:
    """Yield the libraries of what the last line was at work on."""
    operands = operands_at(entry)
    known = {name for each in operands for name in libraries_of_object(each)}
    yield from known
    yield from ("any", "line") * bool(known)
    # Python itself compares the entries that it sorts.
    is_tree = any(map(_has_arrays, operands)) and not _calls_builtin(entry)
    yield from ("tree",) * is_tree
    yield from ("flax.layers",) * any(map(_has_layers, operands))
    yield from ("jax.array",) * any(isinstance(each, jax.Array) for each in operands)
    yield from ("flax.module",) * any(map(_is_of_module, operands))
    is_unknown = any(each is UNKNOWN for each in operands)
    # Python's own modules name classes too, and what the reader's code raises may say anything.
    is_named = (operands or is_library_code(entry.tb_frame.f_code)) and CLASSES_OF_JAX.search(
        str(error)
    )
    if is_named:
        yield from ("jax", "any", "line")
    if (known or is_unknown) and SHORTENED in _notes(error):
        yield "jax"


def _calls_builtin(entry: TracebackType) -> bool:
    """Return whether a function of Python's own was called at a traceback's entry."""
    node = node_at(entry)
    called = resolved(node[0].func, entry.tb_frame) if node and type(node[0]) is ast.Call else None
    return any(called is each for each in (sorted, min, max))


def _is_of_module(thing: Any) -> bool:
    """Return whether `thing` is a module of NNX, or the class that a line makes one of."""
    return issubclass(thing if isinstance(thing, type) else type(thing), nnx.Module)


def _has_layers(thing: Any) -> bool:
    """Return whether `thing` is a plain list or tuple with modules of NNX in it."""
    return type(thing) in (list, tuple) and any(isinstance(each, nnx.Module) for each in thing)


def _has_arrays(thing: Any, depth: int = 4) -> bool:
    """Return whether `thing` is a plain container with arrays of JAX in it."""
    values = thing.values() if type(thing) is dict else thing
    return type(thing) in (dict, list, tuple) and any(
        isinstance(each, jax.Array)
        # Of a container that a line has written out, a function of JAX stands for what it gave.
        or (inspect.isroutine(each) and "jax" in libraries_of_object(each))
        or (depth > 0 and _has_arrays(each, depth - 1))
        for each in values
    )


def _library_of_frame(entry: TracebackType) -> Iterator[str]:
    """Yield the library that a frame's code is of; that of generated methods is their class's."""
    file = entry.tb_frame.f_code.co_filename
    if library := _library_at(file):
        yield from (library, "any", "inside")
        yield from ("optax.loss",) * (library == "optax" and "losses" in Path(file).parts)
    elif is_generated(entry.tb_frame.f_code):
        yield from libraries_of_class(type(entry.tb_frame.f_locals.get("self")))


def libraries_of_object(thing: Any) -> Iterator[str]:
    """Yield the library that a module, a function or a value is of.

    >>> import jax
    >>> set(libraries_of_object(jax.numpy.ones)), set(libraries_of_object(3))
    ({'jax'}, set())
    """
    if inspect.ismodule(thing):
        yield from library_of_module(thing.__name__)
    elif isinstance(thing, type):
        yield from libraries_of_class(thing)
    elif isinstance(thing, functools.partial):
        yield from libraries_of_object(thing.func)
    elif inspect.isroutine(thing):
        # A function that JAX has wrapped keeps the name of the reader's module.
        yield from library_of_module(getattr(thing, "__module__", None) or "")
        yield from library_of_module(type(thing).__module__)
        yield from ("jax.random",) * _is_of_random(thing)
        if inspect.isfunction(thing) and (library := _library_at(thing.__code__.co_filename)):
            yield library
    elif isinstance(thing, np.ndarray):
        owner = owner_of_memory(thing)
        # What JAX copies to the host it passes as a capsule.
        yield from ("jax",) * (type(owner).__name__ == "PyCapsule")
        yield from libraries_of_class(type(owner))
    else:
        yield from ("jax.random",) * is_key(thing)
        yield from libraries_of_class(type(thing))
        # The state of a chain of optax is a plain tuple of others.
        yield from ("optax.state",) * (type(thing) is tuple and _is_of_optax(thing))


def _is_of_optax(state: Any) -> bool:
    is_own = "optax" in library_of_module(type(state).__module__)
    return is_own or (type(state) is tuple and any(map(_is_of_optax, state)))


def _is_of_random(thing: Any) -> bool:
    name = getattr(thing, "__name__", "")
    return inspect.isroutine(thing) and getattr(jax.random, name, None) is thing


def is_key(thing: Any) -> bool:
    """Return whether `thing` is a random key or an array of them, of the new kind or the old one.

    >>> import jax
    >>> is_key(jax.random.key(0)), is_key(jax.random.PRNGKey(0)), is_key(jax.numpy.ones(2))
    (True, True, False)
    """
    if not isinstance(thing, jax.Array):
        return False
    is_old = thing.dtype == "uint32" and thing.ndim > 0 and thing.shape[-1] == 2
    return is_old or jax.numpy.issubdtype(thing.dtype, jax.dtypes.prng_key)


def libraries_of_class(kind: type, own: bool = False) -> Iterator[str]:
    """Yield the libraries of a class, of the classes it inherits from and of what generated it.

    With `own` only that of the class itself.
    """
    for each in kind.__mro__[: 1 if own else None]:
        yield from library_of_module(each.__module__)
    if not own:
        # A decorator such as `flax.struct.dataclass` gives a class its methods.
        made = filter(inspect.isfunction, vars(kind).values())
        yield from (name for each in made if (name := _library_at(each.__code__.co_filename)))


def library_of_module(name: str) -> Iterator[str]:
    """Yield the library that a module is of, by its full name.

    >>> list(library_of_module("jaxlib.xla_client")), list(library_of_module("jaxtyping"))
    (['jax'], [])
    """
    root = name.partition(".")[0]
    yield from (library for library, packages in LIBRARIES.items() if root in packages)


@functools.cache
def _library_at(file: str) -> str | None:
    for library in LIBRARIES:
        if any(Path(file).is_relative_to(folder) for folder in _folders(library)):
            return library
    return None


@functools.cache
def _folders(library: str) -> tuple[str, ...]:
    specs = map(find_spec, LIBRARIES[library])
    return tuple(
        folder for spec in specs if spec for folder in spec.submodule_search_locations or ()
    )


def _notes(error: BaseException) -> str:
    return "\n".join(getattr(error, "__notes__", ()))
