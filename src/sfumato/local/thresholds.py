"""Coins from ε: multiples of 2⁻⁶⁴, each rounded to the side on which the channel spends less than ε."""

from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from sfumato.errors import InvalidParameter
from sfumato.exact.parameters import positive

UNIT = 1 << 64
_CONTEXT = Context(prec=60, rounding=ROUND_FLOOR)
_LEAST, _MOST = Fraction(1, 10**6), Fraction(32)


def budget(epsilon: object) -> Fraction:
    """ε as the rational it is, within what coins of 64 bits can honour closely."""
    exact = positive("epsilon", epsilon)
    if not _LEAST <= exact <= _MOST:
        raise InvalidParameter("epsilon", "must be between 1e-6 and 32", epsilon)
    return exact


def exp_below(x: Fraction) -> Fraction:
    """A rational a little below e^x, by less than one in 10⁵⁰."""
    near = _CONTEXT.exp(_CONTEXT.divide(Decimal(x.numerator), Decimal(x.denominator)))
    return Fraction(near) * (1 - Fraction(1, 10**55))


def floor_unit(p: Fraction) -> Fraction:
    """The largest multiple of 2⁻⁶⁴ not above p."""
    return Fraction(p.numerator * UNIT // p.denominator, UNIT)


def ceil_unit(p: Fraction) -> Fraction:
    """The least multiple of 2⁻⁶⁴ not below p."""
    return -floor_unit(-p)


def truth(epsilon: Fraction, others: int | Fraction = 1) -> Fraction:
    """The chance of the truth against `others` alternatives of weight one: e^ε/(e^ε + others), rounded down."""
    odds = exp_below(epsilon)
    return floor_unit(odds / (odds + others))


def symmetric(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """p and q = 1 - p of symmetric unary encoding: each flag at odds e^(ε/2)."""
    p = truth(epsilon / 2)
    return p, 1 - p


def optimised(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """p = 1/2 and q = 1/(e^ε + 1) of optimised unary encoding (Wang, Blocki, Li, Jha 2017)."""
    return Fraction(1, 2), ceil_unit(1 / (exp_below(epsilon) + 1))
