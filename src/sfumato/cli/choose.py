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
        asking.show(answer, arguments)
    return Exit.DONE


def _weights(file: str, session: Session, question: str) -> dict[str, dict[Any, Any]]:
    """The weights of a file; JSON names groups by texts, and here they become the groups' values."""
    try:
        read = json.loads(Path(file).read_text(encoding="utf-8"), parse_float=str)
    except (OSError, ValueError):
        raise InvalidParameter("weights", "must be a file of JSON", file, hint='{"north": {"surgery": 1}}') from None
    groups = session.question(question).groups or ()
    named = {_name(group): group[0] if len(group) == 1 else group for group in reversed(groups)}  # NULL comes last
    if not isinstance(read, dict) or not all(isinstance(each, dict) for each in read.values()):
        raise InvalidParameter("weights", "must be an object of objects in", file, hint='{"north": {"surgery": 1}}')
    return {name: {_group(named, group): weight for group, weight in each.items()} for name, each in read.items()}


def _name(group: tuple[Any, ...]) -> str:
    """How a file names a group: by its value or NULL, or by the JSON of its values where there are several."""
    if group == (None,):
        return "NULL"
    return str(group[0]) if len(group) == 1 else json.dumps(group, default=str, ensure_ascii=False)


def _group(named: dict[str, Any], text: str) -> Any:
    """The group that a file names, whatever the spaces in it."""
    try:
        parts = json.loads(text) if text.startswith("[") else text
    except ValueError:
        parts = text
    name = _name(tuple(parts)) if isinstance(parts, list) and len(parts) > 1 else text
    if name not in named:
        known = json.dumps(dict.fromkeys(list(reversed(named))[:8], 1), ensure_ascii=False)
        raise InvalidParameter(
            "weights", "names a group that is not there", text, hint=f"groups are named as in {known}"
        )
    return named[name]
