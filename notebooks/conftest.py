"""Tell nbval what of a stored output is not compared: a picture of what was measured."""

from pathlib import Path

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Name the file by its whole path: pytest may start in any folder."""
    if config.pluginmanager.hasplugin("nbval"):
        config.option.nbval_sanitize_with = str(Path(__file__).with_name("measured.cfg"))
