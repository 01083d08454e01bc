"""Small worlds of people who are written down in many ways, in every kind of source, and their neighbours.

A person is a value; each of their rows may spell it otherwise, wherever the spellings are of one value. Accounts lead to
people, transfers to accounts and fees to transfers, so that a row may be three steps away from whose it is.
"""

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from neighbours import excess, priced
from sfumato.data import declared
from sfumato.engines import DuckDBEngine, ExactTable
from sfumato.errors import InvalidQuestion

FORMS = ("csv", "parquet", "duckdb", "arrow", "pandas")
Row = tuple[Any, ...]


@dataclass(frozen=True)
class Spelling:
    """How people are told apart: the declared kind, each person's spellings as text, and what is nobody."""

    kind: str
    people: tuple[tuple[str, ...], ...]
    nobody: tuple[str | None, ...]
    native: Any = None
    """From a spelling, the value as its own type; None where only text says it."""
    type: Any = None


_UUID = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
SPELLINGS = {
    "integer": Spelling(
        "integer", (("7", "07", "007", "7.0", " 7", "+7"), ("8", "8.00"), ("-1",), (str(2**63 - 1),)),
        (None, "", "abc", "7.5", str(2**63), "0x7", "7,0"), lambda text: int(float(text)) if len(text) < 9 else int(text),
        pa.int64()),
    "real": Spelling(
        "real", (("7.5", "7.50", "75e-1"), ("0", "-0", "0.0"), ("1e300",)), (None, "", "x", "nan"), float, pa.float64()),
    "text": Spelling("text", (("ann",), ("Ann",), ("7",), ("07",), ("",)), (None,), str, pa.string()),
    "uuid": Spelling("text", ((_UUID, _UUID.upper(), "{" + _UUID + "}"), ("bob",)), (None,)),
    "date": Spelling(
        "date", (("2026-01-31", "2026-1-31"), ("0001-01-01",), ("9999-12-31",)), (None, "", "2026-02-30", "infinity"),
        lambda text: date(*map(int, text.split("-"))), pa.date32()),
    "timestamp": Spelling(
        "timestamp", (("2026-01-31 00:00:00", "2026-01-31"), ("2026-01-31 12:00:01",)), (None, "", "now-ish"),
        lambda text: datetime.fromisoformat(text), pa.timestamp("us")),
    "boolean": Spelling("boolean", (("true", "TRUE", "t", "1"), ("false", "0")), (None, "", "maybe"),
                        lambda text: text.lower() in ("true", "t", "1"), pa.bool_()),
}  # fmt: skip


@dataclass(frozen=True)
class World:
    """Rows of four tables; a person is (which, how it is spelled), and nobody has no number."""

    spelling: str
    users: tuple[Row, ...]
    accounts: tuple[Row, ...]
    transfers: tuple[Row, ...]
    fees: tuple[Row, ...]

    def without(self, person: int | None) -> "World":
        """The world without a person: their rows, and what leads to nobody else."""

        def others(rows: tuple[Row, ...]) -> tuple[Row, ...]:
            return tuple(row for row in rows if row[0][0] != person)

        accounts = others(self.accounts)
        known, gone = {row[1] for row in accounts}, {row[1] for row in self.accounts if row[0][0] == person}
        transfers = tuple(row for row in self.transfers if row[0] in known or row[0] not in gone)
        left = {row[1] for row in transfers}
        dropped = {row[1] for row in self.transfers} - left
        return replace(
            self,
            users=others(self.users),
            accounts=accounts,
            transfers=transfers,
            fees=tuple(row for row in self.fees if row[0] not in dropped),
        )


def worlds(spelling: str) -> st.SearchStrategy[World]:
    """Worlds in which the first person has very many rows, spelled in every way."""
    about = SPELLINGS[spelling]
    somebody = [(i, text) for i, texts in enumerate(about.people) for text in texts] + [(None, t) for t in about.nobody]
    anyone, first = st.sampled_from(somebody), st.sampled_from([(0, text) for text in about.people[0]])
    age, kind = st.sampled_from((None, 18, 40, 90)), st.sampled_from(("a", "b", "c", None))
    account, transfer = st.integers(0, 5), st.integers(0, 9)
    amount = st.sampled_from((None, 0, 5, 100))
    return st.builds(
        lambda users, busy, accounts, transfers, fees: World(
            spelling, tuple(users), (*accounts, *((who, i % 6, "a") for i, who in enumerate(busy))),
            tuple((a, i, amount) for i, (a, amount) in enumerate(transfers)), tuple(fees)),
        st.lists(st.tuples(anyone, age), max_size=6),
        st.lists(first, max_size=12),
        st.lists(st.tuples(anyone, account, kind), max_size=8),
        st.lists(st.tuples(account, amount), max_size=20),
        st.lists(st.tuples(transfer, amount), max_size=10),
    )  # fmt: skip


# ---- sources ----


def write(form: str, folder: Path, name: str, columns: dict[str, Any], rows: list[Row]) -> Any:
    """Rows as a source of a form."""
    if form == "csv":
        path = folder / f"{name}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows([["" if cell is None else cell for cell in row] for row in rows])
        return str(path)
    if form == "pandas":
        return pd.DataFrame([list(row) for row in rows], columns=list(columns), dtype=object)
    cells = zip(*rows, strict=True) if rows else [[] for _ in columns]
    table = pa.table({key: pa.array(list(c), kind) for (key, kind), c in zip(columns.items(), cells, strict=True)})
    if form == "arrow":
        return table
    if form == "parquet":
        pq.write_table(table, folder / f"{name}.parquet")
        return str(folder / f"{name}.parquet")
    path = folder / f"{name}.duckdb"
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as connection:
        connection.register("given", table)
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
    return str(path)


