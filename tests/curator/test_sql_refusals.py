"""Cases that must be refused before anything is read: free, with place and remedy, and in the same words for all data."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import clinic
from sfumato.curator import Session
from sfumato.errors import BudgetExceeded, InvalidDeclaration, InvalidParameter, InvalidQuestion, SfumatoError
from sql_cases import REFUSED

CASES = [(name, text) for name, texts in REFUSED.items() for text in texts]


@pytest.fixture(scope="module")
def curators(clean: Path, hostile: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Three curators whose data have nothing in common."""
    import sfumato

    empty = tmp_path_factory.mktemp("empty")
    clinic.build(empty, users=0)
    ledgers = tmp_path_factory.mktemp("ledgers")
    made = [
        sfumato.open(clinic.declare(folder), ledger=ledgers / str(i))
        for i, folder in enumerate((clean, hostile, empty))
    ]
    yield made
    for each in made:
        each.close()


def spent(curator: Session) -> list[Fraction]:
    return [balance.spent for who in ("", "analyst") for balance in curator._ledger.balances("clinic", who)]


def refusal(curator: Session, text: str, **asked: Any) -> SfumatoError:
    with pytest.raises(SfumatoError) as caught:
        curator.sql(text, **{"epsilon": 1, "delta": "1e-6", **asked})
    with pytest.raises(SfumatoError) as explained:
        curator.explain(text, **{"epsilon": 1, "delta": "1e-6", **asked})
    assert str(explained.value) == str(caught.value)
    return caught.value


@pytest.mark.parametrize(("name", "text"), CASES, ids=[f"{name} {text[:40]}" for name, text in CASES])
def test_refused(name: str, text: str, curators: list[Session], reads: list[Any]) -> None:
    before = [spent(each) for each in curators]
    found = [refusal(each, text) for each in curators]
    assert reads == []
    assert [spent(each) for each in curators] == before
    assert len({str(each) for each in found}) == 1
    error = found[0]
    assert isinstance(error, InvalidQuestion)
    assert error.line is not None
    assert error.column is not None
    assert 1 <= error.line <= text.count("\n") + 1
    assert f"(line {error.line}, column {error.column})" in str(error)
    assert error.hint


def test_a_spread_that_no_double_holds_is_refused_before_it_is_charged(clean: Path, opened: Any) -> None:
    curator = opened(clean)
    before = curator.budget()[0].remaining
    for aggregate in ("VARIANCE", "STDDEV"):
        with pytest.raises(InvalidQuestion, match="too large to be squared"):
            curator.sql(f"SELECT {aggregate}(amount * 1e160) FROM visits", epsilon=1)
    assert curator.budget()[0].remaining == before
    (row,) = curator.sql("SELECT STDDEV(amount * 1e140) AS s FROM visits", epsilon=1).rows
    assert 0 <= row["s"] < float("inf")


def test_the_place_is_that_of_the_clause(curators: list[Session]) -> None:
    error = refusal(curators[0], "SELECT COUNT(*)\nFROM visits\nWHERE day > 3\n  AND nothing = 1")
    assert isinstance(error, InvalidQuestion)
    assert (error.line, error.column) == (4, 7)
    assert "known columns: user_id, day, city" in str(error)
    error = refusal(curators[0], "SELECT COUNT(*)\nFROM visit")
    assert isinstance(error, InvalidQuestion)
    assert (error.line, error.column) == (2, 6)
    assert "known tables: users, visits, cities" in str(error)


PARAMETERS: tuple[dict[str, Any], ...] = (
    {"epsilon": 0}, {"epsilon": -1}, {"epsilon": float("nan")}, {"epsilon": float("inf")}, {"epsilon": 1e308},
    {"epsilon": None}, {"epsilon": "1e999999999"}, {"epsilon": "one"}, {"epsilon": True}, {"epsilon": "1_0"},
    {"epsilon": " 1"}, {"epsilon": "1/0"}, {"epsilon": 10**7}, {"epsilon": [1]}, {"epsilon": 1, "rho": 1},
    {"epsilon": None, "rho": 0}, {"delta": 1}, {"delta": -1}, {"delta": 2}, {"delta": "x"}, {"confidence": 0},
    {"confidence": 1}, {"confidence": 2}, {"confidence": float("nan")}, {"epsilon": 1e-70},
    {"epsilon": None, "within": 0}, {"epsilon": None, "within": -1}, {"epsilon": None, "within": "1/0"},
    {"epsilon": None, "within": float("nan")}, {"epsilon": None, "within": {"no such": 5}}, {"within": 10},
    {"epsilon": None, "within": "ten"}, {"epsilon": None, "within": {"city": 5}},
)  # fmt: skip


