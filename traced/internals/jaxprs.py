"""The anatomy of a jaxpr: what is in it, and what an equation does with those nested in it.

- The parts of a jaxpr (`eqns`, `invars`, `params`, `consts`, a literal's `val`): JAX returns jaxprs
  from public functions, and documents how they print, not how they are built. `jax.extend.core`
  has their classes; it is used for types only, since importing it takes a tenth as long as JAX.
- The parameters of `scan`, `while`, `cond`, `shard_map` and of calls: without them none can be
  entered. JAX 0.10 and 0.12 name those of `scan` differently.
- `primitive.bind` does one operation: a public function of that name may do others besides.
- `ctx` has the settings under which an equation was traced: JAX does not print them.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import numpy as np
from jax import lax

from traced.internals.canary import canary

if TYPE_CHECKING:
    from jax.extend.core import Jaxpr as Jaxpr
    from jax.extend.core import JaxprEqn as JaxprEqn

#: Primitives that call one jaxpr, with their own inputs and for their own outputs.
CALLS = {
    "jit",
    "closed_call",
    "core_call",
    "remat2",
    "custom_jvp_call",
    "custom_vjp_call",
    "custom_lin",
    "eval_jaxpr",
}


@canary("what is in a jaxpr")
def _is_known() -> bool:
    """Take apart a program that has one of everything."""
    ref = jax.new_ref(np.float32(0))
    one, rows = np.float32(1), jax.device_put(np.ones(3, "float32"))
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("i",))
    by_i: Any = jax.sharding.PartitionSpec("i")  # type: ignore[no-untyped-call]  # JAX has no types

    def program(x: Any, n: Any) -> Any:
        x = lax.cond(n > 2.0, lax.sin, lax.cos, x)
        x = lax.while_loop(lambda c: c < n, lambda c: c * n, x)
        x, ys = lax.scan(lambda c, row: (c + row * n, c), x, rows, reverse=True)
        ys = jax.shard_map(lax.sin, mesh=mesh, in_specs=by_i, out_specs=by_i)(ys)
        return jax.jit(lambda x: x + 1.0)(x), ys

    jaxpr = jax.jit(program).trace(one, one).jaxpr
    eqns = open_jaxpr(jaxpr).eqns
    found = [structure(eqn.primitive.name, eqn.params) for eqn in eqns]
    cond, loop, scan, shards, call = [each for each in found if each]
    with settings_of(eqns[0]):
        # Only traced, since to compile it would take a part of every first check.
        results = jax.eval_shape(operation_of(eqns[0], [one, one]).compute, one, one)
    last = eqns[-1]
    return (
        isinstance(cond, Cond)
        and len(cond.branches) == 2
        and isinstance(loop, While)
        and loop.constants == (1, 1)
        and isinstance(scan, Scan)
        and (scan.length, scan.reverse, scan.constants, scan.carried) == (3, True, 1, 1)
        and isinstance(shards, ShardMap)
        and "i" in shards.axes
        and isinstance(call, Call)
        and [each.item() for each in literals(eqns[0])] == [2.0]
        and [each is rows for each in captured_arrays(jaxpr)] == [True]
        and [(each.shape, each.dtype) for each in results] == [((), bool)]
        and defined_in(call.body) == __file__
        and not is_inlined(eqns[-1].params)
        and written_refs(jax.jit(partial(ref.__setitem__, ...)).trace(one).jaxpr) == [ref]
        and len(open_jaxpr(jaxpr_of_operation(last.primitive, [one], last.params)).eqns) == 1
        and [each.primitive.name for each in equations_in([call.body])] == ["add"]
        and parameters(eqns[1])["new_dtype"] == "int32"
    )


@_is_known.guards
def open_jaxpr(jaxpr: Any) -> "Jaxpr":
    """Return the `Jaxpr` in a `ClosedJaxpr`, and a `Jaxpr` as it is."""
    opened: Jaxpr = getattr(jaxpr, "jaxpr", jaxpr)
    return opened


@_is_known.guards
def constants_of(jaxpr: Any) -> list[Any]:
    """Return the values that a jaxpr has captured: an open one of JAX 0.10 has none."""
    return list(getattr(jaxpr, "consts", ()))


def is_literal(atom: Any) -> bool:
    """Return whether an input of an equation is a literal, which has a value, or a variable."""
    return hasattr(atom, "val")


def nested_jaxprs(eqn: "JaxprEqn") -> list["Jaxpr"]:
    """Return the jaxprs in an equation's parameters: a loop's body, branches, a function."""
    return [open_jaxpr(each) for each in nested_with_constants(eqn.params)]


@_is_known.guards
def nested_with_constants(params: Mapping[str, Any]) -> list[Any]:
    """Return the jaxprs in parameters as they are, which `constants_of` knows the constants of."""
    values = (value if type(value) in (tuple, list) else (value,) for value in params.values())
    return [each for group in values for each in group if hasattr(open_jaxpr(each), "eqns")]


def equations_in(jaxprs: Sequence[Any]) -> Iterator["JaxprEqn"]:
    """Yield the equations of jaxprs, each before those that are nested in it."""
    for jaxpr in jaxprs:
        for eqn in open_jaxpr(jaxpr).eqns:
            yield eqn
            yield from equations_in(nested_with_constants(eqn.params))


def holds(test: Callable[[str, Any], bool], primitive: str, params: Mapping[str, Any]) -> bool:
    """Return whether a test is true of an operation, or of one nested in it, and its parameters."""
    nested = equations_in(nested_with_constants(params))
    return test(primitive, params) or any(test(eqn.primitive.name, eqn.params) for eqn in nested)


def captured_arrays(jaxpr: Any) -> Iterator[Any]:
    """Yield the arrays that a jaxpr and those nested in it hold, other than literals."""
    yield from constants_of(jaxpr)
    for eqn in open_jaxpr(jaxpr).eqns:
        for body in nested_with_constants(eqn.params):
            yield from captured_arrays(body)


@_is_known.guards
def written_refs(jaxpr: Any) -> list[Any]:
    """Return the refs that a jaxpr has captured and writes to."""
    writes = ("WriteEffect", "AccumEffect")
    inputs = {each.input for each in jaxpr.effects if type(each).__name__ in writes}
    pairs = zip(open_jaxpr(jaxpr).constvars, constants_of(jaxpr), strict=False)
    return [ref for var, ref in pairs if var in inputs]


def input_types(jaxpr: Any) -> list[Any]:
    """Return the types of the inputs of a jaxpr."""
    return [var.aval for var in open_jaxpr(jaxpr).invars]


@_is_known.guards
def literals(eqn: "JaxprEqn") -> list[Any]:
    """Return the values of an equation's inputs that are literals, as NumPy arrays."""
    atoms: list[Any] = eqn.invars
    return [np.asarray(atom.val) for atom in atoms if is_literal(atom)]


