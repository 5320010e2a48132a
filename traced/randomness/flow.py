"""Follow random keys through a program: compute each key that it makes, and little else."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

import jax.numpy as jnp
import numpy as np

from traced.internals import jaxprs
from traced.internals.interpreter import Interpreter
from traced.randomness.events import FUNCTIONS, Site
from traced.randomness.lazy_values import Unknown, Value, if_known, known, unknown
from traced.randomness.ledger import Ledger, is_key, may_be_key

#: How many steps of a loop are followed.
STEPS = 3

#: How many devices are followed.
DEVICES = 8

#: The primitives that say how a value is laid out on devices, and leave it as it is.
SAME = {"pvary", "pcast", "pbroadcast", "reshard", "sharding_constraint"}

#: The primitives that make keys or draw from them.
RANDOM = {f"random_{each}" for each in ["seed", "split", "fold_in", "bits", "gamma", "clone"]}

#: What comes out of an operation, and its site.
Followed = tuple[Sequence[Value], Site]


def is_random(primitive: str, params: Mapping[str, Any]) -> bool:
    """Return whether an operation makes keys or draws from them, itself or in a nested jaxpr."""
    return jaxprs.holds(lambda name, _: name in RANDOM, primitive, params)


@dataclass(frozen=True)
class Flow(Interpreter):
    """Follows keys through jaxprs, and has a ledger in which it writes what is done to them.

    Loops are followed for `STEPS` steps. A key that cannot be computed has an invented one in its
    place, which is like no other: nothing is said to be used again that may not be. The state is
    the site.
    """

    ledger: Ledger

    def constant(self, value: Any) -> Value:
        """Return a value that is known."""
        return known(value)

    def missing(self, kind: Any) -> Value:
        """Return a value that is unknown."""
        return self._value(kind, unknown)

    def equation(self, eqn: "jaxprs.JaxprEqn", inputs: Sequence[Value], site: Site) -> Followed:
        """Follow the keys in an equation, if it makes or uses some."""
        operation = jaxprs.operation_of(eqn, inputs)
        if operation.primitive in SAME:
            return inputs, site
        if (number := site.number_of(operation)) is not None:
            return [known(np.int32(number))], site
        if operation.has_effects:
            # The program's effects are left to the program.
            operation = replace(operation, compute=unknown)
        if is_random(operation.primitive, operation.params):
            return self.operation(operation, site.at(eqn))[0], site
        return self._computed(operation), site

    def operation(self, operation: jaxprs.Operation, site: Site) -> Followed:
        """Follow the keys in an operation that makes or uses some."""
        if operation.primitive in RANDOM:
            return self._random(operation, site), site
        return super().operation(operation, site)

    def _computed(self, operation: jaxprs.Operation) -> list[Value]:
        results = Value(partial(_results, operation), operation.inputs)
        # The ledger names what is made from a key.
        like = [] if operation.primitive in RANDOM else operation.inputs
        return [
            self._value(kind, partial(_nth, results, i), [results], like)
            for i, kind in enumerate(operation.types)
        ]

    def _lost(self, operation: jaxprs.Operation) -> list[Value]:
        return self._computed(replace(operation, compute=unknown))

    def _random(self, operation: jaxprs.Operation, site: Site) -> list[Value]:
        (made,) = outputs = self._computed(operation)
        first, *rest = operation.inputs
        if operation.primitive == "random_seed":
            self.ledger.seed(made.get(), if_known(first), site)
        elif operation.primitive == "random_split":
            self.ledger.split(first.get(), made.get(), site)
        elif operation.primitive == "random_fold_in":
            self.ledger.fold_in(first.get(), made.get(), if_known(rest[0]), site)
        elif operation.primitive == "random_clone":
            self.ledger.renew(first.get())
        else:
            return self._use(operation, [first], site)
        return outputs

    def _use(self, operation: jaxprs.Operation, keys: Sequence[Value], site: Site) -> list[Value]:
        for key in keys:
            self.ledger.use(key.get(), site)
        invented = any(self.ledger.has_invented(key.get()) for key in keys)
        return self._lost(operation) if invented else self._computed(operation)

    def call(self, call: jaxprs.Call, operation: jaxprs.Operation, site: Site) -> Followed:
        """Follow the keys in what is called, unless it is a function of `jax.random`."""
        if operation.primitive == "jit" and jaxprs.defined_in(call.body).startswith(FUNCTIONS):
            # What such a function does with its key inside is not the reader's doing.
            pairs = zip(jaxprs.input_types(call.body), operation.inputs, strict=True)
            return self._use(
                operation, [value for kind, value in pairs if is_key(kind)], site
            ), site
        if call.differentiated:
            # `jax.checkpoint` draws the same numbers again, for the derivative.
            return self._lost(operation), site
        return self.run(call.body, operation.inputs, site.inside(operation.primitive))

    def shard_map(
        self, shard_map: jaxprs.ShardMap, operation: jaxprs.Operation, site: Site
    ) -> Followed:
        """Follow the keys on each device, or on the first ones of many."""
        sizes = {name: shard_map.mesh.shape[name] for name in shard_map.axes}
        places = list(islice(np.ndindex(*sizes.values()), DEVICES))
        kinds = jaxprs.input_types(shard_map.body)
        results = {}
        for place in places:
            device = dict(zip(sizes, place, strict=True))
            slices = [
                _part(spec, kind.shape, device, sizes)
                for spec, kind in zip(shard_map.in_specs, kinds, strict=True)
            ]
            shards = map(_shard, operation.inputs, slices)
            inside = replace(site.inside(operation.primitive), device=tuple(device.items()))
            results[tuple(device.items())] = self.run(shard_map.body, [*shards], inside)[0]
        if len(places) < math.prod(sizes.values()):
            return self._lost(operation), site
        return [
            self._gathered(kind, spec, {device: out[i] for device, out in results.items()}, sizes)
            for i, (kind, spec) in enumerate(zip(operation.types, shard_map.out_specs, strict=True))
        ], site

    def _gathered(
        self,
        kind: Any,
        spec: Any,
        shards: Mapping[tuple[tuple[str, int], ...], Value],
        sizes: Mapping[str, int],
    ) -> Value:
        def gather() -> Any:
            parts = {device: jnp.asarray(shard.get()) for device, shard in shards.items()}
            first = next(iter(parts.values()))
            # An array to write to, of whatever is at hand: keys have no zeros.
            whole = jnp.broadcast_to(first.ravel()[0], kind.shape)
            for device, part in parts.items():
                whole = whole.at[_part(spec, part.shape, dict(device), sizes)].set(part)
            return whole

        values = list(shards.values())
        return self._value(kind, gather, values, values)

    def plain(self, operation: jaxprs.Operation, site: Site) -> Followed:
        """Follow the keys in whatever else holds a jaxpr."""
        inside = site.inside(operation.primitive)
        for body in jaxprs.nested_with_constants(operation.params):
            kinds = jaxprs.input_types(body)
            if len(kinds) == len(operation.inputs):
                return self.run(body, operation.inputs, inside)
            self.run(body, [*map(self.missing, kinds)], inside)
        return self._lost(operation), site

    def cond(self, cond: jaxprs.Cond, operation: jaxprs.Operation, site: Site) -> Followed:
        """Follow the keys in the branch that is taken, or in all of them."""
        index, *operands = operation.inputs
        inside = site.inside("cond")
        # A step of a loop takes one branch. Elsewhere, other arguments may take the others.
        taken = if_known(index) if site.loops else None
        if taken is not None:
            return self.run(cond.branches[int(taken)], operands, inside)
        before = after = self.ledger.spent
        outputs = []
        for branch in cond.branches:
            self.ledger.spent = dict(before)
            outputs.append(self.run(branch, operands, inside)[0])
            after = self.ledger.spent | after
        self.ledger.spent = after
        choices = zip(operation.types, zip(*outputs, strict=True), strict=True)
        return [
            self._value(kind, partial(_chosen, index, each), [index], each)
            for kind, each in choices
        ], site

    def while_loop(self, loop: jaxprs.While, operation: jaxprs.Operation, site: Site) -> Followed:
        """Follow the keys in the first steps."""
        asked, fixed, first = loop.split(operation.inputs)
        carry, inside = first, site.inside("while")
        for _ in range(STEPS):
            (test,), _ = self.run(loop.condition, [*asked, *carry], inside)
            goes_on = if_known(test)
            if goes_on is not None and not np.any(goes_on):
                return carry, site
            carry, _ = self.run(loop.body, [*fixed, *carry], inside)
        return self._later(operation.types, first, carry), site

    def scan(self, scan: jaxprs.Scan, operation: jaxprs.Operation, site: Site) -> Followed:
        """Follow the keys in the first steps."""
        fixed, carry, columns = scan.split(operation.inputs)
        first, inside, rows = carry, site.inside("scan"), {}
        for i in scan.order[:STEPS]:
            row = [Value(partial(_row, column, i), [column]) for column in columns]
            outputs, _ = self.run(scan.body, [*fixed, *carry, *row], inside)
            carry, rows[i] = outputs[: scan.carried], outputs[scan.carried :]
        if scan.length > STEPS:
            carry = self._later(operation.types[: scan.carried], first, carry)
        stacks = [
            self._stack(kind, {i: row[j] for i, row in rows.items()}, scan.length)
            for j, kind in enumerate(operation.types[scan.carried :])
        ]
        return [*carry, *stacks], site

    def _later(
        self, kinds: Sequence[Any], first: Sequence[Value], last: Sequence[Value]
    ) -> list[Value]:
        return [
            after if after is before else self._value(kind, unknown, like=[after])
            for kind, before, after in zip(kinds, first, last, strict=True)
        ]

    def _stack(self, kind: Any, made: Mapping[int, Value], length: int) -> Value:
        one, like = kind.update(shape=kind.shape[1:]), list(made.values())
        rows = [made.get(i) or self._value(one, unknown, like=like) for i in range(length)]
        return self._value(kind, lambda: jnp.stack([row.get() for row in rows]), rows)

    def _value(
        self,
        kind: Any,
        compute: Callable[[], Any],
        needs: Sequence[Value] = (),
        like: Sequence[Value] = (),
    ) -> Value:
        def compute_or_invent() -> Any:
            try:
                return compute()
            except Unknown:
                return self._invent(kind, like)

        return Value(compute_or_invent, needs)

    def _invent(self, kind: Any, like: Sequence[Value]) -> Any:
        keys = [key for each in like if may_be_key(key := if_known(each))]
        named = [key for key in keys if is_key(key) or self.ledger.has_name(key)]
        # What looks like a raw key may be any two numbers: it is one if it comes from a key.
        if not (is_key(kind) or (named and may_be_key(kind))):
            raise Unknown
        return self.ledger.invent(kind, [name for key in named for name in self.ledger.names(key)])


def _results(operation: jaxprs.Operation) -> Sequence[Any]:
    inputs = [each.get() for each in operation.inputs]
    # What JAX cannot do outside its program, such as to ask for a place on a mesh, is unknown.
    try:
        return operation.compute(*inputs)
    except Exception as error:
        raise Unknown from error


def _nth(results: Value, i: int) -> Any:
    return results.get()[i]


def _chosen(index: Value, values: Sequence[Value]) -> Any:
    return values[int(index.get())].get()


def _row(column: Value, i: int) -> Any:
    # By a number that is an argument: one program for all rows.
    return jnp.asarray(column.get())[i]


def _shard(value: Value, part: tuple[slice, ...]) -> Value:
    return Value(lambda: jnp.asarray(value.get())[part], [value])


def _part(
    spec: Any, shape: Sequence[int], device: Mapping[str, int], sizes: Mapping[str, int]
) -> tuple[slice, ...]:
    """Return where the part of a device, of this shape, lies in the whole."""
    entries = [*spec, *[None] * (len(shape) - len(spec))]
    return tuple(
        slice(start, start + size)
        for entry, size in zip(entries, shape, strict=True)
        for start in [size * _number(entry, device, sizes)]
    )


def _number(entry: Any, device: Mapping[str, int], sizes: Mapping[str, int]) -> int:
    number = 0
    for name in entry if isinstance(entry, tuple) else (entry,):
        if name in device:
            number = number * sizes[name] + device[name]
    return number
