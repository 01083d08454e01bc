"""Online multiplicative weights: what it answers, when it halts, what it costs, and how often it must learn."""

import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest

from sfumato.accounting import total
from sfumato.core import Change, IntegerInterval, Neighbours, Sensitivity
from sfumato.errors import Halted, InvalidParameter
from sfumato.synth import (
    CountedPeople,
    GuessAndCheck,
    HistogramDatabase,
    HistogramModel,
    KnownPeople,
    MatrixWorkload,
    NumericCheck,
    OnlineMultiplicativeWeights,
    PrefixWorkload,
    RangeWorkload,
)
from sfumato.synth.guess_and_check import GuessCheck
from sfumato.synth.people import PeopleCount
from sources import SeededBits

DOMAIN = IntegerInterval(0, 15)
PEOPLE = 100_000
DATA = HistogramDatabase(DOMAIN, {2: 70_000, 9: 20_000, 15: 10_000})
ADDED, REPLACED = Sensitivity.linf(1, Neighbours()), Sensitivity.linf(1, Neighbours(Change.REPLACE))
RANGES = RangeWorkload.all(DOMAIN)


def numeric(cutoff: int = 60, threshold: int = 8000, sensitivity: Sensitivity = ADDED, epsilon: int = 8) -> GuessCheck:
    return NumericCheck(epsilon=epsilon, cutoff=cutoff, threshold=threshold, sensitivity=sensitivity)


def gaussian(cutoff: int = 60) -> GuessCheck:
    return GuessAndCheck(sigma=40, query_sigma=80, value_sigma=60, cutoff=cutoff, threshold=8000, sensitivity=ADDED)


@pytest.mark.parametrize(
    ("check", "people"),
    [
        (numeric(), CountedPeople(1)),
        (numeric(sensitivity=REPLACED), KnownPeople(PEOPLE)),
        (gaussian(), CountedPeople(1)),
    ],
)
def test_every_answer_is_as_near_as_said_and_few_are_measured(check: GuessCheck, people: PeopleCount) -> None:
    """136 ranges, some asked twice: no more updates than there is to learn."""
    online = OnlineMultiplicativeWeights(domain=DOMAIN, check=check, people=people)
    said = online.error(1e-9, queries=2 * len(RANGES)).alpha
    most = online.most_updates(1e-9, queries=2 * len(RANGES), people=PEOPLE)
    assert most is not None
    exact = RANGES.answers(DATA)
    for seed in range(2):
        run = online.start(DATA, bits=SeededBits(seed))
        answers = run.ask_all(RANGES) + run.ask_all(RANGES)
        assert len(answers) == 2 * len(RANGES)
        assert sum(answer.measured for answer in answers) == run.updates
        assert 0 < run.updates <= min(most, 60)
        for answer, true in zip(answers, [*exact, *exact], strict=True):
            assert abs(answer.value - true) <= said
        kept = run.ask_all(RANGES)[-1]
        assert kept.value == pytest.approx(RANGES.answers(run.model)[-1], abs=0.6)


def test_it_halts_when_its_updates_are_used_up_and_says_so() -> None:
    online = OnlineMultiplicativeWeights(domain=DOMAIN, check=numeric(cutoff=2), people=CountedPeople(1))
    run = online.start(DATA, bits=SeededBits(1))
    answers = run.ask_all(RANGES)
    assert len(answers) < len(RANGES)
    assert run.halted
    assert run.updates == sum(answer.measured for answer in answers) == 2
    assert repr(run) == "<online run: 2 updates, halted>"
    with pytest.raises(Halted):
        run.ask(RANGES, 0)
    assert isinstance(run.model, HistogramModel)  # what it has learned stays
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(Halted, match="cannot be copied"):
            copied(run)


def test_the_model_changes_only_by_what_was_measured() -> None:
    online = OnlineMultiplicativeWeights(domain=DOMAIN, check=numeric(), people=CountedPeople(1))
    run = online.start(DATA, bits=SeededBits(4))
    for query in range(0, len(RANGES), 3):
        before = run.model.weights
        answer = run.ask(RANGES, query)
        assert (before == run.model.weights).all() != answer.measured
        if not answer.measured:
            assert answer.value == round(float(RANGES.answers(HistogramModel(DOMAIN, before))[query]))


