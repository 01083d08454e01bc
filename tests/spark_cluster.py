"""A real cluster of Spark on this machine alone, once a test session: a master, two workers, and Spark Connect if asked.

Processes of one test session share it: the first starts it, and the last to leave ends it. It is ready when the master
says that both workers are alive.
"""

import atexit
import fcntl
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

LOOPBACK, WORKERS = "127.0.0.1", 2
CORES, MEMORY = "3", "3g"
"""Of a worker, on paper: room for an executor each of two test processes and of Spark Connect, all on one real core."""
MASTER, WORKER = "org.apache.spark.deploy.master.Master", "org.apache.spark.deploy.worker.Worker"
CONNECT = ("org.apache.spark.deploy.SparkSubmit", "org.apache.spark.sql.connect.service.SparkConnectServer")
PATIENCE = 90.0
DRIVER = {
    "spark.driver.memory": "1g",
    "spark.executor.memory": "768m",
    "spark.cores.max": "2",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # what starts soon runs soon
}
"""What a driver on this cluster is started with."""


def spark_address() -> str:
    """The address of the cluster, which is started if this session has none yet."""
    with _state() as state:
        _join(state)
        if "master" not in state:
            _start_cluster(state)
        return f"spark://{LOOPBACK}:{state['master']}"


def connected() -> Any:
    """A session on the cluster; the driver of this process stays for those that follow."""
    from sfumato.engines.spark.connection import connected as opened

    if not _KEPT:
        _KEPT.append(opened(spark_address(), settings=DRIVER))
        atexit.register(lambda: _KEPT.pop().close())
    return opened(spark_address())


def connect_address() -> str:
    """The address of Spark Connect on the cluster, likewise."""
    address = spark_address()
    with _state() as state:
        if "connect" not in state:
            _start_connect(state, address)
        return f"sc://{LOOPBACK}:{state['connect']}"


def worker_pid() -> int:
    """One of the two workers, by its number: to be killed."""
    with _state() as state:
        return int(state["processes"][1])


def mend() -> None:
    """As many workers as before, after one was killed."""
    with _state() as state:
        there = [each for each in state["processes"] if _is_running(each)]
        missing, state["processes"] = len(state["processes"]) - len(there), there
        for number in range(missing):
            _start_worker(state, f"again{number}-{os.getpid()}", int(state["master"]))
        _wait(lambda: _alive(int(state["page"])) == WORKERS, state, "master", of=missing)


# ---- what processes share ----


def _folder() -> Path:
    """One folder for all processes of a test session."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or f"alone-{os.getpid()}"
    made = Path(tempfile.gettempdir()) / f"sfumato-spark-{os.getuid()}-{run}"
    made.mkdir(mode=0o700, exist_ok=True)
    return made


@contextmanager
def _state() -> Iterator[dict[str, Any]]:
    """What is known of the cluster, by one process at a time."""
    folder = _folder()
    with (folder / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        file = folder / "state.json"
        state: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {"members": [], "processes": []}
        try:
            yield state
        finally:
            file.write_text(json.dumps(state))


def _join(state: dict[str, Any]) -> None:
    if os.getpid() not in state["members"]:
        state["members"].append(os.getpid())
        atexit.register(_leave, os.getpid())


def _leave(member: int) -> None:
    if os.getpid() != member:  # a process that was forked later is no member
        return
    with _state() as state:
        state["members"] = [each for each in state["members"] if each != member and _is_there(each)]
        last = not state["members"]
        if last:
            _end(state["processes"])
    if last:
        shutil.rmtree(_folder(), ignore_errors=True)


def _is_there(process: int) -> bool:
    return Path(f"/proc/{process}").exists()


def _end(processes: list[int]) -> None:
    """Ends what was started here, the last first, by their numbers."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        for process in reversed(processes):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process, sign)
        until = time.monotonic() + 10
        while any(_is_running(process) for process in processes) and time.monotonic() < until:
            time.sleep(0.05)


