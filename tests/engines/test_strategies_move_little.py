"""The privacy test of strategies: whatever the data, one person moves every strategy's cells by no more than was priced."""

from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from engines.test_one_person_moves_little import HEAVY
from neighbours import BOUNDS, LARGEST, Database, databases, engine, excess, measured_by, over_the_registry, priced  # noqa: F401
from property_profile import examples
from sfumato.errors import InvalidQuestion
from sfumato.mechanisms import GeometricNoise
from sfumato.mechanisms.box import BoxNoise
from sfumato.query.priced import NoisyCells
from sfumato.query.strategies import STRATEGIES, base, box, cells, gaussian
from sfumato.query.strategies.base import Block

pytestmark = pytest.mark.slow

PLAIN: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck)}
NAMES = tuple(each.name for each in STRATEGIES)
IN_RHO = {
    "separate": (False, True),
    "joint_cells": (False, True),
    "box": (False,),
    "gaussian": (False,),
    "discrete_gaussian": (True,),
}
"""Whether each is paid in ε, or ρ, or either."""
AGGREGATES = (
    "COUNT(*), COUNT(amount)", "COUNT(*), AVG(amount)", "COUNT(*), COUNT(amount), SUM(amount)", "SUM(amount), COUNT(*)",
    "VARIANCE(amount)", "COUNT(*), VARIANCE(amount), SUM(amount)", "STDDEV(day), AVG(amount), COUNT(*)",
    "AVG(amount) FILTER (WHERE paid), COUNT(*) FILTER (WHERE paid), COUNT(*)", "SUM(day + 5) FILTER (WHERE paid), COUNT(*)",
    "AVG(amount) FILTER (WHERE amount > 5), AVG(amount), AVG(day)", "SUM(amount), SUM(day), SUM(category)",
    "AVG(-amount), AVG(amount * 2 + day), COUNT(DISTINCT user_id)", "SUM(10 - amount), COUNT(amount), MEDIAN(amount)",
    "SUM(CASE WHEN paid THEN 1 ELSE 0 END), COUNT(*)", "AVG(CASE WHEN paid THEN amount + 3 ELSE 3 END), COUNT(*)",
    "AVG(COALESCE(amount, 7)), VARIANCE(COALESCE(day, 100)), COUNT(*)", "AVG(day), COUNT(DISTINCT note), SUM(day)",
)  # fmt: skip
KEYS = ("", "category", "paid", "city", "note", "category, paid", "day % 3")
SOURCES = (
    "visits",
    "visits",
    "visits WHERE amount IS NOT NULL AND day IS NOT NULL",
    "(SELECT * FROM visits UNION ALL SELECT * FROM visits WHERE paid) t",
    "(SELECT v.* FROM visits v LEFT JOIN cities c ON v.city = c.city) t",
)


@st.composite
def questions(draw: st.DrawFn) -> str:
    """Several aggregates by a key that is public, or not, or by none."""
    key, source = draw(st.sampled_from(KEYS)), draw(st.sampled_from(SOURCES))
    shown, grouped = (f"{key}, ", f" GROUP BY {key}") if key else ("", "")
    return f"SELECT {shown}{draw(st.sampled_from(AGGREGATES))} FROM {source}{grouped}"


def broken(one: Database, other: Database, asked: list[str], names: Any = NAMES, **about: Any) -> list[str]:
    """What moved too far between two databases: each question by each strategy, and by the one that is taken."""
    found: list[str] = []
    with engine(one, **about) as here, engine(other, **about) as there:
        for text in asked:
            for name, rho in [(each, rho) for each in names for rho in IN_RHO[each]] + [(None, False), (None, True)]:
                try:
                    with nullcontext() if name is None else measured_by(name):
                        query = priced(here, text, rho=rho)
                except InvalidQuestion:  # what the planner refuses is not computed at all
                    continue
                found += [f"{text}: {each}" for each in excess(query, here.aggregate(query), there.aggregate(query))]
    return found


@examples(12, **PLAIN)
@given(
    databases(),
    st.sampled_from((1, 2, LARGEST)),
    st.lists(questions(), min_size=2, max_size=3),
    st.sampled_from(sorted(BOUNDS)),
)
def test_a_person_moves_the_cells_of_every_strategy_by_no_more_than_is_priced(
    database: Database, person: int, asked: list[str], bounds: str
) -> None:
    assert broken(database, database.without(person), asked, visits=BOUNDS[bounds]) == []


# ---- each mistake, and that it is seen ----


