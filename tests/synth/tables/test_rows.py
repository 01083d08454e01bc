"""Rows: near what was measured, as the model says on pairs that nobody measured, and never what cannot be."""

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter
from sfumato.synth.tables import (
    ChainRows,
    ExplicitRows,
    Marginal,
    RowBuilder,
    SyntheticRows,
    TableMeasurements,
    TableShape,
    TableSynthesiser,
    TreeRows,
    builder_for,
)
from sfumato.synth.tables.conditionals import draw_column, no_weights
from sfumato.synth.tables.explicit import ExplicitModel, rows_of_model
from sfumato.synth.tables.rows import possible_rows, table_of
from sfumato.synth.tables.scores import chance_deviation, chance_distance
from sfumato.synth.tables.stream import RowStream
from sfumato.synth.tables.targets import on_simplex, shrink_cells, shrink_singular_values, single_targets, with_sums
from sfumato.synth.tables.tree import draw_given, spanning_tree
from sources import SeededBits
from synthetic_cases import Table, correlated, distance, marginals_of

BUILDERS: dict[str, RowBuilder] = {"chains": ChainRows(), "explicit": ExplicitRows(), "tree": TreeRows()}
SHAPE = TableShape({"a": 5, "b": 4, "c": 6, "d": 3})


def rows_of(
    shape: TableShape, data: Table, name: str, epsilon: float = 10, triples: bool | None = None
) -> SyntheticRows:
    mechanism = TableSynthesiser.calibrated(shape=shape, epsilon=epsilon, delta=1e-6, triples=triples)
    measured = mechanism.measure(marginals_of(data), bits=SeededBits(2))
    return mechanism.build(measured, builder=BUILDERS[name])


@pytest.mark.parametrize(("name", "near"), [("chains", 0.02), ("explicit", 0.02), ("tree", 0.03)])
def test_rows_have_the_columns_and_pairs_of_the_data(name: str, near: float) -> None:
    data = correlated(SHAPE)
    made = rows_of(SHAPE, data, name)
    assert abs(len(made) - data.sum()) < 200
    for size in (1, 2):
        for marginal in combinations(range(4), size):
            assert distance(made.table(marginal), marginals_of(data)(marginal)) < near * size


@pytest.mark.parametrize("name", BUILDERS)
def test_the_same_measurements_make_the_same_rows(name: str) -> None:
    first, again = (rows_of(SHAPE, correlated(SHAPE, 2000), name) for _ in range(2))
    assert (first.codes == again.codes).all()
    other = TableSynthesiser.calibrated(shape=SHAPE, epsilon=10, delta=1e-6)
    measured = other.measure(marginals_of(correlated(SHAPE, 2000)), bits=SeededBits(3))
    assert (
        other.build(measured, builder=BUILDERS[name]).codes.shape != first.codes.shape
        or (other.build(measured, builder=BUILDERS[name]).codes != first.codes).any()
    )


# ---- an exact chain ---------------------------------------------------------------------------------------------------


def markov_chain(columns: int = 5, size: int = 3, rows: int = 60_000) -> Table:
    """The exact table of a Markov chain of columns: each follows the one before, so maximum entropy is known."""
    follow = np.array([[0.8, 0.15, 0.05], [0.1, 0.8, 0.1], [0.05, 0.15, 0.8]])[:size, :size]
    law = np.full(size, 1 / size)
    for _ in range(columns - 1):
        law = law[..., None] * follow
    return np.asarray(np.rint(law * rows), dtype=np.int64)


@pytest.mark.parametrize("name", BUILDERS)
def test_pairs_that_nobody_measured_are_as_the_model_of_the_measured_ones_says(name: str) -> None:
    """Only neighbours in the chain are measured; the ends are four steps apart and still correlated."""
    chain = markov_chain()
    shape = TableShape({f"x{i}": 3 for i in range(5)})
    mechanism = TableSynthesiser.calibrated(shape=shape, epsilon=100, delta=1e-6)
    whole = mechanism.measure(marginals_of(chain), bits=SeededBits(1))
    adjacent = tuple(r for r in whole.residuals if len(r.marginal) < 2 or r.marginal[1] - r.marginal[0] == 1)
    assert len(adjacent) >= 10
    measured = TableMeasurements(shape, whole.sigma, adjacent, whole.scores)
    made = mechanism.build(measured, builder=BUILDERS[name])
    for pair in combinations(range(5), 2):
        assert distance(made.table(pair), marginals_of(chain)(pair)) < 0.02, pair
    apart = np.full((3, 3), 1)
    assert distance(marginals_of(chain)((0, 4)), apart) > 0.1, "or independence would pass"


