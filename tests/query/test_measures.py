"""Measures: what their SQL computes of rows is what the contract says, and how far one person moves it is what is paid for.

The contract is written once more below, in Python and over lists of rows; both run over the same hand-made rows, with
missing values, NaN, values beyond the bounds and at halves. What a person's rows weigh is in `test_weighing`.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import duckdb
import pytest

from sfumato.data import Kind
from sfumato.engines.duckdb.dialect import DUCKDB
from sfumato.engines.sql.measures import MeasureWriter, placed
from sfumato.query.bounds import Bounds, Moves, Spend
from sfumato.query.expression import Expression, Field, Ref, refs
from sfumato.query.measures import (
    MEASURES,
    AdditiveMeasure,
    Distinct,
    InSteps,
    Measure,
    OfValue,
    People,
    Place,
    Present,
    Rows,
    Square,
    Sum,
    Values,
)
from sfumato.query.measures.steps import Steps, steps_of
from sfumato.query.range import Range
from sfumato.query.strategies import Block, Pricing
from sfumato.query.strategies.cells import JointCells
from sfumato.query.strategies.separate import alone as priced_alone

DAY = Ref(0, Field("day", Kind.INTEGER, Range(Fraction(-3), Fraction(9), Fraction(1))))
COST = Ref(1, Field("cost", Kind.REAL, Range(Fraction(0), Fraction(2), Fraction(1, 4))))
PAID = Ref(2, Field("paid", Kind.BOOLEAN))
NAN = math.nan
Row = tuple[int, int | None, float | None, bool | None]
ROWS: tuple[Row, ...] = (
    (1, 5, 1.0, True),
    (2, None, None, None), (2, None, NAN, False),
    (3, 9, 2.0, True), (3, 9, 2.0, True), (3, 9, 2.0, True),
    (4, 7, 0.3, True), (4, -3, 1.9, False), (4, 100, -5.0, True), (4, -100, 1e300, None), (4, 2, 0.125, True),
    (5, 4, 1.5, True), (5, None, None, True), (5, None, None, True), (5, None, NAN, True), (5, None, None, False),
    (6, -3, 0.0, False), (6, -2, 0.25, False), (6, -3, 0.0, True), (6, 0, 1.25, False),
    (7, None, 0.6, True), (7, 8, None, True), (7, 8, 1.1, True), (7, 8, 1.1, True), (7, 1, 1.1, True), (7, 1, NAN, None), (7, 6, 0.9, True),
)  # fmt: skip
WRITE = MeasureWriter(DUCKDB)


@pytest.fixture(scope="module")
def rows() -> Iterator[duckdb.DuckDBPyConnection]:
    made = duckdb.connect(":memory:", config={"threads": 1})
    made.execute("CREATE TABLE t (i BIGINT, p BIGINT, c0 BIGINT, c1 DOUBLE, c2 BOOLEAN)")
    made.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", [(i, *row) for i, row in enumerate(ROWS)])
    yield made
    made.close()


def of_all_rows(
    rows: duckdb.DuckDBPyConnection, measures: Sequence[Measure], person: str, source: str = "t"
) -> list[int]:
    """The same straight from rows."""
    at = placed(measures)
    added = ["p", *(each for measure, place in at for each in measure.of_row(place, WRITE))]
    whole = [measure.of_all_rows(place, WRITE, person) for measure, place in at]
    made = rows.execute(f"SELECT {', '.join(whole)} FROM (SELECT {', '.join(added)} FROM {source}) t")
    return [int(each) for each in made.fetchall()[0]]


# ---- the contract, over lists of rows ----


def holds(measure: Measure, row: Row) -> bool:
    """Whether a row is one that the measure's condition leaves."""
    return measure.where is None or row[3] is True


