"""The small steps of triples: targets on their pairs, shrinking, and chains that walk under potentials of three columns."""

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from sfumato.synth.tables import ChainRows, Marginal, TableShape, TableSynthesiser
from sfumato.synth.tables.building import fitted_chains
from sfumato.synth.tables.chains import StepSizes
from sfumato.synth.tables.conditionals import cells_of, draw_column, no_weights, others, seen_from
from sfumato.synth.tables.implied import implied_triples
from sfumato.synth.tables.rows import table_of
from sfumato.synth.tables.stream import RowStream
from sfumato.synth.tables.triple_targets import expected_mass, shrunk_triple, with_pairs
from sources import SeededBits
from synthetic_cases import correlated, distance, marginals_of

Floats = NDArray[np.float64]


def pairs_of(table: Floats) -> tuple[Floats, ...]:
    return tuple(table.sum(axis=axis) for axis in range(3))


def test_a_target_of_a_triple_has_its_pairs_and_is_nowhere_negative() -> None:
    generator = np.random.default_rng(1)
    truth = generator.gamma(0.7, 20, (5, 4, 6))
    noisy = truth + generator.normal(0, 4, truth.shape)
    found = with_pairs(noisy, pairs_of(truth))
    assert found.min() >= 0
    assert np.abs(found - truth).sum() < 0.9 * np.abs(noisy - truth).sum()
    for axis, pair in enumerate(pairs_of(truth)):
        assert np.abs(found.sum(axis=axis) - pair).sum() < 0.01 * truth.sum()
        assert np.abs(noisy.sum(axis=axis) - pair).sum() > 0.03 * truth.sum(), "or they had their sums before"


def test_a_target_of_a_triple_is_empty_where_nothing_can_be() -> None:
    generator = np.random.default_rng(2)
    mask = generator.random((5, 4, 6)) < 0.7
    truth = np.where(mask, generator.gamma(2, 20, mask.shape), 0.0)
    found = with_pairs(truth + generator.normal(0, 4, truth.shape), pairs_of(truth), mask)
    assert found[~mask].max() == 0
    assert found.min() >= 0
    for axis, pair in enumerate(pairs_of(truth)):
        assert np.abs(found.sum(axis=axis) - pair).sum() < 0.01 * truth.sum()


def test_people_are_expected_where_all_three_pairs_let_them_be() -> None:
    """A chain a-b-c is its own product of pairs, where a and c are taken as they are given b."""
    follow = np.array([[0.8, 0.2], [0.3, 0.7]])
    alone = np.full((2, 2, 2), 1 / 8)
    assert expected_mass(pairs_of(alone)) == pytest.approx(alone)
    chain = 0.5 * follow[:, :, None] * np.array([[0.5, 0.5], [0.5, 0.5]])
    assert expected_mass(pairs_of(chain)) == pytest.approx(chain)
    empty = chain.copy()
    empty[0, 1, :] = 0
    assert expected_mass(pairs_of(empty))[0, 1].tolist() == [0, 0]
    assert expected_mass(pairs_of(empty)).sum() == pytest.approx(1)


def test_noise_of_a_triple_is_shrunk_away_and_structure_is_kept() -> None:
    generator = np.random.default_rng(3)
    noise = generator.normal(0, 1, (12, 7, 31))
    signal = np.where(np.add.outer(np.add.outer(np.arange(12), np.arange(7)), np.arange(31)) % 7 == 0, 18.0, -3.0)
    mass = np.full(noise.shape, 1 / noise.size)
    assert np.abs(shrunk_triple(noise, 1.0, mass)).mean() < 0.3
    assert np.abs(shrunk_triple(signal + noise, 1.0, mass) - signal).mean() < 0.6


# ---- chains -----------------------------------------------------------------------------------------------------------


def test_cells_and_tables_of_other_columns_are_in_one_order() -> None:
    generator = np.random.default_rng(5)
    sizes, marginal = (3, 4, 2, 5), (0, 1, 3)
    codes = np.array([generator.integers(0, size, 50) for size in sizes], dtype=np.int32)
    table = generator.random((3, 4, 5)).astype(np.float32)
    for column in marginal:
        rest = others(marginal, column)
        seen = seen_from(marginal, table, column)[cells_of(codes, rest, sizes, slice(0, 50)), codes[column]]
        assert (seen == table[codes[0], codes[1], codes[3]]).all()


