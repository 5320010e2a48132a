"""JAX's settings, all at once.

- `jax.config.values` has them by name: what is public gives one setting whose name is known.
"""

from typing import Any

import jax

from traced.internals.canary import canary


@canary("what JAX's settings are")
def _knows_a_setting() -> bool:
    return settings_now().get("jax_enable_x64") is False


@_knows_a_setting.guards
def settings_now() -> dict[str, Any]:
    """Return the value that each of JAX's settings has here and now, by its name."""
    settings: dict[str, Any] = jax.config.values
    return settings
