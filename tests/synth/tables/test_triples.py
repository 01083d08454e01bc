"""Triples: priced as they move, chosen by noisy scores, met by rows, answered with bars, and stored."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from sfumato.accounting import total
from sfumato.accounting.events import Composition, Gaussian
from sfumato.errors import BudgetExceeded, InvalidParameter
from sfumato.mechanisms import GaussianNoise
from sfumato.mechanisms.answers import root
from sfumato.synth.tables import (
    ChainRows,
    ExplicitRows,
    Marginal,
    RowBuilder,
    StageShares,
    TableMeasurements,
    TableShape,
    TableSynthesiser,
    TreeRows,
    Triples,
    answer,
    can_answer,
    measuring,
    plan,
)
from sfumato.synth.tables.implied import ImpliedTriples, implied_triples
from sfumato.synth.tables.triples import candidate_triples, noises_of_triples, precise_enough
from sources import SeededBits
from synthetic_cases import Table, a_table, correlated, distance, marginals_of
from synthetic_tapes import largest_cost, moved_squares, neighbours, taped

SHAPE = TableShape({"a": 3, "b": 2, "c": 4})
WEIGHTED = TableShape({"a": 3, "b": 2, "c": 4}, moved=6, parts=4)
FOUR = TableShape({"a": 4, "b": 2, "c": 6, "d": 3})
NAMED = (("c", "a", "b"),)
BUILDERS: dict[str, RowBuilder] = {"chains": ChainRows(), "explicit": ExplicitRows(), "tree": TreeRows()}


def made(
    shape: TableShape = SHAPE,
    triples: Triples = NAMED,
    *,
    epsilon: Fraction | int = 1,
    shares: StageShares | None = None,
) -> TableSynthesiser:
    return TableSynthesiser.calibrated(shape=shape, epsilon=epsilon, delta=1e-6, shares=shares, triples=triples)


def parity(shape: TableShape = FOUR, rows: int = 20_000) -> Table:
    """Three columns of which no two say anything of each other, and all three everything; the fourth is alone."""
    odd = np.indices(shape.sizes)[:3].sum(axis=0) % 2
    law = np.where(odd == 1, 1.0, 0.0)
    return np.asarray(np.rint(law * rows / law.sum()), dtype=np.int64)


# ---- what was handed out is what was paid for ---------------------------------------------------------------------


@pytest.mark.parametrize("shape", [SHAPE, WEIGHTED, FOUR])
@pytest.mark.parametrize("triples", [True, NAMED], ids=["scored", "named"])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), 1, 10])
def test_the_noise_handed_out_costs_the_price_and_no_more(
    shape: TableShape, triples: Triples, epsilon: Fraction | int
) -> None:
    mechanism = made(shape, triples, epsilon=epsilon)
    measured = mechanism.measure(marginals_of(a_table(shape)), bits=SeededBits(3))
    spent = sum(each.cost for each in measured.handed)
    assert mechanism.squared_mu * Fraction(99, 100) <= spent <= mechanism.squared_mu
    parts = [Gaussian(each.noise.sigma, root(Fraction(each.squared_move))) for each in measured.handed]
    assert total([Composition(parts)]).epsilon(Fraction(1, 10**6)) <= epsilon
    assert total([mechanism.event]).epsilon(Fraction(1, 10**6)) <= epsilon


def test_every_noise_is_handed_out_and_said_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `handed` says is what was really drawn, in any order, scores of triples and triples among them."""
    for triples in (True, NAMED):
        mechanism = made(FOUR, triples, epsilon=10)
        tape = taped(monkeypatch, mechanism, parity(), None)
        measured = mechanism.measure(marginals_of(parity()), bits=SeededBits(11))
        assert measured.measured_triples == ((0, 1, 2),)
        assert sorted(tape.squares) == sorted((each.squared_move, each.noise.sigma**2) for each in measured.handed)


