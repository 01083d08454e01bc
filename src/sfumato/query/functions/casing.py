"""Upper and lower case as engines have them: one character for one, whatever the language and the version of Python.

Python's own `upper` and `lower` follow all of Unicode's rules: ß becomes SS, İ two characters, and a Σ at the end of a
word another letter than elsewhere. Characters that got a case after Unicode 14 are left as they are.
"""

import re

_UPPER = {"ß": "ẞ"}
_LOWER = {"İ": "i"}
LATER = re.compile(
    "[\u019b\u0264\u1c89\u1c8a\ua7cb-\ua7cf\ua7d2-\ua7d5\ua7da-\ua7dc\U00010d50-\U00010d85\U00016ea0-\U00016ed3]"
)
"""Characters that got a case later."""


def upper(text: str) -> str:
    """Every character in upper case, where that is one character.

    >>> upper("straße, ῷ ᾳ ﬁ")
    'STRAẞE, ῷ ᾼ ﬁ'
    """
    return text.upper() if text.isascii() else "".join(map(_raised, text))


def lower(text: str) -> str:
    """Every character in lower case.

    >>> lower("ΌΣΟΣ İ")
    'όσοσ i'
    """
    return text.lower() if text.isascii() else "".join(map(_lowered, text))


def _raised(character: str) -> str:
    if LATER.match(character):
        return character
    made = _UPPER.get(character) or character.upper()
    if len(made) > 1:  # Greek letters with an iota below have a title case of one character
        made = character.title()
    return made if len(made) == 1 else character


def _lowered(character: str) -> str:
    return character if LATER.match(character) else _LOWER.get(character) or character.lower()
