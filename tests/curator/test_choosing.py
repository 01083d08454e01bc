"""Top-k and the exponential mechanism over public groups: right without noise, priced by their events, bounded."""

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import clinic
import neighbours
from property_profile import examples
from sfumato.accounting import events
from sfumato.curator import Session
from sfumato.curator.asks import Desk
from sfumato.curator.choosing import exponential, noisy_max, top_k
from sfumato.curator.scoring import move, scores, weighted_move
from sfumato.errors import BudgetExceeded, InvalidParameter, InvalidQuestion
from sources import SeededBits

NO_NOISE = 10**5
GROUPED = "SELECT category, COUNT(*) AS n FROM visits WHERE day > 20 * category GROUP BY category"
SUMS = "SELECT category, SUM(amount) AS s FROM visits WHERE day > 20 * category GROUP BY category"
PEOPLE = "SELECT category, COUNT(DISTINCT user_id) AS p FROM visits WHERE day > 20 * category GROUP BY category"


def by_size(clean: Path, text: str) -> dict[int, float]:
    return {row[0]: float(row[1]) for row in clinic.truth(clean, text)}


# ---- without noise they are right ----


@pytest.mark.parametrize("text", [GROUPED, SUMS, PEOPLE])
def test_top_k_names_the_largest_groups_in_order(session: Session, clean: Path, text: str) -> None:
    exact = by_size(clean, text)
    best = sorted(exact, key=lambda group: -exact[group])
    for k in (1, 3, 12):
        answer = session.top_k(text, k=k, epsilon=50_000 * k)
        assert answer.columns == ("category",)
        assert [row["category"] for row in answer] == best[:k]
        assert [(each.role, each.kind.value) for each in answer.schema] == [("key", "integer")]


@pytest.mark.parametrize("text", [GROUPED, SUMS])
def test_without_weights_the_groups_are_the_candidates(session: Session, clean: Path, text: str) -> None:
    exact = by_size(clean, text)
    assert session.exponential(text, epsilon=NO_NOISE).value == max(exact, key=lambda group: exact[group])


def test_a_candidates_utility_is_the_weighted_sum_of_its_groups(session: Session, clean: Path) -> None:
    exact = by_size(clean, GROUPED)
    weights = {
        "small groups": {11: 1, 10: "0.5"},
        "two large ones": {0: 1, 1: 1},
        "one taken from another": {0: 1, 1: -1},
        "a third of all": dict.fromkeys(range(12), "1/3"),
    }
    utilities = {
        name: sum(float(Fraction(str(weight))) * exact.get(group, 0) for group, weight in each.items())  # type: ignore[attr-defined, misc]
        for name, each in weights.items()
    }
    answer = session.exponential(GROUPED, epsilon=NO_NOISE, weights=weights)  # type: ignore[arg-type]
    assert answer.value == max(utilities, key=lambda name: utilities[name])
    assert answer.schema[0].name == "candidate"
    loss = {name: {group: -Fraction(str(w)) for group, w in each.items()} for name, each in weights.items()}  # type: ignore[attr-defined]
    least = session.exponential(GROUPED, epsilon=NO_NOISE, weights=loss)
    assert least.value == min(utilities, key=lambda name: utilities[name])


def test_groups_of_several_keys_are_named_by_tuples(session: Session, clean: Path) -> None:
    text = "SELECT category, day < 9 AS early, COUNT(*) AS n FROM visits GROUP BY category, day < 9"
    assert len(session.top_k(text, k=2, epsilon=NO_NOISE).columns) == 2
    weights = {"late": {(0, False): 1}, "early": {(0, True): 1}}
    assert session.exponential(text, epsilon=NO_NOISE, weights=weights).value == "late"


def test_little_epsilon_is_noisy(session: Session) -> None:
    chosen = Counter(
        session.exponential(f"SELECT category, COUNT(*) FROM visits WHERE day <> {n} GROUP BY category", epsilon="0.001").value
        for n in range(40)
    )  # fmt: skip
    assert len(chosen) > 2


# ---- price, memo, key, statements ----


