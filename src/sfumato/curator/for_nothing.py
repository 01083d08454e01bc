"""Answers about public tables alone: exact, without noise, charge or entry in the ledger, as nobody is in them."""

from fractions import Fraction

from sfumato.curator.release import AnswerColumn, Cost, Left, Note, Release
from sfumato.engines.engine import PublicRows
from sfumato.query.bars import Bar

FREE = Cost(Fraction(0), None, Fraction(0))
_SURE = Fraction(95, 100)


def exact_release(found: PublicRows, remaining: tuple[Left, ...]) -> Release:
    """What was found, as a release that cost nothing, has no receipt, and says that nothing is protected in it."""
    columns, rows = found
    return Release(
        schema=tuple(AnswerColumn(name, kind, "key") for name, kind in columns),
        bars=tuple(tuple(Bar(value) for value in row) for row in rows),
        cost=FREE,
        confidence=_SURE,
        remaining=remaining,
        receipt="",
        sequence=0,
        repeated=False,
        notes=(Note.of("public"),),
    )
