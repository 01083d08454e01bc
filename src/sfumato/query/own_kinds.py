"""What a person's own rows may add up to: aggregates that stay inside, so they are exact. A kind is one record.

They are the same whatever order the rows come in: numbers are added up in whole steps.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

from sfumato.data import Kind
from sfumato.query.expression import Expression
from sfumato.query.range import Range

Of = Expression | None


class OwnWriter(Protocol):
    """What the SQL of a person's own aggregates is written with."""

    def sql(self, expression: Expression) -> str:
        """An expression over one row."""
        ...

    def present(self, expression: Expression) -> str:
        """Whether an expression has a value."""
        ...

    def whole_steps(self, of: Expression) -> str:
        """The steps of a bounded number, as 64 bits."""
        ...

    def in_steps(self, made: str, step: Fraction) -> str:
        """So many steps as a double."""
        ...

    def summed(self, made: str, where: str = "") -> str:
        """The sum of whole numbers, of the rows that a FILTER leaves."""
        ...

    def over(self, made: str, count: str) -> str:
        """A double divided by a number of rows; NULL where there are none."""
        ...

    def is_whole(self, of: Expression) -> bool:
        """Whether a number is whole as it stands."""
        ...

    def as_whole(self, made: str) -> str:
        """The same as 64 bits; NULL where it is too large."""
        ...


@dataclass(frozen=True)
class OwnKind:
    """An aggregate over one person's rows: its kind, its range where at most so many rows count, and its SQL."""

    name: str
    gives: Callable[[Of], Kind]
    range: Callable[[Of, Fraction], Range]
    sql: Callable[[Of, str, OwnWriter], str]
    """Of what, the FILTER of its rows, and what it is written with."""
    of_bounded_numbers: bool = False


def _given(of: Of) -> Expression:
    assert of is not None
    return of


def _counted(of: Of, most: Fraction) -> Range:
    del of
    return Range(Fraction(0), most, Fraction(1))


def _summed(of: Of, most: Fraction) -> Range:
    found = _given(of).range
    low, high = found.lower or Fraction(0), found.upper or Fraction(0)
    return Range(most * min(low, Fraction(0)), most * max(high, Fraction(0)), found.step)


def _same(of: Of, most: Fraction) -> Range:
    del most
    return _given(of).range


def _between(of: Of, most: Fraction) -> Range:
    del most
    return replace(_given(of).range, grid=None)


def _kept(of: Of, write: OwnWriter) -> str:
    """An expression where it has a value: NaN is none."""
    return f"CASE WHEN {write.present(_given(of))} THEN {write.sql(_given(of))} END"


def _sum(of: Of, where: str, write: OwnWriter) -> str:
    made = write.summed(write.whole_steps(_given(of)), where)
    return write.as_whole(made) if write.is_whole(_given(of)) else write.in_steps(made, _given(of).range.step)


def _avg(of: Of, where: str, write: OwnWriter) -> str:
    steps = write.whole_steps(_given(of))
    return write.over(write.in_steps(write.summed(steps, where), _given(of).range.step), f"count({steps}){where}")


def _extreme(word: str, of: Of, where: str, write: OwnWriter) -> str:
    """The least or the greatest; of truths by numbers, as not every engine puts them in an order."""
    if _given(of).kind is not Kind.BOOLEAN:
        return f"{word}({_kept(of, write)}){where}"
    made = write.sql(_given(of))
    return f"({word}(CASE WHEN {made} THEN 1 WHEN NOT ({made}) THEN 0 END){where} = 1)"


def _whole(of: Of) -> Kind:
    del of
    return Kind.INTEGER


def _real(of: Of) -> Kind:
    del of
    return Kind.REAL


def _own(of: Of) -> Kind:
    return _given(of).kind


OWN_KINDS: dict[str, OwnKind] = {
    each.name: each
    for each in (
        OwnKind("count", _whole, _counted, lambda _, where, write: f"count(*){where}"),
        OwnKind("present", _whole, _counted,
                lambda of, where, write: f"count(CASE WHEN {write.present(_given(of))} THEN 1 END){where}"),
        OwnKind("distinct", _whole, _counted, lambda of, where, write: f"count(DISTINCT {_kept(of, write)}){where}"),
        OwnKind("sum", _own, _summed, _sum, of_bounded_numbers=True),
        OwnKind("avg", _real, _between, _avg, of_bounded_numbers=True),
        OwnKind("min", _own, _same, lambda of, where, write: _extreme("min", of, where, write)),
        OwnKind("max", _own, _same, lambda of, where, write: _extreme("max", of, where, write)),
    )
}  # fmt: skip
"""Every kind by its name in plans and in the ledger."""
