"""Outputs of any kind as columns of numbers: what was said, how it was written, and what was raised instead.

An output may be a number, a bool, None, a text, bytes, an error, or a sequence or mapping of such. Each place in it is
a path, and each path a column that holds a kind and a number for every draw. A text is also read as JSON, so that a
serialised release is seen both ways.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

Path = tuple[Any, ...]
Reals = NDArray[np.float64]
_MOST_PLACES = 64
_NUMBERS = (int, float, np.integer, np.floating, Fraction, Decimal)


class Kind(IntEnum):
    """What stands at a place of an output."""

    ABSENT = 0
    NOTHING = 1
    TRUTH = 2
    NUMBER = 3
    LABEL = 4


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
class Column:
    """One place of every output: what kind of thing stood there, and its number."""

    kinds: NDArray[np.int8]
    values: Reals


@dataclass(frozen=True, eq=False)
class Outcomes:
    """n outputs as columns; `names` says which text a label's number stands for."""

    count: int
    columns: Mapping[Path, Column]
    names: Mapping[float, str]

    def column(self, path: Path) -> Column:
        """A column, absent throughout where no output has the place."""
        found = self.columns.get(path)
        if found is None:
            return Column(np.zeros(self.count, dtype=np.int8), np.zeros(self.count))
        return found

    def part(self, start: int, stop: int) -> "Outcomes":
        """The outputs from start to stop."""
        cut = {path: Column(c.kinds[start:stop], c.values[start:stop]) for path, c in self.columns.items()}
        return Outcomes(min(stop, self.count) - start, cut, self.names)


def joined(one: Outcomes, other: Outcomes) -> Outcomes:
    """The outputs of both, one after the other."""
    columns: dict[Path, Column] = {}
    for path in {**one.columns, **other.columns}:
        a, b = one.column(path), other.column(path)
        columns[path] = Column(np.concatenate([a.kinds, b.kinds]), np.concatenate([a.values, b.values]))
    return Outcomes(one.count + other.count, columns, {**one.names, **other.names})


def encode(outputs: Sequence[Any] | NDArray[Any]) -> Outcomes:
    """The outputs as columns."""
    if isinstance(outputs, np.ndarray) and outputs.dtype.kind in "iufb":
        return _of_array(outputs)
    if _all(outputs, float) or _all(outputs, int):
        return _of_array(np.array([_number(output) for output in outputs]))
    if _all(outputs, bool):
        return _of_array(np.array(outputs, dtype=np.bool_))
    found: dict[Path, tuple[list[int], list[int], list[float]]] = {}
    names: dict[float, str] = {}
    for row, output in enumerate(outputs):
        for path, kind, value in _places(output, (), names):
            rows, kinds, values = found.setdefault(path, ([], [], []))
            rows.append(row)
            kinds.append(kind)
            values.append(value)
    columns: dict[Path, Column] = {}
    for path, (rows, kinds, values) in found.items():
        column = Column(np.zeros(len(outputs), dtype=np.int8), np.zeros(len(outputs)))
        column.kinds[rows] = kinds
        column.values[rows] = values
        columns[path] = column
    return Outcomes(len(outputs), columns, names)


def _all(outputs: Any, kind: type) -> bool:
    return bool(len(outputs)) and all(type(output) is kind for output in outputs)


def _of_array(array: NDArray[Any]) -> Outcomes:
    """One output a row; what has more than one dimension is a sequence."""
    kind = np.int8(Kind.TRUTH if array.dtype.kind == "b" else Kind.NUMBER)
    flat = array.reshape(len(array), -1).astype(np.float64)
    columns: dict[Path, Column] = {}
    for place in range(flat.shape[1]):
        values = np.ascontiguousarray(flat[:, place])
        nan = np.isnan(values)
        kinds = np.where(nan, np.int8(Kind.NOTHING), kind)
        columns[() if array.ndim == 1 else (place,)] = Column(kinds, np.where(nan, 1.0, values))
    return Outcomes(len(array), columns, {})


def _number(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer beyond the largest float
        return math.inf if value > 0 else -math.inf


def _label(text: str, names: dict[float, str]) -> float:
    """A number that stands for a text: 48 bits of its digest."""
    code = float(int.from_bytes(blake2b(text.encode(), digest_size=6).digest()))
    names[code] = text if len(text) <= 60 else f"{text[:59]}…"
    return code


def _places(output: Any, path: Path, names: dict[float, str]) -> Iterator[tuple[Path, int, float]]:
    """Every place of one output with its kind and number."""
    if output is None:
        yield path, Kind.NOTHING, 0.0
    elif isinstance(output, bool | np.bool_):
        yield path, Kind.TRUTH, float(output)
    elif isinstance(output, _NUMBERS):
        number = _number(output)
        yield (path, Kind.NOTHING, 1.0) if math.isnan(number) else (path, Kind.NUMBER, number)
    elif isinstance(output, Raised):
        yield (*path, "raised"), Kind.LABEL, _label(f"{output.kind}: {output.text}", names)
    elif isinstance(output, str | bytes):
        yield from _text(output if isinstance(output, str) else output.decode("latin-1"), path, names)
    elif isinstance(output, Mapping):
        yield (*path, "order"), Kind.LABEL, _label(repr(tuple(output)), names)
        for key, value in list(output.items())[:_MOST_PLACES]:
            yield from _places(value, (*path, key), names)
    elif isinstance(output, list | tuple | np.ndarray):
        yield (*path, "length"), Kind.NUMBER, float(len(output))
        for place, value in enumerate(output[:_MOST_PLACES]):
            yield from _places(value, (*path, place), names)
    else:
        yield path, Kind.LABEL, _label(repr(output), names)


def _text(text: str, path: Path, names: dict[float, str]) -> Iterator[tuple[Path, int, float]]:
    """A text as itself, by its length, and by what it says where it is JSON."""
    yield (*path, "text"), Kind.LABEL, _label(text, names)
    yield (*path, "characters"), Kind.NUMBER, float(len(text))
    try:
        said = json.loads(text)
    except ValueError:
        return
    if not isinstance(said, str):
        yield from _places(said, path, names)
