"""The statements of a priced question: rows, what each person's rows count, and one line a group.

Where groups are not public and a person is in too many, our order of hashes picks the groups that count, the same in
every question on the same data; of different values likewise. Names in statements, all ours:

    p            the person a row belongs to           k0, k1, …    keys of the groups
    c0, c1, …    columns of a relation                 f            a person's first row with a value of the key
    m0, m1, …    what a row adds to measure 0, 1, …
    r, l, q      rows, lines of person and group, people
    n, t         what is bounded of a line, and of a person in all; y0: what a line adds to measure 0
    w            the weight of a row or a line         e0, g0, w0   if somebody is in a group, in how many, as a part
    a0           the exact integer of measure 0        people       how many people are in a group
    s            which set of keys a line is a group of, where several sets are counted in one pass
    v, n         a value in steps, and how often it occurs
    h, g         a row's sum of values, and its hash: rows with low hashes count
"""

from collections.abc import Sequence
from functools import partial

from sfumato.data import Dataset, Kind
from sfumato.engines.sql.dialect import Dialect
from sfumato.engines.sql.hashing import ORDER, Hashed, in_order
from sfumato.engines.sql.measures import lifted, placed
from sfumato.engines.sql.relations import RelationWriter, marked
from sfumato.engines.sql.weighing import Weighing, added_up
from sfumato.query.expression import Expression, Ref
from sfumato.query.measures import Distinct, Measure, People, Values
from sfumato.query.plan import Scan
from sfumato.query.price import PricedQuery
from sfumato.query.workload import PricedWorkload

Sets = Sequence[Sequence[str]] | None
"""Sets of keys by which the same rows are grouped, or None: by all of them."""


class Statements:
    """Writes the statements for one dataset in a dialect; `seed` keys the choice of groups and values.

    `person` is the kind of the column that says who one person is; `repeated` names columns that foreign keys lead to
    and that do not name one row of a person.
    """

    def __init__(
        self,
        dataset: Dataset,
        dialect: Dialect,
        seed: int,
        *,
        person: Kind = Kind.INTEGER,
        repeated: frozenset[tuple[str, str]] = frozenset(),
    ) -> None:
        self._relations = RelationWriter(dataset, dialect, seed, person=person, repeated=repeated)
        self._write, self._dialect, self._seed = self._relations.measures, dialect, seed
        self._people, self._person = dataset.unit is not None, Hashed("p", person)
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
    ) -> str:
        """p, k0, k1, … and the given columns, for the rows in public groups if groups are public.

        What is `computed` beforehand stands behind the relation's own columns.
        """
        keys = [f"{self._relations.key(key)} AS k{i}" for i, key in enumerate(query.question.keys)]
        plan, first = query.question.plan, self._first_of(query)
        shown = [*self._relations.p(plan), *(["f"] if first else []), *keys, *columns]
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
        rows, names = self._rows(query, self._columns(known), computed, public=public), self._names(query)
        if query.bounds.cut:
            return self._direct(query, rows, names, sets)
        return self._weighing(query, known, rows, sets).additive()

    def beyond(self, query: PricedQuery, most: int) -> str:
        """One line: how many people have more than counts, and how many rows beyond, of each at most so many."""
        known, computed = lifted(query.measures.measures, len(query.question.plan.fields))
        return self._weighing(query, known, self._rows(query, self._columns(known), computed)).beyond(most)

    def _weighing(
        self, query: PricedQuery, measures: Sequence[Measure], rows: str, sets: Sets = None
    ) -> Weighing:  # fmt: skip
        """What a person's rows count in a question whose measures are given as they are computed."""
        names = self._names(query)
        few_groups = partial(self._few_groups, query, names=names)
        return Weighing(query, placed(measures), rows, names=names, write=self._write, few_groups=few_groups, sets=sets)

    def _columns(self, measures: Sequence[Measure]) -> list[str]:
        """What a row adds to every measure that is weighted or added up."""
        found = [each for measure, at in placed(measures) for each in measure.of_row(at, self._write)]
        values = [(i, each) for i, each in enumerate(measures) if isinstance(each, Values)]
        return [*found, *(f"{measure.steps(self._write)} AS m{i}" for i, measure in values)]

    def _direct(self, query: PricedQuery, rows: str, names: list[str], sets: Sets) -> str:
        measures = query.measures.measures
        wanted = query.keys is not None or any(isinstance(measure, People) for measure in measures)
        outer = [f"{self._people_of(query) if wanted else '0'} AS people"]
        person = "p" if self._people and query.bounds.total != 1 else ""
        for measure, at in placed(measures):
            outer.append(measure.of_all_rows(at, self._write, person))
        return added_up(self._dialect, names, sets, outer, f"({rows}) t")

    def _people_of(self, query: PricedQuery) -> str:
        most = query.bounds.total
        if most == 1:
            return "count(*)"
        if not self._people:  # a protected row may be in a group several times, and must not look like several
            return self._dialect.divided(f"count(*) + {most - 1}", str(most))
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
        rank = f"row_number() OVER (PARTITION BY p ORDER BY {', '.join([ORDER, *names])})"
        return self._dialect.ranked(self._ordered(lines, self._keys(query)), rank, query.bounds.picked)

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
        columns = ", ".join(["p", *names, "v"])
        if query.bounds.picked is not None:
            rank = f"dense_rank() OVER (PARTITION BY p ORDER BY {', '.join([ORDER, *names])})"
            rows = self._dialect.ranked(self._ordered(rows, self._keys(query)), rank, query.bounds.picked)
            rows = f"SELECT {columns} FROM ({rows}) t"
        rank = f"row_number() OVER (PARTITION BY p ORDER BY {', '.join([ORDER, *names, 'v'])})"
        return self._dialect.ranked(self._ordered(rows, [*self._keys(query), value]), rank, query.bounds.total)

    # ---- values ----

    def distinct(self, query: PricedQuery, measure: Distinct) -> str:
        """One line a group: its keys and the number of different values, of at most `total` of each person."""
        (measure,), computed = lifted((measure,), len(query.question.plan.fields))
        of, written = measure.of, self._relations.expressions
        where = "" if measure.where is None else f" AND {written.sql(measure.where)}"
        names = self._names(query)
        value = f"CASE WHEN {written.present(of)}{where} THEN {written.sql(of)} END AS v"
        rows = f"SELECT * FROM ({self._rows(query, [value], computed)}) t WHERE v IS NOT NULL"
        if not query.bounds.cut:
            rows = f"SELECT DISTINCT {', '.join(['p', *names, 'v'])} FROM ({rows}) t"
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
            rows = self._rows(query, [f"{measure.steps(self._write)} AS v"], computed)
            rows = f"SELECT * FROM ({rows}) t WHERE v IS NOT NULL"
            if not query.bounds.cut:
                rows = self._few_values(query, rows, names, Hashed("v", Kind.INTEGER))
            return f"SELECT {grouped}, count(*) AS n FROM ({rows}) t GROUP BY {grouped} ORDER BY {grouped}"
        return self._weighing(query, known, self._rows(query, self._columns(known), computed)).values(at)


def _grouped(names: list[str]) -> str:
    return f" GROUP BY {', '.join(names)}" if names else ""
