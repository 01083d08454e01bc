"""Weights: every way of bounding against the rule in Python, and six ways to get it wrong, each of which is seen."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isnan, isqrt
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import neighbours
from engines.test_one_person_moves_little import HEAVY, broken
from neighbours import BOUNDS, Database, databases, priced
from property_profile import examples
from sfumato.engines.duckdb.dialect import DuckDB
from sfumato.engines.sql.weighing import Weighing
from sfumato.query.bounds import Bounds, Moves
from sfumato.query.measures import Measure
from sfumato.query.weights import LengthBound, Weights

pytestmark = pytest.mark.slow

PLAIN: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck)}
WAYS = ("rows", "groups", "both", "wide groups", "total")

# ---- the rule, over lists of rows ----


@dataclass(frozen=True)
class Line:
    """What a person's rows in one group add to the columns, and what of it is bounded."""

    size: int
    amounts: tuple[int, ...]


Group = tuple[Any, ...]


def weighted(people: dict[Any, dict[Group, Line]], bounds: Bounds, weights: Weights) -> dict[Group, list[int]]:
    """The columns of each group: every line times the weight of its person, floored once."""
    found: dict[Group, list[int]] = {}
    total, most = weights.most(bounds.total), None if bounds.rows is None else weights.most(bounds.rows)
    bits = weights.bits
    for lines in people.values():
        kept = {key: line.size if most is None else min(line.size, most) for key, line in lines.items()}
        in_all = sum(kept.values())
        if weights.length is not None:
            coarse = weights.length.coarse
            squares = sum(((size >> coarse) + 1 if coarse else size) ** 2 for size in kept.values())
            in_all = (isqrt(squares - 1) + 1 if squares else 0) << coarse  # the length, rounded up
            assert max(kept.values()) >> coarse < weights.length.most
        for key, line in lines.items():
            here = (most << bits) // line.size if most is not None and line.size > most else 1 << bits
            in_total = (total << bits) // in_all if in_all > total else 1 << bits
            weight = (here * in_total) >> bits
            columns = found.setdefault(key, [0] * len(line.amounts))
            for i, amount in enumerate(line.amounts):
                columns[i] += amount * weight
    return found


def steps(amount: float | None) -> int | None:
    """An amount in hundredths, held within 0 and 200; infinities are at the ends, NaN is no value."""
    if amount is None or isnan(amount):
        return None
    return int(min(max(amount, 0.0), 200.0) * 100 + 0.5)


Rows = list[tuple[Any, ...]]
Alone = Callable[[Rows], Line]


def _counted(rows: Rows) -> Line:
    return Line(len(rows), (len(rows),))


def _summed(rows: Rows) -> Line:
    total = sum(steps(row[5]) or 0 for row in rows)
    return Line(abs(total), (total,))


def _paid(rows: Rows) -> Line:
    return _counted([row for row in rows if row[9] is True])


def _both(rows: Rows) -> Line:
    """COUNT(*) beside COUNT(amount): rows with an amount, and all of them, by one weight."""
    known = [steps(row[5]) for row in rows]
    present = sum(each is not None for each in known)
    return Line(len(rows), (present, len(rows)))


def _day_signed(rows: Rows) -> Line:
    """SUM(180 - day): rows cancel out."""
    total = sum(180 - min(max(row[2], 0), 364) for row in rows if row[2] is not None)
    return Line(abs(total), (total,))


ASKED: dict[str, tuple[str, Alone]] = {
    "count": ("COUNT(*)", _counted), "sum": ("SUM(amount)", _summed), "filter": ("COUNT(*) FILTER (WHERE paid)", _paid),
    "case": ("SUM(CASE WHEN paid THEN 1 ELSE 0 END)", _paid), "both": ("COUNT(*), COUNT(amount)", _both),
    "signed": ("SUM(180 - day)", _day_signed),
}  # fmt: skip


