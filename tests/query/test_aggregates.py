"""Aggregates: what each makes of noisy columns, with a bar that holds whatever the exact columns were.

Errors are here within a ball, so that how far a combination may be off is known in closed form, and bars by hand.
"""

import math
import re
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from statistics import pvariance, variance

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sqlglot import exp

import planned
from sfumato.data import Column, Dataset, Kind, Memory, Table
from sfumato.data.budget import Allowance
from sfumato.errors import InvalidQuestion
from sfumato.query.aggregates import (
    SPELLINGS,
    Aggregate,
    AskedTogether,
    Average,
    CountDistinct,
    CountPeople,
    CountRows,
    CountValues,
    QuantileOf,
    SumOf,
    Variance,
)
from sfumato.query.aggregates.base import Exact, Expected, Form
from sfumato.query.bars import Bar
from sfumato.query.expression import Field, Literal, Ref
from sfumato.query.measures import Present, Rows, Square, Sum
from sfumato.query.planning import plan_question
from sfumato.query.range import Range

CENTS = Ref(0, Field("cost", Kind.REAL, Range(Fraction(0), Fraction(2), Fraction(1, 100))))
DAYS = Ref(1, Field("day", Kind.INTEGER, Range(Fraction(-3), Fraction(5), Fraction(1))))
TRUE = Literal(True, Kind.BOOLEAN)


class Ball:
    """Errors of combinations that are all together within a ball: one of them is off by `radius` times its weight."""

    def __init__(self, *radii: Exact) -> None:
        self._radii = [Fraction(each) for each in radii]

    def reach(self, *coefficients: Exact) -> Fraction:
        """The length of the coefficients, each times its radius; exact where only one counts."""
        parts = [abs(each * radius) for each, radius in zip(coefficients, self._radii, strict=False) if each * radius]
        if len(parts) <= 1:
            return sum(parts, Fraction(0))
        return Fraction(math.sqrt(sum(each**2 for each in parts)))

    def ratio(self, *coefficients: Exact) -> float:
        """Two deviations, whatever is combined."""
        del coefficients
        return 2.0

    def covariances(self) -> NDArray[np.float64]:
        """A deviation is half a radius; errors do not go together."""
        return np.diag([float(each / 2) ** 2 for each in self._radii])


def answer(made: Aggregate, *noisy: object, reach: Exact = 0) -> Bar:
    """Of noisy combinations, all of them off by as much."""
    return made.answerer(Ball(*([reach] * len(noisy))))(noisy)


def forms(made: Aggregate, *beside: Aggregate) -> tuple[Form, ...]:
    return made.forms(AskedTogether((made, *beside)))


@pytest.mark.parametrize("made", [CountRows(), CountPeople(), CountValues(of=CENTS), CountDistinct(of=CENTS)], ids=repr)
def test_a_count_is_its_cell_and_its_bar_is_not_negative(made: Aggregate) -> None:
    assert answer(made, 7, reach=3) == Bar(7, 4.0, 10.0)
    assert answer(made, 2, reach=3) == Bar(2, 0.0, 5.0)
    assert answer(made, -9, reach=3) == Bar(-9, 0.0, 0.0)
    assert made.gives is Kind.INTEGER
    assert made.range.grid == 1
    assert not made.range.is_bounded


