"""Traces with their reasons: as JAX logs them, and as two signatures tell."""

import logging
import subprocess
import sys
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from jax.sharding import AxisType, PartitionSpec

from traced.lessons.nnx_objects.nets import Part
from traced.tracing.traces import record_traces


def reasons(run):
    with record_traces() as traces:
        run()
    return [each.reason for each in traces]


def f_twice(first, second, **options):
    f = jax.jit(lambda x, n=1: jnp.sin(x), **options)
    return lambda: (first(f), second(f))


CASES = {
    "shape": f_twice(lambda f: f(jnp.ones(3)), lambda f: f(jnp.ones(4))),
    "dtype": f_twice(lambda f: f(jnp.float32(1)), lambda f: f(jnp.float16(1))),
    "weak type": f_twice(lambda f: f(1.0), lambda f: f(jnp.float32(1))),
    "structure": f_twice(lambda f: f(1.0), lambda f: f(1.0, {"a": 2})),
    "static value": f_twice(lambda f: f(1.0, 2), lambda f: f(1.0, 3), static_argnames="n"),
}


@pytest.mark.parametrize("reason", CASES)
def test_a_second_trace_has_its_reason(reason):
    assert reasons(CASES[reason]) == ["first call", reason]


def test_a_change_of_configuration_is_a_reason():
    f = jax.jit(lambda x: x @ x)
    x = jnp.ones((2, 2))

    def run():
        f(x)
        with jax.default_matmul_precision("highest"):
            f(x)

    with record_traces() as traces:
        run()
    assert traces[1].reason == "configuration"
    assert traces[1].detail == ("configuration: jax_default_matmul_precision is highest, was None")


def double(x):
    return 2 * x


@pytest.mark.parametrize("make", [lambda: lambda x: 2 * x, lambda: partial(double)])
def test_a_function_made_anew_is_traced_anew(make):
    def run():
        for i in range(3):
            jax.jit(make())(float(i))

    assert reasons(run) == ["first call", "new function", "new function"]


def test_one_function_wrapped_again_keeps_its_trace():
    def run():
        for i in range(3):
            jax.jit(kept)(float(i))

    def kept(x):
        return 3 * x

    assert reasons(run) == ["first call"]


def test_a_function_called_before_the_first_record_is_not_traced_anew():
    code = """if True:
        import jax
        from traced import record_traces
        f = jax.jit(lambda x: 2 * x)
        f(1.0)
        with record_traces() as traces:
            f(1.0)
        assert (traces, f._cache_size()) == ([], 1)
    """
    subprocess.run([sys.executable, "-c", code], check=True)


def test_values_and_numpy_arrays_are_no_reason():
    f = jax.jit(lambda x: x + 1.0)
    x = jnp.ones(3)
    assert reasons(lambda: (f(x), f(x * 5), f(np.ones(3, "float32")))) == ["first call"]


def test_functions_of_libraries_are_left_out():
    assert reasons(lambda: jnp.linalg.norm(jnp.ones(7)) * jnp.linspace(0.0, 1.0, 11).sum()) == []


class Doubled:
    def __call__(self, x):
        return 2 * x


@pytest.mark.parametrize(
    "f",
    [jax.nn.logsumexp, jnp.sin, jax.vmap(jnp.sin), partial(jax.nn.logsumexp, axis=0), Doubled()],
)
def test_what_the_reader_puts_under_jit_is_recorded_whosever_it_is(f):
    jax.clear_caches()  # other tests may have traced `jnp.sin` for the same shapes
    f = jax.jit(f)
    with record_traces() as traces:
        f(jnp.ones(3)), f(jnp.ones(3)), f(jnp.ones(4))
    assert [each.reason for each in traces] == ["first call", "shape"]
    assert traces[1].detail.endswith("is f32[4], was f32[3]")


def _call_once(layer, x):
    return nnx.jit(type(layer).__call__)(layer, x)


@pytest.mark.parametrize("make", [lambda: nnx.Linear(2, 2, rngs=nnx.Rngs(0)), lambda: Part(0)])
def test_a_method_of_a_library_or_a_lesson_put_under_nnx_jit_anew_is_traced_anew(make):
    layer = make()
    with record_traces() as traces:
        for _ in range(3):
            _call_once(layer, jnp.ones(2))
    assert [each.reason for each in traces] == ["first call", "new function", "new function"]
    assert {each.place.source for each in traces} == {
        "return nnx.jit(type(layer).__call__)(layer, x)"
    }


def test_what_is_given_to_exec_is_the_readers():
    names = {"jax": jax}
    exec("f = jax.jit(lambda x: x + 1)", names)
    assert reasons(lambda: names["f"](1.0)) == ["first call"]


def test_a_trace_knows_function_and_line():
    f = jax.jit(double)
    with record_traces() as traces:
        f.clear_cache()
        f(jnp.ones(9))
    assert (traces[0].function, traces[0].place.source) == ("double", "def double(x):")
    assert (traces[0].called.source, traces[0].called.note) == ("f(jnp.ones(9))", "called here")


def test_a_decorated_function_is_placed_at_its_def():
    @jax.jit
    def decorated(x):
        return x

    with record_traces() as traces:
        decorated(1.0)
    assert traces[0].place.source == "def decorated(x):"


