"""AVG(x): the mean of a bounded number."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from sqlglot import exp

from sfumato.exact.parameters import nearest
from sfumato.query.aggregates.base import AskedTogether, Cell, ErrorKind, Exact, NoisyCell, OverValues
from sfumato.query.aggregates.reading import AggregateReader, Spelling
from sfumato.query.bars import Bar
from sfumato.query.expression import Expression
from sfumato.query.measures import Measure
from sfumato.query.plan import OwnAggregate
from sfumato.query.range import Range

_LEAST = Fraction(1, 2**40)


@dataclass(frozen=True, slots=True, kw_only=True)
class Average(OverValues):
    """The mean of the values of an expression."""

    kind: ClassVar[str] = "avg"
    error_kind: ClassVar[ErrorKind] = "within_over_rows"
    counts_values: ClassVar[bool] = True

    @property
    def range(self) -> Range:
        """That of the expression."""
        return self.of.range

    def cells(self, beside: AskedTogether) -> tuple[Cell, ...]:
        """A sum and a count of the same rows."""
        return Cell(beside.total(self.of, self.where)), beside.values(self.of, self.where)

    def answer(self, noisy: Sequence[NoisyCell]) -> Bar:
        """SUM/COUNT, within the declared bounds, which hold for every average."""
        total, count = noisy
        about = total.steps

        least = min(Fraction(1), max(Fraction(count.reach), _LEAST))  # rows in part may be less than one

        def mean(s: Exact, n: Exact) -> Fraction:
            inside = about.centre + Fraction(s) / max(Fraction(n), least)
            return max(Fraction(about.low), min(Fraction(about.high), inside)) * about.step

        corners = [mean(s, n) for s in total.ends for n in count.ends]
        if count.ends[0] < least:  # no more is known than the bounds
            corners += [about.low * about.step, about.high * about.step]
        value = mean(total.value, count.value)
        return Bar(nearest(value), nearest(min(corners)), nearest(max(corners)))

    def expected_error(self, reach: Sequence[float], measure: Measure) -> float:
        """That of the sum, to be divided by the number of rows."""
        return nearest(Fraction(reach[0]) * measure.scale)


def _avg(node: exp.Expression, where: Expression | None, reading: AggregateReader) -> Average:
    return Average(of=reading.number(node, node.this, "AVG"), where=where)


def _own(node: exp.Expression, where: Expression | None, reading: AggregateReader) -> OwnAggregate:
    return reading.own("avg", node, where)


AVG = Spelling((exp.Avg,), ("AVG",), _avg, own=_own, own_names=("AVG",))
