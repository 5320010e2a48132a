"""Reading the text of optimised HLO: XLA's own, and what other backends may write."""

import jax
import jax.numpy as jnp

from traced.programs.hlo import parse_hlo

# As XLA writes it, shortened; the type of the tuple is nested and its layout has tiles.
TEXT = """HloModule jit_f

FileNames
1 "a file.py"
2 "b.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=7 end_line=9 column=2 end_column=3}
2 {file_name_id=2 function_name_id=1 line=5 end_line=5 column=2 end_column=3}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}

%region_0.1 (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %sum = f32[] add(%a, %b)
}

ENTRY %main.3 (x.1: f32[2,3]) -> (f32[], (s32[2], f32[])) {
  %x.1 = f32[2,3]{1,0:T(8,128)} parameter(0), metadata={op_name="x"}
  %c = f32[] constant(0)
  %r = f32[] reduce(%x.1, /*index=1*/%c), dimensions={0,1}, to_apply=%region_0.1, metadata={op_name="a, b (\\"c\\")" stack_frame_id=2}
  ROOT %t = (f32[], (s32[2]{0}, f32[])) custom-call(%r), custom_call_target="a,b)", backend_config={"x":[1,2]}
}
"""  # noqa: E501  # the lines of XLA are as long as they are


def entry():
    module = parse_hlo(TEXT)
    return {each.name: each for each in module.computations[module.entry]}


def test_an_instruction_is_taken_apart():
    reduce = entry()["r"]
    assert (reduce.type, reduce.opcode, reduce.operands) == ("f32[]", "reduce", ("x.1", "c"))
    assert reduce.attributes == {"dimensions": "{0,1}"}
    assert reduce.calls == {"to_apply": ("region_0.1",)}


def test_layouts_are_left_out():
    assert entry()["x.1"].type == "f32[2,3]"


def test_nested_tuples_and_brackets_in_quotes_are_read():
    root = entry()["t"]
    assert (root.type, root.opcode) == ("(f32[], (s32[2], f32[]))", "custom-call")
    assert root.attributes["custom_call_target"] == '"a,b)"'
    assert root.is_root


def test_frames_are_followed_to_the_outermost():
    assert entry()["r"].spots == (("b.py", 5), ("a file.py", 7))
    assert entry()["t"].spots == ()


def test_the_frames_of_xla_name_the_lines_of_the_callers():
    def inner(x):
        return jnp.sin(x)

    def outer(x):
        return inner(x)

    first = inner.__code__.co_firstlineno
    module = parse_hlo(jax.jit(outer).lower(jnp.ones(3)).compile().as_text())
    instructions = [each for body in module.computations.values() for each in body]
    (sine,) = [each for each in instructions if each.opcode == "sine"]
    assert [spot for spot in sine.spots if spot[0] == __file__][:2] == [
        (__file__, first + 1),
        (__file__, first + 4),
    ]


def test_what_is_no_hlo_has_no_instructions():
    assert parse_hlo("").opcodes == {}
    assert parse_hlo("ENTRY %main () -> f32[] {\n  not an instruction\n}\n").opcodes == {}
