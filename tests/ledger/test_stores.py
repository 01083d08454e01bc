"""What is particular to a store: files, permissions, migrations, forks, failures, servers."""

import hashlib
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from ledger_cases import Opener, ask, charge, spent, stocked
from sfumato.errors import LedgerMisuse, LedgerUnavailable, MissingExtra
from sfumato.ledger import Ledger, PostgresLedger, SqliteLedger, schema
from sfumato.ledger import postgres as postgres_module
from sfumato.ledger.postgres import PostgresStore
from sfumato.ledger.schema import POSTGRES, SQLITE
from sfumato.ledger.sqlite import SqliteStore, connect
from sfumato.ledger.store import Transaction

FIRST_VERSION = Path(__file__).parent / "first_version.sql"


# ---- files ------------------------------------------------------------------------------------------------------


def test_the_file_belongs_to_its_owner_alone(sqlite_opener: Opener) -> None:
    stocked(sqlite_opener())
    for path in sqlite_opener.path.parent.iterdir():
        assert path.stat().st_mode & 0o777 == 0o600, path.name


def test_a_file_that_others_can_open_is_refused(sqlite_opener: Opener) -> None:
    stocked(sqlite_opener()).close()
    sqlite_opener.path.chmod(0o640)
    with pytest.raises(LedgerUnavailable, match=r"can be opened by others \(mode 640\)"):
        sqlite_opener()


def test_every_commit_waits_for_the_disk(sqlite_opener: Opener) -> None:
    store = stocked(sqlite_opener())._store
    assert isinstance(store, SqliteStore)
    settings = {
        name: next(iter(store._writer.execute(f"PRAGMA {name}")))[0]  # type: ignore[union-attr]
        for name in ("journal_mode", "synchronous", "foreign_keys")
    }
    assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ("missing/ledger", "no such file"),
        (".", "not a file"),
        ("other.db", "not a ledger"),
        ("text", "could not be opened"),
    ],
)
def test_what_is_not_a_ledger_is_refused(tmp_path: Path, place: str, problem: str) -> None:
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE people (name TEXT)")
    other.close()
    (tmp_path / "text").write_text("not a database, and longer than the header of one " * 20)
    for name in ("other.db", "text"):
        (tmp_path / name).chmod(0o600)
    with pytest.raises(LedgerUnavailable, match=problem):
        SqliteLedger(tmp_path / place)


def test_a_file_system_without_a_write_ahead_log_is_refused(tmp_path: Path) -> None:
    class Old:
        def __init__(self, path: Path) -> None:
            self._raw = sqlite3.connect(path, isolation_level=None)

        def execute(self, sql: str, parameters: Any = ()) -> Any:
            return [("delete",)] if "journal_mode" in sql else self._raw.execute(sql, parameters)

        def close(self) -> None:
            self._raw.close()

    with pytest.raises(LedgerUnavailable, match="write-ahead"):
        SqliteStore(tmp_path / "ledger", patience=1, connect=lambda path, _: Old(path))  # type: ignore[arg-type,return-value]


def test_a_writer_that_waited_long_enough_is_told_so(sqlite_opener: Opener) -> None:
    ledger = stocked(sqlite_opener())
    impatient = SqliteLedger(sqlite_opener.path, patience=0.01)
    held = sqlite3.connect(sqlite_opener.path, isolation_level=None)
    held.execute("BEGIN IMMEDIATE")
    with pytest.raises(LedgerUnavailable, match="another process holds it"):
        ask(impatient)
    held.execute("ROLLBACK")
    held.close()
    charge(impatient)
    impatient.close()
    assert spent(ledger) == Fraction(1, 10)


def test_a_reader_that_fails_says_so(sqlite_opener: Opener) -> None:
    ledger = stocked(sqlite_opener())
    sqlite_opener.unlock_entries()
    sqlite_opener.execute("DROP TABLE closed_keys")
    with pytest.raises(LedgerUnavailable, match="could not be read"):
        ledger.verify()


# ---- migrations ---------------------------------------------------------------------------------------------------


def test_a_ledger_of_the_first_version_opens_today(tmp_path: Path) -> None:
    """The file was written by the first version and never changes."""
    path = tmp_path / "old.ledger"
    old = sqlite3.connect(path, isolation_level=None)
    old.executescript(FIRST_VERSION.read_text())
    old.close()
    path.chmod(0o600)
    with SqliteLedger(path) as ledger:
        ledger.verify("sfumato-anchor-1 " + FIRST_VERSION.read_text().split("anchor: ")[1].split("\n")[0])
        assert spent(ledger) == Fraction(2, 10)
        charge(ledger, "new")


