"""What it takes to run a program whose loops may not end, that is not public, with its reason.

- The parameters of `while`, `scan`, `cond` and of calls: a loop that XLA runs cannot be stopped
  from outside, so that a program with other loops in their place is made, which stop themselves.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp

from traced.probes.internals.keys import operation, scan_sizes
from traced.probes.internals.nans import CALLS, constants
from traced.probes.internals.traces import is_literal, nested_jaxprs, open_jaxpr

if TYPE_CHECKING:
    from traced.probes.internals.traces import JaxprEqn

#: A loop that carries more entries is not asked whether it comes back to where it was.
ENTRIES = 10_000
#: A `scan` of so many steps is counted as a `while` is.
LONG = 1_000_000


class Meter(NamedTuple):
    """How many rounds are left to all loops together, and what is known of each of them.

    `most` has the largest number of rounds that each loop took at a time, in the order in which
    `loops_in` yields them. `repeats` is 1 for one that came back to a carry that it had before.
    """

    left: jax.Array
    most: jax.Array
    repeats: jax.Array


def filled(left: int, loops: int) -> Meter:
    """Return a meter for a program of so many loops that is given so many rounds."""
    zeros = jnp.zeros(loops, jnp.int32)
    return Meter(jnp.int32(left), zeros, zeros)


def is_loop(name: str, params: Mapping[str, Any]) -> bool:
    """Return whether an operation is a loop of unknown length, or of a million steps or more."""
    return name == "while" or (name == "scan" and params["length"] >= LONG)


def has_loop(eqn: "JaxprEqn") -> bool:
    """Return whether an equation is such a loop, or holds one."""
    return is_loop(eqn.primitive.name, eqn.params) or any(map(has_loop, _inside(eqn)))


def loops_in(jaxpr: Any) -> Iterator["JaxprEqn"]:
    """Yield such loops in a jaxpr, those that hold others before these."""
    for eqn in open_jaxpr(jaxpr).eqns:
        if is_loop(eqn.primitive.name, eqn.params):
            yield eqn
        for body in nested_jaxprs(eqn):
            yield from loops_in(body)


def _inside(eqn: "JaxprEqn") -> Iterator["JaxprEqn"]:
    return (each for body in nested_jaxprs(eqn) for each in body.eqns)


class Program:
    """A jaxpr whose loops of unknown or great length end when the meter has run out, or before."""

    def __init__(self, jaxpr: Any) -> None:
        self.jaxpr, self.loops = jaxpr, list(loops_in(jaxpr))
        self.numbers = {id(eqn): number for number, eqn in enumerate(self.loops)}

    def run(self, meter: Meter, *args: Any) -> tuple[Meter, list[Any]]:
        """Return the meter at the end, and the results, which mean nothing if it has run out."""
        return self.evaluate(self.jaxpr, meter, args)

    def evaluate(self, jaxpr: Any, meter: Meter, args: Sequence[Any]) -> tuple[Meter, list[Any]]:
        """Return what `run` does, for a jaxpr inside the program."""
        opened: Any = open_jaxpr(jaxpr)
        known = dict(
            zip([*opened.constvars, *opened.invars], [*constants(jaxpr), *args], strict=True)
        )
        for eqn in opened.eqns:
            inputs = [_value(atom, known) for atom in eqn.invars]
            meter, results = self.step(eqn, meter, inputs)
            known |= zip(eqn.outvars, results, strict=True)
        return meter, [_value(atom, known) for atom in opened.outvars]

    def step(self, eqn: "JaxprEqn", meter: Meter, inputs: list[Any]) -> tuple[Meter, list[Any]]:
        """Return what `run` does, for one equation."""
        name, params = eqn.primitive.name, eqn.params
        if name in CALLS and (has_loop(eqn) or name != "jit"):
            return self.evaluate(params.get("jaxpr", params.get("call_jaxpr")), meter, inputs)
        if name in STEPS and has_loop(eqn):
            stepped: tuple[Meter, list[Any]] = STEPS[name](self, eqn, meter, inputs)
            return stepped
        results: Any = operation(eqn)(*inputs)
        return meter, results if eqn.primitive.multiple_results else [results]

    def choose(self, eqn: "JaxprEqn", meter: Meter, inputs: list[Any]) -> tuple[Meter, list[Any]]:
        """Run a `cond`."""
        index, *operands = inputs
        sides = [
            lambda meter, operands, side=side: self.evaluate(side, meter, operands)
            for side in eqn.params["branches"]
        ]
        chosen: tuple[Meter, list[Any]] = jax.lax.switch(index, sides, meter, operands)
        return chosen

    def scan(self, eqn: "JaxprEqn", meter: Meter, inputs: list[Any]) -> Any:
        """Run a `scan`."""
        params = eqn.params
        fixed, carried = scan_sizes(params)
        if id(eqn) in self.numbers:
            return self.count(eqn, meter, inputs, fixed, carried)

        def body(state: Any, xs: Any) -> Any:
            meter, carry = state
            meter, out = self.evaluate(params["jaxpr"], meter, [*inputs[:fixed], *carry, *xs])
            return (meter, out[:carried]), out[carried:]

        start = meter, inputs[fixed : fixed + carried]
        xs = inputs[fixed + carried :]
        (meter, carry), ys = jax.lax.scan(body, start, xs, params["length"], params["reverse"])
        return meter, [*carry, *ys]

    def count(
        self, eqn: "JaxprEqn", meter: Meter, inputs: list[Any], fixed: int, carried: int
    ) -> Any:
        """Run a long `scan` to its end, or until the meter has run out."""
        length, number = eqn.params["length"], self.numbers[id(eqn)]
        columns = inputs[fixed + carried :]

        def body(state: Any) -> Any:
            meter, done, carry, stacks = state
            at = length - 1 - done if eqn.params["reverse"] else done
            given = [*inputs[:fixed], *carry, *(column[at] for column in columns)]
            meter, out = self.evaluate(eqn.params["jaxpr"], meter, given)
            rows = zip(stacks, out[carried:], strict=True)
            stacks = [stack.at[at].set(row) for stack, row in rows]
            return meter._replace(left=meter.left - 1), done + 1, out[:carried], stacks

        # Their rows are all written, if the end is reached.
        types: list[Any] = [var.aval for var in eqn.outvars[carried:]]
        stacks = [jnp.empty(each.shape, each.dtype) for each in types]
        state = meter, jnp.int32(0), inputs[fixed : fixed + carried], stacks
        state = jax.lax.while_loop(lambda s: (s[1] < length) & (s[0].left > 0), body, state)
        meter, done, carry, stacks = state
        most = meter.most.at[number].max(done)
        return meter._replace(most=most), [*carry, *stacks]

    def share(self, eqn: "JaxprEqn", meter: Meter, inputs: list[Any]) -> Any:
        """Run a `shard_map`, with a meter on each device: the one that ends first counts."""
        params, axes = eqn.params, eqn.params["newly_manual_axes"]
        lax: Any = jax.lax  # JAX gives `pmin`, `pmax` and `PartitionSpec` no types
        everywhere = jax.sharding.PartitionSpec()  # type: ignore[no-untyped-call]

        def body(meter: Meter, inputs: list[Any]) -> tuple[Meter, list[Any]]:
            meter, results = self.evaluate(params["jaxpr"], meter, inputs)
            most, repeats = (lax.pmax(each, tuple(axes)) for each in meter[1:])
            return Meter(lax.pmin(meter.left, tuple(axes)), most, repeats), results

        return jax.shard_map(
            body,
            mesh=params["mesh"],
            in_specs=(everywhere, [*params["in_specs"]]),
            out_specs=(everywhere, [*params["out_specs"]]),
            axis_names=axes,
            check_vma=False,
        )(meter, inputs)

    def loop(self, eqn: "JaxprEqn", meter: Meter, inputs: list[Any]) -> Any:
        """Run a `while`, unless it runs out or comes back to a carry that it had before."""
        params, number = eqn.params, self.numbers[id(eqn)]
        first, second = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
        start = inputs[second:]
        pure = not eqn.effects and sum(jnp.size(each) for each in start) <= ENTRIES

        def goes_on(meter: Meter, carry: list[Any]) -> tuple[Meter, Any]:
            meter, (going,) = self.evaluate(params["cond_jaxpr"], meter, [*inputs[:first], *carry])
            return meter, going

        def body(state: Any) -> Any:
            meter, going, rounds, carry, kept = state
            meter, new = self.evaluate(params["body_jaxpr"], meter, [*inputs[first:second], *carry])
            # Under `vmap` some of the loops may have ended: JAX keeps their state.
            carry = [_where(going, *pair) for pair in zip(new, carry, strict=True)]
            meter, going = goes_on(meter._replace(left=meter.left - 1), carry)
            # Where a loop inside has been left, this one only seems to come back.
            goes = jnp.any(going) & (meter.left > 0)
            again = goes & _are_equal(carry, kept) if pure else jnp.bool(False)
            rounds = rounds + jnp.int32(1)
            # What is kept is replaced after 1, 2, 4, 8, ... rounds: any cycle is found so.
            keeps = (rounds & (rounds - jnp.int32(1))) == 0
            kept = [_where(keeps, *pair) for pair in zip(carry, kept, strict=True)] if pure else []
            left = jnp.where(again, jnp.int32(0), meter.left)
            repeats = meter.repeats.at[number].max(again.astype(jnp.int32))
            return Meter(left, meter.most, repeats), going, rounds, carry, kept

        meter, going = goes_on(meter, start)
        state = meter, going, jnp.int32(0), start, start if pure else []
        state = jax.lax.while_loop(lambda s: jnp.any(s[1]) & (s[0].left > 0), body, state)
        meter, _, rounds, carry, _ = state
        return meter._replace(most=meter.most.at[number].max(rounds)), carry


#: How to run an equation that holds a loop.
STEPS = {
    "cond": Program.choose,
    "scan": Program.scan,
    "shard_map": Program.share,
    "while": Program.loop,
}


def _value(atom: Any, known: dict[Any, Any]) -> Any:
    return atom.val if is_literal(atom) else known[atom]


def _where(choice: Any, new: Any, old: Any) -> Any:
    extra = jnp.ndim(new) - jnp.ndim(choice)
    return jnp.where(jnp.reshape(choice, jnp.shape(choice) + (1,) * extra), new, old)


def _are_equal(left: Iterable[Any], right: Iterable[Any]) -> Any:
    same = jnp.bool(True)
    for pair in zip(left, right, strict=True):
        a, b = map(_data, pair)
        same &= jnp.all((a == b) | ((a != a) & (b != b)))
    return same


def _data(value: Any) -> Any:
    is_key = jnp.issubdtype(value.dtype, jax.dtypes.prng_key)
    return jax.random.key_data(value) if is_key else value
