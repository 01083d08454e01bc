"""Strategies: one row moves the cells of a block within its unit, whatever is in the row, and noise is priced for that.

What a row adds to a column is written once more below, over all rows there are of a small range: with and without a value,
with the condition and without. Where a column is believed to have no NULL, rows with one are tried all the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import isqrt
from typing import Any
from unittest import mock

import pytest

from neighbours import measured_by
from sfumato.accounting import total
from sfumato.accounting.events import Converted
from sfumato.data import Column as DataColumn
from sfumato.data import Dataset, Kind, Memory, Table
from sfumato.data.budget import Allowance
from sfumato.mechanisms import GeometricNoise
from sfumato.mechanisms.box import BoxNoise
from sfumato.mechanisms.discrete_gaussian import DiscreteGaussianNoise
from sfumato.mechanisms.gaussian import GaussianNoise
from sfumato.query import PricedQuery, Spend, plan_question, price
from sfumato.query.aggregates.base import AskedTogether, OverValues
from sfumato.query.bounds import Bounds
from sfumato.query.expression import refs
from sfumato.query.measured import measured
from sfumato.query.measures import Measure, OfValue, Square, Sum
from sfumato.query.priced import NoisyCells, inverse
from sfumato.query.strategies import STRATEGIES, Block, Pricing, Worth, base, box, cells, gaussian, outlines
from sfumato.query.strategies.keys import KeyedCells

NAMES = tuple(each.name for each in STRATEGIES)
RANGES = ((-3, 9), (0, 1), (3, 5), (-7, -2), (0, 0), (-4, 4), (2, 2))
EPSILON, RHO, DELTA = Fraction(1), Fraction(1, 2), Fraction(1, 10**6)
SPENDS = {"ε": Spend(EPSILON, None, Fraction(0)), "ε and δ": Spend(EPSILON, None, DELTA), "ρ": Spend(None, RHO, DELTA)}
FAMILIES = {
    "sum and its rows": "AVG(day)",
    "sum and all rows": "SUM(day), COUNT(*)",
    "sum, its rows and all": "COUNT(*), COUNT(day), SUM(day)",
    "rows with a value and all": "COUNT(*), COUNT(day)",
    "squares": "VARIANCE(day)",
    "squares and all rows": "COUNT(*), VARIANCE(day), AVG(day)",
    "of a condition": "AVG(day) FILTER (WHERE paid), COUNT(*) FILTER (WHERE paid)",
    "of a condition and all rows": "SUM(day) FILTER (WHERE paid), COUNT(*)",
    "squares of a condition": "VARIANCE(day) FILTER (WHERE paid), COUNT(*)",
    "a condition and none": "AVG(day), AVG(day) FILTER (WHERE paid), COUNT(*)",
    "a count of a condition": "COUNT(*), COUNT(*) FILTER (WHERE paid), COUNT(day) FILTER (WHERE paid)",
    "two columns": "AVG(day), AVG(cost), COUNT(*)",
    "two columns and squares": "STDDEV(day), VARIANCE(cost) FILTER (WHERE paid), COUNT(cost)",
    "sums": "SUM(day), SUM(cost), SUM(day) FILTER (WHERE paid)",
    "one sum": "SUM(day)",
}
Row = tuple[int | None, int | None, bool | None]
"""A day, a cost in steps, whether it was paid."""


class NothingPublic:
    """What may be known of public tables where there is none."""

    def values(self, table: str, column: str) -> tuple[Any, ...] | None:
        raise AssertionError((table, column))

    def repeats(self, table: str, columns: tuple[str, ...]) -> int:
        raise AssertionError((table, columns))


PUBLIC = NothingPublic()


def small(low: int, high: int) -> Dataset:
    """Visits whose day lies in a range, and whose cost is 0, ¼ or ½, in three wards that are public and towns that are not."""
    person = DataColumn("person", Kind.INTEGER)
    columns = (
        person, DataColumn("day", Kind.INTEGER, Fraction(low), Fraction(high)),
        DataColumn("cost", Kind.REAL, Fraction(0), Fraction(1, 2), Fraction(1, 4)), DataColumn("paid", Kind.BOOLEAN),
        DataColumn("ward", Kind.TEXT, values=("a", "b", "c")), DataColumn("town", Kind.TEXT),
    )  # fmt: skip
    visits = Table("visits", Memory(), columns, rows_per_person=3, foreign_keys=(("person", "people", "person"),))
    return Dataset(
        "small", (Table("people", Memory(), (person,)), visits), ("people", "person"), Allowance(Fraction(1))
    )


KNOWN = {ends: small(*ends) for ends in RANGES}


def rows(ends: tuple[int, int]) -> list[Row]:
    """Every row there is."""
    return list(product([None, *range(ends[0], ends[1] + 1)], (None, 0, 1, 2), (True, False, None)))


def added(measure: Measure, row: Row) -> int:
    """What a row adds to a column."""
    if measure.where is not None and row[2] is not True:
        return 0
    if not isinstance(measure, OfValue):
        return 1
    (of,) = refs(measure.of)
    found = row[0] if of.field.name == "day" else row[1]
    if found is None:
        return 0
    if not isinstance(measure, Sum):
        return 1
    above = found - measure.centre
    return above * above if isinstance(measure, Square) else above


def measures_of(text: str, known: Dataset, *, filled: bool = False) -> tuple[Measure, ...]:
    """What is measured; `filled` where no row is believed to be without a value."""
    aggregates = plan_question(f"SELECT {text} FROM visits", known, PUBLIC).aggregates
    believed = [replace(each, filled=True) if filled and isinstance(each, OverValues) else each for each in aggregates]
    return measured(tuple(believed)).measures


def size(name: str, moved: Sequence[int]) -> int | Fraction | float:
    """How far cells moved in the norm of a strategy; infinitely far where cells that may only grow did not."""
    if name == "joint_cells":
        return float("inf") if min(moved) < 0 and len(moved) > 1 else sum(map(abs, moved))
    return max(map(abs, moved))


def beyond(text: str, ends: tuple[int, int], spend: Spend, *, filled: bool = False) -> list[str]:
    """Rows that move a block by more than its unit, or blocks that none moves by so much; empty is right."""
    measures, found = measures_of(text, KNOWN[ends], filled=filled), list[str]()
    at = Pricing(Bounds(3), spend, 0, False, Fraction(1, 20))
    for outline in outlines(measures, at, but=set()):
        for block in outline.blocks:
            most = max(size(outline.strategy.name, moved(block, measures, row)) for row in rows(ends))
            if most > block.unit:
                found.append(f"{outline.strategy.name} of {text} in {ends}: {most} > {block.unit}")
    return found


def moved(block: Block | NoisyCells, measures: Sequence[Measure], row: Row) -> list[int]:
    """What a row adds to the cells of a block."""
    columns = [added(measures[place], row) for place in block.columns]
    return [sum(a * b for a, b in zip(cell, columns, strict=True)) for cell in block.cells]


# ---- one row ----


@pytest.mark.parametrize("currency", SPENDS)
@pytest.mark.parametrize("filled", [False, True], ids=["missing", "filled"])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_row_moves_every_block_within_its_unit(family: str, filled: bool, currency: str) -> None:
    for ends in RANGES:
        assert beyond(FAMILIES[family], ends, SPENDS[currency], filled=filled) == []


def untold(text: str, ends: tuple[int, int], spend: Spend) -> list[str]:
    """Columns that no block has or two have, and blocks whose cells do not tell their columns; empty is right."""
    measures, found = measures_of(text, KNOWN[ends]), list[str]()
    for outline in outlines(measures, Pricing(Bounds(3), spend, 0, False, Fraction(1, 20)), but=set()):
        places = sorted(place for block in outline.blocks for place in block.columns)
        if places != list(range(len(measures))):
            found.append(f"{outline.strategy.name}: columns {places}")
        for block in outline.blocks:
            try:
                assert len(block.cells) == len(block.columns)
                made, bottom = inverse(block.cells)
            except (AssertionError, StopIteration):
                found.append(f"{outline.strategy.name}: {block.cells} have no inverse")
                continue
            width = range(len(block.columns))
            if [[sum(made[i][k] * block.cells[k][j] for k in width) for j in width] for i in width] != [
                [bottom * (i == j) for j in width] for i in width
            ]:
                found.append(f"{outline.strategy.name}: {block.cells} are not inverted")
    return found


@pytest.mark.parametrize("currency", SPENDS)
@pytest.mark.parametrize("family", FAMILIES)
def test_columns_follow_from_cells_again(family: str, currency: str) -> None:
    for ends in RANGES:
        assert untold(FAMILIES[family], ends, SPENDS[currency]) == []


def test_every_strategy_is_tried_by_some_family() -> None:
    seen = set()
    for spend, family in product(SPENDS.values(), FAMILIES.values()):
        measures = measures_of(family, KNOWN[-3, 9])
        for outline in outlines(measures, Pricing(Bounds(3), spend, 0, False, Fraction(1, 20)), but=set()):
            seen.add((outline.strategy.name, max(len(block.columns) for block in outline.blocks)))
    assert {name for name, _ in seen} == set(NAMES)
    assert {width for name, width in seen if name == "joint_cells"} == {2, 3, 4}
    assert max(width for name, width in seen if name == "box") >= 5


def test_of_one_expression_every_row_adds_up_to_the_same() -> None:
    """What makes joint cells cheap: no row is below the unit, so that nothing is paid for that cannot be."""
    for family in ("sum and its rows", "sum, its rows and all", "squares and all rows"):
        for ends in ((-3, 9), (3, 5), (-7, -2)):
            measures = measures_of(FAMILIES[family], KNOWN[ends])
            blocks = cells.JointCells().blocks([base.WeightedColumn(i, each) for i, each in enumerate(measures)])
            assert blocks is not None
            for block in blocks:
                if any(isinstance(measures[place], Sum) for place in block.columns):
                    counted = [row for row in rows(ends) if "all" in family or row[0] is not None]
                    assert {sum(moved(block, measures, row)) for row in counted} == {block.unit}


# ---- what a row moves too far ----


def _identity(column: Any, columns: Any) -> Any:
    """The columns as they stand, each within the most of one."""
    made = cells_histogram(column, columns)
    if made is None:
        return None
    size = len(made.columns)
    unit = max(each.measure.unit for each in columns if each.place in made.columns)
    return replace(made, cells=tuple(tuple(int(i == j) for j in range(size)) for i in range(size)), unit=unit)


def _all_rows_again(column: Any, columns: Any) -> Any:
    """Cells of values beside all rows, instead of the rows without a value."""
    made = cells_histogram(column, columns)
    if made is None or made.cells[-1][0] != 0 or len(made.cells) < 3:
        return made
    last = (*(0 for _ in made.columns[:-1]), made.unit)
    return replace(made, cells=(*made.cells[:-1], last))


def _without_the_last(column: Any, columns: Any) -> Any:
    """No cell for the rows without a value."""
    made = cells_histogram(column, columns)
    return None if made is None else replace(made, cells=made.cells[:-1])


def _halved(columns: Any) -> Any:
    made = honest_boxed(columns)
    return replace(made, unit=(made.unit + 1) // 2)


def _only_values(self: Any, *, or_nothing: bool) -> tuple[int, int]:
    """As if no counted row were without a value."""
    del or_nothing
    return self.measure.low - self.measure.centre, self.measure.high - self.measure.centre


cells_histogram, honest_boxed = cells._histogram, box.boxed
Change = tuple[Any, str, Any]
TOO_FAR: dict[str, tuple[str, bool, list[Change]]] = {
    "ℓ1 counted as ℓ∞": ("AVG(day)", False, [(cells, "_histogram", _identity)]),
    "a cell forgotten, whose rows are counted again": ("COUNT(*), AVG(day)", False, [(cells, "_histogram", _all_rows_again)]),
    "half of a box": ("AVG(day), AVG(cost)", False, [(box, "boxed", _halved)]),
    "half of a box under normal noise": ("AVG(day), AVG(cost)", False, [(gaussian, "boxed", _halved)]),
    "rows without a value as if they had one": ("SUM(day), COUNT(*)", False, [(base.WeightedColumn, "ends", _only_values)]),
    "of a condition, as if all rows met it": (
        "SUM(day) FILTER (WHERE paid), COUNT(*)", False, [(base.WeightedColumn, "ends", _only_values)]),
    "a plain sum of what is believed to be filled": (
        "AVG(day), SUM(day), COUNT(*)", True,
        [(AskedTogether, "_is_counted", lambda self, asked: False), (base.WeightedColumn, "ends", _only_values)]),
}  # fmt: skip


@pytest.mark.parametrize("name", TOO_FAR)
def test_a_row_that_moves_a_broken_block_too_far_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twins of blocks, over a range without zero."""
    text, filled, changes = TOO_FAR[name]
    spends = SPENDS["ε and δ"], SPENDS["ρ"]
    assert [each for spend in spends for each in beyond(text, (-7, -2), spend, filled=filled)] == []
    for owner, attribute, wrong in changes:
        monkeypatch.setattr(owner, attribute, wrong)
    assert [each for spend in spends for each in beyond(text, (-7, -2), spend, filled=filled)] != []


