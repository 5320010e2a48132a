"""What 12_nnx_objects asks."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, reduce
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint as ocp  # type: ignore[import-untyped]  # Orbax gives it no types
from flax import nnx

from traced.attempt import attempt
from traced.exercise import Exercise
from traced.feedback import require
from traced.probes.modules import find_aliases
from traced.questions import compare, traces_at_most, works_under_jit
from traced.questions.modules import shares_nothing, updates_like
from traced.solutions import nnx_objects as solutions


class Count(nnx.Variable[jax.Array]):
    """Counts calls."""


class Part(nnx.Module):
    """A layer with a parameter, a count, and an array that is no Variable."""

    def __init__(self, seed: int, width: int = 2) -> None:
        weights = np.arange(2.0 * width, dtype="float32").reshape(2, width)
        self.w = nnx.Param(jnp.asarray(weights + seed))
        self.calls = Count(jnp.int32(0))
        self.offset = nnx.data(jnp.asarray(np.ones(width, "float32")))

    def __call__(self, x: jax.Array) -> jax.Array:
        """Count the call, and apply the layer."""
        self.calls[...] += 1
        return x @ self.w[...] + self.offset


class Net(nnx.Module):
    """Two parts, noise and a head."""

    def __init__(self, seed: int = 0) -> None:
        self.encode, self.middle = Part(seed), Part(seed + 5)
        self.dropout = nnx.Dropout(0.5, rngs=nnx.Rngs(seed))
        self.head: Part | nnx.Linear = Part(seed + 7, width=1)

    def __call__(self, x: jax.Array) -> jax.Array:
        """Apply all parts."""
        hidden: jax.Array = self.dropout(self.middle(self.encode(x)))
        return self.head(hidden)


class Tied(Net):
    """A net whose first part stands in two places."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self.decode = self.encode


_x = jnp.arange(1.0, 17.0).reshape(8, 2)


def _values(model: Any) -> Any:
    """Return the arrays of a module, keys and plain arrays among them, as a plain dictionary."""
    return nnx.to_pure_dict(nnx.state(model))


def _layers(made: Any) -> list[nnx.Linear]:
    return [part for _, part in nnx.iter_modules(made) if isinstance(part, nnx.Linear)]


def _is_right(made: Any, scale: float, call: Any) -> None:
    shares_nothing()(lambda: made)
    layers = _layers(made)
    require(len(layers) == 3, "value/structure", wanted="3 layers", got=f"{len(layers)}")
    wanted = reduce(lambda x, layer: layer(x), layers, _x)
    compare(np.float32(scale) * wanted, attempt(call, _x), given=f"scale {scale}")


def _stack_by_itself(answer: Any) -> None:
    made = attempt(answer, 2, 3, 3.0, nnx.Rngs(0))
    _is_right(made, 3.0, made)


def _stacks_under_jit(answer: Any) -> None:
    scales = (2.0, 0.5, -1.0)
    made = [attempt(answer, 2, 3, scale, nnx.Rngs(seed)) for seed, scale in enumerate(scales)]
    kernels = [layer.kernel[...].tobytes() for stack in made for layer in _layers(stack)]
    require(len(set(kernels)) == 9, "keys/reused", layers=9, different_weights=len(set(kernels)))
    # The answer's own function: only traces of the reader's code are recorded.
    call = jax.jit(type(made[0]).__call__)
    for stack, scale in zip(made, scales, strict=True):
        _is_right(stack, scale, partial(call, stack))


Stack = Exercise(
    name="Stack",
    questions=(
        _stack_by_itself,
        traces_at_most(1, _stacks_under_jit, "three stacks with other weights and scales"),
    ),
    hints=(
        "Three things are wrong: where the layers are kept, how many there are, and what a number "
        "counts as. `show_tree` tells what is static.",
        "A comprehension makes a new layer each time. `nnx.List` is a list that is data; an array "
        "or a Variable is data too.",
        "A list of fresh layers in a container of NNX, and the scale as an array. What is called "
        "changes little: a Variable is read with `[...]`.",
    ),
    verified="three layers of their own; one trace for three stacks with other weights and scales",
    answer=solutions.Stack,
)


def _step(model: Any) -> None:
    model.middle.w[...] -= 0.5
    model.head.w[...] *= 2.0
    model.encode.calls[...] += 10


def _loss(model: Any) -> jax.Array:
    return jnp.mean((model(_x) - 1.0) ** 2)


_wanted_loss: Callable[..., Any] = solutions.loss_after


def _returns_the_later_loss(answer: Any) -> None:
    got = attempt(answer, Net(), _step, _loss)
    compare(_wanted_loss(Net(), _step, _loss), got, given="a step that changes two weights")


def _of_model(answer: Any) -> Any:
    return lambda model: answer(model, _step, _loss)


def _puts_back_the_parameters_alone(answer: Any) -> None:
    updates_like(_of_model(_wanted_loss), Net())(_of_model(answer))


loss_after = Exercise(
    name="loss_after",
    questions=(_returns_the_later_loss, _puts_back_the_parameters_alone),
    hints=(
        "Look at `kept` before and after the step. Is it another object than what the model holds, "
        "and does it hold no more than what is to go back?",
        "`nnx.state` takes a filter. Arrays do not change, Variables do: `nnx.to_pure_dict` keeps "
        "the arrays.",
        "One line is to change, the first. It takes the parameters only, and takes them out of "
        "their Variables.",
    ),
    verified="the loss after the step; parameters as before, counts and random state further on",
    answer=solutions.loss_after,
)


