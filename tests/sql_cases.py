"""The SQL cases a curator is judged on: what must be answered, how far off it may be, and what must be refused.

The dataset is that of `clinic`. A tolerance is six noise scales, worked out by hand from the declared bounds: a person
counts with 5 rows in each of 3 groups, the question costs ε = 1, and ε is split evenly over what is measured. What is
measured together, as the cells of one sum and its count, is not off by more than that.
"""

from dataclasses import dataclass

Tolerance = dict[str, float]


@dataclass(frozen=True)
class Accepted:
    """A question, the same on plain DuckDB with the bounds applied, and how far each column may be off."""

    id: str
    sql: str
    truth: str
    off: Tolerance
    mechanisms: int
    """How many there are where nothing is measured together: a choice of groups is one of them."""
    keys: tuple[str, ...] = ()
    delta: bool = False
    few: str = ""
    """A query that must find nothing: people whom bounding by groups would touch."""


def _busy(key: str, rest: str = "") -> str:
    return f"SELECT user_id FROM visits {rest} GROUP BY user_id HAVING COUNT(DISTINCT {key}) > 3"


ACCEPTED = (
    Accepted("A1", "SELECT COUNT(*) AS n FROM visits", "SELECT COUNT(*) AS n FROM visits", {"n": 6 * 5}, 1),
    Accepted(
        "A2", "SELECT COUNT(DISTINCT user_id) AS n FROM visits", "SELECT COUNT(DISTINCT user_id) AS n FROM visits",
        {"n": 6 * 1}, 1,
    ),
    Accepted("A3", "SELECT COUNT(DISTINCT category) AS n FROM visits", "SELECT 12 AS n", {"n": 6 * 5}, 1),
    Accepted(
        "A4", "SELECT SUM(amount) AS s FROM visits WHERE day < 100", "SELECT SUM(amount) AS s FROM visits WHERE day < 100",
        {"s": 6 * 5 * 200}, 1,
    ),
    Accepted(
        "A5", "SELECT AVG(age) AS a FROM users", "SELECT AVG(age) AS a FROM users",
        {"a": (6 * 2 * 36 + 6 * 2 * 36) / 3900}, 2,
    ),
    Accepted(
        "A6", "SELECT VARIANCE(age) AS v, STDDEV(age) AS s FROM users",
        "SELECT VARIANCE(age) AS v, STDDEV(age) AS s FROM users", {"v": 44.0, "s": 2.0}, 3,
    ),
    Accepted(
        "A9", "SELECT city, COUNT(*) AS n FROM visits GROUP BY city ORDER BY n DESC LIMIT 10",
        "SELECT city, COUNT(*) AS n FROM visits GROUP BY city", {"n": 6 * 15 * 2}, 2, ("city",), True, _busy("city"),
    ),
    Accepted(
        "A10", "SELECT category, COUNT(*) AS n FROM visits GROUP BY category",
        "SELECT category, COUNT(*) AS n FROM visits GROUP BY category", {"n": 6 * 15}, 1, ("category",),
        few=_busy("category"),
    ),
    Accepted(
        "A11", "SELECT c.region, SUM(v.amount) AS s FROM visits v JOIN cities c ON v.city = c.city GROUP BY c.region",
        "SELECT c.region, SUM(v.amount) AS s FROM visits v JOIN cities c ON v.city = c.city GROUP BY c.region",
        {"s": 6 * 2 * 5 * 200}, 1, ("region",),
    ),
    Accepted(
        "A12", "SELECT u.city, COUNT(*) AS n FROM visits v JOIN users u ON v.user_id = u.user_id GROUP BY u.city",
        "SELECT u.city, COUNT(*) AS n FROM visits v JOIN users u ON v.user_id = u.user_id GROUP BY u.city",
        {"n": 6 * 5 * 2}, 2, ("city",), True,
    ),
    Accepted(
        "A12 using", "SELECT u.city, COUNT(*) AS n FROM visits v JOIN users u USING (user_id) GROUP BY u.city",
        "SELECT u.city, COUNT(*) AS n FROM visits v JOIN users u USING (user_id) GROUP BY u.city",
        {"n": 6 * 5 * 2}, 2, ("city",), True,
    ),
    Accepted(
        "A13", "SELECT category, COUNT(*) AS n, SUM(amount) AS s, AVG(amount) AS a FROM visits GROUP BY category",
        "SELECT category, COUNT(*) AS n, SUM(amount) AS s, AVG(amount) AS a FROM visits GROUP BY category",
        {"n": 6 * 15 * 2 * 2, "s": 6 * 15 * 200 * 2, "a": (6 * 15 * 200 * 2 + 6 * 15 * 2 * 200) / 500}, 2, ("category",),
        few=_busy("category"),
    ),
    Accepted(
        "A14", "SELECT city, AVG(amount) AS a FROM visits GROUP BY city HAVING COUNT(*) > 500",
        "SELECT city, AVG(amount) AS a FROM visits GROUP BY city HAVING COUNT(*) > 500",
        {"a": (6 * 15 * 100 * 3 + 6 * 15 * 3 * 100) / 1000}, 3, ("city",), True, _busy("city"),
    ),
    Accepted(
        "A16", "SELECT SUM(amount * 2 + day) AS s FROM visits", "SELECT SUM(amount * 2 + day) AS s FROM visits",
        {"s": 6 * 5 * 764}, 1,
    ),
    Accepted(
        "A18", "WITH t AS (SELECT user_id, amount FROM visits WHERE amount > 5) SELECT SUM(amount) AS s FROM t",
        "SELECT SUM(amount) AS s FROM visits WHERE amount > 5", {"s": 6 * 5 * 200}, 1,
    ),
    Accepted(
        "A19", "SELECT AVG(s) AS a FROM (SELECT user_id, SUM(amount) AS s FROM visits GROUP BY user_id) t",
        "SELECT AVG(LEAST(s, 1000)) AS a FROM (SELECT user_id, SUM(amount) AS s FROM visits GROUP BY user_id) t",
        {"a": (6 * 2 * 500 + 6 * 2 * 500) / 3500}, 2,
    ),
    Accepted(
        "A22", "SELECT day, COUNT(*) AS n FROM visits WHERE city IN ('town 1','town 2') AND amount BETWEEN 5 AND 50"
        " AND note IS NOT NULL AND note LIKE 'x%' GROUP BY day",
        "SELECT day, COUNT(*) AS n FROM visits WHERE city IN ('town 1','town 2') AND amount BETWEEN 5 AND 50"
        " AND note IS NOT NULL AND note LIKE 'x%' GROUP BY day", {"n": 6 * 15}, 1, ("day",),
        few=_busy("day", "WHERE city IN ('town 1','town 2') AND amount BETWEEN 5 AND 50 AND note LIKE 'x%'"),
    ),
    # ---- of the same kinds ----
    Accepted(
        "group by position", "SELECT category AS kind, COUNT(*) FROM visits GROUP BY 1",
        'SELECT category AS kind, COUNT(*) AS "count(*)" FROM visits GROUP BY 1', {"count(*)": 90}, 1, ("kind",), few=_busy("category"),
    ),
    Accepted(
        "group by alias", "SELECT age % 10 AS digit, COUNT(*) AS n FROM users GROUP BY digit ORDER BY digit",
        "SELECT age % 10 AS digit, COUNT(*) AS n FROM users GROUP BY 1", {"n": 6}, 1, ("digit",),
    ),
    Accepted(
        "mixed case and quotes", 'SELECT "Category", COUNT(*) AS "The Number" FROM "VISITS" AS V GROUP BY v.CATEGORY',
        'SELECT category AS "Category", COUNT(*) AS "The Number" FROM visits GROUP BY category', {"The Number": 90}, 1,
        ("Category",), few=_busy("category"),
    ),
    Accepted(
        "filter", "SELECT COUNT(*) FILTER (WHERE amount > 100) AS n, COUNT(*) FILTER (WHERE amount <= 100) AS m FROM visits",
        "SELECT COUNT(*) FILTER (WHERE amount > 100) AS n, COUNT(*) FILTER (WHERE amount <= 100) AS m FROM visits",
        {"n": 60, "m": 60}, 2,
    ),
    Accepted(
        "arithmetic on what is released", "SELECT SUM(amount) / COUNT(*) AS a, 2 * COUNT(*) + 1 AS b FROM visits",
        "SELECT SUM(amount) / COUNT(*) AS a, 2 * COUNT(*) + 1 AS b FROM visits",
        {"a": (6 * 1000 * 2 + 6 * 5 * 2 * 110) / 11000, "b": 2 * 6 * 5 * 2}, 2,
    ),
    Accepted(
        "case", "SELECT CASE WHEN age < 40 THEN 'young' WHEN age < 65 THEN 'middle' ELSE 'old' END AS ages, COUNT(*) AS n"
        " FROM users GROUP BY 1 ORDER BY n",
        "SELECT CASE WHEN age < 40 THEN 'young' WHEN age < 65 THEN 'middle' ELSE 'old' END AS ages, COUNT(*) AS n"
        " FROM users GROUP BY 1", {"n": 6}, 1, ("ages",),
    ),
    Accepted(
        "boolean key", "SELECT note IS NULL AS silent, COUNT(*) AS n FROM visits GROUP BY note IS NULL",
        "SELECT note IS NULL AS silent, COUNT(*) AS n FROM visits GROUP BY 1", {"n": 6 * 10}, 1, ("silent",),
    ),
    Accepted(
        "public and public keys", "SELECT age // 30 AS ages, income > 50000 AS rich, COUNT(*) AS n FROM users GROUP BY ages, rich",
        "SELECT age // 30 AS ages, income > 50000 AS rich, COUNT(*) AS n FROM users GROUP BY ages, rich", {"n": 6}, 1,
        ("ages", "rich"),
    ),
    Accepted(
        "public and unknown keys", "SELECT u.city, u.age < 50 AS young, COUNT(*) AS n FROM users u GROUP BY 1, 2",
        "SELECT u.city, u.age < 50 AS young, COUNT(*) AS n FROM users u GROUP BY 1, 2", {"n": 40}, 1, ("city", "young"), True,
    ),
    Accepted(
        "union all", "SELECT COUNT(*) AS n FROM (SELECT user_id FROM visits WHERE day < 9 UNION ALL SELECT user_id FROM users) t",
        "SELECT COUNT(*) AS n FROM (SELECT user_id FROM visits WHERE day < 9 UNION ALL SELECT user_id FROM users) t",
        {"n": 6 * 6}, 1,
    ),
    Accepted(
        "nested subqueries", "SELECT SUM(b) AS s FROM (SELECT user_id, a + 1 AS b FROM (SELECT user_id, day AS a FROM visits"
        " WHERE category < 6) x WHERE a < 300) y",
        "SELECT SUM(day + 1) AS s FROM visits WHERE category < 6 AND day < 300", {"s": 6 * 5 * 365}, 1,
    ),
    Accepted(
        "chained CTEs", "WITH a AS (SELECT user_id, day, amount FROM visits), b AS (SELECT user_id, amount FROM a WHERE day < 50)"
        " SELECT COUNT(*) AS n FROM b", "SELECT COUNT(*) AS n FROM visits WHERE day < 50", {"n": 30}, 1,
    ),
    Accepted(
        "two joins", "SELECT c.region, COUNT(*) AS n FROM visits v JOIN users u ON u.user_id = v.user_id"
        " JOIN cities c ON u.city = c.city WHERE u.age >= 40 GROUP BY c.region",
        "SELECT c.region, COUNT(*) AS n FROM visits v JOIN users u ON u.user_id = v.user_id JOIN cities c ON u.city = c.city"
        " WHERE u.age >= 40 GROUP BY c.region", {"n": 6 * 10}, 1, ("region",),
    ),
    Accepted(
        "pre-aggregation with HAVING", "SELECT COUNT(*) AS n, AVG(k) AS k FROM (SELECT user_id, COUNT(*) AS k FROM visits"
        " GROUP BY user_id HAVING SUM(amount) > 300) t",
        "SELECT COUNT(*) AS n, AVG(k) AS k FROM (SELECT user_id, COUNT(*) AS k FROM visits GROUP BY user_id"
        " HAVING SUM(amount) > 300) t", {"n": 24, "k": (6 * 2 * 3 + 6 * 2 * 3) / 1500}, 2,
    ),
    Accepted(
        "pre-aggregation, grouped", "SELECT k, COUNT(*) AS n FROM (SELECT user_id, COUNT(*) AS k FROM visits GROUP BY user_id) t"
        " GROUP BY k ORDER BY k",
        "SELECT k, COUNT(*) AS n FROM (SELECT user_id, COUNT(*) AS k FROM visits GROUP BY user_id) t GROUP BY k",
        {"n": 6}, 1, ("k",),
    ),
    Accepted(
        "HAVING and ORDER BY what is not shown", "SELECT category FROM visits GROUP BY category HAVING SUM(amount) > 0"
        " ORDER BY AVG(day) DESC, COUNT(*) LIMIT 100", "SELECT category FROM visits GROUP BY category", {}, 3, ("category",),
    ),
)  # fmt: skip