def test_a_cell_that_is_left_out_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A twin without the cell of rows that have no value."""
    monkeypatch.setattr(cells, "_histogram", _without_the_last)
    assert any("joint_cells" in each for each in untold("COUNT(*), AVG(day)", (3, 5), SPENDS["ε"]))


def test_around_the_middle_a_null_that_nobody_believed_in_is_within_the_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Why sums beside counts are taken around the middle: they would hold if rows without a value were forgotten."""
    monkeypatch.setattr(base.WeightedColumn, "ends", _only_values)
    for family in ("AVG(day)", "AVG(day), COUNT(*)", "VARIANCE(day), COUNT(*)", "AVG(day), SUM(day)"):
        for ends in RANGES:
            assert beyond(family, ends, SPENDS["ε and δ"], filled=True) == []


# ---- what it costs ----


def asked(text: str, name: str, limits: Bounds, spend: Spend, ends: tuple[int, int] = (-3, 9)) -> PricedQuery:
    """A question measured by a strategy, of people who are bounded as given."""
    known = KNOWN[ends]
    with mock.patch("sfumato.query.price.person_bounds", return_value=limits), measured_by(name):
        return price(plan_question(text, known, PUBLIC), known, spend)


def most(each: NoisyCells, query: PricedQuery, norm: Callable[[Sequence[int]], int], ends: tuple[int, int]) -> int:
    """How far one row moves the cells of a block at most."""
    return max(norm(moved(each, query.measures.measures, row)) for row in rows(ends))


