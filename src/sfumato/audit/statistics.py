"""Numbers that an auditor reads off an output, and the words for them."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sfumato.audit.outcomes import Aspect, Outcomes, Path, Reals, joined

_MOST_COORDINATES = 128
_MOST_WEIGHED = 24
_RIDGE = 1e-3
_FINE = 52  # bits of a float below its leading one
_ODD = 24  # a float that ends so many bits above the others does so once in 2**24 draws


@dataclass(frozen=True, slots=True)
class Statistic:
    """A number of each output, NaN where an output has none."""

    words: str
    of: Callable[[Outcomes], Reals]


def place_words(path: Path) -> str:
    """A path as a person would say it."""
    if path and isinstance(path[-1], Aspect):
        return str(path[-1].value).format(place_words(path[:-1]))
    return "output" + "".join(f"[{part!r}]" for part in path)


def coordinate(path: Path) -> Statistic:
    """The number at one place."""

    def read(outcomes: Outcomes) -> Reals:
        column = outcomes.column(path)
        return np.where(column.ordered, column.values, math.nan)

    return Statistic(place_words(path), read)


def precision(path: Path) -> Statistic:
    """The exponent of the lowest bit that is set: on which lattice of powers of two a float lies.

    Float noise added to a float leaves low bits that depend on the exact answer (Mironov 2012).
    """

    def read(outcomes: Outcomes) -> Reals:
        column = outcomes.column(path)
        lowest = lowest_bit(column.values)
        return np.where(column.numeric, lowest, math.nan)

    return Statistic(f"exponent of the lowest set bit of {place_words(path)}", read)


def last_bits(path: Path, pooled: Outcomes) -> Statistic | None:
    """The lowest set bit as far as it is a matter of values: on a lattice all of it, among floats what is oddly round.

    Numbers whose lattice is no finer than the largest of them could be written on are fixed-point: their last bits are
    as good as any. Where small numbers are finer than large ones the bits are those of float arithmetic, which
    `precision` looks at; then only numbers that end far above all others are told apart here. None where nothing is.
    """
    lowest = precision(path).of(pooled)
    some = lowest[~np.isnan(lowest)]
    if len(some) < 2:
        return None
    values = np.abs(pooled.column(path).values[~np.isnan(lowest)])
    typical, large = np.quantile(some, 0.05, method="lower"), np.quantile(values, 0.99, method="lower")
    fixed_point = typical >= np.frexp(large)[1] - 1 - _FINE
    least = -math.inf if fixed_point else float(np.quantile(some, 0.5, method="lower")) + _ODD
    if np.maximum(some, least).min() == np.maximum(some, least).max():
        return None

    def read(outcomes: Outcomes) -> Reals:
        return np.maximum(precision(path).of(outcomes), least)  # NaN stays NaN

    return Statistic(f"exponent of the last bit of {place_words(path)}", read)


def negative_zero(path: Path) -> Statistic:
    """1 for a zero that is written with a minus sign, 0 for one that is not."""

    def read(outcomes: Outcomes) -> Reals:
        column = outcomes.column(path)
        zero = column.numeric & (column.values == 0)
        return np.where(zero, np.signbit(column.values).astype(np.float64), math.nan)

    return Statistic(f"minus sign of a zero at {place_words(path)}", read)


def lowest_bit(values: Reals) -> Reals:
    """The exponent of the lowest set bit of each float; NaN for zero and what is not finite.

    >>> lowest_bit(np.array([1.0, 6.0, 0.375])).tolist()
    [0.0, 1.0, -3.0]
    """
    fraction, exponent = np.frexp(np.where(np.isfinite(values), values, 0.0))
    whole = np.ldexp(fraction, 53).astype(np.int64)  # |fraction| < 1 has 53 bits
    isolated = (whole & -whole).astype(np.float64)
    with np.errstate(divide="ignore"):
        lowest = np.log2(isolated) + exponent - 53
    return np.where(whole != 0, lowest, math.nan)


@lru_cache(maxsize=8)  # one set of outputs is read by many statistics, one after the other
def _table(outcomes: Outcomes, paths: tuple[Path, ...]) -> Reals:
    return np.column_stack([coordinate(path).of(outcomes) for path in paths])


@lru_cache(maxsize=8)
def _some(outcomes: Outcomes, paths: tuple[Path, ...]) -> tuple[NDArray[np.bool_], Reals]:
    """Which outputs have a number at all, and the table of those."""
    table = _table(outcomes, paths)
    some = np.asarray(~np.isnan(table).all(axis=1))
    return some, table if some.all() else table[some]


def _over(paths: tuple[Path, ...], words: str, of: Callable[[Reals], Reals]) -> Statistic:
    def read(outcomes: Outcomes) -> Reals:
        some, table = _some(outcomes, paths)
        out = np.full(outcomes.count, math.nan)
        if len(table):
            with np.errstate(invalid="ignore"):  # infinity less infinity is no number
                out[some] = of(table)
        return out

    return Statistic(words, read)


def _first(table: Reals) -> Reals:
    return np.asarray(table[np.arange(len(table)), (~np.isnan(table)).argmax(axis=1)])


def _last(table: Reals) -> Reals:
    return _first(table[:, ::-1])


def _spread(table: Reals) -> tuple[Reals, Reals]:
    """The middle of each column, and how far most of it lies from there."""
    center = np.median(table, axis=0)
    spread = np.percentile(np.abs(table - center), 90, axis=0)
    return center, np.where(spread > 0, spread, 1.0)


def _most_moved(places: tuple[Path, ...], left: Outcomes, right: Outcomes) -> tuple[Path, ...]:
    """The places whose average moved most from one side to the other."""
    if len(places) <= _MOST_WEIGHED:
        return places
    one, other = (np.nan_to_num(_table(side, places), posinf=0.0, neginf=0.0) for side in (left, right))
    center, spread = _spread(np.vstack([one, other]))
    means = [np.clip((side - center) / spread, -6, 6).mean(axis=0) for side in (one, other)]
    moved = np.argsort(-np.abs(means[0] - means[1]), kind="stable")[:_MOST_WEIGHED]
    return tuple(places[place] for place in np.sort(moved))


def linear(paths: tuple[Path, ...], left: Outcomes, right: Outcomes) -> Statistic:
    """The weighted sum of places that best tells two inputs apart: logistic regression by Newton's method."""
    table = np.vstack([_table(left, paths), _table(right, paths)])
    y = np.concatenate([np.ones(left.count), np.zeros(right.count)])
    finite = np.where(np.isfinite(table), table, 0.0)
    center, spread = _spread(finite)

    def scaled(raw: Reals) -> Reals:
        # Clipped, as a heavy tail would otherwise decide the weights alone.
        return np.asarray(np.clip((np.where(np.isfinite(raw), raw, center) - center) / spread, -6, 6))

    x = np.column_stack([scaled(table), np.ones(len(table))])
    weights = np.zeros(x.shape[1])
    for _ in range(12):
        chance = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        gradient = x.T @ (y - chance) / len(y) - _RIDGE * weights
        curvature = (x * (chance * (1 - chance))[:, None]).T @ x / len(y) + _RIDGE * np.eye(len(weights))
        weights = weights + np.linalg.solve(curvature, gradient)
    terms = [f"{w / s:+.3g}·{place_words(path)}" for w, s, path in zip(weights, spread, paths, strict=False)]

    def read(outcomes: Outcomes) -> Reals:
        return np.asarray(scaled(_table(outcomes, paths)) @ weights[:-1], dtype=np.float64)

    return Statistic(f"score ({' '.join(terms[:6])}{' …' if len(terms) > 6 else ''})", read)


