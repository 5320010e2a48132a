"""What is kept of compiling never decides a verdict."""

import jax
import pytest
from compiled import SETTINGS, keep_compiled


@pytest.fixture
def folder(tmp_path, monkeypatch):
    folder = tmp_path / "compiled"
    monkeypatch.setitem(SETTINGS, "jax_compilation_cache_dir", str(folder))
    return folder


def compile_and_run():
    return float(jax.jit(lambda x: 3 * x + 1)(2.0))


def names(folder):
    return {path.name for path in folder.iterdir() if "lambda" in path.name}


def test_a_program_is_kept_within_the_block_and_there_only(folder):
    before = {name: jax.config.values[name] for name in SETTINGS}
    with keep_compiled():
        compile_and_run()
    kept = names(folder)
    assert kept
    assert {name: jax.config.values[name] for name in SETTINGS} == before
    jax.jit(lambda x: 5 * x)(2.0)
    assert names(folder) == kept


def test_a_program_whose_argument_has_another_name_is_another(folder):
    with keep_compiled():
        texts = [
            jax.jit(f).lower(2.0).compile().as_text()
            for f in (lambda width: 3 * width, lambda height: 3 * height)
        ]
    assert ["width" in text for text in texts] == [True, False]


def test_noise_on_disk_is_compiled_anew(folder):
    with keep_compiled():
        compile_and_run()
    for path in folder.iterdir():
        path.write_bytes(b"noise")
    with keep_compiled():
        assert compile_and_run() == 7


def test_a_folder_that_cannot_be_written_is_gone_without(folder):
    folder.write_text("a file, where root is refused as well")
    with keep_compiled():
        assert compile_and_run() == 7
