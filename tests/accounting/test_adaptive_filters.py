"""An adversary who chooses every mechanism by the answers so far never passes a filter, along any branch.

The adversary asks randomised responses and leaks of any ε and δ; each branch of answers has a budget of its own and its
probability under both databases, so what the whole strategy gives away is known exactly.
"""

import math
import tempfile
import uuid
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from ledger_cases import ask
from sfumato.accounting import PureFilter, RDPFilter, ZCDPFilter, total
from sfumato.accounting import events as e
from sfumato.accounting.conversion import zcdp_to_dp_improved
from sfumato.errors import BudgetExceeded
from sfumato.ledger import Budget, Receipt, SqliteLedger


@dataclass(frozen=True)
class Branch:
    """Answers so far: their probability under either database, the budget that is left, whether a bit was leaked."""

    p: float
    q: float
    budget: Any
    asked: tuple[e.Event, ...] = ()
    over: bool = False


def after(branch: Branch, event: e.Event) -> list[Branch]:
    """The branches after the event at its worst: randomised response, and with its δ an answer that tells all."""
    budget = branch.budget.spend(event)
    epsilon, delta = float(event.pure() or 0), float(event.extra_delta())
    up = (1 - delta) / (1 + math.exp(-epsilon))
    asked = (*branch.asked, event)
    split = [
        replace(branch, p=branch.p * first, q=branch.q * second, budget=budget, asked=asked)
        for first, second in ((up, 1 - delta - up), (1 - delta - up, up))
    ]
    if delta:
        split.append(Branch(branch.p * delta, 0.0, budget, asked, over=True))
        split.append(Branch(0.0, branch.q * delta, budget, asked, over=True))
    return split


def delta_of(branches: list[Branch], epsilon: float) -> float:
    """The least δ at ε, over both directions."""
    return max(
        math.fsum(max(0.0, a - math.exp(epsilon) * b) for a, b in pairs)
        for pairs in ([(x.p, x.q) for x in branches], [(x.q, x.p) for x in branches])
    )


FILTERS = {
    "pure": (lambda: PureFilter(Fraction(3, 2)), [(1.5, 0.0)]),
    "approximate": (lambda: PureFilter(1, Fraction(1, 20)), [(1.0, 0.05)]),
    "zcdp": (lambda: ZCDPFilter(Fraction(1, 3)), [(zcdp_to_dp_improved(1 / 3, d), d) for d in (1e-6, 1e-3, 0.05, 0.3)]),
    "zcdp with failures": (
        lambda: ZCDPFilter(Fraction(1, 3), Fraction(1, 50)),
        [(zcdp_to_dp_improved(1 / 3, d), d + 0.02) for d in (1e-3, 0.05, 0.3)],
    ),
    "renyi": (lambda: RDPFilter(3, Fraction(1, 10)), [(3.0, 0.1)]),
}
EPSILONS = [Fraction(x) for x in (Fraction(1, 50), Fraction(1, 10), Fraction(1, 4), Fraction(1, 2), 1, Fraction(3, 2))]
DELTAS = [Fraction(0), Fraction(0), Fraction(1, 1000), Fraction(1, 100), Fraction(1, 20)]


class Adversary(RuleBasedStateMachine):
    """Every step, each branch asks what it likes, if its own budget admits that."""

    most_branches = 3000

    @initialize(name=st.sampled_from(sorted(FILTERS)))
    def start(self, name: str) -> None:
        make, self.promises = FILTERS[name]
        self.branches = [Branch(1.0, 1.0, make())]  # type: ignore[no-untyped-call]

    @rule(data=st.data())
    def ask(self, data: st.DataObject) -> None:
        if len(self.branches) > self.most_branches:
            return
        menu = data.draw(
            st.lists(st.tuples(st.sampled_from(EPSILONS), st.sampled_from(DELTAS)), min_size=1, max_size=6)
        )
        found: list[Branch] = []
        for branch in self.branches:
            # what is asked depends on the answers: by the loss so far, ordered as the adversary likes
            loss = 0.0 if branch.over or not branch.q or not branch.p else math.log(branch.p / branch.q)
            epsilon, delta = menu[math.floor(abs(loss) * 7 + (3 if loss > 0 else 0)) % len(menu)]
            event = e.Approximate(epsilon, delta) if delta else e.RandomizedResponse(epsilon)
            if branch.over:
                found.append(branch)
            elif branch.budget.admits(event):
                found += after(branch, event)
            else:
                with pytest.raises(BudgetExceeded):
                    branch.budget.spend(event)
                found.append(branch)
        self.branches = found

    @invariant()
    def nothing_more_is_given_away_than_was_promised(self) -> None:
        for epsilon, delta in getattr(self, "promises", []):
            assert delta_of(self.branches, epsilon) <= delta * (1 + 1e-9) + 1e-12


