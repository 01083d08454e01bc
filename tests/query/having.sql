-- none
SELECT ward, COUNT(*) FROM visits GROUP BY ward
all groups
-- over aggregates, keys and names of SELECT
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING COUNT(*) > 9
rows#1 > 9
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING n > 9 AND ward <> 'a'
(rows#1 > 9 and ward#0 <> 'a')
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING SUM(cost) / n > 2
sum#2 / rows#1 > 2
SELECT ward AS w, COUNT(*) FROM visits GROUP BY ward HAVING w = 'a' OR UPPER(w) = 'B'
(ward#0 = 'a' or upper(ward#0) = 'B')
SELECT COUNT(*) FROM visits HAVING COUNT(*) > 9
rows#0 > 9
-- a name stands for what it names, whatever else is called so
SELECT ward, COUNT(*) AS day FROM visits GROUP BY ward HAVING day > 9
rows#1 > 9
SELECT ward, COUNT(*) AS n, n2 FROM (SELECT person, ward, day AS n2 FROM visits) t GROUP BY ward, n2 HAVING n2 > n
n2#1 > rows#2
-- neither grouped nor aggregated
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING day > 9
refused: column `day` is neither grouped nor aggregated (line 1, column 61) | hint: use an aggregate such as COUNT or AVG, or add `day` to GROUP BY
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING visits.n > 9
refused: no column `visits.n` (line 1, column 61) | hint: known columns: person, visit, day, ward, cost, town, code, half, at, paid
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING m > 9
refused: no column `m` (line 1, column 61) | hint: known columns: person, visit, day, ward, cost, town, code, half, at, paid
-- not true or false
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING n
refused: HAVING must be true or false (line 1, column 61) | hint: compare it
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING ward
refused: HAVING must be true or false (line 1, column 61) | hint: compare it
-- names of SELECT are the same in any case
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING N > 3
rows#1 > 3
