"""Files of separated values: what is a record follows from its own bytes, or the file is refused with its line."""

import gzip
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from property_profile import examples
from sfumato.data import CsvDialect
from sfumato.engines.duckdb import lines
from sfumato.engines.duckdb.lines import LONGEST, Lines
from sfumato.engines.duckdb.records import agrees, reader_of, write_records
from sfumato.errors import InvalidDeclaration

PLAIN: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck)}


def read(path: Path, dialect: CsvDialect = CsvDialect(), chunk: int = 2**20) -> list[list[str]] | None:  # noqa: B008
    """The records of a file as two readers agree on them, ours and the engine's; None if it is refused."""
    rows: list[list[str]] = []
    try:
        there = Lines(path, dialect, where="[t]", chunk=chunk)
        with duckdb.connect() as connection:
            for records in there.chunks():
                part = path.with_suffix(".part")
                write_records(records, part, there.width, dialect)
                text = reader_of(part, there.names, dialect)
                found = connection.execute(f"SELECT * FROM {text}").fetchall()
                assert agrees(connection, text, there.names, records)
                rows += [["" if cell is None else cell for cell in row] for row in found]
        there.close()
    except InvalidDeclaration:
        return None
    return rows


class Malformed(Exception):
    """A text that is not of the grammar."""


def _end(text: str, at: int) -> int:
    """How many signs end a record here."""
    return 2 if text.startswith("\r\n", at) else int(text.startswith("\n", at))


def _quoted(text: str, at: int, quote: str) -> tuple[str, int]:
    """The field whose first quote stands here, and where it ended; a quote within it is written twice."""
    field, at = "", at + 1
    while not (text.startswith(quote, at) and not text.startswith(quote * 2, at)):
        if at >= len(text):
            raise Malformed
        field, at = field + text[at], at + (2 if text.startswith(quote * 2, at) else 1)
    return field, at + 1


def _bare(text: str, at: int, dialect: CsvDialect) -> tuple[str, int]:
    start = at
    while at < len(text) and text[at] != dialect.separator and not _end(text, at):
        if text[at] in (dialect.quote, "\r"):
            raise Malformed
        at += 1
    return text[start:at], at


def _record(text: str, at: int, dialect: CsvDialect) -> tuple[list[str], int]:
    record: list[str] = []
    while True:
        inside = text.startswith(dialect.quote, at)
        field, at = _quoted(text, at, dialect.quote) if inside else _bare(text, at, dialect)
        record.append(field)
        if at < len(text) and text[at] == dialect.separator:
            at += 1
        elif at < len(text) and not _end(text, at):
            raise Malformed
        else:
            return record, at + _end(text, at)


def by_the_grammar(text: str, dialect: CsvDialect, width: int) -> list[list[str]] | None:
    """RFC 4180, sign by sign, as anybody would write it down; None if the text is not of it."""
    at, found = 0, list[list[str]]()
    while at < len(text):
        if _end(text, at):
            at += _end(text, at)
            found += [[""]] if width == 1 else []
            continue
        try:
            record, at = _record(text, at, dialect)
        except Malformed:
            return None
        if len(record) != width:
            return None
        found.append(record)
    return found


@st.composite
def files(draw: st.DrawFn) -> tuple[str, CsvDialect, int, int]:
    """A body, mostly well formed, its dialect, its width and how many bytes are read at a time."""
    dialect = CsvDialect(draw(st.sampled_from(",;\t|")), draw(st.sampled_from("\"'")))
    width = draw(st.integers(1, 3))
    signs = ["a", "b", "é", "", dialect.separator, dialect.quote, "\n", "\r\n", "\r", " ", "0", "\ufeff", "#"]
    field = st.lists(st.sampled_from(signs), max_size=4).map("".join)
    body = ""
    for _ in range(draw(st.integers(0, 6))):
        made = []
        for value in draw(st.lists(field, min_size=width, max_size=width)):
            quoted = any(sign in value for sign in (dialect.separator, dialect.quote, "\n", "\r")) or draw(
                st.booleans()
            )
            q = dialect.quote
            made.append(q + value.replace(q, q * 2) + q if quoted else value)
        body += dialect.separator.join(made) + draw(st.sampled_from(("\n", "\r\n")))
    if draw(st.booleans()):  # one sign more, or another, anywhere
        at = draw(st.integers(0, len(body)))
        body = body[:at] + draw(st.sampled_from(signs)) + body[at + draw(st.integers(0, 1)) :]
    if draw(st.booleans()):
        body = body.rstrip("\n")
    return body, dialect, width, draw(st.sampled_from((1, 2, 3, 7, 2**20)))


