"""No name of ours can be taken: columns and tables called like every alias and keyword change nothing."""

from typing import Any

import duckdb
import pyarrow as pa
import pytest

from neighbours import priced
from sfumato.data import declared
from sfumato.engines import DuckDBEngine
from sfumato.errors import InvalidDeclaration

pytestmark = pytest.mark.slow

ALIASES = (
    "t", "p", "l", "r", "f", "n", "v", "q", "c0", "c1", "c2", "k0", "k1", "m0", "a0", "b0", "s0", "x0", "n0", "f0", "s1", "many", "kept", "one", "people", "nothing",
    "source_0", "given_0", "making", "hash", "rowid", "row_number",
)  # fmt: skip
KEYWORDS = (
    "select",
    "from",
    "where",
    "group",
    "order",
    "user",
    "table",
    "values",
    "null",
    "true",
    "case",
    "end",
    "left",
    "join",
    "over",
    "qualify",
    "all",
    "rows",
    "Ä b",
)


def opened(name: str, table: str = "visits", **more: Any) -> DuckDBEngine:
    rows = 400
    source = pa.table(
        {
            "person": [i % 40 for i in range(rows)],
            name: [i % 5 for i in range(rows)],
            "amount": [float(i % 11) for i in range(rows)],
        }
    )
    return DuckDBEngine(declared({
        "name": "names", "budget": {"epsilon": "9", "delta": "0.1"}, "unit": {"person": f"{table}.person"},
        "tables": {table: {"source": source, "columns": {"amount": {"lower": 0, "upper": 10}}, **more}},
    }))  # fmt: skip


def answers(made: DuckDBEngine, name: str, table: str) -> list[Any]:
    quoted = f'"{name}"'
    found = []
    for text in (
        f"SELECT COUNT(*), SUM(amount), COUNT(DISTINCT {quoted}), COUNT({quoted}) FROM {table}",
        f"SELECT {quoted}, COUNT(*), AVG(amount) FROM {table} GROUP BY {quoted}",
        f"SELECT SUM(LEAST(GREATEST(m, 0), 9)) FROM (SELECT person, MAX({quoted}) AS m FROM {table} GROUP BY person) x",
        f"SELECT COUNT(*) FROM {table} WHERE {quoted} > 2 AND {quoted} * 2 < 9",
        f"SELECT COUNT(DISTINCT person) FROM {table} WHERE {quoted} = 1",
    ):
        exact = made.aggregate(priced(made, text))
        found.append(sorted(zip(exact.keys, *(column.tolist() for column in exact.columns.values()), strict=True)))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    "cut",
    [
        {"rows_per_person": 3},
        {"rows_per_person": 3, "materialise": True},
        {"rows_per_group": 2, "groups_per_person": 2},
    ],
    ids=["weighted", "cut", "bounded"],
)
def test_a_column_of_any_name_is_a_column(cut: dict[str, int]) -> None:
    """Cut tables keep the same rows whatever a column is called; `t` was once the row that is hashed."""
    expected = None
    for name in (*ALIASES, *KEYWORDS):
        made = opened(name, **cut)  # type: ignore[arg-type]
        try:
            found = answers(made, name, "visits")
        finally:
            made.close()
        expected = expected or found
        assert found == expected, name


@pytest.mark.parametrize("table", ["t", "many", "kept", "source_0", "making", "p", "c0", "l", "given_0"])
def test_a_table_of_any_name_is_a_table(table: str) -> None:
    plain, named = opened("kind"), opened("kind", table)
    try:
        assert answers(named, "kind", table) == answers(plain, "kind", "visits")
    finally:
        plain.close()
        named.close()


def test_data_that_changed_are_another_version_whatever_a_column_is_called() -> None:
    versions = set()
    for amount in (1.0, 2.0):
        source = pa.table({"t": [1, 2, 3], "amount": [amount, 5.0, 6.0]})
        made = DuckDBEngine(
            declared({"budget": {"epsilon": "1"}, "unit": {"rows": True}, "tables": {"x": {"source": source}}})
        )
        versions.add(made.version())
        made.close()
    assert len(versions) == 2


def test_names_of_ours_are_refused_as_tables() -> None:
    with pytest.raises(InvalidDeclaration, match="taken"):
        opened("kind", "sfumato_source_0")
    with pytest.raises(InvalidDeclaration, match="taken"):
        DuckDBEngine(
            declared(
                {
                    "budget": {"epsilon": "1"},
                    "unit": {"rows": True},
                    "tables": {"x": {"source": duckdb.sql("SELECT 1 AS sfumato_row").to_arrow_table()}},  # type: ignore[union-attr]
                }
            )
        )
