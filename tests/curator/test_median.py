"""The smooth median: right without noise, private for people who come and go, priced by its event."""

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import clinic
import neighbours
from property_profile import examples
from sfumato.accounting import events
from sfumato.core import Change
from sfumato.curator import Session
from sfumato.curator.asks import Desk
from sfumato.curator.median import _mechanism, _medians, _values, centred, smooth_median
from sfumato.errors import BudgetExceeded, InvalidParameter, InvalidQuestion
from sfumato.mechanisms import Median

NO_NOISE = 9 * 10**5
WHOLE = "SELECT MEDIAN(amount) AS m FROM visits"
BY_GROUP = "SELECT category, MEDIAN(amount) AS m FROM visits WHERE category <> 3 GROUP BY category"


@pytest.fixture
def session(clean: Path, opened: Any) -> Session:
    made: Session = opened(clean, epsilon="10000000")
    return made


def lower_median(values: list[float]) -> float:
    return sorted(values)[(len(values) - 1) // 2]


# ---- without noise it is the median ----


def test_without_noise_it_is_the_lower_median(session: Session, clean: Path) -> None:
    for text, of in ((WHOLE, "amount"), ("SELECT MEDIAN(day) AS m FROM visits WHERE day < 99", "day")):
        where = text.split("FROM")[1]
        exact = lower_median([row[0] for row in clinic.truth(clean, f"SELECT {of} FROM {where}")])
        answer = session.smooth_median(text, epsilon=NO_NOISE)
        assert answer.value == pytest.approx(exact, abs=0.02)
        assert answer.columns == ("m",)
    assert isinstance(answer.value, int)


def test_public_groups_have_a_median_each(session: Session, clean: Path) -> None:
    answer = session.smooth_median(BY_GROUP, epsilon=NO_NOISE)
    rows = clinic.truth(clean, "SELECT category, amount FROM visits WHERE category <> 3")
    assert [(each.name, each.role) for each in answer.schema] == [("category", "key"), ("m", "value")]
    assert [row["category"] for row in answer] == list(range(12))
    for row in answer:
        values = [amount for category, amount in rows if category == row["category"]]
        assert row["m"] == pytest.approx(lower_median(values) if values else 0, abs=2.0), row  # nobody is in group 3
    assert answer.rows[3]["m"] < 2


def test_the_bar_and_the_note_are_the_mechanisms_statement(session: Session) -> None:
    answer = session.smooth_median(WHOLE, epsilon=NO_NOISE)
    query = _medians(session.curator._desk, WHOLE)
    mechanism, _ = _mechanism(query, Fraction(NO_NOISE))
    within = mechanism.error(Fraction(1, 20)).alpha / 100
    assert answer.notes[0].figures["within"] == pytest.approx(within)
    low, high = answer.intervals[0]["m"] or (0, 0)
    assert (low, high) == (pytest.approx(answer.value - within), pytest.approx(answer.value + within))  # type: ignore[comparison-overlap]
    wide = session.smooth_median(WHOLE, epsilon="0.01")
    assert wide.intervals[0]["m"] == (0.0, 200.0), "no further than the declared bounds"
    assert 0 <= wide.value <= 200


# ---- price ----


def test_the_price_is_the_mechanisms_event_for_all_values_of_a_person(session: Session) -> None:
    desk = session.curator._desk
    for text, most in (
        (WHOLE, 5),
        (BY_GROUP, 15),
        ("SELECT MEDIAN(age) FROM users", 1),
        ("SELECT age > 50 AS old, MEDIAN(income) FROM users GROUP BY age > 50", 1),
    ):
        query = _medians(desk, text)
        mechanism, event = _mechanism(query, Fraction(3, 10))
        assert query.bounds.total == most
        assert query.weights.picks
        assert mechanism.event == events.Pure(Fraction(3, 10) / most)
        assert event.pure() == Fraction(3, 10) == smooth_median(desk, text, epsilon="0.3").cost.epsilon
        assert event.zcdp() == Fraction(3, 10) ** 2 / 2, "values of one person are not composed"
    before = session.budget()[0].spent
    assert session.smooth_median(BY_GROUP, epsilon="0.3").cost.epsilon == Fraction(3, 10)
    assert session.budget()[0].spent == before + Fraction(3, 10)
    assert session.smooth_median(BY_GROUP, epsilon="0.3").repeated
    assert session.smooth_median(WHOLE, epsilon="0.3", key="mine").receipt == session.smooth_median(
        WHOLE, epsilon="0.3", key="mine"
    ).receipt  # fmt: skip


def test_it_has_a_least_price_and_a_budget(session: Session, reads: list[Any]) -> None:
    with pytest.raises(InvalidParameter, match="must be at least"):
        session.smooth_median(WHOLE, epsilon="0.0001")
    session.smooth_median(WHOLE, epsilon=10**6)
    for i in range(9):
        session.smooth_median(f"{WHOLE} WHERE day <> {i}", epsilon=10**6)
    with pytest.raises(BudgetExceeded):
        session.smooth_median(f"{WHOLE} WHERE day <> 9", epsilon=1)
    assert len(reads) == 10


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("SELECT city, MEDIAN(amount) FROM visits GROUP BY city", "public groups"),
        ("SELECT QUANTILE(amount, 0.9) FROM visits", r"answers MEDIAN\(x\)"),
        ("SELECT MAX(amount) FROM visits", r"answers MEDIAN\(x\)"),
        ("SELECT AVG(amount) FROM visits", "one aggregate"),
        ("SELECT MEDIAN(amount), COUNT(*) FROM visits", "one aggregate"),
        ("SELECT MEDIAN(amount) * 2 FROM visits", "as it is"),
        ("SELECT MEDIAN(LEAST(GREATEST(amount, 5), 5)) FROM visits", "steps of its grid apart"),
        ("SELECT day, category, MEDIAN(amount) FROM visits GROUP BY day, category", "at most 1000 public groups"),
    ],
)
def test_what_it_cannot_answer_is_refused_for_nothing(
    session: Session, reads: list[Any], question: str, why: str
) -> None:
    with pytest.raises(InvalidQuestion, match=why) as caught:
        session.smooth_median(question, epsilon=1)
    assert caught.value.hint
    assert reads == []
    assert session.budget()[0].spent == 0


