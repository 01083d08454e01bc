"""What a question would do and cost: known without data, shown for nothing."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, assert_never

from sfumato.curator import words
from sfumato.curator.documents import EXPLANATION, amount_json, headed, shortfall_json
from sfumato.curator.notes import notes, wide_notes
from sfumato.curator.release import AnswerColumn, Cost, Left, Note, Role
from sfumato.data import Dataset, Kind
from sfumato.exact.parameters import nearest
from sfumato.ledger.outcomes import MissingAmount
from sfumato.mechanisms import KeySelection
from sfumato.mechanisms.thresholds import KeyThreshold
from sfumato.query import PricedQuery, Question, price
from sfumato.query.expression import Ref, refs
from sfumato.query.plan import Join, PerPerson, Plan, Project, Scan, Union, Where
from sfumato.query.postprocess import answers_of
from sfumato.query.priced import NoisyCells, SelectedCounts
from sfumato.query.quantiles import PricedQuantile
from sfumato.query.strategies.keys import KeyedCells

_NOISES = {"GeometricNoise": "geometric", "DiscreteGaussianNoise": "discrete_gaussian"}  # of a column by itself
_MOST_COMPARED, _WORTH = 8, 0.95  # of answers, and how much less an error must be to be told of
_KEYS = {"TruncatedGeometricKeys": "truncated_geometric_keys", "LaplaceKeys": "laplace_keys"}


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a plan, and the steps whose rows it takes."""

    kind: Literal["scan", "join", "union", "person", "where", "project"]
    of: tuple["Step", ...] = ()
    table: str = ""
    private: bool = True
    cut: int | None = None
    on: tuple[tuple[str, str], ...] = ()
    aggregates: tuple[str, ...] = ()
    keyed: bool = False

    def to_json(self) -> dict[str, Any]:
        """Its kind, what belongs to that kind, and the steps below."""
        own: dict[str, dict[str, Any]] = {
            "scan": {"table": self.table, "private": self.private, "rows_per_person": self.cut},
            "join": {"on": [list(pair) for pair in self.on]},
            "person": {"aggregates": list(self.aggregates), "keyed": self.keyed},
        }
        return {"kind": self.kind, **own.get(self.kind, {}), "of": [step.to_json() for step in self.of]}


@dataclass(frozen=True, slots=True)
class ReturnedGroups:
    """Which groups are returned: one for all rows, all the public ones, or those with enough people."""

    kind: Literal["one", "public", "private"]
    count: int | None = None
    null: bool = False
    """Whether there is one of rows without a value, among public ones."""


@dataclass(frozen=True, slots=True)
class Bounding:
    """What of a person counts: a row by itself, all of a cut table's rows, or so many rows, more of them in part.

    Of `lengths` it is how many in one group, or as many as are of that length over groups (the root of squares).
    """

    kind: Literal["row", "cut", "weighted", "lengths"]
    rows: int | None = None
    """In all groups together."""
    in_group: int | None = None
    """In one group, if that is less."""
    groups: int | None = None
    """In how many groups a person counts, if others are left out."""

    def to_json(self) -> dict[str, Any]:
        """Its parts."""
        return {"kind": self.kind, "rows": self.rows, "in_group": self.in_group, "groups": self.groups}


@dataclass(frozen=True, slots=True)
class OtherBounding:
    """A way of bounding that was not chosen, and how far off the first number would be."""

    bounding: Bounding
    within: float


@dataclass(frozen=True, slots=True)
class Error:
    """How far off a number will be, by the kind of the statement and its figure."""

    kind: Literal["exact", "derived", "within", "within_over_rows", "about_over_rows", "rank", "shows"]
    figure: int | float | None = None
    least: float | None = None
    """Where it depends on the data, the least it may be; then the figure is the most."""

    def to_json(self) -> dict[str, Any]:
        """Its parts."""
        return {"kind": self.kind, "figure": self.figure, "least": self.least}


@dataclass(frozen=True, slots=True)
class PlannedMechanism:
    """One mechanism of a plan: what it measures, by which noise, at what share, and how far it will be off."""

    measures: tuple[str, ...]
    """What is measured together."""
    by: str
    currency: Literal["epsilon", "rho"]
    share: Fraction
    error: Error
    q: Fraction | None = None
    delta: Fraction | None = None

    def to_json(self) -> dict[str, Any]:
        """Its parts."""
        return {
            "measures": list(self.measures),
            "quantile": amount_json(self.q),
            "by": self.by,
            "share": {"currency": self.currency, "amount": amount_json(self.share), "delta": amount_json(self.delta)},
            "error": self.error.to_json(),
        }


@dataclass(frozen=True, slots=True)
class ExpectedColumn:
    """A column of the answer, and what error to expect in it."""

    name: str
    kind: Kind
    role: Role
    error: Error

    def to_json(self) -> dict[str, Any]:
        """Its parts."""
        return {**AnswerColumn(self.name, self.kind, self.role).to_json(), "error": self.error.to_json()}


