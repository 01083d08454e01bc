"""Numbers that an auditor reads off an output, and the words for them."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sfumato.audit.outcomes import Kind, Outcomes, Path

Reals = NDArray[np.float64]
_MOST_COORDINATES = 24
_RIDGE = 1e-3


@dataclass(frozen=True, slots=True)
class Statistic:
    """A number of each output, NaN where an output has none."""

    words: str
    of: Callable[[Outcomes], Reals]


def place_words(path: Path) -> str:
    """A path as a person would say it."""
    if path == ():
        return "output"
    if path[-1] == "text":
        return place_words(path[:-1])
    named = {"length": "length of {}", "characters": "characters of {}", "raised": "error", "order": "order of {}"}
    if isinstance(path[-1], str) and path[-1] in named:
        return named[path[-1]].format(place_words(path[:-1]))
    return "output" + "".join(f"[{part!r}]" for part in path)


def coordinate(path: Path) -> Statistic:
    """The number at one place."""

    def read(outcomes: Outcomes) -> Reals:
        column = outcomes.column(path)
        is_number = (column.kinds == Kind.NUMBER) | (column.kinds == Kind.TRUTH)
        return np.where(is_number, column.values, math.nan)

    return Statistic(place_words(path), read)


def precision(path: Path) -> Statistic:
    """The exponent of the lowest bit that is set: on which lattice of powers of two a float lies.

    Float noise added to a float leaves low bits that depend on the exact answer (Mironov 2012).
    """

    def read(outcomes: Outcomes) -> Reals:
        column = outcomes.column(path)
        lowest = lowest_bit(column.values)
        return np.where(column.kinds == Kind.NUMBER, lowest, math.nan)

    return Statistic(f"exponent of the lowest set bit of {place_words(path)}", read)


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


def linear(paths: tuple[Path, ...], left: Outcomes, right: Outcomes) -> Statistic:
    """The weighted sum of places that best tells two inputs apart: logistic regression by Newton's method."""
    table = np.vstack([_table(left, paths), _table(right, paths)])
    y = np.concatenate([np.ones(left.count), np.zeros(right.count)])
    finite = np.where(np.isfinite(table), table, 0.0)
    center = np.median(finite, axis=0)
    spread = np.percentile(np.abs(finite - center), 90, axis=0)
    spread = np.where(spread > 0, spread, 1.0)

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


def summaries(left: Outcomes, right: Outcomes) -> Iterator[Statistic]:
    """Every statistic worth trying on outputs like these."""
    columns = {**left.columns, **right.columns}
    numeric = tuple(
        path
        for path in columns
        if any(
            ((o.column(path).kinds == Kind.NUMBER) | (o.column(path).kinds == Kind.TRUTH)).any() for o in (left, right)
        )
    )
    for path in numeric[:_MOST_COORDINATES]:
        yield coordinate(path)
    places = tuple(path for path in numeric if path and path[-1] not in ("length", "characters"))[:_MOST_COORDINATES]
    if len(places) < 2:
        return
    yield _over(places, "sum of the output", lambda t: np.nansum(t, axis=1))
    yield _over(places, "largest of the output", lambda t: np.nanmax(t, axis=1))
    yield _over(places, "smallest of the output", lambda t: np.nanmin(t, axis=1))
    yield _over(places, "range of the output", lambda t: np.nanmax(t, axis=1) - np.nanmin(t, axis=1))
    yield _over(places, "place of the largest", lambda t: np.nanargmax(t, axis=1).astype(np.float64))
    yield _over(places, "first number of the output", _first)
    yield _over(places, "last number of the output", _last)
    yield linear(places, left, right)
