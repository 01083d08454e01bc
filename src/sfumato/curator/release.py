"""A release: values with error bars, what they cost and what remains. It is the only type that leaves."""

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from typing import Any, Literal, TypeVar

from sfumato.core.libraries import library
from sfumato.core.printing import Json, for_csv, for_json
from sfumato.curator import words
from sfumato.curator.documents import RELEASE, amount_json, headed, read_amount, read_field, read_header
from sfumato.curator.noted import sentence
from sfumato.data import Kind
from sfumato.data.column import Value
from sfumato.errors import SfumatoError
from sfumato.pictures import of_answer
from sfumato.query.bars import Bar

T = TypeVar("T")
Role = Literal["key", "value"]
"""A key says which group a row is about, exactly; a value was measured."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a question costs; nothing, if its answer was already released."""

    epsilon: Fraction | None
    rho: Fraction | None
    delta: Fraction

    def __str__(self) -> str:
        return words.cost(self)

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(_both(self.epsilon, other.epsilon), _both(self.rho, other.rho), self.delta + other.delta)

    @property
    def is_free(self) -> bool:
        """Whether nothing was charged."""
        return not self.epsilon and not self.rho and not self.delta

    def to_json(self) -> dict[str, Any]:
        """The amounts as numbers and as exact text."""
        return {"epsilon": amount_json(self.epsilon), "rho": amount_json(self.rho), "delta": amount_json(self.delta)}