@examples(20, **PLAIN)
@given(databases(), st.sampled_from(WAYS), st.booleans())
def test_every_way_of_bounding_computes_what_the_rule_says(database: Database, way: str, grouped: bool) -> None:
    """With one key that is public and with none, in ε and in ρ, for rows that are weighted and totals that are scaled."""
    people: dict[Any, dict[Group, Rows]] = defaultdict(lambda: defaultdict(list))
    for row in database.visits:
        if row[0] is not None and (not grouped or row[4] in (0, 1, 2, 3, None)):
            people[row[0]][(row[4],) if grouped else ()].append(row)
    with neighbours.engine(database, visits=BOUNDS[way]) as made:
        for asked, line in ASKED.values():
            text = (
                f"SELECT category, {asked} FROM visits GROUP BY category" if grouped else f"SELECT {asked} FROM visits"
            )
            for rho in (False, True):
                query = priced(made, text, rho=rho)
                lines = {who: {key: line(rows) for key, rows in groups.items()} for who, groups in people.items()}
                wanted = weighted(lines, query.bounds, query.weights)
                table = made.aggregate(query)
                found = {
                    tuple(key): [int(table.columns[c][i]) for c in sorted(table.columns)]
                    for i, key in enumerate(table.keys)
                }
                zero = [0] * len(table.columns)
                for key in {*wanted, *found}:
                    assert found.get(key, zero) == wanted.get(key, zero), (text, rho, query.bounds)


# ---- wrong in six ways, each of which the privacy test sees ----


def _ceiling(self: Weighing, size: str, bits: int) -> str:
    most = self._weights.most(self._bounds.total)
    up = self._dialect.divided(f"{most << bits} + {size} - 1", size)
    return f"CASE WHEN {size} > {most} THEN {up} ELSE {1 << bits} END"


def _only_with_a_value(self: Weighing) -> str:
    return "m0 IS NOT NULL"


def _only_filtered(self: Weighing) -> str:
    return next(each.counts(at) for each, at in self._added if each.where is not None)


def _of_one_cell(self: Measure, bounds: Bounds, *, grouped: bool) -> Moves:
    most = Fraction(self.most(bounds))
    return Moves(most, most**2)


_real_weight = Weighing._weight


def _of_the_group(self: Weighing, size: str, bits: int) -> str:
    return _real_weight(self, "n" if size == "t" else size, bits)


def _size_itself(self: Weighing, size: str, bits: int) -> str:
    return size


def _nearest_cell(self: Weighing, measure: Any, amount: str, weight: str) -> str:
    most, bits = self._bounds.total, self._weights.bits
    near = f"(2 * CAST({amount} AS HUGEINT) * {most << bits} + {weight}) // (2 * {weight})"
    return f"CASE WHEN {weight} > {most} THEN {near} ELSE {amount} * {1 << bits} END"


def _largest_part(self: Weighing, over: str) -> list[str]:
    return [f"max(n){over} * max(n){over} AS t", f"max(n){over} AS h"]


def _shorter_root(self: Any, whole: str) -> str:
    return f"CAST(floor(sqrt({whole})) AS BIGINT)"


_real_length = Weighing._by_length


def _half_as_long(self: Weighing, squares: LengthBound, bits: int) -> str:
    return _real_length(self, squares, bits + 1)


BY_CITY = "SELECT category, COUNT(*), COUNT(DISTINCT user_id) FROM visits GROUP BY category"
WRONG: dict[str, tuple[str, str, list[tuple[Any, str, Any]]]] = {
    "a ceiling": ("rows", "SELECT COUNT(*) FROM visits", [(Weighing, "_weight", _ceiling)]),
    "rows without a value are not counted": (
        "rows", "SELECT COUNT(*), COUNT(amount) FROM visits", [(Weighing, "_rows_that_count", _only_with_a_value)]),
    "rows of the filter, cells of all": (
        "rows", "SELECT COUNT(*), SUM(day) FILTER (WHERE NOT paid) FROM visits",
        [(Weighing, "_rows_that_count", _only_filtered)]),
    "ℓ1 as ℓ∞": ("one row", "SELECT category, COUNT(*) FROM visits GROUP BY category", [(Measure, "moves", _of_one_cell)]),
    "rows of the group": ("rows", BY_CITY, [(Weighing, "_weight", _of_the_group)]),
    "every cell rounded to the nearest": (
        "rows", BY_CITY, [(Weighing, "_weight", _size_itself), (Weighing, "_term", _nearest_cell)]),
}  # fmt: skip
LENGTHS: dict[str, tuple[Any, str, Any]] = {
    "the length of the largest group": (Weighing, "_bounded", _largest_part),
    "a root rounded down": (DuckDB, "root", _shorter_root),
    "twice the length": (Weighing, "_by_length", _half_as_long),
}


