"""`sfumato docs`: the pages that hints name, as they are shipped with the package."""

import argparse
from pathlib import Path

import sfumato
from sfumato.cli import terminal
from sfumato.cli.command import Exit
from sfumato.core.naming import did_you_mean
from sfumato.errors import InvalidParameter


def arguments(parser: argparse.ArgumentParser) -> None:
    """The page."""
    parser.add_argument(
        "page", nargs="?", metavar="PAGE", help="such as sql, tutorial or ledger; without, all are listed"
    )


def run(arguments: argparse.Namespace) -> Exit:
    """Show a page as it is written, or list them all."""
    known = pages()
    if arguments.page is None:
        rows = [(name, _title(path)) for name, path in known.items()]
        terminal.show(terminal.table(("page", "about"), rows))
        terminal.say("sfumato docs <page> shows one")
        return Exit.DONE
    name = arguments.page.removeprefix("docs/").removesuffix(".md").lower()
    name = next((each for each in known if name in (each, each.rpartition("/")[2])), name)
    if name not in known:
        raise InvalidParameter(
            "page", "is not there", arguments.page, hint=f"{did_you_mean(name, known)} sfumato docs lists them".strip()
        )
    terminal.show(known[name].read_text(encoding="utf-8"))
    return Exit.DONE


def pages() -> dict[str, Path]:
    """Every page by its name; a page of a folder is named with it, and the folder's own page as the folder."""
    package = Path(sfumato.__file__).parent
    shipped, beside = package / "docs", package.parents[1]
    folder = shipped if shipped.is_dir() else beside / "docs"
    found = {_name(path, folder): path for path in folder.rglob("*.md")}
    if folder != shipped:
        found["security"] = beside / "SECURITY.md"
    return {name: found[name] for name in sorted(found, key=lambda name: (name.count("/"), name))}


def _name(path: Path, folder: Path) -> str:
    inside = path.relative_to(folder)
    return (inside.parent if inside.stem == "README" else inside.with_suffix("")).as_posix().lower()


def _title(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
