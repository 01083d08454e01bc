"""Synthetic tables in publications: one price for all stages, a size that tells nothing, values found with noise only."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import numpy as np
import pytest

import table_publications
from publications import kinds, spent
from sfumato import Publication
from sfumato.accounting.events import Composition, Converted, Gaussian
from sfumato.curator import publishing
from sfumato.curator.charge import Reader
from sfumato.curator.curator import Curator
from sfumato.engines.duckdb.engine import DuckDBEngine
from sfumato.engines.duckdb.published import counts_in
from sfumato.errors import BudgetExceeded, EngineFailed, InvalidDeclaration, InvalidParameter, InvalidQuestion
from sfumato.query.steps import PricedSteps
from sfumato.synth.publication import read_plan, table_measuring, table_pricing
from sfumato.synth.publication.folder import PublicationFolder
from sfumato.synth.publication.table_measuring import measure_table
from sfumato.synth.publication.table_part import MeasuredTable
from sfumato.synth.publication.table_pricing import PricedTable, price_table
from sfumato.synth.publication.table_words import packed, unpacked
from sfumato.synth.tables.paid import Handed
from sources import SeededBits
from table_publications import LISTED, PLAN, PRICE, TOWNS, people, town

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Publication]:
    place = tmp_path_factory.mktemp("town")
    with town(place) as curator:
        return place, curator.publish(PLAN, out=place / "release", **PRICE)


def priced_of(curator: Curator, plan: object = PLAN, **price: Any) -> PricedTable:
    asked: dict[str, Any] = {"epsilon": 2, "delta": "1e-6", "rho": None} | price
    made = publishing.Publishing(curator, "analyst").price(plan, **asked)
    assert isinstance(made, PricedTable)
    return made


class Under:
    """Reads of an engine as a charge would let them be."""

    def __init__(self, curator: Curator, priced: PricedTable) -> None:
        engine = curator._charge._engine
        self._of = publishing._UnderCharge(Reader(engine, priced.reads), priced.reads, SeededBits(7))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._of, name)


# ---- what comes out ----


def test_a_table_is_published_and_answers_with_bars_without_the_data(published: tuple[Path, Publication]) -> None:
    place, _ = published
    release, truth = Publication.open(place / "release"), people(3000)
    for ward in "abc":
        found, right = release.count({"ward": ward}, confidence="0.999999"), sum(row[1] == ward for row in truth)
        assert found.is_bounded
        assert found.low is not None
        assert found.high is not None
        assert found.low <= right <= found.high
    total = release.count(confidence="0.999999")
    assert abs(total.value - 3000) <= (total.high or 0) - total.value
    assert release.rows is not None


def test_rows_have_the_declared_types_and_values_of_the_lists(published: tuple[Path, Publication]) -> None:
    _, release = published
    with duckdb.connect() as run:
        rows = run.read_parquet(str(release.rows))
        assert dict(zip(rows.columns, map(str, rows.types), strict=True)) == {
            "ward": "VARCHAR", "sex": "VARCHAR", "pregnant": "BIGINT", "income": "DOUBLE", "town": "VARCHAR",
        }  # fmt: skip
        found = rows.fetchall()
    for at, name in enumerate(release.columns):
        assert {row[at] for row in found} <= set(release.columns[name])
    assert abs(len(found) - 3000) < 300


def test_found_texts_are_those_that_enough_people_have(published: tuple[Path, Publication]) -> None:
    values = published[1].columns["town"]
    assert set(TOWNS) <= set(values)
    assert not any(str(value).startswith("only") for value in values)
    assert values[-2:] == ("(other)", None)  # one of the texts is `other` itself


def test_bins_cover_the_bounds_and_every_value_says_no_more_than_its_bin(published: tuple[Path, Publication]) -> None:
    about = published[1].statement["columns"]["income"]
    bins = [each for each in about["bins"] if each is not None]
    assert (bins[0][0], bins[-1][1]) == (0.0, 5000.0)
    assert all(a[1] == b[0] for a, b in pairwise(bins))
    for value, ends in zip(about["values"], about["bins"], strict=True):
        assert (value is None) == (ends is None)
        assert ends is None or ends[0] <= value < ends[1]
    assert about["values"][-1] is None


def test_bins_have_about_as_many_rows_each_in_the_data(published: tuple[Path, Publication]) -> None:
    bins = [each for each in published[1].statement["columns"]["income"]["bins"] if each is not None]
    incomes = [row[4] for row in people(3000) if row[4] != ""]
    sizes = [sum(low <= income < high for income in incomes) for low, high in bins]
    assert len(bins) >= 4
    assert max(sizes) < 3 * sum(sizes) / len(bins)


def test_three_columns_have_no_bar_and_are_counted_in_rows_if_that_is_wanted(
    published: tuple[Path, Publication],
) -> None:
    wanted = {"ward": "a", "sex": "F", "pregnant": 0}
    with pytest.raises(InvalidQuestion, match="no measured table holds"):
        published[1].count(wanted)
    assert not published[1].count(wanted, rows=True).is_bounded


def test_a_marginal_is_the_same_as_its_counts(published: tuple[Path, Publication]) -> None:
    release = published[1]
    for (ward,), found in release.marginal("ward"):
        assert found.value == pytest.approx(release.count({"ward": ward}).value)
        assert found.low == pytest.approx(release.count({"ward": ward}).low)
    part = release.parts[0]
    assert isinstance(part, MeasuredTable)
    pair = next(each for each in part.estimated if len(each.columns) == 2)
    for values, found in list(release.marginal(*reversed(pair.columns)))[:5]:
        asked = release.count(dict(zip(reversed(pair.columns), values, strict=True)))
        assert found.value == pytest.approx(asked.value)


def test_every_table_is_written_with_its_errors(published: tuple[Path, Publication]) -> None:
    place, release = published
    listed = json.loads((place / "release" / "tables.json").read_text())["tables"]
    part = release.parts[0]
    assert isinstance(part, MeasuredTable)
    assert [tuple(each["columns"]) for each in listed] == [each.columns for each in part.estimated]
    assert all(each["standard_error"] > 0 for each in listed)
    page = (place / "release" / "report.html").read_text()
    assert "0 to " in page  # bins by their ends
    assert "bootstrap" in page


def test_rows_that_are_alike_may_be_one_line_with_their_number(tmp_path: Path) -> None:
    with town(tmp_path, 2000) as curator:
        release = curator.publish({**LISTED, "rows": "weighted"}, out=tmp_path / "release", **PRICE)
        named = {"from": "SELECT ward, sex AS count FROM people", "columns": ["ward", "count"]}
        with pytest.raises(InvalidDeclaration, match="a column `count` of their own"):
            curator.publish({**LISTED, **named, "rows": "weighted"}, out=tmp_path / "other", **PRICE)
    ((lines, number),) = rows_of(release, "SELECT COUNT(*), SUM(count) FROM people")
    assert lines <= 12
    assert abs(int(number) - 2000) < 200
    assert rows_of(release, "SELECT COUNT(*) FROM (SELECT DISTINCT ward, sex, pregnant FROM people)") == [(lines,)]
    assert release.count({"ward": "a"}, rows=True).is_bounded
    assert release.count({"ward": "a", "sex": "F", "pregnant": 0}, rows=True).value > 100


@pytest.mark.parametrize(("by", "words"), [("tree", "a tree"), ("chains", "chains"), ("cells", "all cells")])
def test_rows_are_made_as_the_plan_says(tmp_path: Path, by: str, words: str) -> None:
    with town(tmp_path, 500) as curator:
        release = curator.publish({**LISTED, "by": by}, out=tmp_path / "release", **PRICE)
        wide = {**PLAN, "by": "cells", "texts": {"town": 500}, "bins": {"income": 200}}
        wide["columns"] = [*PLAN["columns"], "person"]
        with pytest.raises(InvalidDeclaration, match="a model of all cells has up to"):
            curator.publish(wide, out=tmp_path / "wide", **PRICE)
    assert words in release.statement["rows"]["made_of"]
    assert rows_of(release, "SELECT COUNT(*) FROM people")[0][0] > 300


def test_a_public_twin_is_compared_by_the_bins_and_texts_that_were_found(tmp_path: Path) -> None:
    """A twin that is the data's own kind: near in every table, also where values are bins or not listed."""
    with town(tmp_path, 3000) as curator:
        table_publications.declared(tmp_path / "twin", people(3000, seed=9))
        twin = str(tmp_path / "twin" / "people.csv")
        made = curator.publish({**PLAN, "twin": twin}, out=tmp_path / "release", **PRICE)
    page = (made.path / "report.html").read_text(encoding="utf-8")
    assert "public twin" in page
    columns = {name: (made.kinds[name], values) for name, values in made.columns.items()}
    about = made.statement["columns"]
    binned = {"income": [None if each is None else tuple(each) for each in about["income"]["bins"]]}
    sets = [("income",), ("town",)]
    income, town_ = counts_in(Path(twin), columns, sets, bins=binned, others={"town": about["town"]["other"]})
    assert income.sum() == town_.sum() == 3000
    rows = counts_in(made.path / "rows.parquet", columns, sets, bins=binned, others={"town": about["town"]["other"]})
    for mine, other in zip(rows, (income, town_), strict=True):
        assert np.abs(mine / mine.sum() - other / other.sum()).sum() / 2 < 0.1


