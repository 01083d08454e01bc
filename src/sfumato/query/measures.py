"""What is measured: aggregates share integer columns, each bounded for one person.

AVG is a sum and a count of the same rows; VARIANCE a sum, a sum of squares and a count; sums that only serve these are
taken around the middle of the range, which halves what one row can move. COUNT(*) beside COUNT(x) is one histogram of
rows with x and rows without: a row falls into one of its two cells, so both counts cost as much as one.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.query.expression import Expression
from sfumato.query.question import Aggregate, Question


@dataclass(frozen=True, slots=True)
class Measure:
    """One or two integer columns an engine computes: rows, split, present, people, distinct, sum, square or quantile.

    A sum adds whole steps: round(x/step) held within low and high, less `centre`.
    """

    kind: str
    of: Expression | None = None
    where: Expression | None = None
    step: Fraction = Fraction(1)
    low: int = 0
    high: int = 1
    centre: int = 0
    q: Fraction | None = None
    shared: bool = False
    """The sum belongs to a split count, whose share of the rows it keeps."""

    @property
    def columns(self) -> int:
        """How many columns it has."""
        return 2 if self.kind == "split" else 1

    @property
    def unit(self) -> int:
        """The most one row moves it."""
        if self.kind == "sum":
            return max(abs(self.low - self.centre), abs(self.high - self.centre), 1)
        if self.kind == "square":
            return max((self.low - self.centre) ** 2, (self.high - self.centre) ** 2, 1)
        return 1

    def canonical(self) -> Any:
        """Everything that decides its value."""
        parts = [None if each is None else each.canonical() for each in (self.of, self.where)]
        return [self.kind, *parts, str(self.step), self.low, self.high, self.centre, str(self.q), self.shared]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How an aggregate comes from measured columns, named by position."""

    kind: str
    columns: tuple[int, ...]
    aggregate: Aggregate
    step: Fraction = Fraction(1)
    centre: int = 0
    low: int = 0
    high: int = 0


@dataclass(frozen=True, slots=True)
class Measures:
    """The measures of a question, where each one's columns start, and a recipe for each aggregate."""

    measures: tuple[Measure, ...]
    starts: tuple[int, ...]
    recipes: tuple[Recipe, ...]


def measured(question: Question) -> Measures:
    """The fewest measures that answer all aggregates."""
    return _Planner(question).plan()


