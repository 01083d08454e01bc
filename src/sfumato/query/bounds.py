"""What one person may add to an answer, how much may be spent on it, and how far one person moves a measure."""

from dataclasses import dataclass
from fractions import Fraction

from sfumato.core import Change, Neighbours, Unit

PEOPLE = Neighbours(Change.ADD_REMOVE, Unit.PERSON)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What the rows of one person weigh: `total` in all, `rows` of it in one group at most.

    Of a person who has more, every row counts in part: a person's rows, or their totals in the groups, are scaled so
    that they fit. Only where groups are not public are some left out: a person is in `picked` of them at most.
    """

    total: int
    rows: int | None = None
    """None where all of it may be in one group."""
    picked: int | None = None
    keys: int = 1
    """In how many groups a person counts as a person."""
    in_parts: bool = False
    """A person may be in more groups than `keys`, and is then a part of one in each."""
    cut: bool = False
    """Nobody has more rows than `total`, because a table was cut or each row is protected: nothing is scaled."""

    @property
    def rows_in_group(self) -> int:
        """What the rows of a person weigh in one group at most."""
        return self.total if self.rows is None else min(self.rows, self.total)

    def heaviest(self, sizes: list[int]) -> int:
        """The most that a person's rows weigh if every group counts by its size, given from the largest on."""
        left, found = self.total, 0
        for size in sizes:
            part = min(left, self.rows_in_group)
            left, found = left - part, found + part * size
        return found

    def canonical(self) -> list[int | bool | None]:
        """All of them."""
        return [self.total, self.rows, self.picked, self.keys, self.in_parts, self.cut]


@dataclass(frozen=True, slots=True)
class Spend:
    """How much a question may cost: ε (with δ for keys that are not public), or ρ."""

    epsilon: Fraction | None
    rho: Fraction | None
    delta: Fraction

    @property
    def amount(self) -> Fraction:
        """ε or ρ."""
        found = self.epsilon if self.epsilon is not None else self.rho
        assert found is not None
        return found


@dataclass(frozen=True, slots=True)
class Wish:
    """How much less of a person the asker lets count than the owner allows: rows, and groups that are not public."""

    rows: int | None = None
    groups: int | None = None
    beyond: bool = False
    """Also tell, for a small share of the price, how many people have more than counts."""
    weigh: tuple[tuple[str, Fraction], ...] = ()
    """What columns of the answer are worth beside each other, where it is not one."""
    bar: Fraction = Fraction(1, 8)
    """What of a quantile's price each end of its error bar takes."""


NO_WISH = Wish()


@dataclass(frozen=True, slots=True)
class Moves:
    """How far one person moves the cells of a measure, all together."""

    l1: Fraction
    """The sum of the distances."""
    l2_squared: Fraction
    """The sum of their squares."""

    def times(self, parts: int) -> "Moves":
        """The same in so many parts of a row."""
        return Moves(self.l1 * parts, self.l2_squared * parts**2)
