"""The power goes at any moment: no acknowledged charge is lost, no file is corrupt."""

import random
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import apsw
import pytest

from failing_disk import Disk, Operation, after_power_cut
from ledger_cases import ask, charge, stocked
from sfumato.accounting import events
from sfumato.errors import LedgerUnavailable
from sfumato.ledger import Answered, Ledger, Receipt, SqliteLedger
from sfumato.ledger.commits import Commits

pytestmark = pytest.mark.slow
SEEDS, THREADS = 4, 4
Acknowledged = list[tuple[int, int, str]]  # operations so far, sequence, head


@pytest.fixture
def folder() -> Iterator[Path]:
    """In memory if there is room for it: whether the copies themselves are durable does not matter."""
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as name:
        yield Path(name)


def history(disk: Disk, *, synchronous: str) -> Acknowledged:
    """Charges, answers, losses and refunds of several threads, with what was acknowledged when."""
    said: Acknowledged = []
    ledger = Ledger(disk.store(synchronous=synchronous))
    stocked(ledger, epsilon="100", own="100")
    said.append((len(disk.operations), 3, ""))
    decide, sizes = ledger._decide, []

    def decided(batch: Sequence[Any]) -> Sequence[Any]:
        outcomes = decide(batch)  # what has an outcome may be acknowledged from here on
        ends = [found for found in outcomes if isinstance(found, Receipt | Answered)]
        said.extend((len(disk.operations), found.sequence, found.head) for found in ends)
        sizes.append(len(batch))
        return outcomes

    ledger._commits = Commits(decided)

    def run(thread: int) -> None:
        for i in range(thread, 120, THREADS):
            receipt = charge(ledger, f"q{i}")
            if i % 3:
                ledger.settle(receipt, {"n": i})
            elif i % 2:
                ledger.refund(receipt, reason="not begun")

    threads = [threading.Thread(target=run, args=(thread,)) for thread in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ledger.recover()
    disk.close()
    assert len(said) == 1 + 120 + 80
    assert max(sizes) > 1, "commits were shared"
    return said


def lost_after(files: dict[str, bytes], folder: Path, said: Acknowledged, moment: int) -> int:
    """Opens what is left with the product; how many acknowledged entries are missing."""
    for name, content in files.items():
        (folder / name).write_bytes(content)
        (folder / name).chmod(0o600)
    with SqliteLedger(folder / "spending.ledger") as ledger:
        ledger.verify()
        heads = {entry.sequence: entry.head for entry in ledger.entries()}
        promised = [(sequence, head) for done, sequence, head in said if done <= moment]
        lost = sum(sequence not in heads or head not in ("", heads[sequence]) for sequence, head in promised)
        if lost == 0 and len(heads) >= 3:
            assert isinstance(ask(ledger, f"after {moment}", event=events.Pure(1)), Receipt)
    for left in folder.iterdir():
        left.unlink()
    return lost


def crashes(folder: Path, *, synchronous: str, count: int, seed: int = 0) -> Iterator[int]:
    (folder / "disk").mkdir()
    (folder / "copy").mkdir()
    disk = Disk(folder / "disk")
    said = history(disk, synchronous=synchronous)
    chance = random.Random(20261116 + seed)
    assert {operation.name for operation in disk.operations} >= {"spending.ledger", "spending.ledger-wal"}
    for crash in range(count):
        moment = 1 + (crash * SEEDS + seed % SEEDS) * (len(disk.operations) - 1) // (count * SEEDS)
        files = after_power_cut(disk.operations[:moment], chance)
        yield lost_after(files, folder / "copy", said, moment)


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("count", [150, pytest.param(600, marks=pytest.mark.torture)])
def test_no_power_cut_loses_an_acknowledged_charge_or_corrupts_the_file(count: int, seed: int, folder: Path) -> None:
    """Each seed cuts between the moments of the others."""
    assert sum(crashes(folder, synchronous="FULL", count=count, seed=seed)) == 0


def test_the_same_power_cuts_do_lose_charges_when_commits_are_not_synced(folder: Path) -> None:
    """The broken twin: what `synchronous=NORMAL` acknowledges is not always there after a power cut."""
    assert sum(crashes(folder, synchronous="NORMAL", count=200)) > 0


# ---- a disk that says no --------------------------------------------------------------------------------------


def full(operation: Operation) -> None:
    if operation.kind == "write":
        raise apsw.FullError("no space")


def broken(operation: Operation) -> None:
    raise apsw.IOError("input/output error")


def unsyncable(operation: Operation) -> None:
    if operation.kind == "sync":
        raise apsw.IOError("sync failed")


def attempted(ledger: Ledger, question: str) -> object:
    try:
        return ask(ledger, question)
    except LedgerUnavailable as error:
        return error


@pytest.mark.parametrize("fault", [full, broken, unsyncable])
def test_a_disk_that_fails_is_a_clean_refusal_and_nothing_is_acknowledged(
    folder: Path, fault: Callable[[Operation], None]
) -> None:
    disk = Disk(folder)
    ledger = stocked(Ledger(disk.store()), epsilon="100", own="100")
    receipts = [charge(ledger, f"before {i}") for i in range(20)]
    refused: list[LedgerUnavailable] = []
    for attempt in range(40):
        remaining = [attempt % 8]

        def later(operation: Operation, remaining: list[int] = remaining) -> None:
            if remaining[0] == 0:
                fault(operation)
            else:
                remaining[0] -= 1

        disk.fault = later
        found = attempted(ledger, f"during {attempt}")
        disk.fault = lambda _: None
        if isinstance(found, Receipt):
            receipts.append(found)
        else:
            refused.append(found)  # type: ignore[arg-type]
            assert "nothing was acknowledged" in str(found)
            assert found.__context__ is None, "no text of the engine travels with it"  # type: ignore[attr-defined]
    assert len(refused) > 5
    receipts.append(charge(ledger, "after"))
    ledger.verify()
    heads = {entry.sequence: entry.head for entry in ledger.entries()}
    assert all(heads[receipt.sequence] == receipt.head for receipt in receipts)
    disk.close()


def test_a_disk_that_fails_at_opening_is_a_clean_refusal(folder: Path) -> None:
    disk = Disk(folder, fault=full)
    with pytest.raises(LedgerUnavailable, match="could not be opened"):
        disk.store()
    disk.close()
