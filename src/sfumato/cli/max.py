"""`sfumato max`: the public group with the largest aggregate, and not its value."""

import argparse

from sfumato.cli import asking, terminal
from sfumato.cli.command import Exit


def arguments(parser: argparse.ArgumentParser) -> None:
    """The question and its price."""
    asking.choice_arguments(parser)


def run(arguments: argparse.Namespace) -> Exit:
    """Choose, and show which group it is."""
    with asking.opened(arguments) as session:
        with terminal.waiting("asking"):
            answer = session.noisy_max(asking.question_of(arguments), **asking.choice_of(arguments))
        asking.show(answer, arguments)
    return Exit.DONE
