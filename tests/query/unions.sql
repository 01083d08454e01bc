-- rows of the same table twice
SELECT 1 FROM (SELECT person, day FROM visits UNION ALL SELECT person, day FROM visits) t
(visits → person#0, day#2 ∪ visits → person#0, day#2) | person! integer, day integer 0..364 | cut None, spread 2, once none, counts 6 in 4, 12 in all
-- rows of two tables
SELECT 1 FROM (SELECT person, day FROM visits UNION ALL SELECT person, age FROM people) t
(visits → person#0, day#2 ∪ people → person#0, age#1) | person! integer, day integer 0..364 | cut None, spread 2, once none, counts 4 in 3, 7 in all
-- three parts are flat
SELECT 1 FROM (SELECT person, day FROM visits UNION ALL SELECT person, age FROM people UNION ALL SELECT person, visit FROM visits) t
(visits → person#0, day#2 ∪ people → person#0, age#1 ∪ visits → person#0, visit#1) | person! integer, day integer | cut None, spread 3, once none, counts 7 in 5, 13 in all
SELECT 1 FROM (SELECT person, day FROM visits UNION ALL (SELECT person, age FROM people UNION ALL SELECT person, visit FROM visits)) t
(visits → person#0, day#2 ∪ people → person#0, age#1 ∪ visits → person#0, visit#1) | person! integer, day integer | cut None, spread 3, once none, counts 7 in 5, 13 in all
-- a UNION ALL in a subquery is a part of its own
SELECT 1 FROM (SELECT person FROM people UNION ALL SELECT person FROM (SELECT person FROM visits UNION ALL SELECT person FROM visits) u) t
(people → person#0 ∪ (visits → person#0 ∪ visits → person#0) → person#0) | person! integer | cut None, spread 3, once none, counts 7 in 5, 13 in all
-- one row a person in each part is two
SELECT 1 FROM (SELECT person FROM people UNION ALL SELECT person FROM people) t
(people → person#0 ∪ people → person#0) | person! integer | cut None, spread 2, once none, counts 2 in 2, 2 in all
-- one line a person in each part is two
SELECT 1 FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY person UNION ALL SELECT person, age FROM people) t
(visits → a line a person: count(*) → person#0, COUNT(*)#1 ∪ people → person#0, age#1) | person! integer, n integer 0..120 | cut None, spread 2, once none, counts 2 in 2, 2 in all
-- values are public where they are the same in all parts
SELECT 1 FROM (SELECT person, ward FROM visits UNION ALL SELECT person, ward FROM visits WHERE day < 9) t
(visits → person#0, ward#3 ∪ visits where day#2 < 9 → person#0, ward#3) | person! integer, ward text of 3 | cut None, spread 2, once none, counts 6 in 4, 12 in all
SELECT 1 FROM (SELECT person, ward FROM visits UNION ALL SELECT person, town FROM people) t
(visits → person#0, ward#3 ∪ people → person#0, town#2) | person! integer, ward text | cut None, spread 2, once none, counts 4 in 3, 7 in all
-- bounds are those of all parts, and none where one has none
SELECT 1 FROM (SELECT person, day + 300 AS d FROM visits UNION ALL SELECT person, age - 50 FROM people) t
(visits → person#0, clip(day#2) + 300 ∪ people → person#0, clip(age#1) - 50) | person! integer, d integer -50..664 | cut None, spread 2, once none, counts 4 in 3, 7 in all
SELECT 1 FROM (SELECT person, day FROM visits UNION ALL SELECT person, code FROM visits) t
(visits → person#0, day#2 ∪ visits → person#0, code#6) | person! integer, day integer | cut None, spread 2, once none, counts 6 in 4, 12 in all
-- what is the person in one part and a number in the other is made of the person
SELECT 1 FROM (SELECT person, person AS x FROM visits UNION ALL SELECT person, day FROM visits) t
(visits → person#0, person#0 ∪ visits → person#0, day#2) | person! integer, x~ integer | cut None, spread 2, once none, counts 6 in 4, 12 in all
SELECT 1 FROM (SELECT person, day AS x FROM visits UNION ALL SELECT person, person + 1 FROM people) t
(visits → person#0, day#2 ∪ people → person#0, person#0 + 1) | person! integer, x~ integer | cut None, spread 2, once none, counts 4 in 3, 7 in all
-- what may be missing in one part may be
SELECT 1 FROM (SELECT v.person, p.age FROM visits v LEFT JOIN people p USING (person) UNION ALL SELECT person, day FROM visits) t
((visits ⟕ people by person=person) → person#0, age#11 ∪ visits → person#0, day#2) | person! integer, age? integer 0..364 | cut None, spread 2, once none, counts 6 in 4, 12 in all
-- WHERE over all parts
SELECT 1 FROM (SELECT person, day FROM visits UNION ALL SELECT person, age FROM people) t WHERE day > 3
(visits → person#0, day#2 ∪ people → person#0, age#1) where day#1 > 3 | cut None, spread 2, once none, counts 4 in 3, 7 in all
-- WITH before a UNION ALL
SELECT 1 FROM (WITH a AS (SELECT person FROM visits) SELECT person FROM a UNION ALL SELECT person FROM a) t
(visits → person#0 ∪ visits → person#0) | person! integer | cut None, spread 2, once none, counts 6 in 4, 12 in all
WITH a AS (SELECT person FROM visits), b AS (SELECT person FROM a UNION ALL SELECT person FROM people) SELECT 1 FROM b
(visits → person#0 ∪ people → person#0) | person! integer | cut None, spread 2, once none, counts 4 in 3, 7 in all
-- joined rows count as often as they may be there
SELECT 1 FROM (SELECT v.person, t.region FROM visits v JOIN towns t USING (town) UNION ALL SELECT person, town FROM people) t
((visits ⋈ towns by town=town, ×2) → person#0, region#11 ∪ people → person#0, town#2) | person! integer, region text | cut None, spread 3, once none, counts 4 in 3, 7 in all
-- in cut: cuts add up where all parts are cut
SELECT 1 FROM (SELECT person, day FROM visits UNION ALL SELECT person, day FROM visits) t
(visits → person#0, day#2 ∪ visits → person#0, day#2) | person! integer, day integer 0..364 | cut 12, spread 2, once none, counts 6 in 4, 12 in all
-- in cut: and are not known where one is not
SELECT 1 FROM (SELECT person, day FROM visits UNION ALL SELECT person, age FROM people) t
(visits → person#0, day#2 ∪ people → person#0, age#1) | person! integer, day integer 0..364 | cut None, spread 2, once none, counts 4 in 3, 7 in all
SELECT 1 FROM (SELECT person, age FROM people UNION ALL SELECT person, day FROM visits) t
(people → person#0, age#1 ∪ visits → person#0, day#2) | person! integer, age integer 0..364 | cut None, spread 2, once none, counts 4 in 3, 7 in all
-- in cut: one line a person is cut at one
SELECT 1 FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY person UNION ALL SELECT person, day FROM visits) t
(visits → a line a person: count(*) → person#0, COUNT(*)#1 ∪ visits → person#0, day#2) | person! integer, n integer 0..364 | cut 7, spread 2, once none, counts 4 in 3, 7 in all
-- in rows: a protected row of different tables is in one part
SELECT 1 FROM (SELECT day FROM visits UNION ALL SELECT age FROM people) t
(visits → day#2 ∪ people → age#1) | day integer 0..364 | cut 1, spread 2, once none, counts 2 in 2, 2 in all
SELECT 1 FROM (SELECT v.day FROM visits v JOIN towns t USING (town) UNION ALL SELECT age FROM people) t
((visits ⋈ towns by town=town, ×2) → day#2 ∪ people → age#1) | day integer 0..364 | cut 2, spread 3, once none, counts 2 in 2, 2 in all
-- in rows: and of the same table in both
SELECT 1 FROM (SELECT day FROM visits UNION ALL SELECT day FROM visits) t
(visits → day#2 ∪ visits → day#2) | day integer 0..364 | cut 2, spread 2, once none, counts 2 in 2, 2 in all
SELECT 1 FROM (SELECT day FROM visits UNION ALL SELECT age FROM people UNION ALL SELECT day FROM visits) t
(visits → day#2 ∪ people → age#1 ∪ visits → day#2) | day integer 0..364 | cut 3, spread 3, once none, counts 3 in 3, 3 in all
-- in rows: a public table in both parts makes them look the same, which is only too careful
SELECT 1 FROM (SELECT v.day FROM visits v JOIN towns t USING (town) UNION ALL SELECT p.age FROM people p JOIN towns t USING (town)) t
((visits ⋈ towns by town=town, ×2) → day#2 ∪ (people ⋈ towns by town=town, ×2) → age#1) | day integer 0..364 | cut 4, spread 4, once none, counts 2 in 2, 2 in all
-- public rows
SELECT 1 FROM (SELECT town FROM towns UNION ALL SELECT label FROM codes) t
(towns → town#0 ∪ codes → label#1) | town text | public
-- rows of a person with a union of public rows: as many as agree in all parts
SELECT 1 FROM visits v JOIN (SELECT town FROM towns UNION ALL SELECT label FROM codes) t USING (town)
(visits ⋈ (towns → town#0 ∪ codes → label#1) by town=town, ×4) | cut None, spread 4, once none, counts 3 in 2
-- people with nobody
SELECT 1 FROM (SELECT person, town FROM people UNION ALL SELECT code, label FROM codes) t
refused: UNION ALL mixes public and private rows (line 1, column 23) | hint: keep them apart
SELECT 1 FROM (SELECT code, label FROM codes UNION ALL SELECT person, town FROM people) t
refused: UNION ALL mixes public and private rows (line 1, column 23) | hint: keep them apart
-- different columns
SELECT 1 FROM (SELECT person, day FROM visits UNION ALL SELECT person, town FROM visits) t
refused: the parts of UNION ALL have different columns (line 1, column 23) | hint: select alike
SELECT 1 FROM (SELECT person, day FROM visits UNION ALL SELECT person FROM visits) t
refused: the parts of UNION ALL have different columns (line 1, column 23) | hint: select alike
SELECT 1 FROM (SELECT person, day FROM visits UNION ALL SELECT person, half FROM visits) t
refused: the parts of UNION ALL have different columns (line 1, column 23) | hint: select alike
-- the person in one part only
SELECT 1 FROM (SELECT person FROM visits UNION ALL SELECT visit FROM visits) t
refused: the subquery drops the person column `person` (line 1, column 59) | hint: select person itself, unchanged
SELECT 1 FROM (SELECT person, visit FROM visits UNION ALL SELECT visit, person FROM visits) t
refused: the subquery drops the person column `person` (line 1, column 23) | hint: select person itself, unchanged
-- the way to the person is lost in a union of two tables
SELECT 1 FROM (SELECT visit FROM items UNION ALL SELECT visit FROM items) t
refused: the subquery drops the person column `person` (line 1, column 23) | hint: select person itself, unchanged
-- other unions
SELECT 1 FROM (SELECT person FROM visits UNION SELECT person FROM visits) t
refused: only UNION ALL is answered (line 1, column 23) | hint: write UNION ALL
SELECT 1 FROM (SELECT person FROM visits UNION ALL BY NAME SELECT person FROM visits) t
refused: BY NAME is not answered in UNION (line 1, column 23) | hint: leave it out
SELECT 1 FROM (SELECT person FROM visits EXCEPT SELECT person FROM people) t
refused: EXCEPT is not answered (line 1, column 23) | hint: use WHERE, or join in FROM
SELECT 1 FROM (SELECT person FROM visits INTERSECT ALL SELECT person FROM people) t
refused: INTERSECT is not answered (line 1, column 23) | hint: use WHERE, or join in FROM
SELECT 1 FROM (SELECT person FROM visits UNION ALL SELECT person FROM visits ORDER BY 1) t
refused: ORDER is not answered in UNION (line 1, column 87) | hint: leave it out
SELECT 1 FROM (SELECT person FROM visits UNION ALL SELECT person FROM visits LIMIT 3) t
refused: LIMIT is not answered in UNION (line 1, column 84) | hint: leave it out
SELECT 1 FROM (SELECT person FROM visits UNION ALL VALUES (1)) t
refused: FROM takes tables and subqueries (line 1, column 60) | hint: known tables: people, visits, items, towns, codes
-- in total: totals add up
SELECT 1 FROM (SELECT person FROM visits UNION ALL SELECT person FROM visits) t
(visits → person#0 ∪ visits → person#0) | person! integer | cut None, spread 2, once none, counts 12 in all
SELECT 1 FROM (SELECT person FROM visits UNION ALL SELECT person FROM people) t
(visits → person#0 ∪ people → person#0) | person! integer | cut None, spread 2, once none, counts 7 in all
-- in both: totals add up beside rows and groups
SELECT 1 FROM (SELECT person FROM visits UNION ALL SELECT person FROM visits) t
(visits → person#0 ∪ visits → person#0) | person! integer | cut None, spread 2, once none, counts 6 in 4, 8 in all
