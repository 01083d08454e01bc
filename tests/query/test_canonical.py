"""The same question is known again whatever it is called; different questions never are."""

from itertools import combinations

import pytest

from neighbours import Database, engine, priced
from sfumato.engines import DuckDBEngine
from sfumato.ledger.canon import canonical

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
     "SELECT COUNT(*) FROM (SELECT user_id AS who, day AS x FROM visits) other"),
    ("SELECT COUNT(*) FROM visits v JOIN users u ON v.user_id = u.user_id", "SELECT COUNT(*) FROM visits a JOIN users b ON b.user_id = a.user_id",
     "SELECT COUNT(*) FROM visits JOIN users USING (user_id)"),
)  # fmt: skip
DIFFERENT = (
    "SELECT COUNT(*) FROM visits", "SELECT COUNT(*) FROM users", "SELECT COUNT(*) FROM items", "SELECT COUNT(amount) FROM visits",
    "SELECT COUNT(note) FROM visits", "SELECT COUNT(DISTINCT user_id) FROM visits", "SELECT COUNT(DISTINCT note) FROM visits",
    "SELECT COUNT(DISTINCT city) FROM visits", "SELECT COUNT(*) FROM visits WHERE day < 9", "SELECT COUNT(*) FROM visits WHERE day <= 9",
    "SELECT COUNT(*) FROM visits WHERE day > 9", "SELECT COUNT(*) FROM visits WHERE day < 10", "SELECT COUNT(*) FROM visits WHERE day < 9.0",
    "SELECT COUNT(*) FROM visits WHERE category < 9", "SELECT COUNT(*) FROM visits WHERE note = '9'", "SELECT COUNT(*) FROM visits WHERE city = '9'",
    "SELECT COUNT(*) FROM visits WHERE NOT day < 9", "SELECT COUNT(*) FROM visits WHERE day < 9 OR paid", "SELECT COUNT(*) FROM visits WHERE day < 9 AND paid",
    "SELECT COUNT(*) FILTER (WHERE day < 9) FROM visits", "SELECT SUM(amount) FROM visits", "SELECT AVG(amount) FROM visits", "SELECT SUM(day) FROM visits",
    "SELECT SUM(amount - day) FROM visits", "SELECT SUM(day - amount) FROM visits", "SELECT SUM(amount + day) FROM visits", "SELECT MEDIAN(amount) FROM visits",
    "SELECT QUANTILE(amount, 0.9) FROM visits", "SELECT VARIANCE(amount) FROM visits", "SELECT category, COUNT(*) FROM visits GROUP BY category",
    "SELECT paid, COUNT(*) FROM visits GROUP BY paid", "SELECT note, COUNT(*) FROM visits GROUP BY note", "SELECT city, COUNT(*) FROM visits GROUP BY city",
    "SELECT category, paid, COUNT(*) FROM visits GROUP BY category, paid", "SELECT COUNT(*) FROM visits v JOIN users u USING (user_id)",
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
