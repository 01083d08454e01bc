r"""The SQL of functions that Spark writes in its own way, so that they give what their records' `value` gives.

Spark's own floor and ceil are of 64 bits and fail beyond them, its case mappings are those of a library's version, and
its LIKE is a regular expression that goes back and forth: on one long cell it could take as long as the universe. So
doubles are rounded by `rint`, which stays a double, characters are exchanged one for one, and a pattern is written so
that no step is taken twice: what `(?>…)` has found it does not look for again.

>>> pattern_of("a%b_c%d")
'(?s)\\A(?>a)(?>.*?b.c)(?>.*d)\\z'
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from math import inf, isfinite, nextafter
from sys import float_info

from sfumato.query.functions.casing import lower, upper
from sfumato.query.functions.texts import SPACES

_LAST_CASED = 0x20000
"""No character beyond it has a case."""
_DEEP = 64
"""How many parts of a pattern stand in one group: a matcher goes as deep as it has parts, and its stack has an end."""
_LARGEST = 308
"""The largest power of ten that is a double."""
NAN, INFINITE = "CAST('NaN' AS DOUBLE)", "CAST('Infinity' AS DOUBLE)"


def floor(x: str) -> str:
    """The whole double below: the nearest one, less one if that is above."""
    return f"(rint({x}) - CAST(rint({x}) > {x} AS DOUBLE))"


def _ceil(x: str) -> str:
    return f"(-{floor(f'(-{x})')})"


def _trunc(x: str) -> str:
    return f"(signum({x}) * {floor(f'abs({x})')})"


def _half_away(x: str) -> str:
    """The nearest whole double, halves away from zero: `rint` takes them to the even one."""
    return f"(signum({x}) * (rint(abs({x})) + CAST(abs({x}) - rint(abs({x})) = 0.5D AS DOUBLE)))"


def _round(x: str, digits: str = "0") -> str:
    places = whole_of(digits)
    if not places:
        return _half_away(x)
    if places > _LARGEST:
        return x
    scale = 10.0**places
    most = _largest_times(scale)
    rounded = f"({_half_away(f'({x} * {scale!r}D)')} / {scale!r}D)"
    return f"(CASE WHEN abs({x}) <= {most!r}D THEN {rounded} ELSE {x} END)"


def _largest_times(scale: float) -> float:
    """The largest double that stays finite when it is multiplied."""
    most = float_info.max / scale
    while not isfinite(most * scale):
        most = nextafter(most, 0)
    while isfinite(nextafter(most, inf) * scale):
        most = nextafter(most, inf)
    return most


def _pow(x: str, y: str) -> str:
    """One to any power is one, and so is -1 to an infinite one: IEEE 754 says so, and Java does not."""
    ones = f"abs({x}) = 1D AND ({x} = 1D OR abs({y}) = {INFINITE}) AND {y} IS NOT NULL"
    return f"(CASE WHEN {ones} THEN 1D ELSE pow({x}, {y}) END)"


# ---- texts ----


def quoted_text(text: str) -> str:
    r"""A text as a constant: whatever could end it, or be taken for something else, by its number.

    >>> print(quoted_text("it's ${x}\\n 🙂\0"))
    'it\u0027s \u0024{x}\u005Cn 🙂\u0000'
    """
    return "'" + "".join(c if c.isprintable() and c not in "'\"\\$`" else _numbered(c) for c in text) + "'"


def _numbered(character: str) -> str:
    number = ord(character)
    return f"\\u{number:04X}" if number < 2**16 else f"\\U{number:08X}"


def text_of(constant: str) -> str:
    r"""The text that a constant of ours writes.

    >>> text_of(quoted_text("it's ${x}\\n 🙂\0")) == "it's ${x}\\n 🙂\0"
    True
    """
    return re.sub(r"\\(?:u(.{4})|U(.{8}))", lambda found: chr(int(found[1] or found[2], 16)), constant[1:-1])


def whole_of(constant: str) -> int:
    """The whole number that a constant of ours writes."""
    return int(constant.strip("()L"))


@cache
def _exchanged(of: Callable[[str], str]) -> tuple[str, str]:
    """All characters that have a case, and those they become."""
    known = [chr(number) for number in range(_LAST_CASED) if not 0xD800 <= number < 0xE000]
    changed = [(each, made) for each in known if (made := of(each)) != each]
    return "".join(each for each, _ in changed), "".join(made for _, made in changed)


def _lower(x: str) -> str:
    """Character by character, but for texts of one byte a character, in which there is nothing to differ in."""
    before, after = map(quoted_text, _exchanged(lower))
    return (
        f"(CASE WHEN octet_length({x}) = char_length({x}) THEN lower({x}) ELSE translate({x}, {before}, {after}) END)"
    )


def _upper(x: str) -> str:
    before, after = map(quoted_text, _exchanged(upper))
    return (
        f"(CASE WHEN octet_length({x}) = char_length({x}) THEN upper({x}) ELSE translate({x}, {before}, {after}) END)"
    )


def _substring(x: str, start: str, length: str | None = None) -> str:
    """Spark takes position 0 for 1; here it is one before the first character, and counts."""
    first = whole_of(start)
    if length is None:
        return f"substring({x}, {max(1, first)})"
    end = max(0, first - 1 + whole_of(length))
    return f"substring({x}, {max(1, first)}, {max(0, end - max(0, first - 1))})"


def pattern_of(pattern: str) -> str:
    """A regular expression for a pattern of LIKE, each piece of which is found as early as it can be, and once."""
    first, *rest = pattern.split("%")
    parts = [f"(?>{_piece(first)})"] if first else []
    parts += [f"(?>.*?{_piece(piece)})" for piece in rest[:-1] if piece]
    if rest and rest[-1]:
        parts.append(f"(?>.*{_piece(rest[-1])})")  # the last place it is in, which is the end if that is one
    return rf"(?s)\A{_grouped(parts)}" + (r"\z" if not rest or rest[-1] else "")


def _piece(text: str) -> str:
    """A part of a pattern without %: as many characters as it has."""
    return _grouped([_run(run) for run in re.findall("_+|[^_]+", text, re.DOTALL)])


def _run(text: str) -> str:
    if text[0] != "_":
        return "".join(c if c.isalnum() else f"\\x{{{ord(c):x}}}" for c in text)
    return f".{{{len(text)}}}" if len(text) > 1 else "."


def _grouped(parts: Sequence[str]) -> str:
    """The parts one after the other, a few to a group: each group is left before the next is entered."""
    made = list(parts)
    while len(made) > _DEEP:
        made = [f"(?>{''.join(made[at : at + _DEEP])})" for at in range(0, len(made), _DEEP)]
    return "".join(made)


def _like(x: str, constant: str) -> str:
    """A pattern with one piece is looked for as it is; others are regular expressions."""
    pattern = text_of(constant)
    piece = quoted_text(pattern.strip("%"))
    inner = pattern.strip("%")
    if "_" not in pattern and "%" not in inner and inner:
        begins, ends = pattern.startswith("%"), pattern.endswith("%")
        if begins or ends:
            return f"{'contains' if begins and ends else 'endswith' if begins else 'startswith'}({x}, {piece})"
        return f"({x} = {piece})"
    return f"({x} RLIKE {quoted_text(pattern_of(pattern))})"


def _ilike(x: str, constant: str) -> str:
    return _like(_lower(x), quoted_text(lower(text_of(constant))))


SPARK: dict[str, Callable[..., str]] = {
    "sign": lambda x: f"(nanvl(signum({x}), 0D) + 0D)",  # -0 is 0
    "floor": floor,
    "ceil": _ceil,
    "trunc": _trunc,
    "round": _round,
    "pow": _pow,
    "lower": _lower,
    "upper": _upper,
    "trim": lambda x: f"trim(BOTH {quoted_text(SPACES)} FROM {x})",
    "substring": _substring,
    "starts_with": lambda x, y: f"startswith({x}, {y})",
    "like": _like,
    "ilike": _ilike,
    "dayofweek": lambda x: f"CAST(date_part('dow', {x}) - 1 AS DOUBLE)",
    "hour": lambda x: f"CAST(hour(CAST({x} AS TIMESTAMP_NTZ)) AS DOUBLE)",
    "minute": lambda x: f"CAST(minute(CAST({x} AS TIMESTAMP_NTZ)) AS DOUBLE)",
}
"""By the names of operations; operands are prepared, and constants are ours."""