def l1(vector: Sequence[int]) -> int:
    return sum(map(abs, vector))


def highest(vector: Sequence[int]) -> int:
    return max(map(abs, vector))


def squared(vector: Sequence[int]) -> int:
    return sum(each * each for each in vector)


def _of_one_number(square: int) -> int:
    """A whole number moves by whole steps."""
    return isqrt(square) ** 2


def lost(each: NoisyCells, query: PricedQuery, ends: tuple[int, int] = (-3, 9)) -> Fraction:
    """What a person may lose by the noise handed out, in ε; of normal noise in ρ. Written out from theorems, not from prices."""
    bounds, whole = query.bounds, query.weights.whole
    in_all, by_group = bounds.total * whole, bounds.rows_in_group * whole
    is_one_number = each.size == 1 and not query.question.keys and isinstance(each.noise, DiscreteGaussianNoise)
    match each.noise:
        case GeometricNoise(scale=scale):  # exp(-‖z‖₁/b)
            return in_all * most(each, query, l1, ends) / scale
        case BoxNoise(scale=scale):  # exp(-‖z‖∞/b) in every group
            return in_all * most(each, query, highest, ends) / scale
        case DiscreteGaussianNoise(sigma=sigma) | GaussianNoise(sigma=sigma):  # ‖v‖₂²/2σ², and Σ a² ≤ max a · Σ a
            square = in_all * by_group * most(each, query, squared, ends)
            return Fraction(_of_one_number(square) if is_one_number else square) / (2 * sigma**2)
        case _:
            raise TypeError(type(each.noise))


