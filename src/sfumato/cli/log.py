"""`sfumato log`: the ledger's entries, newest last."""

import argparse
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from sfumato.cli import asking, terminal
from sfumato.cli.command import Exit
from sfumato.curator.documents import LOG, entry_json, headed
from sfumato.curator.words import symbol
from sfumato.errors import InvalidParameter

_WIDTH = 100
_HEAD = ("#", "when", "what", "who", "cost")
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
    terminal.show("\n".join(_lines(last)))
    terminal.say("sfumato show <#> shows what was released, again and for nothing")


def _lines(entries: Sequence[tuple[int, dict[str, Any]]]) -> list[str]:
    """An entry a line, in columns; what was asked on a line of its own, so that it can be read on any terminal."""
    rows = [_HEAD, *(_row(sequence, body) for sequence, body in entries)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines: list[str] = []
    for row, body in zip(rows, [{}, *(body for _, body in entries)], strict=True):
        number, *rest = row
        cells = [number.rjust(widths[0]), *(cell.ljust(width) for cell, width in zip(rest, widths[1:], strict=True))]
        lines.append("  ".join(cells).rstrip())
        if asked := _asked(body):
            lines.append(f"{' ' * widths[0]}  {asked}")
    return lines


def _row(sequence: int, body: dict[str, Any]) -> tuple[str, ...]:
    when = datetime.fromtimestamp(body["time"] / 1e9, UTC).strftime("%Y-%m-%d %H:%M:%S")
    prices = "; ".join(_price(currency, price) for currency, price in body.get("charged", {}).items())
    return str(sequence), when, body["kind"], body.get("principal", ""), prices


def _asked(body: dict[str, Any]) -> str:
    """The label of a question and its text, on one line that fits."""
    said = (" ".join(body.get(name, "").split()) for name in ("label", "question"))
    return ": ".join(each if len(each) <= _WIDTH else f"{each[: _WIDTH - 1]}…" for each in said if each)


def _price(currency: str, price: list[str]) -> str:
    """A charge in its currency's letter; of a Rényi curve every order's amount."""
    *amounts, delta = ("∞" if each == "inf" else f"{float(Fraction(each)):.6g}" for each in price)
    parts = [f"{symbol(currency)} = {', '.join(amounts)}"] if set(amounts) != {"0"} else []
    return ", ".join([*parts, *([f"δ = {delta}"] if delta != "0" else [])])
