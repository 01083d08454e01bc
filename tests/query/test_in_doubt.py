"""A value that is made of uncertain ones is uncertain, and what is in doubt has no bar that leaves the truth out."""

import tracemalloc

import pytest
from sqlglot import exp

import planned
from sfumato.query.bars import Bar
from sfumato.query.evaluate import evaluate
from sfumato.query.expression import MOST_CHARACTERS, Expression
from sfumato.query.functions import FUNCTIONS
from sfumato.query.planning import plan_question
from sfumato.query.rows import RowReader

ROW = [Bar("b"), Bar(100, 91.0, 109.0), Bar(12.5, 12.0, 13.0)]


def found(text: str) -> Bar:
    written = f"SELECT ward, COUNT(*) AS n, SUM(cost) AS s FROM visits GROUP BY ward ORDER BY {text}"
    asked = plan_question(written, planned.DATASETS["people"], planned.PublicRows())
    return evaluate(asked.order[0].by, ROW)


@pytest.mark.parametrize(
    "text",
    [
        "s / (n - 95)",  # the divisor may be zero
        "s / (n - 95) + n / 1000",  # so no more is known of what is made of it
        "SQRT(n - 95) + n",
        "LN(n - 95) + 1",
        "SIGN(n - 95) + n",
        "MOD(n, 7) + n",
        "POW(2, MOD(n, 7))",
        "LEAST(MOD(n, 7), n)",
        "CASE WHEN n > 100 THEN n ELSE s END",  # another value may have been meant
        "CASE WHEN n > 50 AND n < 105 THEN n ELSE s END",
        "CASE WHEN n = 100 THEN 1 ELSE 0 END",
        "IF(n <> 100, n, s) + 1",
        "COALESCE(CASE WHEN n < 95 THEN n ELSE s END, 0)",
    ],
)
def test_what_is_in_doubt_has_no_bar_and_is_not_exact(text: str) -> None:
    bar = found(text)
    assert bar.value is not None
    assert (bar.has_interval, bar.uncertain, bar.ends()) == (False, True, None)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("CASE WHEN n > 50 THEN n ELSE s END", 91.0, 109.0),  # nobody doubts it
        ("CASE WHEN s < n THEN s ELSE n END", 12.0, 13.0),
        ("CASE WHEN n IS NULL THEN 0 ELSE n END", 91.0, 109.0),
        ("CASE WHEN ward = 'b' THEN n ELSE s END", 91.0, 109.0),
        ("COALESCE(n, 0)", 91.0, 109.0),
        ("NULLIF(n, 5)", 91.0, 109.0),
        ("s / n + 1", 1.11, 1.15),
    ],
)
def test_what_is_not_in_doubt_keeps_its_bar(text: str, low: float, high: float) -> None:
    bar = found(text)
    assert bar.ends() == (pytest.approx(low, abs=0.01), pytest.approx(high, abs=0.01))  # type: ignore[comparison-overlap]
    assert not bar.uncertain


def test_keys_and_constants_are_exact() -> None:
    for text in ("ward", "LENGTH(ward)", "UPPER(ward)", "1 / 3 + LENGTH(ward)"):
        assert not found(text).uncertain, text


def test_a_word_that_grows_is_replaced_no_more_often_than_can_be_seen() -> None:
    """Else a released text of ten thousand letters became one of a hundred million on the way."""
    replaced = FUNCTIONS["replace"].value
    long = "a" * MOST_CHARACTERS
    word = "b" * MOST_CHARACTERS
    tracemalloc.start()
    assert replaced(long, "a", word) == word
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * MOST_CHARACTERS
    for word, put, text in (
        ("a", "bb", long),
        ("a", "bb", "xaya"),
        ("ab", "c", "abab"),
        ("", "x", "abc"),
        ("aa", "aaa", "a" * 9999),
    ):
        assert replaced(text, word, put) == (text.replace(word, put) if word else text)[:MOST_CHARACTERS]


def test_long_chains_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part of a chain was read again with all before it: a free explanation took half a minute, or no end."""
    read = [0]
    honest = RowReader.__call__

    def counted(self: RowReader, node: exp.Expression) -> Expression:
        read[0] += 1
        return honest(self, node)

    monkeypatch.setattr(RowReader, "__call__", counted)
    for clause in (" AND ".join(["paid"] * 1900), " OR ".join(["ward = 'a'"] * 900)):
        key = clause.split(" ")[0]
        text = f"SELECT {key}, COUNT(*) FROM visits GROUP BY {key} HAVING {clause}"
        assert plan_question(text, planned.DATASETS["people"], planned.PublicRows()).having is not None
    assert 0 < read[0] < 20 * (1900 + 2 * 900)
