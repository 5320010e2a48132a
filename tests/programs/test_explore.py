"""The compiler explorer: which line became what, on functions of every kind."""

import html
import linecache
import re
from html.parser import HTMLParser
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from flax import nnx

from tests.programs import explored
from traced import count_equations, explore
from traced.drawing.panes import PaneRow
from traced.programs.jaxpr_lines import UNNEEDED, jaxpr_lines
from traced.programs.jaxprs import jaxpr_of
from traced.programs.stages import count_stages

HERE = Path(__file__).name
THERE = "explored.py"


def flat(rows):
    for row in rows:
        yield row
        yield from flat(row.inner)


def rows(exploration, title):
    (pane,) = [pane for pane in exploration.panes if pane.title.startswith(title)]
    return list(flat(pane.rows))


def origins(exploration, title):
    """Map each operation of a pane to the texts of the lines that it came from."""
    source = {row.label: row.text for row in rows(exploration, "Python")}
    operation = r" = (\w[\w-]*)" if title == "jaxpr" else r" = \S+ ([\w-]+)\("
    found = ((re.search(operation, row.text), row.label) for row in rows(exploration, title))
    return {match[1]: source.get(label) for match, label in found if match}


def jaxpr(exploration):
    return origins(exploration, "jaxpr")


def hlo(exploration):
    return origins(exploration, "optimised HLO")


X = jnp.ones(3)


def test_an_equation_and_an_operation_lead_to_their_line():
    def f(w, x):
        y = x @ w
        return jnp.tanh(y) + 1.0

    picture = explore(f, jnp.ones((2, 2)), jnp.ones((2, 2)))
    lines = {"dot_general": "y = x @ w", "tanh": "return jnp.tanh(y) + 1.0"}
    assert {key: jaxpr(picture)[key] for key in lines} == lines
    assert hlo(picture)["dot"] == "y = x @ w"
    assert hlo(picture)["tanh"] == "return jnp.tanh(y) + 1.0"


def test_what_is_dead_has_an_equation_and_no_operation():
    def f(x):
        unused = jnp.sin(x)  # noqa: F841  # that is the point
        return x + 1.0

    picture = explore(f, X)
    assert "sin" in jaxpr(picture)
    assert "sine" not in hlo(picture)


def test_what_no_result_needs_is_told_apart_from_what_reaches_xla():
    def f(x):
        chain = jnp.cos(jnp.sin(x))  # noqa: F841  # that is the point
        return jnp.exp(x)

    told = {
        row.text.split()[2]: row.fate for row in rows(explore(f, X), "jaxpr") if "=" in row.text
    }
    by_jax = UNNEEDED.format("JAX")
    assert told == {"sin": by_jax, "cos": by_jax, "exp": ""}
    handed = [row.text for row in rows(explore(f, X).with_stablehlo, "StableHLO")]
    assert not any("sine" in text for text in handed)
    assert any("exponential" in text for text in handed)


@pytest.mark.parametrize("loop", ["while", "scan", "cond"])
def test_it_is_said_who_drops_it_as_the_programs_show(loop):
    def step(x):
        jnp.sin(x)
        return x + 1

    def f(x):
        if loop == "while":
            return jax.lax.while_loop(lambda x: x[0] < 3, step, x)
        if loop == "scan":
            return jax.lax.scan(lambda x, _: (step(x), None), x, length=3)
        return jax.lax.cond(x[0] > 0, step, lambda x: x, x)

    fates = [line.fate for line in flat(jaxpr_lines(jaxpr_of(f, X))) if " sin " in line.text]
    was_handed_over = "stablehlo.sine" in jax.jit(f).lower(X).as_text()
    assert fates == [UNNEEDED.format("XLA" if was_handed_over else "JAX")]
    assert "sine" not in hlo(explore(f, X))


def test_what_has_an_effect_is_not_called_dropped():
    def f(x):
        jax.debug.print("{}", x)
        return x

    assert not any(row.fate for row in rows(explore(f, X), "jaxpr"))


