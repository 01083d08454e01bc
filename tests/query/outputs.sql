-- every aggregate
SELECT COUNT(*), COUNT(1), COUNT(cost), COUNT(town) FROM visits
count(*): rows#0 integer, count(1): rows#0 integer, count(cost): present#1 integer, count(town): present#2 integer | rows → integer, present of cost#4 → integer, present of town#5 → integer
SELECT COUNT(DISTINCT person), COUNT(DISTINCT town), COUNT(person) FROM visits
count(distinct person): people#0 integer, count(distinct town): distinct#1 integer, count(person): rows#2 integer | people → integer, distinct of town#5 → integer, rows → integer
SELECT SUM(cost), AVG(cost), SUM(day), AVG(day) FROM visits
sum(cost): sum#0 real, avg(cost): avg#1 real, sum(day): sum#2 integer, avg(day): avg#3 real | sum of cost#4 → real, avg of cost#4 → real 0..100, sum of day#2 → integer, avg of day#2 → real 0..364
SELECT VARIANCE(cost), VAR_POP(cost), VAR_SAMP(cost), STDDEV(cost), STDDEV_POP(cost), STDDEV_SAMP(cost) FROM visits
variance(cost): variance#0 real, var_pop(cost): variance#1 real, variance(cost): variance#0 real, stddev(cost): variance#2 real, stddev_pop(cost): variance#3 real, stddev_samp(cost): variance#2 real | variance of cost#4 sample → real, variance of cost#4 → real, variance of cost#4 sample root → real, variance of cost#4 root → real
SELECT MEDIAN(cost), QUANTILE(cost, 0.9), MIN(day), MAX(day), APPROX_QUANTILE(cost, 0.25) FROM visits
median(cost): quantile at 0.5#0 real, quantile(cost, 0.9): quantile at 0.9#1 real, min(day): quantile at 0.01#2 integer, max(day): quantile at 0.99#3 integer, approx_quantile(cost, 0.25): quantile at 0.25#4 real | quantile at 0.5 of cost#4 → real 0..100, quantile at 0.9 of cost#4 → real 0..100, quantile at 0.01 of day#2 → integer 0..364, quantile at 0.99 of day#2 → integer 0..364, quantile at 0.25 of cost#4 → real 0..100
SELECT PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY cost), PERCENTILE_DISC(0.25) WITHIN GROUP (ORDER BY cost DESC) FROM visits
quantile_cont(cost, 0.25 order by cost): quantile at 0.25#0 real, quantile_disc(cost, 0.25 order by cost desc): quantile at 0.75#1 real | quantile at 0.25 of cost#4 → real 0..100, quantile at 0.75 of cost#4 → real 0..100
-- conditions
SELECT COUNT(*) FILTER (WHERE paid), SUM(cost) FILTER (WHERE day < 9) FROM visits
count(*) filter(where paid): rows#0 integer, sum(cost) filter(where day < 9): sum#1 real | rows where paid#9 → integer, sum of cost#4 where day#2 < 9 → real
-- what is the same is measured once
SELECT COUNT(*), COUNT(*) + 1, count(1) * 2 FROM visits
count(*): rows#0 integer, count(*) + 1: rows#0 + 1 integer, count(1) * 2: rows#0 * 2 integer | rows → integer
SELECT SUM(cost), SUM(visits.cost) FROM visits
sum(cost): sum#0 real, sum(visits.cost): sum#0 real | sum of cost#4 → real
-- names: an alias, a column as it is written, else the text
SELECT ward AS w, WARD, COUNT(*) AS "How many" FROM visits GROUP BY ward
w: ward#0 text, WARD: ward#0 text, How many: rows#1 integer | rows → integer
SELECT AVG(cost) FROM visits
avg(cost): avg#0 real | avg of cost#4 → real 0..100
-- keys, and what is computed of keys and aggregates
SELECT ward, UPPER(ward), COUNT(*) / 2, SUM(cost) / COUNT(*) FROM visits GROUP BY ward
ward: ward#0 text, upper(ward): upper(ward#0) text, count(*) / 2: rows#1 / 2 real, sum(cost) / count(*): sum#2 / rows#1 real | rows → integer, sum of cost#4 → real
SELECT day / 7, day / 7 + 1, COUNT(*) FROM visits GROUP BY day / 7
day / 7: day / 7#0 real, day / 7 + 1: day / 7#0 + 1 real, count(*): rows#1 integer | rows → integer
SELECT CASE WHEN COUNT(*) > 9 THEN ward ELSE 'few' END, COUNT(*) FROM visits GROUP BY ward
case when count(*) > 9 then ward else 'few' end: case(rows#1 > 9, ward#0, 'few') text, count(*): rows#1 integer | rows → integer
-- the person on the right of a LEFT JOIN may be missing, and is counted where it is not
SELECT COUNT(DISTINCT p.person), COUNT(p.person) FROM visits v LEFT JOIN people p ON v.person = p.person
count(distinct p.person): people#0 integer, count(p.person): rows#1 integer | people where not(is_null(person#10)) → integer, rows where not(is_null(person#10)) → integer
SELECT COUNT(p.person) FILTER (WHERE paid) FROM visits v LEFT JOIN people p ON v.person = p.person
count(p.person) filter(where paid): rows#0 integer | rows where (paid#9 and not(is_null(person#10))) → integer
-- bounds of what is computed
SELECT SUM(cost * day), AVG(cost - day), SUM(LEAST(GREATEST(half, 0), 5)) FROM visits
sum(cost * day): sum#0 real, avg(cost - day): avg#1 real, sum(least(greatest(half, 0), 5)): sum#2 real | sum of clip(cost#4) * clip(day#2) → real, avg of clip(cost#4) - clip(day#2) → real -364..100, sum of least(greatest(half#7, 0), 5) → real
-- rows are not released
SELECT * FROM visits
refused: rows are not released (line 1, column 8) | hint: ask for aggregates: COUNT(*), AVG(…), …
SELECT visits.* FROM visits
refused: rows are not released (line 1, column 8) | hint: ask for aggregates: COUNT(*), AVG(…), …
SELECT COUNT(*), * FROM visits
refused: rows are not released (line 1, column 18) | hint: ask for aggregates: COUNT(*), AVG(…), …
SELECT ward, COUNT(*) FROM visits
refused: column `ward` is neither grouped nor aggregated (line 1, column 8) | hint: use an aggregate such as COUNT or AVG, or add `ward` to GROUP BY
SELECT person, COUNT(*) FROM visits
refused: column `person` is neither grouped nor aggregated (line 1, column 8) | hint: use an aggregate such as COUNT or AVG
SELECT day / 7, COUNT(*) FROM visits GROUP BY ward
refused: column `day` is neither grouped nor aggregated (line 1, column 8) | hint: use an aggregate such as COUNT or AVG, or add `day` to GROUP BY
SELECT ward || town, COUNT(*) FROM visits GROUP BY ward
refused: column `town` is neither grouped nor aggregated (line 1, column 16) | hint: use an aggregate such as COUNT or AVG, or add `town` to GROUP BY
SELECT COUNT(*) AS n, n + 1 FROM visits
refused: no column `n` (line 1, column 23) | hint: known columns: person, visit, day, ward, cost, town, code, half, at, paid
SELECT wrad, COUNT(*) FROM visits GROUP BY ward
refused: no column `wrad` (line 1, column 8) | hint: did you mean `ward`? known columns: person, visit, day, ward, cost, town, code, half, at, paid
-- counts that are not answered
SELECT COUNT() FROM visits
refused: COUNT takes * or a column (line 1, column 8) | hint: COUNT(*)
SELECT COUNT(DISTINCT town, ward) FROM visits
refused: COUNT(DISTINCT …) takes one column (line 1, column 8) | hint: ask for each by itself
SELECT COUNT(DISTINCT person + 1) FROM visits
refused: COUNT(DISTINCT …) of something made of the person (line 1, column 8) | hint: count the person itself
-- sums that are not answered
SELECT SUM(town) FROM visits
refused: SUM needs a number, found text (line 1, column 8) | hint: COUNT works on anything
SELECT SUM(half) FROM visits
refused: SUM needs bounds, and `half` has none (line 1, column 8) | hint: the owner declares lower and upper; or bound it here: LEAST(GREATEST(x, 0), 100), where NULL is 0
SELECT SUM(DISTINCT day) FROM visits
refused: SUM over DISTINCT is not answered (line 1, column 8) | hint: COUNT(DISTINCT x) is
SELECT AVG(paid) FROM visits
refused: AVG needs a number, found boolean (line 1, column 8) | hint: COUNT works on anything
SELECT SUM(cost * 1e-300) FROM visits
refused: SUM of numbers too small to be added up (line 1, column 8) | hint: leave the division out
SELECT SUM(cost * 1e199) FROM visits
refused: SUM of numbers too large to be added up (line 1, column 8) | hint: divide them first
SELECT VARIANCE(cost * 1e149) FROM visits
refused: a spread of numbers too large to be squared (line 1, column 8) | hint: divide them first
SELECT VARIANCE(DISTINCT cost) FROM visits
refused: VARIANCE over DISTINCT is not answered (line 1, column 8) | hint: COUNT(DISTINCT x) is
-- quantiles that are not answered
SELECT QUANTILE(cost, 2) FROM visits
refused: a quantile takes a constant between 0 and 1 (line 1, column 17) | hint: QUANTILE(x, 0.9)
SELECT QUANTILE(cost, -0.5) FROM visits
refused: a quantile takes a constant between 0 and 1 (line 1, column 17) | hint: QUANTILE(x, 0.9)
SELECT QUANTILE(cost, 0.1234567) FROM visits
refused: a quantile takes a constant between 0 and 1 (line 1, column 17) | hint: QUANTILE(x, 0.9)
SELECT QUANTILE(cost, day) FROM visits
refused: a quantile takes a constant between 0 and 1 (line 1, column 17) | hint: QUANTILE(x, 0.9)
SELECT QUANTILE(cost, '0.5') FROM visits
refused: a quantile takes a constant between 0 and 1 (line 1, column 17) | hint: QUANTILE(x, 0.9)
SELECT MEDIAN(half) FROM visits
refused: a quantile needs bounds, and `half` has none (line 1, column 8) | hint: the owner declares lower and upper; or bound it here: LEAST(GREATEST(x, 0), 100), where NULL is 0
SELECT MEDIAN(town) FROM visits
refused: a quantile needs a number, found text (line 1, column 8) | hint: COUNT works on anything
SELECT PERCENTILE_CONT(0.5) FROM visits
refused: PERCENTILE_CONT(…) takes a column (line 1, column 8) | hint: QUANTILE(x, 0.9)
SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY cost, day) FROM visits
refused: WITHIN GROUP takes a percentile and one column (line 1, column 8) | hint: PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x)
SELECT SUM(cost) WITHIN GROUP (ORDER BY cost) FROM visits
refused: WITHIN GROUP takes a percentile and one column (line 1, column 8) | hint: PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x)
-- aggregates that are not answered
SELECT GROUP_CONCAT(town) FROM visits
refused: GROUP_CONCAT(…) is not answered (line 1, column 21) | hint: rows are not released
SELECT ARRAY_AGG(town) FROM visits
refused: ARRAY_AGG(…) is not answered (line 1, column 8) | hint: rows are not released
SELECT FIRST(town) FROM visits
refused: FIRST(…) is not answered (line 1, column 8) | hint: there are COUNT, COUNT(DISTINCT x), COUNT_IF, SUM, AVG, VARIANCE, STDDEV, MEDIAN, QUANTILE, MIN, MAX
SELECT SUM(SUM(cost)) FROM visits
refused: SUM(…) is an aggregate and stands where a row's value is needed (line 1, column 12) | hint: aggregates go in SELECT, HAVING or ORDER BY, and not inside each other
SELECT SUM(cost) OVER () FROM visits
refused: window functions are not answered (line 1, column 8) | hint: ask for aggregates with GROUP BY
SELECT COUNT(*) FILTER (WHERE cost) FROM visits
refused: a condition must be true or false, found real (line 1, column 31) | hint: compare it
SELECT COUNT(*) FILTER (WHERE COUNT(*) > 1) FROM visits
refused: COUNT(…) is an aggregate and stands where a row's value is needed (line 1, column 31) | hint: aggregates go in SELECT, HAVING or ORDER BY, and not inside each other
-- COUNT_IF is COUNT(*) under a condition
SELECT COUNT_IF(paid), COUNT(*) FILTER (WHERE paid), COUNT_IF(day < 9) FILTER (WHERE paid) FROM visits
count_if(paid): rows#0 integer, count(*) filter(where paid): rows#0 integer, count_if(day < 9) filter(where paid): rows#1 integer | rows where paid#9 → integer, rows where (paid#9 and day#2 < 9) → integer
SELECT COUNT_IF(cost) FROM visits
refused: a condition must be true or false, found real (line 1, column 17) | hint: compare it
SELECT COUNT_IF(DISTINCT paid) FROM visits
refused: DISTINCT is not answered (line 1, column 26) | hint: see docs/sql.md for the functions there are
SELECT COUNT_IF(person = 7) FROM visits
count_if(person = 7): rows#0 integer | rows where person#0 = 7 → integer
