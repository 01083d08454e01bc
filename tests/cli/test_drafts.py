"""Drafts that work as they are, and words that are true: `init`, `check` and `register` on odd names and types."""

import json
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.cli import main
from sfumato.cli.command import Exit
from sfumato.data import Kind, keys_by_name, read_declaration


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def fill_in(made: str) -> None:
    """What only the owner knows: how many rows of a person count."""
    text = Path(made).read_text(encoding="utf-8")
    assert '\nrows_per_person = "?"' in text
    Path(made).write_text(text.replace('\nrows_per_person = "?"', "\nrows_per_person = 20"), encoding="utf-8")


def err(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().err


@pytest.mark.parametrize(("source", "output"), [
    ("data/visits.csv", "clinic.toml"), ("data/visits.csv", "data/clinic.toml"), ("visits.csv", "made/clinic.toml"),
    ("data/visits.csv", "made/deep/clinic.toml"), ("data/visits.csv", "link/clinic.toml"), ("data/visits.csv", None),
])  # fmt: skip
def test_a_draft_finds_its_source_from_wherever_it_is(source: str, output: str | None, folder: Path) -> None:
    for name in ("data", "made/deep"):
        (folder / name).mkdir(parents=True)
    (folder / "link").symlink_to(folder / "made" / "deep")
    Path(source).write_text("id,x\n1,2\n", encoding="utf-8")
    assert main(["init", source, "--rows", *(["-o", output] if output else [])]) == Exit.DONE
    made = output or "data/visits.toml"
    (table,) = read_declaration(made).tables
    assert Path(table.files[0]).resolve() == (folder / source).resolve()
    assert main(["check", "-d", made]) == Exit.DONE


@pytest.mark.parametrize(("file", "header", "person"), [
    ("données.csv", "id,x", "id"), ("q.csv", '"i""d",x.y', 'i"d'), ("q.csv", '"i""d",x.y', "x.y"), ("w.csv", "naïve,b c", "b c"),
    ("z.csv", "a\\b,c", "a\\b"), ("2025 data.csv", "id,x", "id"),
])  # fmt: skip
def test_a_draft_of_any_names_can_be_checked_and_registered(file: str, header: str, person: str) -> None:
    Path(file).write_text(f"{header}\n1,2\n", encoding="utf-8")
    assert main(["init", file, "--person", person]) == Exit.DONE
    made = str(Path(file).with_suffix(".toml"))
    assert main(["check", "-d", made]) == Exit.REFUSED
    fill_in(made)
    assert main(["check", "-d", made]) == Exit.DONE
    assert main(["register", made]) == Exit.DONE
    unit = read_declaration(made).unit
    assert unit is not None
    assert unit[1] == person


def test_what_cannot_be_drafted_is_told_in_the_options_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.csv").write_text("id,x\n1,2\n", encoding="utf-8")
    assert main(["init", "a.csv", "-o", "nowhere/a.toml"]) == Exit.REFUSED
    assert "cannot write nowhere/a.toml\n\nhint: make its folder first" in err(capsys)
    assert main(["init", "a.csv", "--separator", ";;"]) == Exit.REFUSED
    assert "hint: say which, one sign: sfumato init --separator ';'" in err(capsys)
    assert main(["init", "a.csv", "--decimal", ";"]) == Exit.REFUSED
    assert "sfumato init --decimal ," in err(capsys)
    Path("wide.csv").write_bytes("id,x\n1,2\n".encode("utf-16"))
    assert main(["init", "wide.csv"]) == Exit.REFUSED
    assert "sfumato init --encoding utf-16" in err(capsys)
    assert main(["init", "wide.csv", "--rows", "--encoding", "utf-16"]) == Exit.DONE
    Path("tabs.txt").write_text("id\tx\n1\t2\n", encoding="utf-8")
    assert main(["init", "tabs.txt"]) == Exit.REFUSED
    assert "sfumato init --separator '\\t'" in err(capsys)
    assert main(["init", "tabs.txt", "--rows", "--separator", "\\t"]) == Exit.DONE
    assert main(["check", "-d", "tabs.toml"]) == Exit.DONE
    assert main(["register"]) == Exit.REFUSED
    assert "say which: sfumato register tabs.toml or sfumato register wide.toml" in err(capsys)
    assert main(["check"]) == Exit.REFUSED
    assert "say which: --dataset tabs.toml or --dataset wide.toml" in err(capsys)


def test_columns_that_no_question_can_read_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    pq.write_table(
        pa.table({"id": [1], "seen": pa.array([5], pa.timestamp("ns", "UTC")), "none": pa.nulls(1)}), "t.parquet"
    )
    assert main(["init", "t.parquet", "--rows"]) == Exit.DONE
    assert "# seen: TIMESTAMPTZ_NS, which no question can read" in Path("t.toml").read_text(encoding="utf-8")
    for words in (["check"], ["register"]):
        err(capsys)
        assert main(words) == Exit.DONE
        assert "t.seen is TIMESTAMPTZ_NS, which no question can read: it is left out" in err(capsys)
        assert main([*words, "--json"]) == Exit.DONE
        found = json.loads(capsys.readouterr().out)
        left = found["left_out"]["t"] if "left_out" in found else found["tables"]["t"]["left_out"]
        assert set(left) == {"seen", "none"}
    with duckdb.connect("u.duckdb") as connection:
        connection.execute("CREATE TABLE u (id INTEGER, j JSON, b BIGNUM, l INTEGER[])")
    assert main(["init", "u.duckdb", "--rows"]) == Exit.DONE
    err(capsys)
    assert main(["check", "-d", "u.toml"]) == Exit.DONE
    told = err(capsys)
    assert all(f"u.{name} is " in told for name in "jbl")
    text = (
        Path("u.toml")
        .read_text(encoding="utf-8")
        .replace('source = "u.duckdb"', 'source = "u.duckdb"\nhidden = ["j", "b", "L"]')
    )
    Path("u.toml").write_text(text, encoding="utf-8")
    assert main(["check", "-d", "u.toml"]) == Exit.DONE
    assert "no question can read" not in err(capsys)


def test_a_file_that_is_no_anchor_is_named_and_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    Path("t.csv").write_text("id\n4711\n", encoding="utf-8")
    assert main(["init", "t.csv", "--rows"]) == Exit.DONE
    text = Path("t.toml").read_text(encoding="utf-8")
    Path("t.toml").write_text(f'anchor = "t.csv"\n{text}', encoding="utf-8")
    assert main(["sql", "SELECT COUNT(*) FROM t", "-e", "1"]) != Exit.DONE
    told = err(capsys)
    assert "is not an anchor" in told
    assert "4711" not in told


@pytest.mark.parametrize(("source", "output", "table"), [
    ("visits/", "visits.toml", "visits"), ("visits/*.parquet", "visits.toml", "visits"), ("visits/*/*.parquet", "visits.toml", "visits"),
    ("./visits/", "made/c.toml", "visits"),
])  # fmt: skip
def test_a_folder_or_a_pattern_is_drafted_checked_and_registered(
    source: str, output: str, table: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("visits/day=1", "made"):
        (folder / name).mkdir(parents=True)
    for name in ("visits/a.parquet", "visits/day=1/b.parquet"):
        pq.write_table(pa.table({"id": [1, 2]}), folder / name)
    assert main(["init", source, "--person", "id", *(["-o", output] if "made" in output else [])]) == Exit.DONE
    (made,) = read_declaration(output).tables
    assert made.name == table
    fill_in(output)
    assert main(["check", "-d", output]) == Exit.DONE
    number = {"visits/*.parquet": 1, "visits/*/*.parquet": 1}.get(source, 2)
    assert f"finds {number} files" in err(capsys)
    assert main(["register", output]) == Exit.DONE


@pytest.mark.parametrize(
    "source", ["postgresql://grace:secret@db/x", "postgresql://grace:secret@db", "postgresql://grace@db"]
)
def test_an_address_is_drafted_by_no_engine_and_shows_nobody(
    source: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", source]) == Exit.REFUSED
    told = err(capsys)
    assert "hint:" in told
    assert not [word for word in ("grace", "secret") if word in told]
    assert list(folder.iterdir()) == []


# ---- several tables ----


@pytest.fixture
def linked() -> None:
    pq.write_table(pa.table({"patient": [1, 2, 3], "age": [30, 40, 50]}), "patients.parquet")
    pq.write_table(pa.table({"patient": [1, 1, 2], "ward": ["a", "b", "a"], "days": [1, 2, 3]}), "visits.parquet")


@pytest.mark.usefixtures("linked")
def test_several_files_are_one_declaration_with_the_keys_that_names_suggest(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "patients.parquet", "visits.parquet", "--person", "patients.patient"]) == Exit.DONE
    told = err(capsys)
    made = next(folder.glob("*.toml")).name  # called as the folder, and not as one of its files
    assert made not in ("patients.toml", "visits.toml")
    assert "key: visits.patient leads to patients.patient" in told
    text = Path(made).read_text(encoding="utf-8")
    assert "no row was read" in text
    declared = read_declaration(made)
    assert declared.unit == ("patients", "patient")
    assert [table.foreign_keys for table in declared.tables] == [(), (("patient", "patients", "patient"),)]
    fill_in(made)
    for words in (
        ["check", "-d", made],
        ["register", made],
        ["sql", "SELECT COUNT(*) AS n FROM visits", "-e", "1", "-d", made],
    ):
        assert main(words) == Exit.DONE


@pytest.mark.usefixtures("linked")
def test_who_one_person_is_is_left_to_the_owner_where_tables_are_linked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "visits.parquet", "patients.parquet", "-o", "own.toml"]) == Exit.DONE
    text = Path("own.toml").read_text(encoding="utf-8")
    assert '# person = "patients.patient"' in text
    assert "\nrows = true" not in text
    err(capsys)
    assert main(["check", "-d", "own.toml"]) == Exit.REFUSED
    assert "[unit] must say what one person is" in err(capsys)
    Path("own.toml").write_text(text.replace('# person = "patients', 'person = "patients'), encoding="utf-8")
    fill_in("own.toml")
    assert main(["check", "-d", "own.toml"]) == Exit.DONE