def test_stablehlo_leads_to_its_lines_on_demand():
    def f(w, x):
        y = x @ w
        return jnp.tanh(y)

    picture = explore(f, jnp.ones((2, 2)), jnp.ones((2, 2)))
    assert not any(pane.title.startswith("StableHLO") for pane in picture.panes)
    handed = rows(picture.with_stablehlo, "StableHLO")
    source = {row.label: row.text for row in rows(picture, "Python")}
    lines = {"dot_general": "y = x @ w", "tanh": "return jnp.tanh(y)"}
    found = {
        name: source.get(row.label)
        for row in handed
        for name in lines
        if f"stablehlo.{name}" in row.text
    }
    assert found == lines


def test_long_parameters_are_folded_and_short_ones_stay():
    def f(w, x):
        return jnp.sum(x @ w, axis=0) ** 2

    lines = rows(explore(f, jnp.ones((2, 2)), jnp.ones((2, 2))), "jaxpr")
    (product,) = [row for row in lines if "dot_general" in row.text]
    assert product.text.endswith("dot_general[…] b a")
    assert [row.text for row in product.inner] == ["dimension_numbers=(((1,), (0,)), ((), ()))"]
    assert any("reduce_sum[axes=(0,)]" in row.text for row in lines)


def test_a_line_has_one_colour_in_all_panes_and_others_have_others():
    picture = explore(explored.nested, X)
    colour = re.compile(r'data-at="(\w+)"[^>]*border-left:4px solid (#\w+)')
    pairs = set(colour.findall(picture._repr_html_()))
    assert len(pairs) == len({label for label, _ in pairs}) == len({each for _, each in pairs}) == 2


def test_a_callers_line_lights_up_what_the_called_function_did():
    def inner(x):
        return jnp.sin(x)

    def f(x):
        return inner(x)

    (sine,) = [row for row in rows(explore(f, X), "jaxpr") if "sin" in row.text]
    (operation,) = [row for row in rows(explore(f, X), "optimised") if "sine(" in row.text]
    assert (sine.at, sine.within) == (operation.at, operation.within)
    source = {row.label: row.text for row in rows(explore(f, X), "Python")}
    assert [source[label] for label in (*sine.at, *sine.within)] == [
        "return jnp.sin(x)",
        "return inner(x)",
    ]


def test_a_fusion_belongs_to_every_line_that_is_in_it():
    def f(x):
        y = jnp.sin(x)
        return y + x

    (fusion,) = [row for row in rows(explore(f, X), "optimised") if "fusion(" in row.text]
    assert len(fusion.at) == 2
    assert {row.label for row in fusion.inner} == set(fusion.at)


def test_functions_of_several_files_are_told_apart():
    def f(x):
        return explored.scale(x, x) + 1.0

    picture = explore(f, jnp.ones((2, 2)))
    titles = [(row.label, row.text) for row in rows(picture, "Python") if row.label in "AB"]
    assert [pair for pair in titles if pair[0]] == [("A", HERE), ("B", THERE)]
    assert jaxpr(picture)["tanh"] == "return jnp.tanh(x @ w)"
    assert jaxpr(picture)["add"] == "return explored.scale(x, x) + 1.0"


def test_functions_of_several_cells_are_told_apart():
    names = {"jnp": jnp}
    for name, text in (("cell 1", "def g(x):\n    return jnp.sin(x)\n"), ("cell 2", "f = g\n")):
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        exec(compile(text, name, "exec"), names)
    lines = [row.text for row in rows(explore(lambda x: names["f"](x) + 1.0, X), "Python")]
    assert "a cell" in lines
    assert "return jnp.sin(x)" in lines