@examples(80, **PLAIN)
@given(files())
@example(('1,"a"b\n', CsvDialect(), 2, 2**20))
@example(('1,a"b\n2,c"d\n', CsvDialect(), 2, 2**20))
@example(("\ufeff1,a\n\ufeff2,b\n", CsvDialect(), 2, 2**20))
def test_records_are_those_of_the_grammar_whatever_the_bytes(given_: tuple[str, CsvDialect, int, int]) -> None:
    import tempfile

    body, dialect, width, chunk = given_
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f.csv"
        head = dialect.separator.join(f"c{i}" for i in range(width))
        path.write_bytes(f"{head}\n{body}".encode())
        whole = body + "\n" if body.endswith("\r") else body  # the last end of a line may be cut
        assert read(path, dialect, chunk) == by_the_grammar(whole, dialect, width)


GOOD = "id,note\n" + "".join(f"{i},note {i}\n" for i in range(40))


@pytest.mark.parametrize(("line", "words"), [
    (b'100,"a"b', "line 12: text after a closing quote"),
    (b"100,a,b", "line 12: 3 fields, and the header has 2"),
    (b"100", "line 12: 1 fields, and the header has 2"),
    (b'100,a "quoted" word', "line 12: a quote inside a field that is not quoted"),
    (b'100,"never closed', "line 12: a quote is opened and never closed"),
    (b"100,a\rb", "line 12: a carriage return that ends no line"),
    (b"100,caf\xe9", "line 12: what is there is not utf-8"),
    (b"100,a\0b", "NUL"),
    (b'100,"' + b"x" * (LONGEST + 1) + b'"', "line 12: a record of over a megabyte"),
])  # fmt: skip
def test_a_malformed_line_is_told_to_the_owner_by_its_number_and_not_by_its_content(
    line: bytes, words: str, tmp_path: Path
) -> None:
    rows = GOOD.encode().splitlines()
    (tmp_path / "f.csv").write_bytes(b"\n".join([*rows[:11], line, *rows[11:]]))
    with pytest.raises(InvalidDeclaration, match=words) as refused:
        list(Lines(tmp_path / "f.csv", CsvDialect(), where="[tables.t]").chunks())
    assert refused.value.hint
    assert "100" not in refused.value.problem
    assert "x" * 10 not in refused.value.problem


