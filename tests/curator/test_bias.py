"""What bounding does to answers: nothing but the weights that are promised, whatever way a question is written.

All of it before noise: exact integers go through the same post-processing that noisy ones do.
"""

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from math import sqrt
from typing import Any

import pyarrow as pa
import pytest

from sfumato.data import declared
from sfumato.engines import Engine
from sfumato.engines.registry import open_engine
from sfumato.query import Spend, plan_question, price
from sfumato.query.postprocess import post_process
from sfumato.query.price import PricedQuery
from sfumato.query.priced import NoisyCells
from sfumato.query.quantiles import PricedQuantile

PEOPLE, ROWS_PER_PERSON = 1500, 5
WARDS = [f"ward {i}" for i in range(8)]
Row = dict[str, Any]


def _rows() -> list[Row]:
    """Heavy tails: most people have a few visits, some a hundred; amounts 0 to 200, some missing, and y far from zero."""
    found, state = [], 12345
    for person in range(PEOPLE):
        many = 1 + person % 4 if person % 10 else 1 + (person * 7919) % 120
        for visit in range(many):
            state = (state * 1103515245 + 12345) % 2**31
            amount = None if state % 23 == 0 else (state >> 8) % 20001 / 100
            found.append({
                "id": person, "ward": WARDS[(state >> 5) % (1 + person % 8)], "day": visit % 7, "amount": amount,
                "y": 10000 + (state >> 3) % 1001, "change": (state >> 4) % 201 - 100, "paid": (None, True, False)[(state >> 9) % 3],
            })  # fmt: skip
    return found


ROWS = _rows()
BOUNDS: dict[str, dict[str, int]] = {
    "rows": {"rows_per_person": 15}, "groups": {"rows_per_group": 5, "groups_per_person": 3},
    "few rows": {"rows_per_person": 1},
}  # fmt: skip


def opened(bounds: dict[str, int]) -> Engine:
    names = list(ROWS[0])
    return open_engine(declared({
        "name": "bias", "budget": {"epsilon": "1"}, "unit": {"person": "people.id"},
        "tables": {
            "people": {"source": pa.table({"id": list(range(PEOPLE)), "age": [i % 90 for i in range(PEOPLE)]})},
            "visits": {
                "source": pa.table({name: [row[name] for row in ROWS] for name in names}),
                "foreign_keys": {"id": "people.id"}, **bounds,
                "columns": {
                    "ward": {"values": WARDS}, "day": {"lower": 0, "upper": 6}, "amount": {"lower": 0, "upper": 200, "grid": 0.01},
                    "y": {"lower": 10000, "upper": 11000}, "change": {"lower": -100, "upper": 100},
                },
            },
        },
    }))  # fmt: skip


@pytest.fixture(scope="module", params=BOUNDS)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    made = opened(BOUNDS[request.param])
    yield made
    made.close()


def priced(engine: Engine, text: str, *, rho: bool = False) -> PricedQuery:
    spend = Spend(None if rho else Fraction(1), Fraction(1) if rho else None, Fraction(1, 10**6))
    return price(plan_question(text, engine.dataset, engine), engine.dataset, spend)


def answered(engine: Engine, text: str) -> list[tuple[Any, ...]]:
    """The answer without noise; of a quantile the value at its weighted rank."""
    query = priced(engine, text)
    exact = engine.aggregate(query)
    groups = query.question.groups
    keys = [tuple(key) for key in (exact.keys if groups is None else groups)]
    at = {tuple(key): i for i, key in enumerate(exact.keys)}
    lines = []
    for key in keys:
        line: list[Any] = []
        for each in query.priced:
            if isinstance(each, PricedQuantile):
                line.append([_quantile(exact.values[each.columns[0]].get(key), each.q)] * 3)
            else:
                columns = [int(exact.columns[place][at[key]]) if key in at else 0 for place in each.columns]
                line += each.of(columns) if isinstance(each, NoisyCells) else columns
        lines.append(line)
    bars = post_process(query, keys, lines, Fraction(1, 20))
    return [tuple(bar.value for bar in row) for row in bars]


