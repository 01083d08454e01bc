"""Questions whose answers DuckDB knows: a table in which nobody is beyond the bounds, and what is asked of it.

People have one row; visits two a person, in at most two wards, and NULL everywhere; towns are public. At a high price
noise is nothing, so an answer is DuckDB's own, but for the differences that `DIFFERENCES` names.
"""

import random
from datetime import date, datetime, timedelta
from itertools import product
from typing import Any

import pyarrow as pa

PEOPLE = 400
_DRAW = random.Random(20261117)


def _or_null(values: list[Any], every: int) -> list[Any]:
    """The values, one of every so many being missing."""
    return [None if at % every == every - 1 else value for at, value in enumerate(values)]


def tables() -> dict[str, pa.Table]:
    """People, their visits and public towns."""
    draw, many = random.Random(7), 2 * PEOPLE
    days = [date(2020, 2, 27) + timedelta(days=draw.randrange(1500)) for _ in range(PEOPLE)]
    people = {
        "person": list(range(PEOPLE)),
        "age": _or_null([draw.randrange(0, 91) for _ in range(PEOPLE)], 7),
        "town": _or_null([draw.choice("abcd") for _ in range(PEOPLE)], 11),
        "since": _or_null(days, 13),
    }
    visits = {
        "person": [at // 2 for at in range(many)],
        "x": _or_null([draw.randrange(-50, 51) for _ in range(many)], 9),
        "cost": _or_null([draw.randrange(10_000) / 100 for _ in range(many)], 8),
        "ward": _or_null([draw.choice("abc") for _ in range(many)], 10),
        "paid": _or_null([draw.random() < 0.5 for _ in range(many)], 6),
        "note": _or_null([draw.choice(["flu", "cold", "Flu shot", "", " é "]) for _ in range(many)], 5),
        "seen": _or_null([datetime(2024, 1, 1) + timedelta(minutes=draw.randrange(10**6)) for _ in range(many)], 12),
    }
    towns = {"town": ["a", "b", "c", "e"], "region": ["north", "south", None, "west"]}
    times = pa.timestamp("us")
    return {
        "people": pa.table(people),
        "visits": pa.table(visits).set_column(6, "seen", pa.array(visits["seen"], times)),
        "towns": pa.table(towns),
    }


def declaration(found: dict[str, pa.Table]) -> dict[str, Any]:
    """What the owner says of them: bounds that nobody is beyond, and a budget that no question comes near."""
    return {
        "name": "differential",
        "budget": {"epsilon": "1e12", "delta": "0.9"},
        "unit": {"person": "people.person"},
        "tables": {
            "people": {"source": found["people"], "columns": {"age": {"lower": 0, "upper": 90}}},
            "visits": {
                "source": found["visits"],
                "foreign_keys": {"person": "people.person"},
                "rows_per_group": 2,
                "groups_per_person": 2,
                "columns": {
                    "x": {"lower": -50, "upper": 50},
                    "cost": {"lower": 0, "upper": 100, "grid": "0.01"},
                    "ward": {"values": ["a", "b", "c"]},
                },
            },
            "towns": {"source": found["towns"], "public": True},
        },
    }


NUMBERS = (
    "x", "-x", "x + 1", "x - 3", "x * 2", "2 * x + cost", "x / 4", "cost / 3", "x // 7", "x // -7", "-x // 3", "cost // 7", "x % 7", "-x % 7", "MOD(x, 4)",
    "cost % 7", "ABS(x)", "SIGN(x)", "FLOOR(cost)", "CEIL(cost)", "TRUNC(cost)", "TRUNC(x / 3)", "FLOOR(x / 3)", "ROUND(cost)", "ROUND(cost, 1)",
    "ROUND(x / 2)", "SQRT(cost)", "LN(cost + 1)", "LOG(cost + 1)", "LOG2(cost + 1)", "LOG10(cost + 1)", "EXP(x / 50)", "POW(x, 2)", "x ** 3", "LEAST(x, 10)",
    "GREATEST(x, 10)", "LEAST(x, cost)", "GREATEST(x, cost, 3)", "LEAST(GREATEST(x, -10), 10)", "COALESCE(x, 7)", "COALESCE(x, cost, 0)", "NULLIF(x, 3)",
    "NULLIF(x, 3.0)", "IF(paid, x, 0)", "CASE WHEN paid THEN x END", "CASE WHEN x > 0 THEN cost ELSE -1 END", "CASE ward WHEN 'a' THEN 1 WHEN 'b' THEN 2 END",
    "CASE WHEN x IS NULL THEN 1 ELSE 0 END", "CASE WHEN paid THEN 1 ELSE 0 END", "CAST(x / 2 AS INTEGER)", "CAST(x * 0.5 AS INTEGER)", "CAST(cost AS INTEGER)", "CAST(x AS DOUBLE)",
    "CAST(paid AS INTEGER)", "LEAST(LENGTH(note), 20)", "LEAST(GREATEST(YEAR(seen), 2020), 2030)", "QUARTER(seen)", "MONTH(seen)", "WEEK(seen)", "DAY(seen)", "DAYOFWEEK(seen)",
    "DAYOFYEAR(seen)", "HOUR(seen)", "MINUTE(seen)", "EXTRACT(month FROM seen)", "EXTRACT(dow FROM seen)",
)  # fmt: skip
"""Numbers of a row of visits, each with bounds that follow from those of the columns."""
CONDITIONS = (
    "x > 3", "NOT x > 3", "x = 4", "x = 4.0", "x <> 4", "NOT x <> 4", "x IN (1, 2, 3)", "x IN (4)", "x NOT IN (1, 2)", "x BETWEEN -5 AND 5", "x NOT BETWEEN -5 AND 5",
    "x < 2.5", "4 > x", "x = cost", "cost >= 50", "cost < 0.5", "x IS NULL", "x IS NOT NULL", "paid", "NOT paid", "paid = TRUE", "paid <> TRUE", "paid IS TRUE",
    "paid IS NOT TRUE", "paid IS FALSE", "paid IS NULL", "x > 0 AND paid", "x > 0 OR paid", "NOT (x > 0 AND paid)", "NOT (x > 0 OR paid)", "x = 1 OR x = 2 OR paid",
    "ward = 'a'", "ward <> 'a'", "ward IN ('a', 'b')", "ward NOT IN ('a', 'z')", "ward < 'b'", "note LIKE 'f%'", "note NOT LIKE 'f%'", "note ILIKE 'F%'",
    "note NOT ILIKE 'F%'", "note LIKE '%o_d%'", "note LIKE ''", "note = ''", "LOWER(note) = 'flu shot'", "UPPER(note) = 'FLU'", "TRIM(note) = 'é'", "LENGTH(note) = 3",
    "STARTS_WITH(note, 'Fl')", "CONTAINS(note, 'o')", "SUBSTRING(note, 2) = 'lu'", "SUBSTRING(note, 1, 2) = 'fl'", "REPLACE(note, 'l', 'L') = 'fLu'",
    "CONCAT(note, ward) = 'flua'", "CONCAT(note, ward) = 'a'", "note || ward = 'flua'", "note || ward IS NULL", "ward IS DISTINCT FROM 'a'", "ward IS NOT DISTINCT FROM 'a'",
    "x IS NOT DISTINCT FROM 4", "COALESCE(ward, 'z') = 'z'", "NULLIF(ward, 'a') IS NULL", "CASE WHEN paid THEN x > 0 ELSE x < 0 END", "seen < '2024-06-01'",
    "seen >= TIMESTAMP '2024-06-01 12:00:00'", "CAST(seen AS DATE) = DATE '2024-02-29'", "DATE_TRUNC('month', seen) = '2024-03-01'", "YEAR(seen) = 2025",
    "EXTRACT(hour FROM seen) < 6", "x % 2 = 0", "x % 2 = -1", "x // 2 = -3", "ABS(x) = 3", "CAST(x AS VARCHAR) = '-3'", "CAST(x AS VARCHAR) LIKE '1%'", "TRUE", "1 = 1",
)  # fmt: skip
KEYS = (
    "ward", "paid", "x > 0", "x IS NULL", "cost >= 50", "x // 25", "x % 4", "SIGN(x)", "FLOOR(cost / 25)", "CASE WHEN x > 0 THEN 'up' WHEN x < 0 THEN 'down' END",
    "CASE WHEN paid THEN 1 ELSE 0 END", "QUARTER(seen)", "DAYOFWEEK(seen)", "HOUR(seen)", "note", "UPPER(note)", "LENGTH(note)", "YEAR(seen)", "CAST(seen AS DATE) < '2024-06-01'",
    "COALESCE(ward, 'none')", "CONCAT(ward, '!')", "ward || '!'", "GREATEST(x, 45)", "CAST(x / 20 AS INTEGER)", "ward, paid", "note, paid",
)  # fmt: skip
WHOLE = (
    "SELECT COUNT(*) AS n, COUNT(x) AS m, SUM(x) AS s, AVG(x) AS a FROM visits", "SELECT COUNT(*) AS n FROM people", "SELECT COUNT(DISTINCT person) AS n FROM visits",
    "SELECT COUNT(DISTINCT ward) AS n, COUNT(DISTINCT note) AS m FROM visits", "SELECT COUNT(DISTINCT x) AS n FROM visits WHERE x > 30", "SELECT MEAN(x) AS m FROM visits",
    "SELECT VARIANCE(x) AS v, VAR_POP(x) AS w, VAR_SAMP(x) AS u FROM visits", "SELECT STDDEV(cost) AS v, STDDEV_POP(cost) AS w, STDDEV_SAMP(cost) AS u FROM visits",
    "SELECT COUNT_IF(paid) AS n, COUNTIF(NOT paid) AS m FROM visits", "SELECT SUM(x) FILTER (WHERE paid) AS s, COUNT(*) FILTER (WHERE x > 0) AS n FROM visits",
    "SELECT AVG(cost) FILTER (WHERE ward = 'a') AS a, SUM(cost) AS s FROM visits", "SELECT SUM(x) + COUNT(*) * 2 AS s, -SUM(x) AS m FROM visits",
    "SELECT SUM(x) // 7 AS d, SUM(x) % 7 AS r, SUM(x) / 7 AS q FROM visits", "SELECT ROUND(AVG(cost), 1) AS a, FLOOR(AVG(cost)) AS f, TRUNC(AVG(x)) AS t FROM visits",
    "SELECT CAST(2.5 AS INTEGER) AS a, CAST(-2.5 AS INTEGER) AS b, CAST(2.5e0 AS INTEGER) AS c, COUNT(*) AS n FROM visits",
    "SELECT -7 // 2 AS a, 7.5 // 2 AS b, (0 - 7) % 3 AS c, COUNT(*) AS n FROM visits", "SELECT CASE WHEN COUNT(*) > 100 THEN 'many' ELSE 'few' END AS c FROM visits",
    "SELECT LEAST(COUNT(*), 5) AS a, GREATEST(NULLIF(COUNT(*), 800), 5) AS b, LEAST(COUNT(*), SUM(x)) AS c FROM visits", "SELECT CONCAT('n', 'x') AS t, COUNT(*) AS n FROM visits",
    "SELECT COALESCE(NULLIF(COUNT(*), 800), -1) AS c FROM visits", "SELECT COUNT(*) AS n FROM visits WHERE x > 3 HAVING COUNT(*) > 10", "SELECT COUNT(*) AS n FROM visits HAVING COUNT(*) < 10",
    "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING COUNT(*) > 100 ORDER BY n DESC", "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n DESC LIMIT 2",
    "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY ward NULLS FIRST LIMIT 2", "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY ward DESC LIMIT 2 OFFSET 1",
    "SELECT ward, SUM(x) AS s FROM visits GROUP BY ward HAVING ward IS NULL", "SELECT paid, ward, AVG(x) AS a FROM visits GROUP BY 1, 2 ORDER BY 1, 2",
    "SELECT UPPER(ward) AS w, COUNT(*) AS n FROM visits GROUP BY ward", "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY ward FETCH FIRST 2 ROWS ONLY",
    "SELECT age < 40 AS young, COUNT(*) AS n FROM people GROUP BY young", "SELECT age // 10 * 10 AS decade, COUNT(*) AS n FROM people GROUP BY decade",
    "SELECT age % 2 = 0 AS even, AVG(age) AS a FROM people GROUP BY 1", "SELECT town, COUNT(*) AS n FROM people GROUP BY town", "SELECT DISTINCT town FROM people",
    "SELECT town FROM people GROUP BY town ORDER BY town", "SELECT DISTINCT town, age < 40 AS young FROM people", "SELECT DISTINCT UPPER(town) AS t FROM people WHERE town > 'a'",
    "SELECT YEAR(since) AS y, COUNT(*) AS n FROM people GROUP BY y", "SELECT MONTH(since) AS m, COUNT(*) AS n FROM people GROUP BY m", "SELECT COUNT(*) AS n FROM people WHERE since < '2022-01-01'",
    "SELECT COUNT(*) AS n FROM people WHERE since BETWEEN '2020-02-29' AND '2021-02-28'", "SELECT DAYOFYEAR(since) > 100 AS late, COUNT(*) AS n FROM people GROUP BY 1",
    "SELECT COUNT(*) AS n FROM people WHERE EXTRACT(week FROM since) = 53", "SELECT COUNT(*) AS n FROM people WHERE DATE_TRUNC('year', since) = '2021-01-01'",
    # joins
    "SELECT COUNT(*) AS n, AVG(age) AS a FROM visits JOIN people USING (person)", "SELECT COUNT(*) AS n FROM visits v, people p WHERE v.person = p.person AND age < 30",
    "SELECT COUNT(*) AS n FROM visits v CROSS JOIN people p WHERE v.person = p.person", "SELECT town, SUM(x) AS s FROM visits v JOIN people p ON v.person = p.person GROUP BY town",
    "SELECT age < 40 AS young, ward, COUNT(*) AS n FROM people p JOIN visits v ON p.person = v.person GROUP BY 1, 2", "SELECT region, COUNT(*) AS n FROM people JOIN towns USING (town) GROUP BY region",
    "SELECT region, COUNT(*) AS n FROM people LEFT JOIN towns USING (town) GROUP BY region", "SELECT COUNT(*) AS n, COUNT(region) AS m FROM people p LEFT JOIN towns t ON p.town = t.town",
    "SELECT region, SUM(x) AS s FROM visits JOIN people USING (person) JOIN towns USING (town) GROUP BY region", "SELECT COUNT(*) AS n FROM people p, towns t WHERE p.town = t.town AND region = 'north'",
    "SELECT SUM(x - age) AS s FROM visits v JOIN people p USING (person)", "SELECT COUNT(*) AS n FROM visits v LEFT JOIN people p ON v.person = p.person WHERE p.age IS NULL",
    "SELECT COUNT(*) AS n FROM visits v JOIN people p ON v.person = p.person AND v.x > p.age", "SELECT CONCAT(note, town) = 'flua' AS c, COUNT(*) AS n FROM visits JOIN people USING (person) GROUP BY 1",
    # subqueries, WITH, unions, lines a person
    "SELECT COUNT(*) AS n FROM (SELECT * FROM visits) t WHERE x > 3", "SELECT SUM(y) AS s FROM (SELECT person, x + 1 AS y FROM visits WHERE x > 0) t", "SELECT SUM(b) AS s FROM (SELECT person, x FROM visits) AS t(a, b)",
    "WITH t(who, y) AS (SELECT person, x * 2 FROM visits) SELECT AVG(y) AS a FROM t", "WITH t AS (SELECT * FROM visits WHERE paid), u AS (SELECT * FROM t WHERE x > 0) SELECT ward, COUNT(*) AS n FROM u GROUP BY ward",
    "SELECT k, COUNT(*) AS n FROM (SELECT person, CASE WHEN x > 0 THEN 'up' ELSE 'down' END AS k FROM visits) t GROUP BY k",
    "SELECT COUNT(*) AS n, SUM(v) AS s FROM (SELECT person, x AS v FROM visits UNION ALL SELECT person, age FROM people) t", "SELECT AVG(v) AS a FROM (SELECT person, age AS v FROM people UNION ALL SELECT person, x FROM visits WHERE x > 0) t",
    "SELECT w, COUNT(*) AS n FROM (SELECT person, ward AS w FROM visits UNION ALL SELECT person, ward FROM visits) t GROUP BY w", "SELECT COUNT(*) AS n FROM (SELECT DISTINCT person FROM visits WHERE x > 0) t",
    "SELECT AVG(n) AS a FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY person) t", "SELECT AVG(s) AS a, COUNT(*) AS n FROM (SELECT person, SUM(x) AS s FROM visits GROUP BY person) t",
    "SELECT n, COUNT(*) AS people FROM (SELECT person, COUNT(x) AS n FROM visits GROUP BY person) t GROUP BY n", "SELECT SUM(m) AS s FROM (SELECT person, MAX(x) AS m FROM visits WHERE paid GROUP BY person) t",
    "SELECT AVG(m) AS a FROM (SELECT person, MIN(cost) AS m FROM visits GROUP BY person HAVING COUNT(cost) = 2) t", "SELECT COUNT(*) AS n FROM (SELECT person, AVG(x) AS a FROM visits GROUP BY person) t WHERE a > 10",
    "SELECT SUM(d) AS s FROM (SELECT person, COUNT(DISTINCT ward) AS d FROM visits GROUP BY person) t", "SELECT AVG(f) AS a FROM (SELECT person, COUNT(*) FILTER (WHERE paid) AS f FROM visits GROUP BY person) t",
    "SELECT ward, COUNT(*) AS n FROM (SELECT person, ward, COUNT(*) AS k FROM visits GROUP BY person, ward) t GROUP BY ward", "SELECT ward, SUM(k) AS s FROM (SELECT person, ward, COUNT(*) AS k FROM visits GROUP BY person, ward) t GROUP BY ward",
    "SELECT town, AVG(n) AS a FROM people JOIN (SELECT person, COUNT(x) AS n FROM visits GROUP BY person) t USING (person) GROUP BY town",
    "SELECT COUNT(*) AS n FROM people p LEFT JOIN (SELECT person, SUM(x) AS s FROM visits WHERE x > 20 GROUP BY person) t USING (person) WHERE s IS NULL",
    "SELECT big, COUNT(*) AS n FROM (SELECT person, SUM(cost) > 100 AS big FROM visits GROUP BY person) t GROUP BY big", "SELECT COUNT(*) AS n FROM (SELECT person, SUM(x) // 3 AS third FROM visits GROUP BY person) t WHERE third = -2",
    "SELECT SUM(LEAST(a, b)) AS s FROM (SELECT person, MIN(x) AS a, MAX(cost) AS b FROM visits GROUP BY person) t",
)  # fmt: skip


DIFFERENCES = {
    "SELECT COUNT(*) AS n FROM visits WHERE x / 0 > 1": "what has no value is NULL",
    "SELECT COUNT(LN(x)) AS n FROM visits": "what has no value is NULL",
    "SELECT COUNT(SQRT(x)) AS n FROM visits": "what has no value is NULL",
    "SELECT COUNT(CAST(note AS INTEGER)) AS n FROM visits": "what has no value is NULL",
    "SELECT DATE_TRUNC('year', since) AS y, COUNT(*) AS n FROM people GROUP BY y": "DATE_TRUNC of a day is a day",
    "SELECT COUNT(*) AS n FROM visits WHERE x * 0.1 + 0.2 = 0.3": "numbers with a point are doubles",
    "SELECT MAX(cost) AS m FROM visits": "MIN and MAX are the 1 % and 99 % quantiles",
    "SELECT VAR(x) AS v FROM visits": "VAR and STD are VARIANCE and STDDEV",
}  # fmt: skip
"""Questions that are answered otherwise than DuckDB does, each with the words of `docs/sql.md` that say so."""
GENERAL = (
    "every public group is there",
    "SUM of no rows is a number",
    "groups with too few people are left out",
)
"""Differences of any question that has groups, or too few rows."""


def questions() -> list[str]:
    """All of them: sums of numbers, counts under conditions, groups by keys, pairs drawn at random, and the rest."""
    made = [
        f"SELECT SUM(LEAST(GREATEST({n}, -2000), 2000)) AS s, COUNT({n}) AS n FROM visits WHERE {n} IS NOT NULL"
        for n in NUMBERS
    ]
    made += [f"SELECT COUNT(*) AS n FROM visits WHERE {c}" for c in CONDITIONS]
    made += [f"SELECT {k}, COUNT(*) AS n, SUM(x) AS s FROM visits GROUP BY {k}" for k in KEYS]
    pairs = _DRAW.sample(list(product(KEYS, CONDITIONS)), 60)
    made += [
        f"SELECT {k}, COUNT(*) FILTER (WHERE {c}) AS n, AVG(cost) FILTER (WHERE {c}) AS a FROM visits GROUP BY {k}"
        for k, c in pairs[:30]
    ]
    made += [f"SELECT {k}, COUNT(*) AS n FROM visits WHERE {c} GROUP BY {k}" for k, c in pairs[30:]]
    both = _DRAW.sample(list(product(NUMBERS, CONDITIONS)), 40)
    made += [f"SELECT AVG(CASE WHEN {c} THEN {n} END) AS a FROM visits" for n, c in both]
    return list(dict.fromkeys([*made, *WHOLE]))
