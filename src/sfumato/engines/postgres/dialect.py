"""PostgreSQL's SQL for what engines write differently, each piece total. Of version 16 and later, in UTF-8.

A session that runs it has the settings in `SETTINGS`: texts without escapes, and doubles written to the last bit.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from fractions import Fraction

from sfumato.data import Kind
from sfumato.engines.postgres.binding import bound, double
from sfumato.engines.postgres.casing import COLLATION, lowered, raised
from sfumato.engines.postgres.casts import CASTS
from sfumato.engines.postgres.functions import FUNCTIONS as OWN
from sfumato.engines.postgres.functions import like
from sfumato.query.functions import FUNCTIONS

SETTINGS: Mapping[str, str] = {
    "standard_conforming_strings": "on",
    "extra_float_digits": "1",
    "client_encoding": "UTF8",
    "DateStyle": "ISO, YMD",
    "IntervalStyle": "postgres",
    "TimeZone": "UTC",
    "jit": "off",  # a machine's code for guards takes longer to make than they take
}
"""What a session must be set to."""
_TYPES = {
    Kind.INTEGER: "bigint", Kind.REAL: "double precision", Kind.TEXT: "text", Kind.BOOLEAN: "boolean",
    Kind.DATE: "date", Kind.TIMESTAMP: "timestamp",
}  # fmt: skip
_SIXTY_BITS = 2**60 - 1
_MOST_GROUPED = 31  # names in one GROUPING
_RANK = "sfumato_rank"
_UNWRITABLE = re.compile("[\0\ud800-\udfff]")
_NO_CHARACTER = "\ufdd0"


class Postgres:
    """PostgreSQL's dialect; `unicode` tells whether the server has the collation pg_c_utf8, as from version 17 on.

    Rows that are not `stored`, as those of a view that draws a sample, are read once: a person's weight is of the same
    rows that it is the weight of.
    """

    name = "postgres"
    adds_doubles = False
    weighs_by_window = False

    def __init__(self, *, unicode: bool = True, stored: bool = True) -> None:
        self._unicode, self._stored = unicode, stored

    def quoted(self, name: str) -> str:
        """A name as an identifier."""
        return '"' + name.replace('"', '""') + '"'

    def type_of(self, kind: Kind) -> str:
        """The type that holds a kind."""
        return _TYPES[kind]

    def literal(self, value: object, kind: Kind) -> str:
        """A constant; a text that PostgreSQL cannot hold is one that no cell should be."""
        if value is None:
            return f"CAST(NULL AS {_TYPES[kind]})"
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, datetime):
            return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
        if isinstance(value, date):
            return f"DATE '{value.isoformat()}'"
        if isinstance(value, str):
            written = _UNWRITABLE.sub(_NO_CHARACTER, value).replace("'", "''")
            return f"(CAST('{written}' AS text) {COLLATION})"
        if isinstance(value, int) and kind is Kind.INTEGER:
            if value == -(2**63):  # its digits alone are no whole number of 64 bits
                return f"CAST('{value}' AS bigint)"
            return f"({value})" if value < 0 else str(value)
        assert isinstance(value, int | float)
        return self.double(value)

    def double(self, value: float | Fraction) -> str:
        """A constant as a double."""
        return double(value)

    def tried(self, made: str) -> str:
        """The same: every operation here is total by itself."""
        return made

    def cast(self, made: str, kind: Kind, held: Kind) -> str:
        """A value as one of another kind."""
        return CASTS.get((held, kind), str)(made)

    def matched(self, made: str, pattern: str) -> str:
        """The first brackets of a pattern; NULL where it does not match."""
        return f"substring({made} FROM '{pattern}')"

    def is_nan(self, made: str) -> str:
        """Whether a double is NaN, which is equal to itself."""
        return f"({made} = {double(float('nan'))})"

    def same(self, left: str, right: str) -> str:
        """Whether two values are the same, or both missing."""
        return f"({left} IS NOT DISTINCT FROM {right})"

    def shortened(self, made: str, most: int) -> str:
        """The first characters of a text; bytes are counted first, which takes no time."""
        return f"CASE WHEN octet_length({made}) <= {most} THEN {made} ELSE left({made}, {most}) END"

    def function(self, op: str, made: Sequence[str], kind: Kind) -> str:
        """A function in PostgreSQL's own way, or as its record writes it."""
        match op:
            case "lower":
                return lowered(made[0], unicode=self._unicode)
            case "upper":
                return raised(made[0], unicode=self._unicode)
            case "ilike":
                return like(*(lowered(each, unicode=self._unicode) for each in made))
            case _ if op in OWN:
                return OWN[op](made)
            case _:
                return FUNCTIONS[op].filled(self, made, kind)

    def ranked(self, rows: str, rank: str, most: int, *, also: str = "") -> str:
        """The rows of low rank; those that were ranked before keep theirs under another name."""
        name = f"{_RANK}{rows.count(_RANK)}"
        numbered = f"SELECT *, {rank} AS {name} FROM ({rows}) t"
        return f"SELECT * FROM ({numbered}) t WHERE {name} <= {most}{f' OR {also}' if also else ''}"

    def divided(self, whole: str, by: str) -> str:
        """A whole number divided, cut towards zero."""
        return f"div(CAST({whole} AS numeric), CAST({by} AS numeric))"

    def root(self, whole: str) -> str:
        """⌈√x⌉: IEEE's root of up to 62 bits is off by less than one, which whole numbers then decide."""
        near = f"CAST(ceil(sqrt(CAST({whole} AS double precision))) AS bigint)"
        less, more = f"({near} - 1) * ({near} - 1) >= {whole}", f"{near} * {near} < {whole}"
        return f"({near} + CASE WHEN {less} THEN -1 WHEN {more} THEN 1 ELSE 0 END)"

    def wide(self, made: str) -> str:
        """A whole number of any width."""
        return f"CAST({made} AS numeric)"

    def scaled(self, number: str, step: Fraction) -> str:
        """A double in steps."""
        if step.numerator == 1:
            return self.function("mul", [number, double(1 / step)], Kind.REAL)
        return self.function("div", [number, double(step)], Kind.REAL)

    def common(self, name: str, rows: str, *, twice: bool) -> str:
        """Rows under a name."""
        return f"{name} AS {'NOT ' if twice and self._stored else ''}MATERIALIZED ({rows})"

    def summed(self, term: str, *, narrow: bool, over: str = "") -> str:
        """A sum."""
        return f"CAST(sum({term}){over} AS {'bigint' if narrow else 'numeric'})"

    def total(self, term: str, *, narrow: bool) -> str:
        """A sum; a long one as text of its digits."""
        if narrow:
            return f"CAST(coalesce(sum({term}), 0) AS bigint)"
        return f"CAST(trunc(CAST(coalesce(sum({term}), 0) AS numeric)) AS text)"

    def by_sets(self, names: Sequence[str], sets: Sequence[Sequence[str]], totals: Sequence[str], source: str) -> str:
        """Grouping sets: one pass over the rows. One set of all names is grouped by them."""
        if names and [list(one) for one in sets] == [list(names)]:
            shown = ", ".join(["CAST(0 AS bigint) AS s", *names, *totals])
            return f"SELECT {shown} FROM {source} GROUP BY {', '.join(names)}"
        each = ", ".join(f"({', '.join(one)})" for one in sets)
        which = f"{_bits(names)} AS s"
        return f"SELECT {', '.join([which, *names, *totals])} FROM {source} GROUP BY GROUPING SETS ({each})"

    def xor(self, left: str, right: str) -> str:
        """The bits that are in one of two."""
        return f"({left} # {right})"

    def text_number(self, made: str) -> str:
        """The first eight bytes of the MD5, the last of them first."""
        return bound((f"md5({made})",), _sixty_bits)

    def moment_number(self, made: str, kind: Kind) -> str:
        """Days or microseconds since 1970; none of what is infinite, or farther away than 64 bits count."""
        if kind is Kind.DATE:
            return f"CASE WHEN isfinite({made}) THEN {made} - DATE '1970-01-01' END"
        known = f"isfinite({made}) AND {made} < TIMESTAMP '294247-01-01'"
        return f"CASE WHEN {known} THEN CAST(extract(epoch FROM {made}) * 1000000 AS bigint) END"


def _bits(names: Sequence[str]) -> str:
    """GROUPING of all names, in parts of as many as it takes."""
    parts = [names[at : at + _MOST_GROUPED] for at in range(0, len(names), _MOST_GROUPED)]
    made = "CAST(0 AS bigint)"
    for part in parts:
        made = f"(({made} << {len(part)}) + GROUPING({', '.join(part)}))"
    return made


def _sixty_bits(digits: str) -> str:
    turned = " || ".join(f"substr({digits}, {at}, 2)" for at in range(15, 0, -2))
    return f"CAST(CAST('x' || {turned} AS bit(64)) AS bigint) & {_SIXTY_BITS}"


POSTGRES = Postgres()
"""Of PostgreSQL 17 and later."""
