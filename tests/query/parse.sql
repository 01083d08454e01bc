-- one SELECT, whatever is around it
SELECT COUNT(*) FROM visits
SELECT COUNT(*) FROM visits
select count(*) from visits;
SELECT COUNT(*) FROM visits
(SELECT COUNT(*) FROM visits)
SELECT COUNT(*) FROM visits
((SELECT COUNT(*) FROM visits));
SELECT COUNT(*) FROM visits
SELECT COUNT(*) FROM visits -- a comment
SELECT COUNT(*) FROM visits
/* before */ SELECT /* within */ COUNT(*) FROM visits /* behind */
SELECT COUNT(*) FROM visits
SELECT COUNT(*) FROM visits; -- a comment behind
SELECT COUNT(*) FROM visits
-- comments cannot write into the tree
SELECT COUNT(*) /* sqlglot.meta start=abc */ FROM visits
SELECT COUNT(*) FROM visits
-- FROM first is a SELECT
FROM visits SELECT COUNT(*)
SELECT COUNT(*) FROM visits
-- chains of AND and OR are not deep
SELECT COUNT(*) FROM visits WHERE a AND b AND c AND (d OR e OR f)
SELECT COUNT(*) FROM visits WHERE a AND b AND c AND (d OR e OR f)
-- more than one statement, or none
SELECT 1; SELECT 2
refused: one SELECT is answered at a time, found 2 statements (line 1, column 1) | hint: ask one SELECT
;
refused: one SELECT is answered at a time, found 0 statements (line 1, column 1) | hint: ask one SELECT
-- other statements
DELETE FROM visits
refused: only SELECT is answered, found DELETE (line 1, column 1) | hint: ask a SELECT
INSERT INTO visits VALUES (1)
refused: only SELECT is answered, found INSERT (line 1, column 1) | hint: ask a SELECT
CREATE TABLE x AS SELECT * FROM visits
refused: only SELECT is answered, found CREATE (line 1, column 1) | hint: ask a SELECT
DROP TABLE visits
refused: only SELECT is answered, found DROP (line 1, column 1) | hint: ask a SELECT
COPY visits TO 'file'
refused: only SELECT is answered, found COPY (line 1, column 1) | hint: ask a SELECT
PRAGMA database_list
refused: only SELECT is answered, found PRAGMA (line 1, column 1) | hint: ask a SELECT
ATTACH 'file'
refused: only SELECT is answered, found ATTACH (line 1, column 1) | hint: ask a SELECT
SET threads = 1
refused: only SELECT is answered, found SET (line 1, column 1) | hint: ask a SELECT
EXPLAIN SELECT 1
refused: only SELECT is answered, found EXPLAIN (line 1, column 1) | hint: ask a SELECT
DESCRIBE visits
refused: only SELECT is answered, found DESCRIBE (line 1, column 1) | hint: ask a SELECT
VALUES (1)
refused: only SELECT is answered, found VALUES (line 1, column 1) | hint: ask a SELECT
-- a UNION at the top
SELECT 1 UNION ALL SELECT 2
refused: a UNION at the top is not answered (line 1, column 8) | hint: put it in FROM (…) and aggregate over it
(SELECT 1 UNION ALL SELECT 2)
refused: a UNION at the top is not answered (line 1, column 9) | hint: put it in FROM (…) and aggregate over it
SELECT 1 EXCEPT SELECT 2
refused: EXCEPT is not answered (line 1, column 8) | hint: use WHERE, or join along the person
SELECT 1 INTERSECT SELECT 2
refused: INTERSECT is not answered (line 1, column 8) | hint: use WHERE, or join along the person
-- something that is not SQL
SELECT FROM WHERE
refused: the question is not SQL: it could not be read (line 1, column 17) | hint: see docs/sql.md for what is answered
SELECT 'open
refused: the question is not SQL: it could not be read | hint: see docs/sql.md for what is answered
SELECT (1
refused: the question is not SQL: Expecting ) (line 1, column 9) | hint: see docs/sql.md for what is answered
hello
refused: only SELECT is answered, found HELLO (line 1, column 1) | hint: ask a SELECT
-- nodes that no clause may hold
SELECT ROW_NUMBER() OVER (ORDER BY day) FROM visits
refused: window functions are not answered (line 1, column 8) | hint: ask for aggregates with GROUP BY
SELECT SUM(cost) OVER () FROM visits
refused: window functions are not answered (line 1, column 8) | hint: ask for aggregates with GROUP BY
SELECT COUNT(*) FROM visits QUALIFY ROW_NUMBER() OVER () = 1
refused: QUALIFY is not answered (line 1, column 37) | hint: use HAVING on aggregates
SELECT COUNT(*) FROM visits QUALIFY day = 1
refused: QUALIFY is not answered (line 1, column 37) | hint: use HAVING on aggregates
SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1 FROM people)
refused: EXISTS (…) is not answered (line 1, column 50) | hint: join along the person instead
SELECT COUNT(*) FROM visits TABLESAMPLE 10%
refused: samples are not taken (line 1, column 41) | hint: leave TABLESAMPLE out
SELECT COUNT(*) FROM visits, LATERAL (SELECT 1) t
refused: lateral joins are not answered (line 1, column 46) | hint: join along the person instead
SELECT COUNT(*) FROM visits WHERE day = ?
refused: parameters are not filled in (line 1, column 35) | hint: write the value
SELECT COUNT(*) FROM visits WHERE day = $1
refused: parameters are not filled in (line 1, column 35) | hint: write the value
SELECT COUNT(*) FROM visits WHERE day = $name
refused: parameters are not filled in (line 1, column 35) | hint: write the value
SELECT COUNT(*) FROM visits WHERE day = @name
SELECT COUNT(*) FROM visits WHERE day = ABS(name)
-- a few levels are not deep
SELECT ABS(ABS(ABS(ABS(ABS(ABS(1)))))) FROM visits
SELECT ABS(ABS(ABS(ABS(ABS(ABS(1)))))) FROM visits
-- what the parser marks as negated is NOT around it, in every dialect
SELECT COUNT(*) FROM visits WHERE town NOT LIKE 'a%' AND NOT town ILIKE 'b%'
SELECT COUNT(*) FROM visits WHERE NOT town LIKE 'a%' AND NOT town ILIKE 'b%'
SELECT COUNT(*) FROM visits WHERE NOT town NOT LIKE 'a%'
SELECT COUNT(*) FROM visits WHERE NOT NOT town LIKE 'a%'
SELECT COUNT(*) FROM visits WHERE CASE WHEN town NOT LIKE 'a%' THEN day NOT IN (1, 2) ELSE day NOT BETWEEN 1 AND 3 END
SELECT COUNT(*) FROM visits WHERE CASE WHEN NOT town LIKE 'a%' THEN NOT day IN (1, 2) ELSE NOT day BETWEEN 1 AND 3 END
-- in postgres: likewise
SELECT COUNT(*) FROM visits WHERE town IS NOT NULL AND town NOT ILIKE 'a%'
SELECT COUNT(*) FROM visits WHERE NOT town IS NULL AND NOT town ILIKE 'a%'
-- in spark: likewise
SELECT COUNT(*) FROM visits WHERE town IS NOT NULL AND town NOT LIKE 'a%'
SELECT COUNT(*) FROM visits WHERE NOT town IS NULL AND NOT town LIKE 'a%'
