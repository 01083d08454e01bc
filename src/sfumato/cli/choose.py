"""`sfumato choose`: a candidate of high utility, where the utility is public and adds up groups of people."""

import argparse
import json
from pathlib import Path
from typing import Any

from sfumato.cli import asking, terminal
from sfumato.cli.command import Exit
from sfumato.curator import Session
from sfumato.errors import InvalidParameter


def arguments(parser: argparse.ArgumentParser) -> None:
    """The question, its price, and what each group is worth to each candidate."""
    asking.choice_arguments(parser)
    parser.add_argument(
        "--weights",
        metavar="FILE",
        help='JSON: {"candidate": {"group": 1.5, …}, …}; without, the groups themselves are the candidates',
    )


def run(arguments: argparse.Namespace) -> Exit:
    """Choose, and show the candidate."""
    with asking.opened(arguments) as session:
        question = asking.question_of(arguments)
        weights = None if arguments.weights is None else _weights(arguments.weights, session, question)
        with terminal.waiting("asking"):
            answer = session.exponential(question, weights=weights, **asking.choice_of(arguments))
        asking.show(answer, json=arguments.json)
    return Exit.DONE


def _weights(file: str, session: Session, question: str) -> dict[str, dict[Any, Any]]:
    """The weights of a file; JSON names groups by texts, and here they become the groups' values."""
    try:
        read = json.loads(Path(file).read_text(encoding="utf-8"), parse_float=str)
    except (OSError, ValueError):
        raise InvalidParameter("weights", "must be a file of JSON", file, hint='{"north": {"surgery": 1}}') from None
    groups = session.question(question).groups or ()
    named = {str(group[0]): group[0] for group in groups if len(group) == 1}
    if not isinstance(read, dict) or not all(isinstance(each, dict) for each in read.values()):
        raise InvalidParameter("weights", "must be an object of objects in", file, hint='{"north": {"surgery": 1}}')
    return {name: {named.get(group, group): weight for group, weight in each.items()} for name, each in read.items()}
