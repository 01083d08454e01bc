"""Small hostile databases and their neighbours, and how far one person moves what the engine computes.

What a price assumes is read off the mechanisms that were handed out, not off the planner: the ℓ1 distance is ε times the
scale of the noise, the squared ℓ2 distance is 2σ² times ρ, and a new key may hold one person.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime
from fractions import Fraction
from typing import Any
from unittest import mock

import pyarrow as pa
import pytest
from hypothesis import settings
from hypothesis import strategies as st

from remote_tables import opened_by
from sfumato.data import Dataset, declared
from sfumato.engines import DuckDBEngine, ExactTable
from sfumato.engines.registry import ENGINES
from sfumato.mechanisms import GeometricNoise
from sfumato.mechanisms.box import BoxNoise
from sfumato.mechanisms.discrete_gaussian import DiscreteGaussianNoise
from sfumato.mechanisms.gaussian import GaussianNoise
from sfumato.query import PricedQuery, Spend, plan_question, price
from sfumato.query.bounds import NO_WISH, Wish
from sfumato.query.priced import NoisyCells, SelectedCounts
from sfumato.query.quantiles import PricedQuantile
from sfumato.query.strategies import outlines
from sfumato.query.strategies.keys import KeyedCells

LARGEST = 2**63 - 1
ONLY_ROWS: dict[str, Any] = {"rows_per_person": 3, "rows_per_group": None, "groups_per_person": None}
BOUNDS: dict[str, dict[str, Any]] = {
    "groups": {}, "rows": ONLY_ROWS, "both": {"rows_per_person": 3}, "wide groups": {"rows_per_person": 5, "rows_per_group": 3},
    "one row": {"rows_per_group": 1, "groups_per_person": 3}, "cut": {**ONLY_ROWS, "materialise": True},
    "total": {"rows_per_person": 3, "total": 250},
}  # fmt: skip
"""The ways in which visits are bounded."""
PEOPLE = (1, 2, 3, None, LARGEST)
AMOUNTS = (None, float("nan"), float("inf"), float("-inf"), 0.0, 5.0, 7.25, 199.99, 1e300, -3.0, 150.0)
NOTES = (None, "", "abc", "12", "x", "X", "a much longer note" * 50)
CITIES = (None, "a", "b", "c", "d", "lonely")
DAYS = (None, 0, 1, 2, 180, 364, 2**31 - 1, -(2**31))
DATES = (None, date(2026, 1, 31), date(2026, 2, 1), date(1, 1, 1), date(9999, 12, 31))
MOMENTS = (None, datetime(2026, 1, 31, 10), datetime(2026, 1, 31, 23), datetime(1970, 1, 1))
USERS = {"user_id": pa.int64(), "age": pa.int32(), "city": pa.string(), "income": pa.float64()}
VISITS = {
    "user_id": pa.int64(), "visit_id": pa.int64(), "day": pa.int32(), "city": pa.string(), "category": pa.int32(),
    "amount": pa.float64(), "note": pa.string(), "on_day": pa.date32(), "seen": pa.timestamp("us"), "paid": pa.bool_(),
}  # fmt: skip
ITEMS = {"visit_id": pa.int64(), "price": pa.float64(), "sort": pa.string()}
CITY = {"city": pa.string(), "region": pa.string()}
Row = tuple[Any, ...]


@dataclass(frozen=True)
class Database:
    """Rows by table; cities are public and name some towns twice."""

    users: tuple[Row, ...]
    visits: tuple[Row, ...]
    items: tuple[Row, ...]
    cities: tuple[Row, ...] = (("a", "north"), ("a", "south"), ("b", "north"), ("c", None), ("e", "west"))

    def without(self, person: int) -> "Database":
        """The database without one person: their line, their visits, and the items of visits that are theirs alone."""
        visits = tuple(row for row in self.visits if row[0] != person)
        kept = {row[1] for row in visits if row[0] is not None}
        theirs = {row[1] for row in self.visits if row[0] == person} - kept
        items = tuple(row for row in self.items if row[0] is None or row[0] not in theirs)
        return replace(self, users=tuple(row for row in self.users if row[0] != person), visits=visits, items=items)

    def without_row(self, table: str, at: int) -> "Database":
        """The database without one row."""
        rows: tuple[Row, ...] = getattr(self, table)
        return replace(self, **{table: rows[:at] + rows[at + 1 :]})


def databases() -> st.SearchStrategy[Database]:
    """Databases in which person 1 often has very many rows."""
    person, pick = st.sampled_from(PEOPLE), st.sampled_from
    user = st.tuples(person, pick((None, 18, 40, 90, 300, -5)), pick(CITIES), pick(AMOUNTS))
    rest = (
        st.integers(0, 9), pick(DAYS), pick(CITIES), pick((None, 0, 1, 2, 3, 99, -7)), pick(AMOUNTS), pick(NOTES),
        pick(DATES), pick(MOMENTS), pick((None, True, False)),
    )  # fmt: skip
    visit = st.tuples(person, *rest)
    busy = st.tuples(st.just(1), *rest)
    item = st.tuples(pick((None, *range(11))), pick(AMOUNTS), pick(("k", "l", "m", None)))
    return st.builds(
        lambda users, visits, more, items: Database(tuple(users), (*visits, *more), tuple(items)),
        st.lists(user, max_size=6),
        st.lists(visit, max_size=10),
        st.lists(busy, max_size=25),
        st.lists(item, max_size=15),
    )


def _table(schema: Mapping[str, pa.DataType], rows: Iterable[Row]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [pa.array(list(values), type=kind) for values, kind in zip(columns, schema.values(), strict=True)]
    return pa.table(arrays, names=list(schema))


def declaration(
    database: Database, *, unit: str = "person", visits: Mapping[str, Any] | None = None, copy: bool | None = None
) -> dict[str, Any]:
    """What an owner would declare: each person counts with two rows in each of two groups, or as visits say."""
    bounds = {"rows_per_group": 2, "groups_per_person": 2}
    linked: dict[str, Any] = {"foreign_keys": {"user_id": "users.user_id"}, **bounds, **(visits or {})}
    linked = {name: value for name, value in linked.items() if value is not None}
    total = {"total": linked.pop("total")} if "total" in linked else {}
    return {
        "name": "neighbours",
        "budget": {"epsilon": "1000", "delta": "0.5"},
        "unit": {"person": "users.user_id"} if unit == "person" else {"rows": True},
        "tables": {
            "users": {
                "source": _table(USERS, database.users),
                "columns": {"age": {"lower": 18, "upper": 90}, "income": {"lower": 0, "upper": 200}},
            },
            "visits": {
                "source": _table(VISITS, database.visits),
                **(linked if unit == "person" else {}),
                "columns": {
                    "day": {"lower": 0, "upper": 364},
                    "category": {"values": [0, 1, 2, 3]},
                    "amount": {"lower": 0, "upper": 200, "grid": 0.01, **total},
                },
            },
            "items": {
                "source": _table(ITEMS, database.items),
                **({"foreign_keys": {"visit_id": "visits.visit_id"}, **bounds} if unit == "person" else {}),
                "columns": {"price": {"lower": -10, "upper": 10}},
            },
            "cities": {"source": _table(CITY, database.cities), "public": True},
        },
        **({"engine": {"copy": copy}} if copy is not None else {}),
    }


_ASKED = [ENGINES[0]]
_TRIED, FEWER = "_hypothesis_internal_use_settings", 5
"""How many examples a test tries is said to Hypothesis; where every table is put on a server first, a fifth of them."""


FAST = [entry for entry in ENGINES if entry.name != "spark"]
"""Every engine that answers at once; `test_spark.py` asks Spark the same, several questions at a time."""


@pytest.fixture(scope="module", autouse=True, params=FAST, ids=lambda entry: entry.name)
def over_the_registry(request: pytest.FixtureRequest) -> Iterator[None]:
    """Imported by a module, it runs all of the module's tests over the engines of the registry; servers with less."""
    _ASKED.append(request.param)
    with ExitStack() as stack:
        if request.param is not ENGINES[0]:
            for test in vars(request.module).values():
                tried = getattr(test, _TRIED, None)
                if isinstance(tried, settings):
                    few = settings(tried, max_examples=max(3, tried.max_examples // FEWER))
                    stack.enter_context(mock.patch.object(test, _TRIED, few))
        yield
    _ASKED.pop()


def opened(dataset: Dataset) -> Any:
    """A dataset in the engine that is asked now."""
    return opened_by(_ASKED[-1], dataset)


@contextmanager
def engine(database: Database, *, seed: int = 7, **about: Any) -> Iterator[DuckDBEngine]:
    """An engine over a database whose choice of rows and groups is fixed from outside, as a secret would be."""
    with mock.patch("sfumato.engines.sql.hashing.seed_of", return_value=seed):
        made = opened(declared(declaration(database, **about)))
    try:
        yield made
    finally:
        made.close()


def priced(made: DuckDBEngine, text: str, *, rho: bool = False, wish: Wish = NO_WISH) -> PricedQuery:
    """The question at ε = 1 or ρ = 1."""
    spend = Spend(None if rho else Fraction(1), Fraction(1) if rho else None, Fraction(1, 10**6))
    return price(plan_question(text, made.dataset, made), made.dataset, spend, wish=wish)


@contextmanager
def measured_by(name: str) -> Iterator[None]:
    """Every question is measured by the strategy of this name; by separate columns where it has no use for it."""

    def only(measures: Any, at: Any, *, but: Any) -> list[Any]:
        found = {each.strategy.name: each for each in outlines(measures, at, but=but)}
        return [found.get(name, found["separate"])] if found else []

    with mock.patch("sfumato.query.price.outlines", only):
        yield


def excess(query: PricedQuery, one: ExactTable, other: ExactTable) -> list[str]:
    """Everything by which two exact tables differ more than the price of the question assumes; empty is private."""
    found: list[str] = []
    for each in query.priced:
        match each:
            case PricedQuantile(columns=(place,)):
                found += _quantile_excess(query, each, _values(one, place), _values(other, place))
            case KeyedCells():
                found += _keyed_excess(each, one, other)
            case NoisyCells():
                found += noise_excess(each, _cells(each, one), _cells(each, other))
            case SelectedCounts():
                pass  # the keys are looked at below
    return found + _key_excess(query, one, other)


def noise_excess(each: NoisyCells, one: dict[Any, list[int]], other: dict[Any, list[int]]) -> list[str]:
    """What the noise handed out hides, against what moved: in ℓ1, in ℓ∞ of every group added up, or in ℓ2."""
    nothing = [0] * each.size
    moves = [
        [a - b for a, b in zip(one.get(key, nothing), other.get(key, nothing), strict=True)] for key in {**one, **other}
    ]
    noise, event = each.noise, each.event
    match noise:
        case GeometricNoise():
            moved, most = sum(abs(move) for group in moves for move in group), event.pure() * noise.scale  # type: ignore[operator]
        case BoxNoise():
            moved, most = sum(max(map(abs, group)) for group in moves), event.pure() * noise.scale  # type: ignore[operator]
        case DiscreteGaussianNoise() | GaussianNoise():
            moved, most = sum(move * move for group in moves for move in group), 2 * event.zcdp() * noise.sigma**2  # type: ignore[operator]
        case _:
            raise TypeError(type(noise))
    return [f"{each.strategy} of {each.columns}: {moved} > {most}"] if moved > most else []


def _cells(each: NoisyCells, table: ExactTable) -> dict[Any, list[int]]:
    columns = [table.columns[place] for place in each.columns]
    return {key: each.of([int(column[i]) for column in columns]) for i, key in enumerate(table.keys)}


def _keyed_excess(each: KeyedCells, one: ExactTable, other: ExactTable) -> list[str]:
    """A person adds to each of so many groups cells that are not negative and add up to one and the same."""
    first, second, nothing = _with_people(each, one), _with_people(each, other), [0] * each.size
    moved = {
        key: [a - b for a, b in zip(first.get(key, nothing), second.get(key, nothing), strict=True)]
        for key in {**first, **second}
    }
    moves = [[abs(move) for move in cells] for cells in moved.values() if any(cells)]
    mixed = [cells for cells in moved.values() if min(cells) < 0 < max(cells)]
    uneven = [cells for cells in moves if sum(cells) != each.selection.whole]
    found = [f"{each.strategy}: {name} {cells}" for name, cells in (("mixed", mixed), ("uneven", uneven)) if cells]
    if len(moves) > each.selection.keys_per_person:
        found.append(f"{each.strategy}: {len(moves)} groups moved")
    return found


def _with_people(each: KeyedCells, table: ExactTable) -> dict[Any, list[int]]:
    people = _people(table)
    columns = [table.columns[place] for place in each.columns[:-1]]
    return {
        key: each.of([*(int(column[i]) for column in columns), people[key] << each.bits])
        for i, key in enumerate(table.keys)
    }


def _quantile_excess(query: PricedQuery, each: Any, one: Counter[Any], other: Counter[Any]) -> list[str]:
    rows: Counter[Any] = Counter()
    for (key, value), count in _difference(one, other).items():
        rows[key] += abs(count)
        del value
    epsilons = [mechanism.epsilon for mechanism in each.quantiles]
    if query.spend.epsilon is not None:
        lost = sum(rows.values()) * sum(epsilons)
        return [f"quantile: ε {lost} > {each.event.pure()}"] if lost > each.event.pure() else []
    lost = sum((count * epsilon) ** 2 for count in rows.values() for epsilon in epsilons) / 8
    return [f"quantile: ρ {lost} > {each.event.zcdp()}"] if lost > each.event.zcdp() else []


def _key_excess(query: PricedQuery, one: ExactTable, other: ExactTable) -> list[str]:
    if query.keys is None:
        return []
    moves = _moves(_people(one), _people(other))
    found = [f"keys: a key moved by {move}" for move in moves if abs(move) > 1]
    if len(moves) > query.keys.keys_per_person:
        found.append(f"keys: {len(moves)} keys moved, {query.keys.keys_per_person} may")
    return found


def _moves(one: dict[Any, int], other: dict[Any, int]) -> list[int]:
    return [move for key in {**one, **other} if (move := one.get(key, 0) - other.get(key, 0))]


def _difference(one: Counter[Any], other: Counter[Any]) -> dict[Any, int]:
    return {key: one[key] - other[key] for key in {**one, **other} if one[key] != other[key]}


def _people(table: ExactTable) -> dict[Any, int]:
    assert table.people is not None
    return {key: int(value) for key, value in zip(table.keys, table.people, strict=True)}


def _values(table: ExactTable, at: int) -> Counter[Any]:
    found: Counter[Any] = Counter()
    for key, (values, counts) in table.values[at].items():
        for value, count in zip(values.tolist(), counts.tolist(), strict=True):
            found[key, value] += count
    return found
