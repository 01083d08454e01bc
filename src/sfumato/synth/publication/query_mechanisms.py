"""What measures linear queries of a plan, as a file says it: MWEM, or SmallDB, on the exact table of their columns.

The engine's table moves by at most `moved` in ℓ1 when one person comes or goes, in 2**bits of a row. Those parts of a
row are the records of the mechanism, so one person is up to `moved` of them: the `each` of both mechanisms. What is
stored are arrays of fixed shapes: n̂; and of MWEM which query each round measured and its noisy sum, of SmallDB how
often each cell is among the m records. Models are made of these again, by whoever opens the publication.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod, sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting.events import Event
from sfumato.data.entries import said
from sfumato.errors import InvalidDeclaration, InvalidParameter
from sfumato.exact.bits import BitSource
from sfumato.exact.parameters import open_probability
from sfumato.exact.sampler import objects
from sfumato.mechanisms.small_database import small_database_choices, small_database_size
from sfumato.synth.databases import HistogramDatabase, WeightedDatabase
from sfumato.synth.multiplicative_weights import MOST_PEOPLE, FittedModels, MeasuredGroup, MultiplicativeWeights
from sfumato.synth.people import CountedPeople
from sfumato.synth.publication.asked_queries import workload_of
from sfumato.synth.publication.entries import whole_of
from sfumato.synth.publication.parts import Columns, Measured
from sfumato.synth.small_database import SmallDatabase
from sfumato.synth.steps import MultiplicativeStep, ProportionalStep

_ROUNDS, _MOST_ROUNDS, _MOST_RECORDS = 10, 1000, 100_000
_COUNTED = Fraction(1, 10)
"""The share of ε that the number of rows is counted with."""


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """What is said of one query, in rows: the number, and how far it may be off, where something is known of it."""

    value: Fraction
    off: Fraction | None
    standard_error: float | None
    made_of: str


class QueryMechanism(ABC):
    """A mechanism for linear queries: how it is priced, what it stores, and what that answers."""

    entries: ClassVar[tuple[str, ...]]
    """What an entry of a plan may say of its size."""

    def __init__(self, about: Mapping[str, Any]) -> None:
        self.columns: Columns = tuple(about["columns"])
        self.sizes = tuple(int(size) for size in about["sizes"])
        self.size, self.each, self.bits = int(about["size"]), int(about["each"]), int(about["bits"])
        self.names = tuple(str(query["name"]) for query in about["queries"])
        self.workload = workload_of(about["queries"], self.columns, self.sizes)
        epsilon = Fraction(about["epsilon"])
        self.people = CountedPeople(_COUNTED * epsilon, self.each)
        self.share = (1 - _COUNTED) * epsilon

    @staticmethod
    @abstractmethod
    def sized(where: str, entry: Mapping[str, Any]) -> tuple[str, str]:
        """Which size an entry of a plan says, and how much."""

    @staticmethod
    @abstractmethod
    def size_for(said_: tuple[str, str], queries: int) -> int:
        """The size for so many queries."""

    @staticmethod
    @abstractmethod
    def rho_of_one(size: int) -> Fraction:
        """The ρ of ε = 1; it grows with the square of ε."""

    @property
    @abstractmethod
    def event(self) -> Event:
        """What it costs, the count of the rows among it."""

    @property
    @abstractmethod
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shapes of what is stored, n̂ first."""

    @property
    @abstractmethod
    def expected(self) -> float:
        """An error to expect, in rows."""

    @abstractmethod
    def measure(self, data: HistogramDatabase, bits: BitSource) -> list[NDArray[Any]]:
        """What is stored, n̂ first."""

    @abstractmethod
    def answer(self, measured: Measured, query: int, beta: Fraction) -> QueryAnswer:
        """What is said of a query, which is further off with probability beta at most."""

    def rows(self, records: Fraction) -> Fraction:
        """Records, which are parts of rows, in rows."""
        return records / (1 << self.bits)


