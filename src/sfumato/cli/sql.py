"""`sfumato sql`: one question, answered and charged."""

import argparse
from pathlib import Path

from sfumato.cli import asking, output, terminal
from sfumato.cli.command import Exit
from sfumato.core.printing import for_json
from sfumato.errors import InvalidParameter
from sfumato.synth import Publication
from sfumato.synth.publication.folder import STATEMENT

_PRICES = ("epsilon", "delta", "rho", "within", "key", "output", "csv")


def arguments(parser: argparse.ArgumentParser) -> None:
    """The question, its price, and a key that names the request."""
    asking.price_arguments(parser)
    asking.request_arguments(parser)
    output.arguments(parser)
    asking.dataset_arguments(parser)


def run(arguments: argparse.Namespace) -> Exit:
    """Ask, and show the answer with its error bars, cost and what remains; of a published folder, ask its rows."""
    if arguments.dataset and (Path(arguments.dataset) / STATEMENT).is_file():
        return _of_rows(arguments)
    with asking.opened(arguments) as session:
        with terminal.waiting("asking"):
            answer = session.sql(
                asking.question_of(arguments), **asking.request_of(arguments), **asking.price_of(arguments)
            )
        asking.show(answer, arguments)
    return Exit.DONE


def _of_rows(arguments: argparse.Namespace) -> Exit:
    """SQL on the made-up rows of a publication, which costs nothing and promises nothing."""
    for name in _PRICES:
        if getattr(arguments, name):
            raise InvalidParameter(f"--{name}", "is for a dataset; what was published is asked for nothing", name)
    made = Publication.open(arguments.dataset)
    columns, lines = made.sql(asking.question_of(arguments))
    if arguments.json:
        terminal.emit({"columns": list(columns), "rows": [[for_json(value) for value in line] for line in lines]})
    else:
        terminal.show(terminal.table(columns, [[str(value) for value in line] for line in lines]))
        terminal.say("of made-up rows: nothing was spent, and nothing is promised of errors")
    return Exit.DONE