@_is_known.guards
def parameters(eqn: "JaxprEqn") -> dict[str, str]:
    """Return an equation's parameters as text, without addresses and without nested jaxprs."""
    return {
        name: re.sub(r" at 0x[0-9a-f]+", "", str(value))
        for name, value in eqn.params.items()
        if not nested_with_constants({name: value})
    }


@_is_known.guards
def defined_in(jaxpr: Any) -> str:
    """Return the file of the function that a jaxpr was traced from, or nothing."""
    return definition_of(jaxpr)[0]


@_is_known.guards
def definition_of(jaxpr: Any) -> tuple[str, int]:
    """Return where the function that a jaxpr was traced from begins, decorators first."""
    debug = open_jaxpr(jaxpr).debug_info
    # `_normal at /.../random/core.py:961`
    file, _, line = str(debug and debug.func_src_info).partition(" at ")[2].rpartition(":")
    return file, int(line or 0)


@_is_known.guards
def is_inlined(params: Mapping[str, Any]) -> bool:
    """Return whether a `jit` with these parameters leaves no equation of its own in a trace."""
    inline = params["inline"]
    return bool(getattr(inline, "name", inline) in (True, "JAX_EARLY"))


@dataclass(frozen=True)
class Operation:
    """One operation: of which primitive, on which values, and of which types its results are.

    `compute` does it on arrays, and returns a list. `eqn` is None for one that is in no jaxpr.
    """

    primitive: str
    params: Mapping[str, Any]
    inputs: Sequence[Any]
    types: Sequence[Any]
    compute: Callable[..., Sequence[Any]]
    eqn: "JaxprEqn | None" = None

    @property
    def has_effects(self) -> bool:
        """Whether it does something besides returning results, as far as a jaxpr tells."""
        return self.eqn is not None and bool(self.eqn.effects)


