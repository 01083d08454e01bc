"""A copy is made while others write, is whole, and is put back by an entry that leaves nothing uncounted."""

import os
import shutil
import threading
from fractions import Fraction
from pathlib import Path

import pytest

from ledger_cases import Opener, ask, charge, refusal, spent, stocked
from sfumato.accounting import events
from sfumato.errors import InvalidParameter, LedgerDamaged, LedgerMisuse, LedgerRolledBack, LedgerUnavailable
from sfumato.ledger import Budget, PostgresLedger, SqliteLedger


def test_a_backup_is_a_ledger_that_opens_and_holds_what_was_committed(sqlite_opener: Opener, tmp_path: Path) -> None:
    ledger = stocked(sqlite_opener())
    answer = ledger.settle(charge(ledger, "q1"), {"n": 1})
    charge(ledger, "q2")
    anchor = ledger.backup(tmp_path / "backup")
    assert anchor == ledger.anchor()
    charge(ledger, "q3")
    assert sorted(path.name for path in tmp_path.iterdir() if "backup" in path.name) == ["backup"]
    assert (tmp_path / "backup").stat().st_mode & 0o777 == 0o600
    with SqliteLedger(tmp_path / "backup", anchor=anchor) as copy:
        assert copy.verify(anchor) == anchor
        assert ask(copy, "q1") == answer
        assert refusal(ask(copy, "q2")) == "pending"
        assert spent(copy) == Fraction(2, 10)


def test_the_broken_twin_a_plain_copy_of_the_file_lacks_what_is_in_the_log(
    sqlite_opener: Opener, tmp_path: Path
) -> None:
    stocked(sqlite_opener())
    shutil.copy(sqlite_opener.path, tmp_path / "plain")
    with SqliteLedger(tmp_path / "plain") as copy:
        assert not list(copy.entries()), "which is why `backup` exists"


def test_a_backup_is_consistent_while_others_write(sqlite_opener: Opener, tmp_path: Path) -> None:
    ledger = stocked(sqlite_opener(), epsilon="100", own="100")
    stop = threading.Event()

    def write() -> None:
        n = 0
        while not stop.is_set():
            n += 1
            ledger.settle(charge(ledger, f"q{n}"), n)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        anchors = [ledger.backup(str(tmp_path / f"backup{n}")) for n in range(5)]
    finally:
        stop.set()
        writer.join()
    for n, anchor in enumerate(anchors):
        ledger.verify(anchor)
        with SqliteLedger(tmp_path / f"backup{n}") as copy:
            assert copy.verify(anchor) == anchor, "what was copied ends where the anchor says"


def test_a_backup_overwrites_nothing_and_fails_cleanly(sqlite_opener: Opener, tmp_path: Path) -> None:
    ledger = stocked(sqlite_opener())
    for taken in ("taken", "other.partial"):
        (tmp_path / taken).write_text("precious")
        with pytest.raises(InvalidParameter, match="must be a file that does not exist yet"):
            ledger.backup(tmp_path / taken.removesuffix(".partial"))
        assert (tmp_path / taken).read_text() == "precious"
    with pytest.raises(LedgerUnavailable, match="could not be backed up"):
        ledger.backup(tmp_path / "missing" / "backup")


