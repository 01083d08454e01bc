"""Why the ledger refuses, in the words of the question's price: every budget that does, and not the first alone."""

from collections.abc import Iterable

from sfumato import ledger
from sfumato.curator import words
from sfumato.errors import BudgetExceeded, InvalidQuestion, Locked, SfumatoError
from sfumato.ledger import Refused
from sfumato.ledger.outcomes import MissingAmount


def shortfalls(found: Iterable[ledger.Shortfall]) -> tuple[MissingAmount, ...]:
    """Every budget that refused, one line for each amount that is missing."""
    short: list[MissingAmount] = []
    for each in found:
        whose = (each.dataset, each.group, each.principal, each.period)
        if each.cost is None or each.cost > each.left:
            short.append(MissingAmount(*whose, each.currency, each.cost, each.left))
        if each.delta_left is not None:
            short.append(MissingAmount(*whose, "delta", each.delta_cost, each.delta_left))
    return tuple(short)


def error_of(refused: Refused) -> SfumatoError:
    """The error that a refusal is to an analyst."""
    if refused.reason == "locked":
        return Locked(
            f"{refused.problem}, and none is answered until the owner has looked",
            hint="the owner looks into it, then runs: sfumato owner unlock",
        )
    if refused.reason != "budget":
        return InvalidQuestion(refused.problem, hint=refused.hint)
    short = shortfalls(refused.shortfalls)
    return too_dear(short) if short else BudgetExceeded(refused.problem, hint=refused.hint, shortfalls=short)


def too_dear(short: tuple[MissingAmount, ...]) -> BudgetExceeded:
    """The error that budgets are which do not hold a price."""
    problem, hint = words.refused(short)
    return BudgetExceeded(problem, hint=hint, shortfalls=short)


def unaffordable(quotes: Iterable[ledger.Quote]) -> BudgetExceeded | None:
    """Why budgets would refuse, if any would."""
    short = shortfalls(each.shortfall for each in quotes if each.shortfall is not None)
    return too_dear(short) if short else None
