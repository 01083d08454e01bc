"""`sfumato budget`: every budget, what was spent of it, and what remains."""

import argparse

from sfumato.cli import asking, terminal
from sfumato.cli.command import Exit
from sfumato.curator.curator import budget_name, symbol
from sfumato.curator.release import exact_text
from sfumato.pictures import Meter, as_text


def arguments(parser: argparse.ArgumentParser) -> None:
    """The dataset and who asks."""
    asking.dataset_arguments(parser)


def run(arguments: argparse.Namespace) -> Exit:
    """Show the balances."""
    with asking.opened(arguments) as curator:
        balances = curator.budget()
    if arguments.json:
        terminal.emit([
            {
                "budget": budget_name(each), "currency": each.currency, "cap": exact_text(each.cap),
                "spent": exact_text(each.spent), "remaining": exact_text(each.remaining),
                "delta_cap": exact_text(each.delta_cap), "delta_spent": exact_text(each.delta_spent),
            }
            for each in balances
        ])  # fmt: skip
        return Exit.DONE
    rows = [
        (budget_name(b), symbol(b.currency), f"{float(b.cap):.6g}", f"{float(b.spent):.6g}",
         f"{float(b.remaining):.6g}", as_text(Meter("", b.spent, b.cap), 20),
         f"{float(b.delta_spent):.3g} of {float(b.delta_cap):.3g}")
        for b in balances
    ]  # fmt: skip
    terminal.show(
        terminal.table(("budget", "", "cap", "spent", "left", "", "δ spent"), rows, right=("cap", "spent", "left"))
    )
    return Exit.DONE
