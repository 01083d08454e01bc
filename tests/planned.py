"""Small declared datasets that nobody's data stand behind, and plans as lines that people can read.

A line says what decides privacy: whether rows are people's, whether a person has one, at how many they are cut, how many
rows one row may become (`spread`), which fields' rows are in the plan once (`once`), and with how many rows in how many
groups a person counts. Of fields it says: `!` the person, `~` made of the person, `'` the same in all rows of a person,
`?` may be missing, and bounds.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, assert_never

from sqlglot import exp

from sfumato.data import Column, Dataset, Kind, Memory, Rules, Table
from sfumato.data.budget import Allowance
from sfumato.engines.duckdb.dialect import DUCKDB
from sfumato.engines.sql.expressions import Expressions
from sfumato.engines.sql.measures import MeasureWriter, placed
from sfumato.engines.sql.statements import Statements
from sfumato.errors import InvalidQuestion
from sfumato.mechanisms import GeometricNoise
from sfumato.mechanisms.additive import Noise
from sfumato.mechanisms.box import BoxNoise
from sfumato.mechanisms.discrete_gaussian import DiscreteGaussianNoise
from sfumato.mechanisms.gaussian import GaussianNoise
from sfumato.mechanisms.thresholds import KeyThreshold
from sfumato.query import PricedQuery, Spend, planning, price
from sfumato.query.aggregates import Aggregate, OverValues
from sfumato.query.bars import Bar
from sfumato.query.bounds import Bounds
from sfumato.query.context import Context
from sfumato.query.contributions import Declared, declared
from sfumato.query.evaluate import evaluate
from sfumato.query.expression import Call, Expression, Field, Literal, Ref, in_calendar, longest, written_size
from sfumato.query.functions.cost import Work
from sfumato.query.measured import Recipe, measured
from sfumato.query.measures import Distinct, InSteps, Measure, OfValue, Values
from sfumato.query.parse import parse, without_alias
from sfumato.query.passes import PASSES, Draft, Pass
from sfumato.query.plan import Join, PerPerson, Plan, Project, Scan, Union, Where, once, spread
from sfumato.query.priced import NoisyCells, Priced, SelectedCounts
from sfumato.query.quantiles import PricedQuantile
from sfumato.query.relations import FromClause
from sfumato.query.rows import RowReader
from sfumato.query.scope import NamedPlan
from sfumato.query.work import of_expression

ROWS: Mapping[str, tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]]] = {
    "towns": (("town", "region"), (("a", "north"), ("a", "south"), ("b", "north"), ("c", None), ("e", "west"))),
    "codes": (("code", "label"), ((1, "x"), (2, "x"), (3, "y"))),
}


class PublicRows:
    """What may be known of two little public tables; towns name some towns twice."""

    def values(self, table: str, column: str) -> tuple[Any, ...] | None:
        """The different values of a column, in order."""
        names, rows = ROWS[table]
        found = {row[names.index(column)] for row in rows}
        return (*sorted(found - {None}), *([None] if None in found else []))

    def repeats(self, table: str, columns: tuple[str, ...]) -> int:
        """How many rows agree on these columns at most."""
        names, rows = ROWS[table]
        keys = [tuple(row[names.index(column)] for column in columns) for row in rows]
        return max(Counter(key for key in keys if None not in key).values(), default=0)


def _number(name: str, kind: Kind, lower: int, upper: int, grid: Fraction | None = None) -> Column:
    return Column(name, kind, Fraction(lower), Fraction(upper), grid)


PEOPLE = Table("people", Memory(), (
    Column("person", Kind.INTEGER), _number("age", Kind.INTEGER, 0, 120), Column("town", Kind.TEXT),
))  # fmt: skip
VISITS = Table("visits", Memory(), (
    Column("person", Kind.INTEGER), Column("visit", Kind.INTEGER), _number("day", Kind.INTEGER, 0, 364),
    Column("ward", Kind.TEXT, values=("a", "b", "c")), _number("cost", Kind.REAL, 0, 100, Fraction(1, 100)),
    Column("town", Kind.TEXT), Column("code", Kind.INTEGER), Column("half", Kind.REAL), Column("at", Kind.TIMESTAMP),
    Column("paid", Kind.BOOLEAN),
), foreign_keys=(("person", "people", "person"),), rows_per_group=3, groups_per_person=2)  # fmt: skip
ITEMS = Table("items", Memory(), (
    Column("visit", Kind.INTEGER), _number("price", Kind.REAL, -10, 10), Column("sort", Kind.TEXT),
), foreign_keys=(("visit", "visits", "visit"),), rows_per_group=4, groups_per_person=5)  # fmt: skip
TOWNS = Table("towns", Memory(), (Column("town", Kind.TEXT), Column("region", Kind.TEXT)), public=True)
CODES = Table("codes", Memory(), (Column("code", Kind.INTEGER), Column("label", Kind.TEXT)), public=True)
TABLES = (PEOPLE, VISITS, ITEMS, TOWNS, CODES)
PERSON = ("people", "person")
DATASETS = {
    "people": Dataset("people", TABLES, PERSON, Allowance(Fraction(1))),
    "rows": Dataset("rows", tuple(replace(t, foreign_keys=()) for t in TABLES), None, Allowance(Fraction(1))),
    "cut": Dataset(
        "cut",
        (PEOPLE, replace(VISITS, rows_per_person=6, materialise=True), *TABLES[2:]),
        PERSON,
        Allowance(Fraction(1)),
    ),
    "total": Dataset(
        "total",
        (PEOPLE, replace(VISITS, rows_per_person=6, rows_per_group=None, groups_per_person=None), *TABLES[2:]),
        PERSON,
        Allowance(Fraction(1)),
    ),
    "both": Dataset("both", (PEOPLE, replace(VISITS, rows_per_person=4), *TABLES[2:]), PERSON, Allowance(Fraction(1))),
    "several": Dataset(
        "several", (replace(PEOPLE, rows_per_group=2, groups_per_person=1), *TABLES[1:]), PERSON, Allowance(Fraction(1))
    ),
    "short": Dataset("short", TABLES, PERSON, Allowance(Fraction(1)), rules=Rules(rows_per_row=3)),
}
"""A person's rows are protected, each row is, visits are cut, or bounded in all, or both ways, people have several rows,
one row may become three."""


def context(text: str, dataset: str = "people") -> Context:
    """What a question is read against."""
    return Context(DATASETS[dataset], PublicRows(), text)


def named(text: str, dataset: str = "people") -> NamedPlan:
    """FROM of a question, with its joins and WHERE."""
    select, text = parse(text)
    clause = FromClause(context(text, dataset))
    return clause.source(select, clause.ctes(select, {}))


def planned(text: str, dataset: str = "people") -> Plan:
    """The plan of a question's FROM."""
    return named(text, dataset).plan


