"""Whatever is changed behind the ledger's back is found; an older copy put back is refused at the door."""

import shutil
import sqlite3
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from ledger_cases import Clock, Opener, ask, charge, forge, sha, spent, stocked
from sfumato.accounting import events
from sfumato.errors import InvalidParameter, LedgerDamaged, LedgerMisuse, LedgerRolledBack, LedgerUnavailable
from sfumato.ledger import Anchor, Budget, Ledger, Limits, Receipt
from sfumato.ledger.anchors import AnchorFile


def busy(ledger: Ledger) -> Ledger:
    """A ledger in which every kind of entry has happened."""
    ledger.register("visits", Limits(Budget.pure(epsilon="5"), day=Budget.zcdp(rho="4")))
    ledger.grant("visits", "ada", Budget.pure(epsilon="1"))
    ledger.grant("visits", "bob", Budget.rdp(epsilon="9", delta="1e-6"))
    ledger.settle(charge(ledger, "q1"), {"n": 1})
    ask(ledger, "q1", key="b", principal="bob")
    ledger.lose(charge(ledger, "q2"), reason="failed")
    ledger.refund(charge(ledger, "q3"), reason="not begun")
    charge(ledger, "q4", principal="bob")
    ledger.restore(reason="a drill", anchor=ledger.anchor(), lost={"visits": events.Laplace(Fraction(1, 10))})
    charge(ledger, "q5")
    return ledger


def test_an_untouched_ledger_verifies(opener: Opener) -> None:
    ledger = busy(opener())
    assert ledger.verify() == ledger.anchor()
    assert ledger.verify(ledger.anchor()) == ledger.anchor()
    kinds = {entry.body["kind"] for entry in ledger.entries()}
    assert kinds == {"register", "grant", "reserve", "share", "settle", "lose", "refund", "restore"}


def test_entries_cannot_be_changed_or_removed_by_ordinary_statements(opener: Opener) -> None:
    busy(opener())
    for statement in ("UPDATE entries SET body = '{}' WHERE sequence = 4", "DELETE FROM entries WHERE sequence = 4"):
        with pytest.raises(Exception, match="append-only"):
            opener.execute(statement)


TAMPERINGS = {
    "changed body": ["UPDATE entries SET body = replace(body, 'ada', 'bob') WHERE sequence = 4"],
    "changed head": ["UPDATE entries SET head = '" + "0" * 64 + "' WHERE sequence = 4"],
    "not JSON": ["UPDATE entries SET body = 'nonsense' WHERE sequence = 4"],
    "not an entry": ["UPDATE entries SET body = '[]' WHERE sequence = 4"],
    "unknown kind": ["UPDATE entries SET body = replace(body, '\"reserve\"', '\"gift\"') WHERE sequence = 4"],
    "removed first": ["DELETE FROM entries WHERE sequence = 1"],
    "removed within": ["DELETE FROM entries WHERE sequence = 5"],
    "truncated": ["DELETE FROM entries WHERE sequence = (SELECT max(sequence) FROM entries)"],
    "truncated to nothing": ["DELETE FROM entries"],
    "inserted": [
        "INSERT INTO entries (sequence, body, head) "
        "SELECT max(sequence) + 1, (SELECT body FROM entries WHERE sequence = 4), max(head) FROM entries"
    ],
    "reordered": [
        "UPDATE entries SET sequence = 1000 WHERE sequence = 4",
        "UPDATE entries SET sequence = 4 WHERE sequence = 5",
        "UPDATE entries SET sequence = 5 WHERE sequence = 1000",
    ],
    "account lowered": ["UPDATE accounts SET spent = '0' WHERE principal = 'ada'"],
    "account removed": ["DELETE FROM accounts WHERE principal = 'bob'"],
    "cap raised": ["UPDATE accounts SET budget = replace(budget, '\"5\"', '\"6\"') WHERE period = ''"],
    "reservation forgotten": ["DELETE FROM open_keys"],
    "answer forgotten": ["DELETE FROM closed_keys WHERE sequence = 5"],
    "answer swapped": ["UPDATE closed_keys SET sequence = 5 WHERE sequence > 5"],
}


