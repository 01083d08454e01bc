"""What a row of a person counts: a weight in fixed point, one a person, floored once.

With n rows that count of which T may, each counts W = ⌊T·2^F/n⌋ of 2^F. A measure whose rows move it by U at most is
then moved by W·Σ|c| ≤ W·n·U ≤ T·U·2^F in ℓ1, whatever the groups: n and W are functions of the person's own rows, so
that whoever comes or goes moves the table by exactly that vector. Nothing is rounded after the floor, and what is
divided later (an average, a spread) has the same weight above and below.

Where at most k of it may be in one group, let a be the rows there, a' = min(a, k) and S = Σ a' over the groups: a row
there counts ⌊u·v/2^F⌋ with u = ⌊k·2^F/a⌋ and v = ⌊T·2^F/S⌋, each 2^F if that is less. Then a·u ≤ a'·2^F, so a group
holds k·2^F at most, and all of them S·v ≤ T·2^F.

Where squares add up (ρ), groups are public and nothing bounds what is in one of them, T may bound the length √Σ a² in
place of the sum: it is never longer, so everybody counts at least as much, and the noise is that of T in one group, as
before. A row counts W = ⌊T·2^F/(2^j·r)⌋ with r = ⌈√Σ b²⌉ and b = a, so that Σ (a·W)² ≤ (T·2^F)²; where T is large b is
⌊a/2^j⌋ + 1, which is a/2^j or more. With b below 2^((62 - log₂ groups)/2) squares stay within 62 bits; who has more in
one group counts nothing.

A sum asked alone scales a person's totals instead of their rows: the same with |v| of a group, in steps, for a, and
T·U (or the total that is declared) and k·U for T and k. A count asked alone is a sum of ones, and is the same number.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt

from sfumato.query.bounds import Bounds, Spend
from sfumato.query.measures import Measure, Sum, Values

_MOST_BITS, _FEWEST_BITS = 30, 20
_WIDEST = 94  # what 2**33 people add of this many bits each stays within 128
_SQUARES = 62  # bits in which squares are added up
_ROOM = 15  # how many times T, as a power of two, a person may have in a group
_DRAWN_FAST = 52  # noise of a scale beyond 2**52 is drawn, and four hundred times as slowly


@dataclass(frozen=True, slots=True)
class LengthBound:
    """That the length of what a person adds is bounded, over groups: counted in 2**coarse, and less than `most`."""

    coarse: int
    most: int

    @classmethod
    def within(cls, total: int, groups: int) -> "LengthBound":
        """For a length of `total` over so many groups."""
        most = 1 << (_SQUARES - (groups - 1).bit_length()) // 2
        return cls(max(0, total.bit_length() + _ROOM - most.bit_length()), most)


@dataclass(frozen=True, slots=True)
class Weights:
    """How rows are weighted: 2**bits is a whole row; `alone` is the sum whose totals are scaled instead."""

    bits: int
    alone: Sum | None = None
    picks: bool = False
    """Some rows are picked instead, and count whole: for a mechanism that counts values one by one."""
    length: LengthBound | None = None
    """The length of what a person adds over groups is bounded, not its sum."""

    @property
    def whole(self) -> int:
        """The weight of a row that counts whole."""
        return 1 << self.bits

    def most(self, rows: int) -> int:
        """What is bounded of so many rows."""
        return rows if self.alone is None else self.alone.in_all(rows)

    def canonical(self) -> list[object]:
        """The bits and the rule."""
        lengths = [] if self.length is None else ["squares", self.length.coarse, self.length.most]
        return [self.bits, None if self.alone is None else self.alone.canonical(), self.picks, *lengths]


def sum_alone(measures: Sequence[Measure]) -> Sum | None:
    """The sum whose totals are scaled, because nothing else that is asked weighs rows."""
    match [measure for measure in measures if measure.is_weighted]:
        case [Sum() as alone] if alone.is_plain:
            return alone
        case _:
            return None


def weights_of(measures: Sequence[Measure], bounds: Bounds, share: Fraction, spend: Spend, *, single: bool) -> Weights:
    """The weights of a question's rows; whole ones where nobody has more than counts.

    As fine as noise is drawn fast: a floor is a bias of half a unit for every row of whoever is weighted down.
    """
    weighted, totals = [measure for measure in measures if measure.is_weighted], sum_alone(measures)
    held = totals is not None and totals.total is not None  # then a single row may count in part
    if bounds.cut or not weighted or (single and not held):
        return Weights(0, None if bounds.cut else totals)
    fits = min(_DRAWN_FAST - _size(measure, bounds, share, spend) for measure in weighted)
    room = min(_WIDEST - (bounds.total * measure.unit).bit_length() for measure in weighted)
    return Weights(max(0, min(_MOST_BITS, max(_FEWEST_BITS, fits), room)), totals)


def by_lengths(
    weights: Weights, measures: Sequence[Measure], bounds: Bounds, spend: Spend, groups: int | None
) -> Weights:
    """The same with lengths bounded in place of sums, where that keeps more of a person behind the same noise.

    Not for quantiles, whose prices at one ε add up over groups: their event would not hold in every currency.
    """
    if spend.rho is None or groups is None or groups < 2 or not weights.bits or weights.picks:
        return weights
    if bounds.rows is not None or bounds.picked is not None or any(isinstance(each, Values) for each in measures):
        return weights
    return replace(weights, length=LengthBound.within(weights.most(bounds.total), groups))


def _size(measure: Measure, bounds: Bounds, share: Fraction, spend: Spend) -> int:
    """About the binary logarithm of the noise that hides one person, in whole rows; rounded up."""
    if spend.epsilon is not None:
        scale = bounds.total * measure.unit / share
    else:
        scale = isqrt(int(bounds.total * bounds.rows_in_group * measure.unit**2 / (2 * share)) + 1) + Fraction(1)
    return int(scale).bit_length()