def unpaid(query: PricedQuery, ends: tuple[int, int] = (-3, 9)) -> list[str]:
    """Where a charge is less than what the noises handed out lose, or more than what was asked; empty is right."""
    found, spend = list[str](), query.spend
    for each in query.priced:
        if isinstance(each, KeyedCells):  # what a person adds to it is the same whatever their rows
            paid = each.event.pure() == each.share and each.event.pure_delta() == each.delta
            found += [] if paid else [f"{each.strategy}: {each.event.pure()} of {each.share}, δ {each.delta}"]
        elif isinstance(each, NoisyCells):
            found += _unpaid_cells(each, query, ends)
    charged = query.event.pure() if spend.epsilon is not None else query.event.zcdp()
    if charged is None or charged > spend.amount:
        found.append(f"{charged} charged, {spend.amount} asked")
    if query.event.pure_delta() > spend.delta:
        found.append(f"δ {float(query.event.pure_delta())} charged, {float(spend.delta)} asked")
    shares = sum((each.share for each in query.priced), Fraction(0))
    if query.keys is None and shares != spend.amount:
        found.append(f"shares add up to {shares}")
    return found


def _unpaid_cells(each: NoisyCells, query: PricedQuery, ends: tuple[int, int]) -> list[str]:
    found = list[str]()
    true, event = lost(each, query, ends), each.event
    pays = event.zcdp() if isinstance(each.noise, DiscreteGaussianNoise | GaussianNoise) else event.pure()
    if pays is None or true > pays:
        found.append(f"{each.strategy}: {float(true)} is lost, {pays} charged")
    if isinstance(event, Converted):
        inner = Fraction(total([event.inner]).epsilon(event.delta))
        pure = event.pure()
        if pure is None or not inner <= pure <= each.share:
            found.append(f"{each.strategy}: ε = {inner}, {pure} charged of {each.share}")
        if event.pure_delta() != each.delta:
            found.append(f"{each.strategy}: δ = {event.pure_delta()}, {each.delta} said")
    elif each.delta or event.pure_delta():
        found.append(f"{each.strategy}: a δ that nothing needs")
    elif pays is not None and pays > each.share:
        found.append(f"{each.strategy}: {pays} of {each.share}")
    return found


