"""Answers from published tables: sums over the right cells, the best of several tables, and bars at their level."""

from fractions import Fraction
from math import prod, sqrt
from unittest import mock

import numpy as np
import pytest

from sfumato.exact.bits import SystemBits
from sfumato.mechanisms import GeometricNoise
from sfumato.mechanisms.additive import Noise
from sfumato.mechanisms.gaussian import GaussianNoise
from sfumato.query import law
from sfumato.synth.publication import answers
from sfumato.synth.publication.answers import answer, combined
from sfumato.synth.publication.tables import NoisyTable

SURE = Fraction(95, 100)
SHAPE = {"a": 3, "b": 4, "c": 2}
WHOLE = np.arange(24).reshape(3, 4, 2) ** 2
"""How many rows are in each cell of a, b and c."""


def table(*columns: str, noise: Noise | None = None, bits: int = 3, noisy: bool = False) -> NoisyTable:
    law = noise or GeometricNoise(Fraction(40))
    others = tuple(axis for axis, name in enumerate(SHAPE) if name not in columns)
    counts = WHOLE.sum(axis=others) << bits
    ordered = np.transpose(counts, [sorted(columns, key=list(SHAPE).index).index(name) for name in columns])
    drawn = np.asarray(law.draw(ordered.size, SystemBits())).reshape(ordered.shape) if noisy else 0
    return NoisyTable(columns, np.asarray(ordered + drawn, dtype=np.int64), law, bits)


@pytest.mark.parametrize("chosen", [{}, {"a": [1]}, {"b": [0, 3]}, {"a": [0, 2], "b": [1]}, {"b": []}])
@pytest.mark.parametrize("columns", [("a", "b"), ("b", "a"), ("a", "b", "c"), ("c", "a", "b")])
def test_without_noise_every_table_that_holds_it_gives_the_truth(
    chosen: dict[str, list[int]], columns: tuple[str, ...]
) -> None:
    index = np.ix_(*(chosen.get(name, range(size)) for name, size in SHAPE.items()))
    found = answer([table(*columns), table("a", "b", "c", bits=0)], chosen, SURE)
    assert found is not None
    assert found.value == WHOLE[index].sum()
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.value <= found.high


def test_what_no_table_holds_has_no_answer() -> None:
    assert answer([table("a", "b"), table("c")], {"a": [0], "c": [0]}, SURE) is None


def test_the_variance_is_that_of_all_cells_that_are_added_up() -> None:
    one = table("a", "b", "c")
    how = combined([one], {"a": 1, "b": 2})
    assert how is not None
    assert how.cells == (1 * 2 * 2,)
    assert how.variance == pytest.approx(4 * one.noise.variance / 64)


def test_several_tables_are_weighted_by_the_inverse_of_their_variances() -> None:
    tables = [table("a", "b"), table("a", "c"), table("a", noise=GaussianNoise(Fraction(90)), bits=4), table("b", "c")]
    how = combined(tables, {"a": 1})
    assert how is not None
    assert [each.columns for each in how.tables] == [("a", "b"), ("a", "c"), ("a",)]
    assert sum(how.weights) == 1
    variances = [each.variance * prod(SHAPE[name] for name in each.columns if name != "a") for each in how.tables]
    best = 1 / sum(1 / each for each in variances)
    assert how.variance == pytest.approx(best, rel=1e-5)
    for weight, variance in zip(how.weights, variances, strict=True):
        assert float(weight) == pytest.approx(best / variance, rel=1e-5)
    assert how.variance < min(variances)


def missed(columns: list[tuple[str, ...]], chosen: dict[str, list[int]], runs: int = 2000) -> float:
    """How often the truth is outside of the bar, less what is allowed, in standard deviations."""
    index = np.ix_(*(chosen.get(name, range(size)) for name, size in SHAPE.items()))
    truth, outside = WHOLE[index].sum(), 0
    for _ in range(runs):
        found = answer([table(*each, noisy=True) for each in columns], chosen, SURE)
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        outside += not found.low <= truth <= found.high
    return float((outside / runs - 0.05) / sqrt(0.05 * 0.95 / runs))


CASES: list[tuple[list[tuple[str, ...]], dict[str, list[int]]]] = [
    ([("a", "b")], {"a": [1]}),
    ([("a", "b"), ("a", "c"), ("a", "b", "c")], {"a": [0, 2]}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "chosen"), CASES)
def test_bars_hold_at_their_level(columns: list[tuple[str, ...]], chosen: dict[str, list[int]]) -> None:
    assert -6 < missed(columns, chosen) < 6  # p < 1e-9


@pytest.mark.slow
def test_a_bar_for_one_cell_where_several_are_added_up_is_noticed() -> None:
    honest = law.reach_of_many

    def one_cell(cells: tuple[tuple[Noise, Fraction, int], ...], beta: Fraction) -> Fraction:
        return honest(tuple((noise, weight, min(1, times)) for noise, weight, times in cells), beta)

    with mock.patch.object(answers, "reach_of_many", one_cell):
        assert missed(*CASES[0]) > 6


@pytest.mark.slow
def test_tables_that_were_measured_with_one_noise_are_noticed() -> None:
    """Why noises must be independent: of the same table twice the mean has the variance of one."""
    runs, outside = 2000, 0
    for _ in range(runs):
        one = table("a", "b", noisy=True)
        found = answer([one, one], {"a": [1]}, SURE)
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        outside += not found.low <= WHOLE[1].sum() <= found.high
    assert (outside / runs - 0.05) / sqrt(0.05 * 0.95 / runs) > 6


def test_an_answer_reads_as_a_number_with_its_bar() -> None:
    found = answer([table("a", "b")], {"a": [1]}, SURE)
    assert "±" in str(found)
    assert "95 %" in str(found)
