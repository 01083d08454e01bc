"""VARIANCE(x) and STDDEV(x), of a sample or of all: the spread of a bounded number."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any, ClassVar

import numpy as np
from sqlglot import exp

from sfumato.exact.parameters import nearest
from sfumato.query.aggregates.base import (
    Answerer,
    AskedTogether,
    ErrorKind,
    Expected,
    Form,
    Off,
    OverValues,
    around_middle,
    column,
)
from sfumato.query.aggregates.pivot import UNIFORM, Squares, bar_of_ratio, held, table
from sfumato.query.aggregates.reading import AggregateReader, Spelling, largest
from sfumato.query.bars import Bar
from sfumato.query.expression import Expression
from sfumato.query.measures import Square
from sfumato.query.measures.steps import Steps, steps_of
from sfumato.query.parse import refused, word


@dataclass(frozen=True, slots=True, kw_only=True)
class Variance(OverValues):
    """The spread of the values of an expression: of a `sample` divided by n - 1, and its `root` if it is STDDEV."""

    kind: ClassVar[str] = "variance"
    error_kind: ClassVar[ErrorKind] = "about_over_rows"
    counts_values: ClassVar[bool] = True

    sample: bool
    root: bool

    def canonical(self) -> list[object]:
        """Everything that decides its value."""
        return self._canonical(self.of, sample=self.sample, root=self.root)

    def forms(self, beside: AskedTogether) -> tuple[Form, ...]:
        """A sum of squares, a sum and a count of the same rows."""
        found = self._steps()
        square = Square(of=self.of, where=self.where, **found._asdict(), centre=found.middle)
        return column(square), column(around_middle(self, found)), column(beside.count(self))

    def _steps(self) -> Steps:
        return steps_of(self.of, coarse=True)

    @property
    def _half(self) -> Fraction:
        """Half of the range, in steps."""
        found = self._steps()
        return Fraction(max(found.high - found.middle, found.middle - found.low))

    def typical(self) -> tuple[tuple[Fraction, ...], ...]:
        """The same at averages as far from the middle as those of a uniform law, and a spread of a third of it."""
        mean, spread = self._half * UNIFORM, self._half / 3
        return tuple((Fraction(1), -2 * each, each**2 - spread**2) for each in (-mean, mean))

    def answerer(self, off: Off) -> Answerer:
        """E[x²] - E[x]² around the middle, and the spreads that are near enough to it.

        With m the average, Σ(x - m)² - v·n is all noise at the true spread v (of a sample, with n - 1). The average is
        taken as it was released and at its own deviation to either side, which matters where there are few rows.
        """
        half, step = self._half, float(self._steps().step)
        kappa = table(lambda m, v: off.ratio(1, -2 * m, m**2 - v), [-half, Fraction(0), half],
                      (Fraction(0), half**2))  # fmt: skip
        covariances, nothing, end = off.covariances(), float(off.reach(0, 0, 1)), float(half)
        less = 1.0 if self.sample else 0.0

        def bar_at(mean: float, released: Sequence[float], most: float) -> tuple[float, float]:
            square, total, count = released
            above = square - 2 * mean * total + mean * mean * count
            a, b = np.array([1.0, -2 * mean, mean * mean]), np.array([0.0, 0.0, 1.0])
            squares = Squares(*(float(x @ covariances @ y) for x, y in ((a, a), (a, b), (b, b))))
            return bar_of_ratio(above, count - less, squares, lambda v: kappa(mean, v), (0.0, most))

        def answer(values: Sequence[Any]) -> Bar:
            square, total, count = released = [float(each) for each in values]
            if count <= max(nothing, less):
                return Bar(None, 0.0, self._shown(end**2 * (1 + less), step))
            fewest = max(count - nothing, 2 * less)
            most = end**2 * (fewest / (fewest - 1) if self.sample else 1.0)
            mean = held(total / count, -end, end)
            value = held((square - 2 * mean * total + mean * mean * count) / (count - less), 0.0, most)
            around = np.array([0.0, 1.0, -mean])
            off_by = sqrt(max(0.0, float(around @ covariances @ around))) / count
            bars = [bar_at(held(mean + each, -end, end), released, most) for each in (-off_by, 0.0, off_by)]
            low, high = min(value, *(each[0] for each in bars)), max(value, *(each[1] for each in bars))
            return Bar(self._shown(value, step), self._shown(low, step), self._shown(high, step))

        return answer

    def _shown(self, variance: float, step: float) -> float:
        return (sqrt(variance) if self.root else variance * step) * step

    def expected(self, off: Off) -> Expected:
        """About that of Σ(x - m)² - v·n, to be divided by the number of rows: most where the average is at an end."""
        half, step = self._half, self._steps().step
        found = [off.reach(1, -2 * mean, mean**2) for mean in (-half, Fraction(0), half)]
        unit = step / (2 * half / 3) if self.root and half else step**2  # of a root at a third of the half range
        return Expected(nearest(max(found) * unit), nearest(min(found) * unit))


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
