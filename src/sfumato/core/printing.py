"""What leaves for a terminal, a page, a spreadsheet or a JSON document, escaped for it; values stay what they are.

A released key is somebody's text. On a terminal it could move the cursor, set the window's title or turn the line
around; on a page it could be markup; in a spreadsheet a formula. Every door that shows one goes through here.
"""

import json
import math
import re
import unicodedata
from html import escape
from typing import Any

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None
"""A JSON value."""

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Controls, marks of direction and joiners, halves of characters, what has no picture, and breaks of lines."""
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def _escaped(character: str) -> str:
    code = ord(character)
    return _SHORT.get(character) or (
        f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    )


def for_terminal(text: str, *, lines: bool = False) -> str:
    """A text in which every character has a picture; with `lines` it may have several.

    >>> for_terminal("red\\x1b[31m \\u202eeman"), for_terminal("two\\nlines", lines=True) == "two\\nlines"
    ('red\\\\x1b[31m \\\\u202eeman', True)
    """
    if text.isascii() and text.isprintable():  # most are, and this is quick
        return text
    return "".join(
        character
        if (character == "\n" and lines) or unicodedata.category(character) not in _UNSEEN
        else _escaped(character)
        for character in text
    )


def for_page(text: str) -> str:
    """A text as HTML.

    >>> for_page("<b>\\x00")
    '&lt;b&gt;\\\\x00'
    """
    return escape(for_terminal(text))


def for_csv(cell: object) -> str:
    """A cell that no spreadsheet takes for a formula: one that looks like it has an apostrophe before it.

    >>> for_csv("=1+2"), for_csv("-5.5"), for_csv("-x")
    ("'=1+2", '-5.5', "'-x")
    """
    text = for_terminal(str(cell))
    risky = text.lstrip()[:1] in ("=", "+", "-", "@", "＝", "＋", "－", "＠") or text.startswith(("\\t", "\\r", "\\n"))
    return f"'{text}" if risky and not _NUMBER.fullmatch(text) else text


def for_json(value: object) -> Json:
    """A value as JSON can hold it: numbers without end, and what is no number, are texts.

    >>> for_json([1.5, float("inf"), {"x": float("nan")}])
    [1.5, 'inf', {'x': 'nan'}]
    """
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if isinstance(value, dict):
        return {str(name): for_json(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [for_json(inner) for inner in value]
    plain: Any = value
    held: Json = plain  # what is no container is taken as it is: writing it as text refuses what JSON has not
    return held


def json_text(value: Any, *, ascii_only: bool = False) -> str:
    """A JSON document on one line, which can be shown on a terminal: what has no picture is escaped as JSON does it.

    >>> json_text({"k": "é\\u202e\\x9b"})
    '{"k": "é\\\\u202e\\\\u009b"}'
    """
    text = json.dumps(for_json(value), ensure_ascii=ascii_only, allow_nan=False)
    if text.isascii() and text.isprintable():
        return text
    return "".join(_as_json(each) if unicodedata.category(each) in _UNSEEN else each for each in text)


def _as_json(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else json.dumps(character)[1:-1]
