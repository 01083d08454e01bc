"""What version 0.1 wrote still opens and still means what it meant."""

import base64
import contextlib
import hashlib
import io
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sfumato
from json_schema import faults
from ledger_cases import SHARED_SERVER, START, Clock, database_on, postgres_server
from sfumato.accounting import events, from_json
from sfumato.cli import main
from sfumato.cli.check import _USES
from sfumato.curator import Release
from sfumato.curator.documents import schema
from sfumato.errors import InvalidParameter
from sfumato.ledger import Answered, Budget, Ledger, PostgresLedger, Receipt, SqliteLedger
from sfumato.local import Aggregator, from_document

KEPT = Path(__file__).parent / "0.1"
ANCHORS: dict[str, str] = json.loads((KEPT / "anchors.json").read_text(encoding="utf-8"))
SAID = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted((KEPT / "json").glob("*.json"))}
DOCUMENTS = json.loads((KEPT / "protocols.json").read_text(encoding="utf-8"))
COUNTED = json.loads((KEPT / "aggregators.json").read_text(encoding="utf-8"))
SCHEMA = schema()
KINDS = {"register", "grant", "reserve", "share", "settle", "lose", "refund", "restore"}


def _put(kept: Path, to: Path) -> None:
    """A ledger for its owner alone: a checkout keeps no such modes."""
    shutil.copy(kept, to)
    to.chmod(0o600)


@contextlib.contextmanager
def _postgres() -> Iterator[str]:
    import psycopg

    shared = os.environ.get(SHARED_SERVER)
    with (
        tempfile.TemporaryDirectory() as folder,
        database_on(shared) if shared else postgres_server(Path(folder)) as dsn,
    ):
        with psycopg.connect(dsn, autocommit=True) as raw:
            raw.execute((KEPT / "spending.sql").read_text(encoding="utf-8").encode())
        yield dsn


