"""What DuckDB computes equals a plain reading of the contract in Python, on rows with ties, NULLs and hostile cells."""

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import floor, isnan
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neighbours import opened, over_the_registry  # noqa: F401
from property_profile import examples
from sfumato.data import declared
from sfumato.engines import DuckDBEngine, ExactTable
from sfumato.engines.duckdb.dialect import DUCKDB
from sfumato.engines.sql.measures import MeasureWriter
from sfumato.query import PricedQuery, Spend, plan_question, price
from sfumato.query.measures import Sum

INF, NAN = float("inf"), float("nan")
Row = tuple[int | None, int | None, str | None, float | None, int | None]
ROWS: list[Row] = [
    (person, person * i % 5, "abc"[i * person % 3], (person * 37 + i * 11) % 260 - 20 + i / 7, i * 3 - 4)
    for person in range(1, 12)
    for i in range(person)
]
HOSTILE: list[Row] = [
    (None, 1, "a", 10.0, 1), (1, None, "a", 10.0, 1), (1, 1, None, 10.0, 1), (1, 1, "a", None, None),
    (2, 1, "a", NAN, 2**63 - 1), (2, 1, "b", INF, -(2**63)), (3, 1, "a", -INF, 0), (3, 1, "a", 1e300, 3),
    (2**63 - 1, 2, "lonely", -3.0, 3), (-(2**63), 2, "b", 0.005, 3), (4, 99, "a", 199.995, 3), (4, -7, "a", 5e-324, 3),
]  # fmt: skip


def engine(rows: list[Row], **table: Any) -> DuckDBEngine:
    names = ("person", "category", "town", "amount", "whole")
    types = (pa.int64(), pa.int64(), pa.string(), pa.float64(), pa.int64())
    columns = {
        name: pa.array([row[i] for row in rows], kind) for i, (name, kind) in enumerate(zip(names, types, strict=True))
    }
    person = table.pop("person", True)
    return opened(  # type: ignore[no-any-return]
        declared(
            {
                "name": "small",
                "budget": {"epsilon": "1", "delta": "1e-6"},
                "unit": {"person": "people.person"} if person else {"rows": True},
                "tables": {
                    "people": {"source": pa.table({"person": pa.array([], pa.int64())})},
                    "visits": {
                        "source": pa.table(columns),
                        "columns": {
                            "category": {"values": [0, 1, 2, 3, 4]},
                            "town": {},
                            "amount": {"lower": 0, "upper": 200, "grid": "0.01"},
                            "whole": {"lower": -3, "upper": 9},
                        },
                        **({"foreign_keys": {"person": "people.person"}} if person else {}),
                        **table,
                    },
                },
            }
        )
    )


def priced(asked: DuckDBEngine, text: str) -> PricedQuery:
    spend = Spend(Fraction(1), None, Fraction(1, 10**6))
    return price(plan_question(text, asked.dataset, asked), asked.dataset, spend)


def exact(rows: list[Row], text: str, **table: Any) -> tuple[PricedQuery, ExactTable]:
    asked = engine(rows, **table)
    try:
        query = priced(asked, text)
        return query, asked.aggregate(query)
    finally:
        asked.close()


def cents(amount: float | None) -> int | None:
    """round(100 x) within 0 and 20000, as floats round."""
    if amount is None or isnan(amount):
        return None
    scaled = amount * 100.0 + 0.5
    return 20000 if scaled >= 20001 else 0 if scaled < 0 else floor(scaled)


def weight(rows: int, most: int, bits: int) -> int:
    """What each of so many rows counts."""
    return (most << bits) // rows if rows > most else 1 << bits


def by_line(rows: list[Row], key: Callable[[Row], Any]) -> dict[tuple[Any, Any], list[Row]]:
    lines = defaultdict(list)
    for row in rows:
        if row[0] is not None:
            lines[row[0], key(row)].append(row)
    return lines


# ---- one person's part ----


@pytest.mark.parametrize("most", [1, 2, 3, 100, 1000])
@pytest.mark.parametrize("rows", [ROWS, ROWS + HOSTILE, HOSTILE, []], ids=["tame", "both", "hostile", "empty"])
def test_a_persons_rows_beyond_the_bound_count_in_part(rows: list[Row], most: int) -> None:
    query, table = exact(rows, "SELECT COUNT(*), COUNT(amount), SUM(amount) FROM visits", rows_per_person=most)
    assert [m.kind for m in query.measures.measures] == ["present", "rows", "sum"]
    measure = query.measures.measures[2]
    assert isinstance(measure, Sum)
    present = every = total = 0
    for line in by_line(rows, lambda _: ()).values():
        values = [found for row in line if (found := cents(row[3])) is not None]
        each = weight(len(line), most, query.weights.bits)
        present += len(values) * each
        every += len(line) * each
        total += sum(value - measure.centre for value in values) * each
    assert [int(table.columns[i][0]) for i in range(3)] == [present, every, total]


