"""PostgreSQL as an engine: who may ask, what is registered where, which snapshot is read, and what a crash does."""

import threading
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
import pytest

import sfumato
from neighbours import priced
from remote_tables import OURS, READER, WRITER, PostgresPlace, closing, postgres_place
from sfumato.data import Dataset, declared
from sfumato.engines import postgres
from sfumato.engines.registration import Registration
from sfumato.errors import EngineFailed, InvalidDeclaration, SfumatoError

pytestmark = pytest.mark.slow
ROWS = pa.table({
    "user_id": pa.array([1, 1, 1, 1, 2, 2, 3, None], pa.int64()), "ward": ["a", "b", "a", "a", "b", "c", "c", "a"],
    "days": pa.array([1, 2, 3, 4, 5, 6, 7, 8], pa.int32()),
})  # fmt: skip
USERS = pa.table({"user_id": pa.array([1, 2, 3, 3], pa.int64()), "age": pa.array([30, 40, 50, 51], pa.int32())})
COUNT = "SELECT ward, COUNT(*), SUM(days) FROM visits GROUP BY ward"


@pytest.fixture(scope="module")
def place() -> PostgresPlace:
    return postgres_place()


@pytest.fixture
def schema(place: PostgresPlace) -> Iterator[str]:
    """A schema with visits and their people."""
    name = f"t{uuid.uuid4().hex[:10]}"
    place.put(name, "users", USERS)
    place.put(name, "visits", ROWS)
    yield name
    with place.owner() as owner:
        owner.execute(f"DROP SCHEMA {name} CASCADE")


def written(place: PostgresPlace, schema: str, folder: Path, more: str = 'version = "1"', visits: str = "") -> Path:
    """A declaration of these tables, as a file."""
    file = folder / f"{schema}.toml"
    file.write_text(f"""
{more if not more.startswith("[") else ""}
[budget]
epsilon = "10"
delta = "1e-3"
[unit]
person = "users.user_id"
[tables.users]
source = "{place.url()}"
relation = "{schema}.users"
[tables.visits]
source = "{place.url()}"
relation = "{schema}.visits"
foreign_keys = {{ user_id = "users.user_id" }}
rows_per_person = 2
{visits}
columns = {{ ward = {{ values = ["a", "b", "c"] }}, days = {{ lower = 0, upper = 10 }} }}
{more if more.startswith("[") else ""}
""")
    return file


def opened(file: Path) -> Any:
    return postgres.open(_dataset(file))


def _dataset(file: Path) -> Dataset:
    from sfumato.data import read_declaration

    return read_declaration(file)


def answered(engine: Any, text: str = COUNT) -> dict[Any, tuple[int, ...]]:
    table = engine.aggregate(priced(engine, text))
    return {key: tuple(int(column[i]) for column in table.columns.values()) for i, key in enumerate(table.keys)}


# ---- who may ask --------------------------------------------------------------------------------------------------

POWERS = {
    "a sequence to be moved on": (
        "CREATE SEQUENCE {schema}.next_{0}; GRANT USAGE ON SEQUENCE {schema}.next_{0} TO {0}",
        "DROP SEQUENCE IF EXISTS {schema}.next_{0}", "can write into next_"),
    "a writer by SET ROLE alone": (
        "CREATE ROLE w_{0}; GRANT INSERT ON {schema}.visits TO w_{0}; GRANT w_{0} TO {0} WITH INHERIT FALSE, SET TRUE",
        "DROP OWNED BY w_{0}; DROP ROLE IF EXISTS w_{0}", "can write into visits"),
    "a maker of databases by SET ROLE alone": (
        "CREATE ROLE w_{0} CREATEDB; GRANT w_{0} TO {0} WITH INHERIT FALSE", "DROP ROLE IF EXISTS w_{0}", "can make databases"),
    "an owner who took his own rights away": (
        "GRANT CREATE ON SCHEMA {schema} TO {0}; CREATE TABLE {schema}.own_{0} (n int); ALTER TABLE {schema}.own_{0} OWNER TO {0}; REVOKE CREATE ON SCHEMA {schema} FROM {0}; REVOKE ALL ON {schema}.own_{0} FROM {0}",
        "DROP TABLE IF EXISTS {schema}.own_{0}", "can write into own_"),
    "a superuser": ("ALTER ROLE {} SUPERUSER", "ALTER ROLE {} NOSUPERUSER", "superuser"),
    "one that makes databases": ("ALTER ROLE {} CREATEDB", "ALTER ROLE {} NOCREATEDB", "databases"),
    "one that makes roles": ("ALTER ROLE {} CREATEROLE", "ALTER ROLE {} NOCREATEROLE", "make roles"),
    "one that inserts": ("GRANT INSERT ON {schema}.visits TO {}", "REVOKE INSERT ON {schema}.visits FROM {}", "write into visits"),
    "one that updates a column": ("GRANT UPDATE (days) ON {schema}.visits TO {}", "REVOKE UPDATE (days) ON {schema}.visits FROM {}", "write into visits"),
    "one that deletes": ("GRANT DELETE ON {schema}.users TO {}", "REVOKE DELETE ON {schema}.users FROM {}", "write into users"),
    "one that makes tables": ("GRANT CREATE ON SCHEMA {schema} TO {}", "REVOKE CREATE ON SCHEMA {schema} FROM {}", "make tables"),
    "one that makes schemas": ("GRANT CREATE ON DATABASE postgres TO {}", "REVOKE CREATE ON DATABASE postgres FROM {}", "make schemas"),
    "one of the writers": ("GRANT pg_write_all_data TO {}", "REVOKE pg_write_all_data FROM {}", "write"),
    "one that runs programs": ("GRANT pg_execute_server_program TO {}", "REVOKE pg_execute_server_program FROM {}", "write everywhere"),
    "the owner of the tables": ("ALTER TABLE {schema}.visits OWNER TO {}", "ALTER TABLE {schema}.visits OWNER TO postgres", "write into visits"),
}  # fmt: skip


