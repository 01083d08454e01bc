"""What a publication costs and how near it will be, before any data are seen.

All parts are declared before anything is measured, so their events compose by every bound the accountant has: the price
of an ε with a δ is that of the whole list, by its privacy loss distribution or its exact curve, in one `Converted`
event. Of the noises that pay for the same, the one with the least expected errors is taken.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import events
from sfumato.accounting.events import Converted, Event
from sfumato.core.printing import Json
from sfumato.engines import ExactCells
from sfumato.errors import InvalidParameter
from sfumato.exact.bits import BitSource, source
from sfumato.query.bounds import Spend
from sfumato.query.workload import CountedWorkload, PricedWorkload
from sfumato.synth.publication.hierarchy_part import PricedHierarchy
from sfumato.synth.publication.noises import DISCRETE_NORMAL, GEOMETRIC, NORMAL, NoiseKind
from sfumato.synth.publication.parts import Columns, Domains, ExpectedTable, NeedsPublicTables, Offer, PricedPart
from sfumato.synth.publication.plan import PublicationPlan
from sfumato.synth.publication.public_tree import PublicTables
from sfumato.synth.publication.reading import PublicationReader
from sfumato.synth.publication.table_columns import CodedColumn

_STEPS = 40
_LEAST, _MOST = Fraction(1, 10**9), Fraction(10**6)


@dataclass(frozen=True)
class PricedPublication:
    """A plan with its noise: what will be counted, what it costs, and what errors to expect."""

    plan: PublicationPlan
    workload: PricedWorkload
    parts: tuple[PricedPart, ...]
    spend: Spend

    @property
    def event(self) -> Event:
        """What is charged: the price of all parts together."""
        return self.workload.event

    @property
    def reads(self) -> PricedWorkload:
        """What the charge is for."""
        return self.workload

    @property
    def rows_per_person(self) -> int:
        """What the rows of one person weigh in all at most."""
        return self.workload.workload.bounds.total

    @property
    def more_bytes(self) -> int:
        """About how many bytes there will be beside tables that are expected."""
        return 0

    @property
    def making(self) -> float:
        """About how many seconds making a million rows takes: not told, as rows follow from few tables."""
        return 0.0

    @property
    def counted_tables(self) -> int:
        """How many tables are counted."""
        return len(self.plan.tables)

    @property
    def noise(self) -> tuple[str, ...]:
        """The kinds of noise that will be drawn."""
        kinds: list[Any] = [part["noise"] for part in (part.to_json() for part in self.parts) if "noise" in part]
        return tuple(dict.fromkeys(str(each["kind"]) for each in kinds))

    @property
    def domains(self) -> Domains:
        """The public values of every column."""
        return dict(zip(self.plan.columns, self.workload.workload.attributes, strict=True))

    def columns_of(self, measured: Sequence[NDArray[np.int64]]) -> tuple[CodedColumn, ...]:
        """The columns with their kinds and values, and the levels of hierarchies along a tree: as they were before."""
        keys = zip(self.plan.columns, self.workload.question.keys, strict=True)
        found = [CodedColumn(name, key.kind, self.domains[name]) for name, key in keys]
        for part in self.parts:
            if isinstance(part, PricedHierarchy):
                found += [CodedColumn(name, kind, values) for name, (kind, values) in part.domains.items()]
        return tuple(found)

    def measured_by(self, reader: PublicationReader, bits: BitSource | None) -> list[NDArray[np.int64]]:
        """What is measured of what a charge lets be read."""
        return self.measure(reader.counted(), bits)

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shapes of all that is measured, part by part."""
        return tuple(shape for part in self.parts for shape in part.shapes)

    @property
    def cells(self) -> int:
        """How many noisy numbers are published."""
        return sum(prod(shape) for shape in self.shapes)

    def expected(self) -> tuple[ExpectedTable, ...]:
        """The errors to expect, table by table."""
        return tuple(each for part in self.parts for each in part.expected())

    def measure(self, exact: ExactCells, bits: BitSource | None = None) -> list[NDArray[np.int64]]:
        """Noisy whole numbers, part by part; the exact tables go no further."""
        stream, tables = source(bits), dict(zip(self.plan.tables, exact.tables, strict=True))
        found = [table for part in self.parts for table in part.measure(tables, stream)]
        if tuple(table.shape for table in found) != self.shapes:
            raise ValueError("a part measured other tables than it was priced for")
        return found

    def canonical(self) -> dict[str, object]:
        """What decides what is measured."""
        return {"plan": self.plan.to_json(), "parts": self.parts_json(), "counted": self.workload.canonical()}

    def parts_json(self) -> list[Json]:
        """What a folder says of its parts."""
        return [{**part.to_json(), "arrays": len(part.shapes)} for part in self.parts]


