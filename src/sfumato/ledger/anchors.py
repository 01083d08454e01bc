"""Anchors: a line kept apart from the ledger that says how far it had come.

An anchor pins every entry up to it. It finds an older copy that was put back, a shortened ledger and a rewritten
history; it cannot know what was appended after it was taken, nor an anchor that was put back with the ledger.
"""

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from sfumato.core.locks import check_locks, lock
from sfumato.errors import InvalidParameter, LedgerUnavailable
from sfumato.ledger.store import unavailable

_FORM = re.compile(r"sfumato-anchor-1 ([0-9a-f]{32}) ([0-9]{1,18}) ([0-9a-f]{64})")
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Anchor:
    """Which ledger, how many entries, and the head of the chain after them.

    >>> Anchor("0" * 32, 7, "f" * 64) == Anchor.read(str(Anchor("0" * 32, 7, "f" * 64)))
    True
    """

    identity: str
    sequence: int
    head: str

    def __str__(self) -> str:
        return f"sfumato-anchor-1 {self.identity} {self.sequence} {self.head}"

    @classmethod
    def read(cls, text: str) -> "Anchor":
        """The anchor that a line of text is."""
        found = _FORM.fullmatch(str(text).strip())
        if not found:
            raise InvalidParameter("anchor", "is not an anchor", text, hint="it is what `ledger.anchor()` gave")
        return cls(found[1], int(found[2]), found[3])


def anchor_of(given: object) -> "Anchor | AnchorFile":
    """The anchor that a line of text is, or the file that a path leads to."""
    if isinstance(given, Anchor):
        return given
    if not isinstance(given, Path | str) or not str(given).strip():
        raise InvalidParameter("anchor", "must be a path or an anchor's text", given)
    if isinstance(given, str) and given.lstrip().startswith("sfumato-anchor"):
        return Anchor.read(given)
    return AnchorFile(Path(given))


class AnchorFile:
    """An anchor on another disk or host, moved forward after every commit and never back.

    It is written without waiting for the disk: after a power cut it may be behind the ledger, never ahead.
    """

    def __init__(self, path: Path) -> None:
        check_locks()  # before anything is charged that could not be anchored
        self._path = path

    def read(self) -> Anchor | None:
        """The anchor, or None if the file is new or empty."""
        try:
            with self._path.open() as file:
                _trusted(file.fileno())
                text = file.read()
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError):
            raise unavailable("opened", "its anchor file cannot be read") from None
        if text and not _FORM.fullmatch(text.strip()):  # somebody's own file: what is in it is not shown
            raise InvalidParameter(
                "anchor",
                "is not an anchor, but another file",
                str(self._path),
                hint="name a file that is not there yet",
            )
        return Anchor.read(text) if text else None

    def advance(self, anchor: Anchor, *, force: bool = False) -> None:
        """Move the anchor forward; only a restore may move it back."""
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                _trusted(descriptor)
                lock(descriptor)
                before = os.pread(descriptor, _LONGEST, 0).decode()
                if force or not before or Anchor.read(before).sequence < anchor.sequence:
                    line = f"{anchor}\n".encode()
                    os.pwrite(descriptor, line, 0)
                    os.ftruncate(descriptor, len(line))
            finally:
                os.close(descriptor)
        except (OSError, UnicodeDecodeError, InvalidParameter):
            raise unavailable("anchored", "its anchor file cannot be written; the charge counts as spent") from None


def _trusted(descriptor: int) -> None:
    """Refuse a file that others can write: they could move the anchor back."""
    mode = stat.S_IMODE(os.fstat(descriptor).st_mode)
    if mode & 0o022:
        raise LedgerUnavailable(f"the anchor file can be written by others (mode {mode:o})", hint="chmod 600 it")
