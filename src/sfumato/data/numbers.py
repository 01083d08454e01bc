"""Declared numbers: whatever a TOML, YAML or Python writer gives becomes one exact rational, or one clear error."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

from sfumato.data.entries import said
from sfumato.errors import InvalidDeclaration, InvalidParameter
from sfumato.exact.amounts import amount

_LEAST, _MOST = Fraction(1, 10**300), Fraction(10**300)
"""Beyond these a double is nothing or infinite, and so is what is computed with it."""
_FOREVER = 10**7
"""Seconds, some four months: a timer for longer than its platform can count would never be set."""


def exactly(name: str, value: Any) -> Fraction:
    """The rational that a declared amount is, from 0 on; a float of a TOML file means the decimal that was written."""
    made = _amount(name, value, "a plain positive number")
    if made < 0:
        raise _refused(name, "must be a plain positive number", value)
    return made


def signed(name: str, value: Any) -> Fraction | None:
    """A bound: an exact number that may be negative, or none."""
    return None if value is None else _amount(name, value, "a plain number")


def seconds(name: str, value: Any) -> float:
    """A time that a clock can wait for."""
    made = exactly(name, value)
    if made > _FOREVER:
        raise InvalidDeclaration(f"{name} is over {_FOREVER:,} seconds: {said(value)}", hint=f"{_word(name)} = 600")
    return float(made)


def whole(name: str, value: Any, *, least: int = 1, most: int = 10**9) -> int:
    """A whole number within limits."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidDeclaration(
            f"{name} must be a whole number from {least} to {most}: {said(value)}",
            hint=f"for example {_word(name)} = {max(least, 2)}",
        )
    return value


def _amount(name: str, value: Any, what: str) -> Fraction:
    try:
        made = amount(name, value)
    except InvalidParameter:
        is_number = isinstance(value, int | float | str | Fraction | Decimal) and not isinstance(value, bool)
        raise _refused(name, f"must be {what}" if is_number else "must be a number", value) from None
    if made and not _LEAST <= abs(made) <= _MOST:
        raise _refused(name, "must be 0 or within 1e-300 to 1e300", value)
    return made


def _refused(name: str, requirement: str, value: Any) -> InvalidDeclaration:
    return InvalidDeclaration(f"{name} {requirement}: {said(value)}", hint=f'for example {_word(name)} = "0.5"')


def _word(name: str) -> str:
    """The entry that a number stands at."""
    return name.rsplit(maxsplit=1)[-1]
