"""Run `jax-traced`. Ctrl-C ends it quietly, while it is still being imported too."""

import os
import signal
import sys
from types import FrameType


def leave(_: int, frame: FrameType | None) -> None:
    """End at once, without a traceback; a JupyterLab that runs ends its kernels first."""
    stop = signal.getsignal(signal.SIGTERM)
    if callable(stop):
        stop(signal.SIGTERM, frame)
    else:
        # To raise here would show where Python was: in a thread, in an import, in its own end.
        os._exit(0 if is_ended_so() else 130)


def is_ended_so() -> bool:
    """Return whether Ctrl-C is the way to end the command that runs, and no interruption of it."""
    return sys.argv[1:2] in (["learn"], ["watch"]) and "--no-lab" not in sys.argv


def main() -> None:
    """Run the command that `sys.argv` names."""
    # A shell that runs it in the background starts it deaf to Ctrl-C, and ends it in another way.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, leave)
    # The stored outputs are those of a CPU, on machines with a GPU too.
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    from traced.command.commands import jax_traced

    try:
        jax_traced(prog_name="jax-traced")
    finally:
        # JupyterLab has put its own in place of it, and is gone.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, leave)


if __name__ == "__main__":
    main()
