"""Write what makes a model with the state that was saved, and draws no weights on the way."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jax
import jax.numpy as jnp
import orbax.checkpoint as ocp  # type: ignore[import-untyped]  # Orbax gives it no types
from flax import nnx

from traced.course.exercise import Exercise
from traced.findings.feedback import require
from traced.lessons.nnx_objects.nets import Net, require_module, values_of
from traced.lessons.nnx_objects.solutions.resume import resume as solution
from traced.questions import compare
from traced.running.attempt import attempt


class Maker:
    """Makes a `Net`, and notes whether its weights are computed, in a jitted function as well."""

    drawn = False

    def __call__(self) -> Any:
        """Make a model that no longer trains, with other weights than those that were saved."""
        model: Any = Net(seed=1)
        for part in (model.encode, model.middle, model.head):
            weights = part.w[...]
            # It is called where the numbers are needed: while shapes are traced, they are not.
            part.w[...] = jax.pure_callback(self._draw, jax.typeof(weights), weights)
        model.dropout.deterministic = True
        return model

    def _draw(self, weights: Any) -> Any:
        self.drawn = True
        return weights


@contextmanager
def _saved() -> Iterator[tuple[Path, Net]]:
    """Save a model, and yield the folder and the model."""
    model = Net(seed=3)
    # As after some calls, which would have to be compiled.
    model.encode.calls[...] = jnp.int32(4)
    model.dropout.rngs.count[...] = jnp.uint32(4)
    with TemporaryDirectory() as folder, ocp.StandardCheckpointer() as checkpointer:
        path = Path(folder, "model")
        checkpointer.save(path, nnx.state(model))
        checkpointer.wait_until_finished()
        yield path, model


def _resumes_without_drawing(answer: Any) -> None:
    """Require every array, count and key as saved, from a `create` that was only traced."""
    maker = Maker()
    with _saved() as (path, model):
        got = attempt(answer, path, maker)
    values = values_of(require_module(Net, got))
    abstract = [each for each in jax.tree.leaves(values) if isinstance(each, jax.ShapeDtypeStruct)]
    require(not abstract, "value/not-computed", got="shapes without values")
    compare(values_of(model), values)
    modes = {"wanted": True, "got": got.dropout.deterministic}
    require(modes["got"], "value/structure", at="dropout.deterministic", **modes)
    require(not maker.drawn, "nnx/weights-computed", weights_of_create="computed")


resume = Exercise(
    name="resume",
    questions=(_resumes_without_drawing,),
    hints=(
        "The steps are those of the section: what to expect, what was saved, and the two together.",
        "`nnx.eval_shape` takes a function without arguments, which `create` is. `nnx.split` gives "
        "the target, and `nnx.merge` makes a module.",
        "Split the module of shapes; restore into its state, by a checkpointer; merge what came "
        "back with the graphdef.",
    ),
    verified="the model that `create` makes, with every array, count and key as saved; no weights "
    "drawn on the way, in a jitted function neither",
    answer=solution,
)
