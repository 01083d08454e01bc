"""Spark's SQL for what engines write differently, each piece total in ANSI mode, where what has no value fails.

Whole numbers are cast to 64 bits before they are computed with, and no sum of them can overflow: it is one of decimals
of 38 digits, or of 21 bits each. What is multiplied and added stays below 10**38: 2**32 people whose rows weigh 2**94
each. The session's time zone must be UTC (`connection.py` sees to it): moments have none, and two functions of
Spark pass through one.
"""

from collections.abc import Sequence
from datetime import date, datetime
from fractions import Fraction

from sfumato.data import Kind
from sfumato.engines.spark.functions import NAN, SPARK, quoted_text
from sfumato.query.functions import FUNCTIONS

_TYPES = {
    Kind.INTEGER: "BIGINT", Kind.REAL: "DOUBLE", Kind.TEXT: "STRING", Kind.BOOLEAN: "BOOLEAN",
    Kind.DATE: "DATE", Kind.TIMESTAMP: "TIMESTAMP_NTZ",
}  # fmt: skip
_WIDE = "DECIMAL(38, 0)"
_NARROW = "('int', 'bigint')"
_PART = 2**21 - 1
_TOO_LARGE = "9223372036854775808BD"
"""2**63, to which doubles, decimals and 64 bits are all compared exactly; as a double it would be cast to one less."""
_TRUE, _FALSE = "('true', 't', '1', 'yes', 'y')", "('false', 'f', '0', 'no', 'n')"
_RANK = "sfumato_rank"
_ONE_DECIMAL = quoted_text(r"^([-+]?[0-9]*(?:\.[0-9])?)")
_BYTES, _REVERSED = quoted_text("^(..)(..)(..)(..)(..)(..)(..).(.).*"), quoted_text("$8$7$6$5$4$3$2$1")
_ZEROS, _FIRST = quoted_text(r"(\.[0-9]+?)0+\z"), quoted_text("$1")
_POINT_ZERO, _NO_SIGN, _SIGN = quoted_text(r"\.0E"), quoted_text("E([0-9])"), quoted_text("E+$1")
_ONE_DIGIT, _TWO_DIGITS = quoted_text(r"E-([0-9])\z"), quoted_text("E-0$1")
_WRITTEN_PLAIN = 1e-4, 1e16
"""Doubles from the first to below the second are written without an exponent."""


