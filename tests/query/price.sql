-- one count: rows rows of a person
SELECT COUNT(*) FROM visits
3 in 1, cut None | rows moves 3 (ℓ2² 9): geometric 3 / gaussian 2.12132 | ε 1 δ 0 / ρ 1
SELECT COUNT(*) FROM people
1 in 1, cut None | rows moves 1 (ℓ2² 1): geometric 1 / gaussian 0.707107 | ε 1 δ 0 / ρ 1
SELECT COUNT(*) FILTER (WHERE paid) FROM visits
3 in 1, cut None | rows moves 3 (ℓ2² 9): geometric 3 / gaussian 2.12132 | ε 1 δ 0 / ρ 1
SELECT COUNT(cost) FROM visits
3 in 1, cut None | present moves 3 (ℓ2² 9): geometric 3 / gaussian 2.12132 | ε 1 δ 0 / ρ 1
SELECT COUNT(DISTINCT town) FROM visits
3 in 1, cut None | distinct moves 3 (ℓ2² 9): geometric 3 / gaussian 2.12132 | ε 1 δ 0 / ρ 1
-- people: one, whatever their rows
SELECT COUNT(DISTINCT person) FROM visits
3 in 1, cut None | people moves 1 (ℓ2² 1): geometric 1 / gaussian 0.707107 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(DISTINCT person) FROM visits GROUP BY ward
3 in 2, cut None | people moves 2 (ℓ2² 2): geometric 2 / gaussian 1 | ε 1 δ 0 / ρ 1
SELECT COUNT(DISTINCT person) FILTER (WHERE paid) FROM visits
3 in 1, cut None | people moves 1 (ℓ2² 1): geometric 1 / gaussian 0.707107 | ε 1 δ 0 / ρ 1
-- groups: as many as count, and no more than there are
SELECT ward, COUNT(*) FROM visits GROUP BY ward
3 in 2, cut None | rows moves 6 (ℓ2² 18): geometric 6 / gaussian 3 | ε 1 δ 0 / ρ 1
SELECT paid, COUNT(*) FROM visits GROUP BY paid
3 in 2, cut None | rows moves 6 (ℓ2² 18): geometric 6 / gaussian 3 | ε 1 δ 0 / ρ 1
SELECT COUNT(*) FROM visits GROUP BY CASE WHEN day < 9 THEN 1 ELSE 1 END
3 in 1, cut None | rows moves 3 (ℓ2² 9): geometric 3 / gaussian 2.12132 | ε 1 δ 0 / ρ 1
SELECT day, COUNT(*) FROM visits GROUP BY day
3 in 2, cut None | rows moves 6 (ℓ2² 18): geometric 6 / gaussian 3 | ε 1 δ 0 / ρ 1
-- a key of the person's own table is one group
SELECT age, COUNT(*) FROM people GROUP BY age
1 in 1, cut None | rows moves 1 (ℓ2² 1): geometric 1 / gaussian 0.707107 | ε 1 δ 0 / ρ 1
SELECT p.age, COUNT(*) FROM visits v JOIN people p USING (person) GROUP BY p.age
3 in 1, cut None | rows moves 3 (ℓ2² 9): geometric 3 / gaussian 2.12132 | ε 1 δ 0 / ρ 1
-- sums, averages, spreads
SELECT SUM(cost) FROM visits
3 in 1, cut None | sum moves 30000 (ℓ2² 900000000): geometric 30000 / gaussian 21213.2 | ε 1 δ 0 / ρ 1
SELECT AVG(cost) FROM visits
3 in 1, cut None | present moves 3 (ℓ2² 9): geometric 6 / gaussian 3; sum moves 15000 (ℓ2² 225000000): geometric 30000 / gaussian 15000 | ε 1 δ 0 / ρ 1
SELECT VARIANCE(day) FROM visits
3 in 1, cut None | present moves 3 (ℓ2² 9): geometric 9 / gaussian 3.67423; square moves 99372 (ℓ2² 9874794384): geometric 298116 / gaussian 121705; sum moves 546 (ℓ2² 298116): geometric 1638 / gaussian 668.711 | ε 1 δ 0 / ρ 1
SELECT COUNT(*), AVG(day) FROM visits
3 in 1, cut None | split moves 3 (ℓ2² 9): geometric 6 / gaussian 3; sum moves 546 (ℓ2² 298116): geometric 1092 / gaussian 546 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(*), AVG(day) FROM visits GROUP BY ward
3 in 2, cut None | split moves 6 (ℓ2² 18): geometric 12 / gaussian 4.24264; sum moves 1092 (ℓ2² 596232): geometric 2184 / gaussian 772.161 | ε 1 δ 0 / ρ 1
SELECT SUM(price) FROM items
4 in 1, cut None | sum moves 4000000 (ℓ2² 16000000000000): geometric 4000000 / gaussian 2.82843e+06 | ε 1 δ 0 / ρ 1
-- quantiles: half, and a quarter for each end
SELECT MEDIAN(day) FROM visits
3 in 1, cut None | quantile moves 3 (ℓ2² 9): quantiles ε 0.166667 by 0, ε 0.0833333 by -116, ε 0.0833333 by 116 / quantiles ε 0.666667 by 0, ε 0.471405 by -21, ε 0.471405 by 21 | ε 1 δ 0 / ρ 1
SELECT ward, MEDIAN(day) FROM visits GROUP BY ward
3 in 2, cut None | quantile moves 6 (ℓ2² 18): quantiles ε 0.0833333 by 0, ε 0.0416667 by -231, ε 0.0416667 by 231 / quantiles ε 0.471405 by 0, ε 0.333333 by -29, ε 0.333333 by 29 | ε 1 δ 0 / ρ 1
SELECT MEDIAN(age) FROM people
1 in 1, cut None | quantile moves 1 (ℓ2² 1): quantiles ε 0.5 by 0, ε 0.25 by -34, ε 0.25 by 34 / quantiles ε 2 by 0, ε 1.41421 by -6, ε 1.41421 by 6 | ε 1 δ 0 / ρ 1
-- groups that are not public, chosen by people
SELECT town, COUNT(*) FROM visits GROUP BY town
3 in 2, cut None | rows moves 6 (ℓ2² 18): geometric 12 / gaussian 4.24264 | keys: TruncatedGeometricKeys ε 0.5 in 2 / LaplaceKeys ε 1.41421 in 2 | ε 1 δ 9.26844e-07 / ρ 1
SELECT town, COUNT(DISTINCT person) FROM visits GROUP BY town
3 in 2, cut None | people moves 2 (ℓ2² 2): counts of the keys / counts of the keys | keys: TruncatedGeometricKeys ε 1 in 2 / LaplaceKeys ε 2 in 2 | ε 1 δ 6.71548e-07 / ρ 1
SELECT town, COUNT(DISTINCT person), COUNT(*) FROM visits GROUP BY town
3 in 2, cut None | people moves 2 (ℓ2² 2): counts of the keys / counts of the keys; rows moves 6 (ℓ2² 18): geometric 12 / gaussian 4.24264 | keys: TruncatedGeometricKeys ε 0.5 in 2 / LaplaceKeys ε 1.41421 in 2 | ε 1 δ 9.26844e-07 / ρ 1
SELECT town, COUNT(DISTINCT person) FILTER (WHERE paid) FROM visits GROUP BY town
3 in 2, cut None | people moves 2 (ℓ2² 2): geometric 4 / gaussian 1.41421 | keys: TruncatedGeometricKeys ε 0.5 in 2 / LaplaceKeys ε 1.41421 in 2 | ε 1 δ 9.26844e-07 / ρ 1
SELECT town, COUNT(*) FROM people GROUP BY town
1 in 1, cut None | rows moves 1 (ℓ2² 1): counts of the keys / counts of the keys | keys: TruncatedGeometricKeys ε 1 in 1 / LaplaceKeys ε 1.41421 in 1 | ε 1 δ 3.84264e-07 / ρ 1
SELECT town, COUNT(*) FILTER (WHERE age > 9) FROM people GROUP BY town
1 in 1, cut None | rows moves 1 (ℓ2² 1): geometric 2 / gaussian 1 | keys: TruncatedGeometricKeys ε 0.5 in 1 / LaplaceKeys ε 1 in 1 | ε 1 δ 9.12729e-07 / ρ 1
-- in cut: all rows of a person, wherever they are
SELECT COUNT(*) FROM visits
3 in 1, cut 6 | rows moves 6 (ℓ2² 36): geometric 6 / gaussian 4.24264 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(*) FROM visits GROUP BY ward
3 in 2, cut 6 | rows moves 6 (ℓ2² 36): geometric 6 / gaussian 4.24264 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(DISTINCT person) FROM visits GROUP BY ward
3 in 2, cut 6 | people moves 6 (ℓ2² 6): geometric 6 / gaussian 1.73205 | ε 1 δ 0 / ρ 1
SELECT COUNT(DISTINCT person) FROM visits
3 in 1, cut 6 | people moves 1 (ℓ2² 1): geometric 1 / gaussian 0.707107 | ε 1 δ 0 / ρ 1
SELECT town, COUNT(*) FROM visits GROUP BY town
3 in 2, cut 6 | rows moves 6 (ℓ2² 36): geometric 12 / gaussian 6 | keys: TruncatedGeometricKeys ε 0.5 in 6 / LaplaceKeys ε 2.44949 in 6 | ε 1 δ 9.31128e-07 / ρ 1
SELECT SUM(cost) FROM visits
3 in 1, cut 6 | sum moves 60000 (ℓ2² 3600000000): geometric 60000 / gaussian 42426.4 | ε 1 δ 0 / ρ 1
SELECT COUNT(*), AVG(day) FROM visits
3 in 1, cut 6 | split moves 6 (ℓ2² 36): geometric 12 / gaussian 6; sum moves 1092 (ℓ2² 1192464): geometric 2184 / gaussian 1092 | ε 1 δ 0 / ρ 1
SELECT ward, MEDIAN(day) FROM visits GROUP BY ward
3 in 2, cut 6 | quantile moves 6 (ℓ2² 36): quantiles ε 0.0833333 by 0, ε 0.0416667 by -231, ε 0.0416667 by 231 / quantiles ε 0.166667 by 0, ε 0.117851 by -82, ε 0.117851 by 82 | ε 1 δ 0 / ρ 1
SELECT region, COUNT(*) FROM visits JOIN towns USING (town) GROUP BY region
3 in 2, cut 12 | rows moves 12 (ℓ2² 144): geometric 12 / gaussian 8.48528 | ε 1 δ 0 / ρ 1
-- in rows: each row
SELECT COUNT(*) FROM visits
1 in 1, cut 1 | rows moves 1 (ℓ2² 1): geometric 1 / gaussian 0.707107 | ε 1 δ 0 / ρ 1
SELECT ward, SUM(cost) FROM visits GROUP BY ward
1 in 1, cut 1 | sum moves 10000 (ℓ2² 100000000): geometric 10000 / gaussian 7071.07 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(*), AVG(day) FROM visits GROUP BY ward
1 in 1, cut 1 | split moves 1 (ℓ2² 1): geometric 2 / gaussian 1; sum moves 182 (ℓ2² 33124): geometric 364 / gaussian 182 | ε 1 δ 0 / ρ 1
SELECT town, COUNT(*) FROM visits GROUP BY town
1 in 1, cut 1 | rows moves 1 (ℓ2² 1): counts of the keys / counts of the keys | keys: TruncatedGeometricKeys ε 1 in 1 / LaplaceKeys ε 1.41421 in 1 | ε 1 δ 3.84264e-07 / ρ 1
SELECT ward, MEDIAN(day) FROM visits GROUP BY ward
1 in 1, cut 1 | quantile moves 1 (ℓ2² 1): quantiles ε 0.5 by 0, ε 0.25 by -39, ε 0.25 by 39 / quantiles ε 2 by 0, ε 1.41421 by -7, ε 1.41421 by 7 | ε 1 δ 0 / ρ 1
SELECT region, COUNT(*) FROM visits JOIN towns USING (town) GROUP BY region
1 in 1, cut 2 | rows moves 2 (ℓ2² 4): geometric 2 / gaussian 1.41421 | ε 1 δ 0 / ρ 1
-- in several: more rows of a person in their own table
SELECT COUNT(*) FROM people
2 in 1, cut None | rows moves 2 (ℓ2² 4): geometric 2 / gaussian 1.41421 | ε 1 δ 0 / ρ 1
SELECT AVG(age) FROM people
2 in 1, cut None | present moves 2 (ℓ2² 4): geometric 4 / gaussian 2; sum moves 120 (ℓ2² 14400): geometric 240 / gaussian 120 | ε 1 δ 0 / ρ 1
-- joins, unions and subqueries
SELECT COUNT(*) FROM visits v JOIN people p USING (person)
3 in 1, cut None | rows moves 3 (ℓ2² 9): geometric 3 / gaussian 2.12132 | ε 1 δ 0 / ρ 1
SELECT COUNT(*) FROM (SELECT person FROM visits UNION ALL SELECT person FROM visits) t
6 in 1, cut None | rows moves 6 (ℓ2² 36): geometric 6 / gaussian 4.24264 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(*) FROM (SELECT person, ward FROM visits UNION ALL SELECT person, ward FROM visits) t GROUP BY ward
6 in 4, cut None | rows moves 24 (ℓ2² 144): geometric 24 / gaussian 8.48528 | ε 1 δ 0 / ρ 1
SELECT SUM(n) FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY person) t
1 in 1, cut 1 | sum moves 3 (ℓ2² 9): geometric 3 / gaussian 2.12132 | ε 1 δ 0 / ρ 1
SELECT ward, SUM(n) FROM (SELECT person, ward, COUNT(*) AS n FROM visits GROUP BY person, ward) t GROUP BY ward
1 in 2, cut None | sum moves 6 (ℓ2² 18): geometric 6 / gaussian 3 | ε 1 δ 0 / ρ 1
SELECT region, COUNT(*) FROM visits JOIN towns USING (town) GROUP BY region
3 in 2, cut None | rows moves 6 (ℓ2² 18): geometric 6 / gaussian 3 | ε 1 δ 0 / ρ 1