@pytest.mark.parametrize("most", [1, 4])
def test_centred_sums_and_squares_count_the_same_share(most: int) -> None:
    rows = ROWS + HOSTILE
    query, table = exact(rows, "SELECT VARIANCE(amount) FROM visits", rows_per_person=most)
    kinds = {measure.kind: (place, measure) for place, measure in enumerate(query.measures.measures)}
    total_of = kinds["sum"][1]
    assert isinstance(total_of, Sum)
    centre, wanted = total_of.centre, dict.fromkeys(kinds, 0)
    for line in by_line(rows, lambda _: ()).values():
        values = [found - centre for row in line if (found := cents(row[3])) is not None]
        each = weight(len(values), most, query.weights.bits)
        for kind, power in (("present", 0), ("sum", 1), ("square", 2)):
            wanted[kind] += sum(value**power for value in values) * each
    assert {kind: int(table.columns[place][0]) for kind, (place, _) in kinds.items()} == wanted


@pytest.mark.parametrize("most", [1, 2, 3])
def test_a_person_counts_in_so_many_groups_and_the_rest_of_their_rows_nowhere(most: int) -> None:
    text, rows = "SELECT town, COUNT(*) AS n, SUM(whole) AS s FROM visits GROUP BY town", ROWS + HOSTILE
    _, table = exact(rows, text, rows_per_group=100, groups_per_person=most)
    lines = by_line(rows, lambda row: row[2])
    groups: dict[Any, set[Any]] = defaultdict(set)
    for person, key in lines:
        groups[person].add(key)
    assert table.people is not None
    assert sum(table.people.tolist()) == sum(min(len(held), most) for held in groups.values())
    for person in (2, 5, 11, 2**63 - 1):  # alone, a person has their own lines or some of them
        own = [row for row in rows if row[0] == person]
        query, alone = exact(own, text, rows_per_group=100, groups_per_person=most)
        whole = query.weights.whole
        assert len(alone.keys) == min(len(groups[person]), most)
        for key, n, s in zip(alone.keys, alone.columns[0].tolist(), alone.columns[1].tolist(), strict=True):
            line = lines[person, key[0]]
            assert n == len(line) * whole
            assert s == sum(max(-3, min(9, row[4])) for row in line if row[4] is not None) * whole


@pytest.mark.parametrize("most", [1, 2, 3])
def test_no_public_group_of_a_person_is_left_out(most: int) -> None:
    """Who is in more groups than count is in all of them, in part."""
    text, rows = "SELECT category, COUNT(*) AS n, COUNT(DISTINCT person) AS p FROM visits GROUP BY category", ROWS
    query, table = exact(rows, text, rows_per_group=100, groups_per_person=most)
    lines = by_line(rows, lambda row: row[1])
    held = Counter(person for person, _ in lines)
    wanted: dict[int, int] = defaultdict(int)
    for person, key in lines:
        wanted[key] += weight(held[person], most, 20)
    at = [each.kind for each in query.measures.measures].index("people")
    assert {key[0]: int(table.columns[at][i]) for i, key in enumerate(table.keys)} == wanted
    assert query.priced[at].bits == 20


def test_with_enough_groups_allowed_nothing_is_lost() -> None:
    rows = ROWS + HOSTILE
    query, table = exact(
        rows, "SELECT town, COUNT(*) AS n FROM visits GROUP BY town", rows_per_group=100, groups_per_person=9
    )
    wanted = {key: n * query.weights.whole for key, n in Counter(row[2] for row in rows if row[0] is not None).items()}
    assert dict(zip((key[0] for key in table.keys), table.columns[0].tolist(), strict=True)) == wanted


# ---- values ----


