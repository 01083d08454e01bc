"""`sfumato owner`: what only the owner does; questions that failed are looked at, and who asked them is unlocked."""

import argparse

from sfumato.cli import asking, terminal
from sfumato.cli.command import Exit
from sfumato.curator.documents import FAILURES, UNLOCK, headed
from sfumato.curator.opening import ledger_of
from sfumato.curator.words import ANYONE
from sfumato.data import Dataset
from sfumato.errors import InvalidParameter
from sfumato.ledger import Ledger


def arguments(parser: argparse.ArgumentParser) -> None:
    """What is done, for whom, and why."""
    parser.add_argument("what", choices=("failures", "unlock"), help="see what failed, or count it anew")
    parser.add_argument("--reason", help="with unlock: what was found, for the ledger")
    asking.dataset_arguments(parser)


def run(arguments: argparse.Namespace) -> Exit:
    """Show the counts of failures, or reset them by an entry of the ledger."""
    dataset, ledger = ledger_of(asking.declaration_of(arguments))
    with ledger:
        return _unlock(arguments, dataset, ledger) if arguments.what == "unlock" else _show(arguments, dataset, ledger)


def _show(arguments: argparse.Namespace, dataset: Dataset, ledger: Ledger) -> Exit:
    most = {"": dataset.rules.failures}
    most |= dict.fromkeys(dataset.analysts or (ANYONE,), dataset.rules.failures_per_analyst)
    rows = [(who, ledger.failures(dataset.name, who), allowed) for who, allowed in most.items()]
    if arguments.json:
        counts = [{"analyst": who, "failures": found, "allowed": allowed} for who, found, allowed in rows]
        terminal.emit({**headed(FAILURES), "counts": counts})
        return Exit.DONE
    named = [
        (who or f"dataset {dataset.name}", found, allowed, "locked" if found >= allowed else "")
        for who, found, allowed in rows
    ]
    terminal.show(terminal.table(("who", "failed", "allowed", ""), named, right=("failed", "allowed")))
    return Exit.DONE


def _unlock(arguments: argparse.Namespace, dataset: Dataset, ledger: Ledger) -> Exit:
    if not arguments.reason:
        raise InvalidParameter("reason", "must be given", arguments.reason, hint='--reason "the disk was full"')
    found = ledger.unlock(dataset=dataset.name, principal=arguments.analyst or "", reason=arguments.reason)
    whose = f"analyst {arguments.analyst}" if arguments.analyst else f"dataset {dataset.name} and everyone on it"
    if arguments.json:
        terminal.emit({**headed(UNLOCK), "analyst": arguments.analyst or "", "failures": found})
    else:
        terminal.say(f"unlocked {whose}: {found} failures were counted, and none are now")
    return Exit.DONE