def test_the_price_is_the_mechanisms_own_event(session: Session) -> None:
    desk = session.curator._desk
    third = events.Exponential(Fraction(1, 6))
    assert top_k(desk, GROUPED, k=3, epsilon="0.5").event == events.Composition([(third, 3)])
    assert exponential(desk, GROUPED, epsilon="0.5").event == events.Exponential(Fraction(1, 2))
    assert noisy_max(desk, GROUPED, epsilon="0.5").event == events.PermuteAndFlip(Fraction(1, 2))
    for verb, more in (("top_k", {"k": 3}), ("exponential", {}), ("noisy_max", {})):
        before = clinic.spent(session)
        answer = session.paced(verb, GROUPED, epsilon="0.5", **more).given()
        assert answer.cost.epsilon == Fraction(1, 2)
        assert clinic.spent(session) == before + Fraction(1, 2)


def test_the_stated_error_is_the_mechanisms(session: Session) -> None:
    note = session.top_k(SUMS, k=2, epsilon="0.5").notes[0]
    from sfumato.core import Sensitivity
    from sfumato.mechanisms import TopK
    from sfumato.query.price import PEOPLE as RELATION

    own = TopK(k=2, epsilon=Fraction(1, 2), candidates=tuple(range(12)), sensitivity=Sensitivity.linf(5 * 20000, RELATION), monotone=True)  # fmt: skip
    assert note.code == "choices"
    assert note.figures["below"] == pytest.approx(own.error(Fraction(1, 20)).alpha / 100)
    assert f"{note.figures['below']:,.6g}" in note.text


def test_a_negative_weight_or_summand_doubles_the_noise(session: Session) -> None:
    """Who comes then raises one score and lowers another, so that half of the noise is not enough (errata A17)."""
    below = {}
    for name, weight in (("plain", 1), ("negative", -1)):
        weights = {"a": {0: 1, 1: weight}, "b": {2: 1, 3: 1}}
        below[name] = session.exponential(GROUPED, epsilon=1, weights=weights).notes[0].figures["below"]
    assert below["negative"] == pytest.approx(2 * below["plain"])
    sums = [
        session.top_k(f"SELECT category, SUM(LEAST(GREATEST(day - {less}, {low}), 50)) FROM visits GROUP BY category", k=2, epsilon=1)
        for less, low in ((0, 0), (100, -50))
    ]  # fmt: skip
    assert sums[1].notes[0].figures["below"] == pytest.approx(2 * sums[0].notes[0].figures["below"])


def test_the_same_choice_is_the_same_answer_and_another_is_not(session: Session) -> None:
    weights = {"a": {0: 1}, "b": {1: 1}}
    for verb, more, other in (
        ("top_k", {"k": 3}, {"k": 2}),
        ("exponential", {"weights": weights}, {"weights": {"a": {0: 1}, "b": {1: 2}}}),
        ("exponential", {}, {"weights": {"x": {0: 1}}}),
    ):
        first = session.paced(verb, GROUPED, epsilon="0.5", key=f"{verb} {len(more)}", **more).given()
        again = session.paced(verb, GROUPED.lower(), epsilon="0.5", **more).given()
        assert (again.repeated, again.rows) == (True, first.rows)
        assert again.cost.is_free
        assert not session.paced(verb, GROUPED, epsilon="0.5", **other).given().repeated
        with pytest.raises(InvalidQuestion, match="used for another request"):
            session.paced(verb, SUMS, epsilon="0.5", key=f"{verb} {len(more)}", **more).given()


def test_choices_have_a_least_price_and_a_budget(session: Session, reads: list[Any]) -> None:
    for verb, more in (("top_k", {"k": 3}), ("exponential", {})):
        with pytest.raises(InvalidParameter, match="must be at least"):
            session.paced(verb, GROUPED, epsilon="0.0001", **more).given()
        with pytest.raises(BudgetExceeded):
            session.paced(verb, GROUPED, epsilon="1000000", **more).given() and session.paced(
                verb, SUMS, epsilon="1000000", **more
            ).given()
    assert len(reads) <= 2


# ---- refusals ----


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("SELECT city, COUNT(*) FROM visits GROUP BY city", "public groups"),
        ("SELECT COUNT(*) FROM visits", "public groups"),
        ("SELECT category, AVG(amount) FROM visits GROUP BY category", "one aggregate"),
        ("SELECT category, COUNT(*) FROM visits GROUP BY category HAVING COUNT(*) < 9", "as it is"),
    ],
)
def test_what_cannot_be_priced_is_refused_for_nothing(
    session: Session, reads: list[Any], question: str, why: str
) -> None:
    for verb, more in (("top_k", {"k": 1}), ("exponential", {})):
        with pytest.raises(InvalidQuestion, match=why):
            session.paced(verb, question, epsilon=1, **more)
    assert reads == []
    assert clinic.spent(session) == 0