@pytest.mark.parametrize("asked", PARAMETERS, ids=str)
def test_b17_parameters_are_checked_before_anything_is_read(
    asked: dict[str, Any], curators: list[Session], reads: list[Any]
) -> None:
    before = spent(curators[0])
    text = "SELECT city, COUNT(*) AS n FROM visits GROUP BY city"
    errors = {str(refusal(each, text, **asked)) for each in curators}
    assert len(errors) == 1
    assert isinstance(refusal(curators[0], text, **asked), InvalidParameter | InvalidQuestion)
    assert reads == []
    assert spent(curators[0]) == before


def test_b17_unknown_keys_need_a_delta(curators: list[Session], reads: list[Any]) -> None:
    error = refusal(curators[0], "SELECT city, COUNT(*) FROM visits GROUP BY city", delta=0)
    assert "delta" in str(error)
    assert "values" in error.hint
    assert reads == []


def test_b17_lower_above_upper_is_no_declaration(clean: Path, tmp_path: Path) -> None:
    import sfumato

    about = clinic.declare(clean).read_text().replace("lower = 18, upper = 90", "lower = 90, upper = 18")
    (clean / "swapped.toml").write_text(about)
    with pytest.raises(InvalidDeclaration, match="lower is above upper"):
        sfumato.open(clean / "swapped.toml", ledger=tmp_path / "ledger")


def test_b18_a_budget_one_step_short_refuses_and_reads_nothing(clean: Path, opened: Any, reads: list[Any]) -> None:
    curator = opened(clean, epsilon="0.999999999999999999", delta="1e-6")
    with pytest.raises(BudgetExceeded) as caught:
        curator.sql("SELECT COUNT(*) FROM visits", epsilon=1)
    assert caught.value.hint
    assert reads == []
    assert spent(curator) == [0, 0]
    assert not curator.explain("SELECT COUNT(*) FROM visits", epsilon=1).affordable
    assert curator.sql("SELECT COUNT(*) FROM visits", epsilon="0.999999999999999999").cost.epsilon
    with pytest.raises(BudgetExceeded):
        curator.sql("SELECT COUNT(*) FROM users", epsilon="0.001")


ENDLESS = {
    "long": "SELECT COUNT(*) FROM visits WHERE " + " AND ".join(["day = 1"] * 5000),
    "many words": "SELECT " + ",".join(["COUNT(*)"] * 1500) + " FROM visits",
    "deep": "SELECT COUNT(*) FROM visits WHERE " + "NOT " * 300 + "paid",
    "parentheses": "SELECT " + "(" * 4000 + "1" + ")" * 4000,
    "doubling CTEs": "WITH a0 AS (SELECT user_id, day FROM visits)"
    + "".join(f", a{i + 1} AS (SELECT * FROM a{i} UNION ALL SELECT * FROM a{i})" for i in range(60))
    + " SELECT COUNT(*) FROM a60",
    "doubling joins": "WITH a0 AS (SELECT user_id, COUNT(*) AS n FROM visits GROUP BY user_id)"
    + "".join(f", a{i + 1} AS (SELECT x.user_id FROM a{i} x JOIN a{i} y USING (user_id))" for i in range(40))
    + " SELECT COUNT(*) FROM a40",
    "squares of squares": "WITH a0 AS (SELECT user_id, amount AS x FROM visits)"
    + "".join(f", a{i + 1} AS (SELECT user_id, x * x AS x FROM a{i})" for i in range(60))
    + " SELECT SUM(x) FROM a60",
    "too many aggregates": "SELECT "
    + ", ".join(f"COUNT(*) FILTER (WHERE day = {i})" for i in range(60))
    + " FROM visits",
    "digits": f"SELECT COUNT(*) + {'9' * 5000} FROM visits",
    "limit": f"SELECT COUNT(*) FROM visits LIMIT {'9' * 5000}",
    "share": "SELECT QUANTILE(amount, 1e99999999) FROM visits",
    "half a character": "SELECT COUNT(*) FROM visits WHERE note = '\ud800'",
    "a control character": "SELECT COUNT(*) FROM visits WHERE note = '\0'",
    "nested choices": "SELECT SUM(" + "SQRT(" * 60 + "amount" + ")" * 60 + ") FROM visits",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_a_question_that_would_grow_without_end_is_refused_for_free(
    name: str, curators: list[Session], reads: list[Any]
) -> None:
    before = spent(curators[0])
    error = refusal(curators[0], ENDLESS[name])
    assert isinstance(error, InvalidQuestion)
    assert error.hint
    assert len(str(error)) < 500
    assert reads == []
    assert spent(curators[0]) == before