REFUSED = {
    "B1": ("SELECT * FROM visits", "SELECT income FROM users", "SELECT v.* FROM visits v", "SELECT user_id FROM users",
           "SELECT income + 1 FROM users WHERE user_id = 42", "SELECT category FROM visits GROUP BY category",
           "SELECT DISTINCT * FROM visits", "FROM visits", "TABLE visits"),
    "B2": ("SELECT city, income, COUNT(*) FROM users GROUP BY city", "SELECT city, COUNT(*) FROM users",
           "SELECT COUNT(*) FROM visits HAVING day > 3", "SELECT COUNT(*) FROM visits ORDER BY amount"),
    "B3": ("SELECT user_id, COUNT(*) FROM visits GROUP BY user_id", "SELECT COUNT(*) FROM visits GROUP BY user_id + 0",
           "SELECT COUNT(*) FROM visits GROUP BY user_id, city",
           "SELECT CASE WHEN user_id = 0 THEN 0 ELSE 1 END, COUNT(*) FROM visits GROUP BY 1",
           "SELECT user_id % 10 AS k, COUNT(*) FROM visits GROUP BY k",
           "SELECT x, COUNT(*) FROM (SELECT user_id AS x FROM visits) t GROUP BY x",
           "SELECT x, COUNT(*) FROM (SELECT user_id, user_id + 0 AS x FROM visits) t GROUP BY x",
           "SELECT x, COUNT(*) FROM (SELECT user_id, CASE WHEN user_id = 42 THEN 1 ELSE 0 END AS x FROM visits) t GROUP BY x",
           "SELECT CAST(user_id AS TEXT), COUNT(*) FROM visits GROUP BY 1",
           "SELECT user_id IS NULL, COUNT(*) FROM visits GROUP BY 1",
           "SELECT m, COUNT(*) FROM (SELECT user_id, MAX(user_id) AS m FROM visits GROUP BY user_id) t GROUP BY m",
           "SELECT u.user_id, COUNT(*) FROM visits v JOIN users u USING (user_id) GROUP BY u.user_id"),
    "B4": ("SELECT SUM(user_id) FROM visits", "SELECT AVG(LENGTH(note)) FROM visits", "SELECT SUM(CAST(note AS DOUBLE)) FROM visits",
           "SELECT MEDIAN(user_id) FROM users", "SELECT SUM(amount / day) FROM visits", "SELECT MAX(note) FROM visits",
           "SELECT SUM(note) FROM visits", "SELECT VARIANCE(user_id * 2) FROM users"),
    "B5": ("SELECT COUNT(*) FROM visits v JOIN users u ON v.city = u.city", "SELECT COUNT(*) FROM visits JOIN users USING (city)",
           "SELECT COUNT(*) FROM visits v JOIN users u ON v.user_id <> u.user_id",
           "SELECT COUNT(*) FROM visits v JOIN users u ON v.user_id = u.user_id OR v.city = u.city",
           "SELECT COUNT(*) FROM visits v JOIN users u ON v.user_id = u.user_id + 0",
           "SELECT COUNT(*) FROM visits v JOIN users u ON TRUE", "SELECT COUNT(*) FROM visits CROSS JOIN users",
           "SELECT COUNT(*) FROM visits NATURAL JOIN users", "SELECT COUNT(*) FROM visits, users"),
    "B7": ("SELECT COUNT(*) FROM visits a JOIN visits b ON a.user_id = b.user_id",
           "WITH t AS (SELECT user_id, day FROM visits) SELECT COUNT(*) FROM t a JOIN t b USING (user_id)"),
    "B9": ("SELECT COUNT(*) FROM (SELECT amount FROM visits) t", "WITH t AS (SELECT day FROM visits) SELECT COUNT(*) FROM t",
           "SELECT COUNT(*) FROM (SELECT COUNT(*) AS n FROM visits GROUP BY city) t",
           "SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM visits) t",
           "SELECT COUNT(*) FROM (SELECT user_id FROM users UNION ALL SELECT day FROM visits) t"),
    "B10": ("WITH t AS (SELECT 1 AS user_id, amount FROM visits) SELECT COUNT(*) FROM t",
            "SELECT COUNT(*) FROM (SELECT user_id * 0 + day AS user_id FROM visits) t",
            "SELECT COUNT(*) FROM (SELECT day AS user_id FROM visits) t",
            "SELECT COUNT(*) FROM (SELECT COALESCE(user_id, 0) AS user_id FROM visits) t",
            "SELECT COUNT(*) FROM (SELECT CAST(user_id AS TEXT) AS user_id FROM visits) t",
            "SELECT COUNT(DISTINCT user_id) FROM (SELECT -user_id AS user_id FROM visits) t",
            "SELECT COUNT(*) FROM (SELECT user_id FROM users UNION ALL SELECT day AS user_id FROM visits) t",
            "SELECT COUNT(*) FROM (SELECT category AS user_id, COUNT(*) FROM visits GROUP BY category) t"),
    "B11": ("SELECT ROW_NUMBER() OVER (ORDER BY income) FROM users", "SELECT SUM(amount) OVER () FROM visits",
            "SELECT COUNT(*) FROM visits QUALIFY ROW_NUMBER() OVER (PARTITION BY city ORDER BY amount) = 1",
            "SELECT COUNT(*) FROM (SELECT user_id, RANK() OVER (ORDER BY amount) AS r FROM visits) t",
            "SELECT COUNT(*) FROM visits ORDER BY SUM(amount) OVER ()"),
    "B12": ("SELECT SUM(SUM(age)) FROM users", "SELECT STRING_AGG(note, ',') FROM visits", "SELECT ARRAY_AGG(note) FROM visits",
            "SELECT ANY_VALUE(note) FROM visits", "SELECT FIRST(note) FROM visits", "SELECT MODE(note) FROM visits",
            "SELECT LIST(note) FROM visits", "SELECT ARG_MAX(note, amount) FROM visits", "SELECT HISTOGRAM(day) FROM visits",
            "SELECT LAST(note) FROM visits", "SELECT GROUP_CONCAT(note) FROM visits", "SELECT CORR(day, amount) FROM visits",
            "SELECT MAX(AVG(amount)) FROM visits", "SELECT ENTROPY(note) FROM visits", "SELECT SUM(DISTINCT amount) FROM visits",
            "SELECT BIT_XOR(day) FROM visits",
            "SELECT COUNT() FROM visits", "SELECT PRODUCT(day) FROM visits", "SELECT BOOL_AND(day > 3) FROM visits"),
    "B14": ("SELECT COUNT(*) FROM visits; DROP TABLE visits", "COPY visits TO 'x.csv'", "ATTACH 'x.db'", "PRAGMA table_info('visits')",
            "SET threads = 1", "INSTALL httpfs", "INSERT INTO visits VALUES (1)", "UPDATE visits SET day = 1",
            "DELETE FROM visits", "CREATE TABLE t AS SELECT 1", "EXPLAIN SELECT COUNT(*) FROM visits", "CALL pragma_version()",
            "VALUES (1)", "", ";", "/* nothing */", "SELECT COUNT(*) FROM visits UNION ALL SELECT COUNT(*) FROM users",
            "DESCRIBE visits", "SHOW TABLES", "LOAD httpfs", "EXPORT DATABASE 'x'", "VACUUM", "BEGIN", "SELECT COUNT(*) INTO t FROM visits",
            "WITH t AS (DELETE FROM visits RETURNING user_id) SELECT COUNT(*) FROM t"),
    "B15": ("SELECT COUNT(*) FROM read_csv('/etc/passwd')", "SELECT COUNT(*) FROM 's3://bucket/x.parquet'", "SELECT COUNT(*) FROM 'users.parquet'",
            "SELECT COUNT(*) FROM information_schema.tables", "SELECT COUNT(*) FROM visits WHERE getenv('HOME') = 'x'",
            "SELECT COUNT(*) FROM duckdb_tables()", "SELECT COUNT(*) FROM main.visits", "SELECT COUNT(*) FROM sqlite_master",
            "SELECT COUNT(*) FROM range(10)", "SELECT COUNT(*) FROM visits WHERE random() < 0.5", "SELECT COUNT(*) FROM visits WHERE now() > seen",
            "SELECT COUNT(*) FROM visits WHERE error('x')", "SELECT COUNT(*) FROM visits WHERE current_setting('threads') = '1'",
            "SELECT COUNT(*) FROM visits WHERE note ~ '(x+)+y'", "SELECT COUNT(*) FROM visits WHERE regexp_matches(note, 'x')",
            "SELECT COUNT(*) FROM source_0", "SELECT COUNT(*) FROM visits WHERE sfumato_person = 42", "SELECT COUNT(*) FROM visits WHERE rowid = 3",
            "SELECT COUNT(*) FROM nowhere", "SELECT COUNT(*) FROM visits WHERE nothing > 3", "SELECT COUNT(*) FROM visits TABLESAMPLE 10%",
            "SELECT COUNT(*) FROM visits WHERE hash(note) % 2 = 0", "SELECT 1"),
    "C3": ("SELECT COUNT(*) FROM visits WHERE (SELECT income FROM users WHERE user_id = 42) > 50000",
           "SELECT COUNT(*) FROM visits WHERE user_id IN (SELECT user_id FROM users)",
           "SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1 FROM users WHERE user_id = 42)",
           "SELECT COUNT(*) FROM visits HAVING COUNT(*) > (SELECT MAX(income) FROM users)",
           "SELECT CASE WHEN (SELECT MAX(income) FROM users) > 3 THEN COUNT(*) END FROM visits",
           "SELECT COUNT(*) FROM visits ORDER BY (SELECT income FROM users LIMIT 1)",
           "SELECT COUNT(*), (SELECT income FROM users WHERE user_id = 42) FROM visits",
           "SELECT COUNT(*) FROM visits WHERE day = ANY (SELECT age FROM users)",
           "SELECT category, COUNT(*) FROM visits GROUP BY category, (SELECT MAX(age) FROM users)",
           "SELECT COUNT(*) FROM visits LIMIT (SELECT COUNT(*) FROM users)",
           "SELECT COUNT(*) FILTER (WHERE day > (SELECT AVG(age) FROM users)) FROM visits",
           "SELECT COUNT(*) FROM visits v, LATERAL (SELECT * FROM users u WHERE u.user_id = v.user_id) t",
           "SELECT COUNT(*) FROM visits v JOIN users u ON v.user_id = u.user_id AND u.income > (SELECT AVG(income) FROM users)"),
    "C1 refused": ("SELECT COUNT(*) FROM visits WHERE SUBSTRING(note, -1) = 'x'", "SELECT COUNT(*) FROM visits WHERE 1 / 0",
                   "SELECT COUNT(*) FROM visits WHERE ROUND(amount, day) > 3", "SELECT COUNT(*) FROM visits WHERE day << 70 > 1",
                   "SELECT COUNT(*) FROM visits WHERE FACTORIAL(day) > 1", "SELECT COUNT(*) FROM visits WHERE CHR(day) = 'a'",
                   "SELECT COUNT(*) FROM visits WHERE REPEAT(note, day) = 'a'", "SELECT COUNT(*) FROM visits WHERE STRPTIME(note, '%d') = 3"),
}  # fmt: skip
