"""Upper and lower case on every server as the records have them: one character for one, of Unicode 14.

Texts of ASCII alone are changed by the collation "C". PostgreSQL 17 has a collation for all others that does not depend
on the system it runs on; what it says of letters that are newer is left out, letter by letter. PostgreSQL 16 has none:
there a table of all letters is written out.
"""

import sys
from collections.abc import Callable
from functools import cache

from sfumato.engines.postgres.binding import bound
from sfumato.query.functions.casing import LATER, lower, upper

COLLATION = 'COLLATE "C"'
"""Of every text: characters by their numbers."""
_UNICODE = 'COLLATE "pg_c_utf8"'
_SURROGATES = range(0xD800, 0xE000)


def lowered(text: str, *, unicode: bool) -> str:
    """A text in lower case; `unicode` tells whether the server has a collation of its own for it."""
    return _changed(text, "lower", lower, lambda x: x, unicode=unicode)


def raised(text: str, *, unicode: bool) -> str:
    """A text in upper case, in which ß has one."""
    return _changed(text, "upper", upper, lambda x: f"translate({x}, 'ß', 'ẞ')", unicode=unicode)


def _changed(
    text: str, function: str, of: Callable[[str], str], before: Callable[[str], str], *, unicode: bool
) -> str:  # fmt: skip
    def other(x: str) -> str:
        if not unicode:
            return "translate({}, '{}', '{}')".format(x, *_table(of))
        whole = f"({function}({before(x)} {_UNICODE}) {COLLATION})"
        letter = f"({function}({before('letter')} {_UNICODE}) {COLLATION})"
        letters = f"unnest(string_to_array({x}, NULL)) WITH ORDINALITY AS letters (letter, place)"
        one = f"CASE WHEN letter {COLLATION} ~ '{LATER.pattern}' THEN letter ELSE {letter} END"
        by_letter = f"(SELECT string_agg({one}, '' ORDER BY place) FROM {letters})"
        return f"CASE WHEN {x} ~ '{LATER.pattern}' THEN {by_letter} ELSE {whole} END"

    def body(x: str) -> str:
        ascii_only = f"octet_length({x}) = length({x})"
        return f"(CASE WHEN {ascii_only} THEN {function}({x} {COLLATION}) ELSE {other(x)} END) {COLLATION}"

    return bound((f"{text} {COLLATION}",), body)


@cache
def _table(of: Callable[[str], str]) -> tuple[str, str]:
    """All characters that have another case, and which."""
    every = (chr(code) for code in range(1, sys.maxunicode + 1) if code not in _SURROGATES)
    pairs = [(each, made) for each in every if (made := of(each)) != each]
    return "".join(one for one, _ in pairs), "".join(other for _, other in pairs)
