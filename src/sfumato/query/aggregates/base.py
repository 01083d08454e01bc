"""An aggregate over people: which columns are measured for it, and what it makes of them once they are noisy."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal

from sfumato.data import Kind
from sfumato.query.bars import Bar, round_half_up
from sfumato.query.expression import Expression
from sfumato.query.measures import InSteps, Measure, Present, Split, Sum
from sfumato.query.measures.steps import steps_of
from sfumato.query.range import Range

Exact = int | Fraction
"""Steps, or parts of them where rows count in part."""
ErrorKind = Literal["within", "within_over_rows", "about_over_rows", "rank"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A column of a measure."""

    measure: Measure
    column: int = 0


@dataclass(frozen=True, slots=True)
class NoisyCell:
    """What was released of a cell of one group, and by how many steps it may be off."""

    measure: Measure
    value: Any
    """A number of steps; of values a quantile is taken of, the quantile and the ends of its error bar."""
    reach: Exact

    @property
    def ends(self) -> tuple[Exact, Exact]:
        """The least and the most that it stands for."""
        return self.value - self.reach, self.value + self.reach

    @property
    def steps(self) -> InSteps:
        """The measure, where it is of numbers."""
        assert isinstance(self.measure, InSteps)
        return self.measure


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
    needs_plain_sum: ClassVar[bool] = False
    needs_squares: ClassVar[bool] = False
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
    def cells(self, beside: "AskedTogether") -> tuple[Cell, ...]:
        """The columns it is made of."""

    @abstractmethod
    def answer(self, noisy: Sequence[NoisyCell]) -> Bar:
        """Its value and error bar, of its columns once they are noisy: post-processing (Survey Proposition 3.7)."""

    @abstractmethod
    def expected_error(self, reach: Sequence[float], measure: Measure) -> float:
        """The figure of what can be said of its error, from how far its columns may be off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverValues(Aggregate):
    """An aggregate over the values of an expression."""

    of: Expression

    @property
    def inputs(self) -> tuple[Expression, ...]:
        """The expression, and the condition."""
        return (self.of,) if self.where is None else (self.of, self.where)

    def canonical(self) -> list[object]:
        """Everything that decides its value."""
        return self._canonical(self.of)


@dataclass(frozen=True, slots=True)
class AskedTogether:
    """The aggregates that are asked together: they share what is measured.

    AVG is a sum and a count of the same rows; VARIANCE a sum, a sum of squares and a count; sums that only serve these
    are taken around the middle of the range, which halves what one row can move. COUNT(*) beside COUNT(x) is one
    histogram of rows with x and rows without: a row falls into one of its two cells, so both cost as much as one.
    """

    aggregates: tuple[Aggregate, ...]

    def split(self, where: Expression | None) -> Split | None:
        """The one histogram of all rows, if they are counted beside the values of one expression."""
        if not any(each.counts_all_rows and each.where == where for each in self.aggregates):
            return None
        counted = {each.of for each in self._over_values() if each.counts_values and each.where == where}
        return Split(of=counted.pop(), where=where) if len(counted) == 1 else None

    def values(self, of: Expression, where: Expression | None) -> Cell:
        """The number of rows with a value."""
        split = self.split(where)
        return Cell(split if split is not None and split.of == of else Present(of=of, where=where))

    def total(self, of: Expression, where: Expression | None, *, coarse: bool = False) -> Sum:
        """The sum for an average: around the middle, unless the plain sum is there for its own sake."""
        same = [each for each in self._over_values() if each.of == of and each.where == where]
        plain = any(each.needs_plain_sum for each in same) and not any(each.needs_squares for each in same)
        found = steps_of(of, coarse=coarse)
        return Sum(of=of, where=where, **found._asdict(), centre=0 if plain else found.middle)

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

    def answer(self, noisy: Sequence[NoisyCell]) -> Bar:
        """The sum of the cells, as a whole number; what it stands for is not negative."""
        total, off = sum(cell.value for cell in noisy), sum(cell.reach for cell in noisy)
        whole = round_half_up(total)
        return Bar(whole, float(max(0, min(total - off, whole))), float(max(0, total + off, whole)))

    def expected_error(self, reach: Sequence[float], measure: Measure) -> float:
        """That of all cells."""
        del measure
        return float(sum(reach))
