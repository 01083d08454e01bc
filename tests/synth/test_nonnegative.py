"""Post-processors against solvers: baselines, non-negative least squares, and the re-weighted fit."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import nnls

from sfumato.errors import InvalidParameter
from sfumato.synth import (
    Clip,
    LaplaceErrors,
    LeastSquares,
    NonNegativeLeastSquares,
    NormalErrors,
    PostProcessor,
    ReweightedFit,
    WaterFilling,
    water_filled,
)

RANDOM = np.random.default_rng(5)
NOISY = [
    (RANDOM.laplace(0, 2, d) + np.append(size, np.zeros(d - 1)), float(size + RANDOM.laplace(0, 2)))
    for d, size in ((1, 0), (5, 3), (40, 10), (40, 1000), (60, 0))
]


def weighted(rows: Any, measured: Any, variances: Any) -> Any:
    """Non-negative weighted least squares by SciPy."""
    root = 1 / np.sqrt(np.asarray(variances))
    return nnls(np.asarray(rows) * root[:, None], np.asarray(measured) * root, maxiter=10_000)[0]


@pytest.mark.parametrize("softness", [0.25, 1.0, 9.0])
@pytest.mark.parametrize(("points", "total"), NOISY)
def test_non_negative_least_squares_are_those_of_a_solver(points: Any, total: float, softness: float) -> None:
    d = len(points)
    rows = np.vstack([np.eye(d), np.ones(d)])
    expected = weighted(rows, np.append(points, total), np.append(np.ones(d), softness))
    assert np.abs(NonNegativeLeastSquares(softness)(points, total) - expected).max() < 1e-7


@pytest.mark.parametrize(("points", "total"), NOISY)
def test_least_squares_without_a_bound_are_those_of_the_normal_equations(points: Any, total: float) -> None:
    d = len(points)
    rows = np.vstack([np.eye(d), np.ones(d)])
    expected = np.linalg.lstsq(rows, np.append(points, total), rcond=None)[0]
    assert np.abs(LeastSquares()(points, total) - expected).max() < 1e-9


@pytest.mark.parametrize("errors", [LaplaceErrors(2.0), NormalErrors(2.5)])
@pytest.mark.parametrize(("points", "total"), NOISY)
def test_the_reweighted_fit_is_that_of_a_solver(
    points: Any, total: float, errors: LaplaceErrors | NormalErrors
) -> None:
    """Small cells with 2m² times the variance, their sum with twice that of so many, the others and the total as is."""
    d, fit = len(points), ReweightedFit(errors)
    small = fit.small(points)
    count = max(1, int(small.sum()))
    wide = 2 * max(1.0, errors.median_of_largest(count)) ** 2
    rows = np.vstack([np.eye(d), np.ones(d), small.astype(float)])
    measured = np.concatenate([points, [total, points[small].sum()]])
    variances = np.concatenate([np.where(small, wide, 1.0), [1.0, 2.0 * count]])
    assert np.abs(fit(points, total) - weighted(rows, measured, variances)).max() < 1e-6


def test_cells_are_small_if_noise_may_have_made_them() -> None:
    fit = ReweightedFit(LaplaceErrors(2.0))
    assert fit.small(np.array([1000.0, 900.0])).tolist() == [False, False]
    assert fit.small(np.array([1000.0, 0.3, -2.0, 4.0])).tolist() == [False, True, True, True]
    assert fit.small(np.array([0.0, 1.0])).tolist() == [True, True]


@pytest.mark.parametrize("count", [1, 2, 50, 10_000])
def test_the_median_of_the_largest_error_is_one(count: int) -> None:
    for errors, law in ((LaplaceErrors(3.0), stats.laplace(0, 3)), (NormalErrors(3.0), stats.norm(0, 3))):
        assert law.cdf(errors.median_of_largest(count)) ** count == pytest.approx(0.5)
        assert errors.variance == pytest.approx(law.var())
        values = np.array([-40.0, -1.0, 0.0, 2.0, 30.0])
        assert errors.log_below(values) == pytest.approx(law.logcdf(values))


def test_every_post_processor_takes_rows_of_runs() -> None:
    points, totals = RANDOM.laplace(0, 2, (7, 20)), RANDOM.laplace(0, 2, 7)
    every: list[PostProcessor] = [
        LeastSquares(), Clip(), NonNegativeLeastSquares(), WaterFilling(), ReweightedFit(LaplaceErrors(2.0)),
    ]  # fmt: skip
    for fit in every:
        together = fit(points, totals)
        assert together.shape == points.shape
        alone = [fit(row, total) for row, total in zip(points, totals, strict=True)]
        assert np.allclose(together, alone, atol=1e-9)
        assert isinstance(fit, LeastSquares) or together.min() >= 0


def test_water_filling_takes_a_negative_total_for_zero() -> None:
    assert WaterFilling()([3.0, 1.0], -5).tolist() == [0, 0]
    assert WaterFilling()([3.0, 1.0], 2).tolist() == water_filled([3.0, 1.0], total=2).tolist()


def test_a_total_that_is_sure_is_water_filling() -> None:
    points = RANDOM.laplace(0, 2, 30)
    nearly = NonNegativeLeastSquares(1e-9)(points, 12.0)
    assert np.allclose(nearly, WaterFilling()(points, 12.0), atol=1e-6)
    assert math.isclose(WaterFilling()(points, 12.0).sum(), 12.0)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: NonNegativeLeastSquares(0), "softness must be positive"),
        (lambda: LeastSquares(-1), "softness must not be negative"),
        (lambda: LaplaceErrors(0), "scale must be positive"),
        (lambda: NormalErrors(float("nan")), "sigma must be finite"),
    ],
)
def test_widths_that_make_no_sense_are_refused(call: Any, says: str) -> None:
    with pytest.raises(InvalidParameter, match=says):
        call()
