"""Where JAX or Flax changes what is read of its insides, checks say so, and blame no answer.

Each change is one that a release might bring, made here by hand. Every right answer of an exercise
that reads it could not be told from a wrong one then, and every wrong answer either has the finding
that it always had or could not be told: none passes, and none gets another finding.
"""

import importlib
import logging
from dataclasses import replace

import jax
import pytest
from flax import nnx

from traced import ask, explore, show, show_stages, watch
from traced.internals import (
    cache_misses,
    compilations,
    frames,
    jaxprs,
    trace_requests,
    variables,
)
from traced.internals.canary import CANARIES, CouldNotTell
from traced.lessons.start_here import mean_square
from traced.programs import hlo, memory, stablehlo_lines
from traced.questions import donates
from traced.randomness import flow
from traced.randomness.keys import record_keys
from traced.running import diagnosis, messages
from traced.static_shapes import shapes

pytestmark = pytest.mark.usefixtures("as_readers_have_it")


@pytest.fixture(autouse=True)
def unasked_canaries(monkeypatch):
    for canary in CANARIES:
        monkeypatch.setattr(canary, "lives", None)
        monkeypatch.setattr(canary, "unseen", None)


def reword(old, new):
    def change(patch):
        said = logging.LogRecord.getMessage
        patch.setattr(
            logging.LogRecord, "getMessage", lambda record: said(record).replace(old, new)
        )

    return change


def lose(holder, name, result=None):
    """Return a change after which what `holder` calls `name` returns the same for everything."""
    return lambda patch: patch.setattr(holder, name, lambda *_, **__: result)


def break_off(holder, name, error):
    def fail(*_, **__):
        raise error

    return lambda patch: patch.setattr(holder, name, fail)


def rename(holder, name, new):
    return lambda patch: patch.setattr(holder, name, new)


def remove_key_checker(patch):
    patch.delattr("jax.experimental.key_reuse._core.call_impl_with_key_reuse_checks")


def reword_errors(patch):
    reworded = [
        replace(each, pattern=f"{each.pattern}, put in other words") for each in messages.MESSAGES
    ]
    patch.setattr(diagnosis, "MESSAGES", reworded)


#: What changes, and the exercises that read it: by lesson and name.
CHANGES = {
    "the log has another first line": (
        reword("TRACING CACHE MISS", "CACHE MISS"), "static_shapes.window tracing.Gain"
    ),
    "the log gives reasons in other words": (
        reword("different input types", "other types"), "static_shapes.window"
    ),
    "the log has other words for a new function": (
        reword("never seen function", "unknown function"), "nnx_objects.Stack"
    ),
    "it is not told whether another function is traced": (
        lose(cache_misses, "_trace_state"), "tracing.Gain"
    ),
    "equations have no frames": (
        break_off(frames, "_calls", AttributeError("raw_frames")),
        "loops.decayed_sum randomness.pick",
    ),
    "frames have no lines": (lose(frames, "line_of", 1), "loops.decayed_sum"),
    "`vmap` has another frame": (lose(frames, "count_vmaps", 0), "randomness.dropout"),
    "tracers have no frames": (lose(frames, "calls_to_tracer", ()), "randomness.rollout"),
    "a `scan` has other parameters": (
        break_off(jaxprs, "_scan_sizes", KeyError("ft_in")), "randomness.rollout loops.smooth"
    ),
    "calls have other names": (rename(jaxprs, "CALLS", {"jit_call"}), "randomness.pick"),
    "jaxprs have no equations": (
        break_off(jaxprs, "structure", AttributeError("eqns")), "start_here.mean_square"
    ),
    "an operation is done in another way": (
        break_off(jaxprs, "operation_of", AttributeError("bind")), "branches.mend"
    ),
    "equations have no settings": (
        break_off(jaxprs, "settings_of", AttributeError("ctx")), "randomness.epoch_order"
    ),
    "jaxprs do not say where they were defined": (
        lose(jaxprs, "defined_in", ""), "randomness.rollout"
    ),
    "drawing bits has another name": (
        rename(flow, "RANDOM", flow.RANDOM - {"random_bits"}), "randomness.init_layers"
    ),
    "traces are recorded under another name": (
        rename(trace_requests, "_EVENT", "/jax/traced"), "static_shapes.window tracing.Gain"
    ),
    "compilations are recorded under another name": (
        rename(compilations, "_EVENT", "/jax/compiled"), "static_shapes.log_total"
    ),
    "the settings have no names": (
        lambda patch: patch.setattr(type(jax.config), "values", {}, raising=False),
        "start_here.mean_square",
    ),
    "a Variable holds its value elsewhere": (
        rename(variables, "_VALUE", "_value"), "nnx_objects.loss_after"
    ),
    "data is recorded elsewhere": (rename(variables, "_DATA", "_nodes"), "nnx_objects.with_head"),
    "the refused value has another name": (
        lose(shapes, "refused_tracers", []), "static_shapes.positions"
    ),
    "HLO is written in another way": (
        rename(hlo, "NAMED", hlo.re.compile("=> (?:never) (.+)")), "branches.clip_norm"
    ),
    "StableHLO names places otherwise": (
        break_off(stablehlo_lines, "_chains", KeyError("#loc1")), ""
    ),
}  # fmt: skip  # a change, and who is concerned, in as few lines as that takes


