"""Write what continues a run: the newest state that was saved, or a new model where none was."""

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
def _saved(kind: type, steps: tuple[int, ...]) -> Iterator[tuple[Path, Any]]:
    """Save a model at each step, and yield the folder and the model as it was at the last one."""
    model = kind(seed=3)
    with TemporaryDirectory() as name:
        folder = Path(name, "run")
        folder.mkdir()
        with ocp.CheckpointManager(folder) as manager:
            for number, step in enumerate(steps, start=4):
                # As after some calls, which would have to be compiled, with weights of many digits.
                model.encode.calls[...] = jnp.int32(number)
                model.dropout.rngs.count[...] = jnp.uint32(number)
                weights = np.asarray(model.middle.w[...]) / np.float32(3)
                model.middle.w[...] = jnp.asarray(weights)
                manager.save(step, args=ocp.args.StandardSave(nnx.state(model)))
            manager.wait_until_finished()
        yield folder, model


def _resumed(answer: Any, folder: Path, maker: Maker, step: int) -> Any:
    """Call an answer, and return its model; require a pair, with the number of the step."""
    got = attempt(answer, folder, maker)
    is_pair = isinstance(got, tuple | list) and len(got) == 2
    kind = type(got).__name__
    require(got is not None, "value/nothing", wanted=f"a {maker.kind.__name__} and a step")
    require(is_pair, "value/structure", wanted=f"a {maker.kind.__name__} and a step", got=kind)
    model, got_step = got
    require_module(maker.kind, model)
    given = "an empty folder" if step == 0 else f"step {step - 1}, the newest"
    number = np.asarray(got_step)
    is_right = number.dtype.kind in "iu" and number.shape == () and int(number) == step
    require(is_right, "value/differs", given=given, wanted=f"step {step}", got=f"{got_step!r}")
    return model


def _resumes_without_drawing(
    answer: Any, kind: type, steps: tuple[int, ...], deterministic: bool
) -> None:
    """Require every array, count and key as saved, from a `create` that was only traced."""
    maker = Maker(kind, deterministic)
    with _saved(kind, steps) as (folder, model):
        got = _resumed(answer, folder, maker, max(steps) + 1)
    _require_resumed(model, got, maker)


def _require_resumed(model: Any, got: Any, maker: Maker) -> None:
    """Require a model like the one that was saved, for which no weights were drawn."""
    _require_like(model, got, maker)
    require(not maker.drawn, "nnx/weights-computed", weights_of_create="computed")


def _require_like(model: Any, got: Any, maker: Maker) -> None:
    """Require a model with the values of another, and in the mode that `create` makes it in."""
    values = values_of(got)
    abstract = [each for each in jax.tree.leaves(values) if isinstance(each, jax.ShapeDtypeStruct)]
    require(not abstract, "value/not-computed", got="shapes without values")
    compare(values_of(model), values)
    modes = {"wanted": maker.deterministic, "got": got.dropout.deterministic}
    same = modes["wanted"] == modes["got"]
    require(same, "value/structure", at="dropout.deterministic", **modes)


def _begins_in_an_empty_folder(answer: Any) -> None:
    """Require the model that `create` makes, and step 0, where nothing was saved."""
    maker = Maker(Net, deterministic=True)
    with _saved(Net, ()) as (folder, _):
        before = _contents(folder)
        got = _resumed(answer, folder, maker, 0)
        _require_same_files(before, _contents(folder))
    _require_like(Maker(Net, deterministic=True)(), got, maker)


def _resumes_again(answer: Any) -> None:
    """Require that a checkpoint stays as it is, and gives another model the next time."""
    maker = Maker(Net, deterministic=True)
    with _saved(Net, (1, 2)) as (folder, model):
        before = _contents(folder)
        first = _resumed(answer, folder, maker, 3)
        _require_same_files(before, _contents(folder))
        again = _resumed(answer, folder, maker, 3)
    for alias in find_aliases(first=first, second=again):
        roots = {each.partition(".")[0] for each in alias.paths}
        places = ", ".join(alias.paths)
        require(len(roots) == 1, "nnx/shared", object=alias.type, places=places, given=TWICE)
    _require_resumed(model, again, maker)


def _require_same_files(before: dict[str, bytes], after: dict[str, bytes]) -> None:
    """Require that no file of a folder was written, and that none is gone."""
    for name in sorted(before.keys() | after.keys()):
        same = before.get(name) == after.get(name)
        require(same, "effects/write", changed=f"the file {name} in `folder`")


#: How the model comes to be in two places, as evidence.
TWICE = "two results for the same folder"


def _contents(folder: Path) -> dict[str, bytes]:
    """Return the files below a folder, by their path there."""
    files = (each for each in folder.rglob("*") if each.is_file())
    return {str(each.relative_to(folder)): each.read_bytes() for each in files}


resume = Exercise(
    name="resume",
    questions=(
        # As texts, 9 comes after 10.
        partial(_resumes_without_drawing, kind=Net, steps=(9, 10), deterministic=True),
        partial(_resumes_without_drawing, kind=Noisy, steps=(0,), deterministic=False),
        _begins_in_an_empty_folder,
        _resumes_again,
    ),
    hints=(
        "The steps are those of the section: what to expect, what was saved last, and the two "
        "together. What does the manager say of a folder without steps?",
        "`nnx.eval_shape` takes a function without arguments, which `create` is. Where nothing was "
        "saved, `latest_step` is None, which is not 0.",
        "Open a manager; without a step, call `create`; else split the module of shapes, restore "
        "into its state, and merge. The next step is one more.",
    ),
    verified="two models that `create` makes, with every array, count and key of the newest step; "
    "no weights drawn on the way, not even under `jit`; a new model in an empty folder; "
    "nothing changed on disk, and a model of its own at each call",
    answer=solution,
)
