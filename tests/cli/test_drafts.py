"""Drafts that work as they are, and words that are true: `init`, `check` and `register` on odd names and types."""

import json
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.cli import main
from sfumato.cli.command import Exit
from sfumato.data import read_declaration


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


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
    assert main(["init", source, *(["-o", output] if output else [])]) == Exit.DONE
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
    assert main(["init", "wide.csv", "--encoding", "utf-16"]) == Exit.DONE
    Path("tabs.txt").write_text("id\tx\n1\t2\n", encoding="utf-8")
    assert main(["init", "tabs.txt"]) == Exit.REFUSED
    assert "sfumato init --separator '\\t'" in err(capsys)
    assert main(["init", "tabs.txt", "--separator", "\\t"]) == Exit.DONE
    assert main(["check", "-d", "tabs.toml"]) == Exit.DONE
    assert main(["register"]) == Exit.REFUSED
    assert "say which: sfumato register tabs.toml or sfumato register wide.toml" in err(capsys)
    assert main(["check"]) == Exit.REFUSED
    assert "say which: --dataset tabs.toml or --dataset wide.toml" in err(capsys)


def test_columns_that_no_question_can_read_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    pq.write_table(
        pa.table({"id": [1], "seen": pa.array([5], pa.timestamp("ns", "UTC")), "none": pa.nulls(1)}), "t.parquet"
    )
    assert main(["init", "t.parquet"]) == Exit.DONE
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
    assert main(["init", "u.duckdb"]) == Exit.DONE
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
    assert main(["init", "t.csv"]) == Exit.DONE
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
