"""`sfumato profile`: figures on the owner's screen, lines that can be pasted, and nothing left behind."""

import json
import stat
from pathlib import Path

import pytest

from json_schema import faults
from sfumato.cli import main
from sfumato.cli.command import Exit
from sfumato.curator.documents import schema
from sfumato.data import read_declaration

PEOPLE = "id,age\n1,20\n2,30\n3,40\n"
VISITS = "who,ward,cost\n" + "".join(
    f"{who},{ward},{cost}\n"
    for who, ward, cost in [
        *((1, "north", 1 + i) for i in range(12)),
        (1, "south", 90),
        (2, "south", 5),
        (2, "", 5),
        ("", "south", 5),
        (9, "west", "dear"),
    ]
)
DECLARED = """
[budget]
epsilon = "3"
[unit]
person = "people.id"
[tables.people]
source = "people.csv"
[tables.people.columns]
id = { type = "integer" }
age = { type = "integer" }
[tables.visits]
source = "visits.csv"
foreign_keys = { who = "people.id" }
[tables.visits.columns]
ward = { type = "text" }
cost = { type = "integer", lower = 0, upper = 100 }
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "visits.csv").write_text(VISITS, encoding="utf-8")
    (tmp_path / "clinic.toml").write_text(DECLARED, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


SHOWN = """\
people: 3 rows of 3 people
┏━━━━━━━━┳━━━━━━━━━┳━━━━━━┳━━━━┓
┃ column ┃ kind    ┃ from ┃ to ┃
┡━━━━━━━━╇━━━━━━━━━╇━━━━━━╇━━━━┩
│ id     │ integer │      │    │
│ age    │ integer │   20 │ 40 │
└────────┴─────────┴──────┴────┘
┏━━━━━━━━━━━━━━┳━━━━━┳━━━━━┳━━━━━┳━━━━━┓
┃ a person has ┃ p50 ┃ p90 ┃ p99 ┃ max ┃
┡━━━━━━━━━━━━━━╇━━━━━╇━━━━━╇━━━━━╇━━━━━┩
│ rows         │   1 │   1 │   1 │   1 │
└──────────────┴─────┴─────┴─────┴─────┘
nobody has two rows: no bound is needed

visits: 17 rows of 3 people
1 row of nobody: NULL, or a key that leads nowhere; such rows are never counted
┏━━━━━━━━┳━━━━━━━━━┳━━━━━━┳━━━━━━┳━━━━━━┳━━━━┓
┃ column ┃ kind    ┃ NULL ┃ keys ┃ from ┃ to ┃
┡━━━━━━━━╇━━━━━━━━━╇━━━━━━╇━━━━━━╇━━━━━━╇━━━━┩
│ who    │ integer │    1 │      │      │    │
│ ward   │ text    │    1 │    3 │      │    │
│ cost   │ integer │    1 │      │    1 │ 90 │
└────────┴─────────┴──────┴──────┴──────┴────┘
┏━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━┳━━━━━┳━━━━━┳━━━━━┓
┃ a person has            ┃ p50 ┃ p90 ┃ p99 ┃ max ┃
┡━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━╇━━━━━╇━━━━━╇━━━━━┩
│ rows                    │   2 │  13 │  13 │  13 │
│ groups of ward          │   2 │   2 │   2 │   2 │
│ rows in a group of ward │   1 │  12 │  12 │  12 │
└─────────────────────────┴─────┴─────┴─────┴─────┘

people by how many rows they have
       1  ████████████████████████████████████████  1
       2  ████████████████████████████████████████  1
  3 to 5  ········································  0
 6 to 10  ········································  0