@pytest.mark.parametrize("most", [1, 3, 100])
def test_a_quantile_is_of_weighted_values(most: int) -> None:
    rows = ROWS + HOSTILE
    query, table = exact(rows, "SELECT MEDIAN(amount) FROM visits", rows_per_person=most)
    assert query.priced[0].bits == 12
    held: dict[Any, list[int]] = defaultdict(list)
    for row in rows:
        if row[0] is not None and (found := cents(row[3])) is not None:
            held[row[0]].append(found)
    wanted: Counter[int] = Counter()
    for values in held.values():
        for value in values:
            wanted[value] += weight(len(values), most, 12)
    steps, counts = table.values[0][()]
    assert dict(zip(steps.tolist(), counts.tolist(), strict=True)) == wanted
    assert steps.tolist() == sorted(set(steps.tolist()))


@pytest.mark.parametrize(("rows_in", "groups"), [(1, 1), (2, 2), (100, 1), (1, 100), (100, 100)])
def test_values_of_a_person_are_few_in_few_groups(rows_in: int, groups: int) -> None:
    """Of groups that are not public some are picked; of different values as many as rows count."""
    rows = ROWS + HOSTILE
    for person in (3, 7, 11):
        own = [row for row in rows if row[0] == person]
        for wanted in ("MEDIAN(amount)", "COUNT(DISTINCT whole)"):
            text = f"SELECT town, {wanted} AS m FROM visits GROUP BY town"
            query, table = exact(own, text, rows_per_group=rows_in, groups_per_person=groups)
            if "DISTINCT" in wanted:
                found = {key[0]: int(n) for key, n in zip(table.keys, table.columns[0], strict=True) if n}
                lines = {
                    key: len({row[4] for row in line} - {None})
                    for (_, key), line in by_line(own, lambda r: r[2]).items()
                }
                assert sum(found.values()) <= query.bounds.total
                assert all(found[key] <= lines[key] for key in found)
            else:
                weights = {key[0]: int(counts.sum()) for key, (_, counts) in table.values[0].items()}
                assert sum(weights.values()) <= query.bounds.total << query.priced[0].bits
                found = weights
            assert len(found) <= min(groups, len({row[2] for row in own}))


def test_where_each_row_is_protected_every_row_counts() -> None:
    rows = ROWS + HOSTILE
    _, table = exact(rows, "SELECT COUNT(DISTINCT town), MEDIAN(amount) FROM visits", person=False)
    assert table.columns[0].tolist() == [len({row[2] for row in rows} - {None})]
    steps, counts = table.values[1][()]
    wanted = Counter(found for row in rows if (found := cents(row[3])) is not None)
    assert dict(zip(steps.tolist(), counts.tolist(), strict=True)) == wanted


# ---- bound at registration ----


# ---- one row's part ----


@examples(30)
@given(st.lists(st.one_of(st.none(), st.floats(), st.floats(-1, 201), st.sampled_from(
    [0.0, -0.0, 200.0, 199.995, 200.00499999999997, 0.005, 0.00499999, NAN, INF, -INF, 1.7e308, 5e-324]))))  # fmt: skip
def test_a_cell_becomes_a_whole_number_of_steps_within_its_bounds(cells: list[float | None]) -> None:
    query = priced(SHARED, "SELECT SUM(amount) FROM visits")
    (measure,) = query.measures.measures
    assert isinstance(measure, Sum)
    at = next(i for i, field in enumerate(query.question.plan.fields) if field.name == "amount")
    wide = replace(measure, high=2**53, step=Fraction(1, 10**13))  # too fine for halves: the other way of placing
    write, connection = MeasureWriter(DUCKDB), duckdb.connect()
    connection.register("cells", pa.table({f"c{at}": pa.array(cells, pa.float64())}))
    found = connection.execute(f"SELECT {measure.steps(write, light=True)}, {wide.steps(write)} FROM cells").fetchall()
    connection.close()
    assert [row[0] for row in found] == [cents(cell) for cell in cells]
    for (_, place), cell in zip(found, cells, strict=True):
        assert (place is None) == (cents(cell) is None)
        assert place is None or 0 <= place <= 2**53


SHARED = engine([], rows_per_person=9)


def test_which_zero_stands_for_the_group_of_zeros_does_not_depend_on_rows() -> None:
    """Engines take -0 and 0 for one key, and show the one they saw first."""
    for zeros in ([-0.0, 0.0], [0.0, -0.0], [-0.0, -0.0]):
        rows: list[Row] = [(person, 1, "a", zero, 1) for person, zero in enumerate(zeros)]
        asked = engine(rows, rows_per_group=1, groups_per_person=2)
        table = asked.aggregate(priced(asked, "SELECT amount, COUNT(*) AS n FROM visits GROUP BY amount"))
        assert [repr(key) for key in table.keys] == ["(0.0,)"]
