"""Tumult Analytics on its own Spark: python scale_tumult.py FILE ROWS_PER_PERSON MASTER QUESTIONS.

QUESTIONS is JSON, SQL by name; a line of JSON each, with the time of the same question in plain Spark SQL beside it.
"""

import json
import logging
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from pyspark.sql import SparkSession
from scale_timing import timed
from tmlt.analytics import AddRowsWithID, ApproxDPBudget, KeySet, MaxRowsPerID, QueryBuilder, Session

FILE, MOST, MASTER, ASKED = sys.argv[1:]
BUDGET = ApproxDPBudget(1, 1e-7)


def opened() -> tuple[Any, Any]:
    """Spark, and a session that never runs out of budget."""
    build = SparkSession.builder.master(MASTER).config("spark.ui.enabled", "false").config("spark.driver.memory", "4g")
    spark = build.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    visits = spark.read.parquet(FILE)
    visits.createOrReplaceTempView("visits")
    private = visits.select("user_id", "visited", "city", "category", "amount", "code")
    made = Session.Builder().with_privacy_budget(ApproxDPBudget(float("inf"), 1))
    return spark, made.with_private_dataframe("visits", private, protected_change=AddRowsWithID("user_id")).build()


def bounded(where: str = "") -> Any:
    """Rows of which each person has as many as count."""
    rows = QueryBuilder("visits")
    return (rows.filter(where) if where else rows).enforce(MaxRowsPerID(int(MOST)))


def main() -> None:
    logging.disable(logging.WARNING)
    spark, session = opened()

    def ask(*queries: Any) -> Any:
        return [session.evaluate(query, BUDGET).collect() for query in queries]

    def unknown() -> Any:
        groups = session.evaluate(bounded().get_groups(["city"]), BUDGET).collect()
        keys = KeySet.from_dict({"city": [group["city"] for group in groups]})
        return ask(bounded().groupby(keys).count())

    def public(column: str, size: int) -> Any:
        return bounded().groupby(KeySet.from_dict({column: list(range(size))}))

    def by_category() -> Any:
        made = partial(public, "category", 12)
        return ask(made().count(), made().sum("amount", 0, 200), made().average("amount", 0, 200))

    questions: dict[str, Callable[[], Any]] = {
        "COUNT(*)": lambda: ask(bounded().count()),
        "COUNT(DISTINCT person)": lambda: ask(QueryBuilder("visits").count_distinct(["user_id"])),
        "SUM with WHERE": lambda: ask(bounded("visited < 180").sum("amount", 0, 200)),
        "AVG": lambda: ask(bounded().average("amount", 0, 200)),
        "VARIANCE": lambda: ask(bounded().variance("amount", 0, 200)),
        "GROUP BY unknown key": unknown,
        "GROUP BY public key": by_category,
        "MEDIAN": lambda: ask(bounded().median("amount", 0, 200)),
        "GROUP BY 20 000 public keys": lambda: ask(public("code", 20_000).count()),
    }
    for name, text in json.loads(ASKED).items():
        if name in questions:
            print(
                json.dumps({"question": name} | timed(questions[name], lambda t=text: spark.sql(t).collect())),
                flush=True,
            )  # type: ignore[misc]


if __name__ == "__main__":
    main()
