"""What a table is read from, and the columns that are found there."""

from dataclasses import dataclass

from sfumato.data.column import Kind


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """A column as its source has it; `kind` is None where no question can read its type.

    A `loose` column holds text that is to be read as its owner declares. Of an `uncertain` one rows have decided the
    type, so that the owner must say what it is.
    """

    name: str
    type: str
    kind: Kind | None
    loose: bool = False
    uncertain: bool = False
    likely: Kind = Kind.TEXT
    """What an uncertain column seems to be, to suggest it to its owner."""
