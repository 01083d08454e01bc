"""The statements of a priced question: rows, then one line a person and group, then one line a group.

Where a person has more than `rows` rows in a group, the rows count in part: all of them with weight rows/n, which is
what keeping `rows` of them at random gives on average, and sums and counts keep the same rows. Where a person is in
more than `groups` groups, a keyed hash picks the groups that count, the same in every question on the same data.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import nan

from sfumato.data import Dataset, Kind, Table
from sfumato.engines.duckdb.expressions import (
    double,
    is_plain,
    is_whole,
    literal,
    number,
    on_calendar,
    present,
    quoted,
    sql,
)
from sfumato.query.expression import Expression, Field, Ref
from sfumato.query.measures import Measure
from sfumato.query.plan import Join, OwnAggregate, PerPerson, Plan, Project, Scan, Union, Where
from sfumato.query.price import PricedQuery
from sfumato.query.range import Range

PERSON = "sfumato_person"
FIRST = "sfumato_first_of_"  # a person's first row with its value, in a table that was cut at registration
_WIDE = 2**30  # sums of this many steps a person stay within 64 bits for 2**33 people
_LIGHT = 2**16  # sums of whole doubles of this size are exact up to 2**37 rows, and twice as fast as 128 bits
_EXACT = 2**52  # whole doubles below this are told apart from their halves
_FEW = 2**9  # a light sum times this many rows stays within 64 bits


class Statements:
    """Writes the statements for one dataset; `seed` keys the choice of groups and values.

    `repeated` names columns that foreign keys lead to and that do not name one row of a person.
    """

    def __init__(self, dataset: Dataset, seed: int, repeated: frozenset[tuple[str, str]] = frozenset()) -> None:
        self._people, self._seed, self._repeated = dataset.unit is not None, seed, repeated
        self._marked = {
            (table.name, name)
            for table in dataset.tables
            if self._people
            for name in marked(table, dataset.person(table))
        }

    # ---- relations ----

    def relation(self, plan: Plan) -> str:
        """A SELECT with columns c0, c1, … and, for rows of people, p."""
        if isinstance(plan, Scan):
            return self._scan(plan)
        if isinstance(plan, Where):
            return f"SELECT * FROM ({self.relation(plan.of)}) WHERE {sql(plan.predicate)}"
        if isinstance(plan, Project):
            columns = [f"{as_column(each)} AS c{i}" for i, each in enumerate(plan.expressions)]
            return f"SELECT {', '.join([*self._p(plan.of), *columns])} FROM ({self.relation(plan.of)})"
        if isinstance(plan, Join):
            return self._join(plan)
        if isinstance(plan, Union):
            return " UNION ALL ".join(f"({self._ordered(part)})" for part in plan.parts)
        return self._per_person(plan)

    def _p(self, plan: Plan) -> list[str]:
        return ["p"] if plan.private and self._people else []

    def _ordered(self, plan: Plan) -> str:
        columns = [f"c{i}" for i in range(len(plan.fields))]
        return f"SELECT {', '.join([*self._p(plan), *columns])} FROM ({self.relation(plan)})"

    def _scan(self, plan: Scan, first_of: str = "") -> str:
        columns = [f"{quoted(field.name)} AS c{i}" for i, field in enumerate(plan.fields)]
        columns += [f"{quoted(FIRST + first_of)} AS f"] if first_of else []
        person = [f"{PERSON} AS p"] if plan.private and self._people else []
        known = f" WHERE {PERSON} IS NOT NULL" if person else ""
        return f"SELECT {', '.join([*person, *columns]) or '1 AS one'} FROM {quoted(plan.table)}{known}"

    def _join(self, plan: Join) -> str:
        at = len(plan.left.fields)
        left = [f"l.c{i} AS c{i}" for i in range(at)]
        right = [f"r.c{i} AS c{at + i}" for i in range(len(plan.right.fields))]
        person: list[str] = []
        both = plan.left.private and plan.right.private and self._people
        if plan.private and self._people:
            person = ["l.p AS p" if plan.left.private else "r.p AS p"]
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
        """A side of a join; where a foreign key leads to it and its rows repeat the key, the first by a keyed hash."""
        of, at = (plan.left, 0) if side == "left" else (plan.right, 1)
        text = self.relation(of)
        if plan.leads_to != side or not any(of.fields[pair[at]].key in self._repeated for pair in plan.equal):
            return text
        names = [f"c{pair[at]}" for pair in plan.equal]
        order = f"hash({', '.join([*(f'c{i}' for i in range(len(of.fields))), str(self._seed)])})"
        first = f"row_number() OVER (PARTITION BY {', '.join(['p', *names])} ORDER BY {order}) = 1"
        # rows without a key have no partner and repeat nothing: else one person's key would take others' rows away
        keyless = " OR ".join(f"{name} IS NULL" for name in names)
        return f"SELECT * FROM ({text}) QUALIFY {first} OR {keyless}"

    def _per_person(self, plan: PerPerson) -> str:
        at = 1 + len(plan.keys)
        keys = [f"{self._key(key)} AS k{i}" for i, key in enumerate(plan.keys)]
        shown = [f"k{i} AS c{i + 1}" for i in range(len(plan.keys))]
        values = [
            f"{_as_declared(_own(each), plan.fields[at + i])} AS c{at + i}" for i, each in enumerate(plan.aggregates)
        ]
        names = ", ".join(["p", *(f"k{i}" for i in range(len(plan.keys)))])
        inner = f"SELECT {', '.join([*keys, '*'])} FROM ({self.relation(plan.of)})"
        return f"SELECT {', '.join(['p', 'p AS c0', *shown, *values])} FROM ({inner}) GROUP BY {names}"

    @staticmethod
    def _key(key: Expression) -> str:
        """A key as it can be released: NaN is no value, and a day outside the years 1 to 9999 is none."""
        if key.kind is Kind.REAL:
            return f"nullif({number(key)}, {double(nan)})"
        if key.kind in (Kind.DATE, Kind.TIMESTAMP):
            return on_calendar(key)
        return as_column(key)

    # ---- rows of a question ----

    def _rows(self, query: PricedQuery, columns: Sequence[str], computed: Sequence[Expression] = ()) -> str:
        """p, k0, k1, … and the given columns, for the rows in public groups if groups are public.

        What is `computed` beforehand stands behind the relation's own columns.
        """
        keys = [f"{self._key(key)} AS k{i}" for i, key in enumerate(query.question.keys)]
        plan, first = query.question.plan, self._first_of(query)
        shown = [*self._p(plan), *(["f"] if first else []), *keys, *columns]
        source = self._scan(plan, *first) if isinstance(plan, Scan) else self.relation(plan)
        if computed:
            at = len(plan.fields)
            made = [
                f"{number(each) if each.kind.is_number else sql(each)} AS c{at + i}" for i, each in enumerate(computed)
            ]
            source = f"SELECT *, {', '.join(made)} FROM ({source})"
        inner = f"SELECT {', '.join(shown) or '1 AS one'} FROM ({source})"
        groups = query.question.groups
        if not keys or groups is None:
            return inner
        tests = [_among(f"k{i}", domain or (), key.kind) for i, (domain, key) in
                 enumerate(zip(query.question.domains, query.question.keys, strict=True))]  # fmt: skip
        return f"SELECT * FROM ({inner}) WHERE {' AND '.join(tests)}"

    def _names(self, query: PricedQuery) -> list[str]:
        return [f"k{i}" for i in range(len(query.question.keys))]

    # ---- additive columns ----

    def additive(self, query: PricedQuery) -> str:
        """One line a group: its keys, its people, and the exact integers of every additive column."""
        known, computed = _lifted(query.measures.measures, len(query.question.plan.fields))
        measures, twins = list(enumerate(known)), _twins(known)
        columns = [each for i, measure in measures for each in _row_columns(i, measure, twin=twins[i] != i)]
        rows = self._rows(query, columns, computed)
        names = self._names(query)
        if query.bounds.cut is not None:
            return self._direct(query, rows, names)
        inner = [each for i, measure in measures for each in _person_columns(i, measure, twins[i])]
        grouped = ", ".join(["p", *names])
        counted = ["count(*) AS n"] if any(_needs_rows(measure) for _, measure in measures) else []
        lines = f"SELECT {', '.join([grouped, *counted, *inner])} FROM ({rows}) GROUP BY {grouped}"
        lines = self._few_groups(query, lines, names)
        outer = [each for i, measure in measures for each in _group_columns(i, measure, twins[i], query.bounds.rows)]
        tail = f" GROUP BY {', '.join(names)}" if names else ""
        return f"SELECT {', '.join([*names, 'count(*) AS people', *outer])} FROM ({lines}){tail}"

    def _direct(self, query: PricedQuery, rows: str, names: list[str]) -> str:
        wanted = query.keys is not None or any(m.kind == "people" for m in query.measures.measures)
        outer = [f"{self._people_of(query) if wanted else '0'} AS people"]
        for i, measure in enumerate(query.measures.measures):
            person = "p" if self._people and query.bounds.cut != 1 else ""
            outer += _direct_columns(i, measure, _twins(query.measures.measures)[i], person)
        tail = f" GROUP BY {', '.join(names)}" if names else ""
        return f"SELECT {', '.join([*names, *outer])} FROM ({rows}){tail}"

    def _people_of(self, query: PricedQuery) -> str:
        if query.bounds.cut == 1:
            return "count(*)"
        if not self._people:  # a protected row may be in a group several times, and must not look like several
            return f"((count(*) + {(query.bounds.cut or 1) - 1}) // {query.bounds.cut})"
        return "count(*) FILTER (WHERE f)" if self._first_of(query) else "count(DISTINCT p)"

    def _first_of(self, query: PricedQuery) -> list[str]:
        """The mark of first rows, where all rows of a cut table are grouped by a marked column: marks count people."""
        plan, keys = query.question.plan, query.question.keys
        if (
            not isinstance(plan, Scan)
            or len(keys) != 1
            or not isinstance(keys[0], Ref)
            or query.bounds.cut in (None, 1)
        ):
            return []
        name = plan.fields[keys[0].index].name
        return [name] if (plan.table, name) in self._marked else []

    def _few_groups(self, query: PricedQuery, lines: str, names: list[str]) -> str:
        """The lines of at most `groups` groups a person."""
        known, most = query.question.groups, query.bounds.groups
        if not names or (known is not None and len(known) <= most):
            return lines
        return f"SELECT * FROM ({lines}) {self._first(names, most)}"

    def _first(self, names: list[str], most: int) -> str:
        """The first lines of each person in the order of the keyed hash; where hashes agree the keys decide."""
        return f"QUALIFY row_number() OVER (PARTITION BY p ORDER BY {self._order(names)}) <= {most}"

    def _order(self, names: list[str]) -> str:
        return ", ".join([f"hash({', '.join([*names, 'p', str(self._seed)])})", *names])

    # ---- values ----

    def distinct(self, query: PricedQuery, measure: Measure) -> str:
        """One line a group: its keys and the number of different values, at most `rows` of a person in a group."""
        (measure,), computed = _lifted((measure,), len(query.question.plan.fields))
        assert measure.of is not None
        where = "" if measure.where is None else f" AND {sql(measure.where)}"
        names = self._names(query)
        value = f"CASE WHEN {present(measure.of)}{where} THEN {sql(measure.of)} END AS v"
        rows = f"SELECT * FROM ({self._rows(query, [value], computed)}) WHERE v IS NOT NULL"
        tail = f" GROUP BY {', '.join(names)}" if names else ""
        if query.bounds.cut is None:
            rows = f"SELECT DISTINCT {', '.join(['p', *names, 'v'])} FROM ({rows})"
            rows = self._few_values(query, rows, names)
        return f"SELECT {', '.join([*names, 'count(DISTINCT v) AS n'])} FROM ({rows}){tail}"

    def values(self, query: PricedQuery, measure: Measure) -> str:
        """One line a group and value: its keys, the value in steps, and how often it occurs."""
        names = self._names(query)
        (measure,), computed = _lifted((measure,), len(query.question.plan.fields))
        rows = f"SELECT * FROM ({self._rows(query, [f'{steps(measure)} AS v'], computed)}) WHERE v IS NOT NULL"
        if query.bounds.cut is None:
            rows = self._few_values(query, rows, names)
        grouped = ", ".join([*names, "v"])
        return f"SELECT {grouped}, count(*) AS n FROM ({rows}) GROUP BY {grouped} ORDER BY {grouped}"

    def _few_values(self, query: PricedQuery, rows: str, names: list[str]) -> str:
        """Of the rows at most `rows` of each person and group, of at most `groups` groups.

        Windows and not lists, which must be in memory all at once. Groups are ranked by hash and key together, so that
        no two share a rank.
        """
        known, most = query.question.groups, query.bounds.groups
        if names and (known is None or len(known) > most):
            rank = f"dense_rank() OVER (PARTITION BY p ORDER BY {self._order(names)})"
            rows = f"SELECT * FROM ({rows}) QUALIFY {rank} <= {most}"
        part = f"PARTITION BY {', '.join(['p', *names])} ORDER BY hash(v, p, {self._seed}), v"
        return f"SELECT * FROM ({rows}) QUALIFY row_number() OVER ({part}) <= {query.bounds.rows}"


def as_column(expression: Expression) -> str:
    """An expression as a column: a whole number is 64 bits wide, so that columns of a kind are equal where values are.

    Computed ones are doubles inside of expressions, and many large whole numbers are equal to one double.
    """
    made = sql(expression)
    return made if expression.kind is not Kind.INTEGER or is_whole(expression) else f"TRY_CAST({made} AS BIGINT)"


def _as_declared(made: str, field: Field) -> str:
    return f"TRY_CAST({made} AS BIGINT)" if field.kind is Kind.INTEGER else made


def marked(table: Table, person: str | None) -> list[str]:
    """The columns of a table cut at registration whose values nobody declared: keys to be, but for the person."""
    if table.public or table.rows_per_person in (None, 1):
        return []
    # of kinds whose every value is a key of its own: several reals or days may be the one key NULL
    plain = (Kind.TEXT, Kind.INTEGER, Kind.BOOLEAN)
    open_ones = [each for each in table.columns if each.values is None and each.lower is None and each.kind in plain]
    return [each.name for each in open_ones if each.name != person]


def _lifted(measures: Sequence[Measure], at: int) -> tuple[list[Measure], list[Expression]]:
    """Measures whose functions are computed beforehand, as columns from `at` on, and what these compute.

    A measure names what it measures several times, and a function that may fail is not computed once for all of them:
    the optimiser that would see to it is left out for such questions.
    """
    computed: list[Expression] = []
    found = []
    for measure in measures:
        of = measure.of
        if of is None or is_plain(of):
            found.append(measure)
            continue
        if of not in computed:
            computed.append(of)
        kind = Kind.REAL if of.kind.is_number else of.kind
        found.append(replace(measure, of=Ref(at + computed.index(of), Field("", kind, of.range))))
    return found, computed


# ---- one row's part in a measure ----


def steps(measure: Measure) -> str:
    """The whole steps that a row adds, within its bounds and from the centre; NULL where it adds nothing."""
    assert measure.of is not None
    inner = _placed(measure.of, measure.step, measure.low, measure.high)
    if measure.centre:
        inner = f"({inner} - ({measure.centre}))"
    if not is_light(measure):
        inner = f"CAST({inner} AS BIGINT)"
    return inner if measure.where is None else f"CASE WHEN {sql(measure.where)} THEN {inner} END"


def is_light(measure: Measure) -> bool:
    """Whether whole doubles add up exactly, whatever the order, so that 128 bits are not needed."""
    return measure.kind == "sum" and measure.unit <= _LIGHT


def _placed(of: Expression, step: Fraction, low: int, high: int) -> str:
    """round(x/step) within low and high, a whole double (or 64 bits); NULL for NULL and for NaN."""
    if is_whole(of) and step == 1:
        x = sql(of)
        beyond = f"WHEN {x} < {low} THEN {low} WHEN {x} > {high} THEN {high}"
        return f"CASE WHEN {x} BETWEEN {low} AND {high} THEN {x} {beyond} END"
    x = number(of)
    scaled = f"{x} * {double(1 / step)}" if step.numerator == 1 else f"{x} / {double(step)}"
    if max(abs(low), abs(high)) >= _EXACT:
        place = f"CAST(greatest({double(low)}, least({double(high)}, floor({scaled} + 0.5))) AS BIGINT)"
        return f"CASE WHEN {x} IS NOT NULL AND NOT isnan({x}) THEN {place} END"
    # Comparisons on what is rounded, not on x: floor of [low, high + 1) is within the bounds whatever was lost before.
    # NaN is above infinity in every comparison, and NULL in none.
    y, ends = f"({scaled} + 0.5)", (double(low), double(high))
    return (
        f"CASE WHEN {y} >= {ends[0]} AND {y} < {double(high + 1)} THEN floor({y}) "
        f"WHEN {y} < {ends[0]} THEN {ends[0]} WHEN {y} <= CAST('inf' AS DOUBLE) THEN {ends[1]} END"
    )


def _twins(measures: Sequence[Measure]) -> list[int]:
    """Of each measure the one whose rows are counted for it: a sum of the same values has them at hand."""
    found = []
    for i, measure in enumerate(measures):
        same = [j for j, each in enumerate(measures) if each.kind in ("sum", "square")
                and (each.of, each.where) == (measure.of, measure.where)]  # fmt: skip
        found.append(same[0] if same and measure.kind in ("split", "present") else i)
    return found


def _row_columns(i: int, measure: Measure, *, twin: bool) -> list[str]:
    where = "TRUE" if measure.where is None else sql(measure.where)
    both = measure.where is not None and (measure.shared or measure.kind == "split")
    filtered = [f"CASE WHEN {where} THEN 1 END AS f{i}"] if both else []
    if measure.kind in ("sum", "square"):
        return [f"{steps(measure)} AS m{i}", *filtered]
    if measure.kind in ("split", "present"):
        assert measure.of is not None
        own = [] if twin else [f"CASE WHEN {where} AND {present(measure.of)} THEN 1 END AS m{i}"]
        return [*own, *filtered]
    if measure.kind in ("rows", "people") and measure.where is not None:
        return [f"CASE WHEN {where} THEN 1 END AS m{i}"]
    return []


def _direct_columns(i: int, measure: Measure, twin: int, person: str) -> list[str]:
    kind, filtered = measure.kind, measure.where is not None
    if kind in ("sum", "square"):
        term = f"m{i}" if kind == "sum" else f"m{i} * m{i}"
        return [_narrow(f"coalesce(sum({term}), 0)", measure) + f" AS a{i}"]
    if kind == "split":
        whole = f"count(f{i})" if filtered else "count(*)"
        return [f"count(m{twin}) AS a{i}", f"{whole} - count(m{twin}) AS b{i}"]
    if kind == "present":
        return [f"count(m{twin}) AS a{i}"]
    if kind == "rows":
        return [f"count({'m' + str(i) if filtered else '*'}) AS a{i}"]
    if kind == "people":
        one = f"CASE WHEN m{i} = 1 THEN {person} END" if filtered else person
        rows = f"m{i}" if filtered else "*"
        return [f"count({'DISTINCT ' + one if person else rows}) AS a{i}"]
    return []


def _needs_rows(measure: Measure) -> bool:
    """Whether a person's number of rows in a group decides how many of them count."""
    return measure.where is None and (measure.kind in ("rows", "split") or measure.shared)


