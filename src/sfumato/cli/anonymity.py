"""`sfumato anonymity`: describe a CSV file's k-anonymity, make it k-anonymous, or see two releases break each other."""

import argparse
import csv
import sys
from pathlib import Path

from sfumato import anonymity
from sfumato.anonymity import Hierarchy, Microdata, Roles
from sfumato.cli import terminal
from sfumato.cli.command import Exit
from sfumato.core.printing import for_csv
from sfumato.errors import InvalidParameter


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the file, the roles of its columns and what is wanted."""
    parser.add_argument("what", choices=("check", "generalise", "compose"), help="describe, make, or break")
    parser.add_argument("file", nargs="?", type=Path, help="a CSV file with a header")
    parser.add_argument("--quasi", default="", help="columns that identify together, with commas")
    parser.add_argument("--sensitive", default="", help="a column that is nobody's business")
    parser.add_argument("--identifiers", default="", help="columns that identify alone; they are removed")
    parser.add_argument("--k", type=int, default=5, help="how many must share every combination (5)")
    parser.add_argument("--l", type=float, default=2, help="how many secrets a class must hold (2)")
    parser.add_argument(
        "--ladder",
        action="append",
        default=[],
        help="column=5,10,20 for intervals of numbers, column=prefix:3,2 for leading characters",
    )
    parser.add_argument("--most-suppressed", type=float, default=0.02, help="share of rows that may be left out (0.02)")
    parser.add_argument("--json", action="store_true", help="figures as JSON")


def run(arguments: argparse.Namespace) -> Exit:
    """Do what is wanted; a check that fails is found."""
    if arguments.what == "compose":
        composed = anonymity.compose(k=arguments.k)
        if arguments.json:
            terminal.emit(
                {
                    "targets": composed.targets,
                    "told from one": composed.from_one,
                    "told from both": composed.from_both,
                    "k": composed.k,
                }
            )
        else:
            terminal.show(str(composed))
        return Exit.DONE
    table, roles = _read(arguments.file), _roles(arguments)
    return _check(arguments, table, roles) if arguments.what == "check" else _generalise(arguments, table, roles)


def _check(arguments: argparse.Namespace, table: Microdata, roles: Roles) -> Exit:
    found = anonymity.check(table, roles.quasi, k=arguments.k)
    secrets = [anonymity.diversity(table, roles.quasi, name, l=arguments.l) for name in roles.sensitive]
    if arguments.json:
        terminal.emit(
            {
                "k": found.k,
                "holds": found.holds,
                "smallest": found.smallest,
                "exposed": found.exposed,
                "rows": found.rows,
                "diversity": [{"holds": d.holds, "distinct": d.distinct, "entropy": d.entropy} for d in secrets],
            }
        )
    else:
        for words in (found, *secrets):
            terminal.show(str(words))
    return Exit.DONE if found.holds and all(d.holds for d in secrets) else Exit.FOUND


def _generalise(arguments: argparse.Namespace, table: Microdata, roles: Roles) -> Exit:
    ladders = dict(_ladder(text) for text in arguments.ladder)
    ladders = {name: ladders.get(name, anonymity.Groups()) for name in roles.quasi}
    made = anonymity.anonymise(table, roles, ladders, k=arguments.k, most_suppressed=arguments.most_suppressed)
    levels = ", ".join(f"{name} at level {level}" for name, level in made.levels.items())
    terminal.say(f"{levels}; {made.suppressed} of {len(table)} rows left out")
    terminal.say("k-anonymity protects from linking this table alone: sfumato docs anonymity")
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(map(for_csv, made.table.columns))
    writer.writerows(map(for_csv, row) for row in made.table.rows)
    return Exit.DONE


def _read(path: Path | None) -> Microdata:
    if path is None:
        raise InvalidParameter("file", "must be named", None, hint="sfumato anonymity check people.csv --quasi zip,sex")
    try:
        with path.open(newline="", encoding="utf-8") as opened:
            header, *rows = list(csv.reader(opened)) or [[]]
    except OSError as error:
        raise InvalidParameter("file", "must be one that can be read", str(path), hint=error.strerror or "") from None
    return Microdata(tuple(header), tuple(tuple(row) for row in rows))


def _roles(arguments: argparse.Namespace) -> Roles:
    return Roles(_names(arguments.quasi), _names(arguments.sensitive), _names(arguments.identifiers))


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _ladder(text: str) -> tuple[str, Hierarchy]:
    column, _, steps = text.partition("=")
    kind, _, numbers = steps.rpartition(":")
    try:
        values = tuple(int(number) for number in numbers.split(",") if number)
    except ValueError:
        raise InvalidParameter("ladder", "must be column=5,10 or column=prefix:3,2", text) from None
    if kind not in ("", "prefix") or not column or not values:
        raise InvalidParameter("ladder", "must be column=5,10 or column=prefix:3,2", text)
    return column, anonymity.Prefixes(values) if kind == "prefix" else anonymity.Intervals(values)