def declaration(world: World, folder: Path, forms: tuple[str, ...], native: bool, names: tuple[str, ...]) -> Any:
    """The world as sources of four forms, with hostile names for the columns that lead to people."""
    about = SPELLINGS[world.spelling]
    who, account, transfer = names

    def spelled(person: tuple[int | None, str | None]) -> Any:
        which, text = person
        return about.native(text) if typed and text is not None and which is not None else None if typed else text

    users: list[Row] = []
    tables: dict[str, Any] = {}
    for i, (name, rows) in enumerate((("users", world.users), ("accounts", world.accounts))):
        typed = native and about.native is not None and i == 1
        columns = {who: about.type if typed else pa.string()}
        columns |= {"age": pa.int64()} if name == "users" else {account: pa.int64(), "kind": pa.string()}
        users = [(spelled(row[0]), *row[1:]) for row in rows]
        tables[name] = {"source": write(forms[i], folder, name, columns, users)}
    tables["transfers"] = {"source": write(
        forms[2], folder, "transfers", {account: pa.int64(), transfer: pa.int64(), "amount": pa.int64()},
        list(world.transfers))}  # fmt: skip
    tables["fees"] = {
        "source": write(forms[3], folder, "fees", {transfer: pa.int64(), "price": pa.int64()}, list(world.fees))
    }
    bounds = {"rows_per_group": 2, "groups_per_person": 2}
    number = {"type": "integer", "lower": 0, "upper": 100}
    key = {"type": "integer"}
    tables["users"]["columns"] = {who: {"type": about.kind}, "age": number}
    tables["accounts"] |= {"foreign_keys": {who: f"users.{who}"}, **bounds,
                           "columns": {account: key, "kind": {"values": ["a", "b", "c"]}}}  # fmt: skip
    tables["transfers"] |= {"foreign_keys": {account: f"accounts.{account}"}, **bounds,
                            "columns": {transfer: key, "amount": number}}  # fmt: skip
    tables["fees"] |= {"foreign_keys": {transfer: f"transfers.{transfer}"}, **bounds, "columns": {"price": number}}
    return {
        "name": "people", "budget": {"epsilon": "1000", "delta": "0.5"}, "unit": {"person": f"users.{who}"},
        "tables": tables,
    }  # fmt: skip


def questions(names: tuple[str, ...]) -> list[str]:
    """Questions about every table, alone and joined."""
    who, account, transfer = (f'"{name}"' for name in names)
    return [
        "SELECT COUNT(*), SUM(age) FROM users",
        f"SELECT COUNT(DISTINCT {who}), COUNT(*) FROM accounts",
        "SELECT kind, COUNT(*) FROM accounts GROUP BY kind",
        f"SELECT {account}, COUNT(*) FROM accounts GROUP BY {account}",
        "SELECT COUNT(*), SUM(amount) FROM transfers",
        "SELECT COUNT(*), SUM(price) FROM fees",
        f"SELECT COUNT(*), SUM(u.age) FROM accounts a JOIN users u ON a.{who} = u.{who}",
        f"SELECT COUNT(*), SUM(t.amount) FROM transfers t JOIN accounts a ON t.{account} = a.{account}",
        f"SELECT COUNT(*) FROM fees f JOIN transfers t ON f.{transfer} = t.{transfer} JOIN accounts a"
        f" ON t.{account} = a.{account} JOIN users u ON a.{who} = u.{who}",
        f"SELECT SUM(n) FROM (SELECT {who}, COUNT(*) AS n FROM accounts GROUP BY 1) t JOIN users u ON t.{who} = u.{who}",
        f"SELECT COUNT(DISTINCT {who}) FROM (SELECT {who} FROM users UNION ALL SELECT {who} FROM accounts) t",
        f"SELECT COUNT(*) FROM users WHERE {who} IS NULL",
    ]


@contextmanager
def engine(about: Any, seed: int = 7) -> Iterator[DuckDBEngine]:
    """An engine whose choice of rows is fixed from outside."""
    with mock.patch("sfumato.engines.sql.hashing.seed_of", return_value=seed):
        made = DuckDBEngine(declared(about))
    try:
        yield made
    finally:
        made.close()


def moved(here: Any, there: Any, asked: list[str], *, at_all: bool = False) -> list[str]:
    """What moves more between two declarations than questions are priced for; or what moves `at_all`."""
    found: list[str] = []
    with engine(here) as one, engine(there) as other:
        for text in asked:
            try:
                query = priced(one, text)
            except InvalidQuestion:
                continue
            a, b = one.aggregate(query), other.aggregate(query)
            found += [f"{text}: {each}" for each in excess(query, a, b)]
            if at_all and any(sorted(_lines(a, i)) != sorted(_lines(b, i)) for i in a.columns):
                found.append(f"{text}: nobody's rows were counted")
    return found


def _lines(table: ExactTable, column: int) -> list[tuple[str, int]]:
    return [(str(key), int(value)) for key, value in zip(table.keys, table.columns[column], strict=True) if value]