@pytest.mark.parametrize("shape", [SHAPE, WEIGHTED], ids=["rows", "weights"])
@pytest.mark.parametrize("triples", [True, NAMED], ids=["scored", "named"])
def test_every_neighbour_moves_triples_by_what_is_priced_and_scores_by_no_more(
    monkeypatch: pytest.MonkeyPatch, shape: TableShape, triples: Triples
) -> None:
    mechanism, data = made(shape, triples), a_table(shape)
    base = taped(monkeypatch, mechanism, data, None)
    scores = {place for place, said in enumerate(base.exact) if len(said) in (len(shape.pairs), 1)} - {0, 1, 2}
    for count, other in enumerate(neighbours(shape, data)):
        tape = taped(monkeypatch, mechanism, other, base.said)
        assert tape.squares == base.squares
        for place, (moved, (priced, _)) in enumerate(zip(moved_squares(base, tape), base.squares, strict=True)):
            assert moved <= priced
            assert moved == priced or place in scores or count >= shape.cells


@pytest.mark.parametrize("triples", [True, NAMED], ids=["scored", "named"])
@pytest.mark.parametrize("data", [np.zeros(SHAPE.sizes, dtype=np.int64), a_table(SHAPE)], ids=["nobody", "people"])
def test_no_neighbour_costs_more_than_the_price(monkeypatch: pytest.MonkeyPatch, data: Table, triples: Triples) -> None:
    worst, charged = largest_cost(monkeypatch, made(triples=triples), data)
    assert charged * Fraction(9, 10) < worst <= charged


@pytest.mark.parametrize("triples", [True, NAMED], ids=["scored", "named"])
def test_counts_too_large_for_machine_integers_are_counted_all_the_same(
    monkeypatch: pytest.MonkeyPatch, triples: Triples
) -> None:
    data = np.zeros(SHAPE.sizes, dtype=np.int64)
    data[1, 1, 2] = 2**61
    worst, charged = largest_cost(monkeypatch, made(triples=triples), data)
    assert worst <= charged


# ---- broken twins ----------------------------------------------------------------------------------------------------


def test_a_triple_forgotten_in_the_price_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(shape: TableShape, triples: Any, pairs: Any, share: Fraction) -> dict[Marginal, GaussianNoise]:
        noises = noises_of_triples(shape, triples[:1], shape.pairs, share)
        return noises | {(0, 1, 3): noises[triples[0]]}

    monkeypatch.setattr(measuring, "noises_of_triples", forgetful)
    with pytest.raises(BudgetExceeded):
        made(FOUR, (("a", "b", "c"), ("a", "b", "d"))).measure(marginals_of(parity()), bits=SeededBits(1))


def test_a_triple_priced_as_its_first_pair_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def of_a_pair(sizes: tuple[int, ...]) -> int:
        return math.prod(size * (size - 1) for size in sizes[:2])

    for module in (measuring, plan):
        monkeypatch.setattr(module, "squared_move", of_a_pair)
    worst, charged = largest_cost(monkeypatch, made(), a_table(SHAPE))
    assert worst > charged * Fraction(11, 10)


def test_a_share_of_triples_that_is_added_twice_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    before = property(lambda self: 1 - self.total - self.singles - self.scores)
    monkeypatch.setattr(StageShares, "rest", before)
    worst, charged = largest_cost(monkeypatch, made(), a_table(SHAPE))
    assert worst > charged * Fraction(11, 10)


def test_scores_of_triples_at_the_price_of_one_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    shape = TableShape({"a": 2, "b": 2, "c": 2, "d": 2, "e": 2})
    many = StageShares(triple_scores=Fraction(3, 5), triples=Fraction(1, 10))
    monkeypatch.setattr(measuring, "squared_score_move", lambda marginals: 64**2)
    mechanism = made(shape, True, shares=many)
    worst, charged = largest_cost(monkeypatch, mechanism, np.zeros(shape.sizes, dtype=np.int64))
    assert worst > charged * 2


def test_scores_of_triples_left_out_of_what_was_handed_out_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = made(FOUR, True, epsilon=10)
    tape = taped(monkeypatch, mechanism, parity(), None)
    whole = mechanism.measure(marginals_of(parity()), bits=SeededBits(11))
    twin = TableMeasurements(whole.shape, whole.sigma, whole.residuals, whole.scores)
    assert len(twin.handed) == len(tape.squares) - 1
    assert sum(each.cost for each in twin.handed) < mechanism.squared_mu * Fraction(99, 100)


