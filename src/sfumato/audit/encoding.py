"""Outputs of any kind into columns: what was said, how it was written, and what was raised instead.

A text is read as itself, by its length, by its pattern (so that texts which never repeat still have something in
common) and, where it is JSON, by what it says, so that a serialised release is seen both ways. Whole numbers beyond the
precision of a float keep their last bits in a column of their own.
"""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.audit.outcomes import Aspect, Outcomes, OutputColumn, OutputKind, Path, Raised, Reals

_MOST_PLACES = 128  # of one sequence; what comes after is one label
_MOST_COLUMNS = 256  # of all outputs together; a key that is new every time would otherwise make a column a draw
_PRECISE = 2**53  # whole numbers beyond have bits that a float does not hold
_LAST_BITS = 2**20
_DIGITS, _LETTERS = re.compile(r"[0-9]+"), re.compile(r"[^\W\d_]+")
_JSON_STARTS = frozenset("{[-0123456789")
_JSON_WORDS = frozenset(("true", "false", "null", "NaN", "Infinity"))
Rows = Sequence[int] | NDArray[np.int64]


def encode(outputs: Sequence[Any] | NDArray[Any]) -> Outcomes:
    """The outputs as columns."""
    if isinstance(outputs, np.ndarray) and outputs.dtype.kind in "iufb":
        return _of_array(outputs)
    table = _Table(len(outputs))
    table.read((), range(len(outputs)), list(outputs))
    return table.outcomes()