def _is_running(process: int) -> bool:
    """Whether it is there, and not only waited for."""
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


# ---- what is started ----


def _start_cluster(state: dict[str, Any]) -> None:
    port, page = _free(), _free()
    _spawn(state, "master", [MASTER, "--host", LOOPBACK, "--port", str(port), "--webui-port", str(page)])
    _wait(lambda: _listens(port) and _alive(page) is not None, state, "master")
    for number in range(WORKERS):
        _start_worker(state, f"worker{number}", port)
    _wait(lambda: _alive(page) == WORKERS, state, "worker0", of=1 + WORKERS)
    state["master"], state["page"] = port, page


def _start_worker(state: dict[str, Any], name: str, port: int) -> None:
    options = ["--host", LOOPBACK, "--cores", CORES, "--memory", MEMORY, "--work-dir", str(_folder() / f"work-{name}")]
    _spawn(state, name, [WORKER, *options, "--webui-port", "0", f"spark://{LOOPBACK}:{port}"])


def _start_connect(state: dict[str, Any], address: str) -> None:
    port = _free()
    settings = {
        **DRIVER,
        "spark.ui.enabled": "false",
        "spark.driver.host": LOOPBACK,
        "spark.driver.bindAddress": LOOPBACK,
        "spark.connect.grpc.binding.address": LOOPBACK,
        "spark.connect.grpc.binding.port": str(port),
        "spark.log.level": "OFF",
    }
    options = [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
    submit, server = CONNECT
    _spawn(state, "connect", [submit, "--master", address, *options, "--class", server, "spark-internal"], memory="1g")
    _wait(lambda: _listens(port), state, "connect")
    state["connect"] = port


def _spawn(state: dict[str, Any], name: str, words: list[str], *, memory: str = "256m") -> None:
    import pyspark

    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        raise RuntimeError("Spark's tests need Java: apt-get install openjdk-17-jre-headless")
    home = Path(pyspark.__file__).parent
    surroundings = {
        **{key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_"))},
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": LOOPBACK,
        "SPARK_DAEMON_MEMORY": memory,
        "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "SPARK_NO_DAEMONIZE": "1",
    }
    with (_folder() / f"{name}.log").open("wb") as log:
        started = subprocess.Popen(
            [str(home / "bin" / "spark-class"), *words],
            stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=surroundings, start_new_session=True, cwd=_folder(),
        )  # fmt: skip
    state["processes"].append(started.pid)
    _STARTED.append(started)


_KEPT: list[Any] = []
"""A session that nobody closes before the process ends."""
_STARTED: list["subprocess.Popen[bytes]"] = []
"""So that they are waited for by whoever started them."""


def _wait(ready: Callable[[], bool], state: dict[str, Any], name: str, *, of: int = 1) -> None:
    """Waits for the last processes that were started; if one of them ends, or the time is over, all of them end."""
    until = time.monotonic() + PATIENCE
    while not ready():
        if time.monotonic() > until or any(each.poll() is not None for each in _STARTED[-of:]):
            said = (_folder() / f"{name}.log").read_text(errors="replace")[-3000:]
            _end(state["processes"][-of:])
            del state["processes"][-of:], _STARTED[-of:]
            raise RuntimeError(f"Spark's {name} did not start:\n{said}")
        time.sleep(0.05)


def _alive(page: int) -> int | None:
    """How many workers the master calls alive; None if it does not answer."""
    with suppress(OSError, ValueError), urllib.request.urlopen(f"http://{LOOPBACK}:{page}/json/", timeout=5) as answer:
        return [worker["state"] for worker in json.load(answer)["workers"]].count("ALIVE")
    return None


def _listens(port: int) -> bool:
    with suppress(OSError), socket.create_connection((LOOPBACK, port), timeout=1):
        return True
    return False


def _free() -> int:
    with socket.socket() as made:
        made.bind((LOOPBACK, 0))
        return int(made.getsockname()[1])
