"""The field guide: every page runs, and every code and symptom has its page."""

import ast
import re
import sys
import tomllib
from functools import cache

import execute
import execute_guide
import guide_links
import jax
import plain_programs
import pytest
import write_claims

from tests.symptoms import messages
from traced import explain
from traced.course.explanation import find_first_symptom, last_error
from traced.course.symptom import symptoms
from traced.findings.catalogue import CATALOGUE, page_of

pytestmark = pytest.mark.usefixtures("compiled_once")
#: A line of advice that JAX gives, with those that it goes on in.
ADVICE = re.compile(r"^advice: .*\n(?: {6}.*\n)*", re.MULTILINE)
#: The message of an error, with the lines that it goes on in, up to the reader's line.
MESSAGE = re.compile(r"^(\w+): .*\n(?: {6}.*\n)*(?=  line )", re.MULTILINE)
#: The pages whose message the newest JAX, or its Python, words in another way than the oldest.
WORDED_ANEW = {
    "jvp-arguments",
    "shard-map-keywords",
    "static-field-array",
    "traced-slice",
    "unexpected-keyword",
    "vmap-in-axes",
}
PAGES = execute_guide.pages()
ERRORS = {page.stem: page for page in PAGES if page.parent.name == "errors"}
FINDINGS = {page.stem: page for page in PAGES if page.parent.name == "findings"}
#: What a page prints on the reference is what it stores, hence most of it is asked there.
TURNS = () if jax.__version__ == execute.reference_release() else pytest.mark.by_turns
SHOWN = [
    pytest.param(page, id=page.stem, marks=TURNS) for page in (*PAGES, *execute_guide.beside())
]
EXPLANATION = re.compile(
    r"^(\w+)(.*?)\nrule: (.*?)\nread: field guide, (\S+)$", re.MULTILINE | re.DOTALL
)


@pytest.mark.parametrize("page", SHOWN)
def test_a_page_prints_what_stands_on_it(page):
    # A reader's JAX is not strict, unlike that of the other tests.
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        printed = execute_guide.executed(page)
    # The advice that the pages quote is that of the newest JAX.
    told = page.read_text("utf-8")
    if jax.__version_info__ < (0, 12):
        printed, told = ADVICE.sub("", printed), ADVICE.sub("", told)
        if page.stem in WORDED_ANEW:
            printed, told = MESSAGE.sub(r"\1", printed), MESSAGE.sub(r"\1", told)
    assert printed == told


@pytest.mark.parametrize("page", [*ERRORS.values(), *FINDINGS.values()], ids=lambda page: page.stem)
def test_a_page_has_a_wrong_program_and_a_right_one(page):
    parts = re.split(r"^## ", page.read_text("utf-8"), flags=re.MULTILINE)
    for name in ("Wrong", "Right"):
        assert any(part.startswith(name) and "```text" in part for part in parts)


@pytest.mark.parametrize("page", [*ERRORS.values(), *FINDINGS.values()], ids=lambda page: page.stem)
def test_the_text_of_a_page_says_what_its_programs_run_and_little_else(page):
    text = page.read_text("utf-8")
    assert list(not_run(text)) == []
    assert len(re.findall(r"\w+(?:['’]\w+)?", prose(text))) <= 100


def not_run(text):
    """Yield what the text of a page sets as code, and no program and no output of it contains."""
    blocks = "".join(re.findall(r"```(?:python|text)\n(.*?)```", text, re.DOTALL))
    known = set(re.findall(r"[A-Za-z_]\w*", blocks))
    for code in re.findall(r"`([^`]+)`", prose(text)):
        if set(re.findall(r"[A-Za-z_]\w*", code)) - known:
            yield " ".join(code.split())


def without_blocks(text):
    return re.sub(r"```.*?```", "", text, flags=re.DOTALL)


def prose(text):
    """Return the text of a page without its title, the line below it, programs and links."""
    text = re.sub(r"\A# .*\n\n.*\n", "", without_blocks(text))
    return re.sub(r"\[[^\]]*\]\([^)]*\)", "", text)


def test_a_remark_that_no_program_shows_is_found():
    text = ERRORS["in-place-assignment"].read_text("utf-8")
    assert list(not_run(f"{text}\nIt is as in `torch.clone(x)`.\n")) == ["torch.clone(x)"]