def _person_columns(i: int, measure: Measure, twin: int) -> list[str]:
    kind = measure.kind
    filtered = [f"count(f{i}) AS n{i}"] if measure.where is not None and (measure.shared or kind == "split") else []
    if kind in ("sum", "square"):
        term = f"m{i}" if kind == "sum" else f"m{i} * m{i}"
        return [f"sum({term}) AS s{i}", f"count(m{i}) AS x{i}", *filtered]
    counted = [f"count(m{i}) AS x{i}"] if twin == i else []
    if kind == "split":
        return [*counted, *filtered]
    if kind == "present" or (kind in ("rows", "people") and measure.where is not None):
        return counted
    return []


def _group_columns(i: int, measure: Measure, twin: int, most: int) -> list[str]:
    kind, filtered = measure.kind, measure.where is not None
    x, n = f"x{twin}", f"n{i}" if filtered else "n"
    if kind == "rows":
        return [_total(f"least({x if filtered else 'n'}, {most})") + f" AS a{i}"]
    if kind == "present":
        return [_total(f"least({x}, {most})") + f" AS a{i}"]
    if kind == "people":
        return [(_total(f"least({x}, 1)") if filtered else "count(*)") + f" AS a{i}"]
    if kind == "split":
        kept = _kept(x, n, most)
        return [f"{_total(kept)} AS a{i}", _total(f"least({n}, {most}) - ({kept})") + f" AS b{i}"]
    if kind in ("sum", "square"):
        kept = f"({_kept(x, n, most)})" if measure.shared else f"least({x}, {most})"
        whole = f"CAST(s{i} AS {'BIGINT' if is_light(measure) and most <= _FEW else 'HUGEINT'})"
        part = f"CASE WHEN x{i} > 0 AND {kept} < x{i} THEN {whole} * {kept} // x{i} ELSE {whole} END"
        return [_narrow(f"coalesce(sum({part}), 0)", measure, most) + f" AS a{i}"]
    return []


