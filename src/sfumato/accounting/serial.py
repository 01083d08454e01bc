"""Events as JSON, through a closed registry: what is not on the list is not an event."""

import math
import re
from collections.abc import Callable
from dataclasses import MISSING, fields
from fractions import Fraction
from typing import Any

from sfumato.accounting import events
from sfumato.accounting.events import Event
from sfumato.errors import InvalidParameter

PLAIN = (
    events.Pure,
    events.Approximate,
    events.ZCDP,
    events.Renyi,
    events.ShiftedZCDP,
    events.Laplace,
    events.Geometric,
    events.CensoredGeometric,
    events.Gaussian,
    events.DiscreteGaussian,
    events.RandomizedResponse,
    events.Exponential,
    events.PermuteAndFlip,
    events.NoisyMax,
    events.AboveThreshold,
    events.SparseVector,
    events.NonNegativeSparseVector,
    events.Thresholded,
    events.Subsampled,
    events.Shuffled,
    events.Converted,
)
REGISTRY: dict[str, type[Event]] = {
    kind.tag: kind for kind in (*PLAIN, events.Composition, events.Parallel, events.Group)
}
_NUMBER = re.compile(r"-?[0-9]{1,4000}(/[0-9]{1,4000})?")  # Python reads no longer ones
_MOST_DEPTH = 50


def from_json(data: Any) -> Event:
    """The event that `to_json` wrote; anything else is refused by name, and so is what is nested too deeply.

    >>> from_json({"kind": "laplace", "epsilon": "1/10"})
    Laplace(epsilon=Fraction(1, 10))
    """
    if _depth(data) > _MOST_DEPTH:
        raise InvalidParameter("event", "is nested too deeply: at most this many events within each other", _MOST_DEPTH)
    return _event(data)


def _depth(data: Any) -> int:
    """How deeply objects and lists stand within each other, an event's two lists as one level; without recursion."""
    deepest, level = 0, [data]
    while level and deepest < 3 * (_MOST_DEPTH + 1):
        level = [
            part
            for item in level
            if isinstance(item, dict | list)
            for part in (item.values() if isinstance(item, dict) else item)
        ]
        deepest += 1
    return deepest // 3


def _event(data: Any) -> Event:
    if not isinstance(data, dict) or not isinstance(data.get("kind"), str):
        raise InvalidParameter("event", "must be an object with a `kind`", data)
    tag = data["kind"]
    if tag not in REGISTRY:
        raise InvalidParameter("event", "is not known", tag, hint="known events: " + ", ".join(sorted(REGISTRY)))
    given = {key: value for key, value in data.items() if key != "kind"}
    return _SPECIAL[tag](given) if tag in _SPECIAL else _plain(REGISTRY[tag], given)


def _plain(kind: type[Event], given: dict[str, Any]) -> Event:
    expected = {f.name: f for f in fields(kind)}  # type: ignore[arg-type]
    required = {name for name, f in expected.items() if f.default is MISSING}
    _exactly(kind.tag, given, required=required, allowed=set(expected))
    return kind(**{name: _value(value) for name, value in given.items()})


def _exactly(tag: str, given: dict[str, Any], *, required: set[str], allowed: set[str]) -> None:
    for name in sorted(required - set(given)):
        raise InvalidParameter(name, f"is missing from event `{tag}`", given)
    for name in sorted(set(given) - allowed):
        raise InvalidParameter(name, f"is not a field of event `{tag}`", given[name])


def _value(value: Any) -> Any:
    if isinstance(value, dict):
        return _event(value)
    if isinstance(value, str):
        if value == "infinity":
            return math.inf
        if not _NUMBER.fullmatch(value) or ("/" in value and not value.partition("/")[2].strip("0")):
            raise InvalidParameter("number", "must be written as p or p/q of at most 4000 digits each", value[:50])
        return Fraction(value)
    if isinstance(value, float) and math.isfinite(value):
        return Fraction(value)  # as ever: what was stored keeps its meaning, though no version writes a bare float
    return value


def _list(tag: str, given: dict[str, Any]) -> list[Any]:
    _exactly(tag, given, required={"parts"}, allowed={"parts"})
    if not isinstance(given["parts"], list):
        raise InvalidParameter("parts", "must be a list", given["parts"])
    return given["parts"]


def _composition(given: dict[str, Any]) -> Event:
    parts = _list("composition", given)
    for part in parts:
        if not isinstance(part, list) or len(part) != 2:
            raise InvalidParameter("parts", "must hold pairs of an event and how often", part)
    return events.Composition([(_event(event), n) for event, n in parts])


def _parallel(given: dict[str, Any]) -> Event:
    return events.Parallel([_event(part) for part in _list("parallel", given)])


def _group(given: dict[str, Any]) -> Event:
    _exactly("group", given, required={"k", "inner"}, allowed={"k", "inner"})
    return events.Group(given["k"], _event(given["inner"]))


_SPECIAL: dict[str, Callable[[dict[str, Any]], Event]] = {
    "composition": _composition,
    "parallel": _parallel,
    "group": _group,
}
