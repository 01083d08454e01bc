-- how many rows a person has, at most as many as count
SELECT 1 FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY person) t
visits → a line a person: count(*) | person!' integer, COUNT(*)' integer 0..3 | one row a person, cut 1, spread 1, once none, counts 1 in 1
-- in cut: as many as count, not as are kept
SELECT 1 FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY person) t
visits → a line a person: count(*) | person!' integer, COUNT(*)' integer 0..6 | one row a person, cut 1, spread 1, once none, counts 1 in 1
-- every aggregate, and its bounds
SELECT 1 FROM (SELECT person, COUNT(town) AS a, COUNT(DISTINCT town) AS b, SUM(cost) AS c, AVG(day) AS d, MIN(day) AS e, MAX(town) AS f FROM visits GROUP BY person) t
visits → a line a person: present(town#5), distinct(town#5), sum(cost#4), avg(day#2), min(day#2), max(town#5) | person!' integer, COUNT(town)' integer 0..3, COUNT(DISTINCT town)' integer 0..3, SUM(cost)' real 0..300, AVG(day)' real 0..364, MIN(day)' integer 0..364, MAX(town)' text | one row a person, cut 1, spread 1, once none, counts 1 in 1
-- of numbers below zero a sum is at least as many times the least
SELECT 1 FROM (SELECT v.person, SUM(price) AS s FROM items i JOIN visits v USING (visit) GROUP BY v.person) t
(items ⋈ visits by visit=visit, key leads right) → a line a person: sum(price#1) | person!' integer, SUM(price)' real -40..40 | one row a person, cut 1, spread 1, once none, counts 1 in 1
-- an aggregate that is asked twice is computed once
SELECT 1 FROM (SELECT person, COUNT(*) AS n, COUNT(*) + 1 AS m FROM visits GROUP BY person) t
visits → a line a person: count(*) → person#0, COUNT(*)#1, clip(COUNT(*)#1) + 1 | person!' integer, n' integer 0..3, m' integer 1..4 | one row a person, cut 1, spread 1, once none, counts 1 in 1
-- computed of aggregates
SELECT 1 FROM (SELECT person, SUM(cost) / COUNT(*) AS mean FROM visits GROUP BY person) t
visits → a line a person: sum(cost#4), count(*) → person#0, clip(SUM(cost)#1) / clip(COUNT(*)#2) | person!' integer, mean' real | one row a person, cut 1, spread 1, once none, counts 1 in 1
-- conditions of aggregates
SELECT 1 FROM (SELECT person, COUNT(*) FILTER (WHERE paid) AS n, SUM(cost) FILTER (WHERE day < 9) AS s FROM visits GROUP BY person) t
visits → a line a person: count(*) where paid#9, sum(cost#4) where day#2 < 9 | person!' integer, COUNT(*)' integer 0..3, SUM(cost)' real 0..300 | one row a person, cut 1, spread 1, once none, counts 1 in 1
-- HAVING
SELECT 1 FROM (SELECT person FROM visits GROUP BY person HAVING COUNT(*) > 2 AND SUM(cost) < 50) t
visits → a line a person: count(*), sum(cost#4) where (COUNT(*)#1 > 2 and SUM(cost)#2 < 50) | one row a person, cut 1, spread 1, once none, counts 1 in 1
-- keys besides: not one line a person
SELECT 1 FROM (SELECT person, ward, COUNT(*) AS n FROM visits GROUP BY person, ward) t
visits → a line a person and ward#3: count(*) | person!' integer, key 0 text of 3, COUNT(*) integer 0..3 | cut None, spread 1, once none, counts 3 in 2
SELECT 1 FROM (SELECT ward, person, day / 7 AS week, COUNT(*) AS n FROM visits GROUP BY person, ward, day / 7) t
visits → a line a person and ward#3, clip(day#2) / 7: count(*) | person!' integer, key 0 text of 3, key 1 real 0..52, COUNT(*) integer 0..3 | cut None, spread 1, once none, counts 3 in 2
-- positions and aliases of GROUP BY
SELECT 1 FROM (SELECT person AS who, ward AS w, COUNT(*) AS n FROM visits GROUP BY 1, 2) t
visits → a line a person and ward#3: count(*) | person!' integer, key 0 text of 3, COUNT(*) integer 0..3 | cut None, spread 1, once none, counts 3 in 2
-- positions and aliases of GROUP BY
SELECT 1 FROM (SELECT person AS who, ward AS w, COUNT(*) AS n FROM visits GROUP BY 1, 2) t
visits → a line a person and ward#3: count(*) | person!' integer, key 0 text of 3, COUNT(*) integer 0..3 | cut None, spread 1, once none, counts 3 in 2
-- a person who is named twice is one key
SELECT 1 FROM (SELECT v.person, COUNT(*) AS n FROM visits v JOIN people p USING (person) GROUP BY v.person, p.person) t
(visits ⋈ people by person=person) → a line a person: count(*) | person!' integer, COUNT(*)' integer 0..3 | one row a person, cut 1, spread 1, once none, counts 1 in 1
-- people of their own table
SELECT 1 FROM (SELECT person, MAX(age) AS age FROM people GROUP BY person) t
people → a line a person: max(age#1) | person!' integer, MAX(age)' integer 0..120 | one row a person, cut 1, spread 1, once none, counts 1 in 1
-- in several: who have several rows
SELECT 1 FROM (SELECT person, COUNT(*) AS n FROM people GROUP BY person) t
people → a line a person: count(*) | person!' integer, COUNT(*)' integer 0..2 | one row a person, cut 1, spread 1, once none, counts 1 in 1
-- of joined rows
SELECT 1 FROM (SELECT v.person, COUNT(*) AS n FROM visits v JOIN towns t USING (town) GROUP BY v.person) t
(visits ⋈ towns by town=town, ×2) → a line a person: count(*) | person!' integer, COUNT(*)' integer 0..3 | one row a person, cut 1, spread 1, once none, counts 1 in 1
SELECT 1 FROM (SELECT v.person, t.region, COUNT(*) AS n FROM visits v JOIN towns t USING (town) GROUP BY 1, 2) t
(visits ⋈ towns by town=town, ×2) → a line a person and region#11: count(*) | person!' integer, key 0 text, COUNT(*) integer 0..3 | cut None, spread 2, once none, counts 3 in 2
-- of a union
SELECT 1 FROM (SELECT person, COUNT(*) AS n FROM (SELECT person FROM visits UNION ALL SELECT person FROM people) u GROUP BY person) t
(visits → person#0 ∪ people → person#0) → a line a person: count(*) | person!' integer, COUNT(*)' integer 0..4 | one row a person, cut 1, spread 1, once none, counts 1 in 1
-- of lines a person
SELECT 1 FROM (SELECT person, COUNT(*) AS wards FROM (SELECT person, ward, COUNT(*) AS n FROM visits GROUP BY 1, 2) u GROUP BY person) t
visits → a line a person and ward#3: count(*) → a line a person: count(*) | person!' integer, COUNT(*)' integer 0..3 | one row a person, cut 1, spread 1, once none, counts 1 in 1
-- what is made of the person traces them, also as an aggregate
SELECT 1 FROM (SELECT person, MAX(person) AS p, COUNT(*) AS n FROM visits GROUP BY person) t
visits → a line a person: max(person#0), count(*) | person!' integer, MAX(person)~' integer, COUNT(*)' integer 0..3 | one row a person, cut 1, spread 1, once none, counts 1 in 1
-- the key alone does not carry the person
SELECT 1 FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY person, ward) t
refused: the subquery drops the person column `person` (line 1, column 23) | hint: select person itself, unchanged
SELECT 1 FROM (SELECT COUNT(*) AS n FROM visits GROUP BY person) t
refused: the subquery drops the person column `person` (line 1, column 23) | hint: select person itself, unchanged
-- several people
SELECT 1 FROM (SELECT COUNT(*) AS n FROM visits) t
refused: the subquery aggregates over several people (line 1, column 23) | hint: group it by person, or ask it as a question of its own
SELECT 1 FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) t
refused: the subquery aggregates over several people (line 1, column 23) | hint: group it by person, or ask it as a question of its own
SELECT 1 FROM (SELECT visit, COUNT(*) AS n FROM items GROUP BY visit) t
refused: the subquery aggregates over several people (line 1, column 23) | hint: group it by person, or ask it as a question of its own
SELECT 1 FROM (SELECT person + 0 AS p, COUNT(*) AS n FROM visits GROUP BY 1) t
refused: the subquery aggregates over several people (line 1, column 23) | hint: group it by person, or ask it as a question of its own
-- a person who may be missing is no person
SELECT 1 FROM (SELECT v.person, COUNT(*) AS n FROM people p LEFT JOIN visits v USING (person) GROUP BY v.person) t
refused: the subquery aggregates over several people (line 1, column 23) | hint: group it by person, or ask it as a question of its own
SELECT 1 FROM (SELECT p.person, COUNT(v.visit) AS n FROM people p LEFT JOIN visits v USING (person) GROUP BY p.person) t
(people ⟕ visits by person=person) → a line a person: present(visit#4) | person!' integer, COUNT(v.visit)' integer 0..3 | one row a person, cut 1, spread 1, once none, counts 1 in 1
-- in rows: where each row is protected nobody has several
SELECT 1 FROM (SELECT day, COUNT(*) AS n FROM visits GROUP BY day) t
refused: the subquery aggregates over several people (line 1, column 23) | hint: group it by the person, or ask it as a question of its own
-- public rows
SELECT 1 FROM (SELECT region, COUNT(*) AS n FROM towns GROUP BY region) t
refused: aggregates over public tables are not answered in a subquery (line 1, column 23) | hint: compute them first
-- columns that are neither grouped nor aggregated
SELECT 1 FROM (SELECT person, day, COUNT(*) AS n FROM visits GROUP BY person) t
refused: `day` is neither grouped nor aggregated (line 1, column 31) | hint: add it to GROUP BY
SELECT 1 FROM (SELECT person, ward || 'x' AS w FROM visits GROUP BY person, ward) t
refused: `w` is neither grouped nor aggregated (line 1, column 31) | hint: add it to GROUP BY
SELECT 1 FROM (SELECT person, COUNT(*) + day AS n FROM visits GROUP BY person) t
refused: column `day` stands beside aggregates (line 1, column 42) | hint: select it by itself, or aggregate it
SELECT 1 FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY person HAVING day > 3) t
refused: column `day` stands beside aggregates (line 1, column 80) | hint: select it by itself, or aggregate it
SELECT 1 FROM (SELECT person, COUNT(*) + "COUNT(*)" AS n FROM visits GROUP BY person) t
refused: no column `COUNT(*)` (line 1, column 42) | hint: known columns: person, visit, day, ward, cost, town, code, half, at, paid
-- positions that are not there
SELECT 1 FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY 3) t
refused: GROUP BY names a column that is not there (line 1, column 66) | hint: positions go from 1 to 2
SELECT 1 FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY 0) t
refused: GROUP BY names a column that is not there (line 1, column 66) | hint: positions go from 1 to 2
-- other ways to group
SELECT 1 FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY ROLLUP (person)) t
refused: ROLLUP is not answered (line 1, column 74) | hint: see docs/sql.md for the functions there are
SELECT 1 FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY ALL) t
refused: ALL is not answered in GROUP BY (line 1, column 23) | hint: name the columns
SELECT 1 FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY GROUPING SETS (person)) t
refused: GROUPING SETS is not answered (line 1, column 81) | hint: see docs/sql.md for the functions there are
-- a text is no position, whatever its digits
SELECT 1 FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY person, '²') t
visits → a line a person and '²': count(*) | person!' integer, key 0 text, COUNT(*) integer 0..3 | cut None, spread 1, once none, counts 3 in 2
SELECT 1 FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY person, '1') t
visits → a line a person and '1': count(*) | person!' integer, key 0 text, COUNT(*) integer 0..3 | cut None, spread 1, once none, counts 3 in 2
-- a number too long to be a position is a constant
SELECT 1 FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY person, 1234567890) t
visits → a line a person and 1234567890: count(*) | person!' integer, key 0 integer 1234567890..1234567890, COUNT(*) integer 0..3 | cut None, spread 1, once none, counts 3 in 2
-- a number too long to be a position is a constant
SELECT 1 FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY person, 1234567890) t
visits → a line a person and 1234567890: count(*) | person!' integer, key 0 integer 1234567890..1234567890, COUNT(*) integer 0..3 | cut None, spread 1, once none, counts 3 in 2
-- aggregates that are not answered inside
SELECT 1 FROM (SELECT person, MEDIAN(cost) AS m FROM visits GROUP BY person) t
refused: this aggregate is not answered per person (line 1, column 31) | hint: there are COUNT, COUNT(DISTINCT x), COUNT_IF, SUM, AVG, MIN, MAX
SELECT 1 FROM (SELECT person, SUM(DISTINCT cost) AS m FROM visits GROUP BY person) t
refused: SUM(…) takes one column here, without DISTINCT (line 1, column 31) | hint: COUNT(DISTINCT x) is answered, of one column
SELECT 1 FROM (SELECT person, COUNT(DISTINCT town, ward) AS m FROM visits GROUP BY person) t
refused: COUNT(…) takes one column here, without DISTINCT (line 1, column 31) | hint: COUNT(DISTINCT x) is answered, of one column
SELECT 1 FROM (SELECT person, SUM(code) AS m FROM visits GROUP BY person) t
refused: SUM needs a number with declared bounds (line 1, column 31) | hint: the owner declares lower and upper; or LEAST and GREATEST bound it here
SELECT 1 FROM (SELECT person, AVG(town) AS m FROM visits GROUP BY person) t
refused: AVG needs a number with declared bounds (line 1, column 31) | hint: the owner declares lower and upper; or LEAST and GREATEST bound it here
SELECT 1 FROM (SELECT person, SUM(COUNT(*)) AS m FROM visits GROUP BY person) t
refused: COUNT(…) is an aggregate and stands where a row's value is needed (line 1, column 35) | hint: aggregates go in SELECT, HAVING or ORDER BY, and not inside each other
-- COUNT_IF
SELECT 1 FROM (SELECT person, COUNT_IF(paid) AS n, COUNT_IF(day < 9) FILTER (WHERE paid) AS m FROM visits GROUP BY person) t
visits → a line a person: count(*) where paid#9, count(*) where (paid#9 and day#2 < 9) | person!' integer, COUNT_IF(paid)' integer 0..3, COUNT_IF(day < 9)' integer 0..3 | one row a person, cut 1, spread 1, once none, counts 1 in 1
-- in total: lines count as rows do, and each is of as many rows as may be
SELECT 1 FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY person) t
visits → a line a person: count(*) | person!' integer, COUNT(*)' integer 0..6 | one row a person, cut 1, spread 1, once none, counts 1 in 1
SELECT 1 FROM (SELECT person, ward, COUNT(*) AS n FROM visits GROUP BY person, ward) t
visits → a line a person and ward#3: count(*) | person!' integer, key 0 text of 3, COUNT(*) integer 0..6 | cut None, spread 1, once none, counts 6 in all
-- in both: the fewer in one group
SELECT 1 FROM (SELECT person, ward, COUNT(*) AS n FROM visits GROUP BY person, ward) t
visits → a line a person and ward#3: count(*) | person!' integer, key 0 text of 3, COUNT(*) integer 0..3 | cut None, spread 1, once none, counts 3 in 2, 4 in all
SELECT 1 FROM (SELECT person, SUM(day) AS n FROM visits GROUP BY person) t
visits → a line a person: sum(day#2) | person!' integer, SUM(day)' integer 0..1092 | one row a person, cut 1, spread 1, once none, counts 1 in 1