@pytest.mark.parametrize(
    ("noisy", "whole"),
    [(Fraction(14, 4), 4), (Fraction(13, 4), 3), (Fraction(15, 4), 4), (Fraction(-14, 4), -3), (Fraction(-15, 4), -4),
     (Fraction(2**40 + 1, 2**30), 1024), (Fraction(1, 2), 1), (Fraction(-1, 2), 0)],
)  # fmt: skip
def test_a_count_of_parts_of_rows_is_the_nearest_whole_number(noisy: Fraction, whole: int) -> None:
    """Its bar is that of the parts, and holds the number that is shown however narrow it is."""
    for made in (CountRows(), CountValues(of=CENTS), CountPeople()):
        for reach in (Fraction(0), Fraction(1, 2**30), Fraction(1, 4), Fraction(1, 2), Fraction(7, 3)):
            bar = answer(made, noisy, reach=reach)
            assert (bar.value, type(bar.value)) == (whole, int)
            low, high = min(noisy - reach, Fraction(whole)), max(noisy + reach, Fraction(whole))
            assert (bar.low, bar.high) == (max(0.0, float(low)), max(0.0, float(high)))
            assert bar.low is not None
            assert bar.high is not None
            assert bar.low <= max(0.0, float(noisy)) <= bar.high
            assert bar.low <= max(0, whole) <= bar.high


def test_a_bar_that_did_not_hold_what_is_rounded_would_be_caught() -> None:
    """A twin: the ends of the parts alone, of a count and of a sum."""
    for made in (CountRows(), SumOf(of=DAYS)):
        bar = answer(made, Fraction(7, 2), reach=Fraction(1, 4))
        assert bar == Bar(4, 3.25, 4.0)
        assert bar.value > float(Fraction(7, 2) + Fraction(1, 4))  # the upper end of the parts is below


@pytest.mark.parametrize("noisy", [Fraction(5, 2), Fraction(-5, 2), Fraction(501, 4), Fraction(3 * 2**30 + 1, 2**30)])
def test_a_sum_of_parts_is_the_nearest_step(noisy: Fraction) -> None:
    for of, step in ((CENTS, Fraction(1, 100)), (DAYS, Fraction(1))):
        made = SumOf(of=of)
        bar = answer(made, noisy, reach=Fraction(1, 8))
        whole = math.floor(noisy + Fraction(1, 2))
        assert bar.value == float(whole * step)
        assert isinstance(bar.value, int) == (of is DAYS)
        assert bar.low is not None
        assert bar.high is not None
        assert bar.low <= min(float((noisy - Fraction(1, 8)) * step), bar.value)
        assert max(float((noisy + Fraction(1, 8)) * step), bar.value) <= bar.high


@given(
    st.lists(st.tuples(st.integers(-3, 5), st.integers(0, 2**30)), min_size=1, max_size=12),
    st.tuples(*[st.integers(-(3 * 2**30), 3 * 2**30)] * 3),
)
def test_bars_of_averages_and_spreads_hold_what_exact_parts_give(
    rows: list[tuple[int, int]], off: tuple[int, int, int]
) -> None:
    """Rows that count in part: the columns are fractions, and weights above and below are the same.

    Of an average the bar is exact however few rows there are. Of a spread by how much the average is off enters squared,
    which is nothing beside the rest once there are a thousand rows.
    """
    for times, made, columns in (
        (1, Average(of=DAYS), (1, 2)),
        (1000, Average(of=DAYS), (1, 2)),
        (1000, Variance(of=DAYS, sample=False, root=False), (0, 1, 2)),
    ):
        parts = [(value - 1, Fraction(times * weight, 2**30)) for value, weight in rows]
        exact = [sum(v * v * w for v, w in parts), sum(v * w for v, w in parts), sum(w for _, w in parts)]
        if exact[2] < (1 if times == 1 else 1000):
            continue
        true = answer(made, *(exact[at] for at in columns)).value
        bar = answer(made, *(exact[at] + Fraction(off[at], 2**30) for at in columns), reach=6)  # √27 is less
        held(bar, true, 1e-6)
        if made.kind == "avg":
            assert true == pytest.approx(float(1 + exact[1] / exact[2]))


def held(bar: Bar, true: float, tolerance: float) -> None:
    """A bar holds what is true, and what it shows."""
    assert bar.low is not None
    assert bar.high is not None
    assert bar.low - tolerance <= true <= bar.high + tolerance
    assert bar.value is None or bar.low <= bar.value <= bar.high


