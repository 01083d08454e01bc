"""The adaptive game: no adversary passes a filter or a ledger; broken budgets are passed, by sampling and exactly."""

import json
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from sfumato.accounting import PureFilter, RDPFilter, TicketBook, ZCDPFilter, events, total
from sfumato.audit import Adversary, Claim, FilterKeeper, Move, View, game, greatest_advantage, play, promised
from sfumato.audit.adversaries import (
    COUNTER,
    GAMBLER,
    GAMES,
    HALF,
    HAMMER,
    MOST,
    PURE,
    RENYI,
    SHARPENER,
    SPLITTER,
    ZCDP,
    Reveal,
    on_ledger,
    play_all,
    response,
    reveal,
)
from sfumato.audit.game import Turn
from sfumato.audit.keepers import Forgetful, RefundingKeeper, TotalAsFilter, filter_keepers
from sfumato.errors import BrokenAudit, BudgetExceeded, InvalidParameter
from sfumato.mechanisms import RandomizedResponse

pytestmark = pytest.mark.slow

SURE = 1 - 1e-9
TWIN = TotalAsFilter(float(HALF), float(MOST))


# ---- exactly: every branch of the answers -------------------------------------------------------------------


def branches(move: Move, bit: int) -> list[tuple[Any, float]]:
    """The answers to a response or a reveal with their probabilities."""
    if isinstance(move.mechanism, RandomizedResponse):
        truth = 1 / (1 + math.exp(-float(move.mechanism.epsilon)))
        return [(bit, truth), (1 - bit, 1 - truth)]
    assert isinstance(move.mechanism, Reveal)
    delta = float(move.mechanism.delta)
    return [(bit, delta), (None, 1 - delta)]


class Answering:
    """A keeper whose answers are prescribed, with the budget that decides what is let through."""

    def __init__(self, budget: Any, answers: tuple[Any, ...]) -> None:
        self.budget, self.answers, self.given = budget, answers, 0
        self.waiting: Move | None = None

    def ask(self, move: Move) -> Any:
        after = self.budget.spend(move.mechanism.event)
        if self.given == len(self.answers):
            self.waiting = move
            raise _Undecided
        self.budget, self.given = after, self.given + 1
        return self.answers[self.given - 1]


class _Undecided(Exception):
    pass


def views(adversary: Adversary, budget: Any, answers: tuple[Any, ...] = ()) -> Iterator[tuple[View, float, float]]:
    """Every view with its probability on b = 0 and on b = 1 (Survey Definition 5.6, by enumeration)."""
    keeper = Answering(budget, answers)
    try:
        view = play(adversary, keeper)
    except _Undecided:
        assert keeper.waiting is not None
        seen = [answer for bit in (0, 1) for answer, _ in branches(keeper.waiting, bit)]
        for answer in dict.fromkeys(seen):
            yield from views(adversary, budget, (*answers, answer))
        return
    chances = [1.0, 1.0]
    for step in view.answers:
        for bit in (0, 1):
            chances[bit] *= dict(branches(step.move, bit)).get(step.answer, 0.0)
    yield view, chances[0], chances[1]


def true_delta(adversary: Adversary, budget: Any, epsilon: float) -> float:
    """The least δ at which the adversary's views are (ε, δ)-indistinguishable (Survey Definition 5.7)."""
    found = list(views(adversary, budget))
    assert sum(zero for _, zero, _ in found) == pytest.approx(1)
    assert sum(one for _, _, one in found) == pytest.approx(1)
    ahead = sum(max(0.0, one - math.exp(epsilon) * zero) for _, zero, one in found)
    behind = sum(max(0.0, zero - math.exp(epsilon) * one) for _, zero, one in found)
    return max(ahead, behind)


