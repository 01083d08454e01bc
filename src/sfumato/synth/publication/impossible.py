"""Combinations that no row can have: conditions of the plan, and those that the owner declares of a table.

What is impossible is public by the owner's word. It decides how rows are made and nothing that is measured: rows of the
data that have it all the same are counted as they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from sfumato.data import Dataset, Table
from sfumato.errors import InvalidDeclaration
from sfumato.query.expression import Ref
from sfumato.query.plan import Plan, Scan, parts_of
from sfumato.query.question import Question
from sfumato.synth.publication.conditions import ColumnTest, Combined, Condition, Mask, columns_in, mask, read_condition
from sfumato.synth.publication.parts import Columns
from sfumato.synth.publication.table_columns import ListedColumn, TableColumn

_MOST_CELLS = 10**6


@dataclass(frozen=True)
class Impossible:
    """A condition over places of public values that no row meets."""

    columns: Columns
    where: Mapping[str, Any]

    def mask(self, sizes: Mapping[str, int]) -> Mask:
        """True where nothing can be."""
        return mask(self.where, self.columns, tuple(sizes[name] for name in self.columns))

    def to_json(self) -> dict[str, Any]:
        """As a file says it."""
        return {"columns": list(self.columns), "where": dict(self.where)}


def impossible_of(
    said: Sequence[str], asked: Question, columns: Sequence[TableColumn], dataset: Dataset
) -> tuple[Impossible, ...]:
    """Everything that cannot be over some columns: what a plan says, and what is declared of the tables it reads."""
    names = tuple(column.name for column in columns)
    listed = {column.name: column.values for column in columns if isinstance(column, ListedColumn)}
    found = [_resolved("impossible", read_condition("impossible", text, names), names, listed) for text in said]
    for table in dataset.tables:
        if table.impossible and _times(asked.plan, table.name) == 1:  # of two copies, rows of one say nothing of both
            found += _declared(table, names, asked, listed)
    return tuple(found)


def _times(plan: Plan, table: str) -> int:
    """How often a table is read in a plan."""
    return int(isinstance(plan, Scan) and plan.table == table) + sum(_times(part, table) for part in parts_of(plan))


def _declared(
    table: Table, columns: Columns, asked: Question, listed: Mapping[str, tuple[Any, ...]]
) -> list[Impossible]:
    """What is declared of a table, where all columns that a condition names are published as they are."""
    names: dict[str, str] = {}
    for name, key in zip(columns, asked.keys, strict=True):
        if isinstance(key, Ref) and key.field.key is not None and key.field.key[0] == table.name and name in listed:
            names[key.field.key[1]] = name
    known, where = tuple(column.name for column in table.columns), f"[tables.{table.name}] impossible"
    found = []
    for text in table.impossible:
        condition = read_condition(where, text, known)
        if columns_in(condition) <= set(names):
            found.append(_resolved(where, _renamed(condition, names), columns, listed))
    return found


def _renamed(condition: Condition, names: Mapping[str, str]) -> Condition:
    if isinstance(condition, ColumnTest):
        return replace(condition, column=names[condition.column])
    return Combined(condition.how, tuple(_renamed(part, names) for part in condition.parts))


def _resolved(where: str, condition: Condition, columns: Columns, listed: Mapping[str, tuple[Any, ...]]) -> Impossible:
    used = columns_in(condition)
    for name in sorted(used):
        if name not in listed:
            raise InvalidDeclaration(
                f"{where} names `{name}`, whose values are found in the data or put into bins",
                hint="have the owner declare its values, or publish a coarser column: age >= 18 AS adult",
            )
    names = tuple(name for name in columns if name in used)
    cells = prod(len(listed[name]) for name in names)
    if cells > _MOST_CELLS:
        raise InvalidDeclaration(
            f"{where} is over {cells:,} combinations of {', '.join(names)}, and {_MOST_CELLS:,} can be held",
            hint="say it of fewer columns, or of coarser ones",
        )
    found = Impossible(names, condition.resolved(listed))
    if found.mask({name: len(listed[name]) for name in names}).all():
        raise InvalidDeclaration(f"{where} leaves nothing possible", hint="say what no row has")
    return found
