-- no groups
SELECT COUNT(*) FROM visits
no keys
-- a column, and its name
SELECT ward, COUNT(*) FROM visits GROUP BY ward
ward#3 as `ward`
SELECT w, COUNT(*) FROM (SELECT person, ward AS w FROM visits) t GROUP BY W
w#3 as `W`
-- positions and names of SELECT stand for what they name
SELECT ward, COUNT(*) FROM visits GROUP BY 1
ward#3 as `ward`
SELECT ward AS place, COUNT(*) FROM visits GROUP BY place
ward#3 as `ward`
SELECT UPPER(town) AS t, COUNT(*) FROM visits GROUP BY T
upper(town#5) as `UPPER(town)`
-- a column goes before a name of SELECT
SELECT day AS ward, COUNT(*) FROM visits GROUP BY ward
ward#3 as `ward`
SELECT day AS ward, COUNT(*) FROM visits GROUP BY visits.ward
ward#3 as `visits.ward`
-- several, in their order; the same twice is one
SELECT ward, day, COUNT(*) FROM visits GROUP BY day, ward
day#2 as `day`, ward#3 as `ward`
SELECT ward, COUNT(*) FROM visits GROUP BY ward, visits.ward, 1
ward#3 as `ward`
-- computed keys are held within their bounds
SELECT COUNT(*) FROM visits GROUP BY day / 7
clip(day#2) / 7 as `day / 7`
SELECT COUNT(*) FROM visits GROUP BY day + 0 * cost
clip(day#2) + 0 * clip(cost#4) as `day + 0 * cost`
SELECT COUNT(*) FROM visits GROUP BY CASE WHEN day < 9 THEN 'early' ELSE 'late' END
case(day#2 < 9, 'early', 'late') as `CASE WHEN day < 9 THEN 'early' ELSE 'late' END`
-- a public column, and one of a person's own table
SELECT region, COUNT(*) FROM visits JOIN towns USING (town) GROUP BY region
region#11 as `region`
SELECT age, COUNT(*) FROM people GROUP BY age
age#1 as `age`
-- groups are not made of the person
SELECT person, COUNT(*) FROM visits GROUP BY person
refused: groups must not be made of the person (line 1, column 46) | hint: group in a subquery by person and aggregate over it
SELECT COUNT(*) FROM visits GROUP BY person + 1
refused: groups must not be made of the person (line 1, column 38) | hint: group in a subquery by person and aggregate over it
SELECT COUNT(*) FROM visits GROUP BY CASE WHEN person = 7 THEN 1 ELSE 0 END
refused: groups must not be made of the person (line 1, column 48) | hint: group in a subquery by person and aggregate over it
SELECT COUNT(*) FROM (SELECT person AS p, person * 2 AS q FROM visits) t GROUP BY q
refused: groups must not be made of the person (line 1, column 83) | hint: group in a subquery by person and aggregate over it
SELECT COUNT(*) FROM (SELECT person, MIN(person) AS q FROM visits GROUP BY person) t GROUP BY q
refused: groups must not be made of the person (line 1, column 95) | hint: group in a subquery by person and aggregate over it
SELECT COUNT(*) FROM (SELECT person, COUNT_IF(person = 7) AS q FROM visits GROUP BY person) t GROUP BY q
refused: groups must not be made of the person (line 1, column 104) | hint: group in a subquery by person and aggregate over it
SELECT COUNT(*) FROM (SELECT person, COUNT(*) FILTER (WHERE person = 7) AS q FROM visits GROUP BY person) t GROUP BY q
refused: groups must not be made of the person (line 1, column 118) | hint: group in a subquery by person and aggregate over it
-- in rows: where rows are protected nobody is the person
SELECT person, COUNT(*) FROM visits GROUP BY person
person#0 as `person`
-- what is no key
SELECT COUNT(*) FROM visits GROUP BY COUNT(*)
refused: GROUP BY takes columns of a row, not aggregates (line 1, column 38) | hint: use HAVING
SELECT COUNT(*) FROM visits GROUP BY 1
refused: GROUP BY takes columns of a row, not aggregates (line 1, column 8) | hint: use HAVING
SELECT COUNT(*) FROM visits GROUP BY 2
refused: GROUP BY names a column that is not there (line 1, column 38) | hint: positions go from 1 to 1
SELECT COUNT(*) FROM visits GROUP BY 0
refused: GROUP BY names a column that is not there (line 1, column 38) | hint: positions go from 1 to 1
SELECT COUNT(*) FROM visits GROUP BY 'ward'
refused: GROUP BY a constant makes one group (line 1, column 38) | hint: leave it out
SELECT COUNT(*) FROM visits GROUP BY '1'
refused: GROUP BY a constant makes one group (line 1, column 38) | hint: leave it out
SELECT COUNT(*) FROM visits GROUP BY 1.5
refused: GROUP BY a constant makes one group (line 1, column 38) | hint: leave it out
SELECT COUNT(*) FROM visits GROUP BY 12345678901
refused: GROUP BY a constant makes one group (line 1, column 38) | hint: leave it out
SELECT COUNT(*) FROM visits GROUP BY wrad
refused: no column `wrad` (line 1, column 38) | hint: did you mean `ward`? known columns: person, visit, day, ward, cost, town, code, half, at, paid
SELECT COUNT(*) FROM visits GROUP BY people.ward
refused: no column `people.ward` (line 1, column 38) | hint: known tables: visits
SELECT COUNT(*) FROM visits GROUP BY ROLLUP (ward)
refused: ROLLUP is not answered (line 1, column 46) | hint: see docs/sql.md for the functions there are
SELECT COUNT(*) FROM visits GROUP BY ALL
refused: ALL is not answered in GROUP BY (line 1, column 8) | hint: name the columns
-- what is not read in the clause is refused
SELECT ward, COUNT(*) FROM visits GROUP BY ALL
refused: ALL is not answered in GROUP BY (line 1, column 8) | hint: name the columns
-- SELECT DISTINCT
SELECT DISTINCT town FROM visits
town#5 as `town`
SELECT DISTINCT UPPER(town) AS t, 3 FROM visits
upper(town#5) as `UPPER(town)`
SELECT DISTINCT ward, COUNT(*) FROM visits GROUP BY ward
ward#3 as `ward`
SELECT DISTINCT COUNT(*) FROM visits GROUP BY ward
refused: DISTINCT is not answered in SELECT (line 1, column 17) | hint: SELECT DISTINCT takes the keys: SELECT DISTINCT x, or GROUP BY x; COUNT(DISTINCT x) counts them
SELECT DISTINCT person FROM visits
refused: groups must not be made of the person (line 1, column 17) | hint: group in a subquery by person and aggregate over it
