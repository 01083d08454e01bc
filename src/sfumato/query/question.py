"""The question: rows, keys, aggregates over people, and expressions over what will be released."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, floor
from typing import Any

from sqlglot import exp

from sfumato.data import Dataset, Kind
from sfumato.errors import InvalidQuestion
from sfumato.query.expression import Call, Expression, Field, Literal, Ref, bounded, conjunction, of_person, refs
from sfumato.query.own import aggregates_in, swapped
from sfumato.query.parse import only, parse, refused, sql_of
from sfumato.query.plan import Plan, all_expressions, tables
from sfumato.query.range import Range
from sfumato.query.relations import SELECT, Public, Relation, Relations
from sfumato.query.rows import Rows
from sfumato.query.scope import Name, Scope
from sfumato.query.work import refuse_too_much

MEANING = 6
"""Raised whenever the same text on the same data is computed otherwise, so that no older answer is taken for it.

2: texts are computed with up to 10 000 characters, days outside the years 1 to 9999 have no parts and no text, the
person's own table has one row a person, and a foreign key leads to one row.
3: what is registered is read, of one kind a column, and a person is one value.
4: a record that begins with a mark of the byte order keeps it, and tables on the way to the person are part of it.
5: which rows, groups and values of a person count is decided by a hash of our own, the same on every engine.
6: texts are numbers and days by written patterns, a computed whole number as text has no point, NaN has no text, and
what is computed from released values is what an engine computes: doubles, halves away from zero, case by character.
"""
_MOST_PUBLIC = 1000
_MOST_GROUPS = 100_000
_MOST_AGGREGATES = 50
_MOST_SUMMED = 10**200  # a sum of as many as there can be is within doubles
_MOST_SQUARED = 10**150  # a square of more, and of a sum of them, is beyond doubles
_SPREADS: dict[type[exp.Expression], tuple[bool, bool]] = {
    exp.Variance: (True, False), exp.VariancePop: (False, False), exp.Stddev: (True, True),
    exp.StddevSamp: (True, True), exp.StddevPop: (False, True),
}  # fmt: skip
_WHOLE = re.compile(r"[0-9]{1,9}")
_SHARE = re.compile(r"[01]|[01]?\.[0-9]{1,12}|1\.")
_ANSWERED = "COUNT, COUNT(DISTINCT x), SUM, AVG, VARIANCE, STDDEV, MEDIAN, QUANTILE, MIN, MAX"
_BOUND_IT = "the owner declares lower and upper; or bound it here: LEAST(GREATEST(x, 0), 100)"


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An aggregate over people: rows, present, people, distinct, sum, avg, variance or quantile."""

    kind: str
    of: Expression | None = None
    where: Expression | None = None
    q: Fraction | None = None
    sample: bool = False
    root: bool = False

    @property
    def label(self) -> str:
        """What it is called in an explanation."""
        return f"{self.kind} at {float(self.q):g}" if self.q is not None else self.kind

    def canonical(self) -> Any:
        """Everything that decides its value."""
        parts = [None if each is None else each.canonical() for each in (self.of, self.where)]
        return [self.kind, *parts, str(self.q), self.sample, self.root]


@dataclass(frozen=True, slots=True)
class Order:
    """One key of ORDER BY, over released values."""

    by: Expression
    descending: bool
    nulls_first: bool


