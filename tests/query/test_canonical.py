"""The same question is known again whatever it is called; different questions never are."""

from itertools import combinations

import pytest

from neighbours import Database, engine, priced
from sfumato.engines import DuckDBEngine
from sfumato.ledger.canon import canonical


def _where(*conditions: str) -> tuple[str, ...]:
    return tuple(f"SELECT COUNT(*) FROM visits WHERE {each}" for each in conditions)


SAME = (
    ("SELECT COUNT(*) FROM visits", "select   count(*)  AS n from VISITS v", "SELECT COUNT(1) FROM visits -- all", "SELECT COUNT(*) FROM visits;",
     "(SELECT COUNT(*) FROM visits)", "SELECT COUNT(*) * 2 + 1 FROM visits", "SELECT COUNT(*) FROM visits HAVING COUNT(*) > 3 LIMIT 1"),
    ("SELECT COUNT(*) FROM visits WHERE day < 9 AND paid", "SELECT COUNT(*) FROM visits WHERE paid AND day < 9", "SELECT COUNT(*) FROM visits WHERE (paid) AND 9 > day",
     "SELECT COUNT(*) FROM visits v WHERE v.paid AND (v.day < 9)"),
    ("SELECT COUNT(*) FROM visits WHERE day IN (1, 2)", "SELECT COUNT(*) FROM visits WHERE day IN (2, 1)"),
    ("SELECT SUM(amount + day) FROM visits", "SELECT SUM(day + amount) AS s FROM visits"),
    ("SELECT category AS k, COUNT(*) AS n FROM visits GROUP BY k", "SELECT category, COUNT(*) FROM visits GROUP BY 1 ORDER BY 2 DESC LIMIT 3",
     "SELECT COUNT(*), category FROM visits GROUP BY category HAVING COUNT(*) > 10"),
    ("WITH t AS (SELECT user_id, day FROM visits) SELECT COUNT(*) FROM t", "SELECT COUNT(*) FROM (SELECT user_id, day FROM visits) other",
     "SELECT COUNT(*) FROM (SELECT user_id AS who, day AS x FROM visits) other", "SELECT COUNT(*) FROM visits", "SELECT COUNT(*) FROM (SELECT * FROM visits) t",
     "WITH t(a, b) AS (SELECT user_id, day FROM visits) SELECT COUNT(*) FROM t AS u(c, d)"),
    ("SELECT COUNT(*) FROM visits v JOIN users u ON v.user_id = u.user_id", "SELECT COUNT(*) FROM visits a JOIN users b ON b.user_id = a.user_id",
     "SELECT COUNT(*) FROM visits JOIN users USING (user_id)", "SELECT COUNT(*) FROM visits v, users u WHERE v.user_id = u.user_id",
     "SELECT COUNT(*) FROM visits v CROSS JOIN users u WHERE u.user_id = v.user_id", "SELECT COUNT(*) FROM (SELECT * FROM visits) v JOIN (SELECT user_id FROM users) u USING (user_id)"),
    _where("day = 42", "day IN (42)", "day = 42.0", "42 = day", "NOT day <> 42", "day IN (42, 42.0)", "NOT NOT day = 42", "day = 42 AND day = 42", "NOT day NOT IN (42)", "day = 42 OR day IN (42)"),
    _where("day <> 42", "NOT day = 42", "day NOT IN (42)", "NOT day IN (42.0)", "day != 42"),
    _where("day < 9", "NOT day >= 9", "9 > day", "day < 9.0", "NOT 9 <= day"),
    _where("day > 9", "NOT day <= 9", "9.0 < day"),
    _where("day BETWEEN 3 AND 9", "day >= 3 AND day <= 9", "day <= 9.0 AND 3 <= day", "NOT day < 3 AND NOT day > 9"),
    _where("day = 1 OR day = 2", "day IN (1, 2)", "day IN (2, 1, 2)", "day = 2 OR day = 1", "day IN (1) OR day IN (2.0)", "(day = 1) OR (2 = day)"),
    _where("day NOT IN (1, 2)", "NOT day IN (2, 1)", "NOT (day = 1 OR day = 2)"),
    _where("paid", "paid = TRUE", "TRUE = paid", "paid <> FALSE", "NOT NOT paid", "NOT paid = FALSE", "paid AND paid"),
    _where("NOT paid", "paid = FALSE", "paid <> TRUE", "NOT paid = TRUE", "paid != TRUE"),
    _where("paid AND (day < 9 AND category = 1)", "(paid AND day < 9) AND category = 1", "category = 1.0 AND paid AND day < 9 AND paid"),
    _where("paid OR (day < 9 OR category = 1)", "category IN (1) OR paid OR day < 9"),
    _where("amount = 42", "amount = 42.0", "amount IN (42)", "NOT amount <> 42"),
    _where("note IS NOT NULL", "NOT note IS NULL", "NOT (note IS NULL)"),
    _where("note NOT LIKE 'a%'", "NOT note LIKE 'a%'", "NOT (note LIKE 'a%')"),
    _where("note = 'a'", "note IN ('a')", "'a' = note", "note IN ('a', 'a')"),
    _where("on_day = '2026-01-31'", "on_day = DATE '2026-01-31'", "on_day IN ('2026-01-31')", "NOT on_day <> CAST('2026-01-31' AS DATE)"),
    ("SELECT COUNT(*) FROM visits WHERE paid AND day < 9", "SELECT COUNT(*) FROM (SELECT * FROM visits WHERE paid) t WHERE day < 9",
     "WITH t AS (SELECT user_id, day AS d, paid AS p FROM visits) SELECT COUNT(*) FROM t WHERE d < 9 AND p", "SELECT COUNT(*) FROM (SELECT user_id, day FROM (SELECT * FROM visits) a WHERE paid) b WHERE day < 9"),
    ("SELECT AVG(amount) FROM visits", "SELECT MEAN(amount) FROM visits", "SELECT AVG(a) FROM (SELECT user_id, amount AS a FROM visits) t"),
    ("SELECT VARIANCE(amount) FROM visits", "SELECT VAR(amount) FROM visits", "SELECT VAR_SAMP(amount) FROM visits"),
    ("SELECT STDDEV(amount) FROM visits", "SELECT STD(amount) FROM visits", "SELECT STDDEV_SAMP(amount) FROM visits"),
    ("SELECT COUNT(*) FILTER (WHERE paid) FROM visits", "SELECT COUNT_IF(paid) FROM visits", "SELECT COUNTIF(NOT paid <> TRUE) FROM visits"),
    ("SELECT DISTINCT note FROM visits", "SELECT note FROM visits GROUP BY note", "SELECT note AS n FROM visits GROUP BY n ORDER BY n LIMIT 3", "SELECT DISTINCT note, note FROM visits"),
    ("SELECT COUNT(*) FROM (SELECT user_id FROM visits GROUP BY user_id) t", "SELECT COUNT(*) FROM (SELECT DISTINCT user_id FROM visits) t"),
    ("SELECT SUM(CASE WHEN day = 1 THEN amount END) FROM visits", "SELECT SUM(CASE day WHEN 1 THEN amount END) FROM visits", "SELECT SUM(IF(day IN (1.0), amount, NULL)) FROM visits"),
    ("SELECT COUNT(DISTINCT CONCAT(note, city)) FROM visits", "SELECT COUNT(DISTINCT COALESCE(note, '') || COALESCE(city, '')) FROM visits"),
)  # fmt: skip
DIFFERENT = (
    "SELECT COUNT(*) FROM visits", "SELECT COUNT(*) FROM users", "SELECT COUNT(*) FROM items", "SELECT COUNT(amount) FROM visits",
    "SELECT COUNT(note) FROM visits", "SELECT COUNT(DISTINCT user_id) FROM visits", "SELECT COUNT(DISTINCT note) FROM visits",
    "SELECT COUNT(DISTINCT city) FROM visits", "SELECT COUNT(*) FROM visits WHERE day < 9", "SELECT COUNT(*) FROM visits WHERE day <= 9",
    "SELECT COUNT(*) FROM visits WHERE day > 9", "SELECT COUNT(*) FROM visits WHERE day < 10", "SELECT COUNT(*) FROM visits WHERE day < 9.5",
    "SELECT COUNT(*) FROM visits WHERE category < 9", "SELECT COUNT(*) FROM visits WHERE note = '9'", "SELECT COUNT(*) FROM visits WHERE city = '9'",
    "SELECT COUNT(*) FROM visits WHERE NOT day < 9", "SELECT COUNT(*) FROM visits WHERE day < 9 OR paid", "SELECT COUNT(*) FROM visits WHERE day < 9 AND paid",
    "SELECT COUNT(*) FILTER (WHERE day < 9) FROM visits", "SELECT SUM(amount) FROM visits", "SELECT AVG(amount) FROM visits", "SELECT SUM(day) FROM visits",
    "SELECT SUM(amount - day) FROM visits", "SELECT SUM(day - amount) FROM visits", "SELECT SUM(amount + day) FROM visits", "SELECT MEDIAN(amount) FROM visits",
    "SELECT QUANTILE(amount, 0.9) FROM visits", "SELECT VARIANCE(amount) FROM visits", "SELECT category, COUNT(*) FROM visits GROUP BY category",
    "SELECT paid, COUNT(*) FROM visits GROUP BY paid", "SELECT note, COUNT(*) FROM visits GROUP BY note", "SELECT city, COUNT(*) FROM visits GROUP BY city",
    "SELECT category, paid, COUNT(*) FROM visits GROUP BY category, paid", "SELECT COUNT(*) FROM visits v JOIN users u USING (user_id)",
    "SELECT COUNT(*) FROM visits WHERE day = 9", "SELECT COUNT(*) FROM visits WHERE day <> 9", "SELECT COUNT(*) FROM visits WHERE day IN (8, 9)", "SELECT COUNT(*) FROM visits WHERE amount = 9",
    "SELECT COUNT(*) FROM visits WHERE NOT paid", "SELECT COUNT(*) FROM visits WHERE day IS NOT DISTINCT FROM 9", "SELECT COUNT(*) FROM visits WHERE day < 9 AND NOT paid", "SELECT note FROM visits GROUP BY note",
    "SELECT COUNT(DISTINCT CONCAT(note, city)) FROM visits", "SELECT COUNT(DISTINCT note || city) FROM visits", "SELECT SUM(day // 2) FROM visits", "SELECT SUM(FLOOR(day / 2)) FROM visits", "SELECT SUM(day / 2) FROM visits",
    "SELECT COUNT(*) FROM visits v LEFT JOIN users u USING (user_id)", "SELECT COUNT(*) FROM visits v JOIN cities c USING (city)",
    "SELECT COUNT(*) FROM (SELECT user_id FROM visits UNION ALL SELECT user_id FROM users) t",
    "SELECT COUNT(*) FROM (SELECT user_id FROM visits UNION ALL SELECT user_id FROM visits) t", "SELECT COUNT(*) FROM (SELECT user_id, COUNT(*) FROM visits GROUP BY 1) t",
    "SELECT SUM(n) FROM (SELECT user_id, COUNT(*) AS n FROM visits GROUP BY 1) t", "SELECT SUM(n) FROM (SELECT user_id, COUNT(note) AS n FROM visits GROUP BY 1) t",
    "SELECT SUM(n) FROM (SELECT user_id, COUNT(*) AS n FROM visits GROUP BY 1 HAVING COUNT(*) > 1) t",
    "SELECT SUM(n) FROM (SELECT user_id, COUNT(*) AS n FROM visits GROUP BY 1 HAVING COUNT(*) > 2) t",
    "SELECT COUNT(*) FROM visits WHERE note LIKE 'a%'", "SELECT COUNT(*) FROM visits WHERE note ILIKE 'a%'", "SELECT COUNT(*) FROM visits WHERE on_day < '2026-01-01'",
    "SELECT COUNT(*) FROM visits WHERE seen < '2026-01-01'", "SELECT COUNT(*) FROM visits WHERE paid", "SELECT COUNT(*) FROM visits WHERE paid IS TRUE",
    "SELECT SUM(CASE WHEN paid THEN amount ELSE 0 END) FROM visits", "SELECT SUM(CASE WHEN paid THEN 0 ELSE amount END) FROM visits",
)  # fmt: skip