def test_the_price_is_fixed_before_and_is_that_of_its_parts() -> None:
    online = OnlineMultiplicativeWeights(domain=DOMAIN, check=numeric(), people=CountedPeople(Fraction(1, 2)))
    assert total([online.event]).epsilon(0.0) == 8.5
    known = OnlineMultiplicativeWeights(domain=DOMAIN, check=numeric(sensitivity=REPLACED), people=KnownPeople(PEOPLE))
    assert total([known.event]).epsilon(0.0) == 8
    before = online.event
    online.start(DATA).ask_all(RANGES)
    assert online.event == before


def test_the_bound_on_updates_is_the_progress_there_is_over_that_of_an_update() -> None:
    known = OnlineMultiplicativeWeights(
        domain=DOMAIN, check=numeric(sensitivity=REPLACED, epsilon=800), people=KnownPeople(PEOPLE)
    )
    alpha = known.check.error(0.005, queries=10).alpha
    most = known.most_updates(0.01, queries=10)
    assert most is not None
    expected = PEOPLE**2 * np.log(16) / (2 * 8000 * (8000 - 2 * alpha))
    assert abs(most - expected) <= 1
    small = OnlineMultiplicativeWeights(
        domain=DOMAIN, check=numeric(threshold=10, sensitivity=REPLACED), people=KnownPeople(PEOPLE)
    )
    assert small.most_updates(0.01, queries=10) is None


def test_weights_other_than_0_and_1_need_a_grid() -> None:
    halves = MatrixWorkload.of([lambda v: Fraction(v % 3, 2)], DOMAIN)
    whole = OnlineMultiplicativeWeights(domain=DOMAIN, check=numeric(), people=CountedPeople(1)).start(DATA)
    with pytest.raises(InvalidParameter, match="multiples of 1, got a denominator of: 2"):
        whole.ask(halves)
    check = NumericCheck(epsilon=8, cutoff=2, threshold=8000, sensitivity=ADDED, grid=Fraction(1, 2))
    run = OnlineMultiplicativeWeights(domain=DOMAIN, check=check, people=CountedPeople(1)).start(
        DATA, bits=SeededBits(1)
    )
    exact = float(halves.answers(DATA)[0])
    answer = run.ask(halves)
    assert answer.measured
    assert abs(answer.value - exact) < 500
    assert abs(run.ask(PrefixWorkload(DOMAIN), 15).value - PEOPLE) < 9000


def test_what_does_not_fit_together_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="must hold for neighbours that replace one"):
        OnlineMultiplicativeWeights(domain=DOMAIN, check=numeric(), people=KnownPeople(10))
    half = Sensitivity.linf(Fraction(1, 2), Neighbours())
    less = NumericCheck(epsilon=1, threshold=4, sensitivity=half, grid=Fraction(1, 4))
    with pytest.raises(InvalidParameter, match="sensitivity of 1"):
        OnlineMultiplicativeWeights(domain=DOMAIN, check=less, people=CountedPeople(1))
    with pytest.raises(InvalidParameter, match="known, guessed or counted"):
        OnlineMultiplicativeWeights(domain=DOMAIN, check=numeric(), people=10)  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="16777216 cells"):
        OnlineMultiplicativeWeights(domain=IntegerInterval(0, 2**25), check=numeric(), people=CountedPeople(1))
    online = OnlineMultiplicativeWeights(domain=DOMAIN, check=numeric(), people=CountedPeople(1))
    with pytest.raises(InvalidParameter, match="over the domain"):
        online.start(HistogramDatabase(IntegerInterval(0, 1), [1, 2]))
    with pytest.raises(InvalidParameter, match="not what was released"):
        online.start(HistogramModel.uniform(DOMAIN, people=3))
    run = online.start(DATA)
    with pytest.raises(InvalidParameter, match="below 136"):
        run.ask(RANGES, 136)
    with pytest.raises(InvalidParameter, match="over the domain of the queries"):
        run.ask(PrefixWorkload(IntegerInterval(0, 3)), 0)
