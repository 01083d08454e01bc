"""Releases lie beside the chain, in pieces, and the chain holds their hash."""

import hashlib
import json
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_cases import Opener, ask, charge, forge, refusal, sha, spent, stocked
from property_profile import examples
from sfumato.errors import InvalidParameter, LedgerDamaged, LedgerMisuse, LedgerUnavailable
from sfumato.ledger import Answered, Ledger, Receipt, SqliteLedger, releases
from sfumato.ledger.canon import canonical
from sfumato.ledger.releases import PIECE, decoded, encoded

LONG = {"rows": [[i, f"é{i}", None, 1.5] for i in range(9000)], "text": "naïve " * 30_000}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=30,
)


# ---- pieces -------------------------------------------------------------------------------------------------


@given(JSON)
@examples(100)
def test_pieces_are_the_canonical_text(value: Any) -> None:
    text = canonical(value).encode()
    with pytest.MonkeyPatch.context() as patched:
        for small, piece in ((4096, PIECE), (0, 7)):  # at once, and part by part
            patched.setattr(releases, "_SMALL", small)
            patched.setattr(releases, "PIECE", piece)
            found = encoded(value)
            assert b"".join(found.pieces) == text
            assert (found.sha256, found.size) == (hashlib.sha256(text).hexdigest(), len(text))
            assert all(0 < len(each) <= piece for each in found.pieces)
            assert decoded(found.pieces) == value


def test_a_release_of_many_pieces_comes_back_whole(opener: Opener) -> None:
    ledger = stocked(opener())
    answer = ledger.settle(charge(ledger), LONG)  # type: ignore[arg-type]
    text = canonical(LONG).encode()
    assert (answer.sha256, answer.size) == (hashlib.sha256(text).hexdigest(), len(text))
    assert len(text) > 3 * PIECE
    for again in (ledger, opener()):
        assert ask(again) == answer
        pieces = list(again.stream(answer.sequence))
        assert b"".join(pieces) == text
        assert [len(piece) for piece in pieces[:-1]] == [PIECE] * (len(pieces) - 1)
    ledger.verify()


