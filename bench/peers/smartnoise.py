"""SmartNoise SQL on a DataFrame: python smartnoise.py FILE ROWS UNIT QUESTIONS LIMIT."""

import sys
import warnings
from functools import partial
from typing import Any

import pandas as pd
import snsql
from timing import ROWS_PER_GROUP, prepared, report

warnings.filterwarnings("ignore")
FILE, ROWS, UNIT, ASKED, LIMIT = sys.argv[1:]
PERSON = UNIT == "person"
COLUMNS: dict[str, Any] = {
    "row_privacy": not PERSON,
    "max_ids": ROWS_PER_GROUP if PERSON else 1,
    "rows": int(ROWS),
    "user_id": {"type": "int", "private_id": True} if PERSON else {"type": "int"},
    "visited": {"type": "int", "lower": 0, "upper": 364},
    "city": {"type": "string"},
    "category": {"type": "int", "lower": 0, "upper": 11},
    "amount": {"type": "float", "lower": 0.0, "upper": 200.0},
}


def reader() -> Any:
    return snsql.from_connection(
        pd.read_parquet(FILE),
        privacy=snsql.Privacy(epsilon=1.0, delta=1e-7),
        metadata={"": {"public": {"visits": COLUMNS}}},
        engine="pandas",
    )


TEXTS = {
    "COUNT(*)": "SELECT COUNT(*) AS n FROM public.visits",
    "COUNT(DISTINCT person)": "SELECT COUNT(DISTINCT user_id) AS n FROM public.visits",
    "SUM with WHERE": "SELECT SUM(amount) AS n FROM public.visits WHERE visited < 180",
    "AVG": "SELECT AVG(amount) AS n FROM public.visits",
    "VARIANCE": "SELECT VARIANCE(amount) AS n FROM public.visits",
    "GROUP BY unknown key": "SELECT city, COUNT(*) AS n FROM public.visits GROUP BY city ORDER BY n DESC LIMIT 10",
    "GROUP BY public key": "SELECT category, COUNT(*) AS n, SUM(amount) AS s, AVG(amount) AS a "
    "FROM public.visits GROUP BY category",
}

if __name__ == "__main__":
    made = prepared(reader)
    questions: dict[str, Any] = {name: partial(made.execute, text) for name, text in TEXTS.items()}
    report(ASKED, {**questions, "MEDIAN": "has no median"}, float(LIMIT))
