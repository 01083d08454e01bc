"""The command `sfumato`: data to stdout, messages to stderr, one exit code for each kind of outcome."""

from sfumato.cli.main import main

__all__ = ["main"]