def refusal(error: InvalidQuestion) -> str:
    """A refusal in one line."""
    problem, _, hint = str(error).partition("\n\nhint: ")
    return f"refused: {problem} | hint: {hint}"


def written(plan: Plan, dataset: str = "people") -> str:
    """A plan in one line, with all that decides sensitivities."""
    shown = [_steps(plan)]
    if not isinstance(plan, Scan | Where | Join):
        shown.append(", ".join(map(field, plan.fields)))
    if not plan.private:
        return " | ".join([*shown, "public"])
    said = declared(plan, DATASETS[dataset])
    alone = sorted(once(plan))
    seen = "all" if len(alone) == len(plan.fields) else ",".join(map(str, alone)) or "none"
    single = "one row a person, " if plan.single else ""
    return " | ".join([*shown, f"{single}cut {plan.cut}, spread {spread(plan)}, once {seen}, counts {_said(said)}"])


def _said(bounds: Declared) -> str:
    known = [] if bounds.rows is None and bounds.groups is None else [f"{bounds.rows} in {bounds.groups}"]
    return ", ".join(known + ([] if bounds.total is None else [f"{bounds.total} in all"]))


def _steps(plan: Plan) -> str:
    match plan:
        case Scan():
            return plan.table
        case Where():
            return f"{_steps(plan.of)} where {expression(plan.predicate)}"
        case Project():
            return f"{_steps(plan.of)} → {', '.join(map(expression, plan.expressions))}"
        case Join():
            sign = "⟕" if plan.outer else "⋈"
            by = ", ".join(f"{plan.left.fields[i].name}={plan.right.fields[j].name}" for i, j in plan.equal)
            led = f", key leads {plan.leads_to}" if plan.leads_to else ""
            times = f", ×{plan.repeats}" if plan.repeats != 1 else ""
            return f"({_steps(plan.left)} {sign} {_steps(plan.right)} by {by}{led}{times})"
        case Union():
            return f"({' ∪ '.join(map(_steps, plan.parts))})"
        case PerPerson():
            added = ", ".join(
                f"{each.kind}({'*' if each.of is None else expression(each.of)})"
                + (f" where {expression(each.where)}" if each.where is not None else "")
                for each in plan.aggregates
            )
            keys = f" and {', '.join(map(expression, plan.keys))}" if plan.keys else ""
            return f"{_steps(plan.of)} → a line a person{keys}: {added or 'nothing'}"
        case _:
            assert_never(plan)


