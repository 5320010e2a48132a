"""Clocks of what code has done: the one on the wall also counts what others did meanwhile.

A busy machine gives a process a part of a processor, so that the clock on the wall runs ahead. On a
machine of many cores the processor seconds run ahead: XLA has a thread for each core.
"""

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

#: The nanoseconds of each thread: on a processor, and waiting for one. Linux alone tells.
THREADS = Path("/proc/self/task")
#: A process that gets less of a processor than this is taken to wait for something else.
IDLE = 0.02
#: XLA's work counts for so much less than that of the thread that asks for it.
OTHERS = 3


@dataclass(frozen=True)
class Reading:
    """What all clocks showed at one moment, in seconds.

    `thread` is of the one that asked, and `queued` how long all threads of the process had waited
    for a processor, or None where the system does not tell.
    """

    wall: float
    process: float
    thread: float
    queued: float | None

    @classmethod
    def now(cls) -> "Reading":
        """Read all clocks."""
        return cls(time.monotonic(), time.process_time(), time.thread_time(), _queued())


def _queued() -> float | None:
    found = list(_nanoseconds())
    return sum(found) / 1e9 if found else None


def _nanoseconds() -> Iterator[int]:
    if not THREADS.is_dir():
        return
    for thread in THREADS.iterdir():
        with contextlib.suppress(OSError, ValueError, IndexError):  # it has ended meanwhile
            yield int((thread / "schedstat").read_text().split()[1])


def waited_between(before: Reading, now: Reading) -> float:
    """Return for how many seconds nothing was done that a processor was there for, or wanted.

    >>> waited_between(Reading(0, 0, 0, 0), Reading(5, 1, 1, 3))
    1
    """
    wall, process = now.wall - before.wall, now.process - before.process
    if now.queued is None or before.queued is None:
        return 0.0 if process > IDLE * wall else wall - process
    # The threads that have ended take their seconds with them.
    return max(0.0, wall - process - max(0.0, now.queued - before.queued))


def seconds_since(before: Reading) -> float:
    """Return the seconds in which this process has worked or waited, without those in a queue.

    >>> seconds_since(Reading.now()) < 1
    True
    """
    now = Reading.now()
    return min(now.process - before.process, now.wall - before.wall) + waited_between(before, now)


class Meter:
    """Adds up, from one reading to the next, what code has worked and what it has waited.

    >>> meter = Meter(Reading(0, 0, 0, 0))
    >>> meter.read(Reading(wall=8, process=1, thread=1, queued=7))  # the machine is busy
    >>> meter.read(Reading(wall=9, process=65, thread=1.5, queued=7))  # 64 cores
    >>> meter.spent
    1.5
    """

    def __init__(self, start: Reading) -> None:
        self.last = start
        self.worked = self.waited = self.others = 0.0

    def read(self, now: Reading) -> None:
        """Take in what happened since the last reading."""
        self.worked += now.thread - self.last.thread
        self.waited += waited_between(self.last, now)
        self.others += min(now.wall - self.last.wall, now.process - self.last.process)
        self.last = now

    @property
    def spent(self) -> float:
        """What counts against a limit, in seconds."""
        return max(self.worked + self.waited, self.others / OTHERS)