@pytest.mark.parametrize("name", POWERS)
def test_a_role_that_could_write_is_refused(name: str, place: PostgresPlace, schema: str, tmp_path: Path) -> None:
    role = f"asks_{uuid.uuid4().hex[:8]}"
    give, take, match = POWERS[name]
    file = written(place, schema, tmp_path)
    file.write_text(file.read_text().replace(f"{READER}@", f"{role}@"))
    with place.owner() as owner:
        owner.execute(f"CREATE ROLE {role} LOGIN IN ROLE {READER}")
        try:
            opened(file).close()
            owner.execute(give.format(role, schema=schema))
            with pytest.raises(InvalidDeclaration, match=match) as refused:
                opened(file)
            assert "only read" in str(refused.value.hint)
        finally:
            owner.execute(take.format(role, schema=schema))
            owner.execute(f"DROP OWNED BY {role}")
            owner.execute(f"DROP ROLE {role}")


def test_questions_run_in_a_transaction_that_can_only_read(place: PostgresPlace, schema: str, tmp_path: Path) -> None:
    with closing(opened(written(place, schema, tmp_path))) as engine, engine._server.reading(5) as fetch:
        assert fetch("SHOW transaction_read_only")["transaction_read_only"] == ["on"]
        assert fetch("SHOW transaction_isolation")["transaction_isolation"] == ["repeatable read"]
        assert fetch("SHOW search_path")["search_path"] == ["pg_catalog,pg_temp"]
        assert fetch("SHOW statement_timeout")["statement_timeout"] == ["5s"]
        with pytest.raises(EngineFailed):
            fetch(f"CREATE TABLE {OURS}.x (y int)")


def test_a_name_of_somebodys_own_does_not_stand_for_a_function(
    place: PostgresPlace, schema: str, tmp_path: Path
) -> None:
    """search_path: what is called floor or count is PostgreSQL's, whatever else a schema holds."""
    with place.owner() as owner:
        owner.execute(
            "CREATE FUNCTION public.floor(double precision) RETURNS double precision LANGUAGE sql AS 'SELECT 9e9'"
        )
    try:
        with closing(opened(written(place, schema, tmp_path))) as engine:
            before = answered(engine, "SELECT SUM(FLOOR(days / 2)) FROM visits")
            assert all(abs(value) < 2**50 for (value,) in before.values())
    finally:
        with place.owner() as owner:
            owner.execute("DROP FUNCTION public.floor(double precision)")


# ---- what is registered -------------------------------------------------------------------------------------------


def test_rows_that_stay_where_they_are_need_a_name(place: PostgresPlace, schema: str, tmp_path: Path) -> None:
    file = written(place, schema, tmp_path, more="")
    with pytest.raises(InvalidDeclaration, match="when its rows change") as refused:
        opened(file)
    assert "version_query" in str(refused.value.hint)
    assert "copy = true" in str(refused.value.hint)


