"""Read the text of optimised HLO: its computations, their instructions, and their stack frames."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import jax
import numpy as np

from traced.internals.canary import canary, run_as_readers
from traced.python.places import Spot


@dataclass(frozen=True)
class Instruction:
    """One instruction: `name = type opcode(operands), attributes`.

    `calls` names the computations that it runs, by attribute. `spots` are the lines of Python that
    it came from, innermost first, of libraries too, and `primitives` the equations' that it stands
    for: several where XLA made one of them.
    """

    name: str
    type: str
    opcode: str
    operands: tuple[str, ...]
    attributes: Mapping[str, str]
    calls: Mapping[str, tuple[str, ...]]
    is_root: bool
    spots: tuple[Spot, ...] = field(repr=False)
    primitives: frozenset[str] = field(repr=False)


@dataclass(frozen=True)
class Module:
    """The computations of a program by name, and which of them is the entry."""

    computations: Mapping[str, tuple[Instruction, ...]]
    entry: str

    @property
    def opcodes(self) -> Counter[str]:
        """How often each operation occurs, in all computations."""
        return Counter(each.opcode for body in self.computations.values() for each in body)


#: The attributes that name computations.
CALLS = (
    "calls",
    "to_apply",
    "condition",
    "body",
    "branch_computations",
    "true_computation",
    "false_computation",
    "select",
    "scatter",
    "called_computations",
)
BLOCK = re.compile(r"^(ENTRY )?%?([\w.-]+) [^\n]*\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"\s+(ROOT )?%?([\w.-]+) = (?=\S)")
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|/\*.*?\*/|[(){}\[\],]')
NONE: frozenset[str] = frozenset()
DEPTH = {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}


LINES = """
def f(x):
    y = x * x
    return sin(y) + 1.0
"""


@canary("what XLA left of a program")
def _reads_hlo() -> bool:
    """Read a program of three operations back, with the line that each came from."""
    f = run_as_readers(LINES, sin=jax.numpy.sin)["f"]
    compiled = jax.jit(f).lower(np.ones(4, "float32")).compile()
    module = parse_hlo(compiled.as_text() or "")
    lines = {
        each.opcode: {line for file, line in each.spots if file == "canary.py"}
        for body in module.computations.values()
        for each in body
    }
    primitives = {"multiply": {"mul"}, "sine": {"sin"}, "add": {"add"}}
    made = {each.opcode: each.primitives for body in module.computations.values() for each in body}
    known = {"multiply": {3}, "sine": {4}, "add": {4}}
    config: Any = jax.config  # whose types name some settings only
    if config.jax_traceback_in_locations_limit == 0:  # JAX was asked to tell no lines
        known = {opcode: set() for opcode in known}
    told = primitives.items() <= made.items() and known.items() <= lines.items()
    return module.entry in module.computations and told


@_reads_hlo.guards
def parse_hlo(text: str) -> Module:
    """Return the module that `compiled.as_text()` writes down.

    >>> import jax
    >>> module = parse_hlo(jax.jit(lambda x: x).lower(1.0).compile().as_text())
    >>> [each.opcode for each in module.computations[module.entry]]
    ['parameter', 'copy']
    """
    chains = _chains(text)
    blocks = list(BLOCK.finditer(text))
    bodies = {block[2]: tuple(_instructions(block[3], chains)) for block in blocks}
    return Module(bodies, next((block[2] for block in blocks if block[1]), ""))


def _instructions(body: str, chains: Mapping[str, tuple[Spot, ...]]) -> Iterator[Instruction]:
    for line in body.splitlines():
        if named := NAMED.match(line):
            yield _instruction(named, line[named.end() :], chains)


def _instruction(
    named: re.Match[str], rest_of_line: str, chains: Mapping[str, tuple[Spot, ...]]
) -> Instruction:
    call, *rest = _split(rest_of_line)
    head, operands = _opened(call)
    kind, _, opcode = head.rpartition(" ")
    pairs = (each.partition("=") for each in rest)
    attributes = {key: value for key, _, value in pairs}
    metadata = attributes.pop("metadata", "")
    frame = re.search(r"stack_frame_id=(\d+)", metadata)
    names = {key: attributes.pop(key) for key in CALLS if key in attributes}
    return Instruction(
        name=named[2],
        type=re.sub(r"(?<=\])\{[^}]*\}|/\*.*?\*/", "", kind),
        opcode=opcode,
        operands=tuple(re.sub(r"/\*.*?\*/", "", each).lstrip("%") for each in operands),
        attributes=attributes,
        calls={key: tuple(re.findall(r"[\w.-]+", value)) for key, value in names.items()},
        is_root=bool(named[1]),
        spots=chains.get(frame[1], ()) if frame else (),
        primitives=_primitives(metadata),
    )


def _primitives(metadata: str) -> frozenset[str]:
    # `op_name="jit(f)/jvp()/mul;jit(f)/broadcast_in_dim"`
    named = re.search(r'op_name="((?:[^"\\]|\\.)*)"', metadata)
    return frozenset(each.rpartition("/")[2] for each in named[1].split(";")) if named else NONE


def _split(text: str) -> list[str]:
    """Split at the commas outside all brackets and quotes."""
    tokens = [(token.start(), token[0]) for token in TOKEN.finditer(text)]
    depths = accumulate(DEPTH.get(token, 0) for _, token in tokens)
    pairs = zip(tokens, depths, strict=True)
    commas = [at for (at, token), depth in pairs if token == "," and depth == 0]
    ends = zip([-1, *commas], [*commas, len(text)], strict=True)
    parts = [text[start + 1 : end].strip() for start, end in ends]
    return [part for part in parts if part]


def _opened(call: str) -> tuple[str, list[str]]:
    """Split `f32[] add(%a, %b)` into what stands before the brackets and what is in them."""
    depth = 0
    for token in TOKEN.finditer(call):
        # The brackets of a tuple's type follow a blank, or nothing.
        if token[0] == "(" and depth == 0 and call[: token.start()][-1:].strip():
            return call[: token.start()], _split(call[token.end() : call.rindex(")")])
        depth += DEPTH.get(token[0], 0)
    return call, []


def _chains(text: str) -> dict[str, tuple[Spot, ...]]:
    """Return, by the number of a stack frame, the lines that led there, innermost first."""
    files = dict(re.findall(r'^(\d+) "(.*)"$', text.partition("FunctionNames")[0], re.MULTILINE))
    found = re.findall(r"^(\d+) \{file_name_id=(\d+).*?\bline=(\d+)", text, re.MULTILINE)
    spots = {key: (files.get(file, ""), int(line)) for key, file, line in found}
    found = re.findall(r"^(\d+) \{file_location_id=(\d+) parent_frame_id=(\d+)", text, re.MULTILINE)
    chains: dict[str, tuple[Spot, ...]] = {}
    for key, place, parent in found:
        # XLA writes the number of a parent plus one, so that 1 stands for none.
        chain = [spots[place]] if place in spots else []
        chains[key] = tuple(dict.fromkeys([*chain, *chains.get(str(int(parent) - 1), ())]))
    return chains
