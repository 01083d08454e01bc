"""What publications were once caught at, each a test: charges that could never be used, twins that are private, files."""

import json
import os
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import sfumato
from publications import PLAN, WHOLE, clinic
from sfumato import Publication
from sfumato.errors import InvalidDeclaration, InvalidParameter
from sfumato.ledger import Patience, Receipt, Refused

pytestmark = pytest.mark.slow


def spent(curator: Any) -> float:
    return float(curator._ledger.balances("clinic")[0].spent)


@pytest.mark.parametrize("plan", [
    {**WHOLE, "measure": [{"kind": "total"}]},
    {**PLAN, "measure": [{"kind": "marginals", "of": [["ward", "sex"]]}]},
    {**PLAN, "rows": "top-down"},
    {**PLAN, "measure": [{"kind": "ranges", "of": "age"}, {"kind": "marginals", "of": [["ward", "sex"]]}]},
    {**PLAN, "name": " "},
])  # fmt: skip
def test_rows_that_cannot_be_made_are_refused_before_the_charge(tmp_path: Path, plan: dict[str, Any]) -> None:
    with sfumato.open_curator(clinic(tmp_path)) as curator:
        for ask in (
            curator.explain_publication,
            lambda plan, **price: curator.publish(plan, out=tmp_path / "out", **price),
        ):
            with pytest.raises(InvalidDeclaration):
                ask(plan, epsilon=1)
        assert spent(curator) == 0
    assert not (tmp_path / "out").exists()


def test_a_twin_that_is_a_private_source_is_refused_before_the_charge(tmp_path: Path) -> None:
    """By its path, through a link, or as a copy of it; a file that is not there too."""
    declared = clinic(tmp_path)
    (tmp_path / "link.csv").symlink_to(tmp_path / "visits.csv")
    (tmp_path / "copy.csv").write_bytes((tmp_path / "visits.csv").read_bytes())
    with sfumato.open_curator(declared) as curator:
        for name in ("visits.csv", "link.csv", "copy.csv", "none.csv"):
            with pytest.raises(InvalidParameter, match="twin"):
                curator.publish({**WHOLE, "twin": str(tmp_path / name)}, out=tmp_path / "out", epsilon=1)
        assert spent(curator) == 0


def test_a_statement_names_the_digest_of_its_twin(tmp_path: Path) -> None:
    (tmp_path / "twin.csv").write_text("ward,sex,age\nsurgery,F,1\noncology,M,2\n")
    with sfumato.open_curator(clinic(tmp_path)) as curator:
        made = curator.publish({**WHOLE, "twin": str(tmp_path / "twin.csv")}, out=tmp_path / "out", epsilon=1)
        assert len(made.statement["twin"]["sha256"]) == 64
        assert curator.publish(WHOLE, out=tmp_path / "other", epsilon=1).statement["twin"] is None


def test_an_owner_who_looked_frees_the_places_of_publications_that_were_left(tmp_path: Path) -> None:
    """They may still fail, so they count among those that may; unlocking gives up the old ones, and they stay spent."""
    with sfumato.open_curator(clinic(tmp_path)) as curator:
        ledger = curator._ledger
        about: dict[str, Any] = {"dataset": "clinic", "principal": "analyst", "data_version": "1",
                                 "event": sfumato.accounting.events.Pure("1/10"), "patience": Patience(2, 2)}  # fmt: skip

        def ask(key: str, *, resumable: bool = True) -> Any:
            name = f"{abs(hash(key)):064x}"[-64:]
            return ledger.reserve(**about, idempotency_key=key, request_hash=name, resumable=resumable)

        assert all(isinstance(ask(f"publication {i}"), Receipt) for i in range(2))
        held = ask("a question", resumable=False)
        assert isinstance(held, Refused)
        assert "unfinished publications count" in (held.hint or "")
        ledger.unlock(dataset="clinic", principal="", reason="looked")
        assert isinstance(ask("a question", resumable=False), Refused), "they are young: somebody may be at it"
        with mock.patch("sfumato.ledger.owner.GIVEN_UP_AFTER", 0):
            ledger.unlock(dataset="clinic", principal="", reason="looked")
        assert isinstance(ask("a question", resumable=False), Receipt)
        assert isinstance(ask("publication 0"), Refused), "what was given up is not gone on with"
        assert spent(curator) == pytest.approx(0.3)
        ledger.verify()


def test_long_names_in_any_letters_have_files(tmp_path: Path) -> None:
    name = "漢" * 60
    declared = clinic(tmp_path)
    plan = {**WHOLE, "from": f'SELECT person, ward AS "{name}", sex FROM visits', "columns": [name, "sex"]}
    with sfumato.open_curator(declared) as curator:
        made = curator.publish(plan, out=tmp_path / "out", epsilon=1)
    assert made.marginal(name)
    assert all(len(each.name.encode()) < 200 for each in (tmp_path / "out" / "tables").iterdir())


def test_rows_and_folders_are_durable_before_the_statement(tmp_path: Path) -> None:
    synced: list[str] = []
    real = os.fsync

    def seen(handle: int) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{handle}"))
        real(handle)

    with sfumato.open_curator(clinic(tmp_path)) as curator, mock.patch("os.fsync", seen):
        curator.publish(WHOLE, out=tmp_path / "deep" / "out", epsilon=1)
    names = [Path(each).name for each in synced]
    assert {".rows.parquet.part", ".rows.csv.part"} <= set(names)
    assert str(tmp_path / "deep") in synced


@pytest.mark.parametrize("change", [
    {"epsilon": {"number": 0.001, "exact": "1/1000"}}, {"delta": {"number": 0.1, "exact": "1/10"}}, {"files": {}},
    {"rows": {"number": 9, "made_of": "x", "file": "../visits.csv"}},
])  # fmt: skip
def test_a_statement_is_checked_against_itself(tmp_path: Path, change: dict[str, Any]) -> None:
    with sfumato.open_curator(clinic(tmp_path)) as curator:
        curator.publish(WHOLE, out=tmp_path / "out", epsilon=1)
    place = tmp_path / "out" / "privacy.json"
    place.write_text(json.dumps({**json.loads(place.read_text()), **change}))
    if "rows" in change:  # another file than the one that was published is not asked
        assert Publication.open(tmp_path / "out").rows == tmp_path / "out" / "rows.parquet"
        return
    with pytest.raises(InvalidParameter):
        Publication.open(tmp_path / "out")
