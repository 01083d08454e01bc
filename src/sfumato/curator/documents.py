"""JSON documents: each says its format and version, and one schema that is shipped with the package describes all."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from importlib.resources import files
from typing import Any, TypeVar

from sfumato.curator.words import exact_text, six_digits
from sfumato.errors import InvalidParameter, SfumatoError, outcome_of
from sfumato.ledger import Caps

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
PROFILE = "sfumato/profile"
FAILURES = "sfumato/failures"
UNLOCK = "sfumato/unlock"
DEMO = "sfumato/demo"
PUBLICATION_EXPLANATION = "sfumato/publication-explanation"
VERSIONS = {
    RELEASE: 2, EXPLANATION: 4, ERROR: 1, BUDGET: 2, LOG: 2, WATCH: 1, WATCH_ANSWER: 1, CHECK: 2, REGISTRATION: 2,
    PROFILE: 1, FAILURES: 2, UNLOCK: 2, DEMO: 2, PUBLICATION_EXPLANATION: 1,
}  # fmt: skip
"""The version of each format that is written; it is raised when a field is taken away or means something else."""
_EXACT = re.compile(r"-?[0-9]{1,4000}(\.[0-9]{1,4000}|/[0-9]{1,4000})?")
_APART = ("release", "secret", "declaration")  # of an entry, for those who may read the ledger itself
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


def readable_json(value: Fraction) -> dict[str, Any]:
    """An amount with a text of six digits beside, for who reads the document by eye.

    >>> readable_json(Fraction(1, 3))
    {'text': '0.333333', 'number': 0.3333333333333333, 'exact': '1/3'}
    """
    return {"text": six_digits(value), "number": float(value), "exact": exact_text(value)}


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


# ---- budgets and entries of the ledger ----


def caps_json(caps: Caps) -> list[dict[str, Any]]:
    """Every declared cap: the dataset's, the principals' and the groups', by periods."""
    whose = [("", "", caps.limits)]
    whose += [(principal, "", limits) for principal, limits in caps.principals.items()]
    whose += [("", group, limits) for group, limits in caps.groups.items()]
    return [
        {"principal": principal, "group": group, "period": period, **budget_json(budget.text)}
        for principal, group, limits in whose
        for period, budget in limits.periods().items()
    ]


def budget_json(text: str) -> dict[str, Any]:
    """A cap as the ledger writes it: its currency and its amounts."""
    kept = json.loads(text)
    whole = kept.get("epsilon", kept.get("rho"))
    return {
        "currency": kept["kind"],
        "cap": amount_json(Fraction(whole)),
        "delta_cap": amount_json(Fraction(kept["delta"])),
    }


def entry_json(body: Mapping[str, Any]) -> dict[str, Any]:
    """An entry of the ledger: its caps and charges as amounts, all else as it was hashed."""
    made = {name: value for name, value in body.items() if name not in _APART}
    if "limits" in made:
        made["limits"] = [{"period": period, **budget_json(text)} for period, text in made["limits"].items()]
    if "charged" in made:
        joined = made["kind"] == "join"  # by the periods of the group, and not by currencies
        made["charged"] = [_charge_json(name, price, joined=joined) for name, price in made["charged"].items()]
    return made


def _charge_json(name: str, price: Sequence[str], *, joined: bool) -> dict[str, Any]:
    """A charge: an amount, or one for each order of a Rényi curve, where one without end is null; and δ."""
    currency, *orders = [""] if joined else name.split(" ")
    *amounts, delta = (None if each == "inf" else amount_json(Fraction(each)) for each in price)
    return {
        **({"period": name} if joined else {"currency": currency}),
        "amounts": amounts,
        "orders": [amount_json(Fraction(order)) for order in orders],
        "delta": delta,
    }
