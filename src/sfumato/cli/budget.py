"""`sfumato budget`: every budget, what was spent of it, and what remains."""

import argparse
from collections.abc import Iterable
from typing import Any

from sfumato.cli import asking, terminal
from sfumato.cli.command import Exit
from sfumato.curator.documents import BUDGET, headed, readable_json
from sfumato.curator.words import budget_name, six_digits, symbol
from sfumato.ledger import Balance
from sfumato.pictures import Meter, as_text


def arguments(parser: argparse.ArgumentParser) -> None:
    """The dataset and who asks."""
    asking.dataset_arguments(parser)


def run(arguments: argparse.Namespace) -> Exit:
    """Show the balances."""
    with asking.opened(arguments) as session:
        tell(session.budget(), json=arguments.json)
    return Exit.DONE


def tell(balances: Iterable[Balance], *, json: bool) -> None:
    """Balances, as JSON or as a table."""
    if json:
        terminal.emit({**headed(BUDGET), "balances": [_plain(each) for each in balances]})
        return
    rows = [
        (budget_name(b), f"{symbol(b.currency)} = {six_digits(b.cap)}", six_digits(b.spent), six_digits(b.remaining),
         as_text(Meter("", b.spent, b.cap), 10), f"{float(b.delta_spent):.3g} of {float(b.delta_cap):.3g}")
        for b in balances
    ]  # fmt: skip
    terminal.show(
        terminal.table(("budget", "cap", "spent", "left", "", "δ spent"), rows, right=("cap", "spent", "left"))
    )


def _plain(balance: Balance) -> dict[str, Any]:
    return {
        "dataset": balance.dataset,
        "group": balance.group,
        "principal": balance.principal,
        "period": balance.period,
        "currency": balance.currency,
        "cap": readable_json(balance.cap),
        "spent": readable_json(balance.spent),
        "left": readable_json(balance.remaining),
        "delta_cap": readable_json(balance.delta_cap),
        "delta_spent": readable_json(balance.delta_spent),
    }
