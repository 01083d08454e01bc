"""How many different values there are."""

from dataclasses import dataclass
from typing import ClassVar

from sfumato.query.measures.base import OfValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Distinct(OfValue):
    """The number of different values: one of a person's rows brings one at most. It has a statement of its own."""

    kind: ClassVar[str] = "distinct"
    words: ClassVar[str] = "different values"
