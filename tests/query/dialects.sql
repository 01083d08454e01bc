-- quotes
SELECT "day" FROM visits WHERE ward = 'a'
SELECT "day" FROM visits WHERE ward = 'a'
-- in postgres: the same
SELECT "day" FROM visits WHERE ward = 'a'
SELECT "day" FROM visits WHERE ward = 'a'
-- in spark: where double quotes are texts, and names are in back quotes
SELECT `day` FROM visits WHERE ward = "a"
SELECT "day" FROM visits WHERE ward = 'a'
-- back quotes are no names elsewhere
SELECT `day` FROM visits
refused: the question is not SQL: Invalid expression / Unexpected token (line 1, column 12) | hint: see docs/sql.md for what is answered
-- in postgres: nor here
SELECT `day` FROM visits
refused: the question is not SQL: Invalid expression / Unexpected token (line 1, column 12) | hint: see docs/sql.md for what is answered
-- casts
SELECT CAST(town AS INT), town::double FROM visits
SELECT CAST(town AS INT), CAST(town AS DOUBLE) FROM visits
-- in postgres: casts round
SELECT CAST(town AS INT), town::double precision FROM visits
SELECT CAST(town AS INT), CAST(town AS DOUBLE) FROM visits
-- in spark: casts to whole numbers cut off
SELECT CAST(half AS INT) FROM visits
refused: CAST to whole numbers cuts off in this dialect (line 1, column 13) | hint: FLOOR(x), CEIL(x) or ROUND(x)
SELECT CAST(half AS BIGINT) FROM visits
refused: CAST to whole numbers cuts off in this dialect (line 1, column 13) | hint: FLOOR(x), CEIL(x) or ROUND(x)
SELECT half::smallint FROM visits
refused: CAST to whole numbers cuts off in this dialect (line 1, column 8) | hint: FLOOR(x), CEIL(x) or ROUND(x)
-- in spark: other casts
SELECT CAST(town AS DOUBLE), CAST(day AS STRING) FROM visits
SELECT TRY_CAST(town AS DOUBLE), TRY_CAST(day AS TEXT) FROM visits
-- quotients are real
SELECT SUM(cost) / COUNT(*) FROM visits
SELECT SUM(cost) / COUNT(*) FROM visits
-- in spark: also here
SELECT SUM(cost) / COUNT(*) FROM visits
SELECT SUM(cost) / NULLIF(COUNT(*), 0) FROM visits
-- in postgres: quotients of whole numbers are cut off there, so that one side must say it is real
SELECT SUM(cost) / COUNT(*) FROM visits
refused: `/` cuts quotients of whole numbers off in this dialect (line 1, column 8) | hint: CAST(x AS double precision) / y
SELECT SUM(day / 2) FROM visits
refused: `/` cuts quotients of whole numbers off in this dialect (line 1, column 12) | hint: CAST(x AS double precision) / y
SELECT SUM(cost / 2 / 2.0) FROM visits
refused: `/` cuts quotients of whole numbers off in this dialect (line 1, column 12) | hint: CAST(x AS double precision) / y
SELECT SUM(day / 2.0) FROM visits
SELECT SUM(day / 2.0) FROM visits
SELECT SUM(CAST(day AS double precision) / 2) FROM visits
SELECT SUM(CAST(day AS DOUBLE) / 2) FROM visits
SELECT SUM(2 / (day::double precision)) FROM visits
SELECT SUM(2 / (CAST(day AS DOUBLE))) FROM visits
SELECT SUM(day::numeric / 2) FROM visits
refused: `/` cuts quotients of whole numbers off in this dialect (line 1, column 12) | hint: CAST(x AS double precision) / y
SELECT SUM(day / '2.0') FROM visits
refused: `/` cuts quotients of whole numbers off in this dialect (line 1, column 12) | hint: CAST(x AS double precision) / y
-- whole quotients
SELECT SUM(day // 7) FROM visits
SELECT SUM(day // 7) FROM visits
-- in postgres: of DIV are cut off towards zero
SELECT SUM(DIV(day, 7)) FROM visits
refused: DIV cuts quotients off towards zero in this dialect (line 1, column 16) | hint: FLOOR(CAST(x AS double precision) / y), where x is not negative
-- in spark: and so here
SELECT SUM(day DIV 7) FROM visits
refused: DIV cuts quotients off towards zero in this dialect (line 1, column 12) | hint: FLOOR(CAST(x AS double precision) / y), where x is not negative
-- patterns
SELECT COUNT(*) FROM visits WHERE town LIKE 'a\%'
SELECT COUNT(*) FROM visits WHERE town LIKE 'a\%'
-- in postgres: backslashes escape
SELECT COUNT(*) FROM visits WHERE town LIKE 'a\%'
refused: a backslash in LIKE escapes in this dialect (line 1, column 35) | hint: use STARTS_WITH, or = for the whole text
SELECT COUNT(*) FROM visits WHERE town ILIKE 'a\_%'
refused: a backslash in LIKE escapes in this dialect (line 1, column 35) | hint: use STARTS_WITH, or = for the whole text
SELECT COUNT(*) FROM visits WHERE town LIKE 'a%'
SELECT COUNT(*) FROM visits WHERE town LIKE 'a%'
-- in spark: backslashes escape, once in the text and once in the pattern
SELECT COUNT(*) FROM visits WHERE town LIKE 'a\\%'
refused: a backslash in LIKE escapes in this dialect (line 1, column 35) | hint: use STARTS_WITH, or = for the whole text
SELECT COUNT(*) FROM visits WHERE town LIKE 'a%'
SELECT COUNT(*) FROM visits WHERE town LIKE 'a%'
-- days of the week
SELECT DAYOFWEEK(at), EXTRACT(DOW FROM at), EXTRACT(MONTH FROM at) FROM visits
SELECT DAYOFWEEK("at"), EXTRACT(DAYOFWEEK FROM "at"), EXTRACT(MONTH FROM "at") FROM visits
-- in postgres: likewise
SELECT EXTRACT(DOW FROM at), EXTRACT(MONTH FROM at) FROM visits
SELECT EXTRACT(DAYOFWEEK FROM "at"), EXTRACT(MONTH FROM "at") FROM visits
-- in spark: they count from 1
SELECT DAYOFWEEK(at) FROM visits
refused: days of the week count from 1 in this dialect (line 1, column 8) | hint: write the question in duckdb's, where Sunday is 0
SELECT EXTRACT(DOW FROM at) FROM visits
refused: days of the week count from 1 in this dialect (line 1, column 25) | hint: write the question in duckdb's, where Sunday is 0
SELECT EXTRACT(DAYOFWEEK FROM at) FROM visits
refused: days of the week count from 1 in this dialect (line 1, column 31) | hint: write the question in duckdb's, where Sunday is 0
SELECT EXTRACT(MONTH FROM at) FROM visits
SELECT EXTRACT(MONTH FROM "at") FROM visits
-- logarithms are of base 10
SELECT LOG(cost) FROM visits
SELECT LOG(cost) FROM visits
-- in postgres: also here
SELECT LOG(cost) FROM visits
SELECT LOG(cost) FROM visits
-- in spark: and natural here
SELECT LOG(cost) FROM visits
SELECT LN(cost) FROM visits
-- in spark: escapes write characters that no text may hold
SELECT COUNT(*) FROM visits WHERE town = 'a\0'
refused: the question holds characters that are not text (line 1, column 42) | hint: remove escapes
SELECT COUNT(*) FROM visits WHERE town = 'it\'s'
SELECT COUNT(*) FROM visits WHERE town = 'it''s'
-- in postgres: parameters and casts
SELECT COUNT(*) FROM visits WHERE day = $1
refused: parameters are not filled in (line 1, column 42) | hint: write the value
-- missing values in an order
SELECT ward FROM visits ORDER BY ward
SELECT ward FROM visits ORDER BY ward
-- in postgres: are last
SELECT ward FROM visits ORDER BY ward
SELECT ward FROM visits ORDER BY ward
-- in spark: are first
SELECT ward FROM visits ORDER BY ward
SELECT ward FROM visits ORDER BY ward NULLS FIRST
