-- columns by their names, in any case of letters
SELECT person, DAY, "Ward" FROM visits
#0 person! integer, #2 day integer 0..364, #3 ward text of 3
-- columns by their table's alias
SELECT v.person, V.day FROM visits v
#0 person! integer, #2 day integer 0..364
SELECT visits.day FROM visits
#2 day integer 0..364
-- an alias hides the table's name
SELECT visits.day FROM visits v
refused: no column `visits.day` (line 1, column 8) | hint: known tables: v
-- columns of both sides
SELECT v.day, p.age, age FROM visits v JOIN people p ON v.person = p.person
#2 day integer 0..364, #11 age' integer 0..120, #11 age' integer 0..120
-- columns of both sides that have one name
SELECT town FROM visits v JOIN people p USING (person)
refused: column `town` is ambiguous (line 1, column 8) | hint: say which: v.town, p.town
SELECT person FROM visits v JOIN people p ON v.person = p.person
refused: column `person` is ambiguous (line 1, column 8) | hint: say which: v.person, p.person
-- USING merges them: the left one is meant, and the other can be named
SELECT person, p.person, v.person FROM visits v JOIN people p USING (person)
#0 person! integer, #10 person!' integer, #0 person! integer
-- USING after USING
SELECT person, r.person FROM visits v JOIN people p USING (person) JOIN people r USING (person)
#0 person! integer, #13 person!' integer
-- the right of a LEFT JOIN may be missing
SELECT v.day, p.age, p.person, person FROM visits v LEFT JOIN people p USING (person)
#2 day integer 0..364, #11 age'? integer 0..120, #10 person!'? integer, #0 person! integer
-- what was missing stays so
SELECT q.age, c.label FROM (SELECT v.person, v.code, p.age FROM visits v LEFT JOIN people p USING (person)) q JOIN codes c USING (code)
#11 age'? integer 0..120, #14 label text
SELECT q.age, q.code FROM codes c JOIN (SELECT v.person, v.code, p.age FROM visits v LEFT JOIN people p USING (person)) q USING (code)
#13 age'? integer 0..120, #8 code integer
-- columns of a subquery are called as they are there
SELECT x, t.x FROM (SELECT person, day AS x FROM visits) t
#2 x integer 0..364, #2 x integer 0..364
SELECT day FROM (SELECT person, day AS x FROM visits) t
refused: no column `day` (line 1, column 8) | hint: known columns: person, x
-- a computed column by its text
SELECT "day + 1" FROM (SELECT person, day + 1 FROM visits) t
#1 day + 1 integer 1..365
-- two columns of one name in a subquery
SELECT x FROM (SELECT person, day AS x, visit AS x FROM visits) t
refused: column `x` is ambiguous (line 1, column 8) | hint: say which: t.x, t.x
-- names of WITH, under their own name and another
WITH a AS (SELECT person, day FROM visits) SELECT a.day FROM a
#2 day integer 0..364
WITH a AS (SELECT person, day FROM visits) SELECT b.day FROM a b
#2 day integer 0..364
WITH a AS (SELECT person, day FROM visits) SELECT a.day FROM a b
refused: no column `a.day` (line 1, column 51) | hint: known tables: b
-- a column that is not there, and is nearly
SELECT wards FROM visits
refused: no column `wards` (line 1, column 8) | hint: did you mean `ward`? known columns: person, visit, day, ward, cost, town, code, half, at, paid
SELECT v.costs FROM visits v
refused: no column `v.costs` (line 1, column 8) | hint: did you mean `cost`? known columns: person, visit, day, ward, cost, town, code, half, at, paid
-- a column that is not there at all
SELECT salary FROM visits
refused: no column `salary` (line 1, column 8) | hint: known columns: person, visit, day, ward, cost, town, code, half, at, paid
SELECT v.age FROM visits v JOIN people p USING (person)
refused: no column `v.age` (line 1, column 8) | hint: known columns: person, visit, day, ward, cost, town, code, half, at, paid
-- a table that is not in sight, and is nearly
SELECT peple.age FROM people
refused: no column `peple.age` (line 1, column 8) | hint: did you mean `people`? known tables: people
SELECT w.day FROM visits v
refused: no column `w.day` (line 1, column 8) | hint: known tables: v
-- columns of schemas
SELECT main.visits.day FROM visits
refused: a schema is not answered in a column (line 1, column 8) | hint: leave it out
-- stars
SELECT v.* FROM visits v
refused: * is not a column (line 1, column 8) | hint: name the columns
