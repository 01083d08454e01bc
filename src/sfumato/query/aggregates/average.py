"""AVG(x): the mean of a bounded number."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from sqlglot import exp

from sfumato.exact.parameters import nearest
from sfumato.query.aggregates.base import (
    Answerer,
    AskedTogether,
    ErrorKind,
    Exact,
    Expected,
    Form,
    Off,
    OverValues,
    around_middle,
    column,
)
from sfumato.query.aggregates.pivot import UNIFORM, Slow, Squares, bar_of_ratio
from sfumato.query.aggregates.reading import AggregateReader, Spelling
from sfumato.query.bars import Bar
from sfumato.query.expression import Expression
from sfumato.query.measures.steps import steps_of
from sfumato.query.plan import OwnAggregate
from sfumato.query.range import Range


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

    def forms(self, beside: AskedTogether) -> tuple[Form, ...]:
        """A sum around the middle and a count of the same rows."""
        return column(around_middle(self, steps_of(self.of))), column(beside.count(self))

    def typical(self) -> tuple[tuple[Fraction, ...], ...]:
        """SUM - m·COUNT for averages m that are as far from the middle as those of a uniform law."""
        low, high = self._ends()
        middle, off = Fraction(low + high, 2), Fraction(high - low, 2) * UNIFORM
        return (Fraction(1), -(middle - off)), (Fraction(1), -(middle + off))

    def _ends(self) -> tuple[int, int]:
        """The least and the greatest average, in steps from the middle."""
        found = steps_of(self.of)
        return found.low - found.middle, found.high - found.middle

    def answerer(self, off: Off) -> Answerer:
        """SUM/COUNT within the declared bounds, and the averages that are near enough to it.

        Where there may be no row at all, nothing is known but the bounds, which hold for every average.
        """
        found, (low, high) = steps_of(self.of), self._ends()
        kappa = Slow(lambda m: off.ratio(1, -m), Fraction(low), Fraction(high))
        (aa, ab), (_, bb) = off.covariances()
        squares, nothing, whole = Squares(aa, ab, bb), off.reach(0, 1), (float(low), float(high))

        def shown(steps: Exact | float) -> float:
            return nearest((found.middle + Fraction(steps)) * found.step)

        def answer(values: Sequence[Any]) -> Bar:
            total, count = values
            if count <= nothing:
                return Bar(None, shown(low), shown(high))
            mean = max(Fraction(low), min(Fraction(high), Fraction(total) / Fraction(count)))
            ends = bar_of_ratio(float(total), float(count), squares, kappa, whole)
            return Bar(shown(mean), shown(min(mean, Fraction(ends[0]))), shown(max(mean, Fraction(ends[1]))))

        return answer

    def expected(self, off: Off) -> Expected:
        """That of SUM - m·COUNT, to be divided by the number of rows: most where the average is at an end."""
        low, high = self._ends()
        at_ends, middle = max(off.reach(1, -low), off.reach(1, -high)), off.reach(1, -Fraction(low + high, 2))
        step = steps_of(self.of).step
        return Expected(nearest(at_ends * step), nearest(middle * step))


def _avg(node: exp.Expression, where: Expression | None, reading: AggregateReader) -> Average:
    return Average(of=reading.number(node, node.this, "AVG"), where=where)


def _own(node: exp.Expression, where: Expression | None, reading: AggregateReader) -> OwnAggregate:
    return reading.own("avg", node, where)


AVG = Spelling((exp.Avg,), ("AVG",), _avg, own=_own, own_names=("AVG",))
