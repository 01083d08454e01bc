"""Noisy max and watches: charged to the same ledger, refused where the price would not hold."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

import clinic
import sfumato
from sfumato.curator import Session
from sfumato.errors import BudgetExceeded, Halted, InvalidParameter, InvalidQuestion


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("clinic")
    clinic.build(made, users=1000)
    return made


@pytest.fixture
def curator(folder: Path, tmp_path: Path) -> Iterator[Session]:
    with sfumato.open(clinic.declare(folder, epsilon="60"), ledger=tmp_path / "spent.ledger") as made:
        yield made


def left(curator: Session) -> Fraction:
    return curator.budget()[0].remaining


def test_noisy_max_names_the_largest_public_group_and_charges_once(curator: Session, folder: Path) -> None:
    question = "SELECT category, SUM(amount) AS s FROM visits WHERE category <> 3 OR day < 5 GROUP BY category"
    answer = curator.noisy_max(question, epsilon=50)
    exact = clinic.truth(folder, question.replace("GROUP BY category", "GROUP BY category ORDER BY s DESC"))
    assert answer.columns == ("category",)
    assert answer.value in [row[0] for row in exact[:4]]
    assert left(curator) == 10
    again = curator.noisy_max(question, epsilon=50)
    assert again.repeated
    assert again.value == answer.value
    assert left(curator) == 10


def test_noisy_max_is_noisy(curator: Session) -> None:
    chosen = Counter(
        curator.noisy_max(
            f"SELECT category, COUNT(*) FROM visits WHERE day <> {n} GROUP BY category", epsilon="0.001"
        ).value
        for n in range(40)
    )
    assert len(chosen) > 2  # of twelve near-equal ones; one or two only would have probability below (2/12)**40 * 66


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("SELECT city, COUNT(*) FROM visits GROUP BY city", "public groups"),
        ("SELECT COUNT(*) FROM visits", "public groups"),
        ("SELECT category, COUNT(*), SUM(amount) FROM visits GROUP BY category", "one aggregate"),
        ("SELECT category, AVG(amount) FROM visits GROUP BY category", "one aggregate"),
        ("SELECT category, -COUNT(*) FROM visits GROUP BY category", "as it is"),
        ("SELECT category, COUNT(*) FROM visits GROUP BY category HAVING COUNT(*) < 9", "as it is"),
        ("SELECT category, COUNT(*) AS n FROM visits GROUP BY category ORDER BY n LIMIT 1", "as it is"),
    ],
)
def test_what_noisy_max_cannot_price_is_refused_for_nothing(curator: Session, question: str, why: str) -> None:
    with pytest.raises(InvalidQuestion, match=why):
        curator.noisy_max(question, epsilon=1)
    assert left(curator) == 60


def test_a_watch_is_charged_when_it_begins_and_halts_at_the_first_yes(curator: Session) -> None:
    watch = curator.above_threshold(1000, epsilon=10)
    assert left(curator) == 50
    assert not watch.ask("SELECT COUNT(*) FROM visits WHERE day < 5")
    assert not watch.ask("SELECT COUNT(DISTINCT user_id) FROM visits WHERE day = 5")
    assert watch.ask("SELECT COUNT(*) FROM visits")
    assert watch.halted
    with pytest.raises(Halted):
        watch.ask("SELECT COUNT(*) FROM visits")
    assert left(curator) == 50
    assert repr(watch) == "<watch: halted>"


def test_a_watch_refuses_counts_that_one_person_moves_further(curator: Session) -> None:
    watch = curator.above_threshold(1000, epsilon=1, sensitivity=1)
    assert watch.ask("SELECT COUNT(*) FROM users WHERE age > 200") is False
    with pytest.raises(InvalidQuestion, match="by 5, and the watch was begun for 1"):
        watch.ask("SELECT COUNT(*) FROM visits")
    with pytest.raises(InvalidQuestion, match="one count at a time"):
        watch.ask("SELECT category, COUNT(*) FROM visits GROUP BY category")
    with pytest.raises(InvalidQuestion, match="one aggregate"):
        watch.ask("SELECT SUM(amount) FROM visits")
    with pytest.raises(InvalidQuestion, match="as it is"):
        watch.ask("SELECT COUNT(*) / 2 FROM users")
    with pytest.raises(InvalidParameter):
        curator.above_threshold(1000, epsilon=1, sensitivity=0)


def test_every_watch_costs_and_the_budget_refuses(curator: Session) -> None:
    for _ in range(3):
        curator.above_threshold(10, epsilon=20)
    with pytest.raises(BudgetExceeded):
        curator.above_threshold(10, epsilon=20)