def test_a_declared_total_is_for_a_sum_that_is_alone() -> None:
    """Another that weighs rows shares one weight with it, and then nothing holds the total."""
    paid = Ref(0, replace(CENTS.field, total=Fraction(9, 2)))
    made = SumOf(of=paid)
    beside: list[Aggregate] = [
        CountRows(), CountValues(of=paid), Average(of=paid), SumOf(of=DAYS), SumOf(of=paid, where=TRUE), QuantileOf(of=paid, q=Fraction(1, 2)),
        Variance(of=paid, sample=True, root=True), CountPeople(), CountDistinct(of=paid), made,
    ]  # fmt: skip
    totals = [forms(made, each)[0][0][0].total for each in beside]  # type: ignore[attr-defined]
    assert totals == [None] * 7 + [450] * 3
    assert forms(SumOf(of=CENTS))[0][0][0].total is None  # type: ignore[attr-defined]


def test_what_is_counted_beside_a_sum_lets_it_be_taken_around_the_middle() -> None:
    """Then it is moved by half as much, and a row that has no value is within what a row may be."""
    plain = Sum(of=CENTS, step=Fraction(1, 100), low=0, high=200)
    middle, present = replace(plain, centre=100), Present(of=CENTS)
    made = SumOf(of=CENTS)
    around = (((middle, Fraction(1)), (present, Fraction(100))),)
    assert forms(made) == forms(made, CountRows()) == forms(made, SumOf(of=DAYS)) == (((plain, Fraction(1)),),)
    assert forms(made, CountValues(of=DAYS)) == forms(made, Average(of=CENTS, where=TRUE)) == (((plain, Fraction(1)),),)
    assert forms(made, Average(of=CENTS)) == forms(made, CountValues(of=CENTS)) == around
    assert forms(made, Variance(of=CENTS, sample=True, root=False)) == around
    filled = replace(made, filled=True)  # every row has a value, as far as is known: rows count them
    rows = (((middle, Fraction(1)), (Rows(), Fraction(100))),)
    assert forms(filled) == forms(filled, CountRows(where=TRUE)) == (((plain, Fraction(1)),),)
    assert forms(filled, CountRows()) == forms(filled, Average(of=CENTS, filled=True)) == rows
    ten = Ref(1, replace(DAYS.field, range=Range(Fraction(-4), Fraction(4), Fraction(1))))
    assert [len(form) for form in forms(SumOf(of=ten), Average(of=ten))] == [1]  # no middles where it is zero


def test_averages_and_spreads_are_of_the_same_rows_as_their_counts() -> None:
    for where in (None, TRUE):
        middle = Sum(of=DAYS, step=Fraction(1), low=-3, high=5, centre=1, where=where)
        square = Square(of=DAYS, step=Fraction(1), low=-3, high=5, centre=1, where=where)
        for filled, count in ((False, Present(of=DAYS, where=where)), (True, Rows(where=where))):
            mean = Average(of=DAYS, where=where, filled=filled)
            spread = Variance(of=DAYS, where=where, filled=filled, sample=True, root=True)
            assert [form[0][0] for form in forms(mean)] == [middle, count]
            assert [form[0][0] for form in forms(spread)] == [square, middle, count]
            assert {len(form) for form in (*forms(mean), *forms(spread))} == {1}


def test_a_sum_is_in_the_unit_of_what_is_summed() -> None:
    assert answer(SumOf(of=CENTS), 250, reach=10) == Bar(2.5, 2.4, 2.6)
    whole = answer(SumOf(of=DAYS), -250, reach=10)
    assert (whole, type(whole.value)) == (Bar(-250, -260.0, -240.0), int)


