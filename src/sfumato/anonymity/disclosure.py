"""What statistical offices did before: top-coding, swapping, noise in the records (Survey §1.3)."""

from collections.abc import Sequence
from typing import Any

from sfumato.anonymity.tables import Microdata
from sfumato.errors import InvalidParameter
from sfumato.exact import BitSource, choice, discrete_laplace, permutation
from sfumato.exact.parameters import Real, cell, positive, probability


def top_code(values: Sequence[Any], *, limit: Real) -> list[Any]:
    """The values with those above a limit replaced by the limit.

    >>> top_code([31, 44, 97], limit=80)
    [31, 44, 80]
    """
    ceiling = positive("limit", limit)
    return [limit if cell("values", value) > ceiling else value for value in values]


def swap(table: Microdata, columns: Sequence[str], *, share: Real, bits: BitSource | None = None) -> Microdata:
    """The table with some columns exchanged between pairs of rows, for about a share of the rows.

    Every column keeps its values, and so its counts; what is lost is who they belong to.
    """
    part = probability("share", share)
    if not columns:
        raise InvalidParameter("columns", "must be at least one", columns)
    pairs = int(part * len(table)) // 2
    chosen = choice(len(table), 2 * pairs, bits=bits)
    order = list(range(len(table)))
    for one, other in zip(chosen[:pairs].tolist(), chosen[pairs:].tolist(), strict=True):
        order[one], order[other] = order[other], order[one]
    for name in columns:
        values = table.column(name)
        table = table.with_column(name, [values[place] for place in order])
    return table


def inject_noise(values: Sequence[int], *, scale: Real, bits: BitSource | None = None) -> list[int]:
    """Whole numbers with discrete Laplace noise each: noise in the records, which is not noise in the answers.

    It is private in the local sense only if `scale` covers the whole range a value may have.
    """
    drawn = discrete_laplace(positive("scale", scale), max(1, len(values)), bits=bits)
    return [int(value) + int(noise) for value, noise in zip(values, drawn, strict=False)]


def shuffled(table: Microdata, *, bits: BitSource | None = None) -> Microdata:
    """The rows in random order, as the order of records can itself tell who they are."""
    order = permutation(len(table), bits=bits)
    return Microdata(table.columns, tuple(table.rows[place] for place in order.tolist()))
