"""Canonical JSON: one text for one value, so that its hash means it; and strict reading."""

import hashlib
import json
from typing import Any, NoReturn

from sfumato.errors import InvalidParameter

_encode = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False
).encode


quoted = json.encoder.encode_basestring
"""A text as canonical JSON writes it."""


def canonical(value: Any) -> str:
    """The one JSON text of a value: keys sorted, nothing between.

    >>> canonical({"b": 1, "a": [True, "x"]})
    '{"a":[true,"x"],"b":1}'
    """
    return _encode(value)


def read_object(name: str, text: object) -> dict[str, Any]:
    """A JSON object from text; a key that occurs twice, a float or a constant such as NaN is refused."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(items)
        if len(found) != len(items):
            twice = sorted({key for key, _ in items if sum(other == key for other, _ in items) > 1})
            raise InvalidParameter(name, "has a key twice", twice[0])
        return found

    def inexact(token: str) -> NoReturn:
        raise InvalidParameter(name, "must write amounts as text, found the number", token)

    if not isinstance(text, str):
        raise InvalidParameter(name, "must be JSON text", text)
    try:
        data = json.loads(text, object_pairs_hook=pairs, parse_float=inexact, parse_constant=inexact)
    except json.JSONDecodeError as error:
        raise InvalidParameter(name, f"is not JSON (position {error.pos})", text) from None
    if not isinstance(data, dict):
        raise InvalidParameter(name, "must be a JSON object", text)
    return data


def name_of(*parts: str) -> bytes:
    """What a key is kept as: sixteen bytes of the SHA-256 of its parts."""
    return hashlib.sha256("\n".join(parts).encode()).digest()[:16]


GENESIS = "0" * 64
"""The head of a chain without entries."""


def link(head: str, body: str) -> str:
    """The head of the chain after an entry."""
    return hashlib.sha256(f"{head}\n{body}".encode()).hexdigest()
