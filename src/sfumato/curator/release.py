"""A release: values with error bars, what they cost and what remains. It is the only type that leaves."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from math import floor, log10
from typing import Any

from sfumato.core.printing import for_json, for_page, for_terminal
from sfumato.errors import SfumatoError
from sfumato.query.released import Bar


@dataclass(frozen=True, slots=True)
class Cost:
    """What a question costs; nothing, if its answer was already released."""

    epsilon: Fraction | None
    rho: Fraction | None
    delta: Fraction

    def __str__(self) -> str:
        parts = [
            f"{name} = {written(value)}" for name, value in (("ε", self.epsilon), ("ρ", self.rho)) if value is not None
        ]
        return ", ".join([*parts, *([f"δ = {written(self.delta)}"] if self.delta else [])]) or "nothing"

    @property
    def is_free(self) -> bool:
        """Whether nothing was charged."""
        return not self.epsilon and not self.rho and not self.delta

    def to_json(self) -> dict[str, str | None]:
        """The amounts as exact text."""
        return {
            "epsilon": None if self.epsilon is None else exact_text(self.epsilon),
            "rho": None if self.rho is None else exact_text(self.rho),
            "delta": exact_text(self.delta),
        }


def exact_text(value: Fraction) -> str:
    """A rational as a decimal if it is one, else as a ratio.

    >>> exact_text(Fraction(1, 8)), exact_text(Fraction(1, 3))
    ('0.125', '1/3')
    """
    bottom = value.denominator
    for prime in (2, 5):
        while bottom % prime == 0:
            bottom //= prime
    if bottom != 1:
        return str(value)
    from decimal import Context, Decimal

    context = Context(prec=200)
    return format(context.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize(context), "f")


def written(value: Fraction) -> str:
    """An amount for people: six digits, rounded to nearest."""
    return f"{float(value):.6g}"


def written_down(value: Fraction) -> str:
    """An amount for people that is not above it: six decimals."""
    return f"{floor(value * 10**6) / 10**6:.6g}" if value >= Fraction(1, 10**6) else exact_text(value)


@dataclass(frozen=True, slots=True)
class Release:
    """Rows of released values with error bars.

    `rows` holds a dictionary a row; `intervals` the ends of each value's error bar, at `confidence`; `remaining` is
    what is left of each budget that the question counts against.
    """

    columns: tuple[str, ...]
    bars: tuple[tuple[Bar, ...], ...]
    cost: Cost
    confidence: Fraction
    remaining: tuple[tuple[str, str], ...]
    receipt: str
    sequence: int
    repeated: bool
    """The answer was released before and cost nothing now."""
    notes: tuple[str, ...] = ()

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
        if len(self.bars) != 1 or len(self.columns) != 1:
            raise SfumatoError(f"the answer has {len(self.bars)} rows and {len(self.columns)} columns", hint="use rows")
        return self.bars[0][0].value

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.bars)

    def to_json(self) -> dict[str, Any]:
        """Everything that is released, as JSON values."""
        return {
            "columns": list(self.columns),
            "rows": [[_plain(bar.value) for bar in row] for row in self.bars],
            "intervals": for_json(
                [[[bar.low, bar.high] if bar.has_interval else None for bar in row] for row in self.bars]
            ),
            "confidence": float(self.confidence),
            "cost": self.cost.to_json(),
            "remaining": dict(self.remaining),
            "receipt": self.receipt,
            "repeated": self.repeated,
            "notes": list(self.notes),
        }

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
        return _library("pyarrow").table(self._columns())

    def to_pandas(self) -> Any:
        """A pandas DataFrame with the ends of error bars as columns of their own."""
        return _library("pandas").DataFrame(self._columns())

    def to_polars(self) -> Any:
        """A polars DataFrame with the ends of error bars as columns of their own."""
        return _library("polars").DataFrame(self._columns())

    def cells(self) -> list[list[str]]:
        """Every value with its error bar, as text that can be shown."""
        return [[for_terminal(_cell(bar)) for bar in row] for row in self.bars]

    def footer(self) -> str:
        """Cost, what remains, and the receipt, on one line."""
        left = "; ".join(f"{value} of {name}" for name, value in self.remaining)
        paid = "free: released before" if self.repeated else f"cost {self.cost}"
        return f"{paid} · left {left} · receipt {self.receipt}"

    def __str__(self) -> str:
        lines = [[for_terminal(name) for name in self.columns], *self.cells()]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.columns))]
        body = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
        ]
        about = [for_terminal(line) for line in (self.footer(), *self.notes)]
        return "\n".join([body[0], "  ".join("─" * width for width in widths), *body[1:], "", *about])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{for_page(name)}</th>" for name in self.columns)
        body = "".join(f"<tr>{''.join(f'<td>{for_page(cell)}</td>' for cell in row)}</tr>" for row in self.cells())
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{for_page(self.footer())}</p>"


def _fresh(name: str, taken: dict[str, Any]) -> str:
    made, i = name, 2
    while made in taken:
        made, i = f"{name}_{i}", i + 1
    return made


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else for_json(value)


def _library(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise SfumatoError(f"{name} is not installed", hint=f"pip install {name}") from None


def _cell(bar: Bar) -> str:
    if bar.value is None:
        return "NULL"
    if not isinstance(bar.value, int | float) or isinstance(bar.value, bool):
        return str(bar.value)
    if bar.low is None or bar.high is None:
        return f"{bar.value:,}" if isinstance(bar.value, int) else f"{bar.value:,.6g}"
    exact = isinstance(bar.value, int)
    middle = float(bar.value)
    up, down = bar.high - middle, middle - bar.low
    digits = 0 if exact else _digits(max(up, down, 0.0))
    value = f"{bar.value:,}" if exact else f"{bar.value:,.{digits}f}"
    if abs(up - down) <= 0.1 * max(up, down):
        return f"{value} ± {max(up, down):,.{digits}f}"
    return f"{value} [{bar.low:,.{digits}f}, {bar.high:,.{digits}f}]"


def _digits(off: float) -> int:
    """How many decimals are worth showing beside an error: its two leading digits."""
    return 0 if off >= 10 or off == 0 else min(12, 1 - floor(log10(off)))