def test_a_record_inside_a_record_takes_nothing_from_it():
    f = jax.jit(lambda x: -x)
    with record_traces() as outer:
        f(1.0)
        with record_traces() as inner:
            f(2)
        f(jnp.ones(3))
    assert (len(outer), len(inner)) == (3, 1)


def test_a_change_of_structure_is_told():
    f = jax.jit(lambda xs: sum(xs))
    with record_traces() as traces:
        f([1.0, 2.0])
        f([1.0, 2.0, 3.0])
    assert "now" not in traces[1].detail
    assert "list of length 3, was list of length 2" in traces[1].detail


@jax.jit
def first_of(t):
    return t[0]


@nnx.jit
def called(model, x):
    return model(x)


def split_along(axis):
    mesh = jax.make_mesh((1,), ("i",), axis_types=(AxisType.Explicit,))
    spec = PartitionSpec(*["i" if i == axis else None for i in range(2)])
    return jax.device_put(jnp.ones((4, 4)), jax.NamedSharding(mesh, spec))


def in_other_modes():
    model = nnx.Dropout(0.5, rngs=nnx.Rngs(0))
    for mode in model.train, model.eval:
        mode()
        called(model, jnp.ones(3))


@pytest.mark.parametrize(
    ("run", "detail"),
    [
        (lambda: (first_of([1, 2]), first_of((1, 2))), "structure: t is tuple, was list"),
        (
            lambda: [first_of(split_along(axis)) for axis in range(2)],
            "sharding: t is f32[4,4@i], was f32[4@i,4]",
        ),
        (in_other_modes, "static value: model.deterministic is True, was False"),
    ],
)
def test_a_second_trace_names_the_argument_and_both_values(run, detail):
    jax.clear_caches()
    with record_traces() as traces:
        run()
    assert [each.detail for each in traces if "traces.py" in each.place.file][-1] == detail


def test_traces_are_recorded_also_when_the_block_raises():
    traces = []

    def run():
        with record_traces() as seen:
            traces.append(seen)
            jax.jit(lambda x: x if x > 0 else -x)(1.0)

    with pytest.raises(jax.errors.TracerBoolConversionError):
        run()
    assert [each.reason for each in traces[0]] == ["first call"]


def test_logging_is_left_as_it_was():
    logger = logging.getLogger("jax")
    before = (list(logger.handlers), logger.propagate, logger.level)
    assert reasons(lambda: jax.jit(lambda x: -x)(1.0)) == ["first call"]
    assert (logger.handlers, logger.propagate, logger.level) == before


OFF = {
    "disable": lambda logger: logging.disable(logging.ERROR),
    "disabled": lambda logger: setattr(logger, "disabled", True),
    "level": lambda logger: logger.setLevel(logging.CRITICAL),
    "filter": lambda logger: logger.addFilter(no_record),
}


def no_record(record):
    return False


@pytest.mark.parametrize("how", OFF)
def test_a_trace_is_recorded_though_logging_is_off(how):
    known = logging.root.manager.loggerDict
    loggers = [logging.getLogger(name) for name in known if name.partition(".")[0] == "jax"]

    def state():
        each = [(one.disabled, one.level, list(one.filters), one.propagate) for one in loggers]
        return logging.root.manager.disable, each

    off, before = state()
    try:
        for logger in loggers:
            OFF[how](logger)
        turned_off = state()
        assert reasons(lambda: jax.jit(lambda x: -x)(1.0)) == ["first call"]
        assert state() == turned_off != (off, before)
    finally:
        logging.disable(off)
        for logger, (disabled, level, _, _) in zip(loggers, before, strict=True):
            logger.disabled = disabled
            logger.setLevel(level)
            logger.removeFilter(no_record)


def test_jax_counts_as_many_traces_as_the_record():
    names = []

    @jax.jit
    def counted(x):
        return jnp.cos(x)

    def listen(event, duration, **about):
        if event.endswith("jaxpr_trace_duration") and about.get("fun_name") == "counted":
            names.append(event)

    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        run = reasons(lambda: [counted(jnp.ones(n)) for n in (21, 22, 21)])
    finally:
        jax.monitoring.unregister_event_duration_listener(listen)
    assert len(names) == len(run) == 2


def test_branches_are_traced_on_the_way_of_another_trace():
    f = jax.jit(lambda x: jax.lax.cond(x > 0, lambda x: x, lambda x: -x, x))
    with record_traces() as traces:
        f(1.0)
    assert [each.nested for each in traces] == [False, True, True]


def test_a_write_to_a_ref_is_traced_once():
    f = jax.jit(lambda ref, x: ref.__setitem__(0, x))
    ref = jax.new_ref(jnp.zeros(2))
    assert reasons(lambda: (f(ref, 1.0), f(ref, 2.0))) == ["first call"]


def test_a_function_with_a_shard_map_in_it_is_recorded():
    mesh = jax.make_mesh((1,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
    spec = jax.sharding.PartitionSpec("i")

    def body(x):
        return 2 * x

    def call(x):
        return jax.shard_map(body, mesh=mesh, in_specs=spec, out_specs=spec)(x)

    with record_traces() as traces:
        jax.jit(call)(jnp.ones(4))
    assert ("call", False) in [(each.function, each.nested) for each in traces]
