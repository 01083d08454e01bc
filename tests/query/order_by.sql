-- none
SELECT ward, COUNT(*) FROM visits GROUP BY ward
by key
-- positions, names, keys and aggregates
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY 2
rows#1
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY 2 DESC, 1
rows#1 down; ward#0
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY N DESC
rows#1 down
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY ward, SUM(cost) DESC
ward#0; sum#2 down
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n / 2, UPPER(ward)
rows#1 / 2; upper(ward#0)
-- where what is missing goes
SELECT ward, AVG(cost) AS m FROM visits GROUP BY ward ORDER BY m NULLS FIRST
avg#1, missing first
SELECT ward, AVG(cost) AS m FROM visits GROUP BY ward ORDER BY m DESC NULLS LAST
avg#1 down
SELECT ward, AVG(cost) AS m FROM visits GROUP BY ward ORDER BY m DESC
avg#1 down
-- a text is no position
SELECT ward, COUNT(*) FROM visits GROUP BY ward ORDER BY '2'
'2'
-- what is not there
SELECT ward, COUNT(*) FROM visits GROUP BY ward ORDER BY 3
refused: ORDER BY names a column that is not there (line 1, column 58) | hint: positions go from 1 to 2
SELECT ward, COUNT(*) FROM visits GROUP BY ward ORDER BY 0
refused: ORDER BY names a column that is not there (line 1, column 58) | hint: positions go from 1 to 2
SELECT ward, COUNT(*) FROM visits GROUP BY ward ORDER BY day
refused: column `day` is neither grouped nor aggregated (line 1, column 58) | hint: use an aggregate such as COUNT or AVG, or add `day` to GROUP BY
SELECT ward, COUNT(*) FROM visits GROUP BY ward ORDER BY visits.n
refused: no column `visits.n` (line 1, column 58) | hint: known columns: person, visit, day, ward, cost, town, code, half, at, paid
SELECT ward, COUNT(*) FROM visits GROUP BY ward ORDER BY wrad
refused: no column `wrad` (line 1, column 58) | hint: did you mean `ward`? known columns: person, visit, day, ward, cost, town, code, half, at, paid
SELECT ward, COUNT(*) FROM visits GROUP BY ward ORDER BY ward COLLATE de
refused: COLLATE is not answered (line 1, column 58) | hint: see docs/sql.md for the functions there are
-- what is not read in the clause is refused; a name of SELECT has no table
SELECT ward, COUNT(*) FROM visits GROUP BY ward ORDER BY ward WITH FILL
refused: WITH FILL is not answered in ORDER BY (line 1, column 58) | hint: leave it out
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY visits.n
refused: no column `visits.n` (line 1, column 63) | hint: known columns: person, visit, day, ward, cost, town, code, half, at, paid
SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY N
rows#1
