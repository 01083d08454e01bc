"""`null = false`: a row without a value is no row of the table, in both engines, and no group of NULL is answered."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from neighbours import Database, databases, declaration, excess, opened, over_the_registry, priced  # noqa: F401
from property_profile import examples
from sfumato.data import declared
from sfumato.engines.engine import ExactTable
from sfumato.errors import InvalidDeclaration
from sfumato.query import plan_question
from sfumato.query.relations import FromClause
from sqlite_engine import SqliteEngine, supports

pytestmark = pytest.mark.slow

NAN = float("nan")
VISITS = tuple(
    (person, at, 5, "a", category, amount, "x", None, None, paid)
    for at, (person, category, amount, paid) in enumerate([
        (1, 0, 5.0, True), (1, None, 5.0, True), (2, 1, None, True), (2, 1, 7.0, None), (3, 2, NAN, False), (3, 3, 9.0, False),
        (4, 3, 9.0, True), (5, None, None, None), (6, 3, 1.0, True),
    ])
)  # fmt: skip
SMALL = Database(tuple((person, 40, "a", 5.0) for person in range(1, 7)), VISITS, ())


def of(database: Database, *never: str, region: bool = True, **about: Any) -> dict[str, Any]:
    """The usual declaration, in which some columns of visits are never NULL."""
    given = declaration(database, **about)
    columns = given["tables"]["visits"]["columns"]
    for name in never:
        columns[name] = {**columns.get(name, {}), "null": False}
    given["tables"]["cities"]["columns"] = {"region": {"null": region}}
    return given


@contextmanager
def engine(database: Database, *never: str, second: bool = False, **about: Any) -> Iterator[Any]:
    with mock.patch("sfumato.engines.sql.hashing.seed_of", return_value=7):
        dataset = declared(of(database, *never, **about))
        made = SqliteEngine(dataset) if second else opened(dataset)
    try:
        yield made
    finally:
        made.close()


def counted(made: Any, text: str) -> dict[Any, int]:
    """The first column of every group, of whole rows."""
    query = priced(made, text)
    table: ExactTable = made.aggregate(query)
    bits = query.priced[0].bits
    return {key: int(table.columns[0][i]) >> bits for i, key in enumerate(table.keys)}


def groups(made: Any, text: str) -> list[Any]:
    found = plan_question(text, made.dataset, made).groups
    assert found is not None
    return [key for (key,) in found]


COUNT = "SELECT COUNT(*) FROM visits"
BY_CATEGORY = "SELECT category, COUNT(*) FROM visits GROUP BY category"


def test_rows_without_a_value_are_no_rows() -> None:
    """Whatever is asked for; of a number NaN is no value either."""
    for never, rows in (((), 9), (("category",), 7), (("amount",), 6), (("category", "amount", "paid"), 4)):
        with engine(SMALL, *never) as made:
            assert counted(made, COUNT) == {(): rows}
            assert sum(counted(made, BY_CATEGORY).values()) == rows
            assert counted(made, "SELECT COUNT(*) FROM (SELECT user_id, day FROM visits) t") == {(): rows}
            inner = "SELECT COUNT(*) FROM visits v JOIN users u ON v.user_id = u.user_id"
            assert counted(made, inner) == {(): rows}


def test_there_is_no_group_of_null() -> None:
    with engine(SMALL, "category", "paid", region=False) as made:
        assert groups(made, BY_CATEGORY) == [0, 1, 2, 3]
        assert groups(made, "SELECT paid, COUNT(*) FROM visits GROUP BY paid") == [False, True]
        assert groups(made, "SELECT c, COUNT(*) FROM (SELECT user_id, category AS c FROM visits) t GROUP BY c") == [
            0,
            1,
            2,
            3,
        ]
        own = "SELECT c, SUM(n) FROM (SELECT user_id, category AS c, COUNT(*) AS n FROM visits GROUP BY 1, 2) t GROUP BY c"
        assert groups(made, own) == [0, 1, 2, 3]
        assert groups(made, "SELECT CASE WHEN paid THEN 1 ELSE 0 END AS x, COUNT(*) FROM visits GROUP BY 1") == [1, 0]
        inner = "SELECT region, COUNT(*) FROM visits v JOIN cities c ON v.city = c.city GROUP BY region"
        assert None not in groups(made, inner)
        assert None in groups(made, inner.replace("JOIN", "LEFT JOIN")), "there may be no partner"
        left = "SELECT v.category, COUNT(*) FROM users u LEFT JOIN visits v ON v.user_id = u.user_id GROUP BY 1"
        assert None in groups(made, left)
    with engine(SMALL) as made:
        assert groups(made, BY_CATEGORY) == [0, 1, 2, 3, None]


def test_a_group_that_vanished_while_its_rows_still_count_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin takes the owner's word for it, and leaves no row out: the groups do not add up to all rows."""

    def missing_rows() -> int:
        with engine(SMALL, "category") as made:
            shown, rows = groups(made, BY_CATEGORY), counted(made, BY_CATEGORY)
            outside = sum(n for (key,), n in rows.items() if key is None and key not in shown)
            return outside + counted(made, COUNT)[()] - sum(rows.values())

    assert missing_rows() == 0
    monkeypatch.setattr(FromClause, "_rows", FromClause._scan)
    monkeypatch.setattr(sys.modules["sfumato.query.passes.public_groups"], "may_be_missing", lambda *_: False)
    assert missing_rows() == 2


