"""SQL over public tables is answered as it is, for nothing; whatever touches a private table never takes that way."""

import random
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import duckdb
import pytest
from sqlglot import exp

import sfumato
from json_schema import faults
from sfumato.curator import Release, Session
from sfumato.curator.documents import schema
from sfumato.errors import InvalidQuestion, SfumatoError
from sfumato.query.parse import parse
from sfumato.query.public_question import PublicQuestion, public_question

DECLARED = """\
name = "clinic"
[budget]
epsilon = "1000000"
[unit]
person = "people.person"
[tables.people]
source = "people.csv"
[tables.people.columns]
ward.values = ["a", "b", "c"]
n = { type = "integer", lower = 0, upper = 6 }
[tables.secret]
source = "people.csv"
rows_per_person = 1
foreign_keys = { person = "people.person" }
[tables.secret.columns]
n = { type = "integer", lower = 0, upper = 6 }
[tables.wards]
source = "wards.csv"
public = true
[tables.wards.columns]
n.type = "integer"
opened.type = "date"
[tables.made]
source = "made.csv"
public = true
[tables.made.columns]
n.type = "integer"
"""
PRIVATE, PUBLIC = ("people", "secret", "PEOPLE"), ("wards", "made", "Wards")


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    place = tmp_path_factory.mktemp("clinic")
    people = "".join(f"{i},{'abc'[i % 3]},{i % 7}\n" for i in range(60))
    (place / "people.csv").write_text(f"person,ward,n\n{people}", encoding="utf-8")
    (place / "wards.csv").write_text("ward,n,opened\na,1,2020-01-05\nb,2,\nd,5,2021-03-01\n", encoding="utf-8")
    made = "".join(f"{'abd'[i % 3]},{i % 4}\n" for i in range(40))
    (place / "made.csv").write_text(f"ward,n\n{made}", encoding="utf-8")
    (place / "clinic.toml").write_text(DECLARED, encoding="utf-8")
    with sfumato.open(place / "clinic.toml") as opened:
        yield opened


@pytest.fixture(scope="module")
def plain(session: Session) -> duckdb.DuckDBPyConnection:
    """The same public files, asked without any curator."""
    made, place = duckdb.connect(), Path(session.dataset.tables[0].files[0]).parent
    for name in ("wards", "made"):
        made.execute(f"CREATE TABLE {name} AS SELECT * FROM '{place / name}.csv'")
    return made


def some_relation(chance: random.Random, tables: tuple[str, ...], depth: int) -> str:
    one = chance.choice(tables)
    if not depth:
        return one
    way, inside = chance.randrange(7), some_relation(chance, tables, depth - 1)
    other = chance.choice(tables)
    return [
        f"(SELECT ward, n FROM {inside} WHERE n < 3) AS s{depth}",
        f"(SELECT x.ward, y.n FROM {one} AS x JOIN {other} AS y ON x.ward = y.ward) AS j{depth}",
        f"(SELECT ward, n FROM {one} WHERE n IN (SELECT n FROM {inside})) AS i{depth}",
        f"(SELECT ward, n FROM {one} UNION ALL SELECT ward, n FROM {other}) AS u{depth}",
        f"(WITH {one}_x AS (SELECT ward, n FROM {inside}) SELECT ward, n FROM {one}_x) AS w{depth}",
        f"(SELECT ward, n FROM {one} WHERE n > (SELECT MIN(n) FROM {other})) AS m{depth}",
        one,
    ][way]


def some_question(chance: random.Random, tables: tuple[str, ...]) -> str:
    inside = some_relation(chance, tables, chance.randrange(4))
    return chance.choice([
        f"SELECT COUNT(*) AS c, SUM(n) AS t FROM {inside}",
        f"WITH q AS (SELECT ward, n FROM {inside}) SELECT ward, COUNT(*) AS c FROM q GROUP BY ward ORDER BY ward",
        f"SELECT ward, MAX(n) AS m FROM {inside} GROUP BY ward ORDER BY ward",
    ])  # fmt: skip


def touched(text: str) -> set[str]:
    """The declared tables whose names stand anywhere in a text, as words."""
    words = "".join(sign if sign.isalnum() or sign == "_" else " " for sign in text.lower()).split()
    return set(words) & {"people", "secret", "wards", "made"}


def test_public_questions_are_answered_exactly_and_nothing_is_charged(
    session: Session, plain: duckdb.DuckDBPyConnection
) -> None:
    chance, before = random.Random(3), session.budget()
    entries = len(list(session.log()))
    for _ in range(60):
        text = some_question(chance, PUBLIC)
        found = session.sql(text)
        assert [tuple(row.values()) for row in found.rows] == plain.execute(text).fetchall(), text
        assert found.cost.is_free
        assert found.cost.epsilon == 0
        assert [note.code for note in found.notes] == ["public"]
    assert session.budget() == before
    assert len(list(session.log())) == entries


