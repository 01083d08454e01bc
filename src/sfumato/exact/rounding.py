"""Arithmetic on floats rounded in a stated direction, for prices that may only err against us.

`add_up(a, b)` is the least float not below the real a + b, `add_down` the greatest not above it, and so on.
The basic operations round exact rationals; `exp`, `log` and `sqrt` round a ball and are within one float of
the best. Overflow goes to the float infinity or to the largest float, whichever is on the stated side.
"""

import math
import sys
from collections.abc import Callable
from fractions import Fraction

from sfumato.errors import InvalidParameter
from sfumato.exact.lazy import Ball, ball_of, decide
from sfumato.exact.parameters import amount, rational

_MAX = sys.float_info.max


def up(exact: Fraction) -> float:
    """The least float that is not below a rational."""
    try:
        near = exact.numerator / exact.denominator
    except OverflowError:
        return math.inf if exact > 0 else -_MAX
    return near if Fraction(near) >= exact else math.nextafter(near, math.inf)


def down(exact: Fraction) -> float:
    """The greatest float that is not above a rational."""
    return -up(-exact)


def written_up(exact: Fraction) -> float:
    """The least float that is not below a rational, neither as it is nor as the decimal it is written as.

    For what callers are handed and may hand back: an amount that was rounded up stays so when it is read again.
    """
    found = up(exact)
    return found if math.isinf(found) or amount("float", found) >= exact else math.nextafter(found, math.inf)


def written_down(exact: Fraction) -> float:
    """The greatest float that is not above a rational, neither as it is nor as the decimal it is written as."""
    return -written_up(-exact)


def _exact(*values: float) -> list[Fraction]:
    return [rational("operand", value) for value in values]


def add_up(a: float, b: float) -> float:
    """The least float not below a + b."""
    x, y = _exact(a, b)
    return up(x + y)


def add_down(a: float, b: float) -> float:
    """The greatest float not above a + b."""
    x, y = _exact(a, b)
    return down(x + y)


def sub_up(a: float, b: float) -> float:
    """The least float not below a - b."""
    return add_up(a, -b)


def sub_down(a: float, b: float) -> float:
    """The greatest float not above a - b."""
    return add_down(a, -b)


def mul_up(a: float, b: float) -> float:
    """The least float not below a · b."""
    x, y = _exact(a, b)
    return up(x * y)


def mul_down(a: float, b: float) -> float:
    """The greatest float not above a · b."""
    x, y = _exact(a, b)
    return down(x * y)


def _quotient(a: float, b: float) -> Fraction:
    x, y = _exact(a, b)
    if y == 0:
        raise InvalidParameter("divisor", "must not be zero", b)
    return x / y


def div_up(a: float, b: float) -> float:
    """The least float not below a / b."""
    return up(_quotient(a, b))


def div_down(a: float, b: float) -> float:
    """The greatest float not above a / b."""
    return down(_quotient(a, b))


def _ends(function: Callable[[Ball], Ball], x: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals on either side of function(x), closer together than floats are."""

    def attempt() -> tuple[Fraction, Fraction] | None:
        ball = function(ball_of(x))
        return _bounds(ball) if ball.rel_accuracy_bits() >= 64 else None

    return decide([], attempt, magnitude=64)


def _bounds(ball: Ball) -> tuple[Fraction, Fraction]:
    from flint import ctx

    with ctx.workprec(256):
        low, high = (_dyadic(*end.man_exp()) for end in (ball.lower(), ball.upper()))
    return low, high


def _dyadic(mantissa: object, exponent: object) -> Fraction:
    """mantissa·2**exponent; exponents far outside the floats are cut to where they round the same way."""
    m, e = int(str(mantissa)), max(-(2**14), min(2**14, int(str(exponent))))
    return Fraction(m) * Fraction(2) ** e


def exp_up(x: float | Fraction) -> float:
    """A float not below exp(x)."""
    return 1.0 if x == 0 else up(_ends(lambda ball: ball.exp(), rational("operand of exp", x))[1])


def exp_down(x: float | Fraction) -> float:
    """A float not above exp(x)."""
    return 1.0 if x == 0 else max(0.0, down(_ends(lambda ball: ball.exp(), rational("operand of exp", x))[0]))


def _positive(x: float | Fraction) -> Fraction:
    exact = rational("operand of log", x)
    if exact <= 0:
        raise InvalidParameter("operand of log", "must be positive", x)
    return exact


def log_up(x: float | Fraction) -> float:
    """A float not below ln(x)."""
    return 0.0 if x == 1 else up(_ends(lambda ball: ball.log(), _positive(x))[1])


def log_down(x: float | Fraction) -> float:
    """A float not above ln(x)."""
    return 0.0 if x == 1 else down(_ends(lambda ball: ball.log(), _positive(x))[0])


def _radicand(x: float | Fraction) -> Fraction:
    exact = rational("operand of sqrt", x)
    if exact < 0:
        raise InvalidParameter("operand of sqrt", "must not be negative", x)
    return exact


def sqrt_up(x: float | Fraction) -> float:
    """A float not below the square root of x."""
    return 0.0 if x == 0 else up(_ends(lambda ball: ball.sqrt(), _radicand(x))[1])


def sqrt_down(x: float | Fraction) -> float:
    """A float not above the square root of x."""
    return 0.0 if x == 0 else down(_ends(lambda ball: ball.sqrt(), _radicand(x))[0])