def price_publication(
    plan: PublicationPlan,
    counting: Callable[[Spend], CountedWorkload],
    spend: Spend,
    public: PublicTables | None = None,
) -> PricedPublication:
    """The plan at a price; `counting` gives what the engine will count for it, `public` what public tables say."""
    workload = counting(spend)
    domains = dict(zip(plan.columns, workload.attributes, strict=True))
    shapes = {table: workload.shape(tuple(plan.columns.index(name) for name in table)) for table in plan.tables}

    planned = [part.placed(domains, public) if isinstance(part, NeedsPublicTables) else part for part in plan.parts]

    def at(noise: NoiseKind, amount: Fraction) -> tuple[PricedPart, ...]:
        whole = sum((part.worth for part in planned), Fraction(0))
        offers = (
            Offer(amount * part.worth / whole, noise, workload.moved, workload.weights.bits, shapes, domains)
            for part in planned
        )
        return tuple(part.price(offer) for part, offer in zip(planned, offers, strict=True))

    parts, event = _best(at, spend)
    return PricedPublication(plan, workload.at(event), parts, spend)


def composed(parts: Sequence[PricedPart]) -> Event:
    """All that the parts do, as one event, recomputed from their noises."""
    return parts[0].event if len(parts) == 1 else events.Composition([part.event for part in parts])


def _best(
    at: Callable[[NoiseKind, Fraction], tuple[PricedPart, ...]], spend: Spend
) -> tuple[tuple[PricedPart, ...], Event]:
    """The parts with the least expected errors that the price pays for, and what is charged for them."""
    if spend.rho is not None:
        parts = at(DISCRETE_NORMAL, spend.rho)
        return parts, composed(parts)
    assert spend.epsilon is not None
    pure = at(GEOMETRIC, spend.epsilon)
    if not spend.delta:
        return pure, composed(pure)
    normal = _within(at, spend.epsilon, spend.delta)
    if normal is not None and _error(normal) < _error(pure):
        return normal, Converted(composed(normal), spend.delta)
    return pure, composed(pure)


def _within(
    at: Callable[[NoiseKind, Fraction], tuple[PricedPart, ...]], epsilon: Fraction, delta: Fraction
) -> tuple[PricedPart, ...] | None:
    """Normal noise with about the largest ρ whose whole list is certified at (ε, δ); none where there is none."""

    def meets(rho: Fraction) -> bool:
        price = Converted(composed(at(NORMAL, rho)), delta).pure()
        return price is not None and price <= epsilon

    low, high = _LEAST, _MOST
    if not meets(low):
        return None
    for _ in range(_STEPS):
        middle = Fraction(float(low * high) ** 0.5)  # rounded, and certified as it is
        if middle in (low, high) or high < low * (1 + Fraction(1, 10**7)):
            break
        low, high = (middle, high) if meets(middle) else (low, middle)
    return at(NORMAL, low)


def _error(parts: Sequence[PricedPart]) -> float:
    """The mean of the logarithms of expected errors, each cell alike."""
    found = [each for part in parts for each in part.expected()]
    cells = sum(each.cells for each in found)
    return sum(each.cells * log(max(each.standard_error, 1e-300)) for each in found) / max(cells, 1)


def spend_of(epsilon: Fraction | None, rho: Fraction | None, delta: Fraction, *, finding: bool = False) -> Spend:
    """What may be spent: ε, with a δ or without; or ρ, with a δ where values must be found."""
    if (epsilon is None) == (rho is None):
        given = "neither" if epsilon is None else "both"
        raise InvalidParameter("epsilon", "or rho must be given, one of them, found", given, hint="epsilon=1")
    if rho is not None and delta and not finding:
        raise InvalidParameter("delta", "is for ε; ρ needs none", float(delta), hint="leave delta out, or give epsilon")
    return Spend(epsilon, rho, delta)


def places_of(plan: PublicationPlan) -> list[tuple[int, ...]]:
    """The tables of a plan by the positions of their columns, as an engine counts them."""
    at: Mapping[str, int] = {name: place for place, name in enumerate(plan.columns)}
    return [tuple(at[name] for name in table) for table in plan.tables]


def of_columns(columns: Columns) -> str:
    """A table's name for people."""
    return " × ".join(columns) or "all rows"
