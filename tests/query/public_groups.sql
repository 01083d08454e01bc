-- one group
SELECT COUNT(*) FROM visits
one group
-- declared values
SELECT ward, COUNT(*) FROM visits GROUP BY ward
'a', 'b', 'c', None
-- a truth
SELECT paid, COUNT(*) FROM visits GROUP BY paid
False, True, None
SELECT COUNT(*) FROM visits GROUP BY day < 9
False, True, None
-- whole numbers between bounds, if they are few
SELECT day, COUNT(*) FROM visits GROUP BY day
0, …, None (366)
SELECT age, COUNT(*) FROM people GROUP BY age
0, …, None (122)
SELECT COUNT(*) FROM visits GROUP BY day * 3
0, …, None (366)
SELECT COUNT(*) FROM visits GROUP BY FLOOR(day / 7)
0, …, None (54)
SELECT COUNT(*) FROM visits GROUP BY CAST(cost AS INTEGER)
0, …, None (102)
-- constants of CASE
SELECT COUNT(*) FROM visits GROUP BY CASE WHEN day < 9 THEN 'early' WHEN day < 99 THEN 'late' ELSE 'early' END
'early', 'late'
SELECT COUNT(*) FROM visits GROUP BY CASE WHEN day < 9 THEN 'early' END
'early', None
SELECT COUNT(*) FROM visits GROUP BY CASE WHEN day < 9 THEN 'early' ELSE town END
not public
-- a column of a public table
SELECT region, COUNT(*) FROM visits JOIN towns USING (town) GROUP BY region
'north', 'south', 'west', None
SELECT label, ward, COUNT(*) FROM visits JOIN codes USING (code) GROUP BY label, ward
'x', 'y'; 'a', 'b', 'c', None
-- what only data say
SELECT town, COUNT(*) FROM visits GROUP BY town
not public
SELECT code, COUNT(*) FROM visits GROUP BY code
not public
SELECT cost, COUNT(*) FROM visits GROUP BY cost
not public
SELECT half, COUNT(*) FROM visits GROUP BY half
not public
SELECT UPPER(ward), COUNT(*) FROM visits GROUP BY UPPER(ward)
not public
SELECT ward, town, COUNT(*) FROM visits GROUP BY ward, town
'a', 'b', 'c', None; not public
SELECT COUNT(*) FROM visits GROUP BY day / 7
not public
-- multiples of a step: decades
SELECT FLOOR(age / 10) * 10 AS decade, COUNT(*) FROM people GROUP BY decade
0, …, None (14)
SELECT (age // 10) * 10 AS decade, COUNT(*) FROM people GROUP BY decade
0, …, None (14)
-- NULL is a group unless no row has it
SELECT ward, COUNT(*) FROM visits WHERE ward IS NOT NULL GROUP BY ward
'a', 'b', 'c'
SELECT ward, COUNT(*) FROM visits WHERE ward <> 'a' GROUP BY ward
'a', 'b', 'c'
SELECT ward, COUNT(*) FROM visits WHERE ward <> 'a' OR paid GROUP BY ward
'a', 'b', 'c', None
SELECT COUNT(*) FROM visits WHERE day < 9 GROUP BY day // 100
0, 1, 2, 3, 4
SELECT COUNT(*) FROM visits WHERE half < 9 GROUP BY half < 3
False, True, None
SELECT COUNT(*) FROM visits GROUP BY day IS NULL
False, True
SELECT COUNT(*) FROM visits GROUP BY COALESCE(paid, FALSE)
False, True
SELECT label, COUNT(*) FROM visits LEFT JOIN codes USING (code) GROUP BY label
'x', 'y', None
SELECT n, COUNT(*) FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY person) t GROUP BY n
0, 1, 2, 3
-- public keys alone need no data
SELECT ward FROM visits GROUP BY ward
refused: the groups are public: they are known without data (line 1, column 8) | hint: add COUNT(*) to learn how many rows are in each
SELECT DISTINCT ward, day < 9 FROM visits
refused: the groups are public: they are known without data (line 1, column 17) | hint: add COUNT(*) to learn how many rows are in each
SELECT DISTINCT ward, town FROM visits
'a', 'b', 'c', None; not public
