"""`sfumato profile`: what is in the data and what bounds would cost, on the owner's own screen, and nowhere else."""

import argparse
from pathlib import Path

import sfumato
from sfumato.cli import asking, output, terminal
from sfumato.cli.command import Exit
from sfumato.cli.register import shown_by
from sfumato.curator import Profile, profile_page
from sfumato.curator.profiling import TableProfile
from sfumato.errors import InvalidParameter
from sfumato.pictures import as_text

_WIDE = 40


def arguments(parser: argparse.ArgumentParser) -> None:
    """The declaration, the ε at which bounds are compared, and what is grouped and averaged."""
    parser.add_argument("declaration", nargs="?", help="the declaration; by default the only .toml here")
    parser.add_argument("-d", "--dataset", metavar="FILE", help="the same, as other commands take it")
    parser.add_argument("-e", "--epsilon", default="1", metavar="ε", help="the price of a question (1)")
    parser.add_argument("--by", default="", metavar="COLUMN", help="what counts are grouped by: noise in each group")
    parser.add_argument(
        "--average", default="", metavar="COLUMN", help="the number to average; else the first with declared bounds"
    )
    parser.add_argument("--html", type=Path, metavar="FILE", help="a page with pictures, which only you can read")
    parser.add_argument("--force", action="store_true", help="with --html: write over an existing file")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(arguments: argparse.Namespace) -> Exit:
    """Read all rows, and show figures; nothing is written but the page that is asked for."""
    if arguments.declaration and arguments.dataset:
        raise InvalidParameter("--dataset", "names a declaration, and there is one already", arguments.declaration)
    arguments.dataset = arguments.declaration or arguments.dataset
    if arguments.html is not None:
        output.refuse_existing(arguments.html, force=arguments.force, option="--html")
    path = asking.declaration_of(arguments, "sfumato profile {}")
    with terminal.bar("reading") as moved:
        found = sfumato.profile(
            path, epsilon=arguments.epsilon, by=arguments.by, average=arguments.average, progress=shown_by(moved)
        )
    if arguments.html is not None:
        page = found.to_html().encode("utf-8")
        output.write(arguments.html, page, force=arguments.force, private=True, option="--html")
    if arguments.json:
        terminal.emit(found.to_json())
        return Exit.DONE
    for table in found.tables:
        _tell(found, table)
    if arguments.html is not None:
        terminal.say(f"wrote {arguments.html}, for your eyes alone")
    terminal.say("\n".join(profile_page.WARNING))
    return Exit.DONE


def _tell(profile: Profile, table: TableProfile) -> None:
    """A table: its columns, how many rows people have, what bounds cost, and lines to paste."""
    terminal.show(profile_page.headline(table, rows=profile.dataset.unit is None))
    if told := profile_page.nobody(table):
        terminal.show(told)
    right = profile_page.COLUMNS[2:]
    lines = [profile_page.column_cells(each) for each in table.figures.columns]
    used = [i for i in range(len(profile_page.COLUMNS)) if i < 2 or any(line[i] for line in lines)]
    head = [profile_page.COLUMNS[i] for i in used]
    terminal.show(terminal.table(head, [[line[i] for i in used] for line in lines], right=right))
    if spreads := profile_page.spreads(table):
        terminal.show(terminal.table(profile_page.SPREADS, spreads, right=profile_page.SPREADS[1:]))
    rows, trade = table.figures.a_person, table.trade
    if rows is not None and trade is not None and not table.one_row_a_person:
        terminal.show(f"\npeople by how many rows they have\n{as_text(profile_page.histogram(rows), _WIDE)}\n")
        terminal.show(profile_page.count_title(trade, profile, table))
        counts = profile_page.COUNTS
        terminal.show(terminal.table(counts, profile_page.count_cells(trade), right=counts[:-1]))
        terminal.show(profile_page.rule(trade))
        if trade.average is not None:
            terminal.show(f"\n{profile_page.average_title(trade.average, profile, trade.groups)}")
            averages = profile_page.AVERAGES
            terminal.show(terminal.table(averages, profile_page.average_cells(trade.average), right=averages[:-1]))
        terminal.show("")
    terminal.show("\n".join([*profile_page.suggestion(table, own=profile_page.is_own(profile, table)), ""]))
