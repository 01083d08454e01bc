"""What the commands that ask share: where the dataset is, who asks, and the price."""

import argparse
from pathlib import Path
from typing import Any

import sfumato
from sfumato.cli import output, terminal
from sfumato.core.printing import json_text
from sfumato.curator import Release, Session
from sfumato.errors import InvalidDeclaration, InvalidParameter

_NAMED = 5
"""How many declarations a hint names."""


def dataset_arguments(parser: argparse.ArgumentParser) -> None:
    """The declaration, the analyst, and whether the answer is JSON."""
    parser.add_argument("-d", "--dataset", metavar="FILE", help="the declaration; by default the only .toml here")
    parser.add_argument("-a", "--analyst", metavar="NAME", help="who asks, where analysts are declared")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def _by_name(text: str) -> str | dict[str, str]:
    """A number, or numbers by the names of columns: n=50,s=2000."""
    if "=" not in text:
        return text
    pairs = [part.rpartition("=") for part in text.split(",")]
    return {name.strip(): number.strip() for name, _, number in pairs}


def price_arguments(parser: argparse.ArgumentParser) -> None:
    """The question and its price."""
    parser.add_argument("question", help="SQL, or - to read it from stdin")
    parser.add_argument("-e", "--epsilon", metavar="ε", help="the price, such as 0.5")
    parser.add_argument(
        "--delta",
        metavar="δ",
        help="for groups that are not public, and for normal noise where it is less, such as 1e-9",
    )
    parser.add_argument("--rho", metavar="ρ", help="the price in zCDP, instead of ε")
    parser.add_argument(
        "--within", metavar="N", type=_by_name, help="instead of a price: the error that counts and sums may have, or "
        "of columns by name: n=50,s=2000; an average also says -e, the most that it may cost",
    )  # fmt: skip
    parser.add_argument("--weigh", metavar="N=W", type=_by_name, help="what columns are worth beside each other: n=2")
    parser.add_argument("--bar", metavar="P", help="what of a quantile's price each end of its error bar takes, or 0")
    parser.add_argument("--confidence", metavar="P", help="of error bars, such as 0.95")
    parser.add_argument(
        "--rows", metavar="N", type=int, help="of a person so many rows count, fewer than the owner allows"
    )
    parser.add_argument("--groups", metavar="N", type=int, help="a person counts in so many groups that are not public")
    parser.add_argument(
        "--beyond", action="store_true", help="for a tenth of the price: how many have more than counts"
    )


def request_arguments(parser: argparse.ArgumentParser) -> None:
    """A name for the request, and what it is for."""
    parser.add_argument("--key", help="a name for the request: asked again with it, the stored answer comes back")
    parser.add_argument("--label", default="", help="what it is for, in your words")


def choice_arguments(parser: argparse.ArgumentParser) -> None:
    """A question that is answered by one mechanism, and its price."""
    parser.add_argument("question", help="SQL, or - to read it from stdin")
    parser.add_argument("-e", "--epsilon", required=True, metavar="ε", help="the price, such as 0.5")
    request_arguments(parser)
    output.arguments(parser)
    dataset_arguments(parser)


def request_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """The keywords of a request."""
    return {"key": arguments.key, "label": arguments.label}


def choice_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """The keywords of such a question."""
    return {"epsilon": arguments.epsilon, **request_of(arguments)}


def price_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """The keywords of a price."""
    return {
        name: getattr(arguments, name)
        for name in ("epsilon", "delta", "rho", "within", "confidence", "rows", "groups", "beyond", "weigh", "bar")
    }


def question_of(arguments: argparse.Namespace) -> str:
    """The question's text."""
    import sys

    return sys.stdin.read() if arguments.question == "-" else str(arguments.question)


def opened(arguments: argparse.Namespace) -> Session:
    """A session with the dataset that is meant; an answer that could not be written is refused before it is asked."""
    output.check(arguments)
    with terminal.waiting("opening"):
        return sfumato.open(declaration_of(arguments), analyst=arguments.analyst)  # registers, if nothing is registered


def declaration_of(arguments: argparse.Namespace, say: str = "--dataset {}") -> Path:
    """The declaration that is named, or the only one here; `say` is how one is named."""
    if arguments.dataset:
        return Path(arguments.dataset)
    found = [
        path
        for path in sorted(Path().glob("*.toml"))
        if "[tables." in path.read_text(encoding="utf-8", errors="replace")
    ]
    if not found:
        raise InvalidDeclaration(
            "no declaration is in this folder",
            hint=f"say where it is: {say.format('clinic.toml')}; sfumato init drafts one",
        )
    if len(found) > 1:
        ways = " or ".join(say.format(path) for path in found[:_NAMED])
        raise InvalidDeclaration(
            f"{len(found)} declarations are in this folder",
            hint=f"say which: {ways}{' or …' if found[_NAMED:] else ''}",
        )
    return found[0]


def show(answer: Release, arguments: argparse.Namespace) -> None:
    """The answer on stdout or in a file, what it cost on stderr; as JSON on stdout all of it in one document."""
    form = output.form_of(arguments)
    if arguments.output is not None:
        _write(answer, form, arguments)
    elif form == "json":
        terminal.emit(answer.to_json())
        return
    elif form == "csv":
        terminal.write(answer.to_csv())
    else:
        terminal.show(terminal.table(answer.columns, answer.cells(), right=_measured(answer)))
    bars = f"{100 * float(answer.confidence):g} % error bars · " if _measured(answer) else ""
    terminal.say(f"{bars}{answer.footer()}")
    for note in answer.notes:
        terminal.say(note.text)


def _measured(answer: Release) -> list[str]:
    return [name for i, name in enumerate(answer.columns) if any(row[i].has_interval for row in answer.bars)]


def _write(answer: Release, form: str, arguments: argparse.Namespace) -> None:
    """The answer as a file; it is stored by now, so what cannot be written can be had again for nothing."""
    text = answer.to_csv() if form == "csv" else f"{json_text(answer.to_json())}\n"
    try:
        output.write(arguments.output, text.encode("utf-8"), force=arguments.force)
    except InvalidParameter as error:
        hint = f"the answer is stored: sfumato show {answer.receipt} --output FILE"
        raise InvalidParameter(error.name, "cannot be written", str(arguments.output), hint=hint) from None
    terminal.say(f"wrote {arguments.output}: {len(answer)} rows")
