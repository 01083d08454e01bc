"""How error bars pass through a function: its values where operands are at their ends, if it is monotone in each."""

from collections.abc import Callable, Sequence
from itertools import product

Ends = tuple[float, float]
Valued = Callable[..., float | None]
"""The function itself; None where there is no finite value."""
Interval = Callable[[Valued, Sequence[Ends]], Ends | None]
"""The ends of a function's values over its operands' intervals; None where they are not known."""


def corners(of: Valued, ends: Sequence[Ends]) -> Ends | None:
    """Of what is monotone in each operand: the least and the greatest of its corners."""
    return _extremes([of(*corner) for corner in product(*(dict.fromkeys(each) for each in ends))])


def corners_and_zero(of: Valued, ends: Sequence[Ends]) -> Ends | None:
    """Of what turns where its first operand is zero."""
    places = [tuple(dict.fromkeys(each)) for each in ends]
    if ends[0][0] < 0 < ends[0][1]:
        places[0] = (*places[0], 0.0)
    return _extremes([of(*corner) for corner in product(*places)])


def corners_of_power(of: Valued, ends: Sequence[Ends]) -> Ends | None:
    """Of a power: what may be negative goes up and down with its exponent, so that must be exact."""
    base, exponent = ends
    return None if base[0] < 0 and exponent[0] != exponent[1] else corners_and_zero(of, ends)


def corners_of_quotient(of: Valued, ends: Sequence[Ends]) -> Ends | None:
    """Of a quotient: nothing is known where the divisor may be zero."""
    return None if ends[1][0] <= 0 <= ends[1][1] else corners(of, ends)


def growing(of: Valued, ends: Sequence[Ends]) -> Ends | None:
    """Of what grows in every operand, however many there are."""
    low, high = of(*[each[0] for each in ends]), of(*[each[1] for each in ends])
    return None if low is None or high is None else (low, high)


def _extremes(made: Sequence[float | None]) -> Ends | None:
    found = [each for each in made if each is not None]
    return (min(found), max(found)) if len(found) == len(made) else None
