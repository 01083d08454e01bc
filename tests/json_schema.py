"""As much of JSON Schema (draft 2020-12) as our schema uses; a keyword that is not known here is an error, not a pass."""

import re
from collections.abc import Mapping
from typing import Any

_TYPES: Mapping[str, Any] = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, int | float) and not isinstance(v, bool),
}
_SAID = {"$schema", "$id", "$defs", "title", "description"}


def faults(document: Any, schema: Mapping[str, Any]) -> list[str]:
    """Everything by which a document is not what the schema says; empty is valid."""
    return _faults(document, schema, schema, "")


def _faults(value: Any, rule: Mapping[str, Any], root: Mapping[str, Any], at: str) -> list[str]:
    found: list[str] = []
    for keyword, told in rule.items():
        if keyword in _SAID:
            continue
        found += _RULES[keyword](value, told, rule, root, at)
    return found


def _ref(value: Any, told: str, _: Any, root: Mapping[str, Any], at: str) -> list[str]:
    assert told.startswith("#/$defs/")
    return _faults(value, root["$defs"][told.removeprefix("#/$defs/")], root, at)


def _type(value: Any, told: Any, _: Any, __: Any, at: str) -> list[str]:
    names = [told] if isinstance(told, str) else told
    return [] if any(_TYPES[name](value) for name in names) else [f"{at}: no {' or '.join(names)}: {value!r}"]


def _one_of(value: Any, told: list[Any], _: Any, root: Any, at: str) -> list[str]:
    tried = [_faults(value, each, root, at) for each in told]
    valid = sum(not each for each in tried)
    return [] if valid == 1 else [f"{at}: {valid} forms fit", *min(tried, key=len, default=[])]


def _any_of(value: Any, told: list[Any], _: Any, root: Any, at: str) -> list[str]:
    tried = [_faults(value, each, root, at) for each in told]
    return [] if any(not each for each in tried) else min(tried, key=len)


def _properties(value: Any, told: Mapping[str, Any], _: Any, root: Any, at: str) -> list[str]:
    if not isinstance(value, dict):
        return []
    return [
        fault
        for name, rule in told.items()
        if name in value
        for fault in _faults(value[name], rule, root, f"{at}.{name}")
    ]


def _more(value: Any, told: Any, rule: Any, root: Any, at: str) -> list[str]:
    if not isinstance(value, dict):
        return []
    others = [name for name in value if name not in rule.get("properties", {})]
    if told is False:
        return [f"{at}: unknown {name}" for name in others]
    return [fault for name in others for fault in _faults(value[name], told, root, f"{at}.{name}")]


def _items(value: Any, told: Any, _: Any, root: Any, at: str) -> list[str]:
    if not isinstance(value, list):
        return []
    return [fault for i, each in enumerate(value) for fault in _faults(each, told, root, f"{at}[{i}]")]


def _said(valid: bool, at: str, what: str) -> list[str]:
    return [] if valid else [f"{at}: {what}"]


_RULES: Mapping[str, Any] = {
    "$ref": _ref,
    "type": _type,
    "oneOf": _one_of,
    "anyOf": _any_of,
    "properties": _properties,
    "additionalProperties": _more,
    "items": _items,
    "const": lambda v, told, _, __, at: _said(v == told and type(v) is type(told), at, f"not {told!r}"),
    "enum": lambda v, told, _, __, at: _said(v in told, at, f"{v!r} is none of {told}"),
    "required": lambda v, told, _, __, at: [f"{at}: no {n}" for n in told if isinstance(v, dict) and n not in v],
    "pattern": lambda v, told, _, __, at: _said(not isinstance(v, str) or re.search(told, v) is not None, at, f"{v!r} is not {told}"),
    "minItems": lambda v, told, _, __, at: _said(not isinstance(v, list) or len(v) >= told, at, "too few"),
    "maxItems": lambda v, told, _, __, at: _said(not isinstance(v, list) or len(v) <= told, at, "too many"),
}  # fmt: skip
