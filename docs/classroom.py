"""Try the course with a class: a JupyterHub on this machine, and students who all begin at once.

Each student logs in, is given the lessons, runs two of them in two kernels, and answers their
exercises, wrongly and rightly, as the pages have the answers. What is stored is how long that took,
the memory, and each verdict that was another one than the tests have.
"""

import json
import os
import platform
import re
import secrets
import socket
import subprocess
import sys
import sysconfig
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

import psutil
import websocket

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "_build/classroom"
RECORDS = ROOT / "docs/classrooms"
PAGE = ROOT / "docs/classroom.md"
LESSONS = ("00_start_here", "02_tracing")
PATIENCE = 1800  # seconds that a server or a cell may take
TABLE = re.compile(r"(?<=<!-- records -->\n).*?(?=\n<!-- end -->)", re.DOTALL)
CODE = re.compile(r"\[([a-z]+/[a-z-]+)\]")

CONFIG = """c = get_config()
c.JupyterHub.bind_url = "http://127.0.0.1:{ports[0]}"
c.JupyterHub.hub_port = {ports[1]}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{ports[2]}"
c.ConfigurableHTTPProxy.command = ["{proxy}"]
c.JupyterHub.authenticator_class = "dummy"
c.DummyAuthenticator.password = "{password}"
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"
c.JupyterHub.concurrent_spawn_limit = 0
c.JupyterHub.log_level = "WARN"
c.SimpleLocalProcessSpawner.home_dir_template = "{homes}/{{username}}"
c.Spawner.cmd = ["{hub}/bin/jupyterhub-singleuser"]
c.Spawner.args = {arguments}
c.Spawner.start_timeout = c.Spawner.http_timeout = {patience}
c.Spawner.environment = {{
    "JAX_PLATFORMS": "cpu",
    "JUPYTERLAB_DIR": "{prefix}/share/jupyter/lab",
    "JUPYTER_PATH": "{prefix}/share/jupyter",
    "TRACED_JOURNAL": lambda spawner: f"{journals}/{{spawner.user.name}}.jsonl",
    "TRACED_SOLUTIONS": "hidden",
}}


def give_lessons(spawner):
    import subprocess

    lessons = f"{homes}/{{spawner.user.name}}/lessons"
    environment = {{"TRACED_SOLUTIONS": "hidden", "PATH": ""}}
    command = ["{python}", "-m", "traced.command", "learn", lessons, "--no-lab"]
    subprocess.run(command, env=environment, check=True, capture_output=True)


c.Spawner.pre_spawn_hook = give_lessons
"""


def install() -> Path:
    """Return the environment that the hub runs in, which finds the course's packages as well."""
    home = FOLDER / "hub"
    if not (home / "ready").exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        print("Installing JupyterHub and its proxy ...", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True)
        python = home / "bin/python"
        subprocess.run([python, "-m", "pip", "install", "-q", "jupyterhub"], check=True)
        proxy = ["npm", "install", "--silent", "--prefix", FOLDER, "configurable-http-proxy"]
        subprocess.run(proxy, check=True)
        ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
        site = subprocess.run([python, "-c", ask], check=True, capture_output=True, text=True)
        # So that what an editable install has there is found too.
        course = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
        Path(site.stdout.strip(), "course.pth").write_text(course)
        (home / "ready").touch()
    return home


def free_ports(count: int) -> list[int]:
    """Return ports that nobody listens on."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


@contextmanager
def hub(folder: Path, password: str) -> Iterator[tuple[str, psutil.Process]]:
    """Run a JupyterHub in a folder; yield its address and its process."""
    home, ports = install(), free_ports(3)
    for name in ("homes", "journals"):
        (folder / name).mkdir(parents=True)
    root = hasattr(os, "getuid") and os.getuid() == 0
    config = CONFIG.format(
        ports=ports,
        proxy=FOLDER / "node_modules/.bin/configurable-http-proxy",
        password=password,
        homes=folder / "homes",
        journals=folder / "journals",
        hub=home,
        arguments=["--allow-root"] if root else [],
        patience=PATIENCE,
        prefix=sys.prefix,
        python=sys.executable,
    )
    (folder / "jupyterhub_config.py").write_text(config)
    environment = os.environ | {"PATH": f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    with (folder / "log").open("wb") as log:
        process = psutil.Popen(
            [home / "bin/jupyterhub"], cwd=folder, env=environment, stdout=log, stderr=log
        )
    try:
        address = f"http://127.0.0.1:{ports[0]}"
        wait_for(lambda: answers(f"{address}/hub/api/"), process)
        yield address, process
    finally:
        process.terminate()
        process.wait(timeout=120)


def wait_for(condition: Any, process: psutil.Process) -> None:
    """Wait until something is so, as long as the hub runs."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if not process.is_running() or process.status() == psutil.STATUS_ZOMBIE:
            raise SystemExit("JupyterHub has ended; _build/classroom has its log")
        if condition():
            return
        time.sleep(0.5)
    raise TimeoutError