@pytest.mark.parametrize("code", CATALOGUE, ids=lambda code: code.replace("/", "-"))
def test_a_code_has_a_page_that_shows_it(code):
    page = (ERRORS | FINDINGS)[page_of(code)].read_text("utf-8")
    # One that is an error shares its page, which has the name of the error.
    assert CATALOGUE[code].page or page.startswith(f"# {CATALOGUE[code].headline}\n\n`{code}`\n")
    assert f"not yet  [{code}]" in page


def test_no_page_of_a_finding_is_an_orphan():
    assert set(FINDINGS) == {page_of(code) for code in CATALOGUE if not CATALOGUE[code].page}


@pytest.mark.parametrize("name", ERRORS)
def test_the_error_on_a_page_leads_to_it(name):
    assert f"\nread: field guide, {name}\n" in ERRORS[name].read_text("utf-8")


def test_no_symptom_and_no_page_of_an_error_is_an_orphan():
    assert {symptom.page for symptom in symptoms()} == set(ERRORS)


def test_no_program_of_a_row_hides_another():
    # Of two rows with one message, one has its program among those of `explain`.
    assert len(messages.ANY_RELEASE) == sum(len(part.PROGRAMS) for part in messages.PARTS)


@pytest.mark.parametrize("row", messages.MESSAGES)
def test_an_error_that_stands_on_no_page_shows_its_symptom(row):
    with (
        jax.numpy_dtype_promotion("standard"),
        jax.numpy_rank_promotion("allow"),
        pytest.raises(Exception) as caught,  # noqa: PT011  # which one, the row says
    ):
        messages.run(messages.MESSAGES[row])
    assert name_of(find_first_symptom(caught.value)) == row


@pytest.mark.parametrize(
    ("page", "program"),
    [
        ("donated-twice", "f = jax.jit(jnp.add, donate_argnums=0)\nf(x + 0, x)\nf(x, x)"),
        (
            "callback-result",
            "f = jax.jit(lambda n: jax.pure_callback(np.zeros, jax.typeof(x), n))\n"
            "f(x.size)\n"
            "jax.block_until_ready(f(1))",
        ),
    ],
)
def test_an_error_of_xla_is_known_from_a_call_after_the_first(page, program):
    with pytest.raises(ValueError, match=r"^[A-Z_]+: ") as caught:
        messages.run(program)
    assert find_first_symptom(caught.value).page == page


def test_each_symptom_is_shown_by_a_page_or_by_a_program():
    shown = {name_of(symptom) for page in ERRORS.values() for symptom in symptoms_on(page)}
    produced = shown | set(messages.EVERY_RELEASE)
    assert [row for row in map(name_of, symptoms()) if row not in produced] == []


@pytest.mark.parametrize("symptom", symptoms(), ids=lambda each: f"{each.page} {each.message}"[:60])
def test_the_message_of_a_symptom_stands_on_its_page(symptom):
    # A page prints the same on every release, and so no message of one release.
    is_of_one_release = name_of(symptom) in messages.SINCE_0_12 | messages.BEFORE_0_12
    is_told = is_in(dense(ERRORS[symptom.page].read_text("utf-8")), symptom)
    # The two releases word that one each in its own way, and its page prints neither.
    assert is_told or is_of_one_release or symptom.page == "custom-vjp-bwd"


