-- an aggregate anywhere is enough
SELECT ward FROM visits GROUP BY ward HAVING COUNT(*) > 3
ward: ward#0 text | rows → integer
SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*)
ward: ward#0 text | rows → integer
SELECT COUNT(*) FROM visits
count(*): rows#0 integer | rows → integer
-- none anywhere
SELECT ward FROM visits GROUP BY ward
ward: ward#0 text | no aggregates
SELECT 1 FROM visits
refused: rows are not released (line 1, column 8) | hint: ask for aggregates: COUNT(*), AVG(…), …
SELECT ward FROM visits GROUP BY ward HAVING ward > 'a' ORDER BY ward
ward: ward#0 text | no aggregates
SELECT UPPER(ward) AS u FROM visits GROUP BY ward
u: upper(ward#0) text | no aggregates
