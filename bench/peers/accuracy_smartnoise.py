"""SmartNoise SQL's errors: python accuracy_smartnoise.py FACTS SECONDS. Its mechanisms tell their scales; all are Laplace.

What it calls ε is that of each mechanism. A question is asked at the part of ε at which its own `get_privacy_cost` is ε.
"""

import warnings
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import snsql
from drawing import DELTA, LAW, QUANTILES, Column, Facts, alone, grouped, keyed, report

warnings.filterwarnings("ignore")
RANDOM = np.random.default_rng(2)
ROW = pd.DataFrame({"id": [1], "ward": [1], "amount": [1], "y": [10_000], "key": ["a"]})
TEXTS = {
    "count": "SELECT COUNT(*) AS n FROM public.visits",
    "people": "SELECT COUNT(DISTINCT id) AS n FROM public.visits",
    "sum": "SELECT SUM(amount) AS n FROM public.visits WHERE ward < 4",
    "mean": "SELECT AVG(amount) AS n FROM public.visits",
    "far mean": "SELECT AVG(y) AS n FROM public.visits",
    "variance": "SELECT VAR(amount) AS n FROM public.visits",
    "groups": "SELECT ward, COUNT(*) AS n, SUM(amount) AS s, AVG(amount) AS a FROM public.visits GROUP BY ward",
    "keys": "SELECT key, COUNT(*) AS n FROM public.visits GROUP BY key",
}


def reader(what: str, epsilon: float, rows: int) -> Any:
    """`rows` of a person count, in all groups together: the tool bounds no groups."""
    columns: dict[str, Any] = {
        "max_ids": rows,
        "censor_dims": what == "keys",
        "id": {"type": "int", "private_id": True},
        "ward": {"type": "int", "lower": 0, "upper": 7},
        "amount": {"type": "int", "lower": 0, "upper": 200},
        "y": {"type": "int", "lower": 10_000, "upper": 11_000},
        "key": {"type": "string"},
    }
    privacy = snsql.Privacy(epsilon=epsilon, delta=DELTA)
    return snsql.from_connection(ROW, privacy=privacy, metadata={"": {"public": {"visits": columns}}}, engine="pandas")


@cache
def mechanisms(what: str, epsilon: float, rows: int) -> dict[str, Any]:
    """The mechanism of each column that is measured, at an ε that is the whole question's."""
    cost, _ = reader(what, 1.0, rows).get_privacy_cost(TEXTS[what])
    made = reader(what, epsilon / cost, rows)
    inner, _ = made._rewrite(TEXTS[what])
    found = zip(inner._select_symbols, made._get_mechanisms(inner), strict=True)
    return {symbol.name: mechanism for symbol, mechanism in found if mechanism is not None}


def noise(mechanism: Any, size: Any) -> Any:
    return RANDOM.laplace(0, mechanism.scale, size)


def single(what: str) -> Any:
    """Whole numbers are cut to whole numbers towards zero."""

    def asked(facts: Facts, epsilon: float) -> dict[str, Any]:
        ((_, mechanism),) = mechanisms(what, epsilon, 1 if what == "people" else facts.rows_per_group).items()
        truth = {"count": facts.amount.rows, "people": facts.people, "sum": facts.where.sum}[what]
        return alone(np.trunc(truth + noise(mechanism, LAW)), truth, law=True)

    return asked


def average(what: str, name: str) -> Any:
    def asked(facts: Facts, epsilon: float) -> dict[str, Any]:
        column: Column = getattr(facts, name)
        made = mechanisms(what, epsilon, facts.rows_per_group)
        total, count = made[f"sum_{name}"], made[f"count_{name}"]
        return alone((column.sum + noise(total, LAW)) / (column.rows + noise(count, LAW)), column.mean, law=True)

    return asked


def variance(facts: Facts, epsilon: float) -> dict[str, Any]:
    made = mechanisms("variance", epsilon, facts.rows_per_group)
    (squares,) = (made[name] for name in made if "alias" in name)
    column = facts.amount
    count = column.rows + noise(made["count_amount"], LAW)
    mean = (column.sum + noise(made["sum_amount"], LAW)) / count
    drawn = np.maximum(0, (column.squares + noise(squares, LAW)) / count - mean**2)
    return alone(drawn, column.variance, law=True)


def groups(facts: Facts, epsilon: float) -> dict[str, Any]:
    made = mechanisms("groups", epsilon, facts.rows_per_group * facts.groups)
    size = (20_000, 8)
    rows = np.array([ward.rows for ward in facts.wards])
    counts = np.trunc(rows + noise(made["count_star"], size))
    sums = np.array([ward.sum for ward in facts.wards]) + noise(made["sum_amount"], size)
    return grouped(counts, np.trunc(sums), sums / (rows + noise(made["count_amount"], size)), facts, law=True)


def keys(facts: Facts, epsilon: float) -> dict[str, Any]:
    made = mechanisms("keys", epsilon, facts.rows_per_group * facts.groups)
    size = (500, len(facts.keys))
    shown = facts.keys[:, 1] + noise(made["keycount"], size) > made["keycount"].threshold
    return keyed(np.trunc(facts.keys[:, 0] + noise(made["count_star"], size)), shown, facts, law=True)


if __name__ == "__main__":
    report({
        "COUNT(*)": single("count"),
        "COUNT(DISTINCT person)": single("people"),
        "SUM WHERE": single("sum"),
        "AVG [0,200]": average("mean", "amount"),
        "AVG [10000,11000]": average("far mean", "y"),
        "VARIANCE": variance,
        **dict.fromkeys(QUANTILES, "has no quantiles"),
        "8 public groups": groups,
        "unknown keys": keys,
    })  # fmt: skip
