"""The source of a table as a declaration writes it: files, a folder or a pattern of them, memory, or a relation."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sfumato.data.addresses import address, check_no_password, is_address, relation_name
from sfumato.data.dialect import CsvDialect
from sfumato.data.entries import one_of, text
from sfumato.data.places import place_of, plain_path
from sfumato.data.source import File, Memory, RemoteTable, Source, has_signs
from sfumato.errors import InvalidDeclaration

_FORMATS = ("", "parquet", "csv", "duckdb")
_OF_FILES = ("format", "dialect")


def source_of(name: str, table: Mapping[str, Any], folder: Path) -> Source:
    """The source of a table: its `source`, and what `relation`, `format` and `dialect` say of it."""
    where = f"[tables.{name}]"
    given = table["source"]
    if isinstance(given, str) and is_address(given):
        return _relation(where, name, table)
    if "relation" in table:
        raise InvalidDeclaration(
            f"{where} has a relation, and its source is no address",
            hint='source = "postgresql://ada@db.example/clinic", or leave relation out',
        )
    form = one_of(f"{where} format", table.get("format", ""), _FORMATS)
    if isinstance(given, str):
        return _one(where, given, form, table, folder)
    if isinstance(given, list | tuple):
        return _several(where, given, form, table, folder)
    _dialect(where, table, ())
    return Memory(given)


def _one(where: str, given: str, form: str, table: Mapping[str, Any], folder: Path) -> File:
    """A file; what ends in a slash is a folder, and a name with signs that no file has is a pattern."""
    check_no_password(f"{where} source", given)
    path = str(folder / plain_path(f"{where} source", given))
    dialect = _dialect(where, table, (given,))
    if not given.endswith("/") and not (has_signs(given) and not os.path.lexists(path)):
        return File((path,), form, dialect)
    if form == "duckdb":
        raise InvalidDeclaration(
            f"{where} source is a folder or a pattern of databases", hint="name one; CSV and Parquet may be many files"
        )
    if has_signs(given) and os.path.isdir(path):  # a folder that is called so
        return File((), form, dialect, "./", path)
    return File((), form, dialect, given, str(folder))


def _several(
    where: str, given: "list[Any] | tuple[Any, ...]", form: str, table: Mapping[str, Any], folder: Path
) -> File:
    if not given or not all(isinstance(each, str) and not is_address(each) for each in given):
        raise InvalidDeclaration(
            f"{where} source must be a file or a list of files", hint='source = ["2025.csv", "2026.csv"]'
        )
    for each in given:
        check_no_password(f"{where} source", each)
    paths = tuple(str(folder / plain_path(f"{where} source", each)) for each in given)
    if len(set(map(place_of, paths))) < len(paths):
        raise InvalidDeclaration(f"{where} source lists a file twice", hint="list each once, and no link to another")
    return File(paths, form, _dialect(where, table, paths))


def _dialect(where: str, table: Mapping[str, Any], names: tuple[str, ...]) -> CsvDialect:
    """The declared dialect; files whose names say so are separated by tabs."""
    tabs = bool(names) and all(each.lower().endswith((".tsv", ".tsv.gz")) for each in names)
    return CsvDialect.declared(where, table.get("dialect", {}), tabs=tabs)


def _relation(where: str, name: str, table: Mapping[str, Any]) -> RemoteTable:
    for entry in _OF_FILES:
        if entry in table:
            raise InvalidDeclaration(f"{where} has a {entry}, and its source is no file", hint=f"leave {entry} out")
    url = address(f"{where} source", table["source"])
    called = text(f"{where} relation", table.get("relation", name), 'for example relation = "clinic.visits"')
    return RemoteTable(url, relation_name(f"{where} relation", called))
