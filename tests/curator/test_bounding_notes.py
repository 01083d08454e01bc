"""What an answer says of what bounding left out: in words, in JSON, for every verb, and nothing where nothing is."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import sfumato
from json_schema import faults
from sfumato.curator import Release, Session
from sfumato.curator.documents import schema
from sfumato.errors import InvalidParameter

PEOPLE, EACH, BOUND = 200, 100, 10
LINES = "(SELECT id, COUNT(*) AS n FROM visits GROUP BY id) t"


def opened(folder: Path, *, budget: Any = None, **table: Any) -> Session:
    visits = {"id": [i % PEOPLE for i in range(PEOPLE * EACH)], "x": [i % 7 for i in range(PEOPLE * EACH)]}
    people = {"id": list(range(PEOPLE)), "age": [i % 90 for i in range(PEOPLE)]}
    return sfumato.open({
        "name": "noted", "budget": budget or {"epsilon": "1e9", "delta": "0.1"}, "unit": {"person": "people.id"},
        "tables": {
            "people": {"source": pa.table(people), "columns": {"age": {"lower": 0, "upper": 89}}},
            "visits": {"source": pa.table(visits), "foreign_keys": {"id": "people.id"}, "rows_per_person": BOUND,
                       "columns": {"x": {"lower": 0, "upper": 6}}, **table},
        },
    }, ledger=folder / "ledger")  # fmt: skip


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with opened(tmp_path_factory.mktemp("noted"), excess=50) as made:
        yield made


def codes(answer: Release) -> list[str]:
    assert faults(answer.to_json(), schema()) == []
    assert Release.from_json(answer.to_json()) == answer
    return [note.code for note in answer.notes]


@pytest.mark.parametrize(("text", "noted"), [
    ("SELECT COUNT(*) FROM visits", ["weighted"]),
    ("SELECT AVG(x), MEDIAN(x) FROM visits", ["weighted"]),
    ("SELECT COUNT(DISTINCT x) FROM visits", ["values"]),
    ("SELECT COUNT(DISTINCT id) FROM visits", []),
    ("SELECT x, COUNT(DISTINCT id) FROM visits GROUP BY x", []),  # in eight groups, and ten may count
    ("SELECT COUNT(*) FROM people", []),
    (f"SELECT AVG(n) FROM {LINES}", ["own"]),
    (f"SELECT COUNT(*) FROM {LINES} WHERE n > 50", ["own"]),
    ("SELECT p.age, COUNT(*) FROM visits v JOIN people p ON v.id = p.id GROUP BY p.age", ["weighted"]),
    ("SELECT p.age, COUNT(DISTINCT v.id) FROM visits v JOIN people p ON v.id = p.id GROUP BY p.age", []),
])  # fmt: skip
def test_an_answer_says_what_may_have_been_left_out(session: Session, text: str, noted: list[str]) -> None:
    assert codes(session.sql(text, epsilon=1000, delta="1e-6")) == noted
    assert [note.code for note in session.explain(text, epsilon=1000, delta="1e-6").notes] == noted


def test_choices_and_smooth_medians_say_it_too(session: Session) -> None:
    grouped = "SELECT x, COUNT(*) FROM visits GROUP BY x"
    assert codes(session.noisy_max(grouped, epsilon=100)) == ["choice", "weighted"]
    assert codes(session.top_k(grouped, k=2, epsilon=100)) == ["choices", "weighted"]
    assert codes(session.exponential(grouped, epsilon=100)) == ["utility", "weighted"]
    weights = {"a": {0: 1}, "b": {1: 1}}
    assert codes(session.exponential(grouped, epsilon=100, weights=weights)) == ["utility", "weighted"]
    assert codes(session.smooth_median("SELECT MEDIAN(x) FROM visits", epsilon=100)) == ["smooth", "sampled"]


def test_a_table_that_was_cut_is_not_silent(tmp_path: Path) -> None:
    """336 776 flights were once 4 043 ± 3, without a word."""
    with opened(tmp_path, rows_per_person=1, materialise=True) as session:
        answer = session.sql("SELECT COUNT(*) FROM visits", epsilon=1000)
        assert abs(answer.value - PEOPLE) < 3
        assert codes(answer) == ["cut"]
        assert "1 row of a person" in str(answer)


def test_where_rows_are_the_unit_nothing_is_left_out(tmp_path: Path) -> None:
    about = {
        "name": "rows",
        "budget": {"epsilon": "9"},
        "unit": {"rows": True},
        "tables": {"t": {"source": pa.table({"x": [1, 2]})}},
    }
    with sfumato.open(about, ledger=tmp_path / "ledger") as session:
        assert codes(session.sql("SELECT COUNT(*) FROM t", epsilon=1)) == []


def test_what_a_persons_rows_add_up_to_is_in_a_group_however_much_it_is(session: Session) -> None:
    """Held at the bound as a key and in sums, and as it is in conditions: nobody is lost."""
    by_count = {
        row["n"]: row["p"] for row in session.sql(f"SELECT n, COUNT(*) AS p FROM {LINES} GROUP BY n", epsilon=1000)
    }
    assert abs(by_count[BOUND] - PEOPLE) < 3
    assert abs(session.sql(f"SELECT COUNT(*) FROM {LINES} WHERE n > 50", epsilon=1000).value - PEOPLE) < 3
    assert abs(session.sql(f"SELECT SUM(n) FROM {LINES}", epsilon=1000).value - PEOPLE * BOUND) < 3


# ---- how many have more ----


def test_for_a_tenth_of_the_price_it_is_told_how_many_have_more(session: Session) -> None:
    answer = session.sql("SELECT COUNT(*) AS n FROM visits", epsilon=1000, beyond=True)
    assert answer.cost.epsilon == 1000
    assert codes(answer) == ["weighted", "beyond", "excess"]
    people, rows = answer.notes[1].figures, answer.notes[2].figures
    assert abs(people["people"] - PEOPLE) < 3
    assert abs(rows["n"] - PEOPLE * 50) < 30, "fifty of each, and not the ninety there are"
    again = session.recall(answer.receipt)
    assert again.notes == answer.notes
    assert not session.sql("SELECT COUNT(*) AS n FROM visits", epsilon=1000).notes[1:]
    alone = session.sql("SELECT SUM(x) FROM visits", epsilon=10, beyond=True)
    assert codes(alone) == ["weighted", "beyond"]
    beside = session.sql("SELECT COUNT(*) FROM visits", epsilon=10, beyond=True)
    assert alone.notes[1].figures["within"] < beside.notes[1].figures["within"], "all of its share"


@pytest.mark.parametrize(("text", "wish", "words"), [
    ("SELECT COUNT(*) FROM people", {"beyond": True}, "rows of a person count in part"),
    ("SELECT COUNT(DISTINCT x) FROM visits", {"beyond": True}, "rows of a person count in part"),
    ("SELECT COUNT(*) FROM visits", {"beyond": "no"}, "must be True or False"),
    ("SELECT COUNT(*) FROM visits", {"rows": 11}, "from 1 to 10"),
    ("SELECT COUNT(*) FROM visits", {"rows": 0}, "from 1 to 10"),
    ("SELECT COUNT(*) FROM visits", {"rows": True}, "from 1 to 10"),
    ("SELECT COUNT(*) FROM visits", {"groups": 1}, "not public"),
])  # fmt: skip
def test_a_wish_that_cannot_be_met_is_refused_for_nothing(
    session: Session, text: str, wish: dict[str, Any], words: str
) -> None:
    before = session.budget()[0].spent
    with pytest.raises(InvalidParameter, match=words):
        session.sql(text, epsilon=1, **wish)
    assert session.budget()[0].spent == before


def test_a_length_is_told_where_it_bounds(tmp_path: Path) -> None:
    """In ρ, over public groups: a hundred rows of each, spread over seven groups, of which ten count."""
    grouped = "SELECT x, COUNT(*) FROM visits GROUP BY x"
    with opened(tmp_path, budget={"rho": "1e6"}) as session:
        answer = session.sql(grouped, rho=1000)
        assert codes(answer) == ["lengths"]
        assert codes(session.sql("SELECT COUNT(*) FROM visits", rho=1000)) == ["weighted"]
        told = session.explain(grouped, rho=1000)
        assert faults(told.to_json(), schema()) == []
        assert told.bounding.kind == "lengths"
        assert "the root of the sum of squares" in str(told)
        counted = sum(row[1].value for row in answer.bars)
    assert counted == pytest.approx(PEOPLE * BOUND * 7**0.5, rel=0.01)