11 to 20  ████████████████████████████████████████  1
"""


def test_figures_are_shown_with_lines_to_paste_within_eighty_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", "clinic.toml", "--by", "ward", "-e", "2"]) == Exit.DONE
    shown = capsys.readouterr()
    top = SHOWN.splitlines()
    assert shown.out.splitlines()[: len(top)] == top
    assert max(map(len, shown.out.splitlines())) <= 80
    assert "COUNT(*) by ward (4 groups), at ε = 2" in shown.out
    assert "√2·groups/ε = 2.83 people above it: R = 1" in shown.out
    assert "AVG(cost) in a group of mean size, at ε = 2 (from 0 to 100)" in shown.out
    assert "is itself a release, and not a private one" in shown.err
    assert "from elsewhere first, and round numbers" in shown.err


def test_what_is_suggested_can_be_pasted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", "--epsilon", "10"]) == Exit.DONE
    lines = capsys.readouterr().out.splitlines()
    pasted = lines[lines.index("[tables.visits]") + 1]
    assert pasted.startswith("rows_per_person = 20 ")
    text = DECLARED.replace("[tables.visits]\n", f"[tables.visits]\n{pasted}\n")
    (folder / "clinic.toml").write_text(text, encoding="utf-8")
    assert read_declaration("clinic.toml").tables[1].rows_per_person == 20
    assert main(["profile"]) == Exit.DONE, "and it is profiled with a bound as without"


def test_the_document_is_all_there_is_and_fits_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", "-d", "clinic.toml", "--by", "visits.ward", "--average", "cost", "--json"]) == Exit.DONE
    shown = capsys.readouterr()
    assert shown.err == ""
    document = json.loads(shown.out)
    assert faults(document, schema()) == []
    people, visits = document["tables"]
    assert people["by"] is None
    assert (visits["rows"], visits["rows_of_nobody"]) == (17, 1)
    assert visits["rows_per_person"]["histogram"] == [[1, 1], [2, 1], [13, 1]]
    assert {each["column"]: each["became_null"] for each in visits["columns"]} == {"who": 0, "ward": 0, "cost": 1}
    assert [each["people_above"] for each in visits["bounds"]["candidates"]] == [2, 1, 1, 1, 0]


def test_nothing_is_left_that_an_analyst_could_see(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*")}
    for words in ([], ["--json"], ["--by", "ward"], ["--by", "nothing"]):
        main(["profile", *words])
    assert {path: path.read_bytes() for path in folder.rglob("*")} == before, "no ledger, no registration, no copy"
    text = DECLARED.replace("[tables.visits]\n", "[tables.visits]\nrows_per_person = 20\n")
    (folder / "clinic.toml").write_text(text, encoding="utf-8")
    assert main(["register"]) == Exit.DONE
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert main(["profile"]) == Exit.DONE
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_the_page_is_its_owners_alone_and_writes_over_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", "--html", "p.html"]) == Exit.DONE
    page = folder / "p.html"
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg") == 2
    assert "wrote p.html, for your eyes alone" in capsys.readouterr().err
    assert main(["profile", "--html", "p.html"]) == Exit.USAGE
    assert "--html exists already" in capsys.readouterr().err
    assert main(["profile", "--html", "p.html", "--force", "--json"]) == Exit.DONE
    assert main(["profile", "--html", "no/p.html"]) == Exit.USAGE


def test_rows_that_are_the_unit_need_no_bound(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = DECLARED.replace('person = "people.id"', "rows = true").replace('foreign_keys = { who = "people.id" }\n', "")
    (folder / "clinic.toml").write_text(text, encoding="utf-8")
    assert main(["profile"]) == Exit.DONE
    shown = capsys.readouterr().out
    assert "visits: 17 rows, each protected by itself: no bound is needed" in shown
    assert "rows_per_person" not in shown
    assert main(["profile", "--json"]) == Exit.DONE
    document = json.loads(capsys.readouterr().out)
    assert faults(document, schema()) == []
    assert document["unit"] == "row"
    assert [each["bounds"] for each in document["tables"]] == [None, None]


def test_names_and_prices_that_are_wrong_are_refused_before_rows_are_read(capsys: pytest.CaptureFixture[str]) -> None:
    Path("visits.csv").write_text(VISITS + "a line,that has,too,many\n", encoding="utf-8")
    for words, told in (
        (["--by", "wrd"], "did you mean `ward`?"),
        (["--average", "ward"], "average must be a number of a private table"),
        (["-e", "0"], "epsilon must be positive"),
        (["-e", "lots"], "epsilon"),
        (["-d", "clinic.toml", "clinic.toml"], "--dataset names a declaration, and there is one already"),
    ):
        assert main(["profile", *words]) == Exit.USAGE, words
        assert told in capsys.readouterr().err
    assert main(["profile"]) == Exit.REFUSED, "and here they are read"
    assert "line 19" in capsys.readouterr().err


@pytest.mark.parametrize("person", ["--person", ""])
def test_a_draft_has_no_bound_and_is_profiled_before_it_has(person: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--person", "who"] if person else []
    assert main(["init", "visits.csv", "-o", "own.toml", *words]) == Exit.DONE
    assert "sfumato profile own.toml" in capsys.readouterr().err
    text = Path("own.toml").read_text(encoding="utf-8")
    assert '\nrows_per_person = "?"' in text
    assert "sfumato profile" in text
    assert "rows_per_group" not in text
    assert "groups_per_person" not in text, "a draft of 1 is an answer that nobody gave"
    if person:
        assert main(["check", "-d", "own.toml"]) == Exit.REFUSED
        assert 'rows_per_person = "?" is still to be filled in' in capsys.readouterr().err
    assert main(["profile", "own.toml"]) == (Exit.DONE if person else Exit.REFUSED)


def test_a_table_beside_the_persons_own_is_suggested_a_bound_even_where_nobody_has_two_rows(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "visits.csv").write_text("who,ward,cost\n1,north,2\n2,south,3\n", encoding="utf-8")
    assert main(["profile"]) == Exit.DONE
    lines = capsys.readouterr().out.splitlines()
    assert lines.count("nobody has two rows: no bound is needed") == 1
    assert lines[lines.index("[tables.visits]") + 1].startswith("rows_per_person = 1 ")


def test_a_draft_of_rows_and_the_persons_own_table_ask_for_no_bound(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "visits.csv", "--rows", "-o", "-"]) == Exit.DONE
    shown = capsys.readouterr()
    assert "rows_per_person" not in shown.out
    assert "profile" not in shown.err
    assert main(["init", "visits.csv", "--rows", "-o", "rows.toml"]) == Exit.DONE
    assert "profile" not in capsys.readouterr().err
    Path("visits.csv").write_text(VISITS.replace("who,", "people_id,"), encoding="utf-8")
    Path("peoples.csv").write_text(PEOPLE.replace("id,", "people_id,"), encoding="utf-8")
    assert main(["init", "peoples.csv", "visits.csv", "--person", "peoples.people_id", "-o", "-"]) == Exit.DONE
    first, second = capsys.readouterr().out.split("[tables.visits]")
    assert "rows_per_person" not in first
    assert 'rows_per_person = "?"' in second
