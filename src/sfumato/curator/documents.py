"""JSON documents: each says its format and version, and one schema that is shipped with the package describes all."""

import json
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from importlib.resources import files
from typing import Any, TypeVar

from sfumato.curator.words import exact_text
from sfumato.errors import InvalidParameter, SfumatoError, outcome_of

T = TypeVar("T")
RELEASE = "sfumato/release"
EXPLANATION = "sfumato/explanation"
ERROR = "sfumato/error"
BUDGET = "sfumato/budget"
LOG = "sfumato/log"
WATCH = "sfumato/watch"
WATCH_ANSWER = "sfumato/watch-answer"
CHECK = "sfumato/check"
REGISTRATION = "sfumato/registration"
FAILURES = "sfumato/failures"
UNLOCK = "sfumato/unlock"
DEMO = "sfumato/demo"
VERSIONS = {
    RELEASE: 2, EXPLANATION: 2, ERROR: 1, BUDGET: 2, LOG: 2, WATCH: 1, WATCH_ANSWER: 1, CHECK: 2, REGISTRATION: 2,
    FAILURES: 2, UNLOCK: 2, DEMO: 2,
}  # fmt: skip
"""The version of each format that is written; it is raised when a field is taken away or means something else."""
_EXACT = re.compile(r"-?[0-9]{1,4000}(\.[0-9]{1,4000}|/[0-9]{1,4000})?")
_AGAIN = "ask the same question again, which is free: sfumato sql '…' --json"


def schema() -> dict[str, Any]:
    """The JSON schema of every document that leaves."""
    found: dict[str, Any] = json.loads(files("sfumato.curator").joinpath("schema.json").read_text(encoding="utf-8"))
    return found


def headed(form: str) -> dict[str, Any]:
    """How a document begins."""
    return {"format": form, "version": VERSIONS[form]}


def read_header(document: object, form: str) -> None:
    """Refuse a document of another format or version, with what to do instead."""
    if not isinstance(document, Mapping):
        raise InvalidParameter(
            "document", "must be what JSON text holds, found", type(document).__name__,
            hint="Release.from_json(json.loads(text))",
        )  # fmt: skip
    if "format" not in document and "receipt" in document:
        raise InvalidParameter("document", "must say its format; this is what 0.1 wrote:", "no format", hint=_AGAIN)
    if document.get("format") != form:
        hint = f"give what has {json.dumps({'format': form})}, such as: sfumato sql '…' --json"
        raise InvalidParameter("document", f"must be of format {form}", document.get("format"), hint=hint)
    if document.get("version") != VERSIONS[form]:
        raise InvalidParameter("document", f"must be of version {VERSIONS[form]}", document.get("version"), hint=_AGAIN)


def amount_json(value: Fraction | None) -> dict[str, Any] | None:
    """An amount as a number, which may be rounded, and as exact text.

    >>> amount_json(Fraction(1, 3))
    {'number': 0.3333333333333333, 'exact': '1/3'}
    """
    return None if value is None else {"number": float(value), "exact": exact_text(value)}


def read_field(document: Mapping[str, Any], name: str, read: Callable[[Any], T]) -> T:
    """What a field holds; a field that is missing or damaged is named."""
    try:
        return read(document[name])
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
        what = "damaged" if name in document else "missing"
        raise InvalidParameter(
            "document", f"must hold {name} as the schema says, found it", what, hint=_AGAIN
        ) from None


def read_amount(value: Mapping[str, Any]) -> Fraction:
    """The exact amount of such a pair."""
    if not _EXACT.fullmatch(value["exact"]):  # an exponent could ask for any number of digits
        raise ValueError("exact amounts are decimals or ratios")
    return Fraction(value["exact"])


def error_json(error: SfumatoError) -> dict[str, Any]:
    """A refusal or a failure as JSON values: its code, its words, its place, and every budget that refuses."""
    return {
        **headed(ERROR),
        "code": outcome_of(error).code,
        "problem": error.problem,
        "hint": error.hint,
        "line": getattr(error, "line", None),
        "column": getattr(error, "column", None),
        "shortfalls": [shortfall_json(each) for each in getattr(error, "shortfalls", ())],
    }


def shortfall_json(short: Any) -> dict[str, Any]:
    """A budget that refuses."""
    names = ("dataset", "group", "principal", "period", "currency")
    whose = {name: getattr(short, name) for name in names}
    return {**whose, "cost": amount_json(short.cost), "left": amount_json(short.left)}
