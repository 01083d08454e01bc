"""Tumult Analytics' errors: python accuracy_tumult.py FACTS SECONDS. Its session tells the scales of noise; nothing is run.

Averages and variances are made of what it measures: sums of how far values are from the middle of their range.
"""

from functools import cache
from typing import Any

import numpy as np
from drawing import LAW, QUANTILES, Column, Facts, alone, grouped, report, whole_laplace
from pyspark.sql import SparkSession
from tmlt.analytics import (
    AddRowsWithID,
    KeySet,
    MaxGroupsPerID,
    MaxRowsPerGroupPerID,
    MaxRowsPerID,
    PureDPBudget,
    QueryBuilder,
    Session,
)

RANDOM = np.random.default_rng(4)


@cache
def session() -> Any:
    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    made = spark.config("spark.sql.shuffle.partitions", "1").getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    table = made.createDataFrame([(1, 0, 40, 10_400)], "id long, ward long, amount long, y long")
    build = Session.Builder().with_privacy_budget(PureDPBudget(float("inf")))
    return build.with_private_dataframe("visits", table, protected_change=AddRowsWithID("id")).build()


def scales(what: str, epsilon: float, rows: int, groups: int) -> list[float]:
    """Scales at an ε, to which they are in proportion."""
    return [scale / epsilon for scale in told(what, rows, groups)]


@cache
def told(what: str, rows: int, groups: int) -> list[float]:
    """What its session says of the noise at ε = 1, which is geometric throughout."""
    # `enforce` changes the builder it is called on: each has its own, else the bounds of all would hold together
    visits, bounded = QueryBuilder("visits"), QueryBuilder("visits").enforce(MaxRowsPerID(rows))
    by_ward = QueryBuilder("visits").enforce(MaxGroupsPerID("ward", groups)).enforce(MaxRowsPerGroupPerID("ward", rows))
    by_ward = by_ward.groupby(KeySet.from_dict({"ward": list(range(8))}))
    query = {
        "count": bounded.count,
        "people": lambda: visits.count_distinct(["id"]),
        "sum": lambda: bounded.sum("amount", 0, 200),
        "mean": lambda: bounded.average("amount", 0, 200),
        "far mean": lambda: bounded.average("y", 10_000, 11_000),
        "variance": lambda: bounded.variance("amount", 0, 200),
        "counts": by_ward.count,
        "sums": lambda: by_ward.sum("amount", 0, 200),
    }[what]()
    found = session()._noise_info(query, PureDPBudget(1))
    assert all(each["noise_mechanism"].name == "GEOMETRIC" for each in found), found
    return [float(each["noise_parameter"]) for each in found]


def single(what: str) -> Any:
    def asked(facts: Facts, epsilon: float) -> dict[str, Any]:
        (scale,) = scales(what, epsilon, facts.rows_per_group, 1)
        alpha = np.exp(-1 / scale)
        return {
            "outputs": {"": {"rmse": float(np.sqrt(2 * alpha) / (1 - alpha)), "bias": 0.0, "unsure": 0.0}},
            "law": True,
        }

    return asked


def average(what: str, name: str, middle: int) -> Any:
    def asked(facts: Facts, epsilon: float) -> dict[str, Any]:
        column: Column = getattr(facts, name)
        total, count = scales(what, epsilon, facts.rows_per_group, 1)
        beyond = column.sum - middle * column.rows + whole_laplace(RANDOM, total, LAW)
        return alone(
            middle + beyond / np.maximum(1, column.rows + whole_laplace(RANDOM, count, LAW)), column.mean, law=True
        )

    return asked


def variance(facts: Facts, epsilon: float) -> dict[str, Any]:
    """Values from 100, squares from 20 000, the middles of what they can be."""
    column = facts.amount
    total, square, count = scales("variance", epsilon, facts.rows_per_group, 1)
    rows = np.maximum(1, column.rows + whole_laplace(RANDOM, count, LAW))
    mean = 100 + (column.sum - 100 * column.rows + whole_laplace(RANDOM, total, LAW)) / rows
    squares = 20_000 + (column.squares - 20_000 * column.rows + whole_laplace(RANDOM, square, LAW)) / rows
    return alone(squares - mean**2, column.variance, law=True)


def groups(facts: Facts, epsilon: float) -> dict[str, Any]:
    """Count and sum at half of ε each, the average made of both by hand."""
    (count,), (total,) = (scales(what, epsilon / 2, facts.rows_per_group, facts.groups) for what in ("counts", "sums"))
    counts = np.array([ward.rows for ward in facts.wards]) + whole_laplace(RANDOM, count, (20_000, 8))
    sums = np.array([ward.sum for ward in facts.wards]) + whole_laplace(RANDOM, total, (20_000, 8))
    return grouped(counts, sums, np.clip(sums / np.maximum(1, counts), 0, 200), facts, law=True)


if __name__ == "__main__":
    report({
        "COUNT(*)": single("count"),
        "COUNT(DISTINCT person)": single("people"),
        "SUM WHERE": single("sum"),
        "AVG [0,200]": average("mean", "amount", 100),
        "AVG [10000,11000]": average("far mean", "y", 10_500),
        "VARIANCE": variance,
        **dict.fromkeys(QUANTILES, "scales only: a search whose law is not told"),
        "8 public groups": groups,
        "unknown keys": "scales only: keys are a question of their own",
    })  # fmt: skip
