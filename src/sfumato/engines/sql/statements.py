"""The statements of a priced question: rows, what each person's rows count, and one line a group.

Where groups are not public and a person is in too many, our order of hashes picks the groups that count, the same in
every question on the same data; of different values likewise. Names in statements, all ours:

    p            the person a row belongs to           k0, k1, …    keys of the groups
    o            what of a person our order hashes, where p is a number in the copy of a registration
    c0, c1, …    columns of a relation                 f            a person's first row with a value of the key
    m0, m1, …    what a row adds to measure 0, 1, …
    r, l, q      rows, lines of person and group, people
    n, t         what is bounded of a line, and of a person in all; y0: what a line adds to measure 0
    w            the weight of a row or a line         e0, g0, w0   if somebody is in a group, in how many, as a part
    a0           the exact integer of measure 0        people       how many people are in a group
    s            which set of keys a line is a group of, where several sets are counted in one pass
    v, n         a value in steps, and how often it occurs
    h, g         a row's sum of values, and its hash: rows with low hashes count
    d, x         lines before some are left out, and the people of whom some are
"""

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType

from sfumato.data import Dataset, Kind
from sfumato.engines.sql.dialect import Dialect
from sfumato.engines.sql.hashing import LINEAR, ORDER, Hashed, in_order, ordered
from sfumato.engines.sql.measures import lifted, placed
from sfumato.engines.sql.relations import RelationWriter, marked
from sfumato.engines.sql.weighing import Weighing, added_up
from sfumato.query.expression import Expression, Ref
from sfumato.query.measures import AdditiveMeasure, Distinct, Measure, People, Values
from sfumato.query.plan import Scan
from sfumato.query.price import PricedQuery
from sfumato.query.workload import PricedWorkload

Sets = Sequence[Sequence[str]] | None
"""Sets of keys by which the same rows are grouped, or None: by all of them."""


