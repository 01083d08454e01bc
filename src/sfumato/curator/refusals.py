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
    problem, hint = words.refused(short) if short else (refused.problem, refused.hint)
    return BudgetExceeded(problem, hint=hint, shortfalls=short)
