"""`sfumato show`: a stored answer again, by its receipt, for nothing."""

import argparse

from sfumato.cli import asking, output
from sfumato.cli.command import Exit


def arguments(parser: argparse.ArgumentParser) -> None:
    """The receipt, and how the answer is shown."""
    parser.add_argument("receipt", help="as the answer showed it, or the number of its entry in the log")
    output.arguments(parser)
    asking.dataset_arguments(parser)


def run(arguments: argparse.Namespace) -> Exit:
    """Show what is stored, as it was released."""
    with asking.opened(arguments) as session:
        asking.show(session.recall(arguments.receipt), arguments)
    return Exit.DONE
