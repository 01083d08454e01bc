"""What bounding does to answers, before noise: against exactly weighted truth, and against the raw one.

The tables are those our accuracy is measured on: `visits` holds 1e6 rows of 1e5 people, heavy-tailed (amounts from 0 to 200,
y from 10 000 to 11 000, 8 wards), of which 5 rows count in a group and 3 groups a person. A noise width is √2 times the scale of
the noise at ε = 1. What is computed is computed once more in Fractions of plain DuckDB's rows.
"""

from fractions import Fraction
from math import sqrt
from typing import Any

import duckdb

from report import Row, at_most, publish
from sfumato.data import declared
from sfumato.engines import Engine
from sfumato.engines.registry import open_engine
from sfumato.query import PricedQuery, Spend, plan_question, price
from sfumato.query.postprocess import answers_of, post_process
from sfumato.query.priced import NoisyCells

PEOPLE, ROWS = 100_000, 1_000_000
GOAL = 0.1
"""Noise widths by which an answer may be off what its weights say."""


def tables() -> duckdb.DuckDBPyConnection:
    made = duckdb.connect()
    made.execute(f"CREATE TABLE people AS SELECT i::BIGINT AS id FROM range({PEOPLE}) t(i)")
    made.execute(f"""CREATE TABLE visits AS SELECT (pow(hash(i, 'who') % 1000000 / 1000000.0, 1.6) * {PEOPLE})::BIGINT % {PEOPLE} AS id,
        hash(i, 'ward') % 8 AS ward, least(200, greatest(0, round(40 + 20 * sqrt(-2 * ln((hash(i, 'u') % 999983 + 1) / 999984.0))
        * cos(6.283185307179586 * (hash(i, 'v') % 999983) / 999983.0))))::BIGINT AS amount,
        (10000 + hash(i, 'y') % 801)::BIGINT AS y, hash(i, 'day') % 7 AS day FROM range({ROWS}) t(i)""")
    return made


def opened(plain: duckdb.DuckDBPyConnection) -> Engine:
    return open_engine(declared({
        "name": "bias", "budget": {"epsilon": "1"}, "unit": {"person": "people.id"},
        "tables": {
            "people": {"source": plain.sql("SELECT * FROM people").to_arrow_table()},
            "visits": {
                "source": plain.sql("SELECT id, ward::BIGINT AS ward, amount, y, day::BIGINT AS day FROM visits").to_arrow_table(),
                "foreign_keys": {"id": "people.id"}, "rows_per_group": 5, "groups_per_person": 3,
                "columns": {"ward": {"values": list(range(8))}, "amount": {"lower": 0, "upper": 200},
                            "y": {"lower": 10000, "upper": 11000}, "day": {"lower": 0, "upper": 6}},
            },
        },
    }))  # fmt: skip


def priced(engine: Engine, text: str) -> PricedQuery:
    spend = Spend(Fraction(1), None, Fraction(0))
    return price(plan_question(text, engine.dataset, engine), engine.dataset, spend)


def alone(
    engine: Engine, plain: duckdb.DuckDBPyConnection, name: str, adds: str, unit: int, *, key: str = ""
) -> list[Row]:
    """One aggregate asked alone, by ward or in all: totals of a person are scaled."""
    text = f"SELECT {key + ', ' if key else ''}{name} FROM visits{f' GROUP BY {key}' if key else ''}"
    query = priced(engine, text)
    (each,) = query.priced
    assert isinstance(each, NoisyCells)
    exact = engine.aggregate(query)
    found = {tuple(group): Fraction(int(exact.columns[0][i]), 1 << each.bits) for i, group in enumerate(exact.keys)}
    grouped, most = (f"GROUP BY id, {key}" if key else "GROUP BY id"), query.bounds.total * unit
    lines = plain.execute(f"SELECT id, {key or 0}, sum({adds})::BIGINT FROM visits {grouped}").fetchall()
    totals: dict[int, int] = {}
    for person, _, value in lines:
        totals[person] = totals.get(person, 0) + abs(value)
    truth: dict[Any, Fraction] = {}
    raw: dict[Any, int] = {}
    for person, group, value in lines:
        at = (group,) if key else ()
        weight = min(Fraction(1), Fraction(most, totals[person] or 1))
        truth[at] = truth.get(at, Fraction(0)) + weight * value
        raw[at] = raw.get(at, 0) + value
    width = sqrt(2) * float(each.noise.scale) / (1 << each.bits)  # type: ignore[attr-defined]
    worst = max(abs(float(found[at] - truth[at])) / width for at in truth)
    kept = min(float(found[at]) / raw[at] for at in raw)
    where = f" by {key}" if key else ""
    rows = [at_most(f"{name}{where}: bias in noise widths", ours=worst, goal=GOAL)]
    if name == "SUM(amount)" and not key:
        rows.append(at_most(f"{name}: short of the raw truth (0.1.0: 0.56)", ours=1 - kept, goal=0.05))
    else:
        rows.append(Row(f"{name}{where}: share of the raw truth", kept, None, "", None, "", None))
    return rows


def average(engine: Engine, plain: duckdb.DuckDBPyConnection, column: str) -> Row:
    """AVG against the mean of weighted rows."""
    query = priced(engine, f"SELECT AVG({column}) FROM visits")
    exact = engine.aggregate(query)
    cells = [cell for each in query.priced if isinstance(each, NoisyCells)
             for cell in each.of([int(exact.columns[place][0]) for place in each.columns])]  # fmt: skip
    ((answer,),) = [[bar.value for bar in row] for row in post_process(query, [()], [cells], Fraction(1, 20))]
    lines = plain.execute(f"SELECT count(*), sum({column})::BIGINT FROM visits GROUP BY id").fetchall()
    weights = [(min(Fraction(1), Fraction(query.bounds.total, n)), n, s) for n, s in lines]
    truth = sum((w * s for w, _, s in weights), Fraction(0)) / sum((w * n for w, n, _ in weights), Fraction(0))
    ((_, off),) = answers_of(query, Fraction(1, 20))
    kept = float(sum((w * n for w, n, _ in weights), Fraction(0)))
    width = float(off.reach(1, 0)) / off.ratio(1, 0) / kept  # the deviation of the sum's noise, over the rows
    return at_most(
        f"AVG({column}): bias in noise widths (0.1.0: 17)", ours=abs(answer - float(truth)) / width, goal=GOAL
    )


def main() -> None:
    plain = tables()
    engine = opened(plain)
    rows: list[Row] = []
    for name, adds, unit in (("COUNT(*)", "1", 1), ("SUM(amount)", "amount", 200), ("SUM(y)", "y", 11000),
                             ("COUNT(*) FILTER (WHERE day = 0)", "(day = 0)::BIGINT", 1)):  # fmt: skip
        for key in ("", "ward"):
            rows += alone(engine, plain, name, adds, unit, key=key)
    rows += [average(engine, plain, column) for column in ("amount", "y", "day")]
    engine.close()
    publish("bias", rows)


if __name__ == "__main__":
    main()
