"""After the noise: HAVING, ORDER BY, LIMIT, arithmetic and error bars, on released values alone."""

from fractions import Fraction
from itertools import product
from typing import Any
from unittest import mock

import numpy as np
import pytest

from neighbours import Database, engine, priced
from sfumato.curator.noise import _quantile
from sfumato.data import Kind
from sfumato.engines import DuckDBEngine
from sfumato.query import PricedQuery
from sfumato.query.aggregates import QuantileOf
from sfumato.query.aggregates.base import AskedTogether
from sfumato.query.bars import Bar
from sfumato.query.bounds import Bounds, Spend
from sfumato.query.expression import Field, Ref
from sfumato.query.measures import Values
from sfumato.query.postprocess import answers_of, in_order, post_process
from sfumato.query.priced import NoisyCells
from sfumato.query.range import Range
from sources import SeededBits

BETA = Fraction(5, 100)
KEYS: tuple[tuple[Any, ...], ...] = ((0,), (1,), (2,), (3,))
COUNTS = [[5], [-2], [30], [5]]


@pytest.fixture(scope="module")
def made() -> DuckDBEngine:  # type: ignore[misc]
    with engine(Database((), (), ())) as opened:
        yield opened


def in_parts(query: PricedQuery, rows: Any) -> list[list[Any]]:
    """Columns of whole rows as their cells are drawn: block by block, in 2**bits of a row."""
    return [[cell for each in query.priced for cell in of_block(each, row)] for row in rows]


def of_block(priced: Any, row: Any) -> list[Any]:
    """The cells of one block; of a quantile and of counts that chose the groups, what they are."""
    own = [row[place] for place in priced.columns]
    return priced.of([value << priced.bits for value in own]) if isinstance(priced, NoisyCells) else own


def answer(made: DuckDBEngine, text: str, keys: Any = ((),), noisy: Any = ([100],)) -> list[list[Any]]:
    query = priced(made, text)
    return [[bar.value for bar in row] for row in post_process(query, keys, in_parts(query, noisy), BETA)]


GROUPED = "SELECT category, COUNT(*) AS n FROM visits GROUP BY category"


@pytest.mark.parametrize(("tail", "expected"), [
    ("", [[0, 5], [1, -2], [2, 30], [3, 5]]),
    ("HAVING COUNT(*) > 0", [[0, 5], [2, 30], [3, 5]]),
    ("HAVING n > 0 AND category <> 2", [[0, 5], [3, 5]]),
    ("HAVING NOT (n > 0 OR category = 3)", [[1, -2]]),
    ("HAVING category IN (1, 2)", [[1, -2], [2, 30]]),
    ("HAVING n BETWEEN 4 AND 6", [[0, 5], [3, 5]]),
    ("HAVING NULLIF(n, 5) > 0", [[2, 30]]),
    ("HAVING 10 / (n - 5) IS NULL", [[0, 5], [3, 5]]),
    ("HAVING CASE WHEN n > 6 THEN TRUE ELSE FALSE END", [[2, 30]]),
    ("ORDER BY n", [[1, -2], [0, 5], [3, 5], [2, 30]]),
    ("ORDER BY n DESC, category DESC", [[2, 30], [3, 5], [0, 5], [1, -2]]),
    ("ORDER BY 2, 1 DESC", [[1, -2], [3, 5], [0, 5], [2, 30]]),
    ("ORDER BY ABS(COUNT(*) - 4) LIMIT 2", [[0, 5], [3, 5]]),
    ("ORDER BY n DESC LIMIT 1 OFFSET 1", [[0, 5]]),
    ("ORDER BY NULLIF(n, 5) NULLS FIRST, category", [[0, 5], [3, 5], [1, -2], [2, 30]]),
    ("ORDER BY NULLIF(n, 5) NULLS LAST, category DESC", [[1, -2], [2, 30], [3, 5], [0, 5]]),
    ("LIMIT 0", []),
    ("LIMIT 2 OFFSET 3", [[3, 5]]),
])  # fmt: skip
def test_rows_are_chosen_and_ordered_by_what_was_released(made: DuckDBEngine, tail: str, expected: list[Any]) -> None:
    assert answer(made, f"{GROUPED} {tail}", KEYS, COUNTS) == expected


