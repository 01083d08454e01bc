-- one count: rows rows of a person
SELECT COUNT(*) FROM visits
3 rows, people in 1 | weights of 30 / 30 bits | moves 0 rows 3 (ℓ2² 9) | 0: geometric 3 / 0: gaussian 2.12132 | ε 1 δ 0 / ρ 1
SELECT COUNT(*) FROM people
1 rows, people in 1 | weights of 0 / 0 bits | moves 0 rows 1 (ℓ2² 1) | 0: geometric 1 / 0: gaussian 0.707107 | ε 1 δ 0 / ρ 1
SELECT COUNT(*) FILTER (WHERE paid) FROM visits
3 rows, people in 1 | weights of 30 / 30 bits | moves 0 rows 3 (ℓ2² 9) | 0: geometric 3 / 0: gaussian 2.12132 | ε 1 δ 0 / ρ 1
SELECT COUNT(cost) FROM visits
3 rows, people in 1 | weights of 30 / 30 bits | moves 0 present 3 (ℓ2² 9) | 0: geometric 3 / 0: gaussian 2.12132 | ε 1 δ 0 / ρ 1
SELECT COUNT(DISTINCT town) FROM visits
3 rows, people in 1 | weights of 0 / 0 bits | moves 0 distinct 3 (ℓ2² 9) | 0: geometric 3 / 0: gaussian 2.12132 | ε 1 δ 0 / ρ 1
-- people: one, whatever their rows
SELECT COUNT(DISTINCT person) FROM visits
3 rows, people in 1 | weights of 0 / 0 bits | moves 0 people 1 (ℓ2² 1) | 0: geometric 1 / 0: gaussian 0.707107 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(DISTINCT person) FROM visits GROUP BY ward
6 rows, people in 2 or in parts / 6 rows, 3 in a group, people in 2 or in parts | weights of 0 / 0 bits | moves 0 people 2 (ℓ2² 2) | 0: geometric 2 / 0: gaussian 1 | ε 1 δ 0 / ρ 1
SELECT COUNT(DISTINCT person) FILTER (WHERE paid) FROM visits
3 rows, people in 1 | weights of 0 / 0 bits | moves 0 people 1 (ℓ2² 1) | 0: geometric 1 / 0: gaussian 0.707107 | ε 1 δ 0 / ρ 1
-- groups: as many as count, and no more than there are
SELECT ward, COUNT(*) FROM visits GROUP BY ward
6 rows, people in 2 or in parts / 6 rows, 3 in a group, people in 2 or in parts | weights of 30 / 30 bits | moves 0 rows 6 (ℓ2² 18) | 0: geometric 6 / 0: gaussian 3 | ε 1 δ 0 / ρ 1
SELECT paid, COUNT(*) FROM visits GROUP BY paid
6 rows, people in 2 or in parts / 6 rows, 3 in a group, people in 2 or in parts | weights of 30 / 30 bits | moves 0 rows 6 (ℓ2² 18) | 0: geometric 6 / 0: gaussian 3 | ε 1 δ 0 / ρ 1
SELECT COUNT(*) FROM visits GROUP BY CASE WHEN day < 9 THEN 1 ELSE 1 END
3 rows, people in 1 | weights of 30 / 30 bits | moves 0 rows 3 (ℓ2² 9) | 0: geometric 3 / 0: gaussian 2.12132 | ε 1 δ 0 / ρ 1
SELECT day, COUNT(*) FROM visits GROUP BY day
6 rows, people in 2 or in parts / 6 rows, 3 in a group, people in 2 or in parts | weights of 30 / 30 bits | moves 0 rows 6 (ℓ2² 18) | 0: geometric 6 / 0: gaussian 3 | ε 1 δ 0 / ρ 1
-- a key of the person's own table is one group
SELECT age, COUNT(*) FROM people GROUP BY age
1 rows, people in 1 or in parts | weights of 0 / 0 bits | moves 0 rows 1 (ℓ2² 1) | 0: geometric 1 / 0: gaussian 0.707107 | ε 1 δ 0 / ρ 1
SELECT p.age, COUNT(*) FROM visits v JOIN people p USING (person) GROUP BY p.age
3 rows, people in 1 or in parts | weights of 30 / 30 bits | moves 0 rows 3 (ℓ2² 9) | 0: geometric 3 / 0: gaussian 2.12132 | ε 1 δ 0 / ρ 1
-- sums, averages, spreads
SELECT SUM(cost) FROM visits
3 rows, people in 1 | weights of 30 / 30 bits, totals scaled | moves 0 sum 30000 (ℓ2² 900000000) | 0: geometric 30000 / 0: gaussian 21213.2 | ε 1 δ 0 / ρ 1
SELECT AVG(cost) FROM visits
3 rows, people in 1 | weights of 30 / 30 bits | moves 0 present 3 (ℓ2² 9); 1 sum 15000 (ℓ2² 225000000) | 1,0: joint_cells [1 5000; -1 5000] geometric 30000 / 0: gaussian 3 + 1: gaussian 15000 | ε 1 δ 0 / ρ 1
SELECT VARIANCE(day) FROM visits
3 rows, people in 1 | weights of 30 / 30 bits | moves 0 present 3 (ℓ2² 9); 1 square 99372 (ℓ2² 9874794384); 2 sum 546 (ℓ2² 298116) | 1,2,0: joint_cells [1 -364 33124; -2 0 66248; 1 364 33124] geometric 397488 / 1,2,0: joint_cells [1 -364 33124; -2 0 66248; 1 364 33124] gaussian 281066 | ε 1 δ 0 / ρ 1
SELECT COUNT(*), AVG(day) FROM visits
3 rows, people in 1 | weights of 30 / 30 bits | moves 0 present 3 (ℓ2² 9); 1 rows 3 (ℓ2² 9); 2 sum 546 (ℓ2² 298116) | 2,0,1: joint_cells [1 182 0; -1 182 0; 0 -364 364] geometric 1092 / 2,0,1: joint_cells [1 182 0; -1 182 0; 0 -364 364] gaussian 772.161 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(*), AVG(day) FROM visits GROUP BY ward
6 rows, people in 2 or in parts / 6 rows, 3 in a group, people in 2 or in parts | weights of 30 / 30 bits | moves 0 present 6 (ℓ2² 18); 1 rows 6 (ℓ2² 18); 2 sum 1092 (ℓ2² 596232) | 2,0,1: joint_cells [1 182 0; -1 182 0; 0 -364 364] geometric 2184 / 2,0,1: joint_cells [1 182 0; -1 182 0; 0 -364 364] gaussian 1092 | ε 1 δ 0 / ρ 1
SELECT SUM(price) FROM items
4 rows, people in 1 | weights of 30 / 30 bits, totals scaled | moves 0 sum 4000000 (ℓ2² 16000000000000) | 0: geometric 4000000 / 0: gaussian 2.82843e+06 | ε 1 δ 0 / ρ 1
-- quantiles: half, and a quarter for each end
SELECT MEDIAN(day) FROM visits
3 rows, people in 1 | weights of 30 / 30 bits | moves 0 quantile 3 (ℓ2² 9) | 0: permute_and_flip ε 0.25, bar ε 0.0833333 with 61.6296 between / 0: exponential ε 0.816497, bar ε 0.471405 with 12.4863 between | ε 1 δ 0 / ρ 1
SELECT ward, MEDIAN(day) FROM visits GROUP BY ward
6 rows, people in 2 or in parts / 6 rows, 3 in a group, people in 2 or in parts | weights of 30 / 30 bits | moves 0 quantile 6 (ℓ2² 18) | 0: permute_and_flip ε 0.125, bar ε 0.0416667 with 123.259 between / 0: exponential ε 0.57735, bar ε 0.333333 with 17.6584 between | ε 1 δ 0 / ρ 1
SELECT MEDIAN(age) FROM people
1 rows, people in 1 | weights of 0 / 0 bits | moves 0 quantile 1 (ℓ2² 1) | 0: permute_and_flip ε 0.75, bar ε 0.25 with 20 between / 0: exponential ε 2.44949, bar ε 1.41421 with 5 between | ε 1 δ 0 / ρ 1
-- groups that are not public, chosen by people
SELECT town, COUNT(*) FROM visits GROUP BY town
6 rows, 3 in a group, 2 groups picked, people in 2 | weights of 30 / 30 bits | moves 0 rows 6 (ℓ2² 18) | 0,-1: joint_keys [1 0; -1 3] geometric 6 / 0: gaussian 4.24264 | keys: JointKeys ε 1 in 2 / LaplaceKeys ε 1.41421 in 2 | ε 1 δ 1e-06 / ρ 1
SELECT town, COUNT(DISTINCT person) FROM visits GROUP BY town
6 rows, 2 groups picked, people in 2 / 6 rows, 3 in a group, 2 groups picked, people in 2 | weights of 0 / 0 bits | moves 0 people 2 (ℓ2² 2) | 0: counts of the keys / 0: counts of the keys | keys: TruncatedGeometricKeys ε 1 in 2 / LaplaceKeys ε 2 in 2 | ε 1 δ 6.71548e-07 / ρ 1
SELECT town, COUNT(DISTINCT person), COUNT(*) FROM visits GROUP BY town
6 rows, 3 in a group, 2 groups picked, people in 2 | weights of 30 / 30 bits | moves 0 people 2 (ℓ2² 2); 1 rows 6 (ℓ2² 18) | 1,0: joint_keys [1 0; -1 3] geometric 6 / 0: counts of the keys + 1: gaussian 4.24264 | keys: JointKeys ε 1 in 2 / LaplaceKeys ε 1.41421 in 2 | ε 1 δ 1e-06 / ρ 1
SELECT town, COUNT(DISTINCT person) FILTER (WHERE paid) FROM visits GROUP BY town
6 rows, 2 groups picked, people in 2 / 6 rows, 3 in a group, 2 groups picked, people in 2 | weights of 0 / 0 bits | moves 0 people 2 (ℓ2² 2) | 0: geometric 4 / 0: gaussian 1.41421 | keys: TruncatedGeometricKeys ε 0.5 in 2 / LaplaceKeys ε 1.41421 in 2 | ε 1 δ 9.26844e-07 / ρ 1
SELECT town, COUNT(*) FROM people GROUP BY town
1 rows, 1 groups picked, people in 1 | weights of 0 / 0 bits | moves 0 rows 1 (ℓ2² 1) | 0: counts of the keys / 0: counts of the keys | keys: TruncatedGeometricKeys ε 1 in 1 / LaplaceKeys ε 1.41421 in 1 | ε 1 δ 3.84264e-07 / ρ 1
SELECT town, COUNT(*) FILTER (WHERE age > 9) FROM people GROUP BY town
1 rows, 1 groups picked, people in 1 | weights of 0 / 0 bits | moves 0 rows 1 (ℓ2² 1) | 0,-1: joint_keys [1024 0; -1024 1024] geometric 1024 / 0: gaussian 1 | keys: JointKeys ε 1 in 1 / LaplaceKeys ε 1 in 1 | ε 1 δ 9.99888e-07 / ρ 1
-- in cut: all rows of a person, wherever they are
SELECT COUNT(*) FROM visits
6 rows, people in 1, cut | weights of 0 / 0 bits | moves 0 rows 6 (ℓ2² 36) | 0: geometric 6 / 0: gaussian 4.24264 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(*) FROM visits GROUP BY ward
6 rows, people in 4, cut | weights of 0 / 0 bits | moves 0 rows 6 (ℓ2² 36) | 0: geometric 6 / 0: gaussian 4.24264 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(DISTINCT person) FROM visits GROUP BY ward
6 rows, people in 4, cut | weights of 0 / 0 bits | moves 0 people 4 (ℓ2² 4) | 0: geometric 4 / 0: gaussian 1.41421 | ε 1 δ 0 / ρ 1
SELECT COUNT(DISTINCT person) FROM visits
6 rows, people in 1, cut | weights of 0 / 0 bits | moves 0 people 1 (ℓ2² 1) | 0: geometric 1 / 0: gaussian 0.707107 | ε 1 δ 0 / ρ 1
SELECT town, COUNT(*) FROM visits GROUP BY town
6 rows, people in 6, cut | weights of 0 / 0 bits | moves 0 rows 6 (ℓ2² 36) | 0: geometric 12 / 0: gaussian 6 | keys: TruncatedGeometricKeys ε 0.5 in 6 / LaplaceKeys ε 2.44949 in 6 | ε 1 δ 9.31128e-07 / ρ 1
SELECT SUM(cost) FROM visits
6 rows, people in 1, cut | weights of 0 / 0 bits | moves 0 sum 60000 (ℓ2² 3600000000) | 0: geometric 60000 / 0: gaussian 42426.4 | ε 1 δ 0 / ρ 1
SELECT COUNT(*), AVG(day) FROM visits
6 rows, people in 1, cut | weights of 0 / 0 bits | moves 0 present 6 (ℓ2² 36); 1 rows 6 (ℓ2² 36); 2 sum 1092 (ℓ2² 1192464) | 2,0,1: joint_cells [1 182 0; -1 182 0; 0 -364 364] geometric 2184 / 2,0,1: joint_cells [1 182 0; -1 182 0; 0 -364 364] gaussian 1544.32 | ε 1 δ 0 / ρ 1
SELECT ward, MEDIAN(day) FROM visits GROUP BY ward
6 rows, people in 4, cut | weights of 0 / 0 bits | moves 0 quantile 6 (ℓ2² 36) | 0: permute_and_flip ε 0.125, bar ε 0.0416667 with 124 between / 0: exponential ε 0.408248, bar ε 0.235702 with 25 between | ε 1 δ 0 / ρ 1
SELECT region, COUNT(*) FROM visits JOIN towns USING (town) GROUP BY region
12 rows, people in 4, cut | weights of 0 / 0 bits | moves 0 rows 12 (ℓ2² 144) | 0: geometric 12 / 0: gaussian 8.48528 | ε 1 δ 0 / ρ 1
-- in rows: each row
SELECT COUNT(*) FROM visits
1 rows, people in 1, cut | weights of 0 / 0 bits | moves 0 rows 1 (ℓ2² 1) | 0: geometric 1 / 0: gaussian 0.707107 | ε 1 δ 0 / ρ 1
SELECT ward, SUM(cost) FROM visits GROUP BY ward
1 rows, people in 1, cut | weights of 0 / 0 bits | moves 0 sum 10000 (ℓ2² 100000000) | 0: geometric 10000 / 0: gaussian 7071.07 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(*), AVG(day) FROM visits GROUP BY ward
1 rows, people in 1, cut | weights of 0 / 0 bits | moves 0 present 1 (ℓ2² 1); 1 rows 1 (ℓ2² 1); 2 sum 182 (ℓ2² 33124) | 2,0,1: joint_cells [4 728 0; -4 728 0; 0 -1456 1456] geometric 1456 / 2,0,1: joint_cells [4 728 0; -4 728 0; 0 -1456 1456] gaussian 1029.55 | ε 1 δ 0 / ρ 1
SELECT town, COUNT(*) FROM visits GROUP BY town
1 rows, people in 1, cut | weights of 0 / 0 bits | moves 0 rows 1 (ℓ2² 1) | 0: counts of the keys / 0: counts of the keys | keys: TruncatedGeometricKeys ε 1 in 1 / LaplaceKeys ε 1.41421 in 1 | ε 1 δ 3.84264e-07 / ρ 1
SELECT ward, MEDIAN(day) FROM visits GROUP BY ward
1 rows, people in 1, cut | weights of 0 / 0 bits | moves 0 quantile 1 (ℓ2² 1) | 0: permute_and_flip ε 0.75, bar ε 0.25 with 21 between / 0: exponential ε 2.44949, bar ε 1.41421 with 5 between | ε 1 δ 0 / ρ 1
SELECT region, COUNT(*) FROM visits JOIN towns USING (town) GROUP BY region
2 rows, people in 2, cut | weights of 0 / 0 bits | moves 0 rows 2 (ℓ2² 4) | 0: geometric 2 / 0: gaussian 1.41421 | ε 1 δ 0 / ρ 1
-- in several: more rows of a person in their own table
SELECT COUNT(*) FROM people
2 rows, people in 1 | weights of 30 / 30 bits | moves 0 rows 2 (ℓ2² 4) | 0: geometric 2 / 0: gaussian 1.41421 | ε 1 δ 0 / ρ 1
SELECT AVG(age) FROM people
2 rows, people in 1 | weights of 30 / 30 bits | moves 0 present 2 (ℓ2² 4); 1 sum 120 (ℓ2² 14400) | 1,0: joint_cells [1 60; -1 60] geometric 240 / 0: gaussian 2 + 1: gaussian 120 | ε 1 δ 0 / ρ 1
-- joins, unions and subqueries
SELECT COUNT(*) FROM visits v JOIN people p USING (person)
3 rows, people in 1 | weights of 30 / 30 bits | moves 0 rows 3 (ℓ2² 9) | 0: geometric 3 / 0: gaussian 2.12132 | ε 1 δ 0 / ρ 1
SELECT COUNT(*) FROM (SELECT person FROM visits UNION ALL SELECT person FROM visits) t
6 rows, people in 1 | weights of 30 / 30 bits | moves 0 rows 6 (ℓ2² 36) | 0: geometric 6 / 0: gaussian 4.24264 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(*) FROM (SELECT person, ward FROM visits UNION ALL SELECT person, ward FROM visits) t GROUP BY ward
12 rows, people in 4 / 12 rows, 6 in a group, people in 4 | weights of 30 / 30 bits | moves 0 rows 12 (ℓ2² 72) | 0: geometric 12 / 0: gaussian 6 | ε 1 δ 0 / ρ 1
SELECT SUM(n) FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY person) t
1 rows, people in 1, cut | weights of 0 / 0 bits | moves 0 sum 3 (ℓ2² 9) | 0: geometric 3 / 0: gaussian 2.12132 | ε 1 δ 0 / ρ 1
SELECT ward, SUM(n) FROM (SELECT person, ward, COUNT(*) AS n FROM visits GROUP BY person, ward) t GROUP BY ward
6 rows, people in 2 or in parts / 6 rows, 3 in a group, people in 2 or in parts | weights of 30 / 30 bits, totals scaled | moves 0 sum 18 (ℓ2² 162) | 0: geometric 18 / 0: gaussian 9 | ε 1 δ 0 / ρ 1
SELECT region, COUNT(*) FROM visits JOIN towns USING (town) GROUP BY region
6 rows, people in 2 or in parts / 6 rows, 3 in a group, people in 2 or in parts | weights of 30 / 30 bits | moves 0 rows 6 (ℓ2² 18) | 0: geometric 6 / 0: gaussian 3 | ε 1 δ 0 / ρ 1
-- in total: so many rows in all, wherever they are
SELECT COUNT(*) FROM visits
6 rows, people in 1 | weights of 30 / 30 bits | moves 0 rows 6 (ℓ2² 36) | 0: geometric 6 / 0: gaussian 4.24264 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(*) FROM visits GROUP BY ward
6 rows, people in 4 | weights of 30 / 30 bits | moves 0 rows 6 (ℓ2² 36) | 0: geometric 6 / 0: gaussian 4.24264 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(DISTINCT person) FROM visits GROUP BY ward
6 rows, people in 4 | weights of 0 / 0 bits | moves 0 people 4 (ℓ2² 4) | 0: geometric 4 / 0: gaussian 1.41421 | ε 1 δ 0 / ρ 1
SELECT day, COUNT(DISTINCT person) FROM visits GROUP BY day
6 rows, people in 6 or in parts | weights of 0 / 0 bits | moves 0 people 6 (ℓ2² 6) | 0: geometric 6 / 0: gaussian 1.73205 | ε 1 δ 0 / ρ 1
SELECT day, COUNT(DISTINCT person) FILTER (WHERE paid), SUM(cost) FROM visits GROUP BY day
6 rows, people in 6 or in parts | weights of 30 / 30 bits, totals scaled | moves 0 people 6 (ℓ2² 6); 1 sum 60000 (ℓ2² 3600000000) | 0: geometric 12 + 1: geometric 120000 / 0: gaussian 2.44949 + 1: gaussian 60000 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(DISTINCT town) FROM visits GROUP BY ward
6 rows, people in 4 | weights of 0 / 0 bits | moves 0 distinct 6 (ℓ2² 36) | 0: geometric 6 / 0: gaussian 4.24264 | ε 1 δ 0 / ρ 1
SELECT ward, MEDIAN(day) FROM visits GROUP BY ward
6 rows, people in 4 | weights of 30 / 30 bits | moves 0 quantile 6 (ℓ2² 36) | 0: permute_and_flip ε 0.125, bar ε 0.0416667 with 123.259 between / 0: exponential ε 0.408248, bar ε 0.235702 with 24.9727 between | ε 1 δ 0 / ρ 1
SELECT town, COUNT(*) FROM visits GROUP BY town
6 rows, 3 groups picked, people in 3 | weights of 30 / 30 bits | moves 0 rows 6 (ℓ2² 36) | 0: geometric 12 / 0: gaussian 6 | keys: TruncatedGeometricKeys ε 0.5 in 3 / LaplaceKeys ε 1.73205 in 3 | ε 1 δ 9.29516e-07 / ρ 1
SELECT town, COUNT(DISTINCT person), AVG(cost) FROM visits GROUP BY town
6 rows, 3 groups picked, people in 3 | weights of 30 / 30 bits | moves 0 people 3 (ℓ2² 3); 1 present 6 (ℓ2² 36); 2 sum 30000 (ℓ2² 900000000) | 2,1,0: joint_keys [1 5000 0; -1 5000 0; 0 -10000 60000] geometric 180000 / 0: counts of the keys + 1: gaussian 8.48528 + 2: gaussian 42426.4 | keys: JointKeys ε 1 in 3 / LaplaceKeys ε 1.73205 in 3 | ε 1 δ 1e-06 / ρ 1
SELECT p.age, COUNT(*) FROM visits v JOIN people p USING (person) GROUP BY p.age
6 rows, people in 1 or in parts | weights of 30 / 30 bits | moves 0 rows 6 (ℓ2² 36) | 0: geometric 6 / 0: gaussian 4.24264 | ε 1 δ 0 / ρ 1
SELECT region, COUNT(*) FROM visits JOIN towns USING (town) GROUP BY region
6 rows, people in 4 | weights of 30 / 30 bits | moves 0 rows 6 (ℓ2² 36) | 0: geometric 6 / 0: gaussian 4.24264 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(*) FROM (SELECT person, ward FROM visits UNION ALL SELECT person, ward FROM visits) t GROUP BY ward
12 rows, people in 4 | weights of 30 / 30 bits | moves 0 rows 12 (ℓ2² 144) | 0: geometric 12 / 0: gaussian 8.48528 | ε 1 δ 0 / ρ 1
SELECT ward, SUM(n) FROM (SELECT person, ward, COUNT(*) AS n FROM visits GROUP BY person, ward) t GROUP BY ward
6 rows, people in 4 | weights of 30 / 30 bits, totals scaled | moves 0 sum 36 (ℓ2² 1296) | 0: geometric 36 / 0: gaussian 25.4558 | ε 1 δ 0 / ρ 1
SELECT SUM(n) FROM (SELECT person, COUNT(*) AS n FROM visits GROUP BY person) t
1 rows, people in 1, cut | weights of 0 / 0 bits | moves 0 sum 6 (ℓ2² 36) | 0: geometric 6 / 0: gaussian 4.24264 | ε 1 δ 0 / ρ 1
-- in both: whatever is less
SELECT COUNT(*) FROM visits
3 rows, people in 1 | weights of 30 / 30 bits | moves 0 rows 3 (ℓ2² 9) | 0: geometric 3 / 0: gaussian 2.12132 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(*) FROM visits GROUP BY ward
4 rows, people in 2 or in parts / 4 rows, 3 in a group, people in 2 or in parts | weights of 30 / 30 bits | moves 0 rows 4 (ℓ2² 12) | 0: geometric 4 / 0: gaussian 2.44949 | ε 1 δ 0 / ρ 1
SELECT ward, COUNT(DISTINCT person) FROM visits GROUP BY ward
4 rows, people in 2 or in parts / 4 rows, 3 in a group, people in 2 or in parts | weights of 0 / 0 bits | moves 0 people 2 (ℓ2² 2) | 0: geometric 2 / 0: gaussian 1 | ε 1 δ 0 / ρ 1
SELECT ward, MEDIAN(day) FROM visits GROUP BY ward
4 rows, people in 2 or in parts / 4 rows, 3 in a group, people in 2 or in parts | weights of 30 / 30 bits | moves 0 quantile 4 (ℓ2² 12) | 0: permute_and_flip ε 0.1875, bar ε 0.0625 with 82.1729 between / 0: exponential ε 0.57735, bar ε 0.333333 with 17.6584 between | ε 1 δ 0 / ρ 1
SELECT town, COUNT(*) FROM visits GROUP BY town
4 rows, 3 in a group, 2 groups picked, people in 2 | weights of 30 / 30 bits | moves 0 rows 4 (ℓ2² 12) | 0,-1: joint_keys [1 0; -1 3] geometric 6 / 0: gaussian 3.4641 | keys: JointKeys ε 1 in 2 / LaplaceKeys ε 1.41421 in 2 | ε 1 δ 1e-06 / ρ 1
SELECT ward, COUNT(*) FROM (SELECT person, ward FROM visits UNION ALL SELECT person, ward FROM visits) t GROUP BY ward
8 rows, people in 4 / 8 rows, 6 in a group, people in 4 | weights of 30 / 30 bits | moves 0 rows 8 (ℓ2² 48) | 0: geometric 8 / 0: gaussian 4.89898 | ε 1 δ 0 / ρ 1
-- wide numbers have coarser weights
SELECT SUM(LEAST(GREATEST(half, -1000), 1000)) FROM visits
3 rows, people in 1 | weights of 30 / 30 bits, totals scaled | moves 0 sum 3000000 (ℓ2² 9000000000000) | 0: geometric 3000000 / 0: gaussian 2.12132e+06 | ε 1 δ 0 / ρ 1
SELECT VARIANCE(cost) FROM visits
3 rows, people in 1 | weights of 24 / 25 bits | moves 0 present 3 (ℓ2² 9); 1 square 75000000 (ℓ2² 5625000000000000); 2 sum 15000 (ℓ2² 225000000) | 1,2,0: joint_cells [1 -10000 25000000; -2 0 50000000; 1 10000 25000000] geometric 300000000 / 1,2,0: joint_cells [1 -10000 25000000; -2 0 50000000; 1 10000 25000000] gaussian 2.12132e+08 | ε 1 δ 0 / ρ 1
SELECT COUNT(*), SUM(price), VARIANCE(price) FROM items
4 rows, people in 1 | weights of 20 / 20 bits | moves 0 present 4 (ℓ2² 16); 1 rows 4 (ℓ2² 16); 2 square 40000000000 (ℓ2² 1600000000000000000000); 3 sum 400000 (ℓ2² 160000000000); 4 sum 4000000 (ℓ2² 16000000000000) | 0,1,2,3,4: box [20000000000 -10000000000 0 0 0; 0 10000000000 0 0 0; -10000000000 0 2 0 0; 0 0 0 100000 0; 0 0 0 0 10000] box 40000000000 / 2,3,0,1: joint_cells [1 -200000 10000000000 0; -2 0 20000000000 0; 1 200000 10000000000 0; 0 0 -40000000000 40000000000] gaussian 1.38564e+11 + 4: gaussian 4.89898e+06 | ε 1 δ 0 / ρ 1
