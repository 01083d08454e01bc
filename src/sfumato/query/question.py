"""The question: rows, keys, aggregates over people, and expressions over what will be released."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from sfumato.data import Dataset
from sfumato.query.aggregates import Aggregate
from sfumato.query.expression import Expression
from sfumato.query.plan import Plan, all_expressions, tables

MEANING = 8
"""Raised whenever the same text on the same data is computed otherwise, so that no older answer is taken for it.

2: texts are computed with up to 10 000 characters, days outside the years 1 to 9999 have no parts and no text, the
person's own table has one row a person, and a foreign key leads to one row.
3: what is registered is read, of one kind a column, and a person is one value.
4: a record that begins with a mark of the byte order keeps it, and tables on the way to the person are part of it.
5: which rows, groups and values of a person count is decided by a hash of our own, the same on every engine.
6: texts are numbers and days by written patterns, a computed whole number as text has no point, NaN has no text, and
what is computed from released values is what an engine computes: doubles, halves away from zero, case by character.
7: the rows of a person who has more than count do so in part, all with one weight, and no public group is left out;
NULL is a public group, whole quotients are cut towards zero, and LEAST, GREATEST and CONCAT leave NULL out.
8: columns are measured together where that is better, an average of what may be no rows is NULL, a quantile is drawn by
permute-and-flip under ε, and a column may be declared to have a value in every row.
"""
_MOST_GROUPS = 100_000


@dataclass(frozen=True, slots=True)
class Order:
    """One key of ORDER BY, over released values."""

    by: Expression
    descending: bool
    nulls_first: bool


@dataclass(frozen=True)
class Question:
    """A checked question; expressions of `outputs`, `having` and `order` see the keys first, then the aggregates."""

    text: str
    plan: Plan
    keys: tuple[Expression, ...]
    domains: tuple[tuple[Any, ...] | None, ...]
    aggregates: tuple[Aggregate, ...]
    outputs: tuple[tuple[str, Expression], ...]
    having: Expression | None
    order: tuple[Order, ...]
    limit: int | None
    offset: int = 0

    @property
    def groups(self) -> tuple[tuple[Any, ...], ...] | None:
        """Every group in public order, or None if the groups are not public."""
        domains = [domain for domain in self.domains if domain is not None]
        if len(domains) != len(self.domains):
            return None
        size = 1
        for domain in domains:
            size *= len(domain)
        return tuple(product(*domains)) if size <= _MOST_GROUPS else None

    def expressions(self) -> Iterator[Expression]:
        """Every expression that is computed for rows: of relations, keys and aggregates."""
        yield from all_expressions(self.plan)
        yield from self.keys
        for each in self.aggregates:
            yield from each.inputs

    def canonical(self) -> dict[str, object]:
        """What is asked of the data, whatever it is called and however it is shown."""
        return {
            "meaning": MEANING,
            "plan": self.plan.canonical(),
            "keys": [key.canonical() for key in self.keys],
            "aggregates": sorted((each.canonical() for each in self.aggregates), key=repr),
        }

    def declared(self, dataset: Dataset) -> str:
        """A digest of what was declared of the tables it reads and of the person: declared otherwise, it is another.

        Tables that only lead to the person are read as well: how they are written is part of it, and not their bounds.
        """
        known = [table for name in sorted(tables(self.plan)) if (table := dataset.table(name)) is not None]
        read = [(table, table.format, table.dialect) for table in known]  # where a source lies is no part of it
        keys = sorted((table.name, table.public, table.foreign_keys) for table in dataset.tables)
        between = {target for table in known for _, target, _ in (dataset.path(table) or ())[:-1]}
        way = [(t.name, t.format, t.dialect, t.unreadable) for t in dataset.tables if t.name in between]
        return hashlib.sha256(repr((dataset.unit, read, keys, sorted(way, key=repr))).encode()).hexdigest()