def test_a_chain_that_walks_under_exact_potentials_has_the_exact_law() -> None:
    """Ising-like potentials on three columns; the joint law by enumeration."""
    shape = TableShape({"a": 2, "b": 2, "c": 2})
    pull = np.array([[0.7, -0.7], [-0.7, 0.7]], dtype=np.float32)
    alone, _ = no_weights(shape.sizes, ())
    law = np.exp(pull[:, :, None] + pull[None, :, :].astype(float))
    law /= law.sum()
    stream = RowStream(b"law")
    rows = 40_000
    codes = np.zeros((3, rows), dtype=np.int32)
    around = {0: [((1,), pull)], 1: [((0,), pull), ((2,), pull)], 2: [((1,), pull)]}
    for _ in range(30):
        for column, joined in around.items():
            codes[column] = draw_column(
                codes, column, slice(0, rows), alone=alone[column], joined=joined, shape=shape, stream=stream
            )
    seen = table_of(codes, (0, 1, 2), (2, 2, 2)) / rows
    far = (seen - law) / np.sqrt(law * (1 - law) / rows)
    assert np.abs(far).max() < 6.2  # 1e-9 for each cell
    assert np.abs((seen - law.mean()) / np.sqrt(law / rows)).max() > 50, "or uniform rows would pass"


# ---- what cannot be ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BUILDERS)
@pytest.mark.parametrize(("epsilon", "measured"), [(0.1, False), (0.1, True), (10, False), (10, True)])
def test_planted_impossible_combinations_never_appear(name: str, epsilon: float, measured: bool) -> None:
    pairs = np.zeros((5, 4), dtype=bool)
    pairs[0, 1] = pairs[2, :3] = True
    triples = np.zeros((3, 4, 6), dtype=bool)  # in another order than the table's
    triples[1, 2, :5] = True
    single = np.array([False, False, True])
    shape = TableShape(SHAPE.columns, {("a", "b"): pairs, ("d", "b", "c"): triples, ("d",): single})
    open_shape = TableShape(SHAPE.columns)
    data = correlated(SHAPE, 3000)
    banned = pairs[:, :, None, None] | triples.transpose(1, 2, 0)[None] | np.broadcast_to(single, SHAPE.sizes)
    assert rows_of(open_shape, data, name, epsilon).table((0, 1, 2, 3))[banned].sum() > 0, "or nothing was planted"
    made = rows_of(shape, np.where(banned, 0, data), name, epsilon, measured)
    assert made.table((0, 1, 2, 3))[banned].sum() == 0


@pytest.mark.parametrize("name", BUILDERS)
def test_what_no_pair_could_tell_is_impossible_never_appears(name: str) -> None:
    """Half of all combinations of three columns, by their parity, among columns that are independent in pairs."""
    parity = np.indices((4, 6, 3)).sum(axis=0) % 2 == 1
    shape = TableShape(SHAPE.columns, {("b", "c", "d"): parity})
    data = np.broadcast_to(np.where(parity, 0, 40), SHAPE.sizes)
    assert rows_of(TableShape(SHAPE.columns), data, name, triples=False).table((1, 2, 3))[parity].sum() > 1000
    assert rows_of(shape, data, name).table((1, 2, 3))[parity].sum() == 0


def test_a_step_of_a_chain_draws_only_what_is_possible_and_stays_where_nothing_is() -> None:
    shape = TableShape({"a": 3, "b": 2}, {("a", "b"): [[0, 0], [1, 0], [0, 1]], ("b",): [0, 0]})
    codes = np.array([[0, 0, 1, 2] * 50, [0, 1, 0, 1] * 50], dtype=np.int32)
    alone = np.zeros(3, dtype=np.float32)
    for _ in range(3):
        drawn = draw_column(codes, 0, slice(0, 200), alone=alone, joined=[], shape=shape, stream=RowStream(b"m"))
        assert set(drawn[codes[1] == 0].tolist()) == {0, 2}
        assert set(drawn[codes[1] == 1].tolist()) == {0, 1}
    stuck = TableShape({"a": 3, "b": 2}, {("a", "b"): [[1, 0], [1, 0], [1, 0]]})
    drawn = draw_column(codes, 0, slice(0, 200), alone=alone, joined=[], shape=stuck, stream=RowStream(b"m"))
    assert (drawn[codes[1] == 0] == codes[0][codes[1] == 0]).all()


def test_masks_that_leave_no_row_are_refused_before_anything_is_measured() -> None:
    halves = {("a",): [0, 1], ("b",): [0, 1], ("a", "b"): [[1, 0], [0, 0]]}
    with pytest.raises(InvalidParameter, match="impossible"):
        TableShape({"a": 2, "b": 2}, halves)


# ---- the small steps -----------------------------------------------------------------------------------------------------


def test_an_explicit_model_is_the_model_of_maximum_entropy_with_its_pairs() -> None:
    chain = markov_chain(4).astype(float)
    shape = TableShape({f"x{i}": 3 for i in range(4)})
    singles = [chain.sum(axis=tuple(set(range(4)) - {i})) for i in range(4)]
    pairs: dict[Marginal, NDArray[np.float64]] = {
        (i, i + 1): chain.sum(axis=tuple(set(range(4)) - {i, i + 1})) for i in range(3)
    }
    model = ExplicitModel.independent(shape, singles)
    for _ in range(10):
        model.fit(singles, pairs)
    assert np.abs(model.weights - chain).max() < 3  # the chain's table is rounded
    codes = rows_of_model(model, 60_000, RowStream(b"x"))
    assert np.abs(table_of(codes, (0, 1, 2, 3), shape.sizes) - model.weights).max() <= 1 + 1e-6