def test_an_average_is_within_the_bounds_and_so_is_its_bar() -> None:
    assert answer(Average(of=CENTS), 0, 10).value == 1.0  # the middle, of which steps are counted
    assert answer(Average(of=CENTS), -500, 10).value == 0.5
    assert answer(Average(of=CENTS), 10**6, 10).value == 2.0
    assert answer(Average(of=CENTS), 10**6, 10, reach=3).high == 2.0
    bar = answer(Average(of=CENTS), 0, 100, reach=50)  # 100·x is within 50·√(1 + x²) up to x = 1/√3
    assert bar.low is not None
    assert bar.high is not None
    assert bar.value == 1.0
    assert (bar.low, bar.high) == pytest.approx((1 - 0.01 / math.sqrt(3), 1 + 0.01 / math.sqrt(3)))
    assert Average(of=CENTS).range == CENTS.range


def test_a_quantile_is_what_was_measured_with_its_ends() -> None:
    assert answer(QuantileOf(of=CENTS, q=Fraction(1, 2)), [0.5, 0.4, 0.7]) == Bar(0.5, 0.4, 0.7)
    assert QuantileOf(of=DAYS, q=Fraction(1, 2)).gives is Kind.INTEGER
    assert [QuantileOf(of=DAYS, q=Fraction(q, 100)).is_extreme for q in (0, 1, 50, 99, 100)] == [
        False,
        True,
        False,
        True,
        False,
    ]
    assert QuantileOf(of=DAYS, q=Fraction(1, 4)).label == "quantile at 0.25"


# ---- truth: with exact columns the answer is the statistic, and with noisy ones the bar holds it ----


@given(st.lists(st.integers(-3, 5), min_size=2, max_size=12), st.booleans(), st.booleans())
def test_exact_columns_give_the_spread_itself(values: list[int], sample: bool, root: bool) -> None:
    made = Variance(of=DAYS, sample=sample, root=root)
    square, total, count = (form[0][0] for form in forms(made))
    centre = 1  # of -3 to 5
    exact = [sum((value - centre) ** 2 for value in values), sum(value - centre for value in values), len(values)]
    assert (square.unit, total.unit, count.unit) == (16, 4, 1)
    wanted = (variance if sample else pvariance)(values)
    found = answer(made, *exact).value
    assert isinstance(found, float)
    assert found == pytest.approx(math.sqrt(wanted) if root else wanted, abs=1e-9)


OFF = st.integers(-3, 3)


@given(st.lists(st.integers(-3, 5), min_size=1, max_size=12), st.tuples(OFF, OFF, OFF), st.booleans())
def test_bars_hold_what_exact_columns_give(values: list[int], off: tuple[int, int, int], sample: bool) -> None:
    spread, mean = Variance(of=DAYS, sample=sample, root=False), Average(of=DAYS)
    """Of a spread, of a thousand times as many rows: see above."""
    for times, made, columns in ((1000, spread, (0, 1, 2)), (1, mean, (1, 2)), (1000, mean, (1, 2))):
        exact = [times * sum((value - 1) ** i for value in values) for i in (2, 1, 0)]
        true = answer(made, *(exact[at] for at in columns)).value
        bar = answer(made, *(exact[at] + off[at] for at in columns), reach=6)
        held(bar, true, 1e-3 if times > 1 else 1e-9)  # n/(n - 1) is that of the noisy count


def test_a_spread_is_never_negative_and_never_above_what_the_bounds_allow() -> None:
    shown = 0
    for sample, most in ((False, 16.0), (True, 32.0)):
        made = Variance(of=DAYS, sample=sample, root=False)
        for reach in (0, 2):
            for noisy in product((-10, 0, 10**6), (-5, 0, 5), (-3, 0, Fraction(1, 2), 1, Fraction(5, 4), 2, 3, 50)):
                bar = answer(made, *noisy, reach=reach)
                assert bar.low is not None
                assert bar.high is not None
                assert 0 <= bar.low <= bar.high <= most
                if noisy[2] <= reach:  # type: ignore[operator]
                    assert bar == Bar(None, 0.0, most)
                elif bar.value is not None:
                    shown += 1
                    assert bar.low <= bar.value <= bar.high
    assert shown > 50
    assert answer(Variance(of=DAYS, sample=True, root=True), 32, 0, 2).value == math.sqrt(32)