@pytest.mark.parametrize(("expression", "expected"), [
    ("COUNT(*) / 0", None), ("SQRT(COUNT(*) - 200)", None), ("LN(0 * COUNT(*))", None), ("EXP(COUNT(*) * 100)", None),
    ("POW(COUNT(*), 300000)", None), ("COUNT(*) % 7", 2.0), ("COUNT(*) // 7", 14), ("ROUND(COUNT(*) / 3, 2)", 33.33), ("-COUNT(*)", -100),
    ("COALESCE(COUNT(*) / 0, -1)", -1), ("CASE WHEN COUNT(*) > 50 THEN 'many' ELSE 'few' END", "many"), ("LEAST(COUNT(*), 7)", 7),
    ("GREATEST(COUNT(*), 700)", 700), ("SIGN(COUNT(*))", 1), ("CAST(COUNT(*) AS TEXT) || '!'", "100!"), ("COUNT(*) > 3 AND COUNT(*) / 0 > 1", None),
    ("COUNT(*) < 3 AND COUNT(*) / 0 > 1", False), ("COUNT(*) > 3 OR COUNT(*) / 0 > 1", True), ("COUNT(*) < 3 OR COUNT(*) / 0 > 1", None),
    ("FLOOR(COUNT(*) / 3)", 33), ("CEIL(COUNT(*) / 3)", 34), ("LOG2(COUNT(*) + 28)", 7.0), ("LOG10(COUNT(*))", 2.0), ("ABS(-COUNT(*))", 100),
    ("CAST(COUNT(*) / 3 AS INTEGER)", 33), ("CAST(COUNT(*) AS DOUBLE)", 100.0), ("IF(COUNT(*) > 3, 1, 2)", 1), ("COUNT(*) * COUNT(*) - 1", 9999),
])  # fmt: skip
def test_arithmetic_on_released_values_is_total(made: DuckDBEngine, expression: str, expected: Any) -> None:
    assert answer(made, f"SELECT {expression} FROM visits") == [[expected]]


def test_text_and_dates_of_keys_can_be_computed_with(made: DuckDBEngine) -> None:
    from datetime import date

    text = ("SELECT UPPER(note), LENGTH(note), SUBSTRING(note, 2, 2), TRIM(note), note LIKE 'a%', note ILIKE 'A_C%', STARTS_WITH(note, 'a'), COUNT(*)"
            " FROM visits GROUP BY note HAVING note LIKE '%'")  # fmt: skip
    assert answer(made, text, [("abc",)], [[4]]) == [["ABC", 3, "bc", "abc", True, True, True, 4]]
    text = "SELECT EXTRACT(year FROM on_day), EXTRACT(month FROM on_day), EXTRACT(dow FROM on_day), EXTRACT(doy FROM on_day), COUNT(*) FROM visits GROUP BY on_day"
    assert answer(made, text, [(date(2026, 2, 1),)], [[4]]) == [[2026, 2, 0, 32, 4]]


def test_a_moment_that_was_grouped_by_is_cut_cast_and_written_as_the_engine_does_it(made: DuckDBEngine) -> None:
    from datetime import date, datetime

    at = datetime(2026, 1, 5, 13, 45, 10, 500_000)
    text = ("SELECT DATE_TRUNC('day', seen), CAST(seen AS DATE), CAST(seen AS TEXT), HOUR(seen), DATE_TRUNC('week', seen), ROUND(5 / 2), ROUND(-COUNT(*) / 8),"
            " CAST(COUNT(*) / 8 AS INTEGER), CAST(COUNT(*) + 1 AS TEXT) FROM visits GROUP BY seen")  # fmt: skip
    found = answer(made, text, [(at,)], [[4]])
    days = [datetime(2026, 1, 5), date(2026, 1, 5), "2026-01-05 13:45:10.5", 13, datetime(2026, 1, 5)]
    assert found == [[*days, 3.0, -1.0, 0, "5"]]  # a half goes away from zero by ROUND, to the even neighbour by CAST
    assert [type(value) for value in found[0][:2]] == [datetime, date]


