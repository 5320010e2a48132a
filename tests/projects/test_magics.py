"""The extension in a real IPython shell, and in a kernel."""

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from nbclient import NotebookClient
from traitlets.config import Config

FAILING = "import jax\njax.jit(lambda x: float(x))(1.0)"
SAID = "read: field guide, python-number"


@pytest.fixture
def shell():
    shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    shell.InteractiveTB.set_mode("Minimal")
    return shell


@pytest.fixture
def run(shell, capsys):
    """Return what a cell prints, once the extension is loaded."""
    shell.run_line_magic("load_ext", "traced")
    shell.run_cell("import jax, jax.numpy as jnp\ndouble = jax.jit(lambda x: 2 * x)")
    capsys.readouterr()

    def run(cell):
        shell.run_cell(cell)
        return capsys.readouterr().out

    return run


def test_an_error_of_jax_is_explained_once(run, shell):
    shell.run_line_magic("load_ext", "traced")
    shell.run_line_magic("reload_ext", "traced")
    assert run(FAILING).count(SAID) == 1


@pytest.mark.parametrize(
    "cell",
    [
        "1 / 0",
        "{}['a']",
        "def f(:",
        "nothing",
        "jax.jit(lambda x: 1 / 0)(1.0)",
        "%nothing",
        "x = 1",
    ],
)
def test_of_what_is_not_jaxs_nothing_is_said(run, cell):
    printed = run(cell)
    assert "field guide" not in printed
    assert "rule:" not in printed


def test_watch_shows_each_call_of_a_function_and_puts_it_back(run, shell):
    before = shell.user_ns["double"]
    printed = run("%%watch double\ndouble(1.0)\ny = double(2)\ny")
    assert "double(1.0)  traced   first call" in printed or "<lambda>(1.0)" in printed
    assert "dtype: x is ~i32[], was ~f32[]" in printed
    assert "Array(4, dtype=int32" in printed
    assert shell.user_ns["double"] is before
    assert shell.user_ns["y"] == 4


def test_watch_keeps_what_the_cell_defines_anew(run, shell):
    run("%%watch double\ndouble(1.0)\ndouble = abs")
    assert shell.user_ns["double"] is abs


def test_watch_without_a_name_shows_each_trace(run):
    printed = run(
        "%%watch\ndouble(jnp.ones(2))\ndouble(jnp.ones(3))\nf = jax.jit(lambda x: x)\nf(1)"
    )
    assert "shape: x is f32[3], was f32[2]" in printed
    assert "<lambda>  4     first call" in printed
    assert "no trace" in run("%%watch\ndouble(jnp.ones(2))")


def test_watch_shows_the_calls_of_a_cell_that_raises(run, shell):
    before = shell.user_ns["double"]
    printed = run("%%watch double\ndouble(1.0)\n" + FAILING)
    assert "first call" in printed
    assert "line 4:  jax.jit(lambda x: float(x))(1.0)" in printed
    assert shell.user_ns["double"] is before


def test_explore_shows_the_last_call_and_does_not_make_it(run, shell):
    shell.run_cell("calls = []\ndef noting(x):\n    print('called')\n    return x * x")
    printed = run("%%explore\nx = jnp.ones(3)\nnoting(x=x)")
    assert "b:f32[3] = mul a a" in printed
    assert "optimised HLO" in printed
    assert printed.splitlines().count("called") == 1  # while it is traced
    assert shell.user_ns["x"].shape == (3,)


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("%%explore\nx = 3", "needs a cell that ends with a call"),
        ("%%explore\n ", "needs a cell that ends with a call"),
        ("%%explore double\ndouble(1.0)", "takes nothing on its line, got 'double'"),
        ("%%watch nothing\nx = 3", "needs a function `nothing` from an earlier cell"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(run, capsys, shell, cell, said):
    shell.run_cell(cell)
    printed = "".join(capsys.readouterr())
    assert said in printed
    assert "Traceback" not in printed


def test_unloading_restores_the_shell(shell, capsys):
    def own(line, cell):
        """Stand there before."""

    shell.register_magic_function(own, "cell", "watch")
    cells = shell.magics_manager.magics["cell"]
    before = dict(cells), list(shell.events.callbacks["post_run_cell"])
    shell.run_line_magic("load_ext", "traced")
    assert dict(cells) != before[0]
    shell.run_line_magic("unload_ext", "traced")
    assert (dict(cells), shell.events.callbacks["post_run_cell"]) == before
    capsys.readouterr()
    shell.run_cell(FAILING)
    assert SAID not in capsys.readouterr().out


def test_in_a_kernel_the_explanation_follows_the_traceback():
    cells = ["%load_ext traced", FAILING, "1 / 0", "%unload_ext traced", FAILING]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in cells])
    NotebookClient(notebook, timeout=300, allow_errors=True, kernel_name="python3").execute()
    kinds = [[output.output_type for output in cell.outputs] for cell in notebook.cells]
    assert kinds == [[], ["error", "display_data"], ["error"], [], ["error"]]
    data = notebook.cells[1].outputs[1].data
    assert SAID in data["text/plain"]
    assert SAID in data["text/html"]
