"""Hierarchies along a public tree in publications: counted once, priced by level, whole and consistent everywhere."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import censuses
from random_trees import consistent, trees
from sfumato.accounting import events
from sfumato.accounting.events import Event
from sfumato.data import Kind
from sfumato.errors import InvalidDeclaration, InvalidParameter
from sfumato.exact.bits import BitSource, SystemBits
from sfumato.mechanisms import GeometricNoise
from sfumato.mechanisms.additive import Noise
from sfumato.mechanisms.answers import AnswerMove
from sfumato.query import Spend
from sfumato.query.workload import workload
from sfumato.synth.publication import PricedPublication, price_publication, read_plan
from sfumato.synth.publication import level_fit as fitting
from sfumato.synth.publication.hierarchy_entries import PublicCounts, TreeEntry, read_entry
from sfumato.synth.publication.hierarchy_part import PricedHierarchy
from sfumato.synth.publication.level_fit import LevelFit
from sfumato.synth.publication.noises import GEOMETRIC, NOISES
from sfumato.synth.publication.pricing import composed, places_of
from sfumato.synth.publication.public_tree import PublicTree
from sfumato.synth.publication.statement import read_values, values_json
from sfumato.synth.water_filling import WholeFill
from statistics_of_samples import THRESHOLD, chi_square, discrete_laplace

EPSILON, BOTH, RHO = (
    Spend(Fraction(1), None, Fraction(0)), Spend(Fraction(1), None, Fraction(1, 10**6)), Spend(None, Fraction(1, 10), Fraction(0)),
)  # fmt: skip
PEOPLE = {"unit": 'person = "people.person"', "bound": "rows_per_person = 1"}


def priced(curator: Any, plan: Any, spend: Spend = EPSILON) -> PricedPublication:
    read, engine = read_plan(plan), curator._engine
    return price_publication(
        read, lambda at: workload(read.question, engine.dataset, engine, places_of(read), at), spend, engine
    )


def exact_levels(curator: Any, publication: PricedPublication) -> list[Any]:
    """What measuring sees of every measured level, without any noise."""
    exact = curator._engine.contingency(publication.workload)
    object.__setattr__(publication.parts[0], "noises", (Silent(),) * len(publication.shapes))
    return publication.measure(exact, SystemBits())


class Silent(Noise):
    """The broken twin of every noise: none."""

    def draw(self, size: Any, bits: BitSource) -> Any:
        del bits
        return np.zeros(size, dtype=np.int64)

    def event(self, move: AnswerMove, *, scalar: bool = True) -> Event:
        raise AssertionError("what is not noisy has no price")

    def reach(self, beta: Fraction) -> int:
        return 0


# ---- counted once ----


@pytest.mark.parametrize("about", [{}, PEOPLE], ids=["each row", "people in part"])
def test_sums_of_the_finest_level_are_what_the_engine_counts_of_every_other(tmp_path: Path, about: Any) -> None:
    """The same whole numbers, weights and all: a join with the public tree, counted level by level, is the oracle."""
    with censuses.curator_of(tmp_path, **about) as curator:
        publication = priced(curator, censuses.PLAN)
        levels, bits = exact_levels(curator, publication), publication.workload.workload.weights.bits
        engine = curator._engine
        for level, name in zip(levels[1:], censuses.LEVELS, strict=True):
            joined = "people JOIN geography ON people.block = geography.block"
            place = "people.block" if name == "block" else f"geography.{name}"
            text = f"SELECT {place}, sex, COUNT(*) FROM {joined} GROUP BY {place}, sex"
            asked = workload(text, engine.dataset, engine, [(0, 1)], EPSILON)
            (counted,) = engine.contingency(asked.at(events.Pure(1))).tables
            shift = bits - asked.weights.bits
            assert np.array_equal(np.asarray(counted, dtype=object) * 2**shift, np.asarray(level, dtype=object)), name
        if not about:
            for level, known in zip(levels, censuses.truth(), strict=True):
                assert np.array_equal(level.reshape(-1, 2), known)


def test_only_the_finest_table_is_counted(tmp_path: Path) -> None:
    with censuses.curator_of(tmp_path) as curator:
        publication = priced(curator, censuses.PLAN)
        assert publication.workload.marginals == ((0, 1),)
        assert publication.shapes == ((2,), (2, 2), (4, 2), (5, 2), (11, 2))


# ---- the price ----


@pytest.mark.parametrize("spend", [EPSILON, BOTH, RHO], ids=["ε", "ε and δ", "ρ"])
@pytest.mark.parametrize("shares", [None, [1, 2, 3, 4, 5]], ids=["alike", "by shares"])
def test_the_price_is_that_of_the_noises_handed_out(tmp_path: Path, spend: Spend, shares: Any) -> None:
    entry = censuses.HIERARCHY if shares is None else {**censuses.HIERARCHY, "shares": shares}
    with censuses.curator_of(tmp_path) as curator:
        publication = priced(curator, {**censuses.PLAN, "measure": [entry]}, spend)
    (part,) = publication.parts
    assert isinstance(part, PricedHierarchy)
    moved = publication.workload.workload.moved
    again = [NOISES[part.noise_kind.name].read(NOISES[part.noise_kind.name].to_json(noise)) for noise in part.noises]
    assert [noise.variance for noise in again] == [noise.variance for noise in part.noises]
    if spend.epsilon is not None and part.noise_kind is GEOMETRIC:
        assert sum(Fraction(moved) / noise.scale for noise in part.noises) == spend.epsilon  # type: ignore[attr-defined]
        assert publication.event.pure() == spend.epsilon
    elif spend.rho is not None:
        rho = sum(Fraction(moved) ** 2 / (2 * noise.sigma**2) for noise in part.noises)  # type: ignore[attr-defined]
        assert spend.rho * (1 - Fraction(1, 10**9)) < rho <= spend.rho
        assert publication.event.zcdp() == composed([part]).zcdp() == rho
    if shares is not None and spend.rho is None:
        widths = [noise.variance for noise in part.noises]
        assert widths == sorted(widths, reverse=True), "more of the price is less noise"


def least_fit(part: PricedHierarchy) -> float:
    """The least p-value, over all levels, that the noise of a level has the law that it is priced for."""
    exact: dict[tuple[str, ...], Any] = {part.entry.finest: np.zeros(part.shapes[-1], dtype=np.int64)}
    measured = part.measure(exact, SystemBits())
    return min(chi_square(level.reshape(-1), discrete_laplace(5), reach=60) for level in measured[1:])


def test_every_level_has_the_noise_that_it_is_priced_for_and_one_without_is_noticed() -> None:
    """The broken twins: no noise at one level, at the finest and above it; and noise that is a tenth too narrow."""
    parents = [[0] * 20_000, list(range(20_000)), [*range(20_000), *range(20_000)]]
    part = hierarchy(parents, 1, held=None, pooled=True, totals=None)
    part = replace(part, noises=(GeometricNoise(Fraction(5)),) * 4)
    assert least_fit(part) > THRESHOLD
    for at in (1, 2, 3):
        for twin in (Silent(), GeometricNoise(Fraction(9, 2))):
            noises = (*part.noises[:at], twin, *part.noises[at + 1 :])
            assert least_fit(replace(part, noises=noises)) < THRESHOLD


@pytest.mark.parametrize("about", [{}, PEOPLE], ids=["each row", "people of two rows, of which one counts"])
def test_one_person_moves_every_level_by_no_more_than_is_priced(tmp_path: Path, about: Any) -> None:
    found, moved = [], 0
    for place, people in (("with", 7), ("without", 6)):
        folder = tmp_path / place
        folder.mkdir()
        rows = censuses.rows(people) if about else censuses.rows(7)[: 13 + (place == "with")]
        with (
            mock.patch.object(censuses, "rows", lambda _, made=rows: made),
            censuses.curator_of(folder, **about) as curator,
        ):
            publication = priced(curator, censuses.PLAN)
            moved = publication.workload.workload.moved
            found.append(exact_levels(curator, publication))
    for one, other in zip(*found, strict=True):
        off = np.abs(np.asarray(one, dtype=object) - np.asarray(other, dtype=object))
        assert off.sum() == moved, "all that is priced is used, and no more"
        assert (off**2).sum() <= moved**2


# ---- the fit ----


def hierarchy(parents: list[Any], cells: int, *, held: int | None, pooled: bool, totals: Any) -> PricedHierarchy:
    """A part over any tree under one root, with the same noise at every level."""
    names = tuple(f"level {depth}" for depth in range(1, len(parents) + 1))
    values = tuple(tuple(range(len(level))) for level in parents)
    arrays = tuple(np.asarray(level, dtype=np.int64) for level in parents)
    tree = PublicTree(names, (Kind.INTEGER,) * len(names), values, arrays)
    columns: tuple[str, ...] = ("cell",) if cells > 1 else ()
    invariant = None if held is None else PublicCounts(names[held - 1], "known", "n")
    entry = TreeEntry("tree", names, columns, (names[-1], *columns), None, invariant, pooled, Fraction(1))
    noise, event = GEOMETRIC.hiding(1, Fraction(1))
    number = len(entry.measured)
    sizes = {names[-1]: len(parents[-1]), "cell": cells}
    return PricedHierarchy(entry, tree, totals, sizes, (noise,) * number, (event,) * number, GEOMETRIC, 0)


def fitted(part: PricedHierarchy, measured: list[Any]) -> list[Any]:
    fit, made = LevelFit.begun(part, measured, "coin"), dict[int, Any]()
    for depth, beside in part.entry.order:
        made[depth] = fit.level(depth, None if beside is None else made[beside])
    return [level for _, level in sorted(made.items())]


@st.composite
def fits(draw: st.DrawFn) -> tuple[list[Any], PricedHierarchy, list[Any]]:
    """Any tree under one root, with any measurements, some of it held to public counts."""
    found = draw(trees())
    parents = [[0] * len(set(found[0])), *found]
    cells, depth = draw(st.integers(1, 3)), len(parents)
    held = draw(st.one_of(st.none(), st.integers(1, depth - (cells == 1))))
    known = None if held is None else np.array(draw(st.lists(st.integers(0, 30), min_size=len(parents[held - 1]), max_size=len(parents[held - 1]))))  # fmt: skip
    part = hierarchy(parents, cells, held=held, pooled=draw(st.booleans()), totals=known)
    numbers = st.one_of(st.integers(-20, 40), st.sampled_from([-(2**63), 2**63 - 1, 2**40]))
    measured = [
        np.array(draw(st.lists(numbers, min_size=int(np.prod(shape)), max_size=int(np.prod(shape)))), dtype=np.int64).reshape(shape)
        for shape in part.shapes
    ]  # fmt: skip
    return parents, part, measured


@given(fits())
def test_every_level_is_whole_consistent_and_not_negative(case: tuple[list[Any], PricedHierarchy, list[Any]]) -> None:
    parents, part, measured = case
    levels = fitted(part, measured)
    assert consistent(part.tree.tree, parents, levels)
    assert all(level.dtype == np.int64 and level.min() >= 0 for level in levels)
    assert [level.shape[0] for level in levels] == list(part.tree.tree.sizes)
    if part.totals is not None and part.entry.held is not None:
        assert np.array_equal(levels[part.entry.held].sum(axis=1), part.totals), "public counts are kept"
    assert all(np.array_equal(one, two) for one, two in zip(levels, fitted(part, measured), strict=True))


def test_a_rounding_that_forgets_its_sums_is_noticed() -> None:
    """The broken twin: floors alone."""
    parents = [[0, 0, 0], [0, 0, 1, 1, 2, 2, 2]]
    part = hierarchy(parents, 2, held=None, pooled=False, totals=None)
    measured = [np.array([17, 22]), np.full((3, 2), 5), np.full((7, 2), 2)]
    assert consistent(part.tree.tree, parents, fitted(part, measured))

    def floors(filled: WholeFill, *, bits: Any) -> Any:
        return filled.floors

    from sfumato.synth import hierarchy as below

    with mock.patch.object(below, "rounded_up", floors), mock.patch.object(fitting, "rounded_up", floors):
        assert not consistent(part.tree.tree, parents, fitted(part, measured))


# ---- plans ----


def changed(**about: Any) -> dict[str, Any]:
    entry = {name: value for name, value in {**censuses.HIERARCHY, **about}.items() if value is not ...}
    return {**censuses.PLAN, "measure": [entry]}


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        (changed(of=...), "of must be a list of levels"),
        (changed(of=["block", "state"]), "the finest level is a column of the plan"),
        (changed(of=["sex", "block"]), "`sex` is a column of the plan"),
        (changed(cells=["block", "sex"]), "is a level and a cell"),
        (changed(pooled=1), "pooled must be true or false"),
        (changed(shares=[1]), "shares must be 5 numbers"),
        (changed(shares=[1, 1, 1, 1, 0]), "shares must be positive"),
        (changed(invariant={"level": "state"}), "does not say `table`"),
        (changed(invariant=["state"]), "invariant"),
        (changed(invariant={**censuses.INVARIANT, "level": "ward"}), "names no level"),
        ({**changed(cells=..., invariant={**censuses.INVARIANT, "level": "block"}), "columns": ["block"], "rows": ""}, "nothing is left to measure"),
        ({**changed(cells=...)}, 'rows = "weighted" needs a hierarchy'),
        ({**censuses.PLAN, "measure": [{"kind": "table"}]}, 'rows = "weighted" needs a hierarchy'),
    ],
)  # fmt: skip
def test_entries_that_say_too_little_are_refused(plan: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidDeclaration, match=says):
        read_plan(plan)


def test_a_plan_is_read_again_from_its_document() -> None:
    plan = changed(shares=[1, "1/2"] + [1] * 2, invariant=censuses.INVARIANT, pooled=False)
    read = read_plan(plan)
    assert read_plan(read.to_json()) == read


GEOGRAPHY = [[b, t, censuses.COUNTY[t], censuses.STATE[censuses.COUNTY[t]]] for b, t in enumerate(censuses.TRACT)]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda lines: lines[:-1], "has no row for 1 of 11 public values"),
        (lambda lines: [*lines, lines[0]], "two rows for one value"),
        (lambda lines: [*lines[:-1], [10, 30, "Ash", "East"]], "below `county` lies in two"),
        (lambda lines: [*lines[:-1], [10, 30, "", "West"]], "`county` is missing in a row"),
    ],
)
def test_tables_that_are_no_tree_are_refused_before_any_charge(
    tmp_path: Path, change: Callable[[list[Any]], list[Any]], says: str
) -> None:
    censuses.census(tmp_path)
    censuses._write(tmp_path / "geography.csv", ("block", "tract", "county", "state"), change(GEOGRAPHY))
    with censuses.curator_of(tmp_path) as curator:
        with pytest.raises(InvalidDeclaration, match=says):
            curator.explain_publication(censuses.PLAN, epsilon=1)
        assert curator.session().budget()[0].spent == 0


def test_places_that_no_block_lies_in_are_no_nodes(tmp_path: Path) -> None:
    censuses.census(tmp_path)
    censuses._write(
        tmp_path / "geography.csv", ("block", "tract", "county", "state"), [*GEOGRAPHY, [99, 5, "Elm", "North"]]
    )
    with censuses.curator_of(tmp_path) as curator:
        assert priced(curator, censuses.PLAN).shapes[1] == (2, 2)


@pytest.mark.parametrize("table", ["people", "nowhere"])
def test_public_counts_and_trees_come_from_public_tables_alone(tmp_path: Path, table: str) -> None:
    """Counts read from what is protected would be no secret any more, whatever else is noisy."""
    with censuses.curator_of(tmp_path) as curator:
        for plan in (changed(invariant={"level": "state", "table": table, "count": "block"}), changed(tree=table)):
            with pytest.raises((InvalidParameter, InvalidDeclaration), match="public"):
                curator.explain_publication(plan, epsilon=1)


def test_a_block_that_may_be_missing_lies_nowhere(tmp_path: Path) -> None:
    path = censuses.census(tmp_path)
    path.write_text(
        path.read_text(encoding="utf-8").replace("upper = 10, null = false", "upper = 10"), encoding="utf-8"
    )
    with censuses.curator_of(tmp_path) as curator:
        with pytest.raises(InvalidDeclaration, match="may be missing"):
            curator.explain_publication(censuses.PLAN, epsilon=1)
        told = curator.explain_publication({**censuses.PLAN, "where": "block IS NOT NULL"}, epsilon=1)
        assert [each.cells for each in told.expected] == [2, 4, 8, 10, 22]


def test_values_are_written_by_their_ends_and_older_statements_are_read() -> None:
    long, short = tuple(range(-3, 1000)), ("a", "b", None)
    assert values_json(long) == {"from": -3, "to": 999}
    for kind, values in (
        (Kind.INTEGER, long),
        (Kind.TEXT, short),
        (Kind.INTEGER, (1, 3, 5)),
        (Kind.INTEGER, (*range(9), None)),
    ):
        assert read_values({"kind": kind.value, **values_json(values)}) == (kind, values)
        assert read_values({"kind": kind.value, "values": list(values)}) == (kind, values)
    with pytest.raises(ValueError, match="so many"):
        read_values({"kind": "integer", "from": 0, "to": 10**15})


@pytest.mark.parametrize("name", ["count", "Count", "COUNT"])
@pytest.mark.parametrize("where", ["cells", "of"])
def test_a_level_or_cell_called_as_the_counts_is_refused(name: str, where: str) -> None:
    """Both had one name in a level's file, and a restart read the values of the cell as counts."""
    entry: dict[str, Any] = {"kind": "hierarchy", "tree": "geography", "of": ["state", "block"], "cells": ["sex"]}
    entry |= {"cells": [name]} if where == "cells" else {"of": [name, "block"]}
    with pytest.raises(InvalidDeclaration, match="a column `count` of their own"):
        read_entry("measure 1", entry, ("block", name) if where == "cells" else ("block", "sex"))