@pytest.mark.parametrize("what", TAMPERINGS)
def test_verify_finds_every_tampering(opener: Opener, what: str) -> None:
    busy(opener())
    opener.unlock_entries()
    for statement in TAMPERINGS[what]:
        opener.execute(statement)
    opener.lock_entries()
    with pytest.raises(LedgerDamaged) as error:
        opener().verify()
    assert "not as the ledger made it" not in str(error.value), "found in the entries, not by a missing guard"


@pytest.mark.parametrize(
    ("sequence", "change", "problem"),
    [
        (4, lambda body: body.update(charged={"pure": ["9", "0"], "zcdp": ["0", "0"]}), "passes a cap"),
        (4, lambda body: body.update(charged={"pure": ["0.01", "0"], "zcdp": ["0.001", "0"]}), "an account"),
        (4, lambda body: body.update(charged={"pure": ["1/7919", "0"]}), "cannot be read"),
        (4, lambda body: body.update(charged={}), "cannot be read"),
        (4, lambda body: body.update(time=0), "back in time"),
        (5, lambda body: body.update(reserve=1), "is not open"),
        (2, lambda body: body.update(principal="eve"), "cannot be read|an account"),
        (4, lambda body: body.update(key="other"), "is not open"),
    ],
)
def test_a_rewritten_chain_still_has_to_add_up(
    opener: Opener, sequence: int, change: Callable[[dict[str, object]], None], problem: str
) -> None:
    busy(opener())
    opener.unlock_entries()
    forge(opener, sequence, change)
    opener.lock_entries()
    with pytest.raises(LedgerDamaged, match=problem):
        opener().verify()


def test_only_an_anchor_finds_a_history_that_was_rewritten_with_its_state(opener: Opener) -> None:
    """What a chain without an anchor cannot detect, and what an anchor can."""
    ledger = busy(opener())
    anchor = ledger.anchor()
    opener.unlock_entries()
    other = '{"n":2}'
    forge(opener, 5, lambda body: body.update(sha256=sha(other)))
    opener.execute(f"UPDATE releases SET content = {opener.blob(other)} WHERE sequence = 5")
    opener.lock_entries()
    opener().verify()
    with pytest.raises(LedgerDamaged, match="is not the one that was anchored"):
        opener().verify(anchor)
    with pytest.raises(LedgerDamaged, match="is not the one that was anchored"):
        opener(anchor)


def test_an_entry_that_vanished_is_found_when_it_is_needed(opener: Opener) -> None:
    busy(opener())
    opener.unlock_entries()
    opener.execute("DELETE FROM entries WHERE sequence = 5")
    with pytest.raises(LedgerDamaged, match="entry 5 is missing"):
        ask(opener(), "q1")


# ---- anchors ------------------------------------------------------------------------------------------------------


def test_an_older_copy_put_back_is_refused_at_open(sqlite_opener: Opener, tmp_path: Path) -> None:
    anchor, backup = tmp_path / "elsewhere.anchor", tmp_path / "backup"
    with sqlite_opener(anchor) as ledger:
        stocked(ledger)
    shutil.copy(sqlite_opener.path, backup)
    with sqlite_opener(anchor) as ledger:
        charge(ledger)
        newest = ledger.anchor()
    assert anchor.read_text().strip() == newest
    assert anchor.stat().st_mode & 0o777 == 0o600
    shutil.copy(backup, sqlite_opener.path)
    for known in (anchor, newest):
        with pytest.raises(LedgerRolledBack, match="ends at entry 3 and its anchor is at 4"):
            sqlite_opener(known)
    with sqlite_opener() as ledger, pytest.raises(LedgerRolledBack):
        ledger.verify(newest)
    anchor.unlink()
    with pytest.raises(LedgerDamaged, match="missing or empty"):
        sqlite_opener(anchor)
    with sqlite_opener() as ledger:  # the owner's word that it is whole
        anchor.write_text(ledger.anchor())
    with sqlite_opener(anchor) as ledger:
        assert len(list(ledger.entries())) == 3


