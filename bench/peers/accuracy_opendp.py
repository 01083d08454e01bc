"""OpenDP's errors: python accuracy_opendp.py FACTS SECONDS. Its own summary tells the scales, and the laws are drawn from."""

import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import opendp.prelude as dp
import polars as pl
from drawing import (
    DELTA,
    LAW,
    QUANTILES,
    Column,
    Facts,
    alone,
    grouped,
    keyed,
    permute_and_flip,
    quantile,
    report,
    whole_laplace,
)

warnings.filterwarnings("ignore")
dp.enable_features("contrib")
RANDOM = np.random.default_rng(1)
CANDIDATES = list(range(201))
KEYS = pl.LazyFrame({"ward": list(range(8))}, schema={"ward": pl.Int64})
FOLDER = tempfile.TemporaryDirectory()
FILE = Path(FOLDER.name) / "rows.parquet"
pl.DataFrame({"id": [1, 2], "ward": [0, 1], "amount": [1, 2], "y": [10000, 10001], "key": ["a", "b"]}).write_parquet(
    FILE
)
AMOUNT, Y = pl.col("amount"), pl.col("y")


@cache
def scales(what: str, epsilon: float, rows: int, groups: int) -> list[dict[str, Any]]:
    """What OpenDP says of the noise: kind, scale and threshold, which depend on the question and not on data."""
    by = {"groups": ["ward"], "keys": ["key"]}.get(what, [])
    margins = [dp.polars.Margin(max_length=10_000_000)]
    margins += [dp.polars.Margin(by=by, max_length=10_000_000, max_groups=100_000)] if by else []
    loss = dp.loss_of(epsilon=epsilon, delta=DELTA) if what == "keys" else dp.loss_of(epsilon=epsilon)
    unit = dp.unit_of(contributions=1, identifier="id")
    context = dp.Context.compositor(
        data=pl.scan_parquet(FILE), privacy_unit=unit, privacy_loss=loss, split_evenly_over=1, margins=margins
    )
    query = context.query()
    if by:
        query = query.truncate_num_groups(groups, by=by)
    query = query.truncate_per_group(rows, by=by)
    match what:
        case "count":
            query = query.select(dp.len())
        case "people":
            query = query.select(pl.col("id").dp.n_unique())
        case "sum":
            query = query.select(AMOUNT.dp.sum((0, 200)))
        case "mean":
            query = query.select(AMOUNT.dp.mean((0, 200)))
        case "far mean":
            query = query.select(Y.dp.mean((10_000, 11_000)))
        case "median":
            query = query.select(AMOUNT.dp.median(candidates=CANDIDATES))
        case "groups":
            query = query.group_by("ward").agg(dp.len(), AMOUNT.dp.sum((0, 200))).with_keys(KEYS)
        case "keys":
            query = query.group_by("key").agg(dp.len())
    found: list[dict[str, Any]] = query.summarize().to_dicts()
    return found


def noise(line: dict[str, Any], size: Any) -> Any:
    assert line["distribution"] == "Integer Laplace", line
    return whole_laplace(RANDOM, line["scale"], size)


def single(what: str) -> Any:
    def asked(facts: Facts, epsilon: float) -> dict[str, Any]:
        (line,) = scales(what, epsilon, 1 if what == "people" else facts.rows_per_group, 1)
        alpha = np.exp(-1 / line["scale"])
        return {
            "outputs": {"": {"rmse": float(np.sqrt(2 * alpha) / (1 - alpha)), "bias": 0.0, "unsure": 0.0}},
            "law": True,
        }

    return asked


def average(what: str, name: str) -> Any:
    def asked(facts: Facts, epsilon: float) -> dict[str, Any]:
        column: Column = getattr(facts, name)
        total, length = scales(what, epsilon, facts.rows_per_group, 1)
        drawn = (column.sum + noise(total, LAW)) / np.maximum(1, column.rows + noise(length, LAW))
        return alone(drawn, column.mean, law=True)

    return asked


def ranked(q: float) -> Any:
    def asked(facts: Facts, epsilon: float) -> dict[str, Any]:
        """Scores are -|q·above - (1 - q)·below|; half the sum of both moves by max(q, 1 - q) for each row."""
        column, k = facts.amount, facts.rows_per_group
        (line,) = scales("median", epsilon, k, 1)
        assert line["distribution"] == "ExponentialMin", line
        assert np.isclose(line["scale"], 2 * k / epsilon), line  # in half rows
        counts = np.zeros(201)
        counts[column.values] = column.counts
        below = np.cumsum(counts) - counts
        scores = -np.abs(q * (column.rows - below - counts) - (1 - q) * below)
        chosen = permute_and_flip(RANDOM, scores, 2 * k * max(q, 1 - q) / epsilon, 20_000)
        return quantile(chosen, column, q, law=True)

    return asked


def groups(facts: Facts, epsilon: float) -> dict[str, Any]:
    length, total = scales("groups", epsilon, facts.rows_per_group, facts.groups)
    counts = np.array([ward.rows for ward in facts.wards]) + noise(length, (20_000, 8))
    sums = np.array([ward.sum for ward in facts.wards]) + noise(total, (20_000, 8))
    return grouped(counts, sums, np.clip(sums / np.maximum(1, counts), 0, 200), facts, law=True)


def keys(facts: Facts, epsilon: float) -> dict[str, Any]:
    (line,) = scales("keys", epsilon, facts.rows_per_group, facts.groups)
    noisy = facts.keys[:, 0] + noise(line, (500, len(facts.keys)))
    return keyed(noisy, noisy > line["threshold"], facts, law=True)


if __name__ == "__main__":
    report({
        "COUNT(*)": single("count"),
        "COUNT(DISTINCT person)": single("people"),
        "SUM WHERE": single("sum"),
        "AVG [0,200]": average("mean", "amount"),
        "AVG [10000,11000]": average("far mean", "y"),
        "VARIANCE": "has no variance",
        **{name: ranked(q) for name, q in QUANTILES.items()},
        "8 public groups": groups,
        "unknown keys": keys,
    })  # fmt: skip
