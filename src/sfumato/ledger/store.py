"""What the ledger asks of a store: serialisable writes, consistent reads, and nothing else."""

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from sfumato.errors import LedgerDamaged, LedgerUnavailable

T = TypeVar("T")
Row = tuple[Any, ...]


class Transaction(Protocol):
    """Statements that are done together or not at all; `?` marks a parameter."""

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Iterable[Row]:
        """Run one statement."""
        ...

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]], /) -> object:
        """Run one statement for each row."""
        ...


class Store(Protocol):
    """Where a ledger is kept."""

    def write(self, work: Callable[[Transaction, bool], T]) -> T:
        """Run the work as if no other writer existed; when this returns, what it wrote is durable.

        The work is told whether it follows this store's own last write, with no other writer in between.
        """
        ...

    def read(self) -> AbstractContextManager[Transaction]:
        """A consistent view of what is committed."""
        ...

    def check(self, run: Transaction) -> None:
        """Raise `LedgerDamaged` unless tables, constraints and guards are as the ledger made them."""
        ...

    def copy_to(self, path: Path) -> None:
        """Write what is committed to an empty file, as a ledger that can be opened."""
        ...

    def close(self) -> None:
        """Give the connections back."""
        ...


class Owner:
    """The process that opened something, which is the only one that may use it."""

    def __init__(self) -> None:
        self._pid = os.getpid()

    def check(self) -> None:
        """Refuse to work in a process that was forked later."""
        if os.getpid() != self._pid:
            raise LedgerUnavailable("the ledger was opened before a fork", hint="open it again in the new process")


def unavailable(what: str, hint: str) -> LedgerUnavailable:
    """The one error for every failure of a store; it shows no text of the engine, which could hold a row."""
    return LedgerUnavailable(f"the ledger could not be {what}; nothing was acknowledged", hint=hint)


def changed(name: str) -> LedgerDamaged:
    """A table, constraint or trigger that is missing, foreign or not as it was made."""
    return LedgerDamaged(
        f"`{name}` of the ledger's tables is not as the ledger made it",
        hint="what was appended is still there; put the table, constraint or trigger back as schema.py has it",
    )
