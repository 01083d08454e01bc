"""A hierarchy from a public table: every value of a column, such as a block, and what it lies in, level by level.

The table has one row for each value of the finest column and a column for each level above. It is public by the owner's
declaration and nothing private is read here, so what is refused is refused with its reason, before anything is charged.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.data import Dataset, Kind
from sfumato.errors import InvalidDeclaration
from sfumato.synth.tree import Tree

Column = NDArray[Any]
_MOST = 1 << 53


class PublicTables(Protocol):
    """What is read of public tables: their columns and their kinds. An engine refuses it of private ones."""

    @property
    def dataset(self) -> Dataset:
        """What is declared, with the kinds of all columns."""
        ...

    def listed(self, table: str, columns: tuple[str, ...]) -> list[Column]:
        """Columns of a public table, all of its rows in one order."""
        ...


@dataclass(frozen=True, eq=False)
class PublicTree:
    """Levels by name from the top, below all rows; the last is the finest."""

    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    values: tuple[tuple[Any, ...], ...]
    """Of each level, in order."""
    parents: tuple[NDArray[np.int64], ...]
    """Of each level, the place of every node's parent in the level above; of the first, all rows."""

    @property
    def tree(self) -> Tree:
        """With all rows as its root."""
        return Tree.of(self.parents)

    def digest(self) -> str:
        """What names it: another tree is another publication."""
        found = hashlib.sha256(repr((self.names, [kind.value for kind in self.kinds])).encode())
        for values, parents in zip(self.values, self.parents, strict=True):
            found.update(repr(as_range(values) or values).encode())
            found.update(np.ascontiguousarray(parents, dtype="<i8").tobytes())
        return found.hexdigest()


def as_range(values: Sequence[Any]) -> range | None:
    """The range that lists the same whole numbers, if there is one.

    >>> as_range((3, 4, 5)), as_range((3, 5)), as_range((True, 2))
    (range(3, 6), None, None)
    """
    if len(values) < 3 or any(type(each) is not int for each in values):
        return None
    found = range(values[0], values[0] + len(values))
    return found if tuple(values) == tuple(found) else None


def read_tree(
    tables: PublicTables, table: str, names: Sequence[str], finest: tuple[Any, ...], kind: Kind
) -> PublicTree:  # fmt: skip
    """The tree that a public table says over the public values of its finest column, the last of the names."""
    where = f"the hierarchy in `{table}`"
    kinds = _kinds(tables, table, names, where)
    if kinds[-1] is not kind:
        raise InvalidDeclaration(
            f"{where}: `{names[-1]}` is {kinds[-1].value} there and {kind.value} in the plan",
            hint=f'[tables.{table}.columns] {names[-1]} = {{ type = "{kind.value}" }}',
        )
    if None in finest:
        raise InvalidDeclaration(
            f"{where}: `{names[-1]}` may be missing in a row, which lies nowhere then",
            hint=f'where = "{names[-1]} IS NOT NULL" in the plan',
        )
    columns = tables.listed(table, tuple(names))
    order = _one_row_each(columns[-1], finest, f"{where}: `{names[-1]}`")
    values: list[tuple[Any, ...]] = [finest]
    parents: list[NDArray[np.int64]] = []
    firsts = order  # rows of the table, one for each node of the level below
    for name, column in reversed(list(zip(names[:-1], columns[:-1], strict=True))):
        known, places = _different(column, f"{where}: `{name}`")
        parents.append(places[firsts])
        if not np.array_equal(parents[-1][_node_of(parents, order)], places[order]):
            raise InvalidDeclaration(
                f"{where}: something below `{name}` lies in two of its values",
                hint="each county lies in one state: give it a code that is its own, such as state * 1000 + county",
            )
        used, first = np.unique(places[order], return_index=True)
        values.append(tuple(known[at] for at in used))
        parents[-1] = np.searchsorted(used, parents[-1])
        firsts = order[first]
    parents.append(np.zeros(len(values[-1]), dtype=np.int64))
    return PublicTree(tuple(names), kinds, tuple(values[::-1]), tuple(parents[::-1]))


