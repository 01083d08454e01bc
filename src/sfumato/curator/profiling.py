"""An owner's profile: what is in the data, and what bounds of a person's rows would cost in bias and in noise.

It is the owner's own look at the owner's own rows: exact, not private, and written nowhere. No session, curator or
ledger takes part, and none leads here.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from sfumato import engines
from sfumato.core.naming import known_names
from sfumato.core.printing import Json, for_json
from sfumato.curator.amounts import Amount, amount
from sfumato.curator.documents import PROFILE, amount_json, headed
from sfumato.curator.opening import dataset_of
from sfumato.data import Dataset, Memory
from sfumato.engines import Progress, no_progress
from sfumato.engines.figures import AverageFigures, ColumnFigures, Meant, Spread, TableFigures, candidates
from sfumato.errors import InvalidParameter

QUANTILES = {"p50": Fraction(1, 2), "p90": Fraction(9, 10), "p99": Fraction(99, 100)}
"""What is told of how many rows or groups people have, beside the most."""
_SQRT2 = math.sqrt(2)
_NEARLY = 1.05


@dataclass(frozen=True, slots=True)
class CountBound:
    """What a bound does to COUNT(*); over groups bias and noise are roots of sums of squares."""

    rows: int
    people_above: int
    kept: float
    """The share of the rows that still count: Σ min(n, R) / Σ n."""
    bias: float
    """How many rows do not count."""
    noise: float
    """The standard deviation of the noise: √2·R/ε, times the root of the number of groups."""
    error: float
    """The root of bias² + noise², in proportion to the truth."""


@dataclass(frozen=True, slots=True)
class AverageBound:
    """What a bound does to AVG."""

    rows: int
    weighted: float
    """The average in which a row of somebody with n > R rows counts as R/n of one."""
    bias: float
    """The weighted average less the average."""
    noise: float
    """About the standard deviation of the noise: √2·R·(upper - lower)/ε by the rows that count in a group."""
    error: float
    """The root of bias² + noise², in the column's own unit."""


B = TypeVar("B", CountBound, AverageBound)


def _largest_good(bounds: Sequence[B]) -> B:
    """The largest of the bounds whose error is within a twentieth of the least: error bars tell noise, and not bias."""
    least = min(each.error for each in bounds)
    return max((each for each in bounds if each.error <= _NEARLY * least), key=lambda each: each.rows)


@dataclass(frozen=True, slots=True)
class AverageTrade:
    """Candidate bounds for an average."""

    column: str
    average: float
    lower: Fraction
    upper: Fraction
    is_declared: bool
    bounds: tuple[AverageBound, ...]

    @property
    def best(self) -> AverageBound:
        """The bound with the least error, or a larger one that is nearly as good."""
        return _largest_good(self.bounds)


@dataclass(frozen=True, slots=True)
class Trade:
    """Candidate bounds of a table's rows a person, at one ε."""

    groups: int
    bounds: tuple[CountBound, ...]
    left_above: float
    """A rule without any sum: the best bound leaves about √2·groups/ε people above it."""
    average: AverageTrade | None = None

    @property
    def best(self) -> CountBound:
        """The bound with the least error of counts, or a larger one that is nearly as good."""
        return _largest_good(self.bounds)

    @property
    def by_rule(self) -> CountBound:
        """The least bound that leaves no more people above it than the rule says."""
        return next(each for each in self.bounds if each.people_above <= self.left_above)


@dataclass(frozen=True, slots=True, repr=False)
class TableProfile:
    """A private table: its figures, and the trade of bias against noise where people have several rows."""

    figures: TableFigures
    trade: Trade | None

    @property
    def one_row_a_person(self) -> bool:
        """Whether nobody has two rows, so that no bound takes anything away."""
        return self.figures.a_person is not None and self.figures.a_person.most <= 1


@dataclass(frozen=True, slots=True, repr=False)
class Profile:
    """What an owner sees of the data: exact figures of people, which are not private and leave for nobody else."""

    dataset: Dataset = field(repr=False)
    epsilon: Fraction
    tables: tuple[TableProfile, ...]

    def __repr__(self) -> str:
        return f"<profile of {self.dataset.name}, for its owner>"

    def table(self, name: str) -> TableProfile:
        """The profile of a private table by its name."""
        found = next((each for each in self.tables if each.figures.name.lower() == name.lower()), None)
        if found is None:
            names = [each.figures.name for each in self.tables]
            raise InvalidParameter("table", "must be a private table", name, hint=known_names(name, names))
        return found

    def to_json(self) -> dict[str, Any]:
        """All figures as JSON values, for the owner's own programs."""
        return {
            **headed(PROFILE),
            "dataset": self.dataset.name,
            "unit": "row" if self.dataset.unit is None else "person",
            "epsilon": amount_json(self.epsilon),
            "tables": [_table_json(each) for each in self.tables],
        }

    def to_html(self) -> str:
        """The same as a page with pictures, readable without a network."""
        from sfumato.curator.profile_page import page

        return page(self)