def test_a_backup_that_cannot_be_written_leaves_no_file(
    sqlite_opener: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = stocked(sqlite_opener())
    real = os.open

    def readable_only(path: object, flags: int, mode: int = 0o777) -> int:
        found = real(path, flags, mode)  # type: ignore[arg-type]
        Path(str(path)).write_text("no longer empty, so nothing can be copied into it")
        return int(found)

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", readable_only)
        with pytest.raises(LedgerUnavailable, match="could not be backed up"):
            ledger.backup(tmp_path / "backup")
    assert not list(tmp_path.glob("backup*"))


def test_a_ledger_that_was_tampered_with_is_not_backed_up(sqlite_opener: Opener, tmp_path: Path) -> None:
    ledger = stocked(sqlite_opener())
    charge(ledger)
    sqlite_opener.execute("UPDATE accounts SET spent = '0'")
    with pytest.raises(LedgerDamaged, match="does not follow"):
        ledger.backup(tmp_path / "backup")
    assert not list(tmp_path.glob("backup*"))


def test_postgres_names_the_servers_own_tool(postgres: str, tmp_path: Path) -> None:
    with PostgresLedger(postgres, schema="dumped") as ledger:
        with pytest.raises(LedgerMisuse, match="pg_dump --schema") as error:
            ledger.backup(tmp_path / "backup")
        assert '"dumped"' in str(error.value)
    assert not list(tmp_path.iterdir())


# ---- putting it back ---------------------------------------------------------------------------------------------


def put_back(opener: Opener, backup: Path) -> None:
    """As docs/ledger.md says: the file, and nothing of the newer one's log."""
    for name in ("", "-wal", "-shm"):
        opener.path.with_name(opener.path.name + name).unlink(missing_ok=True)
    shutil.copy(backup, opener.path)


def test_what_was_spent_since_a_backup_is_charged_to_those_who_spent_it(sqlite_opener: Opener, tmp_path: Path) -> None:
    anchor, backup = tmp_path / "elsewhere.anchor", tmp_path / "backup"
    with sqlite_opener(anchor) as ledger:
        stocked(ledger)
        ledger.backup(backup)
        charge(ledger, "q1", principal="ada")
        charge(ledger, "q2", principal="ada")
    put_back(sqlite_opener, backup)
    with pytest.raises(LedgerRolledBack):
        sqlite_opener(anchor)
    with sqlite_opener() as ledger:
        lost = {("visits", "ada"): events.Pure(Fraction(1, 5))}
        ledger.restore(reason="disk failed", anchor=anchor, lost=lost)  # type: ignore[arg-type]
    with sqlite_opener(anchor) as ledger:
        assert (spent(ledger), spent(ledger, "ada"), spent(ledger, "bob")) == (Fraction(1, 5), Fraction(1, 5), 0)  # type: ignore[comparison-overlap]
        assert ledger.spent(dataset="visits", principal="bob") == ()
        assert ledger.spent(dataset="visits", principal="ada") == ((events.Pure(Fraction(1, 5)), 1),)
        ledger.verify(anchor)


def test_a_backup_that_lacks_entries_is_not_restored_in_silence(sqlite_opener: Opener, tmp_path: Path) -> None:
    anchor, backup = tmp_path / "elsewhere.anchor", tmp_path / "backup"
    with sqlite_opener(anchor) as ledger:
        stocked(ledger)
        ledger.backup(backup)
        charge(ledger, "q1")
    put_back(sqlite_opener, backup)
    with sqlite_opener() as ledger:
        with pytest.raises(LedgerMisuse, match="entries 4 to 4 are gone and what they spent is not said"):
            ledger.restore(reason="disk failed", anchor=str(anchor))
        ledger.restore(reason="disk failed", anchor=str(anchor), lost={"visits": events.Approximate(0, 1)})
        for principal in ("", "ada", "bob"):
            assert refusal(ask(ledger, "q", principal=principal or "ada")) == "budget"
        assert ledger.total(dataset="visits").epsilon(1e-6) == float("inf"), "what is not known is not bounded"
        ledger.verify(anchor)


def test_losses_are_counted_in_every_currency_and_window(opener: Opener) -> None:
    ledger = opener()
    ledger.register("visits", Budget.zcdp(rho=1))
    ledger.grant("visits", "ada", Budget.pure(epsilon=2))
    ledger.grant("visits", "bob", Budget.rdp(epsilon=9, delta="1e-6"))
    before = ledger.balances("visits", "bob")[0].spent
    ledger.restore(reason="r", anchor=ledger.anchor(), lost={"visits": events.Laplace(1)})
    assert spent(ledger) == Fraction(1, 2)
    assert spent(ledger, "ada") == 1
    assert ledger.balances("visits", "bob")[0].spent > before
    ledger.verify()


def test_a_loss_that_has_no_price_in_a_currency_leaves_nothing_of_it(opener: Opener) -> None:
    ledger = opener()
    ledger.register("visits", Budget.zcdp(rho=1))
    ledger.grant("visits", "ada", Budget.pure(epsilon=2))
    ledger.restore(reason="r", anchor=ledger.anchor(), lost={"visits": events.Gaussian(5)})
    assert spent(ledger) == Fraction(1, 50)
    assert ledger.balances("visits", "ada")[0].remaining == 0
    assert list(ledger.entries())[-1].body["lost"][0]["charged"]["pure"] == ["inf", "inf"]
    ledger.verify()


def test_a_restore_of_the_first_version_charged_the_dataset_alone_and_still_does(sqlite_opener: Opener) -> None:
    from sfumato.ledger.history import charges
    from sfumato.ledger.state import State

    ledger = stocked(sqlite_opener())
    ledger.restore(reason="r", anchor=ledger.anchor(), lost={"visits": events.Pure(Fraction(1, 2))})
    state = State()
    for entry in ledger.entries():
        body = entry.body
        for loss in body.get("lost", ()):
            del loss["principals"]
            assert [n for _, _, n in charges(body, "visits", "")] == [1]
            assert not list(charges(body, "visits", "ada"))
        state.follow(body, "")
    spent_now = {holder: accounts[0].balance().spent for holder, accounts in state.accounts.items()}
    assert spent_now == {("visits", ""): Fraction(1, 2), ("visits", "ada"): 0, ("visits", "bob"): 0}


def test_a_grant_made_in_the_same_commit_is_charged_too(sqlite_opener: Opener) -> None:
    from sfumato.ledger.anchors import Anchor
    from sfumato.ledger.budgets import limits
    from sfumato.ledger.caps import Register
    from sfumato.ledger.requests import Restore

    ledger = stocked(sqlite_opener())
    grant = Register("visits", "cy", limits(Budget.pure(epsilon=1)))
    restore = Restore("r", Anchor.read(ledger.anchor()), {("visits", ""): events.Pure(Fraction(1, 4))})
    ledger._decide([grant, restore])
    assert spent(ledger, "cy") == Fraction(1, 4)
    ledger.verify()
