"""Tell which operations of a program run for given values: a jaxpr holds those that may run."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from traced.internals import jaxprs
from traced.internals.frames import calls_to, lines_of
from traced.internals.interpreter import Interpreter, Results, choose
from traced.programs.jaxprs import trace
from traced.python.places import Place, first_place, is_library


def find_executed(f: Callable[..., Any], *args: Any) -> dict[str, Place | None]:
    """Return each primitive that runs in `f(*args)`, with the line that it first runs for.

    Calls are entered, of a `cond` the branch that is taken, and of a loop each of its steps.

    >>> def root(x):
    ...     return jax.lax.cond(x > 0, jax.numpy.sqrt, jax.numpy.exp, x)
    >>> list(find_executed(root, 4.0)), list(find_executed(root, -4.0))
    (['gt', 'convert_element_type', 'sqrt'], ['gt', 'convert_element_type', 'exp'])
    """
    jaxpr = trace(f, *args).jaxpr
    executed: dict[str, Place | None]
    _, executed = _Witness().run(jaxpr, jax.device_put(jax.tree.leaves(args)), {})
    return executed


class _Witness(Interpreter):
    """Does one operation after the other; the state is what has run."""

    def plain(self, operation: jaxprs.Operation, state: Any) -> Results:
        if operation.primitive not in state:
            calls = lines_of(calls_to(operation.eqn), is_library) if operation.eqn else ()
            state = state | {operation.primitive: first_place(calls)}
        return super().plain(operation, state)

    def call(self, call: jaxprs.Call, operation: jaxprs.Operation, state: Any) -> Results:
        return self.run(call.body, operation.inputs, state)

    def cond(self, cond: jaxprs.Cond, operation: jaxprs.Operation, state: Any) -> Results:
        index, *operands = operation.inputs
        taken = min(max(int(index), 0), len(cond.branches) - 1)
        return self.run(cond.branches[taken], operands, state)

    def scan(self, scan: jaxprs.Scan, operation: jaxprs.Operation, state: Any) -> Results:
        fixed, carry, columns = scan.split(operation.inputs)
        outputs: dict[int, Sequence[Any]] = {}
        for i in scan.order:
            out, state = self.run(
                scan.body, [*fixed, *carry, *(column[i] for column in columns)], state
            )
            carry, outputs[i] = out[: scan.carried], out[scan.carried :]
        if not outputs:
            return operation.compute(*operation.inputs), state
        stacks = zip(*(outputs[i] for i in range(scan.length)), strict=True)
        return [*carry, *map(jnp.stack, stacks)], state

    def while_loop(self, loop: jaxprs.While, operation: jaxprs.Operation, state: Any) -> Results:
        asked, fixed, carry = loop.split(operation.inputs)
        while True:
            (going,), state = self.run(loop.condition, [*asked, *carry], state)
            if not jnp.any(going):
                return carry, state
            new, state = self.run(loop.body, [*fixed, *carry], state)
            carry = choose(going, new, carry)
