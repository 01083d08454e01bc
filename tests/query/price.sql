-- one count: rows rows of a person
SELECT COUNT(*) FROM visits
3 rows, people in 1 | weights of 30 / 30 bits | rows moves 3 (ℓ2² 9): geometric 3 / gaussian 2.12132 | ε 1 δ 0 / ρ 1
SELECT COUNT(*) FROM people
1 rows, people in 1 | weights of 0 / 0 bits | rows moves 1 (ℓ2² 1): geometric 1 / gaussian 0.707107 | ε 1 δ 0 / ρ 1
SELECT COUNT(*) FILTER (WHERE paid) FROM visits
3 rows, people in 1 | weights of 30 / 30 bits | rows moves 3 (ℓ2² 9): geometric 3 / gaussian 2.12132 | ε 1 δ 0 / ρ 1
SELECT COUNT(cost) FROM visits
3 rows, people in 1 | weights of 30 / 30 bits | present moves 3 (ℓ2² 9): geometric 3 / gaussian 2.12132 | ε 1 δ 0 / ρ 1
SELECT COUNT(DISTINCT town) FROM visits
3 rows, people in 1 | weights of 0 / 0 bits | distinct moves 3 (ℓ2² 9): geometric 3 / gaussian 2.12132 | ε 1 δ 0 / ρ 1
-- people: one, whatever their rows
SELECT COUNT(DISTINCT person) FROM visits
3 rows, people in 1 | weights of 0 / 0 bits | people moves 1 (ℓ2² 1): geometric 1 / gaussian 0.707107 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(DISTINCT person) FROM visits GROUP BY ward
6 rows, people in 2 or in parts / 6 rows, 3 in a group, people in 2 or in parts | weights of 0 / 0 bits | people moves 2 (ℓ2² 2): geometric 2 / gaussian 1 | ε 1 δ 0 / ρ 1
SELECT COUNT(DISTINCT person) FILTER (WHERE paid) FROM visits
3 rows, people in 1 | weights of 0 / 0 bits | people moves 1 (ℓ2² 1): geometric 1 / gaussian 0.707107 | ε 1 δ 0 / ρ 1
-- groups: as many as count, and no more than there are
SELECT ward, COUNT(*) FROM visits GROUP BY ward
6 rows, people in 2 or in parts / 6 rows, 3 in a group, people in 2 or in parts | weights of 30 / 30 bits | rows moves 6 (ℓ2² 18): geometric 6 / gaussian 3 | ε 1 δ 0 / ρ 1
SELECT paid, COUNT(*) FROM visits GROUP BY paid
6 rows, people in 2 or in parts / 6 rows, 3 in a group, people in 2 or in parts | weights of 30 / 30 bits | rows moves 6 (ℓ2² 18): geometric 6 / gaussian 3 | ε 1 δ 0 / ρ 1
SELECT COUNT(*) FROM visits GROUP BY CASE WHEN day < 9 THEN 1 ELSE 1 END
3 rows, people in 1 | weights of 30 / 30 bits | rows moves 3 (ℓ2² 9): geometric 3 / gaussian 2.12132 | ε 1 δ 0 / ρ 1
SELECT day, COUNT(*) FROM visits GROUP BY day
6 rows, people in 2 or in parts / 6 rows, 3 in a group, people in 2 or in parts | weights of 30 / 30 bits | rows moves 6 (ℓ2² 18): geometric 6 / gaussian 3 | ε 1 δ 0 / ρ 1
-- a key of the person's own table is one group
SELECT age, COUNT(*) FROM people GROUP BY age
1 rows, people in 1 or in parts | weights of 0 / 0 bits | rows moves 1 (ℓ2² 1): geometric 1 / gaussian 0.707107 | ε 1 δ 0 / ρ 1
SELECT p.age, COUNT(*) FROM visits v JOIN people p USING (person) GROUP BY p.age
3 rows, people in 1 or in parts | weights of 30 / 30 bits | rows moves 3 (ℓ2² 9): geometric 3 / gaussian 2.12132 | ε 1 δ 0 / ρ 1
-- sums, averages, spreads
SELECT SUM(cost) FROM visits
3 rows, people in 1 | weights of 30 / 30 bits, totals scaled | sum moves 30000 (ℓ2² 900000000): geometric 30000 / gaussian 21213.2 | ε 1 δ 0 / ρ 1
SELECT AVG(cost) FROM visits
3 rows, people in 1 | weights of 30 / 30 bits | present moves 3 (ℓ2² 9): geometric 6 / gaussian 3; sum moves 15000 (ℓ2² 225000000): geometric 30000 / gaussian 15000 | ε 1 δ 0 / ρ 1
SELECT VARIANCE(day) FROM visits
3 rows, people in 1 | weights of 30 / 30 bits | present moves 3 (ℓ2² 9): geometric 9 / gaussian 3.67423; square moves 99372 (ℓ2² 9874794384): geometric 298116 / gaussian 121705; sum moves 546 (ℓ2² 298116): geometric 1638 / gaussian 668.711 | ε 1 δ 0 / ρ 1
SELECT COUNT(*), AVG(day) FROM visits
3 rows, people in 1 | weights of 30 / 30 bits | split moves 3 (ℓ2² 9): geometric 6 / gaussian 3; sum moves 546 (ℓ2² 298116): geometric 1092 / gaussian 546 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(*), AVG(day) FROM visits GROUP BY ward
6 rows, people in 2 or in parts / 6 rows, 3 in a group, people in 2 or in parts | weights of 30 / 30 bits | split moves 6 (ℓ2² 18): geometric 12 / gaussian 4.24264; sum moves 1092 (ℓ2² 596232): geometric 2184 / gaussian 772.161 | ε 1 δ 0 / ρ 1
SELECT SUM(price) FROM items
4 rows, people in 1 | weights of 30 / 30 bits, totals scaled | sum moves 4000000 (ℓ2² 16000000000000): geometric 4000000 / gaussian 2.82843e+06 | ε 1 δ 0 / ρ 1
-- quantiles: half, and a quarter for each end
SELECT MEDIAN(day) FROM visits
3 rows, people in 1 | weights of 30 / 30 bits | quantile moves 3 (ℓ2² 9): quantiles ε 0.166667 by 0, ε 0.0833333 by -115.065, ε 0.0833333 by 115.065 / quantiles ε 0.666667 by 0, ε 0.471405 by -20.3411, ε 0.471405 by 20.3411 | ε 1 δ 0 / ρ 1
SELECT ward, MEDIAN(day) FROM visits GROUP BY ward
6 rows, people in 2 or in parts / 6 rows, 3 in a group, people in 2 or in parts | weights of 30 / 30 bits | quantile moves 6 (ℓ2² 18): quantiles ε 0.0833333 by 0, ε 0.0416667 by -230.131, ε 0.0416667 by 230.131 / quantiles ε 0.471405 by 0, ε 0.333333 by -28.7664, ε 0.333333 by 28.7664 | ε 1 δ 0 / ρ 1
SELECT MEDIAN(age) FROM people
1 rows, people in 1 | weights of 0 / 0 bits | quantile moves 1 (ℓ2² 1): quantiles ε 0.5 by 0, ε 0.25 by -34, ε 0.25 by 34 / quantiles ε 2 by 0, ε 1.41421 by -6, ε 1.41421 by 6 | ε 1 δ 0 / ρ 1
-- groups that are not public, chosen by people
SELECT town, COUNT(*) FROM visits GROUP BY town
6 rows, 2 groups picked, people in 2 / 6 rows, 3 in a group, 2 groups picked, people in 2 | weights of 30 / 30 bits | rows moves 6 (ℓ2² 18): geometric 12 / gaussian 4.24264 | keys: TruncatedGeometricKeys ε 0.5 in 2 / LaplaceKeys ε 1.41421 in 2 | ε 1 δ 9.26844e-07 / ρ 1
SELECT town, COUNT(DISTINCT person) FROM visits GROUP BY town
6 rows, 2 groups picked, people in 2 / 6 rows, 3 in a group, 2 groups picked, people in 2 | weights of 0 / 0 bits | people moves 2 (ℓ2² 2): counts of the keys / counts of the keys | keys: TruncatedGeometricKeys ε 1 in 2 / LaplaceKeys ε 2 in 2 | ε 1 δ 6.71548e-07 / ρ 1
SELECT town, COUNT(DISTINCT person), COUNT(*) FROM visits GROUP BY town
6 rows, 2 groups picked, people in 2 / 6 rows, 3 in a group, 2 groups picked, people in 2 | weights of 30 / 30 bits | people moves 2 (ℓ2² 2): counts of the keys / counts of the keys; rows moves 6 (ℓ2² 18): geometric 12 / gaussian 4.24264 | keys: TruncatedGeometricKeys ε 0.5 in 2 / LaplaceKeys ε 1.41421 in 2 | ε 1 δ 9.26844e-07 / ρ 1
SELECT town, COUNT(DISTINCT person) FILTER (WHERE paid) FROM visits GROUP BY town
6 rows, 2 groups picked, people in 2 / 6 rows, 3 in a group, 2 groups picked, people in 2 | weights of 0 / 0 bits | people moves 2 (ℓ2² 2): geometric 4 / gaussian 1.41421 | keys: TruncatedGeometricKeys ε 0.5 in 2 / LaplaceKeys ε 1.41421 in 2 | ε 1 δ 9.26844e-07 / ρ 1
SELECT town, COUNT(*) FROM people GROUP BY town
1 rows, 1 groups picked, people in 1 | weights of 0 / 0 bits | rows moves 1 (ℓ2² 1): counts of the keys / counts of the keys | keys: TruncatedGeometricKeys ε 1 in 1 / LaplaceKeys ε 1.41421 in 1 | ε 1 δ 3.84264e-07 / ρ 1
SELECT town, COUNT(*) FILTER (WHERE age > 9) FROM people GROUP BY town
1 rows, 1 groups picked, people in 1 | weights of 0 / 0 bits | rows moves 1 (ℓ2² 1): geometric 2 / gaussian 1 | keys: TruncatedGeometricKeys ε 0.5 in 1 / LaplaceKeys ε 1 in 1 | ε 1 δ 9.12729e-07 / ρ 1
-- in cut: all rows of a person, wherever they are
SELECT COUNT(*) FROM visits
6 rows, people in 1, cut | weights of 0 / 0 bits | rows moves 6 (ℓ2² 36): geometric 6 / gaussian 4.24264 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(*) FROM visits GROUP BY ward
6 rows, people in 4, cut | weights of 0 / 0 bits | rows moves 6 (ℓ2² 36): geometric 6 / gaussian 4.24264 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(DISTINCT person) FROM visits GROUP BY ward
6 rows, people in 4, cut | weights of 0 / 0 bits | people moves 4 (ℓ2² 4): geometric 4 / gaussian 1.41421 | ε 1 δ 0 / ρ 1
SELECT COUNT(DISTINCT person) FROM visits
6 rows, people in 1, cut | weights of 0 / 0 bits | people moves 1 (ℓ2² 1): geometric 1 / gaussian 0.707107 | ε 1 δ 0 / ρ 1
SELECT town, COUNT(*) FROM visits GROUP BY town
6 rows, people in 6, cut | weights of 0 / 0 bits | rows moves 6 (ℓ2² 36): geometric 12 / gaussian 6 | keys: TruncatedGeometricKeys ε 0.5 in 6 / LaplaceKeys ε 2.44949 in 6 | ε 1 δ 9.31128e-07 / ρ 1
SELECT SUM(cost) FROM visits
6 rows, people in 1, cut | weights of 0 / 0 bits | sum moves 60000 (ℓ2² 3600000000): geometric 60000 / gaussian 42426.4 | ε 1 δ 0 / ρ 1
SELECT COUNT(*), AVG(day) FROM visits
6 rows, people in 1, cut | weights of 0 / 0 bits | split moves 6 (ℓ2² 36): geometric 12 / gaussian 6; sum moves 1092 (ℓ2² 1192464): geometric 2184 / gaussian 1092 | ε 1 δ 0 / ρ 1
SELECT ward, MEDIAN(day) FROM visits GROUP BY ward
6 rows, people in 4, cut | weights of 0 / 0 bits | quantile moves 6 (ℓ2² 36): quantiles ε 0.0833333 by 0, ε 0.0416667 by -231, ε 0.0416667 by 231 / quantiles ε 0.333333 by 0, ε 0.235702 by -41, ε 0.235702 by 41 | ε 1 δ 0 / ρ 1
SELECT region, COUNT(*) FROM visits JOIN towns USING (town) GROUP BY region
12 rows, people in 4, cut | weights of 0 / 0 bits | rows moves 12 (ℓ2² 144): geometric 12 / gaussian 8.48528 | ε 1 δ 0 / ρ 1
-- in rows: each row
SELECT COUNT(*) FROM visits
1 rows, people in 1, cut | weights of 0 / 0 bits | rows moves 1 (ℓ2² 1): geometric 1 / gaussian 0.707107 | ε 1 δ 0 / ρ 1
SELECT ward, SUM(cost) FROM visits GROUP BY ward
1 rows, people in 1, cut | weights of 0 / 0 bits | sum moves 10000 (ℓ2² 100000000): geometric 10000 / gaussian 7071.07 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(*), AVG(day) FROM visits GROUP BY ward
1 rows, people in 1, cut | weights of 0 / 0 bits | split moves 1 (ℓ2² 1): geometric 2 / gaussian 1; sum moves 182 (ℓ2² 33124): geometric 364 / gaussian 182 | ε 1 δ 0 / ρ 1
SELECT town, COUNT(*) FROM visits GROUP BY town
1 rows, people in 1, cut | weights of 0 / 0 bits | rows moves 1 (ℓ2² 1): counts of the keys / counts of the keys | keys: TruncatedGeometricKeys ε 1 in 1 / LaplaceKeys ε 1.41421 in 1 | ε 1 δ 3.84264e-07 / ρ 1
SELECT ward, MEDIAN(day) FROM visits GROUP BY ward
1 rows, people in 1, cut | weights of 0 / 0 bits | quantile moves 1 (ℓ2² 1): quantiles ε 0.5 by 0, ε 0.25 by -39, ε 0.25 by 39 / quantiles ε 2 by 0, ε 1.41421 by -7, ε 1.41421 by 7 | ε 1 δ 0 / ρ 1
SELECT region, COUNT(*) FROM visits JOIN towns USING (town) GROUP BY region
2 rows, people in 2, cut | weights of 0 / 0 bits | rows moves 2 (ℓ2² 4): geometric 2 / gaussian 1.41421 | ε 1 δ 0 / ρ 1
-- in several: more rows of a person in their own table
SELECT COUNT(*) FROM people
2 rows, people in 1 | weights of 30 / 30 bits | rows moves 2 (ℓ2² 4): geometric 2 / gaussian 1.41421 | ε 1 δ 0 / ρ 1
SELECT AVG(age) FROM people
2 rows, people in 1 | weights of 30 / 30 bits | present moves 2 (ℓ2² 4): geometric 4 / gaussian 2; sum moves 120 (ℓ2² 14400): geometric 240 / gaussian 120 | ε 1 δ 0 / ρ 1
-- joins, unions and subqueries
SELECT COUNT(*) FROM visits v JOIN people p USING (person)
3 rows, people in 1 | weights of 30 / 30 bits | rows moves 3 (ℓ2² 9): geometric 3 / gaussian 2.12132 | ε 1 δ 0 / ρ 1
SELECT COUNT(*) FROM (SELECT person FROM visits UNION ALL SELECT person FROM visits) t
6 rows, people in 1 | weights of 30 / 30 bits | rows moves 6 (ℓ2² 36): geometric 6 / gaussian 4.24264 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(*) FROM (SELECT person, ward FROM visits UNION ALL SELECT person, ward FROM visits) t GROUP BY ward
12 rows, people in 4 / 12 rows, 6 in a group, people in 4 | weights of 30 / 30 bits | rows moves 12 (ℓ2² 72): geometric 12 / gaussian 6 | ε 1 δ 0 / ρ 1
SELECT SUM(n) FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY person) t
1 rows, people in 1, cut | weights of 0 / 0 bits | sum moves 3 (ℓ2² 9): geometric 3 / gaussian 2.12132 | ε 1 δ 0 / ρ 1
SELECT ward, SUM(n) FROM (SELECT person, ward, COUNT(*) AS n FROM visits GROUP BY person, ward) t GROUP BY ward
6 rows, people in 2 or in parts / 6 rows, 3 in a group, people in 2 or in parts | weights of 30 / 30 bits, totals scaled | sum moves 18 (ℓ2² 162): geometric 18 / gaussian 9 | ε 1 δ 0 / ρ 1
SELECT region, COUNT(*) FROM visits JOIN towns USING (town) GROUP BY region
6 rows, people in 2 or in parts / 6 rows, 3 in a group, people in 2 or in parts | weights of 30 / 30 bits | rows moves 6 (ℓ2² 18): geometric 6 / gaussian 3 | ε 1 δ 0 / ρ 1
-- in total: so many rows in all, wherever they are
SELECT COUNT(*) FROM visits
6 rows, people in 1 | weights of 30 / 30 bits | rows moves 6 (ℓ2² 36): geometric 6 / gaussian 4.24264 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(*) FROM visits GROUP BY ward
6 rows, people in 4 | weights of 30 / 30 bits | rows moves 6 (ℓ2² 36): geometric 6 / gaussian 4.24264 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(DISTINCT person) FROM visits GROUP BY ward
6 rows, people in 4 | weights of 0 / 0 bits | people moves 4 (ℓ2² 4): geometric 4 / gaussian 1.41421 | ε 1 δ 0 / ρ 1
SELECT day, COUNT(DISTINCT person) FROM visits GROUP BY day
6 rows, people in 6 or in parts | weights of 0 / 0 bits | people moves 6 (ℓ2² 6): geometric 6 / gaussian 1.73205 | ε 1 δ 0 / ρ 1
SELECT day, COUNT(DISTINCT person) FILTER (WHERE paid), SUM(cost) FROM visits GROUP BY day
6 rows, people in 6 or in parts | weights of 30 / 30 bits, totals scaled | people moves 6 (ℓ2² 6): geometric 12 / gaussian 2.44949; sum moves 60000 (ℓ2² 3600000000): geometric 120000 / gaussian 60000 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(DISTINCT town) FROM visits GROUP BY ward
6 rows, people in 4 | weights of 0 / 0 bits | distinct moves 6 (ℓ2² 36): geometric 6 / gaussian 4.24264 | ε 1 δ 0 / ρ 1
SELECT ward, MEDIAN(day) FROM visits GROUP BY ward
6 rows, people in 4 | weights of 30 / 30 bits | quantile moves 6 (ℓ2² 36): quantiles ε 0.0833333 by 0, ε 0.0416667 by -230.131, ε 0.0416667 by 230.131 / quantiles ε 0.333333 by 0, ε 0.235702 by -40.6819, ε 0.235702 by 40.6819 | ε 1 δ 0 / ρ 1
SELECT town, COUNT(*) FROM visits GROUP BY town
6 rows, 3 groups picked, people in 3 | weights of 30 / 30 bits | rows moves 6 (ℓ2² 36): geometric 12 / gaussian 6 | keys: TruncatedGeometricKeys ε 0.5 in 3 / LaplaceKeys ε 1.73205 in 3 | ε 1 δ 9.29516e-07 / ρ 1
SELECT town, COUNT(DISTINCT person), AVG(cost) FROM visits GROUP BY town
6 rows, 3 groups picked, people in 3 | weights of 30 / 30 bits | people moves 3 (ℓ2² 3): counts of the keys / counts of the keys; present moves 6 (ℓ2² 36): geometric 18 / gaussian 7.34847; sum moves 30000 (ℓ2² 900000000): geometric 90000 / gaussian 36742.3 | keys: TruncatedGeometricKeys ε 0.333333 in 3 / LaplaceKeys ε 1.41421 in 3 | ε 1 δ 9.1541e-07 / ρ 1
SELECT p.age, COUNT(*) FROM visits v JOIN people p USING (person) GROUP BY p.age
6 rows, people in 1 or in parts | weights of 30 / 30 bits | rows moves 6 (ℓ2² 36): geometric 6 / gaussian 4.24264 | ε 1 δ 0 / ρ 1
SELECT region, COUNT(*) FROM visits JOIN towns USING (town) GROUP BY region
6 rows, people in 4 | weights of 30 / 30 bits | rows moves 6 (ℓ2² 36): geometric 6 / gaussian 4.24264 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(*) FROM (SELECT person, ward FROM visits UNION ALL SELECT person, ward FROM visits) t GROUP BY ward
12 rows, people in 4 | weights of 30 / 30 bits | rows moves 12 (ℓ2² 144): geometric 12 / gaussian 8.48528 | ε 1 δ 0 / ρ 1
SELECT ward, SUM(n) FROM (SELECT person, ward, COUNT(*) AS n FROM visits GROUP BY person, ward) t GROUP BY ward
6 rows, people in 4 | weights of 30 / 30 bits, totals scaled | sum moves 36 (ℓ2² 1296): geometric 36 / gaussian 25.4558 | ε 1 δ 0 / ρ 1
SELECT SUM(n) FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY person) t
1 rows, people in 1, cut | weights of 0 / 0 bits | sum moves 6 (ℓ2² 36): geometric 6 / gaussian 4.24264 | ε 1 δ 0 / ρ 1
-- in both: whatever is less
SELECT COUNT(*) FROM visits
3 rows, people in 1 | weights of 30 / 30 bits | rows moves 3 (ℓ2² 9): geometric 3 / gaussian 2.12132 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(*) FROM visits GROUP BY ward
4 rows, people in 2 or in parts / 4 rows, 3 in a group, people in 2 or in parts | weights of 30 / 30 bits | rows moves 4 (ℓ2² 12): geometric 4 / gaussian 2.44949 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(DISTINCT person) FROM visits GROUP BY ward
4 rows, people in 2 or in parts / 4 rows, 3 in a group, people in 2 or in parts | weights of 0 / 0 bits | people moves 2 (ℓ2² 2): geometric 2 / gaussian 1 | ε 1 δ 0 / ρ 1
SELECT ward, MEDIAN(day) FROM visits GROUP BY ward
4 rows, people in 2 or in parts / 4 rows, 3 in a group, people in 2 or in parts | weights of 30 / 30 bits | quantile moves 4 (ℓ2² 12): quantiles ε 0.125 by 0, ε 0.0625 by -153.421, ε 0.0625 by 153.421 / quantiles ε 0.471405 by 0, ε 0.333333 by -28.7664, ε 0.333333 by 28.7664 | ε 1 δ 0 / ρ 1
SELECT town, COUNT(*) FROM visits GROUP BY town
4 rows, 2 groups picked, people in 2 / 4 rows, 3 in a group, 2 groups picked, people in 2 | weights of 30 / 30 bits | rows moves 4 (ℓ2² 12): geometric 8 / gaussian 3.4641 | keys: TruncatedGeometricKeys ε 0.5 in 2 / LaplaceKeys ε 1.41421 in 2 | ε 1 δ 9.26844e-07 / ρ 1
SELECT ward, COUNT(*) FROM (SELECT person, ward FROM visits UNION ALL SELECT person, ward FROM visits) t GROUP BY ward
8 rows, people in 4 / 8 rows, 6 in a group, people in 4 | weights of 30 / 30 bits | rows moves 8 (ℓ2² 48): geometric 8 / gaussian 4.89898 | ε 1 δ 0 / ρ 1
-- wide numbers have coarser weights
SELECT SUM(LEAST(GREATEST(half, -1000), 1000)) FROM visits
3 rows, people in 1 | weights of 30 / 30 bits, totals scaled | sum moves 3000000 (ℓ2² 9000000000000): geometric 3000000 / gaussian 2.12132e+06 | ε 1 δ 0 / ρ 1
SELECT VARIANCE(cost) FROM visits
3 rows, people in 1 | weights of 24 / 25 bits | present moves 3 (ℓ2² 9): geometric 9 / gaussian 3.67423; square moves 75000000 (ℓ2² 5625000000000000): geometric 225000000 / gaussian 9.18559e+07; sum moves 15000 (ℓ2² 225000000): geometric 45000 / gaussian 18371.2 | ε 1 δ 0 / ρ 1
SELECT COUNT(*), SUM(price), VARIANCE(price) FROM items
4 rows, people in 1 | weights of 20 / 20 bits | split moves 4 (ℓ2² 16): geometric 16 / gaussian 5.65685; square moves 40000000000 (ℓ2² 1600000000000000000000): geometric 160000000000 / gaussian 5.65685e+10; sum moves 400000 (ℓ2² 160000000000): geometric 1600000 / gaussian 565685; sum moves 4000000 (ℓ2² 16000000000000): geometric 16000000 / gaussian 5.65685e+06 | ε 1 δ 0 / ρ 1
