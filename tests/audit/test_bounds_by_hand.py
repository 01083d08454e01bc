"""Bounds, sums, forks and time, by arithmetic that can be followed; and the games' pieces."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sfumato.accounting import PureFilter, RDPFilter, ZCDPFilter, events
from sfumato.audit import Claim, Pair, Verdict, check_law, exact_audit, greatest_advantage, hostile, promised
from sfumato.audit.adversaries import (
    Reveal,
    counter,
    gambler,
    hammer,
    noisy_count,
    normal_count,
    response,
    reveal,
    splitter,
)
from sfumato.audit.certify import Ahead, epsilon_at_least, family_power, shares, smallest_violation, wilson
from sfumato.audit.encoding import encode
from sfumato.audit.game import Adversary, Turn, View, _spent, game, play
from sfumato.audit.keepers import (
    FilterKeeper,
    Forgetful,
    RefundingKeeper,
    TotalAsFilter,
    filter_keepers,
    ledger_keepers,
)
from sfumato.audit.laws import plain
from sfumato.audit.leaks import lattice_step
from sfumato.audit.learn import Learned, decades, learn
from sfumato.audit.numeric_specimens import fixed_point_sum, float_sum, wrapping_sum
from sfumato.audit.pairs import Inputs
from sfumato.audit.processes import ForkFinding, TimingFinding, _longer, timing_test
from sfumato.audit.specimens import SPARSE_VECTOR, SPECIMENS, _stopped
from sfumato.audit.sums import SumFinding, sum_sensitivity
from sfumato.audit.targets import target_of
from sfumato.audit.views import Anything, OutputEvent
from sfumato.core import Change
from sfumato.errors import BudgetExceeded, InvalidParameter
from sfumato.exact import BitSource, bernoulli
from sfumato.ledger import Budget

# ---- certified bounds --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("draws", [20, 1000])
def test_equal_counts_and_no_counts_certify_nothing(draws: int) -> None:
    for hits, others in ((0, 0), (draws, draws), (draws // 2, draws // 2), (0, draws)):
        assert epsilon_at_least(hits, others, draws, delta=0, confidence=0.99) == 0


def test_more_hits_more_draws_less_delta_and_less_confidence_certify_more() -> None:
    def bound(hits: int = 400, others: int = 100, draws: int = 1000, delta: float = 0.0, sure: float = 0.99) -> float:
        return float(epsilon_at_least(hits, others, draws, delta=delta, confidence=sure))

    assert bound(hits=500) > bound() > bound(others=150) > 0
    assert bound(4000, 1000, 10_000) > bound() > bound(delta=0.1)
    assert bound(sure=0.9) > bound() > bound(sure=0.9999)
    assert bound(10_000, 2500, 10_000) < math.log(4)  # never above what was seen


def test_shares_use_all_of_the_error_and_no_more() -> None:
    for events_ in range(1, 40):
        parts = shares(events_)
        assert len(parts) == events_
        assert sum(parts) == pytest.approx(1, abs=1e-9)
        assert parts[0] == max(parts)
        assert sum(parts) <= 1 + 1e-9


@pytest.mark.parametrize(("hits", "draws"), [(0, 10), (10, 10), (3, 10), (500, 1000)])
def test_wilsons_limits_enclose_the_share_and_stay_probabilities(hits: int, draws: int) -> None:
    low, high = float(wilson(hits, draws, 2.0)), float(wilson(hits, draws, -2.0))
    assert 0 <= low <= hits / draws <= high <= 1
    assert float(wilson(hits, draws, 0.0)) == pytest.approx(hits / draws)
    p = low
    if hits:  # the equation it solves: (k/n - p)² = z²·p(1 - p)/n
        assert (hits / draws - p) ** 2 == pytest.approx(4 * p * (1 - p) / draws, rel=1e-9)


def test_a_promise_grows_with_what_is_seen_and_shrinks_with_caution() -> None:
    ahead = Ahead(10_000, 1.0, 0.0, 0.999)
    assert float(ahead.promise(400, 40, 1000)) > float(ahead.promise(300, 40, 1000))
    assert float(ahead.promise(400, 40, 1000, 2.0)) < float(ahead.promise(400, 40, 1000, 0.5))
    covered = Ahead(10_000, 1.0, 0.6, 0.999)
    assert float(covered.promise(400, 40, 1000)) < -20  # δ covers all of it


def test_the_chance_to_convict_is_how_much_luck_may_be_taken_away() -> None:
    ahead = Ahead(10_000, 1.0, 0.0, 0.999)
    sure, doubtful, hopeless = (ahead.chance(hits, 100, 1000) for hits in (900, 330, 100))
    assert sure > doubtful > hopeless


def test_what_could_be_found_is_no_less_than_the_claim_and_falls_with_draws() -> None:
    found = [
        smallest_violation(n, epsilon=1, delta=0, confidence=0.99, likelihood=0.3).here for n in (500, 5000, 50_000)
    ]
    assert found[0] > found[1] > found[2] > 1
    assert math.isinf(smallest_violation(5000, epsilon=1, delta=0.5, confidence=0.99, likelihood=0.4).here)
    with pytest.raises(InvalidParameter, match="confidence"):
        smallest_violation(5000, epsilon=1, delta=0, confidence=1, likelihood=0.4)


def test_the_power_of_a_family_is_less_for_rarer_events_and_for_more_of_them() -> None:
    ahead = Ahead(50_000, 1.0, 0.0, 0.999)
    few, many = (family_power(ahead, seen=10_000, events=n) for n in (2, 40))
    finite = [power.epsilon for power in few]
    assert all(a <= b for a, b in itertools.pairwise(finite))
    assert all(a.epsilon <= b.epsilon for a, b in zip(few, many, strict=True))


# ---- learning ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("hits", "decade"), [(1000, 0), (101, 0), (100, 0), (99, 1), (10, 1), (9, 2), (1, 2), (0, 5)])
def test_a_decade_is_how_rare_an_event_is(hits: int, decade: int) -> None:
    learned = Learned(OutputEvent(Anything(), np.ones(1, dtype=np.bool_)), True, True, hits, 0, 1000)
    assert learned.decade == decade
    assert decades(np.array([hits]), 1000).tolist() == [decade]
    assert learned.likelihood == hits / 1000


def test_further_draws_replace_lucky_counts_where_they_are_enough() -> None:
    event = OutputEvent(Anything(), np.ones(1, dtype=np.bool_))
    learned = Learned(event, True, True, 5, 1, 50)
    few = learned.seen_on(encode([0] * 20), encode([0] * 20))
    assert (few.hits, few.others, few.draws) == (25, 21, 70)
    many = learned.seen_on(encode([0] * 200), encode([0] * 200))
    assert (many.hits, many.others, many.draws) == (200, 200, 200)


def test_scattered_cells_must_promise_more_than_a_plain_interval() -> None:
    event = OutputEvent(Anything(), np.ones(1, dtype=np.bool_))
    ahead = Ahead(10_000, 1.0, 0.0, 0.999)
    plain_one, scattered = (Learned(event, True, is_plain, 300, 50, 1000) for is_plain in (True, False))
    assert plain_one.promise(ahead) > scattered.promise(ahead)
    assert plain_one.chance(ahead) == scattered.chance(ahead)


def test_an_event_is_learned_in_the_direction_it_is_likelier_in() -> None:
    rng = np.random.default_rng(5)
    left, right = rng.random(2000) < 0.9, rng.random(2000) < 0.1
    ahead = Ahead(4000, 1.0, 0.0, 0.999)
    for one, other in ((left, right), (right, left)):
        best = learn(encode(one), encode(other), ahead).events[0]
        hits = best.event.count(encode(one if best.first else other))
        assert hits > 5 * best.event.count(encode(other if best.first else one))


# ---- exact laws --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("output", "value"),
    [(np.array([1, 2]), (1, 2)), ([1, "a"], (1, "a")), ({"k": 1}, (("k", 1),)), (3, 3), (None, None)],
)
def test_an_output_is_made_countable(output: Any, value: Any) -> None:
    assert plain(output) == value
    hash(plain(output))


def coin(p: Fraction, q: Fraction) -> Any:
    return lambda bit, bits: bernoulli(p if bit else q, bits=bits)


def test_the_exact_epsilon_of_two_coins_is_enclosed() -> None:
    """p = 3/4, q = 1/2: ln(p/q) = ln 1.5 on heads, ln((1 - q)/(1 - p)) = ln 2 on tails."""
    found = exact_audit(coin(Fraction(3, 4), Fraction(1, 2)), Pair(0, 1), epsilon=1)
    assert found.at_least == pytest.approx(math.log(2))
    assert found.at_most == pytest.approx(math.log(2))
    assert found.verdict is Verdict.PROVED
    assert found.outcomes == 2


@pytest.mark.parametrize(
    ("delta", "verdict"), [(0, Verdict.REFUTED), (Fraction(1, 8), Verdict.REFUTED), (Fraction(1, 4), Verdict.PROVED)]
)
def test_delta_is_what_exceeds_the_ratio(delta: Fraction, verdict: Verdict) -> None:
    """At ε = 0 the coins 3/4 and 1/2 differ by exactly 1/4."""
    found = exact_audit(coin(Fraction(3, 4), Fraction(1, 2)), Pair(0, 1), epsilon=0, delta=delta)
    assert found.verdict is verdict
    assert found.convicted is (verdict is Verdict.REFUTED)


def test_an_outcome_of_one_side_only_is_infinite_and_null_in_json() -> None:
    found = exact_audit(coin(Fraction(1), Fraction(1, 2)), Pair(0, 1), epsilon=50, name="tell-tale")
    document = found.to_json()
    assert found.verdict is Verdict.REFUTED
    assert math.isinf(found.at_least)
    assert document["at_least"] is None
    assert document["verdict"] == "refuted"
    assert document["name"] == "tell-tale"


def test_a_stated_law_that_leaves_an_outcome_out_is_refuted() -> None:
    def three(bits: BitSource) -> int:
        return int(bernoulli(Fraction(1, 2), bits=bits)) + int(bernoulli(Fraction(1, 2), bits=bits))

    def exactly(**shares_: Fraction) -> dict[int, tuple[Fraction, Fraction]]:
        return {int(name[1:]): (p, p) for name, p in shares_.items()}

    half, quarter = Fraction(1, 2), Fraction(1, 4)
    assert check_law(three, exactly(n0=quarter, n1=half, n2=quarter)) is Verdict.PROVED
    assert check_law(three, exactly(n0=quarter, n1=half)) is not Verdict.REFUTED  # a quarter is left for others
    assert check_law(three, exactly(n0=half, n1=half)) is Verdict.REFUTED
    assert check_law(three, exactly(n0=quarter, n1=half, n3=quarter)) is Verdict.REFUTED
    with pytest.raises(InvalidParameter, match="stated"):
        check_law(three, {})


# ---- sums --------------------------------------------------------------------------------------------------------


def test_a_sum_that_drops_a_row_moves_within_and_one_that_doubles_it_does_not() -> None:
    inputs = Inputs(lower=0, upper=100, sensitivity=100)
    assert not sum_sensitivity(lambda rows: 0, inputs).convicted
    doubled = sum_sensitivity(lambda rows: 2 * sum(map(int, rows)), inputs)
    assert doubled.convicted
    assert doubled.moved == 200
    assert "further than" in str(doubled)


def test_a_sum_that_depends_on_order_is_convicted_by_an_order_alone() -> None:
    def first(rows: Any) -> Fraction:
        return Fraction(rows[0]) if rows else Fraction(0)

    found = sum_sensitivity(first, Inputs(lower=0, upper=100, sensitivity=100))
    assert found.convicted
    assert found.allowed == 0


@pytest.mark.parametrize("wrong", [lambda rows: math.nan, lambda rows: math.inf, lambda rows: 1 / (len(rows) - 1)])
def test_what_is_no_number_is_infinitely_far(wrong: Any) -> None:
    found = sum_sensitivity(wrong, Inputs(lower=0, upper=10, sensitivity=10))
    assert found.convicted
    assert "no number" in found.why


@pytest.mark.parametrize("change", list(Change))
def test_the_broken_sums_break_and_the_fixed_point_one_does_not(change: Change) -> None:
    inputs = Inputs(lower=0, upper=100, sensitivity=100, change=change)
    large = Inputs(lower=0, upper=2**30, sensitivity=2**30, change=change)
    assert sum_sensitivity(float_sum, inputs).convicted
    assert sum_sensitivity(wrapping_sum, large).convicted
    assert not sum_sensitivity(fixed_point_sum(0, 100, Fraction(1, 8)), inputs).convicted


def test_a_finding_about_a_sum_says_by_how_much() -> None:
    assert "by 0.5" in str(SumFinding(Fraction(3, 2), Fraction(1), "why", 3))
    assert "within" in str(SumFinding(Fraction(1), Fraction(1), "why", 3))


def test_fixed_point_sums_are_exact_in_any_order_and_clip() -> None:
    add = fixed_point_sum(0, 10, Fraction(1, 4))
    rows = [0.25, 3.5, 9.75, 2.0]
    assert {add(order) for order in itertools.permutations(rows)} == {Fraction(31, 2)}
    assert add([1e9, -5.0]) == 10
    assert add([]) == 0


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ([0.0, 3.0, 9.0], 3.0),
        ([0.5, 0.75, 2.0], 0.25),
        ([1.0, 1.0, 1.0], 0.0),
        ([1.0, 2.0], 0.0),
        ([0.1, 0.2, 0.7], 0.0),
    ],
)
def test_the_step_of_a_lattice(values: list[float], step: float) -> None:
    assert lattice_step(np.array(values)) == step


# ---- forks and time ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("same", "chance", "convicted", "word"),
    [
        (True, 1e-30, True, "THE SAME"),
        (False, 1e-30, False, "noise of their own"),
        (True, 0.5, False, "too little"),
        (False, 0.5, False, "too little"),
    ],
)
def test_a_fork_convicts_only_where_chance_is_out_of_the_question(
    same: bool, chance: float, convicted: bool, word: str
) -> None:
    found = ForkFinding(same, chance)
    assert found.convicted is convicted
    assert word in str(found)


@pytest.mark.parametrize(
    ("one", "other", "share"), [([1, 2], [3, 4], 1.0), ([3, 4], [1, 2], 0.0), ([1], [1], 0.5), ([1, 2], [1, 2], 0.5)]
)
def test_the_rank_statistic_counts_pairs_and_halves_ties(one: list[int], other: list[int], share: float) -> None:
    assert _longer(one, other) == share


def test_time_is_taken_in_turns_and_convicts_at_six_standard_errors() -> None:
    calls: list[Any] = []
    ticks = itertools.count()
    found = timing_test(calls.append, Pair("a", "b"), draws=20, clock=lambda: next(ticks))
    assert calls[:4] == ["b", "a", "a", "b"]
    assert found.longer == 0.5
    assert not found.convicted
    assert "20 calls each" in str(found)
    error = math.sqrt(41 / 4800)
    assert found.standard_error == pytest.approx(error)
    assert TimingFinding(0.5 + 6.1 * error, error, 20).convicted
    assert not TimingFinding(0.5 + 5.9 * error, error, 20).convicted
    assert not TimingFinding(0.54, 1e-6, 20).convicted  # one in twenty at the least
    with pytest.raises(InvalidParameter, match="draws"):
        timing_test(calls.append, Pair(0, 1), draws=19)


# ---- hostile rows ------------------------------------------------------------------------------------------------


def test_an_engine_that_fails_on_one_persons_row_is_convicted_by_that_row_alone() -> None:
    def release(rows: list[Any]) -> int:
        return int(bernoulli(Fraction(1, 2))) + sum(isinstance(row, float) and math.isnan(row) for row in rows)

    target = target_of(release, (Pair([], [0]),), epsilon=1)
    found = hostile(target, Inputs(lower=0, upper=1), draws=1500, confidence=1 - 1e-9)
    assert {why for why, finding in found.items() if finding.convicted} == {"a NaN"}


# ---- games -------------------------------------------------------------------------------------------------------


def test_evidence_of_a_response_is_plus_or_minus_its_epsilon() -> None:
    move = response(Fraction(1, 2))
    assert (move.evidence(1), move.evidence(0)) == (0.5, -0.5)
    assert (move.database(0), move.database(1)) == (0, 1)


@pytest.mark.parametrize("said", [-3, 17, 18, 40])
def test_evidence_of_a_count_is_the_log_ratio_of_its_law(said: int) -> None:
    epsilon, sigma = Fraction(1, 2), Fraction(2)
    geometric = noisy_count(epsilon, 17).evidence(said)
    assert geometric == pytest.approx(-0.5 * (abs(said - 18) - abs(said - 17)))
    normal = normal_count(sigma, 17).evidence(said)
    assert normal == pytest.approx((-((said - 18) ** 2) + (said - 17) ** 2) / (2 * 4))


def test_a_bit_that_is_told_is_certain_and_one_that_is_not_says_nothing() -> None:
    move = reveal(Fraction(1, 3))
    assert [move.evidence(said) for said in (None, 0, 1)] == [0.0, -math.inf, math.inf]
    assert Reveal(Fraction(1, 3)).event == events.Approximate(0, Fraction(1, 3))
    assert {Reveal(Fraction(1)).release(1), Reveal(Fraction(1)).release(0)} == {0, 1}


def test_a_refused_turn_says_nothing_and_refusals_are_counted_since_the_last_answer() -> None:
    move = response(Fraction(1))
    answered, refused = Turn(move, 1), Turn(move, refused=True)
    view = View((answered, refused, refused))
    assert view.evidence == 1.0
    assert view.refusals == 2
    assert len(view.answers) == 1
    assert View((refused, answered)).refusals == 0
    assert View().refusals == 0


def test_adversaries_halve_their_price_when_they_are_refused_and_end() -> None:
    refused = Turn(response(Fraction(1)), refused=True)
    prices = [gambler(Fraction(1)).move(View((refused,) * n)) for n in range(6)]
    costs = [None if move is None else move.mechanism.event.pure() for move in prices]
    assert costs == [1, Fraction(1, 2), Fraction(1, 4), Fraction(1, 8), Fraction(1, 16), None]
    assert hammer(Fraction(1)).move(View((refused,))) is None
    ahead = Turn(response(Fraction(1)), 1)
    move = gambler(Fraction(1)).move(View((ahead,)))
    assert move is not None
    assert move.mechanism.event.pure() == Fraction(1, 2)  # ahead, it stakes half


def test_the_counter_asks_about_the_group_that_the_last_answer_named() -> None:
    first = counter(Fraction(1)).move(View())
    assert first is not None
    assert (first.zero, first.one) == (17, 18)
    then = counter(Fraction(1)).move(View((Turn(first, -1042),)))
    assert then is not None
    assert (then.zero, then.one) == (42, 43)


def test_the_splitter_buys_by_what_it_was_told_and_then_ends() -> None:
    adversary = splitter(Fraction(1, 2), Fraction(3, 10))
    first = adversary.move(View())
    assert first is not None
    ahead, behind = (adversary.move(View((Turn(first, said),))) for said in (1, 0))
    assert ahead is not None
    assert behind is not None
    assert ahead.mechanism.event.pure() == 1
    assert behind.mechanism.event.extra_delta() == Fraction(3, 10) * Fraction(999, 1000)
    assert adversary.move(View((Turn(first, 1), Turn(ahead, 1)))) is None


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (3.0, 0.1), (800.0, 0.0)])
def test_the_greatest_advantage_is_that_of_the_worst_mechanism(epsilon: float, delta: float) -> None:
    """The bit told with probability δ, else randomised response: its advantage is δ + (1 - δ)·tanh(ε/2)."""
    worst = delta + (1 - delta) * math.tanh(epsilon / 2)
    assert greatest_advantage(epsilon, delta) == pytest.approx(min(1.0, worst), abs=1e-12)


def test_what_was_spent_is_shown_by_either_event_and_either_bit() -> None:
    near = (0.5, 0.5)
    assert _spent((0.8, 0.8), near, 0.0) == pytest.approx(math.log(0.5 / 0.2))
    assert _spent(near, (0.8, 0.8), 0.0) == pytest.approx(math.log(0.5 / 0.2))
    assert _spent(near, near, 0.0) == 0
    assert _spent((0.8, 0.8), near, 0.4) == pytest.approx(max(0.0, math.log(0.4 / 0.5), math.log(0.1 / 0.2)))


def test_a_filter_keeper_charges_before_it_draws() -> None:
    drawn: list[int] = []

    class Watched:
        event = events.Pure(1)

        def release(self, exact: Any) -> int:
            drawn.append(exact)
            return int(exact)

    keeper = FilterKeeper(1, PureFilter(1))
    move = response(Fraction(1))
    watched = type(move)(0, 1, Watched(), lambda said: 0.0)
    assert keeper.ask(watched) == 1
    with pytest.raises(BudgetExceeded):
        keeper.ask(watched)
    assert drawn == [1]


def test_a_play_ends_by_the_adversary_or_by_the_rounds() -> None:
    endless = Adversary("endless", "", lambda view: response(Fraction(1, 1000)))
    assert len(play(endless, FilterKeeper(0, PureFilter(10**6)), rounds=7).steps) == 7
    silent = Adversary("silent", "", lambda view: None)
    assert play(silent, FilterKeeper(0, PureFilter(1))).steps == ()
    found = game(silent, filter_keepers(PureFilter(1)), Claim(1), keeper="nobody", plays=3)
    assert (found.ones_on_one, found.ones_on_zero, found.answers) == (0, 0, 0)
    assert found.low <= 0 <= found.high
    assert not found.convicted


def test_broken_twins_let_through_what_they_must_not() -> None:
    pure = events.Pure(1)
    with pytest.raises(BudgetExceeded):
        PureFilter(1).spend(pure).spend(pure)
    forgetful = Forgetful(PureFilter(1)).spend(pure).spend(pure).spend(pure)
    assert forgetful.admits(pure)
    total = TotalAsFilter(1.0, 0.3)
    assert total.admits(pure)
    assert not total.admits(pure, 3)
    with pytest.raises(BudgetExceeded):
        total.spend(pure, 3)


def test_a_refunding_keeper_never_runs_out_and_an_honest_one_does() -> None:
    move = response(Fraction(1))
    with ledger_keepers(Budget.pure(epsilon=1), RefundingKeeper) as make:
        keeper = make(1)
        assert {keeper.ask(move) for _ in range(6)} <= {0, 1}
    with ledger_keepers(Budget.pure(epsilon=1)) as make:
        keeper = make(1)
        keeper.ask(move)
        with pytest.raises(BudgetExceeded, match="ledger refuses"):
            keeper.ask(move)


def test_each_filter_promises_what_it_keeps_and_a_stranger_nothing() -> None:
    assert promised(PureFilter("0.5", "0.1")) == Claim(0.5, 0.1)
    assert promised(RDPFilter(2, Fraction(1, 20))) == Claim(2, 0.05)
    zcdp = promised(ZCDPFilter(Fraction(1, 8)))
    assert 0 < zcdp.epsilon < 2
    assert promised(ZCDPFilter(Fraction(1, 2))).epsilon > zcdp.epsilon
    with pytest.raises(InvalidParameter, match="promise is known"):
        promised(Forgetful(PureFilter(1)))


# ---- specimens ---------------------------------------------------------------------------------------------------


def test_a_run_stops_after_its_last_top() -> None:
    above = np.array([[True, False, True, True, False]])
    assert _stopped(above, 2).tolist() == [[1, 0, 1, -1, -1]]
    assert _stopped(above, 1).tolist() == [[1, -1, -1, -1, -1]]
    assert _stopped(above, None).tolist() == [[1, 0, 1, 1, 0]]


@pytest.mark.parametrize("number", SPARSE_VECTOR)
def test_a_variant_says_no_more_tops_than_its_cutoff(number: int) -> None:
    variant = SPARSE_VECTOR[number]
    said = np.asarray(variant.release(Fraction(1))([5.0] * 6, 200), dtype=np.float64)
    tops = (~np.isnan(said) if variant.values else said == 1).sum(axis=1)
    assert tops.max() <= (variant.cutoff or 6)
    assert bool(tops.max() > 2) is (variant.cutoff is None)


@pytest.mark.parametrize("specimen", SPECIMENS, ids=lambda specimen: specimen.name)
def test_a_specimen_gives_as_many_outputs_as_asked_for_on_its_own_inputs(specimen: Any) -> None:
    target = specimen.target(1)
    assert target.name == specimen.name
    assert target.claim == Claim(1)
    for pair in target.pairs[:2]:
        assert len(target.draw(pair.left, 7)) == len(target.draw(pair.right, 7)) == 7
