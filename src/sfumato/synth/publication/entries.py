"""Entries of a plan by their types: each is what it must be, or one clear error with a remedy."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from sfumato.core.naming import known_names
from sfumato.data.entries import said
from sfumato.errors import InvalidDeclaration, InvalidParameter
from sfumato.exact.parameters import positive
from sfumato.synth.publication.parts import Columns

_HEAVIEST = 1000


def weight_of(where: str, entry: Mapping[str, Any]) -> Fraction:
    """What each table of a part is worth beside others: one, unless it says so."""
    try:
        weight = positive("weight", entry.get("weight", 1))
    except InvalidParameter:
        weight = Fraction(0)
    if not Fraction(1, _HEAVIEST) <= weight <= _HEAVIEST:
        raise InvalidDeclaration(
            f"{where} weight must be a number from 0.001 to 1000: {said(entry.get('weight'))}", hint="weight = 2"
        )
    return weight


def whole_of(where: str, given: object, *, least: int, most: int) -> int:
    """A whole number within bounds."""
    if not isinstance(given, int) or isinstance(given, bool) or not least <= given <= most:
        raise InvalidDeclaration(
            f"{where} must be a whole number from {least} to {most}: {said(given)}", hint=f"such as {least}"
        )
    return given


def columns_of(where: str, given: object, known: Columns) -> Columns:
    """Some of the plan's columns, in its order."""
    if isinstance(given, str) or not isinstance(given, list | tuple) or not given:
        raise InvalidDeclaration(f"{where} must be lists of columns: {said(given)}", hint='[["ward", "age"]]')
    for name in given:
        if name not in known:
            raise InvalidDeclaration(
                f"{where} names a column that the plan has not: {said(name)}", hint=known_names(name, known)
            )
    if len(set(given)) != len(given):
        raise InvalidDeclaration(f"{where} names a column twice: {', '.join(given)}", hint="name it once")
    return tuple(name for name in known if name in given)
