"""Rows made of noisy tables: as many as are said, never negative, near what was measured, and the same each time."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from sfumato.errors import InvalidDeclaration
from sfumato.exact.bits import SystemBits
from sfumato.mechanisms import GeometricNoise
from sfumato.synth.publication.cell_rows import rows_of_cells
from sfumato.synth.publication.comparison import counts_of, distance, floor
from sfumato.synth.publication.hierarchy_rows import rows_from_the_top
from sfumato.synth.publication.public_coin import PublicCoin
from sfumato.synth.publication.rows import MadeRows, in_whole_rows, narrow, not_negative, rows_in_all
from sfumato.synth.publication.tables import NoisyTable
from sfumato.synth.publication.tree_rows import rows_of_tree

COLUMNS = ("a", "b", "c", "d")
SIZES = {"a": 3, "b": 4, "c": 2, "d": 5}
NOISE = GeometricNoise(Fraction(5))


def chain(rows: int = 20_000) -> dict[str, NDArray[np.int64]]:
    """b follows a, c follows b, and d is by itself."""
    i = np.arange(rows)
    a = i % 3
    b = np.where(i % 7 < 5, a, i % 4)
    return {"a": a, "b": b, "c": np.where(i % 5 < 4, b % 2, (i // 5) % 2), "d": (i * 7919 // 11) % 5}


def tables(*wanted: tuple[str, ...], scale: int = 5) -> list[NoisyTable]:
    made, whole = MadeRows(chain(), ""), []
    noise = GeometricNoise(Fraction(scale))
    for columns in wanted:
        counts = counts_of(made, columns, SIZES)
        drawn = np.asarray(noise.draw(counts.size, SystemBits())).reshape(counts.shape)
        whole.append(NoisyTable(columns, counts + drawn, noise, 0))
    return whole


PAIRS = list(combinations(COLUMNS, 2))


def test_a_tree_keeps_the_pairs_that_say_most_and_every_single_column() -> None:
    measured = tables(*PAIRS)
    made = rows_of_tree(COLUMNS, SIZES, measured, PublicCoin("x"))
    truth = MadeRows(chain(), "")
    assert made.size == rows_in_all(measured)
    assert abs(made.size - 20_000) < 200
    for columns in [("a", "b"), ("b", "c"), *((name,) for name in COLUMNS)]:
        near = distance(counts_of(made, columns, SIZES), counts_of(truth, columns, SIZES))
        assert near < 0.01, columns
    assert "a – b" in made.words
    assert "b – c" in made.words


def test_a_tree_beats_columns_by_themselves() -> None:
    truth = counts_of(MadeRows(chain(), ""), ("a", "b"), SIZES)
    alone = rows_of_tree(COLUMNS, SIZES, tables(*((name,) for name in COLUMNS)), PublicCoin("x"))
    tree = rows_of_tree(COLUMNS, SIZES, tables(*PAIRS), PublicCoin("x"))
    assert distance(counts_of(alone, ("a", "b"), SIZES), truth) > 10 * distance(
        counts_of(tree, ("a", "b"), SIZES), truth
    )


@pytest.mark.parametrize("make", [rows_of_tree, rows_of_cells])
def test_the_same_tables_and_coin_make_the_same_rows(make: object) -> None:
    measured = tables(*PAIRS, COLUMNS)
    first, again = (make(COLUMNS, SIZES, measured, PublicCoin("x")) for _ in range(2))  # type: ignore[operator]
    assert all((first.columns[name] == again.columns[name]).all() for name in COLUMNS)
    assert all(first.columns[name].dtype == np.uint8 for name in COLUMNS)


def test_cells_become_rows_without_negative_ones() -> None:
    noise = GeometricNoise(Fraction(2))
    counts = np.array([[10, -3], [0, 5]])
    made = rows_of_cells(("a", "b"), {"a": 2, "b": 2}, [NoisyTable(("a", "b"), counts, noise, 0)], PublicCoin("x"))
    assert made.size == 12
    again = counts_of(made, ("a", "b"), {"a": 2, "b": 2})
    assert again.min() >= 0
    assert again.tolist() == [[9, 0], [0, 3]] or again.sum() == 12


def test_nothing_measured_makes_no_rows() -> None:
    empty = NoisyTable(("a",), np.array([-5, 2, -4]), NOISE, 0)
    assert rows_of_tree(("a",), SIZES, [empty], PublicCoin("x")).size == 0


def test_rows_that_tables_do_not_say_enough_for_are_refused() -> None:
    with pytest.raises(InvalidDeclaration, match="over all columns"):
        rows_of_cells(COLUMNS, SIZES, tables(*PAIRS), PublicCoin("x"))
    with pytest.raises(InvalidDeclaration, match="`d` is in none"):
        rows_of_tree(COLUMNS, SIZES, tables(("a", "b"), ("b", "c")), PublicCoin("x"))


@pytest.mark.parametrize("total", [0.0, 1.0, 7.5, 100.0])
def test_the_nearest_point_without_negative_entries(total: float) -> None:
    values = np.array([5.0, -2.0, 0.5, 3.0, -9.0])
    found = not_negative(values, total)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(total)
    if total:
        others = [
            found + step for step in (np.eye(5)[i] * 0.01 - np.eye(5)[j] * 0.01 for i in range(5) for j in range(5))
        ]
        best = ((found - values) ** 2).sum()
        assert all(((each - values) ** 2).sum() >= best - 1e-12 for each in others if each.min() >= 0)


@pytest.mark.parametrize("total", [0, 1, 10, 999])
def test_whole_rows_add_up_and_are_none_off_by_one(total: int) -> None:
    shares = np.array([0.3, 2.2, 0.0, 7.5])
    found = in_whole_rows(shares, total)
    assert found.sum() == total
    assert (np.abs(found - shares * total / 10) < 1).all()
    assert in_whole_rows(np.zeros(3), 4).tolist() == [2, 1, 1]


@pytest.mark.parametrize(("size", "kind"), [(1, np.uint8), (256, np.uint8), (257, np.uint16)])
def test_places_take_as_few_bytes_as_they_need(size: int, kind: type) -> None:
    assert narrow(size) == kind


def test_the_floor_is_the_mean_distance_of_samples() -> None:
    """Against every sample of five from three cells, by its probability."""
    from math import factorial

    shares, size, mean = np.array([0.5, 0.3, 0.2]), 5, 0.0
    for x in range(size + 1):
        for y in range(size + 1 - x):
            counts = np.array([x, y, size - x - y])
            likely = factorial(size) / np.prod([factorial(int(n)) for n in counts]) * np.prod(shares**counts)
            mean += likely * np.abs(counts / size - shares).sum() / 2
    assert floor(shares, size) == pytest.approx(mean, rel=1e-12)
    assert floor(np.array([1.0]), 5) == 0
    assert floor(shares, 10**6) == pytest.approx(floor(shares, 4 * 10**6) * 2, rel=1e-3)


def test_a_public_coin_can_be_tossed_again_and_is_even() -> None:
    one, other = PublicCoin("x"), PublicCoin("x")
    assert (one.words(1000) == other.words(1000)).all()
    assert one.word() == other.word()
    assert PublicCoin("y").word() != PublicCoin("x").word()
    bits = np.unpackbits(PublicCoin("x").words(10_000).view(np.uint8))
    assert abs(bits.mean() - 0.5) < 6 * 0.5 / np.sqrt(bits.size)


def test_from_the_top_every_level_is_kept_within_the_one_above() -> None:
    levels = [tuple(COLUMNS[:depth]) for depth in range(5)]
    made = rows_from_the_top(COLUMNS, SIZES, tables(*levels), PublicCoin("x"))
    truth = MadeRows(chain(), "")
    assert abs(made.size - 20_000) < 200
    for columns in levels[1:]:
        assert distance(counts_of(made, columns, SIZES), counts_of(truth, columns, SIZES)) < 0.02, columns
    with pytest.raises(InvalidDeclaration, match="first column"):
        rows_from_the_top(COLUMNS, SIZES, tables(*levels[1:]), PublicCoin("x"))
