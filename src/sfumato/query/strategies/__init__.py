"""How the columns of a question are measured: strategies, and the one that answers best. A strategy is one file.

Each strategy gives blocks of cells; what is spent is split over the blocks in proportion to the answers they serve,
which is where the product of all errors is least: an error falls as 1/share. Of all that are possible the one is taken
whose answers have the least errors in the geometric mean, each to the power of its weight. Only the declaration and the
question decide, so that the choice costs nothing.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from math import log

from sfumato.query.measured import Measures
from sfumato.query.measures import Measure
from sfumato.query.priced import NoisyCells, inverse
from sfumato.query.strategies.base import Block, Pricing, Strategy, WeightedColumn
from sfumato.query.strategies.box import Box
from sfumato.query.strategies.cells import JointCells
from sfumato.query.strategies.gaussian import DiscreteNormal, Normal
from sfumato.query.strategies.separate import Separate, alone

_LEAST = 1e-300  # noise that is next to none is as good as none
STRATEGIES: tuple[Strategy, ...] = (Separate(), JointCells(), Box(), DiscreteNormal(), Normal())
"""All there are, the simplest first: it is taken among equals."""

__all__ = [
    "STRATEGIES",
    "Block",
    "Outline",
    "Pricing",
    "Strategy",
    "WeightedColumn",
    "Worth",
    "error_of",
    "outlines",
    "priced_as",
]  # fmt: skip


@dataclass(frozen=True)
class Worth:
    """What answers are worth beside each other, and the columns they are made of."""

    answers: Sequence[Fraction]
    columns: Mapping[int, Fraction]
    """An answer's worth is shared by its columns."""
    share: Fraction
    """What is spent on an answer that is worth one."""

    def of(self, block: Block) -> Fraction:
        """What is spent on a block."""
        return self.share * sum((self.columns[place] for place in block.columns), Fraction(0))


@dataclass(frozen=True)
class Outline:
    """Weighted columns in the blocks of a strategy."""

    strategy: Strategy
    blocks: tuple[Block, ...]


def outlines(measures: Sequence[Measure], at: Pricing, *, but: Set[int | None]) -> list[Outline]:
    """Every way in which the weighted columns of a question could be measured, `but` for some."""
    weighted = [(i, each) for i, each in enumerate(measures) if each.is_weighted and each.is_additive]
    columns = [WeightedColumn(i, each) for i, each in weighted if i not in but]
    found = []
    for each in STRATEGIES:
        blocks = each.blocks(columns) if each.is_possible(at.spend) and columns else None
        if blocks is not None:
            found.append(Outline(each, tuple(blocks)))
    return found


def error_of(outline: Outline, measures: Measures, worth: Worth, delta: Fraction, at: Pricing) -> float:
    """The sum of the logarithms of the answers' expected errors, each times what it is worth."""
    deviations = {
        place: (block, outline.strategy.deviation(block, worth.of(block), delta, at))
        for block in outline.blocks
        for place in block.columns
    }
    found = 0.0
    for recipe, weight in zip(measures.recipes, worth.answers, strict=True):
        if not all(place in deviations for form in recipe.forms for place, _ in form):
            continue
        variances = [_variance(recipe.combined(each), deviations) for each in recipe.aggregate.typical()]
        found += float(weight) * log(max(sum(variances) / len(variances), _LEAST)) / 2
    return found


def _variance(form: Mapping[int, Fraction], deviations: Mapping[int, tuple[Block, float]]) -> float:
    """The variance of a combination of columns: cells of one block are uncorrelated and equally wide."""
    found, seen = 0.0, set[tuple[int, ...]]()
    for place in form:
        block, deviation = deviations[place]
        if block.columns in seen:
            continue
        seen.add(block.columns)
        rows, bottom = inverse(block.cells)
        for j in range(len(block.cells)):
            added = sum(float(form.get(column, 0)) * row[j] for column, row in zip(block.columns, rows, strict=True))
            found += (added / bottom * deviation) ** 2
    return found


def priced_as(
    outline: Outline, measures: Sequence[Measure], worth: Worth, delta: Fraction, at: Pricing
) -> list[NoisyCells]:
    """The blocks of an outline with their noise."""
    found = []
    for block in outline.blocks:
        own = worth.of(block)
        if len(block.columns) == 1 and not isinstance(outline.strategy, Normal):
            found.append(alone(block.columns[0], measures[block.columns[0]], own, at))
        else:
            found.append(outline.strategy.price(block, own, delta, at))
    return found
