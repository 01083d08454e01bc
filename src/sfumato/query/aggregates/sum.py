"""SUM(x): the sum of a bounded number."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from sqlglot import exp

from sfumato.data import Kind
from sfumato.exact.parameters import nearest
from sfumato.query.aggregates.base import Answerer, AskedTogether, Expected, Form, Off, OverValues, column
from sfumato.query.aggregates.reading import AggregateReader, Spelling
from sfumato.query.bars import Bar, round_half_up
from sfumato.query.expression import Expression, Ref
from sfumato.query.measures import Sum
from sfumato.query.measures.steps import steps_of
from sfumato.query.plan import OwnAggregate


@dataclass(frozen=True, slots=True, kw_only=True)
class SumOf(OverValues):
    """The sum of the values of an expression."""

    kind: ClassVar[str] = "sum"

    @property
    def gives(self) -> Kind:
        """A whole number, where whole numbers are added up in whole steps."""
        whole = self.of.kind is Kind.INTEGER and self.of.range.step.denominator == 1
        return Kind.INTEGER if whole else Kind.REAL

    def forms(self, beside: AskedTogether) -> tuple[Form, ...]:
        """The sum of steps from zero; of a sum that is asked alone, within the total that is declared."""
        found, declared = steps_of(self.of), self.of.field.total if isinstance(self.of, Ref) else None
        if declared is None or not beside.is_alone(self):
            return (beside.total(self),)
        total = max(1, int(declared / found.step))
        return (column(Sum(of=self.of, where=self.where, **found._asdict(), total=total)),)

    def answerer(self, off: Off) -> Answerer:
        """The sum in the expression's own unit."""
        step, reach = steps_of(self.of).step, off.reach(1)

        def answer(values: Sequence[Any]) -> Bar:
            total = values[0]
            whole = round_half_up(total)
            low, high = min(total - reach, whole), max(total + reach, whole)
            return Bar(_number(whole * step, step), nearest(low * step), nearest(high * step))

        return answer

    def expected(self, off: Off) -> Expected:
        """That of the sum."""
        return Expected(nearest(off.reach(1) * steps_of(self.of).step))


def _number(value: Fraction, step: Fraction) -> int | float:
    return int(value) if step.denominator == 1 else nearest(value)


def _sum(node: exp.Expression, where: Expression | None, reading: AggregateReader) -> SumOf:
    return SumOf(of=reading.number(node, node.this, "SUM"), where=where)


def _own(node: exp.Expression, where: Expression | None, reading: AggregateReader) -> OwnAggregate:
    return reading.own("sum", node, where)


SUM = Spelling((exp.Sum,), ("SUM",), _sum, own=_own, own_names=("SUM",))
