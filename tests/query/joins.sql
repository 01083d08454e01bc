-- along the person to one row each
SELECT 1 FROM visits v JOIN people p ON v.person = p.person
(visits ⋈ people by person=person) | cut None, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 3 in 2
SELECT 1 FROM people p JOIN visits v ON v.person = p.person
(people ⋈ visits by person=person) | cut None, spread 1, once 3,4,5,6,7,8,9,10,11,12, counts 3 in 2
SELECT 1 FROM visits v JOIN people p USING (person)
(visits ⋈ people by person=person) | cut None, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 3 in 2
-- one row a person on both sides
SELECT 1 FROM people p JOIN people q USING (person)
(people ⋈ people by person=person) | one row a person, cut None, spread 1, once all, counts 1 in 1
-- several rows a person on both sides, led by a foreign key
SELECT 1 FROM items i JOIN visits v ON i.visit = v.visit
(items ⋈ visits by visit=visit, key leads right) | cut None, spread 1, once 0,1,2, counts 4 in 5
SELECT 1 FROM visits v JOIN items i ON i.visit = v.visit
(visits ⋈ items by visit=visit, key leads left) | cut None, spread 1, once 10,11,12, counts 4 in 5
-- to one row a person over two tables
SELECT 1 FROM items i JOIN visits v USING (visit) JOIN people p USING (person)
((items ⋈ visits by visit=visit, key leads right) ⋈ people by person=person) | cut None, spread 1, once 0,1,2, counts 4 in 5
-- a LEFT JOIN along the person
SELECT 1 FROM visits v LEFT JOIN people p USING (person)
(visits ⟕ people by person=person) | cut None, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 3 in 2
SELECT 1 FROM people p LEFT JOIN visits v USING (person)
(people ⟕ visits by person=person) | cut None, spread 1, once 3,4,5,6,7,8,9,10,11,12, counts 3 in 2
SELECT 1 FROM items i LEFT JOIN visits v USING (visit)
(items ⟕ visits by visit=visit, key leads right) | cut None, spread 1, once 0,1,2, counts 4 in 5
SELECT 1 FROM visits v LEFT OUTER JOIN people p ON v.person = p.person
(visits ⟕ people by person=person) | cut None, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 3 in 2
SELECT 1 FROM visits v INNER JOIN people p ON v.person = p.person
(visits ⋈ people by person=person) | cut None, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 3 in 2
-- other equalities besides
SELECT 1 FROM visits v JOIN people p ON v.person = p.person AND v.town = p.town
(visits ⋈ people by person=person, town=town) | cut None, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 3 in 2
-- other conditions besides become a filter
SELECT 1 FROM visits v JOIN people p ON v.person = p.person AND v.day < p.age
(visits ⋈ people by person=person) where day#2 < age#11 | cut None, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 3 in 2
SELECT 1 FROM visits v JOIN people p ON v.day < 9 AND v.person = p.person AND v.paid AND p.age > 3
(visits ⋈ people by person=person) where (day#2 < 9 and paid#9 and age#11 > 3) | cut None, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 3 in 2
-- a condition on one side alone is no equality of the sides
SELECT 1 FROM visits v JOIN people p ON v.person = p.person AND v.visit = v.code
(visits ⋈ people by person=person) where visit#1 = code#6 | cut None, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 3 in 2
SELECT 1 FROM visits v JOIN people p ON v.person = p.person AND p.age = p.person
(visits ⋈ people by person=person) where age#11 = person#10 | cut None, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 3 in 2
-- WHERE after a join with a condition asks both
SELECT 1 FROM visits v JOIN people p ON v.person = p.person AND v.day < p.age WHERE v.paid
(visits ⋈ people by person=person) where (day#2 < age#11 and paid#9) | cut None, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 3 in 2
-- equal numbers of different kinds
SELECT 1 FROM visits v JOIN people p ON v.person = p.person AND v.half = p.age
(visits ⋈ people by person=person, half=age) | cut None, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 3 in 2
-- a day and a moment are compared after the join, where a cast cannot fail inside it
SELECT 1 FROM visits v JOIN (SELECT person, MAX(CAST(at AS DATE)) AS d FROM visits GROUP BY person) t ON v.person = t.person AND v.at = t.d
(visits ⋈ visits → a line a person: max(cast_date(at#8)) by person=person) where at#8 = d#11 | cut None, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 3 in 2
-- brackets and several ANDs
SELECT 1 FROM visits v JOIN people p ON ((v.person = p.person) AND (v.town = p.town AND v.day = p.age))
(visits ⋈ people by person=person, town=town, day=age) | cut None, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 3 in 2
-- a subquery of one line a person
SELECT 1 FROM visits v JOIN (SELECT person, COUNT(*) AS n FROM visits GROUP BY person) t USING (person)
(visits ⋈ visits → a line a person: count(*) by person=person) | cut None, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 3 in 2
SELECT 1 FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY person) t JOIN visits v USING (person)
(visits → a line a person: count(*) ⋈ visits by person=person) | cut None, spread 1, once 2,3,4,5,6,7,8,9,10,11, counts 3 in 2
-- a subquery of a line a person and ward is not one line a person
SELECT 1 FROM visits v JOIN (SELECT person, ward, COUNT(*) AS n FROM visits GROUP BY person, ward) t USING (person)
refused: the join pairs every row of a person with every other (line 1, column 37) | hint: bring one side to one row a person first: (SELECT … GROUP BY person)
-- several rows a person on both sides
SELECT 1 FROM visits v JOIN visits w USING (person)
refused: the join pairs every row of a person with every other (line 1, column 29) | hint: bring one side to one row a person first: (SELECT … GROUP BY person)
SELECT 1 FROM visits v JOIN visits w ON v.person = w.person AND v.day = w.day
refused: the join pairs every row of a person with every other (line 1, column 29) | hint: bring one side to one row a person first: (SELECT … GROUP BY person)
-- in several: the people's own table with several rows is led to by its key
SELECT 1 FROM visits v JOIN people p USING (person)
(visits ⋈ people by person=person, key leads right) | cut None, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 3 in 2
-- in several: but not twice
SELECT 1 FROM people p JOIN visits v USING (person) JOIN people q ON v.person = q.person
((people ⋈ visits by person=person, key leads left) ⋈ people by person=person, key leads right) | cut None, spread 1, once 3,4,5,6,7,8,9,10,11,12, counts 3 in 2
SELECT 1 FROM visits v JOIN people p USING (person) JOIN visits w ON w.person = p.person
refused: the join pairs every row of a person with every other (line 1, column 58) | hint: bring one side to one row a person first: (SELECT … GROUP BY person)
-- a key leads to a row once, and not to one that stands there several times
SELECT 1 FROM items i JOIN visits v USING (visit) JOIN items j ON j.visit = v.visit
refused: the join pairs every row of a person with every other (line 1, column 56) | hint: bring one side to one row a person first: (SELECT … GROUP BY person)
SELECT 1 FROM items i JOIN items j USING (visit)
refused: two private tables are joined by something other than the person (line 1, column 28) | hint: add people.person = … to ON
SELECT 1 FROM items i JOIN (SELECT v.person, v.visit FROM visits v JOIN items j USING (visit)) t ON i.visit = t.visit
refused: the join pairs every row of a person with every other (line 1, column 36) | hint: bring one side to one row a person first: (SELECT … GROUP BY person)
-- a key that leads to a row that was joined to one row is followed
SELECT 1 FROM items i JOIN (SELECT v.person, v.visit, p.age FROM visits v JOIN people p USING (person)) t ON i.visit = t.visit
(items ⋈ (visits ⋈ people by person=person) by visit=visit, key leads right) | cut None, spread 1, once 0,1,2, counts 4 in 5
SELECT 1 FROM (SELECT v.person, v.visit, p.age FROM visits v JOIN people p USING (person)) t JOIN items i ON i.visit = t.visit
((visits ⋈ people by person=person) ⋈ items by visit=visit, key leads left) | cut None, spread 1, once 13,14,15, counts 4 in 5
-- a key that is computed with is none
SELECT 1 FROM items i JOIN (SELECT person, visit + 0 AS visit FROM visits) v ON i.visit = v.visit
refused: two private tables are joined by something other than the person (line 1, column 36) | hint: add people.person = … to ON
-- something other than the person
SELECT 1 FROM visits v JOIN people p ON v.town = p.town
refused: two private tables are joined by something other than the person (line 1, column 29) | hint: add people.person = … to ON
SELECT 1 FROM visits v JOIN visits w ON v.visit = w.visit
refused: two private tables are joined by something other than the person (line 1, column 29) | hint: add people.person = … to ON
SELECT 1 FROM visits v JOIN people p ON v.visit = p.person
refused: two private tables are joined by something other than the person (line 1, column 29) | hint: add people.person = … to ON
-- the person against something made of the person
SELECT 1 FROM visits v JOIN (SELECT person, person + 0 AS same FROM people) p ON v.person = p.same
refused: two private tables are joined by something other than the person (line 1, column 37) | hint: add people.person = … to ON
-- in rows: two private tables
SELECT 1 FROM visits v JOIN people p USING (person)
refused: two private tables cannot be joined where each row is protected (line 1, column 29) | hint: the owner can declare a person
-- public rows that name one row
SELECT 1 FROM visits v JOIN codes c USING (code)
(visits ⋈ codes by code=code) | cut None, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 3 in 2
SELECT 1 FROM codes c JOIN visits v USING (code)
(codes ⋈ visits by code=code) | cut None, spread 1, once 2,3,4,5,6,7,8,9,10,11, counts 3 in 2
-- public rows that name two
SELECT 1 FROM visits v JOIN towns t USING (town)
(visits ⋈ towns by town=town, ×2) | cut None, spread 2, once none, counts 3 in 2
SELECT 1 FROM towns t JOIN visits v ON v.town = t.town
(towns ⋈ visits by town=town, ×2) | cut None, spread 2, once none, counts 3 in 2
SELECT 1 FROM people p JOIN towns t USING (town)
(people ⋈ towns by town=town, ×2) | cut None, spread 2, once none, counts 1 in 1
-- public rows by two columns
SELECT 1 FROM visits v JOIN towns t ON v.town = t.town AND v.ward = t.region
(visits ⋈ towns by town=town, ward=region) | cut None, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 3 in 2
-- by numbers of different kinds all public rows may agree
SELECT 1 FROM visits v JOIN codes c ON v.half = c.code
(visits ⋈ codes by half=code, ×3) | cut None, spread 3, once none, counts 3 in 2
-- public rows are kept on the left of nobody
SELECT 1 FROM towns t LEFT JOIN visits v USING (town)
refused: a LEFT JOIN keeps public rows that are nobody's (line 1, column 33) | hint: put the private table first
SELECT 1 FROM visits v LEFT JOIN towns t USING (town)
(visits ⟕ towns by town=town, ×2) | cut None, spread 2, once none, counts 3 in 2
-- public rows alone
SELECT 1 FROM towns t JOIN codes c ON t.region = c.label
(towns ⋈ codes by region=label) | public
SELECT 1 FROM towns t LEFT JOIN codes c ON t.region = c.label
(towns ⟕ codes by region=label) | public
-- rows of a person with joined public rows: as many as agree on both
SELECT 1 FROM visits v JOIN (SELECT t.town, u.region FROM towns t JOIN towns u USING (town)) w USING (town)
(visits ⋈ (towns ⋈ towns by town=town) by town=town, ×4) | cut None, spread 4, once none, counts 3 in 2
-- in cut: a cut table times its public rows
SELECT 1 FROM visits v JOIN codes c USING (code)
(visits ⋈ codes by code=code) | cut 6, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 3 in 2, 6 in all
SELECT 1 FROM visits v JOIN towns t USING (town)
(visits ⋈ towns by town=town, ×2) | cut 12, spread 2, once none, counts 3 in 2, 6 in all
SELECT 1 FROM towns t JOIN visits v USING (town)
(towns ⋈ visits by town=town, ×2) | cut 12, spread 2, once none, counts 3 in 2, 6 in all
SELECT 1 FROM visits v JOIN towns t USING (town) JOIN codes c USING (code)
((visits ⋈ towns by town=town, ×2) ⋈ codes by code=code) | cut 12, spread 2, once none, counts 3 in 2, 6 in all
-- in cut: a cut is not known for a subquery of public rows
SELECT 1 FROM visits v JOIN (SELECT * FROM towns) t USING (town)
(visits ⋈ towns by town=town, ×2) | cut 12, spread 2, once none, counts 3 in 2, 6 in all
SELECT 1 FROM visits v JOIN codes c ON v.half = c.code
(visits ⋈ codes by half=code, ×3) | cut None, spread 3, once none, counts 3 in 2, 6 in all
-- in cut: nor for two private tables
SELECT 1 FROM visits v JOIN people p USING (person)
(visits ⋈ people by person=person) | cut None, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 3 in 2, 6 in all
-- in rows: a protected row times its public rows
SELECT 1 FROM visits v JOIN towns t USING (town)
(visits ⋈ towns by town=town, ×2) | cut 2, spread 2, once none, counts 1 in 1
SELECT 1 FROM visits v JOIN codes c USING (code) JOIN towns t USING (town)
((visits ⋈ codes by code=code) ⋈ towns by town=town, ×2) | cut 2, spread 2, once none, counts 1 in 1
-- in rows: how often a row is repeated must be known exactly
SELECT 1 FROM visits v JOIN (SELECT * FROM towns) t USING (town)
(visits ⋈ towns by town=town, ×2) | cut 2, spread 2, once none, counts 1 in 1
SELECT 1 FROM visits v JOIN codes c ON v.half = c.code
refused: the join may repeat rows, and how often is not known (line 1, column 29) | hint: join the public table itself, by columns of the same type
-- joins that are not answered
SELECT 1 FROM visits v RIGHT JOIN people p USING (person)
refused: RIGHT joins are not answered (line 1, column 35) | hint: use JOIN or LEFT JOIN … ON
SELECT 1 FROM visits v FULL JOIN people p USING (person)
refused: FULL joins are not answered (line 1, column 34) | hint: use JOIN or LEFT JOIN … ON
SELECT 1 FROM visits v CROSS JOIN people p
refused: CROSS joins are not answered (line 1, column 35) | hint: use JOIN or LEFT JOIN … ON
SELECT 1 FROM visits v SEMI JOIN people p USING (person)
refused: SEMI joins are not answered (line 1, column 34) | hint: use JOIN or LEFT JOIN … ON
SELECT 1 FROM visits v ANTI JOIN people p USING (person)
refused: ANTI joins are not answered (line 1, column 34) | hint: use JOIN or LEFT JOIN … ON
SELECT 1 FROM visits v NATURAL JOIN people p
refused: NATURAL joins are not answered (line 1, column 37) | hint: use JOIN or LEFT JOIN … ON
SELECT 1 FROM visits v POSITIONAL JOIN people p
refused: POSITIONAL joins are not answered (line 1, column 40) | hint: use JOIN or LEFT JOIN … ON
SELECT 1 FROM visits v ASOF JOIN people p ON v.person = p.person
refused: ASOF joins are not answered (line 1, column 34) | hint: use JOIN or LEFT JOIN … ON
SELECT 1 FROM visits v, people p
refused: a join needs columns that are equal (line 1, column 25) | hint: write JOIN … ON a.x = b.x
SELECT 1 FROM visits v JOIN people p ON TRUE
refused: a join needs columns that are equal (line 1, column 29) | hint: write JOIN … ON a.x = b.x
SELECT 1 FROM visits v JOIN people p ON v.day < p.age
refused: a join needs columns that are equal (line 1, column 29) | hint: write JOIN … ON a.x = b.x
SELECT 1 FROM visits v JOIN people p ON v.person = p.person OR v.town = p.town
refused: a join needs columns that are equal (line 1, column 29) | hint: write JOIN … ON a.x = b.x
SELECT 1 FROM visits v JOIN people p ON v.person + 0 = p.person
refused: a join needs columns that are equal (line 1, column 29) | hint: write JOIN … ON a.x = b.x
SELECT 1 FROM visits v LEFT JOIN people p ON v.person = p.person AND v.day < p.age
refused: a LEFT JOIN takes equalities only (line 1, column 34) | hint: put the rest into WHERE
-- USING of columns that are not there, or are unlike
SELECT 1 FROM visits v JOIN people p USING (persons)
refused: no column `persons` (line 1, column 45) | hint: did you mean `person`? known columns: person, visit, day, ward, cost, town, code, half, at, paid
SELECT 1 FROM visits v JOIN codes c USING (label)
refused: no column `label` (line 1, column 44) | hint: known columns: person, visit, day, ward, cost, town, code, half, at, paid
SELECT 1 FROM (SELECT person, town AS code FROM visits) v JOIN codes c USING (code)
refused: compares text with integer (line 1, column 79) | hint: join like with like
-- USING of like numbers
SELECT 1 FROM (SELECT person, half AS code FROM visits) v JOIN codes c USING (code)
(visits ⋈ codes by half=code, ×3) | cut None, spread 3, once none, counts 3 in 2
-- ON of unlike kinds
SELECT 1 FROM visits v JOIN people p ON v.person = p.town
refused: compares integer with text (line 1, column 41) | hint: compare like with like, or CAST
-- a column that USING names is there once, in whatever case
SELECT 1 FROM (SELECT * FROM visits v JOIN (SELECT person AS PERSON, age FROM people) p USING (person)) t
(visits ⋈ people by person=person) | cut None, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 3 in 2
-- in total: a total is the larger of both sides
SELECT 1 FROM visits v JOIN people p USING (person)
(visits ⋈ people by person=person) | cut None, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 6 in all
SELECT 1 FROM items i JOIN visits v ON i.visit = v.visit
(items ⋈ visits by visit=visit, key leads right) | cut None, spread 1, once 0,1,2, counts 20 in all
SELECT 1 FROM visits JOIN towns USING (town)
(visits ⋈ towns by town=town, ×2) | cut None, spread 2, once none, counts 6 in all
-- in both: beside rows and groups
SELECT 1 FROM visits v JOIN people p USING (person)
(visits ⋈ people by person=person) | cut None, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 3 in 2, 4 in all
SELECT 1 FROM items i JOIN visits v ON i.visit = v.visit
(items ⋈ visits by visit=visit, key leads right) | cut None, spread 1, once 0,1,2, counts 4 in 5, 20 in all
-- tables beside each other, with the equality in WHERE
SELECT 1 FROM visits v, people p WHERE v.person = p.person
(visits ⋈ people by person=person) | cut None, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 3 in 2
SELECT 1 FROM visits v, people p WHERE age < 9 AND (p.person = v.person AND day > 3)
(visits ⋈ people by person=person) where (age#11 < 9 and day#2 > 3) | cut None, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 3 in 2
SELECT 1 FROM visits v CROSS JOIN people p WHERE v.person = p.person
(visits ⋈ people by person=person) | cut None, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 3 in 2
SELECT 1 FROM items i, visits v, people p WHERE i.visit = v.visit AND v.person = p.person
((items ⋈ visits by visit=visit, key leads right) ⋈ people by person=person) | cut None, spread 1, once 0,1,2, counts 4 in 5
SELECT 1 FROM visits v, towns t LEFT JOIN codes c USING (code) WHERE v.town = t.town
((visits ⋈ towns by town=town, ×2) ⟕ codes by code=code) | cut None, spread 2, once none, counts 3 in 2
SELECT 1 FROM visits v, people p WHERE v.person = p.person OR day = 3
refused: a join needs columns that are equal (line 1, column 25) | hint: write JOIN … ON a.x = b.x
SELECT 1 FROM visits v, people p WHERE v.day = p.age
refused: two private tables are joined by something other than the person (line 1, column 25) | hint: add people.person = … to ON
SELECT 1 FROM visits v, people p WHERE v.person + 0 = p.person
refused: a join needs columns that are equal (line 1, column 25) | hint: write JOIN … ON a.x = b.x
SELECT 1 FROM visits v, towns t, towns u WHERE v.town = t.town AND u.town = v.town AND region = 'north'
refused: column `region` is ambiguous (line 1, column 88) | hint: say which: t.region, u.region
