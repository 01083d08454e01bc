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
        "COALESCE(s / (n - 100), 5)",  # there is no value by chance
        "NULLIF(n, 99)",
        "POW(-2, n)",  # up and down: the value was outside of its own bar
        "POW(n - 95, n)",
        "IF(s / (n - 100) IS NULL, n, s)",
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
        ("POW(n - 95, 2)", 0.0, 196.0),
        ("POW(2, n - 100)", 0.0, 512.0),
        ("IF(n IS NULL, s, n)", 91.0, 109.0),
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


VALUES = ("n", "s", "LENGTH(ward)", "3", "-2", "0.5")
SHAPES = (
    "{} + {}", "{} - {}", "{} * {}", "{} / {}", "POW({}, {})", "LEAST({}, {})", "GREATEST({}, {})", "MOD({}, {})",
    "COALESCE({}, {})", "NULLIF({}, {})", "IF({} > {}, n, s)", "ABS({} - {})", "ROUND({} / {}, 1)", "EXP({} / (1 + ABS({})))",
)  # fmt: skip


@pytest.mark.parametrize("outer", [shape for shape in SHAPES if not shape.startswith("MOD")])  # it has no bars
def test_no_value_is_outside_of_its_own_bar_and_bars_hold_what_they_may_be(outer: str) -> None:
    """Wherever released values are in their bars, the bar of what is made of them holds it; else there is none."""
    inner = [shape.format(a, b) for shape in SHAPES for a, b in (("n - 100", "s"), ("s", "n"), ("-2", "n"), ("n", "3"))]
    checked = 0
    for text in (outer.format(f"({each})", value) for each in inner for value in VALUES[:3]):
        asked = plan_question(
            f"SELECT ward, COUNT(*) AS n, SUM(cost) AS s FROM visits GROUP BY ward ORDER BY {text}",
            planned.DATASETS["people"], planned.PublicRows(),
        ).order[0].by  # fmt: skip
        bar = evaluate(asked, ROW)
        if not bar.has_interval:
            continue
        low, high = bar.ends() or (0.0, 0.0)
        room = 1e-9 * max(1.0, abs(low), abs(high))
        assert low - room <= bar.value <= high + room, text
        for n, s in ((91, 12.0), (94, 12.9), (99, 12.1), (101, 12.5), (109, 13.0)):
            moved = evaluate(asked, [Bar("b"), Bar(n), Bar(s)]).value
            assert moved is not None, text
            assert low - room <= moved <= high + room, (text, n, s)
            checked += 1
    assert checked > 50
