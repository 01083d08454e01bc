"""`sfumato top`: the public groups with the largest aggregates, best first, and not their values."""

import argparse

from sfumato.cli import asking, terminal
from sfumato.cli.command import Exit


def arguments(parser: argparse.ArgumentParser) -> None:
    """The question, how many groups, and the price of all of them together."""
    asking.choice_arguments(parser)
    parser.add_argument("-k", type=int, required=True, metavar="N", help="how many groups")


def run(arguments: argparse.Namespace) -> Exit:
    """Choose, and show the groups in the order in which they were drawn."""
    with asking.opened(arguments) as session:
        with terminal.waiting("asking"):
            answer = session.top_k(asking.question_of(arguments), k=arguments.k, **asking.choice_of(arguments))
        asking.show(answer, arguments)
    return Exit.DONE