@dataclass(frozen=True)
class Question:
    """A checked question; expressions of `outputs`, `having` and `order` see the keys first, then the aggregates."""

    text: str
    plan: Plan
    keys: tuple[Expression, ...]
    domains: tuple[tuple[Any, ...] | None, ...]
    aggregates: tuple[Aggregate, ...]
    outputs: tuple[tuple[str, Expression], ...]
    having: Expression | None
    order: tuple[Order, ...]
    limit: int | None
    offset: int = 0

    @property
    def groups(self) -> tuple[tuple[Any, ...], ...] | None:
        """Every group in public order, or None if the groups are not public."""
        domains = [domain for domain in self.domains if domain is not None]
        if len(domains) != len(self.domains):
            return None
        size = 1
        for domain in domains:
            size *= len(domain)
        return tuple(product(*domains)) if size <= _MOST_GROUPS else None

    def expressions(self) -> Iterator[Expression]:
        """Every expression that is computed for rows: of relations, keys and aggregates."""
        yield from all_expressions(self.plan)
        yield from self.keys
        for each in self.aggregates:
            yield from (part for part in (each.of, each.where) if part is not None)

    def canonical(self) -> Any:
        """What is asked of the data, whatever it is called and however it is shown."""
        return {
            "meaning": MEANING,
            "plan": self.plan.canonical(),
            "keys": [key.canonical() for key in self.keys],
            "aggregates": sorted((each.canonical() for each in self.aggregates), key=repr),
        }

    def declared(self, dataset: Dataset) -> str:
        """A digest of what was declared of the tables it reads and of the person: declared otherwise, it is another.

        Tables that only lead to the person are read as well: how they are written is part of it, and not their bounds.
        """
        known = [table for name in sorted(tables(self.plan)) if (table := dataset.table(name)) is not None]
        read = [(table, table.format, table.dialect) for table in known]  # where a source lies is no part of it
        keys = sorted((table.name, table.public, table.foreign_keys) for table in dataset.tables)
        between = {target for table in known for _, target, _ in (dataset.path(table) or ())[:-1]}
        way = [(t.name, t.format, t.dialect, t.unreadable) for t in dataset.tables if t.name in between]
        return hashlib.sha256(repr((dataset.unit, read, keys, sorted(way, key=repr))).encode()).hexdigest()


def question(text: str, dataset: Dataset, public: Public) -> Question:
    """The question that a SQL text asks of a dataset."""
    select, text = parse(text)
    assert isinstance(select, exp.Select)
    relations = Relations(dataset, public, text)
    return _Builder(relations, select).build()