def symptoms_on(page):
    """Yield the symptoms that the stored outputs of a page show; one that may be another is none.

    An output holds the rule and the page of its symptom, and of the message one sentence at most.
    """
    for output in re.findall(r"```text\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
        for error, lines, rule, name in EXPLANATION.findall(output):
            rows = [row for row in symptoms() if (row.page, dense(row.rule)) == (name, dense(rule))]
            if len(rows) > 1:
                message = dense(lines.partition("\n  line ")[0])
                rows = [row for row in rows if row.error == error and is_in(message, row)]
            if len(rows) == 1:
                yield rows[0]


def is_in(message, symptom):
    """Return whether a message without spaces contains that of a symptom."""
    return re.search(".*".join(map(re.escape, map(dense, symptom.message.split("…")))), message)


def name_of(symptom):
    return f"{symptom.error}: {symptom.message}"


def dense(text):
    """Return a text without spaces, which differ once its lines are filled."""
    return "".join(text.split())


def test_the_index_links_to_every_page():
    stored = (execute_guide.PAGES / "index.md").read_text("utf-8")
    assert stored == execute_guide.index()
    assert len(re.findall(r"^- \[.+\]\(.+[.]md\)$", stored, re.MULTILINE)) == len(PAGES)


def test_every_subject_of_the_index_has_pages():
    parts = execute_guide.index().split("\n## ")[1:]
    assert [part for part in parts if "](" not in part] == []


def test_a_page_without_a_subject_is_an_error(monkeypatch):
    monkeypatch.setattr(execute_guide, "pages", lambda: [execute_guide.PAGES / "errors/odd-one.md"])
    with pytest.raises(ValueError, match="no subject for odd-one"):
        execute_guide.index()


TAUGHT = tomllib.loads((execute_guide.PAGES / "taught.toml").read_text("utf-8"))
TREATED = [
    (lesson, section, page)
    for lesson, sections in TAUGHT.items()
    for section, pages in sections.items()
    for page in pages
]


@pytest.mark.parametrize(("lesson", "section", "page"), TREATED, ids=lambda part: part[:30])
def test_a_section_that_treats_the_subject_of_a_page_uses_its_names(lesson, section, page):
    (text,) = (each.text for each in write_claims.sections(lesson) if each.title == section)
    shared = names_on((ERRORS | FINDINGS)[page]) & words(text)
    # What stands in every fifth section, such as `jit`, says nothing about a subject.
    assert min(map(how_often, shared), default=1) < 0.2


def test_a_page_whose_subject_is_taught_has_no_section_of_its_own():
    own = {name for name, _, _ in guide_links.taught()}
    assert [page for _, _, page in TREATED if page in own] == []


def names_on(page):
    """Return the names in the programs of a page, and those that its text sets as code."""
    text = page.read_text("utf-8")
    programs = [ast.parse(code) for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL)]
    nodes = [node for program in programs for node in ast.walk(program)]
    read = {getattr(node, part, None) for node in nodes for part in ("attr", "id", "arg")}
    prose = without_blocks(text)
    return (read - {None}) | words(" ".join(re.findall(r"`([^`\n]+)`", prose)))


def words(text):
    return set(re.findall(r"[A-Za-z_]\w{2,}", text))


@cache
def sections_of_all_lessons():
    lessons = [path.stem for path in (execute_guide.PAGES.parents[1] / "notebooks").glob("*.ipynb")]
    return [words(each.text) for lesson in lessons for each in write_claims.sections(lesson)]


def how_often(name):
    """Return the share of all sections in which a name stands."""
    every = sections_of_all_lessons()
    return sum(name in section for section in every) / len(every)


def test_an_unknown_error_is_said_to_be_unknown():
    class OddError(Exception):
        pass

    with pytest.raises(OddError) as caught:
        raise OddError("never heard of")
    text = str(explain(caught.value))
    assert "OddError: never heard of" in text
    assert 'raise OddError("never heard of")' in text
    assert "not in the field guide" in text


def test_without_an_argument_the_last_error_is_meant(monkeypatch):
    monkeypatch.setattr(sys, "last_exc", ZeroDivisionError("division by zero"), raising=False)
    assert "ZeroDivisionError" in str(explain())


def test_with_no_error_yet_there_is_nothing_to_explain(monkeypatch):
    monkeypatch.setattr(sys, "last_exc", None, raising=False)
    monkeypatch.setattr(sys, "last_value", None, raising=False)
    with pytest.raises(ValueError, match="no error has been shown yet"):
        last_error()


def test_the_pages_use_what_readers_may_import():
    inside = re.compile(r"^from traced\.(course|findings|internals|python|running)\b", re.MULTILINE)
    using = {page.stem for page in PAGES if inside.search(page.read_text("utf-8"))}
    # It has to shorten the limit, or nobody would wait for the page.
    assert using == {"runs-too-long"}


def test_no_page_says_by_where_it_means_with_respect_to():
    by = re.compile(r"\b(gradients?|derivatives?|differentiates?d?)\s+by\s+(?!hand|parts)")
    assert not [page.stem for page in PAGES if by.search(page.read_text("utf-8"))]


