"""Declared numbers: whatever a TOML, YAML or Python writer gives becomes one exact rational, or one clear error."""

import re
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from sfumato.data.entries import said
from sfumato.errors import InvalidDeclaration

_PLAIN = re.compile(r"[0-9]{1,18}(\.[0-9]{1,40})?(e[+-]?[0-9]{1,3})?|[0-9]{1,40}/[0-9]{1,40}", re.IGNORECASE)
_LEAST, _MOST = Fraction(1, 10**300), Fraction(10**300)
"""Beyond these a double is nothing or infinite, and so is what is computed with it."""
_FOREVER = 10**7
"""Seconds, some four months: a timer for longer than its platform can count would never be set."""


def exactly(name: str, value: Any) -> Fraction:
    """The rational that a declared amount is, from 0 on; a float of a TOML file means the decimal that was written."""
    return _rational(name, value, _written(name, value), "a plain positive number")


def signed(name: str, value: Any) -> Fraction | None:
    """A bound: an exact number that may be negative, or none."""
    if value is None:
        return None
    text = _written(name, value)
    bare = text.removeprefix("-")
    made = _rational(name, value, bare, "a plain number")
    return made if bare == text else -made


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


def _written(name: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float | str | Fraction | Decimal):
        raise InvalidDeclaration(f"{name} must be a number: {said(value)}", hint=f'for example {_word(name)} = "0.5"')
    try:
        return repr(value) if isinstance(value, float) else str(value)
    except ValueError:  # over 4 300 digits
        return ""


def _rational(name: str, value: Any, text: str, what: str) -> Fraction:
    hint = f'for example {_word(name)} = "0.5"'
    try:
        if not _PLAIN.fullmatch(text):
            raise ValueError
        made = Fraction(text) if "/" in text else Fraction(Decimal(text))
    except (ValueError, InvalidOperation, ZeroDivisionError):
        raise InvalidDeclaration(f"{name} must be {what}: {said(value)}", hint=hint) from None
    if made and not _LEAST <= made <= _MOST:
        raise InvalidDeclaration(f"{name} must be 0 or within 1e-300 to 1e300: {said(value)}", hint=hint)
    return made


def _word(name: str) -> str:
    """The entry that a number stands at."""
    return name.rsplit(maxsplit=1)[-1]