def asked(made: DuckDBEngine, text: str) -> str:
    return canonical(priced(made, text).canonical())


@pytest.fixture(scope="module")
def made() -> DuckDBEngine:  # type: ignore[misc]
    with engine(Database((), (), ())) as opened:
        yield opened


@pytest.mark.parametrize("texts", SAME, ids=lambda texts: texts[0][:40])
def test_names_spacing_comments_and_order_do_not_count(made: DuckDBEngine, texts: tuple[str, ...]) -> None:
    assert len({asked(made, text) for text in texts}) == 1


def test_different_questions_are_never_taken_for_each_other(made: DuckDBEngine) -> None:
    known = {text: asked(made, text) for text in DIFFERENT}
    assert [pair for pair in combinations(DIFFERENT, 2) if known[pair[0]] == known[pair[1]]] == []


def test_another_price_is_another_question(made: DuckDBEngine) -> None:
    assert canonical(priced(made, DIFFERENT[0]).canonical()) != canonical(
        priced(made, DIFFERENT[0], rho=True).canonical()
    )


def test_a_column_that_is_hidden_later_does_not_give_its_place_to_another() -> None:
    """Positions mean the columns of their time: after a new declaration an old answer is not taken for another's."""
    text = "SELECT COUNT(*) FROM visits WHERE category < 9"
    with engine(Database((), (), ())) as before, engine(Database((), (), ()), visits={"hidden": ["day"]}) as after:
        assert asked(before, "SELECT COUNT(*) FROM visits WHERE city IS NULL") != asked(after, text)
        assert asked(before, text) != asked(after, text)