def test_targets_are_nowhere_negative_and_have_their_sums() -> None:
    table = np.random.default_rng(1).normal(5, 10, (6, 9))
    down, across = np.arange(1.0, 7), np.full(9, 21 / 9)
    mask = np.ones((6, 9), dtype=bool)
    mask[2, :4] = False
    for found, near in ((with_sums(table, down, across), 0.5), (with_sums(table, down, across, mask), 1e-3)):
        assert found.min() >= 0
        assert np.abs(found.sum(axis=0) - across).max() < near
        assert np.abs(found.sum(axis=1) - down).max() < near
    assert with_sums(table, down, across, mask)[~mask].max() == 0
    assert on_simplex(np.array([0.2, 0.3]), 1.5).tolist() == pytest.approx([0.7, 0.8])


def test_noise_is_shrunk_away_and_structure_is_kept() -> None:
    generator = np.random.default_rng(3)
    noise = generator.normal(0, 1, (30, 40))
    signal = 30 * np.outer(np.sin(np.arange(30)), np.cos(np.arange(40)))
    assert np.abs(shrink_singular_values(noise, 1.0)).max() < 0.5
    assert np.abs(shrink_singular_values(signal + noise, 1.0) - signal).mean() < 0.4
    mass = np.full((30, 40), 1 / 1200)
    assert np.abs(shrink_cells(noise, 1.0, mass)).mean() < 0.3
    assert np.abs(shrink_cells(signal, 1.0, mass) - signal).mean() < 0.1


def test_draws_given_a_column_are_within_one_of_their_strata() -> None:
    table = np.array([[1.0, 2.0, 1.0], [0.0, 0.0, 3.0]])
    given = np.array([0, 1] * 40, dtype=np.int32)
    drawn = draw_given(table, given, RowStream(b"s"))
    assert np.abs(np.bincount(drawn[given == 0], minlength=3) - [10, 20, 10]).max() <= 1
    assert (drawn[given == 1] == 2).all()


def test_columns_that_no_pair_joins_stand_alone() -> None:
    ones = [np.ones(2)] * 3
    branches = list(spanning_tree(ones, {(0, 2): np.eye(2)}))
    assert sorted(branch.column for branch in branches) == [0, 1, 2]
    assert [branch.given is None for branch in branches].count(True) == 2


def test_the_way_is_chosen_by_the_size_of_the_domain() -> None:
    assert builder_for(SHAPE) == ExplicitRows()
    assert builder_for(TableShape({f"x{i}": 10 for i in range(9)})) == ChainRows()


def test_more_rows_than_chains_are_near_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.synth.tables.building._CHAINS", 4000)
    data = correlated(SHAPE)
    made = rows_of(SHAPE, data, "chains")
    assert abs(len(made) - data.sum()) < 200
    for pair in SHAPE.pairs:
        assert distance(made.table(pair), marginals_of(data)(pair)) < 0.03
    assert possible_rows(made.codes, SHAPE).all()


def test_columns_by_themselves_are_met_to_a_few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    data = correlated(SHAPE)
    mechanism = TableSynthesiser.calibrated(shape=SHAPE, epsilon=1, delta=1e-6)
    measured = mechanism.measure(marginals_of(data), bits=SeededBits(2))
    wanted = single_targets(measured, measured.total)

    def off() -> float:
        made = ChainRows().build(measured)
        return max(float(np.abs(made.table((i,)) - wanted[i]).max()) for i in range(4))

    assert off() <= 10
    monkeypatch.setattr("sfumato.synth.tables.fitting._SETTLE", 0)
    assert off() > 20, "or nothing had to be settled"


def test_nobody_and_hopeless_noise_still_make_a_table() -> None:
    nobody = np.zeros(SHAPE.sizes, dtype=np.int64)
    for name in BUILDERS:
        for epsilon in (1e-3, 1):
            assert len(rows_of(SHAPE, nobody, name, epsilon)) >= 1


def test_independent_columns_are_as_far_from_their_product_as_chance_says() -> None:
    generator = np.random.default_rng(6)
    for rows, sizes in ((20_000, (9, 7)), (2000, (40, 60))):
        tables = [
            generator.multinomial(rows, np.full(sizes[0] * sizes[1], 1 / (sizes[0] * sizes[1]))) for _ in range(30)
        ]
        found = [float(0.5 * np.abs(table - rows / table.size).sum()) for table in tables]
        assert chance_distance(np.full(sizes, rows / (sizes[0] * sizes[1]))) == pytest.approx(np.mean(found), rel=0.05)


def test_two_samples_of_one_law_differ_by_chance_as_much_more_or_less_as_is_said() -> None:
    generator = np.random.default_rng(6)
    for cells in (12, 300):
        one, other = (generator.multinomial(20_000, np.full(cells, 1 / cells), 400) for _ in range(2))
        for samples, against in ((1, 20_000 / cells), (2, other)):
            spread = float(np.std(0.5 * np.abs(one - against).sum(axis=1)))
            assert spread == pytest.approx(chance_deviation(20_000, samples=samples), rel=0.15)