class Spark:
    """Spark's dialect."""

    name = "spark"
    adds_doubles = False
    weighs_by_window = True

    def quoted(self, name: str) -> str:
        """A name as an identifier."""
        return "`" + name.replace("`", "``") + "`"

    def type_of(self, kind: Kind) -> str:
        """The type that holds a kind."""
        return _TYPES[kind]

    def literal(self, value: object, kind: Kind) -> str:
        """A constant."""
        if value is None:
            return f"CAST(NULL AS {_TYPES[kind]})"
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, datetime):
            return f"TIMESTAMP_NTZ '{value.isoformat(sep=' ')}'"
        if isinstance(value, date):
            return f"DATE '{value.isoformat()}'"
        if isinstance(value, str):
            return quoted_text(value)
        if isinstance(value, int) and kind is Kind.INTEGER:
            return f"({value}L)" if value < 0 else f"{value}L"
        assert isinstance(value, int | float)
        return self.double(value)

    def double(self, value: float | Fraction) -> str:
        """A constant as a double."""
        return f"CAST('{float(value)!r}' AS DOUBLE)"

    def tried(self, made: str) -> str:
        """The same: Spark has nothing that catches whatever fails, so nothing may."""
        return made

    def cast(self, made: str, kind: Kind, held: Kind) -> str:
        """A value as one of another kind."""
        if kind is Kind.INTEGER:
            return self._as_whole(made, held)
        if kind is Kind.TEXT:
            return _as_text(made) if held is Kind.REAL else f"CAST({made} AS STRING)"
        if held is Kind.TEXT:
            return _of_text(made, kind)
        if (held, kind) == (Kind.DATE, Kind.TIMESTAMP):  # TRY_CAST says that it is never NULL, and gives NULL
            within = f"{made} >= DATE '0001-01-01' AND {made} <= DATE '9999-12-31'"
            return f"CASE WHEN {within} THEN CAST({made} AS TIMESTAMP_NTZ) END"
        return f"CAST({made} AS {_TYPES[kind]})"

    def _as_whole(self, made: str, held: Kind) -> str:
        """64 bits of what may be wider; halves of doubles to the even neighbour, of texts away from zero."""
        if held is Kind.BOOLEAN:
            return f"CAST({made} AS BIGINT)"
        if held is Kind.TEXT:
            digits = f"regexp_extract({made}, {_ONE_DECIMAL}, 1)"
            return f"TRY_CAST(round(TRY_CAST({digits} AS DECIMAL(38, 1)), 0) AS BIGINT)"
        whole = f"rint({made})" if held is Kind.REAL else made
        return f"CASE WHEN {made} < {_TOO_LARGE} THEN TRY_CAST({whole} AS BIGINT) END"

    def matched(self, made: str, pattern: str) -> str:
        r"""The first brackets of a pattern; '' where it does not match. A $ would match before an end of line."""
        whole = quoted_text(pattern.removesuffix("$") + r"\z")
        return f"regexp_extract({made}, {whole}, 1)"

    def is_nan(self, made: str) -> str:
        """Whether a double is NaN: Spark's own function is false of NULL."""
        return f"({made} = {NAN})"

    def same(self, left: str, right: str) -> str:
        """Whether two values are the same, or both missing."""
        return f"({left} <=> {right})"

    def shortened(self, made: str, most: int) -> str:
        """The first characters of a text; bytes are counted first, which takes no time."""
        return f"CASE WHEN octet_length({made}) <= {most} THEN {made} ELSE left({made}, {most}) END"

    def function(self, op: str, made: Sequence[str], kind: Kind) -> str:
        """A function as its record writes it, or as Spark needs it."""
        return SPARK[op](*made) if op in SPARK else FUNCTIONS[op].filled(self, made, kind)

    def ranked(self, rows: str, rank: str, most: int, *, also: str = "") -> str:
        """The rows of low rank."""
        numbered = f"SELECT *, {rank} AS {_RANK} FROM ({rows}) t"
        low = f"{_RANK} <= {most}{f' OR {also}' if also else ''}"
        return f"SELECT * EXCEPT ({_RANK}) FROM ({numbered}) t WHERE {low}"

    def divided(self, whole: str, by: str) -> str:
        """A whole number divided, cut towards zero.

        DIV of decimals wraps around at 64 bits and says nothing, and / of 64 bits is a double: which of the two ways is
        meant is known while a statement is planned. A quotient of decimals has 32 digits at most.
        """
        narrow = " AND ".join(f"typeof({each}) IN {_NARROW}" for each in (whole, by))
        above, below = self.wide(whole), self.wide(by)
        exact = f"CAST(({above} - {above} % {below}) / {below} AS {_WIDE})"
        return f"(CASE WHEN {narrow} THEN ({whole}) DIV ({by}) ELSE {exact} END)"

    def root(self, whole: str) -> str:
        """⌈√x⌉: IEEE's root of up to 62 bits is off by less than one, which whole numbers then decide."""
        near = f"CAST(ceil(sqrt(CAST({whole} AS DOUBLE))) AS BIGINT)"
        less, more = f"({near} - 1L) * ({near} - 1L) >= {whole}", f"{near} * {near} < {whole}"
        return f"({near} + CASE WHEN {less} THEN -1L WHEN {more} THEN 1L ELSE 0L END)"

    def wide(self, made: str) -> str:
        """A whole number of 38 digits: the product of two of 64 bits has as many."""
        return f"CAST({made} AS {_WIDE})"

    def summed(self, term: str, *, narrow: bool, over: str = "") -> str:
        """A sum, NULL of none."""
        return f"sum(CAST({term} AS BIGINT)){over}" if narrow else self._sum(term, over)

    def total(self, term: str, *, narrow: bool) -> str:
        """A sum, 0 of none, whatever its size on the way."""
        return f"CAST(coalesce({self._sum(term)}, 0) AS {'BIGINT' if narrow else 'STRING'})"

    def _sum(self, term: str, over: str = "") -> str:
        """A sum as a decimal: one of 64 bits would fail where it is too large.

        Decimals are added up six times as slowly, so 64 bits are in three parts of 21, for up to 2**42 rows. Which of
        the two it is, is known while a statement is planned, and the other is left out.
        """
        whole = f"TRY_CAST({term} AS BIGINT)"
        parts = ((f"{whole} >> 42", 42), (f"{whole} >> 21 & {_PART}L", 21), (f"{whole} & {_PART}L", 0))
        by_parts = " + ".join(f"{self.wide(f'sum({part}){over}')} * {1 << at}L" for part, at in parts)
        narrow = f"typeof(max({term}){over}) IN {_NARROW}"
        return f"CASE WHEN {narrow} THEN CAST({by_parts} AS {_WIDE}) ELSE sum({self.wide(term)}){over} END"

    def by_sets(self, names: Sequence[str], sets: Sequence[Sequence[str]], totals: Sequence[str], source: str) -> str:
        """Grouping sets: one pass over the rows. One set of all names is grouped by them, which is faster."""
        if names and [list(one) for one in sets] == [list(names)]:
            return f"SELECT {', '.join(['0L AS s', *names, *totals])} FROM {source} GROUP BY {', '.join(names)}"
        bits = f"grouping_id({', '.join(names)})" if names else "0L"
        each = ", ".join(f"({', '.join(one)})" for one in sets)
        return f"SELECT {', '.join([f'{bits} AS s', *names, *totals])} FROM {source} GROUP BY GROUPING SETS ({each})"

    def common(self, name: str, rows: str, *, twice: bool) -> str:
        """A named relation: Spark keeps none, and reads it as often as it is named."""
        del twice
        return f"{name} AS ({rows})"

    def scaled(self, number: str, step: Fraction) -> str:
        """A double in steps; none of them is zero."""
        return f"{number} * {self.double(1 / step)}" if step.numerator == 1 else f"{number} / {self.double(step)}"

    def xor(self, left: str, right: str) -> str:
        """The bits that are in one of two."""
        return f"({left} ^ {right})"

    def text_number(self, made: str) -> str:
        """The first eight bytes of the MD5, from the last of them on and without its first four bits."""
        return f"CAST(conv(regexp_replace(md5(CAST({made} AS BINARY)), {_BYTES}, {_REVERSED}), 16, 10) AS BIGINT)"

    def moment_number(self, made: str, kind: Kind) -> str:
        """Days or microseconds since 1970."""
        if kind is Kind.DATE:
            return f"CAST(unix_date({made}) AS BIGINT)"
        return f"unix_micros(CAST({made} AS TIMESTAMP))"


