"""`sfumato publish`: a plan measured once and written as a folder, which answers for ever without data."""

import argparse
from pathlib import Path
from typing import Any

import sfumato
from sfumato.cli import terminal
from sfumato.cli.command import Exit
from sfumato.cli.register import shown_by
from sfumato.curator.publishing import PublicationExplanation
from sfumato.curator.refusals import too_dear
from sfumato.errors import InvalidParameter, outcome_of
from sfumato.synth import Publication
from sfumato.synth.publication.building import shown_tables

_SHOWN = 20


def arguments(parser: argparse.ArgumentParser) -> None:
    """The declaration, the plan, the price and the folder."""
    parser.add_argument("declaration", help="the declaration of the dataset, such as clinic.toml")
    parser.add_argument("plan", help="what is published: a TOML file")
    parser.add_argument("-e", "--epsilon", metavar="ε", help="the price of all of it, such as 1")
    parser.add_argument("--delta", metavar="δ", help="for normal noise where it is less, such as 1e-9")
    parser.add_argument("--rho", metavar="ρ", help="the price in zCDP, instead of ε")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="a new folder, or one to go on in")
    parser.add_argument("--explain", action="store_true", help="see price, size and expected errors, for nothing")
    parser.add_argument("--label", default="", help="what it is for, in your words")
    parser.add_argument("-a", "--analyst", metavar="NAME", help="who pays, where analysts are declared")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(arguments: argparse.Namespace) -> Exit:
    """Explain, or publish and say what is in the folder."""
    price: dict[str, Any] = {name: getattr(arguments, name) for name in ("epsilon", "delta", "rho")}
    if not arguments.explain and arguments.out is None:
        raise InvalidParameter("--out", "must name a folder to publish into", "nothing", hint="--out release/")
    with terminal.waiting("opening"):
        curator = sfumato.open_curator(arguments.declaration)
    with curator:
        whose = {"analyst": arguments.analyst}
        if arguments.explain:
            told = curator.explain_publication(arguments.plan, **price, **whose)
            return _explain(told, arguments)
        with terminal.bar("publishing") as moved:
            made = curator.publish(
                arguments.plan, out=arguments.out, label=arguments.label, progress=shown_by(moved), **price, **whose
            )
    _tell(made, arguments)
    return Exit.DONE


def _explain(told: PublicationExplanation, arguments: argparse.Namespace) -> Exit:
    if arguments.json:  # one document: it says itself whether it is affordable
        terminal.emit(told.to_json())
        return Exit(outcome_of(too_dear(told.shortfalls)).exit) if told.shortfalls else Exit.DONE
    rows = [
        (" × ".join(each.columns) or "all rows", f"{each.cells:,}", f"{each.standard_error:,.4g}")
        for each in told.expected[:_SHOWN]
    ]
    right = ("cells", "standard error")
    terminal.show(terminal.table(("table", *right), rows, title=told.name, right=right))
    if told.expected[_SHOWN:]:
        terminal.say(f"… and {len(told.expected) - _SHOWN} more tables")
    terminal.say(
        f"would cost {_cost(told)} · {' and '.join(told.noise).replace('_', ' ')} noise · {told.cells:,} cells, "
        f"about {told.size / 1e6:,.1f} MB · about {told.seconds_per_million:g} s for a million rows"
    )
    if told.shortfalls:
        raise too_dear(told.shortfalls)
    terminal.say("nothing was spent")
    return Exit.DONE


def _cost(told: PublicationExplanation) -> str:
    cost = told.cost
    if cost.epsilon is None:
        return f"ρ = {float(cost.rho or 0):.4g}"
    return f"ε = {float(cost.epsilon):.4g}" + (f", δ = {float(cost.delta):.3g}" if cost.delta else "")


def _tell(made: Publication, arguments: argparse.Namespace) -> None:
    if arguments.json:
        terminal.emit(dict(made.statement))
        return
    about = made.statement["rows"]
    rows = "no rows" if about is None else f"{about['number']:,} rows, made of {about['made_of']}"
    terminal.show(f"{made.path}: {len(shown_tables(made.parts))} tables, {rows}")
    if about is not None:
        terminal.show("\nto ask the rows with SQL, for nothing, add to a declaration (release/table.toml):\n")
        terminal.show((made.path / "table.toml").read_text(encoding="utf-8"))
    terminal.say(f"receipt {made.receipt} · look at {made.path / 'report.html'}")
