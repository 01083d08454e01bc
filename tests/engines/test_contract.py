"""One contract over every engine: equal integers, one order of contributions, and nothing but what was priced."""

import math
import pickle
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import Any
from unittest import mock

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import neighbours
from contribution_order import order_of
from engines.test_one_person_moves_little import HEAVY, questions
from neighbours import AMOUNTS, FAST, ONLY_ROWS, Database, databases, declaration, excess, priced
from property_profile import examples
from remote_tables import PLACES, closing, opened_by
from sfumato.accounting import events
from sfumato.data import Kind, declared
from sfumato.engines import DuckDBEngine, Engine, ExactTable
from sfumato.engines.duckdb.dialect import DUCKDB
from sfumato.engines.registry import ENGINES
from sfumato.engines.sql import hashing
from sfumato.engines.sql.dialect import Dialect
from sfumato.engines.sql.fetched import whole_numbers
from sfumato.engines.sql.hashing import Hashed, in_order
from sfumato.errors import InvalidQuestion
from sfumato.query import PricedQuery, Spend
from sfumato.query.workload import workload
from sqlite_engine import Sqlite, SqliteEngine, supports

pytestmark = pytest.mark.slow

PLAIN: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck)}
TEXTS = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\x00"), max_size=8)  # type: ignore[arg-type]


_SECOND = ["sqlite"]


@pytest.fixture(scope="module", params=["sqlite", *(entry.name for entry in FAST[1:])])
def second(request: pytest.FixtureRequest) -> Iterator[None]:
    """The engine beside DuckDB: SQLite, which the tests have written, and every one of the registry that is quick."""
    _SECOND.append(request.param)
    yield
    _SECOND.pop()


def supported(query: PricedQuery) -> bool:
    """Whether the second engine computes this; those of the registry compute everything."""
    return _SECOND[-1] != "sqlite" or supports(query)


def plain(database: Database) -> Database:
    """Without NaN, which SQLite does not have, and without infinities, which its sums turn into NULL."""
    if _SECOND[-1] != "sqlite":
        return database

    def known(value: Any) -> Any:
        return None if isinstance(value, float) and not math.isfinite(value) else value

    return replace(
        database, **{name: tuple(tuple(map(known, row)) for row in getattr(database, name))
                     for name in ("users", "visits", "items")}
    )  # fmt: skip


@contextmanager
def both(database: Database, seed: int = 7, **about: Any) -> Iterator[tuple[DuckDBEngine, Any]]:
    """The same data in DuckDB and in the second engine, with the same seed."""
    with ExitStack() as stack:
        stack.enter_context(mock.patch("sfumato.engines.sql.hashing.seed_of", return_value=seed))
        dataset = declared(declaration(database, **about))
        entry = next((each for each in ENGINES if each.name == _SECOND[-1]), None)
        other = SqliteEngine(dataset) if entry is None else opened_by(entry, dataset)
        yield (
            stack.enter_context(neighbours.engine(database, seed=seed, **about)),
            stack.enter_context(closing(other)),
        )


def shown(table: ExactTable) -> dict[Any, Any]:
    """Everything in a table, whatever its order."""
    people = [None] * len(table.keys) if table.people is None else [int(each) for each in table.people]
    lines = {
        key: (people[i], *(int(column[i]) for _, column in sorted(table.columns.items())))
        for i, key in enumerate(table.keys)
    }
    values = {
        (start, key): dict(zip(map(int, steps), map(int, counts), strict=True))
        for start, groups in table.values.items()
        for key, (steps, counts) in groups.items()
        if len(steps)
    }
    return {**lines, **values}


# ---- equal integers -----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("second")
@examples(15, **PLAIN)
@given(databases(), st.lists(questions(), min_size=4, max_size=8), st.integers(0, 3), st.sampled_from((None, 3)))
def test_two_engines_give_the_same_integers(database: Database, asked: list[str], seed: int, cut: int | None) -> None:
    """Bounded by weights, by groups and by values chosen: the choice is part of what must be equal."""
    about = {} if cut is None else {"visits": {**ONLY_ROWS, "rows_per_person": cut, "materialise": True}}
    with both(plain(database), seed, **about) as (one, other):
        for text in asked:
            try:
                query = priced(one, text)
            except InvalidQuestion:
                continue
            if supported(query):
                assert shown(one.aggregate(query)) == shown(other.aggregate(query)), text


