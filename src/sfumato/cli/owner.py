"""`sfumato owner`: what only the owner does, from the ledger alone: all budgets and entries, and what failed."""

import argparse
from collections.abc import Callable, Iterator
from typing import Any

from sfumato.cli import asking, budget, log, terminal
from sfumato.cli.command import Exit
from sfumato.core.naming import known_names
from sfumato.curator.documents import FAILURES, UNLOCK, headed
from sfumato.curator.opening import ledger_of
from sfumato.curator.words import ANYONE
from sfumato.data import Dataset
from sfumato.errors import InvalidParameter
from sfumato.ledger import Ledger


def arguments(parser: argparse.ArgumentParser) -> None:
    """What is done, for whom, and why."""
    parser.add_argument(
        "what", choices=tuple(_ACTS), help="see what failed, count it anew, or see all analysts' budgets or entries"
    )
    parser.add_argument("--reason", help="with unlock: what was found, for the ledger")
    log.entry_arguments(parser)
    asking.dataset_arguments(parser)


def run(arguments: argparse.Namespace) -> Exit:
    """Show what the ledger has, or reset counts of failures by an entry of it; no source is opened."""
    dataset, ledger = ledger_of(asking.declaration_of(arguments))
    with ledger:
        _ACTS[arguments.what](arguments, dataset, ledger)
    return Exit.DONE


def _meant(arguments: argparse.Namespace, known: list[str]) -> list[str]:
    """The analyst who is named, or all."""
    if arguments.analyst is None:
        return known
    if arguments.analyst not in known:
        raise InvalidParameter(
            "analyst", "must be one of the dataset's", arguments.analyst, hint=known_names(arguments.analyst, known)
        )
    return [arguments.analyst]


def _granted(dataset: Dataset, ledger: Ledger) -> list[str]:
    """All analysts who have caps, declared still or not."""
    bodies = (entry.body for entry in ledger.entries())
    granted = (b["principal"] for b in bodies if b["kind"] == "grant" and b["dataset"] == dataset.name)
    return list(dict.fromkeys(granted))


def _budget(arguments: argparse.Namespace, dataset: Dataset, ledger: Ledger) -> None:
    whose = _meant(arguments, _granted(dataset, ledger))
    budget.tell(
        [each for who in ("", *whose) for each in ledger.balances(dataset.name, who)],
        json=arguments.json,
    )


def _log(arguments: argparse.Namespace, dataset: Dataset, ledger: Ledger) -> None:
    log.check_last(arguments)
    whose = ("", *_meant(arguments, _granted(dataset, ledger)))
    anchor = ledger.verify() if arguments.verify else None
    log.tell(arguments, _entries(dataset, ledger, whose), anchor)


def _entries(dataset: Dataset, ledger: Ledger, whose: tuple[str, ...]) -> Iterator[tuple[int, dict[str, Any]]]:
    groups = ledger.groups_of(dataset.name)
    for entry in ledger.entries():
        body = entry.body
        own = body.get("dataset") == dataset.name and body.get("principal", "") in whose
        if own or (body["kind"] == "group" and body["group"] in groups) or body["kind"] == "restore":
            yield entry.sequence, body


def _failures(arguments: argparse.Namespace, dataset: Dataset, ledger: Ledger) -> None:
    analysts = _meant(arguments, list(dataset.analysts or (ANYONE,)))
    most = {"": dataset.rules.failures} if arguments.analyst is None else {}
    most |= dict.fromkeys(analysts, dataset.rules.failures_per_analyst)
    rows = [(who, ledger.failures(dataset.name, who), allowed) for who, allowed in most.items()]
    if arguments.json:
        counts = [{"analyst": who, "failures": found, "allowed": allowed} for who, found, allowed in rows]
        terminal.emit({**headed(FAILURES), "counts": counts})
        return
    named = [
        (who or f"dataset {dataset.name}", found, allowed, "locked" if found >= allowed else "")
        for who, found, allowed in rows
    ]
    terminal.show(terminal.table(("who", "failed", "allowed", ""), named, right=("failed", "allowed")))


def _unlock(arguments: argparse.Namespace, dataset: Dataset, ledger: Ledger) -> None:
    if not arguments.reason:
        raise InvalidParameter("reason", "must be given", arguments.reason, hint='--reason "the disk was full"')
    found = ledger.unlock(dataset=dataset.name, principal=arguments.analyst or "", reason=arguments.reason)
    whose = f"analyst {arguments.analyst}" if arguments.analyst else f"dataset {dataset.name} and everyone on it"
    if arguments.json:
        terminal.emit({**headed(UNLOCK), "analyst": arguments.analyst or "", "failures": found})
    else:
        terminal.say(f"unlocked {whose}: {found} failures were counted, and none are now")


_ACTS: dict[str, Callable[[argparse.Namespace, Dataset, Ledger], None]] = {
    "failures": _failures,
    "unlock": _unlock,
    "budget": _budget,
    "log": _log,
}