# ---- price ----


def test_the_price_is_that_of_all_noise_that_was_handed_out(tmp_path: Path) -> None:
    with town(tmp_path, 300, rows_each=2) as curator:
        priced = priced_of(curator)
        stages = measure_table(priced, Under(curator, priced), SeededBits(3))
        moved = priced.reads.grid.workload.moved if priced.reads.grid else 0
        handed = [Handed(grid.noise, moved**2) for grid in stages.grids for _ in grid.levels]
        squared_mu = sum((each.cost for each in (*handed, *stages.table.handed)), Fraction(0))
        assert Fraction(99, 100) / priced.sigma**2 <= squared_mu <= 1 / priced.sigma**2
        found = [query.event for query in priced.finding]
        noise = Converted(Gaussian(priced.sigma), Fraction(1, 2 * 10**6))
        assert priced.event == Composition([*found, noise])
        assert priced.event.pure() is not None
        assert Fraction(199, 100) < (priced.event.pure() or 0) <= 2
        assert priced.event.pure_delta() <= Fraction(1, 10**6)


@pytest.mark.parametrize("broken", ["levels forgotten", "share taken twice", "persons of one row"])
def test_noise_that_costs_more_than_its_share_is_never_drawn(
    tmp_path: Path, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twins of the price: each hands out more than was charged, and the purses refuse it."""
    real: Callable[..., Any] = table_measuring.grid_noise
    with town(tmp_path, 300, rows_each=2) as curator:
        priced = priced_of(curator)
        if broken == "levels forgotten":
            monkeypatch.setattr(table_measuring, "grid_noise", lambda p, moved: type(n := real(p, moved))(n.sigma / 2))
        elif broken == "persons of one row":
            monkeypatch.setattr(table_measuring, "grid_noise", lambda p, moved: real(p, moved // 2))
        else:
            monkeypatch.setattr(PricedTable, "of_table", property(lambda self: self.sigma))
            stages = measure_table(priced, Under(curator, priced), SeededBits(3))
            moved = priced.reads.grid.workload.moved if priced.reads.grid else 0
            handed = [Handed(grid.noise, moved**2) for grid in stages.grids for _ in grid.levels]
            assert sum((each.cost for each in (*handed, *stages.table.handed)), Fraction(0)) > 1 / priced.sigma**2
            return
        with pytest.raises(BudgetExceeded):
            measure_table(priced, Under(curator, priced), SeededBits(3))


def test_it_is_charged_once_and_explained_for_nothing(tmp_path: Path) -> None:
    with town(tmp_path, 300) as curator:
        told = curator.explain_publication(PLAN, **PRICE)
        assert spent(curator) == 0
        curator.publish(PLAN, out=tmp_path / "release", **PRICE)
        assert spent(curator) == told.cost.epsilon
        curator.publish(PLAN, out=tmp_path / "release", **PRICE)
        assert spent(curator) == told.cost.epsilon
        assert [each.columns for each in told.expected] == [(name,) for name in PLAN["columns"]]
        assert all(each.standard_error > 0 for each in told.expected)


def test_zcdp_pays_too_with_a_delta_only_where_texts_are_found(tmp_path: Path) -> None:
    with town(tmp_path, 300) as curator:
        plain = priced_of(curator, LISTED, epsilon=None, delta=None, rho="0.1")
        assert plain.event.zcdp() is not None
        assert Fraction(999, 10_000) < (plain.event.zcdp() or 0) <= Fraction(1, 10)
        assert plain.event.extra_delta() == 0
        with pytest.raises(InvalidQuestion, match="delta"):
            priced_of(curator, epsilon=None, delta=None, rho="0.1")
        found = priced_of(curator, epsilon=None, delta="1e-6", rho="0.1")
        assert 0 < found.event.extra_delta() <= Fraction(1, 10**6)
        assert (found.event.zcdp() or 0) <= Fraction(1, 10)


def test_normal_noise_needs_a_delta(tmp_path: Path) -> None:
    with town(tmp_path, 300) as curator, pytest.raises(InvalidDeclaration, match="δ above 0"):
        priced_of(curator, LISTED, delta="0")


# ---- nothing but noisy values decides ----


def test_the_size_of_what_is_measured_tells_nothing(tmp_path: Path) -> None:
    """Rows that are all alike, and rows of every kind: as many bytes, sealed and open."""
    alike = [(i, "a", "F", 0, 1.0, "Aarau") for i in range(500)]
    seen, real = list[int](), PublicationFolder.seal

    def seal(self: PublicationFolder, data: bytes) -> None:
        seen.append(len(data))
        real(self, data)

    with mock.patch.object(PublicationFolder, "seal", seal):
        for name, rows in (("alike", alike), ("different", people(500)), ("nobody", [])):
            table_publications.declared(tmp_path / name, rows)
            with town(tmp_path / name) as curator:
                curator.publish(PLAN, out=tmp_path / name / "release", **PRICE)
    assert len(set(seen)) == 1


def test_what_was_measured_is_read_again_whatever_it_is(tmp_path: Path) -> None:
    with town(tmp_path, 300) as curator:
        priced = priced_of(curator)
        stages = measure_table(priced, Under(curator, priced), SeededBits(3))
    for each in stages.table.residuals:  # numbers of any size are kept, up to 124 bits
        object.__setattr__(each, "values", np.array([10**30, -(10**30)] * each.values.size, dtype=object)[
            : each.values.size
        ].reshape(each.values.shape))  # fmt: skip
    words = packed(stages, priced.words)
    assert words.shape == (priced.words,)
    again = unpacked(words, priced.reads_of.columns, priced.impossible)
    assert again.table.to_json() == stages.table.to_json()
    assert {name: tuple(each) for name, each in again.found.items()} == stages.found
    assert [[int(v) for v in level] for level in again.grids[0].levels] == [
        [int(v) for v in level] for level in stages.grids[0].levels
    ]


def test_an_interrupted_table_is_measured_again_under_the_same_charge(tmp_path: Path) -> None:
    with town(tmp_path, 300) as curator:
        with mock.patch.object(DuckDBEngine, "contingency", side_effect=RuntimeError), pytest.raises(EngineFailed):
            curator.publish(PLAN, out=tmp_path / "release", **PRICE)
        paid = spent(curator)
        assert paid > 0
        curator.publish(PLAN, out=tmp_path / "release", **PRICE)
        assert spent(curator) == paid
        assert Counter(kinds(curator))["reserve"] == 1


# ---- triples ----


def test_a_named_triple_is_answered_with_a_bar(tmp_path: Path) -> None:
    plan = {**PLAN, "triples": [["sex", "ward", "income"]]}
    with town(tmp_path, 2000) as curator:
        release = curator.publish(plan, out=tmp_path / "release", **PRICE)
    incomes = [value for value in release.columns["income"] if value is not None]
    found = release.count({"ward": "a", "sex": "F", "income": incomes}, confidence="0.999999")
    right = sum(row[1] == "a" and row[2] == "F" and row[4] != "" for row in people(2000))
    assert found.is_bounded
    assert found.low is not None
    assert found.high is not None
    assert found.low <= right <= found.high
    assert "1 triple" in release.statement["rows"]["made_of"]


@pytest.mark.parametrize("more", [{"triples": True}, {"triples": [["ward", "sex", "pregnant"]]}, {"triples": False}])
def test_triples_are_part_of_the_price_and_of_the_size(tmp_path: Path, more: dict[str, Any]) -> None:
    with town(tmp_path, 300, rows_each=2) as curator:
        priced = priced_of(curator, {**PLAN, **more}, epsilon=20)
        stages = measure_table(priced, Under(curator, priced), SeededBits(3))
        assert packed(stages, priced.words).shape == (priced.words,)
        again = unpacked(packed(stages, priced.words), priced.reads_of.columns, priced.impossible)
        assert again.table.to_json() == stages.table.to_json()
        moved = priced.reads.grid.workload.moved if priced.reads.grid else 0
        handed = [Handed(grid.noise, moved**2) for grid in stages.grids for _ in grid.levels]
        assert sum((each.cost for each in (*handed, *stages.table.handed)), Fraction(0)) <= 1 / priced.sigma**2
        assert bool(priced.reads_of.triples) == bool(more["triples"])


def test_candidates_follow_from_the_plan_and_not_from_what_was_found(tmp_path: Path) -> None:
    """Few values are found; no triple is asked for that was not counted."""
    with town(tmp_path, 300) as curator:
        priced = priced_of(
            curator, {**PLAN, "triples": True, "texts": {"town": 500}, "bins": {"income": 200}}, epsilon=50
        )
        assert (0, 3, 4) not in priced.reads_of.triples
        stages = measure_table(priced, Under(curator, priced), SeededBits(3))
        scored = stages.table.triple_scores
        assert scored is not None
        assert set(scored.marginals) <= set(priced.reads_of.triples)


# ---- the reader ----


@pytest.fixture
def steps(tmp_path: Path) -> Iterator[tuple[Reader, PricedSteps]]:
    with town(tmp_path, 50) as curator:
        priced = priced_of(curator)
        yield Reader(curator._charge._engine, priced.reads), priced.reads


def test_steps_are_read_in_their_order_and_once(steps: tuple[Reader, PricedSteps]) -> None:
    reader, reads = steps
    reader.exact()
    reader.counted()
    reader.counted_last(reads.last)
    for again in (reader.exact, reader.counted, lambda: reader.counted_last(reads.last)):
        with pytest.raises(EngineFailed, match="outside an open charge"):
            again()


@pytest.mark.parametrize("first", ["counted", "counted_last"])
def test_a_step_out_of_its_turn_is_refused(steps: tuple[Reader, PricedSteps], first: str) -> None:
    reader, reads = steps
    with pytest.raises(EngineFailed):
        reader.counted() if first == "counted" else reader.counted_last(reads.last)


def test_the_last_read_is_of_the_rows_tables_and_price_that_were_charged(tmp_path: Path) -> None:
    with town(tmp_path, 50) as curator:
        priced = priced_of(curator)
        engine = curator._charge._engine
        other_rows = priced_of(curator, {**PLAN, "where": "sex = 'F'"}).reads.last
        dearer = priced_of(curator, epsilon=3).reads.last
        fewer = priced_of(curator, {**PLAN, "columns": ["ward", "sex", "income", "town"]}).reads.last
        for last in (other_rows, dearer, fewer):
            reader = Reader(engine, priced.reads)
            reader.exact()
            reader.counted()
            with pytest.raises(EngineFailed):
                reader.counted_last(last)


def test_a_closed_reader_reads_nothing(steps: tuple[Reader, PricedSteps]) -> None:
    reader, _ = steps
    reader.close()
    with pytest.raises(EngineFailed):
        reader.exact()


# ---- what cannot be ----


def rows_of(release: Publication, text: str) -> list[tuple[Any, ...]]:
    return release.sql(text)[1]


def test_what_the_plan_calls_impossible_never_appears(tmp_path: Path) -> None:
    plan = {**LISTED, "impossible": ["sex = 'M' AND pregnant = 1", "ward = 'c' AND sex = 'F'"]}
    with town(tmp_path, 300) as curator:
        release = curator.publish(plan, out=tmp_path / "release", **PRICE)
    assert rows_of(release, "SELECT COUNT(*) FROM people WHERE sex = 'M' AND pregnant = 1") == [(0,)]
    assert rows_of(release, "SELECT COUNT(*) FROM people WHERE ward = 'c' AND sex = 'F'") == [(0,)]
    assert rows_of(release, "SELECT COUNT(*) FROM people")[0][0] > 100


def test_what_is_declared_of_a_table_never_appears_under_any_name(tmp_path: Path) -> None:
    more = "impossible = [\"sex = 'M' AND pregnant = 1\"]"
    plan = {**LISTED, "from": "SELECT sex AS s, pregnant AS p, ward FROM people", "columns": ["s", "p", "ward"]}
    with town(tmp_path, 300, more=more) as curator:
        assert [each.columns for each in priced_of(curator, plan).impossible] == [("s", "p")]
        release = curator.publish(plan, out=tmp_path / "release", **PRICE)
        assert priced_of(curator, {**LISTED, "columns": ["sex", "ward"]}).impossible == ()
    assert rows_of(release, "SELECT COUNT(*) FROM people WHERE s = 'M' AND p = 1") == [(0,)]


def test_what_is_declared_of_a_table_says_nothing_of_two_copies_of_it(tmp_path: Path) -> None:
    more = "impossible = [\"sex = 'M' AND pregnant = 1\"]"
    once = "SELECT person, MAX(pregnant) AS pregnant FROM people GROUP BY person"
    joined = f"SELECT a.person, a.sex, b.pregnant FROM people a JOIN ({once}) b ON a.person = b.person"
    with town(tmp_path, 300, rows_each=2, more=more) as curator:
        plan = {**LISTED, "from": joined, "columns": ["sex", "pregnant"]}
        assert priced_of(curator, plan).impossible == ()


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"impossible": ["income > 10"]}, "put into bins"),
        ({"impossible": ["town = 'Aarau'"]}, "found in the data"),
        ({"impossible": ["sex IN ('F', 'M')"]}, "leaves nothing possible"),
        ({"impossible": ["sex = 'F'", "sex = 'M'"]}, "possible"),
        ({"impossible": ["sex = 'F' AND ward IN ('a', 'b', 'c')", "sex = 'M' AND pregnant IN (0, 1)"]}, "possible"),
        ({"impossible": ["nobody = 1"]}, "names a column that the plan has not"),
        ({"impossible": "sex = 'F'"}, "must be a list"),
        ({"bins": {"ward": 4}}, "bins are made of numbers"),
        ({"bins": {"income": 1}}, "whole number from 2"),
        ({"bins": {"nobody": 4}}, "names a column that the plan has not"),
        ({"texts": {"income": 4}}, "texts are found of text"),
        ({"triples": [["ward", "sex"]]}, "three columns each"),
        ({"triples": "all"}, "must be true, false or a list"),
        ({"triples": [["ward", "sex", "nobody"]]}, "names a column that the plan has not"),
        ({"by": "luck"}, "must be one of"),
        ({"make": "tables"}, "nothing is made that is called"),
        ({"rows": "tree"}, "decides by itself"),
        ({"measure": [{"kind": "total"}]}, "decides by itself"),
    ],
)
def test_a_plan_that_cannot_be_is_refused_before_any_charge(tmp_path: Path, entry: dict[str, Any], said: str) -> None:
    with town(tmp_path, 20) as curator:
        with pytest.raises((InvalidDeclaration, InvalidParameter), match=said):
            curator.publish({**PLAN, **entry}, out=tmp_path / "release", **PRICE)
        assert spent(curator) == 0


def test_entries_of_tables_are_for_tables() -> None:
    plan = {"from": "people", "columns": ["ward"], "measure": [{"kind": "total"}], "bins": {"ward": 3}}
    with pytest.raises(InvalidDeclaration, match='make = "table"'):
        read_plan(plan)


def test_a_plan_is_read_again_from_its_document() -> None:
    plan = read_plan({**PLAN, "bins": {"income": 7}, "impossible": ["sex = 'F'"]})
    assert read_plan(plan.to_json()) == plan


def test_a_listed_column_of_many_numbers_is_put_into_bins(tmp_path: Path) -> None:
    with town(tmp_path, 20) as curator:
        plan = {**PLAN, "from": "SELECT person, CAST(FLOOR(income) AS INTEGER) AS whole, sex FROM people",
                "columns": ["whole", "sex"]}  # fmt: skip
        columns = priced_of(curator, plan).reads_of.columns
        assert [type(column).__name__ for column in columns] == ["BinnedColumn", "ListedColumn"]
        forced = priced_of(curator, {**LISTED, "bins": {"pregnant": 2}}).reads_of.columns
        assert [type(column).__name__ for column in forced] == ["ListedColumn", "ListedColumn", "BinnedColumn"]


def test_the_price_follows_from_the_plan_alone(tmp_path: Path) -> None:
    """Two datasets with one declaration and other rows: the same price, reads and size."""
    told = []
    for name, rows in (("few", people(5)), ("many", people(900, seed=4))):
        table_publications.declared(tmp_path / name, rows)
        with town(tmp_path / name) as curator:
            priced = price_table(
                read_plan(PLAN), curator.dataset, curator._desk.public, priced_of(curator).spend
            )  # fmt: skip
            told.append((priced.canonical(), priced.words, priced.event))
    assert told[0] == told[1]
    assert table_pricing.VERSION == 1