def exercises(names):
    for name in names.split():
        lesson, exercise = name.split(".")
        every = importlib.import_module(f"traced.lessons.{lesson}").EXERCISES
        answers = importlib.import_module(f"tests.lessons.{lesson}")
        yield next(each for each in every if each.name == exercise), answers


@pytest.mark.by_turns
@pytest.mark.usefixtures("compiled_once")
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_told_and_no_answer_passes_or_is_blamed_for_it(change, monkeypatch):
    make, names = CHANGES[change]
    make(monkeypatch)
    for exercise, answers in exercises(names):
        feedback = exercise.check(exercise.answer)
        assert feedback.state == "could not tell", feedback
        assert "does not show it in the way that is read here" in feedback.unseen
        for code, wrong in answers.WRONG[exercise.name].items():
            for answer in wrong:
                feedback = exercise.check(answer)
                known = feedback.finding and feedback.finding.code == code
                assert known or feedback.state == "could not tell", (answer, feedback)


def test_without_the_key_checker_a_loop_that_may_not_end_is_not_run(monkeypatch):
    remove_key_checker(monkeypatch)
    start_here = importlib.import_module("tests.lessons.start_here")
    for loop in (start_here.with_a_loop_of_lax, never_ends):
        feedback = mean_square.check(loop)
        assert feedback.state == "could not tell", feedback
    assert mean_square.check(start_here.with_dot).state == "passed"


def never_ends(x):
    return jax.lax.while_loop(lambda c: c < 1.0, lambda c: c, 0.0)


def slices(x):
    return x[: x.sum()]


@pytest.mark.parametrize(
    ("wrong", "state"),
    [(lambda x: jax.jit(slices)(x), "could not tell"), (lambda x: {}["sum"], "not yet")],
)
def test_an_error_in_other_words_is_not_taken_for_another_one(wrong, state, monkeypatch):
    reword_errors(monkeypatch)
    assert mean_square.check(wrong).state == state


def test_an_error_inside_a_probe_is_not_reported_as_the_answers(monkeypatch):
    monkeypatch.setattr("traced.programs.jaxprs.nested_jaxprs", None)
    feedback = mean_square.check(mean_square.answer)
    assert feedback.state == "could not tell"
    assert "'NoneType' object is not callable" in feedback.unseen


def test_nothing_is_noted_of_an_answer_that_could_not_be_told(monkeypatch, own_journal):
    monkeypatch.setattr("traced.programs.jaxprs.nested_jaxprs", None)
    mean_square.check(mean_square.answer)
    assert not own_journal.exists()


def test_watch_says_so_and_calls_all_the_same(monkeypatch):
    CHANGES["traces are recorded under another name"][0](monkeypatch)
    double = watch(lambda x: 2 * x)
    assert double(2.0) == 4.0
    assert "could not tell  could not tell whether `jit` traced a call" in str(double)
    with pytest.raises(CouldNotTell):
        _ = double.traces


@pytest.mark.parametrize(
    ("change", "draw"),
    [
        ("equations have no frames", lambda: show.show_keys(jax.random.normal, jax.random.key(0))),
        ("equations have no frames", lambda: explore(lambda x: 2 * x, 1.0)),
        ("HLO is written in another way", lambda: explore(lambda x: 2 * x, 1.0).beside(abs)),
        ("StableHLO names places otherwise", lambda: explore(jax.numpy.sin, 1.0).with_stablehlo),
        ("jaxprs have no equations", lambda: show_stages(jax.numpy.sin, 1.0)),
        ("HLO is written in another way", lambda: show_stages(jax.numpy.sin, 1.0)),
        ("data is recorded elsewhere", lambda: show.show_split(nnx.Dict(w=nnx.Param(1.0)), ...)),
    ],
)
def test_a_picture_says_so(change, draw, monkeypatch):
    CHANGES[change][0](monkeypatch)
    picture = draw()
    assert str(picture).startswith("could not tell ")
    assert "could not tell " in (picture._repr_html_() or str(picture))


def test_a_question_of_ones_own_code_says_so(monkeypatch):
    monkeypatch.setattr(memory, "ALIAS", hlo.re.compile("=> (never) (.+)"))
    in_place = jax.jit(lambda x: x + 1.0, donate_argnums=0)
    feedback = ask(donates(jax.numpy.ones(3), argument="x"), in_place)
    assert feedback.state == "could not tell", feedback


def test_a_probe_of_ones_own_code_says_so(monkeypatch):
    remove_key_checker(monkeypatch)
    with pytest.raises(CouldNotTell, match="what is done outside of `jit`"), record_keys():
        pass
