"""Tell which finding an error of the reader's code stands for, with places and evidence."""

import re
import traceback
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax

from traced.findings.feedback import Finding, Found, NotAttempted
from traced.python.places import PACKAGE, Place, is_library, place_at, place_of_error
from traced.python.values import without_addresses
from traced.running.messages import MESSAGES


class TimeLimit(BaseException):
    """Raised in the reader's code when its time is up; no `except Exception` swallows it."""


#: What is raised, and the finding that stands for it, unless its message has one of its own.
RAISED: tuple[tuple[type[BaseException], str], ...] = (
    (TimeLimit, "runs/too-long"),
    (SystemExit, "runs/exited"),
    (jax.errors.TracerBoolConversionError, "tracing/branch-on-tracer"),
    (jax.errors.TracerArrayConversionError, "tracing/numpy-on-tracer"),
    (jax.errors.UnexpectedTracerError, "tracing/leaked"),
    (jax.errors.NonConcreteBooleanIndexError, "tracing/shape-from-tracer"),
    (jax.errors.TracerIntegerConversionError, "tracing/value-needed"),
    (jax.errors.ConcretizationTypeError, "tracing/value-needed"),
)

# `The input carry component c[0] has type float32[] but the corresponding output carry component
# has type float32[2], so` or `c is a <class 'tuple'> but the corresponding component of the carry
# output is a <class 'list'>, so`.
CARRY = re.compile(
    r"input carry (?:component )?(?P<name>\S+) (?:has type|is an?) (?P<first>.+?)"
    r" but the corresponding .*?(?:has type|is an?) (?P<second>.+?), so"
)
# `The output of true_fun at path ['a'] has type int32[] but the corresponding output of false_fun
# has type float32[], so` or `true_fun output is a <class 'tuple'> but false_fun output is a pytree
# leaf, so`. JAX writes `branch 0` and `branch1`.
BRANCHES = re.compile(
    r"(?:output of )?(?P<one>\w+_fun|branch ?\d+)(?: output)?(?: at path (?P<path>\S+))?"
    r" (?:has type|is an?) (?P<first>.+?) but (?:the corresponding output of )?"
    r"(?P<other>\w+_fun|branch ?\d+)(?: output)?(?: at path \S+)?"
    r" (?:has type|is an?) (?P<second>.+?), so"
)
# `true_fun is <lambda> at cell.py:9`, a line for each branch.
BRANCH = re.compile(r"^(\w+_fun|branch ?\d+) is .+ at (.+):(\d+)$", re.MULTILINE)
# `different types at key path`, on the next line `tree_map tree['b']`, and then the two types.
PATH = re.compile(r"at key path\n\s+(?:tree_map tree|vmap )?(?P<path>.*)\n")
# `len(in_axes)=2, len(args)=3`.
LENGTHS = re.compile(r"len\(in_axes\)=(\d+), len\(args\)=(\d+)")
# `different numbers of pytree children at key path`, the path, and where the sets of keys differ.
# An entry None for a shared dictionary is listed in the same message, and is no fault.
KEYS = re.compile(
    r"numbers of pytree children at key path\s+vmap (\S+)\n.*?key sets is\s+(\S.*?)(?:\n|$)",
    re.DOTALL,
)
# `axis 0 of argument batch['x'] of type float32[4,2];`.
MAPPED = re.compile(r"axis (\d+) of argument (\S+) of type ([^\s;]+)")
# The two classes in the message that `PATH` reads, a line each.
CLASS = re.compile(r"^\s+(<class '.+'>)", re.MULTILINE)
# `out_specs is P() which implies that the corresponding output value is replicated across mesh
# axis 'data', but could`.
REPLICATED = re.compile(
    r"is (?P<spec>P\(.*?\)) which implies .*? replicated across mesh ax\w+ (?P<axes>.*?), but could"
)
# `of type <class 'jax.DynamicJaxprTracer'>, JitTracer(int32[]). The error was:`.
STATIC = re.compile(r"Tracer'>, (\w*Tracer\(.*?\))\. ")
# `The leaked intermediate value was created on line cell.py:4:16 (f).`
MADE = re.compile(r"was created on line (.+?):(\d+)(?::\d+)? \(")


