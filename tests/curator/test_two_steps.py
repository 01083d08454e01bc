"""An average within a wanted error: a count first, then what the average needs, and never more than the most of both."""

from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from sfumato.curator import Session
from sfumato.curator.two_steps import TwoSteps
from sfumato.errors import BudgetExceeded, InvalidParameter, SfumatoError
from sfumato.query.bars import Bar

AVERAGE = "SELECT AVG(amount) AS a FROM visits"
BOTH = "SELECT AVG(amount) AS a, AVG(day) AS d FROM visits"


def spent(session: Session) -> Fraction:
    return sum((each.spent for each in session.budget() if not each.principal), Fraction(0))


def entries(session: Session, kind: str = "reserve") -> list[dict[str, Any]]:
    return [body for _, body in session.log() if body["kind"] == kind]


def test_both_steps_are_charged_and_cost_no_more_than_the_most(clean: Path, opened: Any) -> None:
    for within, short in (("20", False), ("0.0001", True)):
        session = opened(clean, epsilon="10")
        told = session.explain(AVERAGE, within=within, epsilon=1)
        assert [note.code for note in told.notes if "first" in note.code] == ["count_first"]
        assert told.cost.epsilon == 1
        assert spent(session) == 0
        answer = session.sql(AVERAGE, within=within, epsilon=1)
        assert answer.cost.epsilon == spent(session) <= 1
        assert [each["question"] for each in entries(session)] == [f"count: {AVERAGE}", AVERAGE]
        assert ("steps_short" if short else "steps") in [note.code for note in answer.notes]
        assert short == (spent(session) == 1)


def test_what_was_charged_twice_is_seen(clean: Path, opened: Any) -> None:
    """A twin: a second step at the most it may cost, whatever the count says."""
    session = opened(clean, epsilon="10")
    honest = session.sql(AVERAGE, within=20, epsilon=1).cost.epsilon
    with mock.patch.object(TwoSteps, "second", lambda self, counted: (self.at_most(), self.planned_note)):
        assert opened(clean, epsilon="10").sql(AVERAGE, within=20, epsilon=1).cost.epsilon == 1 > honest


def test_the_second_price_follows_from_what_was_released(clean: Path, opened: Any) -> None:
    """Twice as many rows need half as much; groups that may be empty have no say."""
    from sfumato.curator.two_steps import two_steps

    desk = opened(clean, epsilon="10").curator._desk
    steps = two_steps(desk, AVERAGE, within=20, epsilon=100)
    assert steps is not None
    prices = []
    for rows in (1000, 2000):
        query, _ = steps.second([[Bar(rows, rows - 5.0, rows + 5.0)], [Bar(1, 0.0, 6.0)]])
        prices.append(query.spend.epsilon)
    assert prices[0] is not None
    assert prices[1] is not None
    assert prices[0] / prices[1] == pytest.approx(2, rel=1e-3)
    nothing, note = steps.second([[Bar(1, 0.0, 6.0)]])
    assert nothing.spend.epsilon == 90
    assert note.code == "steps"


def test_asked_again_it_is_free_whatever_is_left_and_both_steps_are_shown_again(clean: Path, opened: Any) -> None:
    session = opened(clean, epsilon="1.2")
    answer = session.sql(BOTH, within={"d": 100}, epsilon=1)
    assert session.sql(BOTH, within={"d": 100}, epsilon=1).cost.is_free
    session.sql("SELECT COUNT(*) FROM visits", epsilon="0.4")
    again = session.sql(BOTH, within={"d": 100}, epsilon=1)
    assert (again.cost.is_free, again.bars) == (True, answer.bars)
    assert session.recall(answer.receipt).notes == answer.notes
    settled = [number for number, body in session.log() if body["kind"] == "settle"]
    assert [each.columns for each in map(session.recall, map(str, settled[:2]))] == [("n0",), ("a", "d")]


def test_a_second_step_that_would_be_refused_is_refused_before_the_first(clean: Path, opened: Any) -> None:
    session = opened(clean, epsilon="0.5")
    with pytest.raises(BudgetExceeded, match="ε = 1"):
        session.sql(AVERAGE, within=1, epsilon=1)
    assert not session.explain(AVERAGE, within=1, epsilon=1).affordable
    assert spent(session) == 0
    assert entries(session) == []


