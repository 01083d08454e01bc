"""Functions of days and moments, of the years 1 to 9999; a moment has no time zone."""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from fractions import Fraction

from sqlglot import exp

from sfumato.data import Kind
from sfumato.query.expression import Call
from sfumato.query.functions.record import DATE, Args, Function, Node, Writer, as_first
from sfumato.query.range import Range


def _from(low: int, high: int) -> Callable[[Args], Range]:
    return lambda _: Range(Fraction(low), Fraction(high), Fraction(1))


def _whole(_: Args) -> Range:
    return Range(None, None, Fraction(1))


def _part(
    op: str,
    node: type[exp.Expression],
    value: Callable[[date], int],
    *,
    within: Callable[[Args], Range] = _whole,
    part: str = "",
) -> Function:
    """A part of a day: YEAR(d), or EXTRACT(year FROM d)."""
    words = (op, part) if part else (op,)
    return Function(
        op=op, takes=(DATE,), gives=Kind.INTEGER, value=value, range=within, nodes=(Node(node),), words=words,
        sql=f"CAST(date_part('{part or op}', {{0}}) AS {{double}})",
    )  # fmt: skip


def _truncated(unit: str, value: Callable[[date], date]) -> Function:
    """DATE_TRUNC('unit', d): the first moment of the unit, of the operand's kind."""

    def written(write: Writer, call: Call) -> str:
        (made,), dialect = write.operands(call), write.dialect
        moment = dialect.cast(made, Kind.TIMESTAMP, call.kind)
        return dialect.cast(f"date_trunc('{unit}', {moment})", call.kind, Kind.TIMESTAMP)

    return Function(
        op=f"trunc_{unit}", takes=(DATE,), gives=as_first, value=value, writes=written, words=(unit,),
        listed="DATE_TRUNC",
    )  # fmt: skip


def _first_of(**parts: int) -> Callable[[date], date]:
    return lambda a: _midnight(a).replace(**parts)


def _midnight(a: date) -> date:
    match a:
        case datetime():
            return a.replace(hour=0, minute=0, second=0, microsecond=0)
        case _:
            return a


def _start(**parts: int) -> Callable[[date], date]:
    """A moment with its small parts set to nothing; a day has none."""

    def of(a: date) -> date:
        match a:
            case datetime():
                return a.replace(**parts)  # type: ignore[arg-type]
            case _:
                return a

    return of


DAYS = (
    _part("year", exp.Year, lambda a: a.year),
    _part("quarter", exp.Quarter, lambda a: (a.month + 2) // 3, within=_from(1, 4)),
    _part("month", exp.Month, lambda a: a.month, within=_from(1, 12)),
    _part("week", exp.Week, lambda a: a.isocalendar().week, within=_from(1, 53)),
    _part("day", exp.Day, lambda a: a.day, within=_from(1, 31)),
    _part("dayofweek", exp.DayOfWeek, lambda a: a.isoweekday() % 7, within=_from(0, 6), part="dow"),
    _part("dayofyear", exp.DayOfYear, lambda a: a.timetuple().tm_yday, within=_from(1, 366), part="doy"),
    _part("hour", exp.Hour, lambda a: a.timetuple().tm_hour, within=_from(0, 23)),
    _part("minute", exp.Minute, lambda a: a.timetuple().tm_min, within=_from(0, 59)),
    _truncated("year", _first_of(month=1, day=1)),
    _truncated("quarter", lambda a: _midnight(a).replace(month=(a.month - 1) // 3 * 3 + 1, day=1)),
    _truncated("month", _first_of(day=1)),
    _truncated("week", lambda a: _midnight(a) - timedelta(days=a.weekday())),
    _truncated("day", _midnight),
    _truncated("hour", _start(minute=0, second=0, microsecond=0)),
    _truncated("minute", _start(second=0, microsecond=0)),
)
"""Parts of days, and the beginnings of units of time."""
