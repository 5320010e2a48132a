"""Follow random keys through a program: compute each key that it makes, and little else."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from traced.probes.internals.keys import bodies, constants, defined_in, operation, scan_sizes
from traced.probes.internals.traces import is_literal, open_jaxpr
from traced.probes.key_events import FUNCTIONS, Site
from traced.probes.key_ledger import Ledger, is_key, may_be_key
from traced.probes.key_values import Unknown, Value, if_known, known, unknown

#: How many steps of a loop are followed.
STEPS = 3

#: The primitives that make keys or draw from them.
RANDOM = {
    "random_seed", "random_split", "random_fold_in", "random_bits", "random_gamma", "random_clone",
}  # fmt: skip


@dataclass(frozen=True)
class Step:
    """One operation on values: what it is, what goes in, the types that come out, and where."""

    primitive: str
    params: Mapping[str, Any]
    inputs: Sequence[Value]
    types: Sequence[Any]
    compute: Callable[..., Any]
    site: Site


def is_random(primitive: str, params: Mapping[str, Any]) -> bool:
    """Return whether an operation makes keys or draws from them, itself or in a nested jaxpr."""
    return primitive in RANDOM or any(
        is_random(eqn.primitive.name, eqn.params)
        for body in bodies(params)
        for eqn in open_jaxpr(body).eqns
    )


@dataclass(frozen=True)
class Flow:
    """Follows keys through jaxprs, and has a ledger in which it writes what is done to them.

    Loops are followed for `STEPS` steps. A key that cannot be computed has an invented one in its
    place, which is like no other: nothing is said to be used again that may not be.
    """

    ledger: Ledger

    def run(self, jaxpr: Any, inputs: Sequence[Value], site: Site) -> list[Value]:
        """Follow the keys in a jaxpr, and return its outputs."""
        opened = open_jaxpr(jaxpr)
        env: dict[Any, Value] = dict(zip(opened.invars, inputs, strict=True))
        env.update(zip(opened.constvars, map(known, constants(jaxpr)), strict=False))

        def read(atom: Any) -> Value:
            if is_literal(atom):
                return known(atom.val)
            return env.setdefault(atom, self._value(atom.aval, unknown))

        for eqn in opened.eqns:
            step = _step(eqn, [*map(read, eqn.invars)], site)
            if is_random(step.primitive, step.params):
                outputs = self.follow(replace(step, site=site.at(eqn)))
            else:
                outputs = self._plain(step)
            env.update(zip(eqn.outvars, outputs, strict=True))
        return [*map(read, opened.outvars)]

    def follow(self, step: Step) -> list[Value]:
        """Follow the keys in an operation that makes or uses some, and return its outputs."""
        if step.primitive in RANDOM:
            return self._random(step)
        ways = {"scan": self._scan, "while": self._while, "cond": self._cond, "jit": self._jit}
        return ways.get(step.primitive, self._call)(step)

    def _plain(self, step: Step) -> list[Value]:
        results = Value(partial(_results, step), step.inputs)
        # The ledger names what is made from a key.
        like = [] if step.primitive in RANDOM else step.inputs
        return [
            self._value(kind, partial(_nth, results, i), [results], like)
            for i, kind in enumerate(step.types)
        ]

    def _random(self, step: Step) -> list[Value]:
        (made,) = outputs = self._plain(step)
        first, *rest = step.inputs
        if step.primitive == "random_seed":
            self.ledger.seed(made.get(), if_known(first), step.site)
        elif step.primitive == "random_split":
            self.ledger.split(first.get(), made.get(), step.site)
        elif step.primitive == "random_fold_in":
            self.ledger.fold_in(first.get(), made.get(), if_known(rest[0]), step.site)
        elif step.primitive == "random_clone":
            self.ledger.renew(first.get())
        else:
            return self._use(step, [first])
        return outputs

    def _use(self, step: Step, keys: Sequence[Value]) -> list[Value]:
        for key in keys:
            self.ledger.use(key.get(), step.site)
        invented = any(self.ledger.has_invented(key.get()) for key in keys)
        return self._plain(replace(step, compute=unknown) if invented else step)

    def _jit(self, step: Step) -> list[Value]:
        (body,) = bodies(step.params)
        if not defined_in(body).startswith(FUNCTIONS):
            return self._call(step)
        # What a function of `jax.random` does with its key inside is not the reader's doing.
        pairs = zip(open_jaxpr(body).invars, step.inputs, strict=True)
        return self._use(step, [value for var, value in pairs if is_key(var.aval)])

    def _call(self, step: Step) -> list[Value]:
        lost, site = self._plain(replace(step, compute=unknown)), step.site.inside(step.primitive)
        if step.params.get("differentiated"):
            # `jax.checkpoint` draws the same numbers again, for the derivative.
            return lost
        for body in bodies(step.params):
            kinds = [var.aval for var in open_jaxpr(body).invars]
            if len(kinds) != len(step.inputs):
                self.run(body, [self._value(kind, unknown) for kind in kinds], site)
            elif step.primitive == "shard_map":
                self.run(body, [*map(_shard, step.inputs, kinds)], site)
            else:
                return self.run(body, step.inputs, site)
        return lost

    def _cond(self, step: Step) -> list[Value]:
        index, *operands = step.inputs
        branches, site = bodies(step.params), step.site.inside("cond")
        # A step of a loop takes one branch. Elsewhere, other arguments may take the others.
        taken = if_known(index) if site.loops else None
        if taken is not None:
            return self.run(branches[int(taken)], operands, site)
        before = after = self.ledger.spent
        outputs = []
        for branch in branches:
            self.ledger.spent = dict(before)
            outputs.append(self.run(branch, operands, site))
            after = self.ledger.spent | after
        self.ledger.spent = after
        choices = zip(step.types, zip(*outputs, strict=True), strict=True)
        return [
            self._value(kind, partial(_chosen, index, each), [index], each)
            for kind, each in choices
        ]

    def _while(self, step: Step) -> list[Value]:
        sizes = step.params["cond_nconsts"], step.params["body_nconsts"]
        tested, captured, first = _parts(step.inputs, *sizes)
        carry, site = first, step.site.inside("while")
        for _ in range(STEPS):
            (test,) = self.run(step.params["cond_jaxpr"], [*tested, *carry], site)
            goes_on = if_known(test)
            if goes_on is not None and not np.any(goes_on):
                return list(carry)
            carry = self.run(step.params["body_jaxpr"], [*captured, *carry], site)
        return self._later(step.types, first, carry)

    def _scan(self, step: Step) -> list[Value]:
        captured, first, columns = _parts(step.inputs, *scan_sizes(step.params))
        (body,), length = bodies(step.params), step.params["length"]
        order = range(length)[:: -1 if step.params["reverse"] else 1]
        carry, rows = first, []
        for i in order[:STEPS]:
            row = [Value(partial(_row, column, i), [column]) for column in columns]
            outputs = self.run(body, [*captured, *carry, *row], step.site.inside("scan"))
            carry, made = _parts(outputs, len(first))
            rows.append(made)
        if length > STEPS:
            carry = self._later(step.types[: len(first)], first, carry)
        stacks = [
            self._stack(kind, {i: row[j] for i, row in zip(order, rows, strict=False)}, length)
            for j, kind in enumerate(step.types[len(first) :])
        ]
        return [*carry, *stacks]

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


def _step(eqn: Any, inputs: Sequence[Value], site: Site) -> Step:
    # The program's effects are left to the program.
    compute = unknown if eqn.effects else operation(eqn)
    types = [var.aval for var in eqn.outvars]
    return Step(eqn.primitive.name, eqn.params, inputs, types, compute, site)


def _results(step: Step) -> Sequence[Any]:
    inputs = [each.get() for each in step.inputs]
    # What JAX cannot do outside its program, such as to ask for a place on a mesh, is unknown.
    try:
        results = step.compute(*inputs)
    except Exception as error:
        raise Unknown from error
    return results if isinstance(results, list | tuple) else [results]


def _nth(results: Value, i: int) -> Any:
    return results.get()[i]


def _chosen(index: Value, values: Sequence[Value]) -> Any:
    return values[int(index.get())].get()


def _row(column: Value, i: int) -> Any:
    return lax.index_in_dim(jnp.asarray(column.get()), i, keepdims=False)


def _shard(value: Value, kind: Any) -> Value:
    return Value(lambda: value.get()[tuple(map(slice, kind.shape))], [value])


def _parts(values: Sequence[Value], *sizes: int) -> Iterator[Sequence[Value]]:
    for size in sizes:
        yield values[:size]
        values = values[size:]
    yield values
