"""What JAX logs, as a page can show it."""

import contextlib
import logging
import re
from collections.abc import Iterator

#: What differs between two runs: how long something took, where a file is, and an object's number.
CHANGING = re.compile(r"(?<= in )\d\S*(?= sec$)|(?<= at )\S+:\d+(?: \(.*\))?|(?<= id=)\d+")

#: What is of interest on several devices only.
PLACED = re.compile(r"\. Argument mapping: .*")


class _Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        lines = record.getMessage().splitlines()
        self.lines += [CHANGING.sub("…", PLACED.sub("", line)) for line in lines]


@contextlib.contextmanager
def jax_log() -> Iterator[list[str]]:
    """Collect the lines that JAX would write to the terminal, without times, places and devices.

    >>> import jax
    >>> with jax_log() as said, jax.log_compiles(True):
    ...     _ = jax.jit(lambda x: -x).trace(1.0)
    >>> said
    ['Finished tracing <lambda> for jit in … sec']
    """
    logger, keeper = logging.getLogger("jax"), _Lines()
    kept = logger.handlers, logger.propagate
    logger.handlers, logger.propagate = [keeper], False
    try:
        yield keeper.lines
    finally:
        logger.handlers, logger.propagate = kept
