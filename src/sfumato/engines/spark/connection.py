"""A session of Spark whose settings are ours: a cluster's own (spark://), or one behind Spark Connect (sc://).

What Spark says of a failure may hold a cell, so it is written nowhere: every failure is one error. A process has one
driver, which whoever connects shares, each with views and settings of their own; the last to leave stops it.
"""

import logging
import os
import shutil
import socket
import threading
import uuid
import warnings
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sfumato.core.libraries import library
from sfumato.errors import EngineFailed, InvalidDeclaration, Unsupported

_FIXED = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timeZone": "UTC",  # a moment means the same on every machine
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.caseSensitive": "true",  # names of columns may differ in case alone
    "spark.sql.variable.substitute": "false",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.ansi.doubleQuotedIdentifiers": "false",
    "spark.sql.autoBroadcastJoinThreshold": "-1",  # no side of a join is ever held by one machine
    "spark.sql.adaptive.autoBroadcastJoinThreshold": "-1",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",  # else a day before 1582 may fail
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.legacy.bucketedTableScan.outputOrdering": "true",  # rows of a person stand together in copies of ours
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.execution.arrow.pyspark.fallback.enabled": "false",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",  # else what a cell is decides the type of all
    "spark.sql.decimalOperations.allowPrecisionLoss": "true",
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.files.ignoreCorruptFiles": "false",
}
"""What every session is set to, whatever the cluster has."""
_DRIVER = {
    "spark.app.name": "sfumato",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.port.maxRetries": "64",
}
"""What a driver of our own starts with."""
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_PORTS = {"spark": 7077, "sc": 15002}
_AGAIN = 0.2
_LOUD = "SQLQueryContextLogger"
"""PySpark's own log of failed statements, which holds their cells."""
_FAILED = "the engine did not finish; the charge stays"


class ClusterSession:
    """A session, until it is closed."""

    def __init__(self, spark: Any, driver: "_Driver | None" = None) -> None:
        self.spark, self._driver = spark, driver
        for name, value in _FIXED.items():
            spark.conf.set(name, value)

    @property
    def is_ours(self) -> bool:
        """Whether the driver is in this process."""
        return self._driver is not None

    @contextmanager
    def tagged(self, tag: str) -> Generator[None]:
        """What this thread asks inside can be ended by its tag."""
        # the tags of a driver's own sessions are known to one thread alone, and those of its context to all
        if self._driver is None:
            self.spark.addTag(tag)
        else:
            self.spark.sparkContext.addJobTag(tag)
            self.spark.sparkContext.setInterruptOnCancel(True)
        try:
            yield
        finally:
            (self.spark.removeTag if self._driver is None else self.spark.sparkContext.removeJobTag)(tag)

    def end(self, tag: str) -> None:
        """End what is under way with a tag, from any thread."""
        if self._driver is None:
            self.spark.interruptTag(tag)
        else:
            self.spark.sparkContext.cancelJobsWithTag(tag)

    def close(self) -> None:
        """End the session; the last one of this process ends the driver."""
        with suppress(Exception):
            if self._driver is not None:
                self._driver.leave()
            else:
                self.spark.stop()