# ---- which, and when: public beforehand, noisy afterwards ------------------------------------------------------------


def test_whether_triples_are_measured_follows_from_the_price_or_the_callers_word() -> None:
    for epsilon, on in ((Fraction(1, 10), False), (1, False), (10, True)):
        mechanism = TableSynthesiser.calibrated(shape=FOUR, epsilon=epsilon, delta=1e-9)
        assert bool(mechanism.candidates) == on == bool(mechanism.shares.triples)
        assert mechanism.shares.rest + mechanism.shares.triples + mechanism.shares.triple_scores == Fraction(87, 100)
    assert made(FOUR, False, epsilon=10).candidates == ()
    assert len(made(FOUR, True).candidates) == 4
    assert made(FOUR, NAMED).shares.triple_scores == 0
    mine = StageShares(triple_scores=Fraction(1, 50), triples=Fraction(1, 4))
    assert made(FOUR, None, shares=mine).shares == mine
    assert made(FOUR, False, shares=mine).shares.rest == StageShares().rest
    assert made(TableShape({"a": 2, "b": 9}), True).shares == StageShares()
    assert precise_enough(FOUR, Fraction(1))
    assert not precise_enough(TableShape(FOUR.columns, moved=2), Fraction(1)), (
        "a person of two rows needs twice as much"
    )
    assert precise_enough(TableShape(FOUR.columns, moved=3, parts=3), Fraction(1))


def test_candidates_are_few_and_small_and_the_smallest() -> None:
    wide = TableShape({f"x{place}": 2 + place for place in range(40)})
    kept = candidate_triples(wide)
    cells = [wide.cells_of(triple) for triple in kept]
    assert len(kept) <= 600
    assert sum(cells) <= 2**22
    left = [wide.cells_of(triple) for triple in combinations(range(40), 3) if triple not in set(kept)]
    assert max(cells) <= min(left)
    assert candidate_triples(TableShape({"a": 60, "b": 60, "c": 60})) == ()


@pytest.mark.parametrize("triples", [None, True, False, NAMED])
@pytest.mark.parametrize("epsilon", [1, 10])
def test_every_marginal_that_is_asked_for_was_said_beforehand(triples: Triples, epsilon: int) -> None:
    mechanism, asked = made(FOUR, triples, epsilon=epsilon), set[Marginal]()

    def counted(marginal: Marginal) -> Table:
        asked.add(marginal)
        return marginals_of(parity())(marginal)

    mechanism.measure(counted, bits=SeededBits(1))
    assert asked <= set(mechanism.marginals)
    assert len(set(mechanism.marginals)) == len(mechanism.marginals)
    assert {len(marginal) for marginal in asked} == {0, 1, 2} | ({3} if mechanism.candidates else set())


def worth(law: Callable[[np.random.Generator], Table], releases: int) -> list[tuple[Marginal, ...]]:
    found = list[tuple[Marginal, ...]]()
    for seed in range(releases):
        data = law(np.random.default_rng(seed))
        measured = made(FOUR, True, epsilon=10).measure(marginals_of(data), bits=SeededBits(seed))
        found.append(measured.measured_triples)
    return found


def sampled(law: Any) -> Callable[[np.random.Generator], Table]:
    flat = np.asarray(law, dtype=float).ravel()
    return lambda generator: generator.multinomial(20_000, flat / flat.sum()).reshape(FOUR.sizes)


@pytest.mark.parametrize("explicit", [True, False])
def test_a_triple_that_no_pair_shows_is_found_and_chance_is_not(
    monkeypatch: pytest.MonkeyPatch, explicit: bool
) -> None:
    if not explicit:
        monkeypatch.setattr("sfumato.synth.tables.implied.EXPLICIT_CELLS", 0)
    chain = correlated(FOUR).sum(axis=(2, 3), keepdims=True) * np.ones(FOUR.sizes)  # a pair, and columns alone
    assert all(chosen == ((0, 1, 2),) for chosen in worth(sampled(parity()), 10))
    assert not any(worth(sampled(np.ones(FOUR.sizes)), 10))
    assert not any(worth(sampled(chain), 10))

    def without_chance(*given: Any) -> ImpliedTriples:
        said = implied_triples(*given)
        return ImpliedTriples(said.tables, dict.fromkeys(said.chance, 0.0), said.deviation)

    monkeypatch.setattr(measuring, "implied_triples", without_chance)
    assert any(worth(sampled(np.ones(FOUR.sizes)), 10)), "or there was no chance to be fooled by"


