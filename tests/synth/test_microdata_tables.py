"""The tables of Abowd et al.'s design: our algorithms' errors are those of another implementation, but for chance."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from microdata_figures import AT_A_TENTH, AT_ONE, SWEEP
from microdata_tables import DATASETS, algorithms, clipped_sum_error, errors, level, main, measured, run

SURE = 6.5  # standard deviations, of figures that are means of hundreds of squares


def spread(name: str, dataset: str, *, epsilon: Fraction, runs: int, batches: int) -> Any:
    """The three figures of a table's cell, for each of some batches of as many runs as the table's."""
    cells = DATASETS[dataset]
    weights = algorithms(epsilon)[name](*measured(cells, runs * batches, epsilon=epsilon, name=name))
    return np.array([errors(cells, batch)[:3] for batch in np.split(weights, batches)])


def doubtful(figures: Any, theirs: Any) -> Any:
    """By how many standard deviations of one batch each of their figures is from the mean of ours.

    Both are computed alike, so that the worst of 100 noisy cells is compared with the worst of 100 noisy cells. Logarithms
    of means of squares are nearly normal, and a batch's spread is known to an eighth.
    """
    ours = np.log(figures)
    wide = ours.std(axis=0, ddof=1) * math.sqrt(1 + 1 / len(ours)) + 0.005
    return np.abs(np.log(theirs) - ours.mean(axis=0)) / wide


@pytest.mark.parametrize("dataset", DATASETS)
def test_a_hundred_cells_have_the_errors_of_the_table(dataset: str) -> None:
    for epsilon, table, runs in ((Fraction(1), AT_ONE, 500), (Fraction(1, 10), AT_A_TENTH, 300)):
        for name in ("ols", "clip", "nnls", "water-filling"):
            figures = spread(name, dataset, epsilon=epsilon, runs=runs, batches=40)
            assert doubtful(figures, table[dataset][name]).max() < SURE, (name, float(epsilon))


@pytest.mark.parametrize("dataset", ["Level00", "Step16", "SplitStairs"])
def test_the_reweighted_fit_has_the_errors_of_the_table(dataset: str) -> None:
    """It is fitted row by row: fewer runs, whose own spread says how far theirs may be."""
    cells, runs, epsilon = DATASETS[dataset], 1500, Fraction(1)
    weights = algorithms(epsilon)["reweighted"](*measured(cells, runs, epsilon=epsilon, name="reweighted"))
    their_sum, their_worst, their_all = AT_ONE[dataset]["reweighted"]
    squares = ((weights - cells).sum(axis=1) ** 2, ((weights - cells) ** 2).sum(axis=1))
    for ours, theirs in zip(squares, (their_sum, their_all), strict=True):
        doubt = SURE * ours.std() * math.sqrt(1 / runs + 1 / 500)
        assert abs(ours.mean() - theirs) < doubt
    assert their_worst / 2 < errors(cells, weights).worst < their_worst * 2


def test_a_wrong_scale_or_another_algorithm_would_be_found() -> None:
    """Noise a tenth narrower moves the errors of all cells by a fifth; sums tell clipping from water-filling."""
    for dataset in ("Level01", "Stair"):
        narrow = spread("ols", dataset, epsilon=Fraction(10, 9), runs=500, batches=40)
        assert doubtful(narrow, AT_ONE[dataset]["ols"]).max() > SURE
        other = spread("clip", dataset, epsilon=Fraction(1), runs=500, batches=40)
        assert doubtful(other, AT_ONE[dataset]["water-filling"]).max() > SURE
    zeros = spread("nnls", "Level00", epsilon=Fraction(1), runs=500, batches=40)
    assert doubtful(zeros, AT_ONE["Level00"]["water-filling"]).max() > SURE


@pytest.mark.parametrize(("other", "d"), SWEEP)
def test_the_errors_grow_with_the_number_of_cells_as_in_the_sweep(other: int, d: int) -> None:
    """The sum's stays at 8 and the big cell's grows as ln² d for water-filling; the sum's as d² for clipping."""
    runs = 400 if d <= 1000 else 100
    for name, (theirs_sum, theirs_big) in SWEEP[other, d].items():
        found = [run(level(other, d), name, runs=runs // 10) for _ in range(20)]
        for ours, theirs in (([e.sum for e in found], theirs_sum), ([e.big for e in found], theirs_big)):
            mean, wide = float(np.mean(ours)), float(np.std(ours, ddof=1))
            doubt = SURE * wide * math.sqrt(1 / 20 + runs / 10 / 400)  # of our mean, and of theirs over 400 runs
            assert abs(mean - theirs) < doubt + 0.02 * theirs, name


@pytest.mark.parametrize("d", [10, 100, 1000])
def test_clipping_zeros_has_the_error_of_its_closed_form(d: int) -> None:
    """E[(sum error)²] = (d - 1) + (d - 1)(d - 2)/4 + 2 at ε = 1."""
    cells, runs = level(0, d), 4000
    points, total = measured(cells, runs, epsilon=Fraction(1), name="clip")
    squares = (algorithms(Fraction(1))["clip"](points, total).sum(axis=1) - cells.sum()) ** 2
    assert abs(squares.mean() - clipped_sum_error(d)) < SURE * squares.std() / math.sqrt(runs)
    assert squares.mean() == pytest.approx(clipped_sum_error(d), rel=0.4)
    assert clipped_sum_error(d, epsilon=0.5) == 4 * clipped_sum_error(d)


def test_the_command_prints_both_tables(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["microdata_tables.py", "--runs", "10"])
    main()
    printed = capsys.readouterr().out
    assert printed.count("| Level00 |") == 2
    assert "| level 1, d = 10000 |" in printed
    assert "2,526.5" in printed
