"""Where Python's own loops stand in the reader's code."""

import ast
import linecache
from collections.abc import Iterator
from functools import lru_cache

LOOPS = (
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)

#: Functions of Python that call another one, or an operator, for each of many things.
REPEATING = {"map", "reduce", "accumulate", "sum", "max", "min"}


def is_in_loop(file: str, line: int) -> bool:
    """Return whether a line of a file or notebook cell is repeated by a loop of Python's.

    That is told by the text: a function that is called from a loop need not stand in it. Nothing is
    in a loop where Python does not know the text any more.

    >>> is_in_loop(__file__, 1)
    False
    """
    return line in _repeated("".join(linecache.getlines(file)))


@lru_cache(maxsize=32)
def _repeated(source: str) -> frozenset[int]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):  # a cell with a magic command
        return frozenset()
    return frozenset(line for node in ast.walk(tree) for line in _lines(node))


def _lines(node: ast.AST) -> Iterator[int]:
    if isinstance(node, LOOPS) or (isinstance(node, ast.Call) and _repeats(node.func)):
        yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _repeats(function: ast.expr) -> bool:
    # `jnp.sum` and `lax.map` are no loops of Python's.
    return ast.unparse(function).removeprefix("functools.").removeprefix("itertools.") in REPEATING