# ---- who comes replaces as many values as they have ----

ENDS = (0, 9)
VALUES = st.lists(st.integers(0, 9), max_size=30)


def window(values: list[int], half: int) -> np.ndarray[Any, Any]:
    different = sorted(Counter(values).items())
    steps, counts = (np.array([pair[i] for pair in different], dtype=np.int64) for i in (0, 1))
    return centred(steps, counts, half=half, ends=ENDS)


def replaced(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> int:
    return sum((Counter(one.tolist()) - Counter(other.tolist())).values())


@examples(150)
@given(values=VALUES, come=st.lists(st.integers(0, 9), max_size=4), half=st.integers(0, 12))
def test_a_window_is_of_one_size_and_who_comes_replaces_no_more_than_they_bring(
    values: list[int], come: list[int], half: int
) -> None:
    one, other = window(values, half), window(values + come, half)
    assert len(one) == len(other) == 2 * half + 1
    assert one.tolist() == sorted(one.tolist())
    assert replaced(one, other) <= len(come)
    assert Median(lower=0, upper=9).place_of(2 * half + 1) == half + 1
    if values:
        assert one[half] == lower_median(values)  # type: ignore[arg-type]


def test_the_mechanisms_relation_is_the_one_that_windows_are_made_for() -> None:
    assert Median(lower=0, upper=9).neighbours.change is Change.REPLACE


def broken_windows() -> list[Any]:
    """Windows that one value more changes in several places, or in length: the property above must find them."""

    def all_values(values: list[int], half: int) -> Any:
        return np.array(sorted(values), dtype=np.int64)

    def from_the_first(values: list[int], half: int) -> Any:
        return np.array([*sorted(values), *[9] * (2 * half + 1)][: 2 * half + 1], dtype=np.int64) // (
            1 + len(values) % 2
        )

    return [all_values, from_the_first]


@pytest.mark.parametrize("broken", broken_windows(), ids=lambda each: each.__name__)
def test_a_broken_window_is_found(broken: Any) -> None:
    cases: list[list[int]] = [[], [1, 2, 3], [4] * 9, [0, 9, 5, 5]]
    lengths = {len(broken(values, 3)) for values in cases}
    worst = max(replaced(broken(values, 3), broken([*values, 5], 3)) for values in cases)
    assert worst > 1 or len(lengths) > 1


QUESTIONS = (
    "SELECT MEDIAN(amount) FROM visits",
    "SELECT category, MEDIAN(amount) FROM visits GROUP BY category",
    "SELECT MEDIAN(day) FROM visits WHERE note LIKE 'a%'",
    "SELECT MEDIAN(v.amount + u.age) FROM visits v JOIN users u ON v.user_id = u.user_id",
    "SELECT MEDIAN(age) FROM users",
)


@pytest.mark.parametrize("bounds", list(neighbours.BOUNDS.values()), ids=list(neighbours.BOUNDS))
@examples(12, suppress_health_check=[HealthCheck.too_slow])
@given(database=neighbours.databases())
def test_one_person_replaces_no_more_values_than_are_priced(
    bounds: dict[str, Any], database: neighbours.Database
) -> None:
    with (
        neighbours.engine(database, visits=bounds) as here,
        neighbours.engine(database.without(1), visits=bounds) as there,
    ):
        for text in QUESTIONS:
            query = _medians(Desk(here.dataset, here), text)
            mechanism, event = _mechanism(query, Fraction(1))
            measure = _values(query)
            empty = (np.zeros(0, np.int64), np.zeros(0, np.int64))
            one, other = here.aggregate(query).values[0], there.aggregate(query).values[0]
            moves = [
                replaced(
                    *(
                        centred(*table.get(key, empty), half=40, ends=(measure.low, measure.high))
                        for table in (one, other)
                    )
                )
                for key in {**one, **other}
            ]
            lost = sum(moves) * Fraction(str(mechanism.event.pure()))
            assert lost <= (event.pure() or 0), f"{text}: {moves}"
            assert sum((each * mechanism.event.pure()) ** 2 / 2 for each in moves) <= event.zcdp(), text  # type: ignore[misc, operator]