def test_the_delta_of_the_second_step_is_looked_at_before_the_first(clean: Path, opened: Any) -> None:
    """Normal noise in the second step: its δ must be there too."""
    session = opened(clean, epsilon="10", delta="1e-9")
    many = ", ".join(f"AVG(amount) FILTER (WHERE day < {i}) AS a{i}" for i in range(1, 48))
    asked: dict[str, Any] = {"within": dict.fromkeys([f"a{i}" for i in range(1, 48)], 10), "delta": "1e-3"}
    told = session.explain(f"SELECT {many} FROM visits", epsilon=1, **asked)
    assert told.cost.delta > 0, "the planner takes normal noise here"
    with pytest.raises(BudgetExceeded, match="δ"):
        session.sql(f"SELECT {many} FROM visits", epsilon=1, **asked)
    assert entries(session) == []


@pytest.mark.parametrize(
    ("text", "asked", "problem"),
    [
        (AVERAGE, {"within": 1}, "the most that it may cost"), (AVERAGE, {"within": 1, "rho": 1}, "the most that it may cost"),
        (AVERAGE, {"within": 0, "epsilon": 1}, "positive"), (AVERAGE, {"within": {"a": -1}, "epsilon": 1}, "positive"),
        (AVERAGE, {"within": 1, "epsilon": "0.0011"}, "too little for two steps"),
        ("SELECT AVG(amount) AS a, COUNT(*) AS n FROM visits", {"within": {"a": 1, "n": 5}, "epsilon": 1}, "by themselves"),
        ("SELECT city, AVG(amount) AS a FROM visits GROUP BY city", {"within": 1, "epsilon": 1}, "public groups"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_in_two_steps_is_refused_for_nothing(
    clean: Path, opened: Any, text: str, asked: dict[str, Any], problem: str
) -> None:
    session = opened(clean, epsilon="10", delta="1e-6")
    for verb in (session.explain, session.sql):
        with pytest.raises(InvalidParameter, match=problem):
            verb(text, **asked)
    assert entries(session) == []


def test_a_first_step_that_fails_gives_nothing_and_stays_charged(clean: Path, opened: Any) -> None:
    session = opened(clean, epsilon="10")
    with mock.patch.object(TwoSteps, "second", side_effect=ValueError("a cell: 42")):
        with pytest.raises(SfumatoError) as failed:
            session.sql(AVERAGE, within=20, epsilon=1)
        assert "42" not in str(failed.value)
    assert spent(session) == Fraction(1, 10)


# ---- what explain says beside ----


def test_explain_says_what_an_answer_costs_the_others_and_from_how_few_rows_an_average_says_nothing(
    clean: Path, opened: Any
) -> None:
    session = opened(clean, epsilon="10", delta="1e-6")
    told = session.explain("SELECT COUNT(*) AS n, MEDIAN(amount) AS m, AVG(amount) AS a FROM visits", epsilon=1)
    without = {each.without: each for each in told.savings}
    assert without["m"].column == "n"
    alone = session.explain("SELECT COUNT(*) AS n, AVG(amount) AS a FROM visits", epsilon=1)
    assert without["m"].within == alone.columns[0].error.figure
    assert "without m, n would be ±" in str(told)
    (wide,) = [note.figures["rows"] for note in told.notes if note.code == "wide"]
    figure, width = told.columns[2].error.figure, 200
    assert 2 * figure / wide <= width < 2 * figure / (wide - 1)
    keys = session.explain("SELECT city, COUNT(*) AS n FROM visits GROUP BY city", epsilon=1)
    shows = keys.mechanisms[0].error
    assert shows.least < shows.figure
    assert "with even odds" in str(keys)


def test_explain_with_beyond_compares_nothing_and_does_not_fail(clean: Path, opened: Any) -> None:
    """Without the count of rows there would be nobody beyond."""
    session = opened(clean, epsilon="10")
    told = session.explain("SELECT COUNT(*) AS n, COUNT(DISTINCT user_id) AS p FROM visits", epsilon=1, beyond=True)
    assert told.savings == ()