class _Driver:
    """The one driver of this process, and how many sessions it has."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._first: Any = None
        self._url, self._sessions = "", 0

    def session(self, url: str, settings: Mapping[str, str]) -> ClusterSession:
        """A session of its own on the driver, which is started if there is none."""
        pyspark, module = library("pyspark", "reading spark://"), library("pyspark.sql", "reading spark://")
        with self._lock:
            if not self._sessions and pyspark.SparkContext._active_spark_context is not None:
                raise InvalidDeclaration("this program has a driver of Spark already", hint="stop it before")
            if self._sessions and self._url != url:
                raise InvalidDeclaration(
                    "this program is connected to another cluster already", hint="one program asks one cluster"
                )
            if not self._sessions:
                builder = module.SparkSession.builder.master(url)
                for name, value in {**_FIXED, **_DRIVER, **_binding(url), **settings}.items():
                    builder = builder.config(name, value)
                self._first, self._url = builder.getOrCreate(), url
            made = ClusterSession(self._first.newSession(), self)
            self._sessions += 1
            return made

    def leave(self) -> None:
        """One session less."""
        with self._lock:
            self._sessions -= 1
            if not self._sessions:
                self._first.stop()
                self._first = None


_DRIVER_OF_PROCESS = _Driver()


def connected(url: str, *, settings: Mapping[str, str] | None = None) -> ClusterSession:
    """A session on a cluster; `settings` are those of the driver, which the first session of a process decides."""
    scheme = url.partition("://")[0]
    if scheme not in _PORTS:
        raise InvalidDeclaration(f"Spark is not at {scheme}://", hint="spark://host:7077, or sc://host:15002")
    library("pyspark", f"reading {scheme}://")
    library("pyarrow", f"reading {scheme}://")
    if scheme == "spark":
        _check_java()
    _check_answers(url)
    with quiet():
        try:
            if scheme == "spark":
                return _DRIVER_OF_PROCESS.session(url, settings or {})
            remote = library("pyspark.sql.connect.session", "reading sc://").SparkSession
            return ClusterSession(remote.builder.remote(url).create())
        except InvalidDeclaration:
            raise
        except Exception:
            raise InvalidDeclaration(
                f"there is no Spark at {scheme}://, or none that takes this session",
                hint="is the cluster up, and of the same version as the library? pip show pyspark",
            ) from None


def fetch(session: ClusterSession, text: str, seconds: float) -> dict[str, list[Any]]:
    """The columns that a statement finds; it is ended when the time is over, and whatever fails is one error."""
    tag, done = f"sfumato-{uuid.uuid4().hex}", threading.Event()

    def end() -> None:
        """Ends it again and again: a statement is several jobs, and the next may not have begun."""
        if done.wait(seconds):
            return
        while not done.is_set():
            with suppress(Exception):
                session.end(tag)
            done.wait(_AGAIN)

    watch = threading.Thread(target=end, daemon=True)
    watch.start()
    try:
        with quiet(), session.tagged(tag):
            found = session.spark.sql(text).toArrow()
        return {name: column.to_pylist() for name, column in zip(found.column_names, found.columns, strict=True)}
    except Exception:
        raise EngineFailed(_FAILED, hint="ask the owner") from None
    except BaseException:  # somebody ends the program: what is under way ends too
        with suppress(Exception):
            session.end(tag)
        raise
    finally:
        done.set()
        watch.join()


@contextmanager
def quiet() -> Generator[None]:
    """Nothing of what fails is logged, and warnings about versions of others are not ours to give."""
    pyspark_logger = library("pyspark.logger", "reading Spark").PySparkLogger
    pyspark_logger.getLogger(_LOUD).setLevel(logging.CRITICAL + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME", "")
    if not (home and (Path(home) / "bin" / "java").exists()) and shutil.which("java") is None:
        raise Unsupported(
            "spark:// needs Java 17 or newer, which is not found",
            hint="apt-get install openjdk-17-jre-headless, or set JAVA_HOME; sc:// needs none",
        )


def _check_answers(url: str) -> None:
    """Refuse an address at which nobody listens: Spark itself would try for minutes."""
    scheme, _, rest = url.partition("://")
    first = rest.partition("/")[0].partition(",")[0].rpartition("@")[2]
    host, _, port = first.rpartition(":") if first.rpartition(":")[2].isdigit() else (first, "", "")
    try:
        socket.create_connection((host.strip("[]"), int(port or _PORTS[scheme])), timeout=10).close()
    except OSError:
        raise InvalidDeclaration(
            f"nothing answers at {scheme}://{first}", hint="is the cluster up, and can it be reached from here?"
        ) from None


def _binding(url: str) -> dict[str, str]:
    """On one machine the driver listens on that machine alone."""
    if not any(f"://{name}:" in url for name in _LOOPBACK):
        return {}
    return {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
