-- numbers
day
c2
cost
c4
half
c7
code
c6
day + 1
(CAST(c2 AS DOUBLE) + CAST(1 AS DOUBLE))
day - cost
(CAST(c2 AS DOUBLE) - c4)
day * cost
(CAST(c2 AS DOUBLE) * c4)
cost * cost
(c4 * c4)
day / 7
(CAST(c2 AS DOUBLE) / nullif(CAST(7 AS DOUBLE), 0))
day / cost
(CAST(c2 AS DOUBLE) / nullif(c4, 0))
cost / 0
(c4 / nullif(CAST(0 AS DOUBLE), 0))
-day
(-CAST(c2 AS DOUBLE))
- (day + 1)
(-(CAST(c2 AS DOUBLE) + CAST(1 AS DOUBLE)))
day % 7
TRY((CAST(c2 AS DOUBLE) % nullif(CAST(7 AS DOUBLE), 0)))
MOD(day, 7)
TRY((CAST(c2 AS DOUBLE) % nullif(CAST(7 AS DOUBLE), 0)))
MOD(day, -7)
TRY((CAST(c2 AS DOUBLE) % nullif(CAST((-7) AS DOUBLE), 0)))
MOD(-day, 7)
TRY(((-CAST(c2 AS DOUBLE)) % nullif(CAST(7 AS DOUBLE), 0)))
MOD(cost, 3)
TRY((c4 % nullif(CAST(3 AS DOUBLE), 0)))
MOD(day, cost)
TRY((CAST(c2 AS DOUBLE) % nullif(c4, 0)))
MOD(half, 3)
TRY((c7 % nullif(CAST(3 AS DOUBLE), 0)))
day // 7
CAST(trunc((CAST(c2 AS DOUBLE) / nullif(CAST(7 AS DOUBLE), 0))) AS DOUBLE)
ABS(day - 100)
CAST(abs((CAST(c2 AS DOUBLE) - CAST(100 AS DOUBLE))) AS DOUBLE)
ABS(-cost)
CAST(abs((-c4)) AS DOUBLE)
ABS(half)
CAST(abs(c7) AS DOUBLE)
SIGN(day - 5)
CAST(sign((CAST(c2 AS DOUBLE) - CAST(5 AS DOUBLE))) AS DOUBLE)
SIGN(half)
CAST(sign(c7) AS DOUBLE)
FLOOR(cost)
CAST(floor(c4) AS DOUBLE)
FLOOR(half)
CAST(floor(c7) AS DOUBLE)
CEIL(cost)
CAST(ceil(c4) AS DOUBLE)
CEILING(cost / 3)
CAST(ceil((c4 / nullif(CAST(3 AS DOUBLE), 0))) AS DOUBLE)
ROUND(cost)
TRY(round(c4))
ROUND(cost, 1)
TRY(round(c4, 1))
ROUND(day, 0)
TRY(round(CAST(c2 AS DOUBLE), 0))
ROUND(half, 2)
TRY(round(c7, 2))
ROUND(cost / 3, 12)
TRY(round((c4 / nullif(CAST(3 AS DOUBLE), 0)), 12))
SQRT(cost)
CASE WHEN c4 >= 0 THEN sqrt(c4) END
SQRT(day - 100)
CASE WHEN (CAST(c2 AS DOUBLE) - CAST(100 AS DOUBLE)) >= 0 THEN sqrt((CAST(c2 AS DOUBLE) - CAST(100 AS DOUBLE))) END
SQRT(half)
CASE WHEN c7 >= 0 THEN sqrt(c7) END
LN(day + 1)
TRY(CASE WHEN (CAST(c2 AS DOUBLE) + CAST(1 AS DOUBLE)) > 0 THEN ln((CAST(c2 AS DOUBLE) + CAST(1 AS DOUBLE))) END)
LN(cost)
TRY(CASE WHEN c4 > 0 THEN ln(c4) END)
LN(half)
TRY(CASE WHEN c7 > 0 THEN ln(c7) END)
LOG2(day + 1)
TRY(CASE WHEN (CAST(c2 AS DOUBLE) + CAST(1 AS DOUBLE)) > 0 THEN log2((CAST(c2 AS DOUBLE) + CAST(1 AS DOUBLE))) END)
LOG10(day + 1)
TRY(CASE WHEN (CAST(c2 AS DOUBLE) + CAST(1 AS DOUBLE)) > 0 THEN log10((CAST(c2 AS DOUBLE) + CAST(1 AS DOUBLE))) END)
LOG(day + 1)
TRY(CASE WHEN (CAST(c2 AS DOUBLE) + CAST(1 AS DOUBLE)) > 0 THEN log10((CAST(c2 AS DOUBLE) + CAST(1 AS DOUBLE))) END)
LOG(2, day + 1)
TRY(CASE WHEN (CAST(c2 AS DOUBLE) + CAST(1 AS DOUBLE)) > 0 THEN log2((CAST(c2 AS DOUBLE) + CAST(1 AS DOUBLE))) END)
LOG(10, day + 1)
TRY(CASE WHEN (CAST(c2 AS DOUBLE) + CAST(1 AS DOUBLE)) > 0 THEN log10((CAST(c2 AS DOUBLE) + CAST(1 AS DOUBLE))) END)
EXP(cost / 10)
TRY(CAST(exp((c4 / nullif(CAST(10 AS DOUBLE), 0))) AS DOUBLE))
EXP(day * 10)
TRY(CAST(exp((CAST(c2 AS DOUBLE) * CAST(10 AS DOUBLE))) AS DOUBLE))
EXP(half)
TRY(CAST(exp(c7) AS DOUBLE))
POW(day, 2)
TRY(pow(CAST(c2 AS DOUBLE), CAST(2 AS DOUBLE)))
POW(day - 100, 2)
TRY(pow((CAST(c2 AS DOUBLE) - CAST(100 AS DOUBLE)), CAST(2 AS DOUBLE)))
POW(day - 100, 3)
TRY(pow((CAST(c2 AS DOUBLE) - CAST(100 AS DOUBLE)), CAST(3 AS DOUBLE)))
POW(day, 0.5)
TRY(pow(CAST(c2 AS DOUBLE), CAST('0.5' AS DOUBLE)))
POW(cost, 64)
TRY(pow(c4, CAST(64 AS DOUBLE)))
POW(2, day)
TRY(pow(CAST(2 AS DOUBLE), CAST(c2 AS DOUBLE)))
POWER(day, 2)
TRY(pow(CAST(c2 AS DOUBLE), CAST(2 AS DOUBLE)))
SQUARE(day)
refused: SQUARE(…) is not answered (line 1, column 8) | hint: did you mean QUARTER or SQRT? see docs/sql.md for the functions there are
LEAST(day, 5)
least(CAST(c2 AS DOUBLE), CAST(5 AS DOUBLE))
LEAST(half, 5)
least(c7, CAST(5 AS DOUBLE))
LEAST(half, 5, day)
least(c7, CAST(5 AS DOUBLE), CAST(c2 AS DOUBLE))
GREATEST(day, 5)
greatest(CAST(c2 AS DOUBLE), CAST(5 AS DOUBLE))
GREATEST(half, 0)
greatest(c7, CAST(0 AS DOUBLE))
LEAST(GREATEST(half, 0), 5)
least(greatest(c7, CAST(0 AS DOUBLE)), CAST(5 AS DOUBLE))
GREATEST(LEAST(half, 5), 0)
greatest(least(c7, CAST(5 AS DOUBLE)), CAST(0 AS DOUBLE))
COALESCE(day, 0)
coalesce(CAST(c2 AS DOUBLE), CAST(0 AS DOUBLE))
COALESCE(half, 0)
coalesce(c7, CAST(0 AS DOUBLE))
COALESCE(cost, -5)
coalesce(c4, CAST((-5) AS DOUBLE))
COALESCE(day, cost)
coalesce(CAST(c2 AS DOUBLE), c4)
NULLIF(day, 3)
CASE WHEN c2 = 3 THEN NULL ELSE CAST(c2 AS DOUBLE) END
NULLIF(cost, half)
CASE WHEN c4 = c7 THEN NULL ELSE c4 END
IF(paid, day, 0)
CASE WHEN c9 THEN CAST(c2 AS DOUBLE) ELSE CAST(0 AS DOUBLE) END
IF(paid, day, cost)
CASE WHEN c9 THEN CAST(c2 AS DOUBLE) ELSE c4 END
CASE WHEN paid THEN day ELSE 1000 END
CASE WHEN c9 THEN CAST(c2 AS DOUBLE) ELSE CAST(1000 AS DOUBLE) END
CASE WHEN paid THEN cost END
CASE WHEN c9 THEN c4 END
CASE ward WHEN 'a' THEN 1 WHEN 'b' THEN 2 ELSE 3 END
CASE WHEN (c3 = 'a') THEN CAST(1 AS DOUBLE) WHEN (c3 = 'b') THEN CAST(2 AS DOUBLE) ELSE CAST(3 AS DOUBLE) END
CAST(cost AS INTEGER)
TRY(CAST(TRY_CAST(c4 AS BIGINT) AS DOUBLE))
CAST(half AS INTEGER)
TRY(CAST(TRY_CAST(c7 AS BIGINT) AS DOUBLE))
CAST(day AS DOUBLE)
TRY(TRY_CAST(c2 AS DOUBLE))
CAST(paid AS INTEGER)
TRY(CAST(TRY_CAST(c9 AS BIGINT) AS DOUBLE))
CAST(town AS INTEGER)
TRY(CAST(TRY_CAST(regexp_extract(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END, '^[ \t\r\n]*([-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))[ \t\r\n]*$', 1) AS BIGINT) AS DOUBLE))
CAST(town AS DOUBLE)
TRY(TRY_CAST(regexp_extract(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END, '^[ \t\r\n]*([-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,9})?)[ \t\r\n]*$', 1) AS DOUBLE))
CAST(day / 7 AS BIGINT)
TRY(CAST(TRY_CAST((CAST(c2 AS DOUBLE) / nullif(CAST(7 AS DOUBLE), 0)) AS BIGINT) AS DOUBLE))
CAST(cost AS REAL)
c4
1 + 1
2
2 * 3 - 7
(-1)
1 / 2
(CAST(1 AS DOUBLE) / nullif(CAST(2 AS DOUBLE), 0))
9007199254740993 + 0
(CAST(9007199254740993 AS DOUBLE) + CAST(0 AS DOUBLE))
1e300 * day
(CAST('1e+300' AS DOUBLE) * CAST(c2 AS DOUBLE))
0.1 + 0.2
(CAST('0.1' AS DOUBLE) + CAST('0.2' AS DOUBLE))
-- texts
town
c5
ward
c3
LOWER(town)
TRY(lower(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END))
UPPER(ward)
TRY(upper(CASE WHEN strlen(c3) <= 10000 THEN c3 ELSE left(c3, 10000) END))
TRIM(town)
TRY(trim(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END))
LOWER(TRIM(town))
TRY(lower(trim(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END)))
LENGTH(town)
TRY(CAST(length(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END) AS DOUBLE))
LENGTH(ward)
TRY(CAST(length(CASE WHEN strlen(c3) <= 10000 THEN c3 ELSE left(c3, 10000) END) AS DOUBLE))
LENGTH('abc')
TRY(CAST(length('abc') AS DOUBLE))
SUBSTRING(town, 2)
TRY(substring(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END, 2))
SUBSTRING(town, 2, 3)
TRY(substring(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END, 2, 3))
SUBSTRING('hello', 2, 3)
TRY(substring('hello', 2, 3))
SUBSTRING(town, 0, 0)
TRY(substring(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END, 0, 0))
SUBSTR(town, 1, 1)
TRY(substring(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END, 1, 1))
town || ward
TRY(left((CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END || CASE WHEN strlen(c3) <= 10000 THEN c3 ELSE left(c3, 10000) END), 10000))
town || '-' || ward
TRY(left((left((CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END || '-'), 10000) || CASE WHEN strlen(c3) <= 10000 THEN c3 ELSE left(c3, 10000) END), 10000))
CONCAT(town, 'x')
TRY(left((CASE WHEN strlen(coalesce(c5, '')) <= 10000 THEN coalesce(c5, '') ELSE left(coalesce(c5, ''), 10000) END || 'x'), 10000))
CONCAT('a', 'b', 'c')
TRY((('a' || 'b') || 'c'))
REPLACE(town, 'a', 'b')
TRY(replace(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END, 'a', 'b'))
REPLACE(town, 'a', 'bbb')
TRY(left(replace(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END, 'a', 'bbb'), 10000))
REPLACE(town, '', 'b')
TRY(replace(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END, '', 'b'))
REPLACE('abc', 'b', 'xyz')
TRY(replace('abc', 'b', 'xyz'))
REPLACE(SUBSTRING(town, 1, 10), 'a', 'bb')
TRY(replace(substring(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END, 1, 10), 'a', 'bb'))
STARTS_WITH(town, 'a')
TRY(starts_with(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END, 'a'))
PREFIX(town, 'a')
TRY(starts_with(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END, 'a'))
CONTAINS(town, 'a')
TRY(contains(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END, 'a'))
CONTAINS(town, ward)
TRY(contains(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END, CASE WHEN strlen(c3) <= 10000 THEN c3 ELSE left(c3, 10000) END))
town LIKE 'a%'
TRY((CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END LIKE 'a%'))
town LIKE '_b'
TRY((CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END LIKE '_b'))
town ILIKE 'A%'
TRY((CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END ILIKE 'A%'))
town NOT LIKE 'a%'
TRY((NOT (CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END LIKE 'a%')))
ward LIKE town
refused: LIKE takes a constant pattern (line 1, column 8) | hint: column LIKE 'x%'
CAST(day AS TEXT)
TRY(TRY_CAST(c2 AS VARCHAR))
CAST(cost AS VARCHAR)
TRY(nullif(nullif(TRY_CAST(c4 AS VARCHAR), 'nan'), '-nan'))
CAST(paid AS TEXT)
TRY(TRY_CAST(c9 AS VARCHAR))
CAST(at AS TEXT)
TRY(TRY_CAST(CASE WHEN c8 >= TIMESTAMP '0001-01-01 00:00:00' AND c8 < TIMESTAMP '9999-12-31 00:00:00' THEN c8 END AS VARCHAR))
COALESCE(town, 'none')
coalesce(c5, 'none')
NULLIF(town, '')
CASE WHEN c5 = '' THEN NULL ELSE c5 END
IF(paid, town, ward)
CASE WHEN c9 THEN c5 ELSE c3 END
CASE WHEN paid THEN 'yes' ELSE 'no' END
CASE WHEN c9 THEN 'yes' ELSE 'no' END
'it''s'
'it''s'
''
''
-- days and moments
at
c8
CAST(at AS DATE)
TRY(TRY_CAST(CASE WHEN c8 >= TIMESTAMP '0001-01-01 00:00:00' AND c8 < TIMESTAMP '9999-12-31 00:00:00' THEN c8 END AS DATE))
CAST(town AS DATE)
TRY(CASE WHEN TRY_CAST(regexp_extract(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END, '^[ \t\r\n]*([0-9]{4}(?:-[0-9]{1,2}-[0-9]{1,2}|/[0-9]{1,2}/[0-9]{1,2}))(?:[ T](?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?(?:Z|[-+][0-9]{2}(?::?[0-9]{2})?)?)?[ \t\r\n]*$', 1) AS DATE) >= DATE '0001-01-01' AND TRY_CAST(regexp_extract(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END, '^[ \t\r\n]*([0-9]{4}(?:-[0-9]{1,2}-[0-9]{1,2}|/[0-9]{1,2}/[0-9]{1,2}))(?:[ T](?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?(?:Z|[-+][0-9]{2}(?::?[0-9]{2})?)?)?[ \t\r\n]*$', 1) AS DATE) < DATE '9999-12-31' THEN TRY_CAST(regexp_extract(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END, '^[ \t\r\n]*([0-9]{4}(?:-[0-9]{1,2}-[0-9]{1,2}|/[0-9]{1,2}/[0-9]{1,2}))(?:[ T](?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?(?:Z|[-+][0-9]{2}(?::?[0-9]{2})?)?)?[ \t\r\n]*$', 1) AS DATE) END)
CAST(town AS TIMESTAMP)
TRY(CASE WHEN TRY_CAST(regexp_extract(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END, '^[ \t\r\n]*([0-9]{4}(?:-[0-9]{1,2}-[0-9]{1,2}|/[0-9]{1,2}/[0-9]{1,2})(?:[ T](?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?)?)(?:Z|[-+][0-9]{2}(?::?[0-9]{2})?)?[ \t\r\n]*$', 1) AS TIMESTAMP) >= TIMESTAMP '0001-01-01 00:00:00' AND TRY_CAST(regexp_extract(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END, '^[ \t\r\n]*([0-9]{4}(?:-[0-9]{1,2}-[0-9]{1,2}|/[0-9]{1,2}/[0-9]{1,2})(?:[ T](?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?)?)(?:Z|[-+][0-9]{2}(?::?[0-9]{2})?)?[ \t\r\n]*$', 1) AS TIMESTAMP) < TIMESTAMP '9999-12-31 00:00:00' THEN TRY_CAST(regexp_extract(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END, '^[ \t\r\n]*([0-9]{4}(?:-[0-9]{1,2}-[0-9]{1,2}|/[0-9]{1,2}/[0-9]{1,2})(?:[ T](?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?)?)(?:Z|[-+][0-9]{2}(?::?[0-9]{2})?)?[ \t\r\n]*$', 1) AS TIMESTAMP) END)
CAST(CAST(at AS DATE) AS TIMESTAMP)
TRY(TRY_CAST(TRY_CAST(CASE WHEN c8 >= TIMESTAMP '0001-01-01 00:00:00' AND c8 < TIMESTAMP '9999-12-31 00:00:00' THEN c8 END AS DATE) AS TIMESTAMP))
DATE '2026-01-31'
DATE '2026-01-31'
TIMESTAMP '2026-01-31 12:00:00'
TIMESTAMP '2026-01-31 12:00:00'
YEAR(at)
TRY(CAST(date_part('year', CASE WHEN c8 >= TIMESTAMP '0001-01-01 00:00:00' AND c8 < TIMESTAMP '9999-12-31 00:00:00' THEN c8 END) AS DOUBLE))
QUARTER(at)
TRY(CAST(date_part('quarter', CASE WHEN c8 >= TIMESTAMP '0001-01-01 00:00:00' AND c8 < TIMESTAMP '9999-12-31 00:00:00' THEN c8 END) AS DOUBLE))
MONTH(at)
TRY(CAST(date_part('month', CASE WHEN c8 >= TIMESTAMP '0001-01-01 00:00:00' AND c8 < TIMESTAMP '9999-12-31 00:00:00' THEN c8 END) AS DOUBLE))
WEEK(at)
TRY(CAST(date_part('week', CASE WHEN c8 >= TIMESTAMP '0001-01-01 00:00:00' AND c8 < TIMESTAMP '9999-12-31 00:00:00' THEN c8 END) AS DOUBLE))
DAY(at)
TRY(CAST(date_part('day', CASE WHEN c8 >= TIMESTAMP '0001-01-01 00:00:00' AND c8 < TIMESTAMP '9999-12-31 00:00:00' THEN c8 END) AS DOUBLE))
DAYOFWEEK(at)
TRY(CAST(date_part('dow', CASE WHEN c8 >= TIMESTAMP '0001-01-01 00:00:00' AND c8 < TIMESTAMP '9999-12-31 00:00:00' THEN c8 END) AS DOUBLE))
DAYOFYEAR(at)
TRY(CAST(date_part('doy', CASE WHEN c8 >= TIMESTAMP '0001-01-01 00:00:00' AND c8 < TIMESTAMP '9999-12-31 00:00:00' THEN c8 END) AS DOUBLE))
HOUR(at)
TRY(CAST(date_part('hour', CASE WHEN c8 >= TIMESTAMP '0001-01-01 00:00:00' AND c8 < TIMESTAMP '9999-12-31 00:00:00' THEN c8 END) AS DOUBLE))
MINUTE(at)
TRY(CAST(date_part('minute', CASE WHEN c8 >= TIMESTAMP '0001-01-01 00:00:00' AND c8 < TIMESTAMP '9999-12-31 00:00:00' THEN c8 END) AS DOUBLE))
EXTRACT(year FROM at)
TRY(CAST(date_part('year', CASE WHEN c8 >= TIMESTAMP '0001-01-01 00:00:00' AND c8 < TIMESTAMP '9999-12-31 00:00:00' THEN c8 END) AS DOUBLE))
EXTRACT(dow FROM at)
TRY(CAST(date_part('dow', CASE WHEN c8 >= TIMESTAMP '0001-01-01 00:00:00' AND c8 < TIMESTAMP '9999-12-31 00:00:00' THEN c8 END) AS DOUBLE))
EXTRACT(doy FROM at)
TRY(CAST(date_part('doy', CASE WHEN c8 >= TIMESTAMP '0001-01-01 00:00:00' AND c8 < TIMESTAMP '9999-12-31 00:00:00' THEN c8 END) AS DOUBLE))
EXTRACT(month FROM CAST(at AS DATE))
TRY(CAST(date_part('month', TRY_CAST(CASE WHEN c8 >= TIMESTAMP '0001-01-01 00:00:00' AND c8 < TIMESTAMP '9999-12-31 00:00:00' THEN c8 END AS DATE)) AS DOUBLE))
DATE_TRUNC('year', at)
TRY(TRY_CAST(date_trunc('year', TRY_CAST(CASE WHEN c8 >= TIMESTAMP '0001-01-01 00:00:00' AND c8 < TIMESTAMP '9999-12-31 00:00:00' THEN c8 END AS TIMESTAMP)) AS TIMESTAMP))
DATE_TRUNC('quarter', at)
TRY(TRY_CAST(date_trunc('quarter', TRY_CAST(CASE WHEN c8 >= TIMESTAMP '0001-01-01 00:00:00' AND c8 < TIMESTAMP '9999-12-31 00:00:00' THEN c8 END AS TIMESTAMP)) AS TIMESTAMP))
DATE_TRUNC('month', at)
TRY(TRY_CAST(date_trunc('month', TRY_CAST(CASE WHEN c8 >= TIMESTAMP '0001-01-01 00:00:00' AND c8 < TIMESTAMP '9999-12-31 00:00:00' THEN c8 END AS TIMESTAMP)) AS TIMESTAMP))
DATE_TRUNC('week', at)
TRY(TRY_CAST(date_trunc('week', TRY_CAST(CASE WHEN c8 >= TIMESTAMP '0001-01-01 00:00:00' AND c8 < TIMESTAMP '9999-12-31 00:00:00' THEN c8 END AS TIMESTAMP)) AS TIMESTAMP))
DATE_TRUNC('day', at)
TRY(TRY_CAST(date_trunc('day', TRY_CAST(CASE WHEN c8 >= TIMESTAMP '0001-01-01 00:00:00' AND c8 < TIMESTAMP '9999-12-31 00:00:00' THEN c8 END AS TIMESTAMP)) AS TIMESTAMP))
DATE_TRUNC('hour', at)
TRY(TRY_CAST(date_trunc('hour', TRY_CAST(CASE WHEN c8 >= TIMESTAMP '0001-01-01 00:00:00' AND c8 < TIMESTAMP '9999-12-31 00:00:00' THEN c8 END AS TIMESTAMP)) AS TIMESTAMP))
DATE_TRUNC('minute', at)
TRY(TRY_CAST(date_trunc('minute', TRY_CAST(CASE WHEN c8 >= TIMESTAMP '0001-01-01 00:00:00' AND c8 < TIMESTAMP '9999-12-31 00:00:00' THEN c8 END AS TIMESTAMP)) AS TIMESTAMP))
DATE_TRUNC('month', CAST(at AS DATE))
TRY(TRY_CAST(date_trunc('month', TRY_CAST(TRY_CAST(CASE WHEN c8 >= TIMESTAMP '0001-01-01 00:00:00' AND c8 < TIMESTAMP '9999-12-31 00:00:00' THEN c8 END AS DATE) AS TIMESTAMP)) AS DATE))
YEAR(DATE_TRUNC('month', at))
TRY(CAST(date_part('year', TRY_CAST(date_trunc('month', TRY_CAST(CASE WHEN c8 >= TIMESTAMP '0001-01-01 00:00:00' AND c8 < TIMESTAMP '9999-12-31 00:00:00' THEN c8 END AS TIMESTAMP)) AS TIMESTAMP)) AS DOUBLE))
COALESCE(at, TIMESTAMP '2026-01-01 00:00:00')
coalesce(c8, TIMESTAMP '2026-01-01 00:00:00')
at < '2026-01-01'
(c8 < TIMESTAMP '2026-01-01 00:00:00')
at >= DATE '2026-01-01'
(TRY_CAST(c8 AS TIMESTAMP) >= TRY_CAST(DATE '2026-01-01' AS TIMESTAMP))
CAST(at AS DATE) = '2026-01-01'
TRY((TRY_CAST(CASE WHEN c8 >= TIMESTAMP '0001-01-01 00:00:00' AND c8 < TIMESTAMP '9999-12-31 00:00:00' THEN c8 END AS DATE) = DATE '2026-01-01'))
-- truths
paid
c9
NOT paid
(NOT c9)
paid AND day < 9
(c9 AND (c2 < 9))
paid OR day < 9 OR cost > 3
(c9 OR (c2 < 9) OR (c4 > CAST(3 AS DOUBLE)))
paid AND (day < 9 AND cost > 3)
(c9 AND (c2 < 9) AND (c4 > CAST(3 AS DOUBLE)))
TRUE
TRUE
FALSE
FALSE
day = 3
(c2 = 3)
day <> 3
(c2 <> 3)
day != cost
(CAST(c2 AS DOUBLE) <> c4)
3 < day
(c2 > 3)
3 <= day
(c2 >= 3)
3 > day
(c2 < 3)
3 >= day
(c2 <= 3)
3 = day
(c2 = 3)
day < cost
(CAST(c2 AS DOUBLE) < c4)
ward = 'a'
(c3 = 'a')
town < ward
(c5 < c3)
paid = TRUE
c9
day BETWEEN 1 AND 3
((c2 >= 1) AND (c2 <= 3))
cost NOT BETWEEN 1 AND 3
(NOT ((c4 >= CAST(1 AS DOUBLE)) AND (c4 <= CAST(3 AS DOUBLE))))
day IN (1, 2)
(c2 IN (1, 2))
ward IN ('a', 'b')
(c3 IN ('a', 'b'))
day NOT IN (1)
(c2 <> 1)
ward IN ('b', 'a')
(c3 IN ('b', 'a'))
town IS NULL
(NOT (c5 IS NOT NULL))
cost IS NULL
(NOT coalesce(NOT isnan(c4), FALSE))
town IS NOT NULL
(NOT (NOT (c5 IS NOT NULL)))
paid IS TRUE
(c9 IS NOT DISTINCT FROM TRUE)
paid IS NOT FALSE
(NOT (c9 IS NOT DISTINCT FROM FALSE))
day IS DISTINCT FROM 3
(NOT (c2 IS NOT DISTINCT FROM 3))
day IS NOT DISTINCT FROM cost
(CAST(c2 AS DOUBLE) IS NOT DISTINCT FROM c4)
(day) = (3)
(c2 = 3)
CAST(town AS BOOLEAN)
TRY(TRY_CAST(CASE WHEN strlen(c5) <= 10000 THEN c5 ELSE left(c5, 10000) END AS BOOLEAN))
CAST(day AS BOOLEAN)
TRY(TRY_CAST(c2 AS BOOLEAN))
COALESCE(paid, FALSE)
coalesce(c9, FALSE)
