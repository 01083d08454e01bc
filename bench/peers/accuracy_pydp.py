"""PyDP's errors: python accuracy_pydp.py FACTS SECONDS. Entries are added once; every draw begins with what they add up to."""

from typing import Any

import numpy as np
from drawing import AMOUNT, DRAWS, FAR, QUANTILES, Column, Facts, alone, grouped, quantile, report, times
from pydp.algorithms import laplacian


def drawn(make: Any, entries: list[Any], n: int = DRAWS) -> list[float]:
    """Results of algorithms that are made anew and merge one summary of the entries."""
    first = make()
    first.add_entries(entries)
    summary = first.serialize()

    def one() -> float:
        algorithm = make()
        algorithm.merge(summary)
        return float(algorithm.result())

    return times(n, one)


def bounded(kind: Any, epsilon: float, facts: Facts, ends: tuple[int, int], groups: int = 1) -> Any:
    """An algorithm of numbers; sums of whole ones overflow beyond 2**31."""
    sensitivity = {"l0_sensitivity": groups, "linf_sensitivity": facts.rows_per_group}
    return lambda: kind(epsilon=epsilon, lower_bound=ends[0], upper_bound=ends[1], **sensitivity, dtype="float")


def counting(epsilon: float, rows: int, groups: int = 1) -> Any:
    return lambda: laplacian.Count(epsilon=epsilon, l0_sensitivity=groups, linf_sensitivity=rows, dtype="int")


def count(facts: Facts, epsilon: float) -> dict[str, Any]:
    column = facts.amount
    return alone(drawn(counting(epsilon, facts.rows_per_group), column.expanded()), column.rows)


def people(facts: Facts, epsilon: float) -> dict[str, Any]:
    return alone(drawn(counting(epsilon, 1), [0] * facts.people), facts.people)


def total(facts: Facts, epsilon: float) -> dict[str, Any]:
    return alone(drawn(bounded(laplacian.BoundedSum, epsilon, facts, AMOUNT), facts.where.expanded()), facts.where.sum)


def average(name: str, ends: tuple[int, int]) -> Any:
    def asked(facts: Facts, epsilon: float) -> dict[str, Any]:
        column: Column = getattr(facts, name)
        return alone(drawn(bounded(laplacian.BoundedMean, epsilon, facts, ends), column.expanded()), column.mean)

    return asked


def variance(facts: Facts, epsilon: float) -> dict[str, Any]:
    made = bounded(laplacian.BoundedVariance, epsilon, facts, AMOUNT)
    return alone(drawn(made, facts.amount.expanded()), facts.amount.variance)


def ranked(q: float) -> Any:
    def asked(facts: Facts, epsilon: float) -> dict[str, Any]:
        if facts.rows_per_group > 1:
            return {"cannot": "bounds no rows a person for a percentile (its quantile tree is PipelineDP's)"}
        low, high = map(float, AMOUNT)

        def make() -> Any:  # of whole numbers it answers 0 whatever they are
            return laplacian.Percentile(epsilon=epsilon, percentile=q, lower_bound=low, upper_bound=high, dtype="float")

        entries = [float(each) for each in facts.amount.expanded()]
        return quantile(drawn(make, entries, 2000 if facts.people < 10_000 else 200), facts.amount, q)

    return asked


def groups(facts: Facts, epsilon: float) -> dict[str, Any]:
    """Count and sum at half of ε each, the average made of both by hand."""
    counts, sums = [], []
    for ward in facts.wards:
        entries = ward.expanded()
        counts.append(drawn(counting(epsilon / 2, facts.rows_per_group, facts.groups), entries, 2500))
        sums.append(drawn(bounded(laplacian.BoundedSum, epsilon / 2, facts, AMOUNT, facts.groups), entries, 2500))
    counted, summed = np.array(counts).T, np.array(sums).T
    return grouped(counted, summed, np.clip(summed / np.maximum(1, counted), 0, 200), facts)


if __name__ == "__main__":
    report({
        "COUNT(*)": count,
        "COUNT(DISTINCT person)": people,
        "SUM WHERE": total,
        "AVG [0,200]": average("amount", AMOUNT),
        "AVG [10000,11000]": average("y", FAR),
        "VARIANCE": variance,
        **{name: ranked(q) for name, q in QUANTILES.items()},
        "8 public groups": groups,
        "unknown keys": "needs keys to be selected by hand (PipelineDP does it with its selection)",
    })  # fmt: skip
