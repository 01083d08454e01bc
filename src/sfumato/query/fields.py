"""What is known of a column: of a declared one, of a computed one, and of the columns of several parts together."""

from dataclasses import replace
from fractions import Fraction

from sfumato.data import Column, Kind, Table
from sfumato.query.expression import Expression, Field, Ref, in_calendar, longest, of_person, refs
from sfumato.query.range import Range


def declared_field(table: Table, column: Column, *, person: bool, own: bool) -> Field:
    """A column of a declared table; `own` where the table has one row a person."""
    public = (table.name, column.name) if table.public else None
    return Field(
        column.name, column.kind, _declared_range(column), column.values, person=person, own=own,
        public=public, key=(table.name, column.name), total=column.total,
    )  # fmt: skip


def _declared_range(column: Column) -> Range:
    if column.lower is not None:
        return Range(column.lower, column.upper, column.step)
    if column.values is not None and column.kind.is_number:
        numbers = [Fraction(value) for value in column.values if isinstance(value, int | float)]
        return Range(min(numbers), max(numbers), Fraction(1) if column.kind is Kind.INTEGER else None)
    return Range(None, None, Fraction(1) if column.kind is Kind.INTEGER else None)


def computed_field(made: Expression, name: str) -> Field:
    """A column of a subquery: a bare column stays what it is, under another name."""
    if isinstance(made, Ref):
        return replace(made.field, name=name)
    return Field(
        name,
        made.kind,
        made.range,
        traces=of_person(made),
        own=bool(refs(made)) and all(ref.field.own for ref in refs(made)),
        longest=longest(made) if made.kind is Kind.TEXT else None,
        on_calendar=made.kind in (Kind.DATE, Kind.TIMESTAMP) and in_calendar(made),
    )


def merged_field(column: tuple[Field, ...]) -> Field:
    """A column of UNION ALL: what holds in all parts, named after the first."""
    first, found = column[0], column[0].range
    for field in column[1:]:
        found = found.join(field.range)
    values = first.values if all(field.values == first.values for field in column) else None
    traces = any(field.person or field.traces for field in column)
    person = all(field.person for field in column)
    lengths = [field.longest for field in column]
    return Field(
        first.name, first.kind, found, values, person=person, traces=traces and not person,
        missing=any(field.missing for field in column),
        longest=None if any(each is None for each in lengths) else max(each for each in lengths if each is not None),
        on_calendar=all(field.on_calendar for field in column),
    )  # fmt: skip
