"""End to end with the ledger: races, kills, replays, several analysts, windows and other currencies."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import clinic
import sfumato
from sfumato.errors import (
    BudgetExceeded,
    EngineFailed,
    InvalidDeclaration,
    InvalidParameter,
    InvalidQuestion,
    SfumatoError,
)

HERE = Path(__file__).parents[1]


def tortured(*words: str) -> dict[str, Any]:
    """What the torture found, in a process of its own: it forks, and an engine may run in this one."""
    done = subprocess.run(
        [sys.executable, str(HERE / "curator_torture.py"), *words],
        capture_output=True, text=True, check=True, timeout=550, env={**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)},
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_eight_processes_never_exceed_the_cap_by_one_unit() -> None:
    found = tortured("race", "--questions", "5")
    assert found["answered"] == 25
    assert found["refused"] == 15
    assert Fraction(found["spent"]) == Fraction(found["cap"])


def check_kills(found: dict[str, Any], times: int) -> None:
    assert found["killed"] == times
    assert found["answered"] > 0
    assert found["uncharged"] == found["wrong"] == found["charged_again"] == 0
    assert found["answered"] <= found["charged"] <= found["answered"] + times
    assert found["spent_by_looking"] == "0"


def test_a_killed_curator_has_answered_nothing_uncharged() -> None:
    check_kills(tortured("kill", "--times", "12"), 12)


@pytest.mark.torture
def test_a_curator_killed_two_hundred_times_has_answered_nothing_uncharged() -> None:
    check_kills(tortured("kill", "--times", "200"), 200)


def test_a_replayed_key_returns_the_stored_release(clean: Path, opened: Any, reads: list[Any]) -> None:
    curator = opened(clean, epsilon="3", delta="1e-6")
    first = curator.sql("SELECT COUNT(*) AS n FROM visits", epsilon=1, key="request 1")
    again = curator.sql("SELECT COUNT(*) AS m FROM visits", epsilon=1, key="request 1")
    assert (again.value, again.repeated, again.receipt) == (first.value, True, first.receipt)
    assert again.cost.is_free
    assert len(reads) == 1
    with pytest.raises(SfumatoError):
        curator.sql("SELECT COUNT(*) AS n FROM users", epsilon=1, key="request 1")
    assert len(reads) == 1


def test_another_curator_of_the_same_ledger_knows_the_answer(clean: Path, tmp_path: Path, opened: Any) -> None:
    first = opened(clean, ledger=tmp_path / "shared").sql("SELECT COUNT(*) FROM visits", epsilon=1)
    other = opened(clean, ledger=tmp_path / "shared").sql("SELECT COUNT(*) FROM visits", epsilon=1)
    assert other.repeated
    assert other.value == first.value


def test_new_data_are_asked_anew(tmp_path: Path, opened: Any) -> None:
    clinic.build(tmp_path, users=50)
    curator = opened(tmp_path)
    assert not curator.sql("SELECT COUNT(*) FROM users", epsilon=50).repeated
    clinic.build(tmp_path, users=500)
    assert curator.sql("SELECT COUNT(*) FROM users WHERE age > 0", epsilon=50).value < 100, "what was registered"
    with pytest.raises(InvalidDeclaration, match=r"users.parquet is not what was registered") as refused:
        sfumato.open(tmp_path / "clinic.toml", ledger=tmp_path / "0.ledger")
    assert "sfumato register" in refused.value.hint
    sfumato.register(tmp_path / "clinic.toml", ledger=tmp_path / "0.ledger")
    with sfumato.open(tmp_path / "clinic.toml", ledger=tmp_path / "0.ledger") as later:
        spent = later.budget()[0].spent
        again = later.sql("SELECT COUNT(*) FROM users", epsilon=50)
        assert not again.repeated
        assert again.value > 400
        assert later.budget()[0].spent == spent + 50


ANALYSTS = """
[analysts.ann]
epsilon = "2"
delta = "1e-7"
[analysts.bob]
epsilon = "1"
delta = "1e-7"
"""


def test_analysts_have_budgets_of_their_own_below_the_dataset(clean: Path, tmp_path: Path) -> None:
    about = clinic.declare(clean, epsilon="2.5", delta="1e-6", more=ANALYSTS)
    with pytest.raises(InvalidParameter, match="declared"):
        sfumato.open(about, ledger=tmp_path / "ledger")
    with pytest.raises(InvalidParameter, match="declared"):
        sfumato.open(about, ledger=tmp_path / "ledger", analyst="eve")
    with (
        sfumato.open(about, ledger=tmp_path / "ledger", analyst="ann") as ann,
        sfumato.open(about, ledger=tmp_path / "ledger", analyst="bob") as bob,
    ):
        ann.sql("SELECT COUNT(*) FROM visits", epsilon=2)
        with pytest.raises(BudgetExceeded):
            ann.sql("SELECT COUNT(*) FROM users", epsilon="0.1")
        with pytest.raises(BudgetExceeded):
            bob.sql("SELECT COUNT(*) FROM users", epsilon="0.6")
        bob.sql("SELECT COUNT(*) FROM users", epsilon="0.5")
        assert [(each.principal, each.left) for each in bob.remaining()] == [("", 0), ("bob", Fraction(1, 2))]
        assert bob.explain("SELECT COUNT(*) FROM users WHERE age > 3", epsilon="0.5").affordable is False


def test_a_window_renews_and_holds(clean: Path, tmp_path: Path) -> None:
    text = (
        clinic.declare(clean, epsilon="3")
        .read_text()
        .replace("[unit]", '[budget.day]\nepsilon = "1"\ndelta = "1e-3"\n[unit]')
    )
    (clean / "windows.toml").write_text(text)
    with sfumato.open(clean / "windows.toml", ledger=tmp_path / "ledger") as curator:
        curator.sql("SELECT COUNT(*) FROM visits", epsilon=1)
        with pytest.raises(BudgetExceeded):
            curator.sql("SELECT COUNT(*) FROM users", epsilon="0.5")
        assert ("windows", "day") in [(each.dataset, each.period) for each in curator.remaining()]


def rho_budget(clean: Path, tmp_path: Path) -> Any:
    text = (
        clinic.declare(clean)
        .read_text()
        .replace('epsilon = "1000"', 'rho = "2"')
        .replace('delta = "1e-3"', 'delta = "1e-5"')
    )
    (clean / "rho.toml").write_text(text)
    return sfumato.open(clean / "rho.toml", ledger=tmp_path / "rho.ledger")


def test_a_budget_of_rho_takes_questions_in_rho_and_in_epsilon(clean: Path, tmp_path: Path) -> None:
    with rho_budget(clean, tmp_path) as curator:
        told = curator.explain(
            "SELECT category, COUNT(*) AS n, SUM(amount) AS s FROM visits GROUP BY category", rho="0.5"
        )
        answer = curator.sql(
            "SELECT category, COUNT(*) AS n, SUM(amount) AS s FROM visits GROUP BY category", rho="0.5"
        )
        assert answer.cost == told.cost
        assert answer.cost.rho is not None
        assert Fraction(49, 100) < answer.cost.rho <= Fraction(1, 2)
        left = curator._ledger.balances("rho")[0].remaining
        assert 2 - answer.cost.rho - Fraction(1, 10**20) < left <= 2 - answer.cost.rho  # rounded against the asker
        told = curator.explain("SELECT COUNT(*) FROM visits", epsilon=1)
        assert float(told.remaining[0].left) == pytest.approx(float(left) - 0.5, abs=1e-4)
        curator.sql("SELECT COUNT(*) FROM visits", epsilon=1)
        assert curator._ledger.balances("rho")[0].remaining >= left - Fraction(1, 2)
        answer = curator.sql("SELECT city, COUNT(*) AS n FROM visits GROUP BY city", rho="0.25", delta="1e-6")
        assert len(answer) == 8
        assert 0 < answer.cost.delta <= Fraction(1, 10**6)
        with pytest.raises(BudgetExceeded):
            curator.sql("SELECT COUNT(*) FROM users", rho=2)


def test_accuracy_is_a_price(clean: Path, opened: Any) -> None:
    curator = opened(clean)
    told = curator.explain("SELECT COUNT(*) AS n FROM visits", within=10)
    assert [(each.name, each.error.kind) for each in told.columns] == [("n", "within")]
    assert told.columns[0].error.figure == pytest.approx(10, rel=1e-5)
    assert told.columns[0].error.figure <= 10
    cheaper = told.cost.epsilon - Fraction(1, 10**6)
    assert curator.explain("SELECT COUNT(*) AS n FROM visits", epsilon=cheaper).columns != told.columns
    answer = curator.sql("SELECT COUNT(*) AS n FROM visits", within=10)
    assert answer.cost == told.cost
    low, high = answer.intervals[0]["n"]
    assert high - low == pytest.approx(20, rel=1e-4)
    loose = curator.explain(
        "SELECT COUNT(*) AS n, SUM(amount) AS s FROM visits", within={"s": "5000"}, confidence="0.9"
    )
    assert loose.cost.epsilon < told.cost.epsilon * 300
    with pytest.raises(InvalidParameter, match="the most that it may cost"):
        curator.explain("SELECT AVG(amount) AS a FROM visits", within=1)
    with pytest.raises(InvalidParameter, match="count or a sum"):
        curator.explain("SELECT MEDIAN(amount) AS a FROM visits", within=1)


def test_a_changed_budget_is_refused_by_the_ledger(clean: Path, tmp_path: Path) -> None:
    sfumato.open(clinic.declare(clean, epsilon="1"), ledger=tmp_path / "ledger").close()
    with pytest.raises(InvalidDeclaration, match="differs"):
        sfumato.open(clinic.declare(clean, epsilon="2"), ledger=tmp_path / "ledger")


def test_the_owner_may_have_answers_leave_at_even_times(
    clean: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    about = clinic.declare(clean, more="\n[defaults]\nanswer_every = 30\nepsilon = 0.5\ndelta = 1e-6\n")
    with sfumato.open(about, ledger=tmp_path / "ledger") as curator:
        curator.pace = replace(curator.pace, sleep=slept.append)
        assert curator.sql("SELECT COUNT(*) FROM visits").cost.epsilon == Fraction(1, 2)
        assert curator.sql("SELECT city, COUNT(*) FROM visits GROUP BY city").cost.delta <= Fraction(1, 10**6)
        curator.noisy_max("SELECT category, COUNT(*) FROM visits GROUP BY category", epsilon=1)
        curator.above_threshold(10**6, epsilon=1).ask("SELECT COUNT(*) FROM users")
        monkeypatch.setattr(curator.curator._engine, "aggregate", mock.Mock(side_effect=EngineFailed("late")))
        with pytest.raises(EngineFailed):
            curator.sql("SELECT COUNT(*) FROM users")
    assert len(slept) == 6
    assert all(0 < each <= 30 for each in slept)


def test_opening_says_what_is_missing(clean: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="file, a dictionary or a Dataset"):
        sfumato.open(3)  # type: ignore[arg-type]
    with pytest.raises(InvalidDeclaration, match="cannot read the declaration"):
        sfumato.open(tmp_path / "nowhere.toml")
    about = {"budget": {"epsilon": "1"}, "unit": {"rows": True}, "tables": {"t": {"source": "nowhere.parquet"}}}
    with pytest.raises(InvalidDeclaration, match="where the ledger"):
        sfumato.open(about)
    with pytest.raises(InvalidDeclaration, match="no file"):
        sfumato.open(about, ledger=tmp_path / "ledger")
    with sfumato.open(clinic.declare(clean), ledger=tmp_path / "other") as curator, pytest.raises(InvalidQuestion):
        curator.sql(3, epsilon=1)  # type: ignore[arg-type]
