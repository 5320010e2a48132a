"""For `internals.py`: what the probe of NaNs reads that is not public, with its reasons.

- `jaxpr.replace` makes a jaxpr that returns all that its equations compute: nothing public shows
  the values between equations. `jax.core.eval_jaxpr`, which is public, evaluates it.
- The parameters of `scan`, `while`, `cond` and of calls: without them none can be entered.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from traced.probes.internals.traces import open_jaxpr

if TYPE_CHECKING:
    from traced.probes.internals.traces import JaxprEqn

#: Primitives that call one jaxpr, with their own inputs and for their own outputs.
CALLS = {
    "jit", "closed_call", "core_call", "remat2", "custom_jvp_call", "custom_vjp_call",
    "custom_lin", "eval_jaxpr",
}  # fmt: skip


@dataclass(frozen=True)
class Body:
    """A jaxpr that an equation runs, and its inputs: those of one iteration, if it is a loop.

    `index` is the number of the iteration, `carry` what it got from the one before.
    """

    jaxpr: Any
    inputs: list[Any]
    index: int | None = None
    carry: tuple[Any, ...] = ()


def constants(jaxpr: Any) -> list[Any]:
    """Return the values of the constants of a jaxpr: an open one of JAX 0.10 has none."""
    return list(getattr(jaxpr, "consts", ()))


def evaluate(jaxpr: Any, args: Sequence[Any]) -> dict[Any, Any]:
    """Return the value of each variable of a jaxpr, evaluated one equation after the other."""
    opened: Any = open_jaxpr(jaxpr)
    consts = constants(jaxpr)
    variables = [var for eqn in opened.eqns for var in eqn.outvars]
    results = jax.core.eval_jaxpr(opened.replace(outvars=variables), consts, *args)
    inputs = zip([*opened.constvars, *opened.invars], [*consts, *args], strict=True)
    return dict([*inputs, *zip(variables, results, strict=True)])


def bodies(eqn: "JaxprEqn", inputs: list[Any]) -> Iterator[Body]:
    """Yield what an equation runs, in its order, and nothing where that cannot be told."""
    name, params = eqn.primitive.name, eqn.params
    if any(isinstance(each, jax.Ref) for each in inputs):
        return  # it has been written to by now
    if name in CALLS:
        yield Body(params.get("jaxpr", params.get("call_jaxpr")), inputs)
    elif name == "cond":
        index = int(jnp.clip(inputs[0], 0, len(params["branches"]) - 1))
        yield Body(params["branches"][index], inputs[1:])
    elif name == "scan":
        yield from _scan(eqn, inputs)
    elif name == "while":
        yield from _while(params, inputs)


def _run(jaxpr: Any) -> Any:
    opened, consts = open_jaxpr(jaxpr), constants(jaxpr)
    return jax.jit(lambda inputs: jax.core.eval_jaxpr(opened, consts, *inputs))


def _scan(eqn: "JaxprEqn", inputs: list[Any]) -> Iterator[Body]:
    body = eqn.params["jaxpr"]
    # JAX 0.12 says no longer how many are carried, in a form that can be read: ranks tell.
    opened = open_jaxpr(body)
    ys = [_is_stacked(*pair) for pair in zip(eqn.outvars, opened.outvars, strict=True)]
    xs = [_is_stacked(*pair) for pair in zip(eqn.invars, opened.invars, strict=True)]
    carried, last = ys.count(False), xs.count(False)
    first, run, state = last - carried, _run(body), list(inputs[:last])
    steps = range(eqn.params["length"])
    for i in reversed(steps) if eqn.params["reverse"] else steps:
        now = [*state, *(x[i] for x in inputs[last:])]
        yield Body(body, now, i, tuple(state[first:]))
        state[first:] = run(now)[:carried]


def _is_stacked(outer: Any, inner: Any) -> bool:
    return len(outer.aval.shape) > len(inner.aval.shape)


def _while(params: Any, inputs: list[Any]) -> Iterator[Body]:
    first, second = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
    go_on, run = _run(params["cond_jaxpr"]), _run(params["body_jaxpr"])
    state, index = list(inputs[second:]), 0
    while jnp.any(active := go_on([*inputs[:first], *state])[0]):
        now = [*inputs[first:second], *state]
        yield Body(params["body_jaxpr"], now, index, tuple(state))
        # Under `vmap` some of the loops may have ended: JAX keeps their state.
        state = [_kept(active, *pair) for pair in zip(run(now), state, strict=True)]
        index += 1


def _kept(active: Any, new: Any, old: Any) -> Any:
    extra = len(new.shape) - active.ndim
    return jnp.where(jnp.reshape(active, active.shape + (1,) * extra), new, old)