def diagnose(error: BaseException) -> Found | NotAttempted:
    """Return the outcome of a check whose answer raised `error`.

    >>> diagnose(ZeroDivisionError("division by zero")).finding.saw
    (('ZeroDivisionError', 'division by zero'),)
    """
    if type(error) is NotImplementedError and not error.args:
        return NotAttempted()
    code = _code(error)
    finding = Finding(code, tuple(_places(code, error)), tuple(_evidence(code, error)))
    return Found(finding, error)


def _code(error: BaseException) -> str:
    codes = [message.code for message in MESSAGES if message.fits(error)]
    codes += [code for kind, code in RAISED if isinstance(error, kind)]
    codes += _codes_of_trees(error)
    if not codes:
        # It has a finding of its own no more if JAX puts it in other words than it did.
        for message in MESSAGES:
            message.require(error)
    return codes[0] if codes else "runs/raised"


def _codes_of_trees(error: BaseException) -> Iterator[str]:
    """Yield what stands for an error of Python's own that has to do with a pytree."""
    if isinstance(error, AttributeError) and isinstance(error.obj, STEPS):
        yield "trees/path"
    if isinstance(error, TypeError) and (found := UNBUILT.search(str(error))):
        *_, (frame, _) = traceback.walk_tb(error.__traceback__)
        # A constructor that takes no such argument has no frame: its caller is the last one. The
        # compiled part of JAX has none either, and a check passes no fields by their names.
        by_jax = frame.f_globals["__name__"].partition(".")[0] == "jax"
        if by_jax or (found[1] == "got an unexpected keyword" and not place_of_error(error)):
            yield "trees/rebuilt"


def _places(code: str, error: BaseException) -> Iterator[Place]:
    here = place_of_error(error)
    if code == "tracing/leaked":
        yield from _own(MADE.findall(str(error))[:1], "made here")
        here = here and replace(here, note="used here")
    if here:
        yield here
    if code == "branches/disagree":
        found = [_own([line], _branch(name)) for name, *line in BRANCH.findall(str(error))]
        yield from (place for places in found for place in places if not _is_at(here, place))


def _own(lines: list[Any], note: str) -> Iterator[Place]:
    yield from (place_at(file, int(line), note) for file, line in lines if not is_library(file))


def _is_at(here: Place | None, place: Place) -> bool:
    return here is not None and (here.file, here.line) == (place.file, place.line)


def _evidence(code: str, error: BaseException) -> Iterator[tuple[str, str]]:
    text = str(error)
    if code == "loops/carry-mismatch" and (found := CARRY.search(text)):
        # `loop_carry` is the carry of JAX's own loop inside `fori_loop`, with a counter in it.
        name = "" if found["name"].startswith("loop_carry") else f"{found['name']} is "
        yield "carry in", name + _type(found["first"])
        yield "carry out", name + _type(found["second"])
    elif code == "branches/disagree" and (found := BRANCHES.search(text)):
        path = found["path"] or ""
        yield _branch(found["one"]) + path, _type(found["first"])
        yield _branch(found["other"]) + path, _type(found["second"])
    elif code == "devices/varies" and (found := REPLICATED.search(text)):
        yield "out_specs", found["spec"]
        yield "to be the same along", found["axes"]
    elif code == "trees/path" and isinstance(error, AttributeError):
        yield "step", f"{type(error.obj).__name__} {error.obj}"
        yield "asked for", str(error.name)
    elif code == "trees/prefix" and (told := list(_axes(text))):
        yield from told
    elif code == "tracing/static-tracer" and (found := STATIC.search(text)):
        yield "passed", str(found[1])
    elif code.startswith("trees/") and (found := PATH.search(text)):
        yield "where the trees part", found["path"] or "at the top"
        yield from zip(
            ("the first has", "the other has"), map(_type, CLASS.findall(text)), strict=False
        )
    else:
        yield type(error).__name__, first_sentence(error)


