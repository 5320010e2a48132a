"""Write optimised HLO down, the same on every supported JAX that compiles to the same operations.

XLA's own text numbers each name, and defines the computations before their caller. Here a fusion
holds its operations, with the caller's names in place of parameters; scalars stand where they are
used.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from traced.drawing.lines import Line
from traced.programs.hlo import Instruction, Module

#: The attributes that say what an operation computes; the others differ between releases.
ATTRIBUTES = (
    "dimensions",
    "direction",
    "iota_dimension",
    "slice",
    "dynamic_slice_sizes",
    "padding",
    "lhs_batch_dims",
    "lhs_contracting_dims",
    "rhs_batch_dims",
    "rhs_contracting_dims",
    "window",
    "dim_labels",
    "feature_group_count",
    "offset_dims",
    "collapsed_slice_dims",
    "start_index_map",
    "index_vector_dim",
    "slice_sizes",
    "custom_call_target",
)

NUMBER = re.compile(r"[-+]?(\d[\d.]*(e[-+]?\d+)?|inf|nan)|true|false")


def hlo_lines(module: Module) -> list[Line]:
    """Return the lines of a program, each made from its instructions, with fusions folded."""
    return list(_Writer(module).entry())


class _Writer:
    """Writes each computation where it is used, and gives names in the order of appearance."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.taken: Counter[str] = Counter()
        self.written: dict[str, str] = {}

    def entry(self) -> Iterator[Line]:
        body = self.module.computations.get(self.module.entry, ())
        parameters = [each for each in body if each.opcode == "parameter"]
        parameters.sort(key=lambda each: int(each.operands[0]))
        names = [self.fresh(each) for each in parameters]
        typed = ", ".join(f"{n}: {p.type}" for n, p in zip(names, parameters, strict=True))
        result = next((each.type for each in body if each.is_root), "()")
        yield Line(f"ENTRY ({typed}) -> {result}", 0)
        yield from self.lines(self.module.entry, names, 2)

    def fresh(self, instruction: Instruction) -> str:
        """Return XLA's name without its number, and with our own where it is taken."""
        name = re.sub(r"(\.\d+|\.clone)+$", "", instruction.name)
        self.taken[name] += 1
        return name if self.taken[name] == 1 else f"{name}.{self.taken[name]}"

    def lines(self, computation: str, operands: Sequence[str], depth: int) -> Iterator[Line]:
        names: dict[str, str] = {}
        for each in self.module.computations.get(computation, ()):
            inline = _inline(each, names, operands)
            if inline is None:
                names[each.name] = self.fresh(each)
                yield self.line(each, names, depth)
            else:
                names[each.name] = inline
                if each.is_root:
                    yield Line(f"ROOT {inline}", depth, (each,))

    def line(self, each: Instruction, names: dict[str, str], depth: int) -> Line:
        operands = [names.get(operand, operand) for operand in each.operands]
        parts = [f"{each.opcode}({', '.join(operands)})", *_attributes(each)]
        if reducer := self.reducer(each):
            parts.append(f"to_apply={reducer}")
        text = f"{'ROOT ' * each.is_root}{names[each.name]} = {each.type} {', '.join(parts)}"
        inner = () if reducer else tuple(self.inner(each, names[each.name], operands, depth + 2))
        return Line(text, depth, (each,), inner)

    def reducer(self, each: Instruction) -> str | None:
        """Return the operation that a reduction applies, if it is a single one."""
        if each.opcode == "call" or not each.calls.keys() <= {"to_apply"}:
            return None
        bodies = (self.module.computations.get(name, ()) for [name] in each.calls.values())
        opcodes = [each.opcode for body in bodies for each in body if each.opcode != "parameter"]
        return opcodes[0] if len(opcodes) == 1 else None

    def inner(
        self, each: Instruction, name: str, operands: Sequence[str], depth: int
    ) -> Iterator[Line]:
        for role, computations in each.calls.items():
            for number, computation in enumerate(computations):
                given = self.given(each, role, number, operands)
                if given != operands:
                    yield Line(f"{_role(role, number)}({', '.join(given)}):", depth)
                if computation in self.written:
                    yield Line(f"as in {self.written[computation]}", depth + 2)
                else:
                    self.written[computation] = name
                    yield from self.lines(computation, given, depth + 2 * (given != operands))

    def given(
        self, each: Instruction, role: str, number: int, operands: Sequence[str]
    ) -> Sequence[str]:
        """Return the names of what a computation works on."""
        if each.opcode in ("fusion", "call"):
            return operands
        if each.opcode == "while":
            return ["carry"]
        if each.opcode == "conditional":
            # The operands of the branches follow the one that chooses.
            return operands[1 + number + (role == "false_computation") :][:1]
        body = self.module.computations.get(each.calls[role][number], ())
        return [chr(ord("a") + i) for i in range(sum(each.opcode == "parameter" for each in body))]


def _inline(each: Instruction, names: dict[str, str], operands: Sequence[str]) -> str | None:
    """Return what stands for an instruction where it is used, if it has no line of its own."""
    if each.opcode == "parameter":
        number = int(each.operands[0])
        return operands[number] if number < len(operands) else each.name
    if each.opcode == "get-tuple-element":
        whole = names.get(each.operands[0], each.operands[0])
        return f"{whole}[{each.attributes.get('index')}]"
    if each.opcode == "constant" and each.type.endswith("[]"):
        return each.operands[0]
    if each.opcode == "broadcast" and NUMBER.fullmatch(value := names.get(each.operands[0], "")):
        return f"broadcast({value})"
    return None


def _attributes(each: Instruction) -> list[str]:
    shown = ((name, each.attributes.get(name, "{}")) for name in ATTRIBUTES)
    return [f"{name}={value}" for name, value in shown if value != "{}"]


def _role(role: str, number: int) -> str:
    return f"branch {number}" if role == "branch_computations" else role