NONE, WARD, TOWN = (
    f"SELECT {key}{{}} FROM visits{by}"
    for key, by in (("", ""), ("ward, ", " GROUP BY ward"), ("town, ", " GROUP BY town"))
)
PICKED: dict[str, Any] = {"picked": 2, "keys": 2}
WAYS = (
    (NONE, Bounds(1)), (NONE, Bounds(6)), (WARD, Bounds(7, 3)), (WARD, Bounds(5, cut=True)), (TOWN, Bounds(6, **PICKED)),
    (TOWN, Bounds(7, 3, **PICKED)),
)  # fmt: skip
"""Without groups, with public ones, and with such that are not, of people who are bounded in all, and in each."""


@pytest.mark.parametrize("currency", SPENDS)
@pytest.mark.parametrize("name", NAMES)
def test_what_is_charged_is_what_the_noises_lose(name: str, currency: str) -> None:
    for family, (made, limits) in product(FAMILIES.values(), WAYS):
        if made == TOWN and (currency == "ε" or name == "gaussian"):
            continue  # groups that are not public need a δ
        assert unpaid(asked(made.format(family), name, limits, SPENDS[currency])) == [], (family, limits)


@pytest.mark.parametrize("currency", ["ε and δ"])
def test_keys_and_cells_share_the_one_delta_of_the_question(currency: str) -> None:
    for family in FAMILIES.values():
        assert unpaid(asked(TOWN.format(family), "gaussian", Bounds(6, **PICKED), SPENDS[currency])) == []


@pytest.mark.parametrize("name", ["separate", "joint_cells"])
def test_under_epsilon_nothing_is_charged_that_is_not_lost(name: str) -> None:
    for family, limits in product(FAMILIES.values(), (Bounds(1), Bounds(6), Bounds(7, 3))):
        query = asked(NONE.format(family), name, limits, SPENDS["ε"])
        assert query.event.pure() == EPSILON
        for each in query.priced:
            assert isinstance(each, NoisyCells)
            assert lost(each, query) == each.event.pure() == each.share