def test_every_strategy_is_tried() -> None:
    assert set(IN_RHO) == set(NAMES)
    seen = set()
    with engine(HEAVY) as made:
        for name, rhos in IN_RHO.items():
            for text, rho in ((f"SELECT {each} FROM visits", rho) for each in AGGREGATES for rho in rhos):
                with measured_by(name):
                    seen |= {(name, getattr(each, "strategy", ""), rho) for each in priced(made, text, rho=rho).priced}
    assert {(name, name, rho) for name, rhos in IN_RHO.items() for rho in rhos} <= seen


HALF_KNOWN = replace(
    HEAVY, visits=tuple((*row[:5], None if row[1] % 3 else row[5], *row[6:]) for row in HEAVY.visits[:59])
)
ALL_HIGH = replace(HEAVY, visits=tuple((row[0], row[1], 364, *row[3:5], 200.0, *row[6:]) for row in HEAVY.visits))
NULL_ONLY = replace(HEAVY, visits=tuple((*row[:5], None, *row[6:]) for row in HEAVY.visits))
honest_histogram, honest_boxed, honest_square = cells._histogram, box.boxed, gaussian.moved_squared
honest_box, honest_cells = box.Box.price, cells.JointCells.price


def _all_rows_again(column: Any, columns: Any) -> Block | None:
    """Cells of values beside all rows: the cell of those without a value is forgotten."""
    made = honest_histogram(column, columns)
    if made is None or made.cells[-1][0] != 0 or len(made.cells) < 3:
        return made
    return replace(made, cells=(*made.cells[:-1], (*(0 for _ in made.columns[:-1]), made.unit)))


def _only_values(self: base.WeightedColumn, *, or_nothing: bool) -> tuple[int, int]:
    """As if no counted row were without a value."""
    del or_nothing
    return self.measure.low - self.measure.centre, self.measure.high - self.measure.centre  # type: ignore[attr-defined]


def _separate_noises(self: Any, block: Block, share: Fraction, delta: Fraction, at: Any) -> NoisyCells:
    """ℓ1 counted as ℓ∞: noise of its own for each cell, for what all of them move together."""
    made = honest_box(self, block, share, delta, at)
    assert isinstance(made.noise, BoxNoise)
    return replace(made, noise=GeometricNoise(made.noise.scale))


def _one_row(self: Any, block: Block, share: Fraction, delta: Fraction, at: Any) -> NoisyCells:
    return honest_cells(self, block, share, delta, replace(at, bounds=replace(at.bounds, total=1)))


BROKEN: dict[str, tuple[str, str, Database, tuple[Any, str, Any]]] = {
    "a cell forgotten": ("joint_cells", "COUNT(*), AVG(amount)", HEAVY, (cells, "_histogram", _all_rows_again)),
    "ℓ1 counted as ℓ∞": ("box", "AVG(amount), AVG(day)", ALL_HIGH, (box.Box, "price", _separate_noises)),
    "half of a box": ("box", "AVG(amount), AVG(day)", ALL_HIGH,
                      (box, "boxed", lambda columns: replace(honest_boxed(columns), unit=honest_boxed(columns).unit // 2))),
    "normal noise without the root of d": (
        "gaussian", "AVG(amount), AVG(day)", ALL_HIGH,
        (gaussian, "moved_squared", lambda block, at: honest_square(block, at) / len(block.cells))),
    "discrete normal noise without the root of d": (
        "discrete_gaussian", "AVG(amount), AVG(day)", ALL_HIGH,
        (gaussian, "moved_squared", lambda block, at: honest_square(block, at) / len(block.cells))),
    "rows without a value as if they had one": (
        "joint_cells", "SUM(amount + 100), COUNT(*)", NULL_ONLY, (base.WeightedColumn, "ends", _only_values)),
    "one row of several": ("joint_cells", "COUNT(*), AVG(amount)", HALF_KNOWN, (cells.JointCells, "price", _one_row)),
}  # fmt: skip


@pytest.mark.parametrize("wrong", BROKEN)
def test_a_strategy_that_is_broken_is_seen(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, text, whole, (owner, attribute, instead) = BROKEN[wrong]
    asked = [f"SELECT {text} FROM visits", f"SELECT category, {text} FROM visits GROUP BY category"]
    about: dict[str, Any] = {"visits": BOUNDS["rows"], "names": (name,)}
    assert broken(whole, whole.without(1), asked, **about) == []
    monkeypatch.setattr(owner, attribute, instead)
    assert broken(whole, whole.without(1), asked, **about) != []