class Statements:
    """Writes the statements for one dataset in a dialect; `seed` keys the choice of groups and values.

    `person` is the kind of the column that says who one person is; `repeated` names columns that foreign keys lead to
    and that do not name one row of a person; `sources` are what stands behind FROM, where it is not a table's name.
    Where people are `numbered`, statements are of the copy of a registration: the same integers, by numbers for people.
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
        self._relations = RelationWriter(
            dataset, dialect, seed, person=person, repeated=repeated, sources=sources, numbered=numbered
        )
        self._write, self._dialect, self._seed = self._relations.measures, dialect, seed
        self._people, self._numbered = dataset.unit is not None, numbered
        self._person = Hashed("o", Kind.INTEGER) if numbered else Hashed("p", person)
        self._marked = {
            (table.name, name)
            for table in dataset.tables
            if self._people
            for name in marked(table, dataset.person(table))
        }

    # ---- rows of a question ----

    def _rows(
        self,
        query: PricedQuery,
        columns: Sequence[str],
        computed: Sequence[Expression] = (),
        *,
        public: bool | None = None,
        chosen: bool = False,
    ) -> str:
        """p, k0, k1, … and the given columns, for the rows in public groups if groups are public.

        What is `computed` beforehand stands behind the relation's own columns; rows that are `chosen` have o.
        """
        keys = [f"{self._relations.key(key)} AS k{i}" for i, key in enumerate(query.question.keys)]
        plan, first = query.question.plan, self._first_of(query)
        person = self._relations.p(plan)[: None if chosen else 1]
        shown = [*person, *(["f"] if first else []), *keys, *columns]
        scanned = isinstance(plan, Scan)
        source = self._relations.scan(plan, *first) if scanned else self._relations.relation(plan)  # type: ignore[arg-type]
        if computed:
            source = f"SELECT *, {', '.join(self._computed(computed, len(plan.fields)))} FROM ({source}) t"
        inner = f"SELECT {', '.join(shown) or '1 AS one'} FROM ({source}) t"
        if not keys or not (query.question.groups is not None if public is None else public):
            return inner
        tests = [self._among(f"k{i}", domain or (), key.kind) for i, (domain, key) in
                 enumerate(zip(query.question.domains, query.question.keys, strict=True))]  # fmt: skip
        return f"SELECT * FROM ({inner}) t WHERE {' AND '.join(tests)}"

    def _computed(self, computed: Sequence[Expression], at: int) -> list[str]:
        written = self._relations.expressions
        made = [written.number(each) if each.kind.is_number else written.sql(each) for each in computed]
        return [f"{each} AS c{at + i}" for i, each in enumerate(made)]

    def _among(self, name: str, domain: tuple[object, ...], kind: Kind) -> str:
        known = [value for value in domain if value is not None]
        if None in domain:
            return f"({name} IS NULL OR {self._among(name, tuple(known), kind)})" if known else f"{name} IS NULL"
        if (
            kind is Kind.INTEGER
            and len(known) > 2
            and known == list(range(int(str(known[0])), int(str(known[0])) + len(known)))
        ):
            return f"{name} BETWEEN {known[0]} AND {known[-1]}"
        return f"{name} IN ({', '.join(self._dialect.literal(value, kind) for value in known)})"

    def _names(self, query: PricedQuery) -> list[str]:
        return [f"k{i}" for i in range(len(query.question.keys))]

    # ---- additive columns ----

    def cells(self, workload: PricedWorkload) -> str:
        """One line a cell of a marginal that occurs: which marginal, its values, and how many rows count in it."""
        sets = [[f"k{place}" for place in marginal] for marginal in workload.marginals]
        return self._additive(workload.counted(), sets, public=True)

    def additive(self, query: PricedQuery) -> str:
        """One line a group: its keys, its people, and the exact integers of every additive column."""
        return self._additive(query, None)

    def _additive(self, query: PricedQuery, sets: Sets, *, public: bool | None = None) -> str:
        known, computed = lifted(query.measures.measures, len(query.question.plan.fields))
        columns = self._columns(known)
        if query.bounds.cut:
            return self._direct(query, self._rows(query, columns, computed, public=public), self._names(query), sets)
        rows = self._rows(query, columns, computed, public=public, chosen=query.bounds.picked is not None)
        return self._weighing(query, known, rows, sets).additive()

    def all_of(self, query: PricedQuery) -> tuple[str, ...]:
        """Every statement of a question, in the order in which they are asked."""
        measures = query.measures.measures
        additive = any(isinstance(measure, AdditiveMeasure) for measure in measures) or query.question.groups is None
        made = [self.additive(query)] if additive else []
        for i, measure in enumerate(measures):
            if isinstance(measure, Values):
                made.append(self.values(query, i))
            elif isinstance(measure, Distinct):
                made.append(self.distinct(query, measure))
        return (*made, *([self.beyond(query, query.beyond.most)] if query.beyond is not None else []))

    def beyond(self, query: PricedQuery, most: int) -> str:
        """One line: how many people have more than counts, and how many rows beyond, of each at most so many."""
        known, computed = lifted(query.measures.measures, len(query.question.plan.fields))
        rows = self._rows(query, self._columns(known), computed, chosen=query.bounds.picked is not None)
        return self._weighing(query, known, rows).beyond(most)

    def _weighing(
        self, query: PricedQuery, measures: Sequence[Measure], rows: str, sets: Sets = None
    ) -> Weighing:  # fmt: skip
        """What a person's rows count in a question whose measures are given as they are computed."""
        names = self._names(query)
        few_groups = partial(self._few_groups, query, names=names)
        return Weighing(
            query,
            placed(measures),
            rows,
            names=names,
            write=self._write,
            few_groups=few_groups,
            sets=sets,
            numbered=self._numbered,
        )

    def _columns(self, measures: Sequence[Measure]) -> list[str]:
        """What a row adds to every measure that is weighted or added up."""
        found = [each for measure, at in placed(measures) for each in measure.of_row(at, self._write)]
        values = [(i, each) for i, each in enumerate(measures) if isinstance(each, Values)]
        return [*found, *(f"{measure.steps(self._write)} AS m{i}" for i, measure in values)]

    def _direct(self, query: PricedQuery, rows: str, names: list[str], sets: Sets) -> str:
        measures = query.measures.measures
        wanted = query.keys is not None or any(isinstance(measure, People) for measure in measures)
        if wanted and self._numbered and sets is None and query.bounds.total != 1 and not self._first_of(query):
            return self._by_lines(measures, rows, names)
        outer = [f"{self._people_of(query) if wanted else '0'} AS people"]
        person = "p" if self._people and query.bounds.total != 1 else ""
        for measure, at in placed(measures):
            outer.append(measure.of_all_rows(at, self._write, person))
        return added_up(self._dialect, names, sets, outer, f"({rows}) t")

    def _by_lines(self, measures: Sequence[Measure], rows: str, names: list[str]) -> str:
        """Lines of person and group first, where people have numbers: they are counted faster than different people."""
        inner, outer, grouped = list[str](), ["count(*) AS people"], ", ".join(["p", *names])
        for measure, at in placed(measures):
            if isinstance(measure, People):
                there = "1" if measure.where is None else f"CASE WHEN count(m{at.own}) > 0 THEN 1 ELSE 0 END"
            else:
                amount = measure.amount(at)
                there = self._dialect.summed(amount, narrow=measure.is_narrow)
                if measure.adds_ones:
                    there = f"count({'*' if amount == '1' else amount})"
            inner.append(f"{there} AS y{at.own}")
            outer.append(f"{self._dialect.total(f'y{at.own}', narrow=measure.is_narrow)} AS a{at.own}")
        lines = f"SELECT {', '.join([grouped, *inner])} FROM ({rows}) t GROUP BY {grouped}"
        return added_up(self._dialect, names, None, outer, f"({lines}) t")

    def _people_of(self, query: PricedQuery) -> str:
        most = query.bounds.total
        if most == 1:
            return "count(*)"
        if not self._people:  # a protected row may be in a group several times, and must not look like several
            return self._write.whole(self._dialect.divided(f"count(*) + {most - 1}", str(most)))
        return "count(*) FILTER (WHERE f)" if self._first_of(query) else "count(DISTINCT p)"

    def _first_of(self, query: PricedQuery) -> list[str]:
        """The mark of first rows, where all rows of a cut table are grouped by a marked column: marks count people."""
        plan, keys = query.question.plan, query.question.keys
        if (
            not isinstance(plan, Scan)
            or len(keys) != 1
            or not isinstance(keys[0], Ref)
            or not query.bounds.cut
            or query.bounds.total == 1
        ):
            return []
        name = plan.fields[keys[0].index].name
        return [name] if (plan.table, name) in self._marked else []

    # ---- few groups, few values ----

    def _few_groups(self, query: PricedQuery, lines: str, *, names: list[str]) -> str:
        """The lines of at most `picked` groups a person."""
        if query.bounds.picked is None:
            return lines
        rank = f"row_number() OVER (PARTITION BY p ORDER BY {ordered([ORDER, *names])})"
        if not self._numbered:
            return self._dialect.ranked(self._ordered(lines, self._keys(query)), rank, query.bounds.picked)
        # lines are put in order for those people alone who have more: by numbers they are found in no time
        more = "EXISTS (SELECT 1 FROM x WHERE x.p = d.p)"
        few = self._ordered(f"SELECT * FROM d WHERE {more}", self._keys(query))
        people = f"SELECT p FROM d GROUP BY p HAVING count(*) > {query.bounds.picked}"
        common = [self._dialect.common(name, rows, twice=False) for name, rows in (("d", lines), ("x", people))]
        return (
            f"WITH {', '.join(common)} SELECT *, 0 AS {LINEAR}, 0 AS {ORDER} FROM d WHERE NOT {more} "
            f"UNION ALL {self._dialect.ranked(few, rank, query.bounds.picked)}"
        )

    def _keys(self, query: PricedQuery) -> list[Hashed]:
        return [Hashed.within(f"k{i}", key.kind, key.range) for i, key in enumerate(query.question.keys)]

    def _ordered(self, rows: str, values: Sequence[Hashed]) -> str:
        """The rows with the hash of these values and the person."""
        return in_order(rows, [*values, self._person], self._seed, self._dialect)

    def _few_values(self, query: PricedQuery, rows: str, names: list[str], value: Hashed) -> str:
        """Of the rows at most `total` of each person, of at most `picked` groups.

        Windows and not lists, which must be in memory all at once. Groups are ranked by hash and key together, so that
        no two share a rank.
        """
        columns = ", ".join([*self._who, *names, "v"])
        if query.bounds.picked is not None:
            rank = f"dense_rank() OVER (PARTITION BY p ORDER BY {ordered([ORDER, *names])})"
            rows = self._dialect.ranked(self._ordered(rows, self._keys(query)), rank, query.bounds.picked)
            rows = f"SELECT {columns} FROM ({rows}) t"
        rank = f"row_number() OVER (PARTITION BY p ORDER BY {ordered([ORDER, *names, 'v'])})"
        return self._dialect.ranked(self._ordered(rows, [*self._keys(query), value]), rank, query.bounds.total)

    @property
    def _who(self) -> list[str]:
        """What says of rows that are chosen whose they are."""
        return ["p", "o"] if self._numbered else ["p"]

    # ---- values ----

    def distinct(self, query: PricedQuery, measure: Distinct) -> str:
        """One line a group: its keys and the number of different values, of at most `total` of each person."""
        (measure,), computed = lifted((measure,), len(query.question.plan.fields))
        of, written = measure.of, self._relations.expressions
        where = "" if measure.where is None else f" AND {written.sql(measure.where)}"
        names = self._names(query)
        value = f"CASE WHEN {written.present(of)}{where} THEN {written.sql(of)} END AS v"
        rows = self._rows(query, [value], computed, chosen=not query.bounds.cut)
        rows = f"SELECT * FROM ({rows}) t WHERE v IS NOT NULL"
        if not query.bounds.cut:
            rows = f"SELECT DISTINCT {', '.join([*self._who, *names, 'v'])} FROM ({rows}) t"
            rows = self._few_values(query, rows, names, Hashed.within("v", self._held(of), of.range))
        return f"SELECT {', '.join([*names, 'count(DISTINCT v) AS n'])} FROM ({rows}) t{_grouped(names)}"

    @staticmethod
    def _held(of: Expression) -> Kind:
        """The kind of a value as it is written: numbers that are computed are reals."""
        return of.kind if of.kind is not Kind.INTEGER or isinstance(of, Ref) else Kind.REAL

    def values(self, query: PricedQuery, at: int) -> str:
        """One line a group and value of the measure at a place: its keys, the value in steps, how much it counts."""
        names, measures = self._names(query), query.measures.measures
        known, computed = lifted(measures, len(query.question.plan.fields))
        grouped = ", ".join([*names, "v"])
        if query.bounds.cut or query.weights.picks:
            measure = known[at]
            assert isinstance(measure, Values)
            rows = self._rows(query, [f"{measure.steps(self._write)} AS v"], computed, chosen=not query.bounds.cut)
            rows = f"SELECT * FROM ({rows}) t WHERE v IS NOT NULL"
            if not query.bounds.cut:
                rows = self._few_values(query, rows, names, Hashed("v", Kind.INTEGER))
            return f"SELECT {grouped}, count(*) AS n FROM ({rows}) t GROUP BY {grouped} ORDER BY {grouped}"
        rows = self._rows(query, self._columns(known), computed, chosen=query.bounds.picked is not None)
        return self._weighing(query, known, rows).values(at)


def _grouped(names: list[str]) -> str:
    return f" GROUP BY {', '.join(names)}" if names else ""
