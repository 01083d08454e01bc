"""MWEM: its price by what it hands out, one person's mark on a round, and that it learns."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from sfumato.accounting import events, total
from sfumato.accounting.events import Event
from sfumato.core import Categories, Change, IntegerInterval
from sfumato.errors import InvalidParameter
from sfumato.exact import exponential_mechanism
from sfumato.mechanisms import GeometricNoise
from sfumato.synth import (
    CountedPeople,
    GuessedPeople,
    HistogramDatabase,
    HistogramModel,
    KnownPeople,
    MarginalWorkload,
    MatrixWorkload,
    MultiplicativeStep,
    MultiplicativeWeights,
    PrefixWorkload,
    ProportionalStep,
    Workload,
    multiplicative_weights,
)
from sfumato.synth.people import PeopleCount
from sources import SeededBits

THREE = IntegerInterval(0, 2)
TABLE: dict[str, IntegerInterval | Categories] = {"a": IntegerInterval(0, 1), "b": IntegerInterval(0, 2)}
KINDS: dict[str, Workload] = {
    "prefixes": PrefixWorkload(THREE),
    "marginals": MarginalWorkload(TABLE, (("a",), ("b",), ("b", "a"))),
    "halves": MatrixWorkload.of([lambda v: Fraction(v, 2), lambda v: v == 1], THREE),
}


def mwem(name: str, people: PeopleCount, **more: Any) -> MultiplicativeWeights:
    step = MultiplicativeStep() if name == "halves" else ProportionalStep()
    asked: dict[str, Any] = {"workload": KINDS[name], "epsilon": 1, "rounds": 2, "people": people, "step": step}
    return MultiplicativeWeights(**asked | more)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("each", [1, 3])
@pytest.mark.parametrize("people", [KnownPeople(60), GuessedPeople(50), CountedPeople(Fraction(1, 4))])
def test_the_price_is_that_of_the_noises_handed_out(
    name: str, people: PeopleCount, each: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every draw is recorded with its parameters; by how much one person moves what it hides is worked out here."""
    workload, rounds = KINDS[name], 3
    handed: list[Event] = []
    choose, draw = exponential_mechanism, GeometricNoise.draw
    columns = np.stack([workload.weights_of(query) for query in range(len(workload))])
    pairs = columns[:, :, None] - columns[:, None, :] if people.neighbours.change is Change.REPLACE else columns
    moved = max(int(np.abs(pairs[group.start : group.stop]).sum(axis=0).max()) for group in workload.groups)
    moved *= each

    def chosen(scores: Any, epsilon: Fraction, sensitivity: int, **more: Any) -> int:
        handed.append(events.Exponential(epsilon * Fraction(moved, sensitivity)))
        return choose(scores, epsilon, sensitivity, **more)

    def drawn(self: GeometricNoise, size: Any, bits: Any) -> Any:
        handed.append(events.Pure((moved if size else each) / self.scale))
        return draw(self, size, bits)

    monkeypatch.setattr(multiplicative_weights, "exponential_mechanism", chosen)
    monkeypatch.setattr(GeometricNoise, "draw", drawn)
    mechanism = mwem(name, people, rounds=rounds, each=each)
    mechanism.release(HistogramDatabase(workload.domain, [60 // len(workload.domain)] * len(workload.domain)))
    counted = isinstance(people, CountedPeople)
    assert len(handed) == 2 * rounds + counted
    paid = total([mechanism.event]).epsilon(0.0)
    assert total(handed).epsilon(0.0) == pytest.approx(paid, rel=1e-12)
    assert paid == pytest.approx(1.25 if counted else 1)


def largest_loss(mechanism: MultiplicativeWeights, one: list[int], other: list[int], told: Any) -> float:
    """The most that what one round says tells of two databases: the group chosen, and its noisy sums at their worst."""
    domain = mechanism.workload.domain
    sums = [mechanism.workload.sums(HistogramDatabase(domain, counts).cells()) for counts in (one, other)]
    rate, logs = float(mechanism.share / (2 * mechanism.moved)), []
    for exact in sums:
        scores = [float(score) * rate for score in mechanism.scores(exact, told)]
        whole = math.log(math.fsum(math.exp(score - max(scores)) for score in scores)) + max(scores)
        logs.append([score - whole for score in scores])
    moved = np.abs(sums[0] - sums[1])
    return max(
        abs(logs[0][place] - logs[1][place]) + float(moved[group.start : group.stop].sum() / mechanism.noise.scale)
        for place, group in enumerate(mechanism.workload.groups)
    )


@pytest.mark.parametrize("name", KINDS)
def test_one_person_moves_a_round_by_no_more_than_its_share(name: str) -> None:
    """Over added and replaced records, and what models say; with the sensitivity forgotten the loss is larger."""
    d = len(KINDS[name].domain)
    for people in (GuessedPeople(6), KnownPeople(6)):
        mechanism = mwem(name, people)
        share = 2 * float(mechanism.share)
        worst = 0.0
        for told in (np.zeros(len(KINDS[name]), dtype=np.int64), np.full(len(KINDS[name]), 2)):
            x = [1 + (place % 3) for place in range(d)]
            for place in range(d):
                more = [count + (at == place) for at, count in enumerate(x)]
                if people.neighbours.change is Change.REPLACE:
                    more[(place + 1) % d] -= 1
                worst = max(worst, largest_loss(mechanism, x, more, told))
        assert worst <= share * (1 + 1e-12)
        assert worst > 0.55 * share  # with ε/Δ for the choice, or half the noise, it would be beyond


@pytest.mark.parametrize("name", KINDS)
def test_a_person_of_several_records_moves_a_round_by_no_more_and_what_forgets_them_is_caught(name: str) -> None:
    """Tables up to three records apart in ℓ1, whatever came and went; the twin takes a person for one record."""
    d, each = len(KINDS[name].domain), 3
    sound, forgetful = mwem(name, GuessedPeople(6), each=each), mwem(name, GuessedPeople(6))
    x, losses = [1 + (place % 3) for place in range(d)], list[tuple[float, float]]()
    for step in product(range(-1, each + 1), repeat=d):
        if 0 < sum(map(abs, step)) <= each:
            more = [a + b for a, b in zip(x, step, strict=True)]
            told = np.full(len(KINDS[name]), 2)
            losses.append((largest_loss(sound, x, more, told), largest_loss(forgetful, x, more, told)))
    share = 2 * float(sound.share)
    assert 0.5 * share < max(one for one, _ in losses) <= share * (1 + 1e-12)
    assert max(other for _, other in losses) > 1.5 * share


@pytest.mark.parametrize("name", KINDS)
def test_models_are_made_of_noisy_values_alone(name: str) -> None:
    """The same measurements, taken in again without the data, give the same models to the last bit."""
    mechanism = mwem(name, CountedPeople(1), rounds=4, passes=2)
    workload = KINDS[name]
    released = mechanism.release(HistogramDatabase(workload.domain, [9] * len(workload.domain)), bits=SeededBits(3))
    people = round(float(released.model.weights.sum()))
    weights = HistogramModel.uniform(workload.domain, people=people).weights.copy()
    average = np.zeros_like(weights)
    for done in range(4):
        average += weights / 4
        mechanism.take(weights, released.measured[done])
        for again in released.measured[: done + 1] * 2:
            mechanism.take(weights, again)
    assert (weights == released.model.weights).all()
    assert (average == released.average.weights).all()
    anew = mechanism.fitted(released.people, released.measured)
    assert (anew.model.weights == weights).all()
    assert (anew.average.weights == average).all()


@pytest.mark.parametrize("step", [MultiplicativeStep(), ProportionalStep()])
@pytest.mark.parametrize("passes", [0, 1])
def test_the_average_is_as_near_as_its_error_says(step: Any, passes: int) -> None:
    domain, n = IntegerInterval(0, 31), 10**6
    workload = PrefixWorkload(domain)
    counts = [n // 2 if place in {3, 20} else 0 for place in range(32)]
    data = HistogramDatabase(domain, counts)
    exact = workload.answers(data)
    for people in (KnownPeople(n), CountedPeople(1)):
        mechanism = MultiplicativeWeights(
            workload=workload, epsilon=4, rounds=12, people=people, step=step, passes=passes
        )
        said = mechanism.error(1e-9, people=n).alpha
        assert said < n  # it says something
        for seed in range(3):
            released = mechanism.release(data, bits=SeededBits(seed))
            assert np.abs(workload.answers(released.average) - exact).max() <= said
            assert np.abs(workload.answers(released.model) - exact).max() < 0.2 * n
            if people.events:
                assert said * 0.99 <= mechanism.error(1e-9, told=released.people).alpha <= said * 1.01


def test_a_counted_number_beyond_floats_is_cut_and_not_refused() -> None:
    """Whether it is beyond may depend on one person: after the noise it is cut, and the error says no more."""
    mechanism = mwem("prefixes", CountedPeople(1))
    released = mechanism.release(HistogramDatabase(THREE, [2**60, 1, 1]))
    assert released.people == 2**53
    assert mechanism.error(0.1, people=2**60).alpha >= 2**60


def test_marginals_are_learned_whole_on_a_large_domain() -> None:
    """Four attributes of 20 values: 160 000 cells, three marginals measured in as many rounds."""
    table: dict[str, IntegerInterval | Categories] = {name: IntegerInterval(0, 19) for name in "abcd"}
    workload = MarginalWorkload(table, (("a", "b"), ("c",), ("d",)))
    counts = np.zeros((20, 20, 20, 20), dtype=np.int64)
    for place in range(20):
        counts[place, place, :3, 7] += 1000
    data = HistogramDatabase(workload.domain, counts.ravel())
    mechanism = MultiplicativeWeights(workload=workload, epsilon=2, rounds=6, people=CountedPeople(0.1))
    released = mechanism.release(data, bits=SeededBits(1))
    assert {group.queries.start for group in released.measured} == {0, 400, 420}
    off = np.abs(workload.answers(released.model) - workload.answers(data))
    assert off[400:].max() < 0.02 * 60_000
    assert off.sum() < 0.15 * 3 * 60_000


def test_what_takes_too_long_or_has_no_theorem_is_refused() -> None:
    people = KnownPeople(10)
    wide = MarginalWorkload({f"a{i}": IntegerInterval(0, 9) for i in range(8)}, (("a0",),))
    for bad, words in (
        (lambda: MultiplicativeWeights(workload=wide, epsilon=1, rounds=1, people=people), "16777216 cells"),
        (lambda: mwem("prefixes", people, rounds=2**40), "fewer for so many"),
        (lambda: mwem("prefixes", people, rounds=0), "rounds"),
        (lambda: mwem("prefixes", people, epsilon=-1), "epsilon"),
        (lambda: mwem("prefixes", 10), "known, guessed or counted"),  # type: ignore[arg-type]
        (lambda: mwem("halves", people, step=ProportionalStep()), "MultiplicativeStep"),
        (lambda: mwem("prefixes", people, workload=PrefixWorkload(THREE, size=9)), r"KnownPeople\(9\)"),
        (lambda: mwem("marginals", people).error(0.1), "query by query"),
        (lambda: mwem("prefixes", CountedPeople(1)).error(0.1), "people"),
        (lambda: mwem("prefixes", people).release(HistogramDatabase(THREE, [1, 1, 1])), "as are declared: 10"),
        (lambda: mwem("prefixes", GuessedPeople(2**60)).release(HistogramDatabase(THREE, [1, 1, 1])), "2\\*\\*53"),
        (lambda: mwem("prefixes", people).release(HistogramModel.uniform(THREE, people=10)), "not what was released"),
    ):
        with pytest.raises(InvalidParameter, match=words):
            bad()
    few = mwem("prefixes", people).error(0.1).alpha
    assert few == 10  # noise as wide as the data: nothing is said beyond what is so anyway