#: Which question of the table on transforms an error has asked in vain.
ASKED = {
    "TracerBoolConversionError": "if x > 0",
    "TracerIntegerConversionError": "if x > 0",
    "NonConcreteBooleanIndexError": "x[x > 0]",
    "ConcretizationTypeError": "float(x)",
    "TracerArrayConversionError": "float(x)",
    "TypeError: unsupported format string passed to": "float(x)",
    "ValueError: setting an array element with a sequence": "float(x)",
}
#: Words that speak of tracing as of one state.
TRACING = re.compile(
    r"\b(?:while|when|whenever|once|as) (?:JAX )?(?:traces|tracing|traced)\b"
    r"|\bduring (?:a |the )?trac(?:e|ing)\b|\bin a trace\b|\bat trace time\b",
    re.IGNORECASE,
)
TABLE = (execute_guide.PAGES / "transforms.md").read_text("utf-8")


@cache
def answers():
    """Return for each transform of the table whether a question raises, by the question."""
    head, *rows = TABLE.split("```text\n")[1].partition("```")[0].splitlines()
    starts = [head.index(question) for question in ("if x > 0", "float(x)", "x[x > 0]")]
    return {
        row[: starts[0]].strip(): {head[at:].split("  ")[0]: row[at:].split()[0] for at in starts}
        for row in rows
    }


def vague(text):
    """Yield the sentences of a page that deny a value to all of tracing, which has it in parts.

    A sentence may name the transforms that it means, if none of them answers the question.
    """
    outputs = "".join(re.findall(r"```text\n(.*?)```", text, re.DOTALL))
    asked = {ASKED[error] for error in ASKED if re.search(rf"^{error}\b", outputs, re.MULTILINE)}
    if not asked:
        return
    prose = without_blocks(text)
    for sentence in re.split(r"(?<=[.:?])\s+(?=[A-Z`(])|\n\n", prose):
        named = [row for name, row in answers().items() if f"`{name}`" in sentence]
        refused = named and all(row[each] == "raises" for row in named for each in asked)
        if TRACING.search(sentence) and not refused:
            yield " ".join(sentence.split())


def test_no_page_denies_a_value_to_all_of_tracing():
    said = {page.stem: list(vague(page.read_text("utf-8"))) for page in PAGES}
    assert {name: sentences for name, sentences in said.items() if sentences} == {}


def test_the_table_of_transforms_has_a_transform_of_either_answer_to_each_question():
    for question in set(ASKED.values()):
        assert {row[question] for row in answers().values()} == {"raises", "works"}


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("NonConcreteBooleanIndexError", "While JAX traces, the mask has no values."),
        ("TracerBoolConversionError", "The comparison has no value while tracing."),
        ("TracerBoolConversionError", "Under `grad` it is not known while tracing."),
        ("TracerArrayConversionError", "During tracing there are no numbers to hand over."),
        ("python-number", "In a trace, `x` is a tracer and has no number."),
    ],
)
def test_a_sentence_on_all_of_tracing_is_found(name, sentence):
    text = ERRORS[name].read_text("utf-8")
    assert list(vague(text.replace("\n## Wrong", f"\n{sentence}\n\n## Wrong", 1))) == [sentence]


def test_a_sentence_that_names_its_transform_is_none_on_all_of_tracing():
    text = ERRORS["TracerBoolConversionError"].read_text("utf-8")
    sentence = "Under `jit` and `vmap` the value is not known while tracing."
    assert list(vague(text.replace("\n## Wrong", f"\n{sentence}\n\n## Wrong", 1))) == []


@pytest.mark.parametrize("name", plain_programs.calls())
def test_the_wrong_program_of_a_finding_is_shown_in_plain_jax(name):
    wrong = FINDINGS[name].read_text("utf-8").partition("\n## Wrong\n")[2].partition("\n## ")[0]
    *_, last = re.findall(r"```python\n(.*?)```\n\n```text", wrong, re.DOTALL)
    first = wrong.split("```")[1].removeprefix("python\n")
    assert last == plain_programs.plain(first, **plain_programs.calls()[name])
    assert "traced" not in re.sub(r'print\(".*? is traced"\)', "", last)


def test_every_finding_has_a_plain_program():
    assert set(plain_programs.calls()) == set(FINDINGS)
