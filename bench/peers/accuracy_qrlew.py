"""Qrlew's errors: python accuracy_qrlew.py FACTS SECONDS. It writes SQL that adds normal noise; the scales are read in it."""

import re
from functools import cache
from typing import Any

import numpy as np
import sqlalchemy as sa
from drawing import DELTA, LAW, QUANTILES, Column, Facts, alone, grouped, keyed, report
from pyqrlew import Dataset, Dialect

RANDOM = np.random.default_rng(3)
TEXTS = {
    "count": "SELECT COUNT(*) AS n FROM visits",
    "sum": "SELECT SUM(amount) AS n FROM visits WHERE ward IN ('w0', 'w1', 'w2', 'w3')",
    "mean": "SELECT AVG(amount) AS n FROM visits",
    "far mean": "SELECT AVG(y) AS n FROM visits",
    "variance": "SELECT VARIANCE(amount) AS n FROM visits",
    "groups": "SELECT ward, COUNT(*) AS n, SUM(amount) AS s, AVG(amount) AS a FROM visits GROUP BY ward",
    "keys": "SELECT key, COUNT(*) AS n FROM visits GROUP BY key",
}
NOISE = re.compile(r"\(\(([0-9.]+)\) \* \(\(SQRT\(\(-2\) \* \(LN\(RANDOM")
ENOUGH = re.compile(r'"_COUNT_DISTINCT_PID_"\) > \(([0-9.]+)\)')


@cache
def dataset() -> Any:
    """A table of the declared columns; what is in it changes no scale."""
    engine = sa.create_engine("sqlite://", poolclass=sa.pool.StaticPool)
    with engine.connect() as connection:
        connection.execute(sa.text("CREATE TABLE visits (id INTEGER, ward TEXT, amount INTEGER, y INTEGER, key TEXT)"))
        for i in range(1000):
            connection.execute(sa.text(f"INSERT INTO visits VALUES ({i}, 'w{i % 8}', {i % 201}, {10_000 + i}, 'k')"))
        connection.commit()
    made = Dataset.from_database(name="d", engine=engine)
    made = made.with_range(None, "visits", "amount", 0, 200).with_range(None, "visits", "y", 10_000, 11_000)
    return made.with_possible_values(None, "visits", "ward", [f"w{i}" for i in range(8)])


@cache
def written(what: str, epsilon: float, most: float, groups: int) -> tuple[list[float], list[float]]:
    """Scales of noise in order, and the threshold of keys; `most` is the norm of what a person adds."""
    made = dataset().relation(TEXTS[what]).rewrite_with_differential_privacy(
        dataset(), [("visits", [], "id")], {"epsilon": epsilon, "delta": DELTA}, max_multiplicity=most,
        max_multiplicity_share=1.0, max_privacy_unit_groups=groups,
    )  # fmt: skip
    text = made.relation().to_query(Dialect.PostgreSql)
    return [float(each) for each in NOISE.findall(text)], [float(each) for each in ENOUGH.findall(text)]


def noise(scale: float, size: Any) -> Any:
    return RANDOM.normal(0, scale, size)


def single(what: str, *, people: bool = False) -> Any:
    def asked(facts: Facts, epsilon: float) -> dict[str, Any]:
        ((scale,), _) = written(what, epsilon, 1.0 if people else float(facts.rows_per_group), 1)
        return {"outputs": {"": {"rmse": scale, "bias": 0.0, "unsure": 0.0}}, "law": True}

    return asked


def average(what: str, name: str) -> Any:
    def asked(facts: Facts, epsilon: float) -> dict[str, Any]:
        column: Column = getattr(facts, name)
        (count, total), _ = written(what, epsilon, float(facts.rows_per_group), 1)
        return alone(
            (column.sum + noise(total, LAW)) / np.maximum(1, column.rows + noise(count, LAW)), column.mean, law=True
        )

    return asked


def variance(facts: Facts, epsilon: float) -> dict[str, Any]:
    (count, total, square), _ = written("variance", epsilon, float(facts.rows_per_group), 1)
    column = facts.amount
    rows = np.maximum(1, column.rows + noise(count, LAW))
    mean = (column.sum + noise(total, LAW)) / rows
    return alone(np.maximum(0, (column.squares + noise(square, LAW)) / rows - mean**2), column.variance, law=True)


def groups(facts: Facts, epsilon: float) -> dict[str, Any]:
    """Rows of a person in all groups have an Euclidean norm of √groups times those in one."""
    most = facts.rows_per_group * facts.groups**0.5
    (count, total, values), _ = written("groups", epsilon, most, facts.groups)
    rows, size = np.array([ward.rows for ward in facts.wards]), (20_000, 8)
    sums = np.array([ward.sum for ward in facts.wards]) + noise(total, size)
    averages = sums / np.maximum(1, rows + noise(values, size))
    return grouped(np.rint(rows + noise(count, size)), sums, averages, facts, law=True)


def keys(facts: Facts, epsilon: float) -> dict[str, Any]:
    most = facts.rows_per_group * facts.groups**0.5
    (chosen, count), (enough,) = written("keys", epsilon, most, facts.groups)
    size = (500, len(facts.keys))
    shown = facts.keys[:, 1] + noise(chosen, size) > enough
    return keyed(np.rint(facts.keys[:, 0] + noise(count, size)), shown, facts, law=True)


if __name__ == "__main__":
    report({
        "COUNT(*)": single("count"),
        "COUNT(DISTINCT person)": single("count", people=True),
        "SUM WHERE": single("sum"),
        "AVG [0,200]": average("mean", "amount"),
        "AVG [10000,11000]": average("far mean", "y"),
        "VARIANCE": variance,
        **dict.fromkeys(QUANTILES, "has no private quantiles"),
        "8 public groups": groups,
        "unknown keys": keys,
    })  # fmt: skip
