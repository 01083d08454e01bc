"""Names that are nearly right: what was meant, among names that are declared and public, never among cells."""

from collections.abc import Iterable
from difflib import get_close_matches

_NEAR = 0.7
"""How alike two names must be, by the letters that they share in order: 1 is the same name."""
_LONGEST = 200
_NAMED = 20


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """The question that a hint asks of a name that is not there, or nothing where no name is near.

    `known` is what was declared: tables, columns, commands, settings; values of a column are never suggested.

    >>> did_you_mean("visit", ["patients", "visits"]), did_you_mean("x", ["patients", "visits"])
    ('did you mean `visits`?', '')
    """
    if not isinstance(name, str) or not 0 < len(name) <= _LONGEST:
        return ""
    spelled: dict[str, str] = {}
    for each in known:
        spelled.setdefault(each.casefold(), each)
    found = get_close_matches(name.casefold(), spelled, n=1, cutoff=_NEAR)
    return f"did you mean `{spelled[found[0]]}`?" if found else ""


def known_names(name: object, known: Iterable[str]) -> str:
    """A hint for a name that is not there: the one that was meant if it can be told, and which names there are.

    >>> known_names("wrad", ["ward", "days"])
    'did you mean `ward`? known: ward, days'
    """
    names = list(known)
    asked = did_you_mean(name, names)
    told = f"known: {', '.join(names[:_NAMED])}{', …' if names[_NAMED:] else ''}" if names else "none are known"
    return f"{asked} {told}" if asked else told
