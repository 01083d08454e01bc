"""Parse the words, load the one command that is meant, and turn every outcome into an exit code."""

import argparse
import os
import sys
from collections.abc import Sequence

from sfumato.cli import parser, terminal
from sfumato.cli.command import COMMANDS, Exit
from sfumato.cli.door import as_told
from sfumato.errors import SfumatoError, outcome_of


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; the exit code says how it ended."""
    words = sys.argv[1:] if words is None else list(words)
    terminal.prepare()
    named = next((command for command in COMMANDS if command.name in words[:1]), None)
    arguments = parser.read(words, named, COMMANDS)
    if named is None:
        parser.parser_of(None, COMMANDS).print_help(sys.stdout)
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
    """An error in words, or as the JSON document that was asked for; its hint in the words of commands."""
    error = as_told(error)
    if not getattr(arguments, "json", False):
        terminal.complain(error)
        return
    from sfumato.curator.documents import error_json  # late: most commands load less

    try:
        terminal.emit(error_json(error))
    except BrokenPipeError:  # nobody reads it any more; how it ended says the exit code
        terminal.close_stdout()


def _unexpected(error: Exception) -> SfumatoError:
    return SfumatoError(
        f"something unexpected went wrong ({type(error).__name__}); what was charged stays charged",
        hint="please report it, sfumato docs security says how; SFUMATO_TRACEBACK=1 shows where, and may show data",
    )