def _total(term: str) -> str:
    return f"CAST(coalesce(sum({term}), 0) AS BIGINT)"


def _kept(present_rows: str, rows: str, most: int) -> str:
    """How many of a person's rows with a value count, if at most `most` of all their rows do."""
    return f"CASE WHEN {rows} > {most} THEN {present_rows} * {most} // {rows} ELSE {present_rows} END"


def _narrow(total: str, measure: Measure, most: int = 1) -> str:
    return f"CAST({total} AS {'BIGINT' if measure.unit * most < _WIDE else 'VARCHAR'})"


def _among(name: str, domain: tuple[object, ...], kind: Kind) -> str:
    known = [value for value in domain if value is not None]
    if (
        kind is Kind.INTEGER
        and len(known) > 2
        and known == list(range(int(str(known[0])), int(str(known[0])) + len(known)))
    ):
        return f"{name} BETWEEN {known[0]} AND {known[-1]}"
    return f"{name} IN ({', '.join(literal(value, kind) for value in known)})"


def _own(aggregate: OwnAggregate) -> str:
    """An aggregate over one person's rows, the same whatever order the rows come in."""
    of, kind = aggregate.of, aggregate.kind
    where = "" if aggregate.where is None else f" FILTER (WHERE {sql(aggregate.where)})"
    if kind == "count":
        return f"count(*){where}"
    assert of is not None
    if kind == "distinct":
        return f"count(DISTINCT CASE WHEN {present(of)} THEN {sql(of)} END){where}"
    if kind == "present":
        return f"count(CASE WHEN {present(of)} THEN 1 END){where}"
    if kind in ("min", "max"):
        return f"{kind}(CASE WHEN {present(of)} THEN {sql(of)} END){where}"
    step = of.range.step
    low, high = _ends(of.range, step)
    placed = f"CAST({_placed(of, step, low, high)} AS BIGINT)"
    if kind == "avg":
        return f"CAST(sum({placed}){where} AS DOUBLE) * {double(step)} / nullif(count({placed}){where}, 0)"
    if of.kind is Kind.INTEGER and is_whole(of):
        return f"TRY_CAST(sum({placed}){where} AS BIGINT)"
    return f"CAST(sum({placed}){where} AS DOUBLE) * {double(step)}"


def _ends(found: Range, step: Fraction) -> tuple[int, int]:
    assert found.lower is not None
    assert found.upper is not None
    return round(found.lower / step), round(found.upper / step)
