"""A declared dataset answers, charges first, remembers, and refuses."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

import clinic
import sfumato
from sfumato.curator import Session
from sfumato.errors import BudgetExceeded


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("clinic")
    clinic.build(made, users=2000)
    return made


@pytest.fixture
def curator(folder: Path, tmp_path: Path) -> Iterator[Session]:
    with sfumato.open(clinic.declare(folder, epsilon="3", delta="1e-6"), ledger=tmp_path / "spent.ledger") as made:
        yield made


def test_a_count_comes_with_its_error_bar_cost_and_what_remains(curator: Session, folder: Path) -> None:
    answer = curator.sql("SELECT COUNT(*) AS n FROM visits", epsilon=1)
    (exact,) = clinic.truth(folder, "SELECT COUNT(*) FROM visits")[0]
    assert abs(answer.value - exact) < 6 * 5
    assert answer.cost.epsilon == 1
    assert [(each.dataset, each.principal, each.left) for each in answer.remaining] == [  # type: ignore[comparison-overlap]
        ("clinic", "", 2),
        ("clinic", "analyst", 2),
    ]
    assert [str(each) for each in answer.remaining] == ["ε = 2 of dataset clinic", "ε = 2 of analyst analyst"]
    assert answer.intervals[0]["n"] is not None


def test_the_same_question_is_free_and_the_same(curator: Session) -> None:
    first = curator.sql("SELECT COUNT(*) AS n FROM visits WHERE day < 9 AND user_id = 42", epsilon="0.5")
    again = curator.sql("select count(*)\n from visits /* again */ where 42 = user_id AND day < 9", epsilon=0.5)
    assert again.repeated
    assert again.cost.is_free
    assert again.value == first.value


def test_the_budget_ends(curator: Session) -> None:
    curator.sql("SELECT COUNT(*) FROM visits", epsilon=Fraction(5, 2))
    with pytest.raises(BudgetExceeded):
        curator.sql("SELECT COUNT(*) FROM users", epsilon="0.6")
    assert curator.sql("SELECT COUNT(*) FROM users", epsilon="0.5").cost.epsilon == Fraction(1, 2)


def test_the_order_of_a_unions_parts_does_not_count(curator: Session) -> None:
    parts = ["SELECT user_id, city FROM users", "SELECT user_id, city FROM visits"]
    first, again = (
        curator.sql(f"SELECT COUNT(*) FROM ({' UNION ALL '.join(turned)}) t", epsilon="0.1")
        for turned in (parts, parts[::-1])
    )
    assert again.repeated
    assert again.value == first.value


def test_a_question_about_tables_declared_otherwise_is_another(folder: Path, tmp_path: Path) -> None:
    grouped = "SELECT category, COUNT(*) FROM visits GROUP BY category"
    path = clinic.declare(folder, epsilon="1000")
    before = path.read_text(encoding="utf-8")
    listed = "values = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]"
    assert listed in before
    chosen = []
    for text in (before, before.replace(listed, "values = [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 12]"), before):
        path.write_text(text, encoding="utf-8")
        with sfumato.open(path, ledger=tmp_path / "spent.ledger") as curator:
            answer, largest = curator.sql(grouped, epsilon=1), curator.noisy_max(grouped, epsilon=100)
            chosen.append(([row["category"] for row in answer.rows], largest.value, answer.repeated, largest.repeated))
    assert [len(groups) for groups, _, _, _ in chosen] == [13, 14, 13]
    assert [(repeated, also) for _, _, repeated, also in chosen] == [(False, False), (False, False), (True, True)]
    assert chosen[0][1] == chosen[2][1]
