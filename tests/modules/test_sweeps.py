"""A record is read as it was written, and gives its lines."""

import json

import pytest

from traced.modules.sweeps import Cell, Sweep, read_sweep


@pytest.fixture
def sweep():
    cells = []
    for width in (32, 8):
        for modules in (2, 4):
            cells.append(Cell(width, modules, waiting=False, calls=3))
            for slower in (1.0, 2.0):
                cells[-1].add({"a": slower * width * modules, "plain JAX": slower})
    return Sweep({"device": "x"}, {"jax": "0.1"}, "2026-01-01", {"widths": [8, 32]}, cells)


def test_a_record_is_read_as_it_was_written(sweep, tmp_path):
    sweep.write(tmp_path / "folder/record.json")
    assert read_sweep("record", tmp_path / "folder") == sweep
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["record.json"]


def test_a_record_without_cells_can_be_written(tmp_path):
    empty = Sweep({}, {}, "", {}, [])
    empty.write(tmp_path / "record.json")
    assert read_sweep("record", tmp_path) == empty


def test_a_write_that_fails_leaves_the_old_record(sweep, tmp_path):
    path = tmp_path / "record.json"
    sweep.write(path)
    before = path.read_bytes()
    sweep.machine["device"] = object()
    with pytest.raises(TypeError):
        sweep.write(path)
    assert path.read_bytes() == before


def test_a_line_of_the_file_holds_one_way_of_one_cell(sweep, tmp_path):
    sweep.write(tmp_path / "record.json")
    lines = (tmp_path / "record.json").read_text().splitlines()
    assert sum(line.startswith('   "a": [') for line in lines) == 4
    assert json.loads("\n".join(lines))["cells"][0]["calls"] == 3


def test_lines_go_over_width_or_modules_in_order(sweep):
    by_width = sweep.lines("plain JAX", ["a"], by="width", modules=2, waiting=False)
    by_modules = sweep.lines("plain JAX", ["a"], by="modules", width=8, waiting=False)
    assert by_width == {"a": {8: 16.0, 32: 64.0}}
    assert list(by_width["a"]) == [8, 32]
    assert by_modules == {"a": {2: 16.0, 4: 32.0}}
    assert sweep.lines("plain JAX", ["a"], by="width", modules=2, waiting=True) == {"a": {}}


def test_a_cell_is_found_by_what_it_measures(sweep):
    assert sweep.cell(8, 4, False) is sweep.cells[3]
    assert sweep.cell(8, 4, True) is None
    assert sweep.cells[0].rounds == 2
    assert Cell(1, 1, True, 1).rounds == 0


def test_the_other_of_width_and_modules_has_to_be_given(sweep):
    with pytest.raises(ValueError, match="must name width and modules"):
        sweep.lines("plain JAX", ["a"], by="width", waiting=False)


def test_an_unknown_record_is_an_error_that_names_those_there_are(sweep, tmp_path):
    with pytest.raises(FileNotFoundError, match="no record is called b; there are: none"):
        read_sweep("b", tmp_path)
    sweep.write(tmp_path / "a.json")
    with pytest.raises(FileNotFoundError, match="no record is called b; there are: a"):
        read_sweep("b", tmp_path)