GROUPED = (
    "SELECT city, COUNT(*), SUM(amount) FROM visits GROUP BY city",
    "SELECT note, COUNT(*) FROM visits GROUP BY note",
    "SELECT city, AVG(amount), COUNT(*) FROM visits GROUP BY city",
    "SELECT visit_id, COUNT(DISTINCT note) FROM visits GROUP BY visit_id",
    "SELECT note, MEDIAN(amount), QUANTILE(day, 0.9) FROM visits GROUP BY note",
)


@pytest.mark.usefixtures("second")
@pytest.mark.parametrize("text", GROUPED)
def test_they_are_asked_about_choices_that_matter(text: str) -> None:
    """The power of the test above: with another order in one of the two, it sees a difference."""
    database = plain(HEAVY)
    for seed in (7, 1, 2**59):
        with both(database, seed) as (one, other):
            query = priced(one, text)
            assert supported(query)
            assert shown(one.aggregate(query)) == shown(other.aggregate(query))
    answers = set()
    for seed in range(12):
        with neighbours.engine(database, seed=seed) as made:
            answers.add(repr(sorted(shown(made.aggregate(priced(made, text))).items(), key=repr)))
    assert len(answers) > 1  # else nothing is left out, and nothing is chosen


WORDS = st.one_of(TEXTS, st.sampled_from(
    (None, "", " ", "a", "a ", "a  ", " a", "A", "á", "a\u0301", "Z", "z", "ß", "ss", "İ", "i", "ﬁ", "𝔘", "\ufffd", "\uffff", "~", "10", "9", "2020-01-01"),
))  # fmt: skip
MOMENTS_OF_ALL_TIMES = st.one_of(st.none(), st.datetimes())
ABOUT_WORDS = (
    "SELECT note, COUNT(*), COUNT(DISTINCT city) FROM visits GROUP BY note",
    "SELECT COUNT(*) FILTER (WHERE note < {0}), COUNT(*) FILTER (WHERE note >= {0}), COUNT(*) FILTER (WHERE note = {1}) FROM visits",
    "SELECT COUNT(*) FROM visits WHERE note BETWEEN {0} AND {1} OR city > note OR city || ' ' <= note",
    "SELECT COUNT(*) FROM (SELECT user_id, MAX(note) AS m, MIN(city) AS c FROM visits GROUP BY user_id) t WHERE m >= {0} OR c < {1}",
    "SELECT UPPER(note), LENGTH(TRIM(note)), COUNT(*) FROM visits GROUP BY 1, 2",
    "SELECT COUNT(DISTINCT note), COUNT(DISTINCT LOWER(note)), COUNT(*) FILTER (WHERE note LIKE '%a%') FROM visits",
    "SELECT COUNT(*) FILTER (WHERE seen > on_day), COUNT(*) FILTER (WHERE CAST(note AS DATE) <= on_day) FROM visits",
    "SELECT DATE_TRUNC('week', seen), EXTRACT(dow FROM on_day), EXTRACT(week FROM seen), COUNT(*) FROM visits GROUP BY 1, 2, 3",
    "SELECT on_day, seen, COUNT(*) FROM visits GROUP BY 1, 2",
)


@examples(12, **PLAIN)
@given(st.lists(st.tuples(st.sampled_from((1, 2, 3, None)), WORDS, WORDS, st.one_of(st.none(), st.dates()), MOMENTS_OF_ALL_TIMES), max_size=25),
       WORDS, WORDS)  # fmt: skip
def test_words_and_days_are_in_one_order_everywhere(
    second_of_the_registry: None, rows: list[Any], one_word: str | None, other_word: str | None
) -> None:
    """Texts with what no locale agrees on, blanks at their ends, nothing at all; days and moments of every year."""
    visits = tuple((p, i, 3, city, 1, 5.0, note, day, seen, True) for i, (p, note, city, day, seen) in enumerate(rows))
    quoted = ["'" + (word or "").replace("'", "''") + "'" for word in (one_word, other_word)]
    with both(Database((), visits, ())) as (one, other):
        for form in ABOUT_WORDS:
            try:
                query = priced(one, form.format(*quoted))
            except InvalidQuestion:
                continue
            assert shown(one.aggregate(query)) == shown(other.aggregate(query)), form


