"""FROM: tables, joins, subqueries and CTEs into a plan, with the person tracked by lineage and never by name."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from sfumato.data import Table
from sfumato.query.context import Context
from sfumato.query.expression import Expression, Field, Ref, bounded, conjunction, has_value
from sfumato.query.fields import computed_field, declared_field
from sfumato.query.joins import join, parts_of_where, with_equalities
from sfumato.query.parse import name_of, without_alias, word
from sfumato.query.per_person import per_person
from sfumato.query.person_aggregates import aggregates_in
from sfumato.query.plan import Plan, Project, Scan, filtered
from sfumato.query.reach import carries_the_person
from sfumato.query.rows import RowReader
from sfumato.query.scope import NamedPlan, known
from sfumato.query.unions import union_all

SELECT = ("expressions", "from_", "joins", "where", "group", "having", "order", "limit", "with_", "kind")
"""The parts of a SELECT that are read."""
Ctes = Mapping[str, NamedPlan]
"""What WITH names, in lower case."""


@dataclass(frozen=True, slots=True)
class FromClause:
    """Reads FROM clauses of one question, and the subqueries in them."""

    context: Context

    def source(self, select: exp.Select, ctes: Ctes) -> NamedPlan:
        """FROM with its joins and WHERE."""
        start = select.args.get("from_")
        if start is None:
            raise self.context.refused("the question has no FROM", select, hint=self._tables("", ctes))
        made, where = self._item(start.this, ctes), select.args.get("where")
        said = [] if where is None else parts_of_where(where.this)
        used: set[int] = set()
        for each in select.args.get("joins") or ():
            right = self._item(each.this, ctes)
            node, equal = with_equalities(made, right, each, said)
            used.update(map(id, equal))
            made = join(made, right, node, self.context)
        if where is None:
            return made
        read = RowReader(made.scope)
        if not used:
            return NamedPlan(filtered(made.plan, read.predicate(where.this)), made.scope)
        parts = [(read.predicate(part), part) for part in said]  # all are read: what names two columns is refused
        rest = conjunction([predicate for predicate, part in parts if id(part) not in used])
        return made if rest is None else NamedPlan(filtered(made.plan, rest), made.scope)

    def ctes(self, select: exp.Expression, ctes: Ctes) -> Ctes:
        """The relations that WITH names, each in sight of those before it."""
        found = dict(ctes)
        clause = select.args.get("with_")
        if clause is None:
            return found
        self.context.only(clause, "expressions")
        for cte in clause.expressions:
            self.context.only(cte, "this", "alias")
            found[cte.alias.lower()] = self._with_columns(cte, self._subquery(cte.this, cte.alias, found))
        return found

    def _with_columns(self, node: exp.Expression, made: NamedPlan) -> NamedPlan:
        """A subquery whose first columns are called what a list behind its name says: AS t(a, b)."""
        columns = [each.name for each in _listed(node)]
        there = len(made.scope.names)
        if len(columns) > there:
            problem = f"there are more names ({len(columns)}) than columns ({there}) in `{node.alias[:60]}`"
            raise self.context.refused(problem, node, hint=f"name {there} at most")
        return made.under(node.alias, columns) if columns else made

    # ---- tables ----

    def _item(self, node: exp.Expression, ctes: Ctes) -> NamedPlan:
        match node:
            case exp.Subquery():
                self.context.only(node, "this", "alias")
                return self._with_columns(node, self._subquery(node.this, node.alias, ctes))
            case exp.Table():
                return self._table(node, ctes)
            case _:
                raise self.context.refused("FROM takes tables and subqueries", node, hint=self._tables("", ctes))

    def _table(self, node: exp.Table, ctes: Ctes) -> NamedPlan:
        self.context.only(node, "this", "alias", "db", "catalog")
        if type(node.this) is not exp.Identifier:
            raise self.context.refused("table functions are not answered", node, hint=self._tables("", ctes))
        name = ".".join(part.name for part in node.parts)
        if name.lower() in ctes:
            return self._with_columns(node, ctes[name.lower()].under(node.alias or name))
        table = self.context.dataset.table(name)
        if table is None:
            raise self.context.refused(f"no table `{name[:60]}`", node, hint=self._tables(name, ctes))
        if _listed(node):  # the order of a table's columns is not part of its declaration
            raise self.context.refused("column lists after tables are not answered", node,
                                       hint="name columns in a subquery: (SELECT x AS a FROM …)")  # fmt: skip
        return self._named(self._rows(table), node.alias or name)

    def _tables(self, name: str, ctes: Ctes) -> str:
        return known("tables", name, [*(table.name for table in self.context.dataset.tables), *ctes])

    def _named(self, plan: Plan, alias: str) -> NamedPlan:
        return NamedPlan.called(alias, plan, self.context.text)

    def _rows(self, table: Table) -> Plan:
        """The rows of a table: of columns that are declared to have a value, those that have one.

        A row is left out for what stands in it alone, so that one person moves what is left by their own rows, as with
        any WHERE; and who reads the question sees that the fields have values.
        """
        scan = self._scan(table)
        never = {each.name for each in table.columns if not each.null}
        valued = [
            has_value(Ref(i, each)) for i, each in enumerate(scan.fields) if each.name in never and not each.person
        ]
        predicate = conjunction(valued)
        return scan if predicate is None else filtered(scan, predicate)

    def _scan(self, table: Table) -> Scan:
        dataset = self.context.dataset
        person, own = dataset.person(table), dataset.holds_people(table)
        fields = tuple(declared_field(table, each, person=each.name == person, own=own) for each in table.columns)
        cut = table.cut if dataset.unit is not None else 1
        return Scan(table.name, fields, private=not table.public, single=own, cut=None if table.public else cut)

    # ---- subqueries ----

    def _subquery(self, node: exp.Expression, alias: str, ctes: Ctes) -> NamedPlan:
        return self._named(self._query(node, ctes), alias)

    def _query(self, node: exp.Expression, ctes: Ctes) -> Plan:
        match node:
            case exp.Subquery():
                self.context.only(node, "this")
                return self._query(node.this, ctes)
            case exp.Union():
                return self._union(node, ctes)
            case exp.Select():
                return self._select(node, ctes)
            case exp.Except() | exp.Intersect():
                raise self.context.refused(f"{word(node)} is not answered", node, hint="use WHERE, or join in FROM")
            case _:
                hint = self._tables("", ctes)
                raise self.context.refused("FROM takes tables and SELECT subqueries", node, hint=hint)

    def _union(self, node: exp.Union, ctes: Ctes) -> Plan:
        self.context.only(node, "this", "expression", "distinct", "with_")
        if node.args.get("distinct"):
            raise self.context.refused("only UNION ALL is answered", node, hint="write UNION ALL")
        seen = self.ctes(node, ctes)
        parts = [self._query(each, seen) for each in (node.this, node.expression)]
        return union_all(parts, node, self.context)

    def _select(self, select: exp.Select, ctes: Ctes) -> Plan:
        self.context.only(select, *SELECT)
        for name, clause in (("order", "ORDER BY"), ("limit", "LIMIT")):
            if select.args.get(name) is not None:
                raise self.context.refused(f"{clause} in a subquery is not answered", select.args[name],
                                           hint="put it outside")  # fmt: skip
        base = self.source(select, self.ctes(select, ctes))
        if select.args.get("group") is not None or any(aggregates_in(each) for each in select.expressions):
            return per_person(select, base, self.context)
        if select.args.get("having") is not None:
            raise self.context.refused("HAVING without GROUP BY", select.args["having"], hint="use WHERE")
        columns = [column for node in select.expressions for column in self._columns(node, base)]
        made = Project(base.plan, tuple(made for made, _ in columns), tuple(field for _, field in columns))
        carries_the_person(made, select, self.context)
        return made

    def _columns(self, node: exp.Expression, base: NamedPlan) -> list[tuple[Expression, Field]]:
        """What a column of SELECT stands for: itself, or all columns that a * stands for."""
        match without_alias(node):
            case exp.Star() as star:
                return self._all_columns(star, "", base)
            case exp.Column(this=exp.Star() as star) as column:
                self.context.only(column, "this", "table")
                return self._all_columns(star, column.table, base)
            case inner:
                made = bounded(RowReader(base.scope)(inner))
                return [(made, computed_field(made, name_of(node)))]

    def _all_columns(self, star: exp.Star, table: str, base: NamedPlan) -> list[tuple[Expression, Field]]:
        self.context.only(star)
        names = [n for n in base.scope.names if (n.table.lower() == table.lower() if table else not n.merged)]
        if not names:
            raise self.context.refused(f"no table `{table[:60]}`", star, hint=base.scope.tables(table))
        return [(Ref(n.index, n.field), n.field) for n in names]


def _listed(node: exp.Expression) -> list[exp.Expression]:
    """The columns that are listed behind a name."""
    alias = node.args.get("alias")
    return [] if alias is None else alias.args.get("columns") or []
