"""Linear queries as a kind of part: those that a plan asks, measured together by MWEM or SmallDB."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting.events import Event
from sfumato.core import IntegerInterval
from sfumato.data.entries import once, one_of, only
from sfumato.errors import InvalidDeclaration
from sfumato.exact.bits import BitSource
from sfumato.exact.rounding import sqrt_down
from sfumato.synth.databases import HistogramDatabase
from sfumato.synth.publication.answers import PublishedAnswer
from sfumato.synth.publication.asked_queries import AskedQuery, prefixes_of
from sfumato.synth.publication.entries import columns_of, weight_of
from sfumato.synth.publication.estimates import EstimatedTable
from sfumato.synth.publication.noises import GEOMETRIC
from sfumato.synth.publication.parts import Columns, ExpectedTable, Measured, Offer
from sfumato.synth.publication.query_mechanisms import BY, QueryMechanism
from sfumato.synth.publication.tables import NoisyTable, Places

_MOST_QUERIES = 10_000


@dataclass(frozen=True)
class QueryPart:
    """Linear queries over some columns, and what measures them."""

    kind: ClassVar[str] = "queries"
    asked: tuple[AskedQuery, ...]
    prefixes: Columns
    columns: Columns
    by: str
    sized: tuple[str, str]
    weight: Fraction

    @classmethod
    def read(cls, where: str, entry: Mapping[str, Any], columns: Columns) -> "QueryPart":
        """`ask`, `prefixes` or both; `by = "mwem"` with `rounds`, or `by = "small_database"` with records or alpha."""
        by = one_of(f"{where} by", entry.get("by", "mwem"), tuple(BY))
        only(where, entry, ("kind", "ask", "prefixes", "by", "weight", *BY[by].entries))
        given, running = entry.get("ask", []), entry.get("prefixes", [])
        if not isinstance(given, list | tuple) or not (given or running):
            raise InvalidDeclaration(
                f"{where} asks nothing", hint='ask = [{ name = "few days", where = "stay < 3" }], or prefixes = "stay"'
            )
        asked = tuple(AskedQuery.read(f"{where} ask {at}", each, columns) for at, each in enumerate(given, 1))
        listed = [running] if isinstance(running, str) else running
        prefixes = columns_of(f"{where} prefixes", listed, columns) if listed else ()
        looked = set(prefixes).union(*(each.columns for each in asked))
        table = tuple(name for name in columns if name in looked)
        return cls(asked, prefixes, table, by, BY[by].sized(where, entry), weight_of(where, entry))

    @property
    def worth(self) -> Fraction:
        """Its weight, for all queries together."""
        return self.weight

    @property
    def tables(self) -> tuple[Columns, ...]:
        """The table of all columns that its queries look at."""
        return (self.columns,)

    @property
    def published(self) -> tuple[Columns, ...]:
        """None: queries are answered from what was fitted to them."""
        return ()

    def price(self, offer: Offer) -> "PricedQueries":
        """The mechanism at the offer's ε, or at the ε that its ρ pays for."""
        queries = [each.resolved(offer.domains) for each in self.asked]
        queries += [each for column in self.prefixes for each in prefixes_of(column, offer.domains)]
        once("the name of a query", [str(each["name"]) for each in queries])
        if len(queries) > _MOST_QUERIES:
            raise InvalidDeclaration(
                f"{len(queries):,} queries are asked, and {_MOST_QUERIES:,} can be measured together",
                hint="ask fewer, or prefixes of a coarser column",
            )
        of, epsilon = BY[self.by], offer.amount
        size = of.size_for(self.sized, len(queries))
        if offer.noise.currency == "rho":
            epsilon = Fraction(sqrt_down(offer.amount / of.rho_of_one(size)))
        about: dict[str, Any] = {
            "kind": self.kind,
            "by": self.by,
            "columns": list(self.columns),
            "sizes": list(offer.shapes[self.columns]),
            "queries": queries,
            "size": size,
            "epsilon": str(epsilon),
            "each": offer.moved,
            "bits": offer.bits,
        }
        return PricedQueries(about, of(about))

    def to_json(self) -> dict[str, Any]:
        """The entry as a plan writes it."""
        word, size = self.sized
        found: dict[str, Any] = {"kind": self.kind, "by": self.by, word: size if word == "alpha" else int(size)}
        if self.asked:
            found["ask"] = [each.to_json() for each in self.asked]
        if self.prefixes:
            found["prefixes"] = list(self.prefixes)
        return {**found, "weight": str(self.weight)}

    @classmethod
    def opened(cls, about: Mapping[str, Any], measured: Measured) -> "MeasuredQueries":
        """The mechanism that the file says, with what it released."""
        return MeasuredQueries(BY[str(about["by"])](about), tuple(measured))


@dataclass(frozen=True)
class PricedQueries:
    """Queries with their mechanism, at a price."""

    about: Mapping[str, Any]
    mechanism: QueryMechanism

    @property
    def event(self) -> Event:
        """What the mechanism costs, by what it hands out."""
        return self.mechanism.event

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Those of the mechanism, whatever it chooses."""
        return self.mechanism.shapes

    def expected(self) -> tuple[ExpectedTable, ...]:
        """An error for all queries together."""
        of = self.mechanism
        return (ExpectedTable(of.columns, len(of.names), of.expected),)

    def measure(self, exact: Mapping[Columns, NDArray[Any]], bits: BitSource) -> list[NDArray[np.int64]]:
        """What the mechanism releases of the exact table."""
        table = exact[self.mechanism.columns].reshape(-1)
        return self.mechanism.measure(HistogramDatabase(IntegerInterval(0, len(table) - 1), table), bits)

    def to_json(self) -> dict[str, Any]:
        """All of it, and the noise of the count."""
        return {**self.about, "noise": GEOMETRIC.to_json(self.mechanism.people.noise)}


@dataclass(frozen=True)
class MeasuredQueries:
    """What a mechanism released, which answers its queries by name."""

    mechanism: QueryMechanism
    measured: tuple[NDArray[np.int64], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The queries."""
        return self.mechanism.names

    @property
    def tables(self) -> tuple[NoisyTable, ...]:
        """The number of rows, which was counted with noise."""
        return (NoisyTable((), self.measured[0].reshape(()), self.mechanism.people.noise, self.mechanism.bits),)

    @property
    def estimated(self) -> tuple[EstimatedTable, ...]:
        """No others."""
        return ()

    def answer(self, chosen: Mapping[str, Places], confidence: Fraction) -> PublishedAnswer | None:
        """No other counts than its queries."""
        return None

    def query(self, name: str, confidence: Fraction) -> PublishedAnswer:
        """What is said of one of its queries: R(A, v)."""
        found = self.mechanism.answer(self.measured, self.names.index(name), 1 - confidence)
        low = None if found.off is None else float(found.value - found.off)
        high = None if found.off is None else float(found.value + found.off)
        return PublishedAnswer(float(found.value), found.standard_error, low, high, float(confidence), (found.made_of,))
