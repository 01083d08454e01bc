"""What a command is: a file of this room with `arguments` and `run`, and one line in `COMMANDS`."""

import argparse
from enum import IntEnum
from importlib import import_module
from typing import NamedTuple, Protocol, cast


class Exit(IntEnum):
    """How a command ends."""

    DONE = 0
    FOUND = 1  # an audit that convicts, a check that does not pass
    USAGE = 2
    REFUSED = 3  # the budget, the policy or the question itself; nothing was spent
    FAILED = 4  # something outside failed; what was charged stays charged
    INTERRUPTED = 130


class Module(Protocol):
    """What the file of a command holds."""

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's options and words."""
        ...

    def run(self, arguments: argparse.Namespace) -> Exit:
        """Do it."""
        ...


class Command(NamedTuple):
    """A name, a line of help, and the file that is loaded only when the command is used."""

    name: str
    help: str
    module: str

    def load(self) -> Module:
        """The command's file."""
        return cast("Module", import_module(self.module))


COMMANDS: tuple[Command, ...] = (
    Command("demo", "a first look: a hospital's visits, six questions, and a budget that ends", "sfumato.cli.demo"),
    Command("init", "draft a declaration from the schemas of files or a database", "sfumato.cli.init"),
    Command("check", "see whether a declaration can be honoured, and what it means", "sfumato.cli.check"),
    Command("profile", "for the owner: see what is in the data, and what bounds would cost", "sfumato.cli.profile"),
    Command("register", "for the owner: read the sources through once, and fix what they are", "sfumato.cli.register"),
    Command("explain", "see plan, price and expected error of a question, for nothing", "sfumato.cli.explain"),
    Command("sql", "ask a question; its price is charged before data are read", "sfumato.cli.sql"),
    Command("max", "choose the public group with the largest aggregate, without its value", "sfumato.cli.max"),
    Command("top", "choose the public groups with the largest aggregates, best first", "sfumato.cli.top"),
    Command("choose", "choose a candidate by a public utility that adds up groups", "sfumato.cli.choose"),
    Command("median", "ask for a median with noise that follows the data", "sfumato.cli.median"),
    Command("watch", "ask counts line by line until some pass a threshold, at one price", "sfumato.cli.watch"),
    Command("publish", "publish tables and rows once, to be asked for ever without data", "sfumato.cli.publish"),
    Command("budget", "see every budget, what was spent and what remains", "sfumato.cli.budget"),
    Command("owner", "for the owner: see which questions failed, and unlock who asked them", "sfumato.cli.owner"),
    Command("log", "see the ledger's entries", "sfumato.cli.log"),
    Command("show", "see a stored answer again, by its receipt, for nothing", "sfumato.cli.show"),
    Command("local", "collect from devices that trust nobody: new, simulate, aggregate, decode", "sfumato.cli.local"),
    Command("audit", "measure a claim of privacy, and convict it if it is false", "sfumato.cli.audit"),
    Command("attack", "run an attack as a lesson, before and after protection", "sfumato.cli.attack"),
    Command("anonymity", "describe or make k-anonymous tables, and see them broken", "sfumato.cli.anonymity"),
    Command("docs", "read the documentation that is shipped with the package", "sfumato.cli.docs"),
    Command("completion", "write a script that completes commands in bash, zsh or fish", "sfumato.cli.completion"),
)
"""Every command, in the order `sfumato --help` lists them."""
