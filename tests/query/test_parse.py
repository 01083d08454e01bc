"""Texts that no line of a fixture can be: too long, too deep, no texts, and pieces of questions."""

import sys

import pytest
from sqlglot import exp

from sfumato.errors import InvalidQuestion
from sfumato.query.dialects import DIALECTS
from sfumato.query.parse import MOST_CHARACTERS, MOST_DEPTH, parse, place, stands_alone


def refused(text: object, **other: str) -> str:
    with pytest.raises(InvalidQuestion) as caught:
        parse(text, **other)
    assert caught.value.hint
    return str(caught.value).partition("\n\n")[0]


@pytest.mark.parametrize("text", [None, 3, b"SELECT 1", ["SELECT 1"]])
def test_a_question_is_text(text: object) -> None:
    assert refused(text) == "a question is SQL text"


def test_a_question_has_so_many_characters_and_no_more() -> None:
    short = "SELECT 1 FROM t WHERE x = '"
    longest = short + "a" * (MOST_CHARACTERS - len(short) - 1) + "'"
    assert len(longest) == MOST_CHARACTERS
    assert parse(longest)[1] == longest
    assert refused(longest + " ") == "the question is longer than 20000 characters"


def test_a_question_has_so_many_words_and_no_more() -> None:
    listed = "SELECT 1 FROM t WHERE x IN (1" + ",1" * 1995
    assert parse(listed + ")")[1] == listed + ")"
    assert refused(listed + ",1)") == "the question has more than 4000 words"


def test_a_question_is_so_deep_and_no_deeper() -> None:
    chain = "SELECT 1" + "+1" * (MOST_DEPTH - 2)
    assert parse(chain)[1] == chain
    assert refused(chain + "+1") == "the question is nested too deeply"
    assert parse("SELECT 1 FROM t WHERE x" + " AND x" * 500)
    assert parse("SELECT 1 FROM t WHERE x" + " OR x" * 500)


@pytest.mark.parametrize("opened", ["(", "ABS(", "(SELECT ", "CASE WHEN ", "NOT ", "[", "- "])
def test_depth_exhausts_no_stack(opened: str) -> None:
    levels = min(MOST_CHARACTERS // len(opened) - 20, 3900)
    assert levels > sys.getrecursionlimit()
    refused("SELECT " + opened * levels)


@pytest.mark.parametrize("character", ["\0", "\x01", "\x1b", "\x1f", "\ud800"])
def test_what_is_not_text_is_refused(character: str) -> None:
    assert refused(f"SELECT '{character}' FROM t") == "the question holds characters that are not text"


@pytest.mark.parametrize("character", ["\t", "\n", "\r", "\f", "\v", "é", "\u2003", "\ud7ff", "\ue000"])
def test_what_separates_or_prints_is_text(character: str) -> None:
    assert parse(f"SELECT '{character}' FROM t")[0].expressions[0].name == character


@pytest.mark.parametrize("dialect", ["", "DuckDB", "oracle", "duckdb ", None, 3, "duckdb, normalization_strategy=x"])
def test_other_dialects_are_refused(dialect: str) -> None:
    assert refused("SELECT 1", dialect=dialect).startswith("questions are not read in the dialect")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_reads_the_same_plain_question(dialect: str) -> None:
    plain = (
        "SELECT ward, COUNT(*) AS n, AVG(cost) FROM visits AS v JOIN people AS p ON v.person = p.person "
        "WHERE day < 9 AND town LIKE 'a%' GROUP BY ward HAVING COUNT(*) > 3 LIMIT 5"
    )
    assert parse(plain, dialect)[0].sql("duckdb") == plain


def test_nothing_of_the_parser_reaches_the_error_stream(capfd: pytest.CaptureFixture[str]) -> None:
    refused("EXPLAIN SELECT 1")
    assert capfd.readouterr() == ("", "")


def test_a_place_is_counted_from_1_in_lines_and_columns() -> None:
    text = "SELECT a,\n  b\nFROM t"
    select, _ = parse(text)
    assert [place(each, text) for each in select.expressions] == [(1, 8), (2, 3)]
    assert place(select, text) == (1, 8)
    assert place(select.args["from_"], text) == (3, 6)
    assert place(exp.Column(), text) == (1, 1)


PIECES = {
    "day < 9": "", "f(a[1], {x: 2})": "", "'it) is'": "", "a": "",
    "day < 9)": "where closes what it did not open: day < 9)", "(day": "where does not close what it opens: (day",
    "(day]": "where closes what it did not open: (day]", "": "where is empty: ", "a; b": "where is one piece of a question: a; b",
    "a -- b": "where holds a comment: a -- b", "a /* b */": "where holds a comment: a /* b */",
    "a" * 20_001: "where is longer than 20000 characters", "'a": "the question is not SQL: it could not be read",
}  # fmt: skip


@pytest.mark.parametrize("piece", PIECES, ids=lambda piece: piece[:20] or "nothing")
def test_a_piece_of_a_question_closes_what_it_opens(piece: str) -> None:
    if not PIECES[piece]:
        assert stands_alone("where", piece) == piece
        return
    with pytest.raises(InvalidQuestion) as caught:
        stands_alone("where", piece)
    assert str(caught.value).partition("\n\n")[0] == PIECES[piece]


def test_a_piece_is_text_and_of_a_dialect() -> None:
    with pytest.raises(InvalidQuestion, match="where takes SQL text"):
        stands_alone("where", 3)
    with pytest.raises(InvalidQuestion, match="the dialect oracle"):
        stands_alone("where", "a", "oracle")
    assert stands_alone("where", "`a (`", "spark") == "`a (`"
