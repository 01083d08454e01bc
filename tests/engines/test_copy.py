"""The copy of a registration, in order of people: the same integers, faster; and numbers that never choose."""

import json
import stat
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clinic
import sfumato
from engines.test_one_person_moves_little import HEAVY, PLAIN, broken, questions
from neighbours import BOUNDS, LARGEST, Database, databases, declaration, priced
from property_profile import examples
from sfumato.accounting import events
from sfumato.data import declared
from sfumato.engines import DuckDBEngine, ExactTable
from sfumato.engines.sql.relations import RelationWriter
from sfumato.engines.sql.views import Views
from sfumato.errors import InvalidDeclaration, InvalidQuestion
from sfumato.query import Spend
from sfumato.query.workload import workload

KEYED = (
    "SELECT city, COUNT(*), SUM(amount) FROM visits GROUP BY city",
    "SELECT note, COUNT(*) FROM visits GROUP BY note",
    "SELECT city, paid, COUNT(*), COUNT(amount), COUNT(DISTINCT user_id) FROM visits WHERE day > 3 GROUP BY city, paid",
    "SELECT city, COUNT(DISTINCT user_id) FILTER (WHERE day > 90), AVG(amount), VARIANCE(day) FROM visits WHERE day > 3"
    " GROUP BY city",
    "SELECT COUNT(DISTINCT note) FROM visits",
    "SELECT category, COUNT(DISTINCT day) FROM visits GROUP BY category",
    "SELECT MEDIAN(amount) FROM visits",
    "SELECT u.city, COUNT(*) FROM visits v JOIN users u ON v.user_id = u.user_id GROUP BY u.city",
    "SELECT sort, COUNT(*), SUM(price), MEDIAN(price) FROM items GROUP BY sort",
)
"""Questions in which some rows or groups of a person count and others do not."""
MANY = replace(
    HEAVY,
    users=tuple((i, 40, "abcd"[i % 4], 5.0) for i in range(1, 60)),
    visits=tuple(
        (7 * (i % 37) + 1, i, i % 365, "abcdefgh"[i // 37 % 8], i % 4, i % 190 + 0.5, f"n{i // 37}", None, None, True)
        for i in range(400)
    ),
)


def plain(found: ExactTable) -> Any:
    """Everything of an exact table, in the order of its keys."""
    order = sorted(range(len(found.keys)), key=lambda i: repr(found.keys[i]))
    columns = {at: [int(column[i]) for i in order] for at, column in found.columns.items()}
    people = None if found.people is None else [int(found.people[i]) for i in order]
    values = {at: repr(sorted(each.items(), key=repr)) for at, each in found.values.items()}
    return [found.keys[i] for i in order], people, columns, values, list(found.beyond)


def made(about: dict[str, Any]) -> DuckDBEngine:
    return DuckDBEngine(declared(about))


def different(database: Database, asked: list[str], bounds: str = "groups", **about: Any) -> list[str]:
    """The questions that have other integers with the copy than without it."""
    found = []
    one = made(declaration(database, visits=BOUNDS[bounds], copy=False) | about)
    other = made(declaration(database, visits=BOUNDS[bounds], copy=True) | about)
    try:
        assert all(table.copy is None for table in one._opened.registration.tables.values())
        assert [name for name, table in other._opened.registration.tables.items() if table.copy is None] == ["cities"]
        for text in asked:
            for rho in (False, True):
                try:
                    query = priced(one, text, rho=rho)
                except InvalidQuestion:
                    continue
                if plain(one.aggregate(query)) != plain(other.aggregate(query)):
                    found.append(text)
    finally:
        one.close()
        other.close()
    return found


@pytest.mark.slow
@examples(40, **PLAIN)
@given(databases(), st.lists(questions(), min_size=3, max_size=6), st.sampled_from(sorted(BOUNDS)))
def test_a_question_has_the_same_integers_with_the_copy_and_without(
    database: Database, asked: list[str], bounds: str
) -> None:
    assert different(database, asked, bounds) == []


@pytest.mark.parametrize("bounds", sorted(BOUNDS))
def test_the_same_groups_rows_and_values_are_chosen(bounds: str) -> None:
    assert different(MANY, list(KEYED), bounds) == []


@pytest.mark.slow
@examples(25, **PLAIN)
@given(
    databases(),
    st.sampled_from((1, 2, LARGEST)),
    st.lists(questions(), min_size=3, max_size=5),
    st.sampled_from(sorted(BOUNDS)),
)
def test_a_person_moves_no_more_with_the_copy(database: Database, person: int, asked: list[str], bounds: str) -> None:
    assert broken(database, database.without(person), asked, visits=BOUNDS[bounds], copy=True) == []


def _by_number(real: Any) -> Any:
    """The broken twin: the order of contributions hashes the number of the person among all people."""
    return mock.patch.object(
        RelationWriter,
        "scan",
        lambda self, *words: real(self, *words).replace("sfumato_order AS o", "sfumato_dense AS o"),
    )


def test_numbers_that_choose_are_seen() -> None:
    """Who has the least number leaves: everybody else's number is another, and so would be what counts of them."""
    first = MANY.visits[0][0]
    asked = ["SELECT note, COUNT(*) FROM visits GROUP BY note"]
    assert broken(MANY, MANY.without(first), asked, copy=True) == []
    with _by_number(RelationWriter.scan):
        assert broken(MANY, MANY.without(first), asked, copy=True) != []
        assert different(MANY, asked) != []


@pytest.mark.parametrize("bounds", ["rows", "groups", "cut"])
def test_marginals_have_the_same_counts(bounds: str) -> None:
    text = "SELECT category, paid, COUNT(*) FROM visits WHERE amount > 5 GROUP BY category, paid"
    spend, found = Spend(Fraction(1), None, Fraction(0)), []
    for copy in (False, True):
        engine = made(declaration(MANY, visits=BOUNDS[bounds], copy=copy))
        try:
            for marginals in ([(0, 1)], [(0,), (0, 1), (1,)]):
                planned = workload(text, engine.dataset, engine, marginals, spend).at(events.Pure(1))
                found.append([table.tolist() for table in engine.contingency(planned).tables])
        finally:
            engine.close()
    assert found[:2] == found[2:]


# ---- whose rows are in it ----


@pytest.mark.parametrize("kind", ["integer", "text"])
def test_ids_of_any_kind_rows_of_nobody_and_people_of_one_table(kind: str, tmp_path: Path) -> None:
    """Person 1 is in both tables, 2 has no line of their own, 3 no visit; a row without a person is in no question."""
    name = (lambda who: None if who is None else f"p{who}") if kind == "text" else (lambda who: who)
    users = pa.table({"id": [name(1), name(3), None], "age": [30, 40, 50]})
    visits = pa.table(
        {"who": [name(2), name(1), None, name(1), name(2), name(2)], "town": ["a", "b", "c", "a", "b", "c"]}
    )
    about = {
        "name": "few", "budget": {"epsilon": "1000", "delta": "0.5"}, "unit": {"person": "users.id"},
        "tables": {
            "users": {"source": users, "columns": {"age": {"lower": 0, "upper": 100}}},
            "visits": {"source": visits, "foreign_keys": {"who": "users.id"}, "rows_per_group": 1, "groups_per_person": 2},
        },
    }  # fmt: skip
    asked = [
        "SELECT COUNT(*) FROM users", "SELECT COUNT(*) FROM visits", "SELECT town, COUNT(*) FROM visits GROUP BY town",
        "SELECT COUNT(DISTINCT who) FROM visits", "SELECT COUNT(DISTINCT id) FROM users WHERE age > 35",
        "SELECT who, COUNT(*) AS n FROM visits GROUP BY who HAVING COUNT(*) > 1",
        "SELECT SUM(n) FROM (SELECT who, COUNT(*) AS n FROM visits GROUP BY who) t",
        "SELECT COUNT(*) FROM visits v JOIN users u ON v.who = u.id",
        "SELECT COUNT(*) FROM (SELECT id FROM users UNION ALL SELECT who FROM visits) t",
    ]  # fmt: skip
    with_copy, without = (made(about | {"engine": {"copy": copy}}) for copy in (True, False))
    try:
        registered = with_copy._opened.registration.tables
        assert {table.people for table in registered.values()} == {3}
        found = with_copy._connection.execute(
            "SELECT sfumato_person, sfumato_dense FROM users UNION SELECT sfumato_person, sfumato_dense FROM visits"
        )
        assert sorted(found.fetchall()) == [(name(who), who - 1) for who in (1, 2, 3)]
        for text in asked:
            try:
                query = priced(without, text)
            except InvalidQuestion:
                continue
            assert plain(with_copy.aggregate(query)) == plain(without.aggregate(query)), text
    finally:
        with_copy.close()
        without.close()


# ---- in a folder ----


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    clinic.build(tmp_path, users=300, hostile=True)
    return tmp_path


def declared_in(folder: Path, copy: str = "", change: tuple[str, str] = ("", "")) -> Path:
    text = clinic.DECLARATION.format(epsilon="1000", delta="1e-3")
    text = text.replace(*change) if change[0] else text
    (folder / "clinic.toml").write_text(text + (f"\n[engine]\ncopy = {copy}\n" if copy else ""), encoding="utf-8")
    return folder / "clinic.toml"


def copied(folder: Path) -> dict[str, str]:
    """The copies that the record names."""
    record = json.loads((folder / "clinic.registration").read_text(encoding="utf-8"))
    return {name: table["copy"]["path"] for name, table in record["tables"].items() if table["copy"] is not None}


def numbered(path: Path) -> bool:
    """Whether questions are asked by numbers."""
    with sfumato.open(path) as curator:
        written = str(curator.statements("SELECT COUNT(*) FROM visits", epsilon=1))
        rows = curator.curator._engine._connection.execute("SELECT * FROM visits LIMIT 0").description  # type: ignore[attr-defined]
        assert ("sfumato_dense" in written) == ("sfumato_dense" in [each[0] for each in rows])
        return "sfumato_dense" in written


def test_a_copy_is_made_where_it_is_declared_and_once(folder: Path) -> None:
    assert not numbered(declared_in(folder))
    assert copied(folder) == {}
    assert numbered(declared_in(folder, "true"))
    first = copied(folder)
    assert sorted(first) == ["users", "visits"]
    assert all(stat.S_IMODE((folder / path).stat().st_mode) == 0o600 for path in first.values())
    assert numbered(declared_in(folder, "true"))
    assert copied(folder) == first
    assert not numbered(declared_in(folder, "false"))
    assert copied(folder) == {}
    assert not any((folder / path).exists() for path in first.values())


def test_a_copy_is_made_of_many_rows_unless_it_is_declared_away(folder: Path) -> None:
    with (
        mock.patch("sfumato.engines.duckdb.copying.COPIED", 100),
        mock.patch("sfumato.engines.duckdb.opening.COPIED", 100),
    ):
        assert not numbered(declared_in(folder, "false"))
        sfumato.register(declared_in(folder))
        assert numbered(folder / "clinic.toml")


def test_another_declaration_or_other_data_make_another_copy(folder: Path) -> None:
    assert numbered(declared_in(folder, "true"))
    first = copied(folder)
    change = ("groups_per_person = 3", "groups_per_person = 3\nrows_per_person = 2\nmaterialise = true")
    assert numbered(declared_in(folder, "true", change))
    second = copied(folder)
    clinic.build(folder, users=200)
    sfumato.register(folder / "clinic.toml")
    third = copied(folder)
    assert len({*first.values(), *second.values(), *third.values()}) == 6
    assert len(list((folder / ".sfumato" / "clinic").glob("*.duckdb"))) == 3 + 2 + 1


def test_a_record_from_before_there_were_copies_is_opened_and_asked_without(folder: Path) -> None:
    path = declared_in(folder)
    sfumato.register(path)
    record = folder / "clinic.registration"
    old = json.loads(record.read_text(encoding="utf-8"))
    for table in old["tables"].values():
        for name in ("copy", "copy_shape", "people"):
            del table[name]
    record.write_text(json.dumps(old), encoding="utf-8")
    before = record.read_bytes()
    with mock.patch("sfumato.engines.duckdb.opening.COPIED", 100):
        assert not numbered(path)
    assert record.read_bytes() == before
    assert numbered(declared_in(folder, "true"))  # declared, it is made


def test_a_copy_that_is_gone_or_changed_is_made_anew(folder: Path) -> None:
    path = declared_in(folder, "true")
    assert numbered(path)
    first = copied(folder)
    (folder / first["visits"]).unlink()
    assert numbered(path)
    assert not set(first.values()) & set(copied(folder).values())


def test_a_copy_follows_what_is_appended(tmp_path: Path) -> None:
    (tmp_path / "some.csv").write_text("id,age\n" + "".join(f"{i},{i % 90}\n" for i in range(50)), encoding="utf-8")
    (tmp_path / "more.csv").write_text("id,age\n-3,3\n201,4\n", encoding="utf-8")
    path = tmp_path / "clinic.toml"
    text = (
        '[budget]\nepsilon = "10"\n[unit]\nperson = "users.id"\n[tables.users]\nsource = ["some.csv"]\n'
        'columns = { id = { type = "integer" }, age = { lower = 0, upper = 120 } }\n[engine]\ncopy = true\n'
    )
    path.write_text(text, encoding="utf-8")
    told: list[str] = []
    _, before = sfumato.register(path)
    path.write_text(text.replace('["some.csv"]', '["some.csv", "more.csv"]'), encoding="utf-8")
    _, after = sfumato.register(path, append=True, progress=lambda what, share: told.append(what))
    assert (before.people(), after.people()) == (50, 52)
    assert "users: a copy in order of people" in told
    with sfumato.open(path) as curator:
        run = curator.curator._engine._connection.execute  # type: ignore[attr-defined]
        assert run("SELECT id FROM users ORDER BY sfumato_dense LIMIT 2").fetchall() == [(-3,), (0,)]


def test_a_copy_that_fails_leaves_nothing_and_shows_nothing_of_the_engine(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Views.numbered
    monkeypatch.setattr(
        Views,
        "numbered",
        lambda self, rows, people: f"SELECT error('a cell: ' || city) FROM ({real(self, rows, people)})",
    )
    with pytest.raises(InvalidDeclaration, match=r"\[tables.users\] could not be prepared") as refused:
        sfumato.open(declared_in(folder, "true"))
    assert "a cell" not in str(refused.value)
    assert list((folder / ".sfumato" / "clinic").glob("*.duckdb")) == []