def test_every_view_of_a_filter_is_within_its_promise_and_those_of_a_total_are_not() -> None:
    """δ = 0.3 is promised; the total used as a filter spends 0.40: each branch of the answers pays for itself alone."""
    for budget in (PureFilter(HALF, MOST), RDPFilter(2, 2 * MOST, (4.0, 8.0))):
        claim = promised(budget)
        assert true_delta(SPLITTER, budget, claim.epsilon) <= claim.delta + 1e-12
    assert true_delta(SPLITTER, TWIN, float(HALF)) == pytest.approx(0.4005, abs=0.001)
    both = [[response(HALF), response(2 * HALF)], [response(HALF), reveal(MOST * Fraction(999, 1000))]]
    for moves in both:  # each list by itself is within (ε, δ)
        assert total([move.mechanism.event for move in moves]).delta(float(HALF)) <= MOST


def test_evidence_is_the_likelihood_ratio_of_the_whole_view() -> None:
    found = list(views(SPLITTER, TWIN))
    assert len(found) > 4
    for view, zero, one in found:
        if zero and one:
            assert view.evidence == pytest.approx(math.log(one / zero))
        else:
            assert view.evidence == (math.inf if one else -math.inf)


def test_an_adversary_sees_all_of_its_view_and_the_bit_decides_the_database() -> None:
    seen: list[int] = []

    def move(view: View) -> Move | None:
        seen.append(len(view.steps))
        return None if len(view.steps) == 4 else Move("without", "with", Telling(), lambda _: 0.0)

    for bit, database in ((0, "without"), (1, "with")):
        seen.clear()
        view = play(Adversary("a", "b", move), FilterKeeper(bit, PureFilter(3)))
        assert seen == [0, 1, 2, 3, 4]
        assert [step.answer for step in view.answers] == [database] * 3
        assert [step.refused for step in view.steps] == [False, False, False, True]
        assert view.refusals == 1


class Telling:
    """Tells which database it was given."""

    event = events.Pure(1)

    def release(self, exact: Any) -> Any:
        return exact


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.0), (0.0, 0.2), (1.0, 0.0), (1.0, 0.1), (0.5, 0.3), (5.0, 0.0)])
def test_the_greatest_advantage_is_reached_and_never_passed(epsilon: float, delta: float) -> None:
    """Over all p and q that (ε, δ) allows, by search; the extreme pair p = 1 - q lies on both of its limits."""
    allowed = greatest_advantage(epsilon, delta)
    grow = math.exp(epsilon)
    best = 0.0
    for step in range(2001):
        q = step / 2000
        p = min(1.0, grow * q + delta, 1 - (1 - q - delta) / grow)
        best = max(best, p - q)
        assert p - q <= allowed + 1e-12
    assert best == pytest.approx(allowed, abs=2e-3)
    q = (1 - allowed) / 2
    assert (1 - q) - grow * q == pytest.approx(delta, abs=1e-9)
    assert greatest_advantage(1000.0, 0.5) == 1.0


# ---- by playing ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("adversary", "name", "budget"), GAMES, ids=lambda part: getattr(part, "name", None))
def test_no_adversary_passes_a_filter(adversary: Adversary, name: str, budget: Any) -> None:
    plays = 60 if isinstance(budget, RDPFilter) else 400
    found = game(adversary, filter_keepers(budget), promised(budget), keeper=name, plays=plays, confidence=SURE)
    assert not found.convicted
    assert found.low <= found.advantage <= found.high
    assert found.answers >= 1


def test_delta_is_taken_off_before_a_ratio_is_taken() -> None:
    """A bit that is told with probability 0.3 and on nothing else: within (0.5, 0.3), though the ratio is infinite."""
    teller = Adversary("the teller", "", lambda view: None if view.steps else reveal(MOST), sure=float(HALF))
    found = game(
        teller, filter_keepers(PureFilter(HALF, MOST)), Claim(0.5, 0.3), keeper="x", plays=1000, confidence=SURE
    )
    assert not found.convicted
    assert found.ones_on_zero == 0
    without = game(teller, filter_keepers(PureFilter(HALF, MOST)), Claim(0.5), keeper="x", plays=1000, confidence=SURE)
    assert without.convicted


