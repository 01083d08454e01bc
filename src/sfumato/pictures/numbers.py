"""Numbers as they come, made into floats that can be placed, and into short words."""

import math

from sfumato.pictures.values import Value

MISSING = "—"


def real(value: Value) -> float | None:
    """The value as a float; None if it is missing, infinite if no float is so large.

    >>> from fractions import Fraction
    >>> real(Fraction(1, 4)), real(float("nan")), real(-(10**400))
    (0.25, None, -inf)
    """
    if value is None:
        return None
    try:
        number = float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    return None if math.isnan(number) else number


def finite(value: Value) -> float | None:
    """The value as a float that has a place on an axis."""
    number = real(value)
    return number if number is not None and math.isfinite(number) else None


def short(value: Value) -> str:
    """A number in at most six digits.

    >>> short(1234567), short(0.1 + 0.2), short(1e-12), short(None), short(float("-inf"))
    ('1,234,567', '0.3', '1e-12', '—', '-∞')
    """
    number = real(value)
    if number is None:
        return MISSING
    if math.isinf(number):
        return "∞" if number > 0 else "-∞"
    if isinstance(value, int) and abs(value) < 10**9:
        return f"{value:,}"
    return trimmed(f"{number:,.6g}" if abs(number) < 1e6 else f"{number:.6g}")


def trimmed(text: str) -> str:
    """A formatted number without the zeros that say nothing.

    >>> trimmed("1.500e+16"), trimmed("2e-05"), trimmed("-0")
    ('1.5e16', '2e-5', '0')
    """
    digits, e, power = text.partition("e")
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    digits = "0" if digits == "-0" else digits
    return f"{digits}e{int(power)}" if e and digits != "0" else digits
