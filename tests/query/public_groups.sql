-- one group
SELECT COUNT(*) FROM visits
one group
-- declared values
SELECT ward, COUNT(*) FROM visits GROUP BY ward
'a', 'b', 'c'
-- a truth
SELECT paid, COUNT(*) FROM visits GROUP BY paid
False, True
SELECT COUNT(*) FROM visits GROUP BY day < 9
False, True
-- whole numbers between bounds, if they are few
SELECT day, COUNT(*) FROM visits GROUP BY day
0, …, 364 (365)
SELECT age, COUNT(*) FROM people GROUP BY age
0, …, 120 (121)
SELECT COUNT(*) FROM visits GROUP BY day * 3
0, …, 1092 (365)
SELECT COUNT(*) FROM visits GROUP BY FLOOR(day / 7)
0, …, 52 (53)
SELECT COUNT(*) FROM visits GROUP BY CAST(cost AS INTEGER)
0, …, 100 (101)
-- constants of CASE
SELECT COUNT(*) FROM visits GROUP BY CASE WHEN day < 9 THEN 'early' WHEN day < 99 THEN 'late' ELSE 'early' END
'early', 'late'
SELECT COUNT(*) FROM visits GROUP BY CASE WHEN day < 9 THEN 'early' END
'early'
SELECT COUNT(*) FROM visits GROUP BY CASE WHEN day < 9 THEN 'early' ELSE town END
not public
-- a column of a public table
SELECT region, COUNT(*) FROM visits JOIN towns USING (town) GROUP BY region
'north', 'south', 'west'
SELECT label, ward, COUNT(*) FROM visits JOIN codes USING (code) GROUP BY label, ward
'x', 'y'; 'a', 'b', 'c'
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
'a', 'b', 'c'; not public
SELECT COUNT(*) FROM visits GROUP BY day / 7
not public
-- multiples of a step: decades
SELECT FLOOR(age / 10) * 10 AS decade, COUNT(*) FROM people GROUP BY decade
0, …, 120 (13)
SELECT (age // 10) * 10 AS decade, COUNT(*) FROM people GROUP BY decade
0, …, 120 (13)
