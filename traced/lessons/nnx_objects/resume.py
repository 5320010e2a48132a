"""Write what makes a model with the state that was saved, and draws no weights on the way."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint as ocp  # type: ignore[import-untyped]  # Orbax gives it no types
from flax import nnx

from traced.course.exercise import Exercise
from traced.findings.feedback import require
from traced.lessons.nnx_objects.nets import Net, require_module, values_of
from traced.lessons.nnx_objects.solutions.resume import resume as solution
from traced.modules.changes import find_aliases
from traced.questions import compare
from traced.running.attempt import attempt


class Noisy(Net):
    """A net that keeps streams of random numbers to draw from."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self.rngs = nnx.Rngs(seed)


class Maker:
    """Makes a net, and notes whether its weights are computed, in a jitted function as well."""

    def __init__(self, kind: type, deterministic: bool) -> None:
        self.kind, self.deterministic, self.drawn = kind, deterministic, False

    def __call__(self) -> Any:
        """Make a model with other weights than those that were saved."""
        model: Any = self.kind(seed=1)
        for part in (model.encode, model.middle, model.head):
            weights = part.w[...]
            # It is called where the numbers are needed: while shapes are traced, they are not.
            part.w[...] = jax.pure_callback(self._draw, jax.typeof(weights), weights)
        model.dropout.deterministic = self.deterministic
        return model

    def _draw(self, weights: Any) -> Any:
        self.drawn = True
        return weights


@contextmanager
def _saved(kind: type) -> Iterator[tuple[Path, Any]]:
    """Save a model, and yield the folder and the model."""
    model = kind(seed=3)
    # As after some calls, which would have to be compiled, and with weights of many digits.
    model.encode.calls[...] = jnp.int32(4)
    model.dropout.rngs.count[...] = jnp.uint32(4)
    model.middle.w[...] = jnp.asarray(np.asarray(model.middle.w[...]) / np.float32(3))
    with TemporaryDirectory() as folder, ocp.StandardCheckpointer() as checkpointer:
        path = Path(folder, "model")
        checkpointer.save(path, nnx.state(model))
        checkpointer.wait_until_finished()
        yield path, model


def _resumes_without_drawing(answer: Any, kind: type, deterministic: bool) -> None:
    """Require every array, count and key as saved, from a `create` that was only traced."""
    maker = Maker(kind, deterministic)
    with _saved(kind) as (path, model):
        got = attempt(answer, path, maker)
    _require_resumed(model, got, maker)


def _require_resumed(model: Any, got: Any, maker: Maker) -> None:
    """Require a model like the one that was saved, for which no weights were drawn."""
    values = values_of(require_module(maker.kind, got))
    abstract = [each for each in jax.tree.leaves(values) if isinstance(each, jax.ShapeDtypeStruct)]
    require(not abstract, "value/not-computed", got="shapes without values")
    compare(values_of(model), values)
    modes = {"wanted": maker.deterministic, "got": got.dropout.deterministic}
    same = modes["wanted"] == modes["got"]
    require(same, "value/structure", at="dropout.deterministic", **modes)
    require(not maker.drawn, "nnx/weights-computed", weights_of_create="computed")


def _resumes_again(answer: Any) -> None:
    """Require that a checkpoint stays as it is, and gives another model the next time."""
    maker = Maker(Net, deterministic=True)
    with _saved(Net) as (path, model):
        before = _contents(path)
        first = attempt(answer, path, maker)
        after = _contents(path)
        for name in sorted(before.keys() | after.keys()):
            same = before.get(name) == after.get(name)
            require(same, "effects/write", changed=f"the file {name} at `path`")
        again = attempt(answer, path, maker)
    for alias in find_aliases(first=first, second=again):
        roots = {each.partition(".")[0] for each in alias.paths}
        places = ", ".join(alias.paths)
        require(len(roots) == 1, "nnx/shared", object=alias.type, places=places, given=TWICE)
    _require_resumed(model, again, maker)


#: How the model comes to be in two places, as evidence.
TWICE = "two results for the same path"


def _contents(path: Path) -> dict[str, bytes]:
    """Return the files below a folder, by their path there."""
    files = (each for each in path.rglob("*") if each.is_file())
    return {str(each.relative_to(path)): each.read_bytes() for each in files}


resume = Exercise(
    name="resume",
    questions=(
        partial(_resumes_without_drawing, kind=Net, deterministic=True),
        partial(_resumes_without_drawing, kind=Noisy, deterministic=False),
        _resumes_again,
    ),
    hints=(
        "The steps are those of the section: what to expect, what was saved, and the two together.",
        "`nnx.eval_shape` takes a function without arguments, which `create` is. `nnx.split` gives "
        "the target, and `nnx.merge` makes a module.",
        "Split the module of shapes; restore into its state, by a checkpointer; merge what came "
        "back with the graphdef.",
    ),
    verified="two models that `create` makes, with every array, count and key as saved; no weights "
    "drawn on the way, in a jitted function neither; a model of its own at each call",
    answer=solution,
)