@pytest.mark.parametrize(("name", "currency"), [("box", "ε"), ("discrete_gaussian", "ρ"), ("gaussian", "ε and δ")])
def test_of_several_columns_little_is_charged_that_is_not_lost(name: str, currency: str) -> None:
    """A box of columns whose ends go together is filled by one row; the rest is rounding."""
    query = asked(NONE.format("AVG(day), AVG(cost)"), name, Bounds(6), SPENDS[currency], (-4, 4))
    (each,) = query.priced
    assert isinstance(each, NoisyCells)
    assert each.strategy == name
    pays = each.event.pure() if name == "box" else each.event.zcdp()
    assert pays is not None
    assert lost(each, query, (-4, 4)) <= pays <= lost(each, query, (-4, 4)) * (1 + Fraction(1, 10**9))
    charged = query.event.pure() if currency != "ρ" else query.event.zcdp()
    assert charged is not None
    assert query.spend.amount * (1 - Fraction(1, 10**6)) <= charged <= query.spend.amount


def test_normal_noise_is_charged_at_its_own_rho_by_other_budgets() -> None:
    query = asked(NONE.format("AVG(day), AVG(cost)"), "gaussian", Bounds(6), SPENDS["ε and δ"])
    (each,) = query.priced
    assert isinstance(each, NoisyCells)
    assert isinstance(query.event, Converted)
    assert query.event.zcdp() == query.event.inner.zcdp()
    assert query.event.pure_delta() == DELTA == each.delta


def _one_column(block: Block, at: Pricing) -> Fraction:
    return honest_square(block, at) / len(block.cells)


def _separate_noises(self: Any, block: Block, share: Fraction, delta: Fraction, at: Pricing) -> NoisyCells:
    """Noise of its own for each of the cells, for a move of all of them together in ℓ∞."""
    made = honest_box(self, block, share, delta, at)
    assert isinstance(made.noise, BoxNoise)
    return replace(made, noise=GeometricNoise(made.noise.scale))


def _one_row(self: Any, block: Block, share: Fraction, delta: Fraction, at: Pricing) -> NoisyCells:
    return honest_cells(self, block, share, delta, replace(at, bounds=replace(at.bounds, total=1)))


def _at_the_same_share(self: Worth, block: Block) -> Fraction:
    """As if blocks did not add up."""
    del block
    return self.share * sum(self.columns.values(), Fraction(0))


def _in_whole_rows(self: Any, block: Block, share: Fraction, delta: Fraction, at: Pricing) -> NoisyCells:
    return honest_box(self, block, share, delta, replace(at, bits=0))


def _other_delta(self: Any, block: Block, share: Fraction, delta: Fraction, at: Pricing) -> NoisyCells:
    return replace(honest_normal(self, block, share, 2 * delta, at), delta=delta)


honest_square = gaussian.moved_squared
honest_box, honest_cells, honest_normal = box.Box.price, cells.JointCells.price, gaussian.Normal.price
UNPAID: dict[str, tuple[str, str, Change]] = {
    "normal noise without the root of d": ("gaussian", "ε and δ", (gaussian, "moved_squared", _one_column)),
    "discrete normal noise without the root of d": ("discrete_gaussian", "ρ", (gaussian, "moved_squared", _one_column)),
    "ℓ1 counted as ℓ∞": ("box", "ε", (box.Box, "price", _separate_noises)),
    "one row of several": ("joint_cells", "ε", (cells.JointCells, "price", _one_row)),
    "blocks at the whole price each": ("joint_cells", "ρ", (Worth, "of", _at_the_same_share)),
    "half of a box": ("box", "ε", (box, "boxed", lambda columns: replace(honest_boxed(columns), unit=honest_boxed(columns).unit // 2))),
    "weights in whole rows": ("box", "ε", (box.Box, "price", _in_whole_rows)),
    "another δ than is said": ("gaussian", "ε and δ", (gaussian.Normal, "price", _other_delta)),
}  # fmt: skip


@pytest.mark.parametrize("wrong", UNPAID)
def test_a_broken_price_is_seen(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twins of prices: noise for less than a person moves, or more spent than was asked."""
    name, currency, (owner, attribute, broken) = UNPAID[wrong]
    text = NONE.format("AVG(day), AVG(cost), COUNT(*) FILTER (WHERE paid)")
    assert unpaid(asked(text, name, Bounds(6), SPENDS[currency])) == []
    monkeypatch.setattr(owner, attribute, broken)
    assert unpaid(asked(text, name, Bounds(6), SPENDS[currency])) != []