@pytest.mark.parametrize("name", LENGTHS)
def test_a_length_that_is_wrong_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In ρ, over groups: seven and eight rows of one person in two groups, and three count."""
    visits = tuple((1, i, i, "a", int(i > 6), 5.0, "x", None, None, True) for i in range(15))
    whole = Database(HEAVY.users, visits, HEAVY.items)
    about: dict[str, Any] = {"visits": BOUNDS["rows"]}
    text = "SELECT category, COUNT(*) FROM visits GROUP BY category"
    with neighbours.engine(whole, **about) as made:
        assert priced(made, text, rho=True).weights.length is not None
        assert priced(made, text).weights.length is None
    assert broken(whole, whole.without(1), [text], **about) == []
    monkeypatch.setattr(*LENGTHS[name])
    assert broken(whole, whole.without(1), [text], **about) != []


def test_a_length_keeps_no_less_of_anybody_than_a_sum() -> None:
    """Four rows in each of four groups, of which three count: 3/4 of a row in each by the sum, 3/2 by the length."""
    visits = tuple((1, i, i, "a", i % 4, 5.0, "x", None, None, True) for i in range(16))
    text = "SELECT category, COUNT(*) FROM visits GROUP BY category"
    with neighbours.engine(Database(HEAVY.users, visits, ()), visits=BOUNDS["rows"]) as made:
        by_sum, by_length = (priced(made, text, rho=rho) for rho in (False, True))
        kept = [float(made.aggregate(each).columns[0][0]) / (1 << each.weights.bits) for each in (by_sum, by_length)]
    assert kept == [pytest.approx(0.75), pytest.approx(1.5)]


def test_who_has_more_in_a_group_than_is_squared_counts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.query.weights._SQUARES", 8)  # bits for squares over five groups
    visits = tuple((1, i, i, "a", 0, 5.0, "x", None, None, True) for i in range(16))
    text = "SELECT category, COUNT(*) FROM visits GROUP BY category"
    with neighbours.engine(Database(HEAVY.users, visits, ()), visits=BOUNDS["rows"]) as made:
        query = priced(made, text, rho=True)
        assert query.weights.length is not None
        assert (query.weights.length.most, query.weights.length.coarse) == (4, 14)
        found = {size: int(made.aggregate(replace(query, weights=replace(query.weights, length=LengthBound(0, size)))).columns[0][0])
                 for size in (16, 17)}  # fmt: skip
    assert found == {16: 0, 17: 3 << query.weights.bits}


@pytest.mark.parametrize(
    "x", [1, 2, 3, 4, 5, 2**52, 2**52 + 1, (2**31 - 1) ** 2, (2**31 - 1) ** 2 + 1, 2**62 - 1, 2**62]
)
def test_a_root_is_exact(x: int) -> None:
    import duckdb

    with duckdb.connect() as made:
        (found,) = made.execute(f"SELECT {DuckDB().root('x')} FROM (SELECT CAST({x} AS BIGINT) AS x)").fetchall()[0]
    assert found == (isqrt(x - 1) + 1)


TEN = tuple((1, i, i, "a", (0, 1, 2, 0, 1, 2, 0, 1, 2, 2)[i], 5.0, "x", None, None, True) for i in range(10))
"""Three, three and four in three groups: three times a third, rounded to the nearest, is more than one."""
HALF_KNOWN = tuple((*row[:5], None if row[1] % 3 else row[5], *row[6:]) for row in HEAVY.visits)


@pytest.mark.parametrize("name", WRONG)
def test_a_weight_that_is_wrong_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bounds, text, changes = WRONG[name]
    visits = TEN if "nearest" in name else HALF_KNOWN[:59] + HALF_KNOWN[60:]
    whole = Database(HEAVY.users, visits, HEAVY.items)
    about: dict[str, Any] = {"visits": BOUNDS[bounds]}
    assert broken(whole, whole.without(1), [text], **about) == []
    for owner, attribute, wrong in changes:
        monkeypatch.setattr(owner, attribute, wrong)
    assert broken(whole, whole.without(1), [text], **about) != []
