"""What is refused leaves no trace: caps are given when the sources are known, all of them or none."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import sfumato
from sfumato.curator import Session
from sfumato.curator.opening import caps_of, refusals
from sfumato.data import read_declaration
from sfumato.engines import DuckDBEngine
from sfumato.errors import InvalidDeclaration, LedgerMisuse, LedgerUnavailable
from sfumato.ledger import Budget, Caps, Limits, SqliteLedger

REST = '[unit]\nperson = "people.id"\n[tables.people]\nsource = "people.csv"\n[tables.people.columns]\nid = { type = "integer" }\n'


def write(
    folder: Path,
    *,
    budget: str = 'epsilon = "3"',
    column: str = "age",
    top: str = "",
    more: str = "",
    name: str = "people",
) -> Path:
    (folder / "people.csv").write_text("id,age\n1,20\n2,30\n", encoding="utf-8")
    path = folder / f"{name}.toml"
    path.write_text(
        f"{top}\n[budget]\n{budget}\n{more}\n{REST}{column} = {{ lower = 0, upper = 100 }}\n", encoding="utf-8"
    )
    return path  # fmt: skip


def entries(path: Path) -> list[str]:
    with SqliteLedger(path) as ledger:
        return [entry.body["kind"] for entry in ledger.entries()]


@pytest.mark.parametrize("act", [sfumato.open, sfumato.register], ids=["open", "register"])
def test_a_refused_registration_leaves_the_budget_to_be_changed(tmp_path: Path, act: Any) -> None:
    with pytest.raises(InvalidDeclaration, match="aeg"):
        act(write(tmp_path, column="aeg"))
    assert entries(tmp_path / "people.ledger") == []
    with sfumato.open(write(tmp_path, budget='epsilon = "1"')) as session:
        assert session.budget()[0].cap == 1


@pytest.mark.parametrize("act", [sfumato.open, sfumato.register], ids=["open", "register"])
def test_a_group_that_is_refused_leaves_no_caps_of_anybody(tmp_path: Path, act: Any) -> None:
    with SqliteLedger(tmp_path / "shared") as ledger:
        ledger.group("citizens", Budget.pure(epsilon=4))
    more = '[analysts.ada]\nepsilon = "1"\n[groups.all]\nepsilon = "9"\n[groups.citizens]\nepsilon = "5"\n'
    with pytest.raises(InvalidDeclaration, match=r"\[groups.citizens\] group `citizens` has other caps") as refused:
        act(write(tmp_path, top='ledger = "shared"', more=more))
    assert 'write epsilon = "4"' in refused.value.hint
    assert entries(tmp_path / "shared") == ["group"]
    assert not (tmp_path / "people.registration").exists(), "nothing was read for it"
    mended = more.replace('"5"', '"4"').replace('"1"', '"2"')
    made = act(write(tmp_path, top='ledger = "shared"', more=mended))
    if isinstance(made, Session):
        made.close()
    assert entries(tmp_path / "shared")[:6] == ["group", "register", "grant", "group", "join", "join"]


def test_caps_are_given_together_or_not_at_all(tmp_path: Path) -> None:
    with SqliteLedger(tmp_path / "l") as ledger:
        ledger.group("b", Budget.pure(epsilon=4))
        before = ledger.anchor()
        five = Limits(Budget.pure(epsilon=5))
        wanted = Caps("visits", five, {"ada": five}, {"a": five, "b": five})
        assert [(each.principal, each.group) for each in ledger.unwelcome(wanted)] == [("", "b")]
        with pytest.raises(LedgerMisuse, match="group `b` has other caps"):
            ledger.give(wanted)
        assert ledger.anchor() == before
        fits = Caps("visits", five, {"ada": five}, {"a": five})
        assert ledger.unwelcome(fits) == ()
        assert ledger.give(fits) == 5
        assert ledger.give(fits) == 5, "the same again changes nothing"
        others = Caps("visits", Limits(Budget.pure(epsilon=6)), {"ada": five, "bob": five}, {"a": five})
        with pytest.raises(LedgerMisuse, match="dataset `visits` has other caps"):
            ledger.give(others)
        ledger.verify()


def test_what_a_refusal_says_to_write_is_what_the_ledger_has(tmp_path: Path) -> None:
    caps = 'epsilon = "7/3"\ndelta = "1e-7"\naccounting = "renyi"\nmonth.epsilon = "0.5"'
    path = write(tmp_path, budget=caps)
    sfumato.register(path)
    with pytest.raises(InvalidDeclaration, match=r"\[budget\] differs") as refused:
        sfumato.open(write(tmp_path, budget='epsilon = "2"'))
    said = refused.value.hint.split("write ", 1)[1].split(", or choose", 1)[0]
    with sfumato.open(write(tmp_path, budget=said.replace(", ", "\n"))) as session:
        assert session.sql("SELECT COUNT(*) FROM people", epsilon="0.1").rows


# ---- an opening that fails leaves nothing open ----


@pytest.mark.parametrize("step", ["unwelcome", "give", "declare", "recover"])
def test_an_opening_that_fails_closes_all_it_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    opened: list[Any] = []
    closed: list[Any] = []
    for kind in (SqliteLedger, DuckDBEngine):
        monkeypatch.setattr(kind, "__init__", spied(kind.__init__, opened))
        monkeypatch.setattr(kind, "close", spied(kind.close, closed))
    failed = mock.Mock(side_effect=LedgerUnavailable("the ledger could not be written"))
    monkeypatch.setattr(SqliteLedger, step, failed)
    with pytest.raises(LedgerUnavailable, match="could not be written"):
        sfumato.open(write(tmp_path))
    assert failed.called
    assert len(opened) == (1 if step == "unwelcome" else 2)
    assert closed == opened[::-1]


def spied(honest: Callable[..., None], seen: list[Any]) -> Callable[..., None]:
    def spying(self: Any, *args: Any, **about: Any) -> None:
        honest(self, *args, **about)
        seen.append(self)

    return spying


# ---- groups need a ledger that is shared ----

GROUP = '[groups.citizens]\nepsilon = "4"\n'


@pytest.mark.parametrize("act", [sfumato.open, sfumato.register], ids=["open", "register"])
def test_a_group_without_a_shared_ledger_is_refused_with_the_line_to_write(tmp_path: Path, act: Any) -> None:
    with pytest.raises(InvalidDeclaration, match=r"\[groups.citizens\] is a cap over several datasets") as refused:
        act(write(tmp_path, more=GROUP))
    assert not list(tmp_path.glob("*.ledger"))
    line = refused.value.hint.removeprefix("write ").split(" at the top")[0]
    for name in ("tax", "health"):
        with sfumato.open(write(tmp_path, name=name, top=line, more=GROUP)) as session:
            session.sql("SELECT COUNT(*) FROM people", epsilon="1.5")
            left = [each.remaining for each in session.budget() if each.group]
    assert left == [1], "both were charged to the one group"


# ---- what the ledger would refuse ----


def test_what_would_be_refused_is_told_and_nothing_is_made(tmp_path: Path) -> None:
    path = write(tmp_path)
    assert refusals(path) == (False, [])
    assert not (tmp_path / "people.ledger").exists()
    sfumato.register(path)
    before = entries(tmp_path / "people.ledger")
    assert refusals(path) == (True, [])
    path.write_text(path.read_text().replace('"3"', '"4"').replace('person = "people.id"', "rows = true"))
    looked, found = refusals(path)
    assert looked
    assert [error.problem.split(":")[0] for error in found] == [
        "dataset `people` protects people.id, and not each row",
        "[budget] differs from what the ledger has",
    ]
    assert entries(tmp_path / "people.ledger") == before
    assert caps_of(read_declaration(path)).dataset == "people"


# ---- no password ----


@pytest.mark.parametrize("address", [
    "postgresql://ada:secret@db/ledger", "postgres://ada%3Asecret@db/ledger", "postgresql://db/ledger?password=secret",
])  # fmt: skip
def test_a_password_in_the_ledger_s_address_is_refused_without_a_word_of_it(tmp_path: Path, address: str) -> None:
    with pytest.raises(InvalidDeclaration, match="ledger has a password in it") as refused:
        read_declaration(write(tmp_path, top=f'ledger = "{address}"'))
    assert "secret" not in str(refused.value)
    assert "~/.pgpass or PGPASSWORD" in refused.value.hint
    assert "write ledger = " in refused.value.hint
