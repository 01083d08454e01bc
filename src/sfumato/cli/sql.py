"""`sfumato sql`: one question, answered and charged."""

import argparse

from sfumato.cli import asking, output, terminal
from sfumato.cli.command import Exit


def arguments(parser: argparse.ArgumentParser) -> None:
    """The question, its price, and a key that names the request."""
    asking.price_arguments(parser)
    asking.request_arguments(parser)
    output.arguments(parser)
    asking.dataset_arguments(parser)


def run(arguments: argparse.Namespace) -> Exit:
    """Ask, and show the answer with its error bars, cost and what remains."""
    with asking.opened(arguments) as session:
        with terminal.waiting("asking"):
            answer = session.sql(
                asking.question_of(arguments), **asking.request_of(arguments), **asking.price_of(arguments)
            )
        asking.show(answer, arguments)
    return Exit.DONE