@pytest.fixture(params=["sqlite", "postgres"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    clock = Clock()
    clock.now = START + 4000 * 10**9
    if request.param == "sqlite":
        _put(KEPT / "spending.ledger", tmp_path / "spending.ledger")
        with SqliteLedger(tmp_path / "spending.ledger", anchor=ANCHORS["sqlite"], clock=clock) as opened:
            yield opened
        return
    with (
        _postgres() as dsn,
        PostgresLedger(dsn, anchor=ANCHORS["postgres"], clock=clock) as opened,
    ):
        yield opened


def test_a_ledger_of_every_kind_of_entry_opens_verifies_and_goes_on(ledger: Ledger) -> None:
    before = ledger.verify()
    assert before in ANCHORS.values()
    assert {entry.body["kind"] for entry in ledger.entries()} >= KINDS
    spent = {str(balance.spent) for balance in ledger.balances("visits", "ada")}
    assert spent == {"19/20"}  # 0.5 asked, 0.25 lost with a disk, 0.2 left open
    charged = ledger.reserve(
        dataset="visits", principal="ada", event=events.Pure(1), request_hash="0" * 64, idempotency_key="new", data_version="v1"
    )  # fmt: skip
    assert isinstance(charged, Receipt)
    ledger.settle(charged, {"keys": [], "noisy": []})
    assert ledger.verify() != before


def test_every_stored_answer_of_a_kept_ledger_is_still_given(ledger: Ledger) -> None:
    """Its releases stay in their entries, where the chain has them."""
    settled = {entry.sequence: entry.body for entry in ledger.entries() if entry.body["kind"] == "settle"}
    asked = {entry.sequence: entry.body for entry in ledger.entries() if entry.body["kind"] == "reserve"}
    assert settled
    for sequence, body in settled.items():
        text = b"".join(ledger.stream(sequence))
        assert json.loads(text) == body["release"]
        first = asked[body["reserve"]]
        about = {name: first[name] for name in ("dataset", "principal", "request_hash", "data_version")}
        event = from_json(first["event"])
        answer = ledger.reserve(**about, event=event, idempotency_key=f"again {sequence}", question="said anew")
        assert isinstance(answer, Answered)
        assert (answer.sequence, answer.release) == (sequence, body["release"])
        assert answer.sha256 == hashlib.sha256(text).hexdigest()


def test_a_dataset_of_a_kept_ledger_joins_a_group_with_what_it_spent(ledger: Ledger) -> None:
    ledger.group("people", Budget.pure(epsilon="10", delta="1e-6"))
    ledger.join("visits", "people")
    whole, *_, group = ledger.balances("visits")
    assert (group.group, group.spent, group.delta_spent) == ("people", whole.spent, whole.delta_spent)
    ledger.approve(dataset="visits", principal="ada", request_hash="0" * 64, note="yes")
    ledger.registered("visits", data_version="v1", digest="d")
    assert ledger.verify() == ledger.anchor()


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(KEPT / "clinic", tmp_path / "clinic")
    _put(KEPT / "clinic.ledger", tmp_path / "clinic" / "clinic.ledger")
    monkeypatch.chdir(tmp_path / "clinic")
    return tmp_path / "clinic"


@pytest.mark.parametrize(
    ("file", "analyst", "price"),
    [
        ("clinic.toml", "ada", {"epsilon": "0.5"}),
        ("readings.yaml", None, {"rho": "0.01"}),
        ("renyi.toml", None, {"epsilon": "0.5"}),
    ],
)
def test_a_declaration_opens_and_its_questions_are_answered(
    clinic: Path, file: str, analyst: str | None, price: dict[str, Any]
) -> None:
    table = "readings" if "readings" in file else "visits"
    with sfumato.open(clinic / file, analyst=analyst) as curator:
        answer = curator.sql(f"SELECT COUNT(*) AS n, AVG(amount) AS a FROM {table}", **price)
        assert abs(answer.rows[0]["n"] - (200 if table == "readings" else 1000)) < 900
        curator.verify()


def _keys(value: Any) -> Any:
    """The shape of a document: names at every depth, the first element of a list for all."""
    if isinstance(value, dict):
        return {name: _keys(inner) for name, inner in value.items()}
    return [_keys(value[0])] if isinstance(value, list) and value else type(value).__name__


def _holds(now: Any, then: Any) -> bool:
    """Whether everything that was there is there; new names may have come."""
    if isinstance(then, dict):
        return isinstance(now, dict) and all(name in now and _holds(now[name], then[name]) for name in then)
    if isinstance(then, list):
        return isinstance(now, list) and (not now or not then or _holds(now[0], then[0]))
    return True


def _said(words: list[str]) -> tuple[int, Any]:
    """How a command ends, and the JSON that it says."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        code = main(words)
    return code, json.loads(out.getvalue())


def test_what_check_says_as_json_still_has_every_field_or_the_data_that_its_words_told(clinic: Path) -> None:
    code, now = _said(SAID["check"]["words"])
    assert code == SAID["check"]["exit"]
    assert faults(now, SCHEMA) == []
    told = {"known": ("lower", "upper", "grid", "values"), "use": ("role",)}
    assert now["dataset"] == SAID["check"]["stdout"]["dataset"]
    for column, then in zip(now["columns"], SAID["check"]["stdout"]["columns"], strict=True):
        assert all(column[name] == value for name, value in then.items() if name not in told)
        assert all(name in column for names in told.values() for name in names)
        if then["known"].endswith("public values"):
            assert f"{column['values']} public values" == then["known"]
        elif then["known"]:
            lower, upper, grid = (f"{column[name]['number']:g}" for name in ("lower", "upper", "grid"))
            assert f"{lower} to {upper} by {grid}" == then["known"]
        assert _USES[column["role"]] == then["use"]


RENAMED = {
    "sql": {"remaining": "remaining"},
    "explain": {"columns": "columns", "remaining": "remaining"},
    "budget": {"budget": "principal", "remaining": "left"},
}
"""What became of fields that hold something else since documents say their version: names, by the words of a command."""


@pytest.mark.parametrize(
    "name", ["sql-count", "sql-groups", "sql-keys", "sql-within", "explain", "budget", "budget-renyi", "log"]
)
def test_every_field_of_a_document_is_in_the_one_that_is_written_now(clinic: Path, name: str) -> None:
    then = SAID[name]
    code, now = _said(then["words"])
    assert code == then["exit"]
    assert faults(now, SCHEMA) == []
    renamed = RENAMED.get(then["words"][0], {})
    if isinstance(then["stdout"], list):  # a list became a document that holds it
        (now,) = [each for each in now.values() if isinstance(each, list)]
        now, fields = now[0], then["stdout"][0]
    else:
        fields = then["stdout"]
    assert {renamed.get(field, field) for field in fields} <= set(now)


def test_a_refusal_says_as_json_what_it_said_in_words(clinic: Path) -> None:
    then = SAID["sql-refused"]
    code, now = _said(then["words"])
    assert code == then["exit"]
    assert faults(now, SCHEMA) == []
    assert then["stderr"][0].removeprefix("error: ") in now["problem"], "and more budgets are named than the first"
    assert [each["principal"] for each in now["shortfalls"]] == ["", "", "ada"]


@pytest.mark.parametrize("name", [name for name in SAID if name.startswith("sql-") and SAID[name]["stdout"]])
def test_an_answer_written_by_0_1_is_refused_with_the_line_to_write_instead(clinic: Path, name: str) -> None:
    with pytest.raises(InvalidParameter, match=r"this is what 0\.1 wrote") as caught:
        Release.from_json(SAID[name]["stdout"])
    assert "sfumato sql '…' --json" in caught.value.hint
    code, now = _said(SAID[name]["words"])
    assert code == 0
    assert Release.from_json(now).columns == tuple(SAID[name]["stdout"]["columns"])


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_protocol_document_is_read_and_written_alike(name: str) -> None:
    assert from_document(DOCUMENTS[name]).document() == DOCUMENTS[name]


@pytest.mark.parametrize("name", COUNTED)
def test_the_bytes_of_an_aggregator_are_read_alike(name: str) -> None:
    then = COUNTED[name]
    read = Aggregator.from_bytes(base64.b64decode(then["bytes"]))
    assert (read.people, read.counts.ravel().tolist(), dict(read.rejected)) == (
        then["people"],
        then["counts"],
        then["rejected"],
    )
    assert Aggregator.from_bytes(read.to_bytes()).people == then["people"]