class _Planner:
    def __init__(self, question: Question) -> None:
        self._wanted = question.aggregates
        self._measures: list[Measure] = []

    def plan(self) -> Measures:
        self._counts()
        for aggregate in self._wanted:
            self._need(aggregate)
        self._measures.sort(key=lambda measure: repr(measure.canonical()))  # the order of SELECT does not count
        starts, at = [], 0
        for measure in self._measures:
            starts.append(at)
            at += measure.columns
        self._starts = starts
        return Measures(tuple(self._measures), tuple(starts), tuple(self._recipe(each) for each in self._wanted))

    def _counts(self) -> None:
        """Counts first: a COUNT(*) beside one counted expression becomes a split."""
        for aggregate in self._wanted:
            if aggregate.kind != "rows":
                continue
            others = {
                a.of for a in self._wanted if a.where == aggregate.where and a.kind in ("present", "avg", "variance")
            }
            if len(others) == 1:
                self._measures.append(Measure("split", others.pop(), aggregate.where))
            else:
                self._measures.append(Measure("rows", None, aggregate.where))

    def _need(self, aggregate: Aggregate) -> None:
        kind = aggregate.kind
        if kind == "people":
            self._add(Measure("people", None, aggregate.where))
        elif kind == "distinct":
            self._add(Measure("distinct", aggregate.of, aggregate.where))
        elif kind == "quantile":
            self._add(self._numeric("quantile", aggregate))
        elif kind == "sum":
            self._add(self._sum(aggregate, centred=False))
        elif kind in ("present", "avg", "variance"):
            if self._split(aggregate) is None:
                self._add(Measure("present", aggregate.of, aggregate.where))
            if kind != "present":
                self._add(self._sum(aggregate, centred=self._centred(aggregate)))
            if kind == "variance":
                self._add(self._numeric("square", aggregate, centred=True))

    def _add(self, measure: Measure) -> None:
        if measure not in self._measures:
            self._measures.append(measure)

    def _split(self, aggregate: Aggregate) -> int | None:
        for i, measure in enumerate(self._measures):
            if measure.kind == "split" and measure.of == aggregate.of and measure.where == aggregate.where:
                return i
        return None

    def _centred(self, aggregate: Aggregate) -> bool:
        """Around the middle, unless the plain sum is there for its own sake."""
        same = [a.kind for a in self._wanted if a.of == aggregate.of and a.where == aggregate.where]
        return aggregate.kind == "variance" or "variance" in same or "sum" not in same

    def _sum(self, aggregate: Aggregate, *, centred: bool) -> Measure:
        return self._numeric("sum", aggregate, centred=centred)

    def _numeric(self, kind: str, aggregate: Aggregate, *, centred: bool = False) -> Measure:
        assert aggregate.of is not None
        found = aggregate.of.range
        assert found.lower is not None
        assert found.upper is not None
        step = found.step
        if kind == "square" or (kind == "sum" and aggregate.kind == "variance"):
            step = _coarser(step, found.upper - found.lower)
        low, high = _nearest(found.lower / step), _nearest(found.upper / step)
        centre = (low + high) // 2 if centred else 0
        shared = kind in ("sum", "square") and self._split(aggregate) is not None
        q = aggregate.q if kind == "quantile" else None
        return Measure(kind, aggregate.of, aggregate.where, step, low, high, centre, q, shared)

    # ---- recipes ----

    def _at(self, measure: Measure) -> int:
        return self._starts[self._measures.index(measure)]

    def _count_columns(self, aggregate: Aggregate) -> int:
        split = self._split(aggregate)
        if split is not None:
            return self._starts[split]
        return self._at(Measure("present", aggregate.of, aggregate.where))

    def _recipe(self, aggregate: Aggregate) -> Recipe:
        kind = aggregate.kind
        if kind == "rows":
            for i, measure in enumerate(self._measures):
                if measure.kind == "split" and measure.where == aggregate.where:
                    return Recipe("count", (self._starts[i], self._starts[i] + 1), aggregate)
            return Recipe("count", (self._at(Measure("rows", None, aggregate.where)),), aggregate)
        if kind in ("people", "distinct"):
            of = aggregate.of if kind == "distinct" else None
            return Recipe("count", (self._at(Measure(kind, of, aggregate.where)),), aggregate)
        if kind == "present":
            return Recipe("count", (self._count_columns(aggregate),), aggregate)
        if kind == "quantile":
            measure = self._numeric("quantile", aggregate)
            return Recipe("quantile", (self._at(measure),), aggregate, measure.step, 0, measure.low, measure.high)
        total = self._sum(aggregate, centred=kind != "sum" and self._centred(aggregate))
        about = (aggregate, total.step, total.centre, total.low, total.high)
        if kind == "sum":
            return Recipe("sum", (self._at(total),), *about)
        count = self._count_columns(aggregate)
        if kind == "avg":
            return Recipe("avg", (self._at(total), count), *about)
        square = self._numeric("square", aggregate, centred=True)
        return Recipe("variance", (self._at(square), self._at(total), count), *about)


def _coarser(step: Fraction, width: Fraction) -> Fraction:
    """A grid of at most some 2**20 steps, so that squares stay small; a millionth of the width is no loss."""
    while width / step > 2**20:
        step *= 10
    return step


def _nearest(exact: Fraction) -> int:
    return (2 * exact.numerator + exact.denominator) // (2 * exact.denominator)