def profile(
    declaration: Path | str | Mapping[str, Any] | Dataset,
    *,
    epsilon: Amount = 1,
    by: str = "",
    average: str = "",
    progress: Progress = no_progress,
) -> Profile:
    """For the owner: exact figures of the data, and what bounds would cost at this ε; nothing is written anywhere.

    `by` is a column that counts are grouped by, `average` a number to be averaged, by default the first of a table with
    declared bounds. Both are looked for in every private table, or in one as `table.column`. No session has this verb.
    """
    price = amount("epsilon", epsilon)
    dataset = dataset_of(declaration)
    engines.entry_for(dataset)
    if not any(isinstance(table.source, Memory) for table in dataset.tables):  # names are refused before rows are read
        Meant.of(engines.described(dataset)[1].dataset, by, average)
    known, figures = engines.profiled(dataset, by=by, average=average, progress=progress)
    return Profile(known, price, tuple(TableProfile(each, _trade(each, price)) for each in figures))


# ---- the trade ----


def _trade(table: TableFigures, epsilon: Fraction) -> Trade | None:
    """What round bounds cost, up to the first that nobody exceeds."""
    spread, by = table.a_person, table.groups
    if spread is None or not spread.lines:
        return None
    groups = 1 if by is None else by.groups
    truth = float(spread.total) if by is None else math.sqrt(by.squares)
    lost = {} if by is None else {rows: math.sqrt(square) for rows, square in by.lost_squares}
    bounds = []
    for rows in candidates(spread.most):
        kept = spread.kept(rows)
        bias = lost.get(rows, float(spread.total - kept))
        noise = _SQRT2 * rows / float(epsilon) * math.sqrt(groups)
        error = math.hypot(bias, noise) / truth
        bounds.append(CountBound(rows, spread.above(rows), kept / spread.total, bias, noise, error))
    average = None if table.average is None else _average(table.average, spread, epsilon, groups)
    return Trade(groups, tuple(bounds), _SQRT2 * groups / float(epsilon), average)


def _average(values: AverageFigures, rows: Spread, epsilon: Fraction, groups: int) -> AverageTrade | None:
    """Of a person with n > R values each counts as R/n, in sum and number alike; noise as in a group of mean size."""
    number = sum(n * people for n, people, _ in values.lines)
    if not number:
        return None
    true = sum((total for _, _, total in values.lines), Fraction(0)) / number
    width = float(values.upper - values.lower)
    bounds = []
    for bound in candidates(rows.most):
        kept = sum(min(n, bound) * people for n, people, _ in values.lines)
        added = sum((total * min(Fraction(1), Fraction(bound, n)) for n, _, total in values.lines), Fraction(0))
        bias = float(added / kept - true)
        noise = _SQRT2 * bound * width / (float(epsilon) * kept / groups)
        bounds.append(AverageBound(bound, float(added / kept), bias, noise, math.hypot(bias, noise)))
    return AverageTrade(values.column, float(true), values.lower, values.upper, values.is_declared, tuple(bounds))


# ---- for programs ----


def _table_json(table: TableProfile) -> dict[str, Any]:
    figures = table.figures
    by = figures.groups
    return {
        "table": figures.name,
        "rows": figures.rows,
        "rows_of_nobody": figures.nobody,
        "rows_per_person": _spread_json(figures.a_person),
        "columns": [_column_json(each) for each in figures.columns],
        "by": None if by is None else {
            "column": by.column,
            "groups": by.groups,
            "groups_per_person": _spread_json(by.groups_a_person),
            "rows_per_group": _spread_json(by.rows_in_a_group),
        },
        "bounds": None if table.trade is None else _trade_json(table.trade),
    }  # fmt: skip


def _spread_json(spread: Spread | None) -> dict[str, Any] | None:
    if spread is None:
        return None
    quantiles = {name: spread.quantile(share) for name, share in QUANTILES.items()}
    lines = [list(line) for line in spread.lines]
    return {"people": spread.people, "total": spread.total, **quantiles, "max": spread.most, "histogram": lines}


def _column_json(column: ColumnFigures) -> dict[str, Any]:
    return {
        "column": column.name,
        "kind": column.kind.value,
        "key": column.is_key,
        "nulls": column.nulls,
        "became_null": column.lost,
        "least": _end_json(column.least),
        "greatest": _end_json(column.greatest),
        "distinct": column.keys,
        "distinct_per_person": _spread_json(column.keys_a_person),
    }


def _end_json(value: Any) -> Json:
    return value.isoformat() if isinstance(value, date | datetime) else for_json(value)


def _trade_json(trade: Trade) -> dict[str, Any]:
    return {
        "groups": trade.groups,
        "candidates": [
            {
                "rows_per_person": each.rows,
                "people_above": each.people_above,
                "kept": each.kept,
                "bias": each.bias,
                "noise": each.noise,
                "relative_error": each.error,
            }
            for each in trade.bounds
        ],
        "best": trade.best.rows,
        "best_by_rule": trade.by_rule.rows,
        "people_above_by_rule": trade.left_above,
        "average": None if trade.average is None else _average_json(trade.average),
    }


def _average_json(trade: AverageTrade) -> dict[str, Any]:
    return {
        "column": trade.column,
        "average": trade.average,
        "lower": amount_json(trade.lower),
        "upper": amount_json(trade.upper),
        "declared": trade.is_declared,
        "candidates": [
            {
                "rows_per_person": each.rows,
                "weighted": each.weighted,
                "bias": each.bias,
                "noise": each.noise,
                "error": each.error,
            }
            for each in trade.bounds
        ],
        "best": trade.best.rows,
    }
