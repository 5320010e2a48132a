"""What `explain` says of errors: of JAX's, of others, of those that caused others."""

import contextlib
import linecache
import re
import textwrap

import flax
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from flax import nnx

from tests.symptoms.others import PROGRAMS as OTHERS
from tests.symptoms.programs import PROGRAMS
from traced import explain
from traced.course.explanation import find_first_symptom

NAMES = """
import dataclasses, functools, math
from jax import grad, jit, lax, random, shard_map, vmap
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P
"""
#: What JAX may do to the frames of a traceback.
FILTERING = ("off", "tracebackhide", "quiet_remove_frames", "remove_frames")


def error_of(program):
    """Return the error that a program raises, as a reader's JAX raises it."""
    linecache.cache["cell"] = (len(program), None, program.splitlines(keepends=True), "cell")
    names = {"flax": flax, "jax": jax, "jnp": jnp, "nnx": nnx, "np": np, "optax": optax}
    exec(NAMES, names)
    with (
        jax.numpy_dtype_promotion("standard"),
        jax.numpy_rank_promotion("allow"),
        pytest.raises(Exception) as caught,  # noqa: PT011  # any error will do
    ):
        exec(compile(program, "cell", "exec"), names | {"__name__": "__main__"})
    return caught.value


@contextlib.contextmanager
def filtering(mode):
    before = jax.config.jax_traceback_filtering
    jax.config.update("jax_traceback_filtering", mode)
    try:
        yield
    finally:
        jax.config.update("jax_traceback_filtering", before)


@pytest.mark.parametrize(("fault", "page"), PROGRAMS)
def test_an_error_in_a_program_leads_to_its_page(fault, page):
    error = error_of(PROGRAMS[fault, page])
    assert find_first_symptom(error).page == page


# The class of these is another than that of a whole optimizer. A traceback does not show whose it
# is, so they are none of the programs above, which are read from their text as well.
@pytest.mark.parametrize("wrong", ["clip.apply({'w': 1.0})", "clip({'w': 1.0})"])
def test_a_part_of_an_optimizer_is_explained_like_a_whole_one(wrong):
    error = error_of(f"clip = optax.clip_by_global_norm(1.0)\n{wrong}")
    assert find_first_symptom(error).page == "optimizer-methods"


@pytest.mark.parametrize(
    ("page", "program"),
    [
        ("no-init-and-apply", "nnx.Linear(3, 2, rngs=nnx.Rngs(0)).units"),
        ("scan-pair", "nnx.scan(lambda total, x: total + x)(0.0, jnp.arange(3.0))"),
        ("mesh-devices", "jax.local_devices()[997]"),
        ("nnx-scan-layers", "layers = [nnx.Linear(3, 3, rngs=nnx.Rngs(0))]\nlayers(jnp.ones(3))"),
        (
            "not-subscriptable",
            "class Net(nnx.Module):\n"
            "    def __init__(self):\n"
            "        pass\n"
            "for layer in Net():\n"
            "    layer(1)",
        ),
        (
            "not-subscriptable",
            "model = nnx.Linear(3, 2, rngs=nnx.Rngs(0))\nsizes = [layer.size for layer in model]",
        ),
        (
            "not-subscriptable",
            "model = nnx.Linear(3, 2, rngs=nnx.Rngs(0))\nsizes = {str(p): p.size for p in model}",
        ),
        (
            "not-json",
            "import json\njson.dumps({'w': [nnx.Linear(3, 2, rngs=nnx.Rngs(0)).kernel]})",
        ),
        (
            "missing-rngs",
            "class Block(nnx.Module):\n"
            "    def __init__(self, width, *, rngs):\n"
            "        self.layer = nnx.Linear(width, 2, rngs=rngs)\n"
            "class Net(Block):\n"
            "    def __init__(self, *, rngs):\n"
            "        super().__init__(3)\n"
            "Net(rngs=nnx.Rngs(0))",
        ),
        ("invalid-argnames", "nnx.jit(lambda x, n: x, static_argnums='n')"),
        (
            "invalid-argnames",
            "make = functools.partial(jit, static_argnums='n')\n@make\ndef f(x, n):\n    return x",
        ),
        (
            "recursion",
            "def fib(n):\n"
            "    return lax.cond(n < 2, lambda n: n, lambda n: fib(n - 1) + fib(n - 2), n)\n"
            "vmap(fib)(jnp.arange(3))",
        ),
        ("format-tracer", "'{:.2f}'.format(nnx.MultiMetric(a=nnx.metrics.Average()).compute())"),
    ],
)
def test_of_rows_with_one_message_the_place_decides(page, program):
    assert find_first_symptom(error_of(program)).page == page