@pytest.mark.parametrize(("head", "words"), [
    ("", "has no header"), ("\n1,2\n", "has no header"), ("a,,b\n", "column 2 has no name"), ("a,A\n", "two columns are called `A`"),
    ('a,"b\n', "a quote in the wrong place"), ('a,b"c\n', "a quote in the wrong place"), ("a,b\rc,d\r", "cannot be seen"),
])  # fmt: skip
def test_a_header_that_names_no_columns_is_refused(head: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_bytes(head.encode())
    with pytest.raises(InvalidDeclaration, match=words):
        Lines(tmp_path / "f.csv", CsvDialect(), where="[tables.t]")


def test_a_quoted_line_break_and_both_ends_of_lines_are_read(tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_bytes(b'\xef\xbb\xbfid,note\r\n1,"two\r\nlines"\n2,"say ""hi"""\r\n\r\n3,"a,b"')
    expected = [["1", "two\r\nlines"], ["2", 'say "hi"'], ["3", "a,b"]]
    for chunk in (1, 2, 5, 2**20):
        assert read(tmp_path / "f.csv", chunk=chunk) == expected


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-8-sig"])
def test_another_encoding_is_read_if_it_is_declared(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_bytes("id;note\n1;café\n".encode(encoding))
    dialect = CsvDialect.declared("[t]", {"separator": ";", "encoding": encoding})
    for chunk in (1, 3, 2**20):
        assert read(tmp_path / "f.csv", dialect, chunk) == [["1", "café"]]
    if encoding in ("latin-1", "utf-16"):
        assert read(tmp_path / "f.csv", CsvDialect(";")) is None, "and refused if it is not"


def test_a_packed_file_is_read_and_a_cut_one_is_refused(tmp_path: Path) -> None:
    packed = gzip.compress(GOOD.encode(), mtime=0)
    (tmp_path / "f.csv.gz").write_bytes(packed)
    assert read(tmp_path / "f.csv.gz") == [[str(i), f"note {i}"] for i in range(40)]
    (tmp_path / "g.csv.gz").write_bytes(packed[:-9])
    assert read(tmp_path / "g.csv.gz") is None


def test_a_packed_file_that_is_damaged_anywhere_is_refused_in_words(tmp_path: Path) -> None:
    packed = gzip.compress(GOOD.encode(), mtime=0)
    for at in range(2, len(packed), 3):
        (tmp_path / "f.csv.gz").write_bytes(packed[:at] + bytes([packed[at] ^ 0xFF]) + packed[at + 1 :])
        for chunk in (None, 2**20):
            try:
                made = Lines(tmp_path / "f.csv.gz", CsvDialect(), where="[t]", chunk=chunk)
                if chunk is not None:
                    list(made.chunks())
                made.close()
            except InvalidDeclaration as refused:
                told = refused
            else:
                continue  # the name and the time of a packed file are not of its content
            assert told.hint


def test_a_disk_that_fails_is_not_called_gzip(tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text(GOOD, encoding="utf-8")
    made = Lines(tmp_path / "f.csv", CsvDialect(), where="[t]", chunk=16)
    made.close()
    made._file = mock.Mock(read=mock.Mock(side_effect=OSError(5, "Input/output error")))
    with pytest.raises(InvalidDeclaration, match="cannot be read") as refused:
        list(made.chunks())
    assert "gzip" not in str(refused.value)


@pytest.mark.parametrize(("content", "words", "hint"), [
    ("id,x\n1,2\n".encode("utf-16"), "begins as UTF-16 does", "utf-16"),
    (gzip.compress(b"id,x\n1,2\n", mtime=0), "is packed", ".csv.gz"),
    (b"id\tx\n1\t2\n", "a sign that cannot be seen", 'separator = "\\t"'),
    (b"id,x\n1,\0\n" + b"2,3\n" * 1000, "line 2: a character that is none", "utf-16"),
    (b"id,x\n" + b"2,3\n" * 1000 + b"1,\0\n" + b"2,3\n" * 9, "line 1002: a character that is none", "utf-16"),
])  # fmt: skip
def test_what_a_file_seems_to_be_is_told_with_a_remedy_that_works(
    content: bytes, words: str, hint: str, tmp_path: Path
) -> None:
    (tmp_path / "f.csv").write_bytes(content)
    with pytest.raises(InvalidDeclaration, match=words) as refused:
        list(Lines(tmp_path / "f.csv", CsvDialect(), where="[t]").chunks())
    assert hint in refused.value.hint


def test_a_check_that_is_left_out_is_seen(tmp_path: Path) -> None:
    """Without the look at quotes, a line with a stray one is read as something; only the weighing still sees it."""
    (tmp_path / "f.csv").write_text('id,note\n1,a "quoted" word\n', encoding="utf-8")
    assert read(tmp_path / "f.csv") is None
    with mock.patch.object(lines.Lines, "_bad_quotes", return_value=[]):
        with pytest.raises(AssertionError):
            read(tmp_path / "f.csv")
        with mock.patch(f"{__name__}.agrees", return_value=True):
            assert read(tmp_path / "f.csv") is not None
