"""Answers about public tables alone: exact, without noise, charge or entry in the ledger, as nobody is in them."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from sfumato.curator.release import AnswerColumn, Cost, Left, Note, Release
from sfumato.data import Kind
from sfumato.query.bars import Bar

FREE = Cost(Fraction(0), None, Fraction(0))
_SURE = Fraction(95, 100)


def exact_release(
    columns: Sequence[tuple[str, Kind]], rows: Sequence[tuple[Any, ...]], remaining: tuple[Left, ...]
) -> Release:
    """What was found, as a release that cost nothing, has no receipt, and says that nothing is protected in it."""
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
