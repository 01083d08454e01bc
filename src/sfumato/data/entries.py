"""Entries of a declaration by their types: each is what it must be, or one clear error that shows no cell."""

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

from sfumato.core.naming import did_you_mean, known_names
from sfumato.data.addresses import has_password
from sfumato.errors import InvalidDeclaration, shown

_LONGEST_NAME = 200


def said(value: object) -> str:
    """A value as an error shows it: what an owner writes, and of anything else, such as a table, its type alone."""
    if isinstance(value, str) and has_password(value):
        return "a text with a password in it"
    if value is None or isinstance(value, str | int | float | Decimal | Fraction | date):
        return shown(str(value)) if isinstance(value, Decimal | Fraction | date) else shown(value)
    return f"a {type(value).__name__}"


def mapping(where: str, given: Any, hint: str = 'a table of TOML: name = "value"') -> Mapping[str, Any]:
    """A table, whose names are text."""
    if not isinstance(given, Mapping):
        raise InvalidDeclaration(f"{where} must be a table of names and values: {said(given)}", hint=hint)
    for name in given:
        if not isinstance(name, str):
            raise InvalidDeclaration(
                f"{where}: a name must be text: {said(name)}", hint=f'write it in quotes: "{name}"'
            )
        utf8(where, name)
    return given


def only(where: str, given: Mapping[str, Any], known: Iterable[str]) -> None:
    """Refuse an entry that nothing reads."""
    for entry in given:
        if entry not in known:
            raise InvalidDeclaration(f"{where} has an unknown entry `{entry}`", hint=known_names(entry, sorted(known)))


def once(where: str, names: Iterable[str]) -> None:
    """Refuse names that are one name: letters of either case are the same."""
    seen: dict[str, str] = {}
    for name in names:
        if name.lower() in seen:
            raise InvalidDeclaration(
                f"{where} stands there twice: `{seen[name.lower()]}` and `{name}`",
                hint="keep one of them: letters of either case are the same",
            )
        seen[name.lower()] = name


def text(where: str, given: Any, hint: str = "") -> str:
    """A text that can be written anywhere."""
    if not isinstance(given, str):
        raise InvalidDeclaration(
            f"{where} must be text: {said(given)}", hint=hint or f'for example {where.rsplit(maxsplit=1)[-1]} = "…"'
        )
    return utf8(where, given)


def utf8(where: str, given: str) -> str:
    """A text without halves of characters, which no file and no reader takes."""
    try:
        given.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidDeclaration(f"{where}: a text is not UTF-8: {said(given)}", hint="write it anew") from None
    return given


def name_of(where: str, given: Any) -> str:
    """A name that the ledger can keep."""
    made = text(where, given)
    if not 1 <= len(made) <= _LONGEST_NAME or any(ord(sign) < 32 or ord(sign) == 127 for sign in made):
        raise InvalidDeclaration(
            f"{where} must have 1 to {_LONGEST_NAME} characters that can be seen: {said(made)}",
            hint="a short word, such as clinic",
        )
    return made


def names(where: str, given: Any, example: str = "ssn") -> tuple[str, ...]:
    """A list of texts."""
    entry = where.rsplit(maxsplit=1)[-1]
    if not isinstance(given, list | tuple):
        shown_as = given if isinstance(given, str) and len(given) < _LONGEST_NAME else example
        raise InvalidDeclaration(f"{where} must be a list: {said(given)}", hint=f'for example {entry} = ["{shown_as}"]')
    return tuple(text(where, each, f'for example {entry} = ["{example}"]') for each in given)


def one_of(where: str, given: Any, known: Iterable[str]) -> str:
    """One of the known words."""
    if not isinstance(given, str) or given not in tuple(known):
        told = ", ".join(each for each in known if each)
        near = did_you_mean(given, known)
        raise InvalidDeclaration(f"{where} must be one of {told}: {said(given)}", hint=near or f"known: {told}")
    return given


def truth(where: str, given: Any) -> bool:
    """True or false."""
    if not isinstance(given, bool):
        raise InvalidDeclaration(
            f"{where} must be true or false: {said(given)}",
            hint=f"{where.rsplit(maxsplit=1)[-1]} = true, without quotes",
        )
    return given


def dotted(where: str, given: Any) -> tuple[str, str]:
    """A table and a column of it, whose name may hold dots itself: a table's does not."""
    table, _, column = text(where, given, 'for example "users.user_id"').partition(".")
    if not table or not column:
        raise InvalidDeclaration(f"{where} must be table.column: {said(given)}", hint='for example "users.user_id"')
    return table, column