@pytest.mark.usefixtures("linked")
def test_rows_are_read_only_when_it_is_said_and_then_the_draft_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    pq.write_table(pa.table({"code": ["a", "b"], "name": ["A", "B"]}), "wards.parquet")
    pq.write_table(pa.table({"code": ["a", "a", "b"], "x": [1, 2, 3]}), "stays.parquet")
    assert main(["init", "stays.parquet", "wards.parquet", "-o", "-"]) == Exit.DONE
    drafted = capsys.readouterr()
    assert "foreign_keys" not in drafted.out  # no name says that a code is a ward's
    assert "no row was read" in drafted.out
    assert main(["init", "stays.parquet", "wards.parquet", "--look", "-o", "-"]) == Exit.DONE
    drafted = capsys.readouterr()
    assert 'foreign_keys = { code = "wards.code" }   # their values do not repeat there' in drafted.out
    assert "rows were read" in drafted.out
    assert "the owner's to publish or not" in drafted.err
    assert main(["init", "patients.parquet", "visits.parquet", "--look", "-o", "-"]) == Exit.DONE
    assert 'patient = "patients.patient"' in capsys.readouterr().out


def test_a_look_refuses_a_key_whose_values_repeat(capsys: pytest.CaptureFixture[str]) -> None:
    pq.write_table(pa.table({"user_id": [1, 1, 2], "name": ["a", "b", "c"]}), "users.parquet")
    pq.write_table(pa.table({"user_id": [1, 2, 2]}), "orders.parquet")
    assert main(["init", "orders.parquet", "users.parquet", "-o", "-"]) == Exit.DONE
    assert "foreign_keys" in capsys.readouterr().out
    assert main(["init", "orders.parquet", "users.parquet", "--look", "-o", "-"]) == Exit.DONE
    assert "foreign_keys" not in capsys.readouterr().out


