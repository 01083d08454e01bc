"""Visits of people who have very different numbers of them, written once as Parquet and kept: the same in every run.

Rows a person are log-normal, which gives half, a tenth and a hundredth of the people more than 33, 224 and 1056 rows where
the mean is 100. Rows are in no order; whose a row is, is a whole number of 40 bits in `user_id` and a text in `user_name`.
"""

import sys
import tempfile
from dataclasses import dataclass
from math import exp
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

CACHE = Path(tempfile.gettempdir()) / "sfumato-bench-scale"
SPREAD = 1.49
"""The standard deviation of the logarithm of a person's number of rows."""
CODES, TOWNS, CATEGORIES = 20_000, 2_000, 12
_CHUNK = 1_000_000
_SCATTER, _IDS = 668_265_263, 2**40
"""Ids are multiples of an odd number, modulo a power of two: all different, and with gaps between them."""
_COLUMNS = """
    (p * {scatter} % {ids})::BIGINT AS user_id, printf('person-%010x', (p * {scatter} % {ids})::BIGINT) AS user_name,
    (hash(8 * i + 1) % 365)::INTEGER AS visited,
    'town ' || CAST(floor({towns} * pow(hash(32 * p + hash(8 * i + 2) % 3) / pow(2, 64), 3)) AS INTEGER) AS city,
    (hash(8 * i + 3) % {categories})::INTEGER AS category, (hash(8 * i + 4) % 20001 / 100)::DOUBLE AS amount,
    CAST(floor(pow({codes} + 1, hash(8 * i + 5) / pow(2, 64))) - 1 AS INTEGER) % {codes} AS code"""


@dataclass(frozen=True)
class Visits:
    """So many rows of so many people, of each of whom so many count."""

    name: str
    rows: int
    people: int
    most: int

    @property
    def file(self) -> Path:
        """The visits in Parquet."""
        return CACHE / f"{self.name}.parquet"

    @property
    def users(self) -> Path:
        """The people, one row each."""
        return CACHE / f"{self.name}-users.parquet"

    def made(self) -> "Visits":
        """Written, if they are not there yet."""
        if not self.users.exists():
            CACHE.mkdir(exist_ok=True)
            print(f"… writing {self.rows:,} rows of {self.people:,} people", file=sys.stderr)
            _write(self)
        return self


V6 = Visits("v6", 10**6, 10**4, 50)
V7 = Visits("v7", 10**7, 10**5, 50)
V7B = Visits("v7b", 10**7, 10**6, 10)
V8 = Visits("v8", 10**8, 10**6, 50)


def _write(visits: Visits) -> None:
    random = np.random.default_rng(visits.rows + visits.people)
    ends = np.cumsum(random.lognormal(0, SPREAD, visits.people) / exp(SPREAD**2 / 2))
    part = visits.file.with_suffix(".part")
    columns = _COLUMNS.format(scatter=_SCATTER, ids=_IDS, towns=TOWNS, categories=CATEGORIES, codes=CODES)
    with duckdb.connect(str(visits.file.with_suffix(".making"))) as run:
        run.execute("CREATE OR REPLACE TABLE who (i BIGINT, p BIGINT)")
        for start in range(0, visits.rows, _CHUNK):
            size = min(_CHUNK, visits.rows - start)
            chunk: dict[str, Any] = {
                "i": np.arange(start, start + size),
                "p": np.searchsorted(ends, random.random(size) * ends[-1], side="right"),
            }
            run.register("chunk", chunk)
            run.execute("INSERT INTO who SELECT i, p FROM chunk")
            run.unregister("chunk")
        run.execute(f"COPY (SELECT {columns} FROM who) TO '{part}' (FORMAT parquet)")
        part.rename(visits.file)
        run.execute(f"COPY (SELECT DISTINCT user_id, user_name FROM '{visits.file}') TO '{part}' (FORMAT parquet)")
        part.rename(visits.users)
    visits.file.with_suffix(".making").unlink()