def _both(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    return one if other is None else other if one is None else one + other


NOTHING = Cost(None, None, Fraction(0))


@dataclass(frozen=True, slots=True)
class AnswerColumn:
    """A column of an answer: its name, what its values are, and whether it is a key or was measured."""

    name: str
    kind: Kind
    role: Role

    def to_json(self) -> dict[str, Any]:
        """Its three parts."""
        return {"name": self.name, "kind": self.kind.value, "role": self.role}


@dataclass(frozen=True, slots=True)
class Left:
    """What is left of one budget: whose it is, of which window, and in what it counts."""

    dataset: str
    group: str
    principal: str
    period: str
    currency: str
    left: Fraction
    delta_left: Fraction | None = None
    """Of δ; None in a document that does not say."""

    def __str__(self) -> str:
        return words.left(self)

    def to_json(self) -> dict[str, Any]:
        """Its parts, and the amount as a number and as exact text."""
        whose = {"dataset": self.dataset, "group": self.group, "principal": self.principal, "period": self.period}
        found = {**whose, "currency": self.currency, "left": amount_json(self.left)}
        return found if self.delta_left is None else {**found, "delta_left": amount_json(self.delta_left)}


@dataclass(frozen=True, slots=True)
class Note:
    """What a reader of an answer must know: a code and figures for programs, a sentence for people."""

    code: str
    text: str
    figures: Mapping[str, float] = field(default_factory=dict[str, float])

    @classmethod
    def of(cls, code: str, **figures: float) -> "Note":
        """The note that has this code, with its sentence."""
        return cls(code, sentence(code, figures), figures)

    def __str__(self) -> str:
        return self.text

    def to_json(self) -> dict[str, Any]:
        """Its parts."""
        return {"code": self.code, "text": self.text, "figures": dict(self.figures)}


@dataclass(frozen=True, slots=True)
class Shown:
    """What can be seen of a stored answer, before it has its receipt."""

    schema: tuple[AnswerColumn, ...]
    bars: tuple[tuple[Bar, ...], ...]
    confidence: Fraction
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Release:
    """Rows of released values with error bars.

    `rows` holds a dictionary a row; `intervals` the ends of each value's error bar, at `confidence`; `remaining` is
    what is left of each budget that the question counts against.
    """

    schema: tuple[AnswerColumn, ...]
    bars: tuple[tuple[Bar, ...], ...]
    cost: Cost
    confidence: Fraction
    remaining: tuple[Left, ...]
    receipt: str
    sequence: int
    repeated: bool
    """The answer was released before and cost nothing now."""
    notes: tuple[Note, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.schema)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The released values."""
        return [{name: bar.value for name, bar in zip(self.columns, row, strict=True)} for row in self.bars]

    @property
    def intervals(self) -> list[dict[str, tuple[float, float] | None]]:
        """The ends of each value's error bar; None for keys and constants."""
        return [
            {name: (bar.low, bar.high) if bar.low is not None and bar.high is not None else None
             for name, bar in zip(self.columns, row, strict=True)}
            for row in self.bars
        ]  # fmt: skip

    @property
    def value(self) -> Any:
        """The one value of an answer of one row and one column."""
        if len(self.bars) != 1 or len(self.schema) != 1:
            raise SfumatoError(f"the answer has {len(self.bars)} rows and {len(self.schema)} columns", hint="use rows")
        return self.bars[0][0].value

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.bars)

    def to_json(self) -> dict[str, Any]:
        """Everything that is released, as JSON values; the schema is `sfumato.curator.documents.schema()`."""
        return {
            **headed(RELEASE),
            "columns": [column.to_json() for column in self.schema],
            "rows": [[stored_value(bar.value) for bar in row] for row in self.bars],
            "intervals": for_json(
                [[[bar.low, bar.high] if bar.has_interval else None for bar in row] for row in self.bars]
            ),
            "uncertain": [[bar.uncertain for bar in row] for row in self.bars],
            "confidence": amount_json(self.confidence),
            "cost": self.cost.to_json(),
            "remaining": [each.to_json() for each in self.remaining],
            "receipt": self.receipt,
            "sequence": self.sequence,
            "repeated": self.repeated,
            "notes": [note.to_json() for note in self.notes],
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Release":
        """The release that a JSON document holds; what an older version wrote is refused, with what to do instead."""
        read_header(document, RELEASE)
        return _read(document)

    def _columns(self) -> dict[str, list[Any]]:
        """Columns by name, with the ends of error bars beside those that have them."""
        found: dict[str, list[Any]] = {}
        for i, name in enumerate(self.columns):
            bars = [row[i] for row in self.bars]
            found[_fresh(name, found)] = [bar.value for bar in bars]
            if any(bar.has_interval for bar in bars):
                found[_fresh(f"{name}_low", found)] = [bar.low for bar in bars]
                found[_fresh(f"{name}_high", found)] = [bar.high for bar in bars]
        return found

    def to_arrow(self) -> Any:
        """A pyarrow Table with the ends of error bars as columns of their own."""
        return library("pyarrow", "an Arrow table").table(self._columns())

    def to_pandas(self) -> Any:
        """A pandas DataFrame with the ends of error bars as columns of their own."""
        return library("pandas", "a pandas DataFrame").DataFrame(self._columns())

    def to_polars(self) -> Any:
        """A polars DataFrame with the ends of error bars as columns of their own."""
        return library("polars", "a polars DataFrame").DataFrame(self._columns())

    def to_csv(self) -> str:
        """CSV with the ends of error bars as columns of their own; no text in it is taken for a formula."""
        columns = self._columns()
        lines = [map(for_csv, columns), *(map(_csv_cell, row) for row in zip(*columns.values(), strict=True))]
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(lines)
        return text.getvalue()

    def cells(self) -> list[list[str]]:
        """Every value with its error bar, as text that can be shown."""
        return words.cells(self)

    def footer(self) -> str:
        """Cost, what remains, and the receipt, on one line."""
        return words.footer(self)

    def __str__(self) -> str:
        return words.as_text(self)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return self._drawn() + words.as_page(self)

    def _drawn(self) -> str:
        """Bars with error bars, for an answer of one key and one number."""
        if len(self.columns) != 2 or not self.bars:
            return ""
        if any(key.has_interval for key, _ in self.bars) or not any(number.has_interval for _, number in self.bars):
            return ""
        parts = ((key.value, number.value, number.low, number.high) for key, number in self.bars)
        names, values, lows, highs = zip(*parts, strict=True)
        return of_answer(names, values, lows, highs, f"{self.columns[1]} by {self.columns[0]}")


def _read(document: Mapping[str, Any]) -> Release:
    def field(name: str, read: Callable[[Any], T]) -> T:
        return read_field(document, name, read)

    schema = field("columns", lambda given: tuple(map(_read_column, given)))
    rows = field("rows", lambda given: [_read_row(row, schema) for row in _as_many(given, given)])
    ends = field("intervals", lambda given: [[_ends(each) for each in _as_many(row, schema)] for row in given])
    field("intervals", lambda given: _as_many(given, rows))
    doubts = [[False] * len(schema) for _ in rows]  # a document of before says of none that it is in doubt
    if "uncertain" in document:
        doubts = field("uncertain", lambda given: [list(map(_truth, _as_many(row, schema))) for row in given])
        field("uncertain", lambda given: _as_many(given, rows))
    made = [
        [Bar(value, *end, uncertain=doubt) for value, end, doubt in zip(*row, strict=True)]
        for row in zip(rows, ends, doubts, strict=True)
    ]
    return Release(
        schema=schema,
        bars=tuple(map(tuple, made)),
        cost=field("cost", _read_cost),
        confidence=field("confidence", read_amount),
        remaining=field("remaining", lambda given: tuple(map(_read_left, given))),
        receipt=field("receipt", _text),
        sequence=field("sequence", _whole),
        repeated=field("repeated", _truth),
        notes=field("notes", lambda given: tuple(map(_read_note, given))),
    )


def _read_column(each: Mapping[str, Any]) -> AnswerColumn:
    role: Role = "key" if each["role"] == "key" else "value"
    if each["role"] != role:
        raise ValueError
    return AnswerColumn(_text(each["name"]), Kind(each["kind"]), role)


def _read_row(row: list[Any], schema: tuple[AnswerColumn, ...]) -> list[Any]:
    return [read_value(value, column.kind) for value, column in zip(_as_many(row, schema), schema, strict=True)]


def _as_many(given: Any, others: Sequence[Any]) -> list[Any]:
    """A list with as many entries as another."""
    if not isinstance(given, list) or len(given) != len(others):
        raise ValueError
    return given


def _read_cost(cost: Mapping[str, Any]) -> Cost:
    epsilon, rho = (None if cost[name] is None else read_amount(cost[name]) for name in ("epsilon", "rho"))
    return Cost(epsilon, rho, read_amount(cost["delta"]))


def _read_left(each: Mapping[str, Any]) -> Left:
    delta = each.get("delta_left")
    return Left(
        dataset=_text(each["dataset"]),
        group=_text(each["group"]),
        principal=_text(each["principal"]),
        period=_text(each["period"]),
        currency=_text(each["currency"]),
        left=read_amount(each["left"]),
        delta_left=None if delta is None else read_amount(delta),
    )


def _read_note(each: Mapping[str, Any]) -> Note:
    return Note(
        _text(each["code"]), _text(each["text"]), {_text(name): value for name, value in each["figures"].items()}
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError
    return value


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _csv_cell(value: Any) -> str:
    """A number, a day or a truth as it is; a text that a spreadsheet would compute has an apostrophe before it."""
    if value is None:
        return ""
    plain = stored_value(value)
    return for_csv(value) if isinstance(value, str) else str(plain).lower() if isinstance(value, bool) else str(plain)


def stored_value(value: object) -> Json:
    """A value of a group's key as JSON."""
    return value.isoformat() if isinstance(value, date) else for_json(value)


def read_value(value: Value | None, kind: Kind) -> Value | None:
    """A value from JSON, of the kind it was."""
    if not isinstance(value, str):
        return value
    if kind is Kind.REAL:
        return float(value)
    if kind is Kind.DATE:
        return date.fromisoformat(value)
    return _moment(value) if kind is Kind.TIMESTAMP else value


def _moment(value: str) -> date:
    from datetime import datetime

    return datetime.fromisoformat(value)


def _ends(interval: list[Any] | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (float(interval[0]), float(interval[1]))


def _fresh(name: str, taken: dict[str, Any]) -> str:
    made, i = name, 2
    while made in taken:
        made, i = f"{name}_{i}", i + 1
    return made
