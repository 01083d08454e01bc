"""A measure: integer columns that an engine computes, how far one person moves them, and what hides that.

A person counts with at most `rows` rows in each of at most `groups` groups, so a column whose rows move by `unit` moves
by groups·rows·unit in ℓ1 and, in ℓ2, by √groups·rows·unit. A plan that is cut holds at most `cut` rows of a person in
all: then both are cut·unit. Noise is drawn for every cell by itself, so the price of a vector is that of its worst
neighbour (Survey Proposition 4.1 for ℓ1; Canonne, Kamath, Steinke 2020, Theorem 14 for ℓ2).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Protocol

from sfumato.exact.rounding import sqrt_up
from sfumato.mechanisms import GeometricNoise
from sfumato.mechanisms.answers import AnswerMove
from sfumato.mechanisms.discrete_gaussian import DiscreteGaussianNoise
from sfumato.query.bounds import Bounds, Moves, Spend
from sfumato.query.expression import Expression
from sfumato.query.priced import NoisyColumns, Priced


class ColumnWriter(Protocol):
    """What measures write their SQL with: an engine's dialect. The letters are those of the engine's statements."""

    def sql(self, expression: Expression) -> str:
        """An expression over one row."""
        ...

    def present(self, expression: Expression) -> str:
        """Whether an expression has a value."""
        ...

    def placed(self, of: Expression, step: Fraction, low: int, high: int) -> str:
        """round(x/step) within low and high; NULL where x has no value."""
        ...

    def whole(self, made: str) -> str:
        """A number that is whole as 64 bits."""
        ...

    def wide(self, made: str) -> str:
        """A whole number in a type that holds the product of two of 64 bits."""
        ...

    def divided(self, whole: str, by: str) -> str:
        """A whole number divided by one that is not zero, cut towards zero."""
        ...

    def total(self, term: str, *, narrow: bool) -> str:
        """The sum of whole numbers, 0 of none; as 64 bits where it is known to fit."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """The number of a measure in a statement, and of the one that counts its rows with a value."""

    own: int
    counted: int

    @property
    def counts_itself(self) -> bool:
        """Whether no other measure counts the same rows."""
        return self.own == self.counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure(ABC):
    """One or two integer columns; what a row adds to them is at most `unit`."""

    kind: ClassVar[str]
    """Its name in documents and in the ledger: it must not change."""
    words: ClassVar[str]
    """What it measures, for people."""
    columns: ClassVar[int] = 1

    where: Expression | None = None
    """Only rows for which it is true add something."""

    @property
    def unit(self) -> int:
        """The most one row moves it."""
        return 1

    @property
    def scale(self) -> Fraction:
        """What a step of it is worth in an answer."""
        return Fraction(1)

    @property
    def only_adds(self) -> bool:
        """Whether a person who comes lowers none of its cells."""
        return True

    def canonical(self) -> list[object]:
        """Everything that decides its value."""
        return self._canonical()

    def _canonical(
        self,
        of: Expression | None = None,
        *,
        step: Fraction = Fraction(1),
        ends: tuple[int, int] = (0, 1),
        centre: int = 0,
        q: Fraction | None = None,
        shared: bool = False,
    ) -> list[object]:
        parts = [None if each is None else each.canonical() for each in (of, self.where)]
        return [self.kind, *parts, str(step), *ends, centre, str(q), shared]

    # ---- how far one person moves it ----

    def most(self, bounds: Bounds) -> int:
        """The most one person moves it in one group."""
        return bounds.rows_in_group * self.unit

    def moves(self, bounds: Bounds, *, grouped: bool) -> Moves:
        """How far one person moves all of its cells."""
        del grouped
        most = Fraction(self.most(bounds))
        groups = 1 if bounds.cut is not None else bounds.groups  # the rows of a cut plan may all be in one group
        return Moves(groups * most, groups * most**2)

    def weighted_move(self, bounds: Bounds, heaviest: list[int]) -> int:
        """The most one person moves a sum of its cells times weights, given their sizes from the largest on."""
        groups = 1 if bounds.cut is not None else bounds.groups
        return self.most(bounds) * sum(heaviest[:groups])

    def counts_people(self, bounds: Bounds) -> bool:
        """Whether its cells are how many people are in the groups, so that groups can be chosen by them."""
        del bounds
        return False

    def price(self, share: Fraction, bounds: Bounds, spend: Spend, *, grouped: bool, beta: Fraction) -> Priced:
        """The noise that hides one person's move at its share of what is spent, and the event of it."""
        del beta
        moves = self.moves(bounds, grouped=grouped)
        if spend.epsilon is not None:
            geometric = GeometricNoise(moves.l1 / share)
            return NoisyColumns(self, geometric, geometric.event(AnswerMove.l1(moves.l1)), share)
        gaussian = DiscreteGaussianNoise(Fraction(sqrt_up(moves.l2_squared / (2 * share))))
        event = gaussian.event(AnswerMove.l2(square=moves.l2_squared), scalar=not grouped and self.columns == 1)
        return NoisyColumns(self, gaussian, event, share)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdditiveMeasure(Measure):
    """A measure whose columns are sums over people: one statement computes all of a question."""

    @property
    def needs_rows(self) -> bool:
        """Whether a person's number of rows in a group decides how many of them count."""
        return False

    @abstractmethod
    def of_row(self, at: Place, write: ColumnWriter) -> list[str]:
        """m: what a row adds, or 1 where it counts; f: 1 where the measure's condition holds."""

    @abstractmethod
    def of_person(self, at: Place, write: ColumnWriter) -> list[str]:
        """s: the sum of a person's rows; x: how many add something; n: how many the condition holds for."""

    @abstractmethod
    def of_group(self, at: Place, write: ColumnWriter, most: int) -> list[str]:
        """a, b: the measure's exact integers, of at most `most` rows a person."""

    @abstractmethod
    def of_all_rows(self, at: Place, write: ColumnWriter, person: str) -> list[str]:
        """The same straight from rows, where a table was cut at registration and every row counts."""

    def _condition(self, write: ColumnWriter) -> str:
        return "TRUE" if self.where is None else write.sql(self.where)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowMeasure(AdditiveMeasure):
    """A measure of rows, whatever is in them, for which a condition holds."""

    def of_row(self, at: Place, write: ColumnWriter) -> list[str]:
        """1 where the condition holds."""
        return [] if self.where is None else [f"CASE WHEN {write.sql(self.where)} THEN 1 END AS m{at.own}"]

    def of_person(self, at: Place, write: ColumnWriter) -> list[str]:
        """How many rows the condition holds for."""
        del write
        return [] if self.where is None else [f"count(m{at.own}) AS x{at.own}"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfValue(Measure):
    """A measure of the rows in which an expression has a value."""

    of: Expression

    def canonical(self) -> list[object]:
        """Everything that decides its value."""
        return self._canonical(self.of)


def at_most(rows: str, most: int) -> str:
    """The SQL of a number of rows, held within a limit."""
    return f"CASE WHEN {rows} < {most} THEN {rows} ELSE {most} END"


def kept_of(present_rows: str, rows: str, most: int, write: ColumnWriter) -> str:
    """The SQL of how many of a person's rows with a value count, if at most `most` of all their rows do."""
    share = write.divided(f"{present_rows} * {most}", rows)
    return f"CASE WHEN {rows} > {most} THEN {share} ELSE {present_rows} END"
