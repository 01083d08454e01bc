"""A second engine, of the standard library: proof that the seam is real, and an oracle for the first.

It holds Arrow tables in SQLite, whose dialect is written below, and computes what it supports: whole numbers, reals
without NaN (SQLite has none), texts and truths. Which rows of a person are kept is decided here in Python.
"""

import hashlib
import math
import sqlite3
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contribution_order import order_of
from sfumato.data import Dataset, Kind, SourceColumn, Table, typed
from sfumato.engines.engine import ExactCells, ExactTable, PublicRows
from sfumato.engines.sql import hashing
from sfumato.engines.sql.fetched import exact_cells, exact_table
from sfumato.engines.sql.hashing import Hashed
from sfumato.engines.sql.relations import FIRST, PERSON, marked
from sfumato.engines.sql.statements import Statements
from sfumato.errors import EngineFailed
from sfumato.query.expression import Call, Expression
from sfumato.query.functions import FUNCTIONS as RECORDS
from sfumato.query.plan import Join, Plan, parts_of
from sfumato.query.price import PricedQuery
from sfumato.query.public_question import PublicQuestion
from sfumato.query.workload import PricedWorkload

KINDS = {"int32": Kind.INTEGER, "int64": Kind.INTEGER, "double": Kind.REAL, "string": Kind.TEXT, "bool": Kind.BOOLEAN,
         "date32[day]": Kind.DATE, "timestamp[us]": Kind.TIMESTAMP}  # fmt: skip
TYPES = {Kind.INTEGER: "INTEGER", Kind.REAL: "REAL", Kind.BOOLEAN: "INTEGER"}
FUNCTIONS = {
    op: RECORDS[op].value
    for op in ("floor", "ceil", "trunc", "abs", "sqrt", "exp", "sign", "least", "greatest", "mod", "lower", "upper", "trim", "length",
               "substring", "starts_with", "contains", "like", "ilike")
}  # fmt: skip
"""What SQLite lacks, or has otherwise: given to it as Python has it."""
OPS = {"and", "or", "not", "eq", "ne", "lt", "le", "gt", "ge", "in", "is_null", "same", "case", "coalesce", "nullif", "add",
       "sub", "mul", "div", "neg", "clip", *FUNCTIONS} - {"exp", "mod"}  # fmt: skip


class Sqlite:
    """SQLite's dialect."""

    name = "sqlite"
    adds_doubles = True
    weighs_by_window = False

    def quoted(self, name: str) -> str:
        return '"' + name.replace('"', '""') + '"'

    def type_of(self, kind: Kind) -> str:
        return TYPES.get(kind, "TEXT")

    def literal(self, value: object, kind: Kind) -> str:
        if value is None or isinstance(value, bool):
            return "NULL" if value is None else str(int(value))
        if isinstance(value, str):
            return "'" + value.replace("'", "''") + "'"
        return str(value) if kind is Kind.INTEGER else self.double(value)  # type: ignore[arg-type]

    def double(self, value: float | Fraction) -> str:
        number = float(value)
        return "NULL" if math.isnan(number) else repr(number).replace("inf", "9e999")

    def tried(self, made: str) -> str:
        return made

    def cast(self, made: str, kind: Kind, held: Kind) -> str:
        within = f"{made} BETWEEN -9223372036854775808 AND 9223372036854774784"
        return f"CASE WHEN {within} THEN CAST({made} AS INTEGER) END" if kind is Kind.INTEGER else made

    def matched(self, made: str, pattern: str) -> str:
        raise NotImplementedError

    def is_nan(self, made: str) -> str:
        return f"({made} <> {made})"

    def same(self, left: str, right: str) -> str:
        return f"({left} IS {right})"

    def shortened(self, made: str, most: int) -> str:
        return f"substr({made}, 1, {most})"

    def function(self, op: str, made: Sequence[str], kind: Kind) -> str:
        return f"sfumato_{op}({', '.join(made)})" if op in FUNCTIONS else RECORDS[op].filled(self, made, kind)

    def ranked(self, rows: str, rank: str, most: int, *, also: str = "") -> str:
        numbered = f"SELECT *, {rank} AS sfumato_rank FROM ({rows}) t"
        return f"SELECT * FROM ({numbered}) t WHERE sfumato_rank <= {most}{f' OR {also}' if also else ''}"

    def by_sets(self, names: Sequence[str], sets: Sequence[Sequence[str]], totals: Sequence[str], source: str) -> str:
        parts = []
        for one in sets:
            which = sum(1 << i for i, name in enumerate(reversed(names)) if name not in one)
            shown = [name if name in one else f"NULL AS {name}" for name in names]
            grouped = f" GROUP BY {', '.join(one)}" if one else ""
            parts.append(f"SELECT {', '.join([f'{which} AS s', *shown, *totals])} FROM {source}{grouped}")
        return " UNION ALL ".join(parts)

    def divided(self, whole: str, by: str) -> str:
        return f"(({whole}) / ({by}))"

    def root(self, whole: str) -> str:
        return f"root_of({whole})"

    def wide(self, made: str) -> str:
        return f"CAST({made} AS INTEGER)"

    def scaled(self, number: str, step: Fraction) -> str:
        return f"{number} * {self.double(1 / step)}" if step.numerator == 1 else f"{number} / {self.double(step)}"

    def common(self, name: str, rows: str, *, twice: bool) -> str:
        return f"{name} AS {'NOT ' if twice else ''}MATERIALIZED ({rows})"

    def summed(self, term: str, *, narrow: bool, over: str = "") -> str:
        return f"CAST(sum({term}){over} AS INTEGER)"

    def total(self, term: str, *, narrow: bool) -> str:
        return f"CAST(coalesce(sum({term}), 0) AS INTEGER)"

    def xor(self, left: str, right: str) -> str:
        return f"(({left} | {right}) - ({left} & {right}))"

    def text_number(self, made: str) -> str:
        return f"sfumato_md5({made})"

    def moment_number(self, made: str, kind: Kind) -> str:
        raise NotImplementedError


