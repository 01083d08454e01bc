"""What an explanation says of budgets is what a question would do to them: charged, left, and refused by whom."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import clinic
import sfumato
from sfumato.errors import BudgetExceeded

COUNT = "SELECT COUNT(*) AS n FROM visits"


def told_and_done(session: Any, **price: Any) -> None:
    """Explain, then ask: both say the same of every budget."""
    told = session.explain(COUNT, **price)
    before = session.remaining()
    if told.affordable:
        assert told.remaining != before
        assert session.sql(COUNT, **price).remaining == told.remaining == session.remaining()
        assert told.shortfalls == ()
        return
    assert told.remaining == before
    with pytest.raises(BudgetExceeded) as caught:
        session.sql(COUNT, **price)
    assert caught.value.shortfalls == told.shortfalls
    assert caught.value.problem in str(told)
    assert caught.value.hint in str(told)


@pytest.mark.parametrize("price", [{"epsilon": "0.5"}, {"epsilon": "3.5"}, {"rho": "0.1"}, {"rho": 100}])
@pytest.mark.parametrize(
    "budget",
    ["epsilon = 3", "rho = 1\ndelta = 1e-6", 'epsilon = 3\ndelta = 1e-6\naccounting = "renyi"'],
    ids=["epsilon", "rho", "renyi"],
)
def test_an_explanation_says_what_the_question_will_do(
    clean: Path, tmp_path: Path, budget: str, price: dict[str, Any]
) -> None:
    text = clinic.declare(clean).read_text().split("[unit]")
    (clean / "quotes.toml").write_text(f"[budget]\n{budget}\n[unit]{text[1]}")
    with sfumato.open(clean / "quotes.toml", ledger=tmp_path / "ledger") as session:
        told_and_done(session, **price)


def test_rho_on_a_budget_of_epsilon_is_not_affordable(clean: Path, opened: Any) -> None:
    session = opened(clean, epsilon="3")
    told = session.explain(COUNT, rho="0.1")
    assert not told.affordable
    assert [(each.principal, each.cost, each.left) for each in told.shortfalls] == [("", None, 3), ("analyst", None, 3)]
    assert "then left" not in str(told)
    with pytest.raises(BudgetExceeded, match="no finite price in ε") as caught:
        session.sql(COUNT, rho="0.1")
    assert caught.value.hint == "this budget counts in ε: ask with epsilon"
    assert session.explain(COUNT, epsilon="0.1").affordable


def test_what_is_left_of_delta_is_told(clean: Path, opened: Any) -> None:
    session = opened(clean, epsilon="3", delta="1e-6")
    told = session.explain("SELECT city, COUNT(*) AS n FROM visits GROUP BY city", epsilon=1, delta="1e-7")
    assert all(Fraction(9, 10**7) <= each.delta_left < Fraction(1, 10**6) for each in told.remaining)
    assert told.to_json()["remaining"][0]["delta_left"]["number"] == float(told.remaining[0].delta_left)
    dear = session.explain("SELECT city, COUNT(*) AS n FROM visits GROUP BY city", epsilon=1, delta="1e-5")
    assert {(each.currency, each.left) for each in dear.shortfalls} == {("delta", Fraction(1, 10**6))}