class MeasuredRounds(QueryMechanism):
    """MWEM: a query chosen and measured in each round, and a model of the whole table made of them."""

    entries = ("rounds",)
    _of_model: list[Fraction] | None = None

    @staticmethod
    def sized(where: str, entry: Mapping[str, Any]) -> tuple[str, str]:
        """`rounds`, or ten."""
        return "rounds", str(whole_of(f"{where} rounds", entry.get("rounds", _ROUNDS), least=1, most=_MOST_ROUNDS))

    @staticmethod
    def size_for(said_: tuple[str, str], queries: int) -> int:
        """As many as are said."""
        return int(said_[1])

    @staticmethod
    def rho_of_one(size: int) -> Fraction:
        """Of a round with a share s for the choice and for the noise s²/8 + s²/2; of the count ε²/2."""
        share = (1 - _COUNTED) / (2 * size)
        return _COUNTED**2 / 2 + size * share**2 * Fraction(5, 8)

    @cached_property
    def mechanism(self) -> MultiplicativeWeights:
        """MWEM, with proportional fitting where all weights are 0 or 1."""
        step = ProportionalStep() if self.workload.denominator == 1 else MultiplicativeStep()
        return MultiplicativeWeights(
            workload=self.workload, epsilon=self.share, rounds=self.size, people=self.people, step=step, each=self.each
        )

    @property
    def event(self) -> Event:
        """All choices and measurements, and the count."""
        return self.mechanism.event

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """n̂; which query; its noisy sum, in units of 1/denominator."""
        return (), (self.size,), (self.size,)

    @property
    def expected(self) -> float:
        """The standard error of what a round measures; the model's own is not known before."""
        return float(sqrt(self.mechanism.noise.variance) / self.workload.denominator / 2**self.bits)

    def measure(self, data: HistogramDatabase, bits: BitSource) -> list[NDArray[Any]]:
        """What the rounds released."""
        released = self.mechanism.release(data, bits=bits)
        chosen = np.array([group.queries.start for group in released.measured], dtype=np.int64)
        values = [int(group.values[0] * self.workload.denominator) for group in released.measured]
        return [np.array(released.people, dtype=np.int64), chosen, objects(values)]

    def fitted(self, measured: Measured) -> FittedModels:
        """The models, made again of what was stored."""
        told, chosen, values = measured
        pairs = zip(chosen.tolist(), values.tolist(), strict=True)
        groups = [MeasuredGroup(range(q, q + 1), (Fraction(v, self.workload.denominator),)) for q, v in pairs]
        return self.mechanism.fitted(int(told), groups)

    def answer(self, measured: Measured, query: int, beta: Fraction) -> QueryAnswer:
        """The average's answer within MWEM's error; or what was measured of it first, where that is nearer.

        Noise of a round is fresh whatever led to its query, so the first measurement of a query has its own bar. Each
        of the two ways fails with half of beta, so whichever is shown fails with no more than beta.
        """
        told, chosen, values = measured
        theorem = _bound(self.mechanism, int(told), beta / 2)
        model = self._average(measured)[query]
        found = QueryAnswer(self.rows(model), theorem and self.rows(theorem), None, "a model by MWEM")
        rounds = np.flatnonzero(chosen == query)
        unit = self.rows(Fraction(1, self.workload.denominator))
        off = self.mechanism.noise.reach(beta / 2) * unit
        if not len(rounds) or (found.off is not None and found.off <= off):
            return found
        return QueryAnswer(int(values[rounds[0]]) * unit, off, self.expected, f"round {rounds[0] + 1} of MWEM")

    def _average(self, measured: Measured) -> list[Fraction]:
        """The answers of the average model, once for all questions."""
        if self._of_model is None:
            self._of_model = [Fraction(each) for each in self.workload.answers(self.fitted(measured).average).tolist()]
        return self._of_model


def _bound(mechanism: MultiplicativeWeights, told: int, beta: Fraction) -> Fraction | None:
    """MWEM's error by the number that was told; none where that was cut."""
    return None if told >= MOST_PEOPLE else Fraction(mechanism.error(beta, told=told).alpha)


class ChosenRecords(QueryMechanism):
    """SmallDB: a database of m records that answers all queries, each record standing for n̂/m."""

    entries = ("records", "alpha")

    @staticmethod
    def sized(where: str, entry: Mapping[str, Any]) -> tuple[str, str]:
        """`records`, or the `alpha` that they follow from."""
        if ("records" in entry) == ("alpha" in entry):
            raise InvalidDeclaration(f"{where} says `records` or `alpha`, one of them", hint="records = 20")
        if "records" in entry:
            return "records", str(whole_of(f"{where} records", entry["records"], least=1, most=_MOST_RECORDS))
        try:
            return "alpha", str(open_probability("alpha", entry["alpha"]))
        except InvalidParameter:
            raise InvalidDeclaration(
                f"{where} alpha must be a share between 0 and 1: {said(entry['alpha'])}", hint="alpha = 0.2"
            ) from None

    @staticmethod
    def size_for(said_: tuple[str, str], queries: int) -> int:
        """m: as said, or the least for that alpha."""
        word, size = said_
        return int(size) if word == "records" else small_database_size(queries=queries, alpha=Fraction(size))

    @staticmethod
    def rho_of_one(size: int) -> Fraction:
        """Of the choice ε²/8, of the count ε²/2."""
        return _COUNTED**2 / 2 + (1 - _COUNTED) ** 2 / 8

    @cached_property
    def mechanism(self) -> SmallDatabase:
        """SmallDB with m records."""
        return SmallDatabase(
            workload=self.workload, epsilon=self.share, people=self.people, records=self.size, each=self.each
        )

    @property
    def event(self) -> Event:
        """The choice, and the count."""
        return self.mechanism.event

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """n̂, and how often each cell is among the records."""
        return (), (prod(self.sizes),)

    @property
    def expected(self) -> float:
        """What the choice loses on average at most: 2(ln|R| + 1)/ε of a person; m records add to it what they miss."""
        choices = small_database_choices(types=len(self.workload.domain), records=self.size)
        return float(self.each * (1 + 2 * (choices + 1) / float(self.share)) / 2**self.bits)

    def measure(self, data: HistogramDatabase, bits: BitSource) -> list[NDArray[Any]]:
        """The database that was drawn."""
        released = self.mechanism.release(data, bits=bits)
        counts = np.zeros(prod(self.sizes), dtype=np.int64)
        for place, count in released.counts.items():
            counts[place] = count  # type: ignore[call-overload]
        return [np.asarray(objects([int(released.people)])[0]), counts]

    def answer(self, measured: Measured, query: int, beta: Fraction) -> QueryAnswer:
        """n̂/m times what the records answer, within SmallDB's error (Survey Theorem 6.11)."""
        told, counts = measured
        small = WeightedDatabase(self.workload.domain, counts, factor=Fraction(int(told), self.size))  # type: ignore[arg-type]
        value = Fraction(self.workload.answers(small)[query])
        off = Fraction(self.mechanism.error(beta, told=int(told)).alpha)
        return QueryAnswer(self.rows(value), self.rows(off), None, f"{self.size:,} records by SmallDB")


BY: Mapping[str, type[QueryMechanism]] = {"mwem": MeasuredRounds, "small_database": ChosenRecords}
"""What `by` may say in an entry of a plan."""
