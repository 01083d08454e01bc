"""Cells as they are registered: of one kind a column, readable by everybody, and a person spelled in one way.

Each expression is total: a cell that is not of the kind is NULL. Keys, which say whose row it is, are stricter
than other cells: a whole number is whole ('7.4' is nobody), and the spellings of one value are that value
('7', '07', '7.0').
"""

from sfumato.data import Kind
from sfumato.engines.duckdb.dialect import type_of

_FIRST, _LAST = "0001-01-01", "9999-12-31"
_MOMENTS = (Kind.DATE, Kind.TIMESTAMP)
_WHOLE = "[ ]*[+-]?[0-9]+[ ]*"


def cell(made: str, held: Kind, kind: Kind) -> str:
    """A cell of a source as one of its declared kind."""
    if held is Kind.TEXT:
        return _of_text(made, kind)
    cast = f"TRY_CAST({made} AS {type_of(kind)})"
    return in_calendar(cast, kind) if kind in _MOMENTS else cast


def _of_text(made: str, kind: Kind) -> str:
    """A text as a value: whole numbers as they are written, others rounded as reals are; moments in UTC."""
    text = f"TRY(decode(encode(TRY_CAST({made} AS VARCHAR))))"
    if kind is Kind.TEXT:
        return text
    if kind is Kind.INTEGER:
        rounded = f"TRY_CAST(TRY_CAST({made} AS DOUBLE) AS BIGINT)"
        return f"CASE WHEN regexp_full_match({made}, '{_WHOLE}') THEN TRY_CAST({made} AS BIGINT) ELSE {rounded} END"
    if kind in _MOMENTS:
        moment = f"TRY_CAST(TRY_CAST({made} AS TIMESTAMPTZ) AS TIMESTAMP)"
        return in_calendar(f"TRY_CAST({moment} AS {type_of(kind)})", kind)
    return f"TRY_CAST({made} AS {type_of(kind)})"


def with_comma(made: str) -> str:
    """A text whose numbers have a decimal comma, with a point; one that has points already is none."""
    return f"CASE WHEN NOT contains({made}, '.') THEN replace({made}, ',', '.') END"


def in_calendar(made: str, kind: Kind) -> str:
    """A day or moment of the years 1 to 9999; NULL for others."""
    if kind is Kind.DATE:
        return f"CASE WHEN {made} BETWEEN DATE '{_FIRST}' AND DATE '{_LAST}' THEN {made} END"
    first, last = f"TIMESTAMP '{_FIRST} 00:00:00'", f"TIMESTAMP '{_LAST} 23:59:59.999999'"
    return f"CASE WHEN {made} BETWEEN {first} AND {last} THEN {made} END"


def key(made: str, held: Kind, kind: Kind, *, uuids: bool = False) -> str:
    """A cell of a source as a key: the same for every spelling of the same value, NULL for what is none.

    Where one of the columns that are compared holds UUIDs, texts that are UUIDs are spelled as those are.
    """
    if kind is Kind.INTEGER:
        whole = f"TRY_CAST({made} AS BIGINT)"
        if held is Kind.REAL:
            return f"CASE WHEN {made} = floor({made}) THEN {whole} END"
        if held is Kind.TEXT:  # a decimal leaves out what is tiny, a double what is far behind the point
            same = f"TRY_CAST({made} AS DECIMAL(38, 18)) = {whole} AND TRY_CAST({made} AS DOUBLE) = {whole}"
            return f"CASE WHEN {same} THEN {whole} END"
        return whole
    if kind is Kind.REAL:
        number = f"(TRY_CAST({made} AS DOUBLE) + CAST(0 AS DOUBLE))"  # -0 is 0
        return f"CASE WHEN NOT isnan({number}) THEN {number} END"
    plain = cell(made, held, kind)
    return f"coalesce(CAST(TRY_CAST({plain} AS UUID) AS VARCHAR), {plain})" if uuids and kind is Kind.TEXT else plain