@pytest.mark.parametrize("k", [0, 13, -1, 1.5, "2"])
def test_top_k_takes_as_many_as_there_are(session: Session, k: Any) -> None:
    with pytest.raises(InvalidParameter, match="k must be"):
        session.top_k(GROUPED, k=k, epsilon=1)


@pytest.mark.parametrize(
    ("weights", "why"),
    [
        ({}, "1 to 10000 candidates"),
        ({"a": {99: 1}}, "a group that is not there"),
        ({"a": {0: "nan"}}, "must be finite"),
        ({"a": {0: float("inf")}}, "must be finite"),
        ({"a": {0: 10**7}}, "1e6"),
        ({"a": {0: True}}, "must be a real number"),
        ({"a": {0: 0}, "b": {}}, "must not all be zero"),
        ({"a": 3}, "mapping of groups"),
        ({3: {0: 1}}, "named by a text"),
        ({"a": {0: "1/7", 1: "1/1000000007"}}, "fewer decimals"),
        ([("a", 1)], "candidates"),
    ],
)
def test_weights_that_mean_nothing_are_refused(session: Session, weights: Any, why: str) -> None:
    with pytest.raises(InvalidParameter, match=why):
        session.exponential(GROUPED, epsilon=1, weights=weights)
    assert clinic.spent(session) == 0


def test_more_weights_than_are_worked_through_for_nothing_are_refused(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sfumato.curator.choosing._MOST_WEIGHTS", 3)
    with pytest.raises(InvalidParameter, match="candidates times groups") as refused:
        session.exponential(GROUPED, epsilon=1, weights={"a": {0: 1}, "b": {1: 1}})
    assert refused.value.hint


def test_a_label_is_text_of_one_line(session: Session) -> None:
    assert session.sql("SELECT COUNT(*) FROM visits", epsilon=1, label="for the yearly report").value
    for label in ("two\nlines", "x" * 201, 3):
        with pytest.raises(InvalidParameter, match="label"):
            session.sql("SELECT COUNT(*) FROM users", epsilon=1, label=label)  # type: ignore[arg-type]


# ---- one person ----

QUESTIONS = (
    "SELECT category, COUNT(*) FROM visits GROUP BY category",
    "SELECT category, COUNT(note) FROM visits GROUP BY category",
    "SELECT category, COUNT(DISTINCT note) FROM visits GROUP BY category",
    "SELECT category, COUNT(DISTINCT user_id) FROM visits GROUP BY category",
    "SELECT category, SUM(amount) FROM visits GROUP BY category",
    "SELECT category, SUM(day - 100) FROM visits GROUP BY category",
)
WEIGHTS = st.lists(st.integers(-3, 3), min_size=5, max_size=5)


class Read:
    """A reader of an engine in a test."""

    def __init__(self, engine: Any, query: Any) -> None:
        self._engine, self._query = engine, query

    def exact(self) -> Any:
        return self._engine.aggregate(self._query)


@pytest.mark.parametrize("bounds", list(neighbours.BOUNDS.values()), ids=list(neighbours.BOUNDS))
@examples(12, suppress_health_check=[HealthCheck.too_slow])
@given(database=neighbours.databases(), weights=WEIGHTS)
def test_one_person_moves_no_score_and_no_utility_further_than_is_priced(
    bounds: dict[str, Any], database: neighbours.Database, weights: list[int]
) -> None:
    with (
        neighbours.engine(database, visits=bounds) as here,
        neighbours.engine(database.without(1), visits=bounds) as there,
    ):
        desk = Desk(here.dataset, here, SeededBits(1))
        for text in QUESTIONS:
            found = scores(desk, text, "a test")
            one, other = found.exact(Read(here, found.query)), found.exact(Read(there, found.query))  # type: ignore[arg-type]
            moves = [a - b for a, b in zip(one, other, strict=True)]
            assert max(map(abs, moves)) <= move(found.query), text
            utility = sum(weight * moved for weight, moved in zip(weights, moves, strict=True))
            assert abs(utility) <= weighted_move(found.query, weights), text
            if found.only_adds:
                assert min(moves) >= 0, f"{text}: who comes lowers a score"
