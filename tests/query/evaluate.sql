-- released values and their bars
n
100 [91.0, 109.0] integer
n + 1
101 [92.0, 110.0] integer
n - s
87.5 [78.0, 97.0] real
n * s
1250.0 [1092.0, 1417.0] real
n / 4
25.0 [22.75, 27.25] real
n / 0
None real
n / (n - 100)
None real
s / n
0.125 [0.11009174311926606, 0.14285714285714285] real
-n
-100 [-109.0, -91.0] integer
ABS(n - 100)
0 [0.0, 9.0] integer
ABS(50 - n)
50 [41.0, 59.0] integer
SIGN(n)
1 integer
FLOOR(n / 7)
14 [13.0, 15.0] integer
CEIL(n / 7)
15 [13.0, 16.0] integer
ROUND(n / 8)
13.0 [11.0, 14.0] real
ROUND(n / 7, 2)
14.29 [13.0, 15.57] real
ROUND(5 / 2)
3.0 real
ROUND(-5 / 2)
-3.0 real
SQRT(n)
10.0 [9.539392014169456, 10.44030650891055] real
SQRT(n - 200)
None real
LN(n)
4.605170185988092 [4.51085950651685, 4.6913478822291435] real
LN(n - 100)
None real
LOG2(n)
6.643856189774724 [6.507794640198696, 6.768184324776926] real
LOG10(n)
2.0 [1.9590413923210936, 2.037426497940624] real
EXP(n / 10)
22026.465794806718 [8955.292703482508, 54176.36379669875] real
EXP(n * 10)
None real
POW(n, 2)
10000.0 [8281.0, 11881.0] real
POW(n - 100, 2)
0.0 [0.0, 81.0] real
POW(n, 0.5)
10.0 [9.539392014169456, 10.44030650891055] real
POW(n, 300000)
None real
MOD(n, 7)
2 integer
MOD(n, 0)
None integer
n % 7
2 integer
n // 7
14 [13.0, 15.0] integer
LEAST(n, 7)
7 [7.0, 7.0] integer
LEAST(n, 105)
100 [91.0, 105.0] integer
GREATEST(n, 700)
700 [700.0, 700.0] integer
GREATEST(n, s)
100.0 [91.0, 109.0] real
COALESCE(n / 0, -1)
-1.0 real
COALESCE(n, -1)
100 [91.0, 109.0] integer
NULLIF(n, 100)
None integer
NULLIF(n, 99)
100 integer
CASE WHEN n > 50 THEN n ELSE s END
100.0 [91.0, 109.0] real
CASE WHEN n > 500 THEN 1 END
None integer
CASE WHEN n > 50 THEN 'many' ELSE 'few' END
'many' text
IF(n > 50, s, 0)
12.5 [12.0, 13.0] real
n > 50
True boolean
n > 100
False boolean
n >= 100
True boolean
n = 100
True boolean
n <> 100
False boolean
n > 50 AND s < 1
False boolean
n > 50 OR s < 1
True boolean
NOT n > 50
False boolean
n / 0 > 1
None boolean
n / 0 > 1 AND n > 500
False boolean
n / 0 > 1 OR n > 50
True boolean
n BETWEEN 99 AND 101
True boolean
n IN (99, 100)
True boolean
n IN (99)
False boolean
n IS NULL
False boolean
n / 0 IS NULL
True boolean
n IS DISTINCT FROM 100
False boolean
n IS NOT DISTINCT FROM 100
True boolean
CAST(n AS TEXT)
'100' text
CAST(s AS TEXT)
'12.5' text
CAST(n / 8 AS INTEGER)
12 [11.0, 14.0] integer
CAST(n / 8 AS TEXT)
'12.5' text
CAST(n > 3 AS TEXT)
'true' text
CAST(n AS DOUBLE)
100.0 [91.0, 109.0] real
CAST(n AS BOOLEAN)
True boolean
ward
'b' text
UPPER(ward)
'B' text
LOWER('ÀB')
'àb' text
ward || '!'
'b!' text
CONCAT(ward, 'x', 'y')
'bxy' text
LENGTH(ward)
1 integer
SUBSTRING('hello', 2, 3)
'ell' text
SUBSTRING('hello', 0, 2)
'h' text
TRIM('  a  ')
'a' text
REPLACE('banana', 'an', 'x')
'bxxa' text
REPLACE('banana', '', 'x')
'banana' text
STARTS_WITH(ward, 'b')
True boolean
CONTAINS('abc', ward)
True boolean
ward LIKE 'b%'
True boolean
ward LIKE '_'
True boolean
ward NOT LIKE 'a%'
True boolean
ward ILIKE 'B'
True boolean
CAST('12' AS INTEGER)
12 integer
CAST('1e3' AS DOUBLE)
1000.0 real
CAST(' 12 ' AS INTEGER)
12 integer
CAST('x' AS INTEGER)
None integer
CAST('2026-02-28' AS DATE)
datetime.date(2026, 2, 28) date
CAST('2026-02-30' AS DATE)
refused: not a date: '2026-02-30' (line 1, column 84) | hint: write '2026-01-31'
YEAR(CAST('2026-02-28' AS DATE))
2026 integer
QUARTER(CAST('2026-02-28' AS DATE))
1 integer
WEEK(CAST('2026-01-01' AS DATE))
1 integer
DAYOFWEEK(CAST('2026-11-17' AS DATE))
2 integer
DAYOFYEAR(CAST('2024-12-31' AS DATE))
366 integer
HOUR(CAST('2026-02-28 13:45:59' AS TIMESTAMP))
13 integer
MINUTE(CAST('2026-02-28 13:45:59' AS TIMESTAMP))
45 integer
DATE_TRUNC('month', CAST('2026-02-28' AS DATE))
datetime.date(2026, 2, 1) date
DATE_TRUNC('day', CAST('2026-02-28 13:45:59' AS TIMESTAMP))
datetime.datetime(2026, 2, 28, 0, 0) timestamp
DATE_TRUNC('hour', CAST('2026-02-28 13:45:59' AS TIMESTAMP))
datetime.datetime(2026, 2, 28, 13, 0) timestamp
DATE_TRUNC('week', CAST('2026-11-17' AS DATE))
datetime.date(2026, 11, 16) date
CAST(CAST('2026-02-28 13:45:59' AS TIMESTAMP) AS DATE)
datetime.date(2026, 2, 28) date
n + s * 2 - 1
124.0 [114.0, 134.0] real
(n + 1) * (n - 1)
9999 [8280.0, 11880.0] integer
s / (n - 91)
1.3888888888888888 real
s / (n - 90)
1.25 [0.631578947368421, 13.0] real