class AgainstTheLedger(Adversary):
    """The same with each branch's charges in a ledger: a dataset a branch, with all that the branch has asked."""

    most_branches = 24

    @initialize(name=st.sampled_from(sorted(FILTERS)))
    def start(self, name: str) -> None:
        make, self.promises = FILTERS[name]
        self.folder = tempfile.TemporaryDirectory()
        self.ledger = SqliteLedger(Path(self.folder.name) / "ledger.db")
        self.branches = [Branch(1.0, 1.0, Charged.opened(self.ledger, Budget.of(make())))]  # type: ignore[arg-type, no-untyped-call]

    def teardown(self) -> None:
        if hasattr(self, "ledger"):
            self.ledger.close()
            self.folder.cleanup()


@dataclass(frozen=True)
class Charged:
    """A dataset of a ledger as a budget that can be copied: a copy is charged for all that was asked before."""

    ledger: SqliteLedger
    budget: Budget
    dataset: str
    spent: tuple[e.Event, ...] = ()

    @classmethod
    def opened(cls, ledger: SqliteLedger, budget: Budget, spent: tuple[e.Event, ...] = ()) -> "Charged":
        dataset = f"branch-{uuid.uuid4().hex}"
        ledger.register(dataset, budget)
        ledger.grant(dataset, "eve", budget)
        for number, event in enumerate(spent):
            assert isinstance(
                ask(ledger, f"{dataset} {number}", event=event, dataset=dataset, principal="eve"), Receipt
            )
        return cls(ledger, budget, dataset, spent)

    def admits(self, event: e.Event) -> bool:
        fresh = Charged.opened(self.ledger, self.budget, self.spent)
        found = ask(self.ledger, f"{fresh.dataset} next", event=event, dataset=fresh.dataset, principal="eve")
        return isinstance(found, Receipt)

    def spend(self, event: e.Event) -> "Charged":
        if not self.admits(event):
            raise BudgetExceeded("refused by the ledger")
        return Charged.opened(self.ledger, self.budget, (*self.spent, event))


AgainstTheLedger.TestCase.settings = settings(
    max_examples=8, stateful_step_count=4, deadline=None, suppress_health_check=list(HealthCheck)
)
TestAgainstTheLedger = AgainstTheLedger.TestCase
Adversary.TestCase.settings = settings(
    max_examples=60, stateful_step_count=9, deadline=None, suppress_health_check=list(HealthCheck)
)
TestAdversary = Adversary.TestCase


# ---- the broken twin: a privacy-loss distribution as a filter -------------------------------------------------------


@dataclass(frozen=True)
class PLDFilter:
    """Admits while the whole accountant's total of the branch stays within (ε, δ): valid for fixed plans alone."""

    epsilon: float
    delta: float
    spent: tuple[e.Event, ...] = ()

    def admits(self, event: e.Event) -> bool:
        return total([*self.spent, event]).epsilon(self.delta) <= self.epsilon

    def spend(self, event: e.Event) -> "PLDFilter":
        assert self.admits(event)
        return replace(self, spent=(*self.spent, event))


def largest(budget: Any, make: Any, most: Fraction) -> e.Event:
    """The dearest event of a kind that the budget admits, to a thousandth."""
    low, high = Fraction(0), most
    while high - low > most / 1000:
        middle = (low + high) / 2
        low, high = (middle, high) if budget.admits(make(middle)) else (low, middle)
    event: e.Event = make(low)
    return event


def adaptive(budget: Any) -> float:
    """δ of the strategy: one coin, then what hurts most for how it fell."""
    first = after(Branch(1.0, 1.0, budget), e.RandomizedResponse(Fraction(1, 2)))
    found: list[Branch] = []
    for branch in first:
        if branch.p > branch.q:  # the loss is high already: one more answer reaches beyond ε
            event = largest(branch.budget, lambda x: e.RandomizedResponse(max(x, Fraction(1, 10**6))), Fraction(3))
        else:  # it is low: only a leak goes beyond
            event = largest(branch.budget, lambda x: e.Approximate(0, x), Fraction(1, 2))
        found += after(branch, event)
    return delta_of(found, 1.0)


def test_a_privacy_loss_distribution_as_a_filter_is_convicted() -> None:
    """Each branch by itself is a plan worth (1, 0.1); together they give away a third more."""
    assert adaptive(PLDFilter(1.0, 0.1)) > 0.13


def test_the_filters_hold_against_the_same_strategy() -> None:
    assert adaptive(PureFilter(1, Fraction(1, 10))) <= 0.1


def test_a_budget_that_forgets_a_charge_is_convicted() -> None:
    @dataclass(frozen=True)
    class Forgetful:
        inner: PureFilter

        def admits(self, event: e.Event) -> bool:
            return self.inner.admits(event)

        def spend(self, event: e.Event) -> "Forgetful":
            self.inner.spend(event)
            return self

    branches = [Branch(1.0, 1.0, Forgetful(PureFilter(Fraction(3, 2))))]
    for _ in range(3):
        branches = [found for branch in branches for found in after(branch, e.RandomizedResponse(1))]
    assert delta_of(branches, 1.5) > 0.1