@pytest.mark.parametrize("adversary", [GAMBLER, COUNTER], ids=lambda adversary: adversary.name)
def test_what_a_pure_filter_allows_is_reached(adversary: Adversary) -> None:
    """The game has teeth: against Σε ≤ 1 the advantage is tanh(1/2), and a claim of half the ε would be refuted."""
    found = game(adversary, filter_keepers(PURE), Claim(0.5), keeper="half of it", plays=2000)
    assert found.convicted
    assert abs(found.advantage - greatest_advantage(1)) < 0.1


def test_a_total_used_as_a_filter_is_passed() -> None:
    """At 5000 plays a miss is six deviations away."""
    claim = Claim(float(HALF), float(MOST))
    found = game(SPLITTER, filter_keepers(TWIN), claim, keeper="a total", plays=5000)
    assert found.convicted
    assert found.bound > float(HALF)
    assert not game(SPLITTER, filter_keepers(PureFilter(HALF, MOST)), claim, keeper="a filter", plays=2000).convicted


@pytest.mark.parametrize("budget", [PURE, ZCDP, RENYI], ids=lambda budget: type(budget).__name__)
def test_a_filter_that_forgets_charges_is_passed(budget: Any) -> None:
    stake = HAMMER if budget is not ZCDP else Adversary("h", "", lambda _: response(HALF))
    found = game(stake, filter_keepers(Forgetful(budget)), promised(budget), keeper="forgetful", plays=250)
    assert found.convicted
    assert Forgetful(budget).admits(events.Pure(Fraction(1, 100)))


@pytest.mark.parametrize(("adversary", "budget"), [(GAMBLER, PURE), (SHARPENER, ZCDP)], ids=["pure", "zCDP"])
def test_no_adversary_passes_a_ledger(adversary: Adversary, budget: Any) -> None:
    found = on_ledger(adversary, budget, plays=20)
    assert not found.convicted
    assert 1 <= found.answers < 13


def test_a_ledger_that_gives_charges_back_is_passed() -> None:
    """It says 1 in 97 % of plays on b = 1 and in 4 % on b = 0: of 150 a miss is rarer than 1e-9 (of 50 it was one in a hundred)."""
    found = on_ledger(HAMMER, PURE, plays=150, kind=RefundingKeeper, name="a sieve")
    assert found.convicted
    assert found.answers == 13


def test_games_that_miss_a_broken_budget_are_not_reported() -> None:
    with pytest.raises(BrokenAudit, match="not caught"):
        play_all(plays=10)


def test_a_finding_is_said_and_written() -> None:
    found = game(GAMBLER, filter_keepers(PURE), promised(PURE), keeper="a filter", plays=50)
    assert "not passed" in str(found)
    assert "allows 0.4621" in str(found)
    assert json.loads(json.dumps(found.to_json(), allow_nan=False))["keeper"] == "a filter"
    told = game(HAMMER, lambda bit: FilterKeeper(bit, Forgetful(PURE)), promised(PURE), keeper="a sieve", plays=300)
    assert "PASSED" in str(told)


def test_promises_are_those_of_the_filters() -> None:
    assert promised(PureFilter(2, Fraction(1, 10))) == Claim(2.0, 0.1)
    assert promised(RDPFilter(3, Fraction(1, 10))) == Claim(3.0, 0.1)
    curve = promised(ZCDPFilter(Fraction(1, 8), Fraction(1, 100)))
    assert greatest_advantage(curve.epsilon, curve.delta) < 0.31
    with pytest.raises(InvalidParameter, match="budget"):
        promised(TicketBook.of([events.Pure(1)], epsilon=1, delta=0))


def test_what_has_no_price_in_a_currency_is_refused_and_tells_nothing() -> None:
    keeper = FilterKeeper(1, PureFilter(10))
    with pytest.raises(BudgetExceeded):
        keeper.ask(SHARPENER.move(View()) or response(HALF))
    silent = Turn(response(HALF), refused=True)
    assert silent.evidence == 0.0
    with pytest.raises(InvalidParameter, match="plays"):
        game(GAMBLER, filter_keepers(PURE), promised(PURE), keeper="x", plays=0)
