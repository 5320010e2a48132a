"""Probes of any function or array: each returns what it found as plain data.

They are listed in `probes.pyi`, and each is imported when it is first used, so that those that need
no Flax do not wait for it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__package__, __file__)
