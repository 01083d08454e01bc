"""Files of separated values, read strictly: one dialect, names from the header, as many fields in every record.

The grammar is RFC 4180's, with the declared signs and with LF beside CRLF as the end of a record: a field is quoted as
a whole or holds no quote, inside of quotes a quote is doubled and everything else is text. What is a record and what a
field follows from the bytes of that record and from where the one before ended, so a record more changes nothing in the
others, or the file is refused with the numbers of its lines. A line without any character is no record, unless records
have one field.
"""

import codecs
import gzip
import hashlib
import io
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

import numpy as np
from numpy.typing import NDArray

from sfumato.data import CsvDialect
from sfumato.errors import InvalidDeclaration, SfumatoError

LONGEST = 2**20
"""No record has more bytes: a longer one is a quote that was never closed."""
_CHUNK = 2**24
_MOST_TOLD = 5
_LF, _CR = 10, 13
_BOM = b"\xef\xbb\xbf"
_WIDE = "begins as UTF-16 does", 'is it UTF-16? dialect = { encoding = "utf-16" }'
_MARKS = {
    b"\xff\xfe": _WIDE, b"\xfe\xff": _WIDE, b"\x1f\x8b": ("is packed", "name it as what it is: .csv.gz"),
    b"PK\x03\x04": ("is packed by zip", "unpack it, or pack it by gzip"),
}  # fmt: skip
"""What files begin with that are no text in UTF-8."""


@dataclass(frozen=True, slots=True)
class Records:
    """Whole records, each ended by LF: their bytes in UTF-8, how many they are, and the share of the file read."""

    content: bytes
    number: int
    size: int
    """The bytes of all fields: without separators, ends of records and the quotes around fields or before quotes."""
    share: float


