-- what one row may cost
SELECT UPPER(town), COUNT(*) FROM visits GROUP BY UPPER(town)
upper(town#5) as `UPPER(town)`
SELECT COUNT(*) FROM visits WHERE CONTAINS(town, 'x')
no keys
SELECT COUNT(DISTINCT town), COUNT(DISTINCT UPPER(town)) FROM visits
no keys
-- texts beside texts beside texts
SELECT COUNT(*) FROM visits WHERE CONTAINS(town || town || town || town, town || town || town || town)
no keys
SELECT COUNT(DISTINCT town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town || town) FROM visits
refused: the question may hold too much text for one row | hint: ask in parts, of fewer texts or joins
SELECT COUNT(*) FROM visits WHERE CONTAINS(town, ward)
no keys
SELECT COUNT(*) FROM visits WHERE town ILIKE '%a%b%c%d%e%f%g%h%'
no keys
