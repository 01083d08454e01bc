"""What callers give, checked once at the door."""

import re

from sfumato.accounting.events import Event
from sfumato.errors import InvalidParameter
from sfumato.ledger.accounts import Holder
from sfumato.ledger.outcomes import Receipt

LONGEST_QUESTION = 20_000
"""The most characters of a question's text."""
_LONGEST_NAME = 200
_NAME = re.compile(r"[^\x00-\x1f\x7f\ud800-\udfff]{1,200}")
_HASH = re.compile(r"[0-9a-f]{64}")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def name(what: str, value: object) -> str:
    """A plain name."""
    if isinstance(value, str) and 0 < len(value) <= _LONGEST_NAME and value.isprintable():  # most are; this is quick
        return value
    if not _matches(_NAME, value):
        raise InvalidParameter(what, "must be text of 1 to 200 characters without control characters", value)
    return str(value)


def label(value: object) -> str:
    """A name, or nothing."""
    return "" if value == "" else name("label", value)


def question(value: object) -> str:
    """A question's text, kept as it is given."""
    if value == "":
        return ""
    if not isinstance(value, str) or _SURROGATE.search(value):
        raise InvalidParameter("question", "must be text that UTF-8 can write, found", type(value))
    if len(value) > LONGEST_QUESTION:
        raise InvalidParameter("question", f"must be at most {LONGEST_QUESTION} characters, found", len(value))
    return value


def request_hash(value: object) -> str:
    """A SHA-256 as text."""
    if not _matches(_HASH, value):
        raise InvalidParameter("request_hash", "must be a SHA-256 in lower-case hexadecimal", value)
    return str(value)


def event(what: str, value: object) -> Event:
    """An event of the accountant."""
    if not isinstance(value, Event):
        raise InvalidParameter(what, "must be an event", value, hint="see sfumato.accounting.events")
    return value


def holder(value: object) -> Holder:
    """A dataset alone, or a dataset and a principal."""
    parts = value if isinstance(value, tuple) and len(value) == 2 else (value, None)
    return name("dataset", parts[0]), "" if parts[1] is None else name("principal", parts[1])


def receipt(value: object) -> Receipt:
    """A receipt."""
    if not isinstance(value, Receipt):
        raise InvalidParameter("receipt", "must be what `reserve` gave", value)
    return value


def _matches(form: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and form.fullmatch(value) is not None