def test_columns_in_parts_of_a_row_are_whole_numbers_of_rows(made: DuckDBEngine) -> None:
    """A count is the nearest whole number, and its bar that of the parts, which holds it."""
    query = priced(made, "SELECT COUNT(*) AS n FROM visits")
    ((_, errors),), whole = answers_of(query, BETA), 2**30
    off = errors.reach(1)
    assert query.weights.bits == query.priced[0].bits == 30
    assert off == Fraction(query.priced[0].noise.reach(BETA), whole)  # type: ignore[union-attr]
    for parts, shown in (
        (100 * whole, 100),
        (100 * whole + whole // 2, 101),
        (100 * whole + whole // 2 - 1, 100),
        (-whole, -1),
        (3, 0),
    ):
        ((bar,),) = post_process(query, [()], [[parts]], BETA)
        assert (bar.value, type(bar.value)) == (shown, int)
        exact = Fraction(parts, whole)
        assert (bar.low, bar.high) == (max(0.0, float(exact - off)), max(0.0, float(exact + off)))
        assert bar.low is not None
        assert bar.high is not None
        assert bar.low <= max(0, shown) <= bar.high


def test_each_column_is_in_parts_of_its_own(made: DuckDBEngine) -> None:
    """People are whole, rows in 2**30, and a quantile is a value as it stands."""
    query = priced(made, "SELECT COUNT(*), COUNT(DISTINCT user_id), COUNT(DISTINCT city), MEDIAN(day) FROM visits")
    kinds = [query.measures.measures[each.columns[0]].kind for each in query.priced]
    bits = {kind: each.bits for kind, each in zip(kinds, query.priced, strict=True)}
    assert bits == {"rows": 30, "people": 0, "distinct": 0, "quantile": 12}
    assert bits == {each.kind: query.bits_of(place) for place, each in enumerate(query.measures.measures)}
    noisy: dict[str, Any] = {"rows": 7 << 30, "people": 8, "distinct": 9, "quantile": [5.0, 4.0, 6.0]}
    found = post_process(query, [()], [[noisy[kind] for kind in kinds]], BETA)[0]
    assert [bar.value for bar in found] == [7, 8, 9, 5]
    shared = priced(made, "SELECT category, COUNT(DISTINCT user_id) FROM visits GROUP BY category")
    assert [each.bits for each in shared.priced] == [20]
    assert [bar.value for bar in post_process(shared, [(0,)], [[3 << 19]], BETA)[0]] == [0, 2]


def test_a_quantile_without_a_bar_says_that_it_is_uncertain() -> None:
    """And not exact: a plain number would be its own interval."""
    day = Ref(0, Field("day", Kind.INTEGER, Range(Fraction(0), Fraction(9), Fraction(1))))
    asked = QuantileOf(of=day, q=Fraction(1, 2))
    ((measure, _),) = asked.forms(AskedTogether((asked,)))[0]
    assert isinstance(measure, Values)
    for share, known in ((Fraction(0), False), (Fraction(1, 8), True)):
        spend = Spend(Fraction(1), None, Fraction(0))
        priced = measure.price(Fraction(1), Bounds(1), spend, bits=0, beta=Fraction(1, 20), bar=share)
        counted = (np.array([4], dtype=np.int64), np.array([1000], dtype=np.int64))
        drawn = _quantile(priced, counted, SeededBits(1))
        assert drawn == ([4, 4, 4] if known else [4, None, None])
        found = asked.answerer(mock.Mock())([drawn])
        assert found == Bar(4, drawn[1], drawn[2], not known)
        assert found.has_interval is known
        assert (found.ends() is None) is not known


def test_parts_that_were_taken_for_rows_would_be_caught(made: DuckDBEngine) -> None:
    """A twin: without the bits a count of a hundred is more than 10**11."""
    query = priced(made, "SELECT COUNT(*) FROM visits")
    (each,) = query.priced
    assert isinstance(each, NoisyCells)
    with mock.patch.object(NoisyCells, "estimated", lambda self, noisy: [Fraction(int(each)) for each in noisy]):
        assert post_process(query, [()], in_parts(query, [[100]]), BETA)[0][0].value != 100
    assert post_process(query, [()], in_parts(query, [[100]]), BETA)[0][0].value == 100


SEVERAL = "SELECT COUNT(*) AS n, SUM(amount) AS s, AVG(amount) AS a, STDDEV(amount) AS d, SUM(amount) / COUNT(*) AS r, 3 - COUNT(*) AS m FROM visits"


def test_columns_follow_from_cells_again(made: DuckDBEngine) -> None:
    """Whatever is measured together: without noise the answers are the statistics themselves, and bars hold them."""
    query = priced(made, SEVERAL)
    kinds = [each.kind for each in query.measures.measures]
    assert sorted(kinds) == ["present", "rows", "square", "sum"]
    assert any(len(each.columns) > 1 for each in query.priced)
    total = next(each for each in query.measures.measures if each.kind == "sum")
    centre, step = total.centre, total.step  # type: ignore[attr-defined]
    values = [centre + each for each in (-300, 0, 100, 500)] * 5000  # in steps
    exact = {"present": 20_000, "rows": 20_100, "sum": 5000 * 300, "square": 5000 * (9 + 1 + 25) * 10**4}
    row = [exact[kind] for kind in kinds]
    n, s, mean, deviation, ratio, below = post_process(query, [()], in_parts(query, [row]), BETA)[0]
    from statistics import stdev

    assert (n.value, below.value) == (20_100, 3 - 20_100)
    assert s.value == pytest.approx(float(sum(values) * step))
    assert mean.value == pytest.approx(float(sum(values) * step) / 20_000)
    assert deviation.value == pytest.approx(stdev(map(float, values)) * float(step))
    assert ratio.value == pytest.approx(s.value / 20_100)
    for bar in (n, s, mean, deviation, ratio, below):
        assert bar.low < bar.value < bar.high


def test_error_bars_hold_the_truth_whenever_every_cell_is_within_a_deviation(made: DuckDBEngine) -> None:
    """All of them at once, in every direction: then no combination is off by more than two of its own deviations."""
    query = priced(made, SEVERAL)
    kinds = [each.kind for each in query.measures.measures]
    whole = {"present": 20_000, "rows": 20_100, "sum": 1_500_000, "square": 1_750_000_000}
    (exact,) = in_parts(query, [[whole[kind] for kind in kinds]])
    truth = [bar.value for bar in post_process(query, [()], [exact], BETA)[0]]
    wide = [int(each.noise.variance**0.5) for each in query.priced if isinstance(each, NoisyCells) for _ in each.cells]
    assert len(wide) == len(exact) == 4
    moved = 0
    for signs in product((-1, 0, 1), repeat=4):
        noisy = [value + sign * by for value, sign, by in zip(exact, signs, wide, strict=True)]
        for bar, value in zip(post_process(query, [()], [noisy], BETA)[0], truth, strict=True):
            if bar.low is not None and bar.high is not None:
                moved += bar.value != value
                assert bar.low <= value <= bar.high
    assert moved > 100


def test_averages_and_spreads_stay_within_what_the_bounds_allow(made: DuckDBEngine) -> None:
    query = priced(made, "SELECT AVG(amount) AS a, VARIANCE(amount) AS v, STDDEV(amount) AS d FROM visits")
    columns = len(query.measures.measures)
    shown = 0
    for noisy in (
        [0] * columns,
        [-5] * columns,
        [1] * columns,
        [10**15] * columns,
        [-(10**15)] * columns,
        [10**15] + [-3] * (columns - 1),
        [10**15] + [0] * (columns - 1),
    ):
        mean, variance, deviation = post_process(query, [()], in_parts(query, [noisy]), BETA)[0]
        ends = [end for bar in (mean, variance) if (end := bar.ends()) is not None]
        assert [0 <= low <= high <= most for (low, high), most in zip(ends, (200, 2 * 100**2), strict=True)] == [
            True
        ] * 2
        assert (mean.value is None) == (variance.value is None) == (deviation.value is None)
        if mean.value is None:  # perhaps no row at all
            assert (mean.low, mean.high) == (0, 200)
            assert (variance.low, variance.high) == (0, 2 * 100**2)
        else:
            shown += 1
            assert mean.low <= mean.value <= mean.high
            assert variance.low <= variance.value <= variance.high
            assert deviation.value == pytest.approx(variance.value**0.5)
    assert shown == 3


def test_groups_come_in_the_order_of_their_keys_with_null_last() -> None:
    keys = [(None, "b"), ("b", None), ("a", "z"), ("a", "b")]
    assert sorted(keys, key=in_order) == [("a", "b"), ("a", "z"), ("b", None), (None, "b")]


def test_a_bar_without_an_interval_is_its_own() -> None:
    assert Bar(3).ends() == (3.0, 3.0)
    assert Bar("x").ends() is None
    assert Bar(True).ends() is None
    assert Bar(3, 1.0, 4.0).ends() == (1.0, 4.0)
