"""Run one program in several processes of JAX on this machine, and say how each of them ended."""

import inspect
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: What starts the function in each process.
ENTRY = """

if __name__ == "__main__":
    import sys

    {name}(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
"""
#: CPUs that talk to each other over the network, and tracebacks that Jupyter has not coloured.
VARIABLES = {
    "JAX_PLATFORMS": "cpu",
    "JAX_CPU_COLLECTIVES_IMPLEMENTATION": "gloo",
    "PYTHON_COLORS": "0",
}
#: A proxy would be asked for this machine, too.
LEFT_OUT = re.compile("_proxy|^XLA_FLAGS$|^JAX_NUM_CPU_DEVICES$", re.IGNORECASE)
#: Lines of the library by which the processes are connected. Each of its threads writes one, in
#: pieces, so that the end of a line may follow on that of another thread.
NOISE = re.compile(
    r"\[Gloo\].*\n?|^\d*(?: is connected to| peer ranks|Expected number of connected).*\n?",
    re.MULTILINE,
)
#: `ValueError: ...` at the end of a traceback.
RAISED = re.compile(r"^(?:\w+\.)*(\w*(?:Error|Exception|Interrupt)): ?(.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Run:
    """What one process printed, how it ended, and the error that it raised, if it did."""

    process: int
    lines: tuple[str, ...]
    ended: str
    error: str = ""


def run_processes(
    main: Callable[[str, int, int], Any],
    count: int = 2,
    missing: Iterable[int] = (),
    seconds: float = 280,
) -> list[Run]:
    """Run `main(address, count, process)` in each process, and wait for all of them.

    The source of `main` alone is written to a file, which each process runs: what it uses, it has
    to import. `address` is a free port of this machine. The `missing` ones are never started. What
    goes on for longer than `seconds` is killed, as are those that wait for a process that failed.
    """
    source = textwrap.dedent(inspect.getsource(main)) + ENTRY.format(name=main.__name__)
    variables = {k: v for k, v in os.environ.items() if not LEFT_OUT.search(k)} | VARIABLES
    started: dict[int, subprocess.Popen[bytes]] = {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "program.py")
        file.write_text(source, "utf-8")
        address = f"localhost:{_free_port()}"
        try:
            for process in sorted({*range(count)} - {*missing}):
                command = [sys.executable, "-u", str(file), address, str(count), str(process)]
                started[process] = _start(command, Path(folder, str(process)), variables)
            waiting = _wait(started, seconds)
        finally:
            for each in started.values():
                each.kill()
                each.wait()
        return [
            _told(process, each, process in waiting, Path(folder))
            for process, each in started.items()
        ]


def _start(
    command: list[str], outputs: Path, variables: dict[str, str]
) -> "subprocess.Popen[bytes]":
    """Start a process that writes to two files, as a pipe that nobody reads would fill up."""
    with (
        outputs.with_suffix(".out").open("wb") as out,
        outputs.with_suffix(".err").open("wb") as err,
    ):
        return subprocess.Popen(command, cwd=outputs.parent, stdout=out, stderr=err, env=variables)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("localhost", 0))
        return int(found.getsockname()[1])


def _wait(started: dict[int, "subprocess.Popen[bytes]"], seconds: float) -> set[int]:
    """Return the processes that still run at the end of the time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and any(each.poll() is None for each in started.values()):
        time.sleep(0.05)
    return {process for process, each in started.items() if each.poll() is None}


def _told(process: int, ran: "subprocess.Popen[bytes]", waits: bool, folder: Path) -> Run:
    out, error = (
        Path(folder, f"{process}.{name}").read_text("utf-8", "replace") for name in ("out", "err")
    )
    lines = tuple(NOISE.sub("", out).splitlines())
    code = ran.returncode
    if waits:
        return Run(process, lines, "still waits")
    if code < 0:
        return Run(process, lines, f"killed by {signal.Signals(-code).name}", _first_words(error))
    return Run(process, lines, f"exit {code}", _first_words(error) if code else "")


def _first_words(text: str) -> str:
    """Return the type of the error that ended a process and its first sentence, or nothing.

    >>> _first_words("Traceback ...\\nValueError: no such thing. Really.")
    'ValueError: no such thing.'
    """
    found = RAISED.findall(text)
    if not found:
        return ""
    name, said = found[-1]
    sentence = re.split(r"(?<=[.])\s", said, maxsplit=1)[0]
    return f"{name}: {sentence}"