def test_a_bar_of_few_rows_says_that_little_is_known() -> None:
    few = answer(Variance(of=DAYS, sample=False, root=False), 0, 0, 3, reach=2)
    assert (few.value, few.low) == (0.0, 0.0)
    # at the average 3·v is within 2·√(1 + v²) up to 2/√5; at its deviation to either side a little farther
    assert few.high is not None
    assert 2 / math.sqrt(5) < few.high < 1.2
    wide = answer(Variance(of=DAYS, sample=False, root=False), 0, 0, 400, reach=2)
    assert wide.high is not None
    assert wide.high < 0.01


# ---- what can be said beforehand ----


@pytest.mark.parametrize(
    ("made", "radii", "kind", "expected"),
    [
        (CountRows(), [7], "within", Expected(7.0)),
        (CountValues(of=CENTS), [3], "within", Expected(3.0)),
        (SumOf(of=CENTS), [300], "within", Expected(3.0)),
        (Average(of=CENTS), [300, 4], "within_over_rows", Expected(5.0, 3.0)),  # 100 steps from the middle: 3, 4, 5
        (Average(of=CENTS), [300, 0], "within_over_rows", Expected(3.0, 3.0)),
        (Variance(of=CENTS, sample=True, root=False), [30_000, 0, 4], "about_over_rows", Expected(5.0, 3.0)),
        (Variance(of=CENTS, sample=True, root=False), [30_000, 200, 0], "about_over_rows", Expected(5.0, 3.0)),
    ],
    ids=repr,
)
def test_the_expected_error_is_that_of_the_columns(
    made: Aggregate, radii: list[int], kind: str, expected: Expected
) -> None:
    """Of averages and spreads it depends on the data: that of the count enters times how far they are from the middle."""
    found = made.expected(Ball(*radii))
    assert made.error_kind == kind
    assert found.figure == pytest.approx(expected.figure)
    assert found.least == pytest.approx(expected.least)


def test_what_is_expected_of_an_average_is_what_its_bars_show() -> None:
    """Of so many rows that the count is nearly known: at an end the figure, in the middle the least, over the rows."""
    off, rows = Ball(300, 4), 10**6
    told = Average(of=CENTS).expected(off)
    assert told.least is not None
    for mean, figure in ((0, told.least), (99, told.figure), (-99, told.figure)):
        bar = Average(of=CENTS).answerer(off)([mean * rows, rows])
        assert bar.low is not None
        assert bar.high is not None
        assert (bar.high - bar.low) / 2 == pytest.approx(figure / rows, rel=0.01)


def test_a_quantile_tells_no_error_of_its_own() -> None:
    """Its ranks are told by what is priced: how far so many ranks are depends on the data."""
    made = QuantileOf(of=CENTS, q=Fraction(1, 2))
    assert made.error_kind == "rank"
    with pytest.raises(NotImplementedError):
        made.expected(Ball(3))


def test_inputs_are_what_is_computed_for_rows() -> None:
    assert CountRows().inputs == ()
    assert CountRows(where=TRUE).inputs == (TRUE,)
    assert SumOf(of=CENTS).inputs == (CENTS,)
    assert SumOf(of=CENTS, where=TRUE).inputs == (CENTS, TRUE)


def test_those_that_ask_an_engine_once_more_say_so() -> None:
    every = [CountRows(), CountPeople(), CountValues(of=CENTS), CountDistinct(of=CENTS), SumOf(of=CENTS),
             Average(of=CENTS), Variance(of=CENTS, sample=True, root=True), QuantileOf(of=CENTS, q=Fraction(1, 2))]  # fmt: skip
    assert [each.kind for each in every if each.has_own_statement] == ["distinct", "quantile"]
    assert len({each.kind for each in every}) == 8