def test_an_older_copy_put_back_under_an_open_ledger_is_noticed(sqlite_opener: Opener, tmp_path: Path) -> None:
    anchor = tmp_path / "elsewhere.anchor"
    with sqlite_opener(anchor) as ledger:
        stocked(ledger)
        backup = sqlite3.connect(tmp_path / "backup")
        live = sqlite3.connect(sqlite_opener.path)
        live.backup(backup)
        charge(ledger, "q1")
        charge(ledger, "q2")
        backup.backup(live)
        live.close()
        backup.close()
        with pytest.raises(LedgerRolledBack):
            charge(ledger, "q3")


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE accounts SET cap = '9' || cap",
        "UPDATE accounts SET delta_cap = '99'",
        "UPDATE accounts SET curve = 'x'",
        "UPDATE accounts SET budget = '{}'",
        "DELETE FROM identity",
    ],
)
def test_what_the_tables_keep_beside_the_entries_is_compared_whole(opener: Opener, sql: str) -> None:
    ledger = busy(opener())
    opener.execute(sql)
    with pytest.raises(LedgerDamaged):
        (ledger or opener()).verify()  # type: ignore[truthy-bool]


def test_the_owner_restores_a_backup_by_an_entry(sqlite_opener: Opener, tmp_path: Path) -> None:
    anchor, backup = tmp_path / "elsewhere.anchor", tmp_path / "backup"
    with sqlite_opener(anchor) as ledger:
        stocked(ledger)
    shutil.copy(sqlite_opener.path, backup)
    with sqlite_opener(anchor) as ledger:
        receipt = charge(ledger, "q1")
        charge(ledger, "q2")
        lost = ledger.anchor()
    shutil.copy(backup, sqlite_opener.path)
    with sqlite_opener() as ledger:
        assert ledger.restore(reason="disk failed", anchor=anchor, lost={"visits": events.Pure(Fraction(1, 5))}) == 4
        with pytest.raises(LedgerMisuse, match="from before a restore"):
            ledger.settle(receipt, 1)
    with sqlite_opener(anchor) as ledger:
        assert spent(ledger) == Fraction(1, 5)
        entry = list(ledger.entries())[-1].body
        assert (entry["kind"], entry["reason"], entry["anchor"]) == ("restore", "disk failed", lost)
        assert ledger.spent(dataset="visits") == ((events.Pure(Fraction(1, 5)), 1),)
        for principal in ("ada", "bob"):  # nobody knows whose it was, so it counts against each
            assert spent(ledger, principal) == Fraction(1, 5)
            assert ledger.spent(dataset="visits", principal=principal) == ((events.Pure(Fraction(1, 5)), 1),)
        charge(ledger, "q1")
        ledger.verify()
        with pytest.raises(LedgerDamaged):
            ledger.verify(lost)


def test_what_a_restore_lost_may_pass_the_cap_and_then_nothing_is_left(opener: Opener) -> None:
    ledger = stocked(opener())
    charge(ledger)
    ledger.register("curve", Budget.rdp(epsilon="3", delta="1e-6"))
    ledger.grant("curve", "ada", Budget.rdp(epsilon="3", delta="1e-6"))
    anchor = ledger.anchor()
    ledger.restore(reason="r", anchor=anchor, lost={"visits": events.Pure(Fraction(95, 100)), "curve": events.Pure(50)})
    assert ledger.balances("visits")[0].remaining == ledger.balances("curve")[0].remaining == 0
    assert isinstance(ask(ledger, "c", dataset="curve", event=events.Laplace(Fraction(1, 100))), Receipt) is False
    ledger.verify()
    ledger.restore(reason="nothing was lost", anchor=anchor)
    ledger.verify()


