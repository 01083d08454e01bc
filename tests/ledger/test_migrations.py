"""Ledgers of every earlier schema open today: entries keep their hashes, and what they hold is read where it lies."""

import hashlib
import random
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from failing_disk import Disk, after_power_cut
from ledger_cases import START, Clock, ask, refusal, sha
from sfumato.accounting import events
from sfumato.errors import LedgerDamaged, LedgerMisuse, LedgerUnavailable
from sfumato.ledger import Answered, Budget, Ledger, PostgresLedger, Receipt, SqliteLedger
from sfumato.ledger.canon import canonical
from sfumato.ledger.schema import POSTGRES, SQLITE
from sfumato.ledger.sqlite import SqliteStore

HERE = Path(__file__).parent
VERSIONS = ("first", "second", "third")
RELEASE = {"n": 1, "name": "é", "list": [1.5, None, True]}


def anchor_in(file: Path) -> str:
    """The anchor that the first line of a kept ledger names."""
    return "sfumato-anchor-1 " + file.read_text(encoding="utf-8").split("anchor: ")[1].split("\n")[0]


def old_file(version: str, path: Path) -> str:
    """Write a ledger of an earlier version; its anchor."""
    kept = HERE / f"{version}_version.sql"
    old = sqlite3.connect(path, isolation_level=None)
    old.executescript(kept.read_text(encoding="utf-8"))
    old.close()
    path.chmod(0o600)
    return anchor_in(kept)


@pytest.fixture(params=["second sqlite", "third sqlite", "second postgres", "third postgres"])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Ledger, str]]:
    """A ledger of an earlier version, opened today, and its anchor."""
    version, store = request.param.split()
    clock = Clock()
    clock.now = START + 7200 * 10**9
    if store == "sqlite":
        anchor = old_file(version, tmp_path / "old.ledger")
        with SqliteLedger(tmp_path / "old.ledger", anchor=anchor, clock=clock) as ledger:
            yield ledger, anchor
        return
    import psycopg

    dsn, kept = request.getfixturevalue("postgres"), HERE / f"{version}_version.postgres.sql"
    with psycopg.connect(dsn, autocommit=True) as raw:
        raw.execute("DROP SCHEMA IF EXISTS ledger CASCADE")
        raw.execute(kept.read_text(encoding="utf-8").encode())
    with PostgresLedger(dsn, anchor=anchor_in(kept), clock=clock) as ledger:
        yield ledger, anchor_in(kept)


def cost(epsilon: str) -> events.Laplace:
    return events.Laplace(Fraction(epsilon))


def test_the_chain_of_an_old_ledger_still_verifies(old: tuple[Ledger, str]) -> None:
    ledger, anchor = old
    assert ledger.verify(anchor) == anchor == ledger.anchor()
    kinds = [entry.body["kind"] for entry in ledger.entries()]
    assert {"settle", "share", "lose", "refund", "unlock", "ask", "restore"} <= set(kinds)
    assert ledger.balances("visits")[0].spent == Fraction(3, 2)
    assert ledger.failures("visits", "ada") == 1
    assert ledger.groups_of("visits") == ()


def test_an_old_release_is_read_from_its_entry(old: tuple[Ledger, str]) -> None:
    ledger, _ = old
    answer = ask(ledger, "settled", event=cost("0.1"))
    assert isinstance(answer, Answered)
    text = canonical(RELEASE)
    assert (answer.release, answer.sha256, answer.size) == (RELEASE, sha(text), len(text.encode()))
    assert b"".join(ledger.stream(answer.sequence)) == text.encode()
    receipts = {
        entry.body["key"]: Receipt(entry.sequence, entry.head, "visits", "ada", entry.body["time"])
        for entry in ledger.entries()
        if entry.body["kind"] == "reserve"
    }
    assert ledger.settle(receipts["settled"], RELEASE) == answer  # type: ignore[arg-type]
    with pytest.raises(LedgerMisuse, match="settled with another answer"):
        ledger.settle(receipts["settled"], {"n": 2})
    opened = ledger.settle(receipts["open"], {"n": 5})
    assert "release" not in list(ledger.entries())[-1].body, "new entries have the new form"
    assert b"".join(ledger.stream(opened.sequence)) == b'{"n":5}'
    ledger.verify()