@pytest.mark.parametrize("words", [[], ["--look"]])
def test_all_tables_of_a_database_are_drafted_and_no_view(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with duckdb.connect("shop.duckdb") as connection:
        connection.execute("CREATE TABLE users (id INTEGER, name TEXT)")
        connection.execute("CREATE TABLE orders (order_id INTEGER, user_id INTEGER, paid DOUBLE)")
        connection.execute("INSERT INTO users VALUES (1, 'ann'), (2, 'bob')")
        connection.execute("INSERT INTO orders VALUES (1, 1, 2.5), (2, 1, 3.5)")
        connection.execute("CREATE VIEW seen AS SELECT * FROM users")
    assert main(["init", "shop.duckdb", "--person", "users.id", *words]) == Exit.DONE
    told = err(capsys)
    assert "orders: order_id, user_id, paid\nusers: id, name" in told
    assert not [name for name in ("ann", "bob", "2.5") if name in told + Path("shop.toml").read_text(encoding="utf-8")]
    made = read_declaration("shop.toml")
    assert [table.name for table in made.tables] == ["orders", "users"]
    assert made.tables[0].foreign_keys == (("user_id", "users", "id"),)
    fill_in("shop.toml")
    assert main(["register", "shop.toml"]) == Exit.DONE
    err(capsys)
    assert main(["init", "shop.duckdb", "--table", "user", "-o", "-"]) == Exit.REFUSED
    assert "did you mean `users`?" in err(capsys)
    assert main(["init", "shop.duckdb", "--table", "users", "-o", "-"]) == Exit.DONE
    assert "[tables.orders]" not in capsys.readouterr().out


def test_what_cannot_be_one_draft_is_refused_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a").mkdir()
    for name in ("t.csv", "a/t.csv"):
        Path(name).write_text("id,x\n1,2\n", encoding="utf-8")
    assert main(["init", "t.csv", "a/t.csv", "-o", "-"]) == Exit.REFUSED
    assert "two tables would be called `t`" in err(capsys)
    assert main(["init", "t.csv", "a/t.csv", "--table", "u", "-o", "-"]) == Exit.USAGE
    assert "--table names one table" in err(capsys)
    with duckdb.connect("none.duckdb"):
        pass
    assert main(["init", "none.duckdb"]) == Exit.REFUSED
    assert "none.duckdb has no tables" in err(capsys)
    Path("fake.duckdb").write_text("not a database", encoding="utf-8")
    assert main(["init", "fake.duckdb"]) == Exit.REFUSED
    assert "not a DuckDB database" in err(capsys)


def test_a_dialect_is_that_of_the_files_of_lines_alone(capsys: pytest.CaptureFixture[str]) -> None:
    Path("visits.csv").write_text("who;x\n1;2\n", encoding="utf-8")
    pq.write_table(pa.table({"id": [1]}), "whos.parquet")
    assert main(["init", "visits.csv", "whos.parquet", "--separator", ";", "-o", "-"]) == Exit.DONE
    text = capsys.readouterr().out
    assert text.count("dialect") == 1
    assert text.index("visits.csv") < text.index("dialect") < text.index("whos.parquet")


NAMES = [
    ({"patients": ["patient"], "visits": ["patient"]}, [("visits", "patient", "patients", "patient")]),
    ({"users": ["id"], "orders": ["id", "user_id"]}, [("orders", "user_id", "users", "id")]),
    ({"cities": ["city_id"], "people": ["person", "city_id"]}, [("people", "city_id", "cities", "city_id")]),
    ({"people": ["person"], "trips": ["Person"]}, [("trips", "Person", "people", "person")]),
    ({"boxes": ["box"], "items": ["box"]}, [("items", "box", "boxes", "box")]),
    ({"a": ["x"], "b": ["x"]}, []),
    ({"users": ["id"], "orders": ["id"]}, []),
]


@pytest.mark.parametrize(("tables", "found"), NAMES)
def test_keys_are_proposed_by_names(tables: dict[str, list[str]], found: list[tuple[str, ...]]) -> None:
    columns = {name: [(column, Kind.INTEGER) for column in each] for name, each in tables.items()}
    assert keys_by_name(columns) == found


def test_keys_join_columns_of_one_kind_and_never_go_round() -> None:
    assert keys_by_name({"users": [("id", Kind.INTEGER)], "orders": [("user_id", Kind.TEXT)]}) == []
    both = {"users": [("user_id", Kind.TEXT)], "accounts": [("user_id", Kind.TEXT)]}
    (key,) = keys_by_name(both, lambda *_: True)  # no value repeats at either end: the name decides
    assert (key.table, key.target) == ("accounts", "users.user_id")
    alike = {"a": [("x", Kind.TEXT)], "b": [("x", Kind.TEXT)]}
    assert keys_by_name(alike, lambda *_: True) == []


def test_who_one_person_is_is_left_to_the_owner_where_it_is_one_table_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A draft that protected rows answered with bars for people who have five rows each, without a word."""
    monkeypatch.chdir(tmp_path)
    Path("visits.csv").write_text("patient_id,cost\n1,2\n1,3\n")
    assert main(["init", "visits.csv"]) == Exit.DONE
    assert "who one person is" in capsys.readouterr().err
    text = Path("visits.toml").read_text()
    assert "\nrows = true" not in text
    assert '# person = "visits.patient_id"' in text
    assert main(["check"]) == Exit.REFUSED
    assert main(["init", "visits.csv", "--rows", "--person", "patient_id", "-o", "-"]) == Exit.USAGE
