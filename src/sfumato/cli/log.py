"""`sfumato log`: the ledger's entries, newest last."""

import argparse
from datetime import UTC, datetime
from typing import Any

from sfumato.cli import asking, terminal
from sfumato.cli.command import Exit
from sfumato.curator.documents import LOG, headed

_WIDTH = 60


def arguments(parser: argparse.ArgumentParser) -> None:
    """How many entries, and whether the chain is verified first."""
    parser.add_argument("-n", "--last", type=int, default=20, metavar="N", help="how many entries (default 20)")
    parser.add_argument("--verify", action="store_true", help="walk the whole chain first")
    asking.dataset_arguments(parser)


def run(arguments: argparse.Namespace) -> Exit:
    """Show what was charged, by whom, and what became of it."""
    with asking.opened(arguments) as session:
        if arguments.verify:
            terminal.say(f"verified: {session.verify()}")
        entries = list(session.log())[-max(0, arguments.last) :]
    if arguments.json:
        terminal.emit({**headed(LOG), "entries": [entry for _, entry in entries]})
        return Exit.DONE
    rows = [_row(sequence, body) for sequence, body in entries]
    terminal.show(terminal.table(("#", "when", "what", "who", "cost", "asked"), rows, right=("#",)))
    return Exit.DONE


def _row(sequence: int, body: dict[str, Any]) -> tuple[str, ...]:
    when = datetime.fromtimestamp(body["time"] / 1e9, UTC).strftime("%Y-%m-%d %H:%M:%S")
    prices = ", ".join(f"{currency} {_short(price)}" for currency, price in body.get("charged", {}).items())
    return str(sequence), when, body["kind"], body.get("principal", ""), prices, _asked(body)


def _asked(body: dict[str, Any]) -> str:
    """The label of a question, else its text, on one line that fits."""
    text = " ".join((body.get("label") or body.get("question") or "").split())
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"


def _short(price: list[str]) -> str:
    from fractions import Fraction

    return " + δ ".join(p if p == "inf" else f"{float(Fraction(p)):.6g}" for p in price if p != "0")
