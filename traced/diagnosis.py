"""Tell which finding an error of the reader's code stands for, with places and evidence."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import jax

from traced.feedback import Finding, Found, NotAttempted
from traced.probes.places import Place, is_library, place_at, place_of_error


class TimeLimit(BaseException):
    """Raised in the reader's code when its time is up; no `except Exception` swallows it."""


#: What is raised, what its message says, and the finding that stands for it.
RAISED: tuple[tuple[type[BaseException], str, str], ...] = (
    (TimeLimit, "", "runs/too-long"),
    (SystemExit, "", "runs/exited"),
    (jax.errors.TracerBoolConversionError, "", "tracing/branch-on-tracer"),
    (jax.errors.TracerArrayConversionError, "", "tracing/numpy-on-tracer"),
    (jax.errors.UnexpectedTracerError, "", "tracing/leaked"),
    (jax.errors.NonConcreteBooleanIndexError, "", "tracing/shape-from-tracer"),
    (jax.errors.TracerIntegerConversionError, "", "tracing/value-needed"),
    (jax.errors.ConcretizationTypeError, "", "tracing/value-needed"),
    (TypeError, "Shapes must be 1D sequences of concrete values", "tracing/shape-from-tracer"),
    (IndexError, "static", "tracing/shape-from-tracer"),
    (ValueError, "Non-hashable static arguments", "tracing/unhashable-static"),
    (TypeError, "as an abstract array", "tracing/not-a-jax-type"),
    (TypeError, "body function carry input and carry output must have", "loops/carry-mismatch"),
    (TypeError, "branches must have equal output types", "branches/disagree"),
    (TypeError, "branch outputs must have the same pytree structure", "branches/disagree"),
    (ValueError, "Reverse-mode differentiation does not work", "loops/reverse-mode"),
    (ValueError, "checking equality of metadata fields", "trees/static-array"),
    (ValueError, "in_axes", "trees/prefix"),
    (TypeError, "in_axes must be", "trees/prefix"),
    (ValueError, "inconsistent sizes for array axes", "trees/prefix"),
    (ValueError, "pytree structure error", "trees/mismatch"),
    (Exception, "different trace level", "nnx/trace-level"),  # Flax's own, which is not imported
    (ValueError, "Found data on value of type", "nnx/data-in-static"),
    (ValueError, "Found unexpected data on value of type", "nnx/data-in-static"),
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
BRANCH = re.compile(r"^(\w+_fun|branch ?\d+) is .+ at (.+):(\d+)$", re.MULTILINE)
# `different types at key path`, on the next line `tree_map tree['b']`, and then the two types.
PATH = re.compile(r"at key path\n\s+(?:tree_map tree|vmap )?(?P<path>.+)\n")
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
CLASS = re.compile(r"^\s+(<class '.+'>)", re.MULTILINE)
MADE = re.compile(r"was created on line (.+?):(\d+)(?::\d+)? \(")


def diagnose(error: BaseException) -> Found | NotAttempted:
    """Return the outcome of a check whose answer raised `error`.

    >>> diagnose(ZeroDivisionError("division by zero")).finding.saw
    (('ZeroDivisionError', 'division by zero'),)
    """
    if type(error) is NotImplementedError and not error.args:
        return NotAttempted()
    code = _code(error)
    return Found(Finding(code, tuple(_places(code, error)), tuple(_evidence(code, error))))


def _code(error: BaseException) -> str:
    fits = (code for kind, part, code in RAISED if isinstance(error, kind) and part in str(error))
    return next(fits, "runs/raised")


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
    elif code == "trees/prefix" and (told := list(_axes(text))):
        yield from told
    elif code.startswith("trees/") and (found := PATH.search(text)):
        yield "where the trees part", found["path"]
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
    if found := re.fullmatch(r"<class '(?:[\w.]+\.)?(\w+)'>", text):
        return "None" if found[1] == "NoneType" else f"a {found[1]}"
    return re.sub(r"^(bf|f|u|i|c)(?:loat|int|nt|omplex)(?=\d)", r"\1", text)


def first_sentence(error: BaseException) -> str:
    """Return the first sentence of an error's message, without addresses in memory.

    >>> first_sentence(ValueError("No good. Try another."))
    'No good.'
    """
    sentence = re.split(r"(?<=[.])(?<!e\.g\.)(?<!i\.e\.)\s|\n", str(error).strip(), maxsplit=1)[0]
    return re.sub(r" at 0x[0-9a-f]+", "", sentence)
