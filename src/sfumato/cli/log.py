"""`sfumato log`: the ledger's entries, newest last."""

import argparse
from collections.abc import Iterable
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from sfumato.cli import asking, terminal
from sfumato.cli.command import Exit
from sfumato.curator.documents import LOG, entry_json, headed
from sfumato.errors import InvalidParameter

_WIDTH = 60
Entries = Iterable[tuple[int, dict[str, Any]]]


def arguments(parser: argparse.ArgumentParser) -> None:
    """How many entries, and whether the chain is verified first."""
    entry_arguments(parser)
    asking.dataset_arguments(parser)


def entry_arguments(parser: argparse.ArgumentParser) -> None:
    """How many entries, and whether the chain is verified first."""
    parser.add_argument("-n", "--last", type=int, default=20, metavar="N", help="how many entries (default 20)")
    parser.add_argument("--verify", action="store_true", help="walk the whole chain first")


def run(arguments: argparse.Namespace) -> Exit:
    """Show what was charged, by whom, and what became of it."""
    check_last(arguments)
    with asking.opened(arguments) as session:
        anchor = session.verify() if arguments.verify else None
        tell(arguments, session.log(), anchor)
    return Exit.DONE


def check_last(arguments: argparse.Namespace) -> None:
    """Refuse a number of entries that shows none."""
    if arguments.last < 1:
        raise InvalidParameter("--last", "must be at least 1", arguments.last, hint="-n 20 shows the last twenty")


def tell(arguments: argparse.Namespace, entries: Entries, anchor: str | None) -> None:
    """The last entries, as JSON or as a table; the anchor of a chain that was verified."""
    last = list(entries)[-arguments.last :]
    if arguments.json:
        terminal.emit({**headed(LOG), "anchor": anchor, "entries": [entry_json(body) for _, body in last]})
        return
    if anchor is not None:
        terminal.say(f"verified: {anchor}")
    rows = [_row(sequence, body) for sequence, body in last]
    terminal.show(terminal.table(("#", "when", "what", "who", "cost", "asked"), rows, right=("#",)))


def _row(sequence: int, body: dict[str, Any]) -> tuple[str, ...]:
    when = datetime.fromtimestamp(body["time"] / 1e9, UTC).strftime("%Y-%m-%d %H:%M:%S")
    prices = ", ".join(f"{currency} {_short(price)}" for currency, price in body.get("charged", {}).items())
    return str(sequence), when, body["kind"], body.get("principal", ""), prices, _asked(body)


def _asked(body: dict[str, Any]) -> str:
    """The label of a question and its text, on one line that fits."""
    said = (" ".join(body.get(name, "").split()) for name in ("label", "question"))
    return ": ".join(each if len(each) <= _WIDTH else f"{each[: _WIDTH - 1]}…" for each in said if each)


def _short(price: list[str]) -> str:
    return " + δ ".join(p if p == "inf" else f"{float(Fraction(p)):.6g}" for p in price if p != "0")
