"""What one person may add to an answer, how much may be spent on it, and how far one person moves a measure."""

from dataclasses import dataclass
from fractions import Fraction

from sfumato.core import Change, Neighbours, Unit

PEOPLE = Neighbours(Change.ADD_REMOVE, Unit.PERSON)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one person may add: rows in a group and groups, or `cut` rows in all."""

    rows: int
    groups: int
    cut: int | None

    @property
    def keys(self) -> int:
        """In how many groups a person may count."""
        return self.groups if self.cut is None else self.cut

    @property
    def rows_in_group(self) -> int:
        """How many rows of a person may count in one group."""
        return self.rows if self.cut is None else self.cut

    def canonical(self) -> list[int | None]:
        """The three numbers."""
        return [self.rows, self.groups, self.cut]


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
class Moves:
    """How far one person moves the cells of a measure, all together."""

    l1: Fraction
    """The sum of the distances."""
    l2_squared: Fraction
    """The sum of their squares."""