def test_a_restore_names_this_ledger_its_datasets_and_events(opener: Opener, tmp_path: Path) -> None:
    ledger = stocked(opener())
    anchor = ledger.anchor()
    other = str(Anchor("f" * 32, 3, "0" * 64))
    with pytest.raises(LedgerMisuse, match="another ledger"):
        ledger.restore(reason="r", anchor=other)
    with pytest.raises(LedgerMisuse, match="another ledger"):
        ledger.restore(reason="r", anchor=tmp_path / "none")
    with pytest.raises(LedgerMisuse, match="`people` is not registered"):
        ledger.restore(reason="r", anchor=anchor, lost={"people": events.Pure(1)})
    with pytest.raises(LedgerMisuse, match="principal `eve` has no cap on `visits`"):
        ledger.restore(reason="r", anchor=anchor, lost={("visits", "eve"): events.Pure(1)})
    for bad in (7, ("visits", ""), ("visits", "ada", "bob")):
        with pytest.raises(InvalidParameter, match=r"dataset|principal"):
            ledger.restore(reason="r", anchor=anchor, lost={bad: events.Pure(1)})  # type: ignore[dict-item]
    with pytest.raises(InvalidParameter, match="lost must be an event"):
        ledger.restore(reason="r", anchor=anchor, lost={"visits": 1})  # type: ignore[dict-item]
    for known in (other, Anchor.read(other)):
        with pytest.raises(LedgerDamaged, match="belongs to another ledger"):
            opener(str(known))
        with pytest.raises(LedgerDamaged, match="belongs to another ledger"):
            ledger.verify(other)
    assert len(list(ledger.entries())) == 3


def test_an_anchor_of_an_empty_ledger_is_met_by_every_later_one(opener: Opener) -> None:
    ledger = opener()
    anchor = ledger.anchor()
    assert anchor.split()[2] == "0"
    assert ledger.verify(anchor) == anchor
    stocked(ledger)
    stocked(opener(anchor)).verify(anchor)


def test_what_is_not_an_anchor_is_refused(opener: Opener, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="is not an anchor"):
        opener("sfumato-anchor-1 x 1 y")
    for bad in ("", "  ", 7):
        with pytest.raises(InvalidParameter, match="must be a path or"):
            opener(bad)  # type: ignore[arg-type]
    (tmp_path / "nonsense").write_text("nonsense")
    with pytest.raises(InvalidParameter, match="is not an anchor") as refused:
        opener(str(tmp_path / "nonsense"))
    assert "'nonsense" not in str(refused.value), "what is in somebody's file is not shown"
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    for unreadable in (tmp_path / "binary", tmp_path):
        with pytest.raises(LedgerUnavailable, match="anchor file cannot be read"):
            opener(unreadable)


def test_an_anchor_file_that_cannot_be_written_stops_the_ledger(opener: Opener, tmp_path: Path) -> None:
    anchor = tmp_path / "folder" / "anchor"
    anchor.parent.mkdir()
    ledger = stocked(opener(anchor))
    shutil.rmtree(anchor.parent)
    with pytest.raises(LedgerUnavailable, match="counts as spent"):
        ask(ledger)
    assert spent(opener()) == Fraction(1, 10)


def test_an_anchor_moves_forward_only_unless_it_is_forced(tmp_path: Path) -> None:
    file, path = AnchorFile(tmp_path / "anchor"), tmp_path / "anchor"
    assert file.read() is None
    path.touch()
    assert file.read() is None
    early, late, twin = (Anchor("0" * 32, n, head * 64) for n, head in ((9, "a"), (10, "b"), (10, "c")))
    for given, kept in ((late, late), (early, late), (twin, late)):
        file.advance(given)
        assert file.read() == kept
    file.advance(early, force=True)
    assert path.read_text() == f"{early}\n"


