"""The commands on a small hospital: data to stdout, messages to stderr, JSON, exit codes, and a README that is true."""

import json
import re
from pathlib import Path

import pytest

from cli.test_drafts import fill_in
from json_schema import faults
from sfumato.cli import main
from sfumato.cli.command import Exit
from sfumato.curator.documents import schema
from sfumato.data import read_declaration
from sfumato.demo import hospital


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hospital")
    hospital.build(folder, people=2000, visits=20_000)
    return folder


@pytest.fixture
def folder(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("patients.parquet", "visits.parquet", "hospital.toml"):
        (tmp_path / name).write_bytes((built / name).read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def said(capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    captured = capsys.readouterr()
    return captured.out, captured.err


@pytest.mark.usefixtures("folder")
def test_an_answer_goes_to_stdout_and_its_cost_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", "SELECT COUNT(*) AS n FROM visits", "-e", "0.5"]) == Exit.DONE
    out, err = said(capsys)
    assert re.search(r"\d,\d{3} ± \d+", out)
    assert "cost ε = 0.5 · left ε = 2.5" in err


@pytest.mark.usefixtures("folder")
def test_json_is_one_document_with_everything(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", "-e", "0.5", "--json"]) == Exit.DONE
    answer = json.loads(said(capsys)[0])
    assert [(each["name"], each["kind"], each["role"]) for each in answer["columns"]] == [
        ("ward", "text", "key"),
        ("n", "integer", "value"),
    ]
    assert [row[0] for row in answer["rows"]] == [*sorted(hospital.WARDS), None]
    assert answer["cost"]["epsilon"] == {"number": 0.5, "exact": "0.5"}
    assert answer["cost"]["rho"] is None


@pytest.mark.usefixtures("folder")
def test_a_key_names_a_request(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["sql", "SELECT AVG(age) AS a FROM patients", "-e", "0.2", "--key", "request 1", "--json"]
    assert main(words) == main(words) == Exit.DONE
    first, second = map(json.loads, said(capsys)[0].splitlines())
    assert first["rows"] == second["rows"]
    assert second["repeated"]


@pytest.mark.usefixtures("folder")
def test_explain_is_free_and_says_whether_the_budget_allows(capsys: pytest.CaptureFixture[str]) -> None:
    question = "SELECT COUNT(*) AS n FROM visits"
    assert main(["explain", question, "-e", "1"]) == Exit.DONE
    assert "geometric noise" in said(capsys)[0]
    assert main(["explain", question, "-e", "4", "--json"]) == Exit.REFUSED
    assert json.loads(said(capsys)[0])["affordable"] is False
    assert main(["budget", "--json"]) == Exit.DONE
    assert [each["spent"]["exact"] for each in json.loads(said(capsys)[0])["balances"]] == ["0", "0"]


@pytest.mark.usefixtures("folder")
def test_a_budget_is_shown_with_the_share_that_is_spent(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", "SELECT COUNT(*) AS n FROM visits", "-e", "1.5"]) == Exit.DONE
    assert main(["budget"]) == Exit.DONE
    assert f"{'█' * 5}{'░' * 5}" in said(capsys)[0].replace("\n", "")


@pytest.mark.usefixtures("folder")
def test_refusals_and_bad_words_have_their_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", "SELECT COUNT(*) FROM visit", "-e", "1"]) == Exit.REFUSED
    assert "no table `visit` (line 1, column 22)" in said(capsys)[1]
    assert main(["sql", "SELECT COUNT(*) FROM visits", "-e", "3.5"]) == Exit.REFUSED
    assert "ε = 3 is left" in said(capsys)[1]
    assert main(["sql", "SELECT COUNT(*) FROM visits", "-e", "nan"]) == Exit.USAGE
    assert main(["sql", "SELECT COUNT(*) FROM visits"]) == Exit.USAGE
    assert main(["sql", "SELECT 1", "-e", "1", "-d", "nothing.toml"]) == Exit.REFUSED


@pytest.mark.usefixtures("folder")
def test_the_log_shows_charges_and_not_answers(capsys: pytest.CaptureFixture[str]) -> None:
    main(["sql", "SELECT COUNT(*) AS n FROM visits", "-e", "0.5"])
    said(capsys)
    assert main(["log", "--verify"]) == Exit.DONE
    out, err = said(capsys)
    assert "reserve" in out
    assert "ε = 0.5" in out
    assert "verified: sfumato-anchor" in err
    assert main(["log", "--json"]) == Exit.DONE
    entries = json.loads(said(capsys)[0])["entries"]
    assert entries
    assert not any("release" in entry for entry in entries)


def test_check_reads_schemas_and_registers_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == Exit.DONE
    assert "8 public values" in said(capsys)[0]
    assert not (folder / "hospital.ledger").exists()
    assert not (folder / ".sfumato").exists()
    assert not (folder / "hospital.registration").exists()
    assert main(["check", "--json"]) == Exit.DONE
    assert {"table": "visits", "column": "days", "kind": "integer"}.items() <= json.loads(said(capsys)[0])["columns"][
        5
    ].items()


def test_a_draft_comes_from_the_schema_and_never_replaces_a_file(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "visits.parquet", "--person", "patient"]) == Exit.DONE
    text = (folder / "visits.toml").read_text(encoding="utf-8")
    assert 'person = "visits.patient"' in text
    assert 'cost = { type = "real" }' in text
    assert main(["init", "visits.parquet", "--person", "patient"]) == Exit.REFUSED
    assert "is there already" in said(capsys)[1]
    assert main(["init", "visits.parquet", "--person", "nobody", "-o", "-"]) == Exit.REFUSED
    assert main(["check", "-d", "visits.toml"]) == Exit.REFUSED
    fill_in("visits.toml")
    assert main(["check", "-d", "visits.toml"]) == Exit.DONE
    assert main(["init", "patients.parquet", "-o", "-"]) == Exit.DONE
    assert "rows = true" in said(capsys)[0]


def test_who_sits_there_is_asked_for_what_only_they_know(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = iter(["patient", "2", "surgery, oncology", "0 30", "0 20000", ""])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    assert main(["init", "visits.parquet", "-o", "asked.toml"]) == Exit.DONE
    made = read_declaration(folder / "asked.toml")
    assert made.unit == ("visits", "patient")
    assert made.budget.epsilon == 2
    ward, days = (made.tables[0].column(name) for name in ("ward", "days"))
    assert ward is not None
    assert ward.values == ("surgery", "oncology")
    assert days is not None
    assert (days.lower, days.upper) == (0, 30)  # type: ignore[comparison-overlap]
    assert "who a row is about" in said(capsys)[1]


def test_two_declarations_must_be_told_apart(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "other.toml").write_bytes((folder / "hospital.toml").read_bytes())
    assert main(["budget"]) == Exit.REFUSED
    assert "--dataset" in said(capsys)[1]


def test_check_and_init_read_no_row_of_a_file_of_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second line is malformed: whoever read it would say so."""
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text('who,town\n1,"a"b\n', encoding="utf-8")
    assert main(["init", "people.csv", "--person", "who"]) == Exit.DONE
    text = Path("people.toml").read_text(encoding="utf-8")
    assert "no row was read" in text
    assert "# or integer, real, boolean, date, timestamp" in text
    fill_in("people.toml")
    assert main(["check"]) == Exit.DONE
    assert "no row was read and nothing was written" in said(capsys)[1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv", "people.toml"]
    assert main(["register"]) == Exit.REFUSED
    assert "line 2: text after a closing quote" in said(capsys)[1]


def test_a_file_of_another_dialect_is_drafted_with_its_dialect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kosten.csv").write_bytes("Patient;Größe\n1;1,75\n2;1,80\n".encode("latin-1"))
    assert main(["init", "kosten.csv"]) == Exit.REFUSED
    assert "sfumato init --encoding latin-1" in said(capsys)[1]
    assert main(["init", "kosten.csv", "--encoding", "latin-1"]) == Exit.REFUSED
    assert "sfumato init --separator ';'" in said(capsys)[1]
    words = ["--encoding", "latin-1", "--separator", ";", "--decimal", ",", "--person", "Patient"]
    assert main(["init", "kosten.csv", *words]) == Exit.DONE
    text = Path("kosten.toml").read_text(encoding="utf-8")
    Path("kosten.toml").write_text(
        text.replace('"Größe" = { type = "text" }', '"Größe" = { type = "real" }'), encoding="utf-8"
    )
    fill_in("kosten.toml")
    assert main(["register", "--json"]) == Exit.DONE
    found = json.loads(said(capsys)[0])["tables"]["kosten"]
    assert found == {
        "rows": 2,
        "columns": {"Patient": {"type": "text", "became_null": 0}, "Größe": {"type": "real", "became_null": 0}},
    }


def test_register_tells_the_owner_what_became_null(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("paid.csv").write_text('who,paid\n1,1200.50\n2,"1,200.50"\nabc,3\n', encoding="utf-8")
    assert main(["init", "paid.csv", "--person", "who"]) == Exit.DONE
    text = Path("paid.toml").read_text(encoding="utf-8").replace('paid = { type = "text" }', 'paid = { type = "real" }')
    assert 'who = { type = "text" }' in text
    text = text.replace('who = { type = "text" }', 'who = { type = "integer" }')
    Path("paid.toml").write_text(text, encoding="utf-8")
    fill_in("paid.toml")
    said(capsys)
    assert main(["register", "paid.toml"]) == Exit.DONE
    out, err = said(capsys)
    assert "became NULL" in out
    assert "2 cells are not of their declared kind" in err
    assert "1 rows of paid name no person by who: they are nobody's" in err
    assert "for the owner alone" in err
    assert main(["register", "paid.toml", "--json"]) == Exit.DONE
    assert json.loads(said(capsys)[0])["tables"]["paid"]["columns"]["paid"] == {"type": "real", "became_null": 1}
    assert main(["register", "--append"]) == Exit.DONE
    said(capsys)
    assert main(["sql", "SELECT COUNT(*) AS n FROM paid", "-e", "1"]) == Exit.DONE
    out, err = said(capsys)
    assert "became NULL" not in out + err


@pytest.mark.parametrize("kind", ["--folder", ""])
def test_the_demo_overwrites_and_removes_nothing(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(hospital.build, "__kwdefaults__", {"people": hospital.PEOPLE, "visits": 50_000})
    monkeypatch.chdir(tmp_path)
    mine = tmp_path / ("mine" if kind else "sfumato-demo")
    mine.mkdir()
    for name in ("visits.parquet", "patients.parquet", "hospital.toml"):
        (mine / name).write_text("mine", encoding="utf-8")
    if kind:
        assert main(["demo", "--folder", "mine"]) == Exit.USAGE
        assert "folder is not empty: 'mine'" in said(capsys)[1]
    else:
        assert main(["demo"]) == Exit.DONE
        assert "sfumato-demo-2/" in said(capsys)[0]
    assert {path.read_text(encoding="utf-8") for path in mine.iterdir()} == {"mine"}


@pytest.mark.slow
def test_the_demo_tells_its_story(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(hospital.build, "__kwdefaults__", {"people": hospital.PEOPLE, "visits": 50_000})
    monkeypatch.chdir(tmp_path)
    assert main(["demo"]) == Exit.DONE
    out, err = said(capsys)
    assert out.count("truth") >= 6
    assert err == ""
    assert "1 answer, 0 more charges" in out
    assert "the question costs ε = 1.5, and ε = 1 is left" in out
    assert main(["demo", "--json", "--folder", "elsewhere"]) == Exit.DONE
    documents = [json.loads(line) for line in said(capsys)[0].splitlines()]
    assert [fault for each in documents for fault in faults(each, schema())] == []
