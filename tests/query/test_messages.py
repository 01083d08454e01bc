"""Refusals speak the question's own words, and what a hint says to write instead is answered."""

import re

import pytest

from planned import DATASETS, PublicRows
from sfumato.errors import InvalidQuestion
from sfumato.query.planning import plan_question
from sfumato.query.question import Question

ODD = """
SELECT town[1], COUNT(*) FROM visits GROUP BY 1
SELECT STRFTIME(at, '%Y'), COUNT(*) FROM visits GROUP BY 1
SELECT COUNT(*) FROM visits LIMIT 10 PERCENT
SELECT COUNT(*) FROM visits NATURAL JOIN people
SELECT COUNT(*) FROM visits ASOF JOIN people USING (person)
SELECT ROUND(AVG(day), 2, 1) FROM visits
SELECT TRUNC(AVG(day), 2) FROM visits
SELECT COUNT(*) FROM visits GROUP BY ALL
SELECT ward, COUNT(*) FROM visits GROUP BY GROUPING SETS ((ward), ())
SELECT COUNT(*) FROM visits WHERE town SIMILAR TO 'a.*'
SELECT COUNT(*) FROM visits WHERE REGEXP_MATCHES(town, 'a')
SELECT COUNT(*) FROM visits WHERE town ~ 'a'
SELECT DATE_DIFF('day', at, at), COUNT(*) FROM visits GROUP BY 1
SELECT STRING_AGG(ward, ',') FROM visits
SELECT LIST(ward) FROM visits
SELECT BOOL_AND(paid) FROM visits
SELECT APPROX_COUNT_DISTINCT(ward) FROM visits
SELECT COUNT(*) FROM visits WHERE (day, code) IN ((1, 2))
SELECT {'a': day}, COUNT(*) FROM visits GROUP BY 1
SELECT [day], COUNT(*) FROM visits GROUP BY 1
SELECT day & 1, COUNT(*) FROM visits GROUP BY 1
SELECT day << 1, COUNT(*) FROM visits GROUP BY 1
SELECT ~day, COUNT(*) FROM visits GROUP BY 1
SELECT LPAD(town, 3, 'x'), COUNT(*) FROM visits GROUP BY 1
SELECT LTRIM(town), COUNT(*) FROM visits GROUP BY 1
SELECT STRPOS(town, 'a'), COUNT(*) FROM visits GROUP BY 1
SELECT RANDOM(), COUNT(*) FROM visits
SELECT COUNT(*) FROM visits FOR UPDATE
SELECT COUNT(* EXCLUDE (day)) FROM visits
SELECT SUM(day ORDER BY day) FROM visits
SELECT STDDEV_POP(town) FROM visits
SELECT COUNT(*) FROM visits EXCEPT SELECT 1
WITH t AS (SELECT 1) SELECT COUNT(*) FROM visits INTERSECT SELECT 1
SELECT COUNT(*) FROM (SELECT person FROM visits EXCEPT SELECT person FROM people) t
SELECT COUNT(*) IGNORE NULLS FROM visits
""".strip().splitlines()
OURS = {"SELECT", "FROM", "NULL", "DISTINCT", "WITH", "TIES", "UNION", "ALL", "ORDER", "BY"}
"""Words of SQL that a refusal may say of its own."""


def asked(text: str) -> Question:
    return plan_question(text, DATASETS["people"], PublicRows())


@pytest.mark.parametrize("text", ODD)
def test_no_word_of_the_parser_is_in_a_refusal(text: str) -> None:
    with pytest.raises(InvalidQuestion) as caught:
        asked(text)
    said = set(re.findall(r"[A-Z][A-Z_]+", caught.value.problem))
    assert said - OURS <= set(re.findall(r"[A-Z_]+", text.upper()))


@pytest.mark.parametrize(("written", "meant"), [
    ("AVERAGE(day)", "AVG"), ("CUONT(*)", "COUNT"), ("SUMM(day)", "SUM"), ("VARIANC(day)", "VARIANCE"), ("MEDAIN(day)", "MEDIAN"), ("STDEVP(day)", "STDDEV"),
    ("COUNTDISTINCT(day)", "COUNT(DISTINCT x)"), ("QUANTIL(day, 0.5)", "QUANTILE"), ("FLOR(day)", "FLOOR"),
])  # fmt: skip
def test_a_misspelt_aggregate_is_told_what_was_meant(written: str, meant: str) -> None:
    name = written.partition("(")[0]
    with pytest.raises(InvalidQuestion, match=re.escape(f"{name}(…) is not answered")) as caught:
        asked(f"SELECT {written} FROM visits")
    assert f"did you mean {meant}" in caught.value.hint


