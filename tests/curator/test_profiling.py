"""The trade of bias against noise, against plain Python; and twins, each of which would advise something else."""

import math
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import sfumato
from json_schema import faults
from sfumato.curator import Curator, Session
from sfumato.curator.documents import schema
from sfumato.curator.profile_page import number, share
from sfumato.curator.profiling import Profile, TableProfile, Trade
from sfumato.demo import hospital
from sfumato.engines.duckdb import DuckDBEngine
from sfumato.errors import InvalidParameter, SfumatoError

COUNTS = {who: 1 + who % 3 for who in range(60)} | {100: 40, 101: 90}
"""Rows of each person: sixty with few, two with many."""
ROWS = [(who, i % 2, 10 if rows < 10 else 50 + who - 100) for who, rows in COUNTS.items() for i in range(rows)]
"""Whose, in which of two wards, and its cost; whoever has many has dear ones."""
TOTAL = len(ROWS)
EPSILON = 2.0


def shop(**more: Any) -> dict[str, Any]:
    who, ward, cost = (list(column) for column in zip(*ROWS, strict=True))
    table = pa.table({"who": who, "ward": [f"w{each}" for each in ward], "cost": cost})
    columns = {"cost": {"lower": 0, "upper": 100}}
    return {
        "name": "shop",
        "budget": {"epsilon": "1"},
        "unit": {"person": "sales.who"},
        "tables": {"sales": {"source": table, "columns": columns, **more}},
    }


def sales(**words: Any) -> TableProfile:
    return sfumato.profile(shop(), epsilon=2, **words).table("sales")


def trade_of(table: TableProfile) -> Trade:
    assert table.trade is not None
    return table.trade


# ---- counts ----


def test_a_bound_of_counts_costs_what_plain_arithmetic_says() -> None:
    trade = trade_of(sales())
    assert [each.rows for each in trade.bounds] == [1, 2, 5, 10, 20, 50, 100]
    for each in trade.bounds:
        kept = sum(min(rows, each.rows) for rows in COUNTS.values())
        assert each.people_above == sum(rows > each.rows for rows in COUNTS.values())
        assert each.kept == kept / TOTAL
        assert each.bias == TOTAL - kept
        assert math.isclose(each.noise, math.sqrt(2) * each.rows / EPSILON)
        assert math.isclose(each.error, math.sqrt(each.bias**2 + each.noise**2) / TOTAL)
        # twins: Laplace's scale for its deviation, and a bound that ignores ε
        assert not math.isclose(each.noise, each.rows / EPSILON)
        assert not math.isclose(each.noise, math.sqrt(2) * each.rows)


def test_counts_by_group_have_the_noise_of_every_group_and_the_bias_of_each() -> None:
    trade = trade_of(sales(by="ward"))
    assert trade.groups == 2
    in_ward = Counter(ward for _, ward, _ in ROWS)
    truth = math.sqrt(sum(rows**2 for rows in in_ward.values()))
    of_pair = Counter((who, ward) for who, ward, _ in ROWS)
    for each in trade.bounds:
        lost = [
            sum(rows * (1 - min(1, each.rows / COUNTS[who])) for (who, at), rows in of_pair.items() if at == ward)
            for ward in in_ward
        ]
        assert math.isclose(each.bias, math.sqrt(sum(one**2 for one in lost)), abs_tol=1e-9)
        assert math.isclose(each.noise, math.sqrt(2) * each.rows / EPSILON * math.sqrt(2))
        assert math.isclose(each.error, math.hypot(each.bias, each.noise) / truth)
        if each.bias:  # a twin that takes what all groups lose together
            assert not math.isclose(each.bias, sum(lost))


def test_the_best_bound_has_the_least_error_and_the_rule_is_near_it() -> None:
    trade = trade_of(sales())
    assert trade.best.error == min(each.error for each in trade.bounds)
    assert trade.best.rows == 50
    assert math.isclose(trade.left_above, math.sqrt(2) / EPSILON)
    assert trade.by_rule.rows == 100, "0.7 people: nobody"
    cheap = trade_of(sfumato.profile(shop(), epsilon="0.01").table("sales"))
    assert cheap.best.rows == 1, "where noise is dear a smaller bound is better"
    assert cheap.by_rule.rows == 1


def test_the_rule_and_the_least_error_are_near_each_other_where_many_have_many(tmp_path: Path) -> None:
    """A table of a long tail, at several prices: at most one candidate apart."""
    who = [person for person in range(2_000) for _ in range(math.ceil(400 / (1 + person % 400)))]
    given = shop()
    given["tables"]["sales"] = {"source": pa.table({"who": who})}
    for epsilon in ("0.05", "0.1", "0.5", "1", "5"):
        trade = trade_of(sfumato.profile(given, epsilon=epsilon).table("sales"))
        places = [each.rows for each in trade.bounds]
        assert abs(places.index(trade.best.rows) - places.index(trade.by_rule.rows)) <= 1, epsilon


def test_of_bounds_that_are_nearly_as_good_the_largest_is_best() -> None:
    """Of a hundred people with nine or ten rows each, all of one value, ten rows have three thousandths more noise."""
    given = shop()
    frame = pa.table({"who": [who for who in range(100) for _ in range(9 if who < 3 else 10)], "cost": [7] * 997})
    given["tables"]["sales"] |= {"source": frame}
    trade = trade_of(sfumato.profile(given, average="cost").table("sales")).average
    assert trade is not None
    assert trade.bounds[0].error < trade.bounds[-1].error < 1.01 * trade.bounds[0].error
    assert trade.best.rows == 10, "and not 1 or 5, which have more bias in everything else"


