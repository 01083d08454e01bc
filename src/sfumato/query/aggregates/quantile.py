"""MEDIAN, QUANTILE, PERCENTILE_CONT, MIN and MAX: a quantile of a bounded number."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from sqlglot import exp

from sfumato.data import Kind
from sfumato.query.aggregates.base import Answerer, AskedTogether, ErrorKind, Expected, Form, Off, OverValues, column
from sfumato.query.aggregates.reading import AggregateReader, Spelling
from sfumato.query.bars import Bar
from sfumato.query.expression import Expression
from sfumato.query.measures import Values
from sfumato.query.measures.steps import steps_of
from sfumato.query.parse import only, refused, word
from sfumato.query.plan import OwnAggregate
from sfumato.query.range import Range

MINIMUM, MAXIMUM = Fraction(1, 100), Fraction(99, 100)
"""What MIN and MAX are answered as: the extremes themselves are single people's values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantileOf(OverValues):
    """The value that a share q of the values is not above."""

    kind: ClassVar[str] = "quantile"
    error_kind: ClassVar[ErrorKind] = "rank"
    has_own_statement: ClassVar[bool] = True

    q: Fraction

    @property
    def label(self) -> str:
        """With its share."""
        return f"{self.kind} at {float(self.q):g}"

    @property
    def gives(self) -> Kind:
        """That of the expression."""
        return self.of.kind

    @property
    def range(self) -> Range:
        """That of the expression."""
        return self.of.range

    @property
    def is_extreme(self) -> bool:
        """Whether it stands for MIN or MAX."""
        return self.q in (MINIMUM, MAXIMUM)

    def canonical(self) -> list[object]:
        """Everything that decides its value."""
        return self._canonical(self.of, q=self.q)

    def forms(self, beside: AskedTogether) -> tuple[Form, ...]:
        """The values."""
        del beside
        return (column(Values(of=self.of, where=self.where, **steps_of(self.of)._asdict(), q=self.q)),)

    def answerer(self, off: Off) -> Answerer:
        """The quantile between the ends that were measured with it, if they were."""
        del off

        def answer(values: Sequence[Any]) -> Bar:
            value, low, high = values[0]
            return Bar(value, low, high, uncertain=low is None)

        return answer

    def expected(self, off: Off) -> Expected:
        """Told by the mechanism: how far so many ranks are depends on the data."""
        raise NotImplementedError


def _quantile(node: exp.Expression, where: Expression | None, reading: AggregateReader) -> QuantileOf:
    inner, q = _operands(node, reading)
    return QuantileOf(of=reading.number(node, inner, "a quantile"), where=where, q=q)


def _operands(node: exp.Expression, reading: AggregateReader) -> tuple[exp.Expression, Fraction]:
    """What a quantile is of, and its share."""
    match node:
        case exp.WithinGroup():
            return _within_group(node, reading)
        case exp.Median():
            return node.this, Fraction(1, 2)
        case exp.Min():
            return node.this, MINIMUM
        case exp.Max():
            return node.this, MAXIMUM
        case exp.Quantile():  # and APPROX_QUANTILE, which is one
            return node.this, reading.share(node.args.get("quantile"), node)
        case _:
            if node.args.get("expression") is None:
                raise refused(f"{word(node, reading.text)} takes a column", node, reading.text, hint="QUANTILE(x, 0.9)")
            return node.this, reading.share(node.args.get("expression"), node)


def _within_group(node: exp.WithinGroup, reading: AggregateReader) -> tuple[exp.Expression, Fraction]:
    only(node, reading.text, "this", "expression")
    ordered = node.expression.expressions
    if len(ordered) != 1 or type(node.this) not in (exp.PercentileCont, exp.PercentileDisc, exp.Quantile):
        hint = "PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x)"
        raise refused("WITHIN GROUP takes a percentile and one column", node, reading.text, hint=hint)
    q = reading.share(node.this.this, node)
    return ordered[0].this, 1 - q if ordered[0].args.get("desc") else q


def _own(node: exp.Expression, where: Expression | None, reading: AggregateReader) -> OwnAggregate | None:
    match node:
        case exp.Min():
            return reading.own("min", node, where)
        case exp.Max():
            return reading.own("max", node, where)
        case _:
            return None


QUANTILE = Spelling(
    (
        exp.Median,
        exp.Quantile,
        exp.ApproxQuantile,
        exp.PercentileCont,
        exp.PercentileDisc,
        exp.WithinGroup,
        exp.Min,
        exp.Max,
    ),
    ("MEDIAN", "QUANTILE", "MIN", "MAX"),
    _quantile,
    own=_own,
    own_names=("MIN", "MAX"),
)