def _calls_as(answer: Any) -> None:
    model, mine = Net(), Net()
    for n in (1, 2):
        compare(model(_x), attempt(answer, mine, _x), given=f"call {n}")


_graphdef = nnx.graphdef(Net())


def _of_arrays(answer: Any) -> Any:
    return lambda saved, x: answer(nnx.merge(_graphdef, saved), x)


run = Exercise(
    name="run",
    questions=(
        # A model of its own for each question: an answer may donate its arrays.
        lambda answer: compare(got=attempt(answer, Net(), _x), wanted=Net()(_x), given="call 1"),
        lambda answer: updates_like(lambda model, x: model(x), Net(), _x)(answer),
        _calls_as,
        works_under_jit(_of_arrays, _values(Net()), _x),
        traces_at_most(1, _calls_as, "two calls"),
    ),
    hints=(
        "What the jitted function changes, it changes in a copy. Which one of the two does the "
        "caller hold in the end?",
        "A module may be a result of a jitted function. `nnx.state` takes its Variables, and "
        "`nnx.update` writes them into another module.",
        "Two functions: a jitted one, outside of `run`, which returns the output and the module; "
        "and `run`, which calls, updates and returns the output.",
    ),
    verified="right output twice; counts and random state as without jit; one trace for two calls",
    answer=solutions.run,
)


def _returned(kind: type, got: Any) -> Any:
    name = kind.__name__
    require(got is not None, "value/nothing", wanted=f"a {name}")
    require(isinstance(got, kind), "value/structure", wanted=name, got=type(got).__name__)
    return got


def _parts(model: Any) -> dict[str, Any]:
    return {name: _values(getattr(model, name)) for name in ("encode", "middle", "decode", "head")}


# Of another class, so that new numbers in the old head do not do.
_new_head = partial(nnx.Linear, 2, 3, kernel_init=nnx.initializers.ones, rngs=nnx.Rngs(9))


def _has_the_parts_of_both(answer: Any) -> None:
    got = _returned(Tied, attempt(answer, Tied(), _new_head()))
    wanted = nnx.clone(Tied())
    wanted.head = _new_head()
    # By their paths: which places are one object is a later question.
    compare(_parts(wanted), _parts(got))


def _is_apart_and_tied_within(answer: Any) -> None:
    model = Tied()
    result = attempt(answer, model, _new_head())
    for alias in find_aliases(model=model, result=result):
        roots = {path.partition(".")[0] for path in alias.paths}
        places = ", ".join(alias.paths)
        require(len(roots) == 1, "nnx/shared", object=alias.type, places=places)
    given, returned = (f"{name}.encode, {name}.decode" for name in ("model", "result"))
    tied = result.encode is result.decode
    require(tied, "nnx/untied", one_object=given, two_objects=returned)


with_head = Exercise(
    name="with_head",
    questions=(
        _has_the_parts_of_both,
        _is_apart_and_tied_within,
        lambda answer: updates_like(lambda model, head: None, Tied(), _new_head())(answer),
    ),
    hints=(
        "Three things can go wrong with a copy: it is the same object, it holds the same "
        "Variables, or it holds two layers where there was one.",
        "`nnx.clone` makes new Variables and keeps ties. What is left is an assignment.",
        "Three lines: the copy, its new attribute, and what is returned.",
    ),
    verified="head and body as given; the model unchanged; nothing shared with it; tied as before",
    answer=solutions.with_head,
)


class Maker:
    """Makes a `Net`, and notes whether its weights are numbers or tracers."""

    drawn = False

    def __call__(self) -> Net:
        """Make a model with other weights than those that were saved."""
        model = Net(seed=1)
        self.drawn |= not isinstance(model.encode.w[...], jax.core.Tracer)
        return model


@contextmanager
def _saved() -> Iterator[tuple[Path, Any]]:
    model = Net(seed=3)
    # As after some calls, which would have to be compiled.
    model.encode.calls[...] = jnp.int32(4)
    model.dropout.rngs.count[...] = jnp.uint32(4)
    with TemporaryDirectory() as folder, ocp.StandardCheckpointer() as checkpointer:
        path = Path(folder, "model")
        checkpointer.save(path, nnx.state(model))
        checkpointer.wait_until_finished()
        yield path, model


def _resumes(answer: Any) -> None:
    maker = Maker()
    with _saved() as (path, model):
        got = attempt(answer, path, maker)
    wanted, values = _values(model), _values(_returned(Net, got))
    abstract = [each for each in jax.tree.leaves(values) if isinstance(each, jax.ShapeDtypeStruct)]
    require(not abstract, "value/not-computed", got="shapes without values")
    compare(wanted, values)
    require(not maker.drawn, "nnx/weights-computed", create="ran without a trace")


resume = Exercise(
    name="resume",
    questions=(_resumes,),
    hints=(
        "The steps are those of the section: what to expect, what was saved, and the two together.",
        "`nnx.eval_shape` takes a function without arguments, which `create` is. `nnx.split` gives "
        "the target, and `nnx.merge` makes a module.",
        "Split the module of shapes; restore into its state, by a checkpointer; merge what came "
        "back with the graphdef.",
    ),
    verified="every array, count and key as saved; no weights drawn on the way",
    answer=solutions.resume,
)
