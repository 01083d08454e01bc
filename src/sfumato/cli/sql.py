"""`sfumato sql`: one question, answered and charged."""

import argparse

from sfumato.cli import asking, terminal
from sfumato.cli.command import Exit
from sfumato.curator import Release


def arguments(parser: argparse.ArgumentParser) -> None:
    """The question, its price, and a key that names the request."""
    asking.price_arguments(parser)
    parser.add_argument("--key", help="a name for the request: asked again with it, the stored answer comes back")
    asking.dataset_arguments(parser)


def run(arguments: argparse.Namespace) -> Exit:
    """Ask, and show the answer with its error bars, cost and what remains."""
    with asking.opened(arguments) as curator:
        with terminal.waiting("asking"):
            answer = curator.sql(asking.question_of(arguments), key=arguments.key, **asking.price_of(arguments))
        show(answer, json=arguments.json)
    return Exit.DONE


def show(answer: Release, *, json: bool) -> None:
    """The answer on stdout, what it cost on stderr; as JSON all of it on stdout."""
    if json:
        terminal.emit(answer.to_json())
        return
    numbers = [name for i, name in enumerate(answer.columns) if any(row[i].has_interval for row in answer.bars)]
    terminal.show(terminal.table(answer.columns, answer.cells(), right=numbers))
    terminal.say(f"{100 * float(answer.confidence):g} % error bars · {answer.footer()}")
    for note in answer.notes:
        terminal.say(note)
