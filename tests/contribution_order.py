"""The order of contributions in Python, which every engine's SQL is compared with."""

import hashlib
from collections.abc import Sequence
from datetime import date, datetime
from math import floor, isfinite

from sfumato.engines.sql import hashing
from sfumato.engines.sql.hashing import Hashed

_EPOCH = datetime(1970, 1, 1)


def order_of(values: Sequence[object], columns: Sequence[Hashed], seed: int) -> int:
    """The hash of a row of values."""
    made = hashing._multiplier(seed, 0)
    for place, (value, column) in enumerate(zip(values, columns, strict=True), 1):
        if place > 1 and place % 2:
            made = _remainder(made) * hashing._multiplier(seed, 0)
        number = _number_of(value, column)
        made += (hashing._MISSING if number is None else _remainder(number)) * hashing._multiplier(seed, place)
    mixed = (made ^ (made >> 31)) & hashing._MASK
    for shift, factor in ((16, hashing._FIRST), (13, hashing._SECOND)):
        mixed = (mixed ^ (mixed >> shift)) * factor & hashing._MASK
    return mixed


def _remainder(number: int) -> int:
    """The remainder with the sign of the number, as SQL has it."""
    return number % hashing._PRIME if number >= 0 else -(-number % hashing._PRIME)


def _number_of(value: object, column: Hashed) -> int | None:
    if isinstance(value, str):
        return int.from_bytes(hashlib.md5(value.encode(), usedforsecurity=False).digest()[:8], "little") % 2**60
    if isinstance(value, datetime):
        since = value - _EPOCH
        return (since.days * 86_400 + since.seconds) * 10**6 + since.microseconds
    if isinstance(value, date):
        return (value - _EPOCH.date()).days
    if isinstance(value, float):
        steps = value / float(column.step or hashing._FINE) + 0.5
        return floor(steps) if isfinite(steps) and -(2**63) <= floor(steps) < 2**63 else None
    return None if value is None else int(value)  # type: ignore[call-overload]
