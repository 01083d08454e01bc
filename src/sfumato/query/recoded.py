"""Keys coded anew: numbers by the cells of a grid or by bins, texts by a list of those that were found.

What a row is coded as depends on that row alone, so a recoded question is bounded and priced like any other. Bins and
lists may follow from values that were released before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from typing import Any

from sfumato.data import Kind
from sfumato.query.context import Public
from sfumato.query.expression import Call, Expression, Literal, inside
from sfumato.query.missing import may_be_missing, present_fields
from sfumato.query.question import Question
from sfumato.query.range import Range
from sfumato.query.work import refuse_too_much


@dataclass(frozen=True, slots=True)
class CodedKey:
    """A key as it is computed, and its values in order."""

    expression: Expression
    domain: tuple[Any, ...]


def recoded(asked: Question, keys: Mapping[int, CodedKey]) -> Question:
    """The question with some of its keys coded anew; refused where a row would cost too much."""
    expressions, domains = list(asked.keys), list(asked.domains)
    for place, coded in keys.items():
        expressions[place], domains[place] = coded.expression, coded.domain
    refuse_too_much(asked.plan, expressions, [each for one in asked.aggregates for each in one.inputs])
    return replace(asked, keys=tuple(expressions), domains=tuple(domains))


def missing_in(asked: Question, public: Public) -> tuple[bool, ...]:
    """Of every key, whether a row may have no value of it, whatever the cells."""
    present = present_fields(asked.plan)
    return tuple(may_be_missing(key, public, present) for key in asked.keys)


def in_grid(key: Expression, start: Fraction, width: Fraction, cells: int, *, missing: bool) -> CodedKey:
    """A bounded number by the cell of a grid that it lies in: ⌊(x - start)/width⌋; without a value the last place."""
    shifted = _call("sub", (inside(key), _number(start, key.kind)), key.kind, _shifted(key.range, start))
    scaled = _call("div", (shifted, _number(width, key.kind)), Kind.REAL, _scaled(shifted.range, width))
    whole = Range(
        None if scaled.range.lower is None else Fraction(floor(scaled.range.lower)),
        None if scaled.range.upper is None else Fraction(floor(scaled.range.upper)),
        Fraction(1),
    )
    place = _call("floor", (scaled,), Kind.INTEGER, whole)
    last = Range(Fraction(0), Fraction(cells), Fraction(1))
    coded = _call("case", (_absent(key), Literal(cells, Kind.INTEGER), place), Kind.INTEGER, last)
    return CodedKey(coded, tuple(range(cells + missing)))


def in_bins(key: Expression, inner: Sequence[Fraction], *, missing: bool) -> CodedKey:
    """A number by the bin that it lies in, with these ends between them; without a value the last place."""
    args: list[Expression] = [_absent(key), Literal(len(inner) + 1, Kind.INTEGER)]
    for place, end in enumerate(inner):
        args += [_call("lt", (key, _number(end, key.kind)), Kind.BOOLEAN), Literal(place, Kind.INTEGER)]
    args.append(Literal(len(inner), Kind.INTEGER))
    last = Range(Fraction(0), Fraction(len(inner) + 1), Fraction(1))
    return CodedKey(_call("case", tuple(args), Kind.INTEGER, last), tuple(range(len(inner) + 1 + missing)))


def among(key: Expression, listed: Sequence[str], other: str, *, missing: bool) -> CodedKey:
    """A text if it is listed, `other` if it is not; NULL stays NULL, and is the last value."""
    values = tuple(Literal(value, Kind.TEXT) for value in listed)
    args: list[Expression] = [] if not values else [_call("in", (key, *values), Kind.BOOLEAN), key]
    there = _call("not", (_absent(key),), Kind.BOOLEAN)
    coded = _call("case", (*args, there, Literal(other, Kind.TEXT)), Kind.TEXT)
    return CodedKey(coded, (*listed, other, *((None,) if missing else ())))


def _absent(key: Expression) -> Call:
    return _call("is_null", (key,), Kind.BOOLEAN)


def _call(op: str, args: tuple[Expression, ...], kind: Kind, known: Range | None = None) -> Call:
    return Call(op, args, kind, known or Range())


def _number(value: Fraction, kind: Kind) -> Literal:
    whole = kind is Kind.INTEGER and value.denominator == 1
    return Literal(int(value) if whole else float(value), Kind.INTEGER if whole else Kind.REAL)


def _shifted(known: Range, start: Fraction) -> Range:
    return known.plus(Range.point(-start))


def _scaled(known: Range, width: Fraction) -> Range:
    return known.over(Range.point(width))
