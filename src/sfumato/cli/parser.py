"""The parser of the command line: every command by name, the one that is meant in full, errors in the house's form."""

import argparse
from collections.abc import Sequence
from typing import NoReturn

from sfumato import __version__
from sfumato.cli import terminal
from sfumato.cli.command import COMMANDS, Command, Exit
from sfumato.core.naming import did_you_mean
from sfumato.errors import SfumatoError


class Parser(argparse.ArgumentParser):
    """A parser that says a problem and a hint, instead of all its options."""

    def error(self, message: str) -> NoReturn:
        """Complain on stderr, and end as usage errors do."""
        terminal.complain(SfumatoError(message, hint=f"{self.prog} --help"))
        self.exit(Exit.USAGE)


def parser_of(named: Command | None, commands: Sequence[Command] = COMMANDS) -> Parser:
    """A parser that knows every command by name and only the one that is meant in full."""
    parser, children = _trunk()
    for command in commands:
        child = children.add_parser(command.name, help=command.help, description=command.help)
        if command is named:
            command.load().arguments(child)
    return parser


def whole_parser() -> Parser:
    """A parser that knows every command in full, which loads all of them: for what describes the command line."""
    parser, children = _trunk()
    for command in COMMANDS:
        command.load().arguments(children.add_parser(command.name, help=command.help, description=command.help))
    return parser


def _trunk() -> "tuple[Parser, argparse._SubParsersAction[Parser]]":  # pyright: ignore[reportPrivateUsage] -- argparse has no other name for it
    parser = Parser(prog="sfumato", description="Private answers with error bars, and a ledger of every ε.")
    parser.add_argument("--version", action="version", version=f"sfumato {__version__}")
    return parser, parser.add_subparsers(metavar="command", title="commands", parser_class=Parser)


def read(words: Sequence[str], named: Command | None, commands: Sequence[Command] = COMMANDS) -> argparse.Namespace:
    """What the words mean; a command or an option that is not there is answered with the one that is near."""
    parser = parser_of(named, commands)
    if named is None and words and not words[0].startswith("-"):
        names = [command.name for command in commands]
        near = did_you_mean(words[0], names)
        hint = f"{near} sfumato --help lists all" if near else "sfumato --help lists them"
        terminal.complain(SfumatoError(f"there is no command `{words[0]}`", hint=hint))
        parser.exit(Exit.USAGE)
    arguments, rest = parser.parse_known_args(list(words))
    if rest:
        known = [word for at in branches(parser).values() for action in at._actions for word in action.option_strings]
        near = next(filter(None, (did_you_mean(word.partition("=")[0], known) for word in rest)), "")
        told = f"sfumato {named.name} --help" if named else "sfumato --help"
        terminal.complain(SfumatoError(f"not understood: {' '.join(rest)}", hint=f"{near} {told}".strip()))
        parser.exit(Exit.USAGE)
    return arguments


def branches(parser: argparse.ArgumentParser, words: tuple[str, ...] = ()) -> dict[tuple[str, ...], Parser]:
    """Every parser of the tree, by the words that lead to it."""
    found: dict[tuple[str, ...], Parser] = {words: parser} if isinstance(parser, Parser) else {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):  # pyright: ignore[reportPrivateUsage] -- argparse has no other name for it
            for name, child in action.choices.items():
                found |= branches(child, (*words, name))
    return found
