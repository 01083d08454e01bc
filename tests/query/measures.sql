-- alone
SELECT COUNT(*) FROM visits
rows: nothing / TRUE / 1 / count(*) AS a0
SELECT COUNT(cost) FROM visits
present: CASE WHEN TRUE AND coalesce(NOT isnan(c4), FALSE) THEN 1 END AS m0 / m0 IS NOT NULL / m0 / count(m0) AS a0
SELECT COUNT(town) FROM visits
present: CASE WHEN TRUE AND (c5 IS NOT NULL) THEN 1 END AS m0 / m0 IS NOT NULL / m0 / count(m0) AS a0
SELECT COUNT(DISTINCT person) FROM visits
people: nothing / TRUE / 1 / count(DISTINCT p) AS a0
SELECT COUNT(DISTINCT town) FROM visits
statements of their own
SELECT SUM(day) FROM visits
sum: CASE WHEN c2 BETWEEN 0 AND 364 THEN c2 WHEN c2 < 0 THEN 0 WHEN c2 > 364 THEN 364 END AS m0 / m0 <> 0 / m0 / CAST(coalesce(sum(m0), 0) AS BIGINT) AS a0
SELECT SUM(cost) FROM visits
sum: CASE WHEN (c4 * CAST('100.0' AS DOUBLE) + 0.5) >= CAST('0.0' AS DOUBLE) AND (c4 * CAST('100.0' AS DOUBLE) + 0.5) < CAST('10001.0' AS DOUBLE) THEN CAST(floor((c4 * CAST('100.0' AS DOUBLE) + 0.5)) AS DOUBLE) WHEN (c4 * CAST('100.0' AS DOUBLE) + 0.5) < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN (c4 * CAST('100.0' AS DOUBLE) + 0.5) <= CAST('inf' AS DOUBLE) THEN CAST('10000.0' AS DOUBLE) END AS m0 / m0 <> 0 / m0 / CAST(coalesce(sum(m0), 0) AS BIGINT) AS a0
SELECT AVG(day) FROM visits
present: nothing / m1 IS NOT NULL / CASE WHEN m1 IS NOT NULL THEN 1 END / count(m1) AS a0 ; sum: (CASE WHEN c2 BETWEEN 0 AND 364 THEN c2 WHEN c2 < 0 THEN 0 WHEN c2 > 364 THEN 364 END - (182)) AS m1 / m1 IS NOT NULL / m1 / CAST(coalesce(sum(m1), 0) AS BIGINT) AS a1
SELECT AVG(cost) FROM visits
present: nothing / m1 IS NOT NULL / CASE WHEN m1 IS NOT NULL THEN 1 END / count(m1) AS a0 ; sum: (CASE WHEN (c4 * CAST('100.0' AS DOUBLE) + 0.5) >= CAST('0.0' AS DOUBLE) AND (c4 * CAST('100.0' AS DOUBLE) + 0.5) < CAST('10001.0' AS DOUBLE) THEN CAST(floor((c4 * CAST('100.0' AS DOUBLE) + 0.5)) AS DOUBLE) WHEN (c4 * CAST('100.0' AS DOUBLE) + 0.5) < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN (c4 * CAST('100.0' AS DOUBLE) + 0.5) <= CAST('inf' AS DOUBLE) THEN CAST('10000.0' AS DOUBLE) END - (5000)) AS m1 / m1 IS NOT NULL / m1 / CAST(coalesce(sum(m1), 0) AS BIGINT) AS a1
SELECT VARIANCE(day) FROM visits
present: nothing / m1 IS NOT NULL / CASE WHEN m1 IS NOT NULL THEN 1 END / count(m1) AS a0 ; square: CAST((CASE WHEN c2 BETWEEN 0 AND 364 THEN c2 WHEN c2 < 0 THEN 0 WHEN c2 > 364 THEN 364 END - (182)) AS BIGINT) AS m1 / m1 IS NOT NULL / m1 * m1 / CAST(coalesce(sum(m1 * m1), 0) AS BIGINT) AS a1 ; sum: (CASE WHEN c2 BETWEEN 0 AND 364 THEN c2 WHEN c2 < 0 THEN 0 WHEN c2 > 364 THEN 364 END - (182)) AS m2 / m2 IS NOT NULL / m2 / CAST(coalesce(sum(m2), 0) AS BIGINT) AS a2
SELECT STDDEV_POP(day) FROM visits
present: nothing / m1 IS NOT NULL / CASE WHEN m1 IS NOT NULL THEN 1 END / count(m1) AS a0 ; square: CAST((CASE WHEN c2 BETWEEN 0 AND 364 THEN c2 WHEN c2 < 0 THEN 0 WHEN c2 > 364 THEN 364 END - (182)) AS BIGINT) AS m1 / m1 IS NOT NULL / m1 * m1 / CAST(coalesce(sum(m1 * m1), 0) AS BIGINT) AS a1 ; sum: (CASE WHEN c2 BETWEEN 0 AND 364 THEN c2 WHEN c2 < 0 THEN 0 WHEN c2 > 364 THEN 364 END - (182)) AS m2 / m2 IS NOT NULL / m2 / CAST(coalesce(sum(m2), 0) AS BIGINT) AS a2
SELECT MEDIAN(day) FROM visits
statements of their own
SELECT COUNT_IF(paid) FROM visits
rows: CASE WHEN c9 THEN 1 END AS m0 / m0 = 1 / m0 / count(m0) AS a0
SELECT COUNT(UPPER(town)) FROM visits
present: CASE WHEN TRUE AND (TRY(upper(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END)) IS NOT NULL) THEN 1 END AS m0 / m0 IS NOT NULL / m0 / count(m0) AS a0
SELECT COUNT(half) FROM visits
present: CASE WHEN TRUE AND coalesce(NOT isnan(c7), FALSE) THEN 1 END AS m0 / m0 IS NOT NULL / m0 / count(m0) AS a0
-- under a condition
SELECT COUNT(*) FILTER (WHERE paid) FROM visits
rows: CASE WHEN c9 THEN 1 END AS m0 / m0 = 1 / m0 / count(m0) AS a0
SELECT COUNT(cost) FILTER (WHERE paid) FROM visits
present: CASE WHEN c9 AND coalesce(NOT isnan(c4), FALSE) THEN 1 END AS m0 / m0 IS NOT NULL / m0 / count(m0) AS a0
SELECT COUNT(town) FILTER (WHERE paid) FROM visits
present: CASE WHEN c9 AND (c5 IS NOT NULL) THEN 1 END AS m0 / m0 IS NOT NULL / m0 / count(m0) AS a0
SELECT COUNT(DISTINCT person) FILTER (WHERE paid) FROM visits
people: CASE WHEN c9 THEN 1 END AS m0 / m0 = 1 / m0 / count(DISTINCT CASE WHEN m0 = 1 THEN p END) AS a0
SELECT COUNT(DISTINCT town) FILTER (WHERE paid) FROM visits
statements of their own
SELECT SUM(day) FILTER (WHERE paid) FROM visits
sum: CASE WHEN c9 THEN CASE WHEN c2 BETWEEN 0 AND 364 THEN c2 WHEN c2 < 0 THEN 0 WHEN c2 > 364 THEN 364 END END AS m0 / m0 <> 0 / m0 / CAST(coalesce(sum(m0), 0) AS BIGINT) AS a0
SELECT SUM(cost) FILTER (WHERE paid) FROM visits
sum: CASE WHEN c9 THEN CASE WHEN (c4 * CAST('100.0' AS DOUBLE) + 0.5) >= CAST('0.0' AS DOUBLE) AND (c4 * CAST('100.0' AS DOUBLE) + 0.5) < CAST('10001.0' AS DOUBLE) THEN CAST(floor((c4 * CAST('100.0' AS DOUBLE) + 0.5)) AS DOUBLE) WHEN (c4 * CAST('100.0' AS DOUBLE) + 0.5) < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN (c4 * CAST('100.0' AS DOUBLE) + 0.5) <= CAST('inf' AS DOUBLE) THEN CAST('10000.0' AS DOUBLE) END END AS m0 / m0 <> 0 / m0 / CAST(coalesce(sum(m0), 0) AS BIGINT) AS a0
SELECT AVG(day) FILTER (WHERE paid) FROM visits
present: nothing / m1 IS NOT NULL / CASE WHEN m1 IS NOT NULL THEN 1 END / count(m1) AS a0 ; sum: CASE WHEN c9 THEN (CASE WHEN c2 BETWEEN 0 AND 364 THEN c2 WHEN c2 < 0 THEN 0 WHEN c2 > 364 THEN 364 END - (182)) END AS m1 / m1 IS NOT NULL / m1 / CAST(coalesce(sum(m1), 0) AS BIGINT) AS a1
SELECT AVG(cost) FILTER (WHERE paid) FROM visits
present: nothing / m1 IS NOT NULL / CASE WHEN m1 IS NOT NULL THEN 1 END / count(m1) AS a0 ; sum: CASE WHEN c9 THEN (CASE WHEN (c4 * CAST('100.0' AS DOUBLE) + 0.5) >= CAST('0.0' AS DOUBLE) AND (c4 * CAST('100.0' AS DOUBLE) + 0.5) < CAST('10001.0' AS DOUBLE) THEN CAST(floor((c4 * CAST('100.0' AS DOUBLE) + 0.5)) AS DOUBLE) WHEN (c4 * CAST('100.0' AS DOUBLE) + 0.5) < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN (c4 * CAST('100.0' AS DOUBLE) + 0.5) <= CAST('inf' AS DOUBLE) THEN CAST('10000.0' AS DOUBLE) END - (5000)) END AS m1 / m1 IS NOT NULL / m1 / CAST(coalesce(sum(m1), 0) AS BIGINT) AS a1
SELECT VARIANCE(day) FILTER (WHERE paid) FROM visits
present: nothing / m1 IS NOT NULL / CASE WHEN m1 IS NOT NULL THEN 1 END / count(m1) AS a0 ; square: CASE WHEN c9 THEN CAST((CASE WHEN c2 BETWEEN 0 AND 364 THEN c2 WHEN c2 < 0 THEN 0 WHEN c2 > 364 THEN 364 END - (182)) AS BIGINT) END AS m1 / m1 IS NOT NULL / m1 * m1 / CAST(coalesce(sum(m1 * m1), 0) AS BIGINT) AS a1 ; sum: CASE WHEN c9 THEN (CASE WHEN c2 BETWEEN 0 AND 364 THEN c2 WHEN c2 < 0 THEN 0 WHEN c2 > 364 THEN 364 END - (182)) END AS m2 / m2 IS NOT NULL / m2 / CAST(coalesce(sum(m2), 0) AS BIGINT) AS a2
SELECT STDDEV_POP(day) FILTER (WHERE paid) FROM visits
present: nothing / m1 IS NOT NULL / CASE WHEN m1 IS NOT NULL THEN 1 END / count(m1) AS a0 ; square: CASE WHEN c9 THEN CAST((CASE WHEN c2 BETWEEN 0 AND 364 THEN c2 WHEN c2 < 0 THEN 0 WHEN c2 > 364 THEN 364 END - (182)) AS BIGINT) END AS m1 / m1 IS NOT NULL / m1 * m1 / CAST(coalesce(sum(m1 * m1), 0) AS BIGINT) AS a1 ; sum: CASE WHEN c9 THEN (CASE WHEN c2 BETWEEN 0 AND 364 THEN c2 WHEN c2 < 0 THEN 0 WHEN c2 > 364 THEN 364 END - (182)) END AS m2 / m2 IS NOT NULL / m2 / CAST(coalesce(sum(m2), 0) AS BIGINT) AS a2
SELECT MEDIAN(day) FILTER (WHERE paid) FROM visits
statements of their own
SELECT COUNT(UPPER(town)) FILTER (WHERE paid) FROM visits
present: CASE WHEN c9 AND (TRY(upper(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END)) IS NOT NULL) THEN 1 END AS m0 / m0 IS NOT NULL / m0 / count(m0) AS a0
SELECT COUNT(half) FILTER (WHERE paid) FROM visits
present: CASE WHEN c9 AND coalesce(NOT isnan(c7), FALSE) THEN 1 END AS m0 / m0 IS NOT NULL / m0 / count(m0) AS a0
-- beside a count of all rows
SELECT COUNT(*), COUNT(cost) FROM visits
present: CASE WHEN TRUE AND coalesce(NOT isnan(c4), FALSE) THEN 1 END AS m0 / m0 IS NOT NULL / m0 / count(m0) AS a0 ; rows: nothing / TRUE / 1 / count(*) AS a1
SELECT COUNT(*), COUNT(town) FROM visits
present: CASE WHEN TRUE AND (c5 IS NOT NULL) THEN 1 END AS m0 / m0 IS NOT NULL / m0 / count(m0) AS a0 ; rows: nothing / TRUE / 1 / count(*) AS a1
SELECT COUNT(*), COUNT(DISTINCT person) FROM visits
people: nothing / TRUE / 1 / count(DISTINCT p) AS a0 ; rows: nothing / TRUE / 1 / count(*) AS a1
SELECT COUNT(*), COUNT(DISTINCT town) FROM visits
rows: nothing / TRUE / 1 / count(*) AS a1
SELECT COUNT(*), SUM(day) FROM visits
rows: nothing / TRUE / 1 / count(*) AS a0 ; sum: CASE WHEN c2 BETWEEN 0 AND 364 THEN c2 WHEN c2 < 0 THEN 0 WHEN c2 > 364 THEN 364 END AS m1 / m1 <> 0 / m1 / CAST(coalesce(sum(m1), 0) AS BIGINT) AS a1
SELECT COUNT(*), SUM(cost) FROM visits
rows: nothing / TRUE / 1 / count(*) AS a0 ; sum: CASE WHEN (c4 * CAST('100.0' AS DOUBLE) + 0.5) >= CAST('0.0' AS DOUBLE) AND (c4 * CAST('100.0' AS DOUBLE) + 0.5) < CAST('10001.0' AS DOUBLE) THEN CAST(floor((c4 * CAST('100.0' AS DOUBLE) + 0.5)) AS DOUBLE) WHEN (c4 * CAST('100.0' AS DOUBLE) + 0.5) < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN (c4 * CAST('100.0' AS DOUBLE) + 0.5) <= CAST('inf' AS DOUBLE) THEN CAST('10000.0' AS DOUBLE) END AS m1 / m1 <> 0 / m1 / CAST(coalesce(sum(m1), 0) AS BIGINT) AS a1
SELECT COUNT(*), AVG(day) FROM visits
present: nothing / m2 IS NOT NULL / CASE WHEN m2 IS NOT NULL THEN 1 END / count(m2) AS a0 ; rows: nothing / TRUE / 1 / count(*) AS a1 ; sum: (CASE WHEN c2 BETWEEN 0 AND 364 THEN c2 WHEN c2 < 0 THEN 0 WHEN c2 > 364 THEN 364 END - (182)) AS m2 / m2 IS NOT NULL / m2 / CAST(coalesce(sum(m2), 0) AS BIGINT) AS a2
SELECT COUNT(*), AVG(cost) FROM visits
present: nothing / m2 IS NOT NULL / CASE WHEN m2 IS NOT NULL THEN 1 END / count(m2) AS a0 ; rows: nothing / TRUE / 1 / count(*) AS a1 ; sum: (CASE WHEN (c4 * CAST('100.0' AS DOUBLE) + 0.5) >= CAST('0.0' AS DOUBLE) AND (c4 * CAST('100.0' AS DOUBLE) + 0.5) < CAST('10001.0' AS DOUBLE) THEN CAST(floor((c4 * CAST('100.0' AS DOUBLE) + 0.5)) AS DOUBLE) WHEN (c4 * CAST('100.0' AS DOUBLE) + 0.5) < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN (c4 * CAST('100.0' AS DOUBLE) + 0.5) <= CAST('inf' AS DOUBLE) THEN CAST('10000.0' AS DOUBLE) END - (5000)) AS m2 / m2 IS NOT NULL / m2 / CAST(coalesce(sum(m2), 0) AS BIGINT) AS a2
SELECT COUNT(*), VARIANCE(day) FROM visits
present: nothing / m2 IS NOT NULL / CASE WHEN m2 IS NOT NULL THEN 1 END / count(m2) AS a0 ; rows: nothing / TRUE / 1 / count(*) AS a1 ; square: CAST((CASE WHEN c2 BETWEEN 0 AND 364 THEN c2 WHEN c2 < 0 THEN 0 WHEN c2 > 364 THEN 364 END - (182)) AS BIGINT) AS m2 / m2 IS NOT NULL / m2 * m2 / CAST(coalesce(sum(m2 * m2), 0) AS BIGINT) AS a2 ; sum: (CASE WHEN c2 BETWEEN 0 AND 364 THEN c2 WHEN c2 < 0 THEN 0 WHEN c2 > 364 THEN 364 END - (182)) AS m3 / m3 IS NOT NULL / m3 / CAST(coalesce(sum(m3), 0) AS BIGINT) AS a3
SELECT COUNT(*), STDDEV_POP(day) FROM visits
present: nothing / m2 IS NOT NULL / CASE WHEN m2 IS NOT NULL THEN 1 END / count(m2) AS a0 ; rows: nothing / TRUE / 1 / count(*) AS a1 ; square: CAST((CASE WHEN c2 BETWEEN 0 AND 364 THEN c2 WHEN c2 < 0 THEN 0 WHEN c2 > 364 THEN 364 END - (182)) AS BIGINT) AS m2 / m2 IS NOT NULL / m2 * m2 / CAST(coalesce(sum(m2 * m2), 0) AS BIGINT) AS a2 ; sum: (CASE WHEN c2 BETWEEN 0 AND 364 THEN c2 WHEN c2 < 0 THEN 0 WHEN c2 > 364 THEN 364 END - (182)) AS m3 / m3 IS NOT NULL / m3 / CAST(coalesce(sum(m3), 0) AS BIGINT) AS a3
SELECT COUNT(*), MEDIAN(day) FROM visits
rows: nothing / TRUE / 1 / count(*) AS a1
SELECT COUNT(*), COUNT_IF(paid) FROM visits
rows: nothing / TRUE / 1 / count(*) AS a0 ; rows: CASE WHEN c9 THEN 1 END AS m1 / m1 = 1 / m1 / count(m1) AS a1
SELECT COUNT(*), COUNT(UPPER(town)) FROM visits
present: CASE WHEN TRUE AND (TRY(upper(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END)) IS NOT NULL) THEN 1 END AS m0 / m0 IS NOT NULL / m0 / count(m0) AS a0 ; rows: nothing / TRUE / 1 / count(*) AS a1
SELECT COUNT(*), COUNT(half) FROM visits
present: CASE WHEN TRUE AND coalesce(NOT isnan(c7), FALSE) THEN 1 END AS m0 / m0 IS NOT NULL / m0 / count(m0) AS a0 ; rows: nothing / TRUE / 1 / count(*) AS a1
-- beside a count of all rows, under a condition
SELECT COUNT_IF(paid), COUNT(cost) FILTER (WHERE paid) FROM visits
present: CASE WHEN c9 AND coalesce(NOT isnan(c4), FALSE) THEN 1 END AS m0 / m0 IS NOT NULL / m0 / count(m0) AS a0 ; rows: CASE WHEN c9 THEN 1 END AS m1 / m1 = 1 / m1 / count(m1) AS a1
SELECT COUNT_IF(paid), SUM(cost) FILTER (WHERE paid) FROM visits
rows: CASE WHEN c9 THEN 1 END AS m0 / m0 = 1 / m0 / count(m0) AS a0 ; sum: CASE WHEN c9 THEN CASE WHEN (c4 * CAST('100.0' AS DOUBLE) + 0.5) >= CAST('0.0' AS DOUBLE) AND (c4 * CAST('100.0' AS DOUBLE) + 0.5) < CAST('10001.0' AS DOUBLE) THEN CAST(floor((c4 * CAST('100.0' AS DOUBLE) + 0.5)) AS DOUBLE) WHEN (c4 * CAST('100.0' AS DOUBLE) + 0.5) < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN (c4 * CAST('100.0' AS DOUBLE) + 0.5) <= CAST('inf' AS DOUBLE) THEN CAST('10000.0' AS DOUBLE) END END AS m1 / m1 <> 0 / m1 / CAST(coalesce(sum(m1), 0) AS BIGINT) AS a1
SELECT COUNT_IF(paid), AVG(day) FILTER (WHERE paid) FROM visits
present: nothing / m2 IS NOT NULL / CASE WHEN m2 IS NOT NULL THEN 1 END / count(m2) AS a0 ; rows: CASE WHEN c9 THEN 1 END AS m1 / m1 = 1 / m1 / count(m1) AS a1 ; sum: CASE WHEN c9 THEN (CASE WHEN c2 BETWEEN 0 AND 364 THEN c2 WHEN c2 < 0 THEN 0 WHEN c2 > 364 THEN 364 END - (182)) END AS m2 / m2 IS NOT NULL / m2 / CAST(coalesce(sum(m2), 0) AS BIGINT) AS a2
SELECT COUNT_IF(paid), VARIANCE(day) FILTER (WHERE paid) FROM visits
present: nothing / m2 IS NOT NULL / CASE WHEN m2 IS NOT NULL THEN 1 END / count(m2) AS a0 ; rows: CASE WHEN c9 THEN 1 END AS m1 / m1 = 1 / m1 / count(m1) AS a1 ; square: CASE WHEN c9 THEN CAST((CASE WHEN c2 BETWEEN 0 AND 364 THEN c2 WHEN c2 < 0 THEN 0 WHEN c2 > 364 THEN 364 END - (182)) AS BIGINT) END AS m2 / m2 IS NOT NULL / m2 * m2 / CAST(coalesce(sum(m2 * m2), 0) AS BIGINT) AS a2 ; sum: CASE WHEN c9 THEN (CASE WHEN c2 BETWEEN 0 AND 364 THEN c2 WHEN c2 < 0 THEN 0 WHEN c2 > 364 THEN 364 END - (182)) END AS m3 / m3 IS NOT NULL / m3 / CAST(coalesce(sum(m3), 0) AS BIGINT) AS a3
-- where one row of a person counts, a sum is of that row
SELECT COUNT(*) FROM people
rows: nothing / TRUE / 1 / count(*) AS a0
SELECT AVG(age) FROM people
present: nothing / m1 IS NOT NULL / CASE WHEN m1 IS NOT NULL THEN 1 END / count(m1) AS a0 ; sum: (CASE WHEN c1 BETWEEN 0 AND 120 THEN c1 WHEN c1 < 0 THEN 0 WHEN c1 > 120 THEN 120 END - (60)) AS m1 / m1 IS NOT NULL / m1 / CAST(coalesce(sum(m1), 0) AS BIGINT) AS a1
SELECT COUNT(*), AVG(age) FROM people
present: nothing / m2 IS NOT NULL / CASE WHEN m2 IS NOT NULL THEN 1 END / count(m2) AS a0 ; rows: nothing / TRUE / 1 / count(*) AS a1 ; sum: (CASE WHEN c1 BETWEEN 0 AND 120 THEN c1 WHEN c1 < 0 THEN 0 WHEN c1 > 120 THEN 120 END - (60)) AS m2 / m2 IS NOT NULL / m2 / CAST(coalesce(sum(m2), 0) AS BIGINT) AS a2
-- wide sums, and numbers that are too fine for halves
SELECT SUM(cost * 1000000) FROM visits
sum: CASE WHEN ((CASE WHEN c4 IS NOT NULL AND NOT isnan(c4) THEN greatest(CAST('0.0' AS DOUBLE), least(CAST('100.0' AS DOUBLE), c4)) END * CAST(1000000 AS DOUBLE)) / CAST('10000.0' AS DOUBLE) + 0.5) >= CAST('0.0' AS DOUBLE) AND ((CASE WHEN c4 IS NOT NULL AND NOT isnan(c4) THEN greatest(CAST('0.0' AS DOUBLE), least(CAST('100.0' AS DOUBLE), c4)) END * CAST(1000000 AS DOUBLE)) / CAST('10000.0' AS DOUBLE) + 0.5) < CAST('10001.0' AS DOUBLE) THEN CAST(floor(((CASE WHEN c4 IS NOT NULL AND NOT isnan(c4) THEN greatest(CAST('0.0' AS DOUBLE), least(CAST('100.0' AS DOUBLE), c4)) END * CAST(1000000 AS DOUBLE)) / CAST('10000.0' AS DOUBLE) + 0.5)) AS DOUBLE) WHEN ((CASE WHEN c4 IS NOT NULL AND NOT isnan(c4) THEN greatest(CAST('0.0' AS DOUBLE), least(CAST('100.0' AS DOUBLE), c4)) END * CAST(1000000 AS DOUBLE)) / CAST('10000.0' AS DOUBLE) + 0.5) < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN ((CASE WHEN c4 IS NOT NULL AND NOT isnan(c4) THEN greatest(CAST('0.0' AS DOUBLE), least(CAST('100.0' AS DOUBLE), c4)) END * CAST(1000000 AS DOUBLE)) / CAST('10000.0' AS DOUBLE) + 0.5) <= CAST('inf' AS DOUBLE) THEN CAST('10000.0' AS DOUBLE) END AS m0 / m0 <> 0 / m0 / CAST(coalesce(sum(m0), 0) AS BIGINT) AS a0
SELECT SUM(price) FROM items
sum: CAST(CASE WHEN (c1 * CAST('100000.0' AS DOUBLE) + 0.5) >= CAST('-1000000.0' AS DOUBLE) AND (c1 * CAST('100000.0' AS DOUBLE) + 0.5) < CAST('1000001.0' AS DOUBLE) THEN CAST(floor((c1 * CAST('100000.0' AS DOUBLE) + 0.5)) AS DOUBLE) WHEN (c1 * CAST('100000.0' AS DOUBLE) + 0.5) < CAST('-1000000.0' AS DOUBLE) THEN CAST('-1000000.0' AS DOUBLE) WHEN (c1 * CAST('100000.0' AS DOUBLE) + 0.5) <= CAST('inf' AS DOUBLE) THEN CAST('1000000.0' AS DOUBLE) END AS BIGINT) AS m0 / m0 <> 0 / m0 / CAST(coalesce(sum(m0), 0) AS BIGINT) AS a0
SELECT SUM(day * 100000) FROM visits
sum: CASE WHEN ((CASE WHEN CAST(c2 AS DOUBLE) IS NOT NULL THEN greatest(CAST('0.0' AS DOUBLE), least(CAST('364.0' AS DOUBLE), CAST(c2 AS DOUBLE))) END * CAST(100000 AS DOUBLE)) / CAST('100000.0' AS DOUBLE) + 0.5) >= CAST('0.0' AS DOUBLE) AND ((CASE WHEN CAST(c2 AS DOUBLE) IS NOT NULL THEN greatest(CAST('0.0' AS DOUBLE), least(CAST('364.0' AS DOUBLE), CAST(c2 AS DOUBLE))) END * CAST(100000 AS DOUBLE)) / CAST('100000.0' AS DOUBLE) + 0.5) < CAST('365.0' AS DOUBLE) THEN CAST(floor(((CASE WHEN CAST(c2 AS DOUBLE) IS NOT NULL THEN greatest(CAST('0.0' AS DOUBLE), least(CAST('364.0' AS DOUBLE), CAST(c2 AS DOUBLE))) END * CAST(100000 AS DOUBLE)) / CAST('100000.0' AS DOUBLE) + 0.5)) AS DOUBLE) WHEN ((CASE WHEN CAST(c2 AS DOUBLE) IS NOT NULL THEN greatest(CAST('0.0' AS DOUBLE), least(CAST('364.0' AS DOUBLE), CAST(c2 AS DOUBLE))) END * CAST(100000 AS DOUBLE)) / CAST('100000.0' AS DOUBLE) + 0.5) < CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) WHEN ((CASE WHEN CAST(c2 AS DOUBLE) IS NOT NULL THEN greatest(CAST('0.0' AS DOUBLE), least(CAST('364.0' AS DOUBLE), CAST(c2 AS DOUBLE))) END * CAST(100000 AS DOUBLE)) / CAST('100000.0' AS DOUBLE) + 0.5) <= CAST('inf' AS DOUBLE) THEN CAST('364.0' AS DOUBLE) END AS m0 / m0 <> 0 / m0 / CAST(coalesce(sum(m0), 0) AS BIGINT) AS a0
SELECT SUM(LEAST(GREATEST(half, -1000), 1000)) FROM visits
sum: CAST(CASE WHEN (least(greatest(c7, CAST((-1000) AS DOUBLE)), CAST(1000 AS DOUBLE)) * CAST('1000.0' AS DOUBLE) + 0.5) >= CAST('-1000000.0' AS DOUBLE) AND (least(greatest(c7, CAST((-1000) AS DOUBLE)), CAST(1000 AS DOUBLE)) * CAST('1000.0' AS DOUBLE) + 0.5) < CAST('1000001.0' AS DOUBLE) THEN CAST(floor((least(greatest(c7, CAST((-1000) AS DOUBLE)), CAST(1000 AS DOUBLE)) * CAST('1000.0' AS DOUBLE) + 0.5)) AS DOUBLE) WHEN (least(greatest(c7, CAST((-1000) AS DOUBLE)), CAST(1000 AS DOUBLE)) * CAST('1000.0' AS DOUBLE) + 0.5) < CAST('-1000000.0' AS DOUBLE) THEN CAST('-1000000.0' AS DOUBLE) WHEN (least(greatest(c7, CAST((-1000) AS DOUBLE)), CAST(1000 AS DOUBLE)) * CAST('1000.0' AS DOUBLE) + 0.5) <= CAST('inf' AS DOUBLE) THEN CAST('1000000.0' AS DOUBLE) END AS BIGINT) AS m0 / m0 <> 0 / m0 / CAST(coalesce(sum(m0), 0) AS BIGINT) AS a0
-- in several: a person has two rows in their own table
SELECT COUNT(*) FROM people
rows: nothing / TRUE / 1 / count(*) AS a0
SELECT AVG(age) FROM people
present: nothing / m1 IS NOT NULL / CASE WHEN m1 IS NOT NULL THEN 1 END / count(m1) AS a0 ; sum: (CASE WHEN c1 BETWEEN 0 AND 120 THEN c1 WHEN c1 < 0 THEN 0 WHEN c1 > 120 THEN 120 END - (60)) AS m1 / m1 IS NOT NULL / m1 / CAST(coalesce(sum(m1), 0) AS BIGINT) AS a1
