"""An aggregate over people: which columns are measured for it, and what it makes of them once they are noisy."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.data import Kind
from sfumato.query.bars import Bar, round_half_up
from sfumato.query.expression import Expression
from sfumato.query.measures import Measure, Present, Rows, Sum
from sfumato.query.measures.steps import Steps, steps_of
from sfumato.query.range import Range

Exact = int | Fraction
"""Steps, or parts of them where rows count in part."""
ErrorKind = Literal["within", "within_over_rows", "about_over_rows", "rank"]
Form = tuple[tuple[Measure, Fraction], ...]
"""A combination of columns: each measure times a number."""
Answerer = Callable[[Sequence[Any]], Bar]
"""From what was released of the combinations, for one group, to the value and its error bar."""


def column(measure: Measure) -> Form:
    """One column as it stands."""
    return ((measure, Fraction(1)),)


class Off(Protocol):
    """How far the combinations of an aggregate may be off, all together."""

    def reach(self, *coefficients: Exact) -> Fraction:
        """How far a sum of them, each times a coefficient, may be off, at the confidence that is asked for."""
        ...

    def ratio(self, *coefficients: Exact) -> float:
        """The same in standard deviations."""
        ...

    def covariances(self) -> NDArray[np.float64]:
        """How their errors go together."""
        ...


@dataclass(frozen=True, slots=True)
class Expected:
    """What can be said of an error before data are seen; `least` where it depends on them, within two figures."""

    figure: float
    least: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregate(ABC):
    """An aggregate over the rows, or the people, of each group."""

    kind: ClassVar[str]
    """Its name in the ledger: it must not change."""
    error_kind: ClassVar[ErrorKind] = "within"
    """What can be said of its error before data are seen."""
    counts_all_rows: ClassVar[bool] = False
    counts_values: ClassVar[bool] = False
    """Whether it needs the number of rows with a value."""
    has_own_statement: ClassVar[bool] = False
    """Whether an engine is asked once more for it."""
    weighs_rows: ClassVar[bool] = True
    """Whether rows of a person who has more than count do so in part."""

    where: Expression | None = None

    @property
    def label(self) -> str:
        """What it is called in an explanation."""
        return self.kind

    @property
    def gives(self) -> Kind:
        """The kind of its value."""
        return Kind.REAL

    @property
    def range(self) -> Range:
        """What is known of its value."""
        return Range()

    @property
    def inputs(self) -> tuple[Expression, ...]:
        """What is computed for every row."""
        return () if self.where is None else (self.where,)

    def canonical(self) -> list[object]:
        """Everything that decides its value."""
        return self._canonical()

    def _canonical(
        self,
        of: Expression | None = None,
        *,
        q: Fraction | None = None,
        sample: bool = False,
        root: bool = False,
    ) -> list[object]:
        parts = [None if each is None else each.canonical() for each in (of, self.where)]
        return [self.kind, *parts, str(q), sample, root]

    @abstractmethod
    def forms(self, beside: "AskedTogether") -> tuple[Form, ...]:
        """The combinations of columns it is made of."""

    def typical(self) -> tuple[tuple[Fraction, ...], ...]:
        """Sums of its combinations whose errors are like its own, whatever the data: what a strategy makes small."""
        return ((Fraction(1),),)

    @abstractmethod
    def answerer(self, off: Off) -> Answerer:
        """What makes its value and error bar of noisy combinations: post-processing (Survey Proposition 3.7)."""

    @abstractmethod
    def expected(self, off: Off) -> Expected:
        """The figure of what can be said of its error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverValues(Aggregate):
    """An aggregate over the values of an expression."""

    of: Expression
    filled: bool = False
    """Whether every row has a value."""

    @property
    def inputs(self) -> tuple[Expression, ...]:
        """The expression, and the condition."""
        return (self.of,) if self.where is None else (self.of, self.where)

    def canonical(self) -> list[object]:
        """Everything that decides its value."""
        return self._canonical(self.of)


def around_middle(asked: OverValues, found: Steps) -> Sum:
    """The sum of values in steps from the middle of the range."""
    return Sum(of=asked.of, where=asked.where, **found._asdict(), centre=found.middle)


@dataclass(frozen=True, slots=True)
class AskedTogether:
    """The aggregates that are asked together: they share what is measured.

    AVG is a sum and a count of the same rows; VARIANCE a sum, a sum of squares and a count. Where the rows of a sum are
    counted, the sum is taken around the middle of the range, and the plain sum is that and so many middles: then a row
    without a value is within what a row may be, whoever believed that there is none.
    """

    aggregates: tuple[Aggregate, ...]

    def count(self, asked: "OverValues") -> Measure:
        """The number of rows with a value: of all rows, where each has one."""
        return Rows(where=asked.where) if asked.filled else Present(of=asked.of, where=asked.where)

    def total(self, asked: "OverValues") -> Form:
        """The sum of values in steps from zero."""
        found = steps_of(asked.of)
        if not self._is_counted(asked):
            return column(Sum(of=asked.of, where=asked.where, **found._asdict()))
        middles = ((self.count(asked), Fraction(found.middle)),) if found.middle else ()
        return (*column(around_middle(asked, found)), *middles)

    def _is_counted(self, asked: "OverValues") -> bool:
        """Whether the rows with a value are counted for something."""
        same = [each for each in self._over_values() if (each.of, each.where) == (asked.of, asked.where)]
        rows = any(each.counts_all_rows and each.where == asked.where for each in self.aggregates)
        return any(each.counts_values for each in same) or (asked.filled and rows)

    def is_alone(self, asked: Aggregate) -> bool:
        """Whether no other aggregate weighs a person's rows."""
        return all(each == asked or not each.weighs_rows for each in self.aggregates)

    def _over_values(self) -> list[OverValues]:
        return [each for each in self.aggregates if isinstance(each, OverValues)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Count(Aggregate):
    """A count of one or more cells."""

    @property
    def gives(self) -> Kind:
        """A whole number."""
        return Kind.INTEGER

    @property
    def range(self) -> Range:
        """Whole, and once it is noisy maybe negative."""
        return Range(None, None, Fraction(1))

    def answerer(self, off: Off) -> Answerer:
        """The count as a whole number; what it stands for is not negative."""
        reach = off.reach(1)

        def answer(values: Sequence[Any]) -> Bar:
            total = values[0]
            whole = round_half_up(total)
            return Bar(whole, float(max(0, min(total - reach, whole))), float(max(0, total + reach, whole)))

        return answer

    def expected(self, off: Off) -> Expected:
        """That of the count."""
        return Expected(float(off.reach(1)))
