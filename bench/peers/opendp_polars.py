"""OpenDP in a Polars context: python opendp_polars.py FILE ROWS UNIT QUESTIONS LIMIT."""

import sys
import warnings
from typing import Any

import opendp.prelude as dp
import polars as pl
from timing import ROWS_PER_GROUP, report

warnings.filterwarnings("ignore")
dp.enable_features("contrib")
FILE, ROWS, UNIT, ASKED, LIMIT = sys.argv[1:]
PERSON = UNIT == "person"
AMOUNT = pl.col("amount").fill_nan(0.0).fill_null(0.0)
CANDIDATES = [i / 5 for i in range(1001)]
ALL = dp.polars.Margin(max_length=int(ROWS))
PUBLIC = dp.polars.Margin(by=["category"], max_length=int(ROWS), max_groups=12)
KEYS = pl.LazyFrame({"category": range(12)}, schema={"category": pl.Int32})


def query(margins: list[Any], delta: float = 0.0) -> Any:
    """A query with a price of its own; of a person's rows as many count as in a group here, in all groups together."""
    unit = dp.unit_of(contributions=1, identifier="user_id") if PERSON else dp.unit_of(contributions=1)
    context = dp.Context.compositor(
        data=pl.scan_parquet(FILE),
        privacy_unit=unit,
        privacy_loss=dp.loss_of(epsilon=1.0, delta=delta) if delta else dp.loss_of(epsilon=1.0),
        split_evenly_over=1,
        margins=margins,
    )
    return context.query().truncate_per_group(ROWS_PER_GROUP) if PERSON else context.query()


def amounts(wanted: Any) -> Any:
    return query([ALL]).select(wanted).release().collect()


def early() -> Any:
    return query([ALL]).filter(pl.col("visited") < 180).select(AMOUNT.dp.sum((0, 200))).release().collect()


def unknown() -> Any:
    return query([ALL], delta=1e-7).group_by("city").agg(dp.len()).release().collect().sort("len").tail(10)


def public() -> Any:
    wanted = dp.len(), AMOUNT.dp.sum((0, 200))  # the average follows from both
    asked = query([ALL, PUBLIC]).group_by("category").agg(*wanted)
    return asked.with_keys(KEYS).release().collect()


QUESTIONS: dict[str, Any] = {
    "COUNT(*)": lambda: amounts(dp.len()),
    "COUNT(DISTINCT person)": lambda: amounts(pl.col("user_id").dp.n_unique()),
    "SUM with WHERE": early,
    "AVG": lambda: amounts(AMOUNT.dp.mean((0, 200))),
    "VARIANCE": "has no variance",
    "GROUP BY unknown key": unknown,
    "GROUP BY public key": public,
    "MEDIAN": lambda: amounts(AMOUNT.dp.median(candidates=CANDIDATES)),
}

if __name__ == "__main__":
    report(ASKED, QUESTIONS, float(LIMIT))