def test_an_old_ledger_goes_on_with_everything_new(old: tuple[Ledger, str]) -> None:
    ledger, anchor = old
    ledger.group("people", Budget.pure(epsilon="2"))
    ledger.join("visits", "people")
    assert [each.spent for each in ledger.balances("visits") if each.group] == [Fraction(3, 2)]
    assert refusal(ask(ledger, "dear", event=cost("0.7"))) == "budget"
    ledger.settle(ask(ledger, "new", event=cost("0.5")), {"n": 2})  # type: ignore[arg-type]
    ledger.approve(dataset="visits", principal="ada", request_hash=sha("q"), note="yes")
    assert ledger.registered("visits", data_version="v1", digest="d") == ledger.registered(
        "visits", data_version="v1", digest="d"
    )
    about = {"unit": "users.id", "declaration": {"tables": {"users": {}}}, "data_version": "v1"}
    before = ledger.declared("visits")
    if before is not None:
        assert ledger.declare("visits", **about) == before["sequence"], "what nobody said is what it was"  # type: ignore[arg-type]
    said = ledger.declare("visits", **about, neighbours="add or remove one person")  # type: ignore[arg-type]
    assert said == int(ledger.anchor().split()[2])
    with pytest.raises(LedgerMisuse, match="and not replace one person"):
        ledger.declare("visits", **about, neighbours="replace one person")  # type: ignore[arg-type]
    assert ledger.verify() == ledger.anchor() != anchor
    with pytest.raises(LedgerDamaged, match="is not the one that was anchored"):
        ledger.verify(anchor.replace(anchor[-8:], "0" * 8))


def test_an_old_dataset_that_others_replace_is_refused(tmp_path: Path) -> None:
    """An entry without neighbours meant that one is added or removed."""
    old_file("third", tmp_path / "old.ledger")
    with SqliteLedger(tmp_path / "old.ledger") as ledger, pytest.raises(LedgerMisuse) as refused:
        ledger.declare("visits", unit="users.id", declaration={}, data_version="v1", neighbours="replace one person")
    assert refused.value.problem == "neighbours of dataset `visits` add or remove one, and not replace one person"


def test_a_ledger_without_a_secret_never_shows_what_was_registered(tmp_path: Path) -> None:
    """The first version wrote none; names that are good for once confirm no guess, and say no two data the same."""
    old_file("first", tmp_path / "old.ledger")
    with SqliteLedger(tmp_path / "old.ledger") as ledger:
        first, again = (ledger.registered("visits", data_version="v1", digest="d") for _ in range(2))
        assert first < again
        ledger.verify()


@pytest.mark.parametrize("version", VERSIONS)
def test_a_file_has_today_s_tables_after_it_was_opened(version: str, tmp_path: Path) -> None:
    path = tmp_path / "old.ledger"
    anchor = old_file(version, path)
    for _ in range(2):
        with SqliteLedger(path, anchor=anchor) as ledger:
            ledger.verify(anchor)
    raw = sqlite3.connect(path)
    assert raw.execute("PRAGMA user_version").fetchone() == (len(SQLITE),)
    assert raw.execute("SELECT count(*) FROM releases").fetchone() == (0,), "old releases stay in their entries"
    raw.close()


