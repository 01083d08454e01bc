"""FROM: tables, joins, subqueries and CTEs into a plan, with the person tracked by lineage and never by name."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Protocol, TypeVar

from sqlglot import exp

from sfumato.data import Column, Dataset, Kind, Table
from sfumato.query.expression import (
    Call,
    Expression,
    Field,
    Ref,
    bounded,
    conjunction,
    in_calendar,
    longest,
    of_person,
    refs,
)
from sfumato.query.own import Own, aggregates_in
from sfumato.query.parse import only, refused, sql_of
from sfumato.query.plan import Join, PerPerson, Plan, Project, Scan, Union, Where, once, relations_in, spread, tables
from sfumato.query.range import Range
from sfumato.query.rows import Rows
from sfumato.query.scope import Name, Scope

_MOST_RELATIONS = 32
_Spreading = TypeVar("_Spreading", Join, Union)
SELECT = ("expressions", "from_", "joins", "where", "group", "having", "order", "limit", "with_", "kind")


class Public(Protocol):
    """What the planner may ask of public tables: they hold nobody's data."""

    def values(self, table: str, column: str) -> tuple[Any, ...] | None:
        """The different values of a public column, in order, if they are few."""
        ...

    def repeats(self, table: str, columns: tuple[str, ...]) -> int:
        """How many rows of a public table share values of these columns at most; of no columns: how many there are."""
        ...


@dataclass(frozen=True, slots=True)
class Relation:
    """A plan and the names its columns go by."""

    plan: Plan
    scope: Scope


