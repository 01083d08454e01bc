"""Answers as CSV and files, shown again by their receipts; nothing is overwritten, and nothing charged in vain."""

import csv
import io
import json
import os
import stat
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path

import pytest

import sfumato
from json_schema import faults
from sfumato.cli import main
from sfumato.cli.command import Exit
from sfumato.core.printing import for_csv
from sfumato.curator import AnswerColumn, Release
from sfumato.curator.documents import schema
from sfumato.curator.pace import Pace
from sfumato.curator.release import NOTHING
from sfumato.data import Kind
from sfumato.demo import hospital
from sfumato.errors import InvalidParameter, SfumatoError
from sfumato.query.bars import Bar

CONFIDENCE = Fraction(95, 100)
WARDS = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"
TWO = '\n[analysts.ann]\nepsilon = "2"\ndelta = "1e-8"\n[analysts.bob]\nepsilon = "2"\ndelta = "1e-8"\n'


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hospital")
    hospital.build(folder, people=2000, visits=20_000)
    return folder


@pytest.fixture(autouse=True)
def folder(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("patients.parquet", "visits.parquet", "hospital.toml"):
        (tmp_path / name).write_bytes((built / name).read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def spent() -> float:
    with sfumato.open("hospital.toml") as session:
        return float(session.budget()[0].spent)


def table(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


# ---- CSV ----


def test_csv_has_the_ends_of_error_bars_as_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", WARDS, "-e", "1", "--csv"]) == Exit.DONE
    said = capsys.readouterr()
    head, *rows = table(said.out)
    assert head == ["ward", "n", "n_low", "n_high"]
    assert [row[0] for row in rows] == [*sorted(hospital.WARDS), ""]
    assert all(float(low) <= float(n) <= float(high) for _, n, low, high in rows[:-1])  # of nobody, it may be below 0
    assert "cost ε = 1" in said.err


HOSTILE = ["=1+2", "+SUM(A1)", "-cmd|' /C calc'!A0", "@x", "\t=1", "a,b", 'say "no"', "two\nlines", "plain", "\x1b[31m"]


def test_no_key_is_taken_for_a_formula_or_moves_a_terminal() -> None:
    column = AnswerColumn("=key", Kind.TEXT, "key"), AnswerColumn("n", Kind.INTEGER, "value")
    bars = tuple((Bar(text), Bar(-5, -7.5, float("inf"))) for text in HOSTILE)
    answer = Release(column, bars, NOTHING, CONFIDENCE, (), "1-0", 1, False)
    head, *rows = table(answer.to_csv())
    assert head == ["'=key", "n", "n_low", "n_high"]
    assert [row[0] for row in rows] == [for_csv(text) for text in HOSTILE]
    assert not any(row[0].startswith(("=", "+", "-", "@", "\t", "\x1b")) for row in rows)
    assert {tuple(row[1:]) for row in rows} == {("-5", "-7.5", "inf")}


def test_missing_values_truths_and_days_are_written_as_they_are() -> None:
    columns = tuple(
        AnswerColumn(name, kind, "key") for name, kind in (("t", Kind.TEXT), ("b", Kind.BOOLEAN), ("d", Kind.DATE))
    )
    answer = Release(
        columns, ((Bar(None), Bar(True), Bar(date(2026, 1, 2))),), NOTHING, CONFIDENCE, (), "1-0", 1, False
    )
    assert answer.to_csv() == "t,b,d\n,true,2026-01-02\n"


# ---- files ----


def test_a_file_is_written_whole_and_its_name_says_what_it_is(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", WARDS, "-e", "1", "--output", "a.csv"]) == Exit.DONE
    said = capsys.readouterr()
    assert said.out == ""
    assert "wrote a.csv: 9 rows" in said.err
    assert len(table(Path("a.csv").read_text(encoding="utf-8"))) == 10
    assert main(["sql", WARDS, "-e", "1", "--output", "a.json"]) == Exit.DONE
    document = json.loads(Path("a.json").read_text(encoding="utf-8"))
    assert faults(document, schema()) == []
    assert main(["sql", WARDS, "-e", "1", "--output", "b", "--json"]) == Exit.DONE
    assert json.loads(Path("b").read_text(encoding="utf-8"))["rows"] == document["rows"]
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(Path("a.csv").stat().st_mode) == 0o666 & ~mask
    assert [path.name for path in folder.iterdir() if path.name.startswith(".a")] == []


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--output", "taken.csv"], "exists already"),
        (["--output", "nowhere/a.csv"], "is in no folder that is there"),
        (["--output", "."], "must end in .csv or .json"),
        (["--output", "visits.dir", "--csv"], "is not a file"),
        (["--output", "/dev/null", "--csv", "--force"], "is not a file"),
        (["--output", "a.txt"], "must end in .csv or .json"),
        (["--csv", "--json"], "two forms"),
    ],
)
def test_what_cannot_be_written_is_refused_before_it_is_charged(
    words: list[str], problem: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("taken.csv").write_text("mine", encoding="utf-8")
    (folder / "visits.dir").mkdir()
    assert main(["sql", WARDS, "-e", "1", *words]) == Exit.USAGE
    said = capsys.readouterr()
    assert problem in said.out + said.err
    assert Path("taken.csv").read_text(encoding="utf-8") == "mine"
    assert not (folder / "hospital.ledger").exists()


def test_a_file_is_written_over_only_when_it_is_said() -> None:
    Path("a.csv").write_text("mine", encoding="utf-8")
    assert main(["sql", WARDS, "-e", "1", "-o", "a.csv", "--force"]) == Exit.DONE
    assert Path("a.csv").read_text(encoding="utf-8").startswith("ward,n,")


def test_an_answer_that_could_not_be_written_is_stored_and_its_receipt_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(_: str) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as failing:
        failing.setattr("sfumato.cli.output._as_usual", full)
        assert main(["sql", WARDS, "-e", "1", "-o", "a.csv"]) == Exit.USAGE
    told = capsys.readouterr().err
    assert "--output cannot be written: 'a.csv'" in told
    assert [path.name for path in folder.iterdir() if "a.csv" in path.name] == []
    receipt = told.partition("sfumato show ")[2].split()[0]
    assert main(["show", receipt, "-o", "a.csv"]) == Exit.DONE
    assert spent() == 1


# ---- stored answers ----


@pytest.mark.parametrize(
    "words",
    [
        ["sql", WARDS, "-e", "0.5"],
        [
            "sql",
            "SELECT ward, AVG(cost) AS c, MEDIAN(days) AS m FROM visits GROUP BY ward ORDER BY c LIMIT 3",
            "-e",
            "0.7",
        ],
        [
            "sql",
            "SELECT town, COUNT(DISTINCT patient) AS n FROM patients GROUP BY town",
            "-e",
            "0.3",
            "--delta",
            "1e-8",
        ],
        ["sql", "SELECT COUNT(*) AS n FROM visits", "--within", "500"],
        ["sql", "SELECT COUNT(*) AS n FROM visits", "--rho", "0.01", "-d", "zcdp.toml"],
        ["max", WARDS, "-e", "0.5"],
        ["top", WARDS, "-e", "0.5", "-k", "3"],
        ["choose", WARDS, "-e", "0.5"],
        ["median", "SELECT MEDIAN(days) AS d FROM visits", "-e", "0.5"],
    ],
    ids=lambda words: " ".join(words)[:40],
)
def test_a_stored_answer_is_shown_as_it_was_for_nothing(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    declared = ["-d", "hospital.toml"]
    if "zcdp.toml" in words:
        text = Path("hospital.toml").read_text(encoding="utf-8").replace('epsilon = "3"', 'rho = "0.5"')
        Path("zcdp.toml").write_text(text, encoding="utf-8")
        words, declared = words[:-2], words[-2:]
    assert main([*words, "--json", *declared]) == Exit.DONE
    first = json.loads(capsys.readouterr().out)
    for name in (first["receipt"], str(first["sequence"]), f"#{first['sequence'] - 1}"):
        assert main(["show", name, "--json", *declared]) == Exit.DONE
        again = json.loads(capsys.readouterr().out)
        assert faults(again, schema()) == []
        same = ("columns", "rows", "intervals", "confidence", "remaining", "receipt", "notes")
        assert {name: again[name] for name in same} == {name: first[name] for name in same}
        assert again["repeated"] is True
    assert main(["log", "--json", *declared]) == Exit.DONE
    kinds = [entry["kind"] for entry in json.loads(capsys.readouterr().out)["entries"]]
    assert kinds.count("reserve") == 1


def test_an_answer_is_shown_again_when_the_data_are_others_by_now(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sql", WARDS, "-e", "1", "--csv"]) == Exit.DONE
    first = capsys.readouterr().out
    hospital.build(folder, people=1000, visits=5000)
    assert main(["register"]) == Exit.DONE
    capsys.readouterr()
    assert main(["show", "6", "--csv"]) == Exit.DONE
    assert capsys.readouterr().out == first


def test_an_answer_that_can_no_longer_be_read_as_it_was_asked_is_not_shown_as_something_else(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["sql", "SELECT AVG(cost) AS c FROM visits", "-e", "1"]) == Exit.DONE
    text = Path("hospital.toml").read_text(encoding="utf-8").replace("upper = 20000", "upper = 30000")
    Path("hospital.toml").write_text(text, encoding="utf-8")
    capsys.readouterr()
    assert main(["show", "6"]) == Exit.REFUSED
    assert "entry 6 holds can no longer be read as it was asked" in capsys.readouterr().err


def test_a_choice_by_weights_is_not_shown_as_another(capsys: pytest.CaptureFixture[str]) -> None:
    """What each group was worth is not stored: the number of a candidate alone would be taken for a group."""
    Path("weights.json").write_text('{"north": {"surgery": 1}, "south": {"oncology": 1}}', encoding="utf-8")
    assert main(["choose", WARDS, "-e", "1", "--weights", "weights.json"]) == Exit.DONE
    capsys.readouterr()
    assert main(["show", "6"]) == Exit.REFUSED
    assert "can no longer be read as it was asked" in capsys.readouterr().err


def test_only_who_was_given_an_answer_can_see_it_again() -> None:
    text = Path("hospital.toml").read_text(encoding="utf-8")
    Path("hospital.toml").write_text(text.replace("\n[unit]", f"{TWO}\n[unit]", 1), encoding="utf-8")
    with sfumato.open_curator("hospital.toml") as curator:
        ann, bob = curator.session("ann"), curator.session("bob")
        answer = ann.sql("SELECT COUNT(*) AS n FROM visits", epsilon=1)
        for receipt in (answer.receipt, str(answer.sequence), str(answer.sequence - 1)):
            with pytest.raises(InvalidParameter, match="names no answer that was given to you"):
                bob.recall(receipt)
        before = [float(each.spent) for each in bob.budget()]
        assert before == [1.0, 0.0]
        shared = bob.sql("SELECT COUNT(*) AS m FROM visits", epsilon=1)
        again = bob.recall(shared.receipt)
        assert again.columns == ("m",)  # his own words, and not hers
        assert again.rows == shared.rows
        assert [float(each.spent) for each in bob.budget()] == [1.0, 1.0]


@pytest.mark.parametrize("receipt", ["", "x", "-1", "5-zz", "99", "5", "6-ffffffffffff", "6" * 30, "1 OR 1=1"])
def test_what_is_no_receipt_is_refused_in_words(receipt: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["sql", "SELECT COUNT(*) AS n FROM visits", "-e", "1"])
    capsys.readouterr()
    expected = Exit.DONE if receipt == "5" else Exit.USAGE  # the entry that charged it names it too
    assert main(["show", receipt] if not receipt.startswith("-") else ["show", "--", receipt]) == expected
    assert ("hint:" in capsys.readouterr().err) == (expected is Exit.USAGE)


def test_an_answer_that_may_not_leave_yet_cannot_be_seen_before_its_time() -> None:
    """Else who asks for it again and again would learn when it was ready, which the pace hides."""
    with sfumato.open("hospital.toml") as session:
        answer = session.sql(WARDS, epsilon=1)
        ((settled, body),) = [(n, body) for n, body in session.log() if body["kind"] == "settle"]
        assert settled == answer.sequence
        now = body["time"] / 10**9
        early, late = (Pace(60, clock=iter([moment] * 99).__next__) for moment in (now, now + 61))
        session.pace = replace(early, sleep=lambda _: None)
        with pytest.raises(InvalidParameter, match="names no answer"):
            session.recall(answer.receipt)
        session.pace = replace(late, sleep=lambda _: None)
        assert session.recall(answer.receipt).rows == answer.rows


def test_a_closed_session_recalls_nothing() -> None:
    session = sfumato.open("hospital.toml")
    answer = session.sql(WARDS, epsilon=1)
    session.close()
    with pytest.raises(SfumatoError, match="closed"):
        session.recall(answer.receipt)


def test_answers_of_earlier_versions_are_shown_by_the_price_of_their_event(monkeypatch: pytest.MonkeyPatch) -> None:
    from sfumato.curator import recalling

    with sfumato.open("hospital.toml") as session:
        answer = session.sql(WARDS, epsilon="0.5")
        monkeypatch.setattr(recalling, "decoded", lambda pieces: without_price(b"".join(pieces)))
        assert session.recall(answer.receipt).rows == answer.rows


def without_price(text: bytes) -> object:
    stored = json.loads(text)
    assert stored.pop("spend") == {"epsilon": "1/2", "rho": None, "delta": "0", "confidence": "19/20"}
    return stored


def test_budgets_are_written_to_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", "SELECT town, COUNT(*) AS n FROM patients GROUP BY town", "-e", "0.3"]) == Exit.DONE
    capsys.readouterr()
    assert main(["budget", "--json"]) == Exit.DONE
    document = json.loads(capsys.readouterr().out)
    assert faults(document, schema()) == []
    whole = document["balances"][0]
    assert whole["left"] == {"text": "2.7", "number": 2.7, "exact": "2.7"}
    assert len(whole["delta_spent"]["text"]) <= 12
    assert float(whole["delta_spent"]["text"]) == pytest.approx(whole["delta_spent"]["number"], rel=1e-5)


def test_the_log_can_be_read_on_eighty_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    asked = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n DESC"
    main(["sql", asked, "-e", "0.5", "--label", "weekly"])
    capsys.readouterr()
    assert main(["log"]) == Exit.DONE
    lines = capsys.readouterr().out.splitlines()
    assert f"   weekly: {asked}" in lines
    charged = next(line for line in lines if "reserve" in line)
    assert charged.endswith("ε = 0.5")
    assert lines[0].split() == ["#", "when", "what", "who", "cost"]


# ---- what a choice means is not what its place means later ----


@pytest.mark.parametrize("verb", ["noisy_max", "top_k", "exponential", "smooth_median"])
def test_a_choice_is_not_shown_as_another_when_a_public_table_has_changed(
    verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is stored is a place among public groups; another table has other groups at that place."""
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text("pid,ward,x\n" + "\n".join(f"{i},{'b' if i else 'c'},{i % 9}" for i in range(300)))
    Path("w.csv").write_text("ward,kind\nb,x\nc,y\n")
    Path("c.toml").write_text(
        'name = "c"\n[budget]\nepsilon = 1000\n[unit]\nperson = "p.pid"\n[tables.p]\nsource = "p.csv"\n'
        '[tables.p.columns.x]\nlower = 0\nupper = 9\n[tables.w]\nsource = "w.csv"\npublic = true\n'
    )
    what = "MEDIAN(p.x)" if verb == "smooth_median" else "COUNT(*)"
    text = f"SELECT w.ward, {what} FROM p JOIN w ON p.ward = w.ward GROUP BY w.ward"
    more = {"k": 1} if verb == "top_k" else {}
    with sfumato.open("c.toml") as session:
        answer = getattr(session, verb)(text, epsilon=5, **more)
        assert session.recall(answer.receipt).rows == answer.rows
    Path("w.csv").write_text("ward,kind\na,x\nb,x\nc,y\n")
    assert main(["register", "c.toml"]) == Exit.DONE
    with sfumato.open("c.toml") as session, pytest.raises(SfumatoError, match="can no longer be read"):
        session.recall(answer.receipt)


def test_an_answer_is_shown_with_the_confidence_it_was_asked_with() -> None:
    with sfumato.open("hospital.toml") as session:
        half = session.sql("SELECT COUNT(*) AS n, MEDIAN(age) AS m FROM patients", epsilon=1, confidence="0.5")
        again = session.recall(half.receipt)
        assert (again.rows, again.intervals, again.confidence) == (half.rows, half.intervals, half.confidence)


def test_a_name_that_no_file_can_have_is_refused_before_anything_is_charged(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", WARDS, "-e", "1", "-o", "x" * 300 + ".csv"]) == Exit.USAGE
    assert "cannot be a file" in capsys.readouterr().err
    with sfumato.open("hospital.toml") as session:
        assert session.budget()[0].spent == 0


def test_letters_that_look_like_signs_are_no_formulas() -> None:
    assert [for_csv(f"{sign}1+2")[0] for sign in "＝＋－＠=+-@"] == ["'"] * 8
