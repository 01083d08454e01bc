"""Measures: what their SQL computes is what the contract says of rows, and how far one person moves it is what is paid for.

The contract is written once more below, in Python and over lists of rows; both run over the same hand-made rows: people
of no row that counts, of as many as count and of more, with missing values, NaN, values beyond the bounds and at halves.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import duckdb
import pytest

from sfumato.data import Kind
from sfumato.engines.duckdb.dialect import DUCKDB
from sfumato.engines.sql.measures import MeasureWriter, placed
from sfumato.query.bounds import Bounds, Moves, Spend
from sfumato.query.expression import Expression, Field, Ref
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
    Split,
    Square,
    Sum,
    Values,
)
from sfumato.query.measures.steps import Steps, steps_of
from sfumato.query.priced import NoisyColumns
from sfumato.query.range import Range

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
    made.execute("CREATE TABLE t (p BIGINT, c0 BIGINT, c1 DOUBLE, c2 BOOLEAN)")
    made.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", ROWS)
    yield made
    made.close()


def computed(rows: duckdb.DuckDBPyConnection, measures: Sequence[Measure], most: int, source: str = "t") -> list[int]:
    """The columns of measures as an engine computes them."""
    return _lines(rows, measures, most, source, "")[0]


def of_each(rows: duckdb.DuckDBPyConnection, measures: Sequence[Measure], most: int) -> list[list[int]]:
    """The same of every person by themselves."""
    return _lines(rows, measures, most, "t", " GROUP BY p ORDER BY p")


def _lines(
    rows: duckdb.DuckDBPyConnection, measures: Sequence[Measure], most: int, source: str, grouped: str
) -> list[list[int]]:
    """Of rows, of people, of groups: as an engine's statement has it."""
    at = placed(measures)
    added = ["p", *(each for measure, place in at for each in measure.of_row(place, WRITE))]
    theirs = ["p", "count(*) AS n", *(each for measure, place in at for each in measure.of_person(place, WRITE))]
    whole = [each for measure, place in at for each in measure.of_group(place, WRITE, most)]
    people = f"SELECT {', '.join(theirs)} FROM (SELECT {', '.join(added)} FROM {source}) t GROUP BY p"
    made = rows.execute(f"SELECT {', '.join(whole)} FROM ({people}) t{grouped}").fetchall()
    return [[int(each) for each in line] for line in made]


def of_all_rows(
    rows: duckdb.DuckDBPyConnection, measures: Sequence[Measure], person: str, source: str = "t"
) -> list[int]:
    """The same straight from rows."""
    at = placed(measures)
    added = ["p", *(each for measure, place in at for each in measure.of_row(place, WRITE))]
    whole = [each for measure, place in at for each in measure.of_all_rows(place, WRITE, person)]
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
    found = row[1] if measure.of == DAY else row[2]
    if found is None or math.isnan(found):
        return None
    if not isinstance(measure, InSteps):
        return 1
    steps = math.floor(Fraction(found) / measure.step + Fraction(1, 2))
    above = min(max(steps, measure.low), measure.high) - measure.centre
    return above**2 if isinstance(measure, Square) else above


