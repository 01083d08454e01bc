"""Sums that move further than they say: rounding, order and overflow (Casacuberta, Shoemate, Vadhan, Wagaman 2022)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.audit.pairs import Inputs
from sfumato.core import Change
from sfumato.errors import InvalidParameter, shown
from sfumato.exact.parameters import cell, rational

Aggregate = Callable[[Sequence[Any]], Any]
_MOST_ROWS = 4096


@dataclass(frozen=True, slots=True)
class SumFinding:
    """The furthest an aggregate moved between neighbours, and how far it may."""

    moved: Fraction
    allowed: Fraction
    why: str
    tried: int

    @property
    def convicted(self) -> bool:
        """Whether it moved further than its sensitivity."""
        return self.moved > self.allowed

    def __str__(self) -> str:
        word = "further than" if self.convicted else "within"
        excess = f", by {float(self.moved - self.allowed):.3g}" if self.convicted else ""
        moved, allowed = float(self.moved), float(self.allowed)
        return f"moved by {moved:.6g}, {word} its sensitivity of {allowed:.6g}{excess} ({self.why})"


def sum_sensitivity(aggregate: Aggregate, inputs: Inputs) -> SumFinding:
    """The furthest an exact aggregate of rows in [lower, upper] moves over hostile neighbours.

    Nothing is random, so one move beyond the sensitivity is a proof; what is not a number counts as infinitely far.

    >>> sum_sensitivity(lambda rows: sum(map(int, rows)), Inputs(lower=0, upper=100, sensitivity=100)).convicted
    False
    """
    allowed, tried = rational("sensitivity", inputs.sensitivity), 0
    worst = SumFinding(Fraction(-1), allowed, "", 0)
    for why, one, other, limit in _neighbours(inputs, allowed):
        tried += 1
        moved = _distance(aggregate, one, other)
        if moved is None:
            return SumFinding(Fraction(2**1100), limit, f"{why}: an error or no number on one of the two", tried)
        if moved - limit > worst.moved - worst.allowed:
            worst = SumFinding(moved, limit, why, tried)
    return SumFinding(worst.moved, worst.allowed, worst.why, tried)


def _distance(aggregate: Aggregate, one: Sequence[Any], other: Sequence[Any]) -> Fraction | None:
    values: list[Fraction] = []
    for rows in (one, other):
        try:
            values.append(cell("aggregate", aggregate(list(rows))))
        except InvalidParameter:
            return None
        except Exception as error:  # an aggregate may fail in any way; that is a finding and not our failure
            if type(error) is TypeError:
                raise InvalidParameter(
                    "aggregate", "must take a list of rows and give a number, but failed with", shown(str(error))
                ) from None
            return None
    return abs(values[0] - values[1])


def _neighbours(inputs: Inputs, allowed: Fraction) -> Iterator[tuple[str, list[Any], list[Any], Fraction]]:
    """Rows before and after one change, and how far the sum may move: nowhere if only the order differs."""
    low, high = inputs.ends
    odd = [inputs.number(Fraction(low) + (Fraction(high) - Fraction(low)) * share) for share in _ODD]
    for n in (1, 10, 1000, _enough(high)):
        for name, crowd in (
            ("rows at the upper end", [high] * n),
            ("rows with long fractions", (odd * n)[:n]),
            ("large and small rows in turn", [high, odd[0]] * (n // 2)),
        ):
            for row in (low, high, odd[0]):
                other = [row, *crowd[1:]] if inputs.change is Change.REPLACE else [row, *crowd]
                yield f"{name}, one changed in front ({n})", list(crowd), other, allowed
            yield f"{name}, in another order ({n})", list(crowd), sorted(crowd), Fraction(0)
            yield f"{name}, in reverse ({n})", list(crowd), crowd[::-1], Fraction(0)


_ODD = (Fraction(1, 10), Fraction(1, 3), Fraction(2, 7), Fraction(999_999_937, 10**9))


def _enough(high: Any) -> int:
    """As many rows as make a 64-bit sum overflow, if they are few."""
    size = abs(int(high)) or 1
    return min(_MOST_ROWS, max(2, 2**63 // size + 1))
