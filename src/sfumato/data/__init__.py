"""What the owner declares: tables, columns and their bounds, the privacy unit, budgets."""

from sfumato.data.budget import Allowance
from sfumato.data.column import Column, Kind
from sfumato.data.dataset import Dataset, Defaults, Table
from sfumato.data.declaration import declared, draft, read_declaration

__all__ = ["Allowance", "Column", "Dataset", "Defaults", "Kind", "Table", "declared", "draft", "read_declaration"]
