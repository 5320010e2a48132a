"""Programs whose loops stop by themselves: one that XLA runs cannot be stopped from outside."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from traced.internals import jaxprs
from traced.internals.interpreter import Interpreter, Results, choose

#: A loop that carries more entries is not asked whether it comes back to where it was.
ENTRIES = 10_000
#: A `scan` of so many steps is counted as a `while` is.
LONG = 1_000_000


class Meter(NamedTuple):
    """How many rounds are left to all loops together, and what is known of each of them.

    `most` has the largest number of rounds that each loop took at a time, in the order of
    `BoundedProgram.loops`. `repeats` is 1 for one that came back to a carry that it had before.
    """

    left: jax.Array
    most: jax.Array
    repeats: jax.Array


def filled(left: int, loops: int) -> Meter:
    """Return a meter for a program of so many loops that is given so many rounds."""
    zeros = jnp.zeros(loops, jnp.int32)
    return Meter(jnp.int32(left), zeros, zeros)


def has_loop(primitive: str, params: Mapping[str, Any]) -> bool:
    """Return whether an operation is or holds a loop of unknown length, or of a million steps."""
    return jaxprs.holds(_is_loop, primitive, params)


def _is_loop(primitive: str, params: Mapping[str, Any]) -> bool:
    loop = jaxprs.structure(primitive, params)
    return isinstance(loop, jaxprs.While) or (isinstance(loop, jaxprs.Scan) and loop.length >= LONG)


class BoundedProgram(Interpreter):
    """A jaxpr whose loops of unknown or great length end when the meter has run out, or before.

    The meter is the state that goes along. Results mean nothing if it has run out.
    """

    def __init__(self, jaxpr: Any) -> None:
        eqns = jaxprs.equations_in([jaxpr])
        self.jaxpr = jaxpr
        self.loops = [eqn for eqn in eqns if _is_loop(eqn.primitive.name, eqn.params)]
        self.numbers = {id(eqn): number for number, eqn in enumerate(self.loops)}

    def run_whole(self, meter: Meter, *args: Any) -> Results:
        """Return the results of the program, and the meter in the end."""
        return self.run(self.jaxpr, args, meter)

    def operation(self, operation: jaxprs.Operation, meter: Meter) -> Results:
        """Do one operation: what has no loop in it is left to JAX, but for calls of some kinds."""
        primitive, params = operation.primitive, operation.params
        found = jaxprs.structure(primitive, params)
        is_entered = isinstance(found, jaxprs.Call) and primitive != "jit"
        if is_entered or (found and has_loop(primitive, params)):
            return super().operation(operation, meter)
        return self.plain(operation, meter)

    def call(self, call: jaxprs.Call, operation: jaxprs.Operation, meter: Meter) -> Results:
        """Run what is called."""
        return self.run(call.body, operation.inputs, meter)

    def cond(self, cond: jaxprs.Cond, operation: jaxprs.Operation, meter: Meter) -> Results:
        """Run a `cond`."""
        index, *operands = operation.inputs
        sides = [
            lambda operands, meter, branch=branch: self.run(branch, operands, meter)
            for branch in cond.branches
        ]
        chosen: Results = jax.lax.switch(index, sides, operands, meter)
        return chosen

    def scan(self, scan: jaxprs.Scan, operation: jaxprs.Operation, meter: Meter) -> Results:
        """Run a `scan`, a long one to its end or until the meter has run out."""
        if id(operation.eqn) in self.numbers:
            return self._count(scan, operation, meter)
        fixed, start, columns = scan.split(operation.inputs)

        def body(state: Any, row: Any) -> Any:
            carry, meter = state
            out, meter = self.run(scan.body, [*fixed, *carry, *row], meter)
            return (out[: scan.carried], meter), out[scan.carried :]

        state, stacks = jax.lax.scan(body, (start, meter), columns, scan.length, scan.reverse)
        return [*state[0], *stacks], state[1]

    def _count(self, scan: jaxprs.Scan, operation: jaxprs.Operation, meter: Meter) -> Results:
        number = self.numbers[id(operation.eqn)]
        fixed, start, columns = scan.split(operation.inputs)

        def body(state: Any) -> Any:
            meter, done, carry, stacks = state
            at = scan.length - 1 - done if scan.reverse else done
            row = [column[at] for column in columns]
            out, meter = self.run(scan.body, [*fixed, *carry, *row], meter)
            rows = zip(stacks, out[scan.carried :], strict=True)
            stacks = [stack.at[at].set(row) for stack, row in rows]
            return meter._replace(left=meter.left - 1), done + 1, out[: scan.carried], stacks

        # Their rows are all written, if the end is reached.
        stacks = [jnp.empty(each.shape, each.dtype) for each in operation.types[scan.carried :]]
        state = meter, jnp.int32(0), start, stacks
        state = jax.lax.while_loop(lambda s: (s[1] < scan.length) & (s[0].left > 0), body, state)
        meter, done, carry, stacks = state
        return [*carry, *stacks], meter._replace(most=meter.most.at[number].max(done))

    def shard_map(
        self, shard_map: jaxprs.ShardMap, operation: jaxprs.Operation, meter: Meter
    ) -> Results:
        """Run a `shard_map`, with a meter on each device: the one that ends first counts."""
        axes = tuple(shard_map.axes)
        lax: Any = jax.lax  # JAX gives `pmin`, `pmax` and `PartitionSpec` no types
        everywhere = jax.sharding.PartitionSpec()  # type: ignore[no-untyped-call]  # no types

        def body(inputs: Sequence[Any], meter: Meter) -> Results:
            results, meter = self.run(shard_map.body, inputs, meter)
            most, repeats = (lax.pmax(each, axes) for each in meter[1:])
            return results, Meter(lax.pmin(meter.left, axes), most, repeats)

        mapped: Results = jax.shard_map(
            body,
            mesh=shard_map.mesh,
            in_specs=([*shard_map.in_specs], everywhere),
            out_specs=([*shard_map.out_specs], everywhere),
            axis_names=shard_map.axes,
            check_vma=False,
        )(operation.inputs, meter)
        return mapped

    def while_loop(self, loop: jaxprs.While, operation: jaxprs.Operation, meter: Meter) -> Results:
        """Run a `while`, unless it runs out or comes back to a carry that it had before."""
        number = self.numbers[id(operation.eqn)]
        asked, fixed, start = loop.split(operation.inputs)
        size = sum(jnp.size(each) for each in start)
        pure = not operation.has_effects and size <= ENTRIES

        def goes_on(carry: Sequence[Any], meter: Meter) -> tuple[Any, Meter]:
            (going,), meter = self.run(loop.condition, [*asked, *carry], meter)
            return going, meter

        def body(state: Any) -> Any:
            meter, going, rounds, carry, kept = state
            new, meter = self.run(loop.body, [*fixed, *carry], meter)
            carry = choose(going, new, carry)
            going, meter = goes_on(carry, meter._replace(left=meter.left - 1))
            # Where a loop inside has been left, this one only seems to come back.
            goes = jnp.any(going) & (meter.left > 0)
            again = goes & _are_equal(carry, kept) if pure else jnp.bool(False)
            rounds = rounds + jnp.int32(1)
            # What is kept is replaced after 1, 2, 4, 8, ... rounds: any cycle is found so.
            keeps = (rounds & (rounds - jnp.int32(1))) == 0
            kept = choose(keeps, carry, kept) if pure else []
            left = jnp.where(again, jnp.int32(0), meter.left)
            repeats = meter.repeats.at[number].max(again.astype(jnp.int32))
            return Meter(left, meter.most, repeats), going, rounds, carry, kept

        going, meter = goes_on(start, meter)
        state = meter, going, jnp.int32(0), start, start if pure else []
        state = jax.lax.while_loop(lambda s: jnp.any(s[1]) & (s[0].left > 0), body, state)
        meter, _, rounds, carry, _ = state
        return carry, meter._replace(most=meter.most.at[number].max(rounds))


def _are_equal(left: Iterable[Any], right: Iterable[Any]) -> Any:
    same = jnp.bool(True)
    for pair in zip(left, right, strict=True):
        a, b = map(_data, pair)
        same &= jnp.all((a == b) | ((a != a) & (b != b)))
    return same


def _data(value: Any) -> Any:
    is_key = jnp.issubdtype(value.dtype, jax.dtypes.prng_key)
    return jax.random.key_data(value) if is_key else value