@pytest.fixture(scope="module", params=[entry.name for entry in FAST[1:]])
def second_of_the_registry(request: pytest.FixtureRequest) -> Iterator[None]:
    _SECOND.append(request.param)
    yield
    _SECOND.pop()


@examples(10, **PLAIN)
@given(databases(), st.sampled_from((1, 2)), st.lists(questions(), min_size=3, max_size=6))
def test_one_person_moves_little_in_the_second_engine_too(database: Database, person: int, asked: list[str]) -> None:
    whole = plain(database)
    with both(whole) as (_, here), both(whole.without(person)) as (_, there):
        for text in asked:
            try:
                query = priced(here, text)
            except InvalidQuestion:
                continue
            if supported(query):
                assert excess(query, here.aggregate(query), there.aggregate(query)) == [], text


# ---- the order of contributions ---------------------------------------------------------------------------------

VALUES: dict[Kind, st.SearchStrategy[Any]] = {
    Kind.INTEGER: st.one_of(st.integers(-(2**63), 2**63 - 1), st.sampled_from((0, 1, -1, 2**31 - 1, 2**31, -(2**31)))),
    Kind.REAL: st.one_of(st.sampled_from([x for x in AMOUNTS if x is not None]), st.floats(allow_nan=False)),
    Kind.TEXT: TEXTS,
    Kind.BOOLEAN: st.booleans(),
    Kind.DATE: st.dates(),
    Kind.TIMESTAMP: st.datetimes(),
}


def orders(
    dialect: Dialect, connection: Any, columns: list[Hashed], rows: list[tuple[Any, ...]], seed: int
) -> list[int]:
    names = ", ".join(["i", *(column.sql for column in columns)])
    places = ", ".join("?" for _ in range(1 + len(columns)))
    typed = ", ".join(["i INTEGER", *(f"{column.sql} {dialect.type_of(column.kind)}" for column in columns)])
    connection.execute("DROP TABLE IF EXISTS cells")
    connection.execute(f"CREATE TABLE cells ({typed})")
    connection.executemany(f"INSERT INTO cells ({names}) VALUES ({places})", [(i, *row) for i, row in enumerate(rows)])
    text = in_order("SELECT * FROM cells", columns, seed, dialect)
    return [found[0] for found in connection.execute(f"SELECT g FROM ({text}) t ORDER BY i").fetchall()]


@examples(30, **PLAIN)
@given(st.data(), st.integers(0, 2**60))
def test_the_hash_is_the_same_number_on_every_engine(data: st.DataObject, seed: int) -> None:
    kinds = data.draw(st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=5))
    columns = [Hashed(f"x{i}", kind, data.draw(st.sampled_from((None, Fraction(1, 100), Fraction(1, 3)))))
               for i, kind in enumerate(kinds)]  # fmt: skip
    cell = [st.one_of(st.none(), VALUES[kind]) for kind in kinds]
    rows = data.draw(st.lists(st.tuples(*cell), min_size=1, max_size=12))
    wanted = [order_of(row, columns, seed) for row in rows]
    assert all(0 <= each < 2**31 for each in wanted)
    with duckdb.connect() as connection:
        assert orders(DUCKDB, connection, columns, rows, seed) == wanted
    if set(kinds) <= {Kind.INTEGER, Kind.TEXT, Kind.BOOLEAN, Kind.REAL}:
        with closing(SqliteEngine(declared(declaration(Database((), (), ()))))) as made:
            assert orders(Sqlite(), made._connection, columns, rows, seed) == wanted


def test_no_group_of_a_person_is_favoured() -> None:
    """Exact counts on fixed people: each of six groups is chosen of one sixth, within five deviations, for any seed."""
    columns = [Hashed("k", Kind.INTEGER), Hashed("p", Kind.INTEGER)]
    people, groups = 3000, 6
    for seed in range(8):
        for step in (1, 7, 2**31 - 1 + 2, 10**6):
            chosen = [0] * groups
            for person in range(people):
                first = min(range(groups), key=lambda k: order_of((k * step, person), columns, seed))
                chosen[first] += 1
            deviation = math.sqrt(people * 5) / groups
            assert all(abs(each - people / groups) < 5 * deviation for each in chosen), (seed, step, chosen)