def _descents(table: Reals) -> Reals:
    with np.errstate(invalid="ignore"):
        return np.asarray((np.diff(table, axis=1) < 0).sum(axis=1), dtype=np.float64)


def _smallest_gap(table: Reals) -> Reals:
    gaps = np.diff(np.sort(table, axis=1), axis=1)  # NaN is sorted to the end
    return np.asarray(np.where(np.isnan(gaps), math.inf, gaps).min(axis=1))


def summaries(left: Outcomes, right: Outcomes) -> Iterator[Statistic]:
    """Every statistic worth trying on outputs like these."""
    pooled = joined(left, right)
    numeric = tuple(path for path, column in pooled.columns.items() if column.ordered.any())[:_MOST_COORDINATES]
    for path in numeric:
        yield coordinate(path)
        column = pooled.column(path)
        bits = last_bits(path, pooled)
        if bits is not None:
            yield bits
        if (np.signbit(column.values) & (column.values == 0)).any():
            yield negative_zero(path)
    places = tuple(path for path in numeric if path and not isinstance(path[-1], Aspect))
    if len(places) < 2:
        return
    yield _over(places, "sum of the output", lambda t: np.nansum(t, axis=1))
    yield _over(places, "largest of the output", lambda t: np.nanmax(t, axis=1))
    yield _over(places, "smallest of the output", lambda t: np.nanmin(t, axis=1))
    yield _over(places, "range of the output", lambda t: np.nanmax(t, axis=1) - np.nanmin(t, axis=1))
    yield _over(places, "place of the largest", lambda t: np.nanargmax(t, axis=1).astype(np.float64))
    yield _over(places, "place of the smallest", lambda t: np.nanargmin(t, axis=1).astype(np.float64))
    yield _over(places, "smallest gap between places", _smallest_gap)
    yield _over(places, "number of places below the one before", _descents)
    yield _over(places, "first number of the output", _first)
    yield _over(places, "last number of the output", _last)
    yield linear(_most_moved(places, left, right), left, right)
