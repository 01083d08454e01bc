"""The privacy test: whatever the data and the question, one person moves the exact table by no more than was priced."""

import sys
from dataclasses import replace
from datetime import datetime
from math import nan
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from neighbours import BOUNDS, LARGEST, Database, databases, engine, excess, opened, over_the_registry, priced  # noqa: F401
from property_profile import examples
from sfumato.errors import InvalidQuestion
from sfumato.query import price
from sfumato.query.measures import Sum
from sfumato.query.price import PricedQuery, Wish

pytestmark = pytest.mark.slow

AGGREGATES = (
    "COUNT(*)", "COUNT(amount)", "COUNT(*), AVG(amount)", "COUNT(*), COUNT(amount), SUM(amount)",
    "COUNT(DISTINCT user_id)", "COUNT(DISTINCT category)", "COUNT(DISTINCT note)", "COUNT(DISTINCT amount)",
    "SUM(amount)", "SUM(amount) FILTER (WHERE paid)", "COUNT(*) FILTER (WHERE amount > 5), AVG(amount)",
    "AVG(amount) FILTER (WHERE day < 100), COUNT(*) FILTER (WHERE day < 100)", "VARIANCE(amount), STDDEV(day)",
    "SUM(amount * 2 + day)", "SUM(-amount)", "SUM(CASE WHEN paid THEN amount ELSE 0 END)", "SUM(amount / (day + 1))",
    "MEDIAN(amount)", "QUANTILE(day, 0.9), MIN(amount)", "MAX(amount) FILTER (WHERE paid)", "AVG(SQRT(amount))",
    "SUM(POW(amount, 3))", "SUM(LEAST(GREATEST(CAST(note AS INTEGER), -5), 5))", "SUM(amount * amount * 1000000)",
    "COUNT(DISTINCT day) FILTER (WHERE paid), SUM(day)",
)  # fmt: skip
KEYS = (
    "", "category", "city", "note", "paid", "on_day", "seen", "day % 3", "amount", "category, paid", "category, city",
    "CASE WHEN amount > 5 THEN 'big' ELSE 'small' END", "EXTRACT(month FROM on_day)", "DATE_TRUNC('month', seen)",
    "LENGTH(note)", "UPPER(note)", "visit_id",
)  # fmt: skip
SOURCES = (
    "visits",
    "visits WHERE day < 100 AND (note IS NULL OR note LIKE '%a%')",
    "(SELECT * FROM visits WHERE amount > 5) t",
    "(SELECT * FROM visits UNION ALL SELECT * FROM visits WHERE paid) t",
    "(SELECT v.*, u.age, c.region FROM visits v JOIN users u ON v.user_id = u.user_id"
    " JOIN cities c ON v.city = c.city) t",
    "(SELECT v.* FROM visits v JOIN cities c USING (city)) t",
    "(SELECT v.* FROM visits v LEFT JOIN cities c ON v.city = c.city) t",
    "(SELECT v.* FROM cities c JOIN visits v ON v.city = c.city) t",
    "(SELECT visits.* FROM visits JOIN items ON items.visit_id = visits.visit_id) t",
    "(SELECT v.* FROM visits v JOIN (SELECT user_id, COUNT(*) AS n FROM visits GROUP BY user_id) p"
    " ON v.user_id = p.user_id WHERE p.n > 1) t",
)
WHOLE = (
    "SELECT COUNT(*), SUM(age), AVG(income) FROM users",
    "SELECT city, COUNT(*), MEDIAN(income) FROM users GROUP BY city",
    "SELECT age, COUNT(*) FROM users GROUP BY age",
    "SELECT u.city, COUNT(*), SUM(v.amount) FROM visits v JOIN users u ON v.user_id = u.user_id GROUP BY u.city",
    "SELECT u.city, v.category, COUNT(*) FROM visits v LEFT JOIN users u USING (user_id) GROUP BY u.city, v.category",
    "SELECT c.region, SUM(v.amount) FROM visits v JOIN cities c ON v.city = c.city GROUP BY c.region",
    "SELECT COUNT(*), SUM(price) FROM items",
    "SELECT sort, COUNT(*), SUM(price), MEDIAN(price) FROM items GROUP BY sort",
    "SELECT i.sort, COUNT(*), SUM(v.amount) FROM items i JOIN visits v ON i.visit_id = v.visit_id GROUP BY i.sort",
    "SELECT AVG(s), COUNT(*) FROM (SELECT user_id, SUM(amount) AS s FROM visits GROUP BY user_id) t",
    "SELECT n, COUNT(*) FROM (SELECT user_id, COUNT(*) AS n FROM visits GROUP BY user_id) t GROUP BY n",
    "SELECT m, COUNT(*), SUM(s) FROM (SELECT user_id, MAX(note) AS m, MIN(day) AS s FROM visits GROUP BY user_id"
    " HAVING COUNT(*) > 1) t GROUP BY m",
    "SELECT city, SUM(n), COUNT(*) FROM (SELECT user_id, city, COUNT(DISTINCT day) AS n FROM visits"
    " GROUP BY user_id, city) t GROUP BY city",
    "SELECT SUM(a), MEDIAN(b) FROM (SELECT user_id, AVG(amount) AS a, SUM(day) FILTER (WHERE paid) AS b FROM visits"
    " GROUP BY 1) t",
    "SELECT COUNT(*), SUM(x) FROM (SELECT user_id, age AS x FROM users UNION ALL SELECT user_id, day FROM visits) t",
    "WITH a AS (SELECT user_id AS who, visit_id AS user_id, amount FROM visits) SELECT COUNT(*), SUM(amount) FROM a",
    "WITH a AS (SELECT user_id, city FROM visits), b AS (SELECT * FROM a UNION ALL SELECT * FROM a)"
    " SELECT city, COUNT(*), COUNT(DISTINCT user_id) FROM b GROUP BY city",
)  # fmt: skip
PLAIN: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck)}