@dataclass(frozen=True, slots=True)
class Saving:
    """How far off a column would be if another were not asked for."""

    without: str
    column: str
    within: float

    def to_json(self) -> dict[str, Any]:
        """Its parts."""
        return {"without": self.without, "column": self.column, "within": self.within}


@dataclass(frozen=True, slots=True)
class Explanation:
    """The plan of a question, its mechanisms, its price, what bounding leaves out, and what would remain."""

    question: str
    plan: Step
    groups: ReturnedGroups
    bounding: Bounding
    mechanisms: tuple[PlannedMechanism, ...]
    columns: tuple[ExpectedColumn, ...]
    cost: Cost
    confidence: Fraction
    remaining: tuple[Left, ...]
    """What would be left of each budget; where one refuses nothing is charged, and it is what is left."""
    shortfalls: tuple[MissingAmount, ...] = ()
    """Every budget that would refuse, as a refusal names them."""
    notes: tuple[Note, ...] = ()
    not_chosen: tuple[OtherBounding, ...] = ()
    savings: tuple[Saving, ...] = ()
    engine: str = ""
    """The engine that would be asked, by its name."""

    @property
    def affordable(self) -> bool:
        """Whether no budget would refuse."""
        return not self.shortfalls

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON values."""
        return {
            **headed(EXPLANATION),
            "question": self.question,
            "plan": self.plan.to_json(),
            "groups": {"kind": self.groups.kind, "count": self.groups.count, "null": self.groups.null},
            "bounding": self.bounding.to_json(),
            "not_chosen": [{"bounding": each.bounding.to_json(), "within": each.within} for each in self.not_chosen],
            "mechanisms": [each.to_json() for each in self.mechanisms],
            "savings": [each.to_json() for each in self.savings],
            "columns": [each.to_json() for each in self.columns],
            "cost": self.cost.to_json(),
            "confidence": amount_json(self.confidence),
            "remaining": [each.to_json() for each in self.remaining],
            "affordable": self.affordable,
            "shortfalls": [shortfall_json(each) for each in self.shortfalls],
            "notes": [each.to_json() for each in self.notes],
            "engine": self.engine,
        }

    def __str__(self) -> str:
        return words.as_lines(self)

    def __repr__(self) -> str:
        return str(self)


def explained(
    query: PricedQuery,
    dataset: Dataset,
    cost: Cost,
    remaining: tuple[Left, ...],
    short: tuple[MissingAmount, ...],
    *,
    more: tuple[Note, ...] = (),
    engine: str = "",
) -> Explanation:
    """The explanation of a priced question."""
    beta = 1 - query.confidence
    joint = any(isinstance(each, KeyedCells) for each in query.priced)
    mechanisms = [] if query.keys is None or joint else [_selection(query)]
    mechanisms += [_mechanism(each, query, beta) for each in query.priced if not isinstance(each, SelectedCounts)]
    return Explanation(
        question=query.question.text,
        plan=described(query.question.plan),
        groups=_groups(query),
        bounding=_bounding(query, dataset),
        mechanisms=tuple(mechanisms),
        columns=expected(query, beta),
        cost=cost,
        confidence=query.confidence,
        remaining=remaining,
        shortfalls=short,
        notes=(*more, *notes(query, dataset), *wide_notes(query, beta)),
        not_chosen=_not_chosen(query, dataset),
        savings=_without(query, dataset, beta),
        engine=engine,
    )


def columns_of(question: Question) -> tuple[AnswerColumn, ...]:
    """The columns of the answer to a question: what is made of keys alone is one."""
    keys = len(question.keys)

    def role(output: Any) -> Role:
        read = refs(output)
        return "key" if read and all(ref.index < keys for ref in read) else "value"

    return tuple(AnswerColumn(name, output.kind, role(output)) for name, output in question.outputs)


def described(plan: Plan) -> Step:
    """The plan as steps, the last one first."""
    match plan:
        case Scan():
            return Step("scan", table=plan.table, private=plan.private, cut=plan.cut if plan.private else None)
        case Where():
            return Step("where", (described(plan.of),))
        case Project():
            return Step("project", (described(plan.of),))
        case Join():
            on = tuple((plan.left.fields[i].name, plan.right.fields[j].name) for i, j in plan.equal)
            return Step("join", (described(plan.left), described(plan.right)), on=on)
        case Union():
            return Step("union", tuple(described(part) for part in plan.parts))
        case PerPerson():
            added = tuple(each.kind for each in plan.aggregates)
            return Step("person", (described(plan.of),), aggregates=added, keyed=bool(plan.keys))
        case _:
            assert_never(plan)


def _groups(query: PricedQuery) -> ReturnedGroups:
    if not query.question.keys:
        return ReturnedGroups("one")
    known = query.question.groups
    if known is None:
        return ReturnedGroups("private")
    return ReturnedGroups("public", len(known), any(None in group for group in known))


def _bounding(query: PricedQuery, dataset: Dataset) -> Bounding:
    limits = query.bounds
    if dataset.unit is None:
        return Bounding("row")
    if limits.cut:
        return Bounding("cut", limits.total)
    kind: Literal["weighted", "lengths"] = "weighted" if query.weights.length is None else "lengths"
    return Bounding(kind, limits.total, limits.rows, limits.picked)


def _shows(keys: KeyThreshold) -> Error:
    """With how many people a group shows nearly always, and with even odds."""
    return Error("shows", keys.people_for(Fraction(95, 100)), float(keys.people_for(Fraction(1, 2))))


def _selection(query: PricedQuery) -> PlannedMechanism:
    assert isinstance(query.keys, KeySelection)
    by, error = _KEYS[type(query.keys).__name__], _shows(query.keys)
    event = query.keys.event
    share = event.pure() if query.spend.epsilon is not None else event.zcdp()
    assert share is not None
    return PlannedMechanism(("keys",), by, _currency(query), share, error, delta=event.pure_delta())


def _currency(query: PricedQuery) -> Literal["epsilon", "rho"]:
    return "epsilon" if query.spend.epsilon is not None else "rho"


def _mechanism(priced: NoisyCells | PricedQuantile, query: PricedQuery, beta: Fraction) -> PlannedMechanism:
    measures = [query.measures.measures[place] for place in priced.columns if place >= 0]
    currency = _currency(query)
    kinds = tuple(measure.kind for measure in measures)
    match priced:
        case PricedQuantile():
            error = Error("rank", priced.expected(beta))
            return PlannedMechanism(kinds, priced.by, currency, priced.share, error, q=priced.q)
        case KeyedCells():
            error = _shows(priced.selection)
            return PlannedMechanism(("keys", *kinds), "joint_keys", currency, priced.share, error, delta=priced.delta)
        case NoisyCells(is_plain=True):
            off = Fraction(priced.noise.reach(beta), 1 << priced.bits) * measures[0].scale
            by = _NOISES.get(type(priced.noise).__name__, priced.strategy)
            return PlannedMechanism(kinds, by, currency, priced.share, Error("within", nearest(off)))
        case NoisyCells():
            delta = priced.delta or None
            return PlannedMechanism(kinds, priced.strategy, currency, priced.share, Error("derived"), delta=delta)
        case _:
            assert_never(priced)


def expected(query: PricedQuery, beta: Fraction) -> tuple[ExpectedColumn, ...]:
    """The error of each column of the answer that can be told before data are seen."""
    at, answers = len(query.question.keys), answers_of(query, beta)
    quantiles = {each.columns[0]: each for each in query.priced if isinstance(each, PricedQuantile)}
    found: list[ExpectedColumn] = []
    for column, (_, output) in zip(columns_of(query.question), query.question.outputs, strict=True):
        index = getattr(output, "index", None)
        if index is None:
            error = Error("derived")
        elif index < at:
            error = Error("exact")
        else:
            recipe, off = answers[index - at]
            if recipe.places[0] in quantiles:
                error = Error("rank", quantiles[recipe.places[0]].expected(beta))
            else:
                told = recipe.aggregate.expected(off)
                error = Error(recipe.aggregate.error_kind, told.figure, told.least)
        found.append(ExpectedColumn(column.name, column.kind, column.role, error))
    return tuple(found)


def _not_chosen(query: PricedQuery, dataset: Dataset) -> tuple[OtherBounding, ...]:
    """The other way of bounding that is declared: with what may be in one group, or without."""
    other = price(query.question, dataset, query.spend, confidence=query.confidence, wish=query.wish,
                  apart=query.bounds.rows is None)  # fmt: skip
    if other.bounds == query.bounds:
        return ()
    off = [each.error.figure for each in expected(other, 1 - query.confidence) if each.error.kind.startswith("within")]
    return tuple(OtherBounding(_bounding(other, dataset), float(each)) for each in off[:1] if each is not None)


def _without(query: PricedQuery, dataset: Dataset, beta: Fraction) -> tuple[Saving, ...]:
    """What each answer costs the others: how far off the first of them would be without it."""
    asked, at = query.question, len(query.question.keys)
    outputs = [
        (name, output.index - at) for name, output in asked.outputs if isinstance(output, Ref) and output.index >= at
    ]
    if not 2 <= len(asked.aggregates) <= _MOST_COMPARED or query.wish.beyond:  # without one there may be none beyond
        return ()
    now, found = answers_of(query, beta), list[Saving]()
    for left, place in outputs:
        rest = tuple(each for i, each in enumerate(asked.aggregates) if i != place)
        fewer = replace(asked, aggregates=rest, outputs=(), having=None, order=())
        other = price(fewer, dataset, query.spend, confidence=query.confidence, wish=replace(query.wish, weigh=()))
        then = answers_of(other, beta)
        for name, of in outputs:
            recipe, off = now[of]
            if of != place and recipe.aggregate.error_kind == "within":
                beside, alone = (recipe.aggregate.expected(each).figure for each in (off, then[of - (of > place)][1]))
                if alone < _WORTH * beside:
                    found.append(Saving(left, name, alone))
                break
    return tuple(found)
