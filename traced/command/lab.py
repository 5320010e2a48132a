"""JupyterLab on a working copy: on this machine only, without news and offers of newer versions."""

import os
import socket
import sys
from importlib.util import find_spec
from pathlib import Path

from traced.command.refusal import Refusal, refused_writes

#: Where the page with the token lies: browsers from snaps cannot read what is in a hidden folder.
RUNTIME = "_jupyter"
#: What the list of files leaves out, besides what is hidden everywhere.
HIDDEN = ["__pycache__", "*.pyc", "*.pyo", ".DS_Store", "*~", RUNTIME]
#: Settings of the page: the front end asks whether it may fetch news, whatever the server is told.
SETTINGS = Path(__file__).with_name("jupyter")
#: A port that is taken, where the reader did not ask for one, is Jupyter's to replace.
USUAL_PORT = 8888


def require_lab(folder: Path, port: int | None = None) -> None:
    """Raise `Refusal` where JupyterLab is not installed, or `port` is taken."""
    if find_spec("jupyterlab") is None:
        raise Refusal(
            f"JupyterLab is not installed in this Python: the lessons are in {folder}, "
            "and `pip install jupyterlab` opens them"
        )
    if port and is_taken(port):
        raise Refusal(f"port {port} is taken: choose another one, or leave `--port` out")


def open_lab(folder: Path, lesson: str, port: int | None = None) -> None:
    """Run JupyterLab in `folder`, with a lesson open, until the reader ends it.

    Raises `Refusal` where it has no place to write.
    """
    with refused_writes(folder):
        runtime = (folder / RUNTIME).resolve()
        runtime.mkdir(mode=0o700, exist_ok=True)
        if not os.access(runtime, os.W_OK):
            raise PermissionError(13, "Permission denied")
    os.environ["JUPYTER_RUNTIME_DIR"] = str(runtime)
    theirs = os.environ.get("JUPYTER_CONFIG_PATH")
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, [str(SETTINGS), theirs]))
    from jupyterlab.labapp import LabApp  # type: ignore[import-untyped]  # it has no types

    LabApp.launch_instance(options(folder, lesson, port))


def options(folder: Path, lesson: str, port: int | None = None) -> list[str]:
    """Return what JupyterLab is told."""
    told = [
        "--ip=127.0.0.1",
        f"--port={port or USUAL_PORT}",
        # The address is told as something critical.
        "--log-level=ERROR",
        "--LabApp.log_level=ERROR",
        # Without it each kernel says that it has none.
        "--KernelManager.transport_encryption=auto",
        f"--ServerApp.root_dir={folder.resolve()}",
        "--ServerApp.answer_yes=True",
        f"--ContentsManager.hide_globs={HIDDEN}",
        f"--LabApp.default_url=/lab/tree/{lesson}",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.news_url=None",
    ]
    if hasattr(os, "getuid") and os.getuid() == 0:
        told.append("--allow-root")
    return told if has_screen() else [*told, "--no-browser"]


def has_screen() -> bool:
    """Return whether a browser has a place to open.

    Without one Python may find a text browser, which takes over the terminal.
    """
    named = any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
    return named or sys.platform in ("darwin", "win32")


def is_taken(port: int) -> bool:
    """Return whether something listens on a port of this machine, or may do so alone."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return True
    return False
