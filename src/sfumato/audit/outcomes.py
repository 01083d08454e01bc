"""Outputs as columns: what stood at each place of every output, and its number.

An output may be a number, a bool, None, a text, bytes, an error, or a sequence, set or mapping of such. Each place in
it is a path, and each path a column that holds a kind and a number for every draw; `sfumato.audit.encoding` makes them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

Path = tuple[Any, ...]
Reals = NDArray[np.float64]
Mask = NDArray[np.bool_]


class OutputKind(IntEnum):
    """What stands at a place of an output; 3 and 3.0 are written differently, so they are two kinds."""

    ABSENT = 0
    NOTHING = 1
    TRUTH = 2
    NUMBER = 3
    LABEL = 4
    WHOLE = 5


class Aspect(Enum):
    """What is read off a thing beside the thing itself; never equal to a key that an output has."""

    LENGTH = "length of {}"
    ORDER = "order of {}"
    TEXT = "{}"
    CHARACTERS = "characters of {}"
    PATTERN = "pattern of {}"
    FORM = "form of {}"
    RAISED = "error"
    LAST_BITS = "last bits of {}"
    DENOMINATOR = "denominator of {}"
    EXPONENT = "exponent of {}"
    REST = "rest of {}"
    FURTHER = "number of further places"


@dataclass(frozen=True, slots=True)
class Raised:
    """An error instead of an answer: its kind and its text leave the building as an answer does."""

    kind: str
    text: str

    @classmethod
    def of(cls, error: Exception) -> "Raised":
        """The error as the caller of a release sees it."""
        return cls(type(error).__name__, str(error)[:200])


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """One place of every output: what kind of thing stood there, and its number."""

    kinds: NDArray[np.int8]
    values: Reals

    @property
    def numeric(self) -> Mask:
        """Where a number stood, whole or not."""
        return np.asarray((self.kinds == OutputKind.NUMBER) | (self.kinds == OutputKind.WHOLE))

    @property
    def ordered(self) -> Mask:
        """Where something stood that is more or less than another: a number or a bool."""
        return np.asarray(self.numeric | (self.kinds == OutputKind.TRUTH))


@dataclass(frozen=True, eq=False)
class Outcomes:
    """n outputs as columns; `names` says which text a label's number stands for."""

    count: int
    columns: Mapping[Path, OutputColumn]
    names: Mapping[float, str]

    def column(self, path: Path) -> OutputColumn:
        """A column, absent throughout where no output has the place."""
        found = self.columns.get(path)
        if found is None:
            return OutputColumn(np.zeros(self.count, dtype=np.int8), np.zeros(self.count))
        return found

    def part(self, start: int, stop: int) -> "Outcomes":
        """The outputs from start to stop."""
        cut = {path: OutputColumn(c.kinds[start:stop], c.values[start:stop]) for path, c in self.columns.items()}
        return Outcomes(min(stop, self.count) - start, cut, self.names)


def joined(one: Outcomes, other: Outcomes) -> Outcomes:
    """The outputs of both, one after the other."""
    columns: dict[Path, OutputColumn] = {}
    for path in {**one.columns, **other.columns}:
        a, b = one.column(path), other.column(path)
        columns[path] = OutputColumn(np.concatenate([a.kinds, b.kinds]), np.concatenate([a.values, b.values]))
    return Outcomes(one.count + other.count, columns, {**one.names, **other.names})
