"""GROUP BY in a subquery: one line a person, and a key besides if there is one; aggregates stay inside."""

from dataclasses import replace

from sqlglot import exp

from sfumato.query.context import Context
from sfumato.query.expression import Expression, Field, Ref, bounded
from sfumato.query.fields import computed_field
from sfumato.query.parse import name_of, whole_number, without_alias
from sfumato.query.person_aggregates import PersonAggregates, aggregates_in
from sfumato.query.plan import PerPerson, Plan, Project, Where
from sfumato.query.reach import carries_the_person
from sfumato.query.rows import RowReader
from sfumato.query.scope import NamedPlan


def per_person(select: exp.Select, base: NamedPlan, context: Context) -> Plan:
    """What a subquery's aggregates say of each person."""
    person, others = _person_and_keys(select, base, context)
    keys = [replace(person.field, own=True), *(computed_field(key, f"key {i}") for i, key in enumerate(others))]
    aggregates = PersonAggregates(context.dataset, RowReader(base.scope), base.plan, keys)
    columns = _Columns(person, others, aggregates, context)
    outputs = [columns(node) for node in select.expressions]
    having = select.args.get("having")
    condition = None if having is None else aggregates.predicate(having.this)
    # (person, key) -> what their rows add up to
    plan: Plan = PerPerson(base.plan, tuple(others), tuple(aggregates.aggregates), (*keys, *aggregates.fields))
    if condition is not None:
        plan = Where(plan, condition)
    made = Project(plan, tuple(expression for expression, _ in outputs), tuple(field for _, field in outputs))
    carries_the_person(made, select, context)
    return made


def grouping(select: exp.Select, context: Context) -> list[exp.Expression]:
    """What GROUP BY names, with positions looked up."""
    group = select.args.get("group")
    if group is None:
        return []
    context.only(group, "expressions")
    return [without_alias(_at_its_position(each, select, context)) for each in group.expressions]


def _at_its_position(node: exp.Expression, select: exp.Select, context: Context) -> exp.Expression:
    position = whole_number(node)
    if position is None:
        return node
    if not 1 <= position <= len(select.expressions):
        raise context.refused("GROUP BY names a column that is not there", node,
                              hint=f"positions go from 1 to {len(select.expressions)}")  # fmt: skip
    found: exp.Expression = select.expressions[position - 1]
    return found


def _person_and_keys(select: exp.Select, base: NamedPlan, context: Context) -> tuple[Ref, list[Expression]]:
    """The person that a subquery groups by, and what it groups by besides."""
    rows = RowReader(base.scope)
    keys = [rows(each) for each in grouping(select, context)]
    people = [key for key in keys if isinstance(key, Ref) and key.field.person and not key.field.missing]
    if not base.plan.private:
        raise context.refused("aggregates over public tables are not answered in a subquery", select,
                              hint="compute them first")  # fmt: skip
    if not people:
        unit = context.dataset.unit[1] if context.dataset.unit else "the person"
        raise context.refused("the subquery aggregates over several people", select,
                              hint=f"group it by {unit}, or ask it as a question of its own")  # fmt: skip
    return people[0], [bounded(key) for key in keys if key not in people]


class _Columns:
    """Columns of one line a person: the person, a key, or something made of the person's aggregates."""

    def __init__(self, person: Ref, others: list[Expression], aggregates: PersonAggregates, context: Context) -> None:
        self._person, self._others, self._aggregates, self._context = person, others, aggregates, context

    def __call__(self, node: exp.Expression) -> tuple[Expression, Field]:
        inner, name = without_alias(node), name_of(node)
        if aggregates_in(inner):
            made = self._aggregates.value(inner)
            return made, replace(computed_field(made, name), held=made.kind.is_number)
        at = self._place(self._aggregates.rows(inner))
        if at is None:
            raise self._context.refused(f"`{name}` is neither grouped nor aggregated", inner, hint="add it to GROUP BY")
        field = self._aggregates.keys[at]
        return Ref(at, field), replace(field, name=name)

    def _place(self, made: Expression) -> int | None:
        if made == self._person:
            return 0
        found = bounded(made)
        return 1 + self._others.index(found) if found in self._others else None
