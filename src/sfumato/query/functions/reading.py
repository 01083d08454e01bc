r"""Texts as numbers, truths, days and moments: which texts are any, by patterns that an engine is given as well.

Engines differ in what they take for a number or a day, and from themselves in another version: 0x10, 1_000, a zone's
name. So the text that a pattern finds is cast, and where it finds none there is no value. Patterns are of RE2 and of
Python at once.

>>> real(" 1e3 "), real("0x10"), whole("2.5"), whole("-0.5"), day("2026/1/31 23:59"), moment("2026-01-31T12:30+02:00")
(1000.0, None, 3, -1, datetime.date(2026, 1, 31), datetime.datetime(2026, 1, 31, 12, 30))
"""

import re
from datetime import date, datetime

_DIGITS = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_DAY = r"[0-9]{4}(?:-[0-9]{1,2}-[0-9]{1,2}|/[0-9]{1,2}/[0-9]{1,2})"
_TIME = r"(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?"
_ZONE = r"(?:Z|[-+][0-9]{2}(?::?[0-9]{2})?)?"


def _alone(pattern: str) -> str:
    return rf"^[ \t\r\n]*{pattern}[ \t\r\n]*$"


REAL = _alone(rf"([-+]?{_DIGITS}(?:[eE][-+]?[0-9]{{1,9}})?)")
WHOLE = _alone(rf"([-+]?{_DIGITS})")
DAY = _alone(rf"({_DAY})(?:[ T]{_TIME}{_ZONE})?")
MOMENT = _alone(rf"({_DAY}(?:[ T]{_TIME})?){_ZONE}")
"""What is found stands in the first brackets: an offset from another zone is read over."""
FIRST_DAY, LAST_DAY = date(1, 1, 1), date(9999, 12, 31)
"""The calendar: from the first on, and before the last."""
_MOST_DIGITS = 19
TRUE, FALSE = ("true", "t", "1", "yes", "y"), ("false", "f", "0", "no", "n")
"""Words that are truths, in any case."""


def _found(pattern: str, text: str) -> str | None:
    found = re.fullmatch(pattern.removesuffix("$"), text)
    return None if found is None else found[1]


def truth(text: str) -> bool | None:
    """A truth: one of five words for each."""
    word = text.lower() if text.isascii() else ""
    return True if word in TRUE else False if word in FALSE else None


def real(text: str) -> float | None:
    """A number as a double; infinite if it is beyond all of them."""
    found = _found(REAL, text)
    return None if found is None else float(found)


def whole(text: str) -> int | None:
    """A number without an exponent as a whole one, halves away from zero, if it has no more digits than 64 bits."""
    found = _found(WHOLE, text)
    if found is None:
        return None
    digits, _, decimals = found.lstrip("+-").partition(".")
    digits = digits.lstrip("0") or "0"
    if len(digits) > _MOST_DIGITS:
        return None
    size = int(digits) + (decimals[:1] >= "5")
    return -size if found.startswith("-") else size


def day(text: str) -> date | None:
    """A day; the time of a moment is read over."""
    found = _found(DAY, text)
    return None if found is None else _date(found)


def moment(text: str) -> datetime | None:
    """A moment, to the microsecond."""
    found = _found(MOMENT, text)
    if found is None:
        return None
    written, *times = re.split("[ T]", found)
    midnight = _date(written)
    if midnight is None:
        return None
    hour, minute, second = [*(times[0] if times else "0:0").split(":"), "0"][:3]
    seconds, _, micros = second.partition(".")
    at = int(hour), int(minute), int(seconds), int(f"{micros[:6]:0<6}")
    return datetime(midnight.year, midnight.month, midnight.day, *at)


def _date(text: str) -> date | None:
    try:
        made = date(*map(int, re.split("[-/]", text)))
    except ValueError:
        return None
    return made if made < LAST_DAY else None
