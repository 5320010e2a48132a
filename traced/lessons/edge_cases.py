"""Values that break what was tried on tame ones only, each with a name for a finding to say.

An exercise takes those that its text allows, and compares at each with its own reference.
"""

from typing import Any

import numpy as np


def vectors() -> dict[str, Any]:
    """Return finite float32 vectors by name: of one entry, odd, long, large, equal, close, skewed.

    >>> [x.size for x in vectors().values()]
    [1, 3, 5, 4, 4, 4, 7, 257]
    """
    named = {
        "one entry": [-0.5],
        "zeros": [0, 0, 0],
        "entries from -100 to 100": [-100, -50, 0, 50, 100],
        "equal entries": [2, 2, 2, 2],
        "close entries": [1, 1.000001, 1.000002, 0.999999],
        "one large entry": [0.001, 0.01, 0.1, 100],
        "seven entries": np.cos(np.arange(7)),
        "257 entries": np.sin(np.arange(257)),
    }
    return {name: np.asarray(entries, np.float32) for name, entries in named.items()}


def non_finite_vectors() -> dict[str, Any]:
    """Return float32 vectors by name that hold NaN or infinity.

    >>> [bool(np.isfinite(x).all()) for x in non_finite_vectors().values()]
    [False, False, False]
    """
    named = {
        "a NaN inside": [1, np.nan, 3],
        "an infinity inside": [1, np.inf, 3],
        "only minus infinity": [-np.inf, -np.inf],
    }
    return {name: np.asarray(entries, np.float32) for name, entries in named.items()}


def trees() -> dict[str, Any]:
    """Return trees of float32 arrays by name: other containers, other depths, other ranks.

    >>> list(trees())
    ['one leaf', 'a tuple', 'a list in a dict', 'four levels', 'a None inside', 'scalars']
    """
    w, b = np.asarray([[1, -2], [0.5, 3]], np.float32), np.asarray([0.25, -1], np.float32)
    return {
        "one leaf": w,
        "a tuple": (w, b),
        "a list in a dict": {"layers": [w, w + 1], "bias": b},
        "four levels": {"a": {"b": [{"c": (b, w)}]}},
        "a None inside": {"w": w, "bias": None},
        "scalars": {"scale": np.float32(2), "shift": np.float32(-1)},
    }