# ---- averages ----


def test_an_average_is_weighted_by_person_in_sum_and_number_alike() -> None:
    trade = trade_of(sales(average="cost")).average
    assert trade is not None
    true = Fraction(sum(cost for *_, cost in ROWS), TOTAL)
    assert math.isclose(trade.average, float(true))
    for each in trade.bounds:
        weights = {who: min(Fraction(1), Fraction(each.rows, rows)) for who, rows in COUNTS.items()}
        kept = sum(weights[who] for who, *_ in ROWS)
        weighted = sum(weights[who] * cost for who, _, cost in ROWS) / kept
        assert math.isclose(each.weighted, float(weighted))
        assert math.isclose(each.bias, float(weighted - true), abs_tol=1e-12)
        assert math.isclose(each.noise, math.sqrt(2) * each.rows * 100 / (EPSILON * float(kept)))
        assert math.isclose(each.error, math.hypot(each.bias, each.noise))
        # twins: the weighted sum by the number of all rows; noise as if all rows counted
        if each.rows < 90:
            assert not math.isclose(each.weighted, float(sum(weights[who] * cost for who, _, cost in ROWS) / TOTAL))
            assert not math.isclose(each.noise, math.sqrt(2) * each.rows * 100 / (EPSILON * TOTAL))


def test_an_average_by_group_is_that_of_a_group_of_mean_size() -> None:
    alone, grouped = trade_of(sales()).average, trade_of(sales(by="ward")).average
    assert alone is not None
    assert grouped is not None
    assert [2 * each.noise for each in alone.bounds] == [each.noise for each in grouped.bounds]
    assert [each.bias for each in alone.bounds] == [each.bias for each in grouped.bounds]


def test_averages_want_no_larger_a_bound_than_counts(tmp_path: Path) -> None:
    found = sfumato.profile(hospital.build(tmp_path, people=2_000, visits=20_000), average="cost").table("visits")
    trade = trade_of(found)
    assert trade.average is not None
    assert trade.average.best.rows < trade.best.rows


# ---- what it is, and whose ----


def test_a_profile_is_no_verb_of_a_session_and_no_method_of_anything_that_analysts_hold() -> None:
    held = (Session, Curator, DuckDBEngine)
    assert not [(each, name) for each in held for name in dir(each) if "profil" in name.lower()]
    assert "profile" in dir(sfumato)


def test_nothing_is_written_down_and_an_open_session_does_not_notice(tmp_path: Path) -> None:
    declaration = hospital.build(tmp_path, people=500, visits=2_000)
    with sfumato.open(declaration) as session:
        session.sql("SELECT COUNT(*) AS n FROM visits", epsilon="0.1")
        before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        budget = session.budget()
        sfumato.profile(declaration, by="ward")
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
        assert session.budget() == budget


def test_a_profile_shows_nothing_by_accident() -> None:
    found = sfumato.profile(shop())
    assert isinstance(found, Profile)
    assert repr(found) == "<profile of shop, for its owner>"
    assert not hasattr(found, "_repr_html_"), "notebooks are handed on with what they showed"
    with pytest.raises(InvalidParameter, match="did you mean `sales`"):
        found.table("sale")


def test_declarations_that_are_not_finished_are_profiled_and_odd_prices_refused() -> None:
    assert sfumato.profile(shop(rows_per_person=3)).table("sales").figures.a_person is not None
    for epsilon in (0, -1, "nan", "much"):
        with pytest.raises(SfumatoError):
            sfumato.profile(shop(), epsilon=epsilon)
    with pytest.raises(InvalidParameter):
        sfumato.profile(7)  # type: ignore[arg-type]


@pytest.mark.parametrize("words", [{}, {"by": "ward"}, {"average": "cost", "by": "ward"}])
def test_the_document_fits_the_schema(words: dict[str, Any]) -> None:
    document = sfumato.profile(shop(), **words).to_json()
    assert faults(document, schema()) == []
    (table,) = document["tables"]
    assert table["bounds"]["candidates"][0]["rows_per_person"] == 1
    assert table["rows_per_person"]["histogram"] == sorted(map(list, Counter(COUNTS.values()).items()))
    assert (table["by"] is None) == ("by" not in words)


def test_pages_hold_figures_and_pictures_and_no_markup_of_anybodys() -> None:
    given = shop()
    given["name"] = "<b>shop</b>"
    page = sfumato.profile(given, by="ward", average="cost").to_html()
    assert page.count("<svg") == 2
    assert "[tables.sales]\nrows_per_person = 20 " in page
    assert "is itself a release" in page
    assert "<b>shop" not in page
    given["unit"] = {"rows": True}
    assert "no bound is needed" in sfumato.profile(given).to_html()


@pytest.mark.parametrize(("value", "told"), [
    (0.0, "0 %"), (1.0, "100 %"), (0.5, "50 %"), (0.9999, "99.99 %"), (0.99999999, "99.999999 %"), (0.1, "10 %"),
    (0.00033, "0.033 %"), (1.75, "175 %"), (12.5, "1250 %"),
])  # fmt: skip
def test_a_share_is_all_or_nothing_only_if_it_is(value: float, told: str) -> None:
    assert share(value) == told
    assert (share(value) == "100 %") == (value == 1.0)


def test_numbers_are_short() -> None:
    assert [number(each) for each in (0.0, -3.14159, 999.4, 1234.5, 1e7)] == [
        "0",
        "-3.14",
        "999",
        "1,234",
        "10,000,000",
    ]
