"""What the owner declares: tables, columns and their bounds, the privacy unit, budgets."""

from sfumato.data.budget import Allowance
from sfumato.data.column import Column, Kind
from sfumato.data.dataset import Dataset, Defaults, Rules, Table
from sfumato.data.declaration import declared, read_declaration
from sfumato.data.dialect import Dialect
from sfumato.data.drafted import draft
from sfumato.data.places import place_of
from sfumato.data.source import SourceColumn
from sfumato.data.written import unit_of, written_down

__all__ = [
    "Allowance",
    "Column",
    "Dataset",
    "Defaults",
    "Dialect",
    "Kind",
    "Rules",
    "SourceColumn",
    "Table",
    "declared",
    "draft",
    "place_of",
    "read_declaration",
    "unit_of",
    "written_down",
]