def _quantile(counted: Any, q: Fraction) -> Any:
    if counted is None:
        return None
    values, counts = (list(map(int, each)) for each in counted)
    below = 0
    for value, count in zip(values, counts, strict=True):
        below += count
        if below >= q * sum(counts):
            return value
    return None


# ---- against exactly weighted truth ----


def _weighted(text_rows: list[Row], size: Any, adds: Any, total: int, unit: Fraction) -> Fraction:
    """Σ over people of what their rows add, each scaled by min(1, T·U/size) exactly."""
    people: dict[int, list[Row]] = defaultdict(list)
    for row in text_rows:
        people[row["id"]].append(row)
    found = Fraction(0)
    for rows in people.values():
        theirs = size(rows)
        weight = min(Fraction(1), total * unit / theirs) if theirs else Fraction(1)
        found += weight * sum((adds(row) for row in rows), Fraction(0))
    return found


def _amount(row: Row) -> Fraction:
    return Fraction(round((row["amount"] or 0) * 100), 100)


ALONE: dict[str, tuple[str, Any, Any, Fraction]] = {
    "count": ("COUNT(*)", len, lambda _: Fraction(1), Fraction(1)),
    "count of values": (
        "COUNT(amount)", lambda rows: sum(r["amount"] is not None for r in rows),
        lambda r: Fraction(r["amount"] is not None), Fraction(1)),
    "filter": (
        "COUNT(*) FILTER (WHERE paid)", lambda rows: sum(r["paid"] is True for r in rows),
        lambda r: Fraction(r["paid"] is True), Fraction(1)),
    "sum": ("SUM(amount)", lambda rows: sum(map(_amount, rows)), _amount, Fraction(200)),
    "far sum": ("SUM(y)", lambda rows: sum(r["y"] for r in rows), lambda r: Fraction(r["y"]), Fraction(11000)),
    "signed sum": (
        "SUM(change)", lambda rows: abs(sum(r["change"] for r in rows)), lambda r: Fraction(r["change"]), Fraction(100)),
    "days": (
        "SUM(CASE WHEN day = 0 THEN 1 ELSE 0 END)", lambda rows: sum(r["day"] == 0 for r in rows),
        lambda r: Fraction(r["day"] == 0), Fraction(1)),
}  # fmt: skip


@pytest.mark.parametrize("name", ALONE)
def test_a_sum_is_that_of_the_weights_that_are_promised(engine: Engine, name: str) -> None:
    """Within a tenth of the noise at ε = 1: what is left is the floor of a weight of thirty bits."""
    asked, size, adds, unit = ALONE[name]
    query = priced(engine, f"SELECT {asked} FROM visits")
    (each,) = query.priced
    assert isinstance(each, NoisyCells)
    (measure,) = query.measures.measures
    exact = Fraction(int(engine.aggregate(query).columns[0][0]), 1 << each.bits) * measure.scale
    truth = _weighted(ROWS, size, adds, query.bounds.total, unit)
    width = sqrt(2) * float(each.noise.scale) / (1 << each.bits) * float(measure.scale)  # type: ignore[attr-defined]
    assert abs(float(exact - truth)) <= 0.1 * width
    assert exact != 0


@pytest.mark.parametrize("column", ["amount", "y", "day"])
def test_an_average_is_that_of_weighted_rows(engine: Engine, column: str) -> None:
    """Also 10 000 from zero: the same weight above and below."""
    known = [row for row in ROWS if row[column] is not None]
    total = priced(engine, f"SELECT AVG({column}) FROM visits").bounds.total
    value = (lambda row: _amount(row)) if column == "amount" else (lambda row: Fraction(row[column]))
    above = _weighted(known, len, value, total, Fraction(1))
    below = _weighted(known, len, lambda _: Fraction(1), total, Fraction(1))
    ((found,),) = answered(engine, f"SELECT AVG({column}) FROM visits")
    assert found == pytest.approx(float(above / below), rel=1e-7)


