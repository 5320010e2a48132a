"""Keep what JAX compiles on disk, for tests whose verdict is not about compiling.

Tests that time a program, or count how often JAX compiles one, have to do without.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import jax
from jax.experimental.compilation_cache.compilation_cache import reset_cache

FOLDER = Path(__file__).parents[1] / "_build/compiled"
SETTINGS: dict[str, object] = {
    "jax_compilation_cache_dir": str(FOLDER),
    "jax_persistent_cache_min_compile_time_secs": 0,
    "jax_persistent_cache_min_entry_size_bytes": -1,
    # Optimised HLO names the arguments, and findings quote it: a program whose arguments have other
    # names is another one. By its lines alone it is not.
    "jax_compilation_cache_include_metadata_in_key": True,
    "jax_traceback_in_locations_limit": 0,
}
#: The same for a process of its own, as environment variables.
ENVIRONMENT = {name.upper(): str(value) for name, value in SETTINGS.items()}


@contextmanager
def keep_compiled() -> Iterator[None]:
    """Take from disk, within the block, what was compiled before."""
    before = {name: jax.config.values[name] for name in SETTINGS}
    _configure(SETTINGS)
    try:
        yield
    finally:
        _configure(before)


def _configure(settings: dict[str, object]) -> None:
    for name, value in settings.items():
        jax.config.update(name, value)
    reset_cache()  # JAX looks at the settings once
