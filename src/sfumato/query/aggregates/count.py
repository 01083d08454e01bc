"""COUNT(…): of rows, of values, of people, or of different values."""

from sqlglot import exp

from sfumato.data import Kind
from sfumato.query.aggregates.base import Aggregate
from sfumato.query.aggregates.count_distinct import CountDistinct
from sfumato.query.aggregates.count_people import CountPeople
from sfumato.query.aggregates.count_rows import CountRows
from sfumato.query.aggregates.count_values import CountValues
from sfumato.query.aggregates.reading import AggregateReader, Spelling
from sfumato.query.expression import Call, Expression, Ref, conjunction, of_person
from sfumato.query.parse import only, refused
from sfumato.query.plan import OwnAggregate


def _count(node: exp.Expression, where: Expression | None, reading: AggregateReader) -> Aggregate:
    only(node, reading.text, "this", "big_int")
    match node.this:
        case None:
            raise refused("COUNT takes * or a column", node, reading.text, hint="COUNT(*)")
        case exp.Star() as star:
            only(star, reading.text)
            return CountRows(where=where)
        case exp.Literal():
            return CountRows(where=where)
        case exp.Distinct() as distinct:
            return _distinct(node, distinct, where, reading)
        case inner:
            of = reading.rows(inner)
    if _is_person(of):
        return CountRows(where=_where_known(of, where))
    return CountValues(of=of, where=where)


def _distinct(
    node: exp.Expression, inner: exp.Distinct, where: Expression | None, reading: AggregateReader
) -> Aggregate:
    if len(inner.expressions) != 1 or inner.args.get("on"):
        raise refused("COUNT(DISTINCT …) takes one column", node, reading.text, hint="ask for each by itself")
    of = reading.rows(inner.expressions[0])
    if _is_person(of):
        return CountPeople(where=_where_known(of, where))
    if of_person(of):
        problem = "COUNT(DISTINCT …) of something made of the person"
        raise refused(problem, node, reading.text, hint="count the person itself")
    return CountDistinct(of=of, where=where)


def _is_person(of: Expression) -> bool:
    return isinstance(of, Ref) and of.field.person


def _where_known(person: Expression, where: Expression | None) -> Expression | None:
    """The filter of a count of people, or of their rows: on the right of a LEFT JOIN some rows have no partner."""
    assert isinstance(person, Ref)
    if not person.field.missing:
        return where
    known = Call("not", (Call("is_null", (person,), Kind.BOOLEAN),), Kind.BOOLEAN)
    return known if where is None else conjunction([where, known])


def _own(node: exp.Expression, where: Expression | None, reading: AggregateReader) -> OwnAggregate:
    match node.this:
        case exp.Star():
            only(node, reading.text, "this", "big_int")
            return OwnAggregate("count", None, where)
        case exp.Distinct() as distinct if len(distinct.expressions) == 1 and not distinct.args.get("on"):
            only(node, reading.text, "this", "big_int")
            return OwnAggregate("distinct", reading.rows(distinct.expressions[0]), where)
        case _:
            return reading.own("present", node, where)


_NAMES = ("COUNT", "COUNT(DISTINCT x)")
COUNT = Spelling((exp.Count,), _NAMES, _count, own=_own, own_names=_NAMES)