def test_no_cell_is_cut_to_a_whole_step() -> None:
    """1000 people of 6 rows, of which 5 count: the days of each are five sixths, and were none."""
    rows = [(person, day) for person in range(1000) for day in range(6)]
    about = {
        "name": "six", "budget": {"epsilon": "1"}, "unit": {"person": "people.id"},
        "tables": {
            "people": {"source": pa.table({"id": list(range(1000))})},
            "visits": {
                "source": pa.table({"id": [row[0] for row in rows], "day": [row[1] for row in rows]}),
                "foreign_keys": {"id": "people.id"}, "rows_per_person": 5, "columns": {"day": {"lower": 0, "upper": 5}},
            },
        },
    }  # fmt: skip
    made = open_engine(declared(about))
    try:
        beside = answered(made, "SELECT SUM(CASE WHEN day = 0 THEN 1 ELSE 0 END), COUNT(*) FROM visits")
        assert beside == [(833, 5000)]
        assert answered(made, "SELECT SUM(CASE WHEN day = 0 THEN 1 ELSE 0 END) FROM visits") == [(1000,)]
        assert answered(made, "SELECT day, COUNT(*) FROM visits GROUP BY day") == [
            *((day, 833) for day in range(6)),
            (None, 0),
        ]
    finally:
        made.close()


# ---- families of questions that mean the same ----

