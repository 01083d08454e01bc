"""Parse the words, load the one command that is meant, and turn every outcome into an exit code."""

import argparse
import os
import sys
from collections.abc import Sequence

from sfumato import __version__
from sfumato.cli import terminal
from sfumato.cli.command import COMMANDS, Command, Exit
from sfumato.errors import SfumatoError, outcome_of


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; the exit code says how it ended."""
    words = sys.argv[1:] if words is None else list(words)
    terminal.prepare()
    named = next((command for command in COMMANDS if command.name in words[:1]), None)
    parser = _parser(named)
    arguments = parser.parse_args(words)
    if named is None:
        parser.print_help(sys.stdout if not words else sys.stderr)
        return Exit.USAGE
    try:
        return named.load().run(arguments)
    except SfumatoError as error:
        _tell(error, arguments)
        return Exit(outcome_of(error).exit)
    except KeyboardInterrupt:
        terminal.say("interrupted")
        return Exit.INTERRUPTED
    except BrokenPipeError:  # `sfumato … | head` is no failure
        terminal.close_stdout()
        return Exit.DONE
    except Exception as error:  # its own text and trace may hold a cell
        if os.environ.get("SFUMATO_TRACEBACK"):
            raise
        _tell(_unexpected(error), arguments)
        return Exit.FAILED


def _tell(error: SfumatoError, arguments: argparse.Namespace) -> None:
    """An error in words, or as the JSON document that was asked for."""
    if not getattr(arguments, "json", False):
        terminal.complain(error)
        return
    from sfumato.curator.documents import error_json  # late: most commands load less

    terminal.emit(error_json(error))


def _unexpected(error: Exception) -> SfumatoError:
    return SfumatoError(
        f"something unexpected went wrong ({type(error).__name__}); what was charged stays charged",
        hint="please report it, see SECURITY.md; SFUMATO_TRACEBACK=1 shows where, and may show data",
    )


def _parser(named: Command | None) -> argparse.ArgumentParser:
    """A parser that knows every command by name and only the one that is meant in full."""
    parser = argparse.ArgumentParser(
        prog="sfumato", description="Private answers with error bars, and a ledger of every ε."
    )
    parser.add_argument("--version", action="version", version=f"sfumato {__version__}")
    commands = parser.add_subparsers(metavar="command", title="commands")
    for command in COMMANDS:
        child = commands.add_parser(command.name, help=command.help, description=command.help)
        if command is named:
            command.load().arguments(child)
    return parser
