"""What the owner declares: tables, columns and their bounds, the privacy unit, budgets."""

from sfumato.data.budget import Allowance
from sfumato.data.column import Column, Kind
from sfumato.data.dataset import Dataset, Defaults, Rules, Table
from sfumato.data.declaration import declared, read_declaration
from sfumato.data.dialect import CsvDialect
from sfumato.data.drafted import TableDraft, draft
from sfumato.data.keys import Key, keys_by_name
from sfumato.data.options import EngineOptions
from sfumato.data.patterns import with_files
from sfumato.data.places import place_of
from sfumato.data.source import File, Memory, RemoteTable, Source, SourceColumn
from sfumato.data.typing import Typed, typed
from sfumato.data.written import declaration_json, neighbours_of, unit_of

__all__ = [
    "Allowance",
    "Column",
    "CsvDialect",
    "Dataset",
    "Defaults",
    "EngineOptions",
    "File",
    "Key",
    "Kind",
    "Memory",
    "RemoteTable",
    "Rules",
    "Source",
    "SourceColumn",
    "Table",
    "TableDraft",
    "Typed",
    "declaration_json",
    "declared",
    "draft",
    "keys_by_name",
    "neighbours_of",
    "place_of",
    "read_declaration",
    "typed",
    "unit_of",
    "with_files",
]
