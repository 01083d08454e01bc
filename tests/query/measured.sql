-- counts
SELECT COUNT(*) FROM visits
0: rows, a row 1 | rows of 0
SELECT COUNT(cost) FROM visits
0: present of cost#4, a row 1 | present of 0
SELECT COUNT(DISTINCT person) FROM visits
0: people, a row 1 | people of 0
SELECT COUNT(DISTINCT town) FROM visits
0: distinct of town#5, a row 1 | distinct of 0
SELECT COUNT(*) FILTER (WHERE paid) FROM visits
0: rows where paid#9, a row 1 | rows of 0
-- COUNT(*) beside one counted expression is one histogram of two cells
SELECT COUNT(*), COUNT(cost) FROM visits
0: present of cost#4, a row 1; 1: rows, a row 1 | rows of 1; present of 0
SELECT COUNT(cost), COUNT(*) FROM visits
0: present of cost#4, a row 1; 1: rows, a row 1 | present of 0; rows of 1
SELECT COUNT(*), AVG(cost) FROM visits
0: present of cost#4, a row 1; 1: rows, a row 1; 2: sum of cost#4 in steps of 1/100 from 0 to 10000 around 5000, a row 5000, up or down | rows of 1; avg of 2,0
SELECT COUNT(*), VARIANCE(day) FROM visits
0: present of day#2, a row 1; 1: rows, a row 1; 2: square of day#2 in steps of 1 from 0 to 364 around 182, a row 33124; 3: sum of day#2 in steps of 1 from 0 to 364 around 182, a row 182, up or down | rows of 1; variance of 2,3,0
SELECT COUNT(*), COUNT(cost), AVG(cost), VARIANCE(cost) FROM visits
0: present of cost#4, a row 1; 1: rows, a row 1; 2: square of cost#4 in steps of 1/100 from 0 to 10000 around 5000, a row 25000000; 3: sum of cost#4 in steps of 1/100 from 0 to 10000 around 5000, a row 5000, up or down | rows of 1; present of 0; avg of 3,0; variance of 2,3,0
SELECT COUNT(*) FILTER (WHERE paid), AVG(cost) FILTER (WHERE paid) FROM visits
0: present of cost#4 where paid#9, a row 1; 1: rows where paid#9, a row 1; 2: sum of cost#4 where paid#9 in steps of 1/100 from 0 to 10000 around 5000, a row 5000, up or down | rows of 1; avg of 2,0
-- not beside two, nor under another condition, nor beside a sum alone
SELECT COUNT(*), COUNT(cost), COUNT(town) FROM visits
0: present of cost#4, a row 1; 1: present of town#5, a row 1; 2: rows, a row 1 | rows of 2; present of 0; present of 1
SELECT COUNT(*), AVG(cost), AVG(day) FROM visits
0: present of day#2, a row 1; 1: present of cost#4, a row 1; 2: rows, a row 1; 3: sum of day#2 in steps of 1 from 0 to 364 around 182, a row 182, up or down; 4: sum of cost#4 in steps of 1/100 from 0 to 10000 around 5000, a row 5000, up or down | rows of 2; avg of 4,1; avg of 3,0
SELECT COUNT(*), AVG(cost) FILTER (WHERE paid) FROM visits
0: present of cost#4 where paid#9, a row 1; 1: rows, a row 1; 2: sum of cost#4 where paid#9 in steps of 1/100 from 0 to 10000 around 5000, a row 5000, up or down | rows of 1; avg of 2,0
SELECT COUNT(*) FILTER (WHERE paid), AVG(cost) FROM visits
0: present of cost#4, a row 1; 1: rows where paid#9, a row 1; 2: sum of cost#4 in steps of 1/100 from 0 to 10000 around 5000, a row 5000, up or down | rows of 1; avg of 2,0
SELECT COUNT(*), SUM(cost) FROM visits
0: rows, a row 1; 1: sum of cost#4 in steps of 1/100 from 0 to 10000, a row 10000 | rows of 0; sum of 1
SELECT COUNT(*), COUNT(DISTINCT town) FROM visits
0: distinct of town#5, a row 1; 1: rows, a row 1 | rows of 1; distinct of 0
SELECT COUNT(*), MEDIAN(cost) FROM visits
0: quantile of cost#4 in steps of 1/100 from 0 to 10000, a row 1; 1: rows, a row 1 | rows of 1; quantile at 0.5 of 0
-- sums that serve averages are around the middle, unless the plain sum is asked for
SELECT SUM(cost) FROM visits
0: sum of cost#4 in steps of 1/100 from 0 to 10000, a row 10000 | sum of 0
SELECT AVG(cost) FROM visits
0: present of cost#4, a row 1; 1: sum of cost#4 in steps of 1/100 from 0 to 10000 around 5000, a row 5000, up or down | avg of 1,0
SELECT SUM(cost), AVG(cost) FROM visits
0: present of cost#4, a row 1; 1: sum of cost#4 in steps of 1/100 from 0 to 10000 around 5000, a row 5000, up or down | sum of 1+5000·0; avg of 1,0
SELECT AVG(cost), SUM(cost) FROM visits
0: present of cost#4, a row 1; 1: sum of cost#4 in steps of 1/100 from 0 to 10000 around 5000, a row 5000, up or down | avg of 1,0; sum of 1+5000·0
SELECT SUM(cost), AVG(cost), VARIANCE(cost) FROM visits
0: present of cost#4, a row 1; 1: square of cost#4 in steps of 1/100 from 0 to 10000 around 5000, a row 25000000; 2: sum of cost#4 in steps of 1/100 from 0 to 10000 around 5000, a row 5000, up or down | sum of 2+5000·0; avg of 2,0; variance of 1,2,0
SELECT AVG(cost), VARIANCE(cost) FROM visits
0: present of cost#4, a row 1; 1: square of cost#4 in steps of 1/100 from 0 to 10000 around 5000, a row 25000000; 2: sum of cost#4 in steps of 1/100 from 0 to 10000 around 5000, a row 5000, up or down | avg of 2,0; variance of 1,2,0
SELECT SUM(cost), AVG(day) FROM visits
0: present of day#2, a row 1; 1: sum of day#2 in steps of 1 from 0 to 364 around 182, a row 182, up or down; 2: sum of cost#4 in steps of 1/100 from 0 to 10000, a row 10000 | sum of 2; avg of 1,0
SELECT SUM(cost), AVG(cost) FILTER (WHERE paid) FROM visits
0: present of cost#4 where paid#9, a row 1; 1: sum of cost#4 in steps of 1/100 from 0 to 10000, a row 10000; 2: sum of cost#4 where paid#9 in steps of 1/100 from 0 to 10000 around 5000, a row 5000, up or down | sum of 1; avg of 2,0
SELECT COUNT(*), SUM(cost), AVG(cost) FROM visits
0: present of cost#4, a row 1; 1: rows, a row 1; 2: sum of cost#4 in steps of 1/100 from 0 to 10000 around 5000, a row 5000, up or down | rows of 1; sum of 2+5000·0; avg of 2,0
-- negative bounds
SELECT SUM(price), AVG(price) FROM items
0: present of price#1, a row 1; 1: sum of price#1 in steps of 1/100000 from -1000000 to 1000000, a row 1000000, up or down | sum of 1; avg of 1,0
SELECT SUM(-cost) FROM visits
0: sum of neg(clip(cost#4)) in steps of 1/100 from -10000 to 0, a row 10000, up or down | sum of 0
SELECT SUM(price), MIN(price) FROM items
0: quantile of price#1 in steps of 1/100000 from -1000000 to 1000000, a row 1, up or down; 1: sum of price#1 in steps of 1/100000 from -1000000 to 1000000, a row 1000000, up or down | sum of 1; quantile at 0.01 of 0
-- squares of many steps are on a coarser grid
SELECT VARIANCE(cost * 1000) FROM visits
0: present of clip(cost#4) * 1000, a row 1; 1: square of clip(cost#4) * 1000 in steps of 10 from 0 to 10000 around 5000, a row 25000000; 2: sum of clip(cost#4) * 1000 in steps of 10 from 0 to 10000 around 5000, a row 5000, up or down | variance of 1,2,0
SELECT VARIANCE(day) FROM visits
0: present of day#2, a row 1; 1: square of day#2 in steps of 1 from 0 to 364 around 182, a row 33124; 2: sum of day#2 in steps of 1 from 0 to 364 around 182, a row 182, up or down | variance of 1,2,0
SELECT AVG(cost * 1000), VARIANCE(cost * 1000) FROM visits
0: present of clip(cost#4) * 1000, a row 1; 1: square of clip(cost#4) * 1000 in steps of 10 from 0 to 10000 around 5000, a row 25000000; 2: sum of clip(cost#4) * 1000 in steps of 10 from 0 to 10000 around 5000, a row 5000, up or down | avg of 2,0; variance of 1,2,0
-- spreads share what is measured
SELECT VARIANCE(cost), STDDEV(cost), VAR_POP(cost) FROM visits
0: present of cost#4, a row 1; 1: square of cost#4 in steps of 1/100 from 0 to 10000 around 5000, a row 25000000; 2: sum of cost#4 in steps of 1/100 from 0 to 10000 around 5000, a row 5000, up or down | variance of 1,2,0; variance of 1,2,0; variance of 1,2,0
-- quantiles
SELECT MEDIAN(cost), MEDIAN(day), QUANTILE(cost, 0.5), MAX(day) FROM visits
0: quantile of day#2 in steps of 1 from 0 to 364, a row 1; 1: quantile of day#2 in steps of 1 from 0 to 364, a row 1; 2: quantile of cost#4 in steps of 1/100 from 0 to 10000, a row 1 | quantile at 0.5 of 2; quantile at 0.5 of 0; quantile at 0.99 of 1
-- the order of SELECT does not count
SELECT SUM(cost), COUNT(DISTINCT person), COUNT(*), MEDIAN(day) FROM visits
0: people, a row 1; 1: quantile of day#2 in steps of 1 from 0 to 364, a row 1; 2: rows, a row 1; 3: sum of cost#4 in steps of 1/100 from 0 to 10000, a row 10000 | sum of 3; people of 0; rows of 2; quantile at 0.5 of 1
SELECT MEDIAN(day), COUNT(*), COUNT(DISTINCT person), SUM(cost) FROM visits
0: people, a row 1; 1: quantile of day#2 in steps of 1 from 0 to 364, a row 1; 2: rows, a row 1; 3: sum of cost#4 in steps of 1/100 from 0 to 10000, a row 10000 | quantile at 0.5 of 1; rows of 2; people of 0; sum of 3
-- COUNT_IF beside an average under the same condition is one histogram with it
SELECT COUNT_IF(paid), AVG(cost) FILTER (WHERE paid) FROM visits
0: present of cost#4 where paid#9, a row 1; 1: rows where paid#9, a row 1; 2: sum of cost#4 where paid#9 in steps of 1/100 from 0 to 10000 around 5000, a row 5000, up or down | rows of 1; avg of 2,0
-- a sum of other values than the split counts shares nothing with it
SELECT COUNT(*), COUNT(cost), SUM(day) FROM visits
0: present of cost#4, a row 1; 1: rows, a row 1; 2: sum of day#2 in steps of 1 from 0 to 364, a row 364 | rows of 1; present of 0; sum of 2
SELECT COUNT(*), COUNT(cost) FILTER (WHERE paid), COUNT(cost) FROM visits
0: present of cost#4, a row 1; 1: present of cost#4 where paid#9, a row 1; 2: rows, a row 1 | rows of 2; present of 1; present of 0
