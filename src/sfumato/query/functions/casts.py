"""Casts: a value as one of another kind; NULL where it is none."""

from collections.abc import Callable
from datetime import date, datetime
from math import isfinite

from sfumato.data import Kind
from sfumato.query.expression import Call, Expression
from sfumato.query.functions.cost import made_anew, read_over
from sfumato.query.functions.intervals import Interval, corners
from sfumato.query.functions.numbers import floored, is_nan
from sfumato.query.functions.reading import DAY, MOMENT, REAL, WHOLE, day, moment, real, truth, whole
from sfumato.query.functions.record import SAFE, Args, Function, Writer, unknown
from sfumato.query.range import Range

_LONGEST_WRITTEN = 40
"""A number, a day, a moment or a truth, as text."""
_WIDTH = 2**63
_PATTERNS = {Kind.INTEGER: WHOLE, Kind.REAL: REAL, Kind.DATE: DAY, Kind.TIMESTAMP: MOMENT}
"""Which texts are one: all engines read the same ones."""


def _range(args: Args) -> Range:
    return args[0].range if args[0].kind.is_number else Range()


def _held(arg: Expression) -> Kind:
    """The kind of an operand as it is written: whole numbers that are computed are doubles."""
    return Kind.REAL if arg.kind is Kind.INTEGER and type(arg) is Call else arg.kind


def _written(write: Writer, call: Call) -> str:
    (arg,), (inner,), dialect = call.args, write.operands(call), write.dialect
    if arg.kind is Kind.TEXT and call.kind in _PATTERNS:
        inner = dialect.matched(inner, _PATTERNS[call.kind])
    made = dialect.cast(inner, call.kind, _held(arg))
    if call.kind is Kind.INTEGER:
        return f"CAST({made} AS {dialect.type_of(Kind.REAL)})"
    return write.within_calendar(made, call.kind) if arg.kind is Kind.TEXT and call.kind.is_time else made


def _written_as_text(write: Writer, call: Call) -> str:
    """A whole number has no point, also where it was computed as a double; NaN, whose sign is chance, has no text."""
    (arg,), (inner,), dialect = call.args, write.operands(call), write.dialect
    if arg.kind is Kind.INTEGER and type(arg) is Call:
        inner = dialect.cast(inner, Kind.INTEGER, Kind.REAL)
    made = dialect.cast(inner, Kind.TEXT, arg.kind)
    return f"nullif(nullif({made}, 'nan'), '-nan')" if arg.kind is Kind.REAL else made


def _as_integer(a: object) -> int | None:
    """Halves to the even neighbour, as a double is cast; a text rounds them away from zero."""
    match a:
        case str():
            made = whole(a)
        case float():
            made = round(a) if isfinite(a) else None
        case _:
            made = int(a)  # type: ignore[call-overload]
    return made if made is not None and -_WIDTH <= made < _WIDTH else None


def _as_real(a: object) -> float | None:
    match a:
        case str():
            return real(a)
        case _:
            return float(a)  # type: ignore[arg-type]


def _as_text(a: object, kind: Kind) -> str | None:
    match a:
        case float() if kind is Kind.INTEGER:
            made = _as_integer(a)
            return None if made is None else str(made)
        case float():
            return None if is_nan(a) else repr(a)
        case bool():
            return "true" if a else "false"
        case datetime(microsecond=0):
            return a.isoformat(sep=" ")
        case datetime():
            return a.isoformat(sep=" ", timespec="microseconds").rstrip("0")
        case date():
            return a.isoformat()
        case _:
            return str(a)


def _as_truth(a: object) -> bool | None:
    match a:
        case str():
            return truth(a)
        case _:
            return bool(a)


def _as_day(a: object) -> date | None:
    match a:
        case datetime():
            return a.date()
        case date():
            return a
        case _:
            return day(str(a))


def _as_moment(a: object) -> datetime | None:
    match a:
        case datetime():
            return a
        case date():
            return datetime(a.year, a.month, a.day)
        case _:
            return moment(str(a))


def _cast(
    kind: Kind,
    words: tuple[str, ...],
    value: Callable[[object], object],
    *,
    within: Callable[[Args], Range] = unknown,
    interval: Interval | None = None,
    repeats_text: int = 1,
) -> Function:
    return Function(
        op=f"cast_{kind.value}", takes=(SAFE,), gives=kind, value=value, writes=_written, words=words, listed="CAST",
        range=within, interval=interval, repeats_text=repeats_text, cost=read_over,
    )  # fmt: skip


CASTS = (
    _cast(
        Kind.INTEGER, ("INT", "BIGINT", "SMALLINT", "TINYINT", "UINT", "UBIGINT", "INT128"), _as_integer,
        within=lambda args: floored(_range(args)), interval=corners,
    ),
    _cast(Kind.REAL, ("DOUBLE", "FLOAT", "DECIMAL"), _as_real, within=_range, interval=corners),
    _cast(Kind.BOOLEAN, ("BOOLEAN",), _as_truth),
    _cast(Kind.DATE, ("DATE",), _as_day, repeats_text=3),
    _cast(Kind.TIMESTAMP, ("TIMESTAMP", "TIMESTAMPNTZ", "DATETIME"), _as_moment, repeats_text=3),
    Function(
        op="cast_text", takes=(SAFE,), gives=Kind.TEXT, value=_as_text, writes=_written_as_text, listed="CAST",
        words=("TEXT", "VARCHAR", "CHAR", "NVARCHAR"), longest=lambda *_: _LONGEST_WRITTEN, cost=made_anew,
        constants=lambda call: (call.args[0].kind,),
    ),
)  # fmt: skip
"""Every kind by the types a question may name."""