@pytest.mark.parametrize("mode", ["off", "quiet_remove_frames"])
@pytest.mark.parametrize("fault", OTHERS)
def test_an_error_that_is_not_of_jax_has_no_page(fault, mode):
    inside = textwrap.indent(OTHERS[fault], "    ")
    with filtering(mode):
        for program in OTHERS[fault], f"@jax.jit\ndef f(x):\n{inside}\n    return x\nf(1.0)":
            assert "read: field guide" not in str(explain(error_of(program)))


@pytest.mark.parametrize("mode", FILTERING)
def test_the_page_is_the_same_however_jax_filters_tracebacks(mode):
    with filtering(mode):
        for program, page in (
            ("jax.jit(lambda x: jnp.dot(x, jnp.ones(4)))(jnp.ones(3))", "contracting-dimensions"),
            ("jax.lax.scan(jnp.add, 0.0, jnp.ones(3), axis=0)", "loop-keywords"),
            ("key, other = jax.random.split(jax.random.key(0), 3)", "unpack-keys"),
        ):
            assert find_first_symptom(error_of(program)).page == page


def test_the_cause_of_an_error_is_explained():
    text = str(
        explain(
            error_of(
                "try:\n"
                "    jax.grad(jnp.sin)(3)\n"
                "except TypeError as error:\n"
                "    raise RuntimeError('step 7 failed') from error"
            )
        )
    )
    assert text.startswith("RuntimeError: step 7 failed\n  line 4:  raise RuntimeError")
    assert "\ncaused by\nTypeError: grad requires real- or complex-valued inputs" in text
    assert "line 2:  jax.grad(jnp.sin)(3)" in text
    assert text.endswith("\nread: field guide, grad-integer-input")


def test_what_was_raised_while_another_error_was_handled_is_explained_alone():
    program = "try:\n    jax.grad(jnp.sin)(3)\nexcept TypeError:\n    {}['loss']"
    assert str(explain(error_of(program))).endswith("not in the field guide")


def test_each_error_of_a_group_is_explained():
    program = (
        "errors = []\n"
        "for call in (lambda: jax.grad(jnp.sin)(3), lambda: {}['loss']):\n"
        "    try:\n"
        "        call()\n"
        "    except Exception as error:\n"
        "        errors.append(error)\n"
        "raise ExceptionGroup('sweep', errors)"
    )
    text = str(explain(error_of(program)))
    assert re.findall(r"one of them\n(\w+)", text) == ["TypeError", "KeyError"]
    assert text.count("read: field guide, ") == text.count("not in the field guide") == 1


def test_the_advice_of_jax_is_kept():
    text = str(explain(error_of("jax.jit(jnp.zeros)(3)")))
    assert "\nadvice: If using `jit`, try using `static_argnums`" in text


def test_a_line_without_text_is_not_shown():
    names = {"jnp": jnp}
    exec(compile("def f():\n    return jnp.ones(3) @ jnp.ones(4)", "nowhere", "exec"), names)
    try:
        names["f"]()
    except TypeError as error:
        text = str(explain(error))
    assert re.search(r'line \d+:  names\["f"\]\(\)', text)


def test_an_error_without_a_line_is_explained_without_one():
    assert str(explain(KeyError("a"))) == "KeyError: 'a'\nnot in the field guide"