_SIGNS = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "add": "+", "sub": "-", "mul": "*",
          "div": "/"}  # fmt: skip


def expression(made: Expression) -> str:
    """An expression in short; a field by its name and position."""
    match made:
        case Ref():
            return f"{made.field.name}#{made.index}"
        case Literal():
            return repr(made.value)
        case Call(op="and" | "or"):
            return "(" + f" {made.op} ".join(map(expression, made.args)) + ")"
        case Call() if made.op in _SIGNS:
            return f" {_SIGNS[made.op]} ".join(map(expression, made.args))
        case Call():
            return f"{made.op}({', '.join(map(expression, made.args))})"


def field(known: Field) -> str:
    """A field with what is known of it."""
    marks = (("!", known.person), ("~", known.traces), ("'", known.own), ("?", known.missing))
    made = known.name + "".join(mark for mark, holds in marks if holds) + f" {known.kind.value}"
    if known.range.is_bounded:
        made += f" {known.range.lower}..{known.range.upper}"
    if known.values is not None:
        made += f" of {len(known.values)}"
    return made


def columns(text: str, dataset: str = "people") -> str:
    """The fields that the columns of SELECT name, in one line."""
    select, _ = parse(text)
    scope = named(text, dataset).scope
    refs = [scope.column(each) for each in select.expressions if isinstance(each, exp.Column)]
    return ", ".join(f"#{ref.index} {field(ref.field)}" for ref in refs)


# ---- questions, pass by pass ----


def drafted(text: str, dataset: str, until: Pass) -> Draft:
    """A question after the passes up to one."""
    draft = planning.drafted(text, DATASETS[dataset], PublicRows())
    for each in PASSES[: PASSES.index(until) + 1]:
        draft = each(draft)
    return draft


def keys(draft: Draft) -> str:
    """The keys of GROUP BY, and how they are written."""
    return ", ".join(f"{expression(key.expression)} as `{key.name}`" for key in draft.keys) or "no keys"


def outputs(draft: Draft) -> str:
    """What is released, and the aggregates it is made of."""
    shown = ", ".join(f"{name}: {expression(made)} {made.kind.value}" for name, made in draft.outputs)
    return f"{shown} | {', '.join(map(aggregate, draft.aggregates)) or 'no aggregates'}"


def aggregate(made: Aggregate) -> str:
    """An aggregate, with what is known of its value."""
    of = f" of {expression(made.of)}" if isinstance(made, OverValues) else ""
    where = f" where {expression(made.where)}" if made.where is not None else ""
    known = f" {made.range.lower}..{made.range.upper}" if made.range.is_bounded else ""
    extra = [name for name in ("sample", "root") if getattr(made, name, False)]
    return " ".join([f"{made.label}{of}{where}", *extra]) + f" → {made.gives.value}{known}"


def having(draft: Draft) -> str:
    """The condition on what is released."""
    return "all groups" if draft.having is None else expression(draft.having)


def order(draft: Draft) -> str:
    """The order of what is released."""
    said = [
        f"{expression(each.by)}{' down' if each.descending else ''}{', missing first' if each.nulls_first else ''}"
        for each in draft.order
    ]
    return "; ".join(said) or "by key"


def limit(draft: Draft) -> str:
    """How many rows are shown, from which on."""
    return f"{'all' if draft.limit is None else draft.limit} from {draft.offset}"


def domains(draft: Draft) -> str:
    """The public values of each key."""
    shown = []
    for domain in draft.domains:
        if domain is None:
            shown.append("not public")
        elif len(domain) > 6:
            shown.append(f"{domain[0]!r}, …, {domain[-1]!r} ({len(domain)})")
        else:
            shown.append(", ".join(map(repr, domain)))
    return "; ".join(shown) or "one group"


def measures(text: str, dataset: str) -> str:
    """What is measured for a question, and of which columns each aggregate is made."""
    asked = planning.plan_question(text, DATASETS[dataset], PublicRows())
    found = measured(asked.aggregates)
    shown = [f"{place}: {measure(each)}" for place, each in enumerate(found.measures)]
    return f"{'; '.join(shown)} | {'; '.join(map(_recipe, found.recipes))}"


def _recipe(recipe: Recipe) -> str:
    """The combinations of columns that an aggregate is made of."""
    forms = ["+".join(str(at) if times == 1 else f"{times}·{at}" for at, times in form) for form in recipe.forms]
    return f"{recipe.aggregate.label} of {','.join(forms)}"


