"""JAX, Traced: see what JAX keeps of a function, and have an answer checked on it.

What readers import is listed in `__init__.pyi`, which type checkers read as well. Each name is
imported when it is first used, so that a command that needs no JAX does not wait for it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
# By these two names IPython loads and unloads an extension; nobody imports them.
__all__ = [name for name in __all__ if not name.endswith("load_ipython_extension")]