def test_an_anchor_file_never_moves_back(opener: Opener, tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "anchor"
    first, second = opener(path), opener(path)
    stocked(first)
    after = path.read_text()
    stocked(second)  # nothing new to write, and nothing to take back
    assert path.read_text() == after


# ---- the ledger's name, its guards and its anchor file --------------------------------------------------------------


def test_the_chain_says_whose_it_is(opener: Opener) -> None:
    """Another name in the identity's row would let another ledger's anchors and receipts pass for this one's."""
    ledger = busy(opener())
    assert next(ledger.entries()).body["ledger"] == ledger.anchor().split()[1]
    assert ledger.veiled("data") == ledger.veiled("data") != ledger.veiled("other data")
    opener.execute("UPDATE identity SET name = '" + "e" * 32 + "'")
    with pytest.raises(LedgerDamaged, match="identity is not the one that its first entry names"):
        opener().verify()


GUARDS = {
    "sqlite": {
        "dropped": ["DROP TRIGGER entries_never_delete"],
        "weaker": [
            "DROP TRIGGER entries_never_update",
            "CREATE TRIGGER entries_never_update BEFORE UPDATE ON entries BEGIN SELECT 1; END",
        ],
        "foreign": ["CREATE TRIGGER gift AFTER INSERT ON entries BEGIN UPDATE accounts SET spent = '0'; END"],
        "unchecked": [
            "ALTER TABLE closed_keys RENAME TO old",
            "CREATE TABLE closed_keys (name BLOB PRIMARY KEY, sequence INTEGER)",
            "INSERT INTO closed_keys SELECT * FROM old",
            "DROP TABLE old",
        ],
    },
    "postgres": {
        "dropped": ["DROP TRIGGER entries_never_change ON entries"],
        "disabled": ["ALTER TABLE entries DISABLE TRIGGER entries_never_change"],
        "weaker": [
            "CREATE OR REPLACE FUNCTION ledger_refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'"
        ],
        "foreign": ["CREATE RULE gift AS ON UPDATE TO accounts DO INSTEAD NOTHING"],
        "unchecked": ["ALTER TABLE accounts DROP CONSTRAINT accounts_check"],
    },
}


@pytest.mark.parametrize("what", ["dropped", "disabled", "weaker", "foreign", "unchecked"])
def test_verify_notices_guards_that_are_gone(opener: Opener, what: str) -> None:
    ledger = busy(opener())
    statements = GUARDS["postgres" if opener.dsn else "sqlite"].get(what, ["DROP TRIGGER entries_never_update"])
    for statement in statements:
        opener.execute(statement)
    with pytest.raises(LedgerDamaged, match="is not as the ledger made it"):
        ledger.verify()


def test_statistics_of_the_query_planner_are_no_tampering(sqlite_opener: Opener) -> None:
    ledger = busy(sqlite_opener())
    before = ledger.anchor()
    sqlite_opener.execute("ANALYZE")
    assert sqlite_opener.execute("SELECT count(*) FROM sqlite_stat1")[0][0] > 0
    ledger.verify()
    assert ledger.anchor() == before


def test_a_path_may_be_given_as_text(opener: Opener, tmp_path: Path) -> None:
    path = tmp_path / "elsewhere.anchor"
    ledger = stocked(opener(str(path)))
    charge(ledger)
    assert path.read_text().strip() == ledger.anchor() == ledger.verify(str(path)) == ledger.verify(path)
    ledger.restore(reason="a drill", anchor=str(path))
    assert path.read_text().strip() == ledger.anchor()
    with pytest.raises(LedgerRolledBack):
        ledger.verify(ledger.anchor().replace(" 6 ", " 7 "))
    opener(Anchor.read(ledger.anchor()))  # type: ignore[arg-type]


def test_an_anchor_file_that_others_can_write_is_refused(opener: Opener, tmp_path: Path) -> None:
    path = tmp_path / "elsewhere.anchor"
    ledger = stocked(opener(path))
    path.chmod(0o655)
    charge(ledger, "others may read it")
    for mode in (0o620, 0o602):
        path.chmod(mode)
        with pytest.raises(LedgerUnavailable, match=f"can be written by others .mode {mode:o}"):
            opener(path)
        with pytest.raises(LedgerUnavailable, match="can be written by others"):
            ask(ledger, f"while it is {mode:o}")