@dataclass(frozen=True)
class Relations:
    """Builds relations for one question."""

    dataset: Dataset
    public: Public
    text: str

    # ---- FROM ----

    def source(self, select: exp.Select, known: Mapping[str, Relation]) -> Relation:
        """FROM with its joins and WHERE."""
        start = select.args.get("from_")
        if start is None:
            raise refused("the question has no FROM", select, self.text, hint=self._tables(known))
        made = self._item(start.this, known)
        for join in select.args.get("joins") or ():
            made = self._join(made, join, known)
        where = select.args.get("where")
        if where is None:
            return made
        predicate = Rows(made.scope).predicate(where.this)
        return Relation(_filtered(made.plan, predicate), made.scope)

    def ctes(self, select: exp.Expression, known: Mapping[str, Relation]) -> dict[str, Relation]:
        """The relations that WITH names, each in sight of those before it."""
        found = dict(known)
        clause = select.args.get("with_")
        if clause is None:
            return found
        only(clause, self.text, "expressions")
        for cte in clause.expressions:
            only(cte, self.text, "this", "alias")
            if cte.args["alias"].args.get("columns"):
                raise refused(
                    "column lists after WITH names are not answered", cte, self.text, hint="use AS in its SELECT"
                )
            found[cte.alias.lower()] = self._subquery(cte.this, cte.alias, found)
        return found

    def _item(self, node: exp.Expression, known: Mapping[str, Relation]) -> Relation:
        if isinstance(node, exp.Subquery):
            only(node, self.text, "this", "alias")
            return self._subquery(node.this, node.alias, known)
        if not isinstance(node, exp.Table):
            raise refused("FROM takes tables and subqueries", node, self.text, hint=self._tables(known))
        only(node, self.text, "this", "alias", "db", "catalog")
        if not isinstance(node.this, exp.Identifier):
            raise refused("table functions are not answered", node, self.text, hint=self._tables(known))
        name = ".".join(part.name for part in node.parts)
        if name.lower() in known:
            found = known[name.lower()]
            return self._named(found.plan, node.alias or name)
        table = self.dataset.table(name)
        if table is None:
            raise refused(f"no table `{name[:60]}`", node, self.text, hint=self._tables(known))
        return self._named(self._scan(table), node.alias or name)

    def _tables(self, known: Mapping[str, Relation]) -> str:
        return f"known tables: {', '.join([*(t.name for t in self.dataset.tables), *known])}"

    def _named(self, plan: Plan, alias: str) -> Relation:
        names = tuple(Name(alias, field.name, i, field) for i, field in enumerate(plan.fields))
        return Relation(plan, Scope(names, self.text))

    def _scan(self, table: Table) -> Scan:
        person = self.dataset.person(table)
        own = self.dataset.holds_people(table)
        fields = tuple(_field(table, column, person=column.name == person, own=own) for column in table.columns)
        cut = table.rows_per_person if self.dataset.unit is not None else 1
        return Scan(table.name, fields, private=not table.public, single=own, cut=None if table.public else cut)

    # ---- joins ----

    def _join(self, left: Relation, node: exp.Join, known: Mapping[str, Relation]) -> Relation:
        only(node, self.text, "this", "on", "using", "kind", "side")
        kind, side = str(node.args.get("kind") or "").upper(), str(node.args.get("side") or "").upper()
        if kind not in ("", "INNER", "OUTER") or side not in ("", "LEFT"):
            raise refused(f"{side or kind} joins are not answered", node, self.text, hint="use JOIN or LEFT JOIN … ON")
        right = self._item(node.this, known)
        at = len(left.plan.fields)
        using = {each.name.lower() for each in node.args.get("using") or ()}
        outer = side == "LEFT"
        names = [
            replace(
                n,
                index=n.index + at,
                merged=n.name.lower() in using,
                field=replace(n.field, missing=outer or n.field.missing),
            )
            for n in right.scope.names
        ]
        scope = Scope((*left.scope.names, *names), self.text)
        equal, rest = self._conditions(node, left, right, scope, at)
        if not equal:
            raise refused("a join needs columns that are equal", node, self.text, hint="write JOIN … ON a.x = b.x")
        if outer and rest:
            raise refused("a LEFT JOIN takes equalities only", node, self.text, hint="put the rest into WHERE")
        made: Plan = self._joined(left.plan, right.plan, tuple(equal), outer, node)
        for predicate in rest:
            made = _filtered(made, predicate)
        return Relation(made, scope)

    def _conditions(
        self, node: exp.Join, left: Relation, right: Relation, scope: Scope, at: int
    ) -> tuple[list[tuple[int, int]], list[Expression]]:
        equal: list[tuple[int, int]] = []
        for each in node.args.get("using") or ():
            column = exp.Column(this=each.copy())
            a, b = left.scope.column(column), right.scope.column(column)
            if a.kind is not b.kind and not (a.kind.is_number and b.kind.is_number):
                raise refused(
                    f"compares {a.kind.value} with {b.kind.value}", each, self.text, hint="join like with like"
                )
            equal.append((a.index, b.index))
        rest: list[Expression] = []
        on = node.args.get("on")
        if on is None:
            return equal, rest
        made = Rows(scope).predicate(on)
        whole = conjunction([made])
        parts = whole.args if isinstance(whole, Call) and whole.op == "and" else (made,)
        for part in parts:
            sides = sorted(ref.index for ref in getattr(part, "args", ()) if isinstance(ref, Ref))
            kinds = {ref.kind for ref in getattr(part, "args", ()) if isinstance(ref, Ref)}
            alike = len(kinds) == 1 or kinds == {Kind.INTEGER, Kind.REAL}  # no cast inside the join can fail
            if getattr(part, "op", "") == "eq" and len(sides) == 2 and sides[0] < at <= sides[1] and alike:
                equal.append((sides[0], sides[1] - at))
            else:
                rest.append(part)
        return equal, rest

    def _joined(self, left: Plan, right: Plan, equal: tuple[tuple[int, int], ...], outer: bool, node: exp.Join) -> Join:
        if relations_in(left) + relations_in(right) > _MOST_RELATIONS:
            raise refused(f"more than {_MOST_RELATIONS} tables are read", node, self.text, hint="ask in parts")
        if left.private and right.private:
            side = self._along_the_unit(left, right, equal, node)
            # one row a person on one side: the pairs are as many as the rows of the other
            single = left.single and right.single
            made = Join(left, right, equal, outer, private=True, single=single, cut=None, leads_to=side)
            return self._within_reach(made, node)
        if right.private and outer:
            raise refused(
                "a LEFT JOIN keeps public rows that are nobody's", node, self.text, hint="put the private table first"
            )
        if not (left.private or right.private):
            return Join(left, right, equal, outer, private=False, single=False, cut=None)
        mine, other = (left, right) if left.private else (right, left)
        columns = tuple(other.fields[pair[left.private]].public for pair in equal)
        cut = None
        # else different keys may be equal
        alike = [pair for pair in equal if left.fields[pair[0]].kind is right.fields[pair[1]].kind]
        repeats = agreeing(self.public, other, tuple(pair[left.private] for pair in alike))
        if mine.cut is not None and isinstance(other, Scan) and all(columns) and len(alike) == len(equal):
            cut = mine.cut * repeats
        elif self.dataset.unit is None:
            raise refused("the join may repeat rows, and how often is not known", node, self.text,
                          hint="join the public table itself, by columns of the same type")  # fmt: skip
        made = Join(left, right, equal, outer, private=True, single=False, cut=cut, repeats=repeats)
        return self._within_reach(made, node)

    def _within_reach(self, made: _Spreading, node: exp.Expression) -> _Spreading:
        """The plan, if one row of a person does not become too many: how long a question takes must not tell of one."""
        most = self.dataset.rules.rows_per_row
        if spread(made) > most:
            raise refused(
                f"one row may become {_shortly(spread(made))} rows here, and {most} are allowed", node, self.text,
                hint="join by columns that name one public row, or fewer tables; the owner may raise rows_per_row",
            )  # fmt: skip
        return made

    def _along_the_unit(self, left: Plan, right: Plan, equal: tuple[tuple[int, int], ...], node: exp.Join) -> str:
        """The side that a foreign key leads to, if the join is along one; else "": one side has one row a person."""
        if self.dataset.unit is None:
            raise refused("two private tables cannot be joined where each row is protected", node, self.text,
                          hint="the owner can declare a person")  # fmt: skip
        pairs = [(left.fields[i], right.fields[j]) for i, j in equal]
        if any(a.person and b.person for a, b in pairs) and (left.single or right.single):
            return ""
        led = [side for pair in equal for side in self._led(pair, left, right)]
        if led:
            return led[0]
        if any(a.person and b.person for a, b in pairs) or any(
            self._foreign(a, b) or self._foreign(b, a) for a, b in pairs
        ):
            raise refused("the join pairs every row of a person with every other", node, self.text,
                          hint="bring one side to one row a person first: (SELECT … GROUP BY person)")  # fmt: skip
        person = ".".join(self.dataset.unit)
        raise refused("two private tables are joined by something other than the person", node, self.text,
                      hint=f"add {person} = … to ON")  # fmt: skip

    def _led(self, pair: tuple[int, int], left: Plan, right: Plan) -> list[str]:
        """The sides that a foreign key between two columns leads to, where every row of that reading is once."""
        a, b = left.fields[pair[0]], right.fields[pair[1]]
        found = ["right"] if self._foreign(a, b) and pair[1] in once(right) else []
        return found + (["left"] if self._foreign(b, a) and pair[0] in once(left) else [])

    def _foreign(self, a: Field, b: Field) -> bool:
        """Whether a declared foreign key leads from a to b."""
        table = self.dataset.table(a.key[0]) if a.key else None
        return (
            table is not None and a.key is not None and b.key is not None and (a.key[1], *b.key) in table.foreign_keys
        )

    # ---- subqueries ----

    def _subquery(self, node: exp.Expression, alias: str, known: Mapping[str, Relation]) -> Relation:
        while isinstance(node, exp.Subquery):
            only(node, self.text, "this")
            node = node.this
        if isinstance(node, exp.Union):
            return self._named(self._union(node, known), alias)
        if not isinstance(node, exp.Select):
            raise refused("FROM takes tables and SELECT subqueries", node, self.text, hint=self._tables(known))
        return self._named(self._inner(node, known), alias)

    def _union(self, node: exp.Union, known: Mapping[str, Relation]) -> Plan:
        only(node, self.text, "this", "expression", "distinct", "with_")
        if type(node) is not exp.Union or node.args.get("distinct"):
            raise refused("only UNION ALL is answered", node, self.text, hint="write UNION ALL")
        seen = self.ctes(node, known)
        parts: list[Plan] = []
        for each in (node.this, node.expression):
            inner = self._subquery(each, "", seen).plan
            parts.extend(inner.parts if isinstance(inner, Union) else (inner,))
        first = parts[0]
        if sum(map(relations_in, parts)) > _MOST_RELATIONS:
            raise refused(f"more than {_MOST_RELATIONS} tables are read", node, self.text, hint="ask in parts")
        for part in parts[1:]:
            if part.private != first.private:
                raise refused("UNION ALL mixes public and private rows", node, self.text, hint="keep them apart")
            if [f.kind for f in part.fields] != [f.kind for f in first.fields]:
                raise refused("the parts of UNION ALL have different columns", node, self.text, hint="select alike")
        columns = list(zip(*(part.fields for part in parts), strict=True))
        fields = tuple(_merged(column) for column in columns)
        made = Union(tuple(parts), fields, first.private, _together(parts, self.dataset))
        return self._carries(self._within_reach(made, node) if made.private else made, node)

    def _inner(self, select: exp.Select, known: Mapping[str, Relation]) -> Plan:
        only(select, self.text, *SELECT)
        for name, clause in (("order", "ORDER BY"), ("limit", "LIMIT")):
            if select.args.get(name) is not None:
                raise refused(
                    f"{clause} in a subquery is not answered", select.args[name], self.text, hint="put it outside"
                )
        base = self.source(select, self.ctes(select, known))
        if select.args.get("group") is not None or any(aggregates_in(each) for each in select.expressions):
            return self._per_person(select, base)
        if select.args.get("having") is not None:
            raise refused("HAVING without GROUP BY", select.args["having"], self.text, hint="use WHERE")
        expressions, fields = self._projection(select, base)
        return self._carries(Project(base.plan, tuple(expressions), tuple(fields)), select)

    def _projection(self, select: exp.Select, base: Relation) -> tuple[list[Expression], list[Field]]:
        expressions: list[Expression] = []
        fields: list[Field] = []
        for node in select.expressions:
            inner = node.this if isinstance(node, exp.Alias) else node
            if isinstance(inner, exp.Star) or (isinstance(inner, exp.Column) and isinstance(inner.this, exp.Star)):
                only(inner, self.text, "this", "table")
                wanted = inner.table.lower() if isinstance(inner, exp.Column) else ""
                for name in base.scope.names:
                    if (name.table.lower() == wanted) if wanted else not name.merged:
                        expressions.append(Ref(name.index, name.field))
                        fields.append(name.field)
                continue
            made = bounded(Rows(base.scope)(inner))
            expressions.append(made)
            fields.append(_output(made, node.alias or (inner.name if isinstance(inner, exp.Column) else sql_of(inner))))
        return expressions, fields

    def _carries(self, plan: Plan, node: exp.Expression) -> Plan:
        """The plan, if the person is still among its columns: rows that are nobody's cannot be bounded."""
        if not plan.private or self.dataset.unit is None or any(self._is_unit(field) for field in plan.fields):
            return plan
        person = self.dataset.unit[1]
        raise refused(f"the subquery drops the person column `{person}`", node, self.text,
                      hint=f"select {person} itself, unchanged")  # fmt: skip

    def _is_unit(self, field: Field) -> bool:
        if field.person or field.key is None:
            return field.person
        table = self.dataset.table(field.key[0])
        path = None if table is None else self.dataset.path(table)
        return path is not None and len(path) > 0 and path[0][0] == field.key[1]

    # ---- one row a person ----

    def _per_person(self, select: exp.Select, base: Relation) -> Plan:
        rows = Rows(base.scope)
        keys = [rows(each) for each in self.grouping(select)]
        people = [key for key in keys if isinstance(key, Ref) and key.field.person and not key.field.missing]
        if not base.plan.private:
            raise refused(
                "aggregates over public tables are not answered in a subquery",
                select,
                self.text,
                hint="compute them first",
            )
        if not people:
            unit = self.dataset.unit[1] if self.dataset.unit else "the person"
            raise refused("the subquery aggregates over several people", select, self.text,
                          hint=f"group it by {unit}, or ask it as a question of its own")  # fmt: skip
        others = [bounded(key) for key in keys if key not in people]
        fields = [replace(people[0].field, own=True), *(_output(key, f"key {i}") for i, key in enumerate(others))]
        own = Own(self.dataset, rows, base.plan, fields)
        outputs: list[tuple[Expression, Field]] = []
        for node in select.expressions:
            inner = node.this if isinstance(node, exp.Alias) else node
            name = node.alias or (inner.name if isinstance(inner, exp.Column) else sql_of(inner))
            outputs.append(self._own_output(inner, name, people[0], others, own))
        having = select.args.get("having")
        condition = None
        if having is not None:
            condition = own.predicate(having.this)
        inner_fields = (*fields, *own.fields)
        plan: Plan = PerPerson(base.plan, tuple(others), tuple(own.aggregates), inner_fields)
        if condition is not None:
            plan = Where(plan, condition)
        expressions, names = zip(*outputs, strict=True)
        rebound = tuple(Ref(e.index, inner_fields[e.index]) if isinstance(e, Ref) else e for e in expressions)
        return self._carries(Project(plan, rebound, tuple(names)), select)

    def grouping(self, select: exp.Select) -> list[exp.Expression]:
        """What GROUP BY names, with positions looked up."""
        group = select.args.get("group")
        if group is None:
            return []
        only(group, self.text, "expressions")
        found = []
        for each in group.expressions:
            node = each
            if isinstance(each, exp.Literal) and str(each.this).isdigit() and len(str(each.this)) < 10:
                at = int(str(each.this)) - 1
                if not 0 <= at < len(select.expressions):
                    raise refused("GROUP BY names a column that is not there", each, self.text)
                node = select.expressions[at]
            found.append(node.this if isinstance(node, exp.Alias) else node)
        return found

    def _own_output(
        self, inner: exp.Expression, name: str, person: Ref, others: list[Expression], own: Own
    ) -> tuple[Expression, Field]:
        """A column of one line a person: the person, a key, or something made of the person's aggregates."""
        fields = own.keys
        if not aggregates_in(inner):
            made = own.rows(inner)
            if made == person:
                return Ref(0, fields[0]), replace(fields[0], name=name)
            found = [i for i, key in enumerate(others) if key == bounded(made)]
            if not found:
                raise refused(
                    f"`{name}` is neither grouped nor aggregated", inner, self.text, hint="add it to GROUP BY"
                )
            field = fields[1 + found[0]]
            return Ref(1 + found[0], field), replace(field, name=name)
        made = own.value(inner)
        return made, _output(made, name)