class Lines:
    """The records of one file; `names` are known from the header alone, `digest` when all records were read.

    A `name` is what its owner calls it, if that is a link to the path: it says whether the file is packed.
    """

    def __init__(
        self,
        path: Path | str,
        dialect: CsvDialect,
        name: Path | str | None = None,
        *,
        where: str,
        chunk: int | None = _CHUNK,
    ) -> None:
        self._path, self._dialect, self._where, self._chunk = Path(path), dialect, where, chunk or _CHUNK
        self._hash = hashlib.sha256()
        self._line = 1
        self.records = 0
        try:
            self._size = max(self._path.stat().st_size, 1)
            self._file: IO[bytes] = self._path.open("rb")
        except OSError:
            raise InvalidDeclaration(f"{where} cannot read {path}", hint="see the file and its permissions") from None
        self._read = 0
        self._name = Path(name or path)
        packed = self._name.suffix.lower() == ".gz"
        self._bytes = self._unpacked() if packed else self._hashed()
        if chunk is None:  # for the header alone, nothing behind it is looked at
            self._bytes = self._first_record(
                cast(IO[bytes], gzip.GzipFile(fileobj=self._file)) if packed else self._file
            )
        self._rest = b""
        try:
            self.names = self._header()
        except BaseException:
            self.close()
            raise

    @property
    def digest(self) -> str:
        """A digest of the bytes of the file."""
        return self._hash.hexdigest()

    def close(self) -> None:
        """Give the file back."""
        self._file.close()

    # ---- bytes ----

    def _hashed(self) -> Iterator[bytes]:
        """The bytes as they are, each read once."""
        with self._reading(packed=False):
            while found := self._file.read(self._chunk):
                self._hash.update(found)
                self._read += len(found)
                yield found

    @contextmanager
    def _reading(self, *, packed: bool) -> Generator[None]:
        """What becomes of bytes that cannot be read."""
        try:
            yield
        except SfumatoError:
            raise
        except (OSError, EOFError, ValueError, zlib.error):
            if packed:
                raise self._refused("is not gzip, is damaged, or ends too early", "pack it again") from None
            raise self._refused("cannot be read", "see the file, its disk and its permissions") from None

    def _unpacked(self) -> Iterator[bytes]:
        packed = gzip.GzipFile(fileobj=io.BufferedReader(_Pulled(self._hashed())))
        with self._reading(packed=True):
            while found := packed.read(self._chunk):
                yield found

    def _first_record(self, file: IO[bytes]) -> Iterator[bytes]:
        """The bytes of the first record, read line by line; in wide encodings sign by sign."""
        wide = self._dialect.encoding.startswith(("utf-16", "utf-32"))
        quotes, seen = 0, 0
        with self._reading(packed=file is not self._file):
            while found := file.read(1) if wide else file.readline(LONGEST):
                yield found
                quotes, seen = quotes + found.count(self._dialect.quote.encode()), seen + len(found)
                if seen > LONGEST or (not wide and found.endswith(b"\n") and quotes % 2 == 0):
                    return

    def _decoded(self) -> Iterator[bytes]:
        """The text in UTF-8, with whole characters and without a mark of the byte order."""
        decoder = codecs.getincrementaldecoder(self._dialect.encoding)("strict")
        line, first = 1, True
        for found in self._bytes:
            if first:
                self._check_start(found)
            cut = bool(decoder.getstate()[0])  # a character was cut in two
            try:
                text = decoder.decode(found)
                cut = cut or bool(decoder.getstate()[0]) or self._dialect.encoding != "utf-8"
                made = text.encode("utf-8") if cut else found
            except UnicodeError as error:
                start = error.start if isinstance(error, UnicodeDecodeError) else 0
                raise self._encoding(line + found.count(b"\n", 0, max(start, 0))) from None
            if first and made:
                made, first = made.removeprefix(_BOM), False
            if b"\0" in made:
                at = line + made.count(b"\n", 0, made.index(b"\0"))
                raise self._refused(f"line {at}: a character that is none (NUL)", _MARKS[b"\xff\xfe"][1])
            line += made.count(b"\n")
            if made:
                yield made
        try:
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            raise self._encoding(line) from None

    def _check_start(self, found: bytes) -> None:
        """Refuse what begins as something else than text in UTF-8 does, if that is what it should be."""
        for mark, (what, hint) in _MARKS.items():
            if self._dialect.encoding == "utf-8" and found.startswith(mark):
                raise self._refused(what, hint)

    def _encoding(self, line: int) -> InvalidDeclaration:
        said = self._dialect.encoding
        other = 'dialect = { encoding = "latin-1" }' if said == "utf-8" else "say the encoding in which it is written"
        return self._refused(f"near line {line}: what is there is not {said}", other)

    def _refused(self, problem: str, hint: str) -> InvalidDeclaration:
        return InvalidDeclaration(f"{self._where} {self._name.name}: {problem}", hint=hint)

    # ---- records ----

    def _header(self) -> tuple[str, ...]:
        """The first record, which names the fields."""
        self._text = self._decoded()
        found, end = b"", None
        while end is None:
            if len(found) > LONGEST:
                raise self._refused("line 1 is too long for a header", "is a quote missing, or the line end?")
            more = self._more()
            found += more
            end = _end_of_record(found[: LONGEST + 1], self._quote) if more else len(found)
        line = found[:end]
        self._rest = found[end:]
        try:
            names = self._fields(line)
        except ValueError:
            raise self._refused("line 1, the header, has a quote in the wrong place", _QUOTES) from None
        self._check_names(names)
        self._line = 1 + line.count(b"\n")
        self.width = len(names)
        return names

    def _more(self) -> bytes:
        """The next bytes; none when all were read."""
        return next(self._text, b"")

    @property
    def _quote(self) -> int:
        return ord(self._dialect.quote)

    def _fields(self, line: bytes) -> tuple[str, ...]:
        """The fields of one record, one character after the other."""
        quote, separator = self._dialect.quote, self._dialect.separator
        text, fields, at = line.decode("utf-8").removesuffix("\n").removesuffix("\r"), [], 0
        while True:
            if text[at : at + 1] == quote:
                end = at + 1
                while True:
                    end = text.index(quote, end)
                    if text[end + 1 : end + 2] != quote:
                        break
                    end += 2
                fields.append(text[at + 1 : end].replace(quote * 2, quote))
                at = end + 1
            else:
                end = text.find(separator, at)
                end = len(text) if end < 0 else end
                if quote in text[at:end]:
                    raise ValueError
                fields.append(text[at:end])
                at = end
            if at == len(text):
                return tuple(fields)
            if text[at] != separator:
                raise ValueError
            at += 1

    def _check_names(self, names: tuple[str, ...]) -> None:
        if names in ((), ("",)):
            raise self._refused("has no header", "its first line must name the columns")
        for at, name in enumerate(names, 1):
            if not name.strip():
                raise self._refused(f"line 1: column {at} has no name", "name every column in the header")
            if any(ord(sign) < 32 or ord(sign) == 127 for sign in name):
                tabs = 'is it separated by tabs? dialect = { separator = "\\t" }'
                hint = tabs if "\t" in name else "is the end of lines LF or CRLF?"
                raise self._refused(f"line 1: the name of column {at} holds a sign that cannot be seen", hint)
            if name.lower() in {other.lower() for other in names[: at - 1]}:
                raise self._refused(f"line 1: two columns are called `{name}`", "letters of either case are the same")

    def chunks(self) -> Iterator[Records]:
        """The records after the header, some megabytes at a time; InvalidDeclaration where one is malformed."""
        try:
            yield from self._chunks()
        finally:
            self.close()

    def _chunks(self) -> Iterator[Records]:
        ended = False
        while not ended:
            more = self._more()
            content, ended = self._rest + more, not more
            if ended and not content:
                return
            if ended and not content.endswith(b"\n"):
                content += b"\n"  # the last record may lack its end
            whole = self._checked(content)
            self._rest = content[whole.end :]
            if ended and self._rest:
                raise self._refused(
                    f"line {self._line}: a quote is opened and never closed",
                    "close it, or double a quote inside a field",
                )
            if len(self._rest) > LONGEST:
                raise self._refused(f"line {self._line}: a record of over a megabyte", "is a closing quote missing?")
            self.records += whole.number
            if whole.number:
                share = 1.0 if ended else min(1.0, self._read / self._size)
                yield Records(whole.content, whole.number, whole.size, share)

    def _checked(self, content: bytes) -> "_Whole":
        """What of it are whole records, and how many; every one is well formed."""
        there = np.frombuffer(content, dtype=np.uint8)
        signs = np.zeros(256, dtype=bool)
        signs[[self._quote, ord(self._dialect.separator), _LF, _CR]] = True
        at = np.flatnonzero(signs[there])
        sign = there[at]
        quotes = sign == self._quote
        inside = (np.cumsum(quotes) - quotes) % 2 == 1  # an odd number of quotes before
        ends = at[(sign == _LF) & ~inside]
        if not len(ends):
            return _Whole(b"", 0, 0, 0)
        end = int(ends[-1]) + 1
        known = at < end
        at, sign, quotes, inside = at[known], sign[known], quotes[known], inside[known]
        starts = np.concatenate(([0], ends[:-1] + 1))
        commas = at[(sign == ord(self._dialect.separator)) & ~inside]
        returns = at[(sign == _CR) & ~inside]
        bad = [
            *self._bad_quotes(there, at[quotes], inside[quotes]),
            *((int(p), "a carriage return that ends no line") for p in returns[there[returns + 1] != _LF][:_MOST_TOLD]),
        ]
        fields = np.diff(np.searchsorted(commas, ends), prepend=0) + 1
        empty = (ends - starts == 0) | ((ends - starts == 1) & (there[starts] == _CR))
        wrong = (fields != self.width) & ~empty
        bad += [
            (int(starts[i]), f"{fields[i]} fields, and the header has {self.width}")
            for i in np.flatnonzero(wrong)[:_MOST_TOLD]
        ]
        long = np.flatnonzero(ends - starts > LONGEST)[:1]
        bad += [(int(starts[i]), "a record of over a megabyte") for i in long]
        if bad:
            raise self._malformed(content, sorted(bad), self._line)
        self._line += content.count(b"\n", 0, end)
        dropped = np.flatnonzero(empty) if self.width > 1 else np.array([], dtype=np.int64)
        kept = self._without(there[:end], returns, starts[dropped], ends[dropped])
        number = len(ends) - len(dropped)
        opening = at[quotes & ~inside]
        doubled = int(np.count_nonzero(there[opening[opening > 0] - 1] == self._quote))
        size = len(kept) - number - len(commas) - int(np.count_nonzero(quotes)) + doubled
        return _Whole(kept, end, number, size)

    def _bad_quotes(
        self, there: NDArray[np.uint8], quotes: NDArray[np.int64], closes: NDArray[np.bool_]
    ) -> list[tuple[int, str]]:
        """Quotes that neither begin a field nor end one nor are doubled."""
        separator = ord(self._dialect.separator)
        opening, closing = quotes[~closes], quotes[closes]
        before = np.where(opening > 0, there[opening - 1], _LF)
        after = there[closing + 1]  # a record ends behind every closing quote, so there is a next one
        then = there[np.minimum(closing + 2, len(there) - 1)]
        begins = np.isin(before, (separator, _LF, self._quote))
        finishes = np.isin(after, (separator, _LF, self._quote)) | ((after == _CR) & (then == _LF))
        bad = [(int(p), "a quote inside a field that is not quoted") for p in opening[~begins][:_MOST_TOLD]]
        return bad + [(int(p), "text after a closing quote") for p in closing[~finishes][:_MOST_TOLD]]

    def _malformed(self, content: bytes, bad: list[tuple[int, str]], first: int) -> InvalidDeclaration:
        told, seen = [], set()
        for at, what in bad:
            line = first + content.count(b"\n", 0, at)
            if line not in seen:
                seen.add(line)
                told.append(f"line {line}: {what}")
        return self._refused("; ".join(told[:_MOST_TOLD]), _QUOTES)

    @staticmethod
    def _without(
        there: NDArray[np.uint8], returns: NDArray[np.int64], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> bytes:
        """The bytes with LF alone at the ends of records, and without lines that are no records."""
        if not len(returns) and not len(starts):
            return there.tobytes()
        kept = np.ones(len(there), dtype=bool)
        kept[returns] = False
        kept[ends[: len(starts)]] = False
        return there[kept].tobytes()


_QUOTES = 'mend the lines, or say how it is written: dialect = { separator = ";" }; a quote inside a field is doubled'


@dataclass(frozen=True, slots=True)
class _Whole:
    content: bytes
    end: int
    number: int
    size: int


def _end_of_record(content: bytes, quote: int) -> int | None:
    """Where the first record ends, behind its LF."""
    there = np.frombuffer(content, dtype=np.uint8)
    inside = (np.cumsum(there == quote) % 2) == 1
    found = np.flatnonzero((there == _LF) & ~inside)
    return int(found[0]) + 1 if len(found) else None


class _Pulled(io.RawIOBase):
    """Pieces of bytes as a file that is read from its beginning."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._rest = pieces, b""

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: "memoryview") -> int:  # type: ignore[override]
        """Fill the buffer with what comes next."""
        if not self._rest:
            self._rest = next(self._pieces, b"")
        given = self._rest[: len(buffer)]
        buffer[: len(given)] = given
        self._rest = self._rest[len(given) :]
        return len(given)
