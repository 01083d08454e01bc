"""A synthetic table before the charge: how each column will be coded, what is read, and one price for all of it.

Texts are found by questions of their own, whose groups are not public, each for a small share of the price. Everything
else is one Gaussian mechanism: levels of fine grids for bins, and the stages of `TableSynthesiser`, each with a share
of μ² that is fixed here (Dong, Roth, Su 2019, Corollary 2). What finds and what measures compose by their sums
(Survey Theorem 3.9).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from sfumato.accounting import events, smallest_noise
from sfumato.accounting.events import Converted, Event
from sfumato.core.printing import Json
from sfumato.data import Dataset, Kind
from sfumato.errors import InvalidDeclaration
from sfumato.exact.bits import BitSource
from sfumato.exact.parameters import positive
from sfumato.exact.rounding import sqrt_up
from sfumato.query.bounds import Spend
from sfumato.query.context import Public
from sfumato.query.planning import plan_question
from sfumato.query.price import PricedQuery, price
from sfumato.query.steps import PricedSteps
from sfumato.query.workload import asked_columns
from sfumato.synth.publication.impossible import Impossible, impossible_of
from sfumato.synth.publication.parts import ExpectedTable, PricedPart
from sfumato.synth.publication.plan import PublicationPlan
from sfumato.synth.publication.reading import PublicationReader
from sfumato.synth.publication.table_coding import columns_by
from sfumato.synth.publication.table_columns import (
    LONGEST_TEXT,
    BinnedColumn,
    CodedColumn,
    FoundColumn,
    column_json,
)
from sfumato.synth.publication.table_measuring import measure_table
from sfumato.synth.publication.table_reads import TableReads
from sfumato.synth.publication.table_stages import coded_by, shape_of
from sfumato.synth.publication.table_words import packed, unpacked
from sfumato.synth.tables import TableShape, TableSynthesiser
from sfumato.synth.tables.building import EXPLICIT_CELLS
from sfumato.synth.tables.expected import single_errors
from sfumato.synth.tables.triples import MOST_CHOSEN

VERSION = 1
"""Raised whenever the same plan on the same data is measured otherwise."""
_SECONDS_A_COLUMN = 1.3
_FINDING, _ALL_FINDING = Fraction(1, 20), Fraction(1, 5)
_GRID, _ALL_GRIDS = Fraction(1, 25), Fraction(4, 25)


@dataclass(frozen=True)
class PricedTable:
    """A synthetic table with its price: everything but the values that are found is known, and no data were seen."""

    plan: PublicationPlan
    reads_of: TableReads
    finding: tuple[PricedQuery, ...]
    sigma: Fraction
    """The price of what is not found, as that of normal noise on one count that a person moves by 1."""
    impossible: tuple[Impossible, ...]
    event: Event
    spend: Spend

    @property
    def grids(self) -> tuple[BinnedColumn, ...]:
        """The columns that are put into bins."""
        return tuple(column for column in self.reads_of.columns if isinstance(column, BinnedColumn))

    @property
    def grid_share(self) -> Fraction:
        """What of μ² all grids get together."""
        return min(_GRID * len(self.grids), _ALL_GRIDS)

    @property
    def of_table(self) -> Fraction:
        """The σ that is left for the table when grids have had their share, rounded up."""
        return Fraction(sqrt_up(self.sigma**2 / (1 - self.grid_share)))

    @cached_property
    def reads(self) -> PricedSteps:
        """What the charge is for."""
        last = self.reads_of.last(self.reads_of.largest(), self.event)
        return PricedSteps(self.finding, self.reads_of.grid(self.event), last, self.event)

    @property
    def rows_per_person(self) -> int:
        """What the rows of one person weigh in all at most."""
        return self.reads.last.workload.bounds.total

    @property
    def kinds(self) -> dict[str, Kind]:
        """The kinds of the columns, as declared."""
        return {column.name: column.kind for column in self.reads_of.columns}

    @property
    def cells(self) -> int:
        """How many noisy numbers there are at most."""
        sizes = [column.most for column in self.reads_of.columns]
        pairs = [a * b for a, b in combinations(sizes, 2)]
        triples = sorted(prod(sizes[place] for place in triple) for triple in self.reads_of.triples)
        chosen = sum(triples if self.names_triples else triples[-MOST_CHOSEN:])
        again = 2 if triples else 1  # pairs are measured once more where no triple is worth it, or where one needs them
        return 1 + 2 * sum(sizes) + again * sum(pairs) + len(pairs) + chosen + len(triples)

    @property
    def names_triples(self) -> bool:
        """Whether the plan says which triples are measured."""
        return self.plan.table is not None and isinstance(self.plan.table.triples, tuple)

    @property
    def words(self) -> int:
        """How many words hold what is measured: those of the most cells, and of the longest description."""
        columns = self.reads_of.columns
        marginals = 1 + 2 * len(columns) + len(columns) * (len(columns) - 1) + len(self.reads_of.triples)
        levels = sum(column.grid.nodes for column in self.grids)
        texts = sum(column.texts * (4 * LONGEST_TEXT + 8) for column in columns if isinstance(column, FoundColumn))
        bins = sum(12 * column.most for column in self.grids)
        named = sum(12 * len(column.name.encode()) + 100 for column in columns)
        head = 4000 + 200 * (marginals + len(self.grids)) + texts + bins + named
        return 2 + head // 8 + 2 * (self.cells + levels)

    def expected(self) -> tuple[ExpectedTable, ...]:
        """The error of one value of each column by what is measured first; pairs are chosen later, by noisy scores."""
        errors = single_errors(self.largest_shape(), self.of_table)
        return tuple(
            ExpectedTable((column.name,), column.most, error)
            for column, error in zip(self.reads_of.columns, errors, strict=True)
        )

    def largest_shape(self) -> TableShape:
        """The shape of the table if every column had as many values as it may have."""
        last = self.reads.last.workload
        sizes = {column.name: column.most for column in self.reads_of.columns}
        return shape_of(sizes, self.impossible, moved=last.moved, parts=last.weights.whole)

    def synthesiser(self, shape: TableShape) -> TableSynthesiser:
        """What measures a table of a shape at this price."""
        assert self.plan.table is not None
        counted = frozenset(self.reads_of.marginals) if self.reads_of.triples else None
        return TableSynthesiser(shape=shape, sigma=self.of_table, triples=self.plan.table.triples, counted=counted)

    def canonical(self) -> dict[str, object]:
        """What decides what is measured."""
        reads = self.reads
        return {
            "plan": self.plan.to_json(),
            "table": VERSION,
            "columns": [column_json(column) for column in self.reads_of.columns],
            "impossible": [each.to_json() for each in self.impossible],
            "finding": [each.canonical() for each in self.finding],
            "grid": None if reads.grid is None else reads.grid.canonical(),
            "counted": reads.last.canonical(),
            "sigma": str(self.sigma),
        }

    def about(self) -> dict[str, Json]:
        """What a folder says of the one part that it is."""
        noise: dict[str, Json] = {"kind": "gaussian", "sigma": str(self.sigma)}
        columns = [column_json(column) for column in self.reads_of.columns]
        impossible: list[Json] = [each.to_json() for each in self.impossible]
        return {
            "kind": "synthetic",
            "noise": noise,
            "version": VERSION,
            "columns": list[Json](columns),
            "impossible": impossible,
            "by": "" if self.plan.table is None else self.plan.table.by,
            "arrays": 1,
        }

    @property
    def parts(self) -> tuple[PricedPart, ...]:
        """None that are measured apart from each other."""
        return ()

    @property
    def more_bytes(self) -> int:
        """What is measured; pairs come to it as far as they are worth their price."""
        return 8 * self.words

    @property
    def making(self) -> float:
        """About how many seconds making a million rows takes."""
        return _SECONDS_A_COLUMN * len(self.reads_of.columns)

    @property
    def counted_tables(self) -> int:
        """How many tables are counted."""
        return len(self.reads_of.marginals) + len(self.grids) + len(self.finding)

    def parts_json(self) -> list[Json]:
        """The same, as a list of parts."""
        return [self.about()]

    def columns_of(self, measured: Sequence[NDArray[np.int64]]) -> tuple[CodedColumn, ...]:
        """The columns with their kinds and values, as they were found."""
        return coded_by(self.reads_of.columns, unpacked(measured[0], self.reads_of.columns, self.impossible))

    def measured_by(self, reader: PublicationReader, bits: BitSource | None) -> list[NDArray[np.int64]]:
        """What is measured of what a charge lets be read, in as many words whatever it is."""
        return [packed(measure_table(self, reader, bits), self.words)]

    @property
    def noise(self) -> tuple[str, ...]:
        """The kinds of noise that will be drawn."""
        return ("gaussian",)


def price_table(plan: PublicationPlan, dataset: Dataset, public: Public, spend: Spend) -> PricedTable:
    """A plan that makes a table, at a price."""
    if spend.epsilon is not None and not 0 < spend.delta < 1:
        raise InvalidDeclaration(
            'make = "table" draws normal noise, which has an ε at a δ above 0 alone', hint="delta=1e-9, or rho=0.1"
        )
    recipe = plan.table
    assert recipe is not None
    asked = asked_columns(plan.question, dataset, public)
    if len(asked.keys) != len(plan.columns):
        raise InvalidDeclaration("two columns of the plan are the same", hint="name each of them once")
    columns = columns_by(recipe, plan.columns, asked, public)
    impossible = impossible_of(recipe.impossible, asked, columns, dataset)
    texts = [column for column in columns if isinstance(column, FoundColumn)]
    share = min(_FINDING, _ALL_FINDING / max(1, len(texts)))
    each = _part(spend, share, Fraction(1, 2 * max(1, len(texts))))
    finding = tuple(
        price(plan_question(plan.question_of(column.name), dataset, public), dataset, each) for column in texts
    )
    rest = spend if not texts else _part(spend, 1 - share * len(texts), Fraction(1, 2))
    sigma = sigma_for(rest)
    event = _composed([*(query.event for query in finding), priced_noise(sigma, rest)])
    made = PricedTable(plan, TableReads(asked, columns, dataset, spend), finding, sigma, impossible, event, spend)
    shape = made.largest_shape()  # refuses what is too large, before any charge
    if recipe.by == "cells" and shape.cells > EXPLICIT_CELLS:
        raise InvalidDeclaration(
            f"the table may have {shape.cells:,} cells, and a model of all cells has up to {EXPLICIT_CELLS:,}",
            hint='by = "chains", fewer bins and texts, or leave `by` out',
        )
    candidates = made.synthesiser(shape).candidates
    return replace(made, reads_of=replace(made.reads_of, triples=candidates))


def sigma_for(spend: Spend) -> Fraction:
    """The least σ whose price is within what may be spent."""
    if spend.rho is not None:
        return Fraction(sqrt_up(1 / (2 * spend.rho)))
    assert spend.epsilon is not None
    found = smallest_noise(events.Gaussian, epsilon=Converted.aim(spend.epsilon), delta=spend.delta)
    return positive("sigma", found)


def priced_noise(sigma: Fraction, spend: Spend) -> Event:
    """What normal noise of that σ costs, in the currency that is spent."""
    event = events.Gaussian(sigma)
    return event if spend.rho is not None else Converted(event, spend.delta)


def _composed(parts: Sequence[Event]) -> Event:
    return parts[0] if len(parts) == 1 else events.Composition(parts)


def _part(spend: Spend, share: Fraction, of_delta: Fraction) -> Spend:
    """A share of ε or ρ, and one of δ."""
    epsilon = None if spend.epsilon is None else spend.epsilon * share
    rho = None if spend.rho is None else spend.rho * share
    return Spend(epsilon, rho, spend.delta * of_delta)