def measure(made: Measure) -> str:
    """A measure with its grid and what one row adds at most."""
    of = f" of {expression(made.of)}" if isinstance(made, OfValue) else ""
    where = f" where {expression(made.where)}" if made.where is not None else ""
    steps = f" in steps of {made.step} from {made.low} to {made.high}" if isinstance(made, InSteps) else ""
    centre = f" around {made.centre}" if isinstance(made, InSteps) and made.centre else ""
    adds = "" if made.only_adds else ", up or down"
    return f"{made.kind}{of}{where}{steps}{centre}, a row {made.unit}{adds}"


def prices(text: str, dataset: str) -> str:
    """How a person is bounded, how far they move each measure, and what hides that at ε = 1 and at ρ = 1."""
    asked = planning.plan_question(text, DATASETS[dataset], PublicRows())
    spends = (Spend(Fraction(1), None, Fraction(1, 10**6)), Spend(None, Fraction(1), Fraction(1, 10**6)))
    by_epsilon, by_rho = (price(asked, DATASETS[dataset], spend) for spend in spends)
    limits = by_epsilon.bounds
    measures, grouped = by_epsilon.measures.measures, bool(asked.keys)
    moved = [
        f"{i} {each.kind} {each.moves(limits, grouped=grouped).l1} "
        f"(ℓ2² {each.moves(by_rho.bounds, grouped=grouped).l2_squared})"
        for i, each in enumerate(measures)
    ]
    shown = [" + ".join(map(_hidden, query.priced)) for query in (by_epsilon, by_rho)]
    chosen = "" if by_epsilon.keys is None else f" | keys: {_keys(by_epsilon.keys)} / {_keys(by_rho.keys)}"
    pure, delta, zcdp = by_epsilon.event.pure(), by_epsilon.event.pure_delta(), by_rho.event.zcdp()
    assert pure is not None
    assert zcdp is not None
    assert (pure, zcdp) <= (1, 1)  # type: ignore[operator]
    assert delta <= Fraction(1, 10**6)
    costs = f"ε {pure} δ {float(delta):.6g} / ρ {float(zcdp):.9g}"
    apart = by_rho.bounds
    weights = f"weights of {by_epsilon.weights.bits} / {by_rho.weights.bits} bits"
    if by_epsilon.weights.alone is not None:
        weights += ", totals scaled"
    bounded = f"{_bounded(limits)} / {_bounded(apart)}" if apart != limits else _bounded(limits)
    return f"{bounded} | {weights} | moves {'; '.join(moved)} | {' / '.join(shown)}{chosen} | {costs}"


def _bounded(limits: Bounds) -> str:
    parts = [f"{limits.total} rows"]
    parts += [] if limits.rows is None else [f"{limits.rows} in a group"]
    parts += [] if limits.picked is None else [f"{limits.picked} groups picked"]
    parts += [f"people in {limits.keys}{' or in parts' if limits.in_parts else ''}", *(["cut"] if limits.cut else [])]
    return ", ".join(parts)


def _hidden(priced: Priced) -> str:
    """What hides a person in a block: of several columns with its strategy and cells."""
    places = ",".join(map(str, priced.columns))
    match priced:
        case NoisyCells(is_plain=True):
            return f"{places}: {_noise(priced.noise, priced.bits)}"
        case NoisyCells():
            cells = "; ".join(" ".join(map(str, cell)) for cell in priced.cells)
            return f"{places}: {priced.strategy} [{cells}] {_noise(priced.noise, priced.bits)}"
        case PricedQuantile():
            assert priced.bar is not None
            value, bar = (float(each.epsilon) * 2**priced.bits for each in priced.quantiles)
            aim = priced.bar.margin / (1 << priced.bits)
            return f"{places}: {priced.by} ε {value:.6g}, bar ε {bar:.6g} with {aim:.6g} between"
        case SelectedCounts():
            return f"{places}: counts of the keys"
        case _:
            assert_never(priced)


def _noise(noise: Noise, bits: int) -> str:
    """A noise and how wide it is, in whole rows."""
    match noise:
        case GeometricNoise():
            return f"geometric {noise.scale / (1 << bits)}"
        case BoxNoise():
            return f"box {noise.scale / (1 << bits)}"
        case GaussianNoise():
            return f"normal {float(noise.sigma / (1 << bits)):.6g}"
        case DiscreteGaussianNoise():
            return f"gaussian {float(noise.sigma / (1 << bits)):.6g}"
        case _:
            raise TypeError(type(noise))