def agreeing(public: Public, plan: Plan, columns: tuple[int, ...]) -> int:
    """How many rows of a public relation agree on some of its columns at most."""
    if isinstance(plan, Scan):
        return public.repeats(plan.table, tuple(plan.fields[i].name for i in sorted(set(columns))))
    if isinstance(plan, Where):
        return agreeing(public, plan.of, columns)
    if isinstance(plan, Project):
        kept = [plan.expressions[i] for i in columns]
        return agreeing(public, plan.of, tuple(each.index for each in kept if isinstance(each, Ref)))
    if isinstance(plan, Union):
        return sum(agreeing(public, part, columns) for part in plan.parts)
    assert isinstance(plan, Join)
    at = len(plan.left.fields)
    left = tuple(i for i in columns if i < at)
    alike = [(i, j) for i, j in plan.equal if plan.left.fields[i].kind is plan.right.fields[j].kind]
    right = tuple(j for _, j in alike) + tuple(i - at for i in columns if i >= at)
    return agreeing(public, plan.left, left) * agreeing(public, plan.right, right)


def _shortly(many: int) -> str:
    return f"{many:,}" if many < 10**12 else "more than 10¹²"


def _filtered(plan: Plan, predicate: Expression) -> Plan:
    if isinstance(plan, Where):
        whole = conjunction([plan.predicate, predicate])
        return plan if whole is None else Where(plan.of, whole)
    return Where(plan, predicate)


