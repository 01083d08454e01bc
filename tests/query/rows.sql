-- numbers
day
day#2 | integer 0..364 on 1 | 1 leaves, 0 bytes, 0 steps
cost
cost#4 | real 0..100 on 1/100 | 1 leaves, 0 bytes, 0 steps
half
half#7 | real | 1 leaves, 0 bytes, 0 steps
code
code#6 | integer on 1 | 1 leaves, 0 bytes, 0 steps
day + 1
day#2 + 1 | integer 1..365 on 1 | 3 leaves, 0 bytes, 1 steps
day - cost
day#2 - cost#4 | real -100..364 on 1/100 | 3 leaves, 0 bytes, 1 steps
day * cost
day#2 * cost#4 | real 0..36400 on 1/100 | 3 leaves, 0 bytes, 1 steps
cost * cost
cost#4 * cost#4 | real 0..10000 on 1/10000 | 3 leaves, 0 bytes, 1 steps
day / 7
day#2 / 7 | real 0..52 on 1/7 | 3 leaves, 0 bytes, 1 steps
day / cost
day#2 / cost#4 | real | 3 leaves, 0 bytes, 1 steps
cost / 0
cost#4 / 0 | real | 3 leaves, 0 bytes, 1 steps
-day
neg(day#2) | integer -364..0 on 1 | 2 leaves, 0 bytes, 1 steps
- (day + 1)
neg(day#2 + 1) | integer -365..-1 on 1 | 4 leaves, 0 bytes, 2 steps
day % 7
mod(day#2, 7) | integer 0..6 on 1 | 3 leaves, 0 bytes, 1 steps
MOD(day, 7)
mod(day#2, 7) | integer 0..6 on 1 | 3 leaves, 0 bytes, 1 steps
MOD(day, -7)
mod(day#2, -7) | integer 0..6 on 1 | 3 leaves, 0 bytes, 1 steps
MOD(-day, 7)
mod(neg(day#2), 7) | integer -6..0 on 1 | 4 leaves, 0 bytes, 2 steps
MOD(cost, 3)
mod(cost#4, 3) | real 0..3 | 3 leaves, 0 bytes, 1 steps
MOD(day, cost)
mod(day#2, cost#4) | real 0..100 | 3 leaves, 0 bytes, 1 steps
MOD(half, 3)
mod(half#7, 3) | real -3..3 | 3 leaves, 0 bytes, 1 steps
day // 7
trunc(day#2 / 7) | integer 0..52 on 1 | 4 leaves, 0 bytes, 2 steps
ABS(day - 100)
abs(day#2 - 100) | integer 0..264 on 1 | 4 leaves, 0 bytes, 2 steps
ABS(-cost)
abs(neg(cost#4)) | real 0..100 on 1/100 | 3 leaves, 0 bytes, 2 steps
ABS(half)
abs(half#7) | real 0.. | 2 leaves, 0 bytes, 1 steps
SIGN(day - 5)
sign(day#2 - 5) | integer -1..1 on 1 | 4 leaves, 0 bytes, 2 steps
SIGN(half)
sign(half#7) | integer -1..1 on 1 | 2 leaves, 0 bytes, 1 steps
FLOOR(cost)
floor(cost#4) | integer 0..100 on 1 | 2 leaves, 0 bytes, 1 steps
FLOOR(half)
floor(half#7) | integer on 1 | 2 leaves, 0 bytes, 1 steps
CEIL(cost)
ceil(cost#4) | integer 0..100 on 1 | 2 leaves, 0 bytes, 1 steps
CEILING(cost / 3)
ceil(cost#4 / 3) | integer 0..34 on 1 | 4 leaves, 0 bytes, 2 steps
ROUND(cost)
round(cost#4) | real 0..100 on 1 | 2 leaves, 0 bytes, 1 steps
ROUND(cost, 1)
round(cost#4, 1) | real 0..100 on 1/10 | 3 leaves, 0 bytes, 1 steps
ROUND(day, 0)
round(day#2, 0) | real 0..364 on 1 | 3 leaves, 0 bytes, 1 steps
ROUND(half, 2)
round(half#7, 2) | real on 1/100 | 3 leaves, 0 bytes, 1 steps
ROUND(cost / 3, 12)
round(cost#4 / 3, 12) | real 0..16666666666667/500000000000 on 1/1000000000000 | 5 leaves, 0 bytes, 2 steps
SQRT(cost)
sqrt(cost#4) | real -1/1099511627776..10995116277771/1099511627776 | 4 leaves, 0 bytes, 2 steps
SQRT(day - 100)
sqrt(day#2 - 100) | real -1/1099511627776..1257134052725086156076461571/77371252455336267181195264 | 8 leaves, 0 bytes, 4 steps
SQRT(half)
sqrt(half#7) | real | 4 leaves, 0 bytes, 2 steps
LN(day + 1)
ln(day#2 + 1) | real -1/1099511627776..7303719161681389183844586291/1237940039285380274899124224 | 8 leaves, 0 bytes, 4 steps
LN(cost)
ln(cost#4) | real | 4 leaves, 0 bytes, 2 steps
LN(half)
ln(half#7) | real | 4 leaves, 0 bytes, 2 steps
LOG2(day + 1)
log2(day#2 + 1) | real -1/1099511627776..5268519707301469328267748587/618970019642690137449562112 | 8 leaves, 0 bytes, 4 steps
LOG10(day + 1)
log10(day#2 + 1) | real -1/1099511627776..3171964929289908555903563129/1237940039285380274899124224 | 8 leaves, 0 bytes, 4 steps
LOG(day + 1)
log10(day#2 + 1) | real -1/1099511627776..3171964929289908555903563129/1237940039285380274899124224 | 8 leaves, 0 bytes, 4 steps
LOG(2, day + 1)
log2(day#2 + 1) | real -1/1099511627776..5268519707301469328267748587/618970019642690137449562112 | 8 leaves, 0 bytes, 4 steps
LOG(10, day + 1)
log10(day#2 + 1) | real -1/1099511627776..3171964929289908555903563129/1237940039285380274899124224 | 8 leaves, 0 bytes, 4 steps
EXP(cost / 10)
exp(cost#4 / 10) | real 549755813887/549755813888..208034087611129104107874347/9444732965739290427392 | 4 leaves, 0 bytes, 2 steps
EXP(day * 10)
exp(day#2 * 10) | real | 4 leaves, 0 bytes, 2 steps
EXP(half)
exp(half#7) | real | 2 leaves, 0 bytes, 1 steps
POW(day, 2)
pow(day#2, 2) | real 0..132496 on 1 | 3 leaves, 0 bytes, 1 steps
POW(day - 100, 2)
pow(day#2 - 100, 2) | real 0..69696 on 1 | 5 leaves, 0 bytes, 2 steps
POW(day - 100, 3)
pow(day#2 - 100, 3) | real -1000000..18399744 on 1 | 5 leaves, 0 bytes, 2 steps
POW(day, 0.5)
pow(day#2, 0.5) | real | 3 leaves, 0 bytes, 1 steps
POW(cost, 64)
pow(cost#4, 64) | real 0..100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 on 1/100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 | 3 leaves, 0 bytes, 1 steps
POW(2, day)
pow(2, day#2) | real | 3 leaves, 0 bytes, 1 steps
POWER(day, 2)
pow(day#2, 2) | real 0..132496 on 1 | 3 leaves, 0 bytes, 1 steps
SQUARE(day)
refused: SQUARE(…) is not answered (line 1, column 8) | hint: did you mean QUARTER or SQRT? see docs/sql.md for the functions there are
LEAST(day, 5)
least(day#2, 5) | integer 0..5 on 1 | 3 leaves, 0 bytes, 1 steps
LEAST(half, 5)
least(half#7, 5) | real ..5 | 3 leaves, 0 bytes, 1 steps
LEAST(half, 5, day)
least(half#7, 5, day#2) | real ..5 | 4 leaves, 0 bytes, 1 steps
GREATEST(day, 5)
greatest(day#2, 5) | integer 5..364 on 1 | 3 leaves, 0 bytes, 1 steps
GREATEST(half, 0)
greatest(half#7, 0) | real 0.. | 3 leaves, 0 bytes, 1 steps
LEAST(GREATEST(half, 0), 5)
least(greatest(half#7, 0), 5) | real 0..5 | 5 leaves, 0 bytes, 2 steps
GREATEST(LEAST(half, 5), 0)
greatest(least(half#7, 5), 0) | real 0..5 | 5 leaves, 0 bytes, 2 steps
COALESCE(day, 0)
coalesce(day#2, 0) | integer 0..364 on 1 | 3 leaves, 0 bytes, 1 steps
COALESCE(half, 0)
coalesce(half#7, 0) | real | 3 leaves, 0 bytes, 1 steps
COALESCE(cost, -5)
coalesce(cost#4, -5) | real -5..100 on 1/100 | 3 leaves, 0 bytes, 1 steps
COALESCE(day, cost)
coalesce(day#2, cost#4) | real 0..364 on 1/100 | 3 leaves, 0 bytes, 1 steps
NULLIF(day, 3)
nullif(day#2, 3) | integer 0..364 on 1 | 6 leaves, 0 bytes, 2 steps
NULLIF(cost, half)
nullif(cost#4, half#7) | real 0..100 on 1/100 | 6 leaves, 0 bytes, 2 steps
IF(paid, day, 0)
case(paid#9, day#2, 0) | integer 0..364 on 1 | 4 leaves, 0 bytes, 1 steps
IF(paid, day, cost)
case(paid#9, day#2, cost#4) | real 0..364 on 1/100 | 4 leaves, 0 bytes, 1 steps
CASE WHEN paid THEN day ELSE 1000 END
case(paid#9, day#2, 1000) | integer 0..1000 on 1 | 4 leaves, 0 bytes, 1 steps
CASE WHEN paid THEN cost END
case(paid#9, cost#4) | real 0..100 on 1/100 | 3 leaves, 0 bytes, 1 steps
CASE ward WHEN 'a' THEN 1 WHEN 'b' THEN 2 ELSE 3 END
case(ward#3 = 'a', 1, ward#3 = 'b', 2, 3) | integer 1..3 on 1 | 10 leaves, 0 bytes, 20005 steps
CAST(cost AS INTEGER)
cast_integer(cost#4) | integer 0..100 on 1 | 2 leaves, 0 bytes, 1 steps
CAST(half AS INTEGER)
cast_integer(half#7) | integer on 1 | 2 leaves, 0 bytes, 1 steps
CAST(day AS DOUBLE)
cast_real(day#2) | real 0..364 on 1 | 2 leaves, 0 bytes, 1 steps
CAST(paid AS INTEGER)
cast_integer(paid#9) | integer on 1 | 2 leaves, 0 bytes, 1 steps
CAST(town AS INTEGER)
cast_integer(town#5) | integer on 1 | 4 leaves, 80000 bytes, 20001 steps
CAST(town AS DOUBLE)
cast_real(town#5) | real | 4 leaves, 80000 bytes, 20001 steps
CAST(day / 7 AS BIGINT)
cast_integer(day#2 / 7) | integer 0..52 on 1 | 4 leaves, 0 bytes, 2 steps
CAST(cost AS REAL)
cost#4 | real 0..100 on 1/100 | 1 leaves, 0 bytes, 0 steps
1 + 1
2 | integer 2..2 on 2 | 1 leaves, 0 bytes, 0 steps
2 * 3 - 7
-1 | integer -1..-1 on 1 | 1 leaves, 0 bytes, 0 steps
1 / 2
1 / 2 | real 1/2..1/2 on 1/2 | 3 leaves, 0 bytes, 1 steps
9007199254740993 + 0
9007199254740993 + 0 | integer 9007199254740993..9007199254740993 | 3 leaves, 0 bytes, 1 steps
1e300 * day
1e+300 * day#2 | real 0.. on 1000000000000000052504760255204420248704468581108159154915854115511802457988908195786371375080447864043704443832883878176942523235360430575644792184786706982848387200926575803737830233794788090059368953234970799945081119038967640880074652742780142494579258788820056842838115669472196386865459400540160 | 3 leaves, 0 bytes, 1 steps
0.1 + 0.2
0.1 + 0.2 | real 10808639105689191/36028797018963968..10808639105689191/36028797018963968 on 3602879701896397/36028797018963968 | 3 leaves, 0 bytes, 1 steps
-- texts
town
town#5 | text any length | 1 leaves, 0 bytes, 0 steps
ward
ward#3 | text any length | 1 leaves, 0 bytes, 0 steps
LOWER(town)
lower(town#5) | text to 10000 characters | 4 leaves, 80000 bytes, 20000 steps
UPPER(ward)
upper(ward#3) | text to 10000 characters | 4 leaves, 80000 bytes, 20000 steps
TRIM(town)
trim(town#5) | text to 10000 characters | 4 leaves, 80000 bytes, 20000 steps
LOWER(TRIM(town))
lower(trim(town#5)) | text to 10000 characters | 5 leaves, 120000 bytes, 40000 steps
LENGTH(town)
length(town#5) | integer 0.. on 1 | 4 leaves, 40000 bytes, 10001 steps
LENGTH(ward)
length(ward#3) | integer 0.. on 1 | 4 leaves, 40000 bytes, 10001 steps
LENGTH('abc')
length('abc') | integer 0.. on 1 | 2 leaves, 0 bytes, 4 steps
SUBSTRING(town, 2)
substring(town#5, 2) | text to 10000 characters | 5 leaves, 80000 bytes, 20000 steps
SUBSTRING(town, 2, 3)
substring(town#5, 2, 3) | text to 3 characters | 6 leaves, 40012 bytes, 10003 steps
SUBSTRING('hello', 2, 3)
substring('hello', 2, 3) | text to 3 characters | 4 leaves, 12 bytes, 8 steps
SUBSTRING(town, 0, 0)
substring(town#5, 0, 0) | text to 0 characters | 6 leaves, 40000 bytes, 10000 steps
SUBSTR(town, 1, 1)
substring(town#5, 1, 1) | text to 1 characters | 6 leaves, 40004 bytes, 10001 steps
town || ward
concat(town#5, ward#3) | text to 10000 characters | 7 leaves, 240000 bytes, 60000 steps
town || '-' || ward
concat(concat(town#5, '-'), ward#3) | text to 10000 characters | 9 leaves, 400000 bytes, 110001 steps
CONCAT(town, 'x')
concat(coalesce(town#5, ''), 'x') | text to 10000 characters | 11 leaves, 200000 bytes, 80004 steps
CONCAT('a', 'b', 'c')
concat('a', 'b', 'c') | text to 3 characters | 4 leaves, 48 bytes, 15 steps
REPLACE(town, 'a', 'b')
replace(town#5, 'a', 'b') | text to 10000 characters | 6 leaves, 120000 bytes, 30080 steps
REPLACE(town, 'a', 'bbb')
replace(town#5, 'a', 'bbb') | text to 10000 characters | 6 leaves, 200000 bytes, 70082 steps
REPLACE(town, '', 'b')
replace(town#5, '', 'b') | text to 10000 characters | 6 leaves, 120000 bytes, 30001 steps
REPLACE('abc', 'b', 'xyz')
replace('abc', 'b', 'xyz') | text to 9 characters | 4 leaves, 72 bytes, 25 steps
REPLACE(SUBSTRING(town, 1, 10), 'a', 'bb')
replace(substring(town#5, 1, 10), 'a', 'bb') | text to 20 characters | 9 leaves, 40200 bytes, 10063 steps
STARTS_WITH(town, 'a')
starts_with(town#5, 'a') | boolean | 5 leaves, 40000 bytes, 10002 steps
PREFIX(town, 'a')
starts_with(town#5, 'a') | boolean | 5 leaves, 40000 bytes, 10002 steps
CONTAINS(town, 'a')
contains(town#5, 'a') | boolean | 5 leaves, 40000 bytes, 10079 steps
CONTAINS(town, ward)
contains(town#5, ward#3) | boolean | 7 leaves, 80000 bytes, 801250 steps
town LIKE 'a%'
like(town#5, 'a%') | boolean | 5 leaves, 40000 bytes, 10158 steps
town LIKE '_b'
like(town#5, '_b') | boolean | 5 leaves, 40000 bytes, 30002 steps
town ILIKE 'A%'
ilike(town#5, 'A%') | boolean | 5 leaves, 80000 bytes, 30002 steps
town NOT LIKE 'a%'
not(like(town#5, 'a%')) | boolean | 6 leaves, 40000 bytes, 10159 steps
ward LIKE town
refused: LIKE takes a constant pattern (line 1, column 8) | hint: column LIKE 'x%'
CAST(day AS TEXT)
cast_text(day#2) | text to 40 characters | 2 leaves, 160 bytes, 40 steps
CAST(cost AS VARCHAR)
cast_text(cost#4) | text to 40 characters | 2 leaves, 160 bytes, 40 steps
CAST(paid AS TEXT)
cast_text(paid#9) | text to 40 characters | 2 leaves, 160 bytes, 40 steps
CAST(at AS TEXT)
cast_text(at#8) | text to 40 characters | 4 leaves, 160 bytes, 40 steps
COALESCE(town, 'none')
coalesce(town#5, 'none') | text any length | 3 leaves, 0 bytes, 10005 steps
NULLIF(town, '')
nullif(town#5, '') | text any length | 6 leaves, 0 bytes, 20002 steps
IF(paid, town, ward)
case(paid#9, town#5, ward#3) | text any length | 4 leaves, 0 bytes, 20001 steps
CASE WHEN paid THEN 'yes' ELSE 'no' END
case(paid#9, 'yes', 'no') | text to 3 characters | 4 leaves, 0 bytes, 6 steps
'it''s'
"it's" | text to 4 characters | 1 leaves, 0 bytes, 0 steps
''
'' | text to 0 characters | 1 leaves, 0 bytes, 0 steps
-- days and moments
at
at#8 | timestamp any day | 1 leaves, 0 bytes, 0 steps
CAST(at AS DATE)
cast_date(at#8) | date in the calendar | 4 leaves, 0 bytes, 1 steps
CAST(town AS DATE)
cast_date(town#5) | date in the calendar | 10 leaves, 80000 bytes, 20001 steps
CAST(town AS TIMESTAMP)
cast_timestamp(town#5) | timestamp in the calendar | 10 leaves, 80000 bytes, 20001 steps
CAST(CAST(at AS DATE) AS TIMESTAMP)
cast_timestamp(cast_date(at#8)) | timestamp in the calendar | 5 leaves, 0 bytes, 2 steps
DATE '2026-01-31'
datetime.date(2026, 1, 31) | date in the calendar | 1 leaves, 0 bytes, 0 steps
TIMESTAMP '2026-01-31 12:00:00'
datetime.datetime(2026, 1, 31, 12, 0) | timestamp in the calendar | 1 leaves, 0 bytes, 0 steps
YEAR(at)
year(at#8) | integer on 1 | 4 leaves, 0 bytes, 1 steps
QUARTER(at)
quarter(at#8) | integer 1..4 on 1 | 4 leaves, 0 bytes, 1 steps
MONTH(at)
month(at#8) | integer 1..12 on 1 | 4 leaves, 0 bytes, 1 steps
WEEK(at)
week(at#8) | integer 1..53 on 1 | 4 leaves, 0 bytes, 1 steps
DAY(at)
day(at#8) | integer 1..31 on 1 | 4 leaves, 0 bytes, 1 steps
DAYOFWEEK(at)
dayofweek(at#8) | integer 0..6 on 1 | 4 leaves, 0 bytes, 1 steps
DAYOFYEAR(at)
dayofyear(at#8) | integer 1..366 on 1 | 4 leaves, 0 bytes, 1 steps
HOUR(at)
hour(at#8) | integer 0..23 on 1 | 4 leaves, 0 bytes, 1 steps
MINUTE(at)
minute(at#8) | integer 0..59 on 1 | 4 leaves, 0 bytes, 1 steps
EXTRACT(year FROM at)
year(at#8) | integer on 1 | 4 leaves, 0 bytes, 1 steps
EXTRACT(dow FROM at)
dayofweek(at#8) | integer 0..6 on 1 | 4 leaves, 0 bytes, 1 steps
EXTRACT(doy FROM at)
dayofyear(at#8) | integer 1..366 on 1 | 4 leaves, 0 bytes, 1 steps
EXTRACT(month FROM CAST(at AS DATE))
month(cast_date(at#8)) | integer 1..12 on 1 | 5 leaves, 0 bytes, 2 steps
DATE_TRUNC('year', at)
trunc_year(at#8) | timestamp in the calendar | 4 leaves, 0 bytes, 1 steps
DATE_TRUNC('quarter', at)
trunc_quarter(at#8) | timestamp in the calendar | 4 leaves, 0 bytes, 1 steps
DATE_TRUNC('month', at)
trunc_month(at#8) | timestamp in the calendar | 4 leaves, 0 bytes, 1 steps
DATE_TRUNC('week', at)
trunc_week(at#8) | timestamp in the calendar | 4 leaves, 0 bytes, 1 steps
DATE_TRUNC('day', at)
trunc_day(at#8) | timestamp in the calendar | 4 leaves, 0 bytes, 1 steps
DATE_TRUNC('hour', at)
trunc_hour(at#8) | timestamp in the calendar | 4 leaves, 0 bytes, 1 steps
DATE_TRUNC('minute', at)
trunc_minute(at#8) | timestamp in the calendar | 4 leaves, 0 bytes, 1 steps
DATE_TRUNC('month', CAST(at AS DATE))
trunc_month(cast_date(at#8)) | date in the calendar | 5 leaves, 0 bytes, 2 steps
YEAR(DATE_TRUNC('month', at))
year(trunc_month(at#8)) | integer on 1 | 5 leaves, 0 bytes, 2 steps
COALESCE(at, TIMESTAMP '2026-01-01 00:00:00')
coalesce(at#8, datetime.datetime(2026, 1, 1, 0, 0)) | timestamp any day | 3 leaves, 0 bytes, 1 steps
at < '2026-01-01'
at#8 < datetime.datetime(2026, 1, 1, 0, 0) | boolean | 3 leaves, 0 bytes, 1 steps
at >= DATE '2026-01-01'
at#8 >= datetime.date(2026, 1, 1) | boolean | 3 leaves, 0 bytes, 1 steps
CAST(at AS DATE) = '2026-01-01'
cast_date(at#8) = datetime.date(2026, 1, 1) | boolean | 6 leaves, 0 bytes, 2 steps
-- truths
paid
paid#9 | boolean | 1 leaves, 0 bytes, 0 steps
NOT paid
not(paid#9) | boolean | 2 leaves, 0 bytes, 1 steps
paid AND day < 9
(paid#9 and day#2 < 9) | boolean | 5 leaves, 0 bytes, 2 steps
paid OR day < 9 OR cost > 3
(paid#9 or day#2 < 9 or cost#4 > 3) | boolean | 8 leaves, 0 bytes, 3 steps
paid AND (day < 9 AND cost > 3)
(paid#9 and day#2 < 9 and cost#4 > 3) | boolean | 8 leaves, 0 bytes, 3 steps
TRUE
True | boolean | 1 leaves, 0 bytes, 0 steps
FALSE
False | boolean | 1 leaves, 0 bytes, 0 steps
day = 3
day#2 = 3 | boolean | 3 leaves, 0 bytes, 1 steps
day <> 3
day#2 <> 3 | boolean | 3 leaves, 0 bytes, 1 steps
day != cost
day#2 <> cost#4 | boolean | 3 leaves, 0 bytes, 1 steps
3 < day
day#2 > 3 | boolean | 3 leaves, 0 bytes, 1 steps
3 <= day
day#2 >= 3 | boolean | 3 leaves, 0 bytes, 1 steps
3 > day
day#2 < 3 | boolean | 3 leaves, 0 bytes, 1 steps
3 >= day
day#2 <= 3 | boolean | 3 leaves, 0 bytes, 1 steps
3 = day
day#2 = 3 | boolean | 3 leaves, 0 bytes, 1 steps
day < cost
day#2 < cost#4 | boolean | 3 leaves, 0 bytes, 1 steps
ward = 'a'
ward#3 = 'a' | boolean | 3 leaves, 0 bytes, 10002 steps
town < ward
town#5 < ward#3 | boolean | 3 leaves, 0 bytes, 20001 steps
paid = TRUE
paid#9 | boolean | 1 leaves, 0 bytes, 0 steps
day BETWEEN 1 AND 3
(day#2 >= 1 and day#2 <= 3) | boolean | 7 leaves, 0 bytes, 3 steps
cost NOT BETWEEN 1 AND 3
not((cost#4 >= 1 and cost#4 <= 3)) | boolean | 8 leaves, 0 bytes, 4 steps
day IN (1, 2)
in(day#2, 1, 2) | boolean | 4 leaves, 0 bytes, 3 steps
ward IN ('a', 'b')
in(ward#3, 'a', 'b') | boolean | 4 leaves, 0 bytes, 3 steps
day NOT IN (1)
day#2 <> 1 | boolean | 3 leaves, 0 bytes, 1 steps
ward IN ('b', 'a')
in(ward#3, 'b', 'a') | boolean | 4 leaves, 0 bytes, 3 steps
town IS NULL
is_null(town#5) | boolean | 4 leaves, 0 bytes, 20002 steps
cost IS NULL
is_null(cost#4) | boolean | 4 leaves, 0 bytes, 2 steps
town IS NOT NULL
not(is_null(town#5)) | boolean | 5 leaves, 0 bytes, 20003 steps
paid IS TRUE
same(paid#9, True) | boolean | 3 leaves, 0 bytes, 1 steps
paid IS NOT FALSE
not(same(paid#9, False)) | boolean | 4 leaves, 0 bytes, 2 steps
day IS DISTINCT FROM 3
not(same(day#2, 3)) | boolean | 4 leaves, 0 bytes, 2 steps
day IS NOT DISTINCT FROM cost
same(day#2, cost#4) | boolean | 3 leaves, 0 bytes, 1 steps
(day) = (3)
day#2 = 3 | boolean | 3 leaves, 0 bytes, 1 steps
CAST(town AS BOOLEAN)
cast_boolean(town#5) | boolean | 4 leaves, 80000 bytes, 20001 steps
CAST(day AS BOOLEAN)
cast_boolean(day#2) | boolean | 2 leaves, 0 bytes, 1 steps
COALESCE(paid, FALSE)
coalesce(paid#9, False) | boolean | 3 leaves, 0 bytes, 1 steps
-- what is refused
NULL
refused: NULL stands where a value is needed (line 1, column 16) | hint: use IS NULL, or leave ELSE out
day + town
refused: arithmetic needs numbers, found text (line 1, column 8) | hint: CAST it first
paid + 1
refused: arithmetic needs numbers, found boolean (line 1, column 8) | hint: CAST it first
-town
refused: needs a number, found text (line 1, column 9) | hint: CAST it first
NOT day
refused: a condition must be true or false, found integer (line 1, column 12) | hint: compare it
day AND paid
refused: a condition must be true or false, found integer (line 1, column 8) | hint: compare it
day = town
refused: compares integer with text (line 1, column 8) | hint: compare like with like, or CAST
day < paid
refused: compares integer with boolean (line 1, column 8) | hint: compare like with like, or CAST
at = 3
refused: compares timestamp with integer (line 1, column 8) | hint: compare like with like, or CAST
at < 'soon'
refused: not a date: 'soon' (line 1, column 8) | hint: write '2026-01-31'
DATE '2026-02-30'
refused: not a date: '2026-02-30' (line 1, column 13) | hint: write '2026-01-31'
town IN (SELECT 1)
refused: IN (SELECT …) is not answered (line 1, column 8) | hint: join in FROM instead
day IN (cost)
refused: IN (…) takes constants (line 1, column 8) | hint: compare columns with =
day IN ('a')
refused: compares integer with text (line 1, column 8) | hint: compare like with like, or CAST
day IS 3
refused: IS takes NULL, TRUE or FALSE (line 1, column 8) | hint: use = to compare
town IS TRUE
refused: IS takes NULL, TRUE or FALSE (line 1, column 8) | hint: use = to compare
town LIKE ward
refused: LIKE takes a constant pattern (line 1, column 8) | hint: column LIKE 'x%'
day LIKE '3%'
refused: LIKE takes text, found integer (line 1, column 8) | hint: CAST it first
COALESCE(day, town)
refused: mixes integer and text (line 1, column 8) | hint: CAST them alike
CASE WHEN paid THEN 1 ELSE 'a' END
refused: mixes integer and text (line 1, column 18) | hint: CAST them alike
CASE WHEN day THEN 1 END
refused: a condition must be true or false, found integer (line 1, column 18) | hint: compare it
NULLIF(day, town)
refused: compares integer with text (line 1, column 8) | hint: compare like with like, or CAST
IF(day, 1, 2)
refused: a condition must be true or false, found integer (line 1, column 11) | hint: compare it
CAST(at AS INTEGER)
refused: CAST of timestamp to integer has no values (line 1, column 13) | hint: CAST a text
CAST(day AS DATE)
refused: CAST of integer to date has no values (line 1, column 13) | hint: CAST a text
CAST(day AS BLOB)
refused: CAST to VARBINARY is not answered (line 1, column 13) | hint: integer, double, text, date…
CAST(day AS DECIMAL)
cast_real(day#2) | real 0..364 on 1 | 2 leaves, 0 bytes, 1 steps
CAST(day AS DECIMAL(5, 2))
refused: CAST to DECIMAL(5, 2) is not answered (line 1, column 13) | hint: leave the size out; ROUND(x, 2) and SUBSTRING cut
CAST(town AS VARCHAR(3))
town#5 | text any length | 1 leaves, 0 bytes, 0 steps
TRY_CAST(town AS INTEGER)
cast_integer(town#5) | integer on 1 | 4 leaves, 80000 bytes, 20001 steps
day::DOUBLE
cast_real(day#2) | real 0..364 on 1 | 2 leaves, 0 bytes, 1 steps
LOG(3, day)
refused: logarithms have base 2, 10 or e (line 1, column 8) | hint: LN(x) / LN(base)
LOG(day, 2)
refused: logarithms have base 2, 10 or e (line 1, column 8) | hint: LN(x) / LN(base)
SQRT(town)
refused: SQRT(…) takes number, found text (line 1, column 8) | hint: CAST it first
LOWER(day)
refused: LOWER(…) takes text, found integer (line 1, column 8) | hint: CAST it first
LENGTH(day)
refused: LENGTH(…) takes text, found integer (line 1, column 8) | hint: CAST it first
SUBSTRING(town, day)
refused: SUBSTRING(…) takes constant positions from 1 to 10000 (line 1, column 18) | hint: write numbers
SUBSTRING(town, -1)
refused: SUBSTRING(…) takes constant positions from 1 to 10000 (line 1, column 18) | hint: write numbers
SUBSTRING(town, 1, 20000)
refused: SUBSTRING(…) takes constant positions from 1 to 10000 (line 1, column 18) | hint: write numbers
ROUND(cost, day)
refused: ROUND(…) takes constant positions from 1 to 10000 (line 1, column 8) | hint: write numbers
ROUND(cost, 20000)
refused: ROUND(…) takes constant positions from 1 to 10000 (line 1, column 8) | hint: write numbers
REPLACE(town, ward, 'x')
refused: REPLACE(…) takes constant words of up to 10000 characters (line 1, column 8) | hint: REPLACE(column, 'from', 'to')
REPLACE(town, 'a')
refused: REPLACE(…) takes another number of operands (line 1, column 8) | hint: see docs/sql.md for the functions there are
YEAR(town)
refused: YEAR(…) takes date, found text (line 1, column 8) | hint: CAST it first
YEAR(day)
refused: YEAR(…) takes date, found integer (line 1, column 8) | hint: CAST it first
EXTRACT(second FROM at)
refused: EXTRACT(SECOND …) is not answered (line 1, column 28) | hint: one of day, hour, minute, month, quarter, week, year
EXTRACT(epoch FROM at)
refused: EXTRACT(EPOCH …) is not answered (line 1, column 27) | hint: one of day, hour, minute, month, quarter, week, year
DATE_TRUNC('decade', at)
refused: DATE_TRUNC takes a unit and a date (line 1, column 8) | hint: one of day, hour, minute, month, quarter, week, year
DATE_TRUNC('month', town)
refused: DATE_TRUNC takes a unit and a date (line 1, column 8) | hint: one of day, hour, minute, month, quarter, week, year
STARTS_WITH(town)
refused: the question is not SQL: it could not be read (line 1, column 24) | hint: see docs/sql.md for what is answered
STARTS_WITH(day, 'a')
refused: STARTS_WITH(…) takes text, found integer (line 1, column 8) | hint: CAST it first
LEAST(day)
refused: LEAST(…) takes another number of operands (line 1, column 8) | hint: see docs/sql.md for the functions there are
LEAST(day, town)
refused: LEAST(…) takes number, found text (line 1, column 8) | hint: CAST it first
ABS(day, 1)
refused: the question is not SQL: The number of provided arguments (2) is greater than the maximum number of supported arguments (1) (line 1, column 18) | hint: see docs/sql.md for what is answered
POW(day)
refused: the question is not SQL: it could not be read (line 1, column 15) | hint: see docs/sql.md for what is answered
REGEXP_MATCHES(town, 'a')
refused: REGEXP_MATCHES(…) is not answered (line 1, column 8) | hint: see docs/sql.md for the functions there are
RANDOM()
refused: RANDOM(…) is not answered (line 1, column 8) | hint: answers have noise already
NOW()
refused: NOW(…) is not answered (line 1, column 8) | hint: write the day: '2026-01-31'
lowr(town)
refused: LOWR(…) is not answered (line 1, column 8) | hint: did you mean LOWER or POWER or OR? see docs/sql.md for the functions there are
md5(town)
refused: MD5(…) is not answered (line 1, column 8) | hint: did you mean MOD? see docs/sql.md for the functions there are
day::INTEGER[]
refused: CAST to ARRAY is not answered (line 1, column 8) | hint: integer, double, text, date…
[day]
refused: […] is not answered (line 1, column 9) | hint: see docs/sql.md for the functions there are
{'a': day}
refused: {…} is not answered (line 1, column 14) | hint: see docs/sql.md for the functions there are
day -> 1
refused: JSON_EXTRACT(…) is not answered (line 1, column 8) | hint: see docs/sql.md for the functions there are
(SELECT 1)
refused: a subquery in an expression is not answered (line 1, column 16) | hint: join in FROM instead
EXISTS (SELECT 1)
refused: EXISTS (…) is not answered (line 1, column 23) | hint: join along the person instead
SUM(day)
refused: SUM(…) is an aggregate and stands where a row's value is needed (line 1, column 8) | hint: aggregates go in SELECT, HAVING or ORDER BY, and not inside each other
day COLLATE de
refused: COLLATE is not answered (line 1, column 8) | hint: see docs/sql.md for the functions there are
INTERVAL 1 DAY
refused: INTERVAL is not answered (line 1, column 26) | hint: compare with another day
at + INTERVAL 1 DAY
refused: INTERVAL is not answered (line 1, column 8) | hint: compare with another day
at - at
refused: arithmetic needs numbers, found timestamp (line 1, column 8) | hint: compare with another day
CURRENT_DATE
refused: CURRENT_DATE(…) is not answered (line 1, column 24) | hint: write the day: '2026-01-31'
?
refused: parameters are not filled in (line 1, column 13) | hint: write the value
$1
refused: parameters are not filled in (line 1, column 14) | hint: write the value
town ~ 'a'
refused: ~ is not answered (line 1, column 8) | hint: see docs/sql.md for the functions there are
day & 1
refused: & is not answered (line 1, column 8) | hint: see docs/sql.md for the functions there are
day ^ 2
pow(day#2, 2) | real 0..132496 on 1 | 3 leaves, 0 bytes, 1 steps
day << 1
refused: << is not answered (line 1, column 8) | hint: see docs/sql.md for the functions there are
99999999999999999999 + day
1e+20 + day#2 | real 100000000000000000000..100000000000000000364 on 1 | 3 leaves, 0 bytes, 1 steps
1e400 + day
refused: the number is too large: 1e400 (line 1, column 8) | hint: write a smaller one
day IN ()
refused: IN (…) takes constants (line 1, column 8) | hint: compare columns with =
