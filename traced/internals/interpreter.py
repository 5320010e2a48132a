"""One interpreter of jaxprs: what is made of their operations is for its subclasses to say."""

from collections.abc import Iterable, Sequence
from typing import Any

import jax.numpy as jnp

from traced.internals import jaxprs

#: The values of the results of an operation or a jaxpr, and the state that it leaves.
Results = tuple[Sequence[Any], Any]


class Interpreter:
    """Evaluates jaxprs, one equation after the other.

    A state goes along: each operation gets the one that was left by the operation before. Here the
    state is left as it is, and loops, branches and calls are left to JAX, as all else is.
    """

    def run(self, jaxpr: Any, inputs: Sequence[Any], state: Any = None) -> Results:
        """Return the results of a jaxpr, and the state in the end."""
        values, state = self.evaluate(jaxpr, inputs, state)
        return [self.read(atom, values) for atom in jaxprs.open_jaxpr(jaxpr).outvars], state

    def evaluate(
        self, jaxpr: Any, inputs: Sequence[Any], state: Any = None
    ) -> tuple[dict[Any, Any], Any]:
        """Return the value of each variable of a jaxpr, and the state in the end."""
        opened = jaxprs.open_jaxpr(jaxpr)
        values: dict[Any, Any] = dict(zip(opened.invars, inputs, strict=True))
        constants = map(self.constant, jaxprs.constants_of(jaxpr))
        # Those of an open jaxpr are missing.
        values.update(zip(opened.constvars, constants, strict=False))
        for eqn in opened.eqns:
            given = [self.read(atom, values) for atom in eqn.invars]
            results, state = self.equation(eqn, given, state)
            values.update(zip(eqn.outvars, results, strict=True))
        return values, state

    def read(self, atom: Any, values: dict[Any, Any]) -> Any:
        """Return the value of a literal or a variable."""
        if jaxprs.is_literal(atom):
            return self.constant(atom.val)
        if atom not in values:
            values[atom] = self.missing(atom.aval)
        return values[atom]

    def constant(self, value: Any) -> Any:
        """Return what stands for a constant."""
        return value

    def missing(self, kind: Any) -> Any:
        """Return what stands for a constant of which the jaxpr tells the type only."""
        raise KeyError(kind)

    def equation(self, eqn: "jaxprs.JaxprEqn", inputs: Sequence[Any], state: Any) -> Results:
        """Do what an equation does."""
        return self.operation(jaxprs.operation_of(eqn, inputs), state)

    def operation(self, operation: jaxprs.Operation, state: Any) -> Results:
        """Do one operation, in the way of its structure."""
        found = jaxprs.structure(operation.primitive, operation.params)
        ways: dict[Any, Any] = {
            jaxprs.Call: self.call,
            jaxprs.Cond: self.cond,
            jaxprs.Scan: self.scan,
            jaxprs.While: self.while_loop,
            jaxprs.ShardMap: self.shard_map,
        }
        done: Results = ways.get(type(found), self._as_a_whole)(found, operation, state)
        return done

    def plain(self, operation: jaxprs.Operation, state: Any) -> Results:
        """Do one operation as JAX does it."""
        return operation.compute(*operation.inputs), state

    def _as_a_whole(self, _: Any, operation: jaxprs.Operation, state: Any) -> Results:
        return self.plain(operation, state)

    call = cond = scan = while_loop = shard_map = _as_a_whole


def choose(choice: Any, new: Iterable[Any], old: Iterable[Any]) -> list[Any]:
    """Return the new values where `choice` is true, and the old ones elsewhere.

    Under `vmap` some of the loops that a `while` stands for may have ended: JAX keeps their state.
    """
    return [_chosen(choice, *pair) for pair in zip(new, old, strict=True)]


def _chosen(choice: Any, new: Any, old: Any) -> Any:
    extra = jnp.ndim(new) - jnp.ndim(choice)
    return jnp.where(jnp.reshape(choice, jnp.shape(choice) + (1,) * extra), new, old)