def answers(address: str) -> bool:
    """Return whether something is served at an address."""
    try:
        urllib.request.urlopen(address).close()
    except OSError:
        return False
    return True


class Student:
    """One student, who has logged in."""

    def __init__(self, name: str, address: str, password: str) -> None:
        self.name, self.address, self.token = name, address, ""
        login = {"username": name, "password": password}
        self.log_in(login)
        self.token = self.request("POST", f"/hub/api/users/{name}/tokens", {"auth": login})["token"]
        self.seconds: dict[str, float] = {}
        self.cells = self.verdicts = 0
        self.false: list[str] = []

    def log_in(self, login: dict[str, str]) -> None:
        """Fill in the form of the hub, which does not know the student before."""
        cookies = CookieJar()
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(cookies))
        form = f"{self.address}/hub/login?next=%2Fhub%2Fhome"
        browser.open(form, timeout=PATIENCE).close()
        (secret,) = {each.value for each in cookies if each.name == "_xsrf"}
        data = urllib.parse.urlencode(login | {"_xsrf": secret}).encode()
        browser.open(form, data, timeout=PATIENCE).close()

    def request(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request and return what is answered."""
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"token {self.token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read() or b"null")

    def take_part(self) -> None:
        """Start a server, run the lessons, and answer their exercises."""
        begin = time.monotonic()

        def note(what: str) -> None:
            self.seconds.setdefault(what, round(time.monotonic() - begin, 1))

        self.request("POST", f"/hub/api/users/{self.name}/server", {})
        while not self.is_served():
            time.sleep(1)
        note("server")
        for lesson in LESSONS:
            with self.kernel(lesson) as kernel:
                self.run_lesson(kernel, lesson)
                for source, wanted in stored_answers(lesson):
                    self.compare(kernel.run(source), wanted)
                    if "not yet" in wanted:
                        note("finding")
            note(lesson)

    def is_served(self) -> bool:
        """Return whether the student's own server answers."""
        servers = self.request("GET", f"/hub/api/users/{self.name}")["servers"]
        return bool(servers.get("", {}).get("ready"))

    @contextmanager
    def kernel(self, lesson: str) -> Iterator["Kernel"]:
        """Start the kernel of a lesson, and leave it running, as JupyterLab does."""
        path = f"lessons/notebooks/{lesson}.ipynb"
        told = {"path": path, "name": lesson, "type": "notebook", "kernel": {"name": "python3"}}
        session = self.request("POST", f"/user/{self.name}/api/sessions", told)
        address = self.address.replace("http", "ws", 1)
        channels = f"{address}/user/{self.name}/api/kernels/{session['kernel']['id']}/channels"
        connection = websocket.create_connection(
            channels, header=[f"Authorization: token {self.token}"], timeout=PATIENCE
        )
        try:
            yield Kernel(connection)
        finally:
            connection.close()

    def run_lesson(self, kernel: "Kernel", lesson: str) -> None:
        """Run the cells of the lesson that the student was given, its checks included."""
        path = f"/user/{self.name}/api/contents/lessons/notebooks/{lesson}.ipynb"
        for cell in self.request("GET", path)["content"]["cells"]:
            if cell["cell_type"] == "code":
                said = kernel.run(cell["source"])
                self.cells += 1
                if re.search(r"\bex\.\w+\.check\(\w+\)$", cell["source"]):
                    self.compare(said, stored_verdict(cell))
                elif said.startswith("error: "):
                    self.false.append(f"{lesson}: {said}")

    def compare(self, said: str, wanted: str) -> None:
        """Count a verdict, and keep it if it is another one than is wanted."""
        self.verdicts += 1
        if not said.startswith(wanted):
            self.false.append(f"wanted {wanted}, but: {said[:300]}")


class Kernel:
    """A kernel at the other end of a connection."""

    def __init__(self, connection: websocket.WebSocket) -> None:
        self.connection = connection

    def run(self, source: str) -> str:
        """Run a cell and return what it displayed last, or `error: ` and the error."""
        asked = secrets.token_hex(16)
        header = {"msg_id": asked, "msg_type": "execute_request", "username": "", "session": asked}
        header |= {"version": "5.3", "date": "2026-01-01T00:00:00Z"}
        content = {"code": source, "silent": False, "store_history": True, "allow_stdin": False}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content}
        self.connection.send(json.dumps(message | {"channel": "shell", "buffers": []}))
        said = ""
        while True:
            answer = json.loads(self.connection.recv())
            content = answer.get("content", {})
            if answer.get("parent_header", {}).get("msg_id") != asked:
                continue
            if content.get("execution_state") == "idle":
                return said
            if answer["msg_type"] == "execute_result":
                said = content["data"]["text/plain"]
            elif answer["msg_type"] == "error":
                said = f"error: {content['ename']}: {content['evalue']}"


