"""Constants of a question: numbers, days and moments."""

from collections.abc import Callable
from datetime import date, datetime
from math import isfinite

from sqlglot import exp

from sfumato.data import Kind
from sfumato.query.expression import Expression, Literal
from sfumato.query.parse import refused


def number(text: str, node: exp.Expression, question: str) -> Literal:
    """A constant number: whole if it is written so and fits, else a float."""
    if text.isdigit() and len(text) < 20 and int(text) < 2**63:
        return Literal(int(text), Kind.INTEGER)
    try:
        value = float(text)
    except ValueError:
        raise refused(f"not a number: {text[:40]}", node, question) from None
    if not isfinite(value):
        raise refused(f"the number is too large: {text[:40]}", node, question, hint="write a smaller one")
    return Literal(value, Kind.REAL)


def decimals(node: exp.Expression, read: Callable[[exp.Expression], Expression]) -> bool | None:
    """Whether a sum or product of constants and whole numbers has a point; None if it is something else.

    DuckDB computes these exactly, as decimals.

    >>> texts = ("-2.5", "7 * 0.5", "2", "1e3 + 0.5", "x * 0.5")
    >>> [decimals(exp.maybe_parse(text), lambda _: Literal(1.5, Kind.REAL)) for text in texts]
    [True, True, False, None, None]
    """
    match node:
        case exp.Literal() if not node.is_string and "e" not in node.name.lower():
            return "." in node.name
        case exp.Column():
            return False if read(node).kind is Kind.INTEGER else None
        case exp.Paren() | exp.Neg():
            return decimals(node.this, read)
        case exp.Add() | exp.Sub() | exp.Mul():
            sides = [decimals(each, read) for each in (node.this, node.expression)]
            return None if None in sides else True in sides
        case _:
            return None


def dated(a: Expression, b: Expression, at: exp.Expression, text: str) -> Expression:
    """A text constant beside a date is that date."""
    if type(a) is Literal and a.kind is Kind.TEXT and b.kind.is_time:
        return date_literal(a, b.kind, at, text)
    return a


def date_literal(of: Literal, kind: Kind, at: exp.Expression, text: str) -> Literal:
    """The day or moment that a text writes."""
    try:
        moment = datetime.fromisoformat(str(of.value))
    except ValueError:
        raise refused(f"not a date: '{str(of.value)[:40]}'", at, text, hint="write '2026-01-31'") from None
    if kind is Kind.DATE:
        return Literal(date(moment.year, moment.month, moment.day), kind)
    return Literal(moment.replace(tzinfo=None), kind)