@st.composite
def questions(draw: st.DrawFn) -> str:
    """A question put together of aggregates, keys and sources, or one of the whole ones."""
    if draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from(WHOLE))
    key, source = draw(st.sampled_from(KEYS)), draw(st.sampled_from(SOURCES))
    shown, grouped = (f"{key}, ", f" GROUP BY {key}") if key else ("", "")
    return f"SELECT {shown}{draw(st.sampled_from(AGGREGATES))} FROM {source}{grouped}"


def broken(
    one: Database, other: Database, asked: list[str], loosen: Any = None, seeds: Any = (7, 7), **about: Any
) -> list[str]:
    """What moved too far between two databases, for each question in both currencies."""
    found: list[str] = []
    theirs = about.pop("theirs", about)
    with engine(one, seed=seeds[0], **theirs) as here, engine(other, seed=seeds[1], **theirs) as there, \
            engine(one, **about) as honest:  # fmt: skip
        for text in asked:
            for rho in (False, True):
                try:
                    query = priced(honest, text, rho=rho)
                except InvalidQuestion:  # what the planner refuses is not computed at all
                    continue
                run = query if loosen is None else loosen(query)
                found += [f"{text}: {each}" for each in excess(query, here.aggregate(run), there.aggregate(run))]
    return found


@examples(40, **PLAIN)
@given(
    databases(),
    st.sampled_from((1, 2, LARGEST)),
    st.lists(questions(), min_size=3, max_size=5),
    st.sampled_from(sorted(BOUNDS)),
)
def test_a_person_moves_every_measure_by_no_more_than_its_price_assumes(
    database: Database, person: int, asked: list[str], bounds: str
) -> None:
    assert broken(database, database.without(person), asked, visits=BOUNDS[bounds]) == []


@examples(10, **PLAIN)
@given(databases(), st.sampled_from((1, 2, LARGEST)), st.lists(questions(), min_size=3, max_size=5))
def test_a_person_moves_no_more_in_a_table_that_was_cut_at_registration(
    database: Database, person: int, asked: list[str]
) -> None:
    assert broken(database, database.without(person), asked, visits=BOUNDS["cut"]) == []