def test_a_sum_alone_would_favour_some(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin: without its last steps the hash is linear, and the order of groups is the same but for a turn."""
    monkeypatch.setattr(hashing, "_FIRST", 1)
    monkeypatch.setattr(hashing, "_SECOND", 1)
    with pytest.raises(AssertionError):
        test_no_group_of_a_person_is_favoured()


# ---- nothing is lost on the way back ------------------------------------------------------------------------------


def test_integers_never_pass_through_doubles_on_their_way_back() -> None:
    for whole in (2**53 + 1, -(2**53) - 1, 2**63 - 1, 10**30 + 1):
        assert whole_numbers([whole]).tolist() == [whole] == whole_numbers([str(whole)]).tolist()
    for rounded in ([float(2**53 + 1)], [1.0]):
        with pytest.raises(TypeError, match="double"):
            whole_numbers(rounded)
    visits = tuple((1, i, 1, "a", 1, 199.99, "n", None, None, True) for i in range(3))
    keyed = replace(HEAVY, visits=tuple((row[0], 2**53 + 1 + i, *row[2:]) for i, row in enumerate(visits)))
    with neighbours.engine(keyed, visits={"groups_per_person": 3}) as made:
        keys = made.aggregate(priced(made, "SELECT visit_id, COUNT(*) FROM visits GROUP BY visit_id")).keys
    assert sorted(key[0] for key in keys) == [2**53 + 1, 2**53 + 2, 2**53 + 3]


# ---- workloads ------------------------------------------------------------------------------------------------------

CELLS = "SELECT category, paid, day, COUNT(*) FROM visits WHERE amount > 5 GROUP BY category, paid, day"
SPENT = Spend(Fraction(1), None, Fraction(0))


def counted(engine: Any, planned: Any) -> list[Any]:
    """The exact counts of every marginal; whose event pays for them is not looked at here."""
    return [table.astype(object) for table in engine.contingency(planned.at(events.Pure(1))).tables]


@pytest.mark.usefixtures("second")
@examples(10, **PLAIN)
@given(databases(), st.sampled_from((1, 2)), st.sampled_from((None, 4)))
def test_the_cells_of_a_workload_are_equal_and_move_little(database: Database, person: int, cut: int | None) -> None:
    whole, about = (
        plain(database),
        {} if cut is None else {"visits": {**ONLY_ROWS, "rows_per_person": cut, "materialise": True}},
    )
    with both(whole, **about) as (one, other), both(whole.without(person), **about) as (there, _):  # type: ignore[arg-type]
        planned = workload(CELLS, one.dataset, one, [(), (0,), (0, 1), (2,), (0, 1, 2)], SPENT)
        tables = [counted(each, planned) for each in (one, other, there)]
        for mine, theirs, without in zip(*tables, strict=True):
            assert np.array_equal(mine, theirs)
            assert np.abs(np.asarray(mine - without)).sum() <= planned.moved


@examples(10, **PLAIN)
@given(databases())
def test_every_marginal_is_what_the_whole_table_adds_up_to(database: Database) -> None:
    with both(plain(database)) as (one, other):
        planned = workload(CELLS, one.dataset, one, [(), (1,), (0, 2), (0, 1, 2)], SPENT)
        for each in (one, other):
            total, paid, pair, whole = counted(each, planned)
            assert total == whole.sum()
            assert (paid == whole.sum(axis=(0, 2))).all()
            assert (pair == whole.sum(axis=1)).all()


def test_a_missing_value_is_told_from_an_attribute_that_is_not_grouped_by() -> None:
    rows = ((1, 1, 1, "a", None, 9.0, "n", None, None, None), (2, 2, 1, "a", 1, 9.0, "n", None, None, True))
    with neighbours.engine(replace(HEAVY, visits=rows)) as made:
        planned = workload(CELLS, made.dataset, made, [(0,), (1,), ()], SPENT)
        category, paid, total = counted(made, planned)
    whole = planned.weights.whole
    places = [values.index(None) for values in planned.attributes[:2]]
    assert (category[places[0]], category.sum()) == (whole, 2 * whole)
    assert (paid[places[1]], paid.sum(), total) == (whole, 2 * whole, 2 * whole)


def test_cells_are_places_in_the_lists_of_public_values() -> None:
    with neighbours.engine(HEAVY) as made:
        planned = workload(CELLS, made.dataset, made, [(0,), (1, 2)], SPENT)
        assert [len(values) for values in planned.attributes] == [5, 3, 366]  # NULL is a value of each
        assert [table.shape for table in counted(made, planned)] == [(5,), (3, 366)]


def test_one_cell_of_a_marginal_may_gather_all_rows_of_a_person() -> None:
    """The broken twin in ℓ2: priced by what may be in one group of all attributes, the move would be half as far."""
    rows = tuple((1, i, i, "a", 1, 9.0, "n", None, None, True) for i in range(2) for _ in range(2))
    with neighbours.engine(replace(HEAVY, visits=rows)) as made, neighbours.engine(replace(HEAVY, visits=())) as there:
        planned = workload(CELLS, made.dataset, made, [(0,)], Spend(None, Fraction(1), Fraction(0)))
        (mine,), (theirs,) = counted(made, planned), counted(there, planned)
    assert not theirs.any()
    assert mine.max() == planned.moved == 4 * planned.weights.whole
    assert mine.max() > 2 * planned.weights.whole


def test_exact_cells_show_nothing_and_are_written_nowhere() -> None:
    with neighbours.engine(HEAVY) as made:
        table = made.contingency(workload(CELLS, made.dataset, made, [(0,)], SPENT).at(events.Pure(1)))
    assert repr(table) == "ExactCells(…)"
    with pytest.raises(TypeError, match="not written"):
        pickle.dumps(table)


@pytest.mark.parametrize(("text", "marginals", "match"), [
    ("SELECT note, COUNT(*) FROM visits GROUP BY note", [(0,)], "public values"),
    ("SELECT COUNT(*) FROM visits", [()], "public values"),
    ("SELECT category, SUM(amount) FROM visits GROUP BY category", [(0,)], "counts rows"),
    ("SELECT category, COUNT(*) FROM visits GROUP BY category HAVING COUNT(*) > 2", [(0,)], "HAVING"),
    ("SELECT category, 5 * COUNT(*) FROM visits GROUP BY category", [(0,)], "arithmetic"),
    ("SELECT category, COUNT(*) FROM visits GROUP BY category LIMIT 1", [(0,)], "LIMIT"),
    ("SELECT category, COUNT(*) FROM visits GROUP BY category", [], "marginals"),
    ("SELECT category, COUNT(*) FROM visits GROUP BY category", [(1,)], "from 0 to 0"),
])  # fmt: skip
def test_what_is_no_workload_is_refused(text: str, marginals: list[tuple[int, ...]], match: str) -> None:
    with neighbours.engine(HEAVY) as made, pytest.raises(InvalidQuestion, match=match) as refused:
        workload(text, made.dataset, made, marginals, SPENT)
    assert refused.value.hint


def test_public_values_in_another_order_are_another_workload() -> None:
    """Cells are places in the lists: a stored answer must not be served for other lists."""
    made = []
    for values in ([0, 1, 2, 3], [3, 2, 1, 0]):
        about = declaration(HEAVY)
        about["tables"]["visits"]["columns"]["category"]["values"] = values
        engine = neighbours.opened(declared(about))
        made.append(workload(CELLS, engine.dataset, engine, [(0,)], SPENT).at(events.Pure(1)).canonical())
        engine.close()
    assert made[0] != made[1]


# ---- the registry ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", ENGINES, ids=lambda entry: entry.name)
def test_an_engine_of_the_registry_keeps_the_protocol(entry: Any) -> None:
    module = entry.load()
    dataset = declared(declaration(HEAVY))
    if entry.name in PLACES:
        dataset = PLACES[entry.name]().placed(dataset)
    schemas, typed = module.described(dataset)
    assert set(schemas) == {table.name for table in dataset.tables}
    made: Engine = module.open(dataset)
    try:
        assert made.dataset.name == typed.dataset.name == "neighbours"
        for table in dataset.tables:
            assert [name for name, _ in made.schema(table.name)] == [column.name for column in schemas[table.name]]
        assert made.values("cities", "city") == ("a", "b", "c", "e")
        assert made.repeats("cities", ("city",)) == 2
        assert made.keys()["users.user_id"] == "integer"
        assert made.version() == made.version() != ""
        assert made.digest() == made.digest() != ""
        assert entry.name in PLACES or made.version() == made.digest()  # what stays where it is is named there
        assert repr(made.aggregate(priced(made, "SELECT COUNT(*) FROM visits"))) == "ExactTable(…)"  # type: ignore[arg-type]
    finally:
        made.close()