KINDS = {
    "decorated": (explored.decorated, (X,), "sin", "return jnp.sin(x)"),
    "its decorator": (explored.decorated, (X,), "mul", "return f(*args) * 2.0"),
    "nested": (explored.nested, (X,), "cos", "return jnp.cos(y)"),
    "jitted": (explored.jitted, (jnp.ones((2, 2)),), "tanh", "return jnp.tanh(x @ w)"),
    "grad": (jax.grad(lambda x: jnp.sum(explored.nested(x))), (X,), "sin", "return jnp.cos(y)"),
    "vmap": (jax.vmap(explored.nested), (jnp.ones((2, 3)),), "cos", "return jnp.cos(y)"),
    "partial": (jax.tree_util.Partial(explored.nested), (X,), "cos", "return jnp.cos(y)"),
    "checkpoint": (jax.checkpoint(explored.nested), (X,), "cos", "return jnp.cos(y)"),
    "nnx.jit": (nnx.jit(explored.nested), (X,), "cos", "return jnp.cos(y)"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_functions_of_every_kind_show_their_source(kind):
    f, args, primitive, line = KINDS[kind]
    assert jaxpr(explore(f, *args))[primitive] == line


def test_a_function_that_was_jitted_and_called_before_is_linked_all_the_same():
    def elsewhere():
        return explored.jitted(jnp.ones((2, 2)))

    elsewhere()
    lines = [row.text for row in rows(explore(explored.jitted, jnp.ones((2, 2))), "Python")]
    assert "return scale(x, x)" in lines
    assert "def elsewhere():" not in lines


def test_the_body_of_a_scan_is_linked_and_folded():
    def f(x):
        def body(carry, row):
            return carry + jnp.sin(row), None

        return jax.lax.scan(body, 0.0, x)[0]

    picture = explore(f, X)
    assert jaxpr(picture)["sin"] == "return carry + jnp.sin(row), None"
    assert hlo(picture)["sine"] == "return carry + jnp.sin(row), None"
    (scan,) = [row for row in rows(picture, "jaxpr") if "scan[" in row.text]
    assert any("sin" in row.text for row in scan.inner)
    assert "<details" in picture._repr_html_()


class Model(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(3, 3, rngs=rngs)

    def __call__(self, x):
        return nnx.relu(self.linear(x))


@pytest.mark.parametrize("f", [lambda m, x: m(x), nnx.jit(lambda m, x: m(x))])
def test_a_module_shows_its_own_lines_and_not_those_of_flax(f):
    picture = explore(f, Model(nnx.Rngs(0)), jnp.ones((2, 3)))
    assert jaxpr(picture)["dot_general"] == "return nnx.relu(self.linear(x))"
    assert "flax" not in repr(picture)


def test_a_module_itself_can_be_explored():
    picture = explore(Model(nnx.Rngs(0)), jnp.ones((2, 3)))
    assert picture.facts[0].startswith("Model: ")
    assert hlo(picture)["dot"] == "return nnx.relu(self.linear(x))"


def made_by_exec():
    names = {"jnp": jnp}
    exec("def f(x):\n    return jnp.sin(x)", names)
    return names["f"]


@pytest.mark.parametrize(
    ("f", "said"),
    [
        (abs, "no source to be had: "),
        (jnp.sin, "no source to be had: "),
        (made_by_exec(), "lines 1 to 2: Python does not know their text"),
    ],
)
def test_where_there_is_no_source_that_is_said(f, said, monkeypatch):
    # A process that was started with `python -c` knows a text of this name, which is another one.
    monkeypatch.setitem(linecache.cache, "<string>", (0, None, [], "<string>"))
    picture = explore(f, X)
    assert said in repr(picture)
    assert "1 equation traced" in repr(picture)


def test_a_text_that_python_has_forgotten_is_said_to_be():
    names = {"jnp": jnp}
    exec(compile("def f(x):\n    return jnp.sin(x)", "gone.py", "exec"), names)
    picture = explore(names["f"], X)
    assert "lines 1 to 2: Python does not know their text" in repr(picture)
    assert [row.label for row in rows(picture, "jaxpr") if "sin" in row.text] == ["2"]


def test_the_facts_are_those_of_the_probes():
    def f(w, x):
        return jnp.sum(jnp.tanh(x @ w) ** 2)

    args = jnp.ones((3, 2)), jnp.ones((4, 3))
    stages = count_stages(f, *args)
    flops = jax.jit(f).lower(*args).compile().cost_analysis()["flops"]
    assert explore(f, *args).facts == [
        f"f: {count_equations(f, *args)} equations traced; {stages.hlo.total()} operations and "
        f"{stages.fusions} fusion left; {flops:.0f} flops; 72 bytes in, 4 bytes out"
    ]


def test_bytes_count_what_reaches_xla():
    def f(x, unused):
        return x, x + 1.0

    assert explore(f, X, jnp.ones(100)).facts[0].endswith("12 bytes in, 24 bytes out")


def test_another_function_stands_beside_it_under_its_name():
    def f(x):
        return jnp.sum(jnp.exp(x))

    picture = explore(f, X).beside(slope=jax.grad(f), rows=explore(jax.vmap(f), jnp.ones((2, 3))))
    assert [fact.partition(":")[0] for fact in picture.facts] == ["f", "slope", "rows"]
    assert [pane.title for pane in picture.panes[1:4]] == [
        "jaxpr of f, traced by JAX",
        "jaxpr of slope, traced by JAX",
        "jaxpr of rows, traced by JAX",
    ]
    assert rows(picture, "jaxpr of rows")[0].text.startswith("{ lambda ; a:f32[2,3]")
    assert sum(row.text == "return jnp.sum(jnp.exp(x))" for row in rows(picture, "Python")) == 1


def test_two_versions_of_one_name_are_numbered():
    first = explore(lambda x: x + 1.0, X)
    assert [fact.split(":")[0] for fact in first.beside(lambda x: x - 1.0).facts] == [
        "<lambda> (1)",
        "<lambda> (2)",
    ]


def test_what_is_not_a_function_is_refused_by_name():
    with pytest.raises(TypeError, match="`f` must be a callable, got int"):
        explore(3, X)
    with pytest.raises(TypeError, match="`slope` must be a callable or an exploration, got int"):
        explore(abs, X).beside(slope=3)
    with pytest.raises(TypeError, match="what stands beside must be a callable"):
        explore(abs, X).beside(3)


def test_what_the_function_raises_comes_through():
    with pytest.raises(jax.errors.TracerBoolConversionError):
        explore(lambda x: 1.0 if x > 0 else 2.0, 1.0)


def test_it_is_the_same_each_time():
    def f(x):
        return jnp.where(x > 0, jnp.sin(x), x)

    first, second = explore(f, X), explore(f, X)
    assert repr(first) == repr(second)
    assert first._repr_html_() == second._repr_html_()


class Lines(HTMLParser):
    """The lines of the panes, with their labels, as a reader of the HTML sees them."""

    def __init__(self, text):
        super().__init__()
        self.lines, self.skipping = [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        # A tab has the title of its pane.
        self.skipping = tag in ("style", "label") or (self.skipping and tag == "input")
        if tag in ("div", "summary"):
            self.lines.append("")

    def handle_endtag(self, tag):
        self.skipping = self.skipping and tag not in ("style", "label")

    def handle_data(self, data):
        if not self.skipping and self.lines:
            self.lines[-1] += f" {data}"

    @property
    def plain(self):
        return [" ".join(line.replace("▸", "").split()) for line in self.lines if line.strip()]


def test_text_and_html_carry_the_same_lines():
    def f(x):
        return jax.lax.scan(lambda c, y: (c + jnp.sin(y), c), 0.0, x)

    picture = explore(f, X).beside(other=jnp.cumsum)
    seen = [" ".join(line.split()) for line in repr(picture).splitlines() if line.strip()]
    for_eyes = ("Point at", "scroll for the rest")
    ours = [line for line in Lines(picture._repr_html_()).plain if not line.startswith(for_eyes)]
    assert ours == seen


EVIL = "</style><script>alert(1)</script>"


def test_what_comes_from_the_reader_stays_text():
    def f(x):
        return x + len("</style><script>alert(1)</script>")

    f.__name__ = EVIL
    picture = explore(f, 1.0).beside(**{EVIL + "2": f})
    assert EVIL in repr(picture)
    page = picture._repr_html_()
    assert "<script" not in page
    assert page.count("</style>") == 1
    assert page.count(html.escape(EVIL)) > 3


@pytest.mark.parametrize("forbidden", [r"\bid=", "<script", "https?:", r"url\(", "@import", "0x"])
def test_html_refers_to_nothing_outside(forbidden):
    page = explore(explored.nested, X).beside(slope=jax.vmap(explored.nested))._repr_html_()
    assert not re.search(forbidden, page)


def test_one_rule_for_each_line_of_source():
    page = explore(explored.nested, X)._repr_html_()
    linked = {row.label for row in rows(explore(explored.nested, X), "Python") if row.at}
    assert len(linked) == 2
    assert page.count(":is(:hover,:focus)) ") == len(linked)


def test_a_large_program_is_cut_and_says_so():
    picture = explore(explored.long, 1.0)
    assert "5,000 equations traced" in repr(picture)
    cuts = [row for row in rows(picture, "jaxpr") if "left out" in row.text]
    assert [row.text for row in cuts] == ["… 4703 more lines left out …"]
    assert len(cuts[0].at) == 2
    assert len(picture._repr_html_()) < 500_000


def test_long_source_is_cut_far_from_what_was_traced():
    body = "    z = 1\n" * 400
    text = f"def f(x):\n    y = jnp.sin(x)\n{body}    return y * 2.0\n"
    linecache.cache["long.py"] = (len(text), None, text.splitlines(keepends=True), "long.py")
    names = {"jnp": jnp}
    exec(compile(text, "long.py", "exec"), names)
    source = rows(explore(names["f"], X), "Python")
    assert PaneRow("", "… 394 more lines left out …") in source
    assert source[-1].text == "return y * 2.0"
    assert len(source) < 20


def nested(x):
    for _ in range(40):
        x = jax.lax.fori_loop(0, 3, lambda i, y: jax.nn.gelu(y) + jax.nn.softmax(y) @ y, x)
    return x.sum()


def test_a_picture_has_at_most_300_kb_and_the_rest_on_request():
    picture = explore(jax.grad(nested), jnp.ones(3))
    assert len(picture._repr_html_().encode()) <= 300_000
    assert len(repr(picture).encode()) <= 300_000
    assert "`.whole` has the rest" in repr(picture)
    assert len(picture.whole._repr_html_()) > len(picture._repr_html_())
    assert "left out" not in repr(picture.whole)


def test_what_xla_does_not_know_is_not_told_as_minus_one():
    def through_python(x):
        return jax.pure_callback(lambda x: x, x, x)

    (facts,) = explore(through_python, jnp.ones(3)).facts
    assert "flop" not in facts


def test_a_function_that_writes_to_a_ref_is_explored():
    def count(ref):
        ref[...] = ref[...] + 1
        return ref[...] * 2

    picture = explore(count, jax.new_ref(jnp.ones(3)))
    assert picture.facts[0].endswith("12 bytes in, 12 bytes out")
    assert "ref[...] * 2" in str(picture)


@jax.jit
def of_many(xs):
    return [jnp.sin(x) for x in xs]


def test_a_jitted_function_inside_another_is_unfolded():
    def call(xs):
        return of_many(xs)

    jaxpr = explore(call, [1.0] * 9).panes[1]
    (_, equation, _) = jaxpr.rows
    assert equation.is_open
    assert "<details open" in explore(call, [1.0] * 9)._repr_html_()


def test_of_many_operands_and_results_the_first_and_the_last_are_shown():
    def call(xs):
        return of_many(xs)

    equation = explore(call, [1.0] * 9).panes[1].rows[1]
    assert equation.text == "j:f32[] … r:f32[] = jit[name=of_many] a … i"
    assert [row.text for row in equation.inner[:2]] == [
        "results: " + " ".join(f"{name}:f32[]" for name in "jklmnopqr"),
        "operands: a b c d e f g h i",
    ]


def test_a_loop_among_other_equations_stays_folded():
    def call(x):
        return jax.lax.fori_loop(0, 3, lambda i, y: y * x, x) + 1.0

    assert not any(row.is_open for row in explore(call, 2.0).panes[1].rows)
