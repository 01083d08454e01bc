"""Names that are nearly right: what was meant, among names that are declared, never among cells."""

from collections.abc import Iterable
from difflib import get_close_matches

_NEAR = 0.7
_LONGEST = 200


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The question that a hint asks of a name that is not there, or nothing where no name is near.

    >>> did_you_mean("visit", ["patients", "visits"]), did_you_mean("x", ["patients", "visits"])
    ('did you mean `visits`?', '')
    """
    spelled: dict[str, str] = {}
    for each in known:
        spelled.setdefault(each.casefold(), each)
    found = get_close_matches(name.casefold(), spelled, n=1, cutoff=_NEAR) if len(name) <= _LONGEST else []
    return f"did you mean `{spelled[found[0]]}`?" if found else ""