def stored_verdict(cell: dict[str, Any]) -> str:
    """Return how the verdict begins that is stored with a cell."""
    (output,) = cell["outputs"]
    return str(output["data"]["text/plain"]).partition("\n")[0]


def stored_answers(lesson: str) -> Iterator[tuple[str, str]]:
    """Yield cells with the answers that the pages have of a lesson, and how each verdict begins."""
    exercises = json.loads((ROOT / f"docs/choices/{lesson}.json").read_text("utf-8"))
    for name, exercise in exercises.items():
        # What has passed stays so in the journal, and the right ones come last.
        for answer in sorted(exercise["answers"], key=lambda answer: bool(answer["passes"])):
            state = "passed" if answer["passes"] else f"not yet  [{CODE.search(answer['said'])[1]}]"  # type: ignore[index]  # a finding has its code
            yield f"{answer['source']}\n\n\nex.{name}.check({name})", f"{name}: {state}"


def memory(process: psutil.Process) -> dict[str, dict[str, list[float]]]:
    """Return the memory of each student's server and kernels, in MB, shared pages divided."""
    used: dict[str, dict[str, list[float]]] = {}
    for child in process.children(recursive=True):
        try:
            name = child.environ().get("JUPYTERHUB_USER")
            kind = "kernels" if "ipykernel_launcher" in " ".join(child.cmdline()) else "server"
            size = round(child.memory_full_info().pss / 1e6, 1)
        except psutil.Error:
            continue
        if name:
            used.setdefault(name, {}).setdefault(kind, []).append(size)
    return used


def teach(count: int) -> dict[str, Any]:
    """Let `count` students work at once, and return the record of it."""
    folder, password = FOLDER / f"class-{time.time_ns()}", secrets.token_hex(8)
    load, available = os.getloadavg()[0], psutil.virtual_memory().available
    with hub(folder, password) as (address, process):
        names = [f"student-{number:02}" for number in range(1, count + 1)]
        students = [Student(name, address, password) for name in names]
        errors: list[str] = []

        def work(student: Student) -> None:
            try:
                student.take_part()
            except Exception as error:
                errors.append(f"{student.name}: {type(error).__name__}: {error}")

        threads = [threading.Thread(target=work, args=(each,)) for each in students]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        used = memory(process)
    if errors:
        raise SystemExit("\n".join([*errors, f"{folder / 'log'} has the log"]))
    journals = sorted((folder / "journals").glob("*.jsonl"))
    command = [sys.executable, "-m", "traced.command", "progress", *journals]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {
        "students": [
            {"seconds": each.seconds, "cells": each.cells, "verdicts": each.verdicts}
            | {"false": each.false, "memory": used.get(each.name, {})}
            for each in students
        ],
        "progress": told.splitlines(),
        "versions": {name: version(name) for name in ("jax", "flax", "jupyterlab")}
        | {"python": platform.python_version()},
        "machine": {
            "cores": os.cpu_count(),
            "load": round(load, 1),
            "available": round(available / 1e9, 1),
        },
    }


def row(record: dict[str, Any]) -> str:
    """Return what the page says of a record."""
    students = record["students"]

    def middle(*keys: str) -> str:
        values = []
        for each in students:
            for key in keys:
                each = each[key]
            values.append(sum(each) if isinstance(each, list) else each)
        return f"{median(values):.0f}"

    false = sum(len(each["false"]) for each in students)
    cells = [
        str(len(students)),
        f"{record['machine']['cores']} ({record['machine']['load']})",
        middle("memory", "server"),
        middle("memory", "kernels"),
        middle("seconds", "server"),
        middle("seconds", "finding"),
        middle("seconds", LESSONS[-1]),
        str(sum(each["verdicts"] for each in students)),
        str(false),
    ]
    return f"| {' | '.join(cells)} |"


HEAD = """| students | cores (load before) | server, MB | two kernels, MB | to the server, s | to the first finding, s | to the end, s | verdicts | false ones |
|---|---|---|---|---|---|---|---|---|
"""  # noqa: E501  # a table has no shorter rows


def table() -> str:
    """Return the table of all records."""
    records = [json.loads(path.read_text("utf-8")) for path in sorted(RECORDS.glob("*.json"))]
    return HEAD + "\n".join(row(each) for each in records)


def main(count: str = "20") -> None:
    """Teach a class of `count` students, store the record, and write the page's table anew."""
    record = teach(int(count))
    RECORDS.mkdir(exist_ok=True)
    path = RECORDS / f"{int(count):02}-students-jax-{record['versions']['jax']}.json"
    path.write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    PAGE.write_text(TABLE.sub(lambda _: table(), PAGE.read_text("utf-8")), "utf-8")
    print(f"stored {path.relative_to(ROOT)}\n{table()}")
    if any(each["false"] for each in record["students"]):
        raise SystemExit("there were false verdicts: the record has them")


if __name__ == "__main__":
    main(*sys.argv[1:])