@pytest.mark.parametrize("version", VERSIONS)
def test_several_processes_may_open_an_old_ledger_at_once(version: str, tmp_path: Path) -> None:
    path = tmp_path / "old.ledger"
    anchor = old_file(version, path)
    found: list[str] = []

    def opened() -> None:
        with SqliteLedger(path) as ledger:
            found.append(ledger.verify())

    threads = [threading.Thread(target=opened) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [anchor] * 4


@pytest.mark.parametrize("done", range(len(SQLITE[3]) + 1))
def test_a_migration_that_fails_half_way_changes_nothing(tmp_path: Path, done: int) -> None:
    path = tmp_path / "old.ledger"
    anchor = old_file("third", path)
    with pytest.raises(LedgerUnavailable, match="could not be opened"):
        SqliteStore(path, patience=1, steps=(*SQLITE[:3], [*SQLITE[3][:done], "nonsense"]))
    raw = sqlite3.connect(path)
    assert raw.execute("PRAGMA user_version").fetchone() == (3,)
    assert raw.execute("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'releases%'").fetchone() == (0,)
    raw.close()
    with SqliteLedger(path) as ledger:
        assert ledger.verify() == anchor


def test_a_postgres_migration_that_fails_half_way_changes_nothing(postgres: str) -> None:
    import psycopg

    from sfumato.ledger.postgres import PostgresStore

    kept = HERE / "third_version.postgres.sql"
    with psycopg.connect(postgres, autocommit=True) as raw:
        raw.execute("DROP SCHEMA IF EXISTS ledger CASCADE")
        raw.execute(kept.read_text(encoding="utf-8").encode())
    for done in range(len(POSTGRES[3]) + 1):
        with pytest.raises(LedgerUnavailable, match="could not be opened"):
            PostgresStore(postgres, schema="ledger", patience=1, steps=(*POSTGRES[:3], [*POSTGRES[3][:done], "x"]))
    with PostgresLedger(postgres) as ledger:
        assert ledger.verify() == anchor_in(kept)


@pytest.mark.slow
def test_no_power_cut_during_a_migration_loses_anything(tmp_path: Path) -> None:
    """Whenever the power goes while an old ledger is opened: afterwards it opens, and all of it is there."""
    path = tmp_path / "disk" / "spending.ledger"
    path.parent.mkdir()
    anchor = old_file("third", path)
    before = path.read_bytes()
    disk = Disk(path.parent)
    Ledger(disk.store()).close()
    disk.close()
    chance, copy = random.Random(20261117), tmp_path / "copy"
    assert len(disk.operations) > 10
    for moment in range(len(disk.operations) + 1):
        for _ in range(8):
            shutil.rmtree(copy, ignore_errors=True)
            copy.mkdir()
            files = after_power_cut(disk.operations[:moment], chance, {path.name: before})
            for name, content in files.items():
                (copy / name).write_bytes(content)
                (copy / name).chmod(0o600)
            with SqliteLedger(copy / path.name) as ledger:
                assert ledger.verify() == anchor


@pytest.mark.parametrize(
    ("steps", "digests"),
    [
        (
            SQLITE,
            [
                "f4bac0f2fe2ca228489da0cc9ad25e14267c927fbb6766d650aad3ee2984244c",
                "96c1c7167807203aae074bee8e336d95998aba100316c38c986ec574ada042ce",
                "b0cf3b9759f187663169eb5b75ab02673f4292c37b6f3f1900f67736ab8093ea",
                "1d5986a718fa870bb12ea911bd82a409f6bd1c02400ea2c0973a44090ab19171",
            ],
        ),
        (
            POSTGRES,
            [
                "c336e3075c6eb5e357ef9a662aef5ca6fe82e1c8c836f883b69d7e0137c36835",
                "67d381f70e6e6d8dd85b4f65a14126d90b60c95a7515f7b1eb7845c5301061d4",
                "8ad076d9e5954838edab71ebb23042b2b46592842120d9fd696a2f2c806b80e7",
                "39d6df569060d1cb121f671c5c987849fc7dac475707a20a8e5d343c7dfb4370",
            ],
        ),
    ],
)
def test_no_step_that_ledgers_took_ever_changes(steps: tuple[list[str], ...], digests: list[str]) -> None:
    """Ledgers that took a step do not take it again: what is to be different is a new step."""
    assert [hashlib.sha256("\n".join(step).encode()).hexdigest() for step in steps] == digests