def _axes(text: str) -> Iterator[tuple[str, str]]:
    """Yield what a message of `vmap` says of the arguments, which is not in its first sentence.

    >>> list(_axes("bad in_axes, but got len(in_axes)=2, len(args)=3."))
    [('entries of `in_axes`', '2'), ('arguments', '3')]
    """
    if found := LENGTHS.search(text):
        yield from zip(("entries of `in_axes`", "arguments"), found.groups(), strict=True)
    for entry, differ in KEYS.findall(text):
        yield f"{entry} and its argument differ in the key", differ.strip("[']")
    if "inconsistent sizes for array axes" in text:
        for axis, name, kind in MAPPED.findall(text):
            yield "mapped", f"axis {axis} of {name}, {_type(kind)}"


def _branch(name: str) -> str:
    return re.sub(r"branch ?", "branch ", name)


def _type(text: str) -> str:
    # A leaf is an abstract array where JAX compares structures.
    if text == "pytree leaf" or text.endswith("ShapedArray'>"):
        return "an array"
    if found := re.fullmatch(CONTAINER, text):
        name, more = found.groups()
        return (
            "None"
            if name == "NoneType"
            else f"a {name}{more or ''}".replace("pytree metadata", "the keys")
        )
    return re.sub(r"^(bf|f|u|i|c)(?:loat|int|nt|omplex)(?=\d)", r"\1", text)


#: The steps of a key path.
STEPS = (
    jax.tree_util.DictKey,
    jax.tree_util.SequenceKey,
    jax.tree_util.GetAttrKey,
    jax.tree_util.FlattenedIndexKey,
)
#: What Python says of a constructor that does not take what it is called with.
UNBUILT = re.compile(r"__init__\(\) (got an unexpected keyword|missing \d+ required)")
# `<class 'dict'> with 2 children`, or `with pytree metadata ('age', 'loss')`, which are the keys.
CONTAINER = r"<class '(?:[\w.]+\.)?(\w+)'>( with .+)?"

#: What Python says where a call and the function that is called do not fit.
UNFIT = re.compile(r"takes .*argument|required .*argument|unexpected keyword|multiple values")
#: What JAX raises for no mistake of its users, where none of their code is under way.
OWN = (AttributeError, LookupError, ImportError, AssertionError, RecursionError)


def is_of_a_probe(error: BaseException) -> bool:
    """Return whether `error` arose where a probe reads a program, and not in the program.

    It is the program's if it passed through the reader's code, or if JAX raised it for what the
    program returned. A probe that raises because of its arguments names them first, in backticks.

    >>> is_of_a_probe(ZeroDivisionError("division by zero"))
    False
    """
    if isinstance(error, TimeLimit | SystemExit) or place_of_error(error):
        return False
    files = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)]
    ours = [file for file in files if Path(file).is_relative_to(PACKAGE)]
    if not ours or not _reads_programs(Path(ours[-1])):
        return False
    if isinstance(error, OWN) or Path(ours[-1]).parent.name == "internals":
        return True
    return files[-1] == ours[-1] and not (str(error).startswith("`") or UNFIT.search(str(error)))


def _reads_programs(file: Path) -> bool:
    room = file.relative_to(PACKAGE).parts[0]
    return room != "lessons" and file.name not in ("questions.py", "attempt.py")


def first_sentence(error: BaseException) -> str:
    """Return the first sentence of an error's message, without addresses in memory.

    >>> first_sentence(ValueError("No good. Try another."))
    'No good.'
    """
    sentence = re.split(r"(?<=[.])(?<!e\.g\.)(?<!i\.e\.)\s|\n", str(error).strip(), maxsplit=1)[0]
    return without_addresses(sentence)