def supports(query: PricedQuery) -> bool:
    """Whether it computes everything that a question needs."""

    def known(each: Expression) -> bool:
        if each.kind in (Kind.DATE, Kind.TIMESTAMP):
            return False
        return not isinstance(each, Call) or (each.op in OPS and all(known(arg) for arg in each.args))

    return _is_simple(query.question.plan) and all(known(each) for each in query.question.expressions())


def _is_simple(plan: Plan) -> bool:
    """Whether no rows with days are joined: all columns may decide which row a key leads to, and its parser is shallow."""
    days = isinstance(plan, Join) and any(field.kind.is_time for field in plan.fields)
    return not days and all(map(_is_simple, parts_of(plan)))


def connected() -> sqlite3.Connection:
    """A database that has the functions of its dialect."""
    made = sqlite3.connect(":memory:")
    for op, function in FUNCTIONS.items():
        called = _total(function, lenient=RECORDS[op].lenient)
        made.create_function(f"sfumato_{op}", -1, called, deterministic=True)
    made.create_function("sfumato_md5", 1, _md5, deterministic=True)
    made.create_function("root_of", 1, lambda x: math.isqrt(x - 1) + 1, deterministic=True)
    return made


class SqliteEngine:
    """An engine of Arrow tables that are given in memory."""

    name = "sqlite"

    def __init__(self, dataset: Dataset) -> None:
        given = {table.name: table.source.given for table in dataset.tables}  # type: ignore[union-attr]
        schemas = {
            name: [SourceColumn(each.name, str(each.type), KINDS[str(each.type)]) for each in table.schema]
            for name, table in given.items()
        }
        self._typed, self._schemas = typed(dataset, schemas), schemas
        self.dataset, self.seed = self._typed.dataset, hashing.seed_of(dataset)
        self._rows = {name: [_plain(row) for row in table.to_pylist()] for name, table in given.items()}
        self._connection = connected()
        self._held = {table.name: self._cut(table, self._owned(table)) for table in self.dataset.tables}
        for table in self.dataset.tables:
            self._load(table)
        self._statements = Statements(
            self.dataset, Sqlite(), self.seed, person=self._typed.person_kind(), repeated=self._repeated()
        )

    # ---- rows, and whose they are ----

    def _owned(self, table: Table) -> list[dict[str, Any]]:
        """The rows with the person they belong to; a row that leads to several belongs to each of them."""
        path = self.dataset.path(table)
        if path is None:
            return self._rows[table.name]
        own = self.dataset.person(table)
        if own is not None:
            return [{**row, PERSON: row[own]} for row in self._rows[table.name]]
        found = [(row, row[path[0][0]]) for row in self._rows[table.name]]
        for (_, target, there), (onward, *_) in pairwise(path):
            pairs = {(each[there], each[onward]) for each in self._rows[target]}
            found = [(row, on) for row, value in found for key, on in pairs if value is not None and key == value]
        return [{**row, PERSON: person} for row, person in found]

    def _cut(self, table: Table, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        most = table.cut or (1 if self.dataset.holds_people(table) else None)
        if most is None or self.dataset.unit is None or table.public:
            return rows
        columns = [Hashed(c.name, c.kind, c.step if c.lower is not None else None) for c in table.columns]
        columns.append(Hashed(PERSON, self._typed.person_kind()))
        people: dict[Any, list[dict[str, Any]]] = {}
        for row in rows:
            people.setdefault(row[PERSON], []).append(row)
        return [row for person, theirs in people.items() if person is not None
                for row in sorted(theirs, key=lambda row: _in_order(row, columns, self.seed))[:most]]  # fmt: skip

    def _load(self, table: Table) -> None:
        private = self.dataset.unit is not None and not table.public
        marks = marked(table, self.dataset.person(table)) if private else []
        names = [column.name for column in table.columns] + ([PERSON] if private else []) + [FIRST + m for m in marks]
        listed = ", ".join(Sqlite().quoted(name) for name in names) or "nothing"
        self._connection.execute(f"CREATE TABLE {Sqlite().quoted(table.name)} ({listed})")
        places = ", ".join("?" for _ in names) or "NULL"
        seen: set[Any] = set()
        lines = []
        for row in self._held[table.name]:
            new = {FIRST + mark: (mark, row[PERSON], row[mark]) for mark in marks}
            lines.append([new[name] not in seen if name in new else row[name] for name in names])
            seen.update(new.values())
        self._connection.executemany(f"INSERT INTO {Sqlite().quoted(table.name)} VALUES ({places})", lines)

    def _repeated(self) -> frozenset[tuple[str, str]]:
        keys = {key[1:] for table in self.dataset.tables if not table.public for key in table.foreign_keys}
        found = set()
        for name, column in keys:
            rows = self._held[name] if self.dataset.unit is not None else []
            counts = Counter((row.get(PERSON), row[column]) for row in rows if row[column] is not None)
            if any(count > 1 and person is not None for (person, _), count in counts.items()):
                found.add((name, column))
        return frozenset(found)

    # ---- the protocol ----

    def schema(self, table: str) -> list[tuple[str, Kind | None]]:
        return [(column.name, column.kind) for column in self._schemas[table]]

    def values(self, table: str, column: str) -> tuple[Any, ...] | None:
        found = {row[column] for row in self._rows[table]}
        return (*sorted(found - {None}), *([None] if None in found else []))

    def repeats(self, table: str, columns: tuple[str, ...]) -> int:
        known = [tuple(row[each] for each in columns) for row in self._rows[table]]
        return max(Counter(key for key in known if None not in key).values(), default=1)

    def listed(self, table: str, columns: tuple[str, ...]) -> list[NDArray[Any]]:
        return [np.array([row[each] for row in self._rows[table]], dtype=object) for each in columns]

    def ask_public(self, question: PublicQuestion) -> PublicRows:
        raise NotImplementedError("this engine is for comparisons of private answers")

    def keys(self) -> dict[str, str]:
        return self._typed.keys()

    def version(self) -> str:
        return "1"

    def digest(self) -> str:
        return hashlib.sha256(repr(self._rows).encode()).hexdigest()

    def written(self, query: PricedQuery) -> tuple[str, ...]:
        return self._statements.all_of(query)

    def aggregate(self, query: PricedQuery) -> ExactTable:
        try:
            return exact_table(query, self._statements, lambda text: self._fetch(text, query))
        except Exception:
            raise EngineFailed("the engine did not finish; the charge stays", hint="ask the owner") from None

    def contingency(self, workload: PricedWorkload) -> ExactCells:
        return exact_cells(workload, self._statements, lambda text: self._fetch(text, workload.counted()))

    def _fetch(self, text: str, query: PricedQuery) -> dict[str, list[Any]]:
        cursor = self._connection.execute(text)
        lines = cursor.fetchall()
        found = {name[0]: [line[i] for line in lines] for i, name in enumerate(cursor.description)}
        for i, key in enumerate(query.question.keys):
            if key.kind is Kind.BOOLEAN and f"k{i}" in found:
                found[f"k{i}"] = [None if value is None else bool(value) for value in found[f"k{i}"]]
        return found

    def close(self) -> None:
        self._connection.close()


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {name: None if isinstance(value, float) and math.isnan(value) else value for name, value in row.items()}


def _in_order(row: dict[str, Any], columns: list[Hashed], seed: int) -> tuple[Any, ...]:
    values = [row[column.sql] for column in columns]
    return order_of(values, columns, seed), *((value is None, 0 if value is None else value) for value in values)


def _total(function: Any, *, lenient: bool) -> Any:
    def called(*values: Any) -> Any:
        made = None if None in values and not lenient else function(*values)
        return float(made) if isinstance(made, int) and not isinstance(made, bool) else made

    return called


def _md5(text: str | None) -> int | None:
    return None if text is None else int.from_bytes(hashlib.md5(text.encode()).digest()[:8], "little") % 2**60
