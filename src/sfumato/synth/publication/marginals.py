"""Marginals: tables of counts over some columns, each cell with noise of its own. The total is the one over none.

One person moves each table by `moved` at most, in ℓ1 and in ℓ2, so k tables at a k-th of the price each cost the whole:
tables are measured independently, and what they cost adds up (Survey Theorem 3.9, Theorem 8.6).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb, prod, sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import events
from sfumato.accounting.events import Event
from sfumato.data.entries import only
from sfumato.errors import InvalidDeclaration
from sfumato.exact.bits import BitSource
from sfumato.mechanisms.additive import Noise
from sfumato.mechanisms.answers import add
from sfumato.query.workload import MOST_MARGINALS
from sfumato.synth.publication.answers import PublishedAnswer
from sfumato.synth.publication.entries import columns_of, weight_of, whole_of
from sfumato.synth.publication.estimates import EstimatedTable
from sfumato.synth.publication.noises import NOISES, NoiseKind, read_noise
from sfumato.synth.publication.parts import Columns, ExpectedTable, Measured, Offer
from sfumato.synth.publication.tables import NoisyTable, Places


@dataclass(frozen=True)
class Marginals:
    """Marginals by the names of their columns."""

    kind: ClassVar[str] = "marginals"
    tables: tuple[Columns, ...]
    weight: Fraction = Fraction(1)

    @classmethod
    def read(cls, where: str, entry: Mapping[str, Any], columns: Columns) -> "Marginals":
        """`of = [["ward"], ["ward", "age"]]`, or `all = 2` for every pair."""
        only(where, entry, ("kind", "of", "all", "weight"))
        if ("of" in entry) == ("all" in entry):
            raise InvalidDeclaration(
                f"{where} says `of` or `all`, one of them", hint='of = [["ward"], ["ward", "age"]], or all = 2'
            )
        weight = weight_of(where, entry)
        if "all" in entry:
            width = whole_of(f"{where} all", entry["all"], least=1, most=len(columns))
            number = comb(len(columns), width)
            if number > MOST_MARGINALS:
                raise InvalidDeclaration(
                    f"{where}: {number:,} tables are asked for, and {MOST_MARGINALS:,} can be measured",
                    hint="a smaller `all`, or the tables by name: of = […]",
                )
            return cls(tuple(combinations(columns, width)), weight)
        given = entry["of"]
        if not isinstance(given, list | tuple) or not given:
            raise InvalidDeclaration(f"{where} of must be a list of lists of columns", hint='of = [["ward", "age"]]')
        return cls(tuple(dict.fromkeys(columns_of(f"{where} of", each, columns) for each in given)), weight)

    @property
    def worth(self) -> Fraction:
        """Every table is worth its weight."""
        return self.weight * len(self.tables)

    @property
    def published(self) -> tuple[Columns, ...]:
        """All of them."""
        return self.tables

    def price(self, offer: Offer) -> "PricedMarginals":
        """Every table with the same share."""
        noise, event = offer.noise.hiding(offer.moved, offer.amount / len(self.tables))
        shapes = tuple(offer.shapes[each] for each in self.tables)
        return PricedMarginals(self.kind, self.tables, shapes, noise, offer.noise, offer.bits, event)

    def to_json(self) -> dict[str, Any]:
        """By names, however it was asked."""
        return {"kind": self.kind, "of": [list(each) for each in self.tables], "weight": str(self.weight)}

    @classmethod
    def opened(cls, about: Mapping[str, Any], measured: Measured) -> "MeasuredMarginals":
        """Tables with the noise that the file says."""
        noise, bits = read_noise(about["noise"]), int(about["bits"])
        tables = zip(about["tables"], measured, strict=True)
        return MeasuredMarginals(tuple(NoisyTable(tuple(each), counts, noise, bits) for each, counts in tables))


@dataclass(frozen=True)
class PricedMarginals:
    """Marginals with their noise."""

    kind: str
    tables: tuple[Columns, ...]
    shapes: tuple[tuple[int, ...], ...]
    noise: Noise
    noise_kind: NoiseKind
    bits: int
    each: Event
    """What one table costs."""

    @property
    def event(self) -> Event:
        """All tables, one after the other."""
        return self.each if len(self.tables) == 1 else events.Composition([(self.each, len(self.tables))])

    def expected(self) -> tuple[ExpectedTable, ...]:
        """The same standard error in every cell."""
        error = sqrt(self.noise.variance) / 2**self.bits
        shaped = zip(self.tables, self.shapes, strict=True)
        return tuple(ExpectedTable(columns, prod(shape), error) for columns, shape in shaped)

    def measure(self, exact: Mapping[Columns, NDArray[Any]], bits: BitSource) -> list[NDArray[np.int64]]:
        """Every cell of every table plus a draw of its own."""
        found = []
        for columns, shape in zip(self.tables, self.shapes, strict=True):
            drawn: Any = self.noise.draw(prod(shape), bits)
            found.append(np.asarray(add(exact[columns].reshape(-1), drawn)).reshape(shape))
        return found

    def to_json(self) -> dict[str, Any]:
        """Tables, noise and unit."""
        noise = NOISES[self.noise_kind.name].to_json(self.noise)
        return {"kind": self.kind, "tables": [list(each) for each in self.tables], "noise": noise, "bits": self.bits}


@dataclass(frozen=True)
class MeasuredMarginals:
    """Measured marginals answer by their tables alone."""

    tables: tuple[NoisyTable, ...]

    @property
    def estimated(self) -> tuple[EstimatedTable, ...]:
        """No others."""
        return ()

    def answer(self, chosen: Mapping[str, Places], confidence: Fraction) -> PublishedAnswer | None:
        """No other way."""
        return None


class TotalCount(Marginals):
    """How many rows there are: the marginal over no column."""

    kind: ClassVar[str] = "total"

    @classmethod
    def read(cls, where: str, entry: Mapping[str, Any], columns: Columns) -> "TotalCount":
        """Nothing but a weight."""
        only(where, entry, ("kind", "weight"))
        return cls(((),), weight_of(where, entry))

    def to_json(self) -> dict[str, Any]:
        """Its weight."""
        return {"kind": self.kind, "weight": str(self.weight)}


class WholeTable(Marginals):
    """A whole table: the marginal over all columns."""

    kind: ClassVar[str] = "table"

    @classmethod
    def read(cls, where: str, entry: Mapping[str, Any], columns: Columns) -> "WholeTable":
        """Nothing but a weight."""
        only(where, entry, ("kind", "weight"))
        return cls((columns,), weight_of(where, entry))

    def to_json(self) -> dict[str, Any]:
        """Its weight."""
        return {"kind": self.kind, "weight": str(self.weight)}


class HierarchyLevels(Marginals):
    """A hierarchy: all rows, then by the first column, then by the first two, and so on, each level a table."""

    kind: ClassVar[str] = "hierarchy"

    @classmethod
    def read(cls, where: str, entry: Mapping[str, Any], columns: Columns) -> "HierarchyLevels":
        """Over all columns in their order, or `of = ["region", "town"]`."""
        only(where, entry, ("kind", "of", "weight"))
        chain = columns_of(f"{where} of", entry.get("of", list(columns)), columns)
        return cls(tuple(chain[:depth] for depth in range(len(chain) + 1)), weight_of(where, entry))

    def to_json(self) -> dict[str, Any]:
        """Its columns."""
        return {"kind": self.kind, "of": list(self.tables[-1]), "weight": str(self.weight)}
