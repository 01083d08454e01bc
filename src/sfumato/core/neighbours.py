"""When two databases are neighbours (ℓ1 distance, Survey Definition 3.4) and what a sensitivity is then."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Self

from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import Real, non_negative, positive, whole
from sfumato.exact.rounding import sqrt_up, up


class Change(Enum):
    """What one step between neighbours does."""

    ADD_REMOVE = "add or remove one"
    REPLACE = "replace one"


class Unit(Enum):
    """Whose change it is: the unit that is protected."""

    ROW = "row"
    PERSON = "person"


class Norm(Enum):
    """How the change of a vector answer is measured."""

    L1 = "ℓ1"
    L2 = "ℓ2"
    LINF = "ℓ∞"


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Which databases count as neighbours; every sensitivity names the relation it holds for.

    >>> print(Neighbours(Change.REPLACE, Unit.PERSON))
    replace one person
    """

    change: Change = Change.ADD_REMOVE
    unit: Unit = Unit.ROW

    def __post_init__(self) -> None:
        if not isinstance(self.change, Change):
            raise InvalidParameter(
                "change", "must be a Change", self.change, hint="Change.ADD_REMOVE or Change.REPLACE"
            )
        if not isinstance(self.unit, Unit):
            raise InvalidParameter("unit", "must be a Unit", self.unit, hint="Unit.ROW or Unit.PERSON")

    def __str__(self) -> str:
        return f"{self.change.value} {self.unit.value}"

    def distance(self, x: Mapping[Hashable, int], y: Mapping[Hashable, int]) -> int | None:
        """The least number of steps from histogram x to histogram y, or None if no steps lead there.

        >>> Neighbours().distance({"a": 2}, {"a": 1, "b": 1})
        2
        >>> Neighbours(Change.REPLACE).distance({"a": 2}, {"a": 1, "b": 1})
        1
        """
        moved = sum(abs(x.get(key, 0) - y.get(key, 0)) for key in {*x, *y})
        if self.change is Change.ADD_REMOVE:
            return moved
        return moved // 2 if sum(x.values()) == sum(y.values()) else None

    def histogram(self, norm: Norm) -> "Sensitivity":
        """The sensitivity of a histogram whose cells each unit enters once (slides "Histogram Query", errata C1).

        >>> Neighbours().histogram(Norm.L1).value, Neighbours(Change.REPLACE).histogram(Norm.L1).value
        (1.0, 2.0)
        """
        cells = 1 if self.change is Change.ADD_REMOVE else 2
        return Sensitivity(norm, Fraction(1 if norm is Norm.LINF else cells), self, coordinates=cells)


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The most an answer moves between neighbours.

    `amount` is exact: the change itself in ℓ1 and ℓ∞, its square in ℓ2, where the change may be irrational.
    `coordinates` is the most entries of a vector that move at all, if a bound is known; `unit`, if known, is what every
    answer is a multiple of.
    """

    norm: Norm
    amount: Fraction
    neighbours: Neighbours
    coordinates: int | None = None
    unit: Fraction | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.norm, Norm):
            raise InvalidParameter("norm", "must be a Norm", self.norm, hint="Norm.L1, Norm.L2 or Norm.LINF")
        if not isinstance(self.neighbours, Neighbours):
            raise InvalidParameter("neighbours", "must be a relation", self.neighbours, hint="for example Neighbours()")
        if self.coordinates is not None:
            whole("coordinates", self.coordinates, least=1)
        if self.unit is not None:
            object.__setattr__(self, "unit", positive("unit", self.unit))
        object.__setattr__(self, "amount", non_negative("sensitivity", self.amount))

    @classmethod
    def l1(cls, change: Real, neighbours: Neighbours, *, coordinates: int | None = None) -> Self:
        """A sensitivity in ℓ1: the sum of the entries' changes."""
        return cls(Norm.L1, non_negative("change", change), neighbours, coordinates)

    @classmethod
    def l2(cls, change: Real, neighbours: Neighbours, *, coordinates: int | None = None) -> Self:
        """A sensitivity in ℓ2, given as the change and not as its square.

        >>> Sensitivity.l2(10, Neighbours()).amount
        Fraction(100, 1)
        """
        return cls(Norm.L2, non_negative("change", change) ** 2, neighbours, coordinates)

    @classmethod
    def linf(cls, change: Real, neighbours: Neighbours, *, coordinates: int | None = None) -> Self:
        """A sensitivity in ℓ∞: the largest change of an entry."""
        return cls(Norm.LINF, non_negative("change", change), neighbours, coordinates)

    @property
    def value(self) -> float:
        """The change as a float that is not below it."""
        return sqrt_up(self.amount) if self.norm is Norm.L2 else up(self.amount)
