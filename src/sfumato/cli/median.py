"""`sfumato median`: a median with noise that follows the data."""

import argparse

from sfumato.cli import asking, terminal
from sfumato.cli.command import Exit


def arguments(parser: argparse.ArgumentParser) -> None:
    """The question, which asks for MEDIAN(x), and its price."""
    asking.choice_arguments(parser)


def run(arguments: argparse.Namespace) -> Exit:
    """Ask, and show the median."""
    with asking.opened(arguments) as session:
        with terminal.waiting("asking"):
            answer = session.smooth_median(asking.question_of(arguments), **asking.choice_of(arguments))
        asking.show(answer, arguments)
    return Exit.DONE
