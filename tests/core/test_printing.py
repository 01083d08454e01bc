"""Released texts are shown as they are read: nothing in them moves a terminal, marks up a page or runs in a spreadsheet."""

import io
import json
import sys
import unicodedata
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import sfumato
from sfumato.cli import main, terminal
from sfumato.core.printing import for_csv, for_json, for_page, for_terminal, json_text
from sfumato.curator.release import AnswerColumn, Cost, Left, Note, Release
from sfumato.data import Kind
from sfumato.query.bars import Bar

HOSTILE = (
    "\x1b[31mred", "\x1b]0;title\x07", "\x9b31m", "a\x00b", "\u202eeman", "x\u200by", "\u2066iso", "two\nlines", "tab\tbed", "\r0", "\x7f", "\ue000", "\u2028",
    "\U000e0041tag", "\ufeffbom", ":smile: [bold]x[/]", "<script>",
)  # fmt: skip


def unseen(text: str, *, lines: bool = False) -> list[str]:
    return [
        c
        for c in text
        if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") and not (lines and c == "\n")
    ]


def release(*keys: Any) -> Release:
    bars = tuple((Bar(key), Bar(40, 30.0, 50.0)) for key in keys)
    return Release(
        (AnswerColumn("key\x1b", Kind.TEXT, "key"), AnswerColumn("n", Kind.INTEGER, "value")),
        bars,
        Cost(Fraction(1), None, Fraction(0)),
        Fraction(95, 100),
        (Left("\x1bx", "", "", "", "pure", Fraction(1)),),
        "1-x",
        1,
        False,
        (Note("hostile", "note \u202e"),),
    )


@pytest.mark.parametrize("key", HOSTILE)
def test_every_way_out_is_safe_and_the_key_stays_what_it_is(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    made = release(key)
    assert made.rows[0]["key\x1b"] == key
    for shown in (str(made), repr(made)):
        assert unseen(shown, lines=True) == []
    assert len(str(made).splitlines()) == len(str(release("plain")).splitlines()), "no line is added"
    page = made._repr_html_()
    assert unseen(page) == []
    assert "<script>" not in page
    terminal.show(terminal.table(made.columns, made.cells()))
    terminal.show(terminal.facts({key: key}))
    terminal.say(key)
    terminal.emit(made.to_json())
    out, err = capsys.readouterr()
    assert unseen(out, lines=True) == unseen(err, lines=True) == []
    assert json.loads(out.splitlines()[-1])["rows"][0][0] == key
    if key.startswith(":smile:"):
        assert ":smile: [bold]x[/]" in out


def test_what_has_a_picture_is_left_alone() -> None:
    for text in ("Zürich", "漢字", "naïve ± 3", "حمص", "हिन्दी", "a [b] c"):
        assert for_terminal(text) == text
        assert json.loads(json_text({"k": text})) == {"k": text}
    assert json_text({"k": "ε"}) == '{"k": "ε"}'


def test_numbers_without_end_are_texts_in_json() -> None:
    made = release(float("inf"), float("-inf"), float("nan"), 1.5, None)
    assert [row[0] for row in json.loads(json_text(made.to_json()))["rows"]] == ["inf", "-inf", "nan", 1.5, None]
    assert for_json((1, [float("nan")])) == [1, ["nan"]]


@pytest.mark.parametrize("cell", ["=cmd()", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", " =1", '=HYPERLINK("x")'])
def test_a_formula_is_text_in_a_spreadsheet(cell: str) -> None:
    assert for_csv(cell).startswith("'")


@pytest.mark.parametrize("cell", ["5", "-5", "+5", "-1.5e3", "abc", "1990-1999", "20-30", ""])
def test_what_is_no_formula_is_left_alone_in_a_spreadsheet(cell: str) -> None:
    assert for_csv(cell) == cell


def test_an_infinite_key_is_answered_as_json_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pa.table(
        {"x": [float("inf")] * 2000 + [float("nan")] * 2000 + [1.0] * 2000, "k": ["\x1b]0;owned\x07"] * 6000}
    )
    import pyarrow.parquet as pq

    pq.write_table(table, tmp_path / "t.parquet")
    (tmp_path / "t.toml").write_text(
        '[budget]\nepsilon = "9"\ndelta = "0.1"\n[unit]\nrows = true\n[tables.t]\nsource = "t.parquet"\n'
    )
    monkeypatch.chdir(tmp_path)
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    assert main(["sql", "SELECT x, k, COUNT(*) AS n FROM t GROUP BY x, k", "-e", "5", "--delta", "1e-3", "--json"]) == 0
    rows = json.loads(out.getvalue())["rows"]
    assert {row[0] for row in rows} == {"inf", None, 1.0}
    assert main(["sql", "SELECT k, COUNT(*) AS n FROM t GROUP BY k", "-e", "3", "--delta", "1e-3"]) == 0
    assert "\x1b" not in out.getvalue()
    with sfumato.open(tmp_path / "t.toml") as curator:
        assert (
            curator.sql("SELECT k, COUNT(*) AS n FROM t GROUP BY k", epsilon="3", delta="1e-3").rows[0]["k"]
            == "\x1b]0;owned\x07"
        )


def test_a_generalised_table_writes_no_formula(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "people.csv").write_text("zip,age,illness\n" + "20133,40,=1+2\n" * 6, encoding="utf-8")
    assert (
        main(
            [
                "anonymity",
                "generalise",
                str(tmp_path / "people.csv"),
                "--quasi",
                "zip,age",
                "--sensitive",
                "illness",
                "--k",
                "5",
            ]
        )
        == 0
    )
    assert capsys.readouterr().out.count("'=1+2") == 6


def test_a_page_escapes_what_a_terminal_would_show() -> None:
    assert for_page("<b>\u202e") == "&lt;b&gt;\\u202e"
