"""Who is played against: a filter, a ledger, and broken twins of both; and what each of them promises."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sfumato.accounting import Filter, PureFilter, RDPFilter, ZCDPFilter, conversion, total
from sfumato.accounting.events import Event
from sfumato.audit.game import Keeper, Move, greatest_advantage
from sfumato.audit.targets import Claim
from sfumato.errors import BudgetExceeded, InvalidParameter
from sfumato.exact.parameters import amount
from sfumato.ledger import Budget, Ledger, Receipt, SqliteLedger

DELTAS = (0.001, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3)
"""The δ of which a budget that promises a curve is held to the one that leaves an adversary least."""
_ASKED = "adversary"


# ---- what is promised ----------------------------------------------------------------------------------------


def _pair(budget: PureFilter | RDPFilter) -> Claim:
    return Claim(float(amount("epsilon", budget.epsilon)), float(amount("delta", budget.delta)))


def _zcdp(budget: ZCDPFilter) -> Claim:
    rho, failures = float(amount("rho", budget.rho)), float(amount("delta", budget.delta))
    claims = [Claim(conversion.zcdp_to_dp_improved(rho, delta), delta + failures) for delta in DELTAS]
    return min(claims, key=lambda claim: greatest_advantage(claim.epsilon, claim.delta))


PROMISES: tuple[tuple[type, Callable[[Any], Claim]], ...] = (
    (PureFilter, _pair),
    (ZCDPFilter, _zcdp),
    (RDPFilter, _pair),
)
"""The (ε, δ) that each kind of filter promises of everything it ever lets through."""


def promised(budget: Filter) -> Claim:
    """What a filter promises.

    >>> promised(PureFilter(1))
    Claim(epsilon=1.0, delta=0.0)
    """
    for kind, promise in PROMISES:
        if isinstance(budget, kind):
            return promise(budget)
    raise InvalidParameter("budget", "must be a filter whose promise is known, got", type(budget).__name__)


# ---- who keeps it --------------------------------------------------------------------------------------------


class FilterKeeper:
    """A hidden bit under a filter: charged first, then drawn."""

    def __init__(self, bit: int, budget: Filter) -> None:
        self._bit, self._budget = bit, budget

    def ask(self, move: Move) -> object:
        """The output, once the filter has let it through; what has no price in its currency is refused as well."""
        try:
            self._budget = self._budget.spend(move.mechanism.event)
        except InvalidParameter as error:
            raise BudgetExceeded("the event has no price in the budget's currency") from error
        return move.mechanism.release(move.database(self._bit))


def filter_keepers(budget: Filter) -> Callable[[int], Keeper]:
    """Keepers of either bit, each with the whole budget."""
    return lambda bit: FilterKeeper(bit, budget)


class LedgerKeeper:
    """A hidden bit under a ledger: reserved, drawn, settled."""

    def __init__(self, bit: int, ledger: Ledger, dataset: str) -> None:
        self._bit, self._ledger, self._dataset, self._asked = bit, ledger, dataset, 0

    def ask(self, move: Move) -> object:
        """The output, once the charge is durable."""
        self._asked += 1
        key = f"{self._dataset}, question {self._asked}"
        outcome = self._ledger.reserve(
            dataset=self._dataset,
            principal=_ASKED,
            event=move.mechanism.event,
            request_hash=sha256(key.encode()).hexdigest(),
            idempotency_key=key,
            data_version="1",
        )
        if not isinstance(outcome, Receipt):
            raise BudgetExceeded("the ledger refuses")
        answer = move.mechanism.release(move.database(self._bit))
        self._settle(outcome, answer)
        return answer

    def _settle(self, receipt: Receipt, answer: Any) -> None:
        self._ledger.settle(receipt, answer)


@contextmanager
def ledger_keepers(budget: Budget, kind: type[LedgerKeeper] = LedgerKeeper) -> Generator[Callable[[int], Keeper]]:
    """Keepers of either bit on one ledger in a folder that is gone afterwards, each play with a dataset of its own."""
    plays = count(1)
    with TemporaryDirectory() as folder, SqliteLedger(Path(folder) / "game.ledger") as ledger:

        def make(bit: int) -> Keeper:
            dataset = f"play {next(plays)}"
            ledger.register(dataset, budget)
            ledger.grant(dataset, _ASKED, budget)
            return kind(bit, ledger, dataset)

        yield make


# ---- broken twins --------------------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 12)
def _delta_of(events: tuple[Event, ...], epsilon: float) -> float:
    return total(events).delta(epsilon)


@dataclass(frozen=True)
class TotalAsFilter:
    """Broken: whatever keeps the tight total of a list within (ε, δ) is let through.

    The total holds for lists fixed up front. Here each branch of the answers has a list of its own, and each is charged
    as if it were the only one.
    """

    epsilon: float
    delta: float
    spent: tuple[Event, ...] = ()

    def admits(self, event: Event, times: int = 1) -> bool:
        """Whether the list with the event is within (ε, δ)."""
        return _delta_of((*self.spent, *[event] * times), self.epsilon) <= self.delta

    def spend(self, event: Event, times: int = 1) -> "TotalAsFilter":
        """The list with the event."""
        if not self.admits(event, times):
            raise BudgetExceeded("the list would cost more than the total")
        return replace(self, spent=(*self.spent, *[event] * times))


@dataclass(frozen=True)
class Forgetful:
    """Broken: a filter that charges the first question and forgets to charge those after it."""

    of: Filter
    charged: Filter | None = None

    def admits(self, event: Event, times: int = 1) -> bool:
        """What the filter said at first."""
        return self.of.admits(event, times)

    def spend(self, event: Event, times: int = 1) -> "Forgetful":
        """The filter after its first charge, for ever."""
        after = self.of.spend(event, times)
        return Forgetful(self.of, self.charged or after)


class RefundingKeeper(LedgerKeeper):
    """Broken: gives the charge back after the answer is out."""

    def _settle(self, receipt: Receipt, answer: Any) -> None:
        self._ledger.refund(receipt, reason="nobody will know")