class _Builder:
    def __init__(self, relations: Relations, select: exp.Select) -> None:
        self._relations, self._select, self._text = relations, select, relations.text
        only(select, self._text, *SELECT, "offset")
        self._base: Relation = relations.source(select, relations.ctes(select, {}))
        self._rows = Rows(self._base.scope)
        self._keys: list[Expression] = []
        self._key_names: list[str] = []
        self._aggregates: list[Aggregate] = []
        self._fields: list[Field] = []
        self._held: dict[int, Expression] = {}  # what an alias stands for, by the position it was given

    def build(self) -> Question:
        select = self._select
        if not self._base.plan.private:
            raise refused(
                "the question reads public tables only", select, self._text, hint="they need no curator: read them"
            )
        for node in self._grouping():
            self._add_key(node)
        outputs: list[tuple[str, Expression]] = []
        aliases: dict[str, Expression] = {}
        for node in select.expressions:
            inner = node.this if isinstance(node, exp.Alias) else node
            if isinstance(inner, exp.Star) or (isinstance(inner, exp.Column) and isinstance(inner.this, exp.Star)):
                raise refused(
                    "rows are not released", inner, self._text, hint="ask for aggregates: COUNT(*), AVG(…), …"
                )
            made = self._released(inner)
            name = node.alias or (inner.name if isinstance(inner, exp.Column) else sql_of(inner).lower())
            outputs.append((name, made))
            aliases[name.lower()] = made
        having = select.args.get("having")
        condition = None if having is None else self._released(having.this, aliases)
        if having is not None and (condition is None or condition.kind is not Kind.BOOLEAN):
            raise refused("HAVING must be true or false", having, self._text, hint="compare it")
        order = self._order(outputs, aliases)
        domains = tuple(self._domain(key) for key in self._keys)
        if any(domain is not None and not domain for domain in domains):
            raise refused(
                "there is no group: the public table of a key has no values", select, self._text,
                hint="leave the key out, or have the owner fill the table",
            )  # fmt: skip
        if not self._aggregates:
            raise refused("rows are not released", select.expressions[0], self._text,
                          hint="ask for aggregates: COUNT(*), AVG(…), …")  # fmt: skip
        measured = [part for each in self._aggregates for part in (each.of, each.where) if part is not None]
        statements = 1 + sum(each.kind in ("quantile", "distinct") for each in self._aggregates)
        refuse_too_much(self._base.plan, self._keys, measured, statements=statements)
        return Question(
            text=self._text,
            plan=self._base.plan,
            keys=tuple(self._keys),
            domains=domains,
            aggregates=tuple(self._aggregates),
            outputs=tuple(outputs),
            having=condition,
            order=order,
            limit=self._whole("limit"),
            offset=self._whole("offset") or 0,
        )

    # ---- keys ----

    def _grouping(self) -> list[exp.Expression]:
        aliases = {node.alias.lower(): node.this for node in self._select.expressions if isinstance(node, exp.Alias)}
        found = []
        for node in self._relations.grouping(self._select):
            bare = isinstance(node, exp.Column) and not node.table
            known = any(name.name.lower() == node.name.lower() for name in self._base.scope.names)
            found.append(aliases.get(node.name.lower(), node) if bare and not known else node)
        return found

    def _add_key(self, node: exp.Expression) -> None:
        if aggregates_in(node):
            raise refused("GROUP BY takes columns of a row, not aggregates", node, self._text, hint="use HAVING")
        key = bounded(self._rows(node))
        if of_person(key):
            raise refused("groups must not be made of the person", node, self._text,
                          hint="group in a subquery by person and aggregate over it")  # fmt: skip
        if not refs(key):
            raise refused("GROUP BY a constant makes one group", node, self._text, hint="leave it out")
        if key not in self._keys:
            self._keys.append(key)
            self._key_names.append(sql_of(node))

    def _domain(self, key: Expression) -> tuple[Any, ...] | None:
        if isinstance(key, Ref) and key.field.values is not None:
            return key.field.values
        if isinstance(key, Ref) and key.field.public is not None:
            return self._relations.public.values(*key.field.public)
        if key.kind is Kind.BOOLEAN:
            return (False, True)
        if isinstance(key, Call) and key.op == "case":
            values = [*key.args[1::2], *(key.args[-1:] if len(key.args) % 2 else ())]
            literals = [value.value for value in values if isinstance(value, Literal)]
            if len(literals) == len(values):
                return tuple(dict.fromkeys(literals))
        low, high, grid = key.range.lower, key.range.upper, key.range.grid
        if key.kind is not Kind.INTEGER or grid is None or grid.denominator != 1 or low is None or high is None:
            return None
        return tuple(range(ceil(low), floor(high) + 1)) if high - low < _MOST_PUBLIC else None

    # ---- what is released ----

    def _released(self, node: exp.Expression, aliases: dict[str, Expression] | None = None) -> Expression:
        """An expression over keys and aggregates; nothing else of a row may be in it."""
        names: list[Name] = []

        def swap(each: exp.Expression) -> exp.Expression:
            if isinstance(each, exp.AggFunc | exp.Filter | exp.WithinGroup) or _is_quantile(each):
                return self._column(self._aggregate(each), each, names)
            if isinstance(
                each, exp.Column | exp.Func | exp.Binary | exp.Paren | exp.Case | exp.Unary
            ) and not aggregates_in(each):
                at = self._key_of(each)
                if at is not None:
                    return self._column(("key", at), each, names)
            if isinstance(each, exp.Column):
                alias = None if aliases is None or each.table else aliases.get(each.name.lower())
                if alias is not None:
                    return self._column(("alias", alias), each, names)
                self._rows(each)
                grouped = f", or add `{each.name}` to GROUP BY" if not self._is_person(each) else ""
                raise refused(f"column `{each.name}` is neither grouped nor aggregated", each, self._text,
                              hint=f"use an aggregate such as COUNT or AVG{grouped}")  # fmt: skip
            return each

        prepared = swapped(node.copy(), swap)
        held = {name.name: name for name in names}
        made = Rows(Scope(tuple(held.values()), self._text))(prepared)
        return self._unaliased(made)

    def _is_person(self, node: exp.Column) -> bool:
        return self._base.scope.column(node).field.person

    def _key_of(self, node: exp.Expression) -> int | None:
        if not any(isinstance(each, exp.Column) for each in node.walk()):
            return None
        try:
            made = bounded(self._rows(node))
        except InvalidQuestion:  # what does not stand alone is no key; its parts are looked at next
            return None
        return self._keys.index(made) if made in self._keys else None

    def _column(self, what: tuple[str, Any], node: exp.Expression, names: list[Name]) -> exp.Expression:
        sort, which = what
        if sort == "alias":
            index, made = 10**6 + len(self._held), Field("", which.kind, which.range)
            self._held[index] = which
        elif sort == "key":
            key = self._keys[which]
            index, made = which, Field(self._key_names[which], key.kind, key.range)
        else:
            index, made = len(self._keys) + which, self._fields[which]
        name = f"{sort} {index}"
        names.append(Name("", name, index, made))
        column = exp.Column(this=exp.to_identifier(name, quoted=True))
        starts = [each.meta for each in node.walk() if "start" in each.meta]
        if starts:
            column.this.meta.update(min(starts, key=lambda meta: int(meta["start"])))
        return column

    def _unaliased(self, made: Expression) -> Expression:
        if isinstance(made, Ref):
            return self._held.get(made.index, made)
        if isinstance(made, Literal):
            return made
        return Call(made.op, tuple(self._unaliased(arg) for arg in made.args), made.kind, made.range)

    # ---- aggregates ----

    def _aggregate(self, node: exp.Expression) -> tuple[str, int]:
        at = node
        where = None
        if isinstance(node, exp.Filter):
            only(node, self._text, "this", "expression")
            where = self._rows.predicate(node.expression.this)
            node = node.this
        made, kind, found = self._kind(node, where)
        if made in self._aggregates:
            return "aggregate", self._aggregates.index(made)
        if len(self._aggregates) == _MOST_AGGREGATES:
            raise refused(f"more than {_MOST_AGGREGATES} aggregates", at, self._text, hint="ask in parts")
        self._aggregates.append(made)
        self._fields.append(Field(made.label, kind, found))
        return "aggregate", len(self._aggregates) - 1

    def _kind(self, node: exp.Expression, where: Expression | None) -> tuple[Aggregate, Kind, Range]:
        if isinstance(node, exp.Count):
            return self._count(node, where), Kind.INTEGER, Range(None, None, Fraction(1))
        if isinstance(node, exp.Sum | exp.Avg):
            kind = "sum" if isinstance(node, exp.Sum) else "avg"
            of = self._number(node, node.this, kind.upper())
            return Aggregate(kind, of, where), Kind.REAL, of.range if kind == "avg" else Range()
        if type(node) in _SPREADS:
            sample, root = _SPREADS[type(node)]
            of = self._number(node, node.this, type(node).__name__.upper())
            if max(abs(end) for end in (of.range.lower, of.range.upper) if end is not None) > _MOST_SQUARED:
                raise refused("a spread of numbers too large to be squared", node, self._text, hint="divide them first")
            return Aggregate("variance", of, where, sample=sample, root=root), Kind.REAL, Range()
        quantile = self._quantile(node)
        if quantile is not None:
            inner, q = quantile
            of = self._number(node, inner, "a quantile")
            return Aggregate("quantile", of, where, q=q), of.kind, of.range
        hints = {"GROUP_CONCAT": "rows are not released", "ARRAY_AGG": "rows are not released"}
        name = node.sql_name() if isinstance(node, exp.Func) else type(node).__name__.upper()
        raise refused(f"{name}(…) is not answered", node, self._text,
                      hint=hints.get(name, f"there are {_ANSWERED}"))  # fmt: skip

    def _count(self, node: exp.Count, where: Expression | None) -> Aggregate:
        only(node, self._text, "this", "big_int")
        inner = node.this
        if inner is None:
            raise refused("COUNT takes * or a column", node, self._text, hint="COUNT(*)")
        if isinstance(inner, exp.Star | exp.Literal):
            return Aggregate("rows", None, where)
        if isinstance(inner, exp.Distinct):
            if len(inner.expressions) != 1 or inner.args.get("on"):
                raise refused("COUNT(DISTINCT …) takes one column", node, self._text, hint="ask for each by itself")
            of = self._rows(inner.expressions[0])
            if isinstance(of, Ref) and of.field.person:
                return Aggregate("people", None, _where_known(of, where))
            if of_person(of):
                raise refused(
                    "COUNT(DISTINCT …) of something made of the person",
                    node,
                    self._text,
                    hint="count the person itself",
                )
            return Aggregate("distinct", of, where)
        of = self._rows(inner)
        if isinstance(of, Ref) and of.field.person:
            return Aggregate("rows", None, _where_known(of, where))
        return Aggregate("present", of, where)

    def _number(self, node: exp.Expression, inner: exp.Expression | None, what: str) -> Expression:
        only(node, self._text, "this", "expression", "quantile", "big_int")
        if inner is None or isinstance(inner, exp.Distinct):
            raise refused(f"{what} over DISTINCT is not answered", node, self._text, hint="COUNT(DISTINCT x) is")
        of = self._rows(inner)
        if not of.kind.is_number:
            raise refused(
                f"{what} needs a number, found {of.kind.value}", node, self._text, hint="COUNT works on anything"
            )
        if _is_tiny(of.range):
            raise refused(
                f"{what} of numbers too small to be added up", node, self._text, hint="leave the division out"
            )
        if max((abs(end) for end in (of.range.lower, of.range.upper) if end is not None), default=0) > _MOST_SUMMED:
            raise refused(f"{what} of numbers too large to be added up", node, self._text, hint="divide them first")
        if not of.range.is_bounded:
            name = f"`{sql_of(inner)}`"
            raise refused(f"{what} needs bounds, and {name} has none", node, self._text,
                          hint=_BOUND_IT)  # fmt: skip
        return bounded(of)

    def _quantile(self, node: exp.Expression) -> tuple[exp.Expression, Fraction] | None:
        if isinstance(node, exp.WithinGroup):
            only(node, self._text, "this", "expression")
            ordered = node.expression.expressions
            if len(ordered) != 1 or not isinstance(node.this, exp.PercentileCont | exp.PercentileDisc | exp.Quantile):
                raise refused("WITHIN GROUP takes one column", node, self._text)
            q = self._share(node.this.this, node)
            return ordered[0].this, 1 - q if ordered[0].args.get("desc") else q
        if isinstance(node, exp.Median):
            return node.this, Fraction(1, 2)
        if isinstance(node, exp.Min):
            return node.this, Fraction(1, 100)
        if isinstance(node, exp.Max):
            return node.this, Fraction(99, 100)
        if isinstance(node, exp.Quantile):
            return node.this, self._share(node.args.get("quantile"), node)
        if isinstance(node, exp.PercentileCont | exp.PercentileDisc) and node.args.get("expression") is not None:
            return node.this, self._share(node.args.get("expression"), node)
        return None

    def _share(self, node: exp.Expression | None, at: exp.Expression) -> Fraction:
        if not isinstance(node, exp.Literal) or not _SHARE.fullmatch(str(node.this)):
            raise refused("a quantile takes a constant between 0 and 1", at, self._text, hint="QUANTILE(x, 0.9)")
        q = Fraction(str(node.this))
        if not 0 <= q <= 1 or q.denominator > 10**6:
            raise refused("a quantile takes a constant between 0 and 1", at, self._text, hint="QUANTILE(x, 0.9)")
        return q

    # ---- the end of the question ----

    def _order(self, outputs: list[tuple[str, Expression]], aliases: dict[str, Expression]) -> tuple[Order, ...]:
        clause = self._select.args.get("order")
        if clause is None:
            return ()
        only(clause, self._text, "expressions")
        made = []
        for each in clause.expressions:
            only(each, self._text, "this", "desc", "nulls_first")
            node, by = each.this, None
            if isinstance(node, exp.Literal) and _WHOLE.fullmatch(str(node.this)):
                at = int(str(node.this)) - 1
                if not 0 <= at < len(outputs):
                    raise refused("ORDER BY names a column that is not there", node, self._text)
                by = outputs[at][1]
            elif isinstance(node, exp.Column) and not node.table:
                by = aliases.get(node.name.lower())
            descending = bool(each.args.get("desc"))
            made.append(
                Order(
                    by if by is not None else self._released(node, aliases),
                    descending,
                    bool(each.args.get("nulls_first")),
                )
            )
        return tuple(made)

    def _whole(self, name: str) -> int | None:
        clause = self._select.args.get(name)
        if clause is None:
            return None
        only(clause, self._text, "expression", "this")
        value = clause.expression if clause.args.get("expression") is not None else clause.this
        if not isinstance(value, exp.Literal) or not _WHOLE.fullmatch(str(value.this)):
            raise refused(f"{name.upper()} takes a whole number", clause, self._text, hint=f"{name.upper()} 10")
        return int(str(value.this))


def _where_known(person: Ref, where: Expression | None) -> Expression | None:
    """The filter of a count of people, or of their rows: on the right of a LEFT JOIN some rows have no partner."""
    if not person.field.missing:
        return where
    known = Call("not", (Call("is_null", (person,), Kind.BOOLEAN),), Kind.BOOLEAN)
    return known if where is None else conjunction([where, known])


def _is_tiny(found: Range) -> bool:
    ends = [abs(end) for end in (found.lower, found.upper) if end]
    return bool(ends) and max(ends) < Fraction(1, 10**200)


def _is_quantile(node: exp.Expression) -> bool:
    return isinstance(node, exp.Median | exp.Quantile | exp.PercentileCont | exp.PercentileDisc | exp.Min | exp.Max)
