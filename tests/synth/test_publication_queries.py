"""Linear queries in publications: priced for what one person moves, stored in fixed shapes, and answered as stored."""

from fractions import Fraction
from math import log
from typing import Any

import numpy as np
import pytest
from scipy import stats

from sfumato.accounting import events, total
from sfumato.accounting.events import Event
from sfumato.core import IntegerInterval
from sfumato.errors import InvalidDeclaration, InvalidParameter
from sfumato.exact import exponential_mechanism
from sfumato.mechanisms import GeometricNoise
from sfumato.synth import HistogramDatabase, multiplicative_weights
from sfumato.synth.publication.measurements import read, written
from sfumato.synth.publication.noises import DISCRETE_NORMAL, GEOMETRIC, NoiseKind
from sfumato.synth.publication.parts import Offer
from sfumato.synth.publication.query_mechanisms import ChosenRecords, MeasuredRounds
from sfumato.synth.publication.query_part import MeasuredQueries, PricedQueries, QueryPart
from sources import SeededBits

COLUMNS = ("ward", "sex", "stay")
DOMAINS: dict[str, tuple[Any, ...]] = {"ward": ("a", "b"), "sex": ("F", "M"), "stay": (0, 1, 2, None)}
SURE = Fraction(95, 100)
ASK = [
    {"name": "few days", "where": "ward = 'a' AND stay < 2"},
    {"where": "stay IS NULL OR ward = 'b'"},
]
WORK = {"name": "work", "weigh": "stay", "weights": {"1": 0.25, "2": 1}}
MOVED, BITS = 12, 2
COUNTS = np.array([[40, 30, 20, 10], [0, 400, 80, 8]])
TRUTH = {
    "few days": 70,
    "stay IS NULL OR ward = 'b'": 498,
    "stay <= 0": 40,
    "stay <= 1": 470,
    "stay <= 2": 570,
    "work": 207.5,
}


def part(**entry: Any) -> QueryPart:
    return QueryPart.read("measure 1", {"kind": "queries", **entry}, COLUMNS)


def priced(
    entry: dict[str, Any], *, amount: Any = 1, noise: NoiseKind = GEOMETRIC, moved: int = MOVED
) -> PricedQueries:
    made = part(**entry)
    shapes = {made.columns: tuple(len(DOMAINS[name]) for name in made.columns)}
    return made.price(Offer(Fraction(amount), noise, moved, BITS, shapes, DOMAINS))


def stored(of: PricedQueries, measured: list[Any]) -> MeasuredQueries:
    """As whoever opens the folder has it."""
    _, again = read(written("abc", measured))
    return QueryPart.opened(of.to_json(), again)


WAYS: dict[str, dict[str, Any]] = {
    "mwem": {"ask": ASK, "prefixes": "stay", "rounds": 5},
    "mwem with weights": {"ask": [*ASK, WORK], "rounds": 4},
    "small_database": {"prefixes": "stay", "by": "small_database", "records": 6},
    "small_database by alpha": {"ask": [{"where": "stay < 2"}], "by": "small_database", "alpha": 0.4},
}


def exact(of: PricedQueries, bits: int = BITS) -> dict[Any, Any]:
    counts = COUNTS if "ward" in of.mechanism.columns else COUNTS.sum(axis=0)
    return {of.mechanism.columns: counts << bits}


@pytest.mark.parametrize("way", WAYS)
def test_whatever_is_measured_has_the_shapes_it_was_priced_for_and_is_answered_as_it_was_stored(way: str) -> None:
    of = priced(WAYS[way], amount=4000)
    measured = of.measure(exact(of), SeededBits(3))
    assert tuple(each.shape for each in measured) == of.shapes
    opened = stored(of, measured)
    assert opened.names == of.mechanism.names
    for name in opened.names:
        answer = opened.query(name, SURE)
        assert answer.low is not None
        assert answer.high is not None
        if name in TRUTH:
            assert answer.low - 1e-6 <= TRUTH[name] <= answer.high + 1e-6
        if answer.standard_error is not None:
            assert answer.value == pytest.approx(TRUTH[name], abs=3), "at ε = 4000 there is hardly any noise"
    assert opened.tables[0].sum_of({})[0] == pytest.approx(588, abs=2)
    assert opened.answer({"stay": [0]}, SURE) is None