def _node_of(parents: Sequence[NDArray[np.int64]], order: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each value of the finest column its node of the level below the last of these."""
    found = np.arange(len(order))
    for each in parents[:-1]:
        found = each[found]
    return found


def _kinds(tables: PublicTables, table: str, names: Sequence[str], where: str) -> tuple[Kind, ...]:
    known = _public(tables, table, where)
    found: list[Kind] = []
    for name in names:
        kind = known.get(name)
        if kind not in (Kind.INTEGER, Kind.TEXT):
            raise InvalidDeclaration(
                f"{where} needs a column `{name}` of whole numbers or of text",
                hint=f"a public table with a row for each place and the columns {', '.join(names)}",
            )
        found.append(kind)
    return tuple(found)


def _public(tables: PublicTables, name: str, what: str) -> dict[str, Kind]:
    """The columns of a public table and their kinds; of any other, nothing is read."""
    table = tables.dataset.table(name)
    if table is None or not table.public:
        raise InvalidDeclaration(
            f"{what} must be a public table of the declaration",
            hint=f"[tables.{name}] with public = true: what is read from a private one would be told to everybody",
        )
    return {column.name: column.kind for column in table.columns}


def _different(column: Column, what: str) -> tuple[list[Any], NDArray[np.int64]]:
    """The different values of a column in order, and the place of each row's."""
    if np.ma.getmaskarray(column).any() or (column.dtype == np.object_ and any(each is None for each in column)):
        raise InvalidDeclaration(f"{what} is missing in a row", hint="every row says what it lies in at every level")
    plain = np.ma.getdata(column)
    known, places = np.unique(plain, return_inverse=True)
    return known.tolist(), np.asarray(places, dtype=np.int64).reshape(-1)


def _one_row_each(column: Column, finest: tuple[Any, ...], what: str) -> NDArray[np.int64]:
    """For each value of the finest column its row in the table; rows of other values are left out."""
    known, places = _different(column, what)
    at = {value: place for place, value in enumerate(known)}
    wanted = np.fromiter((at.get(value, -1) for value in finest), dtype=np.int64, count=len(finest))
    if (wanted < 0).any():
        raise InvalidDeclaration(
            f"{what} has no row for {int((wanted < 0).sum()):,} of {len(finest):,} public values",
            hint="a row for each value that the column may have, whether or not somebody is there",
        )
    rows = np.bincount(places, minlength=len(known))[wanted]
    if (rows != 1).any():
        raise InvalidDeclaration(f"{what} has two rows for one value", hint="one row for each value")
    first = np.empty(len(known), dtype=np.int64)
    first[places] = np.arange(len(places))
    return first[wanted]


def read_totals(
    tables: PublicTables, table: str, level: str, count: str, values: Sequence[Any]
) -> NDArray[np.int64]:  # fmt: skip
    """The public count of each node of a level, from a public table with a row for each."""
    what = f"the public counts in `{table}`"
    known = _public(tables, table, what)
    if level not in known or known.get(count) is not Kind.INTEGER:
        raise InvalidDeclaration(
            f"{what} need a column `{level}` and a column `{count}` of whole numbers",
            hint=f"a public table with a row for each {level}",
        )
    nodes, counts = tables.listed(table, (level, count))
    rows = _one_row_each(nodes, tuple(values), f"{what}: `{level}`")
    if np.ma.getmaskarray(counts).any() or (counts.dtype == np.object_ and None in counts.tolist()):
        raise InvalidDeclaration(f"{what}: `{count}` is missing in a row", hint="a whole number for each")
    found = np.ma.getdata(counts).astype(np.int64)[rows]
    if found.size and (int(found.min()) < 0 or int(found.max()) > _MOST):
        raise InvalidDeclaration(f"{what} must not be negative, or beyond 2**53", hint="how many rows there are")
    return found