def value(measure: Measure, row: Row) -> int | None:
    """What a row adds: its steps from the centre, 1 where it only counts; None where it adds nothing."""
    if not holds(measure, row):
        return None
    if not isinstance(measure, OfValue):
        return 1
    (of,) = refs(measure.of)
    found = row[1] if of.field.name == "day" else row[2]
    if found is None or math.isnan(found):
        return None
    if not isinstance(measure, InSteps):
        return 1
    steps = math.floor(Fraction(found) / measure.step + Fraction(1, 2))
    above = min(max(steps, measure.low), measure.high) - measure.centre
    return above**2 if isinstance(measure, Square) else above


def counts(measure: Measure, row: Row) -> bool:
    """Whether a row is among those of a person that are weighted, for this measure's sake."""
    found = value(measure, row)
    return found not in (None, 0) if isinstance(measure, Sum) and measure.is_plain else found is not None


def amount(measure: Measure, row: Row) -> int:
    """What a row adds to the column."""
    return value(measure, row) or 0


def expected(measures: Sequence[Measure], given: Sequence[Row] = ROWS) -> list[int]:
    """The columns of all measures where every row counts whole."""
    return [
        len({row[0] for row in given if holds(measure, row)}) if isinstance(measure, People)
        else sum(amount(measure, row) for row in given)
        for measure in measures
    ]  # fmt: skip


def of_numbers(where: Expression | None) -> list[Measure]:
    """Sums and squares of both numbers, from zero and around the middle."""
    day, cost = steps_of(DAY)._asdict(), steps_of(COST)._asdict()
    return [
        Sum(of=DAY, **day, where=where), Sum(of=DAY, **day, centre=3, where=where), Square(of=DAY, **day, centre=3, where=where),
        Sum(of=COST, **cost, where=where), Sum(of=COST, **cost, centre=4, where=where), Square(of=COST, **cost, centre=4, where=where),
    ]  # fmt: skip


def alone(where: Expression | None) -> list[Measure]:
    """Every measure that adds up, with a condition or without."""
    every: list[Measure] = [Rows(where=where), People(where=where)]
    every += [Present(of=of, where=where) for of in (DAY, COST)]
    return every + of_numbers(where)


ALONE = [*alone(None), *alone(PAID)]
TOGETHER: list[list[Measure]] = [
    [Rows(), People(), Present(of=DAY), Present(of=COST), *of_numbers(None)],
    [Rows(where=PAID), People(where=PAID), Present(of=DAY, where=PAID), *of_numbers(PAID)],
    [Present(of=DAY), *of_numbers(None), Rows(), Rows(where=PAID)],
    [People(), Present(of=COST, where=PAID), Rows(where=PAID), *of_numbers(PAID), Present(of=COST)],
    [*of_numbers(None), Present(of=COST), Present(of=DAY), Present(of=DAY, where=PAID)],
]


def of_rows(rows: duckdb.DuckDBPyConnection, measures: Sequence[Measure]) -> list[list[tuple[bool, int]]]:
    """Of every row and every measure, whether it counts and what it adds, as an engine computes it."""
    at = placed(measures)
    added = ["i", *(each for measure, place in at for each in measure.of_row(place, WRITE))]
    asked = [each for measure, place in at for each in (measure.counts(place), measure.amount(place))]
    made = rows.execute(f"SELECT {', '.join(asked)} FROM (SELECT {', '.join(added)} FROM t) t ORDER BY i").fetchall()
    return [[(line[i] is True, int(line[i + 1] or 0)) for i in range(0, len(line), 2)] for line in made]


def differences(rows: duckdb.DuckDBPyConnection) -> list[str]:
    """Measures, alone and together, of which an engine computes something else than the contract says of a row."""
    return [
        f"{measure.kind} of {row}"
        for measures in [*([measure] for measure in ALONE), *TOGETHER]
        for row, of_row in zip(ROWS, of_rows(rows, measures), strict=True)
        for measure, found in zip(measures, of_row, strict=True)
        if found != (counts(measure, row), amount(measure, row))
    ]


def test_a_row_adds_and_counts_as_the_contract_says(rows: duckdb.DuckDBPyConnection) -> None:
    assert differences(rows) == []