QUESTIONS = (
    COUNT, BY_CATEGORY, "SELECT COUNT(*), COUNT(amount), SUM(amount) FROM visits", "SELECT paid, SUM(amount) FROM visits GROUP BY paid",
    "SELECT city, COUNT(*) FROM visits GROUP BY city", "SELECT category, MEDIAN(day) FROM visits GROUP BY category",
    "SELECT COUNT(DISTINCT user_id) FROM visits", "SELECT SUM(n) FROM (SELECT user_id, COUNT(*) AS n FROM visits GROUP BY 1) t",
    "SELECT u.city, COUNT(*) FROM visits v JOIN users u ON v.user_id = u.user_id GROUP BY u.city",
    "SELECT region, COUNT(*) FROM visits v LEFT JOIN cities c ON v.city = c.city GROUP BY region",
)  # fmt: skip
NEVER = st.sets(st.sampled_from(("category", "amount", "paid", "city", "day")), min_size=1)
BOUNDED = st.sampled_from(
    ({}, {"rows_per_person": 3, "rows_per_group": None, "groups_per_person": None, "materialise": True})
)
PLAIN: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck)}


@examples(8, **PLAIN)
@given(databases(), st.sampled_from((1, 2)), NEVER, BOUNDED)
def test_one_person_moves_little_where_rows_are_left_out(
    database: Database, person: int, never: set[str], bounded: dict[str, Any]
) -> None:
    with (
        engine(database, *never, visits=bounded) as here,
        engine(database.without(person), *never, visits=bounded) as there,
    ):
        for text in QUESTIONS:
            query = priced(here, text)
            assert excess(query, here.aggregate(query), there.aggregate(query)) == [], text


@examples(8, **PLAIN)
@given(databases(), NEVER)
def test_both_engines_leave_out_the_same_rows(database: Database, never: set[str]) -> None:
    finite = tuple((*row[:5], row[5] if row[5] in (None, 5.0, 7.25) else 1.0, *row[6:]) for row in database.visits)
    plain = Database(database.users, finite, ())
    with engine(plain, *never) as one, engine(plain, *never, second=True) as other:
        for text in (COUNT, BY_CATEGORY, "SELECT city, COUNT(*) FROM visits GROUP BY city"):
            assert supports(priced(one, text))
            assert counted(one, text) == counted(other, text), text


def test_it_is_declared_written_and_part_of_what_a_question_is_known_by() -> None:
    never = declared(of(SMALL, "category"))
    table = never.table("visits")
    assert table is not None
    assert [each.name for each in table.columns if not each.null] == ["category"]
    with engine(SMALL) as one, engine(SMALL, "category") as other:
        first, second = (plan_question(COUNT, made.dataset, made) for made in (one, other))
        assert first.declared(one.dataset) != second.declared(other.dataset)
        assert first.canonical() != second.canonical()

    for bad in ("no", 0, None, "false"):
        given = of(SMALL)
        given["tables"]["visits"]["columns"]["category"]["null"] = bad
        with pytest.raises(InvalidDeclaration, match="null"):
            declared(given)


def test_the_person_is_never_missing_anyway() -> None:
    with engine(SMALL, "user_id") as made:
        assert counted(made, COUNT) == {(): 9}