def test_everything_that_decides_a_value_is_in_its_name() -> None:
    half, third = Fraction(1, 2), Fraction(1, 3)
    every: list[Aggregate] = [
        CountRows(), CountRows(where=TRUE), CountPeople(), CountPeople(where=TRUE), CountValues(of=CENTS), CountValues(of=DAYS),
        CountDistinct(of=CENTS), SumOf(of=CENTS), SumOf(of=DAYS), SumOf(of=CENTS, where=TRUE), Average(of=CENTS),
        QuantileOf(of=CENTS, q=half), QuantileOf(of=CENTS, q=third), QuantileOf(of=CENTS, q=half, where=TRUE),
        *(Variance(of=CENTS, sample=sample, root=root) for sample in (False, True) for root in (False, True)),
    ]  # fmt: skip
    assert len({repr(each.canonical()) for each in every}) == len(every)
    measures = {measure for each in every for form in forms(each) for measure, _ in form}
    assert len({repr(each.canonical()) for each in measures}) == len(measures)


# ---- how they are written ----


def test_a_node_is_one_aggregate() -> None:
    nodes = [node for spelling in SPELLINGS for node in spelling.nodes]
    assert len(nodes) == len(set(nodes))
    assert all(issubclass(node, exp.Expression) for node in nodes)


def test_the_reference_names_every_aggregate() -> None:
    page = (Path(__file__).parents[2] / "docs" / "sql.md").read_text(encoding="utf-8")
    table = page[: page.index("FILTER")]
    named = {name.partition("(")[0] for spelling in SPELLINGS for name in spelling.names}
    assert named <= set(re.findall(r"[A-Z_]{3,}", table))


@pytest.mark.parametrize("name", sorted({name for spelling in SPELLINGS for name in spelling.names}))
def test_every_aggregate_that_a_hint_lists_is_answered(name: str) -> None:
    written = {
        "COUNT": "COUNT(*)",
        "COUNT(DISTINCT x)": "COUNT(DISTINCT town)",
        "COUNT_IF": "COUNT_IF(paid)",
        "QUANTILE": "QUANTILE(day, 0.9)",
    }
    text = f"SELECT {written.get(name, f'{name}(day)')} FROM visits"
    assert plan_question(text, planned.DATASETS["people"], planned.PublicRows()).aggregates


@pytest.mark.parametrize("name", sorted({name for spelling in SPELLINGS for name in spelling.own_names}))
def test_every_aggregate_that_a_hint_lists_for_one_person_is_answered(name: str) -> None:
    written = {"COUNT": "COUNT(*)", "COUNT(DISTINCT x)": "COUNT(DISTINCT town)", "COUNT_IF": "COUNT_IF(paid)"}
    inner = f"SELECT person, {written.get(name, f'{name}(day)')} AS a FROM visits GROUP BY person"
    assert plan_question(
        f"SELECT COUNT(a) FROM ({inner}) t", planned.DATASETS["people"], planned.PublicRows()
    ).aggregates


# ---- at the edges ----


@pytest.mark.parametrize("count", [-2, 0, Fraction(1, 2), 2, 3])
def test_an_average_or_a_spread_of_perhaps_no_row_is_missing_and_its_bar_the_bounds(count: Exact) -> None:
    """Of ten rows at the upper end nothing is known once the count may be none."""
    assert answer(Average(of=DAYS), 40, count, reach=3) == Bar(None, -3.0, 5.0)
    assert answer(Average(of=CENTS), 0, count, reach=3) == Bar(None, 0.0, 2.0)
    assert answer(Variance(of=DAYS, sample=False, root=False), 40, 0, count, reach=3) == Bar(None, 0.0, 16.0)
    assert answer(Variance(of=DAYS, sample=True, root=False), 40, 0, count, reach=3) == Bar(None, 0.0, 32.0)
    assert answer(Variance(of=DAYS, sample=True, root=True), 40, 0, count, reach=3) == Bar(None, 0.0, math.sqrt(32))