FAMILIES: dict[str, tuple[str, ...]] = {
    "a condition": (
        "SELECT COUNT(*) FROM visits WHERE day = 0", "SELECT COUNT(*) FILTER (WHERE day = 0) FROM visits",
        "SELECT SUM(CASE WHEN day = 0 THEN 1 ELSE 0 END) FROM visits", "SELECT COUNT_IF(day = 0) FROM visits",
        "SELECT COUNT(CASE WHEN day = 0 THEN 7 END) FROM visits", "SELECT SUM(CASE WHEN day = 0 THEN 1 END) FROM visits"),
    "a condition by ward": tuple(
        f"SELECT ward, {asked} GROUP BY ward" for asked in (
            "COUNT(*) FROM visits WHERE paid", "COUNT(*) FILTER (WHERE paid) FROM visits",
            "SUM(CASE WHEN paid THEN 1 ELSE 0 END) FROM visits", "COUNT_IF(paid) FROM visits")),
    "a sum under a condition": (
        "SELECT SUM(amount) FROM visits WHERE paid", "SELECT SUM(amount) FILTER (WHERE paid) FROM visits",
        "SELECT SUM(CASE WHEN paid THEN amount END) FROM visits", "SELECT SUM(CASE WHEN paid THEN amount ELSE 0 END) FROM visits"),
    "values": (
        "SELECT COUNT(amount) FROM visits", "SELECT COUNT(*) FROM visits WHERE amount IS NOT NULL",
        "SELECT COUNT(*) FILTER (WHERE amount IS NOT NULL) FROM visits"),
    "an average": (
        "SELECT AVG(amount) FROM visits", "SELECT SUM(amount) / COUNT(amount) FROM visits",
        "SELECT AVG(amount) FROM visits WHERE amount IS NOT NULL", "SELECT AVG(amount + 5) - 5 FROM visits"),
    "an average by ward": (
        "SELECT ward, AVG(amount) FROM visits WHERE ward IS NOT NULL GROUP BY ward", "SELECT ward, SUM(amount) / COUNT(amount) FROM visits WHERE ward IS NOT NULL GROUP BY ward"),
    "a multiple": ("SELECT SUM(day * 2) FROM visits", "SELECT 2 * SUM(day) FROM visits", "SELECT SUM(day + day) FROM visits"),
    "a sign": ("SELECT SUM(-day) FROM visits", "SELECT -SUM(day) FROM visits", "SELECT SUM(0 - day) FROM visits"),
    "a spread": ("SELECT VARIANCE(day) FROM visits", "SELECT POW(STDDEV(day), 2) FROM visits", "SELECT VAR_SAMP(day) FROM visits"),
    "a median": ("SELECT MEDIAN(day) FROM visits", "SELECT QUANTILE(day, 0.5) FROM visits",
                 "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY day) FROM visits"),
    "a subquery": (
        "SELECT COUNT(*) FROM visits WHERE paid AND day < 3", "SELECT COUNT(*) FROM (SELECT * FROM visits WHERE paid) t WHERE day < 3",
        "WITH t AS (SELECT * FROM visits WHERE day < 3) SELECT COUNT(*) FROM t WHERE paid"),
    "neither": (
        "SELECT COUNT(*) FROM visits WHERE NOT (day = 1 OR day = 2)", "SELECT COUNT(*) FROM visits WHERE day <> 1 AND day <> 2",
        "SELECT COUNT(*) FROM visits WHERE day NOT IN (1, 2)"),
    "between": (
        "SELECT SUM(amount) FROM visits WHERE day BETWEEN 2 AND 4", "SELECT SUM(amount) FROM visits WHERE day >= 2 AND day <= 4",
        "SELECT SUM(amount) FROM visits WHERE day IN (2, 3, 4)"),
    "people": (
        "SELECT COUNT(DISTINCT id) FROM visits WHERE paid", "SELECT COUNT(DISTINCT id) FILTER (WHERE paid) FROM visits",
        "SELECT COUNT(*) FROM (SELECT id, COUNT_IF(paid) AS n FROM visits GROUP BY id) t WHERE n > 0"),
    "a join": (
        "SELECT COUNT(*) FROM visits", "SELECT COUNT(*) FROM visits v JOIN people p ON v.id = p.id",
        "SELECT COUNT(*) FROM visits v LEFT JOIN people p USING (id)"),
    "the groups that are there": (
        "SELECT ward, COUNT(*) FROM visits WHERE ward IS NOT NULL GROUP BY ward",
        "SELECT ward, COUNT(*) FROM visits WHERE ward IN ('ward 0', 'ward 1', 'ward 2', 'ward 3', 'ward 4', 'ward 5', 'ward 6', 'ward 7') GROUP BY ward"),
    "two parts at once": (
        "SELECT COUNT(*) FILTER (WHERE paid), COUNT(*) FILTER (WHERE NOT paid) FROM visits",
        "SELECT SUM(CASE WHEN paid THEN 1 ELSE 0 END), SUM(CASE WHEN NOT paid THEN 1 ELSE 0 END) FROM visits"),
    "an order of SELECT": (
        "SELECT AVG(day), COUNT(*) FROM visits HAVING COUNT(*) > 0", "SELECT AVG(day), COUNT(*) FROM visits",
        "SELECT AVG(day) AS a, COUNT(*) AS n FROM visits ORDER BY n"),
    "a total of a total": ("SELECT COUNT(*) FROM visits", "SELECT SUM(n) FROM (SELECT id, COUNT(*) AS n FROM visits GROUP BY id) t"),
    "a choice": (
        "SELECT SUM(COALESCE(amount, 0)) FROM visits", "SELECT SUM(CASE WHEN amount IS NULL THEN 0 ELSE amount END) FROM visits",
        "SELECT SUM(amount) FROM visits"),
    "different values": (
        "SELECT COUNT(DISTINCT day) FROM visits WHERE paid", "SELECT COUNT(DISTINCT day) FILTER (WHERE paid) FROM visits",
        "SELECT COUNT(DISTINCT CASE WHEN paid THEN day END) FROM visits"),
    "a group of a condition": (
        "SELECT day, COUNT(*) FROM visits WHERE paid GROUP BY day", "SELECT day, COUNT(*) FILTER (WHERE paid) FROM visits GROUP BY day"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAMILIES)
def test_questions_that_mean_the_same_have_the_same_answer(engine: Engine, name: str) -> None:
    found = [answered(engine, text) for text in FAMILIES[name]]
    near = 3e-2 if name == "an average by ward" else 1e-6  # a count is rounded to be whole, and then divided by
    for text, answer in zip(FAMILIES[name], found, strict=True):
        for row, first in zip(answer, found[0], strict=True):
            for value, same in zip(row, first, strict=True):
                close = (
                    value == same
                    if value is None or isinstance(value, str)
                    else value == pytest.approx(same, rel=near, abs=1e-6)
                )
                assert close, (text, answer, found[0])


def test_there_are_at_least_twenty_families() -> None:
    assert len(FAMILIES) >= 20