def test_where_no_triple_is_worth_it_pairs_are_measured_once_more() -> None:
    mechanism = made(FOUR, True, epsilon=10)
    measured = mechanism.measure(marginals_of(correlated(FOUR)), bits=SeededBits(2))
    assert not measured.measured_triples
    pairs = [each.marginal for each in measured.residuals if len(each.marginal) == 2]
    assert sorted(pairs) == sorted(2 * measured.measured_pairs)


def test_what_is_named_wrongly_is_refused_in_the_callers_words() -> None:
    with pytest.raises(InvalidParameter, match="three different"):
        made(SHAPE, (("a", "b"),))
    with pytest.raises(InvalidParameter, match="three different"):
        made(SHAPE, (("a", "b", "b"),))
    with pytest.raises(InvalidParameter, match="table's"):
        made(SHAPE, (("a", "b", "z"),))
    with pytest.raises(InvalidParameter, match="cells"):
        made(TableShape({"a": 900, "b": 900, "c": 900}), NAMED)
    with pytest.raises(InvalidParameter, match="scores of triples"):
        made(SHAPE, True, shares=StageShares(triples=Fraction(1, 10)))
    with pytest.raises(InvalidParameter, match="scored"):
        StageShares(triple_scores=Fraction(1, 10))
    with pytest.raises(InvalidParameter, match="leave something"):
        StageShares(triples=Fraction(9, 10))
    assert made(SHAPE, (("a", "b", "c"), ["c", "b", "a"])).candidates == ((0, 1, 2),)


# ---- answers ---------------------------------------------------------------------------------------------------------


def three_columns(releases: int) -> list[tuple[float, float, float]]:
    """(error, deviation, 95 % bar) of one question of three columns a release."""
    mechanism, data = made(FOUR, NAMED), parity()
    weights = {"a": [1, 0, 1, 0], "b": [1, 0], "c": [0, 1, 1, 0, 0, 1]}
    truth = float(np.einsum("abcd,a,b,c->", data, weights["a"], weights["b"], weights["c"]))
    found = list[tuple[float, float, float]]()
    for seed in range(releases):
        said = answer(mechanism.measure(marginals_of(data), bits=SeededBits(seed)), weights)
        found.append((said.value - truth, said.deviation, said.error(0.05).alpha))
    return found


def test_bars_of_three_columns_cover_as_often_as_they_say() -> None:
    answers = three_columns(400)
    held = sum(abs(off) <= bar for off, _, bar in answers)
    assert stats.binomtest(held, 400, 0.95).pvalue > 1e-9
    squares = sum((off / deviation) ** 2 for off, deviation, _ in answers)
    assert 1e-9 < stats.chi2.sf(squares, 400) < 1 - 1e-9
    assert stats.chi2.sf(squares * 1.4**2, 400) < 1e-9, "or a triple's noise left out of the bar would pass"
    assert stats.chi2.cdf(squares / 1.4**2, 400) < 1e-9


def test_only_triples_that_were_measured_with_all_their_pairs_have_a_bar() -> None:
    """Pairs of this table say nothing and are not worth their price by themselves; a named triple brings its own."""
    mechanism = made(FOUR, NAMED)
    measured = mechanism.measure(marginals_of(parity()), bits=SeededBits(1))
    assert can_answer(measured, ("b", "c", "a"))
    for names in combinations("abcd", 3):
        assert can_answer(measured, names) == (set(names) == {"a", "b", "c"})
    kept = tuple(each for each in measured.residuals if each.marginal != (0, 1))
    less = TableMeasurements(measured.shape, measured.sigma, kept, measured.scores)
    assert not can_answer(less, ("a", "b", "c"))