def of_person(measure: Measure, theirs: list[Row], most: int | None) -> list[int]:
    """What one person adds, of at most so many rows; of all where there is no limit."""
    kept_rows = [row for row in theirs if holds(measure, row)]
    added = [found for row in theirs if (found := value(measure, row)) is not None]
    if isinstance(measure, People):
        return [min(1, len(kept_rows))]
    n, x = len(kept_rows), len(added)
    limit = n if most is None else min(n, most)
    share = x * limit // n if n and (isinstance(measure, Split) or getattr(measure, "shared", False)) else min(x, limit)
    if isinstance(measure, Split):
        return [share, limit - share]
    if isinstance(measure, Sum) and x:
        whole = sum(added) * share
        return [whole // x if whole >= 0 else -(-whole // x)]
    return [share if not isinstance(measure, Sum) else 0]


def expected(measures: Sequence[Measure], most: int | None, given: Sequence[Row] = ROWS) -> list[int]:
    """The columns of all measures."""
    found: list[int] = []
    for measure in measures:
        people = [[row for row in given if row[0] == p] for p in sorted({row[0] for row in given})]
        parts = [of_person(measure, theirs, most) for theirs in people] or [[0] * measure.columns]
        found += [sum(column) for column in zip(*parts, strict=True)]
    return found


def of_numbers(where: Expression | None, *, shared: bool) -> list[Measure]:
    """Sums and squares of both numbers, from zero and around the middle."""
    day, cost = steps_of(DAY)._asdict(), steps_of(COST)._asdict()
    known: dict[str, Any] = {"where": where, "shared": shared}
    return [
        Sum(of=DAY, **day, **known), Sum(of=DAY, **day, centre=3, **known), Square(of=DAY, **day, centre=3, **known),
        Sum(of=COST, **cost, **known), Sum(of=COST, **cost, centre=4, **known), Square(of=COST, **cost, centre=4, **known),
    ]  # fmt: skip


def alone(where: Expression | None) -> list[Measure]:
    """Every measure that adds up, with a condition or without."""
    every: list[Measure] = [Rows(where=where), People(where=where)]
    every += [kind(of=of, where=where) for kind in (Present, Split) for of in (DAY, COST)]
    return every + of_numbers(where, shared=False) + of_numbers(where, shared=True)


ALONE = [*alone(None), *alone(PAID)]
TOGETHER: list[list[Measure]] = [
    [Rows(), People(), Present(of=DAY), Present(of=COST), *of_numbers(None, shared=False)],
    [Rows(where=PAID), People(where=PAID), Present(of=DAY, where=PAID), *of_numbers(PAID, shared=False)],
    [Split(of=DAY), *of_numbers(None, shared=True), Rows(where=PAID)],
    [People(), Split(of=COST, where=PAID), *of_numbers(PAID, shared=True), Present(of=COST)],
    [*of_numbers(None, shared=False), Present(of=COST), Present(of=DAY), Present(of=DAY, where=PAID)],
]


@pytest.mark.parametrize("most", [1, 2, 3, 7, 600])
def test_every_measure_is_what_the_contract_says_of_at_most_so_many_rows(
    rows: duckdb.DuckDBPyConnection, most: int
) -> None:
    found = {repr(measure): computed(rows, [measure], most) for measure in ALONE}
    assert found == {repr(measure): expected([measure], most) for measure in ALONE}


@pytest.mark.parametrize("most", [1, 3, 4])
def test_measures_that_share_a_statement_share_nothing_else(rows: duckdb.DuckDBPyConnection, most: int) -> None:
    for measures in TOGETHER:
        assert computed(rows, measures, most) == expected(measures, most)


def test_all_rows_count_where_a_table_was_cut_before(rows: duckdb.DuckDBPyConnection) -> None:
    for measures in [*([measure] for measure in ALONE), *TOGETHER]:
        assert of_all_rows(rows, measures, "p") == expected(measures, None)


def test_every_row_is_somebody_where_rows_are_protected(rows: duckdb.DuckDBPyConnection) -> None:
    given = [(i, *row[1:]) for i, row in enumerate(ROWS)]
    for measures in [[People()], [People(where=PAID)], [Rows(), People(), Split(of=COST)]]:
        assert of_all_rows(rows, measures, "") == expected(measures, None, given)  # type: ignore[arg-type]


def test_no_rows_are_zeros_and_not_missing(rows: duckdb.DuckDBPyConnection) -> None:
    nothing = "(SELECT * FROM t WHERE FALSE) t"
    for measure in ALONE:
        assert computed(rows, [measure], 3, nothing) == [0] * measure.columns
        assert of_all_rows(rows, [measure], "p", nothing) == [0] * measure.columns


def test_nobody_adds_more_than_is_paid_for_and_somebody_adds_that_much(rows: duckdb.DuckDBPyConnection) -> None:
    """What one person adds in a group is within `most`: this is the sensitivity that noise is scaled to."""
    for most in (1, 2, 3):
        limits = Bounds(most, 1, None)
        for measure in ALONE:
            added = of_each(rows, [measure], most)
            assert max(sum(map(abs, each)) for each in added) <= measure.most(limits), measure
            assert not measure.only_adds or min(map(min, added)) >= 0, measure
    full: list[Measure] = [Rows(), People(), Present(of=DAY), Split(of=DAY)]
    full += [each for each in ALONE if isinstance(each, Sum) and each.of == DAY]
    for measure in full:  # the third person has three rows at the upper end
        third = of_each(rows, [measure], 3)[2]
        assert sum(third) == measure.most(Bounds(3, 1, None)), measure


def test_a_share_that_rounds_to_no_row_adds_nothing(rows: duckdb.DuckDBPyConnection) -> None:
    """One value among five rows, of which three count: 3/5 of a row is none, and the value must not slip through."""
    measure = Sum(of=COST, **steps_of(COST)._asdict(), shared=True)
    assert computed(rows, [measure], 3, "(SELECT * FROM t WHERE p = 5) t") == [0]
    assert computed(rows, [Split(of=COST)], 3, "(SELECT * FROM t WHERE p = 5) t") == [0, 3]
    assert computed(rows, [Split(of=COST)], 4, "(SELECT * FROM t WHERE p = 5) t") == [0, 4]
    assert computed(rows, [Split(of=COST)], 5, "(SELECT * FROM t WHERE p = 5) t") == [1, 4]


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

    def divided(self, whole: str, by: str) -> str:
        return f"divided({whole}, {by})"

    def total(self, term: str, *, narrow: bool) -> str:
        return f"{'narrow' if narrow else 'long'}({term})"


HERE = Place(0, 0)


def up_to(high: int, *, centre: int = 0) -> Sum:
    return Sum(of=COST, step=Fraction(1), low=0, high=high, centre=centre)


@pytest.mark.parametrize(
    ("high", "most", "light", "whole", "narrow"),
    [
        (2**16, 2**9, True, True, True), (2**16, 2**9 + 1, True, False, True), (2**16 + 1, 1, False, False, True),
        (2**16, 2**14 - 1, True, False, True), (2**16, 2**14, True, False, False), (2**30 - 1, 1, False, False, True),
        (2**30, 1, False, False, False), (1, 2**30, True, False, False), (1, 2**30 - 1, True, False, True),
    ],
)  # fmt: skip
def test_a_sum_is_held_in_few_bits_only_where_it_cannot_be_too_large(
    high: int, most: int, light: bool, whole: bool, narrow: bool
) -> None:
    (row,) = up_to(high).of_row(HERE, Told())
    (group,) = up_to(high).of_group(HERE, Told(), most)
    assert ("whole(" not in row) == light
    assert ("whole(s0)" in group, "wide(s0)" in group) == (whole, not whole)
    assert group.startswith("narrow(" if narrow else "long(")
    (direct,) = up_to(high).of_all_rows(HERE, Told(), "p")
    assert direct.startswith("narrow(" if high < 2**30 else "long(")


def test_squares_are_never_light_and_counts_always_narrow() -> None:
    (square,) = Square(of=COST, step=Fraction(1), low=0, high=3).of_row(HERE, Told())
    assert square == "whole(placed(1, 0, 3)) AS m0"
    counts: list[AdditiveMeasure] = [Rows(), Rows(where=PAID), People(where=PAID), Present(of=COST), Split(of=COST)]
    for measure in counts:
        assert all(each.startswith("narrow(") for each in measure.of_group(HERE, Told(), 3)), measure


def test_only_what_is_needed_is_written() -> None:
    assert Rows().of_row(HERE, Told()) == Rows().of_person(HERE, Told()) == []
    assert People().of_row(HERE, Told()) == People().of_person(HERE, Told()) == []
    by_another = Place(1, 0)
    assert (HERE.counts_itself, by_another.counts_itself) == (True, False)
    assert Present(of=COST).of_row(by_another, Told()) == Present(of=COST).of_person(by_another, Told()) == []
    assert Split(of=COST).of_row(by_another, Told()) == Split(of=COST).of_person(by_another, Told()) == []
    assert len(Split(of=COST, where=PAID).of_row(by_another, Told())) == 1
    for shared, where, many in ((False, None, 1), (False, PAID, 1), (True, None, 1), (True, PAID, 2)):
        made = replace(up_to(3), shared=shared, where=where)
        assert len(made.of_row(HERE, Told())) == many
        assert len(made.of_person(HERE, Told())) == many + 1
        assert made.needs_rows == (shared and where is None)
    assert [each.needs_rows for each in (Rows(), Rows(where=PAID), Split(of=COST), Split(of=COST, where=PAID))] == [
        True, False, True, False,
    ]  # fmt: skip
    assert not People().needs_rows
    assert not Present(of=COST).needs_rows


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

CUT, FREE = Bounds(3, 2, 6), Bounds(3, 2, None)
SUMS = Sum(of=DAY, step=Fraction(1), low=-3, high=9)


@pytest.mark.parametrize(
    ("measure", "unit", "free", "cut"),
    [
        (Rows(), 1, Moves(Fraction(6), Fraction(18)), Moves(Fraction(6), Fraction(36))),
        (Split(of=DAY), 1, Moves(Fraction(6), Fraction(18)), Moves(Fraction(6), Fraction(36))),
        (Distinct(of=DAY), 1, Moves(Fraction(6), Fraction(18)), Moves(Fraction(6), Fraction(36))),
        (SUMS, 9, Moves(Fraction(54), Fraction(1458)), Moves(Fraction(54), Fraction(2916))),
        (replace(SUMS, centre=3), 6, Moves(Fraction(36), Fraction(648)), Moves(Fraction(36), Fraction(1296))),
        (replace(SUMS, low=-12), 12, Moves(Fraction(72), Fraction(2592)), Moves(Fraction(72), Fraction(5184))),
        (replace(SUMS, low=0, high=0), 1, Moves(Fraction(6), Fraction(18)), Moves(Fraction(6), Fraction(36))),
        (Square(of=DAY, step=Fraction(1), low=-3, high=9, centre=2), 49, Moves(Fraction(294), Fraction(43218)), Moves(Fraction(294), Fraction(86436))),
        (Square(of=DAY, step=Fraction(1), low=-3, high=9, centre=5), 64, Moves(Fraction(384), Fraction(73728)), Moves(Fraction(384), Fraction(147456))),
        (Square(of=DAY, step=Fraction(1), low=0, high=0), 1, Moves(Fraction(6), Fraction(18)), Moves(Fraction(6), Fraction(36))),
        (People(), 1, Moves(Fraction(2), Fraction(2)), Moves(Fraction(6), Fraction(6))),
    ],
)  # fmt: skip
def test_one_person_moves_all_cells_by_groups_times_rows_times_unit(
    measure: Measure, unit: int, free: Moves, cut: Moves
) -> None:
    """Three rows in each of two groups; or six rows, which may all be in one group (and people in six)."""
    assert measure.unit == unit
    assert measure.moves(FREE, grouped=True) == free
    assert measure.moves(CUT, grouped=True) == cut
    if not isinstance(measure, People):
        assert measure.moves(FREE, grouped=False) == free
        assert (measure.most(FREE), measure.most(CUT)) == (3 * unit, 6 * unit)


def test_people_are_one_wherever_they_are() -> None:
    assert (People().most(FREE), People().most(CUT)) == (1, 1)
    assert People().moves(FREE, grouped=False) == People().moves(CUT, grouped=False) == Moves(Fraction(1), Fraction(1))


def test_weights_count_for_as_many_groups_as_a_person_is_in() -> None:
    heaviest = [50, 20, 10, 5, 2, 1, 1]
    assert SUMS.weighted_move(FREE, heaviest) == 27 * 70
    assert SUMS.weighted_move(CUT, heaviest) == 54 * 50
    assert People().weighted_move(FREE, heaviest) == 70
    assert People().weighted_move(CUT, heaviest) == 88


def test_groups_are_chosen_by_counts_of_people_alone() -> None:
    one_row = Bounds(1, 2, None)
    every: list[Measure] = [Rows(), People(), Present(of=DAY), Split(of=DAY), Distinct(of=DAY), SUMS]
    assert [each.kind for each in every if each.counts_people(FREE)] == ["people"]
    assert [each.kind for each in every if each.counts_people(one_row)] == ["rows", "people"]
    assert [each.kind for each in every if each.counts_people(Bounds(1, 1, 2))] == ["people"]
    conditional = [Rows(where=PAID), People(where=PAID)]
    assert [each.kind for each in conditional if each.counts_people(one_row)] == []


def test_only_sums_of_numbers_below_the_centre_are_lowered_by_somebody_who_comes() -> None:
    assert not SUMS.only_adds
    assert replace(SUMS, low=0).only_adds
    assert not replace(SUMS, low=0, centre=1).only_adds
    assert Square(of=DAY, step=Fraction(1), low=-3, high=9).only_adds
    assert all(each.only_adds for each in (Rows(), People(), Split(of=DAY), Distinct(of=DAY)))


def test_a_step_is_worth_itself_in_an_answer() -> None:
    assert replace(SUMS, step=Fraction(1, 4)).scale == Fraction(1, 4)
    assert Rows().scale == Split(of=DAY).scale == 1
    assert [kind for kind, each in MEASURES.items() if each.columns == 2] == ["split"]


# ---- noise ----


def test_noise_is_as_wide_as_one_persons_move_over_the_share() -> None:
    by_epsilon, by_rho = Spend(Fraction(1), None, Fraction(0)), Spend(None, Fraction(1), Fraction(0))
    for measure in (Rows(), SUMS, People(), Split(of=DAY)):
        moves = measure.moves(FREE, grouped=True)
        pure = measure.price(Fraction(1, 4), FREE, by_epsilon, grouped=True, beta=Fraction(1, 20))
        assert isinstance(pure, NoisyColumns)
        assert (pure.noise.scale, pure.event.pure(), pure.share) == (4 * moves.l1, Fraction(1, 4), Fraction(1, 4))  # type: ignore[attr-defined]
        zcdp = measure.price(Fraction(1, 4), FREE, by_rho, grouped=True, beta=Fraction(1, 20))
        assert isinstance(zcdp, NoisyColumns)
        wide = zcdp.noise.sigma**2  # type: ignore[attr-defined]
        assert 2 * moves.l2_squared <= wide < 2 * moves.l2_squared * (1 + Fraction(1, 10**12))
        assert zcdp.event.zcdp() <= Fraction(1, 4)  # type: ignore[operator]


def test_only_one_cell_is_priced_as_one_number() -> None:
    """A single number has a tighter curve than a vector: it may be taken for one cell of one group alone."""
    spend = Spend(None, Fraction(1), Fraction(0))
    single = [
        measure.price(Fraction(1), FREE, spend, grouped=grouped, beta=Fraction(1, 20)).event.to_json() ==
        Rows().price(Fraction(1), FREE, spend, grouped=False, beta=Fraction(1, 20)).event.to_json()
        for measure, grouped in ((Rows(), False), (Rows(), True), (Split(of=DAY), False), (Split(of=DAY), True))
    ]  # fmt: skip
    assert single == [True, False, False, False]


# ---- what the ledger knows them by ----


def test_measures_are_known_by_everything_that_decides_their_value() -> None:
    """The ledger holds answers by these words: an old answer must be found by the same, and by no others."""
    day, paid = DAY.canonical(), PAID.canonical()
    known: dict[str, Any] = {"step": Fraction(1, 4), "low": -3, "high": 9}
    assert [each.canonical() for each in (
        Rows(), Rows(where=PAID), People(), Present(of=DAY), Split(of=DAY, where=PAID), Distinct(of=DAY),
        Sum(of=DAY, **known), Sum(of=DAY, **known, centre=2, shared=True), Square(of=DAY, **known, centre=2),
        Values(of=DAY, **known, q=Fraction(1, 3)), Values(of=DAY, where=PAID, **known, q=Fraction(1, 3)),
    )] == [
        ["rows", None, None, "1", 0, 1, 0, "None", False], ["rows", None, paid, "1", 0, 1, 0, "None", False],
        ["people", None, None, "1", 0, 1, 0, "None", False], ["present", day, None, "1", 0, 1, 0, "None", False],
        ["split", day, paid, "1", 0, 1, 0, "None", False], ["distinct", day, None, "1", 0, 1, 0, "None", False],
        ["sum", day, None, "1/4", -3, 9, 0, "None", False], ["sum", day, None, "1/4", -3, 9, 2, "None", True],
        ["square", day, None, "1/4", -3, 9, 2, "None", False], ["quantile", day, None, "1/4", -3, 9, 0, "1/3", False],
        ["quantile", day, paid, "1/4", -3, 9, 0, "1/3", False],
    ]  # fmt: skip
    assert list(MEASURES) == ["distinct", "people", "present", "rows", "split", "square", "sum", "quantile"]
