"""Error bars of ratios against a scan of all ratios: which are within the reach of the noise, and which are not."""

from collections.abc import Callable
from fractions import Fraction
from math import inf, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from property_profile import examples
from sfumato.query.aggregates import pivot
from sfumato.query.aggregates.pivot import Slow, Squares, bar_of_ratio, held, near_ratios, table

WHOLE = (-10.0, 10.0)
AT = np.linspace(*WHOLE, 40_001)
STEP = float(AT[1] - AT[0])


def within(above: float, below: float, squares: Squares, kappa: Callable[[float], float]) -> np.ndarray[Any, Any]:
    """The ratios of a fine scan at which above - x·below is within κ(x) deviations."""
    deviation = np.sqrt(squares.above - 2 * AT * squares.both + AT**2 * squares.below)
    reach = np.array([kappa(float(x)) for x in AT]) * deviation
    return AT[np.abs(above - AT * below) <= reach]


def some_squares() -> st.SearchStrategy[Squares]:
    """Of two sums whose errors go together, or against each other, or neither."""
    return st.builds(
        lambda a, b, r: Squares(a * a, r * a * b, b * b), st.floats(0.1, 50), st.floats(0.01, 5), st.floats(-0.99, 0.99)
    )


@examples(60, deadline=None)
@given(st.floats(-9, 9), st.floats(5, 500), some_squares(), st.floats(0.5, 4))
def test_near_ratios_are_those_of_a_scan(ratio: float, below: float, squares: Squares, kappa: float) -> None:
    above = ratio * below
    found, scanned = near_ratios(above, below, squares, kappa), within(above, below, squares, lambda _: kappa)
    if found is None:  # below may be nothing: no ratio is out of the question
        assert below**2 <= kappa**2 * squares.below * (1 + 1e-9)
        return
    low, high = found
    assert low <= ratio + 1e-9
    assert high >= ratio - 1e-9
    if len(scanned):
        assert held(low, *WHOLE) == pytest.approx(float(scanned[0]), abs=2 * STEP)
        assert held(high, *WHOLE) == pytest.approx(float(scanned[-1]), abs=2 * STEP)


@examples(60, deadline=None)
@given(st.floats(-9, 9), st.floats(20, 500), some_squares(), st.floats(1, 3), st.floats(-0.02, 0.02))
def test_the_bar_is_that_of_a_scan_where_kappa_changes_slowly(
    ratio: float, below: float, squares: Squares, kappa: float, slope: float
) -> None:
    above = ratio * below

    def changing(x: float) -> float:
        return kappa + slope * x

    assume(below**2 > 4 * (kappa + 0.2) ** 2 * squares.below)
    low, high = bar_of_ratio(above, below, squares, changing, WHOLE)
    scanned = within(above, below, squares, changing)
    wide = 2 * STEP + 1e-3 * (high - low)
    assert low == pytest.approx(float(scanned[0]), abs=wide)
    assert high == pytest.approx(float(scanned[-1]), abs=wide)


def test_where_there_may_be_nothing_below_the_bar_is_the_whole() -> None:
    assert bar_of_ratio(5.0, 1.0, Squares(1.0, 0.0, 1.0), lambda _: 2.0, WHOLE) == WHOLE
    assert near_ratios(5.0, 2.0, Squares(1.0, 0.0, 1.0), 2.0) is None
    assert near_ratios(5.0, 2.001, Squares(1.0, 0.0, 1.0), 2.0) is not None


def test_a_ratio_beyond_the_whole_has_its_end() -> None:
    assert bar_of_ratio(5000.0, 100.0, Squares(1.0, 0.0, 1e-6), lambda _: 2.0, WHOLE) == (10.0, 10.0)
    assert bar_of_ratio(-5000.0, 100.0, Squares(1.0, 0.0, 1e-6), lambda _: 2.0, WHOLE) == (-10.0, -10.0)


def test_without_noise_below_it_is_the_noise_above_over_what_is_below() -> None:
    assert near_ratios(50.0, 10.0, Squares(4.0, 0.0, 0.0), 1.5) == pytest.approx((4.7, 5.3))


def test_errors_that_go_together_make_a_shorter_bar() -> None:
    """At x = 5 the deviation of above - x·below is √(a² - 10·c + 25·b²)."""
    widths = [high - low for r in (-0.9, 0.0, 0.9) if (found := near_ratios(500.0, 100.0, Squares(25.0, 5 * r, 1.0), 1.0))
              for low, high in [found]]  # fmt: skip
    assert widths[0] > widths[1] > widths[2]
    assert widths[1] == pytest.approx(2 * sqrt(50) / 100, rel=0.01)


def test_slow_functions_are_straight_between_their_places() -> None:
    asked: list[Fraction] = []

    def square(x: Fraction) -> float:
        asked.append(x)
        return float(x * x)

    slow = Slow(square, Fraction(-4), Fraction(4), 9)
    assert asked == []
    assert [slow(float(x)) for x in range(-4, 5)] == [float(x * x) for x in range(-4, 5)]
    assert asked == [Fraction(x) for x in range(-4, 5)]
    assert [slow(x) for x in (-4.0, -3.5, 0.0, 0.25, 4.0, 9.0, -inf)] == [16.0, 12.5, 0.0, 0.25, 16.0, 16.0, 16.0]
    assert Slow(square, Fraction(2), Fraction(2))(7.0) == 4.0


def test_a_table_of_two_numbers_is_straight_between_its_places() -> None:
    value = table(lambda x, y: float(x + 10 * y), [Fraction(-1), Fraction(0), Fraction(2)], (Fraction(0), Fraction(4)))
    for x, y in ((-1.0, 0.0), (-0.5, 1.5), (1.5, 3.9), (2.0, 4.0)):
        assert value(x, y) == pytest.approx(x + 10 * y)
    assert value(5.0, 9.0) == pytest.approx(42)
    assert value(-5.0, -9.0) == pytest.approx(-1)


# ---- pivots that are wrong, and that it is seen ----


def _corners(above: float, below: float, squares: Squares, kappa: float) -> tuple[float, float]:
    """The old way: the largest of what is above over the least of what is below."""
    a, b = kappa * sqrt(squares.above), kappa * sqrt(squares.below)
    ends = [(above + x) / (below + y) for x in (-a, a) for y in (-b, b)]
    return min(ends), max(ends)


def _without_what_is_below(above: float, below: float, squares: Squares, kappa: float) -> tuple[float, float]:
    return (above - kappa * sqrt(squares.above)) / below, (above + kappa * sqrt(squares.above)) / below


def _apart(above: float, below: float, squares: Squares, kappa: float) -> tuple[float, float] | None:
    return honest(above, below, Squares(squares.above, 0.0, squares.below), kappa)


honest = near_ratios


@pytest.mark.parametrize(
    "wrong", [_corners, _without_what_is_below, _apart], ids=["corners", "no noise below", "apart"]
)
def test_a_broken_pivot_is_seen(wrong: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twins of the pivot, by the scan."""
    squares = Squares(4.0, -0.8, 0.25)
    scanned = within(500.0, 100.0, squares, lambda _: 2.0)

    def is_that_of_the_scan() -> bool:
        low, high = bar_of_ratio(500.0, 100.0, squares, lambda _: 2.0, WHOLE)
        return abs(low - float(scanned[0])) < 4 * STEP and abs(high - float(scanned[-1])) < 4 * STEP

    assert is_that_of_the_scan()
    monkeypatch.setattr(pivot, "near_ratios", wrong)
    assert not is_that_of_the_scan()
