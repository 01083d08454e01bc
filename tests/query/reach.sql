-- in short: one row may become three
SELECT 1 FROM visits v JOIN codes c ON v.half = c.code
(visits ⋈ codes by half=code, ×3) | cut None, spread 3, once none, counts 3 in 2
SELECT 1 FROM (SELECT person FROM visits UNION ALL SELECT person FROM visits UNION ALL SELECT person FROM visits) t
(visits → person#0 ∪ visits → person#0 ∪ visits → person#0) | person! integer | cut None, spread 3, once none, counts 9 in 6, 18 in all
-- in short: and not four, by joins
SELECT 1 FROM visits v JOIN towns t USING (town) JOIN towns u ON t.town = u.town
refused: one row may become 4 rows here, and 3 are allowed (line 1, column 55) | hint: join by columns that name one public row, or fewer tables; the owner may raise rows_per_row
-- in short: nor by unions
SELECT 1 FROM (SELECT person FROM visits UNION ALL SELECT person FROM visits UNION ALL SELECT person FROM visits UNION ALL SELECT person FROM people) t
refused: one row may become 4 rows here, and 3 are allowed (line 1, column 23) | hint: join by columns that name one public row, or fewer tables; the owner may raise rows_per_row
-- in short: nor by joins of unions
SELECT 1 FROM (SELECT person, town FROM visits UNION ALL SELECT person, town FROM people) t JOIN towns u USING (town)
refused: one row may become 4 rows here, and 3 are allowed (line 1, column 98) | hint: join by columns that name one public row, or fewer tables; the owner may raise rows_per_row
-- in short: nor by joins along the person
SELECT 1 FROM (SELECT person FROM visits UNION ALL SELECT person FROM visits) t JOIN people p USING (person)
((visits → person#0 ∪ visits → person#0) ⋈ people by person=person) | cut None, spread 2, once none, counts 6 in 4, 12 in all
SELECT 1 FROM (SELECT person FROM visits UNION ALL SELECT person FROM visits) t JOIN people p USING (person) JOIN towns u ON p.town = u.town
refused: one row may become 4 rows here, and 3 are allowed (line 1, column 115) | hint: join by columns that name one public row, or fewer tables; the owner may raise rows_per_row
SELECT 1 FROM people p JOIN (SELECT person, town FROM visits UNION ALL SELECT person, town FROM visits) t USING (person) JOIN towns u ON t.town = u.town
refused: one row may become 4 rows here, and 3 are allowed (line 1, column 127) | hint: join by columns that name one public row, or fewer tables; the owner may raise rows_per_row
-- in short: one line a person is one again
SELECT 1 FROM (SELECT v.person, COUNT(*) AS n FROM visits v JOIN towns t USING (town) GROUP BY 1) t JOIN people p USING (person) JOIN towns u USING (town)
(((visits ⋈ towns by town=town, ×2) → a line a person: count(*) ⋈ people by person=person) ⋈ towns by town=town, ×2) | cut None, spread 2, once none, counts 1 in 1
-- in short: but not a line a person and key
SELECT 1 FROM (SELECT v.person, t.region, COUNT(*) AS n FROM visits v JOIN towns t USING (town) GROUP BY 1, 2) t JOIN towns u ON t.region = u.town
refused: one row may become 4 rows here, and 3 are allowed (line 1, column 119) | hint: join by columns that name one public row, or fewer tables; the owner may raise rows_per_row
-- in short: public rows are nobody's, however many
SELECT 1 FROM (SELECT town FROM towns UNION ALL SELECT town FROM towns UNION ALL SELECT town FROM towns UNION ALL SELECT town FROM towns) t
(towns → town#0 ∪ towns → town#0 ∪ towns → town#0 ∪ towns → town#0) | town text | public
-- more than a thousand unless the owner says otherwise
SELECT 1 FROM visits v JOIN codes a ON v.half = a.code JOIN codes b ON v.half = b.code JOIN codes c ON v.half = c.code JOIN codes d ON v.half = d.code JOIN codes e ON v.half = e.code JOIN codes f ON v.half = f.code
((((((visits ⋈ codes by half=code, ×3) ⋈ codes by half=code, ×3) ⋈ codes by half=code, ×3) ⋈ codes by half=code, ×3) ⋈ codes by half=code, ×3) ⋈ codes by half=code, ×3) | cut None, spread 729, once none, counts 3 in 2
SELECT 1 FROM visits v JOIN codes a ON v.half = a.code JOIN codes b ON v.half = b.code JOIN codes c ON v.half = c.code JOIN codes d ON v.half = d.code JOIN codes e ON v.half = e.code JOIN codes f ON v.half = f.code JOIN codes g ON v.half = g.code
refused: one row may become 2,187 rows here, and 1000 are allowed (line 1, column 221) | hint: join by columns that name one public row, or fewer tables; the owner may raise rows_per_row
-- public rows that are joined before: as many as agree in both
SELECT 1 FROM visits v JOIN (SELECT t.town, c.code FROM towns t JOIN codes c ON t.region = c.label) w ON v.town = w.town
(visits ⋈ (towns ⋈ codes by region=label) by town=town, ×4) | cut None, spread 4, once none, counts 3 in 2
SELECT 1 FROM visits v JOIN (SELECT t.town, c.code FROM towns t JOIN codes c ON t.region = c.label) w ON v.code = w.code
(visits ⋈ (towns ⋈ codes by region=label) by code=code, ×5) | cut None, spread 5, once none, counts 3 in 2
SELECT 1 FROM visits v JOIN (SELECT t.town, c.code FROM towns t JOIN codes c ON t.region = c.label) w ON v.town = w.town AND v.code = w.code
(visits ⋈ (towns ⋈ codes by region=label) by town=town, code=code, ×2) | cut None, spread 2, once none, counts 3 in 2
-- public rows that are filtered before
SELECT 1 FROM visits v JOIN (SELECT * FROM towns WHERE region = 'north') t USING (town)
(visits ⋈ towns where region#1 = 'north' by town=town, ×2) | cut None, spread 2, once none, counts 3 in 2
-- a computed public column may be the same in all rows
SELECT 1 FROM visits v JOIN (SELECT LOWER(town) AS town FROM towns) t USING (town)
(visits ⋈ towns → lower(town#0) by town=town, ×5) | cut None, spread 5, once none, counts 3 in 2
-- the person is dropped
SELECT 1 FROM (SELECT day FROM visits) t
refused: the subquery drops the person column `person` (line 1, column 23) | hint: select person itself, unchanged
SELECT 1 FROM (SELECT person + 0 AS person FROM visits) t
refused: the subquery drops the person column `person` (line 1, column 23) | hint: select person itself, unchanged
SELECT 1 FROM (SELECT price FROM items) t
refused: the subquery drops the person column `person` (line 1, column 23) | hint: select person itself, unchanged
SELECT 1 FROM (SELECT visit FROM visits) t
refused: the subquery drops the person column `person` (line 1, column 23) | hint: select person itself, unchanged
-- the person on the right of a LEFT JOIN is still the person
SELECT 1 FROM (SELECT p.person, v.day FROM visits v LEFT JOIN people p USING (person)) t
(visits ⟕ people by person=person) | cut None, spread 1, once 0,1,2,3,4,5,6,7,8,9, counts 3 in 2
-- a union of 31 public tables is read beside a private one
SELECT 1 FROM visits v JOIN (SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes) t USING (code)
(visits ⋈ (codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0 ∪ codes → code#0) by code=code, ×31) | cut None, spread 31, once none, counts 3 in 2
-- more than 32 tables are not read at once
SELECT 1 FROM (SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes) t
refused: more than 32 tables are read (line 1, column 23) | hint: ask in parts
SELECT 1 FROM visits v JOIN (SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes UNION ALL SELECT code FROM codes) t USING (code)
refused: more than 32 tables are read (line 1, column 37) | hint: ask in parts
