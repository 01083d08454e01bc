-- none, one, both
SELECT COUNT(*) FROM visits
all from 0
SELECT COUNT(*) FROM visits LIMIT 3
3 from 0
SELECT COUNT(*) FROM visits LIMIT 3 OFFSET 2
3 from 2
SELECT COUNT(*) FROM visits OFFSET 2
all from 2
SELECT COUNT(*) FROM visits LIMIT 0
0 from 0
-- no whole numbers
SELECT COUNT(*) FROM visits LIMIT 1.5
refused: LIMIT takes a whole number (line 1, column 35) | hint: LIMIT 10
SELECT COUNT(*) FROM visits LIMIT -1
refused: LIMIT takes a whole number (line 1, column 36) | hint: LIMIT 10
SELECT COUNT(*) FROM visits LIMIT '3'
refused: LIMIT takes a whole number (line 1, column 35) | hint: LIMIT 10
SELECT COUNT(*) FROM visits LIMIT day
refused: LIMIT takes a whole number (line 1, column 35) | hint: LIMIT 10
SELECT COUNT(*) FROM visits LIMIT 1 + 1
refused: LIMIT takes a whole number (line 1, column 35) | hint: LIMIT 10
SELECT COUNT(*) FROM visits LIMIT 12345678901
refused: LIMIT takes a whole number (line 1, column 35) | hint: LIMIT 10
SELECT COUNT(*) FROM visits LIMIT 10 PERCENT
refused: PERCENT or WITH TIES is not answered in LIMIT (line 1, column 35) | hint: leave it out
SELECT COUNT(*) FROM visits LIMIT 3 OFFSET -2
refused: OFFSET takes a whole number (line 1, column 45) | hint: OFFSET 10
-- what is not read in the clause is refused
SELECT ward, COUNT(*) FROM visits GROUP BY ward LIMIT 10 PERCENT
refused: PERCENT or WITH TIES is not answered in LIMIT (line 1, column 55) | hint: leave it out
-- FETCH is LIMIT
SELECT COUNT(*) FROM visits FETCH FIRST 3 ROWS ONLY
3 from 0
SELECT COUNT(*) FROM visits FETCH NEXT ROW ONLY
1 from 0
SELECT COUNT(*) FROM visits FETCH FIRST 3 ROWS WITH TIES
refused: WITH TIES is not answered in FETCH (line 1, column 41) | hint: leave it out