@_is_known.guards
def operation_of(eqn: "JaxprEqn", inputs: Sequence[Any]) -> Operation:
    """Return what an equation does on given values."""

    def compute(*inputs: Any) -> Any:
        primitive: Any = eqn.primitive
        results = primitive.bind(*inputs, **primitive.get_bind_params(eqn.params))
        return results if primitive.multiple_results else [results]

    types = [var.aval for var in eqn.outvars]
    return Operation(eqn.primitive.name, eqn.params, inputs, types, compute, eqn)


@_is_known.guards
def settings_of(eqn: Any) -> AbstractContextManager[Any]:
    """Return a context in which JAX has the settings under which an equation was traced."""
    context: AbstractContextManager[Any] = eqn.ctx.manager
    return context


@_is_known.guards
def jaxpr_of_operation(primitive: Any, args: Sequence[Any], params: Mapping[str, Any]) -> Any:
    """Return the jaxpr that does one operation."""
    return jax.make_jaxpr(partial(primitive.bind, **params))(*args)


class Call(NamedTuple):
    """Runs a jaxpr on its own inputs: once more for a derivative, if it is `differentiated`."""

    body: Any
    differentiated: bool


class Cond(NamedTuple):
    """Runs the branch whose number is its first input on the others."""

    branches: Sequence[Any]


class Scan(NamedTuple):
    """Runs a jaxpr for each row of some of its inputs, and stacks some of the results."""

    body: Any
    length: int
    reverse: bool
    constants: int
    carried: int

    @property
    def order(self) -> range:
        """The numbers of the rows, in the order in which they are taken."""
        return range(self.length)[:: -1 if self.reverse else 1]

    def split(self, inputs: Sequence[Any]) -> Iterator[Sequence[Any]]:
        """Yield what each step gets, what the first one carries, and what has rows."""
        return _split(inputs, self.constants, self.carried)


class While(NamedTuple):
    """Runs a jaxpr on what it carries, as long as that of the condition returns true."""

    condition: Any
    body: Any
    constants: tuple[int, int]

    def split(self, inputs: Sequence[Any]) -> Iterator[Sequence[Any]]:
        """Yield what each condition gets, what each body gets, and what is carried at first."""
        return _split(inputs, *self.constants)


class ShardMap(NamedTuple):
    """Runs a jaxpr on each device of a mesh, on parts of its inputs."""

    body: Any
    mesh: Any
    axes: Any
    in_specs: Sequence[Any]
    out_specs: Sequence[Any]


Structure = Call | Cond | Scan | While | ShardMap


@_is_known.guards
def structure(primitive: str, params: Any) -> Structure | None:
    """Return what an operation does with the jaxprs in its parameters, where that is known."""
    if primitive in CALLS and (body := params.get("jaxpr", params.get("call_jaxpr"))) is not None:
        return Call(body, bool(params.get("differentiated")))
    if primitive == "cond":
        return Cond(params["branches"])
    if primitive == "scan":
        return Scan(params["jaxpr"], params["length"], params["reverse"], *_scan_sizes(params))
    if primitive == "while":
        sizes = params["cond_nconsts"], params["body_nconsts"]
        return While(params["cond_jaxpr"], params["body_jaxpr"], sizes)
    if primitive == "shard_map":
        keys = "jaxpr", "mesh", "newly_manual_axes", "in_specs", "out_specs"
        return ShardMap(*(params[key] for key in keys))
    return None


def _scan_sizes(params: Any) -> tuple[int, int]:
    if "num_carry" in params:
        return params["num_consts"], params["num_carry"]
    constants, carried, _ = map(len, params["ft_in"].unpack())
    return constants, carried


def _split(values: Sequence[Any], *sizes: int) -> Iterator[Sequence[Any]]:
    for size in sizes:
        yield values[:size]
        values = values[size:]
    yield values