REWRITES = (
    ("SELECT LEFT(town, 3), COUNT(*) FROM visits GROUP BY 1", "SUBSTRING(x, 1, 3)", "SELECT SUBSTRING(town, 1, 3), COUNT(*) FROM visits GROUP BY 1"),
    ("SELECT RIGHT(town, 3), COUNT(*) FROM visits GROUP BY 1", "SUBSTRING(x, 3)", "SELECT SUBSTRING(town, 3), COUNT(*) FROM visits GROUP BY 1"),
    ("SELECT DATE_PART('year', at), COUNT(*) FROM visits GROUP BY 1", "EXTRACT(year FROM x), or YEAR(x)", "SELECT EXTRACT(year FROM at), YEAR(at), COUNT(*) FROM visits GROUP BY 1, 2"),
    ("SELECT COUNT(*) FROM visits WHERE at > now()", "'2026-01-31'", "SELECT COUNT(*) FROM visits WHERE at > '2026-01-31'"),
    ("SELECT SUM(half) FROM visits", "LEAST(GREATEST(x, 0), 100)", "SELECT SUM(LEAST(GREATEST(half, 0), 100)) FROM visits"),
    ("SELECT QUANTILE(day, 2) FROM visits", "QUANTILE(x, 0.9)", "SELECT QUANTILE(day, 0.9) FROM visits"),
    ("SELECT SUM(day) WITHIN GROUP (ORDER BY day) FROM visits", "PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x)", "SELECT PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY day) FROM visits"),
    ("SELECT LOG(3, cost) FROM visits GROUP BY 1", "LN(x) / LN(base)", "SELECT COUNT(*) FROM visits WHERE LN(cost) / LN(3) > 1"),
    ("SELECT LTRIM(town), COUNT(*) FROM visits GROUP BY 1", "TRIM(x)", "SELECT TRIM(town), COUNT(*) FROM visits GROUP BY 1"),
    ("SELECT COUNT(*) FROM visits v, people p", "JOIN … ON a.x = b.x", "SELECT COUNT(*) FROM visits v JOIN people p ON v.person = p.person"),
    ("SELECT COUNT(*) FROM visits v RIGHT JOIN people p USING (person)", "LEFT JOIN … ON", "SELECT COUNT(*) FROM people p LEFT JOIN visits v ON v.person = p.person"),
    ("SELECT COUNT(*) FROM (SELECT person FROM visits UNION SELECT person FROM people) t", "UNION ALL", "SELECT COUNT(*) FROM (SELECT person FROM visits UNION ALL SELECT person FROM people) t"),
    ("SELECT COUNT(*) FROM visits AS v(a, b)", "(SELECT x AS a FROM …)", "SELECT COUNT(*) FROM (SELECT person AS a FROM visits) v"),
    ("SELECT DISTINCT ON (town) town FROM visits", "SELECT DISTINCT x, or GROUP BY x", "SELECT DISTINCT town FROM visits"),
    ("SELECT DISTINCT * FROM visits", "SELECT DISTINCT x, or GROUP BY x", "SELECT town FROM visits GROUP BY town"),
    ("SELECT DISTINCT ward FROM visits", "add COUNT(*)", "SELECT DISTINCT ward, COUNT(*) FROM visits GROUP BY ward"),
    ("SELECT * FROM visits", "COUNT(*), AVG(…)", "SELECT COUNT(*), AVG(day) FROM visits"),
    ("SELECT COUNT(*) FROM (SELECT person FROM visits ORDER BY day) t", "put it outside", "SELECT COUNT(*) FROM (SELECT person FROM visits) t ORDER BY 1"),
    ("SELECT COUNT(*) FROM (SELECT day FROM visits) t", "select person itself", "SELECT COUNT(*) FROM (SELECT person, day FROM visits) t"),
    ("SELECT COUNT(*) FROM visits WHERE day = NULL", "use IS NULL", "SELECT COUNT(*) FROM visits WHERE day IS NULL"),
    ("SELECT COUNT(*) FROM visits WHERE day", "compare it", "SELECT COUNT(*) FROM visits WHERE day > 0"),
    ("SELECT AVG(DISTINCT day) FROM visits", "COUNT(DISTINCT x)", "SELECT COUNT(DISTINCT day) FROM visits"),
    ("SELECT COUNT(*) FROM visits QUALIFY day = 1", "HAVING on aggregates", "SELECT COUNT(*) FROM visits HAVING COUNT(*) = 1"),
    ("SELECT CAST(cost AS DECIMAL(10, 2)), COUNT(*) FROM visits GROUP BY 1", "ROUND(x, 2)", "SELECT ROUND(cost, 2), COUNT(*) FROM visits GROUP BY 1"),
    ("SELECT town, COUNT(*) FROM visits GROUP BY town LIMIT 1.5", "LIMIT 10", "SELECT town, COUNT(*) FROM visits GROUP BY town LIMIT 10"),
    ("SELECT town, COUNT(*) FROM visits", "add `town` to GROUP BY", "SELECT town, COUNT(*) FROM visits GROUP BY town"),
    ("SELECT COUNT(*) FROM visits WHERE day IN (1, code)", "=", "SELECT COUNT(*) FROM visits WHERE day = 1 OR day = code"),
)  # fmt: skip


@pytest.mark.parametrize(("refused", "hint", "instead"), REWRITES, ids=[row[0][:60] for row in REWRITES])
def test_what_a_hint_says_to_write_is_answered(refused: str, hint: str, instead: str) -> None:
    with pytest.raises(InvalidQuestion) as caught:
        asked(refused)
    assert hint in caught.value.hint
    assert asked(instead).outputs