@pytest.mark.parametrize("length", [PIECE - 3, PIECE - 2, PIECE - 1, 2 * PIECE - 2])
def test_a_release_may_end_where_a_piece_does(opener: Opener, length: int) -> None:
    ledger = stocked(opener())
    answer = ledger.settle(charge(ledger), "x" * length)
    assert len(list(ledger.stream(answer.sequence))) == -(-(length + 2) // PIECE)
    assert ask(ledger) == answer
    ledger.verify()


def test_the_entry_holds_the_hash_and_the_size_and_no_release(opener: Opener) -> None:
    ledger = stocked(opener())
    ledger.settle(charge(ledger), {"n": "forty-one"})
    body = list(ledger.entries())[-1].body
    assert (body["sha256"], body["size"]) == (sha('{"n":"forty-one"}'), 17)
    assert "release" not in body
    assert all("forty-one" not in line for line in ledger.export())


def test_an_answer_of_the_same_batch_is_answered_from_what_will_be_stored(opener: Opener) -> None:
    from sfumato.ledger.requests import Settle
    from sfumato.ledger.reserve import Reserve

    ledger = stocked(opener())
    receipt = charge(ledger)
    again = Reserve("visits", "ada", _known(), sha("q"), "other", "v1")
    settled, answered = ledger._decide([Settle(receipt, [1, 2]), again])
    assert settled == answered
    assert isinstance(answered, Answered)


def _known() -> Any:
    from ledger_cases import TENTH
    from sfumato.ledger.budgets import known

    return known(TENTH)


def test_nothing_but_a_release_is_streamed(opener: Opener) -> None:
    ledger = stocked(opener())
    charge(ledger)
    for sequence in (1, 4, 99):
        with pytest.raises(LedgerMisuse, match=f"entry {sequence} settled no release"):
            next(ledger.stream(sequence))


# ---- size ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1000, 70_000])
def test_a_release_that_is_too_large_is_refused_and_its_charge_stays(
    opener: Opener, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(releases, "LARGEST", size)
    ledger = stocked(opener())
    receipt = charge(ledger)
    with pytest.raises(InvalidParameter, match=f"release must be at most {size} bytes of JSON") as error:
        ledger.settle(receipt, ["secret"] * size)
    assert "secret" not in str(error.value)
    assert spent(ledger) == Fraction(1, 10)
    assert refusal(ask(ledger)) == "pending"
    ledger.lose(receipt, reason="too large")
    assert spent(ledger) == Fraction(1, 10)
    assert isinstance(ledger.settle(charge(ledger, "q2"), "x" * (size - 2)), Answered), "as large as may be"
    ledger.verify()


@pytest.mark.parametrize("value", ["x" * 999, ["x" * 300] * 4, {"x" * 999: 1}, [1] * 501, "é" * 500])
def test_every_kind_of_release_has_the_same_limit(value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(releases, "LARGEST", 1000)
    with pytest.raises(InvalidParameter, match="at most 1000 bytes"):
        encoded(value)
    monkeypatch.setattr(releases, "LARGEST", len(canonical(value).encode()))
    assert encoded(value).size == releases.LARGEST


def test_the_limit_is_one_of_bytes_and_stops_the_writing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(releases, "LARGEST", PIECE + 1)
    with pytest.raises(InvalidParameter, match="found a larger one of: <class 'list'>"):
        encoded(["名" * 1000] * 60)  # fewer characters than may be bytes


def test_what_holds_itself_many_times_is_refused_before_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(releases, "LARGEST", 10_000)
    value: list[Any] = []
    for _ in range(60):  # 2⁶⁰ values in sixty lists
        value = [value, value]
    with pytest.raises(InvalidParameter, match="at most 10000 bytes"):
        encoded(value)


def test_writing_holds_the_text_once_and_reading_in_pieces_never(sqlite_opener: Opener) -> None:
    ledger = stocked(sqlite_opener())
    receipt, value = charge(ledger), ["x" * 1000] * 16_000
    tracemalloc.start()
    try:
        answer = ledger.settle(receipt, value)  # type: ignore[arg-type]
        wrote = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        base = tracemalloc.get_traced_memory()[0]
        read = sum(len(piece) for piece in ledger.stream(answer.sequence))
        streamed = tracemalloc.get_traced_memory()[1] - base
        tracemalloc.reset_peak()
        ledger.verify()
        verified = tracemalloc.get_traced_memory()[1] - base
        tracemalloc.reset_peak()
        assert len(list(ledger.entries())) == len(list(ledger.export())) == 5
        listed = tracemalloc.get_traced_memory()[1] - base
    finally:
        tracemalloc.stop()
    assert read == answer.size > 16_000_000
    assert wrote < 1.5 * answer.size
    assert max(streamed, verified, listed) < answer.size / 8


# ---- tampering ----------------------------------------------------------------------------------------------


def two_answers(ledger: Ledger) -> tuple[int, int]:
    """Two settled questions; the sequences of their answers."""
    stocked(ledger)
    return tuple(ledger.settle(charge(ledger, q), {"of": q}).sequence for q in ("one", "two"))  # type: ignore[return-value]


def altered(opener: Opener) -> None:
    other = opener.blob('{"of":"eve"}')
    opener.execute(f"UPDATE releases SET content = {other} WHERE sequence = 5")


def removed(opener: Opener) -> None:
    opener.execute("DELETE FROM releases WHERE sequence = 5")


def shortened(opener: Opener) -> None:
    opener.execute(f"UPDATE releases SET content = {opener.blob('{}')} WHERE sequence = 5")


def lengthened(opener: Opener) -> None:
    opener.execute(f"INSERT INTO releases (sequence, part, content) VALUES (5, 1, {opener.blob(' ')})")


def renumbered(opener: Opener) -> None:
    opener.execute("UPDATE releases SET part = 1 WHERE sequence = 5")


def swapped(opener: Opener) -> None:
    for before, after in ((5, 1), (7, 5), (1, 7)):
        opener.execute(f"UPDATE releases SET sequence = {after} WHERE sequence = {before}")


def added(opener: Opener) -> None:
    opener.execute(f"INSERT INTO releases (sequence, part, content) VALUES (4, 0, {opener.blob('1')})")


def added_at_the_end(opener: Opener) -> None:
    charge(opener(), "open")
    opener.execute(f"INSERT INTO releases (sequence, part, content) VALUES (8, 0, {opener.blob('1')})")


NOT_THE_ONE = "the release of entry 5 is not the one that was settled"
GONE = "the release of entry 5 is missing, or a part of it"
FINDINGS: dict[Callable[[Opener], None], str] = {
    altered: NOT_THE_ONE,
    swapped: NOT_THE_ONE,
    lengthened: NOT_THE_ONE,
    removed: GONE,
    shortened: GONE,
    added: "a release is stored for entry 4, which names none",
    added_at_the_end: "a release is stored for entry 8, which names none",
}


@pytest.mark.parametrize("what", FINDINGS, ids=lambda what: what.__name__)
def test_verify_finds_every_tampering_with_releases(opener: Opener, what: Callable[[Opener], None]) -> None:
    two_answers(opener())
    opener.unlock_entries()
    what(opener)
    opener.lock_entries()
    with pytest.raises(LedgerDamaged) as error:
        opener().verify()
    assert str(error.value) == FINDINGS[what]


@pytest.mark.parametrize(
    ("what", "problem"),
    [(altered, NOT_THE_ONE), (swapped, NOT_THE_ONE), (removed, GONE), (renumbered, GONE)],
    ids=lambda what: getattr(what, "__name__", ""),
)
def test_an_answer_that_was_tampered_with_is_not_given(
    opener: Opener, what: Callable[[Opener], None], problem: str
) -> None:
    one, _ = two_answers(opener())
    opener.unlock_entries()
    what(opener)
    opener.lock_entries()
    with pytest.raises(LedgerDamaged, match=problem):
        ask(opener(), "one")
    with pytest.raises(LedgerDamaged, match=problem):
        list(opener().stream(one))


def test_a_long_answer_that_was_tampered_with_never_comes_to_its_end(opener: Opener) -> None:
    """Whichever piece was changed: who streams it knows before the last piece, and never has bytes that are not UTF-8."""
    ledger = stocked(opener())
    answer = ledger.settle(charge(ledger), LONG)  # type: ignore[arg-type]
    whole = list(ledger.stream(answer.sequence))
    opener.unlock_entries()
    content = opener.blob(b"\xff\x00" + whole[1][2:])
    opener.execute(f"UPDATE releases SET content = {content} WHERE sequence = 5 AND part = 1")
    opener.lock_entries()
    got: list[bytes] = []
    with pytest.raises(LedgerDamaged, match="not the one that was settled"):
        got.extend(opener().stream(answer.sequence))
    assert len(got) < len(whole)
    with pytest.raises(LedgerDamaged, match="not the one that was settled"):
        ask(opener())
    with pytest.raises(LedgerDamaged, match="not the one that was settled"):
        opener().verify()


def test_releases_cannot_be_changed_or_removed_by_ordinary_statements(opener: Opener) -> None:
    two_answers(opener())
    for statement in ("UPDATE releases SET part = 3", "DELETE FROM releases"):
        with pytest.raises(Exception, match="append-only"):
            opener.execute(statement)


@pytest.mark.parametrize("table", ["releases", "memberships", "registrations", "approvals"])
def test_verify_notices_that_the_guards_of_new_tables_are_gone(opener: Opener, table: str) -> None:
    ledger = stocked(opener())
    if opener.dsn:
        opener.execute(f"ALTER TABLE {table} DROP CONSTRAINT {table}_sequence_fkey")
    else:
        opener.execute(f"CREATE TRIGGER gift AFTER INSERT ON {table} BEGIN UPDATE accounts SET spent = '0'; END")
    with pytest.raises(LedgerDamaged, match="is not as the ledger made it"):
        ledger.verify()


def test_a_rewritten_settlement_holds_one_release_within_or_beside(opener: Opener) -> None:
    two_answers(opener())
    for change in (
        lambda body: body.pop("sha256"),
        lambda body: body.update(release=1),
        lambda body: body.update(sha256=7),
        lambda body: body.update(size="12"),
    ):
        opener.unlock_entries()
        (kept,) = opener.execute("SELECT body FROM entries WHERE sequence = 5")
        forge(opener, 5, change)
        opener.lock_entries()
        with pytest.raises(LedgerDamaged, match="entry 5 settles no release, or two"):
            opener().verify()
        opener.unlock_entries()
        forge(opener, 5, lambda body, kept=kept: (body.clear(), body.update(json.loads(kept[0])))[0])  # type: ignore[misc]
        opener.lock_entries()
    opener().verify()


def test_a_release_that_the_store_does_not_take_is_not_acknowledged(
    sqlite_opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The entry and its release are one commit: neither is there without the other."""
    ledger = stocked(sqlite_opener())
    receipt = charge(ledger)
    before = ledger.anchor()
    monkeypatch.setattr(releases, "PIECE", PIECE + 1)  # which the table's own CHECK refuses
    with pytest.raises(LedgerUnavailable, match="nothing was acknowledged"):
        ledger.settle(receipt, "x" * PIECE)
    monkeypatch.undo()
    assert ledger.anchor() == before
    ledger.settle(receipt, "x" * PIECE)
    ledger.verify()


def test_a_backup_holds_the_releases(sqlite_opener: Opener, tmp_path: Path) -> None:
    ledger = stocked(sqlite_opener())
    answer = ledger.settle(charge(ledger), LONG)  # type: ignore[arg-type]
    ledger.backup(tmp_path / "copy")
    with SqliteLedger(tmp_path / "copy") as copy:
        assert ask(copy) == answer
    sqlite_opener.unlock_entries()
    altered(sqlite_opener)
    sqlite_opener.lock_entries()
    with pytest.raises(LedgerDamaged, match=r"not the one that was settled|missing"):
        ledger.backup(tmp_path / "another copy")
    assert not (tmp_path / "another copy").exists()


def test_settling_again_alike_is_known_by_the_hash(opener: Opener) -> None:
    ledger = stocked(opener())
    receipt = charge(ledger)
    assert isinstance(receipt, Receipt)
    answer = ledger.settle(receipt, LONG)  # type: ignore[arg-type]
    assert ledger.settle(receipt, json.loads(json.dumps(LONG))) == answer
    with pytest.raises(LedgerMisuse, match="settled with another answer"):
        ledger.settle(receipt, {**LONG, "text": ""})  # type: ignore[dict-item]
