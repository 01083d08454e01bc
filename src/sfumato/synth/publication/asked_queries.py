"""Linear queries as a plan says them: counts under a condition, weights by value, and prefixes of a column.

    [[measure.ask]]
    name = "short stays in surgery"
    where = "ward = 'surgery' AND stay < 3"

    [[measure.ask]]
    name = "work"
    weigh = "ward"
    weights = { surgery = 1, oncology = 0.5 }     # values that are not named weigh nothing

A query is a weight in [0, 1] for every cell of the columns that the part's queries name (Survey §6.2.1).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from math import lcm, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.core import IntegerInterval
from sfumato.data.entries import mapping, name_of, only, said, text
from sfumato.errors import InvalidDeclaration, InvalidParameter
from sfumato.exact.parameters import non_negative
from sfumato.mechanisms import LinearQueries
from sfumato.synth.publication.conditions import Condition, columns_in, mask, read_condition
from sfumato.synth.publication.parts import Columns, Domains
from sfumato.synth.workloads import MatrixWorkload

MOST_WEIGHTS = 2**24
"""Cells times queries: the matrix is held in memory."""
_MOST_DENOMINATOR = 10**6
_EXAMPLE = 'ask = [{ name = "few days", where = "stay < 3" }], or prefixes = "stay"'


@dataclass(frozen=True, slots=True)
class AskedQuery:
    """One query of a plan: a condition, or weights by the values of a column, or both."""

    name: str
    where: str
    condition: Condition | None
    weigh: str
    weights: tuple[tuple[str, Fraction], ...]

    @classmethod
    def read(cls, place: str, given: object, columns: Columns) -> "AskedQuery":
        """An entry of `ask`, or one clear error."""
        entry = mapping(place, given, _EXAMPLE)
        only(place, entry, ("name", "where", "weigh", "weights"))
        where = text(f"{place} where", entry.get("where", ""))
        condition = read_condition(f"{place} where", where, columns) if where.strip() else None
        weigh = text(f"{place} weigh", entry.get("weigh", ""))
        if weigh and weigh not in columns:
            raise InvalidDeclaration(
                f"{place} weigh names a column that the plan has not: {said(weigh)}", hint=_EXAMPLE
            )
        if bool(weigh) != ("weights" in entry) or not (weigh or condition):
            raise InvalidDeclaration(
                f"{place} says `where`, or `weigh` with `weights`, or all three",
                hint='where = "stay < 3"; or weigh = "ward", weights = { surgery = 1 }',
            )
        weights = _weights(f"{place} weights", entry["weights"]) if weigh else ()
        return cls(name_of(f"{place} name", entry.get("name", where)), where, condition, weigh, weights)

    @property
    def columns(self) -> set[str]:
        """The columns that it looks at."""
        tested = columns_in(self.condition) if self.condition is not None else set[str]()
        return tested | ({self.weigh} if self.weigh else set[str]())

    def resolved(self, domains: Domains) -> dict[str, Any]:
        """The query over places of values, as a file says it."""
        found: dict[str, Any] = {"name": self.name}
        if self.condition is not None:
            found["where"] = self.condition.resolved(domains)
        if self.weigh:
            values = {_written(value): at for at, value in enumerate(domains[self.weigh])}
            line = ["0"] * len(values)
            for name, weight in self.weights:
                if name not in values:
                    raise InvalidDeclaration(
                        f"`{self.weigh}` has no value {said(name)} to weigh", hint=f"such as {', '.join([*values][:5])}"
                    )
                line[values[name]] = str(weight)
            found |= {"weigh": self.weigh, "weights": line}
        return found

    def to_json(self) -> dict[str, Any]:
        """The entry as a plan writes it."""
        found: dict[str, Any] = {"name": self.name}
        if self.where:
            found["where"] = self.where
        if self.weigh:
            found |= {"weigh": self.weigh, "weights": {name: str(weight) for name, weight in self.weights}}
        return found


def prefixes_of(column: str, domains: Domains) -> list[dict[str, Any]]:
    """For each value of a column but NULL, how many rows have at most that, in the order of its public values."""
    found, places = list[dict[str, Any]](), list[int]()
    for at, value in enumerate(domains[column]):
        if value is not None:
            places.append(at)
            found.append(
                {"name": f"{column} <= {_written(value)}", "where": {"column": column, "places": list(places)}}
            )
    return found


def workload_of(queries: Sequence[Mapping[str, Any]], columns: Columns, sizes: tuple[int, ...]) -> MatrixWorkload:
    """Resolved queries over the cells of some columns, a row of weights each."""
    if (asked := prod(sizes) * len(queries)) > MOST_WEIGHTS:
        raise InvalidDeclaration(
            f"the queries have {asked:,} weights, and {MOST_WEIGHTS:,} can be held",
            hint="ask about fewer columns together, in parts of their own, or make one coarser",
        )
    denominator = lcm(1, *(Fraction(each).denominator for query in queries for each in query.get("weights", ())))
    if denominator > _MOST_DENOMINATOR:
        raise InvalidDeclaration(
            f"the weights need a common denominator above {_MOST_DENOMINATOR:,}", hint="weights of fewer digits: 0.25"
        )
    lines = np.stack([_line(query, columns, sizes, denominator) for query in queries])
    for query, line in zip(queries, lines, strict=True):
        if not line.any():
            raise InvalidDeclaration(f"the query {said(query['name'])} counts nothing", hint="look at its condition")
    domain = IntegerInterval(0, lines.shape[1] - 1)
    if denominator == 1:
        return MatrixWorkload(LinearQueries(lines, domain=domain))
    kinds = np.array([Fraction(each, denominator) for each in range(denominator + 1)], dtype=np.object_)
    return MatrixWorkload(LinearQueries(kinds[lines], domain=domain))


def _line(query: Mapping[str, Any], columns: Columns, sizes: tuple[int, ...], denominator: int) -> NDArray[np.int64]:
    """The weights of every cell, in units of 1/denominator."""
    line = np.full(sizes, denominator, dtype=np.int64)
    if "weights" in query:
        axis = columns.index(query["weigh"])
        weights = np.array([int(Fraction(each) * denominator) for each in query["weights"]], dtype=np.int64)
        line = np.broadcast_to(weights.reshape([-1 if at == axis else 1 for at in range(len(sizes))]), sizes)
    if "where" in query:
        line = line * mask(query["where"], columns, sizes)
    return np.ascontiguousarray(line).reshape(-1)


def _weights(where: str, given: object) -> tuple[tuple[str, Fraction], ...]:
    found = list[tuple[str, Fraction]]()
    for name, weight in mapping(where, given, "weights = { surgery = 1, oncology = 0.5 }").items():
        try:
            exact = non_negative("weight", weight)
        except InvalidParameter:
            exact = Fraction(-1)
        if not 0 <= exact <= 1:
            raise InvalidDeclaration(f"{where} must lie between 0 and 1: {said(weight)}", hint="weights are shares")
        found.append((name, exact))
    return tuple(found)


def _written(value: Any) -> str:
    """A public value as a plan writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, date) else "NULL" if value is None else str(value)
