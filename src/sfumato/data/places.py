"""Which file a path is: one answer for everybody who compares, opens or writes down paths."""

import os
from pathlib import Path

from sfumato.data.entries import said
from sfumato.errors import InvalidDeclaration


def place_of(path: Path | str) -> str:
    """The file that a path leads to, by its one absolute name: links and dots are followed as the system does."""
    return os.path.realpath(path)


def plain_path(where: str, path: Path | str) -> str:
    """A path that every library can open; InvalidDeclaration for one that no file can have, or that is not text."""
    text = str(path)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidDeclaration(
            f"{where} is a path that is not UTF-8: {said(text)}", hint="rename the file or the folder"
        ) from None
    if not text or "\0" in text:
        raise InvalidDeclaration(f"{where} is not a path: {said(text)}", hint='for example "visits.parquet"')
    return text
