"""The extension of IPython: `explain` after each error of JAX, and two magics for cells."""

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from traced.course.explanation import explain, is_explained
from traced.drawing.picture import Picture
from traced.drawing.timeline import Event, timeline
from traced.programs.explore import Exploration, explore
from traced.tracing.traces import Trace, record_traces
from traced.tracing.watch import Watched, watch

if TYPE_CHECKING:  # a script imports `traced` too, and would wait for what it does not use
    from IPython.core.interactiveshell import ExecutionResult, InteractiveShell

# Where a frame has a variable `__tracebackhide__`, IPython leaves it out of a traceback.


def load_ipython_extension(shell: "InteractiveShell") -> None:
    """Explain each error of JAX after its traceback, and add the magics `%%watch` and `%%explore`.

    `%load_ext traced` calls this, and does so once.
    """
    if shell in _BEFORE:
        return
    cells = shell.magics_manager.magics["cell"]
    _BEFORE[shell] = {name: cells.get(name) for name in MAGICS}
    for name, magic in MAGICS.items():
        shell.register_magic_function(_bound(magic, shell), "cell", name)
    shell.events.register("post_run_cell", explain_error)


def unload_ipython_extension(shell: "InteractiveShell") -> None:
    """Leave a shell as it was before `load_ipython_extension`; `%unload_ext traced` calls this."""
    if shell not in _BEFORE:
        return
    cells = shell.magics_manager.magics["cell"]
    for name, magic in _BEFORE.pop(shell).items():
        del cells[name]
        if magic is not None:
            cells[name] = magic
    shell.events.unregister("post_run_cell", explain_error)


#: The magics of a shell by these names before ours.
_BEFORE: "WeakKeyDictionary[InteractiveShell, dict[str, Any]]" = WeakKeyDictionary()


def explain_error(result: "ExecutionResult") -> None:
    """Display the explanation of the error that ended a cell, if JAX or a library of its raised it.

    >>> from IPython.core.interactiveshell import ExecutionResult
    >>> explain_error(ExecutionResult(None))
    """
    error = result.error_in_exec
    if error is not None and is_explained(error):
        _display(explain(error))


def watch_cell(shell: "InteractiveShell", line: str, cell: str) -> Any:
    """Run a cell, and show each call of the functions on the line, or else each trace it makes.

    `%%watch step` has `step` under `watch` while the cell runs.
    """
    __tracebackhide__ = True
    names, traces, watched = line.split(), [], []
    try:
        with _watched(shell, names) as watched, record_traces() as traces:
            return _run(shell, cell, _parsed(shell, cell))
    finally:
        # Of a cell that raises, too, and above its traceback.
        for each in watched if names else [_table(traces)]:
            _display(each)


def explore_cell(shell: "InteractiveShell", line: str, cell: str) -> Exploration:
    """Show source, jaxpr and HLO of the call that ends a cell, which is not made."""
    __tracebackhide__ = True
    if line.strip():
        raise _usage(f"`%%explore` takes nothing on its line, got {line.strip()!r}")
    statements = _parsed(shell, cell)
    last = statements[-1] if statements else None
    if not isinstance(last, ast.Expr) or not isinstance(last.value, ast.Call):
        raise _usage("`%%explore` needs a cell that ends with a call, such as `f(x)`")
    # The arguments as they are passed, with `explore` in the place of the function.
    call, name = last.value, "explore a call"  # which nothing else can be named
    call.args.insert(0, call.func)
    call.func = ast.copy_location(ast.Name(name, ast.Load()), call.func)
    exploration: Exploration = _run(shell, cell, statements, {name: explore})
    return exploration


MAGICS: dict[str, Callable[..., Any]] = {"watch": watch_cell, "explore": explore_cell}


def _bound(magic: Callable[..., Any], shell: "InteractiveShell") -> Any:
    def bound(line: str, cell: str) -> Any:
        __tracebackhide__ = True
        return magic(shell, line, cell)

    bound.__doc__ = magic.__doc__
    return bound


def _display(thing: object) -> None:
    from IPython.display import display

    display(thing)  # type: ignore[no-untyped-call]  # IPython gives it no types


def _usage(message: str) -> Exception:
    from IPython.core.error import UsageError

    return UsageError(message)


@contextmanager
def _watched(shell: "InteractiveShell", names: list[str]) -> Iterator[list[Watched]]:
    """Put functions of the shell under `watch` in the `with` block, in their own places."""
    kept = shell.user_ns
    for name in names:
        if not callable(kept.get(name)):
            raise _usage(f"`%%watch {name}` needs a function `{name}` from an earlier cell")
    originals = {name: kept[name] for name in names}
    watched = {name: watch(f) for name, f in originals.items()}
    kept.update(watched)
    try:
        yield list(watched.values())
    finally:
        # What the cell has defined anew is the reader's.
        kept.update({name: originals[name] for name in names if kept.get(name) is watched[name]})


def _table(traces: list[Trace]) -> Picture:
    if not traces:
        return Picture("no trace: each call was answered by one that JAX had kept")
    rows = [(each.function, str(each.place.line), each.detail or each.reason) for each in traces]
    events = [Event(row, stands_out=True) for row in rows]
    return timeline(("traced", "line", "why"), events, "traces")


def _code(shell: "InteractiveShell", cell: str) -> str:
    # The line of the magic counts, as it does for whoever looks at the cell.
    untyped: Any = shell
    return "\n" + str(untyped.transform_cell(cell))


def _parsed(shell: "InteractiveShell", cell: str) -> list[ast.stmt]:
    untyped: Any = shell
    statements: list[ast.stmt] = untyped.transform_ast(ast.parse(_code(shell, cell))).body
    return statements


def _run(
    shell: "InteractiveShell",
    cell: str,
    statements: list[ast.stmt],
    names: dict[str, Any] | None = None,
) -> Any:
    """Run the statements of a cell; return the value of the last one if it is an expression.

    That one alone can use `names`.
    """
    __tracebackhide__ = True
    # Under the name that IPython gives to a cell, its lines are found again.
    file = shell.compile.cache(_code(shell, cell), shell.execution_count)
    last = statements[-1] if statements else None
    before = statements[:-1] if isinstance(last, ast.Expr) else statements
    exec(compile(ast.Module(before, []), file, "exec"), shell.user_ns)
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), file, "eval"), shell.user_ns, names)