# ---- stored ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("triples", [True, NAMED], ids=["scored", "named"])
def test_measurements_with_triples_survive_being_stored(triples: Triples) -> None:
    mechanism = made(FOUR, triples, epsilon=10)
    measured = mechanism.measure(marginals_of(parity()), bits=SeededBits(5))
    document = measured.to_json()
    again = TableMeasurements.from_json(document)
    assert document["format"] == 2
    assert again.digest == measured.digest
    assert again.handed == measured.handed
    assert again.measured_triples == measured.measured_triples == ((0, 1, 2),)
    assert (mechanism.build(again).codes == mechanism.build(measured).codes).all()


def test_documents_without_triples_are_of_the_first_format_and_those_open() -> None:
    measured = made(SHAPE, False).measure(marginals_of(a_table(SHAPE)), bits=SeededBits(5))
    document = measured.to_json()
    assert document["format"] == 1
    assert "triple_scores" not in document
    first: dict[str, Any] = {
        "format": 1,
        "columns": {"a": 2, "b": 2},
        "moved": 1,
        "parts": 1,
        "impossible": [],
        "sigma": "3/2",
        "residuals": [[[], "10", [40]], [[0], "5", [8, -8]], [[1], "5", [0, 0]], [[0, 1], "4", [9, -9, -9, 9]]],
        "scores": [[[0, 1]], "300", [1000]],
    }
    opened = TableMeasurements.from_json(first)
    assert opened.to_json() == first
    assert opened.total == 40
    assert len(opened.handed) == 5
    with pytest.raises(InvalidParameter, match="format"):
        TableMeasurements.from_json({**first, "format": 3})


# ---- rows ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "near"), [("chains", 0.1), ("explicit", 0.02)])
def test_rows_follow_a_triple_that_no_pair_shows(name: str, near: float) -> None:
    data = parity()
    for triples, least, most in ((True, 0.0, near), (False, 0.4, 0.6)):
        mechanism = made(FOUR, triples, epsilon=10)
        rows = mechanism.build(mechanism.measure(marginals_of(data), bits=SeededBits(2)), builder=BUILDERS[name])
        assert least <= distance(rows.table((0, 1, 2)), marginals_of(data)((0, 1, 2))) <= most
        for pair in FOUR.pairs:
            assert distance(rows.table(pair), marginals_of(data)(pair)) < 0.03


def test_a_tree_leaves_triples_out() -> None:
    measured = made(FOUR, NAMED, epsilon=10).measure(marginals_of(parity()), bits=SeededBits(2))
    pairs = tuple(each for each in measured.residuals if len(each.marginal) < 3)
    without = TableMeasurements(FOUR, measured.sigma, pairs, measured.scores)
    for each in (measured, without):
        assert distance(TreeRows().build(each).table((0, 1, 2)), parity().sum(axis=3)) > 0.4


@pytest.mark.parametrize("name", BUILDERS)
def test_triples_that_cannot_be_never_appear_where_they_are_measured(name: str) -> None:
    odd = np.indices((4, 2, 6)).sum(axis=0) % 2 == 0
    shape = TableShape(FOUR.columns, {("a", "b", "c"): odd})
    for triples in (True, NAMED):
        mechanism = made(shape, triples, epsilon=1)
        measured = mechanism.measure(marginals_of(parity()), bits=SeededBits(2))
        rows = mechanism.build(measured, builder=BUILDERS[name])
        assert rows.table((0, 1, 2))[odd].sum() == 0
        assert len(rows) > 10_000
    open_rows = made(FOUR, False, epsilon=1)
    loose = open_rows.build(open_rows.measure(marginals_of(parity()), bits=SeededBits(2)), builder=BUILDERS[name])
    assert loose.table((0, 1, 2))[odd].sum() > 1000, "or nothing was planted"


@pytest.mark.parametrize("name", BUILDERS)
@pytest.mark.parametrize("triples", [True, NAMED], ids=["scored", "named"])
def test_nobody_and_hopeless_noise_still_make_a_table(name: str, triples: Triples) -> None:
    nobody = np.zeros(FOUR.sizes, dtype=np.int64)
    for epsilon in (Fraction(1, 1000), 1):
        mechanism = made(FOUR, triples, epsilon=epsilon)
        measured = mechanism.measure(marginals_of(nobody), bits=SeededBits(2))
        assert len(mechanism.build(measured, builder=BUILDERS[name])) >= 1
