"""Aggregates: what each makes of noisy columns, with a bar that holds whatever the exact columns were."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from statistics import pvariance, variance

import pytest
from hypothesis import given
from hypothesis import strategies as st
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
    NoisyCell,
    QuantileOf,
    SumOf,
    Variance,
)
from sfumato.query.bars import Bar
from sfumato.query.expression import Field, Literal, Ref
from sfumato.query.measures import Measure
from sfumato.query.planning import plan_question
from sfumato.query.range import Range

CENTS = Ref(0, Field("cost", Kind.REAL, Range(Fraction(0), Fraction(2), Fraction(1, 100))))
DAYS = Ref(1, Field("day", Kind.INTEGER, Range(Fraction(-3), Fraction(5), Fraction(1))))
TRUE = Literal(True, Kind.BOOLEAN)


def cells(made: Aggregate, *noisy: object, reach: int = 0, beside: tuple[Aggregate, ...] = ()) -> list[NoisyCell]:
    found = made.cells(AskedTogether((made, *beside)))
    return [NoisyCell(cell.measure, value, reach) for cell, value in zip(found, noisy, strict=True)]


def answer(made: Aggregate, *noisy: object, reach: int = 0, beside: tuple[Aggregate, ...] = ()) -> Bar:
    return made.answer(cells(made, *noisy, reach=reach, beside=beside))


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
            bar = made.answer([NoisyCell(cells(made, 0)[0].measure, noisy, reach)])
            assert (bar.value, type(bar.value)) == (whole, int)
            low, high = min(noisy - reach, Fraction(whole)), max(noisy + reach, Fraction(whole))
            assert (bar.low, bar.high) == (max(0.0, float(low)), max(0.0, float(high)))
            assert bar.low is not None
            assert bar.high is not None
            assert bar.low <= max(0.0, float(noisy)) <= bar.high
            assert bar.low <= max(0, whole) <= bar.high


def test_cells_are_added_up_before_they_are_rounded() -> None:
    made, beside = CountRows(), (CountValues(of=CENTS),)
    found = cells(made, Fraction(3, 2), Fraction(3, 2), beside=beside)
    assert made.answer(found) == Bar(3, 3.0, 3.0)  # two halves, and not two that are rounded up


def test_a_bar_that_did_not_hold_what_is_rounded_would_be_caught() -> None:
    """A twin: the ends of the parts alone, of a count and of a sum."""
    for made in (CountRows(), SumOf(of=DAYS)):
        bar = made.answer([NoisyCell(cells(made, 0)[0].measure, Fraction(7, 2), Fraction(1, 4))])
        assert bar == Bar(4, 3.25, 4.0)
        assert bar.value > float(Fraction(7, 2) + Fraction(1, 4))  # the upper end of the parts is below


@pytest.mark.parametrize("noisy", [Fraction(5, 2), Fraction(-5, 2), Fraction(501, 4), Fraction(3 * 2**30 + 1, 2**30)])
def test_a_sum_of_parts_is_the_nearest_step(noisy: Fraction) -> None:
    for of, step in ((CENTS, Fraction(1, 100)), (DAYS, Fraction(1))):
        made = SumOf(of=of)
        bar = made.answer([NoisyCell(cells(made, 0)[0].measure, noisy, Fraction(1, 8))])
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
    """Rows that count in part: the columns are fractions, and weights above and below are the same."""
    parts = [(value - 1, Fraction(weight, 2**30)) for value, weight in rows]
    exact = [sum(v * v * w for v, w in parts), sum(v * w for v, w in parts), sum((w for _, w in parts), Fraction(0))]
    noisy = [each + Fraction(by, 2**30) for each, by in zip(exact, off, strict=True)]
    for made, columns in ((Variance(of=DAYS, sample=False, root=False), (0, 1, 2)), (Average(of=DAYS), (1, 2))):
        measures = [cell.measure for cell in made.cells(AskedTogether((made,)))]
        true = made.answer([NoisyCell(m, exact[at], 0) for m, at in zip(measures, columns, strict=True)]).value
        bar = made.answer([NoisyCell(m, noisy[at], Fraction(3)) for m, at in zip(measures, columns, strict=True)])
        assert bar.low is not None
        assert bar.high is not None
        assert bar.low - 1e-9 <= true <= bar.high + 1e-9
        assert bar.low - 1e-9 <= bar.value <= bar.high + 1e-9
    if exact[2] >= 1:
        assert answer(Average(of=DAYS), exact[1], exact[2]).value == pytest.approx(float(1 + exact[1] / exact[2]))


def test_a_declared_total_is_for_a_sum_that_is_alone() -> None:
    """Another that weighs rows shares one weight with it, and then nothing holds the total."""
    paid = Ref(0, replace(CENTS.field, total=Fraction(9, 2)))
    made = SumOf(of=paid)
    beside: list[Aggregate] = [
        CountRows(), CountValues(of=paid), Average(of=paid), SumOf(of=DAYS), SumOf(of=paid, where=TRUE), QuantileOf(of=paid, q=Fraction(1, 2)),
        Variance(of=paid, sample=True, root=True), CountPeople(), CountDistinct(of=paid), made,
    ]  # fmt: skip
    totals = [made.cells(AskedTogether((made, each)))[0].measure.total for each in beside]  # type: ignore[attr-defined]
    assert totals == [None] * 7 + [450] * 3
    assert SumOf(of=CENTS).cells(AskedTogether((SumOf(of=CENTS),)))[0].measure.total is None  # type: ignore[attr-defined]


def test_a_count_of_all_rows_is_both_cells_of_a_split() -> None:
    assert answer(CountRows(), 7, 5, reach=3, beside=(CountValues(of=CENTS),)) == Bar(12, 6.0, 18.0)


def test_a_sum_is_in_the_unit_of_what_is_summed() -> None:
    assert answer(SumOf(of=CENTS), 250, reach=10) == Bar(2.5, 2.4, 2.6)
    whole = answer(SumOf(of=DAYS), -250, reach=10)
    assert (whole, type(whole.value)) == (Bar(-250, -260.0, -240.0), int)


def test_an_average_is_within_the_bounds_and_so_is_its_bar() -> None:
    assert answer(Average(of=CENTS), 0, 10).value == 1.0  # the middle, of which steps are counted
    assert answer(Average(of=CENTS), -500, 10).value == 0.5
    assert answer(Average(of=CENTS), 10**6, 10).value == 2.0
    assert answer(Average(of=CENTS), 0, 0, reach=1) == Bar(1.0, 0.0, 2.0)
    assert answer(Average(of=CENTS), 0, 1, reach=1) == Bar(1.0, 0.0, 2.0)
    assert answer(Average(of=CENTS), 0, 100, reach=50) == Bar(1.0, 0.99, 1.01)
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
    square, total, count = (each.measure for each in made.cells(AskedTogether((made,))))
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
    exact = [sum((value - 1) ** 2 for value in values), sum(value - 1 for value in values), len(values)]
    noisy = [each + by for each, by in zip(exact, off, strict=True)]
    for made, columns in ((spread, (0, 1, 2)), (mean, (1, 2))):
        true = answer(made, *(exact[at] for at in columns)).value
        bar = answer(made, *(noisy[at] for at in columns), reach=3)
        assert bar.low is not None
        assert bar.high is not None
        assert isinstance(true, float)
        assert bar.low - 1e-9 <= true <= bar.high + 1e-9
        assert bar.low - 1e-9 <= bar.value <= bar.high + 1e-9


def test_a_spread_is_never_negative_and_never_above_what_the_bounds_allow() -> None:
    for sample, most in ((False, 16.0), (True, 32.0)):
        made = Variance(of=DAYS, sample=sample, root=False)
        for noisy in product((-10, 0, 10**6), (-5, 0, 5), (-3, 0, 1, 2)):
            bar = answer(made, *noisy, reach=2)
            assert bar.low is not None
            assert bar.high is not None
            assert 0 <= bar.low <= bar.value <= bar.high <= most
    assert answer(Variance(of=DAYS, sample=True, root=True), 32, 0, 2).value == math.sqrt(32)


def test_a_bar_of_few_rows_says_that_little_is_known() -> None:
    assert answer(Variance(of=DAYS, sample=False, root=False), 0, 0, 3, reach=2) == Bar(0.0, 0.0, 16.0)
    wide = answer(Variance(of=DAYS, sample=False, root=False), 0, 0, 400, reach=2)
    assert wide.high is not None
    assert wide.high < 0.01


# ---- what can be said beforehand ----


@pytest.mark.parametrize(
    ("made", "reach", "kind", "figure"),
    [
        (CountRows(), [3, 4], "within", 7),
        (CountValues(of=CENTS), [3], "within", 3),
        (SumOf(of=CENTS), [300], "within", 3.0),
        (Average(of=CENTS), [300, 4], "within_over_rows", 3.0),
        (Variance(of=CENTS, sample=True, root=False), [30_000, 5, 4], "about_over_rows", 3.0),
        (QuantileOf(of=CENTS, q=Fraction(1, 2)), [3.5], "rank", 3.5),
    ],
    ids=repr,
)
def test_the_expected_error_is_that_of_the_columns(
    made: Aggregate, reach: Sequence[float], kind: str, figure: float
) -> None:
    measure: Measure = made.cells(AskedTogether((made,)))[0].measure
    assert (made.error_kind, made.expected_error(reach, measure)) == (kind, figure)


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
    measures = {cell.measure for each in every for cell in each.cells(AskedTogether((each,)))}
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


def test_a_bar_of_a_spread_holds_where_it_is_largest_between_the_ends_of_the_count() -> None:
    """q/n - (s/n)² is largest at n = 2s²/q: of q = 20 and s = 10 at n = 10, where it is 1."""
    made = Variance(of=DAYS, sample=False, root=False)
    measures = [cell.measure for cell in made.cells(AskedTogether((made,)))]

    def high(square: int, total: int, count: int, off: int) -> float | None:
        noisy = zip(measures, (square, total, count), (0, 0, off), strict=True)
        return made.answer([NoisyCell(measure, value, reach) for measure, value, reach in noisy]).high

    assert high(20, 10, 12, 5) == 1.0
    assert high(20, 10, 12, 1) == 20 / 11 - (10 / 11) ** 2  # beyond 10, so at the nearest end
    assert high(20, 10, 6, 2) == 20 / 8 - (10 / 8) ** 2
    assert high(20, -10, 12, 5) == 1.0
    assert high(-1, 3, 12, 5) == 0.0


def test_a_bar_of_a_spread_takes_a_sum_that_may_be_none_for_none() -> None:
    made = Variance(of=DAYS, sample=False, root=False)
    measures = [cell.measure for cell in made.cells(AskedTogether((made,)))]
    for total, off, most in ((3, 3, 1.0), (3, 2, 1 - Fraction(1, 100) ** 2), (-3, 3, 1.0), (0, 0, 1.0), (4, 3, 1 - Fraction(1, 100) ** 2)):  # fmt: skip
        noisy = zip(measures, (100, total, 100), (0, off, 0), strict=True)
        bar = made.answer([NoisyCell(measure, value, reach) for measure, value, reach in noisy])
        assert bar.high == pytest.approx(float(most), abs=1e-12)


@pytest.mark.parametrize(
    ("sample", "low_n", "high"), [(False, 1, 16.0), (False, 2, 8.0), (True, 1, 32.0), (True, 2, 16.0), (True, 0, 32.0)]
)
def test_a_bar_of_a_spread_of_less_than_two_rows_is_as_wide_as_the_bounds(
    sample: bool, low_n: int, high: float
) -> None:
    made = Variance(of=DAYS, sample=sample, root=False)
    measures = [cell.measure for cell in made.cells(AskedTogether((made,)))]
    noisy = zip(measures, (16, 0, low_n + 1), (0, 0, 1), strict=True)
    bar = made.answer([NoisyCell(measure, value, reach) for measure, value, reach in noisy])
    assert (bar.high, bar.low is not None and bar.low <= (0.0 if low_n < 2 else high)) == (high, True)
    assert (bar.low == 0.0) == (low_n < 2)


@pytest.mark.parametrize(("value", "off", "low"), [(3, 2, 1.0), (3, 3, 0.0), (2, 1, 1.0)])
def test_a_bar_of_an_average_of_perhaps_no_row_is_the_bounds(value: int, off: int, low: float) -> None:
    """Of ten rows at the upper end little is known once the count may be none."""
    made = Average(of=DAYS)
    total, count = (cell.measure for cell in made.cells(AskedTogether((made,))))
    bar = made.answer([NoisyCell(total, 40, 0), NoisyCell(count, value, off)])
    assert (bar.value, bar.high) == (5.0, 5.0)
    assert bar.low == (-3.0 if low < 1 else 5.0)


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