@examples(10, **PLAIN)
@given(databases(), st.data(), st.lists(questions(), min_size=3, max_size=5))
@example(Database((), ((1, 1, 1, "a", 1, 5.0, "x", None, None, True),), ()), None,
         ["SELECT note, COUNT(*) FROM (SELECT * FROM visits UNION ALL SELECT * FROM visits) t GROUP BY note",
          "SELECT v.note, COUNT(*) FROM visits v JOIN cities c ON v.city = c.city GROUP BY v.note"])  # fmt: skip
def test_where_rows_are_protected_a_row_moves_no_more_than_its_price_assumes(
    database: Database, data: st.DataObject | None, asked: list[str]
) -> None:
    tables = [(table, len(getattr(database, table))) for table in ("users", "visits", "items")]
    table, size = (
        tables[1] if data is None else data.draw(st.sampled_from([each for each in tables if each[1]] or tables))
    )
    if size:
        at = 0 if data is None else data.draw(st.integers(0, size - 1))
        assert broken(database, database.without_row(table, at), asked, unit="rows") == []


# ---- each bound left out, and the test that sees it ----

HEAVY = Database(
    users=((1, 40, "a", 5.0), (1, 50, "b", 5.0), (2, 30, "a", 5.0)),
    visits=(
        *((1, i, i % 365, "abcd"[i % 4], i % 4, 199.99, f"n{i % 9}", None, None, True) for i in range(60)),
        *((2, 70 + i, i, "a", i % 4, 7.0, "x", None, None, False) for i in range(8)),
    ),
    items=tuple((i, 9.0, "klm"[i % 3]) for i in range(40)),
)


def _bounds(query: PricedQuery, **changes: Any) -> PricedQuery:
    return replace(query, bounds=replace(query.bounds, **changes))


def _unclipped(query: PricedQuery) -> PricedQuery:
    wide = [replace(m, low=-(10**12), high=10**12) if isinstance(m, Sum) else m for m in query.measures.measures]
    return replace(query, measures=replace(query.measures, measures=tuple(wide)))


