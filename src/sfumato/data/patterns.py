"""Folders and patterns of files: which files they are, by their names alone, in one order on every machine.

`*`, `?` and `[…]` stand for signs of one name, `**` for folders at any depth. Names that begin with `.` are left out,
and those with `_` and no `=` (writers of such folders keep notes there), unless the pattern spells that sign. `**` does
not follow links to folders.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import translate
from itertools import islice

from sfumato.data.dataset import Dataset, Table
from sfumato.data.places import plain_path
from sfumato.data.source import File
from sfumato.errors import InvalidDeclaration, shown

MOST_FILES = 500
"""Each file of a source is a database of ours, and opening more of them takes longer than asking."""
_DEEP = "**"
_ENDINGS = {"parquet": (".parquet", ".pq"), "csv": (".csv", ".csv.gz")}
"""What is read of a folder: other files may lie there too."""


def with_files(dataset: Dataset) -> Dataset:
    """The dataset with the files that its folders and patterns find now."""
    return replace(dataset, tables=tuple(_with_files(table) for table in dataset.tables))


def _with_files(table: Table) -> Table:
    source = table.source
    if not isinstance(source, File) or not source.pattern:
        return table
    where = f"[tables.{table.name}] source {shown(source.pattern)}"
    found = tuple(sorted(islice(_found(where, source), MOST_FILES + 1)))
    if not found:
        is_folder = source.pattern.endswith("/")
        hint = (
            'a folder is one of .parquet files, or of .csv by format = "csv"'
            if is_folder
            else "mend it: ** is any folder"
        )
        raise InvalidDeclaration(f"{where} finds no file", hint=f"{hint}; names that begin with . or _ are left out")
    if len(found) > MOST_FILES:
        raise InvalidDeclaration(
            f"{where} finds more than {MOST_FILES} files", hint="write them anew as fewer, larger files"
        )
    for path in found:
        plain_path(where, path)
    return replace(table, source=replace(source, paths=found))


def _found(where: str, source: File) -> Iterator[str]:
    """The paths that a pattern finds: what is no folder, whatever it is, so that nothing is left out in silence."""
    start, parts = source.beginning()
    if ".." in parts:
        raise InvalidDeclaration(f"{where} has a .. behind a sign", hint="write the folders that are meant")
    wanted = source.format or "parquet" if source.pattern.endswith("/") else ""
    walk = _Walk(where, [*parts, _DEEP] if wanted else parts)
    for path in walk.below(start):
        if not wanted or path.lower().endswith(_ENDINGS[wanted]):
            _check_inside(where, start, path)
            yield path


def _check_inside(where: str, start: str, path: str) -> None:
    """Refuse a link out of the folder: whoever may write there could have anybody's rows registered."""
    inside = os.path.realpath(start)
    if os.path.commonpath([inside, os.path.realpath(path)]) != inside:
        raise InvalidDeclaration(
            f"{where} finds a link that leads out of its folder", hint="put the file there, or name it itself"
        )


class _Walk:
    """A walk through folders that keeps, for the names met so far, the places of the pattern that may come next."""

    def __init__(self, where: str, parts: list[str]) -> None:
        self._where, self._parts = where, parts
        self._signs = [None if part == _DEEP else re.compile(translate(part)) for part in parts]

    def _further(self, places: set[int]) -> frozenset[int]:
        """The places, and those behind a `**` that stands for no folder at all."""
        made = set(places)
        for place in range(len(self._parts)):
            if place in made and self._signs[place] is None:
                made.add(place + 1)
        return frozenset(made)

    def below(self, start: str) -> Iterator[str]:
        """The files below a folder that the pattern finds."""
        ahead = [(start, self._further({0}))]
        while ahead:
            folder, places = ahead.pop()
            for entry in self._entries(folder):
                is_folder = _is_folder(entry)
                after = self._after(entry.name, places, deep=not (is_folder and entry.is_symlink()))
                if is_folder and after - {len(self._parts)}:
                    ahead.append((entry.path, after))
                elif not is_folder and len(self._parts) in after:
                    yield entry.path

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                return list(entries)
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError:
            raise InvalidDeclaration(
                f"{self._where}: a folder of it cannot be read", hint="see its permissions, and those of its folders"
            ) from None

    def _after(self, name: str, places: frozenset[int], *, deep: bool) -> frozenset[int]:
        """The places behind a name; `deep` is whether `**` may stand for it."""
        made = set[int]()
        for place in places - {len(self._parts)}:
            sign = self._signs[place]
            if sign is None:
                if deep and not _is_hidden(name):
                    made.add(place)
            elif sign.fullmatch(name) and (not _is_hidden(name) or self._parts[place][0] == name[0]):
                made.add(place + 1)
        return self._further(made)


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself: it is looked at again as a file, and refused
        return False