def _field(table: Table, column: Column, *, person: bool, own: bool) -> Field:
    found, values = Range(column.lower, column.upper, column.step if column.lower is not None else None), column.values
    if values is not None and column.kind.is_number and column.lower is None:
        numbers = [Fraction(value) for value in values if isinstance(value, int | float)]
        found = Range(min(numbers), max(numbers), Fraction(1) if column.kind is Kind.INTEGER else None)
    elif column.kind is Kind.INTEGER and column.lower is None:
        found = Range(None, None, Fraction(1))
    return Field(
        column.name, column.kind, found, values, person=person, own=own,
        public=(table.name, column.name) if table.public else None, key=(table.name, column.name),
    )  # fmt: skip


def _output(made: Expression, name: str) -> Field:
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


def _merged(column: tuple[Field, ...]) -> Field:
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


def _together(parts: list[Plan], dataset: Dataset) -> int | None:
    """The rows a person, or where rows are protected one row, has in all parts."""
    cuts = [part.cut for part in parts]
    if any(cut is None for cut in cuts):
        return None
    known = [cut for cut in cuts if cut is not None]
    apart = [set(tables(part)) for part in parts]
    disjoint = sum(map(len, apart)) == len(set().union(*apart))
    return max(known) if dataset.unit is None and disjoint else sum(known)
