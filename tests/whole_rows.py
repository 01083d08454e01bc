"""Exact columns in whole rows, whatever parts of a row they are computed in."""

from fractions import Fraction

from sfumato.engines import ExactTable
from sfumato.query import PricedQuery


def columns(query: PricedQuery, table: ExactTable) -> list[list[int | Fraction]]:
    """Every column of an exact table, one number a group: whole where it is."""
    return [
        [_plain(Fraction(int(value), 1 << query.bits_of(place))) for value in table.columns[place]]
        for place in sorted(table.columns)
    ]


def _plain(value: Fraction) -> int | Fraction:
    return int(value) if value.denominator == 1 else value
