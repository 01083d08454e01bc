"""Casts that give NULL where PostgreSQL fails: PostgreSQL has none that are tried.

Texts come as the patterns of `query/functions/reading.py` have found them, or as NULL.
"""

from collections.abc import Callable, Mapping
from math import inf, nan

from sfumato.data import Kind
from sfumato.engines.postgres.binding import bound, double
from sfumato.engines.postgres.casing import COLLATION
from sfumato.query.functions.reading import FALSE, TRUE

_NULL = "CAST(NULL AS double precision)"
_FIRST, _BEYOND = "-9223372036854775808", "9223372036854775808"


def as_whole(made: str) -> str:
    """A double or a whole number of any width as 64 bits, halves to the even neighbour; the ends are exact in each."""
    fits = f"{{x}} >= {_FIRST} AND {{x}} < {_BEYOND}"
    return bound((made,), lambda x: f"CASE WHEN {fits.format(x=x)} THEN CAST({x} AS bigint) END", columns=True)


def _text_as_whole(made: str) -> str:
    """Halves away from zero, as long numbers are rounded."""
    return as_whole(f"round(CAST({made} AS numeric))")


def _text_as_real(made: str) -> str:
    """Beyond all doubles it is infinite, or zero: the place of the first digit and the exponent tell."""

    def body(x: str) -> str:
        digits = f"split_part(lower(ltrim({x}, '+-')), 'e', 1)"
        exponent = f"CAST(coalesce(nullif(split_part(lower({x}), 'e', 2), ''), '0') AS bigint)"
        before, after = f"ltrim(split_part({digits}, '.', 1), '0')", f"split_part({digits}, '.', 2)"
        zeros = f"length({after}) - length(ltrim({after}, '0'))"
        place = f"CASE WHEN {before} <> '' THEN length({before}) ELSE -({zeros}) END + {exponent}"
        sign = f"CASE WHEN {x} LIKE '-%' THEN {double(-1)} ELSE {double(1)} END"
        beyond = f"CASE WHEN {place} > 0 THEN {double(inf)} ELSE {double(0)} END * {sign}"
        return (
            f"CASE WHEN pg_input_is_valid({x}, 'double precision') THEN CAST({x} AS double precision) ELSE {beyond} END"
        )

    return bound((made,), lambda x: f"CASE WHEN {x} <> '' THEN {body(x)} END")


def _text_as_truth(made: str) -> str:
    yes, no = (", ".join(f"'{word}'" for word in words) for words in (TRUE, FALSE))
    return bound(
        (f"lower(({made}) {COLLATION})",),
        lambda x: f"CASE WHEN {x} IN ({yes}) THEN TRUE WHEN {x} IN ({no}) THEN FALSE END",
    )


def _text_as_day(made: str) -> str:
    return bound(
        (f"replace({made}, '/', '-')",),
        lambda x: f"CASE WHEN pg_input_is_valid({x}, 'date') THEN CAST({x} AS date) END",
    )


def _text_as_moment(made: str) -> str:
    """Microseconds are cut, not rounded."""
    cut = f"substring(translate({made}, '/T', '- ') FROM '^[^.]*(?:[.][0-9]{{1,6}})?')"
    return bound((cut,), lambda x: f"CASE WHEN pg_input_is_valid({x}, 'timestamp') THEN CAST({x} AS timestamp) END")


def _real_as_text(made: str) -> str:
    """The shortest digits that are read as the same number, written as Python does; NaN has no text."""

    def body(x: str, t: str) -> str:
        point = f"strpos({t}, '.') > 0"
        fixed = f"CASE WHEN strpos({t}, 'e') > 0 THEN CAST(CAST({t} AS numeric) AS text) ELSE {t} END"
        return (
            f"CASE WHEN {x} = {double(nan)} THEN NULL "
            f"WHEN abs({x}) = {double(inf)} THEN CASE WHEN {x} > 0 THEN 'inf' ELSE '-inf' END "
            f"WHEN {x} = 0 THEN {t} || '.0' WHEN abs({x}) < {double(1e-4)} THEN {t} "
            f"WHEN abs({x}) >= {double(1e16)} THEN {_shortest(x, t)} "
            f"WHEN {point} AND strpos({t}, 'e') = 0 THEN {t} "
            f"ELSE {_with_point(fixed)} END {COLLATION}"
        )

    return bound((made,), lambda x: bound((x, f"CAST({x} AS text)"), body))


