"""PipelineDP's errors: python accuracy_pipelinedp.py FACTS SECONDS. Its combiners add noise to sums that are computed once."""

import logging
from typing import Any

import numpy as np
import pipeline_dp
from drawing import AMOUNT, DELTA, DRAWS, FAR, QUANTILES, Column, Facts, alone, grouped, keyed, quantile, report, times
from pipeline_dp import Metrics, combiners, partition_selection
from pipeline_dp.aggregate_params import MechanismType

logging.disable(logging.WARNING)


def combined(
    metrics: list[Any],
    facts: Facts,
    epsilon: float,
    *,
    groups: int = 1,
    ends: tuple[int, int] = AMOUNT,
    public: bool = True,
) -> tuple[Any, Any]:
    """The combiner of metrics at a whole price, and the budget of selecting keys where they are not public."""
    budget = pipeline_dp.NaiveBudgetAccountant(total_epsilon=epsilon, total_delta=DELTA)
    parameters = pipeline_dp.AggregateParams(
        metrics=metrics,
        max_partitions_contributed=groups,
        max_contributions_per_partition=facts.rows_per_group,
        min_value=ends[0],
        max_value=ends[1],
    )
    made = combiners.create_compound_combiner(parameters, budget)
    selection = None if public else budget.request_budget(MechanismType.GENERIC, name="selection")
    budget.compute_budgets()
    return made, selection


def drawn(combiner: Any, parts: Any, n: int = DRAWS) -> list[Any]:
    return times(n, lambda: combiner.compute_metrics((1, parts)))


def count(facts: Facts, epsilon: float) -> dict[str, Any]:
    combiner, _ = combined([Metrics.COUNT], facts, epsilon)
    rows = facts.amount.rows
    return alone([each.count for each in drawn(combiner, (rows,))], rows)


def people(facts: Facts, epsilon: float) -> dict[str, Any]:
    combiner, _ = combined([Metrics.PRIVACY_ID_COUNT], facts, epsilon)
    return alone([each.privacy_id_count for each in drawn(combiner, (facts.people,))], facts.people)


def total(facts: Facts, epsilon: float) -> dict[str, Any]:
    combiner, _ = combined([Metrics.SUM], facts, epsilon)
    return alone([each.sum for each in drawn(combiner, (float(facts.where.sum),))], facts.where.sum)


def centred(column: Column, ends: tuple[int, int]) -> tuple[int, float, float]:
    """Rows, and sum and squares of what values are beyond the middle, as the combiners hold them."""
    values = column.values - sum(ends) / 2
    return column.rows, float(values @ column.counts), float(values**2 @ column.counts)


def average(name: str, ends: tuple[int, int]) -> Any:
    def asked(facts: Facts, epsilon: float) -> dict[str, Any]:
        column: Column = getattr(facts, name)
        combiner, _ = combined([Metrics.MEAN], facts, epsilon, ends=ends)
        return alone([each.mean for each in drawn(combiner, (centred(column, ends)[:2],))], column.mean)

    return asked


def variance(facts: Facts, epsilon: float) -> dict[str, Any]:
    combiner, _ = combined([Metrics.VARIANCE], facts, epsilon)
    return alone([each.variance for each in drawn(combiner, (centred(facts.amount, AMOUNT),))], facts.amount.variance)


def ranked(q: float) -> Any:
    def asked(facts: Facts, epsilon: float) -> dict[str, Any]:
        combiner, _ = combined([Metrics.PERCENTILE(round(100 * q))], facts, epsilon)
        tree = combiner.create_accumulator(facts.amount.expanded())[1]
        return quantile([each[0] for each in drawn(combiner, tree, 2000)], facts.amount, q)

    return asked


def groups(facts: Facts, epsilon: float) -> dict[str, Any]:
    combiner, _ = combined([Metrics.COUNT, Metrics.SUM, Metrics.MEAN], facts, epsilon, groups=facts.groups)
    found = [drawn(combiner, (centred(ward, AMOUNT)[:2],), 2500) for ward in facts.wards]
    each = [np.array([[getattr(one, name) for one in ward] for ward in found]).T for name in ("count", "sum", "mean")]
    return grouped(*each, facts)


def keys(facts: Facts, epsilon: float) -> dict[str, Any]:
    combiner, budget = combined([Metrics.COUNT], facts, epsilon, groups=facts.groups, public=False)
    strategy = partition_selection.create_partition_selection_strategy(
        pipeline_dp.PartitionSelectionStrategy.TRUNCATED_GEOMETRIC, budget.eps, budget.delta, facts.groups
    )
    n = 100
    shown = [[strategy.should_keep(int(each)) for each in facts.keys[:, 1]] for _ in range(n)]
    noisy = [[each.count for each in drawn(combiner, (int(rows),), 20 * n)] for rows in facts.keys[:10, 0]]
    return keyed(np.array(noisy).T, np.tile(shown, (20, 1)), facts)


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
        "unknown keys": keys,
    })  # fmt: skip
