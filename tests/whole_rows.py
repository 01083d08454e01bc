"""Exact columns in whole rows, whatever parts of a row they are computed in."""

from fractions import Fraction

from sfumato.engines import ExactTable
from sfumato.query import PricedQuery


def columns(query: PricedQuery, table: ExactTable) -> list[list[int | Fraction]]:
    """Every column of an exact table, one number a group: whole where it is."""
    found = []
    for each, start in zip(query.priced, query.measures.starts, strict=True):
        for at in range(start, start + each.measure.columns):
            if at in table.columns:
                found.append([_plain(Fraction(int(value), 1 << each.bits)) for value in table.columns[at]])
    return found


def _plain(value: Fraction) -> int | Fraction:
    return int(value) if value.denominator == 1 else value
