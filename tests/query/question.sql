-- rows, keys, aggregates
SELECT COUNT(*) FROM visits
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT ward, COUNT(*) FROM visits GROUP BY ward
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [["ref", 3]], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT SUM(cost), ward FROM visits GROUP BY ward
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [["ref", 3]], "aggregates": [["sum", ["ref", 4], null, "None", false, false]]}
SELECT town, day, COUNT(DISTINCT person) FROM visits GROUP BY town, day
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [["ref", 5], ["ref", 2]], "aggregates": [["people", null, null, "None", false, false]]}
-- names, order and what is computed of aggregates do not count
SELECT COUNT(*) AS n FROM visits v
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) + 1, COUNT(*) * 2 FROM visits HAVING COUNT(*) > 3 ORDER BY 1 LIMIT 2
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT AVG(cost), COUNT(*) FROM visits
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["avg", ["ref", 4], null, "None", false, false], ["rows", null, null, "None", false, false]]}
SELECT COUNT(*), AVG(cost) FROM visits
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["avg", ["ref", 4], null, "None", false, false], ["rows", null, null, "None", false, false]]}
-- conditions: the order of what is joined by AND does not count
SELECT COUNT(*) FROM visits WHERE paid AND day < 9
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["and", ["lt", ["ref", 2], ["literal", "integer", 9]], ["ref", 9]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE 9 > day AND paid
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["and", ["lt", ["ref", 2], ["literal", "integer", 9]], ["ref", 9]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE day IN (2, 1)
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["in", ["ref", 2], ["literal", "integer", 1], ["literal", "integer", 2]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE day IN (1, 2)
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["in", ["ref", 2], ["literal", "integer", 1], ["literal", "integer", 2]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE day - 1 < cost
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["lt", ["sub", ["ref", 2], ["literal", "integer", 1]], ["ref", 4]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE cost > day - 1
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["gt", ["ref", 4], ["sub", ["ref", 2], ["literal", "integer", 1]]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
-- COUNT_IF is COUNT(*) under a condition
SELECT COUNT_IF(paid) FROM visits
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["rows", null, ["ref", 9], "None", false, false]]}
SELECT COUNT(*) FILTER (WHERE paid) FROM visits
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["rows", null, ["ref", 9], "None", false, false]]}
-- every aggregate
SELECT COUNT(*) FROM visits
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(cost) FROM visits
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["present", ["ref", 4], null, "None", false, false]]}
SELECT COUNT(town) FROM visits
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["present", ["ref", 5], null, "None", false, false]]}
SELECT COUNT(DISTINCT person) FROM visits
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["people", null, null, "None", false, false]]}
SELECT COUNT(DISTINCT town) FROM visits
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["distinct", ["ref", 5], null, "None", false, false]]}
SELECT SUM(day) FROM visits
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["sum", ["ref", 2], null, "None", false, false]]}
SELECT SUM(cost) FROM visits
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["sum", ["ref", 4], null, "None", false, false]]}
SELECT AVG(day) FROM visits
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["avg", ["ref", 2], null, "None", false, false]]}
SELECT AVG(cost) FROM visits
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["avg", ["ref", 4], null, "None", false, false]]}
SELECT VARIANCE(day) FROM visits
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["variance", ["ref", 2], null, "None", true, false]]}
SELECT STDDEV_POP(day) FROM visits
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["variance", ["ref", 2], null, "None", false, true]]}
SELECT MEDIAN(day) FROM visits
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["quantile", ["ref", 2], null, "1/2", false, false]]}
SELECT COUNT_IF(paid) FROM visits
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["rows", null, ["ref", 9], "None", false, false]]}
SELECT COUNT(UPPER(town)) FROM visits
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["present", ["upper", ["ref", 5]], null, "None", false, false]]}
SELECT COUNT(half) FROM visits
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["present", ["ref", 7], null, "None", false, false]]}
SELECT QUANTILE(cost, 0.9) FROM visits
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["quantile", ["ref", 4], null, "9/10", false, false]]}
SELECT MIN(day), MAX(day) FROM visits
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["quantile", ["ref", 2], null, "1/100", false, false], ["quantile", ["ref", 2], null, "99/100", false, false]]}
SELECT VAR_POP(day) FROM visits
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["variance", ["ref", 2], null, "None", false, false]]}
SELECT STDDEV(day) FROM visits
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["variance", ["ref", 2], null, "None", true, true]]}
-- constants and functions
SELECT COUNT(*) FROM visits WHERE town LIKE 'a%'
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["like", ["ref", 5], ["literal", "text", "a%"]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE town ILIKE 'a%'
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["ilike", ["ref", 5], ["literal", "text", "a%"]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE town NOT LIKE 'a%'
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["not", ["like", ["ref", 5], ["literal", "text", "a%"]]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE REPLACE(town, 'a', 'b') = 'x'
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["eq", ["literal", "text", "x"], ["replace", ["ref", 5], ["literal", "text", "a"], ["literal", "text", "b"]]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE REPLACE(town, 'b', 'a') = 'x'
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["eq", ["literal", "text", "x"], ["replace", ["ref", 5], ["literal", "text", "b"], ["literal", "text", "a"]]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE ROUND(cost, 1) = 2
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["eq", ["literal", "integer", 2], ["round", ["ref", 4], ["literal", "integer", 1]]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE ROUND(cost, 2) = 2
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["eq", ["literal", "integer", 2], ["round", ["ref", 4], ["literal", "integer", 2]]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE ROUND(cost) = 2
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["eq", ["literal", "integer", 2], ["round", ["ref", 4]]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE DATE_TRUNC('month', at) = '2026-01-01'
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["eq", ["literal", "timestamp", "2026-01-01T00:00:00"], ["trunc_month", ["ref", 8]]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE DATE_TRUNC('year', at) = '2026-01-01'
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["eq", ["literal", "timestamp", "2026-01-01T00:00:00"], ["trunc_year", ["ref", 8]]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE CAST(town AS INTEGER) = 1
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["eq", ["cast_integer", ["ref", 5]], ["literal", "integer", 1]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE CAST(town AS DOUBLE) = 1
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["eq", ["cast_real", ["ref", 5]], ["literal", "integer", 1]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE SUBSTRING(town, 1, 2) = 'a'
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["eq", ["literal", "text", "a"], ["substring", ["ref", 5], ["literal", "integer", 1], ["literal", "integer", 2]]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE SUBSTRING(town, 2) = 'a'
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["eq", ["literal", "text", "a"], ["substring", ["ref", 5], ["literal", "integer", 2]]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE cost = 1
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["eq", ["literal", "integer", 1], ["ref", 4]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE cost = 1.0
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["eq", ["literal", "integer", 1], ["ref", 4]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE cost = 0.1
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["eq", ["literal", "real", "0.1"], ["ref", 4]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE ward = '1'
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["eq", ["literal", "text", "1"], ["ref", 3]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE at < '2026-01-01'
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["lt", ["ref", 8], ["literal", "timestamp", "2026-01-01T00:00:00"]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE at < TIMESTAMP '2026-01-01 00:00:00'
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["lt", ["ref", 8], ["literal", "timestamp", "2026-01-01T00:00:00"]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE CAST(at AS DATE) < '2026-01-01'
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["lt", ["cast_date", ["ref", 8]], ["literal", "date", "2026-01-01"]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE day BETWEEN 1 AND 3
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["and", ["ge", ["ref", 2], ["literal", "integer", 1]], ["le", ["ref", 2], ["literal", "integer", 3]]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE LEAST(day, 3) = GREATEST(day, 3)
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["eq", ["greatest", ["ref", 2], ["literal", "integer", 3]], ["least", ["ref", 2], ["literal", "integer", 3]]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE COALESCE(half, 0) > 1
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["gt", ["coalesce", ["ref", 7], ["literal", "integer", 0]], ["literal", "integer", 1]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE CASE WHEN paid THEN day ELSE 0 END > 3
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["gt", ["case", ["ref", 9], ["ref", 2], ["literal", "integer", 0]], ["literal", "integer", 3]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE IF(paid, day, 0) > 3
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["gt", ["case", ["ref", 9], ["ref", 2], ["literal", "integer", 0]], ["literal", "integer", 3]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE day IS NULL
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["is_null", ["ref", 2]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE day IS NOT DISTINCT FROM 3
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["same", ["ref", 2], ["literal", "integer", 3]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE -day < -3
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["lt", ["neg", ["ref", 2]], ["literal", "integer", -3]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE day + cost > 3
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["gt", ["add", ["ref", 2], ["ref", 4]], ["literal", "integer", 3]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE cost + day > 3
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["gt", ["add", ["ref", 2], ["ref", 4]], ["literal", "integer", 3]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE day - cost > 3
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["gt", ["sub", ["ref", 2], ["ref", 4]], ["literal", "integer", 3]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits WHERE cost - day > 3
{"plan": ["where", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["gt", ["sub", ["ref", 4], ["ref", 2]], ["literal", "integer", 3]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
-- joins
SELECT COUNT(*) FROM visits v JOIN people p USING (person)
{"plan": ["join", "inner", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["scan", "people", ["person", "integer"], ["age", "integer"], ["town", "text"]], [[0, 0]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM visits v LEFT JOIN people p ON v.person = p.person
{"plan": ["join", "left", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["scan", "people", ["person", "integer"], ["age", "integer"], ["town", "text"]], [[0, 0]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM people p JOIN visits v ON p.person = v.person
{"plan": ["join", "inner", ["scan", "people", ["person", "integer"], ["age", "integer"], ["town", "text"]], ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], [[0, 0]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT region, COUNT(*) FROM visits JOIN towns USING (town) GROUP BY region
{"plan": ["join", "inner", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["scan", "towns", ["town", "text"], ["region", "text"]], [[5, 0]]], "keys": [["ref", 11]], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM items i JOIN visits v ON i.visit = v.visit
{"plan": ["join", "inner", ["scan", "items", ["visit", "integer"], ["price", "real"], ["sort", "text"]], ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], [[0, 1]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
-- subqueries and unions
SELECT COUNT(*) FROM (SELECT person, day FROM visits) t
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM (SELECT person AS who, day AS x FROM visits) t
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT AVG(n) FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY person) t
{"plan": ["person", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], [], ["count", null, null]], "keys": [], "aggregates": [["avg", ["clip", ["ref", 1]], null, "None", false, false]]}
SELECT AVG(n) FROM (SELECT person, COUNT_IF(paid) AS n FROM visits GROUP BY person) t
{"plan": ["person", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], [], ["count", null, ["ref", 9]]], "keys": [], "aggregates": [["avg", ["clip", ["ref", 1]], null, "None", false, false]]}
SELECT AVG(n) FROM (SELECT person, SUM(cost) AS n FROM visits GROUP BY person HAVING COUNT(*) > 1) t
{"plan": ["where", ["person", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], [], ["sum", ["ref", 4], null], ["count", null, null]], ["gt", ["ref", 2], ["literal", "integer", 1]]], "keys": [], "aggregates": [["avg", ["clip", ["ref", 1]], null, "None", false, false]]}
SELECT COUNT(*) FROM (SELECT person FROM visits UNION ALL SELECT person FROM people) t
{"plan": ["union", ["project", ["scan", "people", ["person", "integer"], ["age", "integer"], ["town", "text"]], ["ref", 0]], ["project", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["ref", 0]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
SELECT COUNT(*) FROM (SELECT person FROM people UNION ALL SELECT person FROM visits) t
{"plan": ["union", ["project", ["scan", "people", ["person", "integer"], ["age", "integer"], ["town", "text"]], ["ref", 0]], ["project", ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], ["ref", 0]]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
WITH t AS (SELECT person, day FROM visits) SELECT COUNT(*) FROM t
{"plan": ["scan", "visits", ["person", "integer"], ["visit", "integer"], ["day", "integer"], ["ward", "text"], ["cost", "real"], ["town", "text"], ["code", "integer"], ["half", "real"], ["at", "timestamp"], ["paid", "boolean"]], "keys": [], "aggregates": [["rows", null, null, "None", false, false]]}