FAR = 10**5
BROKEN: dict[str, tuple[str, str, Any]] = {
    "no limit of rows in a count": ("groups", "SELECT COUNT(*) FROM visits", lambda q: _bounds(q, total=FAR)),
    "no limit of rows in a sum": ("groups", "SELECT SUM(amount) FROM visits", lambda q: _bounds(q, total=FAR)),
    "no limit of rows in an average": (
        "rows", "SELECT COUNT(*), AVG(amount) FROM visits", lambda q: _bounds(q, total=FAR)),
    "no limit of rows in a median": ("rows", "SELECT MEDIAN(amount) FROM visits", lambda q: _bounds(q, total=FAR)),
    "no limit of different values": (
        "rows", "SELECT COUNT(DISTINCT note) FROM visits", lambda q: _bounds(q, total=FAR)),
    "no limit in groups that are public": (
        "rows", "SELECT category, COUNT(*) FROM visits GROUP BY category", lambda q: _bounds(q, total=FAR)),
    "no limit of groups that are not public": (
        "groups", "SELECT note, COUNT(*) FROM visits GROUP BY note", lambda q: _bounds(q, picked=FAR)),
    "no limit of groups that people are in": (
        "rows", "SELECT city, COUNT(DISTINCT user_id) FROM visits WHERE city IN ('a', 'b', 'c', 'd') GROUP BY city",
        lambda q: _bounds(q, picked=FAR)),
    "people whole in all public groups": (
        "rows", "SELECT category, COUNT(DISTINCT user_id) FROM visits GROUP BY category", lambda q: _bounds(q, keys=FAR)),
    "no limit in groups of a median": (
        "rows", "SELECT category, MEDIAN(amount) FROM visits GROUP BY category", lambda q: _bounds(q, total=FAR)),
    "no limit in one group, for squares": (
        "groups", "SELECT paid, COUNT(*) FROM visits GROUP BY paid", lambda q: _bounds(q, rows=None)),
    "no limit in joins": (
        "rows", "SELECT c.region, COUNT(*) FROM visits v JOIN cities c ON v.city = c.city GROUP BY c.region",
        lambda q: _bounds(q, total=FAR)),
    "no clipping": ("rows", "SELECT SUM(day) FROM visits", lambda q: replace(_unclipped(q), weights=replace(q.weights, alone=None))),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_bound_that_is_left_out_is_seen(name: str) -> None:
    bounds, text, loosen = BROKEN[name]
    about: dict[str, Any] = {"visits": BOUNDS[bounds]}
    far = replace(
        HEAVY, visits=(*HEAVY.visits, (1, 99, 2**31 - 1, "a", 1, nan, None, None, datetime(2026, 1, 1), None))
    )
    assert broken(far, far.without(1), [text], **about) == []
    assert broken(far, far.without(1), [text], loosen, **about) != []


def test_two_lines_of_one_person_in_their_own_table_are_one_row_and_one_weight() -> None:
    """The table is cut to one row a person where it holds more, and questions bound rows all the same."""
    from unittest import mock

    text, loosen = "SELECT COUNT(*) FROM users", lambda q: _bounds(q, total=10**5)
    assert broken(HEAVY, HEAVY.without(1), [text], loosen) == []
    never = mock.patch("sfumato.engines.duckdb.registrar.Registrar._finds", return_value=False)
    unique = mock.patch("sfumato.engines.remote.registrar.RemoteRegistrar.is_one_row_each", return_value=True)
    with never, unique:
        assert broken(HEAVY, HEAVY.without(1), [text]) == []
        assert broken(HEAVY, HEAVY.without(1), [text], loosen) != []


def test_a_choice_of_groups_that_depends_on_the_data_is_seen() -> None:
    text = "SELECT city, COUNT(*) FROM visits GROUP BY city"
    many = replace(HEAVY, visits=tuple((i % 37 + 1, *row[1:]) for i, row in enumerate(HEAVY.visits * 4)))
    assert broken(many, many.without(1), [text]) == []
    assert broken(many, many.without(1), [text], seeds=(7, 8)) != []


def test_the_choice_of_groups_is_drawn_apart_from_the_data() -> None:
    """Two engines over different rows choose alike: a seed made of the data would tell neighbours apart."""
    from neighbours import declaration
    from sfumato.data import declared

    made = [opened(declared(declaration(rows))) for rows in (HEAVY, HEAVY.without(1))]
    try:
        assert made[0].version() != made[1].version()
        assert made[0].seed == made[1].seed
    finally:
        for each in made:
            each.close()


def test_a_person_found_by_the_name_of_a_column_is_seen() -> None:
    """What a name check would do to `visit_id AS user_id`: every visit becomes a person of its own."""
    text = "WITH a AS (SELECT user_id AS who, visit_id AS user_id FROM visits) SELECT COUNT(*) FROM a"
    by_name = {"visits": {"foreign_keys": {"visit_id": "users.user_id"}}}
    assert broken(HEAVY, HEAVY.without(1), [text]) == []
    assert broken(HEAVY, HEAVY.without(1), [text], theirs=by_name) != []


def test_a_foreign_key_to_another_column_of_the_person_leads_to_the_person() -> None:
    """A household's visits are each member's: they are not bounded as if the household were one person."""
    shared = replace(HEAVY, users=tuple((i, 40, "a" if i < 4 else "b", 5.0) for i in range(1, 8)))
    about = {"visits": {"foreign_keys": {"city": "users.city"}}}
    asked = ["SELECT COUNT(*) FROM visits", "SELECT category, COUNT(*), SUM(amount) FROM visits GROUP BY category"]
    assert broken(shared, replace(shared, users=shared.users[1:]), asked, **about) == []
    with engine(shared, **about) as made:  # type: ignore[arg-type]
        people = priced(made, "SELECT COUNT(DISTINCT u.user_id) FROM visits v JOIN users u ON v.city = u.city")
        assert made.aggregate(people).columns[0].tolist() == [7]


def test_one_persons_repeated_key_changes_nobody_elses_rows() -> None:
    """Rows without a key have no partner and stay, in a LEFT JOIN, whether or not somebody has a key twice."""
    visits = [(who, None, 1, "a", 1, 5.0, "n", None, None, True) for who in range(2, 12) for _ in range(2)]
    visits += [(1, 5, 1, "a", 1, 5.0, "n", None, None, True)] * 2  # type: ignore[list-item]
    users = tuple((who, 40, "a", 5.0) for who in range(1, 12))
    whole = replace(HEAVY, users=users, visits=tuple(visits), items=((5, 1.0, "k"),))
    text = "SELECT COUNT(*) FROM visits v LEFT JOIN items i ON v.visit_id = i.visit_id"
    assert broken(whole, whole.without(1), [text]) == []


SOME_PARTNERS = (
    "SELECT u.city IS NULL AS x, COUNT(DISTINCT v.user_id) FROM visits v"
    " LEFT JOIN users u ON v.user_id = u.user_id AND v.city = u.city GROUP BY u.city IS NULL",
    "SELECT c, COUNT(DISTINCT user_id) FROM (SELECT v.user_id, u.city = 'a' AS c FROM visits v"
    " LEFT JOIN users u ON v.user_id = u.user_id AND v.city = u.city) t GROUP BY c",
    "SELECT t.d IS NULL AS x, COUNT(DISTINCT v.user_id), COUNT(*) FROM visits v LEFT JOIN (SELECT user_id, MAX(1) AS d FROM visits"
    " GROUP BY user_id) t ON v.user_id = t.user_id AND v.category = t.d GROUP BY t.d IS NULL",
)


@pytest.mark.parametrize("bounds", sorted(BOUNDS))
def test_a_partner_that_only_some_rows_of_a_person_have_makes_two_groups(bounds: str) -> None:
    """What has one value a person has another, NULL, in their rows without a partner."""
    assert broken(HEAVY, HEAVY.without(1), list(SOME_PARTNERS), visits=BOUNDS[bounds]) == []


def test_a_person_believed_to_be_in_one_group_is_held_there_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two walls: what a LEFT JOIN may leave out is nobody's own, and people count in part wherever there are groups."""
    from sfumato.query import contributions, joins

    monkeypatch.setattr(joins, "_not_own", lambda scope, at: scope)
    assert broken(HEAVY, HEAVY.without(1), list(SOME_PARTNERS), visits=BOUNDS["rows"]) == []

    def whole(*words: Any, **more: Any) -> Any:
        return replace(contributions.person_bounds(*words, **more), in_parts=False)

    monkeypatch.setattr(sys.modules[price.__module__], "person_bounds", whole)
    assert broken(HEAVY, HEAVY.without(1), list(SOME_PARTNERS), visits=BOUNDS["rows"]) != []


@examples(10, **PLAIN)
@given(databases(), st.sampled_from((1, 2)), st.sampled_from(("rows", "groups", "both", "total")))
def test_a_person_is_one_of_those_who_have_more_and_brings_no_more_rows_than_are_declared(
    database: Database, person: int, bounds: str
) -> None:
    about = {"visits": {**BOUNDS[bounds], "excess": 4}}
    assert beyond_moves(database, database.without(person), about) == []


def beyond_moves(one: Database, other: Database, about: Any, most: int = 4) -> list[str]:
    """Where the numbers of those who have more than counts move by more than one person, or their declared rows."""
    found = []
    with engine(one, **about) as here, engine(other, **about) as there:
        for text in ("SELECT COUNT(*) FROM visits", "SELECT paid, COUNT(*), AVG(amount) FROM visits GROUP BY paid",
                     "SELECT SUM(amount) FROM visits", "SELECT note, COUNT(*) FROM visits GROUP BY note"):  # fmt: skip
            for rho in (False, True):
                query = priced(here, text, rho=rho, wish=Wish(beyond=True))
                assert query.beyond is not None
                people, rows = (
                    abs(a - b) for a, b in zip(*(each.aggregate(query).beyond for each in (here, there)), strict=True)
                )
                if people > 1 or rows > most or (query.beyond.most == 0 and query.beyond.rows is not None):
                    found.append(f"{text}: {people} people, {rows} rows")
    return found


def test_rows_beyond_the_bound_that_are_not_held_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    from sfumato.engines.sql.weighing import Weighing

    about = {"visits": {**BOUNDS["rows"], "excess": 4}}
    assert beyond_moves(HEAVY, HEAVY.without(1), about) == []
    real = Weighing.beyond
    monkeypatch.setattr(Weighing, "beyond", lambda self, most: real(self, 10**6))
    assert beyond_moves(HEAVY, HEAVY.without(1), about) != []
