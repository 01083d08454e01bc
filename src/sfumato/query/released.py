"""Released numbers with what is known of their error: an interval that holds the exact bounded answer."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.exact.parameters import nearest
from sfumato.query.measures import Recipe


@dataclass(frozen=True, slots=True)
class Bar:
    """A released value and the interval of its error bar; keys and constants have none."""

    value: Any
    low: float | None = None
    high: float | None = None

    @property
    def has_interval(self) -> bool:
        """Whether an error bar is known."""
        return self.low is not None and self.high is not None

    def ends(self) -> tuple[float, float] | None:
        """The interval; a plain number is its own."""
        if self.low is not None and self.high is not None:
            return self.low, self.high
        if isinstance(self.value, int | float) and not isinstance(self.value, bool):
            try:
                known = float(self.value)
            except OverflowError:  # a whole number beyond any float has no error bar
                return None
            return (known, known) if math.isfinite(known) else None
        return None


MISSING = Bar(None)


def cooked(recipe: Recipe, noisy: Sequence[Any], reach: Sequence[int]) -> Bar:
    """The aggregate that a recipe makes of noisy integers, each off by at most its reach."""
    return _COOKS[recipe.kind](recipe, [noisy[i] for i in recipe.columns], [reach[i] for i in recipe.columns])


def _count(_: Recipe, noisy: list[int], reach: list[int]) -> Bar:
    total, off = sum(int(n) for n in noisy), sum(reach)
    return Bar(total, float(max(0, total - off)), float(max(0, total + off)))


def _sum(recipe: Recipe, noisy: list[int], reach: list[int]) -> Bar:
    value, off = int(noisy[0]) * recipe.step, reach[0] * recipe.step
    return Bar(_number(value, recipe.step), nearest(value - off), nearest(value + off))


def _number(value: Fraction, step: Fraction) -> int | float:
    return int(value) if step.denominator == 1 else nearest(value)


def _avg(recipe: Recipe, noisy: list[int], reach: list[int]) -> Bar:
    """SUM/COUNT, within the declared bounds, which hold for every average."""
    (total, count), (a, b) = map(int, noisy), reach
    low, high = recipe.low, recipe.high

    def mean(s: int, n: int) -> Fraction:
        inside = recipe.centre + Fraction(s, max(n, 1))
        return max(Fraction(low), min(Fraction(high), inside)) * recipe.step

    corners = [mean(s, n) for s in (total - a, total + a) for n in (count - b, count + b)]
    if count - b < 1:  # no more is known than the bounds
        corners += [low * recipe.step, high * recipe.step]
    return Bar(nearest(mean(total, count)), nearest(min(corners)), nearest(max(corners)))


def _variance(recipe: Recipe, noisy: list[int], reach: list[int]) -> Bar:
    """E[x²] - E[x]² around the centre, never negative and never above what the bounds allow."""
    (square, total, count), off = map(int, noisy), reach
    half = Fraction(recipe.high - recipe.low, 2)

    def spread(q: float, s: float, n: float) -> float:
        n = max(n, 2.0 if recipe.aggregate.sample else 1.0)
        variance = (q / n - (s / n) ** 2) * (n / (n - 1) if recipe.aggregate.sample else 1.0)
        most = float(half**2) * (n / (n - 1) if recipe.aggregate.sample else 1.0)
        return max(0.0, min(most, variance)) * float(recipe.step) ** 2

    def shown(variance: float) -> float:
        return math.sqrt(variance) if recipe.aggregate.root else variance

    low_n, high_n = count - off[2], count + off[2]
    sizes = [float(low_n), float(high_n)]
    if square > 0 and low_n < 2 * total**2 / square < high_n:
        sizes.append(2 * total**2 / square)  # where the spread is largest in n
    means = [0.0] if abs(total) <= off[1] else []
    means += [float(total - off[1]), float(total + off[1])]
    corners = [spread(q, s, n) for q in (square - off[0], square + off[0]) for s in means for n in sizes]
    if low_n < 2:
        corners += [0.0, float(half**2) * float(recipe.step) ** 2 * 2]
    value = shown(spread(square, total, count))
    return Bar(value, shown(min(corners)), shown(max(corners)))


def _quantile(recipe: Recipe, noisy: list[Any], _: list[int]) -> Bar:
    value, low, high = noisy[0]
    return Bar(value, low, high)


_COOKS: dict[str, Callable[[Recipe, list[Any], list[int]], Bar]] = {
    "count": _count, "sum": _sum, "avg": _avg, "variance": _variance, "quantile": _quantile,
}  # fmt: skip
