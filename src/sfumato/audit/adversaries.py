"""Adversaries of the adaptive game, and the games that are played: budgets that hold, and broken ones beside them.

Each adversary chooses databases, mechanisms and parameters from what was answered before, and none of them minds
being refused: a refusal is free, so it asks for less until something is let through.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from sfumato.accounting import PureFilter, RDPFilter, ZCDPFilter, events
from sfumato.audit.game import PLAYS, Adversary, GameFinding, Move, View, game
from sfumato.audit.keepers import (
    Forgetful,
    LedgerKeeper,
    RefundingKeeper,
    TotalAsFilter,
    filter_keepers,
    ledger_keepers,
    promised,
)
from sfumato.audit.targets import Claim
from sfumato.core import Neighbours, Norm
from sfumato.errors import BrokenAudit
from sfumato.exact import bernoulli
from sfumato.ledger import Budget
from sfumato.mechanisms import DiscreteGaussian, Geometric, RandomizedResponse

_ONE = Neighbours().histogram(Norm.L1)
_ONE_L2 = Neighbours().histogram(Norm.L2)


# ---- moves ---------------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def response(epsilon: Fraction) -> Move:
    """A private bit by randomised response at ε."""
    return Move(0, 1, RandomizedResponse(epsilon=epsilon), lambda said: float(epsilon) * (1 if said == 1 else -1))


@lru_cache(maxsize=1024)
def noisy_count(epsilon: Fraction, people: int) -> Move:
    """A count with one person more or less, by geometric noise at ε."""
    return Move(
        people,
        people + 1,
        Geometric(epsilon=epsilon, sensitivity=_ONE),
        lambda said: float(epsilon) * (abs(said - people) - abs(said - people - 1)),
    )


@lru_cache(maxsize=1024)
def normal_count(sigma: Fraction, people: int) -> Move:
    """A count with one person more or less, by discrete Gaussian noise."""
    return Move(
        people,
        people + 1,
        DiscreteGaussian(sigma=sigma, sensitivity=_ONE_L2),
        lambda said: float((2 * (said - people) - 1) / (2 * sigma * sigma)),
    )


@dataclass(frozen=True)
class Reveal:
    """The bit itself with probability δ, and nothing otherwise: (0, δ)-private, and not a bit more."""

    delta: Fraction

    @property
    def event(self) -> events.Event:
        """(0, δ)."""
        return events.Approximate(0, self.delta)

    def release(self, exact: int) -> int | None:
        """The bit, rarely."""
        return int(exact) if bernoulli(self.delta) else None


@lru_cache(maxsize=256)
def reveal(delta: Fraction) -> Move:
    """A private bit, told as it is with probability δ."""
    return Move(0, 1, Reveal(delta), lambda said: 0.0 if said is None else math.inf * (1 if said else -1))


# ---- adversaries ---------------------------------------------------------------------------------------------


_RUNGS = 5


def _down(view: View, make: Callable[[Fraction], Move], dearest: Fraction) -> Move | None:
    """A move at half the price of the one just refused, the dearest after an answer; None where all were refused."""
    return make(dearest / 2**view.refusals) if view.refusals < _RUNGS else None


def gambler(stake: Fraction) -> Adversary:
    """Responses at half of what is at stake while ahead, and at all of it while behind; less where that is refused."""

    def move(view: View) -> Move | None:
        return _down(view, response, stake if view.evidence <= 0 else stake / 2)

    return Adversary("the gambler", "stakes more while behind", move)


def hammer(stake: Fraction) -> Adversary:
    """The same response again and again, for as long as it is given."""
    return Adversary("the hammer", "asks the same again", lambda view: None if view.refusals else response(stake))


def counter(stake: Fraction) -> Adversary:
    """Counts of groups whose size is the last answer, dearer the more the answers disagree."""

    def move(view: View) -> Move | None:
        people = abs(int(view.answers[-1].answer)) % 1000 if view.answers else 17
        dearest = stake if abs(view.evidence) < float(stake) else stake / 3
        return _down(view, lambda epsilon: noisy_count(epsilon, people), dearest)

    return Adversary("the counter", "asks about groups that the last answer named", move)


def sharpener(sigma: Fraction) -> Adversary:
    """Gaussian counts, with less noise the nearer the evidence is to nothing; more where that is refused."""

    def move(view: View) -> Move | None:
        people = abs(int(view.answers[-1].answer)) % 1000 if view.answers else 17
        narrowest = sigma if abs(view.evidence) < 0.5 else 2 * sigma
        return _down(view, lambda precision: normal_count(1 / precision, people), 1 / narrowest)

    return Adversary("the sharpener", "asks with less noise while it knows little", move)


def splitter(epsilon: Fraction, delta: Fraction) -> Adversary:
    """All of ε on one response; then, by what it said, either more of the same or a bit that is rarely told.

    Each of the two lists is within (ε, δ). A total that prices them apart pays δ once for both.
    """
    nearly = delta * Fraction(999, 1000)  # a float total rounds δ itself up

    def move(view: View) -> Move | None:
        if not view.answers:
            return _down(view, response, epsilon)
        if len(view.answers) > 1:
            return None
        return _down(view, response, 2 * epsilon) if view.evidence > 0 else _down(view, reveal, nearly)

    return Adversary("the splitter", "buys one thing if ahead and another if behind", move, sure=float(epsilon))


# ---- the games -----------------------------------------------------------------------------------------------

HALF, MOST = Fraction(1, 2), Fraction(3, 10)
GAMBLER, HAMMER, COUNTER = gambler(Fraction(1)), hammer(Fraction(1)), counter(Fraction(1))
SHARPENER, SPLITTER = sharpener(Fraction(2)), splitter(HALF, MOST)
PURE, ZCDP, RENYI = PureFilter(1), ZCDPFilter(Fraction(1, 8)), RDPFilter(2, Fraction(1, 20), (4.0, 8.0, 16.0))
Budgeted = PureFilter | ZCDPFilter | RDPFilter
GAMES: tuple[tuple[Adversary, str, Budgeted], ...] = (
    (GAMBLER, "a pure filter", PURE),
    (COUNTER, "a pure filter", PURE),
    (SPLITTER, "a pure filter with a δ", PureFilter(HALF, MOST)),
    (GAMBLER, "a zCDP filter", ZCDP),
    (SHARPENER, "a zCDP filter", ZCDP),
    (SPLITTER, "a zCDP filter with a δ", ZCDPFilter(Fraction(1, 8), MOST)),
    (GAMBLER, "a Rényi filter", RENYI),
    (SHARPENER, "a Rényi filter", RENYI),
    (SPLITTER, "a Rényi filter with a δ", RDPFilter(2, 2 * MOST, (4.0, 8.0, 16.0))),
)
"""Who plays against which filter."""
_ON_LEDGER: tuple[tuple[Adversary, Budgeted], ...] = ((GAMBLER, PURE), (COUNTER, PURE), (SHARPENER, ZCDP))
_FEWER, _FEW_ROUNDS = 10, 13  # where a play takes long: a tenth of the plays (a Rényi curve), short ones (a ledger)


def games(plays: int = PLAYS) -> Iterator[GameFinding]:
    """Every adversary against the filters it suits, and against a ledger with the same budgets."""
    fewer = max(1, plays // _FEWER)
    for adversary, name, budget in GAMES:
        often = fewer if isinstance(budget, RDPFilter) else plays
        yield game(adversary, filter_keepers(budget), promised(budget), keeper=name, plays=often)
    for adversary, budget in _ON_LEDGER:
        yield on_ledger(adversary, budget, plays=max(1, fewer // 4))


def broken_games(plays: int = PLAYS) -> Iterator[GameFinding]:
    """Each broken budget against an adversary that breaks it."""
    fewer = max(1, plays // _FEWER)
    claim = Claim(float(HALF), float(MOST))
    twin = filter_keepers(TotalAsFilter(claim.epsilon, claim.delta))
    yield game(SPLITTER, twin, claim, keeper="a total used as a filter", plays=plays)
    budgets: dict[str, Budgeted] = {"a pure filter": PURE, "a zCDP filter": ZCDP, "a Rényi filter": RENYI}
    for name, budget in budgets.items():
        adversary = hammer(HALF) if isinstance(budget, ZCDPFilter) else HAMMER
        keeper = f"{name} that forgets charges"
        yield game(adversary, filter_keepers(Forgetful(budget)), promised(budget), keeper=keeper, plays=fewer)
    few = max(1, fewer // 6)
    yield on_ledger(HAMMER, PURE, plays=few, kind=RefundingKeeper, name="a ledger that gives charges back")


def on_ledger(
    adversary: Adversary,
    budget: Budgeted,
    *,
    plays: int,
    kind: type[LedgerKeeper] = LedgerKeeper,
    name: str = "a ledger",
) -> GameFinding:
    """The game against a ledger with the budget of a filter."""
    with ledger_keepers(Budget.of(budget), kind) as make:
        return game(adversary, make, promised(budget), keeper=name, plays=plays, rounds=_FEW_ROUNDS)


def play_all(plays: int = PLAYS) -> tuple[tuple[GameFinding, ...], tuple[GameFinding, ...]]:
    """The controls and the games; BrokenAudit where a broken budget was not passed."""
    controls = tuple(broken_games(plays))
    missed = [finding.name for finding in controls if not finding.convicted]
    if missed:
        raise BrokenAudit(
            f"the games' controls failed, so nothing is reported: not caught: {', '.join(missed)}",
            hint="play more often: draws=… on either bit",
        )
    return controls, tuple(games(plays))
