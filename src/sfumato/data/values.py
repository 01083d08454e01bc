"""Public values of a column: each is of the column's kind, as the engine will hold it, and stands there once."""

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from math import isfinite
from typing import Any

from sfumato.data.column import Kind, Value
from sfumato.data.entries import said, utf8
from sfumato.errors import InvalidDeclaration

_WIDE = 2**63
_ORDER = (
    (bool, Kind.BOOLEAN),
    (int, Kind.INTEGER),
    (float, Kind.REAL),
    (datetime, Kind.TIMESTAMP),
    (date, Kind.DATE),
    (str, Kind.TEXT),
)


def public_values(where: str, given: Any) -> tuple[Value, ...] | None:
    """The values that a declaration lists, as Python's own: decimals as reals, moments in UTC."""
    if given is None:
        return None
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise InvalidDeclaration(
            f"{where}: values must be a list: {said(given)}", hint='values = ["north", "south"], and the like'
        )
    return tuple(_plain(where, value) for value in given)


def kind_of_values(values: Iterable[Value]) -> Kind:
    """The kind that values are of by themselves."""
    found = [next(kind for python, kind in _ORDER if isinstance(value, python)) for value in values]
    if found and found[0] is Kind.INTEGER and Kind.REAL in found:
        return Kind.REAL
    return found[0] if found else Kind.TEXT


def _plain(where: str, value: Any) -> Value:
    mend = f"{where}: a public value cannot be {said(value)}"
    if isinstance(value, Decimal):
        value = float(value) if value.is_finite() else float("nan")
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return utf8(where, value)
    if isinstance(value, int):
        if not -_WIDE <= value < _WIDE:
            raise InvalidDeclaration(mend, hint="whole numbers have up to 63 bits: leave it out")
        return value
    if isinstance(value, float):
        if not isfinite(value):
            raise InvalidDeclaration(mend, hint="numbers are finite: leave it out")
        return value + 0.0  # -0 is 0
    if isinstance(value, datetime):
        try:
            return value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)
        except (OverflowError, ValueError):
            raise InvalidDeclaration(mend, hint="moments lie in the years 1 to 9999, in UTC") from None
    if isinstance(value, date):
        return value
    raise InvalidDeclaration(mend, hint="texts, numbers, true or false, days and moments can be public")
