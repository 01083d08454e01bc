"""The price of a synthetic table: recomputed from the noise handed out, and what one person really moves."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sfumato.accounting import total
from sfumato.accounting.events import Composition, Gaussian
from sfumato.errors import BudgetExceeded, InvalidParameter
from sfumato.mechanisms import GaussianNoise
from sfumato.mechanisms.answers import root
from sfumato.synth.tables import Marginal, StageShares, TableMeasurements, TableShape, TableSynthesiser, measuring
from sfumato.synth.tables.paid import Handed, Purse, affordable, step_of
from sfumato.synth.tables.plan import chosen_noises
from sfumato.synth.tables.scores import GRAIN, reference, score
from sources import SeededBits
from synthetic_cases import Table, a_table, marginals_of
from synthetic_tapes import largest_cost, moved_squares, neighbours, taped

SHAPE = TableShape({"a": 3, "b": 2, "c": 4})
WEIGHTED = TableShape({"a": 3, "b": 2, "c": 4}, moved=6, parts=4)


def made(shape: TableShape = SHAPE, *, epsilon: Fraction | int = 1) -> TableSynthesiser:
    return TableSynthesiser.calibrated(shape=shape, epsilon=epsilon, delta=1e-6)


# ---- what was handed out is what was paid for --------------------------------------------------------------------


@pytest.mark.parametrize("shape", [SHAPE, WEIGHTED, TableShape({"only": 5}), TableShape({"a": 2, "b": 2})])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), 1, 10])
def test_the_noise_handed_out_costs_the_price_and_no_more(shape: TableShape, epsilon: Fraction | int) -> None:
    mechanism = made(shape, epsilon=epsilon)
    measured = mechanism.measure(marginals_of(a_table(shape)), bits=SeededBits(3))
    spent = sum(each.cost for each in measured.handed)
    assert spent <= mechanism.squared_mu
    unspent = mechanism.shares.scores + mechanism.shares.rest if len(shape.sizes) == 1 else 0
    assert spent >= mechanism.squared_mu * (1 - unspent) * Fraction(99, 100)
    parts = [Gaussian(each.noise.sigma, root(Fraction(each.squared_move))) for each in measured.handed]
    assert total([Composition(parts)]).epsilon(Fraction(1, 10**6)) <= epsilon
    assert total([mechanism.event]).epsilon(Fraction(1, 10**6)) <= epsilon


def test_a_purse_refuses_before_it_draws() -> None:
    class Untouched(SeededBits):
        def words(self, n: int) -> NDArray[np.uint64]:
            raise AssertionError("drawn")

    purse = Purse(Fraction(1, 4))
    with pytest.raises(BudgetExceeded):
        purse.pay(np.array([1]), GaussianNoise(Fraction(199, 100)), 1, bits=Untouched(1))
    assert purse.spent == 0
    purse.pay(np.array([1]), GaussianNoise(Fraction(2)), 1, bits=SeededBits(1))
    with pytest.raises(BudgetExceeded):
        purse.pay(np.array([1]), GaussianNoise(Fraction(10**9)), 1, bits=Untouched(1))


def test_affordable_noises_keep_their_proportions_and_never_cost_more() -> None:
    wanted = {(0,): 1.0, (1,): 3.0, (0, 1): 0.01}
    moves = {(0,): 6, (1,): 2, (0, 1): 12}
    for share in (Fraction(1, 10**6), Fraction(1, 3), Fraction(1000)):
        found = affordable(wanted, moves, share)
        assert share * Fraction(99, 100) <= sum(Handed(found[m], moves[m]).cost for m in moves) <= share
        assert float(found[1,].sigma / found[0,].sigma) == pytest.approx(3, rel=1e-3)


@pytest.mark.parametrize("implied", [0.0, 1e9, 1e16, 1e18, 1e19, 1e30, 1e300, np.inf, np.nan])
@pytest.mark.parametrize("parts", [0, 1, 2**20, 2**40, 2**61])
def test_one_part_moves_a_score_by_one_part_whatever_is_implied(implied: float, parts: int) -> None:
    """A reference beyond 64 bits wrapped around, and one part moved a score by 2**64."""
    against = reference(np.array([[implied, 0.0], [0.0, implied]]))
    for dtype in (np.int64, np.object_):
        one: Any = np.array([[parts, 0], [0, parts]], dtype=dtype)
        for cell in np.ndindex(2, 2):
            other = one.copy()
            other[cell] += 1
            assert abs(score(one, against) - score(other, against)) <= GRAIN


def test_a_table_of_one_column_spends_what_it_may() -> None:
    mechanism = made(TableShape({"only": 5}))
    measured = mechanism.measure(marginals_of(a_table(mechanism.shape)), bits=SeededBits(3))
    spent = sum(each.cost for each in measured.handed)
    assert mechanism.squared_mu * Fraction(96, 100) <= spent <= mechanism.squared_mu


def test_wide_noise_lets_nothing_out_below_its_step() -> None:
    """What leaves is on the grid whatever the exact answer is; noise that is rounded by itself would not be."""
    noise = GaussianNoise(Fraction(2**45))
    step = step_of(noise.sigma)
    assert step > 1
    exact = np.array([0, 1, step - 1, step // 3, 10**15 + 7], dtype=np.int64)
    for given in (exact, exact.astype(object)):
        found = Purse(Fraction(1)).pay(given, noise, 1, bits=SeededBits(4))
        assert all(int(value) % step == 0 for value in found)
    rounded_alone = exact + noise.draw(5, SeededBits(4)) // step * step  # the twin
    assert any(int(value) % step for value in rounded_alone)


def test_wide_noise_has_the_law_of_narrow_noise() -> None:
    """The same uniform bits give the same normal, but for the rounding."""
    wide, narrow = GaussianNoise(Fraction(2**40)), GaussianNoise(Fraction(2**20))
    exact = np.zeros(2000, dtype=np.int64)
    one = Purse(Fraction(1)).pay(exact, wide, 1, bits=SeededBits(4)).astype(float) / 2**40
    other = Purse(Fraction(1)).pay(exact, narrow, 1, bits=SeededBits(4)).astype(float) / 2**20
    assert np.abs(one - other).max() < 2**-18


# ---- one person ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [SHAPE, WEIGHTED], ids=["rows", "weights"])
def test_every_neighbour_moves_all_residuals_by_exactly_what_is_priced_and_scores_by_no_more(
    monkeypatch: pytest.MonkeyPatch, shape: TableShape
) -> None:
    mechanism, data = made(shape), a_table(shape)
    base = taped(monkeypatch, mechanism, data, None)
    scores = 1 + len(shape.sizes)  # after the total and the single columns
    for count, other in enumerate(neighbours(shape, data)):
        tape = taped(monkeypatch, mechanism, other, base.said)
        assert tape.squares == base.squares
        for place, (moved, (priced, _)) in enumerate(zip(moved_squares(base, tape), base.squares, strict=True)):
            if place == scores or count >= shape.cells:
                assert moved <= priced
            else:
                assert moved == priced


@pytest.mark.parametrize("data", [np.zeros(SHAPE.sizes, dtype=np.int64), a_table(SHAPE)], ids=["nobody", "people"])
def test_no_neighbour_costs_more_than_the_price(monkeypatch: pytest.MonkeyPatch, data: Table) -> None:
    worst, charged = largest_cost(monkeypatch, made(), data)
    assert charged * Fraction(9, 10) < worst <= charged


# ---- broken twins ----------------------------------------------------------------------------------------------------


def test_noise_on_the_raw_table_at_the_projected_price_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def raw(table: Any) -> Any:
        return table * table.size

    monkeypatch.setattr(measuring, "residual", raw)
    worst, charged = largest_cost(monkeypatch, made(), a_table(SHAPE))
    assert worst > charged * Fraction(11, 10)


def test_scores_at_half_of_their_sensitivity_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "squared_score_move", lambda pairs: 64**2 * pairs // 4)
    worst, charged = largest_cost(monkeypatch, made(), np.zeros(SHAPE.sizes, dtype=np.int64))
    assert worst > charged


def test_a_pair_forgotten_in_the_price_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = chosen_noises

    def forgetful(*given: Any, **asked: Any) -> dict[Marginal, GaussianNoise]:
        noises = honest(*given, **asked)
        pair = next(marginal for marginal in noises if len(marginal) == 2)
        return noises | {other: noises[pair] for other in SHAPE.pairs if other not in noises}

    monkeypatch.setattr(measuring, "chosen_noises", forgetful)
    few = lambda shape, **asked: {(0, 1): 1.0}  # noqa: E731
    monkeypatch.setattr("sfumato.synth.tables.plan.pairs_worth_it", few)
    with pytest.raises(BudgetExceeded):
        made().measure(marginals_of(a_table(SHAPE)), bits=SeededBits(1))


def test_weights_priced_as_rows_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism, data = made(SHAPE), a_table(SHAPE)
    base = taped(monkeypatch, mechanism, data, None)
    twice = data.copy()
    twice[0, 0, 0] += 2
    tape = taped(monkeypatch, mechanism, twice, base.said)
    cost = sum((m / s for m, (_, s) in zip(moved_squares(base, tape), base.squares, strict=True)), Fraction(0))
    assert cost > mechanism.squared_mu * 3


# ---- what is said of it -----------------------------------------------------------------------------------------------


def test_measurements_survive_being_stored() -> None:
    shape = TableShape({"a": 3, "b": 2}, {("b", "a"): [[0, 0, 1], [0, 0, 0]]}, moved=3, parts=2)
    mechanism = made(shape)
    measured = mechanism.measure(marginals_of(a_table(shape)), bits=SeededBits(5))
    again = TableMeasurements.from_json(measured.to_json())
    assert again.digest == measured.digest
    assert again.handed == measured.handed
    assert again.shape.masks[0, 1].tolist() == [[True, True], [True, True], [False, True]]
    assert (mechanism.build(again).codes == mechanism.build(measured).codes).all()
    with pytest.raises(InvalidParameter, match="format"):
        TableMeasurements.from_json({**measured.to_json(), "format": 0})


def test_counts_too_large_for_machine_integers_are_counted_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    data = np.zeros(SHAPE.sizes, dtype=np.int64)
    data[1, 1, 2] = 2**61
    worst, charged = largest_cost(monkeypatch, made(), data)
    assert worst <= charged
    measured = made().measure(marginals_of(data), bits=SeededBits(1))
    assert measured.total == pytest.approx(2**61)


def test_bad_shapes_and_tables_are_refused_in_the_callers_words() -> None:
    with pytest.raises(InvalidParameter, match="'flag'"):
        TableShape({"flag": 1})
    with pytest.raises(InvalidParameter, match="columns"):
        TableShape({})
    with pytest.raises(InvalidParameter, match="cells"):
        TableShape({"a": 10**4, "b": 10**4})
    with pytest.raises(InvalidParameter, match="table's"):
        TableShape({"a": 2}, {("b",): [0, 1]})
    with pytest.raises(InvalidParameter, match="sizes"):
        TableShape({"a": 2}, {("a",): [0, 1, 0]})
    with pytest.raises(InvalidParameter, match="possible"):
        TableShape({"a": 2}, {("a",): [1, 1]})
    with pytest.raises(InvalidParameter, match="different"):
        TableShape({"a": 2}, {("a", "a"): [[0, 1], [0, 0]]})
    with pytest.raises(InvalidParameter, match="leave something"):
        StageShares(singles=Fraction(1))
    with pytest.raises(InvalidParameter, match="scores"):
        StageShares(scores=Fraction(0))
    assert StageShares(scores=0.1).rest == Fraction(4, 5)  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="TableShape"):
        TableSynthesiser(shape={"a": 2}, sigma=1)  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="shape"):
        made().measure(lambda _: np.zeros((7,), dtype=np.int64))
    with pytest.raises(InvalidParameter, match="whole"):
        made().measure(lambda kept: np.zeros(SHAPE.sizes_of(kept)))  # type: ignore[arg-type,return-value]