@pytest.mark.parametrize(
    ("made", "kept", "digest"),
    [
        (schema._sqlite, SQLITE, "f4bac0f2fe2ca228489da0cc9ad25e14267c927fbb6766d650aad3ee2984244c"),
        (schema._postgres, POSTGRES, "c336e3075c6eb5e357ef9a662aef5ca6fe82e1c8c836f883b69d7e0137c36835"),
    ],
)
def test_a_step_that_was_released_never_changes(
    made: Callable[[str], list[str]], kept: tuple[list[str], ...], digest: str
) -> None:
    """Ledgers that took it do not take it again: what is to be different is a new step."""
    assert made(schema._TABLES) == kept[0][: len(made(schema._TABLES))]
    assert hashlib.sha256("\n".join(kept[0]).encode()).hexdigest() == digest


@pytest.mark.parametrize(
    ("kept", "digest"),
    [
        (SQLITE, "96c1c7167807203aae074bee8e336d95998aba100316c38c986ec574ada042ce"),
        (POSTGRES, "67d381f70e6e6d8dd85b4f65a14126d90b60c95a7515f7b1eb7845c5301061d4"),
    ],
)
def test_the_second_step_never_changes_either(kept: tuple[list[str], ...], digest: str) -> None:
    assert hashlib.sha256("\n".join(kept[1]).encode()).hexdigest() == digest


STEP = ["CREATE TABLE remarks (text TEXT)"]


def test_steps_that_are_missing_are_applied_once(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    with SqliteLedger(path) as ledger:
        stocked(ledger)
    for _ in range(2):
        store = SqliteStore(path, patience=1, steps=(*SQLITE, STEP))
        with Ledger(store) as ledger:
            assert len(list(ledger.entries())) == 3
    with pytest.raises(LedgerUnavailable, match="schema version 5 and this program knows 4"):
        SqliteLedger(path)


def test_postgres_steps_that_are_missing_are_applied_once(postgres: str) -> None:
    with PostgresLedger(postgres, schema="moving") as ledger:
        stocked(ledger)
    for _ in range(2):
        with Ledger(PostgresStore(postgres, schema="moving", patience=1, steps=(*POSTGRES, STEP))) as ledger:
            assert len(list(ledger.entries())) == 3
    with pytest.raises(LedgerUnavailable, match="schema version 5 and this program knows 4"):
        PostgresLedger(postgres, schema="moving")


def test_a_step_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    with SqliteLedger(path) as ledger:
        stocked(ledger)
    with pytest.raises(LedgerUnavailable, match="could not be opened"):
        SqliteStore(path, patience=1, steps=(*SQLITE, [*STEP, "nonsense"]))
    with SqliteLedger(path) as ledger:
        assert len(list(ledger.entries())) == 3


# ---- PostgreSQL ---------------------------------------------------------------------------------------------------


def test_without_the_driver_postgres_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtra, match=r"sfumato\[postgres\]"):
        PostgresLedger("")


def test_the_driver_is_loaded_only_when_it_is_used() -> None:
    code = "import sys, sfumato.ledger; print('psycopg' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("schema", ["user", "select", "order", "table", "public"])
def test_a_schema_may_have_a_name_that_is_a_word_of_sql(postgres: str, schema: str) -> None:
    with PostgresLedger(postgres, schema=schema) as ledger:
        stocked(ledger)
        ledger.settle(charge(ledger), 1)
        ledger.verify()
        assert spent(ledger) == Fraction(1, 10)


