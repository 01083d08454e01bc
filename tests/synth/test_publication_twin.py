"""The report beside a public twin: distances and bootstrap floors as brute force finds them, and rows as M' makes them."""

import csv
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from sfumato.accounting import events
from sfumato.data import Kind
from sfumato.mechanisms import GeometricNoise
from sfumato.synth import FilledGeometric, water_filled
from sfumato.synth.publication.cell_rows import rows_of_cells
from sfumato.synth.publication.comparison import TwinDistance, compare
from sfumato.synth.publication.marginals import TotalCount, WholeTable
from sfumato.synth.publication.noises import GEOMETRIC
from sfumato.synth.publication.parts import Offer
from sfumato.synth.publication.public_coin import PublicCoin
from sfumato.synth.publication.report import page
from sfumato.synth.publication.rows import MadeRows, rows_in_all
from sfumato.synth.publication.statement import SettledPublication
from sfumato.synth.publication.tables import NoisyTable
from sources import SeededBits

DOMAINS: dict[str, tuple[Any, ...]] = {"ward": ("a", "b", None), "age": (0, 1), "sex": ("F", "M"), "day": (1, 2, 3)}
COLUMNS = tuple(DOMAINS)
KINDS = dict(zip(COLUMNS, (Kind.TEXT, Kind.INTEGER, Kind.TEXT, Kind.INTEGER), strict=True))
MADE = [
    tuple(values[(i * step // 2) % len(values)] for values, step in zip(DOMAINS.values(), (3, 5, 7, 2), strict=True))
    for i in range(70)
]
TWIN = [
    tuple(values[(i * i + step * i) % len(values)] for values, step in zip(DOMAINS.values(), (1, 2, 3, 1), strict=True))
    for i in range(90)
]


def settled() -> SettledPublication:
    return SettledPublication(
        publication="x", name="visits", dataset="clinic", unit="person", neighbours="add or remove one person",
        event=events.Pure(1), epsilon=Fraction(1), rho=None, delta=Fraction(0), receipt="1-a", time=0, plan={},
        kinds=KINDS, domains=DOMAINS, rows_per_person=1, parts=(), measured="0" * 64,
    )  # fmt: skip


@pytest.fixture
def twin(tmp_path: Path) -> Path:
    path = tmp_path / "twin.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([COLUMNS, *(["" if each is None else each for each in row] for row in TWIN)])
    return path


def made_rows() -> MadeRows:
    places = [[DOMAINS[name].index(row[at]) for row in MADE] for at, name in enumerate(COLUMNS)]
    return MadeRows(dict(zip(COLUMNS, map(np.array, places), strict=True)), "made")


def shares(rows: list[tuple[Any, ...]], at: tuple[int, ...]) -> dict[tuple[Any, ...], Fraction]:
    counted = Counter(tuple(row[place] for place in at) for row in rows)
    return {cell: Fraction(number, len(rows)) for cell, number in counted.items()}


def brute_distance(at: tuple[int, ...]) -> Fraction:
    one, other = shares(MADE, at), shares(TWIN, at)
    return (
        sum((abs(one.get(cell, Fraction(0)) - other.get(cell, Fraction(0))) for cell in {*one, *other}), Fraction(0))
        / 2
    )


def brute_floor(at: tuple[int, ...]) -> float:
    """The mean over all outcomes of each cell's count in a sample of the twin with as many rows."""
    n, counts = len(MADE), np.arange(len(MADE) + 1)
    return sum(
        float((stats.binom.pmf(counts, n, float(p)) * np.abs(counts / n - float(p))).sum()) / 2
        for p in shares(TWIN, at).values()
    )


def compared(twin: Path) -> tuple[TwinDistance, ...]:
    whole = NoisyTable((), np.array(70), GeometricNoise(Fraction(2)), 0)
    return compare(settled(), [whole], made_rows(), str(twin)).twin


def test_distances_and_floors_of_one_two_and_three_columns_are_those_of_brute_force(twin: Path) -> None:
    found = compared(twin)
    assert [each.columns for each in found] == [1, 2, 3]
    for each in found:
        sets = list(combinations(range(4), each.columns))
        distances = [brute_distance(at) for at in sets]
        assert each.tables == each.of == len(sets)
        assert each.mean == pytest.approx(float(sum(distances) / len(sets)), rel=1e-12)
        assert each.worst == pytest.approx(float(max(distances)), rel=1e-12)
        assert each.floor == pytest.approx(sum(map(brute_floor, sets)) / len(sets), rel=1e-9)
    assert found[0].floor < found[1].floor < found[2].floor


def test_twins_of_the_distance_that_halve_nothing_or_sample_the_wrong_size_would_be_seen(twin: Path) -> None:
    """Not halved, all are twice as far; a floor for as many rows as the twin has is another number."""
    found = compared(twin)[1]
    sets = list(combinations(range(4), 2))
    assert found.mean != pytest.approx(2 * float(sum(map(brute_distance, sets)) / len(sets)), rel=1e-3)
    other = sum(
        float((stats.binom.pmf(np.arange(91), 90, float(p)) * np.abs(np.arange(91) / 90 - float(p))).sum()) / 2
        for at in sets for p in shares(TWIN, at).values()
    ) / len(sets)  # fmt: skip
    assert found.floor != pytest.approx(other, rel=1e-3)


def test_bootstrap_samples_of_the_twin_are_as_far_as_the_floor_says(twin: Path) -> None:
    """400 samples drawn from the twin itself: their mean distance is within five standard errors of the floor."""
    chance, found = np.random.default_rng(5), compared(twin)
    for each in found:
        sets = list(combinations(range(4), each.columns))
        means = []
        for _ in range(400):
            sample = [TWIN[i] for i in chance.integers(0, len(TWIN), len(MADE))]
            means.append(np.mean([_far(sample, at) for at in sets]))
        assert abs(np.mean(means) - each.floor) < 5 * np.std(means) / 20


def _far(sample: list[tuple[Any, ...]], at: tuple[int, ...]) -> float:
    one, other = (
        Counter(tuple(row[i] for i in at) for row in sample),
        Counter(tuple(row[i] for i in at) for row in TWIN),
    )
    return sum(abs(one[cell] / len(sample) - other[cell] / len(TWIN)) for cell in {*one, *other}) / 2


def test_the_page_shows_what_was_found_and_only_where_there_is_a_twin(twin: Path) -> None:
    table = NoisyTable((), np.array(70), GeometricNoise(Fraction(2)), 0)
    near = compare(settled(), [table], made_rows(), str(twin))
    text = page(settled(), [table], made_rows(), near)
    assert "public twin" in text
    for each in near.twin:
        assert f"{each.mean:.4f}, floor {each.floor:.4f}" in text
        assert f"{each.worst:.4f}" in text
    assert "public twin" not in page(settled(), [table], made_rows(), replace(near, twin=()))


# ---- cells, beside M' of Theorem 9.6 ----


SHAPE = {"a": 4, "b": 5}


@pytest.mark.parametrize("seed", range(8))
def test_cells_are_the_rows_that_filled_geometric_makes_of_the_same_noisy_numbers(seed: int) -> None:
    """The same noise at the same price, the same water-filling; the total is the best mean of both that were measured.

    A cell's weight follows the total it is filled to, and by no more than the total moves.
    """
    exact, epsilon = (np.arange(20) ** 2 % 60) * (np.arange(20) % 3 > 0), Fraction(1, 2)
    theirs = FilledGeometric(points=20, epsilon=epsilon)
    parts = (WholeTable((("a", "b"),)), TotalCount(((),)))
    offers = {("a", "b"): (4, 5), (): ()}
    priced = [part.price(Offer(epsilon / 2, GEOMETRIC, 1, 0, offers)) for part in parts]
    assert [part.noise for part in priced] == [theirs.noise, theirs.noise]
    assert sum(part.event.pure() or 0 for part in priced) == theirs.event.pure()
    noisy = theirs.measure(exact, bits=SeededBits(seed))
    tables = [
        NoisyTable(("a", "b"), noisy.points.reshape(4, 5), theirs.noise, 0),
        NoisyTable((), np.array(noisy.total), theirs.noise, 0),
    ]
    made = rows_of_cells(("a", "b"), SHAPE, tables, PublicCoin("x"))
    counts = np.zeros((4, 5), dtype=np.int64)
    np.add.at(counts, (made.columns["a"], made.columns["b"]), 1)
    mean = Fraction(20 * noisy.total + int(noisy.points.sum()), 21)
    assert made.size == rows_in_all(tables) == round(mean)
    filled = water_filled(noisy.points, total=float(made.size))
    assert np.abs(counts.ravel() - filled).max() < 1
    weights = theirs.release(exact, bits=SeededBits(seed))
    assert np.abs(counts.ravel() - weights).max() < 1 + abs(made.size - max(0, noisy.total))
    assert (counts >= 0).all()


def test_a_twin_that_clips_and_forgets_the_total_is_caught() -> None:
    """Over eight releases of mostly empty cells it makes far more rows than were counted."""
    exact, theirs, more = np.zeros(20, dtype=np.int64) + 1, FilledGeometric(points=20, epsilon=Fraction(1, 2)), 0
    for seed in range(8):
        noisy = theirs.measure(exact, bits=SeededBits(seed))
        tables = [
            NoisyTable(("a", "b"), noisy.points.reshape(4, 5), theirs.noise, 0),
            NoisyTable((), np.array(noisy.total), theirs.noise, 0),
        ]
        made = rows_of_cells(("a", "b"), SHAPE, tables, PublicCoin("x"))
        more += int(np.maximum(noisy.points, 0).sum()) - made.size
    assert more > 8 * 20
