"""What an engine fetched, as Python's own: keys, exact integers, histograms of values, and the exact table of them.

Integers come as 64 bits or as text of their digits, never as doubles, which round above 2**53.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data import Kind
from sfumato.engines.engine import ExactCells, ExactTable, Histogram, Key
from sfumato.engines.sql.statements import Statements
from sfumato.query.measures import AdditiveMeasure, Distinct, Values
from sfumato.query.price import PricedQuery
from sfumato.query.workload import Marginal, PricedWorkload

Fetched = Mapping[str, Any]
"""Columns by name: arrays, or lists."""
Fetch = Callable[[str], Fetched]
"""Runs a statement."""
_NARROW = 2**62


def exact_table(query: PricedQuery, statements: Statements, fetch: Fetch) -> ExactTable:
    """The exact answer to a question, by as many statements as its measures need."""
    width = len(query.question.keys)
    additive = any(isinstance(measure, AdditiveMeasure) for measure in query.measures.measures)
    groups = query.question.groups
    if additive or groups is None:
        found = fetch(statements.additive(query))
        keys = keys_of(found, width, query)
        table = ExactTable(keys, whole_numbers(found["people"]))
    else:  # nothing to add up in groups that are known
        found, keys = {}, [tuple(group) for group in groups]
        table = ExactTable(keys, None)
    every = list(enumerate(query.measures.measures))
    for i, measure in every:
        if isinstance(measure, AdditiveMeasure):
            table.columns[i] = whole_numbers(found[f"a{i}"])
    for i, measure in every:
        match measure:
            case Values():
                table.values[i] = histograms(fetch(statements.values(query, i)), width, query)
            case Distinct():
                lines = fetch(statements.distinct(query, measure))
                counts = dict(zip(keys_of(lines, width, query), whole_numbers(lines["n"]).tolist(), strict=True))
                table = _with_groups(table, counts) if groups is not None else table
                table.columns[i] = np.array([counts.get(key, 0) for key in table.keys], dtype=np.int64)
            case AdditiveMeasure():
                pass
            case _:
                raise TypeError(f"no statement measures {measure.kind}")
    if query.beyond is not None:
        told = fetch(statements.beyond(query, query.beyond.most))
        table.beyond.extend(int(whole_numbers(told[name])[0]) for name in ("people", "n"))
    return table


def _with_groups(table: ExactTable, counts: Mapping[Key, int]) -> ExactTable:
    """The table with more groups, in which no row adds to the other columns."""
    known = set(table.keys)
    more = [key for key in counts if key not in known]
    if not more:
        return table
    none = np.zeros(len(more), dtype=np.int64)
    columns = {at: np.concatenate([column, none]) for at, column in table.columns.items()}
    people = None if table.people is None else np.concatenate([table.people, none])
    return ExactTable([*table.keys, *more], people, columns, table.values)


def exact_cells(workload: PricedWorkload, statements: Statements, fetch: Fetch) -> ExactCells:
    """The counts of every marginal, at the places of their values in the lists of public values."""
    found, query = fetch(statements.cells(workload)), workload.counted()
    used = sorted({place for marginal in workload.marginals for place in marginal})
    which, counts = whole_numbers(found["s"]), whole_numbers(found["a0"])
    attributes = workload.workload.attributes
    at = {i: places_of(found[f"k{i}"], attributes[i], query.question.keys[i].kind) for i in used}
    tables = []
    for marginal in workload.marginals:
        shape = workload.workload.shape(marginal)
        lines = which == _grouping(marginal, used)
        for place in marginal:  # what is on no list is in no cell
            lines &= at[place] >= 0
        mine = counts[lines]
        table = np.zeros(shape, dtype=mine.dtype)
        if marginal:
            np.add.at(table, tuple(at[place][lines] for place in marginal), mine)
        else:
            table[()] = mine.sum()
        tables.append(_narrowed(table))
    return ExactCells(tuple(tables))


def places_of(column: Any, attribute: tuple[Any, ...], kind: Kind) -> NDArray[np.int64]:
    """Where each value stands in a list of public values, NULL too; -1 where it is on none.

    >>> places_of([7, None, 5, 9], (5, 7, None), Kind.INTEGER).tolist()
    [1, 2, 0, -1]
    """
    if isinstance(column, np.ndarray) and column.dtype.kind in "iu" and None not in attribute[:-1]:
        return _places_of_numbers(column, attribute)
    at = {value: place for place, value in enumerate(attribute)}
    known = _typed_key(_listed(column), kind)
    return np.fromiter((at.get(value, -1) for value in known), dtype=np.int64, count=len(known))


def _places_of_numbers(column: NDArray[Any], attribute: tuple[Any, ...]) -> NDArray[np.int64]:
    missing = len(attribute) - 1 if attribute[-1:] == (None,) else -1
    listed = np.array(attribute if missing < 0 else attribute[:-1], dtype=np.int64)
    values = np.ma.getdata(column).astype(np.int64, copy=False)
    order = np.argsort(listed, kind="stable")
    near = np.minimum(np.searchsorted(listed, values, sorter=order), max(0, len(listed) - 1))
    at = order[near] if len(listed) else np.full(len(values), -1)
    found = np.where(listed[at] == values, at, -1) if len(listed) else at
    return np.where(np.ma.getmaskarray(column), missing, found)


def _grouping(marginal: Marginal, used: Sequence[int]) -> int:
    """SQL's GROUPING of the attributes that are used, in a line of a marginal."""
    return sum(1 << at for at, place in enumerate(reversed(used)) if place not in marginal)