def test_no_question_that_touches_a_private_table_takes_the_way_for_nothing(session: Session) -> None:
    """400 questions over both kinds; those of the first hundred that are answered cost something."""
    chance, asked = random.Random(4), 0
    for number in range(400):
        text = some_question(chance, (*PRIVATE, *PUBLIC))
        public = touched(text) <= {"wards", "made"}
        assert (public_question(text, session.dataset) is not None) is public, text
        if not public and number < 100:
            asked += 1
            before = session.budget()[0].spent
            try:
                found = session.sql(text, epsilon=1)
            except SfumatoError:
                continue
            assert found.repeated or not found.cost.is_free
            assert found.repeated or session.budget()[0].spent > before
            assert not any(note.code == "public" for note in found.notes)
    assert asked > 40


def test_a_twin_that_looks_at_from_alone_lets_a_join_slip_through_and_is_caught(session: Session) -> None:
    def twin(text: str) -> bool:
        """Whether the first table of FROM is public."""
        table = session.dataset.table(next(iter(parse(text)[0].find_all(exp.Table))).name)
        return table is not None and table.public

    for text in (
        "SELECT COUNT(*) FROM wards JOIN people ON wards.ward = people.ward",
        "SELECT COUNT(*) FROM wards WHERE n IN (SELECT n FROM people)",
        "WITH w AS (SELECT n FROM people) SELECT (SELECT COUNT(*) FROM w) AS c FROM wards",
    ):
        assert public_question(text, session.dataset) is None, text
    assert twin("SELECT COUNT(*) FROM wards JOIN people ON wards.ward = people.ward")
    with pytest.raises(InvalidQuestion, match="reads public tables only: wards"):  # and it would not have run
        session.curator._engine.ask_public(
            PublicQuestion("SELECT COUNT(*) FROM wards JOIN people ON wards.ward = people.ward", ("wards",))
        )


@pytest.mark.parametrize("text", [
    "SELECT COUNT(*) FROM people", "SELECT 1", "SELECT COUNT(*) FROM nowhere", "SELECT COUNT(*) FROM main.wards",
    "SELECT COUNT(*) FROM 'wards.csv'", "SELECT COUNT(*) FROM read_csv('people.csv')", "DROP TABLE wards",
    "SELECT COUNT(*) FROM query_table('people')", "SELECT COUNT(*) FROM wards; SELECT 1", "SELECT hash(ward) FROM wards",
    "WITH people AS (SELECT * FROM wards) SELECT COUNT(*) FROM people", "SELECT * FROM duckdb_tables()", "", 7,
    "SELECT COUNT(*) FROM wards, LATERAL (SELECT * FROM people) AS x", "SELECT current_setting('x') FROM wards",
])  # fmt: skip
def test_what_is_not_surely_public_is_none(session: Session, text: object) -> None:
    assert public_question(text, session.dataset) is None


def test_a_public_answer_is_a_release_as_any_other(session: Session) -> None:
    found = session.sql("SELECT ward, n, opened FROM wards ORDER BY ward", epsilon=1)
    assert found.rows[0] == {"ward": "a", "n": 1, "opened": date(2020, 1, 5)}
    assert [column.kind.value for column in found.schema] == ["text", "integer", "date"]
    assert not any(map(bool, found.intervals[0].values()))
    assert "free: public tables only" in found.footer()
    assert "nothing in them is protected" in str(found)
    assert faults(found.to_json(), schema()) == []
    assert Release.from_json(found.to_json()) == found
    assert session.table("wards").select(n="COUNT(*)").release(epsilon=1).value == 3
    with pytest.raises(InvalidQuestion, match="word"):
        session.sql("SELECT word FROM wards")
    with pytest.raises(InvalidQuestion, match="public tables only"):
        session.explain("SELECT COUNT(*) FROM wards", epsilon=1)


@pytest.mark.parametrize("name", ["duckdb_tables", "sqlite_master", "pragma_database_list"])
@pytest.mark.parametrize("text", [
    "SELECT b.* FROM (WITH {0} AS (SELECT * FROM wards) SELECT ward FROM {0}) a, {0} b",
    "WITH x AS (WITH {0} AS (SELECT * FROM wards) SELECT ward FROM {0}) SELECT b.* FROM x, {0} b",
    "WITH x AS (SELECT * FROM {0}), {0} AS (SELECT * FROM wards) SELECT x.* FROM x, wards",
])  # fmt: skip
def test_a_name_that_with_gives_elsewhere_is_no_way_to_the_engines_own_tables(
    session: Session, text: str, name: str
) -> None:
    """They tell paths and what is attached; the twin took a name for known wherever some WITH had given it."""
    with pytest.raises(InvalidQuestion, match=f"no table `{name}`"):
        session.sql(text.format(name), epsilon=1)
    assert session.sql("WITH x AS (SELECT * FROM wards), y AS (SELECT * FROM x) SELECT COUNT(*) AS n FROM y").value == 3