def test_one_more_than_perhaps_no_row_is_answered() -> None:
    assert answer(Average(of=DAYS), 40, 4, reach=3).value == 5.0
    assert answer(Average(of=DAYS), 0, Fraction(1, 2**30), reach=0) == Bar(1.0, 1.0, 1.0)
    assert answer(Average(of=DAYS), 0, 0, reach=0).value is None
    assert answer(Variance(of=DAYS, sample=False, root=False), 4, 0, 4, reach=3).value == 1.0
    for sample, value in ((False, 0.0), (True, None)):  # of one row there is no spread of a sample
        assert answer(Variance(of=DAYS, sample=sample, root=False), 0, 0, 1, reach=0).value == value


def test_an_average_without_the_error_of_its_count_would_be_caught() -> None:
    """A twin: at an end of the range, of 60 rows ± 6, the sum's error alone does not hold what is true."""
    made, true = Average(of=CENTS), (60 * 99, 60)
    noisy = (true[0], true[1] + 5)
    bar = made.answerer(Ball(6, 6))(noisy)
    held(bar, 1.99, 1e-9)
    broken = made.answerer(Ball(6, 0))(noisy)
    assert broken.high is not None
    assert broken.high < 1.99


@pytest.mark.parametrize(
    ("end", "problem"),
    [
        (Fraction(1, 10**200), None), (Fraction(1, 10**200 + 1), "too small"), (Fraction(10**200), None),
        (Fraction(10**200 + 1), "too large"), (Fraction(0), None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("sign", [-1, 1])
def test_numbers_that_doubles_cannot_add_up_are_refused(end: Fraction, problem: str | None, sign: int) -> None:
    ends = sorted((Fraction(0), sign * end))
    column = Column("x", Kind.REAL, ends[0], ends[1])
    table = Table("t", Memory(), (Column("person", Kind.INTEGER), column))
    dataset = Dataset("one", (table,), ("t", "person"), Allowance(Fraction(1)))
    if problem is None:
        assert plan_question("SELECT SUM(x) FROM t", dataset, planned.PublicRows()).aggregates
    else:
        with pytest.raises(InvalidQuestion, match=problem):
            plan_question("SELECT SUM(x) FROM t", dataset, planned.PublicRows())


@pytest.mark.parametrize(("end", "answered"), [(10**150, True), (10**150 + 1, False)])
def test_numbers_whose_squares_doubles_cannot_hold_have_no_spread(end: int, answered: bool) -> None:
    table = Table("t", Memory(), (Column("person", Kind.INTEGER), Column("x", Kind.REAL, Fraction(0), Fraction(end))))
    dataset = Dataset("one", (table,), ("t", "person"), Allowance(Fraction(1)))
    if answered:
        assert plan_question("SELECT VARIANCE(x) FROM t", dataset, planned.PublicRows()).aggregates
    else:
        with pytest.raises(InvalidQuestion, match="too large to be squared"):
            plan_question("SELECT VARIANCE(x) FROM t", dataset, planned.PublicRows())


def test_aggregates_are_known_by_everything_that_decides_their_value() -> None:
    """The ledger holds answers by these words: they must not change."""
    cents, true = CENTS.canonical(), TRUE.canonical()
    assert [each.canonical() for each in (
        CountRows(), CountRows(where=TRUE), CountPeople(), CountValues(of=CENTS), CountDistinct(of=CENTS), SumOf(of=CENTS),
        Average(of=CENTS, where=TRUE), QuantileOf(of=CENTS, q=Fraction(1, 3)), Variance(of=CENTS, sample=True, root=False),
        Variance(of=CENTS, sample=False, root=True),
    )] == [
        ["rows", None, None, "None", False, False], ["rows", None, true, "None", False, False],
        ["people", None, None, "None", False, False], ["present", cents, None, "None", False, False],
        ["distinct", cents, None, "None", False, False], ["sum", cents, None, "None", False, False],
        ["avg", cents, true, "None", False, False], ["quantile", cents, None, "1/3", False, False],
        ["variance", cents, None, "None", True, False], ["variance", cents, None, "None", False, True],
    ]  # fmt: skip
