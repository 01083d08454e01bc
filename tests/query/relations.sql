-- a table of people with several rows each
SELECT 1 FROM visits
visits | cut None, spread 1, once all, counts 3 in 2
-- the people's own table has one row a person
SELECT 1 FROM people
people | one row a person, cut None, spread 1, once all, counts 1 in 1
-- in several: unless it is declared to have more
SELECT 1 FROM people
people | cut None, spread 1, once all, counts 2 in 1
-- a table that leads to people over another
SELECT 1 FROM items
items | cut None, spread 1, once all, counts 4 in 5
-- a public table
SELECT 1 FROM towns
towns | public
-- in cut: a table that was cut at registration
SELECT 1 FROM visits
visits | cut 6, spread 1, once all, counts 3 in 2, 6 in all
-- in rows: where each row is protected a row is one
SELECT 1 FROM visits
visits | cut 1, spread 1, once all, counts 1 in 1
-- names of tables in any case of letters
SELECT 1 FROM "VISITS" v
visits | cut None, spread 1, once all, counts 3 in 2
-- WHERE keeps what is known of the rows
SELECT 1 FROM visits WHERE day < 9
visits where day#2 < 9 | cut None, spread 1, once all, counts 3 in 2
-- in cut: also the cut
SELECT 1 FROM visits WHERE day < 9 AND ward = 'a'
visits where (day#2 < 9 and ward#3 = 'a') | cut 6, spread 1, once all, counts 3 in 2, 6 in all
-- a subquery with columns of a row
SELECT 1 FROM (SELECT person, day * 2 AS twice, ward FROM visits) t
visits → person#0, clip(day#2) * 2, ward#3 | person! integer, twice integer 0..728, ward text of 3 | cut None, spread 1, once 0,2, counts 3 in 2
-- columns without a name are called what they say
SELECT 1 FROM (SELECT person, day + 1, LOWER(town) FROM visits) t
visits → person#0, clip(day#2) + 1, lower(town#5) | person! integer, day + 1 integer 1..365, LOWER(town) text | cut None, spread 1, once 0, counts 3 in 2
-- what is made of the person traces them
SELECT 1 FROM (SELECT person, person + 1 AS next FROM visits) t
visits → person#0, person#0 + 1 | person! integer, next~ integer | cut None, spread 1, once 0, counts 3 in 2
-- columns of one row a person stay the same in all rows of the person
SELECT 1 FROM (SELECT person, age + 1 AS older FROM people) t
people → person#0, clip(age#1) + 1 | person!' integer, older' integer 1..121 | one row a person, cut None, spread 1, once 0, counts 1 in 1
-- WHERE within and without
SELECT 1 FROM (SELECT person, day FROM visits WHERE day > 3) t WHERE day < 9
visits where (day#2 > 3 and day#2 < 9) | cut None, spread 1, once all, counts 3 in 2
-- all columns
SELECT 1 FROM (SELECT * FROM people) t
people | one row a person, cut None, spread 1, once all, counts 1 in 1
-- all columns of one table, and of a joined one without those that are merged
SELECT 1 FROM (SELECT p.* FROM visits v JOIN people p USING (person)) t
(visits ⋈ people by person=person) | cut None, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 3 in 2
SELECT 1 FROM (SELECT * FROM people p JOIN visits v USING (person)) t
(people ⋈ visits by person=person) | cut None, spread 1, once 3,4,5,6,7,8,9,10,11,12, counts 3 in 2
-- all columns of a table that is not in sight
SELECT 1 FROM (SELECT person, x.* FROM people) t
refused: no table `x` (line 1, column 33) | hint: known tables: people
-- a subquery in brackets of its own
SELECT 1 FROM ((SELECT person FROM visits)) t
visits | cut None, spread 1, once all, counts 3 in 2
-- WITH names relations, each in sight of those before it
WITH a AS (SELECT person, day FROM visits), b AS (SELECT * FROM a WHERE day > 3) SELECT 1 FROM b
visits where day#2 > 3 | cut None, spread 1, once all, counts 3 in 2
-- a name of WITH hides a table, in any case of letters
WITH visits AS (SELECT person FROM people) SELECT 1 FROM VISITS
people | one row a person, cut None, spread 1, once all, counts 1 in 1
-- WITH inside a subquery
SELECT 1 FROM (WITH a AS (SELECT person FROM visits) SELECT person FROM a) t
visits | cut None, spread 1, once all, counts 3 in 2
-- a name of WITH is not in sight of the one before it
WITH a AS (SELECT person FROM b), b AS (SELECT person FROM visits) SELECT 1 FROM a
refused: no table `b` (line 1, column 31) | hint: known tables: people, visits, items, towns, codes
-- a key on the way to the person carries the person
SELECT 1 FROM (SELECT visit, price FROM items) t
items | cut None, spread 1, once all, counts 4 in 5
-- a public subquery carries nobody
SELECT 1 FROM (SELECT region FROM towns WHERE region = 'north') t
towns where region#1 = 'north' | public
-- in rows: where each row is protected there is no person to carry
SELECT 1 FROM (SELECT day FROM visits) t
visits | cut 1, spread 1, once all, counts 1 in 1
-- a table that is not there, and is nearly
SELECT 1 FROM visit
refused: no table `visit` (line 1, column 15) | hint: did you mean `visits`? known tables: people, visits, items, towns, codes
SELECT 1 FROM "Peple"
refused: no table `Peple` (line 1, column 15) | hint: did you mean `people`? known tables: people, visits, items, towns, codes
-- a table that is not there at all
SELECT 1 FROM payments
refused: no table `payments` (line 1, column 15) | hint: known tables: people, visits, items, towns, codes
-- a table of another schema
SELECT 1 FROM other.visits
refused: no table `other.visits` (line 1, column 15) | hint: known tables: people, visits, items, towns, codes
-- the names of WITH are known as well
WITH weekly AS (SELECT person FROM visits) SELECT 1 FROM weakly
refused: no table `weakly` (line 1, column 58) | hint: did you mean `weekly`? known tables: people, visits, items, towns, codes, weekly
-- no FROM
SELECT 1
refused: the question has no FROM (line 1, column 8) | hint: known tables: people, visits, items, towns, codes
-- something else in FROM
SELECT 1 FROM (VALUES (1)) t
refused: FROM takes tables and subqueries (line 1, column 24) | hint: known tables: people, visits, items, towns, codes
SELECT 1 FROM range(3)
refused: table functions are not answered (line 1, column 15) | hint: known tables: people, visits, items, towns, codes
SELECT 1 FROM 'visits.parquet'
refused: no table `visits.parquet` (line 1, column 15) | hint: known tables: people, visits, items, towns, codes
SELECT 1 FROM UNNEST([1, 2]) t
refused: FROM takes tables and subqueries (line 1, column 23) | hint: known tables: people, visits, items, towns, codes
SELECT 1 FROM (FROM visits) t
visits | cut None, spread 1, once all, counts 3 in 2
SELECT 1 FROM (TABLE visits) t
visits | cut None, spread 1, once all, counts 3 in 2
SELECT 1 FROM (PIVOT visits ON ward USING SUM(cost)) t
refused: FROM takes tables and SELECT subqueries (line 1, column 22) | hint: known tables: people, visits, items, towns, codes
-- brackets around tables and joins
SELECT 1 FROM (visits)
refused: FROM takes tables and SELECT subqueries (line 1, column 16) | hint: known tables: people, visits, items, towns, codes
SELECT 1 FROM (visits v JOIN people p USING (person))
refused: FROM takes tables and SELECT subqueries (line 1, column 16) | hint: known tables: people, visits, items, towns, codes
SELECT 1 FROM (visits) v JOIN people p USING (person)
refused: FROM takes tables and SELECT subqueries (line 1, column 16) | hint: known tables: people, visits, items, towns, codes
-- samples of a table
SELECT 1 FROM visits TABLESAMPLE 10 PERCENT
refused: samples are not taken (line 1, column 34) | hint: leave TABLESAMPLE out
-- column lists of names
WITH a(x) AS (SELECT person FROM visits) SELECT 1 FROM a
visits | cut None, spread 1, once all, counts 3 in 2
SELECT 1 FROM visits AS v(a, b)
refused: column lists after tables are not answered (line 1, column 15) | hint: name columns in a subquery: (SELECT x AS a FROM …)
SELECT 1 FROM (SELECT person, day FROM visits) AS v(day, person)
visits | cut None, spread 1, once all, counts 3 in 2
-- recursion
WITH RECURSIVE a AS (SELECT person FROM visits) SELECT 1 FROM a
refused: RECURSIVE is not answered in WITH (line 1, column 16) | hint: leave it out
WITH a AS MATERIALIZED (SELECT person FROM visits) SELECT 1 FROM a
refused: MATERIALIZED is not answered in WITH (line 1, column 6) | hint: leave it out
-- ORDER BY and LIMIT within
SELECT 1 FROM (SELECT person FROM visits ORDER BY day) t
refused: ORDER BY in a subquery is not answered (line 1, column 51) | hint: put it outside
SELECT 1 FROM (SELECT person FROM visits LIMIT 3) t
refused: LIMIT in a subquery is not answered (line 1, column 48) | hint: put it outside
SELECT 1 FROM (SELECT person FROM visits OFFSET 3) t
refused: OFFSET is not answered in SELECT (line 1, column 49) | hint: leave it out
-- DISTINCT within
SELECT 1 FROM (SELECT DISTINCT person FROM visits) t
visits → a line a person: nothing | person!' integer | one row a person, cut 1, spread 1, once none, counts 1 in 1
-- HAVING without GROUP BY
SELECT 1 FROM (SELECT person FROM visits HAVING day > 3) t
refused: HAVING without GROUP BY (line 1, column 49) | hint: use WHERE
-- conditions that are none
SELECT 1 FROM visits WHERE day
refused: a condition must be true or false, found integer (line 1, column 28) | hint: compare it
SELECT 1 FROM visits WHERE day = 'a'
refused: compares integer with text (line 1, column 28) | hint: compare like with like, or CAST
-- columns that are not there
SELECT 1 FROM visits WHERE dya = 3
refused: no column `dya` (line 1, column 28) | hint: known columns: person, visit, day, ward, cost, town, code, half, at, paid
SELECT 1 FROM (SELECT person, nothing FROM visits) t
refused: no column `nothing` (line 1, column 31) | hint: known columns: person, visit, day, ward, cost, town, code, half, at, paid
-- a subquery among the columns is none of them
SELECT 1 FROM (SELECT person, (SELECT * FROM people) FROM visits) t
refused: a subquery in an expression is not answered (line 1, column 39) | hint: join in FROM instead
SELECT 1 FROM (SELECT person, (SELECT age FROM people) AS age FROM visits) t
refused: a subquery in an expression is not answered (line 1, column 39) | hint: join in FROM instead
-- columns by a pattern
SELECT 1 FROM (SELECT person, COLUMNS('d.*') FROM visits) t
refused: COLUMNS(…) is not answered (line 1, column 31) | hint: did you mean COUNT? see docs/sql.md for the functions there are
SELECT 1 FROM (SELECT person, COLUMNS(*) FROM visits) t
refused: COLUMNS(…) is not answered (line 1, column 31) | hint: did you mean COUNT? see docs/sql.md for the functions there are
-- stars with exceptions
SELECT 1 FROM (SELECT * EXCLUDE (day) FROM visits) t
refused: EXCLUDE is not answered in * (line 1, column 23) | hint: leave it out
SELECT 1 FROM (SELECT * REPLACE (1 AS day) FROM visits) t
refused: REPLACE is not answered in * (line 1, column 23) | hint: leave it out
SELECT 1 FROM (SELECT * RENAME (day AS d) FROM visits) t
refused: RENAME is not answered in * (line 1, column 23) | hint: leave it out
SELECT 1 FROM (SELECT v.* EXCLUDE (day) FROM visits v) t
refused: EXCLUDE is not answered in * (line 1, column 25) | hint: leave it out
SELECT 1 FROM (SELECT v.* REPLACE (1 AS day) FROM visits v) t
refused: REPLACE is not answered in * (line 1, column 25) | hint: leave it out
SELECT 1 FROM (SELECT main.visits.* FROM visits) t
refused: a schema is not answered in a column (line 1, column 23) | hint: leave it out
-- names are the same in any case
WITH Some AS (SELECT person, day FROM visits) SELECT 1 FROM sOME
visits | cut None, spread 1, once all, counts 3 in 2
-- what is not read in a clause is refused, and not passed over
SELECT 1 FROM (SELECT person, day FROM visits) t PIVOT (SUM(day) FOR day IN (1, 2))
refused: PIVOT is not answered in a subquery (line 1, column 23) | hint: leave it out
SELECT 1 FROM visits PIVOT (SUM(day) FOR day IN (1, 2))
refused: PIVOT is not answered in FROM (line 1, column 15) | hint: leave it out
SELECT 1 FROM ((SELECT person, day FROM visits) LIMIT 3) t
refused: LIMIT is not answered in a subquery (line 1, column 55) | hint: leave it out
SELECT 1 FROM (SELECT person FROM visits UNION ALL BY NAME SELECT person FROM visits) t
refused: BY NAME is not answered in UNION (line 1, column 23) | hint: leave it out
SELECT 1 FROM (SELECT person FROM visits UNION ALL SELECT person FROM visits LIMIT 3) t
refused: LIMIT is not answered in UNION (line 1, column 84) | hint: leave it out
SELECT 1 FROM (SELECT person, day FROM visits QUALIFY day > 3) t
refused: QUALIFY is not answered (line 1, column 55) | hint: use HAVING on aggregates
-- a table's whole name is looked up
SELECT 1 FROM a.b.visits
refused: no table `a.b.visits` (line 1, column 15) | hint: did you mean `visits`? known tables: people, visits, items, towns, codes
SELECT 1 FROM b.visits
refused: no table `b.visits` (line 1, column 15) | hint: did you mean `visits`? known tables: people, visits, items, towns, codes
-- an aggregate beside a column without GROUP BY is over several people
SELECT 1 FROM (SELECT person, COUNT(*) AS n FROM visits) t
refused: the subquery aggregates over several people (line 1, column 23) | hint: group it by person, or ask it as a question of its own
-- tables have the same names in any case
SELECT 1 FROM (SELECT P.* FROM people p) t
people | one row a person, cut None, spread 1, once all, counts 1 in 1
SELECT 1 FROM (SELECT p.* FROM people P) t
people | one row a person, cut None, spread 1, once all, counts 1 in 1
SELECT 1 FROM (((SELECT person, day FROM visits) LIMIT 3)) t
refused: LIMIT is not answered in a subquery (line 1, column 56) | hint: leave it out
-- in total: a table whose rows are bounded in all
SELECT 1 FROM visits
visits | cut None, spread 1, once all, counts 6 in all
SELECT 1 FROM (SELECT person, ward FROM visits WHERE paid) t
visits where paid#9 | cut None, spread 1, once all, counts 6 in all
-- in both: a table whose rows are bounded in both ways
SELECT 1 FROM visits WHERE day < 9
visits where day#2 < 9 | cut None, spread 1, once all, counts 3 in 2, 4 in all
-- columns that a list behind a name calls otherwise
SELECT 1 FROM (SELECT person, day + 1, ward FROM visits) AS t(who, next) WHERE next > 3 AND ward = 'a'
visits → person#0, clip(day#2) + 1, ward#3 where (next#1 > 3 and ward#2 = 'a') | cut None, spread 1, once 0,2, counts 3 in 2
WITH t(who, next) AS (SELECT person, day + 1 FROM visits) SELECT 1 FROM t AS u(a, b) WHERE b > 3
visits → person#0, clip(day#2) + 1 where b#1 > 3 | cut None, spread 1, once 0, counts 3 in 2
SELECT 1 FROM (SELECT person FROM visits) AS t(a, b)
refused: there are more names (2) than columns (1) in `t` (line 1, column 23) | hint: name 1 at most
SELECT 1 FROM (SELECT person, day FROM visits) AS t(a) WHERE person = 3
refused: no column `person` (line 1, column 62) | hint: known columns: a, day
-- SELECT DISTINCT is GROUP BY what is selected
SELECT 1 FROM (SELECT DISTINCT person, ward FROM visits) t
visits → a line a person and ward#3: nothing | person!' integer, key 0 text of 3 | cut None, spread 1, once none, counts 3 in 2
SELECT 1 FROM (SELECT DISTINCT ward FROM visits) t
refused: the subquery aggregates over several people (line 1, column 32) | hint: group it by person, or ask it as a question of its own
SELECT 1 FROM (SELECT DISTINCT * FROM visits) t
refused: DISTINCT is not answered in SELECT (line 1, column 32) | hint: SELECT DISTINCT takes the keys: SELECT DISTINCT x, or GROUP BY x; COUNT(DISTINCT x) counts them