def _narrowed(table: NDArray[Any]) -> NDArray[Any]:
    """The same in 64 bits, where all of it together fits."""
    return table.astype(np.int64, copy=False) if int(table.sum()) < _NARROW else table


def keys_of(found: Fetched, width: int, query: PricedQuery) -> list[Key]:
    """The groups' keys, in the order they were fetched."""
    if not width:
        return [()] * len(next(iter(found.values())))
    columns = [_typed_key(_listed(found[f"k{i}"]), query.question.keys[i].kind) for i in range(width)]
    return list(zip(*columns, strict=True))


def _listed(column: Any) -> list[Any]:
    return column if isinstance(column, list) else column.tolist()


def _typed_key(values: list[Any], kind: Kind) -> list[Any]:
    if kind is Kind.DATE:
        return [None if value is None else _date(value) for value in values]
    return values


def _date(value: Any) -> Any:
    from datetime import datetime

    return value.date() if isinstance(value, datetime) else value


def whole_numbers(column: Any) -> NDArray[Any]:
    """Exact integers: 64 bits where they came as such and fit, Python's where they came as text.

    >>> whole_numbers([3, 4]).dtype, whole_numbers(["3", str(10**30)]).dtype
    (dtype('int64'), dtype('O'))
    """
    if isinstance(column, list):
        if all(type(value) is int and value.bit_length() < 64 for value in column):
            return np.array(column, dtype=np.int64)
        return np.array([_whole(value) for value in column], dtype=object)
    values = np.asarray(column)
    if values.dtype.kind in "iu":
        return values.astype(np.int64, copy=False)
    return np.array([_whole(value) for value in values], dtype=object)


def _whole(value: object) -> int:
    if isinstance(value, float):  # it may have been rounded on its way
        raise TypeError("an engine gave a double for a whole number")
    return int(value)  # type: ignore[call-overload, no-any-return]


def histograms(lines: Fetched, width: int, query: PricedQuery) -> dict[Key, Histogram]:
    """The values of each group in steps, in order, and how often each occurs."""
    steps, counts = whole_numbers(lines["v"]), whole_numbers(lines["n"])
    if not width:
        return {(): (steps, counts)}
    keys = keys_of(lines, width, query)
    cuts = [0, *(i for i in range(1, len(keys)) if keys[i] != keys[i - 1]), len(keys)]
    return {keys[a]: (steps[a:b], counts[a:b]) for a, b in pairwise(cuts) if b > a}
