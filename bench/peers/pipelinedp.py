"""PipelineDP on its local back end: python pipelinedp.py FILE ROWS UNIT QUESTIONS LIMIT."""

import logging
import operator
import sys
from collections.abc import Iterable
from functools import partial
from typing import Any

import pipeline_dp
import pyarrow.parquet as pq
from pipeline_dp import Metrics
from timing import GROUPS_PER_PERSON, ROWS_PER_GROUP, report

logging.disable(logging.WARNING)
FILE, _, UNIT, ASKED, LIMIT = sys.argv[1:]
COLUMNS = ("user_id", "visited", "city", "category", "amount")


def rows() -> Iterable[tuple[Any, ...]]:
    for batch in pq.ParquetFile(FILE).iter_batches(columns=list(COLUMNS)):
        yield from zip(*(batch.column(i).to_pylist() for i in range(len(COLUMNS))), strict=True)


def ask(
    metrics: list[Any], *, key: int | None = None, public: list[Any] | None = None, until: int | None = None
) -> list[Any]:
    budget = pipeline_dp.NaiveBudgetAccountant(total_epsilon=1, total_delta=1e-7)
    engine = pipeline_dp.DPEngine(budget, pipeline_dp.LocalBackend())
    parameters = pipeline_dp.AggregateParams(
        metrics=metrics,
        max_partitions_contributed=1 if key is None else GROUPS_PER_PERSON,
        max_contributions_per_partition=ROWS_PER_GROUP,
        min_value=0,
        max_value=200,
    )
    extract = pipeline_dp.DataExtractors(
        privacy_id_extractor=operator.itemgetter(0),
        partition_extractor=(lambda _: 0) if key is None else operator.itemgetter(key),
        value_extractor=operator.itemgetter(4),
    )
    chosen = rows() if until is None else (row for row in rows() if row[1] < until)
    found = engine.aggregate(chosen, parameters, extract, public_partitions=[0] if key is None else public)
    budget.compute_budgets()
    return list(found)


QUESTIONS: dict[str, Any] = {
    "COUNT(*)": partial(ask, [Metrics.COUNT]),
    "COUNT(DISTINCT person)": partial(ask, [Metrics.PRIVACY_ID_COUNT]),
    "SUM with WHERE": partial(ask, [Metrics.SUM], until=180),
    "AVG": partial(ask, [Metrics.MEAN]),
    "VARIANCE": partial(ask, [Metrics.VARIANCE]),
    "GROUP BY unknown key": partial(ask, [Metrics.COUNT], key=2),
    "GROUP BY public key": partial(ask, [Metrics.COUNT, Metrics.SUM, Metrics.MEAN], key=3, public=list(range(12))),
    "MEDIAN": partial(ask, [Metrics.PERCENTILE(50)]),
}

if __name__ == "__main__":
    if UNIT == "row":
        QUESTIONS = dict.fromkeys(QUESTIONS, "needs a person")
    report(ASKED, QUESTIONS, float(LIMIT))