def test_every_connection_asks_how_the_server_treats_its_disk(postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with PostgresLedger(postgres, schema="asked") as ledger:
        stocked(ledger)
        monkeypatch.setattr(postgres_module, "_DURABLE", ("fsync", "zero_damaged_pages"))  # which is off
        problem = (
            "runs with zero_damaged_pages=off and can lose what it has committed\n\nhint: set zero_damaged_pages=on"
        )
        with pytest.raises(LedgerUnavailable, match=problem):
            ledger.balances("visits")
        with pytest.raises(LedgerUnavailable, match=problem):
            PostgresLedger(postgres, schema="asked")


@pytest.mark.parametrize("setting", ["fsync", "full_page_writes"])
def test_a_server_that_does_not_wait_for_its_disk_is_refused(postgres: str, setting: str) -> None:
    import psycopg

    def turn(value: str) -> None:
        with psycopg.connect(postgres, autocommit=True) as owner:
            owner.execute(f"ALTER SYSTEM SET {setting} = {value}")
            owner.execute("SELECT pg_reload_conf()")
            while owner.execute(f"SHOW {setting}").fetchone() != (value,):
                time.sleep(0.005)

    with PostgresLedger(postgres, schema=f"lax_{setting}") as ledger:
        stocked(ledger)
        turn("off")
        try:
            with pytest.raises(LedgerUnavailable, match=f"runs with {setting}=off and can lose"):
                PostgresLedger(postgres, schema=f"lax_{setting}")
            with pytest.raises(LedgerUnavailable, match=f"set {setting}=on"):
                ledger.balances("visits")
        finally:
            turn("on")
        charge(ledger)


@pytest.mark.parametrize("schema", ["", "a b", "x; DROP TABLE y", "Ledger", "é", "pg_ledger", "x" * 64])
def test_a_schema_is_a_plain_name(schema: str) -> None:
    with pytest.raises(LedgerUnavailable, match="lower-case identifier"):
        PostgresLedger("", schema=schema)


def test_a_server_that_is_not_there_is_a_clean_refusal(tmp_path: Path) -> None:
    with pytest.raises(LedgerUnavailable, match="could not be opened") as error:
        PostgresLedger(f"host={tmp_path} user=ada password=secret")
    assert "secret" not in str(error.value)


def test_a_server_that_went_away_is_a_clean_refusal_and_then_comes_back(postgres: str) -> None:
    with PostgresLedger(postgres, schema="away") as ledger:
        stocked(ledger)
        store = ledger._store
        assert isinstance(store, PostgresStore)
        store._writer.close()  # type: ignore[union-attr]
        with pytest.raises(LedgerUnavailable, match="could not be written"):
            ask(ledger)
        charge(ledger)
        ledger.verify()


def test_a_postgres_writer_that_waited_long_enough_is_told_so(postgres: str) -> None:
    import psycopg

    with PostgresLedger(postgres, schema="held", patience=0.05) as ledger:
        stocked(ledger)
        with psycopg.connect(postgres) as other:
            other.execute("LOCK TABLE held.turnstile IN EXCLUSIVE MODE")
            with pytest.raises(LedgerUnavailable, match="another process holds it"):
                ask(ledger)
        charge(ledger)


def test_work_that_fails_by_serialisation_is_done_again(postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import psycopg

    with PostgresLedger(postgres, schema="again") as ledger:
        stocked(ledger)
        store, failures = ledger._store, [3]

        def work(run: Transaction, _: bool) -> str:
            if failures[0]:
                failures[0] -= 1
                raise psycopg.errors.SerializationFailure
            return next(iter(run.execute("SELECT current_setting('transaction_isolation')")))[0]  # type: ignore[no-any-return]

        assert store.write(work) == "serializable"
        monkeypatch.setattr(postgres_module, "_RETRIES", 2)
        failures[0] = 3
        with pytest.raises(LedgerUnavailable, match="could not be written"):
            store.write(work)


# ---- bugs do not cost the others anything -------------------------------------------------------------------------


@contextmanager
def nothing_written(ledger: Ledger) -> Iterator[None]:
    before = ledger.anchor()
    yield
    assert ledger.anchor() == before
    ledger.verify()


def test_a_bug_in_the_middle_of_a_batch_leaves_nothing_behind(opener: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = stocked(opener())
    charge(ledger, "before")

    def bug(*_: object) -> None:
        raise ZeroDivisionError

    with nothing_written(ledger), monkeypatch.context() as patched:
        patched.setattr("sfumato.ledger.stored.StoredState.flush", bug)
        with pytest.raises(ZeroDivisionError):
            ask(ledger, "q")
    charge(ledger, "q")


def test_the_tables_stop_a_charge_above_the_cap_even_if_the_ledger_would_not(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The broken twin: an account that forgets to look at its cap."""
    ledger = stocked(opener(), epsilon="0.1")
    charge(ledger, "q1")
    monkeypatch.setattr("sfumato.ledger.accounts.Account.keeps_its_cap", lambda _: True)
    with pytest.raises(LedgerUnavailable, match="nothing was acknowledged"):
        ask(ledger, "q2")
    assert spent(opener()) == Fraction(1, 10)


def test_many_holders_do_not_stay_in_memory(opener: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.ledger.stored._MOST_HOLDERS", 1)
    ledger = stocked(opener())
    for i in range(4):
        charge(ledger, f"q{i}", principal=("ada", "bob")[i % 2])
    ledger.verify()
    assert [spent(ledger, who) for who in ("", "ada", "bob")] == [Fraction(4, 10), Fraction(2, 10), Fraction(2, 10)]


def test_connections_of_the_standard_library_never_begin_by_themselves(tmp_path: Path) -> None:
    opening: Callable[[Path, float], Any] = connect
    (tmp_path / "x").touch()
    connection = opening(tmp_path / "x", 1.0)
    connection.execute("CREATE TABLE t (a)")
    connection.execute("INSERT INTO t VALUES (1)")
    assert not connection.in_transaction
    connection.close()


def test_a_file_that_was_removed_takes_no_charge(sqlite_opener: Opener) -> None:
    ledger = stocked(sqlite_opener())
    for name in ("", "-wal", "-shm"):
        sqlite_opener.path.with_name(sqlite_opener.path.name + name).unlink(missing_ok=True)
    with pytest.raises(LedgerUnavailable, match="could not be written"):
        charge(ledger)
    with pytest.raises(LedgerUnavailable):
        ledger.balances("visits")
    assert not sqlite_opener.path.exists()


def test_a_closed_ledger_takes_no_charge(opener: Opener) -> None:
    ledger = stocked(opener())
    ledger.close()
    with pytest.raises(LedgerMisuse, match="closed"):
        charge(ledger)