def _of_text(made: str, kind: Kind) -> str:
    """A text, of which a pattern has found the value, as that value."""
    if kind is Kind.BOOLEAN:
        return f"CASE WHEN lower({made}) IN {_TRUE} THEN TRUE WHEN lower({made}) IN {_FALSE} THEN FALSE END"
    text = f"replace({made}, '/', '-')" if kind.is_time else made
    return f"TRY_CAST({text} AS {_TYPES[kind]})"


def _as_text(made: str) -> str:
    """A double as Python writes it: Java writes 2.0E10 for 20000000000.0, and 1.0E-7 for 1e-07; NaN has no text.

    The digits are Java's own: before version 19 it wrote one more than needed of one double in some hundreds.
    """
    least, most = _WRITTEN_PLAIN
    plain = f"CAST(TRY_CAST(CAST({made} AS STRING) AS DECIMAL(38, 21)) AS STRING)"
    plain = f"regexp_replace({plain}, {_ZEROS}, {_FIRST})"
    shorter = f"regexp_replace(CAST({made} AS STRING), {_POINT_ZERO}, 'E')"
    signed = f"regexp_replace({shorter}, {_NO_SIGN}, {_SIGN})"
    long = f"regexp_replace({signed}, {_ONE_DIGIT}, {_TWO_DIGITS})"
    return (
        f"CASE WHEN {made} = 0D THEN CAST({made} AS STRING) "
        f"WHEN abs({made}) >= {least!r}D AND abs({made}) < {most!r}D THEN {plain} "
        f"WHEN abs({made}) < CAST('Infinity' AS DOUBLE) THEN replace({long}, 'E', 'e') "
        f"WHEN {made} = {NAN} THEN NULL WHEN {made} > 0D THEN 'inf' WHEN {made} < 0D THEN '-inf' END"
    )


SPARK_DIALECT = Spark()