def test_a_chain_that_walks_under_potentials_of_three_columns_has_the_exact_law() -> None:
    shape = TableShape({"a": 2, "b": 3, "c": 2})
    pull = np.random.default_rng(7).normal(0, 0.8, shape.sizes).astype(np.float32)
    alone, _ = no_weights(shape.sizes, ())
    law = np.exp(pull.astype(float))
    law /= law.sum()
    stream, rows, marginal = RowStream(b"law"), 40_000, (0, 1, 2)
    codes = np.zeros((3, rows), dtype=np.int32)
    for _ in range(30):
        for column in marginal:
            joined = [(others(marginal, column), seen_from(marginal, pull, column))]
            codes[column] = draw_column(
                codes, column, slice(0, rows), alone=alone[column], joined=joined, shape=shape, stream=stream
            )
    seen = table_of(codes, marginal, shape.sizes) / rows
    assert np.abs((seen - law) / np.sqrt(law * (1 - law) / rows)).max() < 6.2  # 1e-9 for each cell
    turned = law.transpose(2, 1, 0)
    assert np.abs((seen - turned) / np.sqrt(turned / rows)).max() > 20, "or columns in another order would pass"


def test_counts_are_kept_while_chains_walk() -> None:
    shape = TableShape({"a": 4, "b": 3, "c": 5, "d": 2})
    mechanism = TableSynthesiser.calibrated(
        shape=shape, epsilon=10, delta=1e-6, triples=(("a", "c", "d"), ("b", "c", "d"))
    )
    measured = mechanism.measure(marginals_of(correlated(shape, 3000)), bits=SeededBits(1))
    chains, targets = fitted_chains(measured, rounds=6)
    assert {len(marginal) for marginal in chains.marginals} == {2, 3}
    assert set(targets) == set(chains.marginals)
    for marginal, table in chains.tables.items():
        assert (table == table_of(chains.codes, marginal, shape.sizes_of(marginal))).all()


def test_many_triples_at_once_do_not_carry_rows_beyond_their_pairs() -> None:
    shape = TableShape({"a": 5, "b": 4, "c": 6, "d": 3, "e": 4})
    data = correlated(shape)
    every = tuple(combinations(shape.names, 3))
    mechanism = TableSynthesiser.calibrated(shape=shape, epsilon=10, delta=1e-6, triples=every)
    rows = ChainRows().build(mechanism.measure(marginals_of(data), bits=SeededBits(3)))
    assert len(mechanism.candidates) == 10
    for pair in shape.pairs:
        assert distance(rows.table(pair), marginals_of(data)(pair)) < 0.02
    for triple in mechanism.candidates:
        assert distance(rows.table(triple), marginals_of(data)(triple)) < 0.03


def test_steps_of_triples_are_shorter_and_shared() -> None:
    steps, around = StepSizes(), [(0, 1), (0, 2), (0, 1, 2), (0, 1, 3), (0, 2, 3), (0, 2, 4)]
    assert steps.pull((0, 1, 2), around) * 4 == pytest.approx(steps.three)
    assert steps.pull((0, 1), around) * 2 == pytest.approx(steps.two)
    assert steps.three < steps.two
    before = steps.three
    steps.shorten()
    assert steps.three < before


# ---- what is implied --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("explicit", [True, False])
def test_chance_is_about_what_a_sample_of_the_same_law_is_off_by(
    monkeypatch: pytest.MonkeyPatch, explicit: bool
) -> None:
    shape = TableShape({"a": 6, "b": 5, "c": 4})
    data = correlated(shape)
    mechanism = TableSynthesiser.calibrated(shape=shape, epsilon=50, delta=1e-6, triples=False)
    measured = mechanism.measure(marginals_of(data), bits=SeededBits(1))
    if not explicit:
        monkeypatch.setattr("sfumato.synth.tables.implied.EXPLICIT_CELLS", 0)
    triple: Marginal = (0, 1, 2)
    said = implied_triples(measured, (triple,), measured.total)
    assert said.tables[triple].sum() == pytest.approx(measured.total)
    law = said.tables[triple].ravel() / said.tables[triple].sum()
    draws = np.random.default_rng(1).multinomial(20_000, law, 20)
    off = float(np.mean(np.abs(draws - 20_000 * law).sum(axis=1))) / 2
    assert 0.8 * off < said.chance[triple] < 3 * off
