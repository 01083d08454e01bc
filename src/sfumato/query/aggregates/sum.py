"""SUM(x): the sum of a bounded number."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from sqlglot import exp

from sfumato.data import Kind
from sfumato.exact.parameters import nearest
from sfumato.query.aggregates.base import AskedTogether, Cell, NoisyCell, OverValues
from sfumato.query.aggregates.reading import AggregateReader, Spelling
from sfumato.query.bars import Bar, round_half_up
from sfumato.query.expression import Expression, Ref
from sfumato.query.measures import Measure, Sum
from sfumato.query.measures.steps import steps_of
from sfumato.query.plan import OwnAggregate


@dataclass(frozen=True, slots=True, kw_only=True)
class SumOf(OverValues):
    """The sum of the values of an expression."""

    kind: ClassVar[str] = "sum"
    needs_plain_sum: ClassVar[bool] = True

    @property
    def gives(self) -> Kind:
        """A whole number, where whole numbers are added up in whole steps."""
        whole = self.of.kind is Kind.INTEGER and self.of.range.step.denominator == 1
        return Kind.INTEGER if whole else Kind.REAL

    def cells(self, beside: AskedTogether) -> tuple[Cell, ...]:
        """The sum of steps from zero."""
        found, declared = steps_of(self.of), self.of.field.total if isinstance(self.of, Ref) else None
        total = None if declared is None or not beside.is_alone(self) else max(1, int(declared / found.step))
        return (Cell(Sum(of=self.of, where=self.where, **found._asdict(), total=total)),)

    def answer(self, noisy: Sequence[NoisyCell]) -> Bar:
        """The sum in the expression's own unit."""
        (cell,) = noisy
        step = cell.measure.scale
        low, high = cell.ends
        whole = round_half_up(cell.value)
        return Bar(_number(whole * step, step), nearest(min(low, whole) * step), nearest(max(high, whole) * step))

    def expected_error(self, reach: Sequence[float], measure: Measure) -> float:
        """That of the sum."""
        return nearest(Fraction(reach[0]) * measure.scale)


def _number(value: Fraction, step: Fraction) -> int | float:
    return int(value) if step.denominator == 1 else nearest(value)


def _sum(node: exp.Expression, where: Expression | None, reading: AggregateReader) -> SumOf:
    return SumOf(of=reading.number(node, node.this, "SUM"), where=where)


def _own(node: exp.Expression, where: Expression | None, reading: AggregateReader) -> OwnAggregate:
    return reading.own("sum", node, where)


SUM = Spelling((exp.Sum,), ("SUM",), _sum, own=_own, own_names=("SUM",))