@pytest.mark.parametrize("way", WAYS)
def test_all_of_the_offer_is_spent_and_no_more(way: str) -> None:
    assert priced(WAYS[way]).event.pure() == 1
    rho = priced(WAYS[way], amount=Fraction(1, 10), noise=DISCRETE_NORMAL).event.zcdp()
    assert rho is not None
    assert Fraction(99, 1000) < rho <= Fraction(1, 10)


def test_the_price_is_that_of_the_draws_for_a_person_who_moves_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every draw recorded, and worked out for tables `moved` apart; a twin that takes a person for one part pays less."""
    handed: list[Event] = []
    choose, draw = exponential_mechanism, GeometricNoise.draw

    def chosen(scores: Any, epsilon: Fraction, sensitivity: int, **more: Any) -> int:
        handed.append(events.Exponential(epsilon * Fraction(MOVED, sensitivity)))
        return choose(scores, epsilon, sensitivity, **more)

    def drawn(self: GeometricNoise, size: Any, bits: Any) -> Any:
        handed.append(events.Pure(MOVED / self.scale))
        return draw(self, size, bits)

    monkeypatch.setattr(multiplicative_weights, "exponential_mechanism", chosen)
    monkeypatch.setattr(GeometricNoise, "draw", drawn)
    of = priced(WAYS["mwem"])
    of.measure(exact(of), SeededBits(1))
    assert len(handed) == 11
    assert total(handed).epsilon(0.0) == pytest.approx(1)
    handed.clear()
    forgetful = priced(WAYS["mwem"], moved=1)
    forgetful.measure(exact(of), SeededBits(1))
    assert total(handed).epsilon(0.0) == pytest.approx(MOVED)


def test_a_person_moves_the_levels_of_small_databases_by_one_and_what_forgets_the_parts_of_a_row_is_caught() -> None:
    """The probability of every candidate for tables up to `moved` apart: within ε; of the twin, beyond."""
    of, forgetful = (priced(WAYS["small_database"], moved=moved).mechanism for moved in (MOVED, 1))
    assert isinstance(of, ChosenRecords)
    assert isinstance(forgetful, ChosenRecords)
    x = np.array([20, 0, 16, 12])
    losses = {}
    for mechanism in (of, forgetful):
        losses[mechanism.each] = max(
            abs(_log_chance(mechanism, x, y) - _log_chance(mechanism, x + step, y))
            for step in ([MOVED, 0, 0, 0], [0, MOVED, 0, 0], [-6, 3, 0, 3], [0, 0, 0, -MOVED])
            for y in ([6, 0, 0, 0], [0, 6, 0, 0], [2, 0, 2, 2], [0, 0, 0, 6])
        )
    share = float(of.share)
    assert losses[MOVED] <= share * (1 + 1e-9)
    assert losses[1] > 1.5 * share


def _log_chance(of: ChosenRecords, x: Any, y: list[int]) -> float:
    """ln Pr[y] for n̂ = 60 by the mechanism's counts of candidates, the level of y in plain Fractions."""
    seen = of.mechanism.candidates(HistogramDatabase(IntegerInterval(0, 3), x), 60)
    rate = float(of.mechanism.rate)
    counts = [seen.within(t) - (seen.within(t - 1) if t else 0) for t in range(seen.last + 1)]
    whole = log(sum(count * np.exp(-rate * t) for t, count in enumerate(counts)))
    off = max(abs(Fraction(int(x[: k + 1].sum())) - Fraction(60, 6) * sum(y[: k + 1])) for k in range(3))
    return -rate * -(-off // of.each) - whole


@pytest.mark.parametrize("way", ["mwem", "mwem with weights", "small_database"])
def test_bars_hold_as_often_as_they_say(way: str) -> None:
    """120 releases at 80 %, every query by itself: fails no more often than p = 1e-9 allows."""
    of, runs, bits = priced(WAYS[way], amount=3), 120, SeededBits(7)
    missed, narrow, measured_ones = dict.fromkeys(of.mechanism.names, 0), 0, 0
    for _ in range(runs):
        opened = stored(of, of.measure(exact(of), bits))
        for name in opened.names:
            found = opened.query(name, Fraction(4, 5))
            assert found.low is not None
            assert found.high is not None
            missed[name] += not found.low - 1e-9 <= TRUTH[name] <= found.high + 1e-9
            if found.standard_error is not None:
                measured_ones += 1
                narrow += abs(found.value - TRUTH[name]) > (found.high - found.value) / 3
    most = stats.binom.isf(1e-9, runs, 0.2)
    assert all(each <= most for each in missed.values())
    if way.startswith("mwem"):
        assert narrow > stats.binom.isf(1e-9, measured_ones, 0.2), "a third of the bar would not hold"


def test_mwem_says_how_far_its_model_may_be_off_and_small_databases_carry_the_factor() -> None:
    many = priced({**WAYS["mwem"], "rounds": 1}, amount=2)
    opened = stored(many, many.measure(exact(many), SeededBits(5)))
    assert isinstance(opened.mechanism, MeasuredRounds)
    other = next(name for name in opened.names if opened.query(name, SURE).standard_error is None)
    found = opened.query(other, SURE)
    assert found.tables == ("a model by MWEM",)
    assert found.high is not None
    said = opened.mechanism.mechanism.error(Fraction(5, 200), told=int(opened.measured[0])).alpha
    assert found.high - found.value == pytest.approx(said / 2**BITS)
    small = priced(WAYS["small_database"], amount=2)
    told, counts = np.array(2400), np.array([1, 2, 0, 3])
    answers = [QueryPart.opened(small.to_json(), [told, counts]).query(name, SURE) for name in small.mechanism.names]
    assert [each.value for each in answers] == [100.0, 300.0, 300.0], "n̂/m = 400 parts, of which four are a row"


def test_a_plan_is_read_again_from_what_it_writes() -> None:
    for way in WAYS.values():
        made = part(**way)
        again = QueryPart.read("measure 1", made.to_json(), COLUMNS)
        assert again == made
        assert made.tables == (made.columns,)


@pytest.mark.parametrize(("entry", "words"), [
    ({}, "asks nothing"),
    ({"ask": [{"name": "x"}]}, "says `where`, or `weigh` with `weights`"),
    ({"ask": [{"where": "stay = 1", "weights": {"1": 1}}]}, "says `where`, or `weigh`"),
    ({"ask": [{"name": "w", "weigh": "stay", "weights": {"1": 2}}]}, "between 0 and 1"),
    ({"ask": [{"name": "w", "weigh": "stay", "weights": {"9": 1}}]}, "no value '9' to weigh"),
    ({"ask": [{"name": "w", "weigh": "day", "weights": {"9": 1}}]}, "column that the plan has not"),
    ({"ask": [{"name": "w", "weigh": "stay", "weights": {"1": "1/1000003"}}]}, "common denominator"),
    ({"ask": [{"name": "w", "weigh": "stay", "weights": {"1": 0}}]}, "counts nothing"),
    ({"ask": [{"where": "stay < 0"}]}, "counts nothing"),
    ({"ask": [ASK[0], ASK[0]]}, "twice"),
    ({"prefixes": "day"}, "column that the plan has not"),
    ({"prefixes": "stay", "by": "magic"}, "must be one of mwem, small_database"),
    ({"prefixes": "stay", "rounds": 0}, "rounds must be a whole number from 1"),
    ({"prefixes": "stay", "records": 3}, "unknown entry `records`"),
    ({"prefixes": "stay", "by": "small_database"}, "`records` or `alpha`"),
    ({"prefixes": "stay", "by": "small_database", "alpha": 2}, "share between 0 and 1"),
])  # fmt: skip
def test_what_cannot_be_asked_is_refused_with_a_remedy(entry: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidDeclaration, match=words):
        priced(entry)


def test_candidates_that_cannot_be_counted_are_refused_before_anything_is_spent() -> None:
    crossing = [{"where": "stay < 2"}, {"where": "sex = 'F'"}, {"where": "ward = 'a'"}]
    with pytest.raises(InvalidParameter, match="candidate databases of 3000 records"):
        priced({"ask": crossing, "by": "small_database", "records": 3000}).event.pure()
