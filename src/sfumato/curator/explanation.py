"""What a question would do and cost: known without data, shown for nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, assert_never

from sfumato.curator import words
from sfumato.curator.documents import EXPLANATION, amount_json, headed, shortfall_json
from sfumato.curator.release import AnswerColumn, Cost, Left, Note, Role
from sfumato.data import Dataset, Kind
from sfumato.exact.parameters import nearest
from sfumato.ledger.outcomes import MissingAmount
from sfumato.query import PricedQuery, Question, price
from sfumato.query.aggregates import QuantileOf
from sfumato.query.contributions import lines_of_people, one_group
from sfumato.query.expression import refs
from sfumato.query.measures import Distinct, People
from sfumato.query.plan import Join, PerPerson, Plan, Project, Scan, Union, Where, tables
from sfumato.query.postprocess import expected_errors
from sfumato.query.priced import NoisyColumns, SelectedCounts, ThreeQuantiles

_NOISES = {"GeometricNoise": "geometric", "DiscreteGaussianNoise": "discrete_gaussian"}
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
    """What of a person counts: a row by itself, all of a cut table's rows, or so many rows, more of them in part."""

    kind: Literal["row", "cut", "weighted"]
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

    def to_json(self) -> dict[str, Any]:
        """Its parts."""
        return {"kind": self.kind, "figure": self.figure}


@dataclass(frozen=True, slots=True)
class PlannedMechanism:
    """One mechanism of a plan: what it measures, by which noise, at what share, and how far it will be off."""

    measures: str
    by: str
    currency: Literal["epsilon", "rho"]
    share: Fraction
    error: Error
    q: Fraction | None = None
    delta: Fraction | None = None

    def to_json(self) -> dict[str, Any]:
        """Its parts."""
        return {
            "measures": self.measures,
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
            "columns": [each.to_json() for each in self.columns],
            "cost": self.cost.to_json(),
            "confidence": amount_json(self.confidence),
            "remaining": [each.to_json() for each in self.remaining],
            "affordable": self.affordable,
            "shortfalls": [shortfall_json(each) for each in self.shortfalls],
            "notes": [each.to_json() for each in self.notes],
        }

    def __str__(self) -> str:
        return words.as_lines(self)

    def __repr__(self) -> str:
        return str(self)


def explained(
    query: PricedQuery, dataset: Dataset, cost: Cost, remaining: tuple[Left, ...], short: tuple[MissingAmount, ...]
) -> Explanation:
    """The explanation of a priced question."""
    beta = 1 - query.confidence
    mechanisms = [] if query.keys is None else [_selection(query)]
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
        notes=notes(query, dataset),
        not_chosen=_not_chosen(query, dataset),
    )


def _not_chosen(query: PricedQuery, dataset: Dataset) -> tuple[OtherBounding, ...]:
    """The other way of bounding that is declared: with what may be in one group, or without."""
    other = price(query.question, dataset, query.spend, confidence=query.confidence, wish=query.wish,
                  apart=query.spend.rho is None)  # fmt: skip
    if other.bounds == query.bounds:
        return ()
    off = [
        each.reach(1 - query.confidence) * each.measure.scale for each in other.priced if isinstance(each, NoisyColumns)
    ]
    return tuple(OtherBounding(_bounding(other, dataset), nearest(each)) for each in off[:1])


def notes(query: PricedQuery, dataset: Dataset, beyond: Sequence[int] = ()) -> tuple[Note, ...]:
    """What a reader of the answer must know, with the noisy numbers of those who have more than counts."""
    found = []
    if any(isinstance(each, QuantileOf) and each.is_extreme for each in query.question.aggregates):
        found.append(Note.of("extremes"))
    if query.keys is not None:
        found.append(Note.of("threshold", people=query.keys.threshold))
    return (*found, *bounding_notes(query, dataset), *_beyond(query, beyond))


def _beyond(query: PricedQuery, told: Sequence[int]) -> list[Note]:
    if query.beyond is None or not told:
        return []
    beta, known = 1 - query.confidence, query.beyond
    found = [Note.of("beyond", people=told[0], within=known.people.reach(beta))]
    if known.rows is not None:
        found.append(Note.of("excess", n=told[1], within=known.rows.reach(beta), most=known.most))
    return found


def bounding_notes(query: PricedQuery, dataset: Dataset) -> list[Note]:
    """What may have been left out of each person's part: from the declaration and the question alone."""
    limits, plan, found = query.bounds, query.question.plan, list[Note]()
    if dataset.unit is None:
        return found
    cuts = [
        cut for name in tables(plan) if (table := dataset.table(name)) is not None and (cut := table.cut) is not None
    ]
    found += [Note.of("cut", rows=max(cuts))] if cuts else []
    found += [Note.of("own", rows=rows) for rows in lines_of_people(plan, dataset)[:1]]
    if limits.cut or plan.single:
        return found
    measures = query.measures.measures
    if any(measure.is_weighted for measure in measures):
        found.append(Note.of("sampled" if query.weights.picks else "weighted", rows=limits.total))
    if any(isinstance(measure, Distinct) for measure in measures):
        found.append(Note.of("values", values=limits.total))
    if limits.picked is not None:
        found.append(Note.of("picked", groups=limits.picked))
    if limits.in_parts and not one_group(query.question) and any(isinstance(measure, People) for measure in measures):
        found.append(Note.of("parts", groups=limits.keys))
    return found


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
    return Bounding("weighted", limits.total, limits.rows, limits.picked)


def _selection(query: PricedQuery) -> PlannedMechanism:
    assert query.keys is not None
    people, share = query.keys.people_for(Fraction(95, 100)), query.spend.amount / _parts(query)
    by, error = _KEYS[type(query.keys).__name__], Error("shows", people)
    return PlannedMechanism("keys", by, _currency(query), share, error, delta=query.spend.delta)


def _parts(query: PricedQuery) -> int:
    counted = any(isinstance(each, SelectedCounts) for each in query.priced)
    return len(query.priced) + (1 if query.keys is not None and not counted else 0)


def _currency(query: PricedQuery) -> Literal["epsilon", "rho"]:
    return "epsilon" if query.spend.epsilon is not None else "rho"


def _mechanism(priced: NoisyColumns | ThreeQuantiles, query: PricedQuery, beta: Fraction) -> PlannedMechanism:
    measure, currency = priced.measure, _currency(query)
    match priced:
        case ThreeQuantiles():
            error = Error("rank", priced.expected(beta))
            return PlannedMechanism(measure.kind, "exponential", currency, priced.share, error, q=priced.q)
        case NoisyColumns():
            error = Error("within", nearest(priced.reach(beta) * measure.scale))
            return PlannedMechanism(measure.kind, _NOISES[type(priced.noise).__name__], currency, priced.share, error)
        case _:
            assert_never(priced)


def expected(query: PricedQuery, beta: Fraction) -> tuple[ExpectedColumn, ...]:
    """The error of each column of the answer that can be told before data are seen."""
    off, at = expected_errors(query, beta), len(query.question.keys)
    found: list[ExpectedColumn] = []
    for column, (_, output) in zip(columns_of(query.question), query.question.outputs, strict=True):
        index = getattr(output, "index", None)
        if index is None:
            error = Error("derived")
        elif index < at:
            error = Error("exact")
        else:
            recipe = query.measures.recipes[index - at]
            error = Error(recipe.aggregate.error_kind, recipe.expected_error(off))
        found.append(ExpectedColumn(column.name, column.kind, column.role, error))
    return tuple(found)