def _with_point(text: str) -> str:
    return f"CASE WHEN strpos({text}, '.') > 0 THEN {text} ELSE {text} || '.0' END"


def _shortest(x: str, t: str) -> str:
    """PostgreSQL leaves out a shorter text half way to the next number, which is read as this one all the same."""
    made = []
    for decimals in (14, 15):
        form = f"9.{'9' * decimals}EEEE"
        written = f"to_char(CAST({t} AS numeric), '{form}')"
        again = f"ltrim(to_char(CAST({written} AS numeric), '{form}'))"  # nines are rounded to 10.0e+22, not to 1.0e+23
        made.append(f"WHEN CAST({written} AS double precision) = {x} THEN regexp_replace({again}, '[.]?0*e', 'e')")
    return f"CASE WHEN length({t}) < 18 OR abs({x}) > {double(1.7e308)} THEN {t} {' '.join(made)} ELSE {t} END"


def _day_as_moment(made: str) -> str:
    """Days reach farther than moments do."""
    last = "DATE '294276-12-31'"
    return bound(
        (made,),
        lambda x: f"CASE WHEN {x} <= {last} OR {x} = DATE 'infinity' THEN CAST({x} AS timestamp) END",
        columns=True,
    )


def _moment_as_text(made: str) -> str:
    return f"rtrim(rtrim(to_char({made}, 'YYYY-MM-DD HH24:MI:SS.US'), '0'), '.') {COLLATION}"


CASTS: Mapping[tuple[Kind, Kind], Callable[[str], str]] = {
    (Kind.INTEGER, Kind.INTEGER): as_whole,
    (Kind.REAL, Kind.INTEGER): as_whole,
    (Kind.TEXT, Kind.INTEGER): _text_as_whole,
    (Kind.BOOLEAN, Kind.INTEGER): lambda made: f"CAST(CAST({made} AS integer) AS bigint)",
    (Kind.INTEGER, Kind.REAL): lambda made: f"CAST({made} AS double precision)",
    (Kind.TEXT, Kind.REAL): _text_as_real,
    (Kind.BOOLEAN, Kind.REAL): lambda made: f"CAST(CAST({made} AS integer) AS double precision)",
    (Kind.INTEGER, Kind.BOOLEAN): lambda made: f"(({made}) <> 0)",
    (Kind.REAL, Kind.BOOLEAN): lambda made: f"(({made}) <> 0)",
    (Kind.TEXT, Kind.BOOLEAN): _text_as_truth,
    (Kind.INTEGER, Kind.TEXT): lambda made: f"(CAST({made} AS text) {COLLATION})",
    (Kind.REAL, Kind.TEXT): _real_as_text,
    (Kind.BOOLEAN, Kind.TEXT): lambda made: f"(CAST({made} AS text) {COLLATION})",
    (Kind.DATE, Kind.TEXT): lambda made: f"(to_char({made}, 'YYYY-MM-DD') {COLLATION})",
    (Kind.TIMESTAMP, Kind.TEXT): lambda made: f"({_moment_as_text(made)})",
    (Kind.TEXT, Kind.DATE): _text_as_day,
    (Kind.TIMESTAMP, Kind.DATE): lambda made: f"CAST({made} AS date)",
    (Kind.TEXT, Kind.TIMESTAMP): _text_as_moment,
    (Kind.DATE, Kind.TIMESTAMP): _day_as_moment,
}
"""What is held, and as what: all others are as they are."""
