"""Bars of answers from measurements: they cover as often as they say, and nothing unmeasured has one."""

from collections.abc import Iterator

import numpy as np
import pytest
from scipy import stats

from sfumato.errors import InvalidParameter
from sfumato.synth.tables import Marginal, TableMeasurements, TableShape, TableSynthesiser, answer, can_answer
from sources import SeededBits
from synthetic_cases import correlated, marginals_of

SHAPE = TableShape({"a": 6, "b": 4, "c": 5})
RELEASES = 40
QUESTIONS = 25


def releases(count: int = RELEASES) -> Iterator[TableMeasurements]:
    mechanism = TableSynthesiser.calibrated(shape=SHAPE, epsilon=1, delta=1e-6)
    for seed in range(count):
        yield mechanism.measure(marginals_of(correlated(SHAPE)), bits=SeededBits(seed))


def covered(columns: Marginal, widen: float = 1.0) -> float:
    """The share of answers whose 95 % bar, times a factor, holds the truth."""
    data = correlated(SHAPE)
    generator = np.random.default_rng(4)
    held = []
    for measured in releases():
        for _ in range(QUESTIONS):
            weights = {SHAPE.names[c]: generator.integers(0, 2, SHAPE.sizes[c]).astype(float) for c in columns}
            truth = marginals_of(data)(columns).astype(float)
            for each in weights.values():
                truth = np.tensordot(each, truth, axes=1)
            said = answer(measured, weights)
            held.append(abs(said.value - float(truth)) <= widen * said.error(0.05).alpha)
    return float(np.mean(held))


@pytest.mark.parametrize("columns", [(0,), (2,), (0, 1), (1, 2)])
def test_bars_cover_as_often_as_they_say(columns: Marginal) -> None:
    assert 0.93 <= covered(columns) <= 0.97


def test_bars_of_four_fifths_of_their_width_are_caught() -> None:
    assert covered((0, 1), widen=0.8) < 0.93
    assert covered((0, 1), widen=1.25) > 0.97


def test_the_error_of_an_answer_is_normal_of_the_stated_deviation() -> None:
    """Squares of pivots over independent releases add up to a chi-square."""
    weights = {"a": [1, 1, 0, 0, 1, 0], "b": [0, 1, 1, 0]}
    truth = np.einsum("abc,a,b->", correlated(SHAPE), weights["a"], weights["b"])
    pivots = [(said.value - truth) / said.deviation for said in (answer(m, weights) for m in releases(200))]
    squares = float(np.square(pivots).sum())
    assert 1e-9 < stats.chi2.sf(squares, 200) < 1 - 1e-9
    assert stats.chi2.sf(squares * 1.5**2, 200) < 1e-9, "or deviations of two thirds would pass"
    assert stats.chi2.cdf(squares / 1.5**2, 200) < 1e-9, "or deviations half as large again would pass"
    assert stats.kstest(pivots, "norm").pvalue > 1e-9


def test_the_error_known_before_covers_every_value_of_every_column_and_not_by_much() -> None:
    data = correlated(SHAPE)
    mechanism = TableSynthesiser.calibrated(shape=SHAPE, epsilon=1, delta=1e-6)
    reach, off = mechanism.error(0.05).alpha, list[float]()
    for measured in releases():
        for place, name in enumerate(SHAPE.names):
            for value, truth in enumerate(marginals_of(data)((place,))):
                said = answer(measured, {name: np.eye(SHAPE.sizes[place])[value]})
                assert said.error(0.05).alpha <= reach
                off.append(abs(said.value - float(truth)))
    assert np.mean(np.array(off) <= reach) >= 0.95
    assert np.mean(np.array(off) <= reach / 3) < 0.95
    assert mechanism.error(0.01).alpha > reach


def test_the_total_is_a_question_of_no_column() -> None:
    measured = next(releases(1))
    assert answer(measured, {}).value == measured.total
    everybody = answer(measured, {"a": [1] * 6, "c": [1] * 5})
    assert everybody.value == pytest.approx(measured.total)
    assert everybody.deviation == pytest.approx(answer(measured, {}).deviation)


def test_what_was_not_measured_together_has_no_bar() -> None:
    measured = next(releases(1))
    assert can_answer(measured, ("b", "a"))
    assert not can_answer(measured, ("a", "b", "c"))
    with pytest.raises(InvalidParameter, match="measured together"):
        answer(measured, {"a": [1] * 6, "b": [1] * 4, "c": [1] * 5})
    with pytest.raises(InvalidParameter, match="6 numbers"):
        answer(measured, {"a": [1] * 5})
    with pytest.raises(InvalidParameter, match="table's"):
        answer(measured, {"d": [1] * 5})


def test_weighted_rows_are_answered_in_rows() -> None:
    shape = TableShape(SHAPE.columns, moved=8, parts=4)
    mechanism = TableSynthesiser.calibrated(shape=shape, epsilon=10, delta=1e-6)
    measured = mechanism.measure(marginals_of(4 * correlated(SHAPE)), bits=SeededBits(1))
    said = answer(measured, {"a": [1, 0, 0, 0, 0, 0]})
    truth = correlated(SHAPE)[0].sum()
    assert abs(said.value - truth) <= said.error(1e-9).alpha < truth / 10