class _Table:
    """Columns while they are filled, place by place: the things of one kind at one place are read at once."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._columns: dict[Path, OutputColumn] = {}
        self._names: dict[float, str] = {}

    def outcomes(self) -> Outcomes:
        """The columns, absent where nothing was said."""
        return Outcomes(self._count, self._columns, self._names)

    def read(self, path: Path, rows: Rows, things: Sequence[Any]) -> None:
        """What stands at one place of these rows, whatever it is."""
        kinds: dict[type, tuple[list[int], list[Any]]] = {}
        for row, thing in zip(rows, things, strict=True):
            entry = kinds.get(type(thing))
            if entry is None:
                entry = kinds[type(thing)] = ([], [])
            entry[0].append(row)
            entry[1].append(thing)
        for kind, (some, alike) in kinds.items():
            next(reader for family, reader in READERS if issubclass(kind, family))(self, path, some, alike)

    def put(self, path: Path, rows: Rows, kind: int | NDArray[np.int8], values: Any) -> None:
        """Fill these rows of a column; of columns beyond the most there may be, only how many an output has."""
        if path not in self._columns and len(self._columns) >= _MOST_COLUMNS and path != (Aspect.FURTHER,):
            counted = self._columns.get((Aspect.FURTHER,))
            had = counted.values[rows] if counted is not None else 0.0
            self.put((Aspect.FURTHER,), rows, OutputKind.WHOLE, had + 1.0)
            return
        column = self._columns.get(path)
        if column is None:
            column = OutputColumn(np.zeros(self._count, dtype=np.int8), np.zeros(self._count))
            self._columns[path] = column
        column.kinds[rows] = kind
        column.values[rows] = values

    def label(self, path: Path, rows: Rows, texts: Sequence[str]) -> None:
        """Fill these rows with numbers that stand for texts: 52 bits of a hash."""
        codes = np.fromiter((hash(text) & (2**52 - 1) for text in texts), dtype=np.float64, count=len(texts))
        for code, text in dict(zip(codes.tolist(), texts, strict=True)).items():
            self._names[code] = text if len(text) <= 60 else f"{text[:59]}…"
        self.put(path, rows, OutputKind.LABEL, codes)


def _of_array(array: NDArray[Any]) -> Outcomes:
    """One output a row; what has more than one dimension is a sequence."""
    kind = {"b": OutputKind.TRUTH, "f": OutputKind.NUMBER}.get(array.dtype.kind, OutputKind.WHOLE)
    rows = array.reshape(len(array), -1)
    columns: dict[Path, OutputColumn] = {}
    for place in range(rows.shape[1]):
        path: Path = () if array.ndim == 1 else (place,)
        values = np.ascontiguousarray(rows[:, place]).astype(np.float64)
        nan = np.isnan(values)
        kinds = np.where(nan, np.int8(OutputKind.NOTHING), np.int8(kind))
        columns[path] = OutputColumn(kinds, np.where(nan, 1.0, values))
        if kind is OutputKind.WHOLE and len(values) and np.abs(values).max() > _PRECISE:
            last = np.mod(rows[:, place], rows.dtype.type(_LAST_BITS)).astype(np.float64)
            columns[(*path, Aspect.LAST_BITS)] = OutputColumn(kinds, last)
    return Outcomes(len(array), columns, {})


# ---- one reader a family of things ---------------------------------------------------------------------------


def _nothing(table: _Table, path: Path, rows: Rows, _things: Sequence[None]) -> None:
    table.put(path, rows, OutputKind.NOTHING, 0.0)


def _truths(table: _Table, path: Path, rows: Rows, things: Sequence[Any]) -> None:
    table.put(path, rows, OutputKind.TRUTH, np.array(things, dtype=np.float64))


def _reals(table: _Table, path: Path, rows: Rows, values: Reals) -> None:
    nan = np.isnan(values)
    kinds = np.where(nan, np.int8(OutputKind.NOTHING), np.int8(OutputKind.NUMBER))
    table.put(path, rows, kinds, np.where(nan, 1.0, values))


def _floats(table: _Table, path: Path, rows: Rows, things: Sequence[float]) -> None:
    _reals(table, path, rows, np.array(things, dtype=np.float64))


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # beyond the largest float
        return math.inf if value > 0 else -math.inf


def _wholes(table: _Table, path: Path, rows: Rows, things: Sequence[Any]) -> None:
    values = np.fromiter(map(_float, things), dtype=np.float64, count=len(things))
    table.put(path, rows, OutputKind.WHOLE, values)
    if np.abs(values).max() > _PRECISE:
        last = np.fromiter((int(value) % _LAST_BITS for value in things), dtype=np.float64, count=len(things))
        table.put((*path, Aspect.LAST_BITS), rows, OutputKind.WHOLE, last)


def _fractions(table: _Table, path: Path, rows: Rows, things: Sequence[Fraction]) -> None:
    table.put(path, rows, OutputKind.NUMBER, [_float(value) for value in things])
    table.put((*path, Aspect.DENOMINATOR), rows, OutputKind.WHOLE, [_float(value.denominator) for value in things])


def _decimals(table: _Table, path: Path, rows: Rows, things: Sequence[Decimal]) -> None:
    _reals(table, path, rows, np.array([math.nan if value.is_nan() else _float(value) for value in things]))
    table.label((*path, Aspect.EXPONENT), rows, [str(value.as_tuple().exponent) for value in things])


def _complex(table: _Table, path: Path, rows: Rows, things: Sequence[complex]) -> None:
    table.read((*path, "real"), rows, [float(value.real) for value in things])
    table.read((*path, "imaginary"), rows, [float(value.imag) for value in things])


def _errors(table: _Table, path: Path, rows: Rows, things: Sequence[Raised]) -> None:
    table.label((*path, Aspect.RAISED), rows, [f"{error.kind}: {error.text}" for error in things])
    patterns = [f"{error.kind}: {pattern(error.text)}" for error in things]
    table.label((*path, Aspect.RAISED, Aspect.PATTERN), rows, patterns)


def _texts(table: _Table, path: Path, rows: Rows, things: Sequence[str]) -> None:
    """Texts as themselves, by length and pattern, and by what they say where they are JSON."""
    known = {text: (pattern(text), _said(text)) for text in set(things)}
    patterns = [known[text][0] for text in things]
    table.label((*path, Aspect.TEXT), rows, things)
    table.put((*path, Aspect.CHARACTERS), rows, OutputKind.WHOLE, [float(len(text)) for text in things])
    table.label((*path, Aspect.PATTERN), rows, patterns)
    forms = {text: _LETTERS.sub("a", text) for text in set(patterns)}
    table.label((*path, Aspect.FORM), rows, [forms[text] for text in patterns])
    said = [(row, known[text][1]) for row, text in zip(rows, things, strict=True) if known[text][1] is not _UNSAID]
    if said:
        table.read(path, [row for row, _ in said], [value for _, value in said])


_UNSAID = object()


def _said(text: str) -> Any:
    """What a text says as JSON, a text within a text left out."""
    if text[:1] not in _JSON_STARTS and text not in _JSON_WORDS:
        return _UNSAID
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return _UNSAID
    return _UNSAID if isinstance(said, str) else said


def _bytes(table: _Table, path: Path, rows: Rows, things: Sequence[bytes]) -> None:
    _texts(table, path, rows, [text.decode("latin-1") for text in things])


def _mappings(table: _Table, path: Path, rows: Rows, things: Sequence[Mapping[Any, Any]]) -> None:
    orders = {keys: repr(keys) for keys in {tuple(thing) for thing in things}}
    table.label((*path, Aspect.ORDER), rows, [orders[tuple(thing)] for thing in things])
    table.put((*path, Aspect.LENGTH), rows, OutputKind.WHOLE, [float(len(thing)) for thing in things])
    held: dict[Any, tuple[list[int], list[Any]]] = {}
    for row, thing in zip(rows, things, strict=True):
        for key, value in thing.items():
            some, values = held.setdefault(key, ([], []))
            some.append(row)
            values.append(value)
    for key, (some, values) in sorted(held.items(), key=lambda entry: -len(entry[1][0])):
        table.read((*path, key), some, values)


def _sequences(table: _Table, path: Path, rows: Rows, things: Sequence[Any]) -> None:
    lengths = [len(thing) for thing in things]
    table.put((*path, Aspect.LENGTH), rows, OutputKind.WHOLE, lengths)
    for place in range(min(_MOST_PLACES, max(lengths))):
        some = [(row, thing[place]) for row, thing in zip(rows, things, strict=True) if len(thing) > place]
        table.read((*path, place), [row for row, _ in some], [value for _, value in some])
    long = [(row, thing[_MOST_PLACES:]) for row, thing in zip(rows, things, strict=True) if len(thing) > _MOST_PLACES]
    if long:
        table.label((*path, Aspect.REST), [row for row, _ in long], [repr(list(rest)) for _, rest in long])


def _sets(table: _Table, path: Path, rows: Rows, things: Sequence[frozenset[Any]]) -> None:
    table.put((*path, Aspect.LENGTH), rows, OutputKind.WHOLE, [float(len(thing)) for thing in things])
    table.label(path, rows, [f"{{{', '.join(sorted(map(repr, thing)))}}}" for thing in things])


def _others(table: _Table, path: Path, rows: Rows, things: Sequence[Any]) -> None:
    table.label(path, rows, [repr(thing) for thing in things])


READERS: tuple[tuple[type | tuple[type, ...], Callable[[_Table, Path, Rows, Any], None]], ...] = (
    (type(None), _nothing),
    ((bool, np.bool_), _truths),
    ((float, np.floating), _floats),
    ((int, np.integer), _wholes),
    (Fraction, _fractions),
    (Decimal, _decimals),
    ((complex, np.complexfloating), _complex),
    (Raised, _errors),
    (str, _texts),
    (bytes, _bytes),
    (Mapping, _mappings),
    ((list, tuple, np.ndarray), _sequences),
    ((set, frozenset), _sets),
    (object, _others),
)
"""How each family of things is read; the first that fits."""


def pattern(text: str) -> str:
    """A text with every run of digits written as one 0.

    >>> pattern("error in row 17 at 0.25")
    'error in row 0 at 0.0'
    """
    return _DIGITS.sub("0", text)
