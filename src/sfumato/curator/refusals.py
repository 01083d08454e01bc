"""Why the ledger refuses, in the words of the question's price: every budget that does, and not the first alone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato.accounting.events import Event
from sfumato.curator import words
from sfumato.errors import BudgetExceeded, InvalidQuestion, Locked, SfumatoError
from sfumato.ledger import Balance, Refused


@dataclass(frozen=True, slots=True)
class Shortfall:
    """A budget that does not hold what a question costs."""

    dataset: str
    group: str
    """A name for several datasets of the same people that share a cap; nothing for a cap of one."""
    principal: str
    period: str
    currency: str
    """What the budget counts in; `delta` where δ is what is missing."""
    cost: Fraction | None
    """What the question costs in the currency; None if it has no price in it."""
    left: Fraction


def shortfalls(balances: Iterable[Balance], event: Event) -> tuple[Shortfall, ...]:
    """Every budget that has no room for an event, from what is left of each."""
    found: list[Shortfall] = []
    for each in balances:
        cost = event.zcdp() if each.currency.startswith("zcdp") else event.pure()
        whose, delta_left = (each.dataset, "", each.principal, each.period), each.delta_cap - each.delta_spent
        if cost is None or cost > each.remaining:
            found.append(Shortfall(*whose, each.currency, cost, each.remaining))
        if event.extra_delta() > delta_left:
            found.append(Shortfall(*whose, "delta", event.extra_delta(), delta_left))
    return tuple(found)


def error_of(refused: Refused, short: Sequence[Shortfall]) -> SfumatoError:
    """The error that a refusal is to an analyst."""
    if refused.reason == "locked":
        return Locked(
            f"{refused.problem}, and none is answered until the owner has looked",
            hint="the owner looks into it, then runs: sfumato owner unlock",
        )
    if refused.reason != "budget":
        return InvalidQuestion(refused.problem, hint=refused.hint)
    known = [each for each in short if each.cost is not None]
    problem, hint = words.too_dear(known) if known else (refused.problem, refused.hint)
    return BudgetExceeded(problem, hint=hint, shortfalls=tuple(short))