def _keys(selection: KeyThreshold | None) -> str:
    assert selection is not None
    return f"{type(selection).__name__} ε {float(selection.epsilon):.6g} in {selection.keys_per_person}"


# ---- expressions over a row, in SQL and after the noise ----


def row_expression(text: str, dataset: str) -> Expression:
    """An expression over a row of visits."""
    select, written = parse(f"SELECT {text} AS x FROM visits")
    return RowReader(named(written, dataset).scope)(without_alias(select.expressions[0]))


def known(text: str, dataset: str) -> str:
    """What is known of an expression: its kind, its range and grid, how long its text is, how often it is written."""
    made = row_expression(text, dataset)
    ends = [("" if end is None else str(end)) for end in (made.range.lower, made.range.upper)]
    shown = [made.kind.value]
    if any(ends):
        shown.append("..".join(ends))
    if made.range.grid is not None:
        shown.append(f"on {made.range.grid}")
    if made.kind is Kind.TEXT:
        size = longest(made)
        shown.append("any length" if size is None else f"to {size} characters")
    if made.kind.is_time:
        shown.append("in the calendar" if in_calendar(made) else "any day")
    of = of_expression(made, [Work(1)] * 10)
    return f"{expression(made)} | {' '.join(shown)} | {written_size(made)} leaves, {of.bytes} bytes, {of.steps} steps"


def in_sql(text: str, dataset: str) -> str:
    """The SQL of an expression in DuckDB's words."""
    return Expressions(DUCKDB).sql(row_expression(text, dataset))


def after_noise(text: str, dataset: str) -> str:
    """An expression over released values, where COUNT(*) is 100 ± 9, SUM(cost) 12.5 ± 0.5, and ward is 'b'."""
    written = f"SELECT ward, COUNT(*) AS n, SUM(cost) AS s FROM visits GROUP BY ward ORDER BY {text}"
    made = planning.plan_question(written, DATASETS[dataset], PublicRows()).order[0].by
    found = evaluate(made, [Bar("b"), Bar(100, 91.0, 109.0), Bar(12.5, 12.0, 13.0)])
    interval = "" if found.low is None else f" [{found.low!r}, {found.high!r}]"
    return f"{found.value!r}{interval} {made.kind.value}"


# ---- what an engine is asked ----


def in_columns(text: str, dataset: str) -> str:
    """The SQL of a question's measures: of a row, whether it counts, what it adds, and of all rows of a cut table."""
    asked = planning.plan_question(text, DATASETS[dataset], PublicRows())
    write, shown = MeasureWriter(DUCKDB), []
    for each, at in placed(measured(asked.aggregates).measures):
        parts = (each.of_row(at, write), [each.counts(at)], [each.amount(at)], [each.of_all_rows(at, write, "p")])
        shown.append(f"{each.kind}: " + " / ".join(", ".join(part) or "nothing" for part in parts))
    return " ; ".join(shown) or "statements of their own"


def statements(text: str, dataset: str) -> str:
    """The statements of a question at ε = 1, and at ρ = 1 where they are others; a table as it is read is its name."""
    asked, write = (
        planning.plan_question(text, DATASETS[dataset], PublicRows()),
        Statements(DATASETS[dataset], DUCKDB, 7),
    )
    spends = (Spend(Fraction(1), None, Fraction(1, 10**6)), Spend(None, Fraction(1), Fraction(1, 10**6)))
    made = [_asked_of(write, price(asked, DATASETS[dataset], spend)) for spend in spends]
    return _SCAN.sub(r"\1", " | at ρ: ".join(dict.fromkeys(made)))


_SCAN = re.compile(
    r'SELECT sfumato_person AS p, (?:"\w+" AS c\d+(?:, )?)+ FROM ("\w+") WHERE sfumato_person IS NOT NULL'
)


def _asked_of(write: Statements, query: PricedQuery) -> str:
    found = query.measures.measures
    made = [write.additive(query)] if query.keys is not None or placed(found) else []
    for at, each in enumerate(found):
        if isinstance(each, Distinct):
            made.append(write.distinct(query, each))
        elif isinstance(each, Values):
            made.append(write.values(query, at))
    return " ; ".join(made)


def canonical(text: str, dataset: str) -> str:
    """What decides the answer to a question, as the ledger knows it; the meaning's number is left out."""
    asked = planning.plan_question(text, DATASETS[dataset], PublicRows()).canonical()
    return json.dumps({name: value for name, value in asked.items() if name != "meaning"})