@pytest.mark.parametrize(
    "more", ['[engine]\nschema = "sfumato"\ncopy = true', 'version = "1"\nengine.schema = "sfumato"']
)
def test_copies_are_made_in_the_schema_of_ours_and_read_instead(
    more: str, place: PostgresPlace, schema: str, tmp_path: Path
) -> None:
    live = tmp_path / "live"
    live.mkdir()
    visits = "materialise = true" if "copy" not in more else ""
    with closing(opened(written(place, schema, live, visits=""))) as engine:
        truth = answered(engine, "SELECT COUNT(DISTINCT user_id) FROM visits")
    file = written(place, schema, tmp_path, more=more, visits=visits)
    with pytest.raises(InvalidDeclaration, match="not registered"):
        opened(file)
    with pytest.raises(InvalidDeclaration, match="nobody is named"):
        sfumato.register(file)
    _, record = sfumato.register(file, writer=place.url(WRITER))
    assert record.tables["visits"].rows == 8
    assert record.tables["visits"].kept
    assert place.url(WRITER) not in file.with_suffix(".registration").read_text()
    with closing(opened(file)) as engine:
        assert OURS in "".join(engine.written(priced(engine, COUNT)))
        assert answered(engine, "SELECT COUNT(DISTINCT user_id) FROM visits") == truth
        with place.owner() as owner:
            owner.execute(f"UPDATE {schema}.visits SET user_id = 99")
        assert answered(engine, "SELECT COUNT(DISTINCT user_id) FROM visits") == truth
    kept = record.tables["visits"].kept
    _, again = sfumato.register(file, writer=place.url(WRITER))
    with place.owner() as owner:
        left = {name for (name,) in owner.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", [OURS])}
    assert kept not in left
    assert again.tables["visits"].kept in left
    assert Registration.read(file.with_suffix(".registration")) == again
    with place.owner() as owner:
        owner.execute(f"DROP TABLE {OURS}.{again.tables['visits'].kept}")
    with pytest.raises(InvalidDeclaration, match="no longer in"):
        opened(file)


def test_who_registers_may_write_nowhere_else(place: PostgresPlace, schema: str, tmp_path: Path) -> None:
    file = written(place, schema, tmp_path, more='[engine]\nschema = "sfumato"\ncopy = true')
    with place.owner() as owner:
        owner.execute(f"GRANT INSERT ON {schema}.visits TO {WRITER}")
    with pytest.raises(InvalidDeclaration, match="that registers can write into visits"):
        sfumato.register(file, writer=place.url(WRITER))
    with pytest.raises(InvalidDeclaration, match="that registers is a superuser"):
        sfumato.register(file, writer=place.url("postgres"))
    with place.owner() as owner:
        owner.execute(f"REVOKE INSERT ON {schema}.visits FROM {WRITER}")
    with pytest.raises(InvalidDeclaration, match="could not be written"):
        sfumato.register(file, writer=place.url(READER))
    assert not file.with_suffix(".registration").exists()


def test_a_table_that_changed_its_columns_is_refused(place: PostgresPlace, schema: str, tmp_path: Path) -> None:
    file = written(place, schema, tmp_path)
    sfumato.register(file)
    opened(file).close()
    with place.owner() as owner:
        owner.execute(f"ALTER TABLE {schema}.visits ALTER COLUMN days TYPE bigint")
    with pytest.raises(InvalidDeclaration, match="changed since it was registered"):
        opened(file)


def test_people_have_one_row_each_whatever_the_table_holds(place: PostgresPlace, schema: str, tmp_path: Path) -> None:
    """User 3 stands there twice; by a constraint of the server, nobody does, and nothing is ranked."""
    file = written(place, schema, tmp_path)
    with closing(opened(file)) as engine:
        query = priced(engine, "SELECT COUNT(*) FROM users")
        assert "row_number" in engine.written(query)[0]
        assert answered(engine, "SELECT COUNT(*) FROM users") == {(): (3,)}
    with place.owner() as owner:
        owner.execute(f"DELETE FROM {schema}.users WHERE age = 51")
        owner.execute(f"ALTER TABLE {schema}.users ADD PRIMARY KEY (user_id)")
    with closing(opened(file)) as engine:
        assert "row_number" not in engine.written(query)[0]
        assert answered(engine, "SELECT COUNT(*) FROM users") == {(): (3,)}
        with place.owner() as owner:
            owner.execute(f"ALTER TABLE {schema}.users DROP CONSTRAINT users_pkey")
        with pytest.raises(EngineFailed):  # what was believed does not hold any more
            answered(engine, "SELECT COUNT(*) FROM users")


# ---- which rows these are -----------------------------------------------------------------------------------------


def loads(place: PostgresPlace, schema: str) -> None:
    with place.owner() as owner:
        owner.execute(f"CREATE TABLE {schema}.loads AS SELECT 1 AS batch")
        owner.execute(f"GRANT SELECT ON {schema}.loads TO {READER}")


def test_a_version_that_changes_is_another_and_no_budget_is_renewed(
    place: PostgresPlace, schema: str, tmp_path: Path
) -> None:
    loads(place, schema)
    file = written(place, schema, tmp_path, more=f'version_query = "SELECT max(batch) FROM {schema}.loads"')
    with sfumato.open(file) as session:
        first = session.sql(COUNT, epsilon=1)
        assert session.sql(COUNT, epsilon=1).receipt == first.receipt  # the same version: the stored answer
        spent = session.budget()[0].spent
        with place.owner() as owner:
            owner.execute(f"INSERT INTO {schema}.loads VALUES (2)")
        with pytest.raises(SfumatoError, match="changed"):
            session.sql(COUNT, epsilon=1)
    with sfumato.open(file) as session:
        assert session.budget()[0].spent == spent
        second = session.sql(COUNT, epsilon=1)
        assert second.receipt != first.receipt
        assert session.budget()[0].spent > spent


def test_the_version_is_that_of_the_snapshot_that_is_read(place: PostgresPlace, schema: str, tmp_path: Path) -> None:
    loads(place, schema)
    file = written(place, schema, tmp_path, more=f'version_query = "SELECT max(batch) FROM {schema}.loads"')
    with closing(opened(file)) as engine:
        before, query = answered(engine), priced(engine, COUNT)
        with engine._server.reading(10) as fetch:
            fetch("SELECT 1 AS one")
            with place.owner() as owner:
                owner.execute(f"DELETE FROM {schema}.visits")
                owner.execute(f"UPDATE {schema}.loads SET batch = 2")
            from sfumato.engines.sql.fetched import exact_table

            table = exact_table(query, engine._statements, fetch)
            now = {key: tuple(int(c[i]) for c in table.columns.values()) for i, key in enumerate(table.keys)}
            assert now == before
        with pytest.raises(EngineFailed):
            engine.aggregate(query)


@pytest.mark.parametrize(
    "query", ["SELECT 1, 2", "SELECT 1 UNION ALL SELECT 2", "SELECT NULL", "SELECT nothing", "SELECT 1 WHERE FALSE"]
)
def test_a_version_query_finds_one_value_or_nothing_is_asked(
    query: str, place: PostgresPlace, schema: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidDeclaration, match="one value"):
        opened(written(place, schema, tmp_path, more=f'version_query = "{query}"'))


# ---- what goes wrong ----------------------------------------------------------------------------------------------


def test_a_statement_that_takes_too_long_is_ended_and_charged_once(
    place: PostgresPlace, schema: str, tmp_path: Path
) -> None:
    with place.owner() as owner:
        owner.execute(f"ALTER TABLE {schema}.visits RENAME TO held")
        owner.execute(f"CREATE VIEW {schema}.visits AS SELECT h.* FROM {schema}.held h, (SELECT pg_sleep(3)) s")
        owner.execute(f"GRANT SELECT ON {schema}.visits TO {READER}")
    file = written(place, schema, tmp_path, more='version = "1"\nengine.timeout = 60')
    sfumato.register(file)
    file.write_text(file.read_text().replace("timeout = 60", "timeout = 0.5"))
    with sfumato.open(file) as session:
        before = session.budget()[0].spent
        with pytest.raises(EngineFailed):
            session.sql(COUNT, epsilon=1, key="once")
        assert session.budget()[0].spent > before


def test_a_server_that_restarts_in_the_middle_is_one_failure_and_one_charge(
    place: PostgresPlace, schema: str, tmp_path: Path
) -> None:
    file = written(place, schema, tmp_path)
    sfumato.register(file)
    with sfumato.open(file) as session:
        first = session.sql(COUNT, epsilon=1)
        with suppress(psycopg.OperationalError), place.owner() as owner:  # a statement waits until the server is gone
            owner.autocommit = False
            owner.execute(f"LOCK TABLE {schema}.visits IN ACCESS EXCLUSIVE MODE")
            outcome: list[BaseException] = []

            def ask() -> None:
                try:
                    session.sql("SELECT COUNT(*) FROM visits", epsilon=1, key="k")
                except BaseException as error:
                    outcome.append(error)

            asking = threading.Thread(target=ask)
            asking.start()
            _wait_for_lock(place, schema)
            place.host.crash()
            asking.join(30)
        assert [type(each) for each in outcome] == [EngineFailed]
        spent = session.budget()[0].spent
        with pytest.raises(SfumatoError) as told:  # the same key never charges twice, and says what became of it
            session.sql("SELECT COUNT(*) FROM visits", epsilon=1, key="k")
        assert session.budget()[0].spent == spent
        assert told.value.problem
        again = session.sql("SELECT COUNT(*) FROM visits", epsilon=1, key="another")
        assert session.budget()[0].spent > spent
        assert again.receipt != first.receipt
        assert session.sql(COUNT, epsilon=1).receipt == first.receipt


def _wait_for_lock(place: PostgresPlace, schema: str) -> None:
    with place.owner() as owner:
        for _ in range(3000):
            found = owner.execute(
                "SELECT 1 FROM pg_stat_activity WHERE usename = %s AND wait_event_type = 'Lock'", [READER]
            ).fetchone()
            if found:
                return
            owner.execute("SELECT pg_sleep(0.01)")
    raise AssertionError(f"nobody waits for {schema}")


def test_an_error_names_no_cell_and_no_word_of_the_server(place: PostgresPlace, schema: str, tmp_path: Path) -> None:
    with place.owner() as owner:
        owner.execute(f"ALTER TABLE {schema}.visits RENAME TO held")
        owner.execute(
            f"CREATE VIEW {schema}.visits AS SELECT user_id, ward, CAST(ward || 'MARKER' AS int) AS days FROM {schema}.held"
        )
        owner.execute(f"GRANT SELECT ON {schema}.visits TO {READER}")
    file = written(place, schema, tmp_path)
    with closing(opened(file)) as engine, pytest.raises(EngineFailed) as refused:
        answered(engine)
    assert "MARKER" not in f"{refused.value!r} {refused.value.hint} {refused.value.__context__}"
    assert refused.value.__cause__ is None
    file = written(place, schema, tmp_path, more='[engine]\nschema = "sfumato"\ncopy = true')
    with place.owner() as owner:
        owner.execute(f"GRANT SELECT ON {schema}.visits TO {WRITER}")
    with pytest.raises(SfumatoError) as told:
        sfumato.register(file, writer=place.url(WRITER))
    assert "MARKER" not in f"{told.value!r} {told.value.hint}"


def test_addresses_are_refused_with_the_line_to_write(place: PostgresPlace, schema: str, tmp_path: Path) -> None:
    file = written(place, schema, tmp_path)
    for change, match in (
        ((f"{schema}.users", f"{schema}.nobody"), "no relation"),
        ((f"{READER}@/", "nobody_at_all@/"), "cannot be reached"),
        ((f"{schema}.users", "a.b.c"), "with its schema"),
    ):
        file.write_text(written(place, schema, tmp_path).read_text().replace(*change))
        with pytest.raises(InvalidDeclaration, match=match) as refused:
            opened(file)
        assert refused.value.hint


def test_public_tables_are_asked_apart_from_the_server(place: PostgresPlace, schema: str, tmp_path: Path) -> None:
    place.put(schema, "wards", pa.table({"ward": ["a", "b", None], "beds": pa.array([3, 4, 5], pa.int32())}))
    file = written(place, schema, tmp_path)
    file.write_text(
        file.read_text() + f'[tables.wards]\nsource = "{place.url()}"\nrelation = "{schema}.wards"\npublic = true\n'
    )
    with sfumato.open(file) as session:
        found = session.sql("SELECT ward, SUM(beds) FROM wards GROUP BY ward ORDER BY ward", epsilon=1)
        assert [row["ward"] for row in found.rows] == ["a", "b", None]
        engine = session.curator._engine
        assert engine.values("wards", "ward") == ("a", "b", None)
        assert engine.repeats("wards", ("ward",)) == 1
        assert engine.repeats("wards", ()) == 3
        assert [list(each) for each in engine.listed("wards", ("beds",))] == [[3, 4, 5]]
        with pytest.raises(SfumatoError):
            engine.values("visits", "ward")


def test_a_dictionary_declares_tables_on_a_server_too(place: PostgresPlace, schema: str) -> None:
    about = {
        "name": "d", "budget": {"epsilon": "5", "delta": "0.1"}, "unit": {"rows": True}, "version": "1",
        "tables": {"visits": {"source": place.url(), "relation": f"{schema}.visits", "columns": {"days": {"lower": 0, "upper": 10}}}},
    }  # fmt: skip
    with closing(postgres.open(declared(about))) as engine:
        assert answered(engine, "SELECT COUNT(*), SUM(days) FROM visits") == {(): (8, 36)}


# ---- what a database may hold besides plain tables -----------------------------------------------------------------


def granted(place: PostgresPlace, schema: str, *statements: str) -> None:
    """Statements of the owner's, after which everything in the schema may be read."""
    with place.owner() as owner:
        for statement in statements:
            owner.execute(statement.format(s=schema))
        owner.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {READER}, {WRITER}")
        owner.execute(f"GRANT USAGE ON SCHEMA {schema} TO {READER}, {WRITER}")


def rows_of(place: PostgresPlace, schema: str, relation: str, **columns: Any) -> Any:
    """An engine over one relation of which each row is protected."""
    return postgres.open(declared({
        "name": "d", "budget": {"epsilon": "50", "delta": "0.1"}, "unit": {"rows": True}, "version": "1",
        "tables": {"visits": {"source": place.url(), "relation": f"{schema}.{relation}", "columns": columns}},
    }))  # fmt: skip


HOSTILE_TYPES = {
    "a domain of decimals": ("CREATE DOMAIN {s}.price AS numeric", "{s}.price", ("1e400", "-1e400", "1e-400", "NaN", "Infinity", "2.5")),
    "a domain of a domain": ("CREATE DOMAIN {s}.inner_price AS numeric; CREATE DOMAIN {s}.price AS {s}.inner_price", "{s}.price", ("1e400", "NaN")),
    "a domain of moments": ("CREATE DOMAIN {s}.seen AS timestamptz", "{s}.seen", ("infinity", "-infinity", "294276-12-31 23:59:59+00", "4713-01-01 00:00:00+00 BC", "2026-01-31 23:30:00-05")),
    "moments with a zone": ("SELECT 1", "timestamptz", ("infinity", "-infinity", "294276-12-31 23:59:59+00", "4713-01-01 00:00:00+00 BC", "2026-01-31 23:30:00-05")),
    "days": ("SELECT 1", "date", ("infinity", "-infinity", "5874897-12-31", "4713-01-01 BC", "2026-01-31")),
    "decimals": ("SELECT 1", "numeric", ("1e400", "-1e400", "1e-400", "NaN", "Infinity", "-Infinity", "9" * 400)),
    "an enumeration whose text is somebody's function": (
        "CREATE TYPE {s}.colour AS ENUM ('red', 'blue');"
        "CREATE FUNCTION {s}.word(c {s}.colour) RETURNS text LANGUAGE plpgsql IMMUTABLE AS"
        " $$ BEGIN IF c::{s}.colour = 'blue'::{s}.colour THEN RAISE EXCEPTION 'no'; END IF; RETURN 'x'; END $$;"
        "CREATE CAST ({s}.colour AS text) WITH FUNCTION {s}.word({s}.colour)", "{s}.colour", ("red", "blue"),
    ),
    "a row that is called as a type": (
        "CREATE TYPE {s}.uuid AS (a int);"
        "CREATE FUNCTION {s}.word(c {s}.uuid) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN 1 / (c.a - 2); END $$;"
        "CREATE CAST ({s}.uuid AS text) WITH FUNCTION {s}.word({s}.uuid)", "{s}.uuid", ("(1)", "(2)"),
    ),
    "a domain of text with an order of its own": ("CREATE DOMAIN {s}.word AS text COLLATE pg_c_utf8", "{s}.word", ("a", "A", "á", "")),
    "padded text": ("SELECT 1", "char(4)", ("a", "a  ", "", "abcd")),
    "several at once": ("SELECT 1", "int[]", ("{{1,2}}", "{{}}")),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE_TYPES)
def test_no_cell_of_any_type_makes_a_statement_fail(name: str, place: PostgresPlace, schema: str) -> None:
    """Whatever is read at all: one cell more, and the same questions still have answers."""
    prepare, written_type, cells = HOSTILE_TYPES[name]
    given = ", ".join(f"({i}, '{cell}')" for i, cell in enumerate(cells)).format(s=schema)
    granted(
        place, schema, *prepare.split(";") if "$$" not in prepare else [prepare],
        f"CREATE TABLE {{s}}.odd (n int, v {written_type})", f"INSERT INTO {schema}.odd VALUES {given}".replace("{", "{{").replace("}", "}}"),
    )  # fmt: skip
    with closing(rows_of(place, schema, "odd")) as engine:
        assert answered(engine, "SELECT COUNT(*) FROM visits") == {(): (len(cells),)}
        kinds = dict(engine.schema("visits"))
        if kinds["v"] is None:
            return
        found = answered(engine, "SELECT v, COUNT(*) FROM visits GROUP BY v")
        assert sum(count for (count, *_) in found.values()) == len(cells)
        answered(
            engine, "SELECT COUNT(CAST(v AS TEXT)), COUNT(DISTINCT v), COUNT(*) FILTER (WHERE v IS NULL) FROM visits"
        )
    if "text with an order" in name:
        assert sorted(key for (key,) in found) == ["", "A", "a", "á"]


def test_rows_of_a_table_that_inherits_are_those_of_no_index(place: PostgresPlace, schema: str, tmp_path: Path) -> None:
    """A primary key knows nothing of the rows of tables that inherit, which are read with it."""
    granted(
        place, schema, "DELETE FROM {s}.users WHERE age = 51", "ALTER TABLE {s}.users ADD PRIMARY KEY (user_id)",
        "CREATE TABLE {s}.former (left_at date) INHERITS ({s}.users)", "INSERT INTO {s}.former VALUES (1, 31), (1, 32), (4, 60)",
    )  # fmt: skip
    with closing(opened(written(place, schema, tmp_path))) as engine:
        assert answered(engine, "SELECT COUNT(*) FROM users") == {(): (4,)}
        assert "row_number" in engine.written(priced(engine, "SELECT COUNT(*) FROM users"))[0]


def test_a_key_that_may_repeat_from_now_on_is_not_read_as_if_it_did_not(place: PostgresPlace, schema: str) -> None:
    """The key to visits is unique when it is opened, and not any more when a question is asked."""
    granted(
        place, schema, "CREATE TABLE {s}.stays (stay_id int PRIMARY KEY, user_id bigint)", "INSERT INTO {s}.stays VALUES (1, 1), (2, 2)",
        "CREATE TABLE {s}.meals (stay_id int, price int)", "INSERT INTO {s}.meals VALUES (1, 5), (2, 6)",
    )  # fmt: skip
    tables = {
        "users": {}, "stays": {"foreign_keys": {"user_id": "users.user_id"}, "rows_per_person": 2},
        "meals": {"foreign_keys": {"stay_id": "stays.stay_id"}, "rows_per_person": 2},
    }  # fmt: skip
    made = declared({
        "name": "d", "budget": {"epsilon": "50", "delta": "0.1"}, "unit": {"person": "users.user_id"}, "version": "1",
        "tables": {name: {"source": place.url(), "relation": f"{schema}.{name}", **about} for name, about in tables.items()},
    })  # fmt: skip
    with closing(postgres.open(made)) as engine:
        ((before,),) = answered(engine, "SELECT COUNT(*) FROM meals").values()
        assert before > 0
        granted(
            place,
            schema,
            "ALTER TABLE {s}.stays DROP CONSTRAINT stays_pkey",
            "INSERT INTO {s}.stays SELECT 1, 1 FROM generate_series(1, 9)",
        )
        with pytest.raises(EngineFailed):
            answered(engine, "SELECT COUNT(*) FROM meals")


@pytest.mark.parametrize("drawn", ["TABLESAMPLE BERNOULLI (50)", "WHERE random() < 0.5"])
def test_a_view_that_draws_its_rows_is_read_once(drawn: str, place: PostgresPlace, schema: str) -> None:
    """Weights of a person and rows of a person are those of one drawing: nobody weighs more than they may."""
    granted(
        place, schema, "CREATE TABLE {s}.many AS SELECT 1::bigint AS user_id, 'a' AS ward FROM generate_series(1, 12)",
        f"CREATE VIEW {{s}}.some AS SELECT m.* FROM {{s}}.many m {drawn}",
    )  # fmt: skip
    made = declared({
        "name": "d", "budget": {"epsilon": "500", "delta": "0.1"}, "unit": {"person": "visits.user_id"}, "version": "1",
        "tables": {"visits": {"source": place.url(), "relation": f"{schema}.some", "rows_per_person": 2,
                              "columns": {"ward": {"values": ["a", "b"]}}}},
    })  # fmt: skip
    with closing(postgres.open(made)) as engine:
        query = priced(engine, "SELECT ward, COUNT(*) FROM visits GROUP BY ward")
        for _ in range(25):
            table = engine.aggregate(query)
            assert sum(int(each) for each in table.columns[0]) <= 2 * query.weights.whole


def test_a_server_that_does_not_take_our_settings_is_refused(place: PostgresPlace, schema: str, tmp_path: Path) -> None:
    """A pool of connections may leave them out: then nothing says that a session only reads, and in which zone."""
    from sfumato.engines.postgres import connection

    file = written(place, schema, tmp_path)
    for setting in (
        "default_transaction_read_only",
        "default_transaction_isolation",
        "search_path",
        "TimeZone",
        "row_security",
    ):
        left_out = " ".join(
            f"-c {each}" for each in connection._SETTINGS.split("-c ") if each and not each.startswith(setting)
        )
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(connection, "_SETTINGS", left_out)
            if setting in ("TimeZone", "row_security"):  # what the server has by itself is what we want
                with place.owner() as owner:
                    owner.execute(
                        f"ALTER ROLE {READER} SET {setting} = '{'Asia/Tokyo' if setting == 'TimeZone' else 'off'}'"
                    )
            try:
                with pytest.raises(InvalidDeclaration, match="settings"):
                    opened(file)
            finally:
                with place.owner() as owner:
                    owner.execute(f"ALTER ROLE {READER} RESET ALL")


@pytest.mark.parametrize("query", [
    "SELECT 1; COMMIT; SELECT 2", "WITH d AS (DELETE FROM {s}.loads RETURNING batch) SELECT max(batch) FROM d",
    "UPDATE {s}.loads SET batch = 7 RETURNING batch", "SELECT {s}.writes()", "COMMIT", "SET TimeZone = 'Asia/Tokyo'",
])  # fmt: skip
def test_a_version_query_reads_and_does_nothing_else(
    query: str, place: PostgresPlace, schema: str, tmp_path: Path
) -> None:
    loads(place, schema)
    granted(
        place, schema, "CREATE FUNCTION {s}.writes() RETURNS int LANGUAGE sql AS 'INSERT INTO {s}.loads VALUES (9) RETURNING 9'",
    )  # fmt: skip
    with pytest.raises(InvalidDeclaration, match="one value"):
        opened(written(place, schema, tmp_path, more=f'version_query = "{query.format(s=schema)}"'))
    with place.owner() as owner:
        assert owner.execute(f"SELECT batch FROM {schema}.loads").fetchall() == [(1,)]
    for honest in ("SELECT max(batch) FROM {s}.loads", "WITH x AS (SELECT 1) SELECT 2 FROM x -- and no more"):
        opened(written(place, schema, tmp_path, more=f'version_query = "{honest.format(s=schema)}"')).close()


NAMES = (
    'a"b',
    "a%s",
    "%(x)s %%",
    "a\\b",
    "a\nb",
    "a'b",
    "a;--",
    "a.b",
    "SELECT",
    "c0",
    "sfumato",
    "é𝔘",
    "a`b",
    "x" * 60,
)


def test_names_and_declared_values_are_never_read_as_statements(place: PostgresPlace, schema: str) -> None:
    quoted = ['"' + name.replace('"', '""') + '"' for name in NAMES]
    texts = ("it's", 'a"b', "a\\'b", "%s", "a\nb", "$$", "'; DROP TABLE x; --", "")
    with place.owner() as owner:
        owner.execute(
            f"CREATE TABLE {schema}.odd (user_id bigint, {', '.join(f'{each} text' for each in quoted)})".encode()
        )
        for at, text in enumerate(texts):
            held = "'" + text.replace("'", "''") + "'"
            owner.execute(f"INSERT INTO {schema}.odd VALUES ({at}, {', '.join(held for _ in NAMES)})".encode())
    granted(place, schema)
    made = declared({
        "name": "d", "budget": {"epsilon": "500", "delta": "0.1"}, "unit": {"person": "visits.user_id"}, "version": "1",
        "tables": {"visits": {"source": place.url(), "relation": f"{schema}.odd", "rows_per_person": 2,
                              "columns": {name: {"values": list(texts)} for name in NAMES if name != "a.b"}}},
    })  # fmt: skip
    with closing(postgres.open(made)) as engine:
        for name in NAMES[:2] + NAMES[2:7]:
            written_name = '"' + name.replace('"', '""') + '"'
            text = f"SELECT {written_name}, COUNT(*) FROM visits WHERE {written_name} <> 'it''s %s \\' GROUP BY 1"
            found = answered(engine, text)
            assert sum(count > 0 for (count, *_) in found.values()) == len(texts), name
