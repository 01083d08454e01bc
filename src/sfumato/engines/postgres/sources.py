"""Relations of PostgreSQL: their columns from the catalogue, and cells that cannot fail."""

from typing import NamedTuple

from sfumato.data import Kind, SourceColumn

_WHOLE, _REAL = ("int2", "int4", "int8"), ("float4", "float8")
_TEXT = ("text", "varchar", "bpchar", "name", "uuid", "char")
_OTHER = {"bool": Kind.BOOLEAN, "date": Kind.DATE, "timestamp": Kind.TIMESTAMP, "timestamptz": Kind.TIMESTAMP}
_PEOPLE = (Kind.INTEGER, Kind.REAL, Kind.TEXT)
FIRST, LAST = "0001-01-01", "9999-12-31"
CATALOGUE = """
    SELECT a.attname, t.typname,
           CASE WHEN t.typtype = 'e' AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_cast k WHERE k.castsource = t.oid
                AND k.casttarget = 'pg_catalog.text'::pg_catalog.regtype) THEN 'e'
                WHEN n.nspname = 'pg_catalog' THEN t.typtype ELSE 'c' END,
           CASE WHEN o.typtype = 'd' THEN format_type(o.typbasetype, o.typtypmod)
                ELSE format_type(a.atttypid, a.atttypmod) END
    FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type o ON o.oid = a.atttypid
    JOIN pg_catalog.pg_type t ON t.oid = CASE WHEN o.typtype = 'd' THEN o.typbasetype ELSE o.oid END
    JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
    WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""
"""Name, type or base of a domain, which sort of type, and the type, or that base, as people write it.

A type is read that is PostgreSQL's own, or an enumeration whose words no function of somebody's makes.
"""
STORED = "SELECT relkind IN ('r', 'p', 'm') FROM pg_catalog.pg_class WHERE oid = %s"
"""Whether a relation's rows are kept, so that whoever reads them twice reads the same: others may draw them."""
UNIQUE = """
    SELECT a.attname FROM pg_catalog.pg_index i JOIN pg_catalog.pg_attribute a
    ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
    WHERE i.indrelid = %s AND i.indisunique AND i.indisvalid AND i.indimmediate AND i.indnkeyatts = 1
    AND i.indpred IS NULL AND i.indexprs IS NULL AND NOT EXISTS (
        SELECT 1 FROM pg_catalog.pg_inherits h JOIN pg_catalog.pg_class c ON c.oid = h.inhparent
        WHERE h.inhparent = i.indrelid AND c.relkind <> 'p')
"""
"""Columns that an index alone keeps unique, whole and at once; it knows nothing of tables that inherit."""


class CatalogueLine(NamedTuple):
    """A column as the catalogue has it."""

    name: str
    type: str
    sort: str
    written: str


def column_of(line: CatalogueLine) -> SourceColumn:
    """A column, and the kinds as which it cannot name people."""
    kind = _kind(line)
    inexact = _PEOPLE if line.type in _REAL or line.type == "numeric" else ()
    return SourceColumn(line.name, line.written, kind, loose=line.type == "numeric", inexact=inexact)


def _kind(line: CatalogueLine) -> Kind | None:
    if line.sort == "e":
        return Kind.TEXT
    if line.sort != "b":  # whatever it is called, it is not PostgreSQL's own
        return None
    if line.type in _WHOLE:
        return Kind.INTEGER
    if line.type in _TEXT:
        return Kind.TEXT
    return Kind.REAL if line.type in _REAL or line.type == "numeric" else _OTHER.get(line.type)


def cell_of(name: str, column: SourceColumn) -> str:
    """A cell as a value of its kind: texts in the order of their bytes, moments of the years 1 to 9999 in UTC."""
    match column.kind:
        case Kind.INTEGER:
            return f"CAST({name} AS bigint)"
        case Kind.REAL if column.type.startswith("numeric"):
            return _of_numeric(name)
        case Kind.REAL:
            return f"CAST({name} AS double precision)"
        case Kind.TEXT:
            return f'CAST({name} AS text) COLLATE "C"'
        case Kind.DATE:
            return f"CASE WHEN {name} BETWEEN DATE '{FIRST}' AND DATE '{LAST}' THEN CAST({name} AS date) END"
        case Kind.TIMESTAMP:
            moment = f"({name} AT TIME ZONE 'UTC')" if column.type.endswith("with time zone") else name
            first, last = f"TIMESTAMP '{FIRST} 00:00:00'", f"TIMESTAMP '{LAST} 23:59:59.999999'"
            inside = f"CASE WHEN {name} > '-infinity' AND {name} < 'infinity' THEN {moment} END"
            return f"CASE WHEN {inside} BETWEEN {first} AND {last} THEN CAST({inside} AS timestamp) END"
        case _:
            return f"CAST({name} AS boolean)"


def _of_numeric(name: str) -> str:
    """A decimal as a double: beyond all doubles infinite, below them zero."""
    double = "double precision"
    return (
        f"CASE WHEN abs({name}) BETWEEN 1e-300 AND 1e300 THEN CAST({name} AS {double}) "
        f"WHEN {name} = 'NaN' THEN CAST('NaN' AS {double}) WHEN {name} > 1e300 THEN CAST('Infinity' AS {double}) "
        f"WHEN {name} < -1e300 THEN CAST('-Infinity' AS {double}) WHEN {name} IS NOT NULL THEN CAST(0 AS {double}) END"
    )
