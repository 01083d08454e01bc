"""Answers from published tables, with bars: sums of noisy cells, whose law is the law of a sum of known noises.

A table over more columns answers for fewer by adding up cells. Where several tables hold the columns, their sums are
weighted by the inverse of their variances: noises of different tables are independent, so the weighted sum is unbiased,
its variance is known, and so is its law.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from sfumato.query.law import reach_of_many
from sfumato.synth.publication.tables import NoisyTable, Places

_FINE = 10**6


@dataclass(frozen=True, slots=True)
class PublishedAnswer:
    """A published count with its error bar; without one where it is only a count of made-up rows."""

    value: float
    standard_error: float | None
    low: float | None
    high: float | None
    confidence: float
    tables: tuple[str, ...]
    """The tables it was made of; of rows, none."""

    @property
    def is_bounded(self) -> bool:
        """Whether something is promised about its error."""
        return self.low is not None

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.value:,.0f} (of made-up rows: without any bound)"
        return f"{self.value:,.1f} ± {(self.high - self.low) / 2:,.1f} ({100 * self.confidence:g} %)"


@dataclass(frozen=True, slots=True)
class TableCombination:
    """Which sums of which tables an answer is made of: weights that add up to one."""

    tables: tuple[NoisyTable, ...]
    weights: tuple[Fraction, ...]
    cells: tuple[int, ...]
    """How many cells of each table are added up."""

    @property
    def variance(self) -> float:
        """In rows."""
        parts = zip(self.tables, self.weights, self.cells, strict=True)
        return sum(float(weight) ** 2 * cells * table.variance for table, weight, cells in parts)

    def reach(self, beta: Fraction) -> Fraction:
        """How far the answer may be off, but with probability beta."""
        parts = zip(self.tables, self.weights, self.cells, strict=True)
        return reach_of_many(
            tuple((table.noise, weight / (1 << table.bits), cells) for table, weight, cells in parts), beta
        )


def combined(tables: Sequence[NoisyTable], chosen: Mapping[str, int]) -> TableCombination | None:
    """The best combination of tables for so many values of each of these columns; None if no table has them all."""
    found = [table for table in tables if set(chosen) <= set(table.columns)]
    if not found:
        return None
    cells = [_cells(table, chosen) for table in found]
    precisions = [1 / (table.variance * number) if number else 0.0 for table, number in zip(found, cells, strict=True)]
    whole = max(precisions)
    if whole == 0.0:  # nothing is chosen: nothing is added up
        return TableCombination((found[0],), (Fraction(1),), (0,))
    worth = [Fraction(round(_FINE * each / whole)) for each in precisions]
    total = sum(worth)
    kept = [(table, each / total, number) for table, each, number in zip(found, worth, cells, strict=True) if each]
    return TableCombination(*(tuple(part) for part in zip(*kept, strict=True)))


def _cells(table: NoisyTable, chosen: Mapping[str, int]) -> int:
    number = 1
    for name, size in zip(table.columns, table.counts.shape, strict=True):
        number *= chosen.get(name, size)
    return number


def answer(tables: Sequence[NoisyTable], chosen: Mapping[str, Places], confidence: Fraction) -> PublishedAnswer | None:
    """How many rows have one of the chosen values in each of these columns; None where no table says."""
    how = combined(tables, {name: len(places) for name, places in chosen.items()})
    if how is None:
        return None
    parts = zip(how.tables, how.weights, strict=True)
    value = sum((weight * table.sum_of(dict(chosen))[0] for table, weight in parts), Fraction(0))
    off = how.reach(1 - confidence) if any(how.cells) else Fraction(0)
    return PublishedAnswer(
        float(value),
        sqrt(how.variance),
        float(value - off),
        float(value + off),
        float(confidence),
        tuple(table.name for table in how.tables),
    )
