"""Relations of a plan as SELECTs: columns c0, c1, … and, for rows of people, p; o beside it where p is a number."""

from collections.abc import Mapping
from math import nan
from types import MappingProxyType
from typing import assert_never

from sfumato.data import Dataset, Kind, Table
from sfumato.engines.sql.dialect import Dialect
from sfumato.engines.sql.expressions import Expressions
from sfumato.engines.sql.hashing import ORDER, Hashed, in_order, ordered
from sfumato.engines.sql.measures import MeasureWriter
from sfumato.query.expression import Expression, Field
from sfumato.query.own_kinds import OWN_KINDS
from sfumato.query.plan import Join, OwnAggregate, PerPerson, Plan, Project, Scan, Union, Where

PERSON = "sfumato_person"
NUMBER, ORDERING = "sfumato_dense", "sfumato_order"
"""In the copy of a registration: the person's place among all people, and what the order of contributions hashes.

A place depends on who else there is: rows are grouped and joined by it, and it must never choose among them.
"""
FIRST = "sfumato_first_of_"  # a person's first row with its value, in a table that was cut at registration


class RelationWriter:
    """Writes the relations of one dataset; `seed` keys the order in which rows of one person count.

    `repeated` names columns that foreign keys lead to and that do not name one row of a person; `sources` are what
    stands behind FROM for each table, where it is more than the table's name. Where people are `numbered`, p is their
    number in the copy of a registration and o what of the person the order of contributions depends on.
    """

    def __init__(
        self,
        dataset: Dataset,
        dialect: Dialect,
        seed: int,
        *,
        person: Kind = Kind.INTEGER,
        repeated: frozenset[tuple[str, str]] = frozenset(),
        sources: Mapping[str, str] = MappingProxyType({}),
        numbered: bool = False,
    ) -> None:
        self._sources, self.numbered = sources, numbered
        self.people, self.seed, self.person, self.dialect = dataset.unit is not None, seed, person, dialect
        self.expressions, self.measures = Expressions(dialect), MeasureWriter(dialect)
        self._repeated = repeated

    def relation(self, plan: Plan) -> str:
        """A SELECT with columns c0, c1, … and, for rows of people, p."""
        match plan:
            case Scan():
                return self.scan(plan)
            case Where():
                return f"SELECT * FROM ({self.relation(plan.of)}) t WHERE {self.expressions.sql(plan.predicate)}"
            case Project():
                columns = [f"{self.expressions.column(each)} AS c{i}" for i, each in enumerate(plan.expressions)]
                return f"SELECT {', '.join([*self.p(plan.of), *columns])} FROM ({self.relation(plan.of)}) t"
            case Join():
                return self._join(plan)
            case Union():
                return " UNION ALL ".join(self._ordered(part) for part in plan.parts)
            case PerPerson():
                return self._per_person(plan)
            case _:
                assert_never(plan)

    def p(self, plan: Plan) -> list[str]:
        """The columns of the person, where rows are people's."""
        return (["p", "o"] if self.numbered else ["p"]) if plan.private and self.people else []

    def _ordered(self, plan: Plan) -> str:
        columns = [f"c{i}" for i in range(len(plan.fields))]
        return f"SELECT {', '.join([*self.p(plan), *columns])} FROM ({self.relation(plan)}) t"

    def scan(self, plan: Scan, first_of: str = "") -> str:
        """The rows of a table; with `first_of`, f tells which are a person's first with a value of that column."""
        quoted = self.dialect.quoted
        columns = [f"{quoted(field.name)} AS c{i}" for i, field in enumerate(plan.fields)]
        columns += [f"{quoted(FIRST + first_of)} AS f"] if first_of else []
        held = dict(zip(self.p(plan), (NUMBER, ORDERING) if self.numbered else (PERSON,), strict=False))
        person = [f"{column} AS {name}" for name, column in held.items()]
        known = f" WHERE {held['p']} IS NOT NULL" if held else ""
        source = self._sources.get(plan.table) or quoted(plan.table)
        return f"SELECT {', '.join([*person, *columns]) or '1 AS one'} FROM {source}{known}"

    def _join(self, plan: Join) -> str:
        at = len(plan.left.fields)
        left = [f"l.c{i} AS c{i}" for i in range(at)]
        right = [f"r.c{i} AS c{at + i}" for i in range(len(plan.right.fields))]
        person: list[str] = []
        both = plan.left.private and plan.right.private and self.people
        if plan.private and self.people:
            person = [f"{'l' if plan.left.private else 'r'}.{name} AS {name}" for name in self.p(plan)]
        equal = [f"l.c{i} = r.c{j}" for i, j in plan.equal]
        if both:
            equal.append("l.p = r.p")  # a pair is one person's, whatever else agrees
        word = "LEFT JOIN" if plan.outer else "JOIN"
        sides = [self._one_row(plan, side) for side in ("left", "right")]
        return (
            f"SELECT {', '.join([*person, *left, *right])} FROM ({sides[0]}) l "
            f"{word} ({sides[1]}) r ON {' AND '.join(equal)}"
        )

    def _one_row(self, plan: Join, side: str) -> str:
        """A side of a join; where a foreign key leads to it and its rows repeat the key, the first in our order."""
        of, at = (plan.left, 0) if side == "left" else (plan.right, 1)
        text = self.relation(of)
        if plan.leads_to != side or not any(of.fields[pair[at]].key in self._repeated for pair in plan.equal):
            return text
        names = [f"c{pair[at]}" for pair in plan.equal]
        hashed = [Hashed.within(f"c{i}", field.kind, field.range) for i, field in enumerate(of.fields)]
        order = ordered([ORDER, *(each.sql for each in hashed)])
        first = f"row_number() OVER (PARTITION BY {', '.join(['p', *names])} ORDER BY {order})"
        # rows without a key have no partner and repeat nothing: else one person's key would take others' rows away
        keyless = " OR ".join(f"{name} IS NULL" for name in names)
        return self.dialect.ranked(in_order(text, hashed, self.seed, self.dialect), first, 1, also=keyless)

    def _per_person(self, plan: PerPerson) -> str:
        assert not self.numbered  # here the person is a value that can be seen
        at = 1 + len(plan.keys)
        keys = [f"{self.key(key)} AS k{i}" for i, key in enumerate(plan.keys)]
        shown = [f"k{i} AS c{i + 1}" for i in range(len(plan.keys))]
        values = [
            f"{self._as_declared(self._own(each), plan.fields[at + i])} AS c{at + i}"
            for i, each in enumerate(plan.aggregates)
        ]
        names = ", ".join(["p", *(f"k{i}" for i in range(len(plan.keys)))])
        inner = f"SELECT {', '.join([*keys, '*'])} FROM ({self.relation(plan.of)}) t"
        return f"SELECT {', '.join(['p', 'p AS c0', *shown, *values])} FROM ({inner}) t GROUP BY {names}"

    def key(self, key: Expression) -> str:
        """A key as it can be released: NaN is no value, and a day outside the years 1 to 9999 is none."""
        if key.kind is Kind.REAL:
            # -0 is 0: which of the two stands for their group must not depend on rows
            made = self.dialect.function("add", [self.expressions.number(key), self.dialect.double(0)], Kind.REAL)
            return f"nullif({made}, {self.dialect.double(nan)})"
        if key.kind in (Kind.DATE, Kind.TIMESTAMP):
            return self.expressions.on_calendar(key)
        return self.expressions.column(key)

    # ---- aggregates over one person's rows ----

    def _as_declared(self, made: str, field: Field) -> str:
        return self.dialect.cast(made, Kind.INTEGER, Kind.INTEGER) if field.kind is Kind.INTEGER else made

    def _own(self, aggregate: OwnAggregate) -> str:
        where = "" if aggregate.where is None else f" FILTER (WHERE {self.expressions.sql(aggregate.where)})"
        return OWN_KINDS[aggregate.kind].sql(aggregate.of, where, self.measures)


def marked(table: Table, person: str | None) -> list[str]:
    """The columns of a table cut at registration whose values nobody declared: keys to be, but for the person."""
    if table.public or table.cut in (None, 1):
        return []
    # of kinds whose every value is a key of its own: several reals or days may be the one key NULL
    plain = (Kind.TEXT, Kind.INTEGER, Kind.BOOLEAN)
    open_ones = [each for each in table.columns if each.values is None and each.lower is None and each.kind in plain]
    return [each.name for each in open_ones if each.name != person]