BROKEN: dict[str, tuple[type, str, Any]] = {
    "a sum counts its zeros": (Sum, "counts", lambda self, at: f"m{at.own} IS NOT NULL"),
    "a sum around a centre does not": (Sum, "counts", lambda self, at: f"m{at.own} <> 0"),
    "a square is a sum": (Square, "amount", Sum.amount),
    "rows without a value are present": (Present, "counts", lambda self, at: "TRUE"),
    "a present row adds its steps": (Present, "amount", lambda self, at: f"m{at.counted}"),
    "a condition is not looked at": (Rows, "counts", lambda self, at: "TRUE"),
    "present rows are counted by another's number": (Present, "counts", lambda self, at: f"m{at.own} IS NOT NULL"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_measure_with_a_broken_twin_is_seen(
    rows: duckdb.DuckDBPyConnection, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, attribute, wrong = BROKEN[name]
    monkeypatch.setattr(owner, attribute, wrong)
    try:
        assert differences(rows) != []
    except duckdb.Error:
        assert "another's number" in name  # a column that is not there


def test_all_rows_count_where_a_table_was_cut_before(rows: duckdb.DuckDBPyConnection) -> None:
    for measures in [*([measure] for measure in ALONE), *TOGETHER]:
        assert of_all_rows(rows, measures, "p") == expected(measures)


def test_every_row_is_somebody_where_rows_are_protected(rows: duckdb.DuckDBPyConnection) -> None:
    given = [(i, *row[1:]) for i, row in enumerate(ROWS)]
    for measures in [[People()], [People(where=PAID)], [Rows(), People(), Present(of=COST)]]:
        assert of_all_rows(rows, measures, "") == expected(measures, given)  # type: ignore[arg-type]


def test_no_rows_are_zeros_and_not_missing(rows: duckdb.DuckDBPyConnection) -> None:
    nothing = "(SELECT * FROM t WHERE FALSE) t"
    for measure in ALONE:
        assert of_all_rows(rows, [measure], "p", nothing) == [0]


def test_no_row_adds_more_than_its_unit_and_some_row_adds_that_much() -> None:
    """With weights this is the sensitivity that noise is scaled to."""
    for measure in ALONE:
        added = [amount(measure, row) for row in ROWS]
        assert max(map(abs, added)) == measure.unit, measure
        assert not measure.only_adds or min(added) >= 0, measure
        for row, much in zip(ROWS, added, strict=True):
            assert counts(measure, row) or not much, measure  # what adds something is weighted


def test_steps_are_nearest_within_the_ends_and_less_the_centre(rows: duckdb.DuckDBPyConnection) -> None:
    for of, where, centre in ((DAY, None, 0), (DAY, PAID, 0), (COST, None, 0), (COST, PAID, 3), (DAY, None, -2)):
        measure = Sum(of=of, where=where, **steps_of(of)._asdict(), centre=centre)
        for light in (False, True):
            found = rows.execute(f"SELECT {measure.steps(WRITE, light=light)} FROM t").fetchall()
            assert [each for (each,) in found] == [value(measure, row) for row in ROWS]
    values = Values(of=COST, **steps_of(COST)._asdict(), q=Fraction(1, 2))
    found = rows.execute(f"SELECT {values.steps(WRITE)} FROM t").fetchall()
    assert [each for (each,) in found] == [value(values, row) for row in ROWS]
    assert all(type(each) is int for (each,) in found if each is not None)


# ---- types: 64 bits where they suffice ----


class Told:
    """Writes what it is asked for."""

    adds_doubles = True

    def sql(self, expression: Expression) -> str:
        return "sql"

    def present(self, expression: Expression) -> str:
        return "present"

    def placed(self, of: Expression, step: Fraction, low: int, high: int) -> str:
        return f"placed({step}, {low}, {high})"

    def whole(self, made: str) -> str:
        return f"whole({made})"

    def wide(self, made: str) -> str:
        return f"wide({made})"

    def total(self, term: str, *, narrow: bool) -> str:
        return f"{'narrow' if narrow else 'long'}({term})"


HERE = Place(0, 0)


def up_to(high: int, *, centre: int = 0) -> Sum:
    return Sum(of=COST, step=Fraction(1), low=0, high=high, centre=centre)


@pytest.mark.parametrize(
    ("high", "light", "narrow"),
    [(2**16, True, True), (2**16 + 1, False, True), (2**30 - 1, False, True), (2**30, False, False)],
)
def test_a_sum_is_held_in_few_bits_only_where_it_cannot_be_too_large(high: int, light: bool, narrow: bool) -> None:
    (row,) = up_to(high).of_row(HERE, Told())
    assert ("whole(" not in row) == up_to(high).is_light == light
    assert up_to(high).is_narrow == narrow
    direct = up_to(high).of_all_rows(HERE, Told(), "p")
    assert direct.startswith("narrow(" if narrow else "long(")
    assert up_to(3).is_narrow
    assert Square(of=COST, step=Fraction(1), low=0, high=2**15 - 1).is_narrow
    assert not Square(of=COST, step=Fraction(1), low=0, high=2**15).is_narrow


def test_squares_are_never_light_and_counts_always_narrow() -> None:
    (square,) = Square(of=COST, step=Fraction(1), low=0, high=3).of_row(HERE, Told())
    assert square == "whole(placed(1, 0, 3)) AS m0"
    assert not Square(of=COST, step=Fraction(1), low=0, high=3).is_light
    every: list[AdditiveMeasure] = [Rows(), Rows(where=PAID), People(where=PAID), Present(of=COST)]
    assert all(measure.is_narrow for measure in every)


def test_only_what_is_needed_is_written() -> None:
    assert Rows().of_row(HERE, Told()) == People().of_row(HERE, Told()) == []
    assert Rows().amount(HERE) == "1"
    by_another = Place(1, 0)
    assert (HERE.counts_itself, by_another.counts_itself) == (True, False)
    assert Present(of=COST).of_row(by_another, Told()) == Present(of=COST, where=PAID).of_row(by_another, Told()) == []
    assert len(Present(of=COST).of_row(HERE, Told())) == len(Present(of=COST, where=PAID).of_row(HERE, Told())) == 1
    assert len(up_to(3).of_row(HERE, Told())) == len(replace(up_to(3), where=PAID).of_row(HERE, Told())) == 1


def test_rows_cancel_out_only_where_they_may_be_on_both_sides_of_the_centre() -> None:
    ends = [(0, 9, 0), (-3, 0, 0), (-3, 9, 0), (0, 9, 4), (0, 9, 9)]
    made = [Sum(of=COST, step=Fraction(1), low=low, high=high, centre=centre) for low, high, centre in ends]
    assert [each.has_signs for each in made] == [False, False, True, True, False]
    assert [each.is_plain for each in made] == [True, True, True, False, False]
    assert not Square(of=COST, step=Fraction(1), low=0, high=9).is_plain


def test_values_and_people_are_not_weighted_as_rows_are() -> None:
    values = Values(of=COST, **steps_of(COST)._asdict(), q=Fraction(1, 2))
    every: list[Measure] = [*TOGETHER[0], Distinct(of=DAY), values]
    assert {each.kind for each in every if not each.is_weighted} == {"people", "distinct"}
    whole, shared = Bounds(3, keys=2), Bounds(3, keys=2, in_parts=True)
    assert {each.kind: [each.bits(30, limits) for limits in (whole, shared)] for each in every} == {
        "rows": [30, 30], "people": [0, 20], "present": [30, 30], "sum": [30, 30], "square": [30, 30],
        "distinct": [0, 0], "quantile": [12, 12],
    }  # fmt: skip
    assert [values.bits(bits, whole) for bits in (0, 11, 12, 13)] == [0, 11, 12, 12]
    assert values.counts(HERE) == "m0 IS NOT NULL"


# ---- grids ----


@pytest.mark.parametrize(
    ("lower", "upper", "grid", "coarse", "made"),
    [
        (0, 100, Fraction(1, 100), False, Steps(Fraction(1, 100), 0, 10_000)),
        (-3, 9, Fraction(1), True, Steps(Fraction(1), -3, 9)),
        (0, 2**20, Fraction(1), True, Steps(Fraction(1), 0, 2**20)),
        (0, 2**20 + 1, Fraction(1), True, Steps(Fraction(10), 0, 104_858)),
        (0, 2**20 + 1, Fraction(1), False, Steps(Fraction(1), 0, 2**20 + 1)),
        (-(2**20), 1, Fraction(1), True, Steps(Fraction(10), -104_858, 0)),
        (-5, 5, Fraction(2), False, Steps(Fraction(2), -2, 3)),  # a half goes up
        (-7, 8, Fraction(3), False, Steps(Fraction(3), -2, 3)),
        (0, 10**9, Fraction(1), True, Steps(Fraction(1000), 0, 10**6)),
    ],
)  # fmt: skip
def test_a_grid_is_the_numbers_own_and_a_coarse_one_has_a_million_steps(
    lower: int, upper: int, grid: Fraction, coarse: bool, made: Steps
) -> None:
    of = Ref(0, Field("x", Kind.REAL, Range(Fraction(lower), Fraction(upper), grid)))
    assert steps_of(of, coarse=coarse) == made


def test_the_middle_is_a_whole_step() -> None:
    assert [Steps(Fraction(1), low, high).middle for low, high in ((0, 10), (0, 11), (-3, 9), (-4, 1))] == [5, 5, 3, -2]
    assert steps_of(COST).middle == 4


# ---- how far one person moves them ----

FREE, APART, CUT = Bounds(6, keys=2), Bounds(6, 3, keys=2), Bounds(6, keys=6, cut=True)
SUMS = Sum(of=DAY, step=Fraction(1), low=-3, high=9)


@pytest.mark.parametrize(
    ("measure", "unit"),
    [
        (Rows(), 1), (Present(of=DAY), 1), (SUMS, 9), (replace(SUMS, centre=3), 6),
        (replace(SUMS, low=-12), 12), (replace(SUMS, low=0, high=0), 1),
        (Square(of=DAY, step=Fraction(1), low=-3, high=9, centre=2), 49), (Square(of=DAY, step=Fraction(1), low=-3, high=9, centre=5), 64),
        (Square(of=DAY, step=Fraction(1), low=0, high=0), 1), (Values(of=DAY, step=Fraction(1), low=-3, high=9, q=Fraction(1, 2)), 1),
    ],
)  # fmt: skip
def test_one_person_moves_all_cells_by_what_their_rows_weigh_times_unit(measure: Measure, unit: int) -> None:
    """Six rows in all: all of them in one group, or three in each of two, which only squares tell apart."""
    assert measure.unit == unit
    for limits, most in ((FREE, 6), (APART, 3), (CUT, 6), (Bounds(2, 3), 2)):
        wanted = Moves(Fraction(limits.total * unit), Fraction(limits.total * most * unit**2))
        assert measure.moves(limits, grouped=True) == measure.moves(limits, grouped=False) == wanted
        assert measure.most(limits) == most * unit


def test_a_declared_total_is_the_most_that_a_person_moves_a_sum() -> None:
    for total, in_all, in_one in ((100, 54, 27), (54, 54, 27), (40, 40, 27), (20, 20, 20), (1, 1, 1)):
        held = replace(SUMS, total=total)
        assert held.moves(APART, grouped=True) == Moves(Fraction(in_all), Fraction(in_all * in_one))
        assert held.most(APART) == in_one
        assert held.moves(FREE, grouped=True) == Moves(Fraction(in_all), Fraction(in_all**2))
        assert held.weighted_move(FREE, [5, 2]) == in_all * 5
        assert held.weighted_move(APART, [5, 2]) == min(27 * 7, total * 5)
    assert replace(SUMS, total=1).weighted_move(FREE, []) == 0


def test_squares_of_what_is_in_groups_are_never_above_what_is_paid() -> None:
    """Over every way to place up to T rows, at most k in a group: Σ a² ≤ T·k; with T² it would be far too much."""
    for total, most in ((1, 1), (3, 1), (3, 2), (4, 3), (6, 3), (7, 2)):
        placings = [made for made in product(range(most + 1), repeat=4) if sum(made) <= total]
        moved = Rows().moves(Bounds(total, most), grouped=True)
        assert max(sum(made) for made in placings) <= moved.l1 == total
        assert max(sum(each**2 for each in made) for made in placings) <= moved.l2_squared
    full = Rows().moves(Bounds(6, 3), grouped=True).l2_squared
    assert full == 3**2 + 3**2 < 6**2  # and two full groups are that much


def test_different_values_are_picked_and_may_all_be_in_one_group() -> None:
    made = Distinct(of=DAY)
    for limits in (FREE, APART, CUT):
        assert made.moves(limits, grouped=True) == Moves(Fraction(6), Fraction(36))
        assert made.most(limits) == 6
        assert made.weighted_move(limits, [5, 2]) == 30
    assert made.weighted_move(FREE, []) == 0


def test_people_are_one_wherever_they_are() -> None:
    for limits, keys in ((FREE, 2), (APART, 2), (CUT, 6), (Bounds(6, keys=2, in_parts=True), 2)):
        assert People().most(limits) == 1
        assert People().moves(limits, grouped=False) == Moves(Fraction(1), Fraction(1))
        assert People().moves(limits, grouped=True) == Moves(Fraction(keys), Fraction(keys))


def test_weights_count_for_as_many_groups_as_a_person_is_in() -> None:
    heaviest = [50, 20, 10, 5, 2, 1, 1]
    assert SUMS.weighted_move(APART, heaviest) == 27 * 70
    assert SUMS.weighted_move(FREE, heaviest) == SUMS.weighted_move(CUT, heaviest) == 54 * 50
    assert SUMS.weighted_move(Bounds(7, 3), heaviest) == 9 * (3 * 50 + 3 * 20 + 10)
    assert SUMS.weighted_move(Bounds(9, 1), [4, 3]) == 9 * 7  # there are no more groups
    assert People().weighted_move(FREE, heaviest) == 70
    assert People().weighted_move(CUT, heaviest) == 88


def test_groups_are_chosen_by_counts_of_people_alone() -> None:
    one_row = Bounds(2, 1, picked=2, keys=2)
    every: list[Measure] = [Rows(), People(), Present(of=DAY), Distinct(of=DAY), SUMS]
    assert [each.kind for each in every if each.counts_people(FREE)] == ["people"]
    assert [each.kind for each in every if each.counts_people(one_row)] == ["rows", "people"]
    assert [each.kind for each in every if each.counts_people(Bounds(2, cut=True))] == ["people"]
    assert [each.kind for each in every if each.counts_people(Bounds(1, cut=True))] == ["rows", "people"]
    conditional = [Rows(where=PAID), People(where=PAID)]
    assert [each.kind for each in conditional if each.counts_people(one_row)] == []


def test_only_sums_of_numbers_below_the_centre_are_lowered_by_somebody_who_comes() -> None:
    assert not SUMS.only_adds
    assert replace(SUMS, low=0).only_adds
    assert not replace(SUMS, low=0, centre=1).only_adds
    assert Square(of=DAY, step=Fraction(1), low=-3, high=9).only_adds
    assert all(each.only_adds for each in (Rows(), People(), Present(of=DAY), Distinct(of=DAY)))


def test_a_step_is_worth_itself_in_an_answer() -> None:
    assert replace(SUMS, step=Fraction(1, 4)).scale == Fraction(1, 4)
    assert Rows().scale == Present(of=DAY).scale == 1


# ---- noise ----


def pricing(bounds: Bounds, *, bits: int, rho: bool = False, grouped: bool = True) -> Pricing:
    """At ε = 1 or ρ = 1."""
    one = Fraction(1)
    spend = Spend(None, one, Fraction(0)) if rho else Spend(one, None, Fraction(0))
    return Pricing(bounds, spend, bits, grouped, Fraction(1, 20))


@pytest.mark.parametrize("bits", [0, 1, 30])
def test_noise_is_as_wide_as_one_persons_move_over_the_share(bits: int) -> None:
    """In whole rows the same, whatever part of a row its columns are in."""
    for measure in (Rows(), SUMS, People(), Present(of=DAY), Distinct(of=DAY)):
        fine = bits if measure.is_weighted else 0
        moves, quarter = measure.moves(APART, grouped=True), Fraction(1, 4)
        pure = priced_alone(5, measure, quarter, pricing(APART, bits=bits))
        assert pure.noise.scale == 4 * moves.l1 * 2**fine  # type: ignore[attr-defined]
        assert (pure.event.pure(), pure.share, pure.bits, pure.delta) == (quarter, quarter, fine, Fraction(0))
        assert (pure.columns, pure.is_plain, pure.size) == ((5,), True, 1)
        zcdp = priced_alone(0, measure, quarter, pricing(APART, bits=bits, rho=True))
        wide, square = zcdp.noise.sigma**2, moves.l2_squared * 4**fine  # type: ignore[attr-defined]
        assert 2 * square <= wide < 2 * square * (1 + Fraction(1, 10**12))
        assert zcdp.event.zcdp() <= quarter  # type: ignore[operator]
        assert zcdp.bits == fine


def test_people_in_parts_are_priced_in_parts() -> None:
    made = priced_alone(0, People(), Fraction(1), pricing(Bounds(6, keys=2, in_parts=True), bits=30))
    assert (made.bits, made.noise.scale) == (20, 2 * 2**20)  # type: ignore[attr-defined]


def test_only_one_cell_is_priced_as_one_number() -> None:
    """A single number has a tighter curve than a vector: it may be taken for one cell of one group alone."""
    single, vector = (
        priced_alone(0, Rows(), Fraction(1), pricing(FREE, bits=0, rho=True, grouped=grouped)).event.to_json()
        for grouped in (False, True)
    )
    assert single != vector
    cells = JointCells().price(Block((0, 1), ((1, 0), (-1, 1)), 1), Fraction(1), Fraction(0), pricing(FREE, bits=0, rho=True, grouped=False))  # fmt: skip
    assert cells.event.to_json() == vector


# ---- what the ledger knows them by ----


def test_measures_are_known_by_everything_that_decides_their_value() -> None:
    """The ledger holds answers by these words: an old answer must be found by the same, and by no others."""
    day, paid = DAY.canonical(), PAID.canonical()
    known: dict[str, Any] = {"step": Fraction(1, 4), "low": -3, "high": 9}
    assert [each.canonical() for each in (
        Rows(), Rows(where=PAID), People(), Present(of=DAY), Present(of=DAY, where=PAID), Distinct(of=DAY),
        Sum(of=DAY, **known), Sum(of=DAY, **known, centre=2, total=7), Square(of=DAY, **known, centre=2),
        Values(of=DAY, **known, q=Fraction(1, 3)), Values(of=DAY, where=PAID, **known, q=Fraction(1, 3)),
    )] == [
        ["rows", None, None, "1", 0, 1, 0, "None"], ["rows", None, paid, "1", 0, 1, 0, "None"],
        ["people", None, None, "1", 0, 1, 0, "None"], ["present", day, None, "1", 0, 1, 0, "None"],
        ["present", day, paid, "1", 0, 1, 0, "None"], ["distinct", day, None, "1", 0, 1, 0, "None"],
        ["sum", day, None, "1/4", -3, 9, 0, "None", None], ["sum", day, None, "1/4", -3, 9, 2, "None", 7],
        ["square", day, None, "1/4", -3, 9, 2, "None", None], ["quantile", day, None, "1/4", -3, 9, 0, "1/3"],
        ["quantile", day, paid, "1/4", -3, 9, 0, "1/3"],
    ]  # fmt: skip
    assert list(MEASURES) == ["distinct", "people", "present", "rows", "square", "sum", "quantile"]
