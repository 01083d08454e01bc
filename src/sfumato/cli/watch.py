"""`sfumato watch`: counts asked line by line, until so many were above a threshold."""

import argparse
import sys
from itertools import chain
from typing import Any

from sfumato.cli import asking, terminal
from sfumato.cli.command import Exit
from sfumato.curator import Session, Watch
from sfumato.curator.documents import error_json
from sfumato.errors import InvalidQuestion


def arguments(parser: argparse.ArgumentParser) -> None:
    """The threshold, the price of the whole run, and how many counts may pass."""
    parser.add_argument("threshold", type=int, help="what counts are compared with; the questions are read from stdin")
    parser.add_argument("-e", "--epsilon", required=True, metavar="ε", help="the price of the whole run")
    parser.add_argument("-c", "--cutoff", type=int, default=1, metavar="N", help="how many counts may be above")
    parser.add_argument("--values", action="store_true", help="also tell the noisy value of each count above")
    parser.add_argument("--sensitivity", type=int, metavar="N", help="the most one person may move a count")
    parser.add_argument("--label", default="", help="what it is for, in your words")
    asking.dataset_arguments(parser)


def run(arguments: argparse.Namespace) -> Exit:
    """Charge the run, then answer a question a line until it halts; a line that does not fit is refused for nothing."""
    lines = filter(None, map(str.strip, sys.stdin))
    first = next(lines, None)  # before anything is charged
    if first is None:
        raise InvalidQuestion(
            "no question was read from stdin", hint="echo 'SELECT COUNT(*) FROM …' | sfumato watch 100 -e 1"
        )
    refused = False
    with asking.opened(arguments) as session:
        watch = _begun(session, arguments)
        if arguments.json:
            terminal.emit(watch.to_json())
        else:
            terminal.say(_told(watch))
        for line in chain([first], lines):
            refused |= not _asked(watch, line, json=arguments.json)
            if watch.halted:
                terminal.say("the watch has halted: no further line is asked")
                break
    return Exit.REFUSED if refused else Exit.DONE


def _begun(session: Session, arguments: argparse.Namespace) -> Watch:
    price: dict[str, Any] = {"epsilon": arguments.epsilon, "sensitivity": arguments.sensitivity}
    price["label"] = arguments.label
    if arguments.values:
        return session.numeric_sparse(arguments.threshold, cutoff=arguments.cutoff, **price)
    if arguments.cutoff == 1:
        return session.above_threshold(arguments.threshold, **price)
    return session.sparse(arguments.threshold, cutoff=arguments.cutoff, **price)


def _told(watch: Watch) -> str:
    off = watch.accuracy
    return f"cost {watch.cost} · counts nearer than {off.alpha:,.6g} to the threshold may come out either way"


def _asked(watch: Watch, line: str, *, json: bool) -> bool:
    """Whether the question was answered."""
    try:
        answer = watch.ask(line)
    except InvalidQuestion as error:
        if json:
            terminal.emit(error_json(error))
        else:
            terminal.complain(error)
        return False
    if json:
        terminal.emit(watch.answer_json(line, answer))
    else:
        word = "below" if answer is None or answer is False else "above" if answer is True else f"above: {answer:,}"
        terminal.show(word)
    return True
