"""DuckDB's SQL for what engines write differently, each piece total."""

from collections.abc import Sequence
from datetime import date, datetime
from fractions import Fraction

from sfumato.data import Kind
from sfumato.query.functions import FUNCTIONS

_TYPES = {
    Kind.INTEGER: "BIGINT", Kind.REAL: "DOUBLE", Kind.TEXT: "VARCHAR", Kind.BOOLEAN: "BOOLEAN",
    Kind.DATE: "DATE", Kind.TIMESTAMP: "TIMESTAMP",
}  # fmt: skip
_SIXTY_BITS = 2**60 - 1


class DuckDB:
    """DuckDB's dialect."""

    name = "duckdb"
    adds_doubles = True
    weighs_by_window = False

    def quoted(self, name: str) -> str:
        """A name as an identifier."""
        return '"' + name.replace('"', '""') + '"'

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
            return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
        if isinstance(value, date):
            return f"DATE '{value.isoformat()}'"
        if isinstance(value, str):
            return "'" + value.replace("'", "''") + "'"
        if isinstance(value, int) and kind is Kind.INTEGER:
            return f"({value})" if value < 0 else str(value)
        assert isinstance(value, int | float)
        return self.double(value)

    def double(self, value: float | Fraction) -> str:
        """A constant as a double."""
        return f"CAST('{float(value)!r}' AS DOUBLE)"

    def tried(self, made: str) -> str:
        """NULL where anything fails, if it is planned without what takes functions out of TRY(…): see `engine.py`."""
        return f"TRY({made})"

    def cast(self, made: str, kind: Kind, held: Kind) -> str:
        """A value as one of another kind."""
        del held
        return f"TRY_CAST({made} AS {_TYPES[kind]})"

    def matched(self, made: str, pattern: str) -> str:
        """The first brackets of a pattern; '' where it does not match."""
        return f"regexp_extract({made}, '{pattern}', 1)"

    def is_nan(self, made: str) -> str:
        """Whether a double is NaN."""
        return f"isnan({made})"

    def same(self, left: str, right: str) -> str:
        """Whether two values are the same, or both missing."""
        return f"({left} IS NOT DISTINCT FROM {right})"

    def shortened(self, made: str, most: int) -> str:
        """The first characters of a text; bytes are counted first, which takes no time."""
        return f"CASE WHEN strlen({made}) <= {most} THEN {made} ELSE left({made}, {most}) END"

    def function(self, op: str, made: Sequence[str], kind: Kind) -> str:
        """A function as its record writes it."""
        return FUNCTIONS[op].filled(self, made, kind)

    def ranked(self, rows: str, rank: str, most: int, *, also: str = "") -> str:
        """The rows of low rank."""
        return f"SELECT * FROM ({rows}) QUALIFY {rank} <= {most}{f' OR {also}' if also else ''}"

    def divided(self, whole: str, by: str) -> str:
        """A whole number divided, cut towards zero."""
        return f"(({whole}) // ({by}))"

    def root(self, whole: str) -> str:
        """⌈√x⌉: IEEE's root of up to 62 bits is off by less than one, which whole numbers then decide."""
        near = f"CAST(ceil(sqrt(CAST({whole} AS DOUBLE))) AS BIGINT)"
        less, more = f"({near} - 1) * ({near} - 1) >= {whole}", f"{near} * {near} < {whole}"
        return f"({near} + CASE WHEN {less} THEN -1 WHEN {more} THEN 1 ELSE 0 END)"

    def wide(self, made: str) -> str:
        """A whole number of 128 bits."""
        return f"CAST({made} AS HUGEINT)"

    def scaled(self, number: str, step: Fraction) -> str:
        """A double in steps."""
        return f"{number} * {self.double(1 / step)}" if step.numerator == 1 else f"{number} / {self.double(step)}"

    def common(self, name: str, rows: str, *, twice: bool) -> str:
        """Rows under a name."""
        return f"{name} AS {'NOT ' if twice else ''}MATERIALIZED ({rows})"

    def summed(self, term: str, *, narrow: bool, over: str = "") -> str:
        """A sum."""
        return f"CAST(sum({term}){over} AS {'BIGINT' if narrow else 'HUGEINT'})"

    def total(self, term: str, *, narrow: bool) -> str:
        """A sum; a long one as text, because a fetched HUGEINT is a double."""
        return f"CAST(coalesce(sum({term}), 0) AS {'BIGINT' if narrow else 'VARCHAR'})"

    def by_sets(self, names: Sequence[str], sets: Sequence[Sequence[str]], totals: Sequence[str], source: str) -> str:
        """Grouping sets: one pass over the rows. One set of all names is grouped by them, which is faster."""
        if names and [list(one) for one in sets] == [list(names)]:
            shown = ", ".join(["CAST(0 AS BIGINT) AS s", *names, *totals])
            return f"SELECT {shown} FROM {source} GROUP BY {', '.join(names)}"
        bits = f"GROUPING({', '.join(names)})" if names else "0"
        which = f"CAST({bits} AS BIGINT) AS s"
        each = ", ".join(f"({', '.join(one)})" for one in sets)
        return f"SELECT {', '.join([which, *names, *totals])} FROM {source} GROUP BY GROUPING SETS ({each})"

    def xor(self, left: str, right: str) -> str:
        """The bits that are in one of two."""
        return f"xor({left}, {right})"

    def text_number(self, made: str) -> str:
        """The first eight bytes of the MD5: DuckDB's number has the first byte as its least."""
        return f"CAST(md5_number({made}) & {_SIXTY_BITS} AS BIGINT)"

    def moment_number(self, made: str, kind: Kind) -> str:
        """Days or microseconds since 1970."""
        return f"({made} - DATE '1970-01-01')" if kind is Kind.DATE else f"epoch_us({made})"


DUCKDB = DuckDB()
quoted, type_of = DUCKDB.quoted, DUCKDB.type_of
