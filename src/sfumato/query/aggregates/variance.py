"""VARIANCE(x) and STDDEV(x), of a sample or of all: the spread of a bounded number."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from sqlglot import exp

from sfumato.exact.parameters import nearest
from sfumato.query.aggregates.base import AskedTogether, Cell, ErrorKind, NoisyCell, OverValues
from sfumato.query.aggregates.reading import AggregateReader, Spelling, largest
from sfumato.query.bars import Bar
from sfumato.query.expression import Expression
from sfumato.query.measures import Measure, Square
from sfumato.query.measures.steps import steps_of
from sfumato.query.parse import refused, word


@dataclass(frozen=True, slots=True, kw_only=True)
class Variance(OverValues):
    """The spread of the values of an expression: of a `sample` divided by n - 1, and its `root` if it is STDDEV."""

    kind: ClassVar[str] = "variance"
    error_kind: ClassVar[ErrorKind] = "about_over_rows"
    counts_values: ClassVar[bool] = True
    needs_squares: ClassVar[bool] = True

    sample: bool
    root: bool

    def canonical(self) -> list[object]:
        """Everything that decides its value."""
        return self._canonical(self.of, sample=self.sample, root=self.root)

    def cells(self, beside: AskedTogether) -> tuple[Cell, ...]:
        """A sum of squares, a sum and a count of the same rows."""
        found = steps_of(self.of, coarse=True)
        square = Square(of=self.of, where=self.where, **found._asdict(), centre=found.middle)
        total = beside.total(self.of, self.where, coarse=True)
        return Cell(square), Cell(total), beside.values(self.of, self.where)

    def answer(self, noisy: Sequence[NoisyCell]) -> Bar:
        """E[x²] - E[x]² around the centre, never negative and never above what the bounds allow."""
        square, total, count = noisy
        about = total.steps
        half = Fraction(about.high - about.low, 2)

        def spread(q: float, s: float, n: float) -> float:
            n = max(n, 2.0 if self.sample else 1.0)
            variance = (q / n - (s / n) ** 2) * (n / (n - 1) if self.sample else 1.0)
            most = float(half**2) * (n / (n - 1) if self.sample else 1.0)
            return max(0.0, min(most, variance)) * float(about.step) ** 2

        low_n, high_n = count.ends
        sizes = [float(low_n), float(high_n)]
        s, q = total.value, square.value
        if q > 0 and low_n < 2 * s**2 / q < high_n:
            sizes.append(float(2 * s**2 / q))  # where the spread is largest in n
        sums = [*([0.0] if abs(s) <= total.reach else []), *map(float, total.ends)]
        corners = [spread(each, mean, n) for each in map(float, square.ends) for mean in sums for n in sizes]
        if low_n < 2:
            corners += [0.0, float(half**2) * float(about.step) ** 2 * (2 if self.sample else 1)]
        value = self._shown(spread(float(q), float(s), float(count.value)))
        return Bar(value, self._shown(min(corners)), self._shown(max(corners)))

    def _shown(self, variance: float) -> float:
        return math.sqrt(variance) if self.root else variance

    def expected_error(self, reach: Sequence[float], measure: Measure) -> float:
        """About that of the sum of squares, to be divided by the number of rows."""
        return nearest(Fraction(reach[0]) * measure.scale**2)


_SPREADS: dict[type[exp.Expression], tuple[bool, bool]] = {
    exp.Variance: (True, False), exp.VariancePop: (False, False), exp.Stddev: (True, True),
    exp.StddevSamp: (True, True), exp.StddevPop: (False, True),
}  # fmt: skip
_MOST_SQUARED = 10**150  # a square of more, and of a sum of them, is beyond doubles


def _variance(node: exp.Expression, where: Expression | None, reading: AggregateReader) -> Variance:
    sample, root = _SPREADS[type(node)]
    of = reading.number(node, node.this, word(node, reading.text).removesuffix("(…)"))
    if largest(of.range) > _MOST_SQUARED:
        raise refused("a spread of numbers too large to be squared", node, reading.text, hint="divide them first")
    return Variance(of=of, where=where, sample=sample, root=root)


VARIANCE = Spelling(tuple(_SPREADS), ("VARIANCE", "STDDEV"), _variance)
