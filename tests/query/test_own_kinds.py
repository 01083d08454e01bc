"""What a person's own rows add up to: the SQL of every kind against Python, over the rows that measures are tried on."""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import duckdb
import pytest

from sfumato.data import Kind
from sfumato.engines.duckdb.dialect import DUCKDB
from sfumato.engines.sql.measures import MeasureWriter
from sfumato.query.expression import Field, Ref
from sfumato.query.own_kinds import OWN_KINDS
from sfumato.query.range import Range

DAY = Ref(0, Field("day", Kind.INTEGER, Range(Fraction(-3), Fraction(9), Fraction(1))))
COST = Ref(1, Field("cost", Kind.REAL, Range(Fraction(0), Fraction(2), Fraction(1, 4))))
NAN = math.nan
ROWS: tuple[tuple[int, int | None, float | None, bool | None], ...] = (
    (1, 5, 1.0, True), (1, 5, 1.0, True), (1, 2, 0.25, False), (2, None, None, True), (2, None, NAN, True),
    (3, -3, 2.0, False), (3, 9, 0.5, None), (4, 1, 1.5, True), (4, None, NAN, True), (4, 4, 1.25, True), (4, 4, 1.25, None),
)  # fmt: skip
WRITE = MeasureWriter(DUCKDB)


@pytest.fixture(scope="module")
def rows() -> Iterator[duckdb.DuckDBPyConnection]:
    made = duckdb.connect(":memory:", config={"threads": 1})
    made.execute("CREATE TABLE t (p BIGINT, c0 BIGINT, c1 DOUBLE, c2 BOOLEAN)")
    made.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", ROWS)
    yield made
    made.close()


Truth = Callable[[Sequence[Any], int], Any]
TRUTHS: dict[str, Truth] = {
    "count": lambda known, n: n,
    "present": lambda known, n: len(known),
    "distinct": lambda known, n: len(set(known)),
    "sum": lambda known, n: sum(known) if known else None,
    "avg": lambda known, n: sum(known) / len(known) if known else None,
    "min": lambda known, n: min(known, default=None),
    "max": lambda known, n: max(known, default=None),
}
"""What every kind is of values, those that are missing left out, and of so many rows."""


@pytest.mark.parametrize("kind", sorted(OWN_KINDS))
@pytest.mark.parametrize("of", [DAY, COST], ids=["day", "cost"])
@pytest.mark.parametrize("where", ["", " FILTER (WHERE c2)"])
def test_every_kind_is_what_a_persons_rows_add_up_to(
    rows: duckdb.DuckDBPyConnection, kind: str, of: Ref, where: str
) -> None:
    written = OWN_KINDS[kind].sql(of, where, WRITE)
    found = rows.execute(f"SELECT {written} FROM t GROUP BY p ORDER BY p").fetchall()
    wanted = []
    for person in (1, 2, 3, 4):
        theirs = [row for row in ROWS if row[0] == person and (not where or row[3] is True)]
        values = [row[1 + of.index] for row in theirs]
        known = [each for each in values if each is not None and not math.isnan(each)]
        wanted.append(TRUTHS[kind](known, len(theirs)))
    assert [each for (each,) in found] == wanted


def test_ranges_are_of_so_many_rows() -> None:
    most = Fraction(3)
    ends = {kind: OWN_KINDS[kind].range(DAY, most) for kind in TRUTHS}
    assert {kind: (found.lower, found.upper, found.grid) for kind, found in ends.items()} == {  # type: ignore[comparison-overlap]
        "count": (0, 3, 1), "present": (0, 3, 1), "distinct": (0, 3, 1), "sum": (-9, 27, 1), "avg": (-3, 9, None),
        "min": (-3, 9, 1), "max": (-3, 9, 1),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("lower", "upper", "ends"),
    [(2, 5, (0, 15)), (-5, -2, (-15, 0)), (-5, 2, (-15, 6)), (-5, 0, (-15, 0)), (0, 5, (0, 15))],
)
def test_a_sum_of_no_rows_is_within_its_range(lower: int, upper: int, ends: tuple[int, int]) -> None:
    """A person may have no row that counts: a sum of numbers that are all above zero is at least zero."""
    of = Ref(0, Field("x", Kind.REAL, Range(Fraction(lower), Fraction(upper), Fraction(1, 2))))
    found = OWN_KINDS["sum"].range(of, Fraction(3))
    assert (found.lower, found.upper, found.step) == (*ends, Fraction(1, 2))  # type: ignore[comparison-overlap]


def test_kinds_are_of_numbers_or_of_anything() -> None:
    assert [kind for kind, each in OWN_KINDS.items() if each.of_bounded_numbers] == ["sum", "avg"]
    kinds = {kind: (each.gives(DAY), each.gives(COST)) for kind, each in OWN_KINDS.items()}
    whole, own = (Kind.INTEGER, Kind.INTEGER), (Kind.INTEGER, Kind.REAL)
    assert kinds == {"count": whole, "present": whole, "distinct": whole, "sum": own, "avg": (Kind.REAL, Kind.REAL),
                     "min": own, "max": own}  # fmt: skip
