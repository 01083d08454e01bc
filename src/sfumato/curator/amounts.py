"""What a caller means by a number: exactly the decimal that is written."""

import re
from decimal import Decimal
from fractions import Fraction

from sfumato.errors import InvalidParameter

Amount = float | int | str | Fraction | Decimal
_PLAIN = re.compile(r"[+-]?[0-9]{0,60}\.?[0-9]{1,60}(e[+-]?[0-9]{1,3})?|[0-9]{1,60}/[0-9]{1,60}", re.IGNORECASE)


def amount(name: str, value: Amount, *, zero: bool = False) -> Fraction:
    """The exact amount that is meant: a float means the decimal that Python writes for it."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Fraction | Decimal):
        raise InvalidParameter(name, "must be a number", value, hint=f"{name}=0.5")
    if isinstance(value, str | Decimal) and not _PLAIN.fullmatch(str(value)):
        raise InvalidParameter(name, "must be a plain number", value, hint=f"{name}=0.5")
    try:
        exact = Fraction(repr(value)) if isinstance(value, float) else Fraction(value)
    except (ValueError, ZeroDivisionError, OverflowError):
        raise InvalidParameter(name, "must be a plain number", value, hint=f"{name}=0.5") from None
    if exact < 0 or (exact == 0 and not zero):
        raise InvalidParameter(name, "must be positive", value, hint=f"{name}=0.5")
    if exact > 10**6 or 0 < exact < Fraction(1, 10**60):
        raise InvalidParameter(name, "must be between 1e-60 and 1e6", value, hint=f"{name}=0.5")
    return exact
